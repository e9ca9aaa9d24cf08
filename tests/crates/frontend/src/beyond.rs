//! What `std::autodiff` does not take: patterns, `impl Trait`, `const`, results that borrow from `self`.

use crate::report::show;
use autodiff::*;

#[autodiff_reverse(d_parts, Active, Const, Active, Active)]
#[autodiff_forward(t_parts, Dual, Const, Dual, Dual)]
fn parts((a, b): (f64, f64), _: usize, [x, y]: [f64; 2]) -> f64 {
    a * x + b * y * y
}

#[autodiff_reverse(d_constant, Active, Active)]
const fn constant(x: f64) -> f64 {
    x * x
}

#[autodiff_reverse(d_given, Duplicated, Const, Active)]
#[autodiff_forward(t_given, Dual, Const, Dual)]
fn given(x: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    x.iter().map(|x| f(*x)).sum()
}

struct Tank {
    level: f64,
}

impl Tank {
    #[autodiff_reverse(d_filled, Duplicated, Duplicated, Const)]
    fn filled(&mut self, by: &[f64]) -> &f64 {
        self.level += by[0] * by[1];
        &self.level
    }

    #[autodiff_forward(t_boxed, Dual, Dual, Dual)]
    fn boxed(self: Box<Self>, x: f64) -> f64 {
        self.level * x
    }
}

pub fn report() {
    let (value, pair, array) = d_parts((2.0, 3.0), 7, [5.0, 0.5], 1.0);
    show("d_parts", &[value, pair.0, pair.1, array[0], array[1]], &[10.75, 5.0, 0.25, 2.0, 3.0]);
    let both = t_parts((2.0, 3.0), (1.0, 0.0), 7, [5.0, 0.5], [0.0, 1.0]);
    show("t_parts", &[both.0, both.1], &[10.75, 8.0]);
    let both = d_constant(3.0, 1.0);
    show("d_constant (const fn)", &[both.0, both.1], &[9.0, 6.0]);

    let mut dx = [0.0; 2];
    let value = d_given(&[0.5, 2.0], &mut dx, |x| x * x * x, 1.0);
    show("d_given", &[value, dx[0], dx[1]], &[8.125, 0.75, 12.0]);
    let both = t_given(&[0.5, 2.0], &[1.0, 1.0], f64::exp);
    show("t_given", &[both.0, both.1], &[0.5_f64.exp() + 2.0_f64.exp(); 2]);

    let (mut tank, mut shadow, mut dx) = (Tank { level: 1.0 }, Tank { level: 2.0 }, [0.0; 2]);
    let level = *tank.d_filled(&mut shadow, &[3.0, 4.0], &mut dx);
    show("d_filled", &[level, shadow.level, dx[0], dx[1]], &[13.0, 2.0, 8.0, 6.0]);
    let both = Box::new(Tank { level: 3.0 }).t_boxed(Box::new(Tank { level: 1.0 }), 2.0, 0.5);
    show("t_boxed", &[both.0, both.1], &[6.0, 3.5]);
}
