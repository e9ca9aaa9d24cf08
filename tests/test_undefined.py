"""What is undefined begins as zero where a loop carries it, and is not chosen; on modules written here."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.audit import audit
from pipeline.repairs import undefined
from pipeline.stages import MODULE
from tests.test_repairs import TOOLS, body, mended

pytestmark = pytest.mark.toolchain

# Where `found` is not so yet, nobody asks what `kept` is.
LOOP = """define double @shim(ptr noalias %x, i64 %n) {{
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %i.next, %again ]
  %found = phi i1 [ false, %0 ], [ true, %again ]
  %kept = phi {type} [ {first}, %0 ], [ %now, %again ]
  %i.next = add nuw nsw i64 %i, 1
  %from = getelementptr inbounds double, ptr %x, i64 %i
  %value = load double, ptr %from
  %is.large = fcmp ogt double %value, 1.0
  %stays = select i1 %found, i1 %is.large, i1 false
  br i1 %stays, label %again, label %other
other:
  br label %again
again:
  %now = phi {type} [ %kept, %loop ], [ {new}, %other ]
  %ends = icmp eq i64 %i.next, %n
  br i1 %ends, label %out, label %loop
out:
  ret double %value
}}"""
KINDS = [("i64", "%i", "0"), ("double", "%value", "0.000000e+00"), ("ptr", "%from", "null")]


@pytest.mark.parametrize(("kind", "new", "zero"), KINDS)
@pytest.mark.parametrize("first", ["undef", "poison"])
def test_it_begins_as_zero(tmp_path: Path, first: str, kind: str, new: str, zero: str) -> None:
    source = LOOP.format(type=kind, first=first, new=new)
    assert f"phi {kind} [ {zero}, %0 ]" in body(mended(tmp_path, source, undefined.begin_as_zero))


def test_what_begins_is_left_as_it_is(tmp_path: Path) -> None:
    source = LOOP.format(type="i64", first="7", new="%i")
    assert mended(tmp_path, source, lambda *_: []) == mended(tmp_path, source, undefined.begin_as_zero)


@pytest.mark.parametrize(
    ("chosen", "defined"),
    [
        ("select i1 %c, double undef, double %x", "select i1 %c, double %1, double %x"),
        ("select i1 %c, double %x, double poison", "select i1 %c, double %x, double %1"),
    ],
)
def test_a_float_or_none_is_the_float(tmp_path: Path, chosen: str, defined: str) -> None:
    source = f"define double @shim(i1 %c, double %x) {{\n  %chosen = {chosen}\n  ret double %chosen\n}}"
    text = body(mended(tmp_path, source, undefined.choose_the_defined))
    assert "%1 = freeze double %x" in text
    assert f"%chosen = {defined}" in text


# `some(x).map_or(a, |x| a * x)`, of which LLVM computes the product in either case.
AHEAD = """define double @shim(double %a, ptr %x) {{
  %none = icmp eq ptr %x, null
  br i1 %none, label %out, label %some
some:
  %value = load double, ptr %x
  br label %out
out:
  %factor = phi double [ %value, %some ], [ {none}, %0 ]
  %product = {product}
  %last = select i1 %none, double %a, double %product
  ret double %last
}}"""


@pytest.mark.parametrize("none", ["undef", "poison"])
@pytest.mark.parametrize(
    ("product", "is_computed"),
    [
        ("fmul double %a, %factor", True),
        ("call double @llvm.maxnum.f64(double %a, double %factor)", True),
        ("freeze double %factor", False),
    ],
)
def test_what_is_computed_with_is_zero(tmp_path: Path, none: str, product: str, is_computed: bool) -> None:
    source = AHEAD.format(none=none, product=product) + "\ndeclare double @llvm.maxnum.f64(double, double)"
    given, made = body(mended(tmp_path, source)), body(mended(tmp_path, source, undefined.compute_with_zero))
    assert ("[ 0.000000e+00, %0 ]" in made) == is_computed
    assert (given == made) != is_computed


def test_the_audit_refuses_what_is_computed_with(tmp_path: Path) -> None:
    source = AHEAD.format(none="undef", product="fmul double %a, %factor")
    mended(tmp_path, source, lambda *_: [])
    assert "computed with here may be undefined" in audit(TOOLS.libllvm, tmp_path / MODULE, reverse=["shim"])[0].message
    mended(tmp_path, source, undefined.compute_with_zero)
    (left,) = audit(TOOLS.libllvm, tmp_path / MODULE, reverse=["shim"])
    assert left.message.startswith(
        "an infinite slope"
    )  # of the product, which is for a choice: Enzyme is asked for nothing here


def test_what_is_defined_or_no_float_stays_what_it_is(tmp_path: Path) -> None:
    source = """define i64 @shim(i1 %c, double %x, i64 %n) {
  %float = select i1 %c, double 0.0, double %x
  %number = select i1 %c, i64 undef, i64 %n
  ret i64 %number
}"""
    assert mended(tmp_path, source, lambda *_: []) == mended(tmp_path, source, undefined.choose_the_defined)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_the_audit_refuses_what_is_undefined(tmp_path: Path, mode: str) -> None:
    source = LOOP.format(type="i64", first="undef", new="%i")
    mended(tmp_path, source, lambda *_: [])
    assert "is undefined before its first run" in audit(TOOLS.libllvm, tmp_path / MODULE, **{mode: ["shim"]})[0].message
    mended(tmp_path, source, undefined.begin_as_zero)
    assert audit(TOOLS.libllvm, tmp_path / MODULE, **{mode: ["shim"]}) == []
