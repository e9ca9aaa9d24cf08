"""A repair of what is nowhere to be found leaves the module as it is, to the letter."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from pipeline import repairs
from pipeline.analyses.call_tree import call_tree
from pipeline.llvm_edit import Editor
from pipeline.repairs import (
    beginnings,
    constant_numbers,
    constants,
    frees,
    frozen,
    hash_tables,
    mixed,
    opaque,
    pointers,
    promises,
    raised,
    results,
    retype,
    reused,
    said_pointers,
    shadows,
    split_words,
    unguarded,
    unwanted,
)
from pipeline.repairs.words import Words
from tests.test_repairs import compiled, mended, rewritten

pytestmark = pytest.mark.toolchain

Mend = Callable[[Editor, list[int]], object]

# What LLVM's clean-up would make less of is here on purpose: `mul`, variables on the stack, an empty block.
STRUCT = """%Spring = type { double, double, i64 }
define void @shim(ptr %spring, ptr %x, ptr %to) {
  %place = alloca double, align 8
  %k = load double, ptr %spring
  %beside = getelementptr %Spring, ptr %spring, i64 0, i32 1
  %rest = load double, ptr %beside
  %value = load double, ptr %x
  %stretched = fsub double %value, %rest
  store double %stretched, ptr %place
  %again = load double, ptr %place
  %force = fmul double %k, %again
  store double %force, ptr %to
  ret void
}"""

LOOP = """define void @shim(ptr %x, i64 %n, ptr %to) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %more, %loop ]
  %bytes = mul i64 %i, 8
  %place = getelementptr i8, ptr %x, i64 %bytes
  %value = load double, ptr %place
  %square = fmul double %value, %value
  %more = fadd double %sum, %square
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  br label %out
out:
  store double %more, ptr %to
  ret void
}"""

CALL = """define void @shim(ptr %x, ptr %to) {
  %value = load double, ptr %x
  %cubed = call double @cube(double %value)
  %twice = fadd double %cubed, %cubed
  store double %twice, ptr %to
  ret void
}
define internal double @cube(double %x) noinline {
entry:
  br label %out
out:
  %square = fmul double %x, %x
  %cube = fmul double %square, %x
  ret double %cube
}"""

RUST = """
#![crate_type = "lib"]
pub struct Spring { k: f64, rest: f64 }
#[unsafe(no_mangle)] pub fn shim(springs: &[Spring], x: &[f64; 3], to: &mut f64) {
    *to = 0.0;
    for spring in springs {
        let by = x[0] * x[1] - spring.rest;
        *to += 0.5 * spring.k * by * by + stiff(by);
    }
}
#[inline(never)] fn stiff(by: f64) -> f64 { by * by * by * by }
"""


def _of_each(mend: Callable[[Editor, int], object]) -> Mend:
    """A repair of single functions, of each of them; what was done, in a list."""
    return lambda editor, shims: [done for function in call_tree(editor, shims) if (done := mend(editor, function))]


MENDS: list[tuple[str, Mend]] = [
    *((name, mend) for name, mend in repairs._OF_CALLS + repairs._OF_MEMORY + repairs._OF_PATHS if mend != repairs.tidy),
    ("raised", raised.choose_pointers),
    ("split_words", _of_each(split_words.split)),
    ("hash_tables", hash_tables.keep_apart),
    ("retype", lambda editor, shims: _of_each(partial(retype.retype, words=Words(editor, shims)))(editor, shims)),
    ("pointers", lambda editor, shims: _of_each(partial(pointers.retype, words=Words(editor, shims)))(editor, shims)),
    ("opaque", _of_each(opaque.hide_integers)),
    ("constants", constants.keep_out),
    ("unguarded", unguarded.by_words),
    ("mixed", mixed.make_active),
    ("beginnings", beginnings.make_active),
    ("constant_numbers", constant_numbers.say_floats),
    ("frees", frees.as_the_others),
    ("frozen", frozen.keep_shadows),
    ("reused", reused.hide),
    ("reused", reused.keep),
    ("shadows", lambda editor, shims: shadows.store_alike(editor, shims, [])),
    ("said_pointers", said_pointers.say_of_chosen),
    ("results", results.keep),
    ("unwanted", unwanted.let_zero_be_strong),
    ("promises", promises.take_back),
]
SAY = ("floats", "integers")
"""The repairs that tell Enzyme of all that is a float, or counts, whatever it would find out: in metadata."""


@pytest.fixture(scope="module", params=["struct", "loop", "call", "rust"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a module is that needs no repair."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "rust":
        compiled(folder, RUST, "3")
    else:
        mended(folder, {"struct": STRUCT, "loop": LOOP, "call": CALL}[request.param])
    return folder


def code(text: str) -> str:
    """A module without metadata."""
    return re.sub(r", !enzyme_\w+ !\d+|^!.*|!\d+", "", text, flags=re.MULTILINE).strip()


def test_every_repair_is_tried() -> None:
    assert {name for name, _ in MENDS} == set(repairs.NAMES)


@pytest.mark.parametrize(("name", "mend"), MENDS)
def test_a_repair_of_nothing_changes_nothing(folder: Path, name: str, mend: Mend) -> None:
    lines: list[object] = []
    given = rewritten(folder)
    text = rewritten(folder, lambda editor, shims: lines.append(mend(editor, shims)))
    assert lines == [[]]
    assert code(text) == code(given)
    assert text == given or name in SAY


@pytest.mark.parametrize("is_forward", [False, True])
def test_all_together_leave_a_module_as_enzyme_would_have_it_first(folder: Path, is_forward: bool) -> None:
    lines: list[str] = []

    def all_but_said(editor: Editor, shims: list[int]) -> None:
        lines.extend(repairs.repair(editor.module, shims, shims if is_forward else (), without=SAY))

    text = rewritten(folder, all_but_said)
    assert lines == []
    prepared = rewritten(folder, repairs.tidy, lambda editor, shims: repairs.normalise(editor, call_tree(editor, shims)))
    assert text == prepared
