"""Memory that is freed where other memory may be; on modules written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.repairs import frees
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, body, mended

pytestmark = pytest.mark.toolchain

# A `Vec` that has grown or not; its address may be a number on the way.
GROWN = """declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @shim(ptr %x, i64 %n, i1 %grows) {
  %old = call ptr @malloc(i64 %n) "enzyme_active"
  call void @llvm.memcpy.p0.p0.i64(ptr %old, ptr %x, i64 %n, i1 false)
  br i1 %grows, label %more, label %end
more:
  %new = call ptr @malloc(i64 32) "enzyme_active"
  store double 1.0, ptr %new
  call void @free(ptr %old)
  br label %end
end:
  %memory = phi ptr [ %new, %more ], [ %old, %0 ]
  call void @free(ptr %memory)
  ret void
}"""
BY_NUMBERS = (
    GROWN.replace("phi ptr [ %new, %more ], [ %old, %0 ]", "inttoptr i64 %place to ptr")
    .replace("end:", "end:\n  %place = phi i64 [ %there, %more ], [ %here, %0 ]")
    .replace("  br i1", "  %here = ptrtoint ptr %old to i64\n  br i1")
    .replace("  call void @free(ptr %old)", "  %there = ptrtoint ptr %new to i64\n  call void @free(ptr %old)")
)
ALONE = GROWN.replace("[ %new, %more ]", "[ null, %more ]").replace("free(ptr %old)", "free(ptr %new)")


@pytest.mark.parametrize("source", [GROWN, BY_NUMBERS])
def test_what_is_freed_beside_other_memory_is_kept(tmp_path: Path, source: str) -> None:
    """The new memory alone: of the old one Enzyme does not see all, as it is copied to."""
    text = body(mended(tmp_path, source, frees.as_the_others))
    assert text.count("call void @crategrad_keep(ptr") == 1
    assert "%new = call ptr @malloc(i64 32)" in text.split("call void @crategrad_keep(ptr %new)")[0].splitlines()[-2]


def test_nothing_is_done_where_each_is_freed_by_itself(tmp_path: Path) -> None:
    assert "crategrad_keep" not in mended(tmp_path, ALONE, frees.as_the_others)


@pytest.mark.parametrize("source", [GROWN, BY_NUMBERS])
def test_the_audit_refuses_what_would_be_freed_twice(tmp_path: Path, source: str) -> None:
    """In reverse mode only: forward mode leaves each `free` where it is."""
    mended(tmp_path, source, lambda *_: [])
    left = audit(TOOLS.libllvm, tmp_path / MODULE, reverse=["shim"])
    assert [f.message for f in left if "freed" in f.message] == [
        "memory that is freed where other memory may be would be freed twice"
    ]
    assert not [f for f in audit(TOOLS.libllvm, tmp_path / MODULE, forward=["shim"]) if "freed" in f.message]
    mended(tmp_path, source, frees.as_the_others)
    assert not [f for f in audit(TOOLS.libllvm, tmp_path / MODULE, reverse=["shim"]) if "freed" in f.message]
