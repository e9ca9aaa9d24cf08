"""The config model: what is accepted, and that whatever is not is refused with its place and a way out."""

import json
import random
import re
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from pipeline import config, yaml_source
from pipeline.config import MATRIX, Config, ConfigError, is_config_key, load, nearest_key
from pipeline.errors import UserError

ROOT = Path(config.__file__).parent.parent
SHIPPED = ROOT / "configs"
NAMES = sorted(each.stem for each in SHIPPED.glob("*.yaml") if each != MATRIX)

LOADERS = [each for each in ("CSafeLoader", "SafeLoader") if hasattr(yaml, each)]  # with libyaml, and without

HEAD = "extends: default\n"  # the least a config can say


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, content: str | bytes) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def refused(name_or_path: str, overrides: dict[str, str] | None = None) -> str:
    with pytest.raises(ConfigError) as error:
        load(name_or_path, overrides or {})
    assert error.value.exit_code == 3
    assert error.value.message.startswith("error: ")
    return error.value.message.removeprefix("error: ")


# ---- What is shipped


@pytest.mark.parametrize("name", NAMES)
def test_shipped_config_loads(name: str) -> None:
    assert load(name).name == name
    assert load(str(SHIPPED / f"{name}.yaml")) == load(name)


@pytest.mark.parametrize("name", NAMES)
def test_shipped_config_names_its_schema_and_explains_every_key(name: str) -> None:
    lines = (SHIPPED / f"{name}.yaml").read_text().splitlines()
    assert lines[0] == "# yaml-language-server: $schema=schema.json"
    unexplained = [line for above, line in pairwise(lines) if re.match(r"\s*\w+:", line) and not above.lstrip().startswith("#")]
    assert unexplained == []


def test_default_yaml_says_what_the_model_says() -> None:
    assert load("default") == Config(name="default", strategy="slice")


def test_default_yaml_shows_every_key() -> None:
    text = (SHIPPED / "default.yaml").read_text()
    assert re.findall(r"^\s*(\w+):", text, re.MULTILINE) == [dotted.split(".")[-1] for dotted in config._keys()]


def test_what_the_shipped_configs_are_for() -> None:
    assert load("single-module-merge").strategy == "single-module-merge"
    assert load("fat-lto").strategy == "fat-lto"
    assert load("slice").strategy == "slice"
    debug = load("debug")
    assert debug.strategy == "single-module-merge"
    assert not debug.enzyme.fast_math
    assert debug.profile == "dev"
    assert (debug.opt1.level, debug.opt2.level, debug.codegen.level, debug.codegen.cpu) == (0, 0, 0, "x86-64")


def test_derived_files_are_up_to_date() -> None:
    stale = "run: python -m pipeline.config"
    assert json.loads((SHIPPED / "schema.json").read_text()) == config.json_schema(), stale
    assert (ROOT / "docs" / "config.md").read_text() == config.reference_markdown(), stale


# ---- What is accepted


def test_ranges_are_read_by_function_and_argument() -> None:
    write("x.yaml", HEAD + "gradcheck:\n  ranges:\n    inner::rate: {t: 250..350.5, x: -1e-3..+.5}\n")
    assert load("x.yaml").gradcheck.ranges == {"inner::rate": {"t": "250..350.5", "x": "-1e-3..+.5"}}


def test_sections_and_flags_are_joined_key_by_key() -> None:
    write("base.yaml", HEAD + "codegen: {level: 1, cpu: native}\nenzyme:\n  flags: {enzyme-a: 1, enzyme-b: 2}\n")
    write("top.yaml", "extends: base.yaml\ncodegen: {level: 2}\nenzyme:\n  flags: {enzyme-b: 3, enzyme-c: x}\n")
    top = load("top.yaml")
    assert (top.codegen.level, top.codegen.cpu) == (2, "native")
    assert top.enzyme.flags == {"enzyme-a": 1, "enzyme-b": 3, "enzyme-c": "x"}
    assert (top.name, top.extends) == ("top", "base.yaml")


def test_a_config_needs_no_base() -> None:
    write("alone.yml", "strategy: fat-lto\nopt1: {}\n")
    assert load("./alone.yml") == Config(name="alone", strategy="fat-lto")


