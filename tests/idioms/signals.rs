use crate::dual::Number;
use std::collections::VecDeque;
use std::f64::consts::{PI, TAU};
use std::ops::{Add, Mul, Sub};

#[derive(Clone, Copy, Default)]
struct Complex<T> {
    re: T,
    im: T,
}

impl<T: Number> Complex<T> {
    fn from_angle(angle: f64) -> Self {
        Complex { re: T::from(angle.cos()), im: T::from(angle.sin()) }
    }

    fn norm_squared(self) -> T {
        self.re * self.re + self.im * self.im
    }
}

impl<T: Number> Add for Complex<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl<T: Number> Sub for Complex<T> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

impl<T: Number> Mul for Complex<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

/// The numbers as complex ones, with zeros after them up to a power of two.
fn padded<T: Number>(xs: &[T]) -> Vec<Complex<T>> {
    let mut signal: Vec<_> = xs.iter().map(|&re| Complex { re, im: T::from(0.0) }).collect();
    signal.resize(xs.len().next_power_of_two(), Complex::default());
    signal
}

fn weighed<T: Number>(spectrum: &[Complex<T>]) -> T {
    spectrum.iter().enumerate().map(|(i, c)| c.norm_squared() * (1.0 / (i as f64 + 1.0)) + c.im * 0.1).sum()
}

pub fn recursive_fft<T: Number>(xs: &[T], _k: usize) -> T {
    fn fft<T: Number>(signal: &[Complex<T>]) -> Vec<Complex<T>> {
        let n = signal.len();
        if n == 1 {
            return signal.to_vec();
        }
        let even = fft(&signal.iter().copied().step_by(2).collect::<Vec<_>>());
        let odd = fft(&signal.iter().copied().skip(1).step_by(2).collect::<Vec<_>>());
        let mut spectrum = vec![Complex::default(); n];
        for k in 0..n / 2 {
            let turned = Complex::from_angle(-TAU * k as f64 / n as f64) * odd[k];
            spectrum[k] = even[k] + turned;
            spectrum[k + n / 2] = even[k] - turned;
        }
        spectrum
    }
    weighed(&fft(&padded(xs)))
}

pub fn fft_in_place<T: Number>(xs: &[T], _k: usize) -> T {
    let mut signal = padded(xs);
    let n = signal.len();
    let mut j = 0;
    for i in 1..n {
        let mut bit = n >> 1;
        while j & bit != 0 {
            j ^= bit;
            bit >>= 1;
        }
        j |= bit;
        if i < j {
            signal.swap(i, j);
        }
    }
    let mut length = 2;
    while length <= n {
        for block in signal.chunks_exact_mut(length) {
            let (low, high) = block.split_at_mut(length / 2);
            for (k, (a, b)) in low.iter_mut().zip(high).enumerate() {
                let turned = Complex::from_angle(-TAU * k as f64 / length as f64) * *b;
                (*a, *b) = (*a + turned, *a - turned);
            }
        }
        length *= 2;
    }
    weighed(&signal)
}

pub fn power_spectrum<T: Number>(xs: &[T], k: usize) -> T {
    let power = |frequency: usize| {
        let step = TAU * frequency as f64 / xs.len() as f64;
        let (re, im) = xs.iter().enumerate().fold((T::from(0.0), T::from(0.0)), |(re, im), (i, &x)| {
            let (sin, cos) = (step * i as f64).sin_cos();
            (re + x * cos, im - x * sin)
        });
        re * re + im * im
    };
    (0..=k).map(|frequency| power(frequency) / (frequency as f64 + 1.0)).sum()
}

pub fn moving_average<T: Number>(xs: &[T], k: usize) -> T {
    let mut window = VecDeque::with_capacity(k + 1);
    let mut sum = T::from(0.0);
    let mut total = T::from(0.0);
    for &x in xs {
        window.push_back(x);
        sum += x;
        if window.len() > k + 1 {
            sum -= window.pop_front().unwrap();
        }
        let mean = sum / window.len() as f64;
        total += mean * mean;
    }
    total
}

/// A filter of second order.
struct Biquad<T> {
    feedforward: [f64; 3],
    feedback: [f64; 2],
    memory: [T; 2],
}

