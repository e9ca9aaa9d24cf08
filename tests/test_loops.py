"""Loops in the shape that Enzyme counts: merged, given an exit, or their conditions hidden; on modules written here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.analyses.control_flow import ControlFlow
from pipeline.analyses.loop_exits import coming_back
from pipeline.audit import audit
from pipeline.llvm import Module
from pipeline.llvm_edit import Editor
from pipeline.llvm_inspect import Inspector
from pipeline.repairs import ENZYMES_OWN, loops
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, body, mended

pytestmark = pytest.mark.toolchain

CONTINUE = """define double @shim(ptr %x, ptr %end) {
  br label %outer
outer:
  %p = phi ptr [ %x, %0 ], [ %next, %adds ]
  %sum = phi double [ 0.0, %0 ], [ %more, %adds ]
  br label %inner
inner:
  %q = phi ptr [ %p, %outer ], [ %next, %tests ]
  %done = icmp eq ptr %q, %end
  br i1 %done, label %out, label %tests
tests:
  %next = getelementptr inbounds i8, ptr %q, i64 8
  %value = load double, ptr %q
  %skips = fcmp olt double %value, 0.0
  br i1 %skips, label %inner, label %adds
adds:
  %more = fadd double %sum, %value
  br label %outer
out:
  ret double %sum
}"""


def shaped(editor: Editor, shims: list[int]) -> None:
    loops.shape(editor, shims)
    loops.tell_apart(editor, shims)


def flow_of(module: Module) -> ControlFlow:
    (function,) = (function for function in module.functions() if module.name(function) == "shim")
    return ControlFlow(module, function)


def come_back(module: Module) -> list[bool]:
    """Of each loop, whether an exit leads nowhere but into it again."""
    flow = flow_of(module)
    return [bool(coming_back(Inspector(module), flow, loop)) for loop in flow.loops()]


def test_a_loop_that_is_begun_again_early_is_one_loop(tmp_path: Path) -> None:
    mended(tmp_path, CONTINUE, shaped)
    with Module(TOOLS.libllvm, tmp_path / "given.bc") as given, Module(TOOLS.libllvm, tmp_path / MODULE) as made:
        assert [len(loop.blocks) for loop in flow_of(given).loops()] == [2, 4]
        assert come_back(given) == [True, False]
        (loop,) = flow_of(made).loops()
        assert len(loop.latches) == 1
        assert come_back(made) == [False]


def test_the_merged_loop_computes_the_same(tmp_path: Path) -> None:
    """What is skipped leaves the sum as it was, what is added goes on from it."""
    text = body(mended(tmp_path, CONTINUE, shaped))
    assert text.count(" = phi ") == 5
    assert "[ %more, %adds ]" in text
    (out,) = (line for line in text.splitlines() if "ret double" in line)
    assert f"{out.split()[-1]} = phi double [ 0.000000e+00, %outer ]" in text


COUNTED_ON = """define void @shim(ptr %x, ptr %end, ptr %to, i64 %n) {
  br label %outer
outer:
  %i = phi i64 [ 0, %0 ], [ %next, %left ]
  br label %inner
inner:
  %k = phi i64 [ %i, %outer ], [ %next, %goes_on ]
  %p = phi ptr [ %x, %outer ], [ %following, %goes_on ]
  %next = add i64 %k, 1
  %done = icmp eq ptr %p, %end
  br i1 %done, label %left, label %goes_on
goes_on:
  %following = getelementptr inbounds i8, ptr %p, i64 8
  br label %inner
left:
  %more = load double, ptr %to
  %half = fmul double %more, 0.5
  store double %half, ptr %to
  %goes = icmp ult i64 %next, %n
  br i1 %goes, label %outer, label %out
out:
  ret void
}"""


def test_what_goes_on_alike_in_both_loops_is_one_count(tmp_path: Path) -> None:
    """It may be past the end where that is asked, as it is not asked each time."""
    text = body(mended(tmp_path, COUNTED_ON, shaped))
    assert re.search(r"%next = add i64 %\w+, 1\n", text)
    assert "[ %next, %left ], [ %next, %goes_on ]" not in text
    assert re.search(r"icmp ult i64 %next, %n\n .*@crategrad_same_i1\(i1 %goes\)", text)


ROWS = """define double @shim(ptr %x, ptr %end, i64 %n, i64 %m) {
  br label %outer
outer:
  %p = phi ptr [ %x, %0 ], [ %next, %adds ]
  %sum = phi double [ 0.0, %0 ], [ %more, %adds ]
  br label %inner
inner:
  %i = phi i64 [ FROM, %outer ], [ %following, %inner ]
  %product = phi double [ %sum, %outer ], [ %greater, %inner ]
  %q = getelementptr inbounds double, ptr %p, i64 %i
  %value = load double, ptr %q
  %greater = fmul double %product, %value
  %following = add i64 %i, STEP
  %done = icmp eq i64 %following, TO
  br i1 %done, label %adds, label %inner
adds:
  %next = getelementptr inbounds double, ptr %p, i64 %n
  %more = fadd double %sum, %greater
  %length = fptoui double %more to i64
  %all = icmp eq ptr %next, %end
  br i1 %all, label %out, label %outer
out:
  ret double %more
}"""


@pytest.mark.parametrize(
    ("begin", "step", "end", "stay"), [("0", "1", "%n", 2), ("0", "2", "%n", 1), ("%m", "1", "%n", 1), ("0", "1", "%length", 1)]
)
def test_a_loop_that_runs_as_often_each_time_stays(tmp_path: Path, begin: str, step: str, end: str, stay: int) -> None:
    """Each row of a matrix is as long, and nothing is between the rows: merged, what both loops go by would be kept."""
    source = ROWS.replace("FROM", begin).replace("STEP", step).replace("TO", end)
    if end == "%length":
        source = source.replace("%sum = phi", "%length = phi i64 [ %m, %0 ], [ %another, %adds ]\n  %sum = phi", 1)
        source = source.replace("%length = fptoui", "%another = fptoui")
    mended(tmp_path, source, shaped)
    with Module(TOOLS.libllvm, tmp_path / MODULE) as made:
        assert len(flow_of(made).loops()) == stay


WORK_BETWEEN = """define void @shim(ptr %x, ptr %to, i64 %n) {
  br label %outer
outer:
  %i = phi i64 [ 0, %0 ], [ %next, %again ]
  %y = load double, ptr %to
  br label %inner
inner:
  %k = phi i64 [ %i, %outer ], [ %next, %goes_on ]
  %done = icmp ult i64 %n, %k
  br i1 %done, label %out, label %goes_on
goes_on:
  %next = add i64 %k, 1
  %p = getelementptr double, ptr %x, i64 %k
  %value = load double, ptr %p
  %more = fmul double %value, %y
  store double %more, ptr %to
  %is_enough = fcmp olt double %more, 1.0
  br i1 %is_enough, label %inner, label %again
again:
  br label %outer
out:
  ret void
}"""


def test_a_loop_with_work_before_the_inner_one_is_given_an_exit(tmp_path: Path) -> None:
    text = mended(tmp_path, WORK_BETWEEN, shaped)
    (runs,) = re.findall(r"call i1 @crategrad_same_apart_i1\(i1 false, i64 (%\d+)\)", body(text))
    assert re.search(rf"  {runs} = phi i64 \[ 0, %0 \], \[ %\d+, %again \]", body(text))
    with Module(TOOLS.libllvm, tmp_path / MODULE) as made:
        assert come_back(made) == [False, False]


def test_a_loop_that_is_not_always_entered_is_given_an_exit(tmp_path: Path) -> None:
    """As where a hash map looks through a group of entries, if one of them may be what is looked for."""
    skipped = WORK_BETWEEN.replace(
        "br label %inner\n", "%skips = fcmp olt double %y, 0.0\n  br i1 %skips, label %again, label %inner\n", 1
    )
    skipped = skipped.replace(
        "again:\n", "again:\n  %last = phi i64 [ %next, %goes_on ], [ %i, %outer ]\n  %following = add i64 %last, 1\n"
    )
    mended(tmp_path, skipped.replace("[ %next, %again ]", "[ %following, %again ]"), shaped)
    with Module(TOOLS.libllvm, tmp_path / "given.bc") as given, Module(TOOLS.libllvm, tmp_path / MODULE) as made:
        assert come_back(given) == [True, False]
        assert come_back(made) == [False, False]


def test_an_exit_that_is_decided_where_it_is_taken_comes_back(tmp_path: Path) -> None:
    """Both exits lead to one branch, which Enzyme's own passes lead past."""
    decided = (
        WORK_BETWEEN.replace("%done, label %out", "%done, label %again")
        .replace("[ %next, %again ]", "[ %last, %again ]")
        .replace(
            "again:\n  br label %outer",
            """again:
  %goes_on_ = phi i1 [ false, %inner ], [ true, %goes_on ]
  %last = phi i64 [ %k, %inner ], [ %next, %goes_on ]
  br i1 %goes_on_, label %outer, label %out""",
        )
    )
    mended(tmp_path, decided, shaped)
    with Module(TOOLS.libllvm, tmp_path / "given.bc") as given, Module(TOOLS.libllvm, tmp_path / MODULE) as made:
        assert come_back(given) == [True, False]
        assert come_back(made) == [False, False]
    first, *_ = audit(TOOLS.libllvm, tmp_path / "given.bc", ["shim"])
    assert first.message.startswith("this loop is left for the loop around it")


