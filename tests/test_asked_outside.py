"""What an inner loop came to, asked outside of the loop around it: kept where it is made; on modules written here."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pipeline.errors import UserError
from pipeline.llvm import Module
from pipeline.repairs import asked_outside
from pipeline.stages import MODULE
from pipeline.stages.abi_fixup import AbiFixup
from pipeline.stages.enzyme import Enzyme
from tests.alone import build, merged, only, stages
from tests.fuzz import runner
from tests.test_repairs import TOOLS, body, mended
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

KEPT = Path(runner.__file__).with_name("kept")

# The first product of two of x's numbers that is large; {found} is what is made of it once both loops are left.
SEARCH = """define double @shim(ptr %x, i64 %n) {{
  br label %outer
outer:
  %i = phi i64 [ 0, %0 ], [ %i.next, %outer.latch ]
  %sum = phi double [ 0.0, %0 ], [ %more, %outer.latch ]
  %i.next = add nuw nsw i64 %i, 1
  %first.place = getelementptr inbounds double, ptr %x, i64 %i
  %first = load double, ptr %first.place
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner.latch ]
  %more = phi double [ %sum, %outer ], [ %most, %inner.latch ]
  %place = getelementptr inbounds double, ptr %x, i64 %j
  %second = load double, ptr %place
  %product = fmul double %first, %second
  %is.large = fcmp ogt double %product, 5.0
  br i1 %is.large, label %{to}, label %inner.latch
inner.latch:
  %most = fadd double %more, %product
  %j.next = add nuw nsw i64 %j, 1
  %inner.ends = icmp eq i64 %j.next, %n
  br i1 %inner.ends, label %outer.latch, label %inner
outer.latch:
  %outer.ends = icmp eq i64 %i.next, %n
  br i1 %outer.ends, label %out, label %outer
found:
  {found}
  br label %out
out:
  %result = phi double [ %more, %outer.latch ], [ %square, %found ]
  ret double %result
}}"""


@pytest.mark.parametrize(
    ("found", "is_kept"),
    [
        ("%square = fmul double %product, %product", "double @crategrad_active_double(double %product)"),
        ("%count = uitofp i64 %j to double\n  %square = fmul double %count, %count", "i64 @crategrad_same_kept_i64(i64 %j)"),
        ("%square = load double, ptr %place", "ptr @crategrad_same_kept_ptr(ptr %place, i32 0)"),
    ],
)
def test_what_an_inner_loop_found_is_kept_for_outside(tmp_path: Path, found: str, is_kept: str) -> None:
    made = body(mended(tmp_path, SEARCH.format(to="found", found=found), asked_outside.keep), "shim")
    assert len(re.findall(r"call \S+ @crategrad_(?!same_kept_i1)", made)) == 1
    assert f"call {is_kept}" in made
    kept = re.search(rf"(%\S+) = call {re.escape(is_kept)}", made)
    assert kept
    assert kept[1] in made.partition("found:")[2]


def test_a_pointer_is_kept_where_it_is_used(tmp_path: Path) -> None:
    """Its shadow, kept in the loops, would be looked up for no known run of theirs: of an entry of a hash map it was."""
    found = "%square = load double, ptr %place"
    made = body(mended(tmp_path, SEARCH.format(to="found", found=found), asked_outside.keep), "shim")
    kept = re.search(r"\n(.*)\n  %square = load double, ptr (%\w+)", made)
    assert kept
    assert kept[1].startswith(f"  {kept[2]} = call ptr @crategrad_same_kept_ptr(ptr %place, i32 0), !enzyme_mustcache ")


def test_a_pointer_that_is_chosen_after_the_loops_is_kept_there(tmp_path: Path) -> None:
    source = SEARCH.format(to="found", found="%square = fadd double 0.0, 0.0").replace(
        "  %result = phi", "  %chosen = phi ptr [ %x, %outer.latch ], [ %place, %found ]\n  %result = phi"
    )
    source = source.replace("ret double %result", "store double %result, ptr %chosen\n  ret double %result")
    made = body(mended(tmp_path, source, asked_outside.keep), "shim")
    kept = re.search(r"(%\S+) = call ptr @crategrad_same_kept_ptr\(ptr %chosen, i32 0\)", made)
    assert kept
    assert f"store double %result, ptr {kept[1]}" in made
    assert "[ %place, %found ]" in made


# The sum of all squares, in parts of which each ends with a number below 0: {next} is where the next part begins, {read} what
# the inner loop reads by.
PARTS = """define double @shim(ptr %x) {{
  br label %outer
outer:
  %p = phi ptr [ %x, %0 ], [ %p.next, %outer.latch ]
  %at = phi i64 [ 0, %0 ], [ %i.next, %outer.latch ]
  %sum = phi double [ 0.0, %0 ], [ %sum.next, %outer.latch ]
  br label %inner
inner:
  %i = phi i64 [ %at, %outer ], [ %i.next, %inner.latch ]
  %q = phi ptr [ {read}, %outer ], [ %q.next, %inner.latch ]
  %more = phi double [ %sum, %outer ], [ %sum.next, %inner.latch ]
  %number = load double, ptr %q
  %square = fmul double %number, %number
  %sum.next = fadd double %more, %square
  %i.next = add nuw nsw i64 %i, 8
  %ends.part = fcmp olt double %number, 0.0
  br i1 %ends.part, label %outer.latch, label %inner.latch
inner.latch:
  %q.next = getelementptr inbounds nuw i8, ptr %x, i64 %i.next
  %ends = icmp eq i64 %i.next, 32
  br i1 %ends, label %exit, label %inner
outer.latch:
  %left = phi i64 [ %i.next, %inner ]
  %p.next = getelementptr inbounds nuw i8, ptr {next}
  %over = icmp eq i64 %i.next, 32
  br i1 %over, label %exit, label %outer
exit:
  ret double %sum.next
}}"""
OF_THE_INNER_LOOP = "%x, i64 %i.next"


def test_what_a_run_begins_with_is_kept_if_it_is_computed_of_how_an_inner_loop_ended(tmp_path: Path) -> None:
    made = body(mended(tmp_path, PARTS.format(next=OF_THE_INNER_LOOP, read="%p"), asked_outside.keep), "shim")
    assert len(re.findall(r"call \S+ @crategrad_same_kept_ptr\(ptr %p, ", made)) == 1
    kept = re.search(r"(%\S+) = call ptr @crategrad_same_kept_ptr\(ptr %p, i32 0\)", made)
    assert kept
    assert f"%q = phi ptr [ {kept[1]}, %outer ], [ %q.next, %inner.latch ]" in made
    assert "(i64 %at)" not in made  # it is how the inner loop ended: of that Enzyme keeps what it was


@pytest.mark.parametrize(
    ("following", "read"),
    [
        ("%p, i64 8", "%p"),  # of what the run before began with
        ("%x, i64 8", "%p"),  # of no loop
        (OF_THE_INNER_LOOP, "%x"),  # for no inner loop
        ("%x, i64 %left", "%p"),  # of what comes together behind it, which Enzyme keeps
    ],
)
def test_what_else_a_run_begins_with_is_not_kept(tmp_path: Path, following: str, read: str) -> None:
    made = body(mended(tmp_path, PARTS.format(next=following, read=read), asked_outside.keep), "shim")
    assert "_kept_ptr(ptr %p, " not in made


# Memory that grows in a loop which reads there ({read} is what it reads by), and is freed when the loop is left.
GROWN = """declare ptr @malloc(i64)
declare void @free(ptr)
define double @shim(ptr %x, i64 %n) {{
  %first = call ptr @malloc(i64 64)
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %i.next, %grown ]
  %memory = phi ptr [ %first, %0 ], [ %chosen, %grown ]
  %place = getelementptr inbounds double, ptr {read}, i64 %i
  %number = load double, ptr %place
  %full = icmp eq i64 %i, 8
  br i1 %full, label %grow, label %grown
grow:
  %larger = call ptr @malloc(i64 128)
  call void @llvm.memcpy.p0.p0.i64(ptr %larger, ptr %memory, i64 64, i1 false)
  call void @free(ptr %memory)
  br label %grown
grown:
  %chosen = phi ptr [ %memory, %loop ], [ %larger, %grow ]
  %i.next = add nuw nsw i64 %i, 1
  %new = getelementptr inbounds double, ptr %chosen, i64 %i.next
  store double %number, ptr %new
  %ends = icmp eq i64 %i.next, %n
  br i1 %ends, label %out, label %loop
out:
  {left}
  %result = load double, ptr {last}
  call void @free(ptr {last})
  ret double %result
}}"""


@pytest.mark.parametrize(("left", "last"), [("", "%chosen"), ("%last = phi ptr [ %chosen, %grown ]", "%last")])
def test_memory_that_grew_in_a_loop_is_kept_once_the_loop_is_left(tmp_path: Path, left: str, last: str) -> None:
    made = body(mended(tmp_path, GROWN.format(read="%memory", left=left, last=last), asked_outside.keep), "shim")
    out = made.partition("out:")[2]
    kept = re.search(rf"(%\S+) = call ptr @crategrad_same_kept_ptr\(ptr {last}, i32 0\)", out)
    assert kept
    assert made.count("@crategrad_") == 1
    assert f"load double, ptr {kept[1]}" in out
    assert f"call void @free(ptr {kept[1]})" in out


def test_where_the_loop_does_not_read_by_it_it_is_not_kept(tmp_path: Path) -> None:
    source = GROWN.format(read="%x", left="", last="%chosen")
    assert "@crategrad" not in mended(tmp_path, source, asked_outside.keep)


LOOKED_UP = """define void @g(ptr %kept) {{
  %p = getelementptr inbounds i64, ptr %kept, i64 undef, !dbg !5
  %q = load i64, ptr %p, align 8{}
  ret void
}}
"""
UNDEFINED = """define void @f(ptr %x) {{
  %y = getelementptr inbounds {}, ptr %x, i64 undef
  ret void
}}
"""


@pytest.mark.parametrize(
    ("before", "tag", "is_refused"),
    [("", "", True), ("i8", "", True), ("i64", "", False), ("i64", ", !invariant.group !3", True)],
)
def test_what_enzyme_reads_of_no_run_is_refused_and_what_is_undefined_elsewhere_is_not(
    tmp_path: Path, before: str, tag: str, is_refused: bool
) -> None:
    """rustc leaves undefined places where nobody reads, in a hash map that is not optimised."""
    text, part = tmp_path / "made.ll", tmp_path / "part.ll"
    its_own = UNDEFINED.format(before) if before else ""
    part.write_text(its_own)
    text.write_text(its_own + LOOKED_UP.format(tag))
    stage = stages(0, TOOLS)["enzyme"]
    assert isinstance(stage, Enzyme)
    assert bool(stage._asked_of_no_run(text, part)) == is_refused


def test_what_tells_how_the_outer_loop_was_left_is_kept(tmp_path: Path) -> None:
    found = "%square = fmul double %sum, 2.0"
    made = body(mended(tmp_path, SEARCH.format(to="found", found=found), asked_outside.keep), "shim")
    assert "call i1 @crategrad_same_kept_i1(i1 %is.large)" in made


# Sums of x's numbers up to one that is large, for as long as there is one: `take_while(|&i| x.iter().all(..))`.
WHILE = """define double @shim(ptr %x, i64 %n) {
  br label %outer
outer:
  %i = phi i64 [ 0, %0 ], [ %i.next, %outer.latch ]
  %sum = phi double [ 0.0, %0 ], [ %more, %outer.latch ]
  %i.next = add nuw nsw i64 %i, 1
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner.latch ]
  %more = phi double [ %sum, %outer ], [ %most, %inner.latch ]
  %is.past = icmp eq i64 %j, %n
  br i1 %is.past, label %after, label %inner.latch
