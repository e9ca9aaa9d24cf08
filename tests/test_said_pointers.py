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
        said_pointers.say_of_all(editor, shims)
        return []

    text = mended(tmp_path, CHOSEN, say)
    assert re.findall(r"(%\w+) = .*!enzyme_type", body(text)) == ["%begin", "%x", "%one", "%from"]
    assert text.count('ptr "enzyme_type"="{[-1]:Pointer}"') == text.count('"enzyme_type"') == 2
    assert '!{!"Unknown", i32 -1, ' in text
    assert '!{!"Pointer"}' in text


@pytest.mark.parametrize(
    ("source", "said", "parameters"),
    [
        pytest.param(CHOSEN, ["%x", "%one"], 0, id="made"),
        pytest.param(CHOSEN.replace("[ %x, %of_x ]", "[ %xs, %of_x ]"), ["%one"], 1, id="taken"),
        pytest.param(CHOSEN.replace("ret", "store ptr %begin, ptr %xs\n  ret"), ["%begin", "%x", "%one"], 0, id="stored"),
        pytest.param(
            CHOSEN.replace("getelementptr double, ptr %xs, i64 %i", "inttoptr i64 %i to ptr"), ["%one"], 0, id="of a number"
        ),
        pytest.param(CHOSEN.replace("ptr %begin, i64 %i\n", "ptr %xs, i64 %i\n"), [], 0, id="of one memory"),
    ],
)
def test_of_what_is_chosen_it_is_said_where_it_is_of_several_memories(
    tmp_path: Path, source: str, said: list[str], parameters: int
) -> None:
    text = mended(tmp_path, source, said_pointers.say_of_chosen)
    assert re.findall(r"(%\w+) = .*!enzyme_type", body(text)) == said
    assert text.count('"enzyme_type"') == parameters