def test_the_exit_lasts_as_long_as_enzymes_own_passes_run(tmp_path: Path) -> None:
    """They turn the outer loop round, and make one of two equal questions."""

    def seen_by_enzyme(editor: Editor, shims: list[int]) -> None:
        shaped(editor, shims)
        for shim in shims:
            editor.run_passes(f"{ENZYMES_OWN},simplifycfg", shim)

    mended(tmp_path, WORK_BETWEEN, seen_by_enzyme)
    with Module(TOOLS.libllvm, tmp_path / MODULE) as made:
        assert come_back(made) == [False, False]


TWO_EXITS = """define double @shim(ptr %x, i64 %n) {{
  %bytes = shl i64 %n, {shift}
  %end = getelementptr i8, ptr %x, i64 %bytes
  br label %loop
loop:
  %p = phi ptr [ %x, %0 ], [ %next, %more ]
  %value = load double, ptr %p
  %is_enough = fcmp ogt double %value, 7.0
  %is_known = icmp eq i64 %n, 5
  %leaves = or i1 %is_enough, %is_known
  br i1 %leaves, label %out, label %more
more:
  %next = getelementptr i8, ptr %p, i64 {step}
  %done = icmp {equal} ptr %next, %end
  br i1 %done, label %{first}, label %{second}
out:
  ret double %value
}}"""


