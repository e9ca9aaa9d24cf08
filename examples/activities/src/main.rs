//! What each activity does: the examples of `docs/frontend.md`.

use autodiff::*;

// Active, Const: values, in reverse mode.
#[autodiff_reverse(d_area, Active, Const, Active)]
fn area(radius: f64, turns: u32) -> f64 {
    f64::from(turns) * 3.0 * radius * radius
}

// ActiveOnly: the same without the result.
#[autodiff_reverse(slope_of_area, Active, Const, ActiveOnly)]
fn the_same_area(radius: f64, turns: u32) -> f64 {
    area(radius, turns)
}

// Duplicated: what is behind a reference, in reverse mode.
#[autodiff_reverse(d_energy, Duplicated, Active)]
fn energy(x: &[f64]) -> f64 {
    x.iter().map(|x| 0.5 * x * x).sum()
}

// Duplicated: what is written, in reverse mode; its shadow is the seed.
#[autodiff_reverse(d_squares, Duplicated, Duplicated)]
fn squares(x: &[f64], to: &mut [f64]) {
    for (x, to) in x.iter().zip(to) {
        *to = x * x;
    }
}

// DuplicatedOnly: what is written need not be there afterwards.
#[autodiff_reverse(d_work, Duplicated, DuplicatedOnly, Active)]
fn work(x: &[f64], scratch: &mut [f64]) -> f64 {
    squares(x, scratch);
    scratch.iter().sum()
}

// Dual: everything that moves, in forward mode.
#[autodiff_forward(t_product, Dual, Dual, Dual)]
fn product(x: f64, y: &[f64]) -> f64 {
    y.iter().map(|y| x * y).sum()
}

// Dual with a width: several directions at once.
#[autodiff_forward(t_product_2, 2, Dual, Const, Dual)]
fn the_same_product(x: f64, y: &[f64]) -> f64 {
    product(x, y)
}

// DualOnly: the tangent without the result.
#[autodiff_forward(slope_of_sine, Dual, DualOnly)]
fn sine(x: f64) -> f64 {
    x.sin()
}

// Dualv, DualvOnly: the tangents of all directions in one slice.
#[autodiff_forward(t_norm, 3, Dualv, Dual)]
#[autodiff_forward(slopes_of_norm, 3, DualvOnly, DualvOnly)]
fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

// Values of more than one number, and a method.
#[derive(Clone, Copy, Debug)]
struct Point {
    x: f64,
    y: f64,
}

impl Point {
    #[autodiff_reverse(d_stretched, Active, Active, Active)]
    fn stretched(self, by: f64) -> Point {
        Point { x: by * self.x, y: self.y / by }
    }
}

// A derivative of a derivative: forward over reverse, a product with the Hessian.
#[autodiff_forward(hessian_product, Dual, Dual)]
fn gradient(x: &[f64], to: &mut [f64]) {
    d_quartic(x, to, 1.0);
}

#[autodiff_reverse(d_quartic, Duplicated, Active)]
fn quartic(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x * x * x).sum()
}

fn main() {
    let (value, by_radius) = d_area(2.0, 5, 1.0);
    println!("Active: {value} {by_radius}");

    println!("ActiveOnly: {}", slope_of_area(2.0, 5, 1.0));

    let mut dx = [0.0; 3];
    let value = d_energy(&[1.0, 2.0, 3.0], &mut dx, 1.0);
    println!("Duplicated: {value} {dx:?}");

    let (mut to, mut seed, mut dx) = ([0.0; 3], [1.0, 0.0, 10.0], [0.0; 3]);
    d_squares(&[1.0, 2.0, 3.0], &mut dx, &mut to, &mut seed);
    println!("Duplicated, written: {to:?} {dx:?}");

    let (mut scratch, mut shadow, mut dx) = ([0.0; 2], [0.0; 2], [0.0; 2]);
    // Safe: nobody reads `scratch` afterwards.
    let value = unsafe { d_work(&[1.0, 2.0], &mut dx, &mut scratch, &mut shadow, 1.0) };
    println!("DuplicatedOnly: {value} {dx:?}");

    println!("Dual: {:?}", t_product(2.0, 1.0, &[3.0, 4.0], &[0.0, 10.0]));
    println!("Dual, width 2: {:?}", t_product_2(2.0, 1.0, 0.5, &[3.0, 4.0]));
    println!("DualOnly: {}", slope_of_sine(0.0, 2.0));

    let directions = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    println!("Dualv: {:.1?}", t_norm(&[3.0, 4.0], &directions));
    println!("DualvOnly: {:?}", slopes_of_norm(&[3.0, 4.0], &directions));

    let (value, by_point, by) = Point { x: 1.0, y: 6.0 }.d_stretched(2.0, Point { x: 1.0, y: 0.5 });
    println!("Values: {value:?} {by_point:?} {by}");

    let (mut slope, mut product) = ([0.0; 2], [0.0; 2]);
    hessian_product(&[1.0, 2.0], &[1.0, 0.5], &mut slope, &mut product);
    println!("Second order: {slope:?} {product:?}");
}
