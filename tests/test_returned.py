"""What a called function returns, by LLVM's types: Enzyme is right, or the audit refuses it.

Of each type there is a function of x that makes a value of it (x² for a float, x's address for a pointer) behind a call; what
comes of it is a sum with a factor of its own for each part.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TypeAlias

import pytest

from pipeline.audit import audit_each
from pipeline.enzyme_driver import Catalyst
from pipeline.llvm import Module
from pipeline.llvm_inspect import Inspector
from pipeline.repairs.inline import returns_packed_floats
from pipeline.toolchain import find_tools

pytestmark = pytest.mark.toolchain

TOOLS = find_tools()
LLI = TOOLS.opt.path.with_name("lli")

Ty: TypeAlias = "str | tuple[Ty, ...]"
"""A scalar or a vector as LLVM writes it, or a struct of such."""

X = 3.0
# How each scalar is made in the function of x, how it becomes a double, and the derivative of that.
MADE = {"double": "%square", "float": "%single", "<2 x double>": "%both", "ptr": "%x", "i64": "%count", "i1": "%is"}
READ = {
    "double": "fadd double {0}, 0.0",
    "float": "fpext float {0} to double",
    "<2 x double>": "call double @llvm.vector.reduce.fadd.v2f64(double 0.0, <2 x double> {0})",
    "ptr": "load double, ptr {0}",
    "i64": "sitofp i64 {0} to double",
    "i1": "uitofp i1 {0} to double",
}
SLOPE = {"double": 2 * X, "float": 2 * X, "<2 x double>": 4 * X, "ptr": 1.0, "i64": 0.0, "i1": 0.0}
FLOATS = {"double", "float", "<2 x double>"}

TYPES: list[Ty] = [
    *MADE,
    *product(MADE, repeat=2),
    *product(["double", "ptr", "i64"], repeat=3),
    ("double", ("double", "ptr")),
    (("double", "i64"), "double"),
    (("ptr", "i64"), "float"),
    (("ptr", "i64"), "ptr"),
]

BEGIN = """
@x = internal global double 3.0
@dx = internal global double 0.0
@dother = internal global double 0.0
@n = global i64 1
@line = private constant [10 x i8] c"%g %g %g\\0A\\00"
@enzyme_dup = external global i32
@enzyme_width = external global i32
declare double @__enzyme_autodiff(...)
declare double @__enzyme_fwddiff(...)
declare [2 x double] @__enzyme_fwddiff_wide(...)
declare double @llvm.vector.reduce.fadd.v2f64(double, <2 x double>)
declare i32 @printf(ptr, ...)
"""
MAIN = """
  store double 0.0, ptr @dx
  call double (...) @__enzyme_autodiff(ptr @{name}, ptr @enzyme_dup, ptr @x, ptr @dx)
  %reverse.{name} = load double, ptr @dx
  store double 1.0, ptr @dx
  %forward.{name} = call double (...) @__enzyme_fwddiff(ptr @{name}, ptr @enzyme_dup, ptr @x, ptr @dx)
  %wide.{name} = call [2 x double] (...) @__enzyme_fwddiff_wide(ptr @{name}, ptr @enzyme_width, i64 2,
    ptr @enzyme_dup, ptr @x, ptr @dother, ptr @dx)
  %second.{name} = extractvalue [2 x double] %wide.{name}, 1
  call i32 (ptr, ...) @printf(ptr @line, double %reverse.{name}, double %forward.{name}, double %second.{name})
"""
RETURNED = """
define double @returned{number}(ptr noalias %x) {{
  %all = call {ty} @make{number}(ptr %x)
{sum}
}}
define internal {ty} @make{number}(ptr %x) noinline {{
{parts}
{made}
  ret {ty} {value}
}}
"""
PARTS = """
  %value = load double, ptr %x
  %square = fmul double %value, %value
  %single = fptrunc double %square to float
  %one = insertelement <2 x double> poison, double %square, i32 0
  %both = insertelement <2 x double> %one, double %square, i32 1
  %count = load i64, ptr @n
  %is = icmp eq i64 %count, 1
