//! What rustc's own tests of autodiff exercise, file by file: the table is in `docs/frontend.md`.

use crate::report::{show, show_32};
use autodiff::*;

// codegen-llvm/abi_handling

#[derive(Clone, Copy)]
struct Pair {
    a: f32,
    b: f32,
}

#[derive(Clone, Copy)]
struct Nested {
    a: f32,
    inside: Inside,
}

#[derive(Clone, Copy)]
struct Inside {
    b: f32,
}

#[autodiff_forward(t_small_array, Dual, Dual)]
#[inline(never)]
fn small_array(x: &[f32; 2]) -> f32 {
    x[0] * x[1]
}

#[autodiff_forward(t_two_references, Dual, Dual, Dual)]
#[inline(never)]
fn two_references<'a>(x: &'a f32, y: &'a f32) -> f32 {
    x * y
}

#[autodiff_forward(t_pair_of_floats, Dual, Dual)]
#[inline(never)]
fn pair_of_floats(x: (f32, f32)) -> f32 {
    x.0 * x.1
}

#[autodiff_forward(t_struct_of_two, Dual, Dual)]
#[inline(never)]
fn struct_of_two(x: Pair) -> f32 {
    x.a * x.b
}

#[autodiff_forward(t_nested_struct, Dual, Dual)]
#[inline(never)]
fn nested_struct(x: Nested) -> f32 {
    x.a * x.inside.b * x.inside.b
}

#[autodiff_forward(t_pair_of_references, Dual, Dual)]
#[inline(never)]
fn pair_of_references(x: (&f32, &f32)) -> f32 {
    x.0 * x.1
}

fn abi_handling() {
    static STATIC: f32 = 3.0;
    let both = t_small_array(&[2.0, 3.0], &[1.0, 0.5]);
    show_32("abi_handling: small array", &[both.0, both.1], &[6.0, 4.0]);
    let both = t_two_references(&2.0, &1.0, &STATIC, &0.5);
    show_32("abi_handling: two references", &[both.0, both.1], &[6.0, 4.0]);
    let both = t_pair_of_floats((2.0, 3.0), (1.0, 0.5));
    show_32("abi_handling: pair", &[both.0, both.1], &[6.0, 4.0]);
    let both = t_struct_of_two(Pair { a: 2.0, b: 3.0 }, Pair { a: 1.0, b: 0.5 });
    show_32("abi_handling: struct", &[both.0, both.1], &[6.0, 4.0]);
    let nested = |a, b| Nested { a, inside: Inside { b } };
    let both = t_nested_struct(nested(2.0, 3.0), nested(1.0, 0.5));
    show_32("abi_handling: nested struct", &[both.0, both.1], &[18.0, 15.0]);
    let both = t_pair_of_references((&2.0, &3.0), (&1.0, &0.5));
    show_32("abi_handling: pair of references", &[both.0, both.1], &[6.0, 4.0]);
}

// codegen-llvm/autodiffv2, batched

const MATRIX: [[f32; 3]; 2] = [[1.5, -2.0, 0.25], [0.5, 4.0, -1.0]];

#[unsafe(no_mangle)]
#[autodiff_forward(t_linear, Dual, Dual)]
#[autodiff_forward(t_linear_v, 3, Dualv, Dualv)]
#[autodiff_forward(t_linear_3, 3, Dual, Dual)]
fn linear(x: &[f32], y: &mut [f32]) {
    assert!(x.len() >= 3);
    assert!(y.len() >= 2);
    y[0] = MATRIX[0][0] * x[0] + MATRIX[0][1] * x[1] + MATRIX[0][2] * x[2];
    y[1] = MATRIX[1][0] * x[0] + MATRIX[1][1] * x[1] + MATRIX[1][2] * x[2];
}

#[autodiff_forward(t_tangent, Dual, DualOnly)]
#[autodiff_forward(t_tangents, 4, Dual, DualOnly)]
#[autodiff_forward(t_all, 4, Dual, Dual)]
#[unsafe(no_mangle)]
#[inline(never)]
fn batched(x: &f32) -> f32 {
    x * x
}

