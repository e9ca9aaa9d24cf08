//! Functions whose derivatives must have the very headers that `std::autodiff` gives them: one row each.
#![allow(dead_code)]
use autodiff::*;

// Reverse mode, scalars.
#[autodiff_reverse(r_scalar, Active, Active)]
fn scalar(x: f64) -> f64 { x }
#[autodiff_reverse(r_scalar_32, Active, Active)]
fn scalar_32(x: f32) -> f32 { x }
#[autodiff_reverse(r_scalars, Active, Active, Active, Active)]
#[autodiff_reverse(r_scalars_some, Active, Const, Active, Active)]
#[autodiff_reverse(r_scalars_result_const, Active, Const, Active, Const)]
#[autodiff_reverse(r_scalars_all_const, Const, Const, Const, Const)]
#[autodiff_reverse(r_scalars_only_result, Const, Const, Const, Active)]
#[autodiff_forward(f_scalars, Dual, Dual, Dual, Dual)]
#[autodiff_forward(f_scalars_width_1, 1, Dual, Dual, Dual, Dual)]
#[autodiff_forward(f_scalars_some, Dual, Const, Dual, Dual)]
#[autodiff_forward(f_scalars_result_const, Dual, Const, Dual, Const)]
#[autodiff_forward(f_scalars_width_2, 2, Dual, Const, Dual, Dual)]
#[autodiff_forward(f_scalars_width_2_result_const, 2, Dual, Const, Dual, Const)]
#[autodiff_forward(f_scalars_width_5, 5, Const, Const, Dual, Dual)]
fn scalars(x: f64, y: f32, z: f64) -> f64 { x * f64::from(y) * z }
#[autodiff_reverse(r_mut_argument, Active, Active)]
fn mut_argument(mut x: f64) -> f64 { x += 1.0; x }

// References.
#[autodiff_reverse(r_reference, Duplicated, Active)]
#[autodiff_reverse(r_reference_const, Const, Active)]
#[autodiff_forward(f_reference, Dual, Dual)]
#[autodiff_forward(f_reference_width_3, 3, Dual, Dual)]
pub fn reference(x: &f64) -> f64 { *x }
#[autodiff_reverse(r_slices, Duplicated, Duplicated, Const, Active)]
#[autodiff_forward(f_slices, Dual, Dual, Const, Dual)]
#[autodiff_forward(f_slices_width_2, 2, Dual, Dual, Const, Dual)]
pub(crate) fn slices(x: &[f64], y: &mut [f64], n: usize) -> f64 { y[n] = x[n]; y[n] }
#[autodiff_reverse(r_arrays, Duplicated, Duplicated)]
#[autodiff_forward(f_arrays, Dual, Dual)]
fn arrays(x: &[[f32; 2]; 3], y: &mut [f32; 6]) { y[0] = x[0][0]; }
#[autodiff_reverse(r_structs, Duplicated, Duplicated, Active)]
#[autodiff_forward(f_structs, Dual, Dual, Dual)]
fn structs(x: &Vec<f64>, y: &(f64, Option<f64>)) -> f64 { x[0] + y.0 }
#[autodiff_reverse(r_mixed, Active, Duplicated, Active, Duplicated, Active)]
fn mixed(x: f64, y: &[f64], z: f32, u: &mut Vec<f64>) -> f64 { u[0] = y[0]; x * f64::from(z) }
#[autodiff_reverse(r_lifetimes, Duplicated, Duplicated, Const)]
#[autodiff_forward(f_lifetimes, Dual, Dual, Const)]
fn lifetimes<'a, 'b: 'a>(x: &'a [f64], y: &'a mut &'b [f64]) -> &'a [f64] { *y = y; x }
#[autodiff_reverse(r_raw_name, Duplicated, Active)]
#[autodiff_forward(f_raw_name, Dual, Dual)]
fn raw_name(r#type: &[f64]) -> f64 { r#type[0] }

// Nothing returned: unsaid and said.
#[autodiff_reverse(r_nothing, Duplicated)]
#[autodiff_forward(f_nothing, Dual)]
#[autodiff_forward(f_nothing_width_2, 2, Dual)]
fn nothing(x: &mut [f64]) { x[0] = 1.0; }
#[autodiff_reverse(r_nothing_one_adjoint, Active, Duplicated, Const)]
#[autodiff_reverse(r_nothing_two_adjoints, Active, Duplicated, Active)]
#[autodiff_forward(f_nothing_scalars, Dual, Dual, Dual)]
fn nothing_scalars(x: f64, y: &mut f64, z: f64) { *y = x * z; }
#[autodiff_reverse(r_unit, Duplicated)]
#[autodiff_forward(f_unit, Dual)]
fn unit(x: &mut [f64]) -> () { x[0] = 1.0; }
#[autodiff_reverse(r_unit_one_adjoint, Active, Const)]
#[autodiff_reverse(r_unit_two_adjoints, Active, Active)]
#[autodiff_forward(f_unit_scalars, Dual, Dual)]
fn unit_scalars(_x: f64, _y: f64) -> () {}

// Constants of any type.
#[autodiff_reverse(r_constants, Const, Const, Const, Const, Active, Const)]
#[autodiff_forward(f_constants, Const, Const, Const, Const, Dual, Const)]
#[autodiff_forward(f_constants_width_2, 2, Const, Const, Const, Const, Dual, Const)]
fn constants(s: String, t: (f64, [f32; 2]), f: &dyn Fn(&f64) -> f64, g: fn(f64) -> f64, x: f64) -> Option<(String, f64)> {
    Some((s, f(&t.0) * g(x)))
}
#[autodiff_reverse(r_pointer, Const, Active, Active)]
#[autodiff_forward(f_pointer, Const, Dual, Dual)]
fn pointer(_p: *const f64, x: f64) -> f64 { x }
#[autodiff_forward(f_no_arguments, Dual)]
#[autodiff_reverse(r_no_arguments, Active)]
fn no_arguments() -> f64 { 1.0 }

// Attributes.
#[autodiff_reverse(r_inlined, Active, Active)]
#[inline(always)]
#[must_use]
fn inlined(x: f64) -> f64 { x }

fn main() {}
