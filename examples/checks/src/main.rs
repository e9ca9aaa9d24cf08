//! Derivatives that check themselves: what `docs/check.md` shows.

use autodiff::check::{Generate, Numbers};
use autodiff::{autodiff_forward, autodiff_reverse, domain, gradcheck, try_gradcheck};

#[autodiff_reverse(d_energy, Duplicated, Const, Active)]
#[autodiff_forward(t_energy, Dual, Const, Dual)]
#[autodiff_forward(t_energy_4, 4, Dual, Const, Dual)]
fn energy(x: &[f64], stiffness: f64) -> f64 {
    x.iter().map(|x| 0.5 * stiffness * x * x).sum()
}

/// By hand, and wrong: the second half of `x` is forgotten.
fn by_hand(x: &[f64], dx: &mut [f64], stiffness: f64, seed: f64) -> f64 {
    for i in 0..x.len() / 2 {
        dx[i] += seed * stiffness * x[i];
    }
    energy(x, stiffness)
}

#[derive(Clone, Numbers, Generate)]
struct Spring {
    stiffness: f64,
    ends: [f64; 2],
    turns: u32,
}

impl Spring {
    #[autodiff_reverse(d_force, Duplicated, Active, Active)]
    #[autodiff_forward(t_force, Dual, Dual, Dual)]
    fn force(&self, stretch: f64) -> f64 {
        self.stiffness * (self.ends[1] - self.ends[0] + stretch) / f64::from(self.turns)
    }
}

const SPRING: Spring = Spring { stiffness: 3.0, ends: [0.5, 1.75], turns: 4 };

#[autodiff_reverse(d_pull, Duplicated, Active, Active)]
fn pull(spring: &Spring, stretch: f64) -> f64 {
    spring.force(stretch)
}

#[autodiff_reverse(d_hinge, Duplicated, Active)]
fn hinge(x: &[f64]) -> f64 {
    x.iter().map(|x| if *x > 0.0 { x + x.sin() } else { x.sin() }).sum()
}

#[autodiff_reverse(d_rate, Duplicated, Const, Active, Active)]
#[domain(table = [0.0..1.0; 9], row = 0..3, temperature = 250.0..350.0)]
fn rate(table: &[f64], row: usize, temperature: f64) -> f64 {
    table[3 * row..][..3].iter().map(|energy| (300.0 * energy / temperature).exp()).sum()
}

fn main() {
    println!("pull {}, rate {:.3}", pull(&SPRING, 0.5), rate(&[0.5; 9], 1, 300.0));

    let report = gradcheck! {
        #[autodiff_reverse(d_energy, Duplicated, Const, Active)]
        #[autodiff_forward(t_energy, Dual, Const, Dual)]
        #[autodiff_forward(t_energy_4, 4, Dual, Const, Dual)]
        energy(&[1.0, -2.0, 0.5], 3.0)
    };
    println!("{report}");

    println!(
        "{}",
        gradcheck!(
            #[autodiff_reverse(d_force, Duplicated, Active, Active)]
            Spring::force(&SPRING, 0.5)
        )
    );

    println!(
        "{}",
        gradcheck!(
            #[autodiff_reverse(d_hinge, Duplicated, Active)]
            hinge(&[1.0, 0.0])
        )
    );

    let found = try_gradcheck!(
        #[autodiff_reverse(by_hand, Duplicated, Const, Active)]
        energy(&[1.0, -2.0], 3.0)
    );
    if let Err(report) = found {
        println!("{report}");
    }
}
