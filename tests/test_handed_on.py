"""Functions that are handed to others; on modules written here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.repairs import handed_on
from tests.test_repairs import body, mended

pytestmark = pytest.mark.toolchain

HANDED = """define double @shim(ptr %x) {{
  %value = call double @with(ptr %x, ptr @dropped)
  ret double %value
}}
define internal double @with(ptr %x, ptr %drop) {{
  {use}
  %value = load double, ptr %x
  ret double %value
}}
define internal void @dropped(ptr %x) {{
  store double 0.0, ptr %x
  ret void
}}
declare void @strange(ptr)"""


@pytest.mark.parametrize("use", ["", "call void %drop(ptr %x)", "call void @strange(ptr %drop)"])
def test_a_function_that_is_never_called_is_not_handed_on(tmp_path: Path, use: str) -> None:
    text = mended(tmp_path, HANDED.format(use=use), handed_on.nothing_instead)
    assert ("ptr @dropped)" in body(text)) == bool(use)
    constant = re.search(r"^@crategrad_nothing = internal constant i8 0, !enzyme_inactive", text, re.MULTILINE)
    assert bool(constant) != bool(use)


def test_what_is_called_elsewhere_stays(tmp_path: Path) -> None:
    source = HANDED.format(use="").replace(
        "define internal double @with", "declare double @other(ptr, ptr)\ndefine double @with"
    )
    outside = source.replace("@with(ptr %x, ptr @dropped)", "@other(ptr %x, ptr @dropped)")
    assert "@other(ptr %x, ptr @dropped)" in body(mended(tmp_path, outside, handed_on.nothing_instead))
