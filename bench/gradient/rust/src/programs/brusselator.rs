//! A reaction and diffusion of two substances on a torus (the brusselator), by Euler's method.

use crate::numbers::Numbers;
use crate::program::program;
use autodiff::*;

const STEP: f64 = 1e-3;

pub struct Brusselator {
    /// `side²` numbers of the first substance, then as many of the second.
    begin: Vec<f64>,
    /// How much is fed of each, and how fast both diffuse.
    rates: Vec<f64>,
    side: usize,
    steps: usize,
}

impl Brusselator {
    pub fn new(sizes: &[usize], numbers: &mut Numbers) -> Self {
        let &[side, steps] = sizes else { panic!("brusselator: side, steps") };
        Self { begin: numbers.many(2 * side * side, 0.5, 3.0), rates: vec![1.0, 3.4, 10.0], side, steps }
    }
}

program!(Brusselator, |it| end[begin, rates](it.side, it.steps));

#[autodiff_reverse(gradient, Duplicated, Duplicated, Const, Const, Active)]
#[autodiff_reverse(gradient_only, Duplicated, Duplicated, Const, Const, ActiveOnly)]
#[autodiff_forward(slope, Dual, Dual, Const, Const, DualOnly)]
#[autodiff_forward(slopes, 8, Dualv, Dualv, Const, Const, DualOnly)]
fn end(begin: &[f64], rates: &[f64], side: usize, steps: usize) -> f64 {
    let mut state = begin.to_vec();
    let mut speed = vec![0.0; begin.len()];
    for _ in 0..steps {
        set_speed(&state, rates, side, &mut speed);
        for (x, v) in state.iter_mut().zip(&speed) {
            *x += STEP * v;
        }
    }
    state.iter().map(|x| x * x).sum::<f64>() / state.len() as f64
}

fn set_speed(state: &[f64], rates: &[f64], side: usize, speed: &mut [f64]) {
    let (u, v) = state.split_at(side * side);
    let (du, dv) = speed.split_at_mut(side * side);
    let &[a, b, diffusion] = rates else { panic!("three rates") };
    for i in 0..side {
        let (above, below) = ((i + side - 1) % side * side, (i + 1) % side * side);
        for j in 0..side {
            let (left, right) = (if j == 0 { side - 1 } else { j - 1 }, if j + 1 == side { 0 } else { j + 1 });
            let here = i * side + j;
            let around = [above + j, below + j, i * side + left, i * side + right];
            let spread = |of: &[f64]| diffusion * (around.iter().map(|&at| of[at]).sum::<f64>() - 4.0 * of[here]);
            let reacting = u[here] * u[here] * v[here];
            du[here] = a + reacting - (b + 1.0) * u[here] + spread(u);
            dv[here] = b * u[here] - reacting + spread(v);
        }
    }
}
