"""The mathematical functions of the crate `libm`, which computes by bits: their derivatives, and the values as they are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pipeline import libm
from pipeline.stages import keep_calls
from tests.workbench import MANIFEST, Workbench

OF_X = {
    "sin": "x.cos()",
    "cos": "-x.sin()",
    "tan": "1.0 + x.tan() * x.tan()",
    "asin": "1.0 / (1.0 - x * x).sqrt()",
    "acos": "-1.0 / (1.0 - x * x).sqrt()",
    "atan": "1.0 / (1.0 + x * x)",
    "sinh": "x.cosh()",
    "cosh": "x.sinh()",
    "tanh": "1.0 - x.tanh() * x.tanh()",
    "asinh": "1.0 / (x * x + 1.0).sqrt()",
    "atanh": "1.0 / (1.0 - x * x)",
    "exp": "x.exp()",
    "exp2": "x.exp2() * std::f64::consts::LN_2",
    "exp10": "10f64.powf(x) * std::f64::consts::LN_10",
    "expm1": "x.exp()",
    "log": "1.0 / x",
    "log2": "1.0 / (x * std::f64::consts::LN_2)",
    "log10": "1.0 / (x * std::f64::consts::LN_10)",
    "log1p": "1.0 / (1.0 + x)",
    "cbrt": "1.0 / (3.0 * x.cbrt() * x.cbrt())",
    "erf": "std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp()",
    "erfc": "-std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp()",
    "j0": "-libm::j1(x)",
    "j1": "libm::j0(x) - libm::j1(x) / x",
    "y0": "-libm::y1(x)",
    "y1": "libm::y0(x) - libm::y1(x) / x",
    "sincos": "2.0 * x.cos() - x.sin()",
    "sqrt": "0.5 / x.sqrt()",
    "fabs": "1.0",
    **dict.fromkeys(("ceil", "floor", "trunc", "rint", "round", "roundeven"), "0.0"),
}
"""Slopes at 0.625; of `sincos` that of twice the sine and the cosine."""

OTHERS = {
    "acosh": (("x",), (1.75,), ("1.0 / (x * x - 1.0).sqrt()",)),
    "atan2": (("x", "y"), (1.25, 0.75), ("y / (x * x + y * y)", "-x / (x * x + y * y)")),
    "pow": (("x", "y"), (1.25, 0.75), ("y * x.powf(y - 1.0)", "x.powf(y) * x.ln()")),
    "hypot": (("x", "y"), (1.25, 0.75), ("x / x.hypot(y)", "y / x.hypot(y)")),
    "fdim": (("x", "y"), (1.25, 0.75), ("1.0", "-1.0")),
    "fmax": (("x", "y"), (1.25, 0.75), ("1.0", "0.0")),
    "fmin": (("x", "y"), (1.25, 0.75), ("0.0", "1.0")),
    "fmod": (("x", "y"), (1.25, 0.75), ("1.0", "-1.0")),
    "remainder": (("x", "y"), (1.25, 0.75), ("1.0", "-2.0")),
    "copysign": (("x", "y"), (1.25, -0.75), ("-1.0", "0.0")),
    "fma": (("x", "y", "z"), (1.25, 0.75, 0.5), ("y", "x", "1.0")),
    "jn": (("2", "x"), (1.25,), ("(libm::jn(1, x) - libm::jn(3, x)) / 2.0",)),
    "yn": (("2", "x"), (1.25,), ("(libm::yn(1, x) - libm::yn(3, x)) / 2.0",)),
    "ldexp": (("x", "3"), (1.25,), ("8.0",)),
    "scalbn": (("x", "-1"), (1.25,), ("0.5",)),
}
"""What else they are called with, where, and the slopes there."""

CASES = {name: (("x",), (0.625,), (slope,)) for name, slope in OF_X.items()} | OTHERS

CHECKING = """\
use autodiff::*;

fn near(what: &str, got: f64, right: f64, tolerance: f64) {
    assert!((got - right).abs() <= tolerance * right.abs().max(1.0), "{what}: {got}, and not {right}");
}
"""

SINGLE = 2e-6
"""The tolerance for `f32`: relative, absolute below 1, as that of `f64` is, which is 1e-12."""


def functions() -> list[tuple[str, str]]:
    """All by C's names, with the name of the same one for f64."""
    return [(name, base) for base in CASES for name in (base, f"{base}f") if name in {*libm.EVERY, *libm.PAIRS}]


