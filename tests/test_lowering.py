"""The model of rustc's ABI against rustc: each type as an argument and as a result, by the header that rustc gives it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.abi.headers import Reader
from pipeline.abi.lowering import Lowered, Lowering
from pipeline.llvm import Module
from pipeline.toolchain import find_tools

pytestmark = pytest.mark.toolchain

RUSTC = Path(os.environ.get("CRATEGRAD_TEST_CARGO", "/usr/bin/cargo")).with_name("rustc")
TOOLS = find_tools()

DECLARED = """
#![crate_type = "lib"]
#![feature(f16, f128, portable_simd)]
use std::{cell::*, cmp::Ordering, collections::HashMap, convert::Infallible, marker::PhantomData, mem::*, num::NonZero};
use std::{ops::ControlFlow, rc::Rc, sync::Arc};
pub trait Curve { fn at(&self, x: f32) -> f32; }
pub struct Unit;
pub struct One { x: f32 }
pub struct Two { x: f32, y: f32 }
pub struct Three { x: f32, y: f32, z: f32 }
pub struct Mixed { n: u8, x: f64 }
pub struct Nested { x: f32, y: One }
pub struct Deep { x: Nested }
pub struct Padded { x: f32, n: u8, m: u8 }
pub struct Generic<T> { x: T, n: usize }
pub struct Marked { x: f64, of: PhantomData<f32> }
#[repr(C)] pub struct C1 { x: f32 }
#[repr(C)] pub struct C2 { x: f32, y: f32 }
#[repr(C)] pub struct C3 { n: u8, x: f64 }
pub struct HoldsC1 { x: f32, y: C1 }
#[repr(transparent)] pub struct Through { x: f64 }
#[repr(align(16))] pub struct Aligned { x: f32 }
#[repr(packed)] pub struct Packed { n: u8, x: f32 }
pub struct Array2 { x: [f32; 2] }
pub struct Array1 { x: [f64; 1] }
pub enum Single { Only }
pub enum Colour { Red, Green }
pub enum Numbered { Red = 1, Green = 2 }
#[repr(i8)] pub enum Signed { Red = 0, Green = 1 }
pub enum Many { A, B, C, D }
pub enum Sum { A(f32), B(f32) }
pub enum Unlike { A(f32), B(u32) }
pub enum Like { A(i32), B(u32) }
pub enum Pointed<'a> { A(&'a f32), B(usize) }
pub enum Wide { A(f64, f64), B }
pub enum Bytes { A(u8), B(bool) }
pub enum Lone { A(f32) }
#[repr(u8)] pub enum Tagged { A(f32), B }
#[repr(C)] pub enum OfC { A(f32), B }
pub union Both { x: f32, n: f32 }
pub union Either { x: f32, n: u32 }
#[repr(C)] pub union CUnion { x: f32, y: f32 }
"""

UNTOLD = {"C1", "HoldsC1", "Option<C1>", "CUnion", "Numbered", "Signed"}
"""Where debug info does not tell, and the likely lowering is not the one."""

TYPES = """
    f32 | f64 | f16 | f128 | bool | char | u8 | i16 | u32 | i64 | usize | u128 | ()
    &'static f32 | &'static mut f64 | *const f32 | &'static [f64] | &'static str | &'static dyn Curve | Box<dyn Curve>
    Box<f64> | Box<[f64]> | Vec<f64> | String | Rc<f64> | Arc<[f64]> | fn(f32) -> f32 | &'static [f32; 2] | &'static Unit
    (f32,) | (f32, f32) | (f64, f64) | (f32, u8) | (u8, f32) | (bool, bool) | (f32, f32, f32) | (f64, f64, f64)
    (u128, f32)
    (f32, ()) | ((f32, f32), ()) | ((f32, f32), f32) | (&'static f32, &'static f32) | (&'static [f32], f32) | ([f32; 2],)
    (char, f16)
    [f32; 0] | [f32; 1] | [f32; 2] | [f32; 3] | [f64; 1] | [f64; 2] | [f64; 3] | [u8; 3] | [u8; 5] | [[f32; 1]; 2]
    [bool; 1] | [(); 4]
    Unit | One | Two | Three | Mixed | Nested | Deep | Padded | Generic<f32> | Generic<f64> | Generic<()>
    Generic<[f32; 2]> | Marked
    C1 | C2 | C3 | HoldsC1 | Through | Aligned | Packed | Array2 | Array1
    Single | Colour | Numbered | Signed | Many | Sum | Unlike | Like | Pointed<'static> | Wide | Bytes | Lone | Tagged
    OfC | Ordering
    Option<f32> | Option<f64> | Option<u8> | Option<bool> | Option<char> | Option<Colour> | Option<&'static f32>
    Option<()>
    Option<Box<f64>> | Option<&'static [f64]> | Option<(f32, f32)> | Option<(bool, u32)> | Option<(f32, bool)>
    Option<Option<f32>>
    Option<Option<bool>> | Option<[f32; 1]> | Option<One> | Option<C1> | Option<NonZero<u32>> | Option<fn(f32) -> f32>
    Option<Vec<f64>>
    Option<u128> | Option<Unit> | Option<Infallible>
    Result<f32, ()> | Result<f64, f64> | Result<f32, u32> | Result<u32, i32> | Result<(), f32> | Result<f64, Infallible>
    Result<f64, String> | Result<Box<f64>, usize> | ControlFlow<f32, f32> | Result<bool, u8> | Result<u8, [u8; 1]>
    Both | Either | CUnion | MaybeUninit<f32> | MaybeUninit<bool> | MaybeUninit<[f32; 2]> | ManuallyDrop<f64>
    NonZero<u64> | PhantomData<f64> | Cell<f64> | RefCell<f64> | HashMap<u8, f64> | std::ops::Range<f64>
    std::time::Duration
    std::simd::f32x4 | core::arch::x86_64::__m128d
"""

NAMES = [name.strip() for line in TYPES.strip().splitlines() for name in line.split("|")]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    folder = tmp_path_factory.mktemp("types")
    functions = "".join(
        f"#[inline(never)] pub fn take{number}(x: {ty}) {{ std::mem::forget(x) }}\n"
        f"#[inline(never)] pub fn give{number}(x: &mut Option<{ty}>) -> {ty} {{ x.take().unwrap() }}\n"
        for number, ty in enumerate(NAMES)
    )
    (folder / "types.rs").write_text(DECLARED + functions)
    options = ["--edition=2024", "-Cdebuginfo=2", "-Copt-level=0", "-Ccodegen-units=1", "--cap-lints=allow", "--emit=llvm-bc"]
    environment = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
    subprocess.run([RUSTC, *options, folder / "types.rs", "-o", folder / "types.bc"], env=environment, check=True)
    with Module(TOOLS.libllvm, folder / "types.bc") as module:
        yield Reader(module)


def find(reader: Reader, name: str) -> int:
    (function,) = (function for function in reader.functions.values() if reader.path(function) == f"types::{name}")
    return function


@pytest.mark.parametrize("ty", NAMES)
def test_argument_is_passed_as_the_model_says(reader: Reader, ty: str) -> None:
    function = find(reader, f"take{NAMES.index(ty)}")
    signature = reader.signature(function)
    assert signature is not None
    ((name, node),) = signature[1]
    assert name == "x"
    modelled = [tuple(word.llvm for word in way.words) for way in Lowering(reader.module).argument(node, name)]
    assert reader.header(function).parameters in (modelled if ty in UNTOLD else modelled[:1])


@pytest.mark.parametrize("ty", NAMES)
def test_result_is_returned_as_the_model_says(reader: Reader, ty: str) -> None:
    function = find(reader, f"give{NAMES.index(ty)}")
    signature = reader.signature(function)
    assert signature is not None
    modelled = [returned(way) for way in Lowering(reader.module).result(signature[0], "result")]
    header = reader.header(function)
    assert ("sret" if header.sret else header.result) in (modelled if ty in UNTOLD else modelled[:1])


def returned(way: Lowered) -> str:
    if way.kind == "sret":
        return way.kind
    types = [word.llvm for word in way.words]
    return "void" if not types else types[0] if len(types) == 1 else f"{{ {', '.join(types)} }}"
