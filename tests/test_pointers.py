"""Pointers that are moved as integers are moved as pointers; on what rustc makes of boxes that are swapped."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.llvm_edit import Editor
from pipeline.repairs import pointers
from pipeline.repairs.words import Words
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, body, compiled, rewritten

pytestmark = pytest.mark.toolchain

REVERSED = """
#![crate_type = "lib"]
#[unsafe(no_mangle)] pub fn shim(all: &mut Vec<ELEMENT>) { all.reverse() }
"""
CHOSEN = """
#![crate_type = "lib"]
#[repr(C)] pub union Either { float: f64, boxed: core::mem::ManuallyDrop<Box<f64>> }
#[unsafe(no_mangle)] pub fn shim(all: &mut Vec<Either>) { all.reverse() }
"""


def retyped(editor: Editor, shims: list[int]) -> None:
    words = Words(editor, shims)
    for function in shims:
        pointers.retype(editor, function, words)


@pytest.mark.parametrize("element", ["Box<f64>", "&'static f64", "Option<Box<f64>>"])
def test_what_is_swapped_is_moved_as_the_pointers_that_it_is(tmp_path: Path, element: str) -> None:
    compiled(tmp_path, REVERSED.replace("ELEMENT", element), "3", "-Cno-vectorize-loops", "-Cllvm-args=-unroll-runtime=false")
    rewritten(tmp_path, lambda *_: None)
    text = body(rewritten(tmp_path, retyped))
    assert text.count("store ptr") == 2
    assert "store i64" not in text
    assert [one for one in audit(TOOLS.libllvm, tmp_path / MODULE, ["shim"]) if "moved as" in one.message] == []


@pytest.mark.parametrize("source", [REVERSED.replace("ELEMENT", "u64"), REVERSED.replace("ELEMENT", "f64"), CHOSEN])
def test_what_is_no_pointer_or_may_be_a_float_is_left_alone(tmp_path: Path, source: str) -> None:
    compiled(tmp_path, source, "3", "-Cno-vectorize-loops", "-Cllvm-args=-unroll-runtime=false")
    given = rewritten(tmp_path, lambda *_: None)
    assert "store i64" in body(given)
    assert rewritten(tmp_path, retyped) == given
