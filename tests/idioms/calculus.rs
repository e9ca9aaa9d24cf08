use crate::dual::Number;

fn integrate<T: Number>(f: &dyn Fn(T) -> T, from: T, to: T, depth: usize) -> T {
    let middle = (from + to) * 0.5;
    let coarse = (f(from) + f(middle) * 4.0 + f(to)) * (to - from) / 6.0;
    if depth == 0 {
        return coarse;
    }
    let fine = integrate(f, from, middle, depth - 1) + integrate(f, middle, to, depth - 1);
    if (fine - coarse).abs() < 1e-4 { fine } else { fine + (fine - coarse) / 15.0 }
}

pub fn arc_length_of_a_polynomial<T: Number>(xs: &[T], k: usize) -> T {
    let slope = |t: T| xs.iter().enumerate().skip(1).rev().fold(T::from(0.0), |sum, (i, &c)| sum * t + c * i as f64);
    integrate(&|t: T| (slope(t) * slope(t) + 1.0).sqrt(), T::from(0.0), xs[0].abs() + 0.2, k.min(2) + 1)
}

struct RungeKutta<const STAGES: usize> {
    a: [[f64; STAGES]; STAGES],
    b: [f64; STAGES],
}

impl<const STAGES: usize> RungeKutta<STAGES> {
    fn step<T: Number, const N: usize>(&self, f: impl Fn([T; N]) -> [T; N], y: [T; N], h: f64) -> [T; N] {
        let mut slopes: Vec<[T; N]> = Vec::with_capacity(STAGES);
        for row in &self.a {
            let mut at = y;
            for (&weight, slope) in row.iter().zip(&slopes) {
                for i in 0..N {
                    at[i] += slope[i] * (weight * h);
                }
            }
            slopes.push(f(at));
        }
        let mut next = y;
        for (weight, slope) in self.b.iter().zip(slopes) {
            next.iter_mut().zip(slope).for_each(|(n, s)| *n += s * (*weight * h));
        }
        next
    }
}

const HEUN: RungeKutta<2> = RungeKutta { a: [[0.0, 0.0], [1.0, 0.0]], b: [0.5, 0.5] };
const KUTTA: RungeKutta<3> =
    RungeKutta { a: [[0.0; 3], [0.5, 0.0, 0.0], [-1.0, 2.0, 0.0]], b: [1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0] };

pub fn tables_of_runge_and_kutta<T: Number>(xs: &[T], k: usize) -> T {
    let mut y = [xs[0], T::from(0.5), xs[xs.len() - 1]];
    for step in 0..k + 2 {
        let force = xs[step % xs.len()];
        let f = |[a, b, c]: [T; 3]| [b * 0.5, -a + force, a * b - c * 0.2];
        y = if step % 2 == 0 { HEUN.step(f, y, 0.1) } else { KUTTA.step(f, y, 0.1) };
    }
    y.iter().map(|&y| y * y).sum()
}

/// A polynomial in one variable, its lowest coefficient first.
#[derive(Clone, PartialEq, Debug)]
struct Polynomial<T>(Vec<T>);

impl<T: Number> Polynomial<T> {
    fn at(&self, x: T) -> T {
        self.0.iter().rev().fold(T::from(0.0), |sum, &c| sum * x + c)
    }
    fn slope(&self) -> Self {
        Polynomial(self.0.iter().enumerate().skip(1).map(|(i, &c)| c * i as f64).collect())
    }
    fn times(&self, other: &Self) -> Self {
        let mut product = vec![T::from(0.0); self.0.len() + other.0.len() - 1];
        for (i, &a) in self.0.iter().enumerate() {
            for (j, &b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Polynomial(product)
    }
    fn divided_by_root(&self, root: T) -> (Self, T) {
        let mut rest = T::from(0.0);
        let mut quotient: Vec<T> = Vec::new();
        for &c in self.0.iter().rev() {
            rest = rest * root + c;
            quotient.push(rest);
        }
        let rest = quotient.pop().unwrap();
        quotient.reverse();
        (Polynomial(quotient), rest)
    }
}

pub fn polynomials_multiplied<T: Number>(xs: &[T], k: usize) -> T {
    let factors = xs.iter().take(k + 2).map(|&x| Polynomial(vec![-x, T::from(1.0)]));
    let product = factors.fold(Polynomial(vec![T::from(1.0)]), |product, factor| product.times(&factor));
    let at = T::from(0.7);
    product.at(at) + product.slope().at(at) * 0.5
}

pub fn polynomial_deflated<T: Number>(xs: &[T], _k: usize) -> T {
    let mut polynomial = Polynomial(xs.iter().copied().chain([T::from(1.0)]).collect());
    let mut sum = T::from(0.0);
    while polynomial.0.len() > 2 {
        let mut guess = T::from(0.3);
        for _ in 0..2 {
            let slope = polynomial.slope().at(guess);
            guess -= polynomial.at(guess) / (slope * slope + 0.5).sqrt();
        }
        let (quotient, rest) = polynomial.divided_by_root(guess);
        sum += guess * guess + rest * 0.1;
        polynomial = quotient;
    }
    sum
}

/// A series cut after a few terms: how Taylor's method goes about it.
#[derive(Clone, Copy)]
struct Series<T, const TERMS: usize>([T; TERMS]);

impl<T: Number, const TERMS: usize> std::ops::Mul for Series<T, TERMS> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Series(std::array::from_fn(|n| (0..=n).map(|i| self.0[i] * other.0[n - i]).sum()))
    }
}

