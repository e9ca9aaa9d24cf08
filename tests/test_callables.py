"""Which types lead to what can be called, as rustc itself describes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.analyses.callables import are_given, keeping
from pipeline.llvm import Module
from pipeline.llvm_inspect import Inspector
from tests.test_debug_info import TOOLS, compiled

pytestmark = pytest.mark.toolchain

PLAIN = [
    "f64",
    "(&str, String, Box<str>, &[u8], Arc<str>)",
    "Vec<Vec<f64>>",
    "Option<Box<[Rc<[f64]>]>>",
    "HashMap<String, BTreeMap<u8, VecDeque<f64>>>",
    "Rc<RefCell<Vec<Body>>>",
    "List",
    "AtomicPtr<f64>",
    "std::slice::Iter<'static, f64>",
    "(&(), PhantomData<fn(f64)>)",
]
LEADING = [
    "fn(f64) -> f64",
    'Option<extern "C" fn(f64) -> f64>',
    "Box<dyn Fn(f64) -> f64>",
    "Vec<Rc<dyn Shape>>",
    "HashMap<String, fn(f64) -> f64>",
    "BTreeMap<u8, Mutex<Vec<Box<dyn Shape>>>>",
    "Body<Box<dyn Shape>>",
    "(f64, Layers)",
    "MaybeUninit<[&'static dyn Shape; 2]>",
    "*const ()",
    "NonNull<u8>",
    "(f64, *mut c_void)",
    "Arena",
]

SOURCE = """
#![crate_type = "lib"]
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::{Arc, Mutex, atomic::{AtomicPtr, AtomicU64}};
pub trait Shape { fn area(&self) -> f64; }
pub struct Body<T = f64> { pub of: Vec<T>, pub name: &'static str }
pub struct List { pub value: f64, pub next: Option<Box<List>> }
pub enum Layers { None, One(Body), Both { first: f64, second: &'static mut dyn Shape } }
pub struct Arena { pub begin: *mut u8, pub used: usize }
#[unsafe(no_mangle)] pub static COUNT: AtomicU64 = AtomicU64::new(0);
#[unsafe(no_mangle)] pub static WEIGHTS: Mutex<Vec<f64>> = Mutex::new(Vec::new());
#[unsafe(no_mangle)] pub static RULES: Mutex<Vec<fn(f64) -> f64>> = Mutex::new(Vec::new());
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Module]:
    with Module(TOOLS.libllvm, compiled(tmp_path_factory.mktemp("types"), SOURCE, [*PLAIN, *LEADING])) as module:
        yield module


@pytest.mark.parametrize("ty", [*PLAIN, *LEADING])
def test_type_leads_to_what_can_be_called(module: Module, ty: str) -> None:
    (shim,) = module.named([f"f{[*PLAIN, *LEADING].index(ty)}"])
    assert are_given(Inspector(module), shim) is (ty in LEADING)


@pytest.mark.parametrize(("name", "leads"), [("COUNT", False), ("WEIGHTS", False), ("RULES", True)])
def test_variable_leads_to_what_can_be_called(module: Module, name: str, leads: bool) -> None:
    (variable,) = module.globals_named(name)
    assert bool(keeping(module, [variable])) is leads


UNTYPED = {
    "_RNvNCNKNvNtNtCseWHQU5pqbdA_3std2io5stdio14OUTPUT_CAPTURE00": False,
    "_RNvNCNKNvNvMNtNtCseWHQU5pqbdA_3std4hash6randomNtBa_11RandomState3new4KEYS0s_0": False,
    "_RNvNvXs1_NtCseWHQU5pqbdA_5alloc5boxedINtB7_3BoxdENtB5_5Value4over4KEPT": False,
    "_ZN3std2io5stdio19OUTPUT_CAPTURE_USED17h0123456789abcdefE": False,
    "_RNvCs8A4icYPJPDU_5bench4RULE": True,
    "_RNvNvXs_Cs8A4icYPJPDU_5benchNtNtCseWHQU5pqbdA_5alloc6string6StringNtB4_3One4over4KEPT": True,
    "_ZN5bench4RULE17h0123456789abcdefE": True,
    "rule": True,
}


@pytest.mark.parametrize(("name", "leads"), UNTYPED.items())
def test_of_variables_without_a_type_only_stds_lead_to_nothing(tmp_path: Path, name: str, leads: bool) -> None:
    (tmp_path / "module.ll").write_text("".join(f"@{name} = external global ptr\n" for name in UNTYPED))
    with Module(TOOLS.libllvm, tmp_path / "module.ll") as module:
        assert bool(keeping(module, module.globals_named(name))) is leads
