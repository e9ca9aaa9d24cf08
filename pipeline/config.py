"""The config model: one declaration from which the loader, its messages, the docs and the JSON Schema derive.

Plain dataclasses, checked by the schema derived from them: to import a library for typed conversion would cost every build
that has nothing to do more than all the rest of loading a config.
`python -m pipeline.config` writes configs/schema.json and docs/config.md.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import reduce
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, TypeAlias, get_args, get_origin

from pipeline import yaml_source
from pipeline.yaml_source import (
    ConfigError,
    Node,
    Scalar,
    Schema,
    Source,
    check,
    did_you_mean,
    expected,
    nearest,
    printable,
    quoted,
    refusal,
    visible,
)

__all__ = ["BuildStd", "Codegen", "Config", "ConfigError", "Enzyme", "Optimise", "Panic", "Strategy"]
__all__ += ["is_config_key", "json_schema", "load", "nearest_key", "reference_markdown"]

_ROOT = Path(__file__).parent.parent
_SHIPPED = _ROOT / "configs"

# ---- The model


def key(default: Any, doc: str, **keywords: Any) -> Any:
    """A field that is a config key, of which a type does not say enough.

    `default` is MISSING if the key has to be set, `dict` for an empty one; `doc` is what docs and schema say;
    `keywords` are JSON Schema's, and narrow what the type allows.
    """
    metadata = {"schema": {"description": doc, **keywords}}
    if default is dict:
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


Strategy: TypeAlias = Literal["single-module-merge", "fat-lto"]
Panic: TypeAlias = Literal["abort"]
BuildStd: TypeAlias = Literal["full", "none"]


@dataclass(frozen=True, kw_only=True)
class Optimise:
    """One run of LLVM's optimiser."""

    level: int = key(MISSING, "The level of `opt`.", minimum=0, maximum=3)


@dataclass(frozen=True, kw_only=True)
class Enzyme:
    """The run of the Enzyme pass."""

    fast_math: bool = key(
        True,
        "Let derivatives reorder and approximate floating-point arithmetic; "
        "`false` is slower, and rounds as the code is written.",
    )
    flags: Mapping[str, Scalar] = key(
        dict, "More flags for Enzyme, named as it names them but without the dashes: `enzyme-print-perf: true`."
    )
    plugin: Path | None = key(
        None, "The file of an Enzyme plugin to load into `opt` in place of the packaged executable, relative to this file."
    )


@dataclass(frozen=True, kw_only=True)
class Codegen:
    """From optimised bitcode to object code."""

    level: int = key(3, "The level of `llc`.", minimum=0, maximum=3)
    cpu: str = key(
        "x86-64",
        "The processor to generate code for, as LLVM names it, or `native` for the one that builds; rustc is told too.",
        pattern="^[A-Za-z0-9._-]+$",
    )


@dataclass(frozen=True, kw_only=True)
class Config:
    """How to build, complete and checked.  `name` is the stem of the file's name, and no key; paths are absolute."""

    name: str
    extends: str | None = key(
        None,
        "The config this one starts from: the name of a shipped one, or a path relative to this file. "
        "What is set here wins, key by key, flag by flag.",
    )
    autodiff: bool = key(True, "Differentiate; `false` leaves that out and builds the program as it is.")
    toolchain: str = key(
        "debian",
        "`debian` (Debian's packaged Rust), a rustup toolchain (`stable`, `nightly-2026-10-01`), "
        "or the path of a folder with `bin/rustc` and `bin/cargo`: it has a `/` in it, and is relative to this file.",
        format="name-or-path",
    )
    strategy: Strategy = key(
        MISSING,
        "How many modules become one: `single-module-merge` links all bitcode with llvm-link, "
        "`fat-lto` has the linker merge it as in a fat LTO build.",
    )
    profile: str = key(
        "release",
        "The cargo profile to build with: `release`, `dev`, or one of the crate's own.",
        pattern="^[A-Za-z0-9_-]+$",
    )
    panic: Panic = key("abort", "What a panic does: only `abort` for now, `unwind` comes later.")
    debug_symbols: bool = key(True, "Debug info in the crates and in std: Enzyme takes types and source places from it.")
    bitcode: bool = key(True, "LLVM bitcode from rustc: every later stage works on it.")
    build_std: BuildStd = key(
        "full",
        "`full` compiles the standard library to bitcode with debug info, once per toolchain and profile; "
        "`none` takes the toolchain's own.",
    )
    opt1: Optimise = key(Optimise(level=2), "The optimiser's run before differentiation.")
    enzyme: Enzyme = key(Enzyme(), "Differentiation.")
    opt2: Optimise = key(Optimise(level=3), "The optimiser's run after differentiation.")
    codegen: Codegen = key(Codegen(), "From bitcode to object code.")


