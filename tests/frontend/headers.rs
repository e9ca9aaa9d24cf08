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

// The activities that leave something out, and those of one slice for all directions.
#[autodiff_reverse(r_only_shadow, DuplicatedOnly, Const, Active)]
#[autodiff_reverse(r_only_seed, Duplicated, Const, ActiveOnly)]
#[autodiff_reverse(r_only_both, DuplicatedOnly, Duplicated, ActiveOnly)]
#[autodiff_reverse(r_only_wide, 2, DuplicatedOnly, Const, ActiveOnly)]
#[autodiff_forward(f_only_shadow, DualOnly, Const, Dual)]
#[autodiff_forward(f_only_tangent, Dual, Const, DualOnly)]
#[autodiff_forward(f_only_both, DualOnly, Dual, DualOnly)]
#[autodiff_forward(f_only_width_1, 1, DualOnly, Const, DualOnly)]
#[autodiff_forward(f_only_width_3, 3, DualOnly, Const, DualOnly)]
#[autodiff_forward(f_only_width_3_dual, 3, Dual, DualOnly, Dual)]
#[autodiff_forward(f_only_result_const, 3, DualOnly, DualOnly, Const)]
#[autodiff_forward(f_v, Dualv, Const, Dual)]
#[autodiff_forward(f_v_result, Dualv, Dualv, Dualv)]
#[autodiff_forward(f_v_width_2, 2, Dualv, Dualv, Dual)]
#[autodiff_forward(f_v_width_2_some, 2, Dualv, Dual, Dual)]
#[autodiff_forward(f_v_width_4_const, 4, Dualv, Const, Const)]
#[autodiff_forward(f_v_width_4_only, 4, Dualv, Const, DualOnly)]
#[autodiff_forward(f_v_only, DualvOnly, Const, DualvOnly)]
#[autodiff_forward(f_v_only_width_4, 4, DualvOnly, Dualv, DualvOnly)]
#[autodiff_forward(f_v_only_width_4_unsafe, 4, DualvOnly, DualOnly, DualvOnly)]
pub fn leaves_out(x: &[f64], y: &mut [f64]) -> f64 { y[0] = x[0]; x[0] }
#[autodiff_reverse(r_active_only, Active, ActiveOnly)]
#[autodiff_reverse(r_active_only_const, Const, ActiveOnly)]
#[autodiff_forward(f_scalar_only, Dual, DualOnly)]
#[autodiff_forward(f_scalar_only_argument, DualOnly, Dual)]
#[autodiff_forward(f_scalar_only_width_2, 2, DualOnly, DualOnly)]
fn scalar_only(x: f32) -> f32 { x }
#[autodiff_reverse(r_active_only_two, Active, Const, Active, ActiveOnly)]
#[autodiff_reverse(r_active_only_mixed, Active, Duplicated, Const, ActiveOnly)]
#[autodiff_reverse(r_active_only_three, Active, DuplicatedOnly, Active, ActiveOnly)]
fn active_only_several(x: f64, y: &f64, z: f32) -> f64 { x * y * f64::from(z) }
#[autodiff_forward(f_nothing_only, DualOnly)]
#[autodiff_forward(f_nothing_only_width_3, 3, DualOnly)]
#[autodiff_forward(f_nothing_v, 3, Dualv)]
#[autodiff_reverse(r_nothing_only, DuplicatedOnly)]
fn nothing_left_out(x: &mut [f64]) { x[0] = 1.0; }

// Several adjoints at once.
#[autodiff_reverse(r_width_1, 1, Duplicated, Duplicated)]
#[autodiff_reverse(r_width_2, 2, Duplicated, Duplicated)]
#[autodiff_reverse(r_width_3_some, 3, Duplicated, Const)]
#[autodiff_reverse(r_width_8, 8, DuplicatedOnly, Duplicated)]
#[autodiff_forward(f_width_8, 8, Dual, Dual)]
#[autodiff_forward(f_width_16, 16, Dual, Const)]
fn several(x: &[f32], y: &mut [f32; 4]) { y[0] = x[0]; }
#[autodiff_reverse(r_width_2_seed, 2, Duplicated, Active)]
#[autodiff_reverse(r_width_2_no_seed, 2, Duplicated, Const)]
#[autodiff_reverse(r_width_2_const, 2, Const, Active)]
fn several_of_one_seed(x: &f64) -> f64 { *x }

