"""The part of a module that Enzyme is shown, and how it is put back."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from pipeline.slice import TRIGGER, Slicer
from pipeline.toolchain import find_tools
from tests.workbench import ROOT

pytestmark = pytest.mark.toolchain

TOOLS = find_tools()
SLICER = Slicer(TOOLS.llvm_link, TOOLS.libllvm)
LLVM_DIS = TOOLS.llvm_as.path.with_name("llvm-dis")

GIVEN = """
@table = private constant [2 x ptr] [ptr @called, ptr @bystander]
@0 = private constant [2 x i8] c"a\\00"
@1 = private constant [3 x i8] c"of\\00"
@counter = internal global i32 0
$of_several = comdat any
@also = alias double (double), ptr @called
@counted = alias i32, ptr @counter
declare void @__enzyme_fwddiff(...)
define internal double @called(double %x) {
  %old = load i32, ptr @counter
  ret double %x
}
define internal void @shim(ptr %x, ptr %to) {
  %v = load double, ptr %x
  %y = call double @called(double %v)
  %z = call double @also(double %y)
  %n = load i32, ptr @counted
  %is_known = icmp eq ptr %x, @1
  store double %z, ptr %to
  ret void
}
define internal void @asking(ptr %x, ptr %to) {
  call void (...) @__enzyme_fwddiff(ptr @shim, ptr %x, ptr %to)
  ret void
}
define internal i32 @bystander(ptr %x) {
  %is_known = icmp eq ptr %x, @1
  call double @called(double 1.0)
  call i32 @of_several()
  call void @asking(ptr %x, ptr @0)
  store i32 2, ptr @counter
  ret i32 1
}
define linkonce_odr i32 @of_several() comdat {
  ret i32 3
}
define i32 @main(ptr %x) {
  %f = load ptr, ptr @table
  %r = call i32 @bystander(ptr %f)
  ret i32 %r
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    subprocess.run([TOOLS.llvm_as, "-o", tmp_path / "given", "-"], input=GIVEN, text=True, check=True)
    given, part, rest = (tmp_path / name for name in ("given", "part", "rest"))
    SLICER.part(given, ["shim"], part)
    SLICER.rest(given, ["shim"], rest)
    return tmp_path


def text(module: Path) -> str:
    return subprocess.run([LLVM_DIS, "-o", "-", module], capture_output=True, text=True, check=True).stdout


def defined(module: Path) -> set[str]:
    return set(re.findall(r"^define [^@]*@(\w+)", text(module), re.MULTILINE))


def test_enzyme_is_shown_who_asks_and_what_is_differentiated(folder: Path) -> None:
    assert defined(folder / "part") == {"asking", "shim", "called"}
    assert "declare double @also(double)" in text(folder / "part")
    assert "@counted = external global i32" in text(folder / "part")
    assert "alias" not in text(folder / "part")
    assert f"declare void @{TRIGGER}(...)" in text(folder / "part")


def test_the_rest_is_all_but_who_asks(folder: Path) -> None:
    assert defined(folder / "rest") == {"shim", "called", "bystander", "main", "of_several"}


def test_put_together_it_is_what_it_was_but_for_what_enzyme_did(folder: Path) -> None:
    changed = text(folder / "part").replace("ret double %x", "ret double 0.0").replace("@__enzyme_fwddiff", "@derivative")
    changed = changed.replace("declare void @derivative(...)", "define internal void @derivative(...) {\n  ret void\n}")
    subprocess.run([TOOLS.llvm_as, "-o", folder / "part", "-"], input=changed, text=True, check=True)
    visible = SLICER.rest(folder / "given", ["shim"], folder / "rest")
    assert visible == {"also", "counted", "of_several", "main"}
    SLICER.join([folder / "part"], folder / "rest", visible, folder / "out", folder / "log")
    joined = text(folder / "out")
    assert defined(folder / "out") == {"asking", "shim", "called", "bystander", "main", "derivative", "of_several"}
    assert "ret double %x" in joined
    assert "call void (...) @derivative(ptr @shim" in joined
    assert re.findall(r"^define (?!internal)[^@]*@(\w+)", joined, re.MULTILINE) == ["of_several", "main"]
    assert "@also = alias double (double), ptr @called" in joined
    assert "@counted = alias i32, ptr @counter" in joined
    assert joined.count("@counter = internal global i32 0") == joined.count("@table = internal constant") == 1
    assert joined.count('c"of\\00"') == 1  # whoever compares with its address compares with the same one
    assert sorted(path.name for path in folder.iterdir()) == ["given", "log", "out", "part", "rest"]


def test_enzyme_is_not_told_that_a_function_returns_by_pointer(tmp_path: Path) -> None:
    """Calls say so still: they are of the functions as they are, once the module is put together again."""
    issue = ROOT / "docs" / "enzyme-issues" / "sret-handed-on.ll"
    given = tmp_path / "given.ll"
    given.write_text(issue.read_text().replace("@square(ptr %result", "@square(ptr sret({ double, double }) %result"))
    SLICER.part(given, ["shim"], tmp_path / "part.bc")
    argv: list[str | Path] = [LLVM_DIS, "-o", "-", tmp_path / "part.bc"]
    shown = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    defined, called = (re.findall(rf"^ *(?:tail )?{word} .*@square\(.*", shown, re.MULTILINE)[0] for word in ("define", "call"))
    assert ("sret(" in defined, "sret(" in called) == (False, True)
