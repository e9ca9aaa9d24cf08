//! Bodies that attract each other, moved by leaps (Störmer and Verlet), and their energy at the end.

use crate::numbers::Numbers;
use crate::program::program;
use autodiff::*;

const STEP: f64 = 1e-2;
const SOFT: f64 = 0.05;

pub struct Bodies {
    places: Vec<f64>,
    speeds: Vec<f64>,
    masses: Vec<f64>,
    steps: usize,
}

impl Bodies {
    pub fn new(sizes: &[usize], numbers: &mut Numbers) -> Self {
        let &[bodies, steps] = sizes else { panic!("nbody: bodies, steps") };
        Self {
            places: numbers.many(3 * bodies, -1.0, 1.0),
            speeds: numbers.many(3 * bodies, -0.5, 0.5),
            masses: numbers.many(bodies, 0.1, 1.0),
            steps,
        }
    }
}

program!(Bodies, |it| energy[places, speeds, masses](it.steps));

#[autodiff_reverse(gradient, Duplicated, Duplicated, Duplicated, Const, Active)]
#[autodiff_reverse(gradient_only, Duplicated, Duplicated, Duplicated, Const, ActiveOnly)]
#[autodiff_forward(slope, Dual, Dual, Dual, Const, DualOnly)]
#[autodiff_forward(slopes, 8, Dualv, Dualv, Dualv, Const, DualOnly)]
fn energy(places: &[f64], speeds: &[f64], masses: &[f64], steps: usize) -> f64 {
    let (mut places, mut speeds) = (places.to_vec(), speeds.to_vec());
    let mut pulls = vec![0.0; places.len()];
    set_pulls(&places, masses, &mut pulls);
    for _ in 0..steps {
        move_by(0.5 * STEP, &pulls, &mut speeds);
        move_by(STEP, &speeds, &mut places);
        set_pulls(&places, masses, &mut pulls);
        move_by(0.5 * STEP, &pulls, &mut speeds);
    }
    let mut sum = 0.0;
    for (i, (place, speed)) in places.chunks_exact(3).zip(speeds.chunks_exact(3)).enumerate() {
        sum += 0.5 * masses[i] * speed.iter().map(|v| v * v).sum::<f64>();
        for (j, other) in places[..3 * i].chunks_exact(3).enumerate() {
            sum -= masses[i] * masses[j] / squared_distance(place, other).sqrt();
        }
    }
    sum
}

fn set_pulls(places: &[f64], masses: &[f64], pulls: &mut [f64]) {
    for (i, (place, pull)) in places.chunks_exact(3).zip(pulls.chunks_exact_mut(3)).enumerate() {
        pull.fill(0.0);
        for (j, other) in places.chunks_exact(3).enumerate() {
            if i == j {
                continue;
            }
            let squared = squared_distance(place, other);
            let strength = masses[j] / (squared * squared.sqrt());
            for k in 0..3 {
                pull[k] += strength * (other[k] - place[k]);
            }
        }
    }
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    SOFT + (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>()
}

fn move_by(step: f64, speeds: &[f64], places: &mut [f64]) {
    for (place, speed) in places.iter_mut().zip(speeds) {
        *place += step * speed;
    }
}