fn batches() {
    let (x, unit) = ([1.0, 2.0, 3.0], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    let value = MATRIX.map(|row| row[0] + 2.0 * row[1] + 3.0 * row[2]);
    let columns: [[f32; 2]; 3] = std::array::from_fn(|j| [MATRIX[0][j], MATRIX[1][j]]);
    for j in 0..3 {
        let (mut y, mut tangent) = ([0.0; 2], [0.0; 2]);
        t_linear(&x, &unit[j], &mut y, &mut tangent);
        show_32(&format!("autodiffv2: direction {j}"), &[y, tangent].concat(), &[value, columns[j]].concat());
    }
    let (mut y, mut tangents) = ([0.0; 2], [[0.0; 2]; 3]);
    t_linear_v(&x, unit.as_flattened(), &mut y, tangents.as_flattened_mut());
    show_32("autodiffv2: Dualv", &[&y, tangents.as_flattened()].concat(), &[&value, columns.as_flattened()].concat());
    let (mut y, [mut t0, mut t1, mut t2]) = ([0.0; 2], [[0.0; 2]; 3]);
    t_linear_3(&x, &unit[0], &unit[1], &unit[2], &mut y, &mut t0, &mut t1, &mut t2);
    show_32("autodiffv2: Dual", &[t0, t1, t2].concat(), columns.as_flattened());

    show_32("batched: one", &[t_tangent(&3.0, &2.0)], &[12.0]);
    show_32("batched: tangents", &t_tangents(&3.0, &1.0, &2.0, &3.0, &0.0), &[6.0, 12.0, 18.0, 0.0]);
    show_32("batched: all", &t_all(&3.0, &1.0, &2.0, &3.0, &0.0), &[9.0, 6.0, 12.0, 18.0, 0.0]);
}

// codegen-llvm/generic, identical_fnc, impl, inline, scalar, sret, trait, typetree, void_ret, zst

#[autodiff_reverse(d_generic, Duplicated, Active)]
fn generic<T: std::ops::Mul<Output = T> + Copy>(x: &T) -> T {
    *x * *x
}

#[autodiff_reverse(d_one, Duplicated, Active)]
#[inline(never)]
fn one(x: &f64) -> f64 {
    x * x
}

#[autodiff_reverse(d_other, Duplicated, Active)]
#[inline(never)]
fn other(x: &f64) -> f64 {
    x * x
}

struct Holder {
    x: f64,
}

trait Twice {
    #[autodiff_reverse(d_twice, Const, Active, Active)]
    fn twice(&self, x: f64) -> f64;
}

impl Twice for Holder {
    fn twice(&self, x: f64) -> f64 {
        2.0 * self.x * x
    }
}

impl Holder {
    #[autodiff_reverse(d_scale, Const, Active, Active)]
    fn scale(&self, by: f64) -> f64 {
        self.x * by
    }
}

#[unsafe(no_mangle)]
#[autodiff_reverse(d_three_results, Active, Active, Active)]
fn three_results(x: f32, y: f32) -> f64 {
    f64::from(x * x * y)
}

#[autodiff_reverse(d_void, Duplicated, Duplicated)]
#[unsafe(no_mangle)]
fn void(x: &[f64; 3], y: &mut f64) {
    *y = x[0] * x[1] + x[2].powi(2);
}

#[autodiff_forward(t_nothing_there, Const, Dual)]
#[autodiff_reverse(d_nothing_there, Const, Duplicated)]
fn nothing_there(_nothing: (), x: &mut f64) {
    *x *= 3.0;
}

fn small_ones() {
    let (mut dx, mut dx_32) = (1.0, 1.0);
    let value = d_generic(&3.0_f64, &mut dx, 1.0);
    show("generic: f64", &[value, dx], &[9.0, 7.0]);
    let value = d_generic(&3.0_f32, &mut dx_32, 1.0);
    show_32("generic: f32", &[value, dx_32], &[9.0, 7.0]);
    let (mut dx, mut dy) = (0.0, 0.0);
    d_one(&3.0, &mut dx, 1.0);
    d_other(&4.0, &mut dy, 1.0);
    show("identical_fnc", &[dx, dy], &[6.0, 8.0]);
    let both = Holder { x: 3.0 }.d_scale(2.0, 1.0);
    show("impl", &[both.0, both.1], &[6.0, 3.0]);
    let both = Holder { x: 3.0 }.d_twice(2.0, 1.0);
    show("trait", &[both.0, both.1], &[12.0, 6.0]);
    let (value, by_x, by_y) = d_three_results(3.0, 2.5, 1.0);
    show("sret", &[value, f64::from(by_x), f64::from(by_y)], &[22.5, 15.0, 9.0]);
    let (mut dx, mut y, mut seed) = ([0.0; 3], 0.0, 1.0);
    d_void(&[1.0, 2.0, 3.0], &mut dx, &mut y, &mut seed);
    show("void_ret", &[&[y], &dx[..]].concat(), &[11.0, 2.0, 1.0, 6.0]);
    let (mut x, mut tangent) = (2.0, 0.5);
    t_nothing_there((), &mut x, &mut tangent);
    show("zst: forward", &[x, tangent], &[6.0, 1.5]);
    let (mut x, mut adjoint) = (2.0, 0.5);
    d_nothing_there((), &mut x, &mut adjoint);
    show("zst: reverse", &[x, adjoint], &[6.0, 1.5]);
}

// run-make/type-trees

struct Mixed {
    count: i64,
    float: f32,
    double: f64,
    array: [f64; 2],
}

struct Node {
    value: f64,
    next: Option<Box<Node>>,
}

#[repr(C)]
struct Header<T: ?Sized> {
    tag: f32,
    data: T,
}

union Bits {
    float: f32,
    bits: u32,
}

/// A function behind one reference, its derivative, and the row that shows it.
macro_rules! behind_a_reference {
    ($name:ident, $derivative:ident, $ty:ty, $float:ty, |$x:ident| $body:expr) => {
        #[autodiff_reverse($derivative, Duplicated, Active)]
        #[inline(never)]
        fn $name($x: &$ty) -> $float {
            $body
        }
    };
}

behind_a_reference!(array, d_array, [f64; 5], f64, |x| x.iter().map(|x| x * x).sum());
behind_a_reference!(array3d, d_array3d, [[[f32; 2]; 2]; 2], f32, |x| x
    .as_flattened()
    .as_flattened()
    .iter()
    .map(|x| x * x)
    .sum());
behind_a_reference!(windows, d_windows, [f64], f64, |x| x.windows(2).map(|w| w[0] * w[1]).sum());
behind_a_reference!(mixed, d_mixed, Mixed, f64, |m| m.count as f64 * f64::from(m.float) * m.double
    + m.array[0] * m.array[1]);
behind_a_reference!(node, d_node, Node, f64, |n| n.value * n.value);
behind_a_reference!(header, d_header, Header<[f32]>, f32, |h| h.tag * h.data.iter().sum::<f32>());
behind_a_reference!(zero_sized, d_zero_sized, [()], f32, |x| x.len() as f32);
behind_a_reference!(tuple, d_tuple, (f64, f32, f64), f64, |t| t.0 * f64::from(t.1) * t.2);
behind_a_reference!(boxed, d_boxed, Box<f32>, f32, |x| **x * **x);
behind_a_reference!(vector, d_vector, Vec<f32>, f32, |x| x.iter().map(|x| x * x).sum());
behind_a_reference!(variant, d_variant, Bits, f32, |b| unsafe { b.float * b.float });
behind_a_reference!(integer, d_integer, (i32, f64), f64, |x| f64::from(x.0) * x.1);

#[autodiff_reverse(d_const_pointer, Duplicated, Active)]
fn const_pointer(x: *const f32) -> f32 {
    unsafe { *x * *x }
}

#[autodiff_reverse(d_mut_pointer, Duplicated, Active)]
fn mut_pointer(x: *mut f32) -> f32 {
    unsafe { *x * *x }
}

#[autodiff_reverse(d_mut_ref, Duplicated, Active)]
fn mut_ref(x: &mut f32) -> f32 {
    *x * *x
}

#[autodiff_reverse(d_copied, Duplicated, Duplicated)]
fn copied(from: &[f64; 8], to: &mut [f64; 8]) {
    unsafe { std::ptr::copy_nonoverlapping(from, to, 1) }
    to[0] *= to[1];
}

#[autodiff_reverse(d_const_length, Duplicated, Active)]
fn const_length<const N: usize>(x: &[f64; N]) -> f64 {
    x.iter().enumerate().map(|(i, x)| i as f64 * x).sum()
}

fn type_trees() {
    let mut dx = [0.0; 5];
    let value = d_array(&[1.0, 2.0, 3.0, 4.0, 5.0], &mut dx, 1.0);
    show("array", &[&[value], &dx[..]].concat(), &[55.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    let mut dx = [[[0.0; 2]; 2]; 2];
    let value = d_array3d(&[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]], &mut dx, 0.5);
    show_32(
        "array3d",
        &[&[value], dx.as_flattened().as_flattened()].concat(),
        &[204.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
    );
    let mut dx = [0.0; 4];
    let value = d_windows(&[1.0, 2.0, 3.0, 4.0], &mut dx, 1.0);
    show("iter", &[&[value], &dx[..]].concat(), &[20.0, 2.0, 4.0, 6.0, 3.0]);
    let at = Mixed { count: 2, float: 3.0, double: 4.0, array: [5.0, 6.0] };
    let mut shadow = Mixed { count: 0, float: 0.0, double: 0.0, array: [0.0; 2] };
    let value = d_mixed(&at, &mut shadow, 1.0);
    let got = [value, f64::from(shadow.float), shadow.double, shadow.array[0], shadow.array[1], shadow.count as f64];
    show("mixed-struct", &got, &[54.0, 8.0, 6.0, 6.0, 5.0, 0.0]);
    let at = Node { value: 3.0, next: Some(Box::new(Node { value: 1.0, next: None })) };
    let mut shadow = Node { value: 0.0, next: Some(Box::new(Node { value: 0.0, next: None })) };
    let value = d_node(&at, &mut shadow, 1.0);
    show("recursion", &[value, shadow.value, shadow.next.map_or(9.0, |next| next.value)], &[9.0, 6.0, 0.0]);
    let mut shadow = Header { tag: 0.0, data: [0.0; 3] };
    let value = d_header(&Header { tag: 2.0, data: [1.0, 2.0, 3.0] }, &mut shadow, 1.0);
    show_32("slice-dst", &[&[value, shadow.tag], &shadow.data[..]].concat(), &[12.0, 6.0, 2.0, 2.0, 2.0]);
    show_32("slice-dst: zero-sized", &[d_zero_sized(&[(); 3], &mut [(); 3], 1.0)], &[3.0]);
    let mut shadow = (0.0, 0.0, 0.0);
    let value = d_tuple(&(2.0, 3.0, 4.0), &mut shadow, 1.0);
    show("tuple", &[value, shadow.0, f64::from(shadow.1), shadow.2], &[24.0, 12.0, 8.0, 6.0]);
    let mut shadow = Box::new(0.0);
    let value = d_boxed(&Box::new(3.0), &mut shadow, 1.0);
    show_32("box", &[value, *shadow], &[9.0, 6.0]);
    let mut shadow = vec![0.0; 2];
    let value = d_vector(&vec![3.0, 4.0], &mut shadow, 1.0);
    show_32("vec", &[value, shadow[0], shadow[1]], &[25.0, 6.0, 8.0]);
    let mut shadow = Bits { bits: 0 };
    let value = d_variant(&Bits { float: 3.0 }, &mut shadow, 1.0);
    show_32("union", &[value, unsafe { shadow.float }], &[9.0, 6.0]);
    let mut shadow = (0, 0.0);
    let value = d_integer(&(3, 2.0), &mut shadow, 1.0);
    show("i32", &[value, f64::from(shadow.0), shadow.1], &[6.0, 0.0, 3.0]);
    let (mut x, mut shadow) = (3.0, 0.0);
    let value = d_const_pointer(&raw const x, &raw mut shadow, 1.0);
    show_32("const_pointer", &[value, shadow], &[9.0, 6.0]);
    let value = d_mut_pointer(&raw mut x, &raw mut shadow, 1.0);
    show_32("mut_pointer", &[value, shadow], &[9.0, 12.0]);
    let value = d_mut_ref(&mut x, &mut shadow, 1.0);
    show_32("mut_ref", &[value, shadow], &[9.0, 18.0]);
    let (mut to, mut seed, mut dx) = ([0.0; 8], [1.0; 8], [0.0; 8]);
    d_copied(&[2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 7.0], &mut dx, &mut to, &mut seed);
    show("memcpy", &[&to[..2], &dx].concat(), &[6.0, 3.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
    let (mut two, mut three) = ([0.0; 2], [0.0; 3]);
    d_const_length(&[5.0; 2], &mut two, 1.0);
    d_const_length(&[5.0; 3], &mut three, 1.0);
    show("array-const-len", &[&two[..], &three].concat(), &[0.0, 1.0, 0.0, 1.0, 2.0]);
}

pub fn report() {
    abi_handling();
    batches();
    small_ones();
    type_trees();
}
