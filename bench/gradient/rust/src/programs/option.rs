//! The price of an option on a mean price (Asian), over paths drawn beforehand.

use crate::numbers::Numbers;
use crate::program::program;
use autodiff::*;

const YEARS: f64 = 1.0;

pub struct Price {
    /// How much the price moves in each step of time.
    volatilities: Vec<f64>,
    /// The price today, the interest, the price agreed on.
    market: Vec<f64>,
    draws: Vec<f64>,
}

impl Price {
    pub fn new(sizes: &[usize], numbers: &mut Numbers) -> Self {
        let &[paths, steps] = sizes else { panic!("option: paths, steps") };
        Self {
            volatilities: numbers.many(steps, 0.1, 0.4),
            market: vec![100.0, 0.03, 101.0],
            draws: numbers.many(paths * steps, -1.7, 1.7),
        }
    }
}

program!(Price, |it| price[volatilities, market](&it.draws));

#[autodiff_reverse(gradient, Duplicated, Duplicated, Const, Active)]
#[autodiff_reverse(gradient_only, Duplicated, Duplicated, Const, ActiveOnly)]
#[autodiff_forward(slope, Dual, Dual, Const, DualOnly)]
#[autodiff_forward(slopes, 8, Dualv, Dualv, Const, DualOnly)]
fn price(volatilities: &[f64], market: &[f64], draws: &[f64]) -> f64 {
    let &[today, interest, agreed] = market else { panic!("a market is of three numbers") };
    let steps = volatilities.len();
    let time = YEARS / steps as f64;
    let mut sum = 0.0;
    for draws in draws.chunks_exact(steps) {
        let (mut logarithm, mut total) = (today.ln(), 0.0);
        for (draw, volatility) in draws.iter().zip(volatilities) {
            logarithm += (interest - 0.5 * volatility * volatility) * time + volatility * time.sqrt() * draw;
            total += logarithm.exp();
        }
        sum += (total / steps as f64 - agreed).max(0.0);
    }
    (-interest * YEARS).exp() * sum * steps as f64 / draws.len() as f64
}
