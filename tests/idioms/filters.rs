use crate::dual::Number;
use std::ops::{Add, Mul, Sub};

/// A small matrix whose size is part of its type.
#[derive(Clone, Copy)]
struct Matrix<T, const R: usize, const C: usize>([[T; C]; R]);

impl<T: Number, const R: usize, const C: usize> Matrix<T, R, C> {
    fn zip(self, other: Self, f: impl Fn(T, T) -> T) -> Self {
        Matrix(std::array::from_fn(|i| std::array::from_fn(|j| f(self.0[i][j], other.0[i][j]))))
    }

    fn transposed(self) -> Matrix<T, C, R> {
        Matrix(std::array::from_fn(|i| std::array::from_fn(|j| self.0[j][i])))
    }
}

impl<T: Number, const R: usize, const C: usize> Add for Matrix<T, R, C> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl<T: Number, const R: usize, const C: usize> Sub for Matrix<T, R, C> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl<T: Number, const R: usize, const M: usize, const C: usize> Mul<Matrix<T, M, C>> for Matrix<T, R, M> {
    type Output = Matrix<T, R, C>;
    fn mul(self, other: Matrix<T, M, C>) -> Matrix<T, R, C> {
        Matrix(std::array::from_fn(|i| std::array::from_fn(|j| (0..M).map(|k| self.0[i][k] * other.0[k][j]).sum())))
    }
}

fn constant<T: Number, const R: usize, const C: usize>(numbers: [[f64; C]; R]) -> Matrix<T, R, C> {
    Matrix(numbers.map(|row| row.map(T::from)))
}

/// What is believed of a quantity.
#[derive(Clone, Copy, Debug)]
struct Belief<T> {
    mean: T,
    variance: T,
}

impl<T: Number> Belief<T> {
    fn predicted(self, noise: f64) -> Self {
        Belief { variance: self.variance + noise, ..self }
    }

    fn corrected(self, measured: T, noise: T) -> Self {
        let gain = self.variance / (self.variance + noise);
        Belief { mean: self.mean + gain * (measured - self.mean), variance: (-gain + 1.0) * self.variance }
    }
}

pub fn kalman_filter_of_one_quantity<T: Number>(xs: &[T], _k: usize) -> T {
    let start = Belief { mean: T::from(0.0), variance: T::from(1.0) };
    let noise = xs[0] * xs[0] + 0.3;
    let end = xs.iter().fold(start, |belief, &x| belief.predicted(0.1).corrected(x, noise));
    end.mean + end.variance
}

pub fn kalman_filter_of_position_and_speed<T: Number>(xs: &[T], _k: usize) -> T {
    let step = constant([[1.0, 0.1], [0.0, 1.0]]);
    let measured = constant([[1.0, 0.0]]);
    let noise = constant([[0.01, 0.0], [0.0, 0.02]]);
    let (mut state, mut covariance) = (constant([[0.0], [0.5]]), constant([[1.0, 0.0], [0.0, 1.0]]));
    let mut log_likelihood = T::from(0.0);
    for &x in xs {
        state = step * state;
        covariance = step * covariance * step.transposed() + noise;
        let innovation = Matrix([[x]]) - measured * state;
        let spread = (measured * covariance * measured.transposed()).0[0][0] + 0.5;
        let gain = covariance * measured.transposed() * Matrix([[spread.recip()]]);
        state = state + gain * innovation;
        covariance = covariance - gain * measured * covariance;
        log_likelihood -= spread.ln() * 0.5 + innovation.0[0][0].powi(2) / spread * 0.5;
    }
    log_likelihood + state.0[1][0]
}

pub fn extended_kalman_filter<T: Number>(xs: &[T], _k: usize) -> T {
    let mut belief = Belief { mean: T::from(0.4), variance: T::from(0.5) };
    for &x in xs {
        let slope = belief.mean.cos() * 0.2 + 1.0;
        belief.mean += belief.mean.sin() * 0.2;
        belief.variance = slope * belief.variance * slope + 0.05;
        let sensitivity = belief.mean * 0.2 + 1.0;
        let expected = belief.mean + belief.mean * belief.mean * 0.1;
        let gain = belief.variance * sensitivity / (sensitivity * belief.variance * sensitivity + 0.4);
        belief.mean += gain * (x - expected);
        belief.variance *= -gain * sensitivity + 1.0;
    }
    belief.mean * belief.mean + belief.variance
}

pub fn smoothed_backwards<T: Number>(xs: &[T], _k: usize) -> T {
    let noise = T::from(0.4);
    let mut forward = Vec::with_capacity(xs.len());
    let mut belief = Belief { mean: T::from(0.0), variance: T::from(2.0) };
    for &x in xs {
        belief = belief.predicted(0.2).corrected(x, noise);
        forward.push(belief);
    }
    let mut smoothed = *forward.last().unwrap();
    let mut total = smoothed.mean;
    for belief in forward.iter().rev().skip(1) {
        let gain = belief.variance / belief.predicted(0.2).variance;
        smoothed.mean = belief.mean + gain * (smoothed.mean - belief.mean);
        total += smoothed.mean * smoothed.mean;
    }
    total
}

pub fn particle_weights<T: Number>(xs: &[T], k: usize) -> T {
    let mut particles: Vec<(T, T)> = (0..k + 3).map(|i| (T::from(i as f64 * 0.5 - 0.5), T::from(1.0))).collect();
    for &x in xs {
        for (position, weight) in &mut particles {
            *position = *position * 0.9 + x * 0.1;
            *weight *= (-(x - *position).powi(2) * 0.3).exp();
        }
        let total: T = particles.iter().map(|p| p.1).sum();
        particles.iter_mut().for_each(|(_, weight)| *weight /= total);
    }
    particles.into_iter().map(|(position, weight)| position * weight).sum()
}

pub fn alpha_beta_tracker<T: Number>(xs: &[T], _k: usize) -> T {
    struct Tracker<T> {
        position: T,
        speed: T,
    }
    impl<T: Number> Tracker<T> {
        fn observe(&mut self, x: T) -> T {
            let expected = self.position + self.speed * 0.1;
            let residual = x - expected;
            self.position = expected + residual * 0.5;
            self.speed += residual * 0.4;
            residual
        }
    }
    let mut tracker = Tracker { position: xs[0], speed: T::from(0.0) };
    let residuals: T = xs.iter().map(|&x| tracker.observe(x).powi(2)).sum();
    residuals + tracker.speed
}
