use crate::dual::Number;
use std::f64::consts::PI;

/// Mean and squared deviations, as they are after each number.
#[derive(Clone, Copy, Default)]
struct Welford<T> {
    count: usize,
    mean: T,
    squares: T,
}

impl<T: Number> Welford<T> {
    fn variance(&self) -> Option<T> {
        (self.count > 1).then(|| self.squares / (self.count - 1) as f64)
    }
}

impl<T: Number> Extend<T> for Welford<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, numbers: I) {
        for x in numbers {
            self.count += 1;
            let off = x - self.mean;
            self.mean += off / self.count as f64;
            self.squares += off * (x - self.mean);
        }
    }
}

impl<T: Number> FromIterator<T> for Welford<T> {
    fn from_iter<I: IntoIterator<Item = T>>(numbers: I) -> Self {
        let mut found = Welford::default();
        found.extend(numbers);
        found
    }
}

fn mean<T: Number>(xs: &[T]) -> T {
    xs.iter().sum::<T>() / xs.len() as f64
}

fn log_sum_exp<T: Number>(xs: &[T]) -> T {
    let largest = xs.iter().copied().fold(T::from(f64::NEG_INFINITY), T::max);
    largest + xs.iter().map(|&x| (x - largest).exp()).sum::<T>().ln()
}

pub fn variance_by_welford<T: Number>(xs: &[T], _k: usize) -> T {
    let found: Welford<T> = xs.iter().copied().collect();
    found.variance().unwrap_or(found.mean)
}

pub fn mean_and_standard_deviation<T: Number>(xs: &[T], _k: usize) -> T {
    let mean = mean(xs);
    let variance: T = xs.iter().map(|&x| (x - mean).powi(2)).sum::<T>() / xs.len() as f64;
    mean + (variance + 0.1).sqrt()
}

pub fn correlation_with_the_index<T: Number>(xs: &[T], _k: usize) -> T {
    let n = xs.len() as f64;
    let (sx, sy, sxy, syy) = xs
        .iter()
        .enumerate()
        .fold((T::from(0.0), T::from(0.0), T::from(0.0), T::from(0.5)), |(sx, sy, sxy, syy), (i, &y)| {
            (sx + i as f64, sy + y, sxy + y * i as f64, syy + y * y)
        });
    (sxy * n - sx * sy) / (syy * n - sy * sy * 0.5).sqrt()
}

pub fn linear_regression<T: Number>(xs: &[T], _k: usize) -> T {
    fn fit<T: Number>(points: &[(f64, T)]) -> Option<(T, T)> {
        let n = points.len() as f64;
        let (sx, sxx) = points.iter().fold((0.0, 0.0), |(sx, sxx), (x, _)| (sx + x, sxx + x * x));
        let sy: T = points.iter().map(|&(_, y)| y).sum();
        let sxy: T = points.iter().map(|&(x, y)| y * x).sum();
        let determinant = n * sxx - sx * sx;
        if determinant == 0.0 {
            return None;
        }
        let slope = (sxy * n - sy * sx) / determinant;
        Some((slope, (sy - slope * sx) / n))
    }
    let points: Vec<_> = xs.iter().enumerate().map(|(i, &y)| (i as f64, y)).collect();
    let Some((slope, offset)) = fit(&points) else { return xs[0] };
    points.iter().map(|&(x, y)| (y - slope * x - offset).powi(2)).sum::<T>() + slope * offset
}

pub fn log_sum_of_exponentials<T: Number>(xs: &[T], _k: usize) -> T {
    log_sum_exp(xs)
}

pub fn entropy_of_softmax<T: Number>(xs: &[T], _k: usize) -> T {
    let norm = log_sum_exp(xs);
    xs.iter().map(|&x| x - norm).map(|log| -log * log.exp()).sum::<T>() + xs[0]
}

pub fn gaussian_mixture_log_likelihood<T: Number>(xs: &[T], k: usize) -> T {
    let components: Vec<(T, T, f64)> = (0..=k)
        .map(|c| (xs[c % xs.len()] * 0.5 + c as f64, xs[(c + 1) % xs.len()] * 0.2, 1.0 / (k as f64 + 1.0)))
        .collect();
    xs.iter()
        .map(|&x| {
            let terms: Vec<T> = components
                .iter()
                .map(|&(mean, log_scale, weight)| {
                    let z = (x - mean) / log_scale.exp();
                    z * z * -0.5 - log_scale + (weight / (2.0 * PI).sqrt()).ln()
                })
                .collect();
            log_sum_exp(&terms)
        })
        .sum()
}

