"""C's mathematical functions as the crate `libm` has them, written in Rust: which is which, by rustc's names for them."""

from __future__ import annotations

import re

WORD = b"4libm4math"
"""In the name of each."""

EXACT = ("sqrt", "fabs", "ceil", "floor", "trunc", "rint", "round", "roundeven", "copysign", "fma")
"""Those of which one result is right, by the names that LLVM has for them, too."""

APPROXIMATE = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "pow", "cbrt", "hypot", "fdim", "fmax", "fmin", "fmod"),
    *("erf", "erfc", "j0", "j1", "jn", "y0", "y1", "yn", "remainder", "ldexp", "scalbn"),
)
"""The others, of which Enzyme knows the derivative by C's name."""

PAIRS = ("sincos", "sincosf")
"""Those that give a sine and a cosine."""

_UNKNOWN = ("exp10f", "remainderf")
"""Of these it knows none."""
EVERY = sorted({name for base in (*EXACT, *APPROXIMATE) for name in (base, f"{base}f")}.difference(_UNKNOWN))
"""All of these, for `f64` and for `f32`."""
_ONE = "|".join(f"{len(name)}{name}" for name in (*EVERY, *PAIRS))
_PATH = r"4libm4math\d+[a-z0-9_]+?"
_NAME = rf"(?:_RNvNtNtCs[0-9A-Za-z]+_{_PATH}(?:{_ONE})|_ZN{_PATH}(?:{_ONE})17h[0-9a-f]{{16}}E)(?:\.\d+)?"
NAMES = re.compile(_NAME.encode())
"""By either of rustc's manglings; of those that several codegen units have each for itself LLVM numbers all but one."""
_LAST = re.compile(rf"{_PATH}({_ONE})(?:17h[0-9a-f]{{16}}E)?(?:\.\d+)?$")


def c_name(name: str) -> str:
    """C's name for the function of this name; empty for another."""
    found = _LAST.search(name) if re.fullmatch(_NAME, name) else None
    return found[1].lstrip("0123456789") if found else ""
