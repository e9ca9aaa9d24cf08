"""What a function that calls itself gives back, and is chosen; on modules written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.repairs import chosen_results
from tests.test_repairs import body, mended

pytestmark = pytest.mark.toolchain

MODULE = """define double @shim(i1 %c, double %x) {{
  %result = call double @called(i1 %c, double %x)
  %chosen = select i1 %c, double %result, double %x
  ret double %chosen
}}
define double @called(i1 %c, double %x) {{
  br i1 %c, label %again, label %out
again:
  %result = call double @{again}(i1 %c, double %x)
  %chosen = select i1 %c, double %x, double %result
  ret double %chosen
out:
  ret double %x
}}
define double @other(i1 %c, double %x) {{
  ret double %x
}}"""


def test_it_is_given_back_once_more(tmp_path: Path) -> None:
    text = mended(tmp_path, MODULE.format(again="called"), chosen_results.choose)
    assert "%1 = call double @crategrad_active_double(double %result)" in body(text, "called")
    assert "select i1 %c, double %x, double %1" in body(text, "called")
    assert "select i1 %c, double %result, double %x" in body(text, "shim")


def test_of_what_does_not_call_itself_it_is_chosen_as_it_is(tmp_path: Path) -> None:
    source = MODULE.format(again="other")
    assert mended(tmp_path, source, lambda *_: []) == mended(tmp_path, source, chosen_results.choose)