@pytest.mark.parametrize(("equal", "first", "second"), [("eq", "out", "loop"), ("ne", "loop", "out")])
@pytest.mark.parametrize(
    ("shift", "step", "is_hidden"), [(3, 8, False), (3, 16, True), (4, 16, False), (4, 8, False), (5, 24, True)]
)
def test_what_may_jump_over_the_end_is_hidden(
    tmp_path: Path, shift: int, step: int, is_hidden: bool, equal: str, first: str, second: str
) -> None:
    source = TWO_EXITS.format(shift=shift, step=step, equal=equal, first=first, second=second)
    text = body(mended(tmp_path, source, shaped))
    assert ("call i1 @crategrad_same_i1(i1 %done)" in text) == is_hidden


def test_a_loop_with_one_condition_is_left_alone(tmp_path: Path) -> None:
    source = TWO_EXITS.format(shift=3, step=16, equal="eq", first="out", second="loop")
    source = source.replace("br i1 %leaves, label %out, label %more", "br label %more")
    assert "crategrad_same_i1" not in mended(tmp_path, source, shaped)


AT_LEAST = """define double @shim(ptr %x, i64 %n, i64 %k) {{
  br label %loop
loop:
  %left = phi i64 [ %n, %0 ], [ %less, %loop ]
  %sum = phi double [ 0.0, %0 ], [ %more, %loop ]
  %p = getelementptr double, ptr %x, i64 %left
  %value = load double, ptr %p
  %more = fadd double %sum, %value
  %less = sub i64 %left, 1
  %test = icmp {test}
  br i1 %test, label %{first}, label %{second}
out:
  ret double %more
}}"""


