"""Variables on the stack are of the type that they are read and written as, so that SROA makes no words of them again."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.llvm_edit import Editor
from pipeline.repairs import inline, retype
from pipeline.repairs.words import Words
from tests.test_repairs import body, mended

pytestmark = pytest.mark.toolchain

# As `std::mem::swap` and `if c { &mut a } else { &mut b }` of two numbers leave it.
CHOSEN = """define double @shim(i1 %c, ptr %table, double %x, i1 %d) {
  %a = alloca i64, align 8
  %b = alloca [8 x i8], align 8
  store double %x, ptr %a, align 8
  store double 1.5, ptr %b, align 8
  br i1 %c, label %one, label %other
one:
  %word = load i64, ptr %table, align 8
  store i64 %word, ptr %a, align 8
  br label %other
other:
  %chosen = phi ptr [ %a, %0 ], [ %b, %one ]
  %number = load double, ptr %chosen, align 8
  %square = fmul double %number, %number
  store double %square, ptr %chosen, align 8
  %first = load double, ptr %a, align 8
  %second = load double, ptr %b, align 8
  %sum = fadd double %first, %second
  ret double %sum
}"""


def test_what_is_moved_to_a_variable_whose_address_is_chosen_stays_a_float(tmp_path: Path) -> None:
    def words_alone(editor: Editor, shims: list[int]) -> None:
        retype.retype(editor, shims[0], Words(editor, shims))

    def both(editor: Editor, shims: list[int]) -> None:
        words_alone(editor, shims)
        retype.variables(editor, shims[0])

    def clean(editor: Editor, shims: list[int]) -> None:
        editor.run_passes(inline.CLEAN, shims[0])

    assert "store i64" in body(mended(tmp_path, CHOSEN, words_alone, clean))
    text = body(mended(tmp_path, CHOSEN, both, clean, clean))
    assert "i64" not in text
    assert "alloca double, align 8" in text


@pytest.mark.parametrize("word", ["i64", "double"])
def test_a_variable_that_is_an_integer_at_times_or_a_float_already_is_left_alone(tmp_path: Path, word: str) -> None:
    source = CHOSEN.replace("%word = load i64", f"%word = load {word}").replace("store i64 %word", f"store {word} %word")
    source = source.replace("alloca [8 x i8]", "alloca double").replace("alloca i64", f"alloca {word}")
    text = mended(tmp_path, source, lambda editor, shims: retype.variables(editor, shims[0]))
    assert text == mended(tmp_path, source, lambda *_: None)
