"""What is found in a module once, and found anew after any change."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pipeline
from pipeline.analyses.call_tree import call_tree, calls
from pipeline.analyses.control_flow import ControlFlow
from pipeline.llvm import Module, Value
from pipeline.llvm_edit import Editor
from pipeline.toolchain import find_tools

pytestmark = pytest.mark.toolchain

GIVEN = """
define void @f(i1 %c) {
  call void @g()
  br i1 %c, label %again, label %done
again:
  br i1 %c, label %again, label %done
done:
  ret void
}
define void @g() {
  call void @h()
  ret void
}
define void @h() {
  ret void
}
"""
READING = re.compile(
    r"Get\w+|Is\w+|Count\w+|TypeOf|Type(?:OfIndex)?|ABISizeOfType|OffsetOfElement|StructGetTypeAtIndex|Print\w+|VerifyModule"
    r"|WriteBitcodeToFile|Parse\w+InContext2?|Context(?:Create|Dispose|SetDiagnosticHandler)|Dispose\w+|Position\w+"
    r"|Create(?:BuilderInContext|\w+Attribute|PassBuilderOptions|MemoryBuffer\w+)|Const(?:Int(?:ToPtr)?|Real|Null|BitCast|InBoundsGEP2)(?:Get\w+)?"
    r"|(?:Function|Array)Type2?|\w+TypeInContext|MD(?:String|Node)InContext2?|(?:Value|Metadata)As(?:Metadata|Value)"
    r"|ValueMetadataEntriesGet\w+|DI\w+Get\w+|DIBuilderCreateDebugLocation|DbgRecordGetKind|DbgVariableRecordGet\w+"
    r"|GlobalGetValueType|GlobalCopyAllMetadata|HasMetadata|InstructionGet(?:DebugLoc|AllMetadataOtherThanDebugLoc)|ConstIntGet\w+"
)
"""The functions of LLVM's that were seen to change no module."""


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    given = tmp_path / "given.ll"
    given.write_text(GIVEN)
    with Module(find_tools().libllvm, given) as module:
        yield Editor(module)


def function(editor: Editor, name: str) -> Value:
    (found,) = editor.module.named([name])
    return found


def test_what_is_found_is_found_once(editor: Editor) -> None:
    found: list[int] = []
    for _ in range(2):
        editor.module.once("it", lambda: found.append(1))
        ControlFlow(editor.module, function(editor, "f")).loops()
    assert found == [1]


def test_what_is_found_while_the_module_changes_is_not_kept(editor: Editor) -> None:
    def change() -> int:
        editor.add_attribute(function(editor, "h"), "cold")
        return 1

    assert editor.module.once("it", change) == 1
    assert editor.module.once("it", lambda: 2) == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda editor, f, h: editor.add_text_attribute(h, "enzyme_inactive"),
        lambda editor, f, h: editor.declare_only([h]),
        lambda editor, f, h: editor.run_passes("inline"),
        lambda editor, f, h: editor.run_passes("loop-simplify", f),
        lambda editor, f, h: editor.api.InstructionEraseFromParent(calls(editor, f)[0]),
        lambda editor, f, h: editor.api.SetOperand(calls(editor, f)[0], 0, h),
    ],
)
def test_after_a_change_all_is_as_if_it_had_never_been_asked(
    editor: Editor, change: Callable[[Editor, Value, Value], Any]
) -> None:
    f, h = function(editor, "f"), function(editor, "h")

    def answers() -> list[Any]:
        flow = ControlFlow(editor.module, f)
        tree = call_tree(editor, [f])
        return [
            tree,
            calls(editor, f),
            editor.module.returning_instructions(f),
            flow.ends,
            flow.never_returning(),
            flow.loops(),
        ]

    before = answers()
    change(editor, f, h)
    after = answers()
    editor.add_attribute(h, "cold")  # which none of them is about
    assert after == answers()
    assert after != before


def add_a_call(editor: Editor, f: Value, h: Value) -> None:
    with editor.module.before(calls(editor, f)[0]) as builder:
        editor.call(builder, editor.function_type(h), h, [])


def add_a_block(editor: Editor, f: Value, _: Value) -> None:
    with editor.block(f) as builder:
        editor.api.BuildUnreachable(builder)


@pytest.mark.parametrize(
    "change",
    [
        add_a_call,
        add_a_block,
        lambda editor, f, h: editor.add_call_attribute(calls(editor, f)[0], "noreturn"),
        lambda editor, f, h: editor.api.InstructionEraseFromParent(calls(editor, f)[0]),
        lambda editor, f, h: editor.run_passes("loop-simplify", f),
    ],
)
def test_a_change_in_one_body_leaves_what_is_known_of_the_others(
    editor: Editor, change: Callable[[Editor, Value, Value], Any]
) -> None:
    names = {name: function(editor, name) for name in "fgh"}

    def found_anew() -> list[str]:
        found: list[str] = []
        for name, one in names.items():
            editor.module.once_in(one, "it", lambda name=name: found.append(name))  # type: ignore[misc]
        return found

    assert found_anew() == ["f", "g", "h"]
    calls(editor, names["f"])
    change(editor, names["f"], names["h"])
    assert found_anew() == ["f"]


def test_calls_of_what_ends_from_now_on_are_none(editor: Editor) -> None:
    f = function(editor, "f")
    assert len(calls(editor, f)) == 1
    editor.add_attribute(function(editor, "g"), "noreturn")
    assert calls(editor, f) == []
    assert list(call_tree(editor, [f])) == [f]


def test_a_change_of_what_may_be_in_several_bodies_leaves_nothing(editor: Editor) -> None:
    f, h = function(editor, "f"), function(editor, "h")
    for change in (
        lambda: editor.run_passes("globaldce"),
        lambda: editor.api.ReplaceAllUsesWith(function(editor, "g"), h),
    ):
        assert editor.module.once_in(f, "it", lambda: 1) == 1
        change()
        assert editor.module.once_in(f, "it", lambda: 2) == 2
        assert len(calls(editor, f)) == 1
        editor.run_passes("globaldce")


def test_answers_are_the_callers_own(editor: Editor) -> None:
    f = function(editor, "f")
    for _ in range(2):
        assert len(calls(editor, f)) == 1
        calls(editor, f).clear()
        assert len(call_tree(editor, [f])) == 3
        call_tree(editor, [f]).clear()
        editor.module.returning_instructions(f).clear()
        ControlFlow(editor.module, f).loops().clear()
    assert len(ControlFlow(editor.module, f).loops()) == 1
    assert len(editor.module.returning_instructions(f)) == 4


def _are_signatures(value: object) -> bool:
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        return False
    return all(isinstance(types, tuple) and len(types) == 2 and isinstance(types[1], list) for types in value.values())


def test_every_function_of_llvms_that_may_change_a_module_says_so(editor: Editor) -> None:
    """Of all that the pipeline calls."""
    for module in pkgutil.walk_packages(pipeline.__path__, "pipeline."):
        for value in vars(importlib.import_module(module.name)).values():
            if _are_signatures(value):
                editor.api.load(value)
    called = {name: call for name, call in vars(editor.api).items() if name[0].isupper()}
    assert len(called) > 200
    silent = {name for name, call in called.items() if type(call).__name__ == "_FuncPtr"}
    assert {name for name in silent if not READING.fullmatch(name)} == set()
    assert {"SetOperand", "BuildCall2", "RunPasses", "RunPassesOnFunction", "ReplaceAllUsesWith"} <= set(called) - silent