@pytest.mark.parametrize(
    ("test", "first", "second", "is_hidden"),
    [
        ("uge i64 %less, %k", "loop", "out", True),
        ("ule i64 %k, %less", "loop", "out", True),
        ("sge i64 %less, %k", "loop", "out", True),
        ("ult i64 %less, %k", "out", "loop", True),
        ("ugt i64 %k, %less", "out", "loop", True),
        ("sgt i64 %k, %less", "out", "loop", True),
        ("ugt i64 %less, %k", "loop", "out", False),
        ("ule i64 %less, %k", "loop", "out", False),
        ("uge i64 %k, %less", "loop", "out", False),
        ("ult i64 %k, %less", "loop", "out", False),
        ("ule i64 %less, %k", "out", "loop", False),
        ("uge i64 %less, 3", "loop", "out", False),
        ("ne i64 %less, %k", "loop", "out", False),
    ],
)
def test_what_goes_on_while_it_is_at_least_something_is_hidden(
    tmp_path: Path, test: str, first: str, second: str, is_hidden: bool
) -> None:
    text = body(mended(tmp_path, AT_LEAST.format(test=test, first=first, second=second), shaped))
    assert ("call i1 @crategrad_same_i1(i1 %test)" in text) == is_hidden


def test_what_is_one_of_two_conditions_is_hidden_whichever_way_it_is_meant(tmp_path: Path) -> None:
    source = AT_LEAST.format(test="ult i64 %less, %k", first="loop", second="out")
    both = "  %first = fcmp olt double %value, 1.0\n  %not = xor i1 %test, true\n  %both = and i1 %first, %not\n  br i1 %both"
    assert "call i1 @crategrad_same_i1(i1 %both)" in mended(tmp_path, source.replace("  br i1 %test", both), shaped)


ORDERED = """define double @shim(ptr %x, i64 %n) {{
  br label %loop
loop:
  %i = phi i64 [ {start}, %0 ], [ %next, %loop ]
  %sum = phi double [ 0.0, %0 ], [ %more, %loop ]
  %p = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %p
  %more = fadd double %sum, %value
  %next = add i64 %i, {step}
  %end = call i64 @ends(double %value)
  %test = icmp {test}
  br i1 %test, label %{first}, label %{second}
out:
  ret double %more
}}
declare i64 @ends(double)"""


@pytest.mark.parametrize(
    ("test", "start", "step", "is_hidden"),
    [
        ("ult i64 %next, %end", "0", 1, True),
        ("ule i64 %i, %end", "0", 1, True),
        ("slt i64 %next, %end", "1", 1, True),
        ("ugt i64 %end, %next", "0", 1, True),
        ("ult i64 %next, %n", "1", 1, True),
        ("slt i64 %next, %n", "0", 1, True),
        ("ult i64 %i, %n", "0", 1, False),
        ("ult i64 %i, %n", "1", 1, True),
        ("ult i64 %next, 9", "0", 1, False),
        ("ult i64 %next, %end", "%n", 1, False),
        ("ult i64 %next, %end", "0", 2, False),
        ("ne i64 %next, %end", "0", 1, False),
    ],
)
def test_a_loop_that_ends_where_it_is_past_something_is_not_taken_to_meet_it(
    tmp_path: Path, test: str, start: str, step: int, is_hidden: bool
) -> None:
    source = ORDERED.format(test=test, start=start, step=step, first="loop", second="out")
    text = body(mended(tmp_path, source, shaped))
    assert ("call i1 @crategrad_same_i1(i1 %test)" in text) == is_hidden


