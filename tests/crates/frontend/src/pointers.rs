//! What is called through a pointer, which a slice of the program does not tell of.

use crate::report::show_as;
use autodiff::*;

fn square(x: f64) -> f64 {
    x * x
}

fn cube(x: f64) -> f64 {
    x * x * x
}

#[autodiff_reverse(d_pointer, Const, Active, Active)]
#[autodiff_forward(t_pointer, Const, Dual, Dual)]
#[inline(never)]
fn pointer(f: fn(f64) -> f64, x: f64) -> f64 {
    f(x) * x
}

static TABLE: [fn(f64) -> f64; 2] = [square, cube];

#[autodiff_reverse(d_table, Const, Active, Active)]
#[autodiff_forward(t_table, 2, Const, Dual, Dual)]
#[inline(never)]
fn table(which: usize, x: f64) -> f64 {
    TABLE[which](x)
}

trait Potential {
    fn energy(&self, x: f64) -> f64;
}

struct Spring {
    stiffness: f64,
}

struct Well {
    depth: f64,
    width: f64,
}

impl Potential for Spring {
    fn energy(&self, x: f64) -> f64 {
        self.stiffness * x * x
    }
}

impl Potential for Well {
    fn energy(&self, x: f64) -> f64 {
        -self.depth * (-x * x / self.width).exp()
    }
}

#[autodiff_reverse(d_dynamic, Const, Active, Active)]
#[autodiff_forward(t_dynamic, Const, Dual, Dual)]
#[inline(never)]
fn dynamic(of: &dyn Potential, x: f64) -> f64 {
    of.energy(x)
}

#[autodiff_reverse(d_boxed, Const, Active, Active)]
#[inline(never)]
fn boxed(f: &Box<dyn Fn(f64) -> f64>, x: f64) -> f64 {
    f(x)
}

#[autodiff_reverse(d_several, Const, Active, Active)]
#[inline(never)]
fn several(of: &[Box<dyn Potential>], x: f64) -> f64 {
    of.iter().map(|of| of.energy(x)).sum()
}

pub fn report() {
    let show = |what: &str, got: &[f64], right: &[f64]| show_as("f64", "header ", what, got, right);
    let both = d_pointer(square, 3.0, 1.0);
    show("fn pointer, reverse, square", &[both.0, both.1], &[27.0, 27.0]);
    let both = d_pointer(cube, 3.0, 1.0);
    show("fn pointer, reverse, cube", &[both.0, both.1], &[81.0, 108.0]);
    let both = t_pointer(cube, 3.0, 0.5);
    show("fn pointer, forward", &[both.0, both.1], &[81.0, 54.0]);
    let both = d_table(1, 3.0, 1.0);
    show("table, reverse", &[both.0, both.1], &[27.0, 27.0]);
    show("table, width 2", &t_table(0, 3.0, 1.0, 2.0), &[9.0, 6.0, 12.0]);

    let (spring, well) = (Spring { stiffness: 2.0 }, Well { depth: 3.0, width: 2.0 });
    let both = d_dynamic(&spring, 1.5, 1.0);
    show("dyn, reverse, spring", &[both.0, both.1], &[4.5, 6.0]);
    let (value, slope) = (-3.0 * (-0.5_f64).exp(), 3.0 * (-0.5_f64).exp());
    let both = d_dynamic(&well, 1.0, 1.0);
    show("dyn, reverse, well", &[both.0, both.1], &[value, slope]);
    let both = t_dynamic(&well, 1.0, 2.0);
    show("dyn, forward", &[both.0, both.1], &[value, 2.0 * slope]);
    let by = std::hint::black_box(3.0);
    let both = d_boxed(&(Box::new(move |x| by * x * x) as Box<dyn Fn(f64) -> f64>), 2.0, 1.0);
    show("Box<dyn Fn>, reverse", &[both.0, both.1], &[12.0, 12.0]);
    let all: Vec<Box<dyn Potential>> = vec![Box::new(spring), Box::new(well)];
    let both = d_several(&all, 1.0, 1.0);
    show("Vec<Box<dyn>>, reverse", &[both.0, both.1], &[2.0 + value, 4.0 + slope]);
}