def case(name: str, base: str) -> str:
    """A module with a function of that name, its derivatives in both modes, and what holds them against the closed form."""
    given, point, slopes = CASES[base]
    ty, tolerance = ("f64", 1e-12) if name == base else ("f32", SINGLE)
    called = f"libm::{name}({', '.join(given)})"
    if name in libm.PAIRS:
        called = f"let (sine, cosine) = {called}; 2.0 * sine + cosine"
    own = [argument for argument in given if argument.isalpha()]
    at, count = ", ".join(f"{number}" for number in point), len(own)
    lines = [
        f"mod {name} {{",
        "    use super::*;",
        f"    #[autodiff_reverse(reverse, {'Active, ' * count}Active)]",
        f"    #[autodiff_forward(forward, {'Dual, ' * count}Dual)]",
        f"    fn function({', '.join(f'{one}: {ty}' for one in own)}) -> {ty} {{ {called} }}",
        "    pub fn check() {",
        f'        assert_eq!(reverse({at}, 1.0).0.to_bits(), function({at}).to_bits(), "{name}");',
    ]
    for position, slope in enumerate(slopes):
        dual = ", ".join(f"{number}, {float(position == other)}" for other, number in enumerate(point))
        let = "".join(f"let _ = {one}; " for one in own)
        right = f"(|{', '.join(f'{one}: f64' for one in own)}| -> f64 {{ {let}{slope} }})({at})"
        for mode, got in (("reverse", f"reverse({at}, 1.0).{position + 1}"), ("forward", f"forward({dual}).1")):
            lines.append(f'        near("{name}, {mode}", {got} as f64, {right}, {tolerance:e});')
    return "\n".join([*lines, "    }", "}", ""])


def test_there_is_a_case_for_each() -> None:
    assert {name for name, _ in functions()} == {*libm.EVERY, *libm.PAIRS}


@pytest.mark.parametrize(
    ("name", "c_name"),
    [
        ("_ZN4libm4math3sin3sin17h4070e3822505af54E", "sin"),
        ("_ZN4libm4math5log1p5log1p17h4070e3822505af54E", "log1p"),
        ("_ZN4libm4math9fmin_fmax4fmax17h4070e3822505af54E", "fmax"),
        ("_ZN4libm4math3log3log17hefc5b5de82299d66E.68", "log"),
        ("_RNvNtNtCs5QTKP5ViYj6_4libm4math5log1p5log1p", "log1p"),
        ("_RNvNtNtCs5QTKP5ViYj6_4libm4math5log1p5log1p.7", "log1p"),
        ("_RNvNtNtCs5QTKP5ViYj6_4libm4math2j02y0", "y0"),
        ("_RNvNtNtCs5QTKP5ViYj6_4libm4math2j02y0B7_", ""),
        ("_ZN4libm4math5k_sin5k_sin17h72c666fb053391d8E", ""),
        ("_ZN4libm4math6lgamma6lgamma17h72c666fb053391d8E", ""),
        ("_ZN4mine4math3sin3sin17h4070e3822505af54E", ""),
        ("sin", ""),
    ],
)
def test_functions_are_known_by_rustcs_names(name: str, c_name: str) -> None:
    assert libm.c_name(name) == c_name


def test_they_are_not_inlined(tmp_path: Path) -> None:
    """One name in a module follows another, with nothing between."""
    names = ["_RNvNtNtCs5QTKP5ViYj6_4libm4math3sin3sin", "_ZN4libm4math5expm15expm117h4070e3822505af54E"]
    names = sorted([*names, f"{names[0]}.12"])
    module = tmp_path / "module.bc"
    module.write_text("_RNvCs5QTKP5ViYj6_4mine1f".join(["", *names, "17h"]))
    assert keep_calls(module) == [f"-force-attribute={name}:noinline" for name in names]


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("strategy", "every"),
    [
        ("slice", 3),
        *(pytest.param(way, 1, marks=pytest.mark.full) for way in ("slice", "single-module-merge", "fat-lto")),
    ],
)
def test_all_have_derivatives(strategy: str, every: int, tmp_path: Path) -> None:
    """In both modes, to 1e-12 (f32: 2e-6); and the value is that of libm to the last bit.  By default of every third."""
    cases = functions()[::every]
    main = "".join(f"    {name}::check();\n" for name, _ in cases)
    bench = Workbench(tmp_path)
    bench.write(
        CHECKING + "".join(case(*each) for each in cases) + f"fn main() {{\n{main}}}\n",
        MANIFEST.replace("[dependencies]\n", '[dependencies]\nlibm = "=0.2.16"\n'),
    )
    bench.build(f"strategy={strategy}")
    subprocess.run([bench.output() / "bench"], check=True)
