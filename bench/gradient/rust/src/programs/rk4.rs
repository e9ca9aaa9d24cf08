//! Species that live on each other (Lotka and Volterra), by Runge and Kutta's method of fourth order, fitted to counts.

use crate::numbers::Numbers;
use crate::program::program;
use autodiff::*;
use std::array::from_fn;

const SPECIES: usize = 3;
const STEP: f64 = 0.05;

type State = [f64; SPECIES];

pub struct Fit {
    rates: Vec<f64>,
    /// What each species does to the growth of each.
    effects: Vec<f64>,
    begin: Vec<f64>,
    counts: Vec<f64>,
}

impl Fit {
    pub fn new(sizes: &[usize], numbers: &mut Numbers) -> Self {
        let &[steps] = sizes else { panic!("rk4: steps") };
        Self {
            rates: numbers.many(SPECIES, 0.5, 1.0),
            effects: numbers.many(SPECIES * SPECIES, -0.6, -0.2),
            begin: numbers.many(SPECIES, 0.2, 1.0),
            counts: numbers.many(SPECIES * steps, 0.2, 1.0),
        }
    }
}

program!(Fit, |it| misfit[rates, effects, begin](&it.counts));

#[autodiff_reverse(gradient, Duplicated, Duplicated, Duplicated, Const, Active)]
#[autodiff_reverse(gradient_only, Duplicated, Duplicated, Duplicated, Const, ActiveOnly)]
#[autodiff_forward(slope, Dual, Dual, Dual, Const, DualOnly)]
#[autodiff_forward(slopes, 8, Dualv, Dualv, Dualv, Const, DualOnly)]
fn misfit(rates: &[f64], effects: &[f64], begin: &[f64], counts: &[f64]) -> f64 {
    let mut y: State = from_fn(|i| begin[i]);
    let mut sum = 0.0;
    for count in counts.chunks_exact(SPECIES) {
        let a = speed(y, rates, effects);
        let b = speed(ahead(y, 0.5 * STEP, a), rates, effects);
        let c = speed(ahead(y, 0.5 * STEP, b), rates, effects);
        let d = speed(ahead(y, STEP, c), rates, effects);
        y = ahead(y, STEP / 6.0, from_fn(|i| a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
        sum += (0..SPECIES).map(|i| (y[i] - count[i]) * (y[i] - count[i])).sum::<f64>();
    }
    sum / counts.len() as f64
}

fn speed(y: State, rates: &[f64], effects: &[f64]) -> State {
    from_fn(|i| y[i] * (rates[i] + (0..SPECIES).map(|j| effects[SPECIES * i + j] * y[j]).sum::<f64>()))
}

fn ahead(y: State, by: f64, speed: State) -> State {
    from_fn(|i| y[i] + by * speed[i])
}
