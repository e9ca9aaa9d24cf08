"""Where Enzyme finds fewer types it is told what is a pointer: of what may be a float the shadow would be zeros."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from pipeline.llvm import Value
from pipeline.llvm_edit import Editor
from pipeline.repairs import said_pointers
from tests.test_repairs import body, mended

pytestmark = pytest.mark.toolchain

CHOSEN = """define double @shim(ptr %xs, ptr %data, i64 %i, i1 %is_x) {
  %begin = load ptr, ptr %data
  br i1 %is_x, label %of_x, label %of_data
of_x:
  %x = getelementptr double, ptr %xs, i64 %i
  br label %chosen
of_data:
  %one = getelementptr double, ptr %begin, i64 %i
  br label %chosen
chosen:
  %from = phi ptr [ %x, %of_x ], [ %one, %of_data ]
  %value = load double, ptr %from
  ret double %value
}"""


def test_all_that_is_a_pointer_is_said_to_be_one_and_nothing_else_is(tmp_path: Path) -> None:
    def say(editor: Editor, shims: Sequence[Value]) -> list[str]:
        said_pointers.say(editor, shims)
        return []

    text = mended(tmp_path, CHOSEN, say)
    assert re.findall(r"(%\w+) = .*!enzyme_type", body(text)) == ["%begin", "%x", "%one", "%from"]
    assert text.count('ptr "enzyme_type"="{[-1]:Pointer}"') == text.count('"enzyme_type"') == 2
    assert '!{!"Unknown", i32 -1, ' in text
    assert '!{!"Pointer"}' in text