inner.latch:
  %place = getelementptr inbounds double, ptr %x, i64 %j
  %second = load double, ptr %place
  %most = fadd double %more, %second
  %j.next = add nuw nsw i64 %j, 1
  %is.large = fcmp ogt double %second, 5.0
  br i1 %is.large, label %after, label %inner
after:
  %last = phi i64 [ %j, %inner ], [ %j.next, %inner.latch ]
  %none = icmp eq i64 %{decides}, %n
  br i1 %none, label %out, label %outer.latch
outer.latch:
  %outer.ends = icmp eq i64 %i.next, %n
  br i1 %outer.ends, label %out, label %outer
out:
  %result = phi double [ %more, %after ], [ %sum, %outer.latch ]
  ret double %result
}"""


@pytest.mark.parametrize(("decides", "is_kept"), [("last", True), ("i.next", False)])
def test_what_is_made_of_how_often_an_inner_loop_ran_and_tells_how_the_outer_one_was_left_is_kept(
    tmp_path: Path, decides: str, is_kept: bool
) -> None:
    made = body(mended(tmp_path, WHILE.replace("{decides}", decides), asked_outside.keep), "shim")
    assert ("call i1 @crategrad_same_kept_i1(i1 %none)" in made) == is_kept


def test_loops_that_are_left_one_by_one_stay_as_they_are(tmp_path: Path) -> None:
    source = SEARCH.format(to="inner.latch", found="%square = fadd double 0.0, 0.0")
    assert "crategrad" not in mended(tmp_path, source, asked_outside.keep)


# How many of x's numbers are positive, in a branch that stores, and a loop that runs twice as often.
COUNTED = """define void @shim(ptr %x, ptr %y, i64 %n) {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %i.next, %latch ]
  %count = phi i64 [ 0, %0 ], [ %counted, %latch ]
  %place = getelementptr inbounds double, ptr %x, i64 %i
  %number = load double, ptr %place
  %is.positive = fcmp ogt double %number, 0.0
  br i1 %is.positive, label %positive, label %latch