impl<T: Number> Biquad<T> {
    fn process(&mut self, x: T) -> T {
        let [b0, b1, b2] = self.feedforward;
        let [a1, a2] = self.feedback;
        let y = x * b0 + self.memory[0];
        self.memory = [x * b1 - y * a1 + self.memory[1], x * b2 - y * a2];
        y
    }
}

pub fn biquads_in_series<T: Number>(xs: &[T], k: usize) -> T {
    let biquad = |i: usize| Biquad {
        feedforward: [0.3 + 0.1 * i as f64, 0.4, 0.2],
        feedback: [-0.5, 0.2],
        memory: [T::from(0.0); 2],
    };
    let mut chain: Vec<Biquad<T>> = (0..=k).map(biquad).collect();
    xs.iter().map(|&x| chain.iter_mut().fold(x, |x, filter| filter.process(x))).map(|y| y * y).sum()
}

pub fn goertzel<T: Number>(xs: &[T], k: usize) -> T {
    let coefficient = 2.0 * (TAU * (k as f64 + 0.5) / 9.0).cos();
    let (s1, s2) = xs.iter().fold((T::from(0.0), T::from(0.0)), |(s1, s2), &x| (x + s1 * coefficient - s2, s1));
    s1 * s1 + s2 * s2 - s1 * s2 * coefficient
}

pub fn autocorrelation<T: Number>(xs: &[T], k: usize) -> T {
    let mean = xs.iter().sum::<T>() / xs.len() as f64;
    let centred: Vec<T> = xs.iter().map(|&x| x - mean * 0.9).collect();
    let lag = |lag: usize| centred.iter().zip(centred.iter().skip(lag)).map(|(&a, &b)| a * b).sum::<T>();
    (1..=k).map(lag).sum::<T>() / lag(0)
}

pub fn exponential_smoothing<T: Number>(xs: &[T], _k: usize) -> T {
    let (first, rest) = xs.split_first().expect("a number");
    let (level, trend) = rest.iter().fold((*first, T::from(0.0)), |(level, trend), &x| {
        let next = x * 0.4 + (level + trend) * 0.6;
        (next, (next - level) * 0.3 + trend * 0.7)
    });
    level * level + trend
}

pub fn haar_wavelet<T: Number>(xs: &[T], _k: usize) -> T {
    let mut smooth = xs.to_vec();
    let mut details = Vec::new();
    while smooth.len() > 1 {
        details.extend(smooth.chunks_exact(2).map(|pair| (pair[0] - pair[1]) * 0.5));
        smooth = smooth.chunks(2).map(|pair| pair.iter().sum::<T>() / pair.len() as f64).collect();
    }
    smooth[0] + details.iter().map(|&d| d * d).sum::<T>()
}

pub fn median_filter<T: Number>(xs: &[T], _k: usize) -> T {
    let median = |window: &[T]| {
        let mut sorted = window.to_vec();
        sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
        sorted[sorted.len() / 2]
    };
    xs.windows(3.min(xs.len())).map(median).enumerate().map(|(i, m)| m * m * (i as f64 + 1.0)).sum()
}

pub fn hann_windowed_energy<T: Number>(xs: &[T], _k: usize) -> T {
    let window = (0..xs.len()).map(|i| 0.5 - 0.45 * (TAU * i as f64 / xs.len() as f64).cos());
    xs.iter().zip(window).map(|(&x, w)| x * w).map(|y| y * y).sum()
}

pub fn convolved_with_a_gaussian<T: Number>(xs: &[T], k: usize) -> T {
    let kernel: Vec<f64> =
        (0..2 * k + 1).map(|i| i as f64 - k as f64).map(|d| (-d * d / 2.0).exp() / (2.0 * PI).sqrt()).collect();
    let mut result = vec![T::from(0.0); xs.len() + kernel.len() - 1];
    for (i, &x) in xs.iter().enumerate() {
        for (j, &weight) in kernel.iter().enumerate() {
            result[i + j] += x * weight;
        }
    }
    result.iter().map(|&r| r * r * r).sum()
}