def test_extends_is_relative_to_its_file_and_load_to_the_given_folder() -> None:
    write("a/base.yaml", HEAD + "profile: a\n")
    write("a/b/top.yaml", "extends: ../base.yaml\n")
    assert load("b/top.yaml", relative_to=Path("a")).profile == "a"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("FALSE", False),
        ("-3", -3),
        ("0.25", 0.25),
        ("1e-3", 1e-3),
        ("+3", "+3"),
        (".5", ".5"),
        ("1e999", "1e999"),
        ("NaN", "NaN"),
        ("word", "word"),
        ('"yes"', "yes"),
        ("'12'", "12"),
        ("010", "010"),
        ("0x_", "0x_"),
        ("1:30", "1:30"),
        ("1_000", "1_000"),
        ("2026-13-45", "2026-13-45"),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_scalars_are_those_that_every_reader_of_yaml_agrees_on(text: str, value: object) -> None:
    write("x.yaml", HEAD + f"enzyme: {{flags: {{enzyme-x: {text}}}}}\n")
    flags = load("x.yaml").enzyme.flags
    assert flags == {"enzyme-x": value}
    assert type(flags["enzyme-x"]) is type(value)


def test_paths_are_relative_to_the_file_that_says_them(tmp_path: Path) -> None:
    write("sub/x.yaml", HEAD + "toolchain: ./rust\n")
    loaded = load("sub/x.yaml")
    assert loaded.toolchain == str(tmp_path / "sub" / "rust")
    write("top.yaml", "extends: sub/x.yaml\n")
    assert load("top.yaml") == Config(name="top", extends="sub/x.yaml", strategy=loaded.strategy, toolchain=loaded.toolchain)
    assert load("sub/x.yaml", {"toolchain": "./rust"}).toolchain == str(tmp_path / "rust")
    assert load("default", {"toolchain": "/opt/rust"}).toolchain == "/opt/rust"
    assert load("default", {"toolchain": "~/rust"}).toolchain == str(Path.home() / "rust")
    assert load("default", {"toolchain": "nightly-2026-10-01"}).toolchain == "nightly-2026-10-01"


def test_command_line_overrides() -> None:
    loaded = load("debug", {"opt2.level": "1", "enzyme.flags.enzyme-print-perf": "true", "profile": '"1"'})
    assert loaded.opt2.level == 1
    assert loaded.enzyme.flags == {"enzyme-print-perf": True}
    assert not loaded.enzyme.fast_math
    assert loaded.profile == "1"
    plain = load("default", {"autodiff": "false", "build_std": "none", "debug_symbols": "false", "bitcode": "false"})
    assert not plain.autodiff


def test_byte_order_mark_is_no_key() -> None:
    write("x.yaml", b"\xef\xbb\xbf" + HEAD.encode())
    assert load("x.yaml").strategy == "slice"


def test_which_names_are_keys() -> None:
    assert all(map(is_config_key, ["autodiff", "opt2", "opt2.level", "enzyme.flags", "enzyme.flags.enzyme-anything"]))
    assert not any(map(is_config_key, ["", "name", "opt2.", "opt2.levle", "opt2.level.x", "enzyme.flags.", "crate"]))


@pytest.mark.parametrize(
    ("typo", "meant"),
    [("stratgy", "strategy"), ("opt2.levle", "opt2.level"), ("build-std", "build_std"), ("fast_math", "enzyme.fast_math"),
     ("qqq", None), ("x" * 10_000, None)],
)  # fmt: skip
def test_nearest_key(typo: str, meant: str | None) -> None:
    assert nearest_key(typo) == meant


# ---- What is refused: the content of x.yaml, what the message begins with after `x.yaml:`, a phrase of the lines below

FLAGS = HEAD + "enzyme:\n  flags: "

RANGES = HEAD + "gradcheck:\n  ranges:\n    f: "