positive:
  %more = add i64 %count, 1
  %to = getelementptr inbounds double, ptr %y, i64 %count
  store double %number, ptr %to
  br label %latch
latch:
  %counted = phi i64 [ %count, %loop ], [ %more, %positive ]
  %i.next = add i64 %i, 1
  %ends = icmp eq i64 %i.next, %n
  br i1 %ends, label %between, label %loop
between:
  %twice = shl i64 {counted}, 1
  br label %second
second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %j.next = add i64 %j, 1
  %stops = icmp eq i64 %j.next, %twice
  br i1 %stops, label %out, label %second
out:
  ret void
}"""


def test_what_an_earlier_loop_chose_is_kept_for_the_end_of_a_later_one(tmp_path: Path) -> None:
    made = body(mended(tmp_path, COUNTED.replace("{counted}", "%counted"), asked_outside.keep), "shim")
    kept = re.search(r"(%\S+) = call i64 @crategrad_same_kept_i64\(i64 %counted\)", made)
    assert kept
    assert f"%twice = shl i64 {kept[1]}, 1" in made
    assert made.count("@crategrad") == 1


def test_what_an_earlier_loop_counts_in_each_run_is_not_kept(tmp_path: Path) -> None:
    assert "@crategrad" not in mended(tmp_path, COUNTED.replace("{counted}", "%i.next"), asked_outside.keep)


# A loop in a loop that ends at what is computed of an integer in memory.
CALLED = """define void @shim(ptr %x, ptr %n) {
  {calls}
  ret void
}
define internal void @called(ptr %x, ptr %n) {
  br label %outer
outer:
  %i = phi i64 [ 0, %0 ], [ %i.next, %latch ]
  %number = load i64, ptr %n
  %end = urem i64 %number, 9
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %place = getelementptr inbounds double, ptr %x, i64 %j
  store double 0.0, ptr %place
  %j.next = add i64 %j, 1
  %stops = icmp eq i64 %j.next, %end
  br i1 %stops, label %latch, label %inner
latch:
  %i.next = add i64 %i, 1
  %ends = icmp eq i64 %i.next, 4
  br i1 %ends, label %out, label %outer
out:
  ret void
}"""


def test_what_is_computed_of_memory_is_kept_for_the_end_of_a_loop_in_a_loop_of_a_function_that_is_called(
    tmp_path: Path,
) -> None:
    source = CALLED.replace("{calls}", "call void @called(ptr %x, ptr %n)")
    made = body(mended(tmp_path, source, asked_outside.keep), "called")
    kept = re.search(r"(%\S+) = call i64 @crategrad_same_kept_i64\(i64 %end\)", made)
    assert kept
    assert f"%stops = icmp eq i64 %j.next, {kept[1]}" in made


def test_so_it_is_for_where_that_loop_begins(tmp_path: Path) -> None:
    source = CALLED.replace("{calls}", "call void @called(ptr %x, ptr %n)")
    source = source.replace("[ 0, %outer ]", "[ %end, %outer ]").replace("%j.next, %end", "%j.next, 9")
    made = body(mended(tmp_path, source, asked_outside.keep), "called")
    kept = re.search(r"(%\S+) = call i64 @crategrad_same_kept_i64\(i64 %end\)", made)
    assert kept
    assert f"[ {kept[1]}, %outer ]" in made


def test_in_what_is_differentiated_itself_it_is_not(tmp_path: Path) -> None:
    source = CALLED.replace("  {calls}\n", "").replace("@shim", "@other").replace("@called", "@shim").replace("internal ", "")
    assert "@crategrad" not in mended(tmp_path, source, asked_outside.keep)


@dataclass(frozen=True)
class Function:
    text: str


def test_what_is_not_kept_is_refused_once_enzyme_has_asked_for_it(tmp_path: Path) -> None:
    bench, given = Workbench(tmp_path / "crate"), tmp_path / "given"
    given.mkdir()
    runner.write([Function((KEPT / "found_in_two_loops.rs").read_text())], bench, ["reverse"])
    with Module(TOOLS.libllvm, merged(bench, "2", TOOLS)) as whole:
        only(whole, ["p0000"], given / MODULE)
    through = stages(2, TOOLS)
    assert isinstance(through["abi_fixup"], AbiFixup)
    through["abi_fixup"] = replace(through["abi_fixup"], without=("asked_outside",))
    with pytest.raises(UserError, match="what a loop came to is asked outside of it") as refusal:
        build(given, through, bench.output() / "stages", tmp_path, TOOLS)
    assert "`reverse` was asked for" in refusal.value.message
