//! Runge and Kutta of order 4, Dormand and Prince of orders 5 and 8 with steps chosen by the error

use crate::tried;
use ode_solvers::{DVector, Dop853, Dopri5, Rk4, SVector, System, Vector2};

struct Decay(f64);

impl System<f64, SVector<f64, 1>> for Decay {
    fn system(&self, _t: f64, y: &SVector<f64, 1>, dy: &mut SVector<f64, 1>) {
        dy[0] = -self.0 * y[0];
    }
}

/// Prey and predators.
struct LotkaVolterra([f64; 4]);

impl System<f64, Vector2<f64>> for LotkaVolterra {
    fn system(&self, _t: f64, y: &Vector2<f64>, dy: &mut Vector2<f64>) {
        let [a, b, c, d] = self.0;
        dy[0] = y[0] * (a - b * y[1]);
        dy[1] = y[1] * (c * y[0] - d);
    }
}

/// Heat in a rod, its ends held.
struct Rod(f64);

impl System<f64, DVector<f64>> for Rod {
    fn system(&self, _t: f64, y: &DVector<f64>, dy: &mut DVector<f64>) {
        let last = y.len() - 1;
        (dy[0], dy[last]) = (0.0, 0.0);
        for i in 1..last {
            dy[i] = self.0 * (y[i - 1] - 2.0 * y[i] + y[i + 1]);
        }
    }
}

/// Of a size at which differences change no step that is chosen.
const POPULATION: [f64; 6] = [1.1, 0.4, 1.0, 0.4, 3.0, 2.0];

fn population(x: &[f64]) -> (LotkaVolterra, Vector2<f64>) {
    (LotkaVolterra([x[0], x[1], 0.1 * x[2], x[3]]), Vector2::new(x[4], x[5]))
}

tried! {
    decay_by_rk4(x: [1.5, 0.7]) {
        let mut solver = Rk4::new(Decay(x[0]), 0.0, SVector::<f64, 1>::new(x[1]), 1.0, 0.125);
        solver.integrate().unwrap();
        solver.y_out().last().unwrap()[0]
    } => {
        let h: f64 = -x[0] / 8.0;
        let growth = 1.0 + h + h * h / 2.0 + h.powi(3) / 6.0 + h.powi(4) / 24.0;
        let slope = 1.0 + h + h * h / 2.0 + h.powi(3) / 6.0;
        [-x[1] * growth.powi(7) * slope, growth.powi(8)]
    };
    populations_by_rk4(x: POPULATION) {
        let (system, begin) = population(x);
        let mut solver = Rk4::new(system, 0.0, begin, 2.0, 0.1);
        solver.integrate().unwrap();
        solver.y_out().iter().map(|y| y[0] * y[1]).sum()
    };
    rod_by_rk4(x: [0.8, 0.0, 1.5, -0.5, 2.5, 0.75]) {
        let mut solver = Rk4::new(Rod(x[0]), 0.0, DVector::from_column_slice(&x[1..]), 1.0, 0.1);
        solver.integrate().unwrap();
        solver.y_out().last().unwrap().norm_squared()
    };
    populations_by_dopri5(x: POPULATION) {
        let (system, begin) = population(x);
        let mut solver = Dopri5::new(system, 0.0, 2.0, 0.5, begin, 1e-6, 1e-8);
        solver.integrate().unwrap();
        solver.y_out().last().unwrap()[0]
    };
    populations_by_dop853(x: POPULATION) {
        let (system, begin) = population(x);
        let mut solver = Dop853::new(system, 0.0, 2.0, 0.5, begin, 1e-6, 1e-8);
        solver.integrate().unwrap();
        solver.y_out().last().unwrap()[0]
    };
}
