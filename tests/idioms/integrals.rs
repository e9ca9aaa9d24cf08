use crate::dual::Number;

fn trapezoid<T: Number>(f: impl Fn(T) -> T, from: T, to: T, steps: usize) -> T {
    let h = (to - from) / steps as f64;
    let inner: T = (1..steps).map(|i| f(from + h * i as f64)).sum();
    (inner + (f(from) + f(to)) * 0.5) * h
}

pub fn trapezoids<T: Number>(xs: &[T], k: usize) -> T {
    xs.iter().map(|&x| trapezoid(|t| (t * x).sin() + t * t, T::from(0.0), x, k + 4)).sum()
}

pub fn simpson_rule<T: Number>(xs: &[T], _k: usize) -> T {
    let polynomial = |t: f64| xs.iter().rev().fold(T::from(0.0), |sum, &c| sum * t + c);
    let n = 8;
    let h = 1.0 / f64::from(n);
    let weight = |i: i32| match i {
        0 | 8 => 1.0,
        i if i % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let sum: T = (0..=n).map(|i| polynomial(f64::from(i) * h).powi(2) * weight(i)).sum();
    sum * (h / 3.0)
}

pub fn gauss_legendre<T: Number>(xs: &[T], _k: usize) -> T {
    const NODES: &[(f64, f64)] = &[(-0.7745966692414834, 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.7745966692414834, 5.0 / 9.0)];
    let integral = |from: T, to: T| {
        let (middle, half) = ((from + to) * 0.5, (to - from) * 0.5);
        NODES.iter().map(|&(node, weight)| (-(middle + half * node).powi(2)).exp() * weight).sum::<T>() * half
    };
    xs.windows(2).map(|ends| integral(ends[0], ends[1]).powi(2)).sum::<T>() + integral(T::from(0.0), xs[0])
}

pub fn adaptive_simpson<T: Number>(xs: &[T], _k: usize) -> T {
    fn simpson<T: Number>(f: &dyn Fn(f64) -> T, a: f64, b: f64) -> T {
        (f(a) + f((a + b) / 2.0) * 4.0 + f(b)) * ((b - a) / 6.0)
    }
    fn refined<T: Number>(f: &dyn Fn(f64) -> T, a: f64, b: f64, depth: usize) -> T {
        let middle = (a + b) / 2.0;
        let (whole, left, right) = (simpson(f, a, b), simpson(f, a, middle), simpson(f, middle, b));
        if depth == 0 || (left + right - whole).value().abs() < 1e-4 {
            left + right
        } else {
            refined(f, a, middle, depth - 1) + refined(f, middle, b, depth - 1)
        }
    }
    let f = |t: f64| xs.iter().map(|&x| (x * t).cos()).sum::<T>();
    refined(&f, 0.0, 2.0, 6)
}

pub fn romberg_table<T: Number>(xs: &[T], k: usize) -> T {
    let f = |t: T| (t * xs[0]).exp();
    let end = xs[xs.len() - 1] * 0.3 + 1.0;
    let mut table: Vec<Vec<T>> = Vec::new();
    for row in 0..k + 2 {
        let mut entries = vec![trapezoid(f, T::from(0.0), end, 1 << row)];
        for column in 1..=row {
            let factor = 4_f64.powi(column as i32);
            entries.push((entries[column - 1] * factor - table[row - 1][column - 1]) / (factor - 1.0));
        }
        table.push(entries);
    }
    *table.last().and_then(|row| row.last()).unwrap()
}

/// Uniform numbers from 0 to 1, the same ones each time.
struct Uniform(u64);

impl Iterator for Uniform {
    type Item = f64;
    fn next(&mut self) -> Option<f64> {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        Some((self.0 >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

pub fn monte_carlo<T: Number>(xs: &[T], _k: usize) -> T {
    let samples = 40;
    let sum: T = Uniform(88172645463325252).take(samples).map(|u| xs.iter().map(|&x| (x * u).tanh()).sum::<T>()).sum();
    sum / samples as f64
}

pub fn leapfrog_hamiltonian<T: Number>(xs: &[T], k: usize) -> T {
    let slope = |q: &[T]| -> Vec<T> {
        let sum: T = q.iter().sum();
        q.iter().map(|&q| q + sum * 0.1 + q * q * q * 0.2).collect()
    };
    let mut position = xs.to_vec();
    let mut momentum: Vec<T> = xs.iter().rev().map(|&x| x * 0.5).collect();
    let kick = |momentum: &mut [T], q: &[T], h: f64| momentum.iter_mut().zip(slope(q)).for_each(|(p, g)| *p -= g * h);
    for _ in 0..=k {
        kick(&mut momentum, &position, 0.05);
        position.iter_mut().zip(&momentum).for_each(|(q, &p)| *q += p * 0.1);
        kick(&mut momentum, &position, 0.05);
    }
    momentum.iter().map(|&p| p * p * 0.5).sum::<T>() + position.iter().sum::<T>()
}

/// The energy of a chain that prefers these numbers and smooth neighbours.
fn energy<T: Number>(chain: &[T], xs: &[T]) -> T {
    let data: T = chain.iter().zip(xs).map(|(&c, &x)| (c - x).powi(2)).sum();
    let smooth: T = chain.windows(2).map(|pair| ((pair[0] - pair[1]).powi(2) + 1.0).ln()).sum();
    data * 0.5 + smooth
}

pub fn metropolis_energy<T: Number>(xs: &[T], k: usize) -> T {
    let mut random = Uniform(2463534242);
    let mut chain: Vec<T> = vec![T::from(0.3); xs.len()];
    let mut current = energy(&chain, xs);
    let mut total = T::from(0.0);
    for step in 0..3 * k + 5 {
        let site = step % chain.len();
        let mut proposal = chain.clone();
        proposal[site] += xs[site] * (random.next().unwrap() - 0.4);
        let proposed = energy(&proposal, xs);
        if random.next().unwrap().ln() < (current - proposed).value() {
            (chain, current) = (proposal, proposed);
        }
        total += current;
    }
    total / (3.0 * k as f64 + 5.0)
}

pub fn annealed_posterior<T: Number>(xs: &[T], _k: usize) -> T {
    let (prior, likelihood) = (|m: T| -m * m * 0.5, |m: T, x: T| -((x - m).powi(2) + 1.0).ln());
    let log_posterior = |m: T, heat: f64| prior(m) + xs.iter().map(|&x| likelihood(m, x)).sum::<T>() * heat;
    let temperatures = (1..=4).map(|i| f64::from(i) / 4.0);
    temperatures.fold(T::from(0.0), |sum, heat| sum * 0.5 + log_posterior(xs[0] * heat, heat))
}
