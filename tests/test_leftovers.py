"""What repairs and Enzyme leave in a program is gone after opt2: helpers, attributes, copies that nobody may touch."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from pipeline import tape
from pipeline.leftovers import take_back
from pipeline.llvm_edit import Editor
from pipeline.repairs import apart
from pipeline.stages import MODULE
from tests.test_bodies import WITHOUT_LOOPS
from tests.test_repairs import LLVM_DIS, mended, rewritten
from tests.workbench import ROOT, doit

pytestmark = pytest.mark.toolchain

CRATE = ROOT / "tests/crates/bodies"

STAY = {
    *tape.POOL,  # the frontend's: memory of derivatives, from one call to the next
    "crategrad_no_memory",  # says that there was no memory, and ends the program
    "crategrad_unexpected_call",  # says that a pointer is none of what it could be, and ends the program
}
OURS = re.compile(r'^(?:define|declare)\b.*?@"?((?:__)?crategrad_\w+)|^@"?((?:__)?crategrad_\w+)', re.MULTILINE)
SAID = re.compile(r'!enzyme_\w+|"enzyme_\w+|"crategrad_\w+|@"?__enzyme_\w+')
VOLATILE = re.compile(r"(?:load|store) volatile .*|call void @llvm\.mem(?:cpy|move|set)\.\S+\(.*, i1 true\)")


def text(stage: str) -> str:
    module = CRATE / "target/crategrad/default/stages" / stage / MODULE
    return subprocess.run([LLVM_DIS.path, "-o", "-", module], capture_output=True, text=True, check=True).stdout


def ours(listing: str) -> set[str]:
    """The functions and variables of a module that are called as ours are."""
    return {(function or variable).rstrip("0123456789") for function, variable in OURS.findall(listing)}


def test_nothing_of_ours_or_of_enzymes_is_left() -> None:
    built = doit("build", f"crate={CRATE}", *WITHOUT_LOOPS)
    assert built.returncode == 0, built.stdout + built.stderr
    before, repaired, after = map(text, ("04-opt1", "05-abi_fixup", "07-opt2"))
    assert len(ours(repaired)) > 10
    assert ours(after) <= STAY
    assert len(SAID.findall(repaired)) > 1000
    assert SAID.findall(after) == []
    assert len(VOLATILE.findall(after)) <= len(VOLATILE.findall(before))


SAID_OF = """@table = constant [1 x double] [double 2.0]
define void @shim(ptr %x, ptr %to) {
  %value = load double, ptr %x
  %more = call double @own(double %value)
  call void @kept(ptr %to)
  store double %more, ptr %to
  ret void
}
define double @own(double %x) nounwind {
  ret double %x
}
define void @kept(ptr %x) noinline {
  store double 1.0, ptr %x
  ret void
}"""


def test_what_was_said_is_taken_back_and_nothing_else(tmp_path: Path) -> None:
    """What the user keeps from being inlined stays so."""

    def say(editor: Editor, shims: list[int]) -> None:
        for function in editor.module.functions():
            apart.hide(editor, function)
        for instruction in list(editor.module.instructions(shims[0])):
            if editor.is_plain_load(instruction):
                editor.say_number(instruction)
                editor.say_inactive(instruction)
            if editor.module.is_call(instruction):
                editor.add_call_attribute(instruction, "enzyme_inactive")
        (table,) = editor.module.variables()
        editor.say_inactive(table)

    def again(editor: Editor, _: list[int]) -> None:
        take_back(editor)

    given = mended(tmp_path, SAID_OF)
    said = rewritten(tmp_path, say)
    assert len(SAID.findall(said)) > 10
    assert len(re.findall(" noinline ", said)) > len(re.findall(" noinline ", given))
    assert rewritten(tmp_path, say, again) == given