_AUTODIFF_NEEDS: Mapping[str, tuple[Scalar, str]] = {
    "debug_symbols": (True, "without debug info Enzyme has to guess types"),
    "bitcode": (True, "Enzyme differentiates LLVM bitcode"),
    "build_std": ("full", "derivatives reach into std and need its bitcode, with debug info"),
}

# Enzyme's flags are Enzyme's to list: here only their form is checked, and those that must not be.
_FLAG_NAME = "^enzyme-[A-Za-z0-9_-]+$"
_REFUSED_FLAGS = {
    "enzyme-loose-types": "it guesses types, and gradients come out silently wrong",
    "enzyme-fast-math": "`enzyme.fast_math` says it",
}
_FLAG_SCHEMA: Schema = {"type": ["boolean", "integer", "number", "string"]}
_FLAGS_SCHEMA: Schema = {
    "type": "object",
    "propertyNames": {"pattern": _FLAG_NAME, "not": {"enum": list(_REFUSED_FLAGS)}},
    "additionalProperties": _FLAG_SCHEMA,
}


# ---- What the model says of one key


class Rule(NamedTuple):
    """The schema of a key's value; and its default, MISSING where a config has to set the key."""

    schema: Schema
    default: Any


def _rules(section: Any) -> dict[str, Rule]:
    """The keys of a section, which is given by its default value, or as `Config` for those of the top level."""
    return {
        each.name: Rule(each.metadata["schema"] | _type_schema(each.type), getattr(section, each.name, MISSING))
        for each in fields(section)
        if each.metadata
    }


def _type_schema(kind: Any) -> Schema:
    if isinstance(kind, UnionType):
        schema = _type_schema(get_args(kind)[0])
        return schema | {"type": [schema["type"], "null"]}
    if get_origin(kind) is Literal:
        return {"type": "string", "enum": list(get_args(kind))}
    if get_origin(kind) is Mapping:
        return _FLAGS_SCHEMA
    if kind is Path:
        return {"type": "string", "minLength": 1, "format": "path"}
    if kind is str:
        return {"type": "string", "minLength": 1}
    return {"type": {bool: "boolean", int: "integer"}.get(kind, "object")}


def _all_keys(section: Any = Config, prefix: str = "") -> Iterator[tuple[str, Rule]]:
    """Every dotted key, a section before what it holds."""
    for name, rule in _rules(section).items():
        yield prefix + name, rule
        if is_dataclass(rule.default):
            yield from _all_keys(rule.default, f"{prefix}{name}.")


def is_config_key(dotted: str) -> bool:
    """Whether `dotted`, such as `opt2.level`, names a key; below `enzyme.flags` every name does."""
    return dotted in dict(_all_keys()) or (dotted.startswith("enzyme.flags.") and not dotted.endswith("."))


def nearest_key(dotted: str) -> str | None:
    """The key that `dotted` was probably meant to be, if one is near."""
    return nearest(dotted, (each for each, _ in _all_keys()))


# ---- Loading


def load(name_or_path: str, overrides: Mapping[str, str] = {}, *, relative_to: Path | None = None) -> Config:
    """The config of that shipped name, or at that path: one that holds a `/` or ends in .yaml or .yml.

    Relative paths, those in messages too, start at `relative_to`: where the user is, by default the current folder.
    `overrides` maps dotted keys to YAML scalars from the command line.

    Raises: ConfigError, and nothing else, for whatever is wrong with any of these.
    """
    here = _absolute(relative_to or Path())
    path = _located(name_or_path, here)
    tree = reduce(_merged, [*_read_chain(path, here), *(_override(dotted, text, here) for dotted, text in overrides.items())])
    values = _values(Config, tree, "")
    for name, rule in _rules(Config).items():
        if name not in values and rule.default is MISSING:
            raise refusal(tree.place, f"`{name}` is not set", "set it, or start from a config that does: `extends: default`")
    config = Config(name=path.stem, **values)
    _refuse_unmet_needs(config, tree)
    return config