@pytest.mark.parametrize(
    ("test", "ways", "ended"),
    [
        ("ult i64 %next, %n", ("loop", "out"), "ult i64 %next, %{}"),
        ("ugt i64 %n, %next", ("loop", "out"), "ugt i64 %{}, %next"),
        ("uge i64 %next, %n", ("out", "loop"), "uge i64 %next, %{}"),
        ("ule i64 %n, %next", ("out", "loop"), "ule i64 %{}, %next"),
    ],
)
def test_a_loop_that_meets_its_end_but_for_none_ends_at_one(
    tmp_path: Path, test: str, ways: tuple[str, str], ended: str
) -> None:
    """It runs once where its end is 0, too."""
    source = ORDERED.format(test=test, start="0", step=1, first=ways[0], second=ways[1])
    text = body(mended(tmp_path, source, shaped))
    end = re.findall(r"%(\w+) = call i64 @crategrad_same_positive_i64\(i64 %n\)\n  br label %loop", text)
    assert f"%test = icmp {ended.format(*end)}\n  br i1 %test, label %{ways[0]}" in text
    assert "@crategrad_same_i1" not in text


def test_what_hides_that_an_end_is_none_says_one(tmp_path: Path) -> None:
    source = ORDERED.format(test="ult i64 %next, %n", start="0", step=1, first="loop", second="out")
    made = mended(tmp_path, source, shaped).partition("define internal i64 @crategrad_same_positive_i64")[2]
    assert re.search(r"icmp eq i64 %0, 0\n  %\w+ = select i1 %\w+, i64 1, i64 %0\n  ret", made)


TWINS = """define double @shim(ptr %x, ptr noalias %y, i64 %n) {{
  %end = getelementptr double, ptr %x, i64 %n
  br label %one
one:
  %i = phi i64 [ 0, %0 ], [ %next, %one ]
  %sum = phi double [ 0.0, %0 ], [ %more, %one ]
  %p = getelementptr [2 x double], ptr %x, i64 %i
  %value = load double, ptr %p
  %more = fadd double %sum, %value
  %next = add nuw nsw i64 %i, 1
  %over = icmp eq i64 %next, %n
  br i1 %over, label %other, label %one
other:
  %k = phi {type} [ {start}, %one ], [ %k_next, %other ]
  %rest = phi double [ 1.0, %one ], [ %less, %other ]
{address}
  %again = load double, ptr %q
  %less = fmul double %rest, %again
  %k_next = {step}
  %test = icmp {test}
  br i1 %test, label %{ways}
out:
  ret double %less
}}"""
BY_NUMBER = {
    "type": "i64",
    "start": "0",
    "address": "  %q = getelementptr [2 x double], ptr %x, i64 %k",
    "step": "add nuw nsw i64 %k, 1",
    "test": "eq i64 %k_next, %n",
    "ways": "out, label %other",
}
BY_POINTER = {
    "type": "ptr",
    "start": "%x",
    "address": "  %q = getelementptr i8, ptr %k, i64 0",
    "step": "getelementptr inbounds i8, ptr %k, i64 8",
    "test": "eq ptr %k_next, %end",
}
READ = "  %{0} = load ptr, ptr %y\n  %{1} = getelementptr [2 x double], ptr %{0}, i64 %{2}"
# A loop of three: what is left goes down to less than two.
DOWN = {"start": "%n", "step": "add nsw i64 %k, -1", "test": "uge i64 %k_next, 2", "ways": "other, label %out"}


