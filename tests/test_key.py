"""The key: everything that an output depends on changes it, nothing else does, and no two values read alike in it.

The stages under test are those that `plan` makes; their fields are found by looking, so that a new one is tested, too.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import importlib.util
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline import config, key
from pipeline.artifact import Artifact
from pipeline.crate import Crate
from pipeline.digests import Digests
from pipeline.key import describe, location, stage_key
from pipeline.linker import Linker
from pipeline.meanwhile import Ready
from pipeline.plan import Sources, Step, plan
from pipeline.stages import NAMES
from pipeline.stages.opt1 import Opt1
from pipeline.toolchain import Rust, Tool, Tools

Found = list[tuple[str, Any]]
"""Where in a stage a value was changed, and the stage with the other value."""


@pytest.fixture(params=[("single-module-merge", "full"), ("fat-lto", "prebuilt")], ids="-".join)
def steps(request: pytest.FixtureRequest, tmp_path: Path, rust: Rust, tools: Tools) -> tuple[Step, ...]:
    """All nine, by each strategy and with std of either kind."""
    strategy, std = request.param
    chosen = config.load("default", {"strategy": strategy, "build_std": std, "enzyme.flags.enzyme-print-perf": "true"})
    crate = Crate(tmp_path / "crate", Artifact("bin", "binary"), (), ())
    linker = Linker(tools.cc, {"ld": tools.lld}, "of the system")
    steps = plan(chosen, crate, Sources("of std", "of the crate", "of the toolchain"), rust, tools, linker, offline=False)
    assert tuple(step.name for step in steps) == NAMES
    return steps


def others(value: Any, folder: Path) -> Iterator[tuple[str, Any]]:
    """Every value that differs from `value` in one place that counts, and which place that is."""
    if isinstance(value, Mapping):
        yield "[more]", {**value, "more": "x"}
        for name in value:
            yield from ((f"[{name}]{place}", {**value, name: other}) for place, other in others(value[name], folder))
    elif is_dataclass(value) and not isinstance(value, Tool):
        for field in fields(value):
            if not field.metadata.get("location"):
                for place, other in others(getattr(value, field.name), folder):
                    yield f".{field.name}{place}", replace(value, **{field.name: other})  # type: ignore[type-var]
    else:
        yield "", other_than(value, folder)


def other_than(value: Any, folder: Path) -> Any:
    if isinstance(value, Tool):
        return tool(folder / f"another {value.path.name}")
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return f"{value}x"
    if isinstance(value, tuple):
        return (*value, "x")
    raise AssertionError(f"a test is wanted for {type(value).__name__}")


def tool(path: Path) -> Tool:
    path.write_text(path.name)
    return Tool(path)


def elsewhere(value: Any) -> Any:
    """A location other than `value`."""
    if isinstance(value, Path):
        return value / "elsewhere"
    if isinstance(value, Rust):
        return replace(value, version="1.0.0", sysroot=value.sysroot / "elsewhere")
    if isinstance(value, bool):
        return not value
    if isinstance(value, tuple):
        return (*value, "--elsewhere")
    if isinstance(value, Ready):
        return Ready(Tool(value.libllvm.path / "elsewhere"))
    raise AssertionError(f"a test is wanted for {type(value).__name__}")


# ---- Stages


def test_every_field_of_a_stage_is_in_its_key(steps: tuple[Step, ...], tmp_path: Path, digests: Digests) -> None:
    changed: Found = []
    unnoticed = []
    for step in steps:
        known = stage_key(step.stage, {}, digests)
        for place, other in others(step.stage, tmp_path):
            changed.append((step.name + place, other))
            if stage_key(other, {}, digests) == known:
                unnoticed.append(step.name + place)
    assert unnoticed == []
    named = {place for place, _ in changed}
    assert {"crate_bitcode.sources", "enzyme.driver.catalyst", "enzyme.flags[enzyme-print-perf]", "link.linker.cc"} <= named
    assert {"link.linker.starts[ld]", "link.linker.system", "link.libraries", "crate_bitcode.libraries"} <= named
    assert {"llvm_link.strategy.llvm_nm", "llvm_link.strategy.lld"} & named
    assert {"build_std.sources", "build_std.libraries"} & named


def test_where_a_thing_lies_is_not_in_the_key(steps: tuple[Step, ...], digests: Digests) -> None:
    moved = []
    for step in steps:
        known = stage_key(step.stage, {}, digests)
        for field in fields(step.stage):  # type: ignore[arg-type]
            if field.metadata.get("location"):
                other: Any = replace(step.stage, **{field.name: elsewhere(getattr(step.stage, field.name))})  # type: ignore[type-var]
                assert stage_key(other, {}, digests) == known, f"{step.name}.{field.name}"
                moved.append(f"{step.name}.{field.name}")
    assert moved == [
        "build_std.rust",
        "crate_bitcode.rust",
        "crate_bitcode.folder",
        "crate_bitcode.target",
        "crate_bitcode.offline",
        "crate_bitcode.manners",
        "crate_bitcode.meanwhile",
    ]


def test_tool_is_what_it_is_and_not_where(steps: tuple[Step, ...], tmp_path: Path, digests: Digests) -> None:
    link: Any = steps[-1].stage
    copy = Tool(tmp_path / "copy")
    copy.path.write_bytes(link.linker.cc.path.read_bytes())
    assert stage_key(replace(link, linker=replace(link.linker, cc=copy)), {}, digests) == stage_key(link, {}, digests)


@dataclass(frozen=True)
class LikeOpt1:
    """A stage with the fields of another."""

    opt: Tool
    level: int


def test_stages_of_the_same_fields_have_keys_of_their_own(steps: tuple[Step, ...], digests: Digests) -> None:
    (opt1,) = (step.stage for step in steps if step.name == "opt1")
    assert isinstance(opt1, Opt1)
    alike = LikeOpt1(opt1.opt, opt1.level)
    assert dataclasses.asdict(alike) == dataclasses.asdict(opt1)
    assert stage_key(alike, {}, digests) != stage_key(opt1, {}, digests)


def test_inputs_are_in_the_key_each_in_its_role(steps: tuple[Step, ...], digests: Digests) -> None:
    every: list[dict[str, str]] = [
        {},
        {"crate": "a"},
        {"crate": "b"},
        {"std": "a"},
        {"crate": "a", "std": "b"},
        {"crate": "b", "std": "a"},
    ]
    assert len({stage_key(steps[-1].stage, inputs, digests) for inputs in every}) == len(every)
    assert stage_key(steps[-1].stage, {"std": "b", "crate": "a"}, digests) == stage_key(steps[-1].stage, every[4], digests)


def test_format_is_in_the_key(steps: tuple[Step, ...], digests: Digests, monkeypatch: pytest.MonkeyPatch) -> None:
    known = stage_key(steps[0].stage, {}, digests)
    monkeypatch.setattr(key, "FORMAT", key.FORMAT + 1)
    assert stage_key(steps[0].stage, {}, digests) != known


# ---- Code


def modules_in_key(module: str, digests: Digests) -> set[str]:
    """The names of the modules whose source is in the digest of a module's code."""
    return set(key.code(module, digests))