def _located(name_or_path: str, folder: Path) -> Path:
    if "/" in name_or_path or name_or_path.endswith((".yaml", ".yml")):
        return folder / name_or_path
    return _SHIPPED / f"{name_or_path}.yaml"


def _read_chain(path: Path, here: Path) -> list[Node]:
    """The config at `path` and before it those it extends, the outermost first."""
    layers = [_read(path, here)]
    chain = [os.path.realpath(path)]
    while extends := _extends(layers[0]):
        path = _located(str(extends.value), path.parent)
        layers.insert(0, _read(path, here, asked_at=extends.place))
        chain.append(os.path.realpath(path))
        if chain[-1] in chain[:-1]:
            circle = chain[chain.index(chain[-1]) :]
            raise refusal(extends.place, "`extends` runs in a circle", " → ".join(_shown(Path(each), here) for each in circle))
    return layers


def _extends(layer: Node) -> Node | None:
    """The node that says what `layer` extends, if it extends anything."""
    node = layer.entries.get("extends")
    return node if node and _value(_rules(Config)["extends"], node, "extends") is not None else None


def _read(path: Path, here: Path, asked_at: str | None = None) -> Node:
    """The tree of a file, which `extends` at `asked_at` may have asked for."""
    shown = _shown(path, here)
    try:
        with path.open("rb") as file:
            data = file.read(yaml_source.MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise _unreadable(path, f"{asked_at}: {shown}" if asked_at else shown, error) from None
    tree = yaml_source.read(data, Source(shown, path.parent))
    if tree.value is None:
        raise refusal(tree.place, "holds no keys", "the least a config can say is `extends: default`")
    if not isinstance(tree.value, dict):
        raise refusal(tree.place, f"the top level is {tree.text}", "expected keys and values, such as `extends: default`")
    return tree


def _unreadable(path: Path, place: str, error: OSError | ValueError) -> ConfigError:
    if isinstance(error, IsADirectoryError):
        return refusal(place, "a folder, not a file")
    if isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
        return refusal(place, f"cannot be read: {error.strerror}")
    shipped = sorted(each.stem for each in _SHIPPED.glob("*.yaml"))
    advice = f"shipped configs: {', '.join(shipped)}; a path of your own holds a `/` or ends in .yaml"
    return refusal(place, "no such file", advice, did_you_mean(nearest(path.stem, shipped)))


def _override(dotted: str, text: str, folder: Path) -> Node:
    """The tree of one `dotted=text` from the command line."""
    place = f"command line: {visible(f'{dotted}={text}')}"
    if dotted == "extends":
        raise refusal(place, "`extends` belongs in a file", "name that config instead of this one")
    # An argument that is not UTF-8 comes with lone surrogates: let them through, for `read` to refuse.
    node = yaml_source.read(text.encode(errors="surrogatepass"), Source(place, folder, numbered=False))
    for name in reversed(dotted.split(".", 2)):
        node = Node(node.source, place, place, {name: node}, "a mapping")
    return node


def _merged(base: Node, top: Node) -> Node:
    """The keys of `top` over those of `base`; each keeps its place."""
    if not (isinstance(base.value, dict) and isinstance(top.value, dict)):
        return top
    both = {name: _merged(base.value[name], node) if name in base.value else node for name, node in top.value.items()}
    return top._replace(value=base.value | both)


def _values(section: Any, node: Node, prefix: str) -> dict[str, Any]:
    """What `node` sets in a section (given as to `_rules`), checked, as the model holds it."""
    rules = _rules(section)
    values = {}
    for name, entry in node.entries.items():
        dotted = prefix + name
        if name not in rules:
            raise refusal(entry.key_place, f"unknown key {quoted(dotted)}", did_you_mean(nearest_key(dotted)))
        values[name] = _value(rules[name], entry, dotted)
    return values


def _value(rule: Rule, node: Node, dotted: str) -> Any:
    schema, default = rule
    check(node, schema, dotted)
    if is_dataclass(default) and not isinstance(default, type):
        return replace(default, **_values(default, node, f"{dotted}."))
    if schema["type"] == "object":
        return {name: _flag(name, entry, f"{dotted}.{name}") for name, entry in node.entries.items()}
    if schema.get("format") == "path" and node.value is not None:
        return _path(node)
    if schema.get("format") == "name-or-path" and "/" in str(node.value):
        return str(_path(node))
    return node.value


def _flag(name: str, node: Node, dotted: str) -> Any:
    if name in _REFUSED_FLAGS:
        raise refusal(node.key_place, f"the flag {quoted(name)} is refused", _REFUSED_FLAGS[name])
    if not re.fullmatch(_FLAG_NAME, name):
        dashless = name.lstrip("-")
        meant = dashless if re.fullmatch(_FLAG_NAME, dashless) else None
        raise refusal(node.key_place, f"{quoted(name)} is no flag of Enzyme", "expected `enzyme-…`", did_you_mean(meant))
    return _value(Rule(_FLAG_SCHEMA, MISSING), node, dotted)


def _path(node: Node) -> Path:
    try:
        return node.source.folder / Path(str(node.value)).expanduser()
    except RuntimeError:
        raise refusal(node.place, f"nobody's folder is meant by {node.text}") from None


def _refuse_unmet_needs(config: Config, tree: Node) -> None:
    unmet = [
        f"{tree.entries[name].place}: `autodiff: true` needs `{name}: {_as_yaml(needed)}`: {why}"
        for name, (needed, why) in _AUTODIFF_NEEDS.items()
        if getattr(config, name) != needed
    ]
    if config.autodiff and unmet:
        raise ConfigError("\n".join([*unmet, "  or set `autodiff: false`"]))


def _absolute(path: Path) -> Path:
    try:
        return path.absolute()
    except OSError:  # the current folder is gone
        return path


def _shown(path: Path, here: Path) -> str:
    """`path` as the user, who is `here`, would write it: relative if it is below."""
    return printable(str(path.relative_to(here) if path.is_relative_to(here) else path))


# ---- What else derives from the model


def json_schema() -> Schema:
    """The JSON Schema of a config file, for editors."""
    needed = [name for name, rule in _rules(Config).items() if rule.default is MISSING]
    head = {"$schema": "http://json-schema.org/draft-07/schema#", "title": "A config of Crategrad"}
    return head | _section_schema(Config) | {"anyOf": [{"required": ["extends"]}, {"required": needed}]}


def _section_schema(section: Any) -> Schema:
    properties = {name: rule.schema | _default_schema(rule.default) for name, rule in _rules(section).items()}
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _default_schema(default: Any) -> Schema:
    if is_dataclass(default):
        return _section_schema(default)
    return {} if default is MISSING else {"default": default}


def reference_markdown() -> str:
    """The page docs/config.md."""
    keys = (
        f"| `{dotted}` | {expected(schema)} | {_default_markdown(default)} | {schema['description']} |"
        for dotted, (schema, default) in _all_keys()
    )
    needs = (f"| `{name}: {_as_yaml(value)}` | {why} |" for name, (value, why) in _AUTODIFF_NEEDS.items())
    refused = (f"| `{name}` | {why} |" for name, why in _REFUSED_FLAGS.items())
    return _PAGE.format(keys="\n".join(keys), needs="\n".join(needs), refused="\n".join(refused))


def _default_markdown(default: Any) -> str:
    if is_dataclass(default):
        return ""
    return "none: set it" if default is MISSING else f"`{_as_yaml(default)}`"


def _as_yaml(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


_PAGE = """\
<!-- Written by `python -m pipeline.config` from pipeline/config.py: edit that. -->

# Configs

A config is a YAML file that says how to build. Those in `configs/` are shipped and go by their names;
one of your own starts from one of them and says what differs:

```yaml
extends: default
opt2:
  level: 2
```

Whatever is unknown, of the wrong type or out of range is refused with its `file:line:column`.
Refused as well: anchors, aliases, merge keys and tags, several documents in a file, more than 64 kB or 8 levels,
and a bare `yes`, `no`, `on` or `off`, which YAML 1.1 takes for a boolean and YAML 1.2 for text.

Every key but `extends` can be set for one build on the command line, dotted: `opt2.level=1`.

## Keys

| Key | Takes | Default | Meaning |
|---|---|---|---|
{keys}

## What `autodiff: true` needs

| Needs | Because |
|---|---|
{needs}

## Flags of Enzyme that are refused

| Flag | Because |
|---|---|
{refused}
"""


def _write_derived_files() -> None:
    (_SHIPPED / "schema.json").write_text(json.dumps(json_schema(), indent=2) + "\n", encoding="utf-8")
    (_ROOT / "docs" / "config.md").write_text(reference_markdown(), encoding="utf-8")


if __name__ == "__main__":
    _write_derived_files()