@pytest.mark.parametrize(
    ("other", "hidden"),
    [
        ({}, "%k_next, call i64 @crategrad_same_apart_i64(i64 %n, i64 0)"),
        ({"test": "eq i64 %n, %k_next"}, "call i64 @crategrad_same_apart_i64(i64 %n, i64 0), %k_next"),
        ({"test": "eq i64 %k_next, 7"}, "%k_next, call i64 @crategrad_same_apart_i64(i64 7, i64 0)"),
        ({"test": "ult i64 %k, %n", "ways": "other, label %out"}, "%k, call i64 @crategrad_same_apart_i64(i64 %n, i64 0)"),
        (BY_POINTER, "call i64 @crategrad_same_apart_i64(i64 0, i64 0)"),
        (DOWN, "call i1 @crategrad_same_i1(i1 %test)"),
        ({"address": BY_NUMBER["address"].replace("%x", "%y")}, ""),
        ({"address": BY_NUMBER["address"].replace("%k", "3")}, ""),
        ({"test": "eq i64 %k_next, %ends"}, "call i1 @crategrad_same_i1(i1 %test)"),
    ],
)
def test_of_two_loops_that_read_the_same_one_has_an_end_of_its_own(tmp_path: Path, other: dict[str, str], hidden: str) -> None:
    source = TWINS.format(**{**BY_NUMBER, **other})
    if "%ends" in source:
        source = source.replace("  %test", "  %ends = call i64 @ends(double %less)\n  %test") + "\ndeclare i64 @ends(double)"
    text = body(mended(tmp_path, source, shaped))
    made = dict(line.strip().split(" = ", 1) for line in text.splitlines() if " = " in line)
    written = [made["%test"], *made.values()]
    for name, value in made.items():
        written = [re.sub(rf"{re.escape(name)}\b", value, one) if "apart" in value else one for one in written]
    assert any(hidden in one for one in written) if hidden else "crategrad" not in text


def test_before_optimisation_what_two_loops_read_is_known_by_where_its_address_is_kept(tmp_path: Path) -> None:
    source = TWINS.format(**{**BY_NUMBER, "address": READ.format("two", "q", "k")})
    source = source.replace("  %p = getelementptr [2 x double], ptr %x, i64 %i", READ.format("first", "p", "i"))
    assert body(mended(tmp_path, source, shaped)).count("call i64 @crategrad_same_apart_i64(") == 1


def test_what_was_compared_before_the_loop_is_no_end_of_it(tmp_path: Path) -> None:
    """It is asked in the loop, as the sorts of the standard library ask whether there is little to sort."""
    source = TWINS.format(**{**BY_NUMBER, "test": "eq i64 %k_next, %n\n  %either = or i1 %fixed, %test"})
    source = source.replace("br i1 %test", "br i1 %either").replace(
        "  br label %one\n", "  %fixed = icmp ult i64 %n, 18\n  br label %one\n"
    )
    text = body(mended(tmp_path, source, shaped))
    assert "%fixed = icmp ult i64 %n, 18" in text
    assert "@crategrad_same_" in text


JUMPING = TWO_EXITS.format(shift=3, step=16, equal="eq", first="out", second="loop")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (CONTINUE, "this loop is left for the loop around it"),
        (WORK_BETWEEN, "this loop is left for the loop around it"),
        (JUMPING, "what this loop ends on may be jumped over"),
        (
            AT_LEAST.format(test="uge i64 %less, %k", first="loop", second="out"),
            "this loop goes on while something is at least",
        ),
        (
            ORDERED.format(test="ult i64 %next, %end", start="0", step=1, first="loop", second="out"),
            "this loop ends where what it counts is as large as something else",
        ),
        (TWINS.format(**BY_NUMBER), "this loop reads what another one reads"),
    ],
)
def test_the_audit_finds_a_loop_that_is_left_as_it_was(tmp_path: Path, source: str, said: str) -> None:
    mended(tmp_path, source, lambda *_: None)
    found = [finding.message for finding in audit(TOOLS.libllvm, tmp_path / MODULE, reverse=["shim"])]
    assert any(message.startswith(said) for message in found)
    assert audit(TOOLS.libllvm, tmp_path / MODULE, forward=["shim"]) == []
    mended(tmp_path, source, shaped)
    assert audit(TOOLS.libllvm, tmp_path / MODULE, reverse=["shim"]) == []
