"""Loops over chunks are counted before they run; on modules written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.repairs import chunks
from tests.test_repairs import body, mended

pytestmark = pytest.mark.toolchain

LOOP = """define double @shim(ptr %xs, i64 %length, i64 %below) {{
  %chunk = add nuw i64 %below, 1
  br label %loop
loop:
  %x = phi ptr [ %xs, %0 ], [ %x.next, %loop ]
  %left = phi i64 [ %length, %0 ], [ %left.next, %loop ]
  %sum = phi double [ 0.0, %0 ], [ %sum.next, %loop ]
  %first = load double, ptr %x
  %sum.next = fadd double %sum, %first
  %x.next = getelementptr inbounds nuw double, ptr %x, i64 {taken}
{less}
  %asked = icmp {asked}
  br i1 %asked, label {ways}
out:
  ret double %sum.next
}}
declare i64 @llvm.umin.i64(i64, i64)
"""
ENDS, GOES_ON = "%out, label %loop", "%loop, label %out"
WHOLE = "  %left.next = sub nuw i64 %left, %chunk"
SHORTER = "  %taken = call i64 @llvm.umin.i64(i64 %chunk, i64 %left)\n  %left.next = sub i64 %left, %taken"


def loop(asked: str, ways: str, less: str = WHOLE, taken: str = "%chunk") -> str:
    return LOOP.format(asked=asked, ways=ways, less=less, taken=taken)


@pytest.mark.parametrize(
    ("asked", "ways", "end"),
    [
        ("ugt i64 %chunk, %left.next", ENDS, "eq"),
        ("ult i64 %left.next, %chunk", ENDS, "eq"),
        ("ule i64 %chunk, %left.next", GOES_ON, "ne"),
        ("uge i64 %left.next, %chunk", GOES_ON, "ne"),
        ("ult i64 %below, %left.next", GOES_ON, "ne"),  # what LLVM makes of `%below + 1 <= …`
        ("uge i64 %below, %left.next", ENDS, "eq"),
    ],
)
def test_whole_chunks_are_a_quotient(tmp_path: Path, asked: str, ways: str, end: str) -> None:
    made = body(mended(tmp_path, loop(asked, ways), chunks.count))
    assert "udiv i64 %length, %" in made
    assert "phi i64 [ 0, %0 ]" in made
    assert f"icmp {end} i64 %" in made
    assert "%asked" not in made


@pytest.mark.parametrize(("asked", "ways"), [("eq i64 %left.next, 0", ENDS), ("ne i64 %left.next, 0", GOES_ON)])
def test_the_last_may_be_shorter(tmp_path: Path, asked: str, ways: str) -> None:
    made = body(mended(tmp_path, loop(asked, ways, SHORTER), chunks.count))
    assert "sub i64 %length, 1" in made
    assert "udiv i64 %" in made
    assert "%asked" not in made


@pytest.mark.parametrize(
    "source",
    [
        loop("ugt i64 %chunk, %left.next", ENDS, WHOLE.replace(" nuw", "")),  # more may be taken than is there
        loop("ugt i64 %below, %left.next", ENDS),  # of another length
        loop("uge i64 %left.next, %chunk", ENDS),  # the other way round
        loop("eq i64 %left.next, 0", ENDS),  # it may jump over nothing
        loop("ne i64 %left.next, 1", GOES_ON, SHORTER),
        loop("ugt i64 4, %left.next", ENDS, WHOLE.replace("%chunk", "4")),  # Enzyme counts that itself
        loop(
            "ugt i64 %x.number, %left.next",
            ENDS,
            "  %x.number = ptrtoint ptr %x to i64\n" + WHOLE.replace("%chunk", "%x.number"),
        ),
    ],
)
def test_what_is_no_chunk_stays(tmp_path: Path, source: str) -> None:
    assert "udiv" not in body(mended(tmp_path, source, chunks.count))