# What calls what at run time, as known by heart; not by the way in which `key` finds it.
USES = {
    "build_std": {"bitcode", "cargo", "link_recorder", "process", "rustc_wrapper", "toolchain"},
    "prebuilt_std": {"bitcode", "llvm", "llvm_edit", "process", "toolchain"},
    "crate_bitcode": {"bitcode", "cargo", "link_recorder", "process", "rustc_wrapper", "toolchain"},
    "llvm_link": {"strategies"},
    "opt1": {"process"},
    "abi_fixup": {"llvm"},
    "enzyme": {"analyses.call_tree", "enzyme_driver", "llvm", "process"},
    "opt2": {"process"},
    "codegen": {"process"},
    "link": {"process"},
}


@pytest.mark.parametrize("name", USES)
def test_code_that_a_stage_runs_is_in_its_key(name: str, digests: Digests) -> None:
    read = modules_in_key(f"pipeline.stages.{name}", digests)
    assert {f"pipeline.{used}" for used in USES[name]} | {f"pipeline.stages.{name}"} <= read


@pytest.mark.parametrize("name", USES)
def test_code_that_no_stage_runs_is_not_in_its_key(name: str, digests: Digests) -> None:
    others = {f"pipeline.{other}" for other in ("build", "config", "crate", "doctor", "plan", "request", "store", "tasks")}
    assert modules_in_key(f"pipeline.stages.{name}", digests) & others == set()


