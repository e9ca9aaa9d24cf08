"""YAML with positions: bytes in, a tree of nodes out, each of which knows where it was written.

PyYAML parses and composes.  Its constructors are left out: they lose the positions, expand aliases without limit,
and leak ValueErrors on scalars such as `0x_` or `2026-13-45`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec

from pipeline.errors import UserError

if TYPE_CHECKING:
    import yaml

MAX_BYTES = 64 * 1024
MAX_DEPTH = 8

Scalar: TypeAlias = bool | int | float | str

_WORDS = {"true": True, "false": False, "null": None}
_VALUES = {form: value for word, value in _WORDS.items() for form in (word, word.title(), word.upper())} | {"": None, "~": None}
_AMBIGUOUS = {"yes", "no", "on", "off", "y", "n"}


class ConfigError(UserError):
    """A config that cannot be used: `error: file:line:column: what is wrong`, and a line below for each advice."""

    def __init__(self, what: str, *advice: str | None) -> None:
        super().__init__("\n  = help: ".join([f"error: {what}", *filter(None, advice)]), exit_code=3)


def visible(text: str, at_most: int = 60) -> str:
    """Text from a user, fit for one line of a message: without what would upset a terminal."""
    text = text if len(text) <= at_most else f"{text[: at_most - 1]}…"
    return text if text.isprintable() else repr(text)[1:-1]


def quoted(text: str) -> str:
    """Visible text, set off from the words of a message."""
    return f"`{visible(text)}`"


class Source(NamedTuple):
    """Where YAML comes from: how messages name it, and the folder its relative paths start from."""

    shown: str
    folder: Path
    numbered: bool = True  # False on the command line, which has no lines to count
    dotted: bool = False  # whether keys are those of a config as a command line has them: `opt2.level`

    def place(self, line: int, column: int) -> str:
        """The place of a 0-based line and column, as people count."""
        return f"{self.shown}:{line + 1}:{column + 1}" if self.numbered else self.shown

    def begin(self, found: Any) -> str:
        """The place where something begins that PyYAML found."""
        return self.place(found.start_mark.line, found.start_mark.column)


class Node(NamedTuple):
    """A value, the place where it begins, and the place of the key it belongs to (its own at the top)."""

    source: Source
    key_place: str
    place: str
    value: Any  # a scalar, None, a dict of nodes, or a list of them
    text: str  # as written, fit for a message

    @property
    def entries(self) -> dict[str, Node]:
        """The values of a mapping; of anything else none."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> list[Node]:
        """The values of a list; of anything else none."""
        return self.value if isinstance(self.value, list) else []

    @property
    def plain(self) -> Any:
        """The value alone, all the way down."""
        if isinstance(self.value, list):
            return [node.plain for node in self.value]
        return {name: node.plain for name, node in self.value.items()} if isinstance(self.value, dict) else self.value


def read_file(path: Path, source: Source) -> Node:
    """The tree of a file's one document.

    Raises: ConfigError as `read` does; OSError where there is no such file, ValueError where that cannot be its name.
    """
    with path.open("rb") as file:
        return read(file.read(MAX_BYTES + 1), source)