// Pointers.
#[autodiff_reverse(r_pointers, Duplicated, Duplicated, Active)]
#[autodiff_reverse(r_pointers_some, Duplicated, Const, Const)]
#[autodiff_reverse(r_pointers_only, DuplicatedOnly, Duplicated, ActiveOnly)]
#[autodiff_reverse(r_pointers_wide, 2, Duplicated, Duplicated, Const)]
#[autodiff_forward(f_pointers, Dual, Dual, Dual)]
#[autodiff_forward(f_pointers_wide, 2, Dual, DualOnly, Dual)]
unsafe fn pointers(x: *const f64, y: *mut [f64; 2]) -> f64 { unsafe { (*y)[0] = *x; *x } }

// Values of more than one number.
struct Point { x: f64, y: f64 }
type Real = f64;
#[autodiff_reverse(r_values, Active, Active, Active, Active)]
#[autodiff_reverse(r_values_some, Const, Active, Const, Active)]
#[autodiff_reverse(r_values_only, Active, Active, Active, ActiveOnly)]
#[autodiff_reverse(r_values_result_const, Active, Active, Active, Const)]
#[autodiff_forward(f_values, Dual, Dual, Dual, Dual)]
#[autodiff_forward(f_values_some, Dual, Const, Dual, DualOnly)]
#[autodiff_forward(f_values_width_2, 2, Dual, Dual, Dual, Dual)]
#[autodiff_forward(f_values_width_2_only, 2, DualOnly, Dual, Dual, DualOnly)]
#[autodiff_forward(f_values_result_const, Dual, Dual, Dual, Const)]
fn values(p: Point, a: [f64; 3], t: (f32, Real)) -> Point { Point { x: p.x * a[0], y: t.1 + f64::from(t.0) * p.y } }
#[autodiff_reverse(r_alias, Active, Active)]
#[autodiff_forward(f_alias, Dual, Dual)]
#[autodiff_forward(f_alias_width_2, 2, Dual, Dual)]
fn alias(x: Real) -> Real { x }
#[autodiff_reverse(r_tuple, Active, Active)]
#[autodiff_forward(f_tuple, Dual, Dual)]
#[autodiff_forward(f_tuple_width_2, 2, Dual, Dual)]
fn tuple(x: (f64, f64)) -> (f64, f64) { (x.1, x.0) }
#[autodiff_reverse(r_array, Active, Active)]
#[autodiff_forward(f_array, Dual, Dual)]
#[autodiff_forward(f_array_width_2, 2, Dual, Dual)]
fn array(x: [f32; 2]) -> [f32; 2] { [x[1], x[0]] }
#[autodiff_forward(f_owned, Dual, Const, Dual)]
#[autodiff_forward(f_owned_width_2, 2, Dual, Dual, Dual)]
#[autodiff_reverse(r_owned, Const, Duplicated, Active)]
fn owned(x: Vec<f64>, y: &Box<f64>) -> f64 { x[0] * **y }

// Methods and associated functions.
struct Scale<T>(T);
impl Scale<f64> {
    #[autodiff_reverse(r_method, Duplicated, Active, Active)]
    #[autodiff_reverse(r_method_const, Const, Active, Active)]
    #[autodiff_reverse(r_method_only, DuplicatedOnly, Active, ActiveOnly)]
    #[autodiff_reverse(r_method_wide, 2, Duplicated, Const, Active)]
    #[autodiff_forward(f_method, Dual, Dual, Dual)]
    #[autodiff_forward(f_method_width_2, 2, Dual, Const, Dual)]
    pub fn method(&self, x: f64) -> f64 { self.0 * x }
    #[autodiff_reverse(r_mutating, Duplicated, Active)]
    #[autodiff_reverse(r_mutating_const, Const, Active)]
    #[autodiff_forward(f_mutating, Dual, Dual)]
    #[autodiff_forward(f_mutating_only, DualOnly, Dual)]
    pub(crate) fn mutating(&mut self, x: f64) { self.0 *= x }
    #[autodiff_reverse(r_by_value, Active, Active, Active)]
    #[autodiff_reverse(r_by_value_const, Const, Active, Active)]
    #[autodiff_forward(f_by_value, Dual, Dual, Dual)]
    #[autodiff_forward(f_by_value_width_2, 2, Dual, Dual, Dual)]
    fn by_value(self, x: f64) -> f64 { self.0 * x }
    #[autodiff_forward(f_boxed, Dual, Dual, Dual)]
    #[autodiff_reverse(r_boxed, Const, Active, Active)]
    fn boxed(self: Box<Self>, x: f64) -> f64 { self.0 * x }
    #[autodiff_reverse(r_typed, Duplicated, Active)]
    #[autodiff_forward(f_typed, Dual, Dual)]
    fn typed(self: &Self) -> f64 { self.0 }
    #[autodiff_reverse(r_named_lifetime, Duplicated, Const)]
    fn named_lifetime<'a>(&'a self) -> &'a f64 { &self.0 }
    #[autodiff_reverse(r_associated, Active, Active)]
    #[autodiff_forward(f_associated, Dual, Dual)]
    fn associated(x: f64) -> f64 { x }
    #[autodiff_reverse(r_of_self, Duplicated, Active)]
    #[autodiff_forward(f_of_self, Dual, Dual)]
    fn of_self(scale: &Self) -> f64 { scale.0 }
}
trait Energy {
    #[autodiff_reverse(r_required, Duplicated, Active, Active)]
    #[autodiff_forward(f_required, Const, Dual, Dual)]
    fn required(&self, x: f64) -> f64;
    #[autodiff_reverse(r_provided, Const, Active, Active)]
    #[autodiff_forward(f_provided, 2, Const, Dual, Dual)]
    fn provided(&mut self, x: f64) -> f64 { self.required(x) }
    #[autodiff_reverse(r_sized, Active, Active)]
    fn sized(x: f64) -> f64 where Self: Sized { x }
}

