"""Memory on the stack that holds floats at times, and pointers or lengths at others."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pipeline.repairs import unions
from tests.test_repairs import mended
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

# Of 8 bytes a length or a pointer, where elements of another length begin.
MODULE = """
declare void @strange(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define internal void @grow(ptr %all, ptr %heap) {{
  %inside = getelementptr i8, ptr %all, i64 8
  store i64 4, ptr %all
  store ptr %heap, ptr %inside
  ret void
}}
define double @shim(ptr %x, i64 %i, i64 %n, ptr %other) {{
  %all = alloca [32 x i8], align 8
  %inside = getelementptr i8, ptr %all, i64 8
  store i64 0, ptr %all
  {more}
  %length = load i64, ptr %all
  %is_short = icmp ult i64 %length, 3
  br i1 %is_short, label %short, label %long
short:
  %place = getelementptr double, ptr %all, i64 %i
  %value = load double, ptr %x
  store double %value, ptr %place
  br label %out
long:
  %heap = load ptr, ptr %inside
  br label %out
out:
  %elements = phi ptr [ %all, %short ], [ %heap, %long ]
  %element = getelementptr double, ptr %elements, i64 %i
  %result = load double, ptr %element
  ret double %result
}}
"""


@pytest.mark.parametrize(
    ("more", "is_parted"),
    [
        ("", True),
        ("call void @grow(ptr %all, ptr %x)", True),
        ("call void @llvm.memset.p0.i64(ptr %all, i8 0, i64 32, i1 false)", True),
        ("call void @strange(ptr %all)", False),
        ("%word = load i64, ptr %inside\n  store i64 %word, ptr %other", False),
        ("%bits = bitcast i64 %n to double\n  store double %bits, ptr %all", False),
        ("store double 1.5e-323, ptr %all", False),
        ("store i64 4607182418800017408, ptr %all", False),
        ("%word = load i64, ptr %all\n  %float = bitcast i64 %word to double\n  store double %float, ptr %other", False),
        ("%number = load double, ptr %all\n  %word = bitcast double %number to i64\n  store i64 %word, ptr %other", False),
    ],
    ids=[
        "read and written",
        "handed to a function",
        "zeroed",
        "handed to a stranger",
        "a word that may be either is moved",
        "a float is the bits of an integer",
        "a float is a small integer",
        "an integer may be a float",
        "an integer becomes a float",
        "a float becomes an integer",
    ],
)
def test_what_is_no_float_has_memory_of_its_own(tmp_path: Path, more: str, is_parted: bool) -> None:
    assert parted(tmp_path, MODULE.format(more=more)) == (["unions: 1 in shim"] if is_parted else [])


def test_a_struct_whose_fields_are_apart_stays_as_it_is(tmp_path: Path) -> None:
    apart = MODULE.format(more="").replace("getelementptr double, ptr %all, i64 %i", "getelementptr i8, ptr %all, i64 24")
    assert parted(tmp_path, apart.replace("[ %all, %short ]", "[ %x, %short ]")) == []


def parted(folder: Path, module: str) -> list[str]:
    """What the repair says that it did."""
    done: list[str] = []
    mended(folder, module, lambda editor, shims: done.extend(unions.part(editor, shims)))
    return done


PROGRAM = """\
use autodiff::*;
use std::mem::{ManuallyDrop, MaybeUninit};

/// Up to four numbers in place; of more, where they are and how many.
union Place {
    inside: [MaybeUninit<f64>; 4],
    outside: ManuallyDrop<(*mut f64, usize)>,
}

struct Small {
    place: Place,
    most: usize,
}

impl Small {
    fn new() -> Self {
        Small { place: Place { inside: [MaybeUninit::uninit(); 4] }, most: 0 }
    }
    fn numbers(&self) -> &[f64] {
        unsafe {
            if self.most <= 4 {
                std::slice::from_raw_parts(self.place.inside.as_ptr().cast(), self.most)
            } else {
                std::slice::from_raw_parts(self.place.outside.0, self.place.outside.1)
            }
        }
    }
    #[inline(never)]
    fn spill(&mut self) {
        let mut all = ManuallyDrop::new(Vec::with_capacity(64));
        all.extend_from_slice(self.numbers());
        self.place.outside = ManuallyDrop::new((all.as_mut_ptr(), all.len()));
        self.most = 64;
    }
    fn push(&mut self, x: f64) {
        if self.most == 4 {
            self.spill();
        }
        unsafe {
            if self.most < 4 {
                self.place.inside[self.most].write(x);
                self.most += 1;
            } else {
                let (at, len) = *self.place.outside;
                at.add(len).write(x);
                self.place.outside = ManuallyDrop::new((at, len + 1));
            }
        }
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        if self.most > 4 {
            drop(unsafe { Vec::from_raw_parts(self.place.outside.0, self.place.outside.1, 64) });
        }
    }
}

#[autodiff_reverse(reverse, Duplicated, Active)]
#[autodiff_forward(forward, Dual, Dual)]
fn f(x: &[f64]) -> f64 {
    let mut all = Small::new();
    x.iter().for_each(|x| all.push(x * x));
    all.numbers().iter().enumerate().map(|(i, x)| x * x * (i + 1) as f64).sum()
}

fn main() {
    for n in [1, 4, 5, 40] {
        let x: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7 + 1.0).sin()).collect();
        let mut dx = vec![0.0; n];
        reverse(&x, &mut dx, 1.0);
        for at in 0..n {
            let right = 4.0 * x[at].powi(3) * (at + 1) as f64;
            let tangent = forward(&x, &(0..n).map(|i| f64::from(i == at)).collect::<Vec<_>>()).1;
            for got in [dx[at], tangent] {
                assert!((got - right).abs() <= 1e-13 * right.abs().max(1.0), "{n}, {at}: {got}, not {right}");
            }
        }
    }
}
"""


def test_a_vector_that_keeps_few_numbers_in_place(bench: Workbench) -> None:
    """By closed form, to 1e-13 relative, absolute below 1; few numbers and many."""
    bench.write(PROGRAM)
    bench.build()
    subprocess.run([bench.output() / "bench"], check=True)


MOVED = """\
use autodiff::*;