pub fn quantile<T: Number>(xs: &[T], _k: usize) -> T {
    let mut sorted = xs.to_vec();
    sorted.sort_by(T::total_cmp);
    let at = |q: f64| {
        let position = q * (sorted.len() - 1) as f64;
        let (low, rest) = (position.floor() as usize, position.fract());
        let high = (low + 1).min(sorted.len() - 1);
        sorted[low] * (1.0 - rest) + sorted[high] * rest
    };
    at(0.75) * at(0.25) + at(0.5)
}

pub fn soft_histogram<T: Number>(xs: &[T], _k: usize) -> T {
    const BINS: usize = 5;
    let mut histogram = [T::from(0.1); BINS];
    for &x in xs {
        for (bin, height) in histogram.iter_mut().enumerate() {
            let centre = bin as f64 - 2.0;
            *height += (-(x - centre).powi(2)).exp();
        }
    }
    let total: T = histogram.iter().sum();
    histogram.iter().map(|&height| height / total).map(|p| -p * p.ln()).sum()
}

pub fn skewness_and_kurtosis<T: Number>(xs: &[T], _k: usize) -> T {
    let mean = mean(xs);
    let moment = |order: i32| xs.iter().map(|&x| (x - mean).powi(order)).sum::<T>() / xs.len() as f64;
    let (second, third, fourth) = (moment(2) + 0.5, moment(3), moment(4));
    third / second.sqrt().powi(3) + fourth / second.powi(2)
}

pub fn kernel_density<T: Number>(xs: &[T], _k: usize) -> T {
    let bandwidth = xs.iter().map(|&x| x * x).sum::<T>() * 0.1 + 0.5;
    let density = |at: f64| xs.iter().map(|&x| (-((x - at) / bandwidth).powi(2) * 0.5).exp()).sum::<T>() / bandwidth;
    (-3..=3).map(f64::from).map(density).map(|d| (d + 0.1).ln()).sum()
}

pub fn huber_loss<T: Number>(xs: &[T], _k: usize) -> T {
    let loss = |residual: T| match residual.abs() {
        size if size <= 1.0 => residual * residual * 0.5,
        size => size - 0.5,
    };
    xs.iter().enumerate().map(|(i, &x)| loss(x - 0.25 * i as f64)).sum()
}

pub fn expectation_maximisation<T: Number>(xs: &[T], k: usize) -> T {
    let mut means = [T::from(-0.5), T::from(1.5)];
    for _ in 0..=k {
        let (mut weights, mut sums) = ([T::from(0.01); 2], [T::from(0.0); 2]);
        for &x in xs {
            let likelihoods = means.map(|mean| (-(x - mean).powi(2)).exp() + 1e-3);
            let total: T = likelihoods.iter().sum();
            for (c, &likelihood) in likelihoods.iter().enumerate() {
                let responsibility = likelihood / total;
                weights[c] += responsibility;
                sums[c] += responsibility * x;
            }
        }
        means = std::array::from_fn(|c| sums[c] / weights[c]);
    }
    means[0] * 2.0 + means[1]
}

pub fn bootstrapped_mean<T: Number>(xs: &[T], k: usize) -> T {
    let mut state = 12345_u64 + k as u64;
    let mut draw = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % xs.len()
    };
    let means: Vec<T> = (0..6).map(|_| (0..xs.len()).map(|_| xs[draw()]).sum::<T>() / xs.len() as f64).collect();
    means.iter().map(|&m| m * m).sum()
}

pub fn weighted_percentile_of_pairs<T: Number>(xs: &[T], _k: usize) -> T {
    let mut pairs: Vec<(T, T)> = xs.iter().enumerate().map(|(i, &x)| (x, x * x + 1.0 + i as f64 * 0.3)).collect();
    pairs.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap());
    let total: T = pairs.iter().map(|&(_, weight)| weight).sum();
    let mut running = T::from(0.0);
    for &(x, weight) in &pairs {
        running += weight;
        if running >= total * 0.5 {
            return x * running / total;
        }
    }
    unreachable!("the weights are positive")
}
