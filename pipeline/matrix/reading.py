"""matrix.yaml: what is in it, each key and value checked at its place; configs check the values themselves.

axes:                                  # every combination of these is a cell
  strategy: [slice, fat-lto]
  opt1.level: [2, 3]
exclude:                               # but for these
  - {strategy: fat-lto, opt1.level: 3}
include:                               # more settings for those that fit, or a cell more
  - {strategy: fat-lto, check: true}
cells:                                 # and these, by name
  debug: {config: debug}
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline import config, yaml_source
from pipeline.config import ConfigError, did_you_mean, nearest
from pipeline.matrix.combining import Combination, Settings, combinations, combined, fits, text
from pipeline.yaml_source import Node, Scalar, Source, quoted

CONFIG = "config"
"""The key of a cell that is none of a config: which one it starts from."""

PARTS = ("axes", "include", "exclude", "cells")

MOST = 1024
"""How many cells there may be."""

NAME = r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$"
"""A cell's name: it is a folder's, too."""

_TAKEN = "cargo"
"""What `target/crategrad` of a crate has already."""


@dataclass(frozen=True)
class Cell:
    """One way of building, by its name."""

    name: str
    place: str
    settings: Settings


def read(file: Path, here: Path) -> list[Cell]:
    """The cells of a file, in order; messages name it as the user does, who is `here`.

    Raises: ConfigError for whatever is wrong with it, but for values that a config has to judge.
    """
    tree = _tree(file, here)
    for name, node in tree.entries.items():
        if name not in PARTS:
            raise ConfigError(f"{node.key_place}: unknown key {quoted(name)}", did_you_mean(nearest(name, PARTS)))
    axes = {name: _values(name, node) for name, node in _mapping("axes", tree).items()}
    if math.prod(map(len, axes.values())) > MOST:
        raise ConfigError(f"{tree.entries['axes'].place}: the axes make more than {MOST} cells")
    include, exclude = [list(_listed(part, tree)) for part in ("include", "exclude")]
    _refuse_idle(axes, exclude)
    cells = [_unnamed(one) for one in combined(axes, [settings for _, settings in include], [each for _, each in exclude])]
    cells += [_named(name, node) for name, node in _mapping("cells", tree).items()]
    _refuse_unfit(cells, tree)
    return cells


def _tree(file: Path, here: Path) -> Node:
    shown = config.shown_path(file, here)
    try:
        tree = yaml_source.read_file(file, Source(shown, file.parent, dotted=True))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        what = f"{shown}: cannot be read: {getattr(error, 'strerror', error)}"
        raise ConfigError(what, "matrix=FILE names a matrix; docs/matrix.md says what is in it") from None
    if not isinstance(tree.value, dict):
        raise ConfigError(f"{tree.place}: expected a mapping of {', '.join(PARTS)}")
    return tree


def _mapping(part: str, tree: Node) -> Mapping[str, Node]:
    node = tree.entries.get(part)
    if node and not isinstance(node.value, dict):
        raise ConfigError(f"{node.place}: {quoted(part)} {_said(node)}", "expected a mapping")
    return node.entries if node else {}


def _values(key: str, node: Node) -> Sequence[Node]:
    """The values of an axis."""
    _check_key(key, node)
    if not node.items:
        raise ConfigError(f"{node.place}: the axis {quoted(key)} {_said(node)}", "expected a list of values")
    seen: dict[str, Node] = {}
    for each in node.items:
        _check_value(key, each)
        if first := seen.get(text(each)):
            raise ConfigError(f"{each.place}: {each.text} is in the axis {quoted(key)} twice: first at {first.place}")
        seen[text(each)] = each
    return node.items


def _listed(part: str, tree: Node) -> Iterator[tuple[Node, Settings]]:
    """The settings in the list `include` or `exclude`, and where each begins."""
    node = tree.entries.get(part)
    if node and not isinstance(node.value, list):
        raise ConfigError(f"{node.place}: {quoted(part)} {_said(node)}", "expected a list")
    for item in node.items if node else ():
        if not item.entries:
            raise ConfigError(f"{item.place}: an item of {quoted(part)} {_said(item)}", "expected keys and values")
        yield item, _settings(item)


def _settings(node: Node) -> Settings:
    for key, value in node.entries.items():
        _check_key(key, value)
        _check_value(key, value)
    return node.entries


def _check_key(key: str, node: Node) -> None:
    keys = config.settable()
    if key in (CONFIG, *keys) or (key.startswith("enzyme.flags.") and config.is_config_key(key)):
        return
    near = did_you_mean(nearest(key, (CONFIG, *keys)))
    raise ConfigError(f"{node.key_place}: unknown key {quoted(key)}", near, "a config's keys are dotted here: `opt1.level`")


def _check_value(key: str, node: Node) -> None:
    if not isinstance(node.value, Scalar) or (key == CONFIG and not isinstance(node.value, str)):
        raise ConfigError(
            f"{node.place}: {quoted(key)} {_said(node)}",
            "expected a config's name or path" if key == CONFIG else "expected a value",
        )


def _refuse_idle(axes: Mapping[str, Sequence[Node]], exclude: Sequence[tuple[Node, Settings]]) -> None:
    """Refuse what excludes no combination: somebody believes that something is left out."""
    all_of_them = combinations(axes)
    for node, settings in exclude:
        if not any(fits(settings, one.own) for one in all_of_them):
            raise ConfigError(f"{node.place}: this excludes nothing: no cell of the axes has all of it")


def _unnamed(one: Combination) -> Cell:
    """A combination as a cell; its values are its name."""
    name = "-".join(_in_name(key, node) for key, node in one.own.items()).lstrip(".-")[:100]
    return Cell(name, next(iter(one.own.values())).place, one.settings)


def _in_name(key: str, node: Node) -> str:
    value = str(node.value) if isinstance(node.value, str) else text(node)
    if key == CONFIG:
        value = Path(value).stem
    return re.sub(r"[^A-Za-z0-9._-]+", "_", value if key in (CONFIG, "strategy") else f"{key}-{value}")


def _named(name: str, node: Node) -> Cell:
    """A cell that has a name of its own; one without settings is what the command line's config says."""
    if node.value is not None and not isinstance(node.value, dict):
        raise ConfigError(f"{node.place}: the cell {quoted(name)} {_said(node)}", "expected keys and values")
    return Cell(name, node.key_place, _settings(node))


def _refuse_unfit(cells: Sequence[Cell], tree: Node) -> None:
    """Refuse no cells and too many, and names that are unfit or taken."""
    if not cells:
        raise ConfigError(f"{tree.place}: there are no cells", f"say what they are: {', '.join(PARTS)}")
    if len(cells) > MOST:
        raise ConfigError(f"{tree.place}: there are {len(cells)} cells: more than {MOST}")
    places: dict[str, str] = {}
    for cell in cells:
        if not re.match(NAME, cell.name) or cell.name == _TAKEN:
            raise ConfigError(
                f"{cell.place}: {quoted(cell.name)} cannot be a cell's name",
                f"expected up to 100 letters, digits, `.`, `_` and `-`, and not {quoted(_TAKEN)}",
            )
        if first := places.get(cell.name):
            raise ConfigError(f"{cell.place}: there is another cell {quoted(cell.name)}: at {first}", "name it, under `cells`")
        places[cell.name] = cell.place


def _said(node: Node) -> str:
    if node.value is None:
        return "has no value"
    return f"cannot be {'an empty list' if node.value == [] else node.text}"