def test_every_module_that_a_stage_imports_is_in_its_key(digests: Digests) -> None:
    modules = [f"pipeline.stages.{name}" for name in USES]
    missing = {module: imported(module) - modules_in_key(module, digests) for module in modules}
    assert {module: names for module, names in missing.items() if names} == {}


def imported(module: str) -> set[str]:
    """The module and all that it imports of the pipeline, by what is written in their sources."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        found.add(name)
        for node in ast.walk(ast.parse(Path(importlib.import_module(name).__file__ or "").read_text())):
            if isinstance(node, ast.ImportFrom):
                names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
                waiting += [n for n in names if n.startswith("pipeline.") and n not in found and is_module(n)]
    return found


def is_module(name: str) -> bool:
    """Whether it is one, and not a name in one."""
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def test_changed_code_changes_the_key(steps: tuple[Step, ...], digests: Digests, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each module of the code that Enzyme's stage runs, one at a time."""
    stage = next(step.stage for step in steps if step.name == "enzyme")
    known = stage_key(stage, {}, digests)
    for name in ["stages.enzyme", *sorted(USES["enzyme"])]:
        with monkeypatch.context() as patch:
            sources = {**key.code("pipeline.stages.enzyme", digests), f"pipeline.{name}": "other"}
            patch.setattr(key, "code", lambda _module, _digests, sources=sources: sources)
            assert stage_key(stage, {}, digests) != known, name
        assert stage_key(stage, {}, digests) == known


def test_edited_module_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the run after it, and by all that import the module, however indirectly; what does not import it is as it was."""
    monkeypatch.setattr(key, "_ROOT", tmp_path)
    modules = {
        "__init__": "",
        "a": "from pipeline.b import x\n",
        "b": "def x():\n    from pipeline import c\n",
        "c": "",
        "d": "",
    }
    for name, text in modules.items():
        path = tmp_path / "pipeline" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        os.utime(path, (1, 1))
    time.sleep(0.05)  # what was just changed would not be remembered

    def of_a_run(module: str) -> Mapping[str, str]:
        digests = Digests(tmp_path / "digests.json")
        found = key.code(f"pipeline.{module}", digests)
        digests.save()
        return found

    before = {module: of_a_run(module) for module in "abcd"}
    assert set(before["a"]) == {"pipeline", "pipeline.a", "pipeline.b", "pipeline.c"}
    (tmp_path / "pipeline/c.py").write_text("from pipeline import d\n")
    after = {module: of_a_run(module) for module in "abcd"}
    assert [module for module in "abcd" if before[module] != after[module]] == ["a", "b", "c"]
    assert "pipeline.d" in after["a"]


def test_code_of_what_a_stage_holds_is_in_its_key(steps: tuple[Step, ...], digests: Digests) -> None:
    held = {"llvm_link": "pipeline.strategies.", "enzyme": "pipeline.enzyme_driver"}
    for step in steps:
        if step.name in held:
            assert held[step.name] in key.describe(step.stage, {}, digests)


# ---- Values


@dataclass(frozen=True)
class Holder:
    """A stage that holds anything."""

    value: Any
    place: Any = location()


NOTHING_TO_SAY = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]

# Text as it comes from files and, with bytes that are no UTF-8, from the environment.
TEXT = st.text(st.characters(codec="utf-8") | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXT
CONFUSABLE = st.sampled_from(
    [None, "null", "None", True, 1, 1.0, "1", "True", "true", False, 0, 0.0, -0.0, "0", "", "()", (), ("",)]
)
VALUES = st.recursive(
    CONFUSABLE | SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(TEXT | st.sampled_from(["mapping", "tool", "type"]), inner, max_size=4)
    ),
    max_leaves=12,
)


def read_back(plain: Any) -> Any:
    """The value that a key's text speaks of."""
    if isinstance(plain, list):
        return tuple(read_back(item) for item in plain)
    if isinstance(plain, dict):
        assert list(plain) == ["mapping"]
        return {name: read_back(value) for name, value in plain["mapping"].items()}
    return plain


