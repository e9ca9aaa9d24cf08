"""Vectors that go between functions for different processors."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pipeline import wide_vectors
from tests.test_repairs import mended
from tests.workbench import Workbench

pytestmark = pytest.mark.toolchain

PROGRAM = """\
use autodiff::*;

/// What is overwritten is kept for the reverse sweep, as vectors of 256 bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
#[inline(never)]
fn step(x: &mut [f64; 8]) {
    use std::arch::x86_64::*;
    unsafe {
        let (a, b) = (_mm256_loadu_pd(x.as_ptr()), _mm256_loadu_pd(x.as_ptr().add(4)));
        _mm256_storeu_pd(x.as_mut_ptr(), _mm256_fmadd_pd(a, b, a));
        _mm256_storeu_pd(x.as_mut_ptr().add(4), _mm256_fnmadd_pd(b, b, a));
    }
}

#[inline(never)]
fn step_of_any(x: &mut [f64; 8]) {
    for i in 0..4 {
        let (a, b) = (x[i], x[i + 4]);
        x[i] = a * b + a;
        x[i + 4] = a - b * b;
    }
}

#[autodiff_reverse(d_steps, Duplicated, Active)]
#[autodiff_forward(f_steps, Dual, Dual)]
fn steps(x: &[f64; 8]) -> f64 {
    let mut x = *x;
    for _ in 0..3 {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            unsafe { step(&mut x) };
            continue;
        }
        step_of_any(&mut x);
    }
    x.iter().enumerate().map(|(i, x)| (i + 1) as f64 * x).sum()
}

#[autodiff_reverse(d_plain, Duplicated, Active)]
fn plain(x: &[f64; 8]) -> f64 {
    let mut x = *x;
    (0..3).for_each(|_| step_of_any(&mut x));
    x.iter().enumerate().map(|(i, x)| (i + 1) as f64 * x).sum()
}

/// What only this processor has an instruction for; LLVM would inline it into nothing that is for any.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
fn blended(x: &[f64; 8]) -> f64 {
    use std::arch::x86_64::*;
    let mut out = [0.0; 4];
    unsafe {
        let (a, b) = (_mm256_loadu_pd(x.as_ptr()), _mm256_loadu_pd(x.as_ptr().add(4)));
        _mm256_storeu_pd(out.as_mut_ptr(), _mm256_blendv_pd(a, b, _mm256_cmp_pd(a, b, _CMP_LT_OQ)));
    }
    out.iter().map(|x| x * x).sum()
}

#[autodiff_reverse(d_larger, Duplicated, Active)]
fn larger(x: &[f64; 8]) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx") {
        return unsafe { blended(x) };
    }
    (0..4).map(|i| x[i].max(x[i + 4]).powi(2)).sum()
}

fn main() {
    let x = [0.3, -0.4, 0.7, 0.2, 0.6, -0.1, 0.5, 0.9];
    let (mut dx, mut right) = ([0.0; 8], [0.0; 8]);
    d_steps(&x, &mut dx, 1.0);
    d_plain(&x, &mut right, 1.0);
    let mut of_larger = [0.0; 8];
    d_larger(&x, &mut of_larger, 1.0);
    assert_eq!(of_larger, [0.0, 0.0, 1.4, 0.0, 1.2, -0.2, 0.0, 1.8]);
    for at in 0..8 {
        let tangent = f_steps(&x, &std::array::from_fn(|i| f64::from(i == at))).1;
        for got in [dx[at], tangent] {
            assert!((got - right[at]).abs() < 1e-13 * right[at].abs().max(1.0), "{at}: {got}, not {}", right[at]);
        }
    }
}
"""


def test_what_such_a_function_keeps_for_the_reverse_sweep_comes_back(bench: Workbench) -> None:
    """As without vectors, to 1e-13 relative, absolute below 1."""
    bench.write(PROGRAM)
    bench.build()
    subprocess.run([bench.output() / "bench"], check=True)


MODULE = """
define internal {{ ptr, {vector} }} @keeps(ptr %x) {processor} {{
  %value = load {vector}, ptr %x, align 8
  %kept = insertvalue {{ ptr, {vector} }} poison, {vector} %value, 1
  ret {{ ptr, {vector} }} %kept
}}
define internal void @reads({vector} %kept, ptr %x) {processor} {{
  store {vector} %kept, ptr %x, align 8
  ret void
}}
define void @shim(ptr %x) {{
  %both = call {{ ptr, {vector} }} @keeps(ptr %x)
  %kept = extractvalue {{ ptr, {vector} }} %both, 1
  call void @reads({vector} %kept, ptr %x)
  ret void
}}
attributes #0 = {{ "target-features"="+avx2" }}
"""


@pytest.mark.parametrize(
    ("vector", "processor", "is_mended"),
    [("<4 x double>", "#0", True), ("<2 x double>", "#0", False), ("<4 x double>", "", False)],
    ids=["wide", "narrow", "for the same processor"],
)
def test_it_goes_by_memory(tmp_path: Path, vector: str, processor: str, is_mended: bool) -> None:
    module = MODULE.format(vector=vector, processor=processor)
    text = mended(tmp_path, module, lambda editor, _: wide_vectors.pass_by_pointer(editor))
    assert ("@keeps.by_pointer(ptr" in text) == is_mended
    assert ("@reads.by_pointer(ptr" in text) == is_mended