enum Row {
    Few([f64; 3], usize),
    Many(Vec<f64>),
}

#[autodiff_reverse(reverse, Duplicated, Active)]
fn f(x: &[f64]) -> f64 {
    let mut row = Row::Few([0.0; 3], 0);
    for &x in x {
        row = match row {
            Row::Few(mut all, n) if n < 3 => {
                all[n] = x * x;
                Row::Few(all, n + 1)
            }
            Row::Few(all, _) => Row::Many(all.to_vec()),
            row => row,
        };
    }
    match &row {
        Row::Few(all, n) => all[..*n].iter().map(|x| x * x).sum(),
        Row::Many(all) => all.iter().sum(),
    }
}

fn main() {
    println!("{}", reverse(&[1.0, 2.0], &mut [0.0; 2], 1.0));
}
"""


def test_a_float_that_is_moved_as_a_pointer_is_refused(bench: Workbench) -> None:
    """The second number lies where the pointer of the `Vec` does: it had a gradient of 0."""
    bench.write(MOVED)
    refused = bench.doit("build")
    assert refused.returncode == 1
    assert (
        "what may be a float is moved as a pointer here, and its derivative would be lost\n  --> src/main.rs:" in refused.stderr
    )


# Three enums, of which the first has a float; the one that is picked is moved as two floats, be its first word a number.
PICKED = """
define void @shim(i64 %i, ptr %out, ptr %kept) {{
  %all = alloca [48 x i8], align 8
  %payload = getelementptr i8, ptr %all, i64 8
  %second = getelementptr i8, ptr %all, i64 16
  %third = getelementptr i8, ptr %all, i64 32
  store i64 0, ptr %all
  store double 1.0e-1, ptr %payload
  store i64 1, ptr %second
  store i64 2, ptr %third
  %picked = getelementptr [16 x i8], ptr %all, i64 %i
  {more}
  %tag = load double, ptr %picked
  store double %tag, ptr %out
  ret void
}}
"""


@pytest.mark.parametrize(
    "more", ["", "%number = load i64, ptr %picked\n  %size = getelementptr i8, ptr %kept, i64 %number\n  store i8 0, ptr %size"]
)
def test_what_nobody_reads_as_it_is_stored_is_not_parted(tmp_path: Path, more: str) -> None:
    """A float that is read where only numbers are stored is one of these, and moved."""
    assert parted(tmp_path, PICKED.format(more=more)) == []
