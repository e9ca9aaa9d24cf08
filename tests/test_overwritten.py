"""Reads of what a later run of a loop writes: their address is nobody's to know; on modules written here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.repairs import overwritten
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, body, mended

pytestmark = pytest.mark.toolchain

# What is read in the loop, and what is written, by `i`, which goes up from 1, or `j`, which goes down from n.
LOOP = """define double @shim(ptr noalias %x, ptr noalias %y, i64 %n, i64 %k) {{
  br label %loop
loop:
  %i = phi i64 [ 1, %0 ], [ %i.next, %loop ]
  %before = phi i64 [ 0, %0 ], [ %i, %loop ]
  %j = phi i64 [ %n, %0 ], [ %j.next, %loop ]
  %p = phi ptr [ %x, %0 ], [ %p.next, %loop ]
  %sum = phi double [ 0.0, %0 ], [ %more, %loop ]
  %i.next = add nuw nsw i64 %i, 1
  %j.next = add nsw i64 %j, -1
  %p.next = getelementptr inbounds i8, ptr %p, i64 8
  %from = getelementptr {read}
  %value = load double, ptr %from
  %square = fmul double %value, %value
  %more = fadd double %sum, %square
  %to = getelementptr {written}
  {write}
  %ends = icmp eq i64 %i.next, %n
  br i1 %ends, label %out, label %loop
out:
  ret double %more
}}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"""
STORE = "store double 0.0, ptr %to"


@pytest.mark.parametrize(
    ("read", "written", "is_lost"),
    [
        ("double, ptr %x, i64 %i.next", "double, ptr %x, i64 %i", True),
        ("double, ptr %x, i64 %i", "double, ptr %x, i64 %before", True),
        ("double, ptr %x, i64 %i", "double, ptr %x, i64 %i.next", False),
        ("double, ptr %x, i64 %i", "double, ptr %x, i64 %i", False),
        ("double, ptr %x, i64 %i.next", "double, ptr %y, i64 %i", False),
        ("double, ptr %x, i64 %j.next", "double, ptr %x, i64 %j", True),
        ("double, ptr %x, i64 %j", "double, ptr %x, i64 %j.next", False),
        ("i8, ptr %p, i64 8", "i8, ptr %p, i64 0", True),
        ("i8, ptr %p, i64 0", "i8, ptr %p, i64 8", False),
        ("i8, ptr %p, i64 8", "double, ptr %x, i64 %before", True),
        ("{{double, double}}, ptr %x, i64 %i, i32 1", "{{double, double}}, ptr %x, i64 %i, i32 0", False),
        ("{{double, double}}, ptr %x, i64 %i.next, i32 0", "{{double, double}}, ptr %x, i64 %i, i32 0", True),
        ("[2 x double], ptr %x, i64 %i, i64 1", "[2 x double], ptr %x, i64 %i, i64 0", False),
        ("double, ptr %x, i64 %i", "double, ptr %x, i64 %k", False),
        ("double, ptr %x, i64 %n", "double, ptr %x, i64 %i", False),
    ],
)
def test_what_a_later_run_writes_over_is_read_from_nobody_knows_where(
    tmp_path: Path, read: str, written: str, is_lost: bool
) -> None:
    source = LOOP.format(read=read, written=written, write=STORE).replace("{{", "{").replace("}}", "}")
    text = body(mended(tmp_path, source, overwritten.keep))
    moved = re.search(r"%(\d+) = getelementptr inbounds \[8 x i8\], ptr %from, i64 %\d+\n +%value = load double, ptr %\1", text)
    assert bool(moved) == is_lost
    assert ("crategrad_same_apart_i64(i64 0, i64 -1)" in text) == is_lost
    found = [finding.message for finding in audit(TOOLS.libllvm, tmp_path / "given.bc", reverse=["shim"])]
    assert any(message.startswith("what is read here is written over") for message in found) == is_lost
    found = [finding.message for finding in audit(TOOLS.libllvm, tmp_path / MODULE, reverse=["shim"])]
    assert not any(message.startswith("what is read here is written over") for message in found)


@pytest.mark.parametrize(("size", "is_lost"), [("8", True), ("16", False), ("%n", False)])
def test_what_fills_memory_writes_too(tmp_path: Path, size: str, is_lost: bool) -> None:
    """What may reach as far as what is read misleads nobody."""
    write = f"call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 {size}, i1 false)"
    source = LOOP.format(read="double, ptr %x, i64 %i.next", written="double, ptr %x, i64 %i", write=write)
    assert ("crategrad_same_apart" in body(mended(tmp_path, source, overwritten.keep))) == is_lost


SUMS = """define double @shim(ptr noalias %x, i64 %n) {
  br label %outer
outer:
  %i = phi i64 [ 0, %0 ], [ %i.next, %again ]
  %i.next = add nuw nsw i64 %i, 1
  %rest = getelementptr inbounds double, ptr %x, i64 %i.next
  br label %inner
inner:
  %p = phi ptr [ %rest, %outer ], [ %p.next, %inner ]
  %sum = phi double [ 0.0, %outer ], [ %more, %inner ]
  %value = load double, ptr %p
  %square = fmul double %value, %value
  %more = fadd double %sum, %square
  %p.next = getelementptr inbounds i8, ptr %p, i64 8
  %end = getelementptr inbounds double, ptr %x, i64 %n
  %over = icmp eq ptr %p.next, %end
  br i1 %over, label %again, label %inner
again:
  %to = getelementptr inbounds double, ptr %x, i64 %i
  store double %more, ptr %to
  %done = icmp eq i64 %i.next, %n
  br i1 %done, label %out, label %outer
out:
  ret double %more
}"""


def test_what_a_loop_within_reads_and_the_loop_around_it_writes(tmp_path: Path) -> None:
    assert "crategrad_same_apart" in body(mended(tmp_path, SUMS, overwritten.keep))
    down = SUMS.replace("double, ptr %x, i64 %i\n", "double, ptr %x, i64 %j\n")
    down = down.replace("  %i.next", "  %j = sub i64 %n, %i\n  %i.next", 1)
    assert "crategrad_same_apart" not in body(mended(tmp_path, down, overwritten.keep))


EXCHANGED = """define double @shim(ptr noalias %x, ptr noalias %y, i64 %n) {{
  %own = alloca double
  br label %outer
outer:
  %i = phi i64 [ 0, %0 ], [ %i.next, %again ]
  %p = phi ptr [ %x, %0 ], [ %q, %again ]
  %q = phi ptr [ %y, %0 ], [ %p, %again ]
  %r = phi ptr [ %own, %0 ], [ %y, %again ]
  %i.next = add nuw nsw i64 %i, 1
  %bit = and i64 %i, 1
  %is_even = icmp eq i64 %bit, 0
  %is_first = icmp eq i64 %i, 0
  %from = select i1 %is_even, ptr %x, ptr %y
  %to = select i1 %is_even, ptr %y, ptr %x
  %any = select i1 %is_first, ptr %y, ptr %x
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %sum = phi double [ 0.0, %outer ], [ %more, %inner ]
  %j.next = add nuw nsw i64 %j, 1
  %here = getelementptr double, ptr {read}, i64 %j
  %value = load double, ptr %here
  %square = fmul double %value, %value
  %more = fadd double %sum, %square
  %there = getelementptr double, ptr {written}, i64 %j
  {write}
  %over = icmp eq i64 %j.next, %n
  br i1 %over, label %again, label %inner
again:
  %done = icmp eq i64 %i.next, %n
  br i1 %done, label %out, label %outer
out:
  ret double %more
}}
declare void @fill(ptr)"""


@pytest.mark.parametrize("write", ["store double %more, ptr %there", "call void @fill(ptr %there)"])
@pytest.mark.parametrize(
    ("read", "written", "is_lost"),
    [
        ("%from", "%to", True),
        ("%p", "%q", True),
        ("%q", "%r", False),
        ("%x", "%y", False),
        ("%from", "%from", False),
        ("%from", "%any", False),
        ("%p", "%y", False),
        ("%p", "%r", False),
    ],
)
def test_what_is_chosen_together_is_read_where_it_may_be_written(
    tmp_path: Path, read: str, written: str, write: str, is_lost: bool
) -> None:
    """Alias analysis takes two choices by pairs: that what is `y` now was `x` before it does not ask."""
    source = EXCHANGED.format(read=read, written=written, write=write)
    text = body(mended(tmp_path, source, overwritten.keep))
    assert ("crategrad_same_apart_i1(i1 true, i64 -2)" in text) == is_lost
    chosen = re.search(r"%(\d+) = select i1 %\d+, ptr %here, ptr %(\d+)\n +%value = load double, ptr %\1,", text)
    assert bool(chosen) == is_lost
    assert not chosen or re.search(rf"%{chosen[2]} = getelementptr inbounds \[8 x i8\], ptr %[xy], i64 %\d+\n", text)
    for module, is_found in (("given.bc", is_lost), (MODULE, False)):
        found = [finding.message for finding in audit(TOOLS.libllvm, tmp_path / module, reverse=["shim"])]
        assert any(message.startswith("what is read here is written over") for message in found) == is_found


def test_what_is_allocated_in_each_run_is_written_in_no_later_one(tmp_path: Path) -> None:
    source = EXCHANGED.format(read="%from", written="%to", write="store double %more, ptr %there")
    source = source.replace("  %from =", "  %a = call ptr @malloc(i64 8)\n  %b = call ptr @malloc(i64 8)\n  %from =")
    source = source.replace("ptr %x, ptr %y\n", "ptr %a, ptr %b\n").replace("ptr %y, ptr %x\n", "ptr %b, ptr %a\n")
    assert "crategrad_same_apart" not in body(mended(tmp_path, f"{source}\ndeclare noalias ptr @malloc(i64)", overwritten.keep))