// Generics.
#[autodiff_reverse(r_generic, Duplicated, Const, Active)]
#[autodiff_reverse(r_generic_only, DuplicatedOnly, Const, ActiveOnly)]
#[autodiff_forward(f_generic, Dual, Const, Dual)]
#[autodiff_forward(f_generic_width_2, 2, Dual, Const, Dual)]
pub fn generic<'a, T: Copy + Into<f64>, const N: usize, F>(x: &'a [T; N], f: F) -> f64 where F: Fn(T) -> f64 { f(x[0]) }
#[autodiff_reverse(r_generic_value, Active, Active, Active)]
#[autodiff_reverse(r_generic_value_only, Active, Const, ActiveOnly)]
#[autodiff_forward(f_generic_value, Dual, Dual, Dual)]
#[autodiff_forward(f_generic_value_width_2, 2, Dual, Dual, DualOnly)]
fn generic_value<T>(x: T, _y: T) -> T { x }
#[autodiff_reverse(r_where, Duplicated, Active)]
fn where_clause<T>(x: &[T]) -> T where T: Copy, for<'a> &'a T: Sized { x[0] }
impl<'a, T: Copy + Into<f64>> Scale<&'a [T]> {
    #[autodiff_reverse(r_generic_method, Const, Active, Const, Active)]
    #[autodiff_forward(f_generic_method, Const, Dual, Const, Dual)]
    fn generic_method<const N: usize, U: Into<f64>>(&self, x: f64, y: U) -> f64 { self.0[N].into() * x * y.into() }
}

// Of other kinds.
#[autodiff_reverse(r_unsafe, Active, Active)]
#[autodiff_forward(f_unsafe, Dual, Dual)]
pub unsafe fn not_safe(x: f64) -> f64 { x }
#[autodiff_reverse(r_extern, Active, Active)]
#[autodiff_forward(f_extern, Dual, Dual)]
pub extern "C" fn foreign(x: f64) -> f64 { x }
#[autodiff_reverse(r_unsafe_extern, Duplicated)]
pub(crate) unsafe extern "C" fn both(x: *mut f64) { unsafe { *x = 1.0 } }
#[autodiff_reverse(r_attributes, Active, Active)]
#[must_use]
#[allow(clippy::all)]
fn attributes(x: f64) -> f64 { x }
mod inside {
    use autodiff::*;
    pub mod deeper {
        use autodiff::*;
        #[autodiff_reverse(r_deeper, Active, Active)]
        pub(in crate::inside) fn deeper(x: f64) -> f64 { x }
    }
    #[autodiff_forward(f_inside, Dual, Dual)]
    pub(self) fn inside(x: f64) -> f64 { x }
}
#[autodiff_reverse(r_dyn, Duplicated, Const, Active)]
fn dynamic(x: &[f64], f: &(dyn Fn(&[f64]) -> f64 + Send)) -> f64 { f(x) }
#[autodiff_reverse(r_nested, Duplicated, Duplicated, Active)]
#[autodiff_forward(f_nested, Dual, Dual, Dual)]
fn nested(x: &[Vec<[f64; 2]>], y: &&[f64]) -> f64 { x[0][0][0] * y[0] }
#[autodiff_reverse(r_mutable, Active, Duplicated, Active)]
#[autodiff_forward(f_mutable, Dual, Dual, Dual)]
fn mutable(mut x: f64, mut y: &[f64]) -> f64 { x += 1.0; y = &y[1..]; x * y[0] }
