"""The types of parameters, as rustc itself describes them in debug info."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from pipeline.analyses.debug_info import Leaf, parameter_types, pointee_leaves
from pipeline.llvm import Module
from pipeline.toolchain import find_tools

pytestmark = pytest.mark.toolchain

RUSTC = Path(os.environ.get("CRATEGRAD_TEST_CARGO", "/usr/bin/cargo")).with_name("rustc")
TOOLS = find_tools()

TYPES = {
    "f32": [Leaf("x", "f32", "float")],
    "Real": [Leaf("x", "f64", "float")],
    "(f64, [f32; 2])": [Leaf("x.0", "f64", "float"), Leaf("x.1[_]", "f32", "float")],
    "[[f64; 2]; 3]": [Leaf("x[_][_]", "f64", "float")],
    "Point<f64>": [Leaf("x.x", "f64", "float"), Leaf("x.n", "usize", "number")],
    "Wrapped": [Leaf("x.0.x", "f32", "float"), Leaf("x.0.n", "usize", "number")],
    "MaybeUninit<(f64, bool)>": [Leaf("x.0", "f64", "float"), Leaf("x.1", "bool", "number")],
    "()": [],
    "PhantomData<f64>": [],
    "&'static f64": [Leaf("x", "&f64", "pointer")],
    "*mut f64": [Leaf("x", "*mut f64", "pointer")],
    "fn(f64) -> f64": [Leaf("x", "fn(f64) -> f64", "pointer")],
    "Option<f64>": [Leaf("x", "Option<f64>", "enum")],
    "Colour": [Leaf("x", "Colour", "enum")],
    "Both": [Leaf("x", "Both", "union")],
    "NonZero<u32>": [Leaf("x", "NonZero<u32>", "nonzero")],
}

SOURCE = """
#![crate_type = "lib"]
use std::{marker::PhantomData, mem::MaybeUninit, num::NonZero};
pub type Real = f64;
pub struct Point<T> { pub x: T, pub n: usize }
pub struct Wrapped(pub Point<f32>);
pub enum Colour { Red, Green }
pub union Both { x: f64, n: u64 }
"""


def compiled(folder: Path, source: str, types: Iterable[str]) -> Path:
    """A module with a function for each of the types, which is `f0`, `f1` … and takes a float and one of those, by pointer."""
    functions = "".join(
        f'#[unsafe(no_mangle)] pub extern "C" fn f{number}(_: &f64, x: &{ty}) {{ std::hint::black_box(x); }}\n'
        for number, ty in enumerate(types)
    )
    (folder / "types.rs").write_text(source + functions)
    options = ["--edition=2024", "-g", "-Copt-level=1", "-Ccodegen-units=1", "--cap-lints=allow", "--emit=llvm-bc"]
    subprocess.run([RUSTC, *options, folder / "types.rs", "-o", folder / "types.bc"], check=True)
    return folder / "types.bc"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Module]:
    with Module(TOOLS.libllvm, compiled(tmp_path_factory.mktemp("types"), SOURCE, TYPES)) as module:
        yield module


@pytest.mark.parametrize("ty", TYPES)
def test_type_is_taken_apart(module: Module, ty: str) -> None:
    name = f"f{list(TYPES).index(ty)}"
    (function,) = (function for function in module.functions() if module.name(function) == name)
    first, second = parameter_types(module, function)
    assert list(pointee_leaves(module, first, "y")) == [Leaf("y", "f64", "float")]
    assert list(pointee_leaves(module, second, "x")) == TYPES[ty]


def test_what_is_no_pointer_is_not_known(module: Module) -> None:
    assert list(pointee_leaves(module, 0, "x")) == [Leaf("x", "", "unknown")]
