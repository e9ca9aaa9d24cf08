"""Pointers that are frozen after they were loaded; on modules written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.repairs import frozen
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, body, mended

pytestmark = pytest.mark.toolchain

LOADED = """define double @shim(ptr %list) {
  %loaded = load ptr, ptr %list
  %first = freeze ptr %loaded
  %value = load double, ptr %first
  ret double %value
}"""
CHOSEN = """define double @shim(ptr %list, ptr %other, i1 %is_empty) {
  br i1 %is_empty, label %end, label %some
some:
  %loaded = load ptr, ptr %list
  br label %end
end:
  %chosen = phi ptr [ %other, %0 ], [ %loaded, %some ]
  %n = phi i64 [ 0, %0 ], [ 1, %some ]
  %first = freeze ptr %chosen
  %value = load double, ptr %first
  ret double %value
}"""
GIVEN = LOADED.replace("freeze ptr %loaded", "freeze ptr %list")
NUMBER = LOADED.replace("load ptr, ptr", "load i64, ptr").replace("freeze ptr", "freeze i64").replace("ptr %first", "ptr %list")


@pytest.mark.parametrize(("source", "pointer"), [(LOADED, "%loaded"), (CHOSEN, "%chosen")])
def test_what_is_frozen_is_active(tmp_path: Path, source: str, pointer: str) -> None:
    lines = body(mended(tmp_path, source, frozen.keep_shadows)).splitlines()
    at = next(number for number, line in enumerate(lines) if "= freeze" in line)
    assert f"call ptr @crategrad_active_ptr(ptr {pointer})" in lines[at - 1]


@pytest.mark.parametrize("source", [GIVEN, NUMBER])
def test_what_has_a_shadow_or_none_is_left_alone(tmp_path: Path, source: str) -> None:
    assert "crategrad_active" not in mended(tmp_path, source, frozen.keep_shadows)
    assert not refused(tmp_path, reverse=["shim"])


def test_it_is_done_once(tmp_path: Path) -> None:
    text = mended(tmp_path, LOADED, lambda editor, shims: [frozen.keep_shadows(editor, shims) for _ in range(2)])
    assert body(text).count("crategrad_active_ptr") == 1


@pytest.mark.parametrize("source", [LOADED, CHOSEN])
def test_the_audit_refuses_what_would_be_forgotten(tmp_path: Path, source: str) -> None:
    """In reverse mode only: forward mode keeps no shadow, and asks for each that an active use has."""
    mended(tmp_path, source, lambda *_: [])
    assert refused(tmp_path, reverse=["shim"]) == ["of this pointer the adjoint would be added to what is later in its place"]
    assert not refused(tmp_path, forward=["shim"])
    mended(tmp_path, source, frozen.keep_shadows)
    assert not refused(tmp_path, reverse=["shim"])


def refused(folder: Path, reverse: tuple[str, ...] | list[str] = (), forward: tuple[str, ...] | list[str] = ()) -> list[str]:
    found = audit(TOOLS.libllvm, folder / MODULE, reverse=reverse, forward=forward)
    return [finding.message for finding in found if "of this pointer" in finding.message]