impl<T: Number, const TERMS: usize> Series<T, TERMS> {
    fn exp(self) -> Self {
        let mut terms = [T::from(0.0); TERMS];
        terms[0] = self.0[0].exp();
        for n in 1..TERMS {
            let sum: T = (1..=n).map(|i| self.0[i] * terms[n - i] * i as f64).sum();
            terms[n] = sum / n as f64;
        }
        Series(terms)
    }
}

pub fn taylor_series<T: Number>(xs: &[T], _k: usize) -> T {
    let series: Series<T, 5> = Series(std::array::from_fn(|i| xs.get(i).copied().unwrap_or_default() * 0.5));
    let made = (series * series).exp() * series;
    made.0.iter().zip([1.0, -0.5, 0.25, -0.125, 0.0625]).map(|(&term, weight)| term * weight).sum()
}

pub fn minimum_by_golden_section<T: Number>(xs: &[T], k: usize) -> T {
    let f = |t: T| xs.iter().map(|&x| (t - x) * (t - x)).map(|d| (d + 0.1).ln()).sum::<T>();
    let (mut low, mut high) = (xs[0] - 1.0, xs[0] + 1.5);
    const RATIO: f64 = 0.618_033_988_749_894_9;
    for _ in 0..k + 3 {
        let (left, right) = (high - (high - low) * RATIO, low + (high - low) * RATIO);
        if f(left) < f(right) { high = right } else { low = left }
    }
    f((low + high) * 0.5)
}

pub fn simplex_by_nelder_and_mead<T: Number>(xs: &[T], k: usize) -> T {
    let f = |p: &[T; 2]| {
        let (a, b) = (p[0] - xs[0], p[1] - xs[xs.len() - 1]);
        a * a + b * b * 2.0 + a * b * 0.5 + (p[0] * p[1]).sin() * 0.1
    };
    let mut simplex: Vec<([T; 2], T)> = [[0.0, 0.0], [1.0, 0.2], [0.3, 1.1]]
        .into_iter()
        .map(|p: [f64; 2]| p.map(T::from))
        .map(|p| (p, f(&p)))
        .collect();
    for _ in 0..k + 3 {
        simplex.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap());
        let [best, middle, worst] = &simplex[..] else { unreachable!() };
        let centre = [(best.0[0] + middle.0[0]) * 0.5, (best.0[1] + middle.0[1]) * 0.5];
        let towards = |by: f64| [centre[0] + (centre[0] - worst.0[0]) * by, centre[1] + (centre[1] - worst.0[1]) * by];
        let reflected = towards(1.0);
        let value = f(&reflected);
        simplex[2] = if value < best.1 {
            let further = towards(2.0);
            let there = f(&further);
            if there < value { (further, there) } else { (reflected, value) }
        } else if value < middle.1 {
            (reflected, value)
        } else {
            let nearer = towards(-0.5);
            (nearer, f(&nearer))
        };
    }
    simplex.iter().map(|(p, value)| *value + p[0] * p[1]).sum()
}

pub fn shooting_for_a_boundary<T: Number>(xs: &[T], k: usize) -> T {
    let shot = |slope: T| {
        let (mut y, mut v) = (xs[0], slope);
        for i in 0..6 {
            let force = xs[i % xs.len()];
            v += (force * 0.2 - y.sin()) * 0.1;
            y += v * 0.1;
        }
        y
    };
    let (mut a, mut b) = (T::from(0.0), T::from(1.0));
    let (mut fa, mut fb) = (shot(a) - 1.0, shot(b) - 1.0);
    for _ in 0..k + 1 {
        if (fb - fa).abs() < 1e-6 {
            break;
        }
        let next = b - fb * (b - a) / (fb - fa);
        (a, fa) = (b, fb);
        (b, fb) = (next, shot(next) - 1.0);
    }
    b * b + fb
}
