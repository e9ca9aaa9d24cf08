"""YAML with positions: bytes in, a tree of nodes out, each of which knows where it was written; and what is wrong with it.

Reading is built on PyYAML's parser events alone.  Its constructors lose the positions, expand aliases without limit,
and leak ValueErrors on scalars such as `0x_` or `2026-13-45`.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple, TypeAlias

import yaml

from pipeline.errors import UserError

MAX_BYTES = 64 * 1024
MAX_DEPTH = 8

Scalar: TypeAlias = bool | int | float | str
Schema: TypeAlias = dict[str, Any]  # a JSON Schema, of the few keywords that `check` knows
Value: TypeAlias = Scalar | list["Node"] | dict[str, "Node"] | None

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # PyYAML may be built without libyaml

_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_AMBIGUOUS = {"yes", "no", "on", "off", "y", "n"}

# Not `010`, `0x10`, `1_000`: readers of YAML differ on them, so they are text, and refused where a number is wanted.
# No number is long enough to overflow.
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[-+]?(?:[0-9]{1,20}\.[0-9]{0,20}|\.[0-9]{1,20}|[0-9]{1,20}(?=[eE]))(?:[eE][-+]?[0-9]{1,2})?")


class ConfigError(UserError):
    """A config that cannot be used.  Its message begins with the place: `file:line:column: what is wrong`."""

    def __init__(self, message: str) -> None:
        super().__init__(message, exit_code=3)


def refusal(place: str, what: str, *advice: str) -> ConfigError:
    """The error to raise for `what` at `place`; each advice is a line below it."""
    return ConfigError("\n  ".join([f"{place}: {what}", *filter(None, advice)]))


def printable(text: str) -> str:
    """Text from a user without what would upset a terminal."""
    return text if text.isprintable() else repr(text)[1:-1]


def visible(text: str) -> str:
    """Text from a user, fit for one line of a message."""
    return printable(text if len(text) <= 60 else f"{text[:59]}…")


def quoted(text: str) -> str:
    """Visible text, set off from the words of a message."""
    return f"`{visible(text)}`"


class Source(NamedTuple):
    """Where YAML comes from: how messages name it, and the folder its relative paths start from."""

    shown: str
    folder: Path
    numbered: bool = True  # False on the command line, which has no lines to count

    def place(self, line: int, column: int) -> str:
        """The place of a 0-based line and column, as people count."""
        return f"{self.shown}:{line + 1}:{column + 1}" if self.numbered else self.shown


class AmbiguousWord(str):
    """A bare yes, no, on or off: a boolean in YAML 1.1, text in YAML 1.2; so it counts as neither."""

    __slots__ = ()


class Node(NamedTuple):
    """A value, the place where it begins, and the place of the key it belongs to (its own at the top)."""

    source: Source
    key_place: str
    place: str
    value: Value
    text: str  # as written, fit for a message

    @property
    def entries(self) -> dict[str, "Node"]:
        """The values of a mapping; of anything else none."""
        return self.value if isinstance(self.value, dict) else {}


def read(data: bytes, source: Source) -> Node:
    """The tree of the one YAML document in `data`; the value is None if it holds none.

    Raises ConfigError for whatever is not UTF-8 or not YAML, and for the YAML that configs do without:
    anchors, aliases, merge keys, tags, several documents, keys that are not text, more than MAX_BYTES or MAX_DEPTH.
    """
    if len(data) > MAX_BYTES:
        raise refusal(source.place(0, 0), f"too large for a config: more than {MAX_BYTES // 1024} kB")
    text = _decoded(data, source)
    try:
        return _Reader(yaml.parse(text, Loader=_LOADER), source).document()
    except yaml.reader.ReaderError as error:
        # PyYAML's parsers count its position differently (bytes, characters); the first such character is the one.
        place = _place_of(text.find(chr(error.character)), text, source)
        raise refusal(place, f"a character that no text holds: U+{error.character:04X}") from None
    except yaml.MarkedYAMLError as error:
        raise _not_yaml(error, text, source) from None


def _decoded(data: bytes, source: Source) -> str:
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        raise refusal(_place_of(len(before), before, source), "not text in UTF-8") from None


def _place_of(index: int, text: str, source: Source) -> str:
    return source.place(text.count("\n", 0, index), index - text.rfind("\n", 0, index) - 1)


def _not_yaml(error: yaml.MarkedYAMLError, text: str, source: Source) -> ConfigError:
    mark = error.problem_mark
    line, column = (mark.line, mark.column) if mark else (0, 0)
    indentation = re.match(r"\s*", "".join(text.split("\n")[line : line + 1]))
    if indentation and "\t" in indentation[0]:
        return refusal(source.place(line, column), "a tab in the indentation", "YAML is indented with spaces")
    return refusal(source.place(line, column), f"not YAML: {error.problem}", error.context or "")


class _Reader:
    """Builds nodes from parser events.  Recursion is safe: it goes no deeper than MAX_DEPTH."""

    def __init__(self, events: Iterator[Any], source: Source) -> None:
        self.events = events
        self.source = source

    def document(self) -> Node:
        start = self.source.place(0, 0)
        root = Node(self.source, start, start, None, "nothing")
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.NodeEvent):
                root = self.node(event)
            elif isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise refusal(self.place(event), "a second document", "a config is one: take out the `---`")
        return root

    def node(self, event: Any, key: Node | None = None, depth: int = 1) -> Node:
        place = self.place(event)
        _refuse_cleverness(event, place)
        if depth > MAX_DEPTH and not isinstance(event, yaml.ScalarEvent):
            raise refusal(place, f"nested more than {MAX_DEPTH} deep")
        value, text = self.content(event, depth)
        return Node(self.source, key.place if key else place, place, value, text)

    def content(self, event: Any, depth: int) -> tuple[Value, str]:
        if isinstance(event, yaml.MappingStartEvent):
            return self.mapping(depth + 1), "a mapping"
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(depth + 1), "a list"
        bare = event.implicit[0]
        return (_resolved(event.value), quoted(event.value)) if bare else (event.value, quoted(f'"{event.value}"'))

    def sequence(self, depth: int) -> list[Node]:
        items = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self.node(event, depth=depth))
        return items

    def mapping(self, depth: int) -> dict[str, Node]:
        entries: dict[str, Node] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self.node(event, depth=depth)
            name = _key_name(key)
            if name in entries:
                raise refusal(key.place, f"{quoted(name)} is set twice", f"first at {entries[name].key_place}")
            entries[name] = self.node(next(self.events), key, depth)
        return entries

    def place(self, event: Any) -> str:
        return self.source.place(event.start_mark.line, event.start_mark.column)


def _refuse_cleverness(event: Any, place: str) -> None:
    """What a config can do without, and what could blow up a small file or run code."""
    if event.anchor is not None:
        what = "alias `*" if isinstance(event, yaml.AliasEvent) else "anchor `&"
        raise refusal(place, f"{what}{visible(event.anchor)}` is not supported", "use `extends` to share keys")
    if event.tag is not None:
        tag = event.tag.replace("tag:yaml.org,2002:", "!!")
        raise refusal(place, f"tag {quoted(tag)} is not supported", "write the value alone")


def _key_name(key: Node) -> str:
    if key.value == "<<":
        raise refusal(key.place, "merge key `<<` is not supported", "use `extends` to share keys")
    if isinstance(key.value, str) and not isinstance(key.value, AmbiguousWord):
        return key.value
    raise refusal(key.place, f"a key is text, not {key.text}")


def _resolved(text: str) -> Scalar | None:
    """The value of a bare scalar by YAML 1.2, where `2026-10-01` and `1:30` are text."""
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if text.lower() in _AMBIGUOUS:
        return AmbiguousWord(text)
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


# ---- Checking

_JSON_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object", NoneType: "null"}
_WORDS = {
    "boolean": "`true` or `false`",
    "integer": "a number",
    "number": "a number",
    "string": "text",
    "object": "a mapping",
    "null": "`null`",
}


def check(node: Node, schema: Schema, dotted: str) -> None:
    """Raise ConfigError unless the value of `node`, which the key `dotted` is set to, fits the schema."""
    if not _fits(node.value, schema):
        what = f"{quoted(dotted)} has no value" if node.value is None else f"{quoted(dotted)} cannot be {node.text}"
        raise refusal(node.place, what, f"expected {expected(schema)}", _hint(node, schema))


def _fits(value: Any, schema: Schema) -> bool:
    if _JSON_TYPES.get(type(value)) not in _types(schema):  # an AmbiguousWord has no JSON type
        return False
    if isinstance(value, str):
        return (
            value.isprintable()  # it ends up on a command line, and on one line of a message
            and len(value) >= schema.get("minLength", 0)
            and value in schema.get("enum", [value])
            and re.fullmatch(schema.get("pattern", ".*"), value) is not None
        )
    return "minimum" not in schema or bool(schema["minimum"] <= value <= schema["maximum"])


def _types(schema: Schema) -> list[str]:
    return schema["type"] if isinstance(schema["type"], list) else [schema["type"]]


def expected(schema: Schema) -> str:
    """The values that fit the schema, in words."""
    if "enum" in schema:
        return " or ".join(map(quoted, schema["enum"]))
    if "minimum" in schema:
        return f"a whole number from {schema['minimum']} to {schema['maximum']}"
    if "pattern" in schema:
        return f"text like `{schema['pattern'].strip('^$')}`"
    return " or ".join(dict.fromkeys(_WORDS[each] for each in _types(schema)))


def _hint(node: Node, schema: Schema) -> str:
    if isinstance(node.value, AmbiguousWord):
        return f"to some readers of YAML a bare {node.text} is a boolean, to others text: write `true`, `false`, or quotes"
    if "enum" in schema:
        return did_you_mean(nearest(str(node.value), schema["enum"]))
    if schema["type"] == "string" and isinstance(node.value, bool | int | float):
        return "in quotes it is text"
    return ""


def nearest(word: str, words: Iterable[str]) -> str | None:
    """The one of `words` that `word` was probably meant to be, if one is near."""
    from difflib import get_close_matches  # only a mistake pays for it

    return next(iter(get_close_matches(word[:80], list(words), n=1, cutoff=0.65)), None)


def did_you_mean(word: str | None) -> str:
    """The question for a message; empty if there is no such word."""
    return f"did you mean {quoted(word)}?" if word else ""