"""


def test_enzyme_is_right_but_of_floats_that_are_returned_beside_pointers(tmp_path: Path) -> None:
    """In reverse mode, and then the audit refuses them, and the repairs inline them."""
    names = [f"returned{number}" for number in range(len(TYPES))]
    text = BEGIN + "".join(map(function, range(len(TYPES)), TYPES))
    text += f"define i32 @main() {{{''.join(MAIN.format(name=name) for name in names)}  ret i32 0\n}}\n"
    module, derived = tmp_path / "module.ll", tmp_path / "derived.ll"
    module.write_text(text)
    assert Catalyst(TOOLS.catalyst, patience_s=120).differentiate(module, derived, [], tmp_path / "log") == []
    printed = subprocess.run([LLI, derived], capture_output=True, text=True, check=True).stdout.splitlines()
    got = [[float(number) for number in line.split()] for line in printed]
    right = [sum(factor * SLOPE[scalar] for factor, (_, scalar) in enumerate(leaves(ty), 2)) for ty in TYPES]
    assert [forward for _, *forward in got] == [[slope, slope] for slope in right]
    wrong = [ty for ty, (reverse, *_), slope in zip(TYPES, got, right, strict=True) if reverse != slope]
    assert wrong == [ty for ty in TYPES if is_float_beside_pointer(ty)]

    found = audit_each(TOOLS.libllvm, module, [([name], []) for name in names])
    assert {ty for ty, complaints in zip(TYPES, found, strict=True) if complaints} >= set(wrong)
    with Module(TOOLS.libllvm, module) as opened:
        makers = opened.named([f"make{number}" for number in range(len(TYPES))])
        is_inlined = [returns_packed_floats(Inspector(opened), maker) for maker in makers]
    assert {ty for ty, inlined in zip(TYPES, is_inlined, strict=True) if inlined} >= set(wrong)


def is_float_beside_pointer(ty: Ty) -> bool:
    scalars = {scalar for _, scalar in leaves(ty)}
    return "ptr" in scalars and not scalars.isdisjoint(FLOATS)


def function(number: int, ty: Ty) -> str:
    """The function of x for a type."""
    made = list(making(ty))
    value = made[-1].split()[0] if made else MADE[str(ty)]
    texts = {"ty": spelled(ty), "parts": PARTS, "made": "\n".join(f"  {line}" for line in made), "sum": "\n".join(summing(ty))}
    return RETURNED.format(number=number, value=value, **texts)


def making(ty: Ty) -> Iterator[str]:
    """What puts an aggregate together, part by part."""
    so_far = "poison"
    for number, (path, scalar) in enumerate(leaves(ty) if isinstance(ty, tuple) else ()):
        yield f"%with{number} = insertvalue {spelled(ty)} {so_far}, {scalar} {MADE[scalar]}, {', '.join(map(str, path))}"
        so_far = f"%with{number}"


def summing(ty: Ty) -> Iterator[str]:
    """What adds up a value's parts, each by its factor, and returns that."""
    so_far = "0.0"
    for number, (path, scalar) in enumerate(leaves(ty)):
        if path:
            yield f"  %part{number} = extractvalue {spelled(ty)} %all, {', '.join(map(str, path))}"
        yield f"  %read{number} = {READ[scalar].format(f'%part{number}' if path else '%all')}"
        yield f"  %term{number} = fmul double %read{number}, {number + 2}.0"
        yield f"  %sum{number} = fadd double {so_far}, %term{number}"
        so_far = f"%sum{number}"
    yield f"  ret double {so_far}"


def leaves(ty: Ty, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], str]]:
    """The scalars and vectors in a type, and the indices that lead to each."""
    if isinstance(ty, str):
        yield path, ty
    else:
        for index, member in enumerate(ty):
            yield from leaves(member, (*path, index))


def spelled(ty: Ty) -> str:
    return ty if isinstance(ty, str) else f"{{ {', '.join(map(spelled, ty))} }}"