def read(data: bytes, source: Source) -> Node:
    """The tree of the one YAML document in `data`; the value is None if it holds none.

    Raises ConfigError for whatever is not UTF-8 or not YAML, and for the YAML that configs do without:
    anchors, aliases, merge keys, tags, several documents, keys that are not text, words that are text to some readers
    and not to others, text of more than a line, more than MAX_BYTES or MAX_DEPTH.
    """
    import yaml

    start = source.place(0, 0)
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{start}: too large for a config: more than {MAX_BYTES // 1024} kB")
    text = data.decode("utf-8-sig", errors="surrogateescape")
    _refuse_no_text(text, source)
    try:
        _refuse_cleverness(yaml.parse(text, _loader()), source)
        root = yaml.compose(text, _loader())
    except yaml.MarkedYAMLError as error:
        raise _not_yaml(error, text, source) from None
    return _node(root, source) if root else Node(source, start, start, None, "nothing")


def _loader() -> Any:
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # PyYAML may be built without libyaml


def _refuse_no_text(text: str, source: Source) -> None:
    import yaml

    # Surrogates, too, are what PyYAML calls non-printable: they stand for bytes that are not UTF-8.
    if found := yaml.reader.Reader.NON_PRINTABLE.search(text):
        *lines, before = text[: found.start()].split("\n")
        what = "not text in UTF-8" if "\ud800" <= found[0] <= "\udfff" else f"U+{ord(found[0]):04X} is no character of text"
        raise ConfigError(f"{source.place(len(lines), len(before))}: {what}")


def _refuse_cleverness(events: Iterable[Any], source: Source) -> None:
    """What a config can do without, and what could blow up a small file or run code."""
    import yaml

    documents = depth = 0
    for event in events:
        place = source.begin(event)
        documents += isinstance(event, yaml.DocumentStartEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if documents > 1:
            raise ConfigError(f"{place}: a second document", "a config is one: take out the `---`")
        if depth > MAX_DEPTH:
            raise ConfigError(f"{place}: nested more than {MAX_DEPTH} deep")
        if anchor := getattr(event, "anchor", None):
            what = "alias `*" if isinstance(event, yaml.AliasEvent) else "anchor `&"
            raise ConfigError(f"{place}: {what}{visible(anchor)}` is not supported", "use `extends` to share keys")
        if tag := getattr(event, "tag", None):
            shown = quoted(tag.replace("tag:yaml.org,2002:", "!!"))
            raise ConfigError(f"{place}: tag {shown} is not supported", "write the value alone")


def _not_yaml(error: yaml.MarkedYAMLError, text: str, source: Source) -> ConfigError:
    line, column = (error.problem_mark.line, error.problem_mark.column) if error.problem_mark else (0, 0)
    place = source.place(line, column)
    if re.match(r" *\t", "".join(text.split("\n")[line : line + 1])):
        return ConfigError(f"{place}: a tab in the indentation", "YAML is indented with spaces")
    return ConfigError(f"{place}: not YAML: {' '.join(filter(None, [error.problem, error.context]))}")


def _node(found: Any, source: Source, key: Node | None = None) -> Node:
    """What PyYAML found, as a node; it is no deeper than MAX_DEPTH."""
    import yaml

    place = source.begin(found)
    node = Node(source, key.place if key else place, place, None, "nothing")
    if isinstance(found, yaml.MappingNode):
        return node._replace(value=_entries(found, source), text="a mapping")
    if isinstance(found, yaml.ScalarNode):
        text = quoted(f'"{found.value}"' if found.style else found.value)
        if not found.value.isprintable():  # it ends up on a command line, and on one line of a message
            raise ConfigError(f"{place}: {text} is not one line of printable text")
        return node._replace(value=found.value if found.style else _bare(found.value, place), text=text)
    return node._replace(value=[_node(item, source) for item in found.value], text="a list")


def _entries(found: Any, source: Source) -> dict[str, Node]:
    entries: dict[str, Node] = {}
    for found_key, found_value in found.value:
        key = _node(found_key, source)
        name = _name(key)
        if name in entries:
            raise ConfigError(f"{key.place}: {quoted(name)} is set twice: first at {entries[name].key_place}")
        entries[name] = _node(found_value, source, key)
    return entries


def _name(key: Node) -> str:
    if not isinstance(key.value, str):
        raise ConfigError(f"{key.place}: a key is text, not {key.text}")
    if key.value == "<<":
        raise ConfigError(f"{key.place}: merge key `<<` is not supported", "use `extends` to share keys")
    if "." in key.value and not key.source.dotted:
        raise ConfigError(f"{key.place}: a dot in the key {key.text}", "a section's keys are indented below it")
    return key.value


def _bare(text: str, place: str) -> Scalar | None:
    """The value of a scalar without quotes: a number only if JSON agrees, since readers of YAML differ on `010` and `1_000`."""
    if text.lower() in _AMBIGUOUS:
        what = f"to some readers of YAML a bare {quoted(text)} is a boolean, to others text"
        raise ConfigError(f"{place}: {what}", "write `true` or `false`, or put it in quotes")
    if text in _VALUES:
        return _VALUES[text]
    try:
        return msgspec.json.decode(text, type=int | float)
    except msgspec.MsgspecError:
        return text