REFUSED: dict[str, tuple[str | bytes, str, str]] = {
    # keys
    "unknown": ("stratgy: fat-lto\n", "1:1: unknown key `stratgy`", "did you mean `strategy`?"),
    "unknown, far from any": (HEAD + "qqq: 1\n", "2:1: unknown key `qqq`", ""),
    "unknown in a section": (HEAD + "opt2:\n  levle: 1\n", "3:3: unknown key `opt2.levle`", "did you mean `opt2.level`?"),
    "of the model, but no key": (HEAD + "name: x\n", "2:1: unknown key `name`", ""),
    "hostile": (HEAD + '"\\e[31m": 1\n', "2:1: `\"\\x1b[31m\"` is not one line of printable text", ""),
    "missing": ("autodiff: true\n", "1:1: `strategy` is not set", "`extends: default`"),
    "removed": (HEAD + "enzyme: {plugin: x.so}\n", "2:10: unknown key `enzyme.plugin`", ""),
    "dotted": (HEAD + "opt2.level: 1\n", "2:1: a dot in the key `opt2.level`", "keys are indented below it"),
    "twice": (HEAD + "panic: abort\npanic: abort\n", "3:1: `panic` is set twice: first at x.yaml:2:1", ""),
    "twice in a section": (HEAD + "opt1: {level: 1, level: 2}\n", "2:18: `level` is set twice: first at x.yaml:2:8", ""),
    "like a message of msgspec's": (HEAD + '"x` - at `$": 1\n', "2:1: unknown key `x` - at `$`", ""),
    "a number": (HEAD + "1: x\n", "2:1: a key is text, not `1`", ""),
    "a boolean": (HEAD + "true: x\n", "2:1: a key is text, not `true`", ""),
    "a bare on": (HEAD + "on: x\n", "2:1: to some readers of YAML a bare `on` is a boolean", "quotes"),
    "null": (HEAD + "~: x\n", "2:1: a key is text, not `~`", ""),
    "a list": (HEAD + "? [a]\n: x\n", "2:3: a key is text, not a list", ""),
    "a mapping": ("{{a: 1}: 2}\n", "1:2: a key is text, not a mapping", ""),
    # numbers
    "text for a number": (HEAD + "opt1:\n  level: abc\n", "3:10: `opt1.level` cannot be `abc`", "expected a whole number"),
    "quotes around it": (HEAD + 'opt1: {level: "2"}\n', '2:15: `opt1.level` cannot be `"2"`', "expected a whole number"),
    "fraction": (HEAD + "opt1: {level: 2.0}\n", "2:15: `opt1.level` cannot be `2.0`", "expected a whole number"),
    "boolean for a number": (HEAD + "opt1: {level: true}\n", "2:15: `opt1.level` cannot be `true`", "a whole number"),
    "octal": (HEAD + "opt1: {level: 02}\n", "2:15: `opt1.level` cannot be `02`", "expected a whole number"),
    "too large": (HEAD + "opt2: {level: 4}\n", "2:15: `opt2.level` cannot be `4`", "expected a whole number from 0 to 3"),
    "too small": (HEAD + "codegen: {level: -1}\n", "2:18: `codegen.level` cannot be `-1`", "from 0 to 3"),
    "far too large": (HEAD + f"opt1: {{level: {'9' * 5000}}}\n", f"2:15: `opt1.level` cannot be `{'9' * 59}…`", "0 to 3"),
    # booleans
    "number for a boolean": (HEAD + "autodiff: 1\n", "2:11: `autodiff` cannot be `1`", "expected `true` or `false`"),
    "yes for a boolean": (HEAD + "autodiff: yes\n", "2:11: to some readers of YAML a bare `yes` is a boolean", "or `false`"),
    "On for a boolean": (HEAD + "bitcode: On\n", "2:10: to some readers of YAML a bare `On` is a boolean", "in quotes"),
    "off for text": (HEAD + "profile: off\n", "2:10: to some readers of YAML a bare `off` is a boolean", "quotes"),
    "off for a choice": (HEAD + "panic: off\n", "2:8: to some readers of YAML a bare `off` is a boolean", ""),
    "no for a flag": (FLAGS + "{enzyme-x: no}\n", "3:21: to some readers of YAML a bare `no` is a boolean", "write `true`"),
    "boolean for a choice": (HEAD + "build_std: true\n", "2:12: `build_std` cannot be `true`", "or `prebuilt`"),
    # text
    "choice that is none": ("strategy: fat_lto\n", "1:11: `strategy` cannot be `fat_lto`", "did you mean `fat-lto`?"),
    "unwinding in one": ("strategy: fat-lto\npanic: unwind\n", "2:8: `panic` cannot be `unwind` with", "`strategy: slice`"),
    "number for text": (HEAD + "profile: 1\n", "2:10: `profile` cannot be `1`", "in quotes it is text"),
    "like a place of msgspec's": ("strategy: x - at `$.opt1`\n", "1:11: `strategy` cannot be `x - at `$.opt1``", "expected"),
    "wrong form": (HEAD + "profile: my own\n", "2:10: `profile` cannot be `my own`", "text like `[A-Za-z0-9_-]+`"),
    "empty text": (HEAD + 'toolchain: ""\n', '2:12: `toolchain` cannot be `""`', "expected text"),
    "control character": (HEAD + 'toolchain: "a\\0b"\n', '2:12: `"a\\x00b"` is not one line of printable text', ""),
    "several lines": (HEAD + "toolchain: |\n  a\n  b\n", '2:12: `"a\\nb\\n"` is not one line of printable text', ""),
    "nobody's folder": (HEAD + "toolchain: ~no-such-user/rust\n", "2:12: nobody's folder is meant by `~no-such-user/", ""),
    # shapes
    "list for a choice": ("strategy: [fat-lto]\n", "1:11: `strategy` cannot be a list", "or `single-module-merge`"),
    "mapping for text": (HEAD + "profile: {a: b}\n", "2:10: `profile` cannot be a mapping", "expected text"),
    "number for a section": (HEAD + "opt1: 3\n", "2:7: `opt1` cannot be `3`", "expected a mapping"),
    "null for a section": (HEAD + "opt1:\nopt2:\n", "2:6: `opt1` has no value", "expected a mapping"),
    "null for a choice": ("strategy: ~\n", "1:11: `strategy` has no value", "expected `fat-lto` or"),
    "list at the top": ("- a\n- b\n", "1:1: the top level is a list, not keys and values", "`extends: default`"),
    "text at the top": ("default\n", "1:1: the top level is `default`, not keys and values", "`extends: default`"),
    "empty": ("", "1:1: holds no keys", "`extends: default`"),
    "only comments": ("# nothing\n\n# here\n", "1:1: holds no keys", ""),
    "only a document start": ("---\n", "2:1: holds no keys", ""),
    # flags of Enzyme
    "null for a flag": (FLAGS + "{enzyme-x: null}\n", "3:21: `enzyme.flags.enzyme-x` has no value", "a number or text"),
    "list for a flag": (FLAGS + "{enzyme-x: [1]}\n", "3:21: `enzyme.flags.enzyme-x` cannot be a list", ""),
    "somebody else's flag": (FLAGS + "{inline: 1}\n", "3:11: the flag `inline` is refused: it is not of the form", ""),
    "dashes": (FLAGS + "{--enzyme-x: 1}\n", "3:11: the flag `--enzyme-x` is refused: it is not of the form `enzyme-", ""),
    "two flags in one": (FLAGS + '{"enzyme-x -y": 1}\n', "3:11: the flag `enzyme-x -y` is refused: it is not", ""),
    "loose types": (FLAGS + "\n    enzyme-loose-types: 1\n", "4:5: the flag `enzyme-loose-types` is refused: it guesses", ""),
    "fast math": (FLAGS + "{enzyme-fast-math: 0}\n", "3:11: the flag `enzyme-fast-math` is refused: `enzyme.", ""),
    # ranges of gradcheck
    "list for a range": (RANGES + "{x: [1, 2]}\n", "4:12: `gradcheck.ranges.f.x` cannot be a list", "as `0.5..2.0`"),
    "number for a range": (RANGES + "{x: 1}\n", "4:12: `gradcheck.ranges.f.x` cannot be `1`", "as `0.5..2.0`"),
    "nothing for a range": (RANGES + "{x: null}\n", "4:12: `gradcheck.ranges.f.x` has no value", ""),
    "half a range": (RANGES + "{x: 1..}\n", "4:12: `gradcheck.ranges.f.x` cannot be `1..`", "as `0.5..2.0`"),
    "range from high to low": (RANGES + "{x: 2..1}\n", "4:12: `gradcheck.ranges.f.x` cannot be `2..1`", "from low to high"),
    "range of a function": (RANGES + "1..2\n", "4:8: `gradcheck.ranges.f` cannot be `1..2`", "expected a mapping"),
    "ranges of nothing": (HEAD + "gradcheck: {ranges: 1}\n", "2:21: `gradcheck.ranges` cannot be `1`", "expected a mapping"),
    # YAML that configs do without
    "anchor": (HEAD + "profile: &p release\n", "2:10: anchor `&p` is not supported", "use `extends`"),
    "alias": (HEAD + "profile: *p\n", "2:10: alias `*p` is not supported", "use `extends`"),
    "billion laughs": ("a: &a [l, o, l]\nb: &b [*a, *a]\nc: [*b, *b]\n", "1:4: anchor `&a` is not supported", ""),
    "merge key": (HEAD + "<<: {panic: abort}\n", "2:1: merge key `<<` is not supported", "use `extends`"),
    "tag that runs code": ("a: !!python/name:os.system\n", "1:4: tag `!!python/name:os.system` is not supported", ""),
    "harmless tag": (HEAD + "profile: !!str 1\n", "2:10: tag `!!str` is not supported", "write the value alone"),
    "tag on a key": ("!x extends: default\n", "1:1: tag `!x` is not supported", ""),
    "two documents": (HEAD + "---\npanic: abort\n", "2:1: a second document", "take out the `---`"),
    "nested deeply": ("a: " + "[" * 9 + "]" * 9 + "\n", "1:11: nested more than 8 deep", ""),
    "nested very deeply": ("a: " + "[" * 60_000, "1:11: nested more than 8 deep", ""),
    "sections in sections": ("".join(f"{'  ' * each}a:\n" for each in range(99)), "9:17: nested more than 8 deep", ""),
    "huge": ("#" * (64 * 1024 + 1), "1:1: too large for a config: more than 64 kB", ""),
    # what is no YAML
    "tab": (HEAD + "opt1:\n\tlevel: 2\n", "3:1: a tab in the indentation", "spaces"),
    "tab after a space": (HEAD + "opt1:\n  level: 2\n \tx: 1\n", "4:2: a tab in the indentation", "spaces"),
    "latin-1": (b"# a\nprofile: na\xefve\n", "2:12: not text in UTF-8", ""),
    "byte order mark, latin-1": (b"\xef\xbb\xbf\xef", "1:1: not text in UTF-8", ""),
    "utf-16": ("strategy: fat-lto\n".encode("utf-16"), "1:1: not text in UTF-8", ""),
    "binary": (b"\x7fELF\x02\x01\x01\x00\x00", "1:1: U+007F is no character of text", ""),
    "NUL": (b"# \xc3\xa9\nprofile: a\0b\n", "2:11: U+0000 is no character of text", ""),
    "a byte order mark in the middle": (HEAD + "profile: a\ufeff\n", "2:10: `a\\ufeff` is not one line of printable text", ""),
    "indentation": ("panic: abort\n  opt1: 2\n", "2:7: not YAML: mapping values are not allowed", ""),
    "open quote": (HEAD + 'profile: "x\n', "3:1: not YAML: found unexpected end of stream while scanning a quoted scalar", ""),
    "open bracket": ("strategy: [a,\nb: 1\n", "3:1: not YAML: ", ""),
    "YAML of the future": ("%YAML 3.0\n---\na: 1\n", "1:1: not YAML: found incompatible YAML document", ""),
    # extends
    "extends a number": ("extends: 1\n", "1:10: `extends` cannot be `1`", "expected text or `null`"),
    "extends no config": ("extends: defualt\n", f"1:10: {SHIPPED}/defualt.yaml: cannot be read: ", "did you mean `default`?"),
    "extends no file": ("extends: ./nope.yaml\n", "1:10: nope.yaml: cannot be read: No such", "configs: debug, default"),
    "extends a folder": ("extends: ./\n", "1:10: .: cannot be read: Is a directory", ""),
    "extends itself": ("extends: x.yaml\n", "1:10: `extends` runs in a circle: x.yaml → x.yaml", ""),
    "extends a NUL": ('extends: "a\\0/b"\n', '1:10: `"a\\x00/b"` is not one line of printable text', ""),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("loader", LOADERS)
def test_refused_with_its_place(case: str, loader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_source, "_loader", lambda: getattr(yaml, loader))
    content, beginning, below = REFUSED[case]
    message = refused(write("x.yaml", content))
    first, _, rest = message.partition("\n")
    assert first.startswith(f"x.yaml:{beginning}")
    assert below in rest
    assert all(line.isprintable() for line in message.split("\n"))


def test_place_is_in_the_file_that_set_the_key() -> None:
    write("below/base.yaml", HEAD + "opt1:\n  level: 7\n")
    write("top.yaml", "extends: below/base.yaml\nopt2:\n  level: 1\n")
    assert refused("top.yaml").startswith("below/base.yaml:3:10: `opt1.level` cannot be `7`")
    write("top.yaml", "extends: below/base.yaml\nopt1:\n  level: 1\n")
    assert load("top.yaml").opt1.level == 1


def test_circle_shows_its_way_round() -> None:
    write("a.yaml", "extends: b.yaml\n")
    write("b.yaml", "# b\nextends: sub/c.yaml\n")
    write("sub/c.yaml", "extends: ../b.yaml\n")
    assert refused("a.yaml") == "sub/c.yaml:1:10: `extends` runs in a circle: b.yaml → sub/c.yaml → b.yaml"


def test_long_chain_of_extends() -> None:
    write("0.yaml", HEAD + "profile: first\n")
    for each in range(1, 1100):
        write(f"{each}.yaml", f"extends: ./{each - 1}.yaml\n")
    assert load("1099.yaml").profile == "first"


NEEDS = {
    "bitcode": ("bitcode: false\n", "x.yaml:2:10: `bitcode` cannot be `false` with `autodiff: true`: Enzyme differentiates"),
    "debug_symbols": ("debug_symbols: false\n", "x.yaml:2:16: `debug_symbols` cannot be `false` with `autodiff: true`: "),
    "build_std": ("build_std: none\n", "x.yaml:2:12: `build_std` cannot be `none` with `autodiff: true`: "),
}  # fmt: skip


@pytest.mark.parametrize("key", NEEDS)
def test_what_autodiff_needs(key: str) -> None:
    content, expected = NEEDS[key]
    message = refused(write("x.yaml", HEAD + content))
    assert message.startswith(expected)
    assert "  = help: to build without derivatives set `autodiff: false`" in message
    assert getattr(load("x.yaml", {"autodiff": "false"}), key) in (False, "none")


def test_every_unmet_need_has_its_place() -> None:
    write("x.yaml", HEAD + "bitcode: false\n")
    lines = refused("x.yaml", {"build_std": "none"}).split("\n")
    assert lines[0].startswith("x.yaml:2:10: `bitcode` cannot be `false`")
    assert lines[1].startswith("error: command line: build_std=none: `build_std` cannot be `none`")


OVERRIDES_REFUSED = {
    "wrong value": ("opt2.level", "abc", "opt2.level=abc: `opt2.level` cannot be `abc`\n  = help: expected a whole number"),
    "unknown key": ("opt2.levle", "1", "opt2.levle=1: unknown key `opt2.levle`\n  = help: did you mean `opt2.level`?"),
    "unknown section": ("x.y", "1", "x.y=1: unknown key `x`"),
    "below a value": ("opt2.level.x", "1", "opt2.level.x=1: `opt2.level` cannot be a mapping"),
    "section": ("opt2", "1", "opt2=1: `opt2` cannot be `1`"),
    "no name": ("", "1", "=1: unknown key ``"),
    "many dots": ("." * 5000, "1", f"{'.' * 59}…: unknown key ``"),
    "nothing": ("profile", "", "profile=: `profile` has no value"),
    "bare yes": ("autodiff", "yes", "autodiff=yes: to some readers of YAML a bare `yes`"),
    "not YAML": ("profile", '"x', 'profile="x: not YAML: found unexpected end of stream'),
    "alias": ("codegen.cpu", "*x", "codegen.cpu=*x: alias `*x` is not supported"),
    "two documents": ("profile", "--- a\n--- b", "profile=--- a\\n--- b: a second document"),
    "not UTF-8": ("profile", "\udcff", "profile=\\udcff: not text in UTF-8"),
    "lone surrogate": ("profile", "\ud800", "profile=\\ud800: not text in UTF-8"),
    "extends": ("extends", "fat-lto", "extends=fat-lto: `extends` belongs in a file"),
    "refused flag": ("enzyme.flags.enzyme-fast-math", "1", "enzyme.flags.enzyme-fast-math=1: the flag `enzyme-"),
    "flag with a dot": ("enzyme.flags.enzyme-a.b", "1", "enzyme.flags.enzyme-a.b=1: the flag `enzyme-a.b` is"),
}  # fmt: skip


@pytest.mark.parametrize("case", OVERRIDES_REFUSED)
def test_override_refused(case: str) -> None:
    dotted, text, expected = OVERRIDES_REFUSED[case]
    assert refused("default", {dotted: text}).startswith(f"command line: {expected}")


# ---- Files that cannot be read


def test_missing_path_names_the_shipped_configs() -> None:
    message = refused("sub/nope.yaml")
    assert message.startswith("sub/nope.yaml: cannot be read: No such file or directory\n")
    assert "shipped configs: debug, default, fat-lto, single-module-merge" in message


def test_missing_name_suggests_the_near_one() -> None:
    message = refused("fat_lto")
    assert message.split("\n")[0] == f"{SHIPPED / 'fat_lto.yaml'}: cannot be read: No such file or directory"
    assert "did you mean `fat-lto`?" in message


def test_places_are_as_the_user_would_write_them(tmp_path: Path) -> None:
    write("sub/x.yaml", "a: 1\n")
    outside = tmp_path / "elsewhere"
    for where, shown in [(None, "sub/x.yaml"), (tmp_path / "sub", "x.yaml"), (outside, f"{tmp_path}/sub/x.yaml")]:
        with pytest.raises(ConfigError) as error:
            load(str(tmp_path / "sub" / "x.yaml"), relative_to=where)
        assert error.value.message.startswith(f"error: {shown}:1:1: unknown key `a`")


def test_folder_is_no_config() -> None:
    Path("sub.yaml").mkdir()
    assert refused("sub.yaml").startswith("sub.yaml: cannot be read: Is a directory\n")


def test_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    write("x.yaml", HEAD)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # not chmod: root reads everything
    assert refused("x.yaml").startswith("x.yaml: cannot be read: Permission denied\n")


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a\0b", "a\0/b", "a\nb.yaml", "\udcff.yaml", "x" * 5000, "x/../../y.yaml", "/"]
)
def test_strange_names(name: str) -> None:
    message = refused(name)
    assert all(line.isprintable() for line in message.split("\n"))


