"""The config model: one declaration from which the loader, its messages, the docs and the JSON Schema derive.

`python -m pipeline.config` writes configs/schema.json and docs/config.md.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct, field

from pipeline import strategies, yaml_source
from pipeline.yaml_source import ConfigError, Node, Scalar, Source, quoted, visible

__all__ = [
    "MATRIX",
    "Config",
    "ConfigError",
    "did_you_mean",
    "is_config_key",
    "json_schema",
    "load",
    "nearest",
    "nearest_key",
    "reference_markdown",
    "settable",
    "shown_path",
]

_SHIPPED = Path(__file__).parent.parent / "configs"
MATRIX = _SHIPPED / "matrix.yaml"
"""No config, but which of them CI builds (pipeline/matrix/)."""
_PAGE = _SHIPPED.parent / "docs" / "config.md"

# ---- The model

# Enzyme's flags are Enzyme's to list: here only their form is checked, and those that must not be.
_REFUSED_FLAGS = {
    "enzyme-loose-types": "it guesses types, and gradients come out silently wrong",
    "enzyme-fast-math": "`enzyme.fast_math` says it",
}
_FLAG = f"^(?!({'|'.join(_REFUSED_FLAGS)})$)enzyme-[A-Za-z0-9_-]+$"

_AUTODIFF_NEEDS = {
    "debug_symbols": "without debug info Enzyme has to guess types",
    "bitcode": "Enzyme differentiates LLVM bitcode",
    "build_std": "derivatives reach into std and need its bitcode, with debug info",
}

Text: TypeAlias = Annotated[str, Meta(min_length=1)]
Level: TypeAlias = Annotated[int, Meta(ge=0, le=3)]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=10**9)]
Seconds: TypeAlias = Annotated[int, Meta(ge=1, le=10**9)]
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?"
_RANGE = rf"^{_NUMBER}\.\.{_NUMBER}$"
Ranges: TypeAlias = Mapping[str, Mapping[str, Annotated[str, Meta(pattern=_RANGE)]]]
if TYPE_CHECKING:
    Strategy: TypeAlias = str
else:
    Strategy = Literal[strategies.NAMES]
Flags: TypeAlias = Mapping[Annotated[str, Meta(pattern=_FLAG)], Scalar]


def doc(text: str) -> Meta:
    """What docs and schema say of a key."""
    return Meta(description=text)


class Opt1(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The optimiser's run before differentiation."""

    level: Annotated[Level, doc("The level of `opt`.")] = 2


