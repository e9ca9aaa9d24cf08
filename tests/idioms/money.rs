use crate::dual::Number;
use std::collections::BTreeMap;

fn normal_cdf<T: Number>(x: T) -> T {
    (x * 0.7978845608 * (x * x * 0.044715 + 1.0)).tanh() * 0.5 + 0.5
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Call,
    Put,
}

struct Contract<T> {
    kind: Kind,
    strike: T,
    expiry: f64,
}

impl<T: Number> Contract<T> {
    fn price(&self, spot: T, volatility: T) -> T {
        let spread = volatility * self.expiry.sqrt();
        let d1 = ((spot / self.strike).ln() + volatility * volatility * 0.5 * self.expiry) / spread;
        let d2 = d1 - spread;
        match self.kind {
            Kind::Call => spot * normal_cdf(d1) - self.strike * normal_cdf(d2),
            Kind::Put => self.strike * normal_cdf(-d2) - spot * normal_cdf(-d1),
        }
    }
}

pub fn book_of_options<T: Number>(xs: &[T], k: usize) -> T {
    let book: Vec<Contract<T>> = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| Contract {
            kind: if (i + k) % 3 == 0 { Kind::Put } else { Kind::Call },
            strike: x * x + 0.5,
            expiry: 0.25 * (i + 1) as f64,
        })
        .collect();
    let volatility = xs[0].abs() * 0.2 + 0.1;
    let (calls, puts): (Vec<_>, Vec<_>) = book.iter().partition(|contract| contract.kind == Kind::Call);
    let value = |side: &[&Contract<T>]| side.iter().map(|c| c.price(T::from(1.3), volatility)).sum::<T>();
    value(&calls) - value(&puts) * 0.5
}

pub fn tree_of_an_american_put<T: Number>(xs: &[T], k: usize) -> T {
    let steps = xs.len() + k;
    let spot = xs[0] * 0.2 + 1.0;
    let up = (xs[xs.len() - 1] * 0.05 + 0.1).exp();
    let down = up.recip();
    let p = (down * -1.0 + 1.01) / (up - down);
    let payoff = |level: usize, ups: usize| {
        (-spot * up.powi(ups as i32) * down.powi((level - ups) as i32) + 1.05).max(T::from(0.0))
    };
    let mut values: Vec<T> = (0..=steps).map(|ups| payoff(steps, ups)).collect();
    for level in (0..steps).rev() {
        for ups in 0..=level {
            let kept = (p * values[ups + 1] + (-p + 1.0) * values[ups]) / 1.01;
            values[ups] = kept.max(payoff(level, ups));
        }
        values.truncate(level + 1);
    }
    values[0]
}

pub fn bond_yield_by_newton<T: Number>(xs: &[T], k: usize) -> T {
    let flows: Vec<(f64, T)> =
        xs.iter().enumerate().map(|(i, &x)| ((i + 1) as f64 * 0.5, x * x * 0.1 + 0.02)).collect();
    let price: T = flows.iter().map(|&(t, c)| c * (-0.03 * t).exp()).sum::<T>() * 0.95;
    let mut rate = T::from(0.05);
    for _ in 0..k + 4 {
        let (mut f, mut df) = (-price, T::from(0.0));
        for &(t, c) in &flows {
            let now = c * (rate * -t).exp();
            f += now;
            df -= now * t;
        }
        rate -= f / df;
    }
    rate
}

pub fn tax_by_brackets<T: Number>(xs: &[T], _k: usize) -> T {
    const BRACKETS: [(f64, f64); 4] = [(0.0, 0.1), (0.5, 0.2), (1.0, 0.35), (2.0, 0.5)];
    let tax = |income: T| {
        let mut owed = T::from(0.0);
        for (i, &(from, rate)) in BRACKETS.iter().enumerate() {
            let to = BRACKETS.get(i + 1).map_or(f64::INFINITY, |next| next.0);
            if income <= from {
                break;
            }
            let taxed = if income < to { income - from } else { T::from(to - from) };
            owed += taxed * rate;
        }
        owed
    };
    xs.iter().map(|&x| tax(x.abs() * 1.5)).map(|t| t * t).sum()
}

pub fn portfolio_rebalanced<T: Number>(xs: &[T], k: usize) -> T {
    let mut holdings: BTreeMap<&str, T> = BTreeMap::new();
    let names = ["bonds", "gold", "shares"];
    for (name, &x) in names.iter().cycle().zip(xs) {
        *holdings.entry(name).or_insert_with(|| T::from(0.4)) += x * x * 0.1;
    }
    for day in 0..k + 3 {
        for (i, (name, held)) in holdings.iter_mut().enumerate() {
            let growth = 1.0 + 0.01 * ((day * (i + 1) + name.len()) as f64).sin();
            *held = *held * growth;
        }
        if day % 2 == 1 {
            let total: T = holdings.values().sum();
            let target = total / holdings.len() as f64;
            for held in holdings.values_mut() {
                let cost = (*held - target).abs() * 0.01;
                *held += (target - *held) * 0.5 - cost;
            }
        }
    }
    holdings.into_values().map(|held| held.ln()).sum()
}

pub fn path_dependent_payoff<T: Number>(xs: &[T], k: usize) -> T {
    let mut seed: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut uniform = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut total = T::from(0.0);
    'paths: for _ in 0..k + 5 {
        let mut spot = T::from(1.0);
        let mut running = T::from(0.0);
        for &x in xs {
            let shock = uniform() * 2.0 - 1.0;
            spot *= (x * 0.1 * shock - x * x * 0.005).exp();
            if spot < 0.8 {
                continue 'paths;
            }
            running += spot;
        }
        total += (running / xs.len() as f64 - 0.97).max(T::from(0.0));
    }
    total
}
