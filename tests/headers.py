"""Random functions with random attributes, for the frontend to chew on: most are sensible, some are nonsense.

Everything follows from a seed.  Each function diverges, so that any result is fine.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

_SCALARS = ["f64", "f32", "f64", "Real", "core::primitive::f64"]
_OTHERS = ["usize", "bool", "char", "String", "Option<f64>", "Point", "()", "fn(f64) -> f64", "Vec<f64>", "Box<f64>", "Point"]
_INNER = ["f64", "f32", "[f64]", "[f32]", "[f64; 3]", "[[f32; 2]; 2]", "Vec<f64>", "Point", "(f64, f32)", "str", "[Vec<f64>]"]
_DYN = ["&dyn Fn(f64) -> f64", "&mut dyn FnMut(&f64)", "Box<dyn Fn(&[f64]) -> f64>", "&(dyn Energy + Send)"]
_IMPL = ["impl Fn(f64) -> f64", "impl Into<f64>", "&impl Energy", "&[impl Copy]", "impl Iterator<Item = impl Copy>"]
_NAMES = ["x", "y", "z", "r#type", "größe", "value_0", "result", "dret", "dx_0", "_unused", "f", "argument_1", "arg0", "shim"]
_PATTERNS = ["_", "mut {}", "(a_{}, _)", "ref {}"]
_RECEIVERS = ["&self", "&self", "&mut self", "self", "mut self", "self: Box<Self>", "self: &Self", "&'static self"]
_REVERSE = ["Active", "Duplicated", "Const", "DuplicatedOnly", "ActiveOnly"]
_FORWARD = ["Dual", "Const", "DualOnly", "Dualv", "DualvOnly"]
_NONSENSE = ["", "df", "df,", ", df", "df, Activ, Active", "1, df", "df, 0, Dual", "df, 2.5, Dual", "df = 3", '"df", Active']
_NONSENSE += [
    "df, Const(x), Active",
    "crate::df, Active",
    "df, Active Active",
    "df, [Active], Active",
    "df, &Active",
    "df, fn, x",
]

PRELUDE = """#![allow(warnings)]
use autodiff::*;
pub type Real = f64;
#[derive(Clone, Copy)]
pub struct Point { pub x: f64, pub y: f64 }
pub trait Energy { fn energy(&self) -> f64; }
"""


@dataclass(frozen=True)
class Item:
    """A function with its attributes, and what stands around it."""

    before: str
    attributes: tuple[str, ...]
    function: str
    after: str

    @property
    def source(self) -> str:
        """The item with its attributes."""
        return f"{self.before}{''.join(attribute + chr(10) for attribute in self.attributes)}{self.function}{self.after}\n"

    @property
    def plain(self) -> str:
        """The item without them."""
        return f"{self.before}{self.function}{self.after}\n"


def item(number: int, random: Random) -> Item:
    """The item of this number."""
    context = random.choice(["free", "free", "free", "module", "method", "method", "trait", "function"])
    generics, where, types = _generics(random)
    receiver = _receiver(random) if context in {"method", "trait"} else None
    inputs = [receiver] if receiver else []
    names = random.sample(_NAMES, k=random.choice([0, 1, 1, 2, 2, 3, 4]))
    inputs += [f"{_pattern(name, random)}: {_type(random, types)}" for name in names]
    if random.random() < 0.01:
        inputs += [f"more_{number}: {random.choice(_SCALARS)}" for number in range(60)]
    result = _result(random, types)
    qualifiers = random.choice(["", "", "", "", "", "unsafe ", "const ", 'extern "C" ', 'unsafe extern "C" ', "async "])
    visibility = "" if context == "trait" else random.choice(["", "pub ", "pub(crate) "])
    name = random.choice([f"f{number}", f"f{number}", f"r#f{number}", f"größe{number}"])
    body = ";" if context == "trait" and random.random() < 0.5 else " { loop {} }"
    head = f"{visibility}{qualifiers}fn {name}{generics}({', '.join(inputs)}){result}{where}"
    count = random.choice([1, 1, 1, 2, 3, 12 if random.random() < 0.1 else 1])
    attributes = tuple(_attribute(f"d{number}_{k}", inputs, result, random) for k in range(count))
    before, after = {
        "free": ("", ""),
        "module": (f"pub mod m{number} {{ use super::*;\n", "\n}"),
        "method": (f"pub struct S{number}<'s, U>(&'s [U]);\nimpl<'s, U: Copy> S{number}<'s, U> {{\n", "\n}"),
        "trait": (f"pub trait T{number} {{\n", "\n}"),
        "function": (f"pub fn outer{number}() {{\n", "\n}"),
    }[context]
    return Item(before, attributes, head + body, after)


def _generics(random: Random) -> tuple[str, str, list[str]]:
    """The list, the `where` clause, and the types that they add."""
    parameters, types = [], []
    if random.random() < 0.3:
        parameters.append("'a")
        types += ["&'a [f64]", "&'a mut [f32]"]
    if random.random() < 0.25:
        parameters.append(random.choice(["T", "T: Copy", "T: Into<f64> + Copy", "T: ?Sized + Energy"]))
        types += ["&T", "&mut T"] if "?" in parameters[-1] else ["T", "&[T]", "&mut T"]
    if random.random() < 0.2:
        parameters.append("const N: usize")
        types += ["&[f64; N]", "[f64; N]"]
    where = " where Real: Copy" if random.random() < 0.1 else ""
    return (f"<{', '.join(parameters)}>" if parameters else ""), where, types


def _receiver(random: Random) -> str | None:
    return random.choice(
        [None, "&self", "&self", "&mut self", "self", "mut self", "self: Box<Self>", "self: &Self", "&'static self"]
    )


def _pattern(name: str, random: Random) -> str:
    return random.choice(_PATTERNS).format(name.removeprefix("r#")) if random.random() < 0.15 else name


def _type(random: Random, types: list[str]) -> str:
    choice = random.random()
    if choice < 0.3:
        return random.choice(_SCALARS)
    if choice < 0.6:
        return random.choice(["&", "&mut ", "&", "*const ", "*mut "]) + random.choice(_INNER)
    if choice < 0.75 and types:
        return random.choice(types)
    if choice < 0.9:
        return random.choice(["({}, {})", "[{}; 2]", "{}"]).format(*random.choices(_SCALARS + _OTHERS, k=2))
    return random.choice(_DYN + _IMPL)


def _result(random: Random, types: list[str]) -> str:
    choice = random.random()
    if choice < 0.3:
        return ""
    if choice < 0.7:
        return f" -> {random.choice(_SCALARS)}"
    return f" -> {random.choice([*_OTHERS, *types, '!', '&f64', '[f64; 2]', '(f32, f64)', 'impl Copy', '()'])}"


def _attribute(name: str, inputs: list[str], result: str, random: Random) -> str:
    mode, words = random.choice([("reverse", _REVERSE), ("forward", _FORWARD)])
    if random.random() < 0.08:
        return f"#[autodiff_{mode}({random.choice(_NONSENSE).replace('df', name)})]"
    width = random.choice(["", "", "", "1, ", "2, ", "8, "])
    activities = [_activity(mode, taken, words, random) for taken in inputs]
    if result and result != " -> ()":
        activities.append(_activity(mode, result, words, random))
    if random.random() < 0.05:
        activities.append("Const")
    return f"#[autodiff_{mode}({', '.join([name, *activities]).replace(', ', f', {width}', 1)})]"


def _activity(mode: str, taken: str, words: list[str], random: Random) -> str:
    """Mostly one that fits."""
    if random.random() < 0.2:
        return random.choice(words)
    if mode == "forward":
        return random.choice(["Dual", "Dual", "Const", "DualOnly"])
    pointer = "&" in taken or ": *" in taken
    return random.choice(["Duplicated" if pointer else "Active", "Duplicated" if pointer else "Active", "Const"])