def in_order(value: Any) -> Any:
    """The value with its mappings sorted: their order says nothing."""
    if isinstance(value, tuple):
        return tuple(in_order(item) for item in value)
    if isinstance(value, dict):
        return {name: in_order(value[name]) for name in sorted(value)}
    return value


@settings(deadline=None, suppress_health_check=NOTHING_TO_SAY)
@given(VALUES)
def test_no_two_values_read_alike(digests: Digests, value: Any) -> None:
    """Whoever has the text can tell the value, to its types: so two values cannot have the same text."""
    text = describe(Holder(value, None), {}, digests)
    assert repr(in_order(read_back(json.loads(text)["stage"]["value"]))) == repr(in_order(value))


@settings(deadline=None, suppress_health_check=NOTHING_TO_SAY)
@given(st.dictionaries(TEXT, VALUES, max_size=4))
def test_order_of_a_mapping_says_nothing(digests: Digests, mapping: dict[str, Any]) -> None:
    backwards = dict(reversed(mapping.items()))
    assert describe(Holder(mapping, None), {}, digests) == describe(Holder(backwards, None), {}, digests)


@dataclass(frozen=True)
class AnotherHolder:
    """The same fields by another name."""

    value: Any
    place: Any = location()


def test_types_of_the_same_fields_do_not_read_alike(digests: Digests) -> None:
    values = [Holder("x", None), AnotherHolder("x", None)]
    assert len({describe(value, {}, digests) for value in values}) == 2
    assert len({describe(Holder(value, None), {}, digests) for value in values}) == 2


def test_tool_does_not_read_like_a_mapping_or_text(tmp_path: Path, digests: Digests) -> None:
    real = tool(tmp_path / "tool")
    digest = digests.tool(real.path)
    values = [real, {"tool": digest}, digest, (digest,), Holder(digest, None), {"type": "Holder", "value": digest}]
    assert len({describe(Holder(value, None), {}, digests) for value in values}) == len(values)


@pytest.mark.parametrize("value", [{1}, [1], b"1", Path("x"), object(), {"a": [1]}, ({1},)], ids=lambda one: type(one).__name__)
def test_what_has_no_canonical_text_is_refused(digests: Digests, value: Any) -> None:
    with pytest.raises(TypeError, match="no place in a key"):
        describe(Holder(value, None), {}, digests)


def test_names_in_a_mapping_are_told_from_text(digests: Digests) -> None:
    def text(value: object) -> str:
        try:
            return describe(Holder(value, None), {}, digests)
        except TypeError:
            return "refused"

    assert text({1: "x"}) != text({"1": "x"})


def test_key_is_sha256_of_the_text(digests: Digests) -> None:
    text = describe(Holder("x", None), {"role": "digest"}, digests)
    assert stage_key(Holder("x", None), {"role": "digest"}, digests) == hashlib.sha256(text.encode()).hexdigest()


def test_the_packages_of_others_are_known_by_what_is_imported(digests: Digests) -> None:
    assert key.packages("pipeline.yaml_source", digests)["mapping"]["yaml"].startswith("PyYAML ")