class Enzyme(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Differentiation."""

    fast_math: Annotated[
        bool, doc("Let derivatives reorder and approximate arithmetic; `false` is slower, and rounds as the code is written.")
    ] = True
    strong_zero: Annotated[
        bool,
        doc(
            "Let an adjoint or a tangent of zero be zero whatever it is multiplied with, in all derivatives: a product or a"
            " quotient that is computed and then left out, as it is infinite or NaN, is in no gradient; a root or a logarithm"
            " may be. With `false` only adjoints are, and only where LLVM computes what may be left out (`docs/maths.md`)."
        ),
    ] = False
    patience_s: Annotated[
        Seconds, doc("Seconds of processor time that Enzyme may take for a few derivatives: of some functions it does not end.")
    ] = 300
    flags: Annotated[
        Flags, doc(f"More flags for Enzyme: `enzyme-…: true`, no dashes before it; {' and '.join(_REFUSED_FLAGS)} are refused.")
    ] = field(default_factory=dict)


class Verify(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Derivatives that check themselves as the program runs."""

    every: Annotated[
        Count, doc("Which calls of a reverse derivative are checked, of those from one place: every so many; `0` is none.")
    ] = 0
    differences: Annotated[bool, doc("Hold them against central differences, too: 40 to 70 calls of the function.")] = False


class Gradcheck(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The points at which `./doit gradcheck` checks functions."""

    ranges: Annotated[
        Ranges,
        doc(
            "Between what the numbers of arguments are, by function, as `rate: {temperature: 250.0..350.0}`; it counts"
            " more than the function's own `#[domain(…)]`."
        ),
    ] = field(default_factory=dict)


class Opt2(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The optimiser's run after differentiation."""

    level: Annotated[Level, doc("The level of `opt`.")] = 3


class Codegen(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """From bitcode to object code."""

    level: Annotated[Level, doc("The level of `llc`.")] = 3
    cpu: Annotated[
        str,
        Meta(pattern="^[A-Za-z0-9._-]+$"),
        doc("The processor to generate code for, as LLVM names it, or `native` for the one that builds; rustc is told too."),
    ] = "x86-64"


class Keys(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a config file may say."""

    extends: Annotated[
        Text | None, doc("The config to start from, a shipped name or a path relative to this file; what is set here wins.")
    ] = None
    autodiff: Annotated[
        bool, doc(f"Differentiate, which needs {', '.join(_AUTODIFF_NEEDS)}; or build without derivatives.")
    ] = True
    toolchain: Annotated[
        Text,
        doc("`debian`, a rustup toolchain, or a path with a `/`, relative to this file: a folder of bin/rustc and bin/cargo."),
    ] = "debian"
    target: Annotated[
        Literal["host", "aarch64-unknown-linux-gnu"],
        doc("What to build for: `host`, or another machine; `./doit run` runs its programs by qemu-user."),
    ] = "host"
    strategy: Annotated[
        Strategy,
        doc(
            "What is differentiated: `single-module-merge` and `fat-lto` make one module of all, by llvm-link, or by the linker"
            " as in a fat LTO build; `slice` takes what the derivatives reach, and leaves the rest to rustc."
        ),
    ]
    profile: Annotated[
        str,
        Meta(pattern="^[A-Za-z0-9_-]+$"),
        doc("The cargo profile to build with: `release`, `dev`, or one of the crate's own."),
    ] = "release"
    panic: Annotated[
        Literal["abort", "unwind"],
        doc("What a panic does; `unwind` wants the strategy `slice`, and even so a panic in a derivative aborts."),
    ] = "abort"
    debug_symbols: Annotated[bool, doc("Debug info in the crates and in std: Enzyme takes types and places from it.")] = True
    bitcode: Annotated[bool, doc("LLVM bitcode from rustc: every later stage works on it.")] = True
    build_std: Annotated[
        Literal["full", "prebuilt", "none"],
        doc(
            "Where std's bitcode is from: `full` compiles std from its sources, once per toolchain; `prebuilt` takes what the"
            " toolchain's own std carries, without sources; `none` takes no bitcode, but that std as it is."
        ),
    ] = "full"
    c_bitcode: Annotated[
        bool,
        doc(
            "Have clang compile the C of build scripts, so that derivatives can go through it; without clang, or where `CC`"
            " or `CFLAGS` say something else, none can."
        ),
    ] = True
    opt1: Opt1 = Opt1()
    abi_fixup: Annotated[
        bool,
        doc(
            "Repair the headers and moves that Enzyme would misread (docs/abi.md); `false` leaves them, for study:"
            " what would come out wrong is then refused."
        ),
    ] = True
    enzyme: Enzyme = Enzyme()
    tape: Annotated[
        Literal["system", "pooled"],
        doc(
            "Where the memory of derivatives is from: `pooled` keeps large blocks for the next derivative, up to 1 GiB"
            " (`autodiff::tape`); `system` is the C library's, which gives them back."
        ),
    ] = "pooled"
    verify: Verify = Verify()
    check: Annotated[
        bool, doc("Have a build end with `./doit gradcheck`, of all functions that it can call: one that is wrong fails it.")
    ] = False
    gradcheck: Gradcheck = Gradcheck()
    opt2: Opt2 = Opt2()
    codegen: Codegen = Codegen()


class Config(Keys, frozen=True, kw_only=True):
    """How to build, complete and checked: a toolchain's path is absolute.  `name` is the stem of the file's, and no key."""

    name: str


def is_config_key(dotted: str) -> bool:
    """Whether `dotted`, such as `opt2.level`, names a key; below `enzyme.flags` every name does."""
    return dotted in _keys() or (dotted.startswith("enzyme.flags.") and not dotted.endswith("."))


def settable() -> dict[str, dict[str, Any]]:
    """The schema of each key that takes one value, and so can be set by itself, as on a command line."""
    return {name: schema for name, schema in _keys().items() if schema.get("type") != "object" and name != "extends"}


def nearest_key(dotted: str) -> str | None:
    """The key that `dotted` was probably meant to be, if one is near."""
    return nearest(dotted, _keys())


@cache
def _keys() -> dict[str, dict[str, Any]]:
    """The schema of every dotted key, a section before what it holds."""
    schema = json_schema()
    keys = {}
    for name, key in schema["properties"].items():
        section = schema["$defs"].get(key.get("$ref", "").removeprefix("#/$defs/"), {})
        keys[name] = key | section
        keys |= {f"{name}.{inner}": each for inner, each in section.get("properties", {}).items()}
    return keys


# ---- Loading

Reader: TypeAlias = Callable[[Path, Path, str], Node]
"""As `read_layer` is."""


def load(name_or_path: str, overrides: Mapping[str, str] = {}, *, relative_to: Path | None = None) -> Config:
    """The config of that shipped name, or at that path: one that holds a `/` or ends in .yaml or .yml.

    Relative paths, those in messages too, start at `relative_to`: where the user is, by default the current folder.
    `overrides` maps dotted keys to YAML scalars from the command line.

    Raises: ConfigError, and nothing else, for whatever is wrong with any of these.
    """
    return load_with_files(name_or_path, overrides, relative_to=relative_to)[0]


def load_with_files(
    name_or_path: str,
    overrides: Mapping[str, str] = {},
    *,
    relative_to: Path | None = None,
    settings: Mapping[str, Node] = {},
    asked_at: str = "",
    read: Reader | None = None,
) -> tuple[Config, list[str]]:
    """The same, and the files it was read from.

    `settings` are dotted keys of another file, between these and the overrides; `asked_at` is where that names the config.
    `read` takes the place of `read_layer`, for who asks for many that have files in common.
    """
    here = (relative_to or Path()).absolute()
    path = _located(name_or_path, here)
    layers, files = _read_chain(path, here, f"{asked_at}: " if asked_at else "", read or read_layer)
    layers += [_nested(dotted, node) for dotted, node in settings.items()]
    tree = reduce(_merged, [*layers, *(_override(dotted, text, here) for dotted, text in overrides.items())])
    _refuse_flags(tree)
    _refuse_ranges(tree)
    try:
        keys = msgspec.convert(tree.plain, Keys)
    except msgspec.ValidationError as error:
        raise _refusal(tree, str(error)) from None
    _refuse_unmet_needs(keys, tree)
    set_keys = msgspec.structs.asdict(keys) | {"toolchain": _toolchain(keys, tree)}
    return Config(name=path.stem, **set_keys), files


def _located(name_or_path: str, folder: Path) -> Path:
    if "/" in name_or_path or name_or_path.endswith((".yaml", ".yml")):
        return folder / name_or_path
    return _SHIPPED / f"{name_or_path}.yaml"


def _read_chain(path: Path, here: Path, asked_at: str, read: Reader) -> tuple[list[Node], list[str]]:
    """The config at `path` and before it those it extends, the outermost first; and the files they are in."""
    layers = [read(path, here, asked_at)]
    chain = [os.path.realpath(path)]
    while (extends := layers[0].entries.get("extends")) and extends.value is not None:
        if not isinstance(extends.value, str):
            raise _wrong_value("extends", extends, _keys()["extends"])
        path = _located(extends.value, path.parent)
        layers.insert(0, read(path, here, f"{extends.place}: "))
        chain.append(os.path.realpath(path))
        if chain[-1] in chain[:-1]:
            circle = " → ".join(shown_path(Path(each), here) for each in chain[chain.index(chain[-1]) :])
            raise ConfigError(f"{extends.place}: `extends` runs in a circle: {circle}")
    return layers, chain


def read_layer(path: Path, here: Path, asked_at: str) -> Node:
    """The tree of a config's file, which another may have asked for; messages name it as the user does, who is `here`.

    Raises: ConfigError where it cannot be read, or is no mapping.
    """
    shown = shown_path(path, here)
    try:
        tree = yaml_source.read_file(path, Source(shown, path.parent))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        shipped = sorted({each.stem for each in _SHIPPED.glob("*.yaml")} - {MATRIX.stem})
        advice = f"shipped configs: {', '.join(shipped)}; a path of your own holds a `/` or ends in .yaml"
        what = f"{shown}: cannot be read: {getattr(error, 'strerror', error)}"
        raise ConfigError(f"{asked_at}{what}", advice, did_you_mean(nearest(path.stem, shipped))) from None
    if not isinstance(tree.value, dict):
        what = "holds no keys" if tree.value is None else f"the top level is {tree.text}, not keys and values"
        raise ConfigError(f"{tree.place}: {what}", "the least a config can say is `extends: default`")
    return tree


def shown_path(path: Path, here: Path) -> str:
    """`path` as the user, who is `here`, would write it: relative if it is below."""
    return visible(str(path.relative_to(here) if path.is_relative_to(here) else path), at_most=4096)


def _override(dotted: str, text: str, folder: Path) -> Node:
    """The tree of one `dotted=text` from the command line."""
    place = f"command line: {visible(f'{dotted}={text}')}"
    if dotted == "extends":
        raise ConfigError(f"{place}: `extends` belongs in a file", "name that config instead of this one")
    # An argument that is not UTF-8 comes with lone surrogates: let them through, for `read` to refuse.
    node = yaml_source.read(text.encode(errors="surrogatepass"), Source(place, folder, numbered=False))
    return _nested(dotted, node)


def _nested(dotted: str, node: Node) -> Node:
    """The tree in which a dotted key has this value."""
    for name in reversed(dotted.split(".", 2)):
        node = Node(node.source, node.key_place, node.key_place, {name: node}, "a mapping")
    return node


def _merged(base: Node, top: Node) -> Node:
    """The keys of `top` over those of `base`; each keeps its place."""
    if not (isinstance(base.value, dict) and isinstance(top.value, dict)):
        return top
    both = {name: _merged(base.value[name], node) if name in base.value else node for name, node in top.value.items()}
    return base._replace(value=base.value | both)


def _toolchain(keys: Keys, tree: Node) -> str:
    if "/" not in keys.toolchain:
        return keys.toolchain
    node = tree.entries["toolchain"]
    try:
        return str(node.source.folder / Path(keys.toolchain).expanduser())
    except RuntimeError:
        raise ConfigError(f"{node.place}: nobody's folder is meant by {node.text}") from None


# ---- Refusing


def _refusal(tree: Node, problem: str) -> ConfigError:
    """What msgspec found wrong, with its place and in our words."""
    if problem.startswith("Object contains unknown field"):
        dotted, node = next((dotted, node) for dotted, node in _dotted(tree) if dotted not in _keys())
        return ConfigError(f"{node.key_place}: unknown key {quoted(dotted)}", did_you_mean(nearest_key(dotted)))
    if found := re.search(r"`\$\.([a-z0-9_.]+)`$", problem):
        return _wrong_value(found[1], dict(_dotted(tree))[found[1]], _keys()[found[1]])
    missing = problem.split("`")[1]
    return ConfigError(f"{tree.place}: `{missing}` is not set", "set it, or start from a config that does: `extends: default`")


def _dotted(tree: Node) -> Iterator[tuple[str, Node]]:
    """The keys and those of sections, in the order in which msgspec comes to them."""
    for name, node in tree.entries.items():
        yield name, node
        yield from ((f"{name}.{inner}", each) for inner, each in node.entries.items())


def _wrong_value(dotted: str, node: Node, schema: Mapping[str, Any]) -> ConfigError:
    what = "has no value" if node.value is None else f"cannot be {node.text}"
    near = did_you_mean(nearest(str(node.value), schema.get("enum", ())))
    quotes = "in quotes it is text" if schema.get("type") == "string" and isinstance(node.value, int | float) else None
    return ConfigError(f"{node.place}: {quoted(dotted)} {what}", f"expected {_takes(schema)}", near, quotes)


def _refuse_flags(tree: Node) -> None:
    """Refuse a flag that is wrong in name or value: msgspec does not say which one it is."""
    flags = dict(_dotted(tree)).get("enzyme.flags")
    for name, node in flags.entries.items() if flags else ():
        if not re.match(_FLAG, name):
            why = _REFUSED_FLAGS.get(name, "it is not of the form `enzyme-…`, without dashes before it")
            raise ConfigError(f"{node.key_place}: the flag {quoted(name)} is refused: {why}")
        if not isinstance(node.value, Scalar):
            raise _wrong_value(f"enzyme.flags.{name}", node, _keys()["enzyme.flags"]["additionalProperties"])


def _refuse_ranges(tree: Node) -> None:
    """Refuse what is no range, with the name of its function and argument."""
    ranges = dict(_dotted(tree)).get("gradcheck.ranges")
    for function, arguments in ranges.entries.items() if ranges else ():
        if not isinstance(arguments.value, dict):
            what = "has no value" if arguments.value is None else f"cannot be {arguments.text}"
            raise ConfigError(f"{arguments.place}: {quoted(f'gradcheck.ranges.{function}')} {what}", "expected a mapping")
        for argument, node in arguments.entries.items():
            if not _is_range(node.value):
                what = "has no value" if node.value is None else f"cannot be {node.text}"
                dotted = f"gradcheck.ranges.{function}.{argument}"
                raise ConfigError(f"{node.place}: {quoted(dotted)} {what}", "expected a range from low to high, as `0.5..2.0`")


def _is_range(value: Any) -> bool:
    if not isinstance(value, str) or not re.match(_RANGE, value):
        return False
    low, high = map(float, value.split(".."))
    return low < high


def _refuse_unmet_needs(keys: Keys, tree: Node) -> None:
    unmet = [
        f"{tree.entries[name].place}: `{name}` cannot be {tree.entries[name].text} with `autodiff: true`: {why}"
        for name, why in _AUTODIFF_NEEDS.items()
        if getattr(keys, name) in (False, "none")
    ]
    if keys.autodiff and unmet:
        raise ConfigError("\nerror: ".join(unmet), "to build without derivatives set `autodiff: false`")
    if keys.target != "host" and (keys.codegen.cpu == "native" or keys.check):
        wrong = "`check: true`" if keys.check else "`codegen.cpu: native`"
        why = "it runs what is built" if keys.check else "that is the processor that is here"
        raise ConfigError(f"{tree.entries['target'].place}: `target: {keys.target}` cannot be with {wrong}: {why}")
    if keys.panic == "unwind" and not strategies.named(keys.strategy).BESIDE_OBJECTS:
        place = tree.entries["panic"].place
        raise ConfigError(
            f"{place}: `panic` cannot be `unwind` with `strategy: {keys.strategy}`: in one module of all, what is"
            " differentiated cannot abort by itself",
            "take `strategy: slice`",
        )


def nearest(word: str, words: Iterable[str]) -> str | None:
    """The word of these that was probably meant, if one is near."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word[:80], list(words), n=1, cutoff=0.65)), None)


def did_you_mean(word: str | None) -> str | None:
    """The advice to take that word, if there is one."""
    return f"did you mean {quoted(word)}?" if word else None


def _takes(schema: Mapping[str, Any]) -> str:
    """The values that fit the schema, in words."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_takes, schema["anyOf"])))
    if "enum" in schema:
        return " or ".join(map(quoted, schema["enum"]))
    if "minimum" in schema:
        return f"a whole number from {schema['minimum']} to {schema['maximum']}"
    if "pattern" in schema:
        return f"text like `{schema['pattern'].strip('^$')}`"
    words = {"boolean": "`true` or `false`", "string": "text", "object": "a mapping", "null": "`null`"}
    return words.get(schema["type"], "a number")


# ---- What else derives from the model


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a config file, for editors."""
    schema = msgspec.json.schema(Keys)
    keys = schema["$defs"].pop("Keys") | {"title": "A config of Crategrad"}
    keys["anyOf"] = [{"required": ["extends"]}, {"required": keys.pop("required")}]
    return {"$schema": "http://json-schema.org/draft-07/schema#", **keys, "$defs": schema["$defs"]}


def reference_markdown() -> str:
    """The page docs/config.md, of which the table is written here and the prose before it there."""
    prose, head, _ = _PAGE.read_text(encoding="utf-8").partition("| Key | Takes | Default | Meaning |\n|---|---|---|---|\n")
    rows = (f"| `{key}` | {_takes(schema)} | {_default(schema)} | {schema['description']} |" for key, schema in _keys().items())
    return prose + head + "\n".join(rows) + "\n"


def _default(schema: Mapping[str, Any]) -> str:
    return f"`{json.dumps(schema['default'])}`".replace('"', "") if "default" in schema else "none: set it"


if __name__ == "__main__":
    (_SHIPPED / "schema.json").write_text(json.dumps(json_schema(), indent=2) + "\n", encoding="utf-8")
    _PAGE.write_text(reference_markdown(), encoding="utf-8")