def test_endless_file() -> None:
    assert "too large" in refused("/dev/zero")


def test_a_config_error_is_a_user_error_in_the_house_style() -> None:
    assert issubclass(ConfigError, UserError)
    assert ConfigError("x.yaml: y", "a", None, "b").message == "error: x.yaml: y\n  = help: a\n  = help: b"


# ---- Whatever else a file may hold

TOKENS = ["", "\t", " ", "\n", ":", "- ", "[", "{", "}", "&a ", "*a", "!!int ", "<<: ", "? ", "| ", ">\n", "'", '"',
          "#", "%", "@", "\0", "\x85", "\ufeff", "yes", "~", ".inf", "0x_", "1:99", "---\n", "...\n", "9" * 50, "é",
          "\ud800"]  # fmt: skip


def mutated(text: str, seed: int) -> bytes:
    """The text with a few pieces replaced, moved or cut; the same for the same seed."""
    dice = random.Random(seed)
    for _ in range(dice.choice([1, 1, 2])):
        start = dice.randrange(len(text))
        end = min(len(text), start + dice.choice([0, 0, 1, 1, 2, 8]))
        piece = dice.choice([*TOKENS, text[start:end] * 2, text[dice.randrange(len(text)) :][:40]])
        text = text[:start] + piece + text[end:] or " "
    return text.encode(errors="surrogatepass")


@pytest.mark.parametrize("loader", LOADERS)
def test_no_file_whatever_ends_in_a_traceback(loader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_source, "_loader", lambda: getattr(yaml, loader))
    text = re.sub(r"^ *#.*\n", "", (SHIPPED / "default.yaml").read_text(), flags=re.MULTILINE)
    loaded, messages = 0, []
    for seed in range(400):
        path = write("x.yaml", mutated(text, seed))
        try:
            load(path)
            loaded += 1
        except ConfigError as error:
            messages.append(error.message)
    assert loaded > 10
    assert len(messages) > 100
    assert [each for each in messages if not re.match(r"error: x\.yaml:\d+:\d+: \S", each)] == []
