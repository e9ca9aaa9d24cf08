use crate::dual::Number;
use std::collections::VecDeque;
use std::f64::consts::PI;
use std::ops::{Add, Div, Mul, Neg, Sub};

struct ChebyshevSeries<T> {
    a: T,
    b: T,
    c: Vec<T>,
}

impl<T: Number> ChebyshevSeries<T> {
    fn fit(f: impl Fn(T) -> T, a: T, b: T, n: usize) -> Self {
        let mut samples = vec![T::default(); n];
        for (j, sample) in samples.iter_mut().enumerate() {
            let y = (PI * (j as f64 + 0.5) / n as f64).cos();
            *sample = f((a + b) * 0.5 + (b - a) * (0.5 * y));
        }
        let mut c = vec![T::default(); n];
        for i in 0..n {
            let mut sum = T::default();
            for j in 0..n {
                sum += samples[j] * (PI * i as f64 * (j as f64 + 0.5) / n as f64).cos();
            }
            c[i] = sum * (2.0 / n as f64);
        }
        ChebyshevSeries { a, b, c }
    }

    fn derivative(&self) -> Self {
        let n = self.c.len();
        let mut d = vec![T::default(); n];
        if n >= 2 {
            d[n - 2] = self.c[n - 1] * (2 * (n - 1)) as f64;
        }
        for j in (1..n.saturating_sub(1)).rev() {
            d[j - 1] = d[j + 1] + self.c[j] * (2 * j) as f64;
        }
        let con = (self.b - self.a).recip() * 2.0;
        for v in &mut d {
            *v *= con;
        }
        ChebyshevSeries { a: self.a, b: self.b, c: d }
    }

    fn truncate(&mut self, threshold: f64) {
        while self.c.len() > 2 && self.c[self.c.len() - 1].abs() < threshold {
            self.c.pop();
        }
    }

    fn eval(&self, x: T) -> Option<T> {
        if (x - self.a) * (x - self.b) > 0.0 {
            return None;
        }
        let y = (x * 2.0 - self.a - self.b) / (self.b - self.a);
        let (mut d, mut dd) = (T::default(), T::default());
        for j in (1..self.c.len()).rev() {
            let sv = d;
            d = y * d * 2.0 - dd + self.c[j];
            dd = sv;
        }
        Some(y * d - dd + self.c[0] * 0.5)
    }
}

pub fn chebyshev_series_fitted_and_differentiated<T: Number>(xs: &[T], k: usize) -> T {
    let f = |t: T| xs.iter().enumerate().fold(T::default(), |sum, (i, &x)| sum + (t * x + 0.3 * i as f64).sin());
    let mut series = ChebyshevSeries::fit(f, T::from(-1.0), xs[0] * 0.2 + 1.5, 6 + 2 * k);
    let slope = series.derivative();
    series.truncate(1e-4);
    let mut total = T::default();
    for i in 0..5 {
        let x = T::from(i as f64 * 0.7 - 1.2);
        if let (Some(y), Some(dy)) = (series.eval(x), slope.eval(x)) {
            total += y * y + dy * 0.5;
        }
    }
    total
}

/// Coefficients of numerator and denominator, or nothing if the system is singular.
fn pade<T: Number>(c: &[T]) -> Option<(Vec<T>, Vec<T>)> {
    let n = (c.len() - 1) / 2;
    let mut a: Vec<Vec<T>> = vec![vec![T::from(0.0); n + 1]; n];
    for i in 0..n {
        for j in 0..n {
            a[i][j] = c[n + i - j];
        }
        a[i][n] = -c[n + i + 1];
    }
    for col in 0..n {
        let mut pivot = col;
        for row in col + 1..n {
            if a[row][col].abs() > a[pivot][col].abs() {
                pivot = row;
            }
        }
        if a[pivot][col].abs() < 1e-8 {
            return None;
        }
        a.swap(col, pivot);
        for row in 0..n {
            if row == col {
                continue;
            }
            let factor = a[row][col] / a[col][col];
            for j in col..=n {
                let sub = factor * a[col][j];
                a[row][j] -= sub;
            }
        }
    }
    let mut q = vec![T::from(1.0)];
    for i in 0..n {
        q.push(a[i][n] / a[i][i]);
    }
    let mut p = Vec::with_capacity(n + 1);
    for i in 0..=n {
        let mut sum = T::from(0.0);
        for j in 0..=i {
            sum += c[i - j] * q[j];
        }
        p.push(sum);
    }
    Some((p, q))
}

pub fn pade_approximant_of_a_series<T: Number>(xs: &[T], k: usize) -> T {
    let x = 0.15 * (k + 1) as f64;
    let eval = |c: &[T]| c.iter().rev().fold(T::from(0.0), |acc, &c| acc * x + c);
    match pade(xs) {
        Some((p, q)) => {
            let denominator = eval(&q);
            if denominator.abs() > 0.01 { eval(&p) / denominator } else { eval(xs) }
        }
        None => eval(xs),
    }
}

fn pchip_slopes<T: Number>(h: &[T], delta: &[T]) -> Vec<T> {
    let n = delta.len() + 1;
    if n == 2 {
        return vec![delta[0]; 2];
    }
    let end = |h0: T, h1: T, d0: T, d1: T| {
        let d = ((h0 * 2.0 + h1) * d0 - h0 * d1) / (h0 + h1);
        if d * d0 <= 0.0 {
            T::from(0.0)
        } else if d0 * d1 <= 0.0 && d.abs() > d0.abs() * 3.0 {
            d0 * 3.0
        } else {
            d
        }
    };
    let mut d = vec![T::from(0.0); n];
    d[0] = end(h[0], h[1], delta[0], delta[1]);
    d[n - 1] = end(h[n - 2], h[n - 3], delta[n - 2], delta[n - 3]);
    for i in 1..n - 1 {
        if delta[i - 1] * delta[i] > 0.0 {
            let w1 = h[i] * 2.0 + h[i - 1];
            let w2 = h[i] + h[i - 1] * 2.0;
            d[i] = (w1 + w2) / (w1 / delta[i - 1] + w2 / delta[i]);
        }
    }
    d
}

pub fn monotone_pchip_interpolant<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len() + 1;
    let mut t = vec![T::from(0.0); n];
    let mut y = vec![T::from(0.5); n];
    for i in 1..n {
        t[i] = t[i - 1] + xs[i - 1].abs() * 0.3 + 0.2;
        y[i] = if i % 3 == 2 { y[i - 1] + xs[i - 1] * 0.5 } else { y[i - 1] + xs[i - 1].abs() };
    }
    let h: Vec<T> = t.windows(2).map(|w| w[1] - w[0]).collect();
    let delta: Vec<T> = (0..n - 1).map(|i| (y[i + 1] - y[i]) / h[i]).collect();
    let d = pchip_slopes(&h, &delta);
    let mut sum = T::from(0.0);
    for q in 0..4 + k {
        let x = T::from(0.13 + 0.37 * q as f64);
        let mut i = 0;
        while i + 2 < n && x > t[i + 1] {
            i += 1;
        }
        let s = (x - t[i]).min(h[i]);
        let c = (delta[i] * 3.0 - d[i] * 2.0 - d[i + 1]) / h[i];
        let b = (d[i] - delta[i] * 2.0 + d[i + 1]) / (h[i] * h[i]);
        sum += y[i] + s * (d[i] + s * (c + s * b));
    }
    sum
}

fn de_boor<T: Number>(degree: usize, knots: &[f64], control: &[[T; 2]], u: T) -> [T; 2] {
    let mut span = degree;
    while span + 1 < control.len() && u >= knots[span + 1] {
        span += 1;
    }
    let mut d: Vec<[T; 2]> = (0..=degree).map(|j| control[j + span - degree]).collect();
    for r in 1..=degree {
        for j in (r..=degree).rev() {
            let left = knots[j + span - degree];
            let right = knots[j + 1 + span - r];
            let alpha = (u - left) / (right - left);
            for axis in 0..2 {
                d[j][axis] = (T::from(1.0) - alpha) * d[j - 1][axis] + alpha * d[j][axis];
            }
        }
    }
    d[degree]
}

pub fn de_boor_curve_length<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let degree = (n - 1).min(3);
    let control: Vec<[T; 2]> = (0..n).map(|i| [xs[i] * 0.3 + i as f64, xs[(i + k) % n]]).collect();
    let mut knots = vec![0.0; degree + 1];
    let spans = n - degree;
    for i in 1..spans {
        knots.push(i as f64 / spans as f64);
    }
    knots.extend(vec![1.0; degree + 1]);
    let samples = 6;
    let mut length = T::default();
    let mut last = de_boor(degree, &knots, &control, T::from(0.0));
    let stretch = xs[0].tanh() * 0.05 + 0.9;
    for s in 1..=samples {
        let point = de_boor(degree, &knots, &control, stretch * (s as f64 / samples as f64));
        let (dx, dy) = (point[0] - last[0], point[1] - last[1]);
        length += (dx * dx + dy * dy + 1e-4).sqrt();
        last = point;
    }
    length + last[1] * last[1]
}

/// Neville's algorithm with the C and D tableaux: value and error estimate.
fn polint<T: Number>(xa: &[T], ya: &[T], x: T) -> Result<(T, T), String> {
    let n = xa.len();
    let mut ns = 0;
    let mut dif = (x - xa[0]).abs();
    for i in 1..n {
        let dift = (x - xa[i]).abs();
        if dift < dif {
            ns = i;
            dif = dift;
        }
    }
    let mut c = ya.to_vec();
    let mut d = ya.to_vec();
    let mut y = ya[ns];
    let mut dy = T::default();
    for m in 1..n {
        for i in 0..n - m {
            let ho = xa[i] - x;
            let hp = xa[i + m] - x;
            let den = ho - hp;
            if den == 0.0 {
                return Err(format!("points {i} and {} coincide", i + m));
            }
            let w = (c[i + 1] - d[i]) / den;
            d[i] = hp * w;
            c[i] = ho * w;
        }
        dy = if 2 * ns < n - m {
            c[ns]
        } else {
            ns -= 1;
            d[ns]
        };
        y += dy;
    }
    Ok((y, dy))
}

pub fn neville_with_error_estimate<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let xa: Vec<T> = (0..n).map(|i| xs[i] * 0.05 + i as f64 * 0.5).collect();
    let ya: Vec<T> = xs.iter().zip(&xa).map(|(&x, &a)| (a + x).cos()).collect();
    let x = xs[n - 1] * 0.1 + 0.4 * k as f64;
    match polint(&xa, &ya, x) {
        Ok((y, dy)) => y + dy * dy,
        Err(message) => T::from(message.len() as f64),
    }
}

pub fn wynn_epsilon_of_alternating_series<T: Number>(xs: &[T], k: usize) -> T {
    let x = xs.iter().map(|&x| x * x).sum::<T>() / xs.len() as f64 * 0.3 + 0.2;
    let terms = 2 * k + 5;
    let mut e: Vec<T> = Vec::new();
    let mut partial = T::from(0.0);
    let mut sign = 1.0;
    let mut result = T::from(0.0);
    for n in 0..terms {
        partial += (x * n as f64 + 1.0).recip() * sign;
        sign = -sign;
        e.push(partial);
        let mut aux2 = T::from(0.0);
        for j in (1..=n).rev() {
            let aux1 = aux2;
            aux2 = e[j - 1];
            let diff = e[j] - aux2;
            e[j - 1] = if diff.abs() <= 1e-9 { T::from(1e9) } else { aux1 + diff.recip() };
        }
        let estimate = if n % 2 == 0 { e[0] } else { e[1] };
        if n > 2 && (estimate - result).abs() < 1e-7 {
            return estimate;
        }
        result = estimate;
    }
    result
}

#[derive(Debug)]
enum RootError {
    NotBracketed,
    TooManyIterations(usize),
}

fn zbrent<T: Number>(f: impl Fn(T) -> T, x1: T, x2: T, tol: f64) -> Result<T, RootError> {
    const ITMAX: usize = 30;
    let (mut a, mut b) = (x1, x2);
    let (mut fa, mut fb) = (f(a), f(b));
    if fa * fb > 0.0 {
        return Err(RootError::NotBracketed);
    }
    let (mut c, mut fc) = (b, fb);
    let mut d = b - a;
    let mut e = d;
    for _ in 0..ITMAX {
        if (fb > 0.0) == (fc > 0.0) {
            c = a;
            fc = fa;
            d = b - a;
            e = d;
        }
        if fc.abs() < fb.abs() {
            a = b;
            b = c;
            c = a;
            fa = fb;
            fb = fc;
            fc = fa;
        }
        let xm = (c - b) * 0.5;
        if xm.abs() <= tol || fb.abs() < tol {
            return Ok(b);
        }
        if e.abs() >= tol && fa.abs() > fb.abs() {
            let s = fb / fa;
            let (mut p, mut q);
            if a == c {
                p = xm * s * 2.0;
                q = T::from(1.0) - s;
            } else {
                let qq = fa / fc;
                let r = fb / fc;
                p = s * (xm * qq * (qq - r) * 2.0 - (b - a) * (r - 1.0));
                q = (qq - 1.0) * (r - 1.0) * (s - 1.0);
            }
            if p > 0.0 {
                q = -q;
            }
            p = p.abs();
            let min1 = xm * q * 3.0 - (q * tol).abs();
            let min2 = (e * q).abs();
            if p * 2.0 < min1.min(min2) {
                e = d;
                d = p / q;
            } else {
                d = xm;
                e = d;
            }
        } else {
            d = xm;
            e = d;
        }
        a = b;
        fa = fb;
        if d.abs() > tol {
            b += d;
        } else {
            b += T::from(tol).copysign(xm);
        }
        fb = f(b);
    }
    Err(RootError::TooManyIterations(ITMAX))
}

pub fn brent_zero_of_a_rational_secular_equation<T: Number>(xs: &[T], k: usize) -> T {
    let poles: Vec<f64> = (0..xs.len()).map(|i| 1.0 + i as f64).collect();
    let weights: Vec<T> = xs.iter().map(|&x| x * x * 0.2 + 0.1).collect();
    let secular = |lambda: T| {
        let mut sum = T::from(1.0);
        for i in 0..poles.len() {
            sum += weights[i] / (-lambda + poles[i]);
        }
        sum
    };
    let i = k.min(poles.len() - 1);
    let (low, high) = match poles.get(i + 1) {
        Some(&next) => (T::from(poles[i] + 0.01), T::from(next - 0.01)),
        None => (T::from(poles[i] + 0.01), weights.iter().sum::<T>() + poles[i] + 0.5),
    };
    match zbrent(secular, low, high, 1e-8) {
        Ok(root) => root * root,
        Err(RootError::NotBracketed) => secular((low + high) * 0.5),
        Err(RootError::TooManyIterations(n)) => T::from(n as f64),
    }
}

struct Fit<T> {
    params: [T; 3],
    chi2: T,
    lambda: f64,
}

fn solve3<T: Number>(mut a: [[T; 3]; 3], mut b: [T; 3]) -> [T; 3] {
    for i in 0..3 {
        for r in i + 1..3 {
            let f = a[r][i] / a[i][i];
            for c in i..3 {
                a[r][c] = a[r][c] - f * a[i][c];
            }
            b[r] = b[r] - f * b[i];
        }
    }
    for i in (0..3).rev() {
        for c in i + 1..3 {
            b[i] = b[i] - a[i][c] * b[c];
        }
        b[i] /= a[i][i];
    }
    b
}

pub fn levenberg_marquardt_damped_exponential<T: Number>(xs: &[T], k: usize) -> T {
    let model = |p: &[T; 3], t: f64| p[0] * (-p[1] * t).exp() + p[2];
    let chi2 = |p: &[T; 3]| {
        let mut sum = T::default();
        for (i, &y) in xs.iter().enumerate() {
            let r = y - model(p, i as f64 * 0.4);
            sum += r * r;
        }
        sum
    };
    let start = [T::from(1.0), T::from(0.5), T::from(0.1)];
    let mut fit = Fit { params: start, chi2: chi2(&start), lambda: 0.1 };
    for _ in 0..2 * k + 3 {
        let mut jtj = [[T::default(); 3]; 3];
        let mut jtr = [T::default(); 3];
        for (i, &y) in xs.iter().enumerate() {
            let t = i as f64 * 0.4;
            let decay = (-fit.params[1] * t).exp();
            let row = [decay, fit.params[0] * decay * -t, T::from(1.0)];
            let r = y - model(&fit.params, t);
            for a in 0..3 {
                jtr[a] += row[a] * r;
                for b in 0..3 {
                    jtj[a][b] += row[a] * row[b];
                }
            }
        }
        for a in 0..3 {
            jtj[a][a] = jtj[a][a] * (1.0 + fit.lambda) + 1e-2;
        }
        let step = solve3(jtj, jtr);
        let mut trial = fit.params;
        for a in 0..3 {
            trial[a] += step[a];
        }
        let trial_chi2 = chi2(&trial);
        if trial_chi2 < fit.chi2 {
            let improved = fit.chi2 - trial_chi2;
            fit = Fit { params: trial, chi2: trial_chi2, lambda: fit.lambda * 0.3 };
            if improved < 1e-9 {
                break;
            }
        } else {
            fit.lambda *= 5.0;
        }
    }
    fit.params[0] + fit.params[1] * fit.params[2] + fit.chi2
}

const LANCZOS: [f64; 9] = [
    0.99999999999980993,
    676.5203681218851,
    -1259.1392167224028,
    771.32342877765313,
    -176.61502916214059,
    12.507343278686905,
    -0.13857109526572012,
    9.9843695780195716e-6,
    1.5056327351493116e-7,
];

fn ln_gamma<T: Number>(x: T) -> T {
    if x < 0.5 {
        return ((x * PI).sin().abs() / PI).recip().ln() - ln_gamma(T::from(1.0) - x);
    }
    let x = x - 1.0;
    let mut a = T::from(LANCZOS[0]);
    let t = x + 7.5;
    for (i, &c) in LANCZOS.iter().enumerate().skip(1) {
        a += (x + i as f64).recip() * c;
    }
    (x + 0.5) * t.ln() - t + a.ln() + 0.5 * (2.0 * PI).ln()
}

/// Regularised lower incomplete gamma function, by its series or by Lentz' continued fraction.
fn gamma_p<T: Number>(a: T, x: T) -> Option<T> {
    if x < 0.0 || a <= 0.0 {
        return None;
    }
    let prefactor = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let mut ap = a;
        let mut del = a.recip();
        let mut sum = del;
        for _ in 0..60 {
            ap = ap + 1.0;
            del *= x / ap;
            sum += del;
            if del.abs() < sum.abs() * 1e-14 {
                return Some(sum * prefactor);
            }
        }
        None
    } else {
        const FPMIN: f64 = 1e-30;
        let mut b = x + 1.0 - a;
        let mut c = T::from(1.0 / FPMIN);
        let mut d = b.recip();
        let mut h = d;
        for i in 1..60 {
            let i = i as f64;
            let an = (a - i) * i;
            b = b + 2.0;
            d = an * d + b;
            if d.abs() < FPMIN {
                d = T::from(FPMIN);
            }
            c = b + an / c;
            if c.abs() < FPMIN {
                c = T::from(FPMIN);
            }
            d = d.recip();
            let del = d * c;
            h *= del;
            if (del - 1.0).abs() < 1e-14 {
                break;
            }
        }
        Some(T::from(1.0) - h * prefactor)
    }
}

pub fn chi_square_tail_by_incomplete_gamma<T: Number>(xs: &[T], k: usize) -> T {
    let statistic = xs.iter().map(|&x| x * x).sum::<T>();
    let shape = xs[0] * 0.1 + (xs.len() as f64 + k as f64) / 2.0;
    let mut total = T::from(0.0);
    for scale in [0.5, 1.0, 2.0] {
        total += match gamma_p(shape, statistic * (0.5 * scale)) {
            Some(p) => (T::from(1.0) - p).max(T::from(1e-12)).ln(),
            None => T::from(-30.0),
        };
    }
    total + xs.iter().map(|&x| ln_gamma(x)).sum::<T>() * 0.1
}

pub fn bessel_j_by_millers_recurrence<T: Number>(xs: &[T], k: usize) -> T {
    let mut total = T::from(0.0);
    for (order, &x) in xs.iter().enumerate() {
        let order = order % 4 + k;
        let ax = x.abs() + 0.3;
        let start = 2 * ((order + 14) / 2);
        let tox = ax.recip() * 2.0;
        let (mut bjp, mut bj) = (T::from(0.0), T::from(1e-10));
        let mut sum = T::from(0.0);
        let mut answer = T::from(0.0);
        let mut add_up = false;
        for j in (1..=start).rev() {
            let bjm = bj * tox * j as f64 - bjp;
            bjp = bj;
            bj = bjm;
            if bj.abs() > 1e10 {
                bj = bj * 1e-10;
                bjp = bjp * 1e-10;
                answer = answer * 1e-10;
                sum = sum * 1e-10;
            }
            if add_up {
                sum += bj;
            }
            add_up = !add_up;
            if j == order {
                answer = bjp;
            }
        }
        if order == 0 {
            answer = bj;
        }
        sum = sum * 2.0 - bj;
        let j_n = answer / sum;
        total += if x < 0.0 && order % 2 == 1 { -j_n } else { j_n };
    }
    total
}

struct Tableau<T> {
    rows: Vec<Vec<T>>,
    basis: Vec<usize>,
}

impl<T: Number> Tableau<T> {
    fn new(a: &[Vec<T>], b: &[T], c: &[T]) -> Self {
        let (m, n) = (a.len(), c.len());
        let mut rows = Vec::new();
        for i in 0..m {
            let mut row = a[i].clone();
            for s in 0..m {
                row.push(T::from(if s == i { 1.0 } else { 0.0 }));
            }
            row.push(b[i]);
            rows.push(row);
        }
        let mut objective: Vec<T> = c.iter().map(|&c| -c).collect();
        objective.resize(n + m + 1, T::from(0.0));
        rows.push(objective);
        Tableau { rows, basis: (n..n + m).collect() }
    }

    fn entering(&self) -> Option<usize> {
        let objective = self.rows.last()?;
        let mut best = None;
        let mut most = T::from(-1e-9);
        for (j, &c) in objective[..objective.len() - 1].iter().enumerate() {
            if c < most {
                most = c;
                best = Some(j);
            }
        }
        best
    }

    fn leaving(&self, col: usize) -> Option<usize> {
        let mut best: Option<(usize, T)> = None;
        for i in 0..self.basis.len() {
            let a = self.rows[i][col];
            if a <= 1e-9 {
                continue;
            }
            let ratio = self.rows[i][self.rows[i].len() - 1] / a;
            if best.is_none_or(|(_, least)| ratio < least) {
                best = Some((i, ratio));
            }
        }
        best.map(|(i, _)| i)
    }

    fn pivot(&mut self, row: usize, col: usize) {
        let p = self.rows[row][col];
        for v in self.rows[row].iter_mut() {
            *v /= p;
        }
        let pivot_row = self.rows[row].clone();
        for (i, other) in self.rows.iter_mut().enumerate() {
            if i == row {
                continue;
            }
            let factor = other[col];
            for (v, &p) in other.iter_mut().zip(&pivot_row) {
                *v -= factor * p;
            }
        }
        self.basis[row] = col;
    }
}

pub fn simplex_tableau_production_plan<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len().min(5);
    let m = 3;
    let c: Vec<T> = xs[..n].iter().map(|&x| x * 0.5 + 1.0).collect();
    let a: Vec<Vec<T>> = (0..m)
        .map(|i| (0..n).map(|j| xs[j].abs() * 0.1 + 0.5 + ((i * 3 + j * 5 + k) % 7) as f64 * 0.2).collect())
        .collect();
    let b: Vec<T> = (0..m).map(|i| xs[(i + n) % xs.len()] * 0.2 + 4.0 + i as f64 * 0.7).collect();
    let mut tableau = Tableau::new(&a, &b, &c);
    let mut pivots = 0;
    while let Some(col) = tableau.entering() {
        let Some(row) = tableau.leaving(col) else {
            return T::from(-1.0); // unbounded
        };
        tableau.pivot(row, col);
        pivots += 1;
        if pivots > 20 {
            break;
        }
    }
    let objective = &tableau.rows[m];
    let optimum = objective[n + m];
    let shadow_prices = &objective[n..n + m];
    let mut plan = T::from(0.0);
    for (i, &variable) in tableau.basis.iter().enumerate() {
        if variable < n {
            plan += tableau.rows[i][n + m] * (variable + 1) as f64;
        }
    }
    optimum + plan * 0.1 + shadow_prices.iter().map(|&p| p * p).sum::<T>()
}

#[derive(Clone, Copy, Debug, Default)]
struct Complex<T> {
    re: T,
    im: T,
}

impl<T: Number> Complex<T> {
    fn new(re: T, im: T) -> Self {
        Complex { re, im }
    }
    fn real(re: T) -> Self {
        Complex { re, im: T::from(0.0) }
    }
    fn polar(r: f64, angle: f64) -> Self {
        Complex { re: T::from(r * angle.cos()), im: T::from(r * angle.sin()) }
    }
    fn norm_sqr(self) -> T {
        self.re * self.re + self.im * self.im
    }
    fn scale(self, by: T) -> Self {
        Complex { re: self.re * by, im: self.im * by }
    }
    fn sqrt(self) -> Self {
        if self.norm_sqr() < 1e-28 {
            return Complex::default();
        }
        let r = self.norm_sqr().sqrt();
        if self.re >= 0.0 {
            let w = ((r + self.re) * 0.5).sqrt();
            Complex { re: w, im: self.im / (w * 2.0) }
        } else {
            let w = ((r - self.re) * 0.5).sqrt().copysign(self.im);
            Complex { re: self.im / (w * 2.0), im: w }
        }
    }
}

impl<T: Number> Add for Complex<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Complex { re: self.re + o.re, im: self.im + o.im }
    }
}

impl<T: Number> Sub for Complex<T> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Complex { re: self.re - o.re, im: self.im - o.im }
    }
}

impl<T: Number> Mul for Complex<T> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Complex { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re }
    }
}

impl<T: Number> Div for Complex<T> {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let d = o.norm_sqr();
        Complex { re: (self.re * o.re + self.im * o.im) / d, im: (self.im * o.re - self.re * o.im) / d }
    }
}

impl<T: Number> Neg for Complex<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Complex { re: -self.re, im: -self.im }
    }
}

/// A root of the polynomial `a[0] + a[1] x + ...` by Laguerre's method.
fn laguerre<T: Number>(a: &[Complex<T>], mut x: Complex<T>) -> Option<Complex<T>> {
    let m = a.len() - 1;
    for _ in 0..25 {
        let mut b = a[m];
        let (mut d, mut f) = (Complex::default(), Complex::default());
        for j in (0..m).rev() {
            f = x * f + d;
            d = x * d + b;
            b = x * b + a[j];
        }
        if b.norm_sqr() < 1e-22 {
            return Some(x);
        }
        let g = d / b;
        let g2 = g * g;
        let h = g2 - (f / b).scale(T::from(2.0));
        let n = m as f64;
        let sq = (h.scale(T::from(n)) - g2).scale(T::from(n - 1.0)).sqrt();
        let (gp, gm) = (g + sq, g - sq);
        let denominator = if gp.norm_sqr() >= gm.norm_sqr() { gp } else { gm };
        let dx = Complex::real(T::from(n)) / denominator;
        x = x - dx;
        if dx.norm_sqr() < 1e-24 {
            return Some(x);
        }
    }
    None
}

pub fn laguerre_roots_with_deflation<T: Number>(xs: &[T], k: usize) -> T {
    let degree = xs.len().min(5);
    let mut a: Vec<Complex<T>> = xs[..degree].iter().map(|&x| Complex::new(x + 0.2, x * 0.3)).collect();
    a.push(Complex::new(T::from(1.0), T::from(0.1 * k as f64)));
    let mut roots = Vec::new();
    while a.len() > 1 {
        let Some(root) = laguerre(&a, Complex::new(T::from(0.1), T::from(0.2))) else {
            break;
        };
        roots.push(root);
        let mut carry = a[a.len() - 1];
        for j in (0..a.len() - 1).rev() {
            let c = a[j];
            a[j] = carry;
            carry = root * carry + c;
        }
        a.pop();
    }
    roots.sort_by(|p, q| p.re.total_cmp(&q.re));
    roots.iter().enumerate().map(|(i, r)| r.re * (i + 1) as f64 + r.im * r.im).sum()
}

/// Cooley–Tukey for any length: splits by the smallest prime factor.
fn mixed_radix_dft<T: Number>(input: &[Complex<T>]) -> Vec<Complex<T>> {
    let n = input.len();
    if n == 1 {
        return input.to_vec();
    }
    let radix = (2..=n).find(|p| n % p == 0).unwrap();
    let rest = n / radix;
    let parts: Vec<Vec<Complex<T>>> = (0..radix)
        .map(|r| mixed_radix_dft(&input.iter().skip(r).step_by(radix).copied().collect::<Vec<_>>()))
        .collect();
    let mut out = vec![Complex::default(); n];
    for (bin, o) in out.iter_mut().enumerate() {
        for (r, part) in parts.iter().enumerate() {
            let twiddle = Complex::polar(1.0, -2.0 * PI * (r * bin % n) as f64 / n as f64);
            *o = *o + twiddle * part[bin % rest];
        }
    }
    out
}

pub fn spectral_derivative_by_mixed_radix<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len();
    let signal: Vec<Complex<T>> = xs.iter().map(|&x| Complex::real(x)).collect();
    let mut spectrum = mixed_radix_dft(&signal);
    for (bin, value) in spectrum.iter_mut().enumerate() {
        let frequency = if 2 * bin <= n { bin as f64 } else { bin as f64 - n as f64 };
        let damping = (-0.05 * (k as f64) * frequency * frequency).exp();
        *value = *value * Complex::new(T::from(damping), T::from(frequency * damping));
        value.im = -value.im; // the inverse by conjugation
    }
    let back = mixed_radix_dft(&spectrum);
    let mut energy = T::from(0.0);
    for (i, v) in back.iter().enumerate() {
        let v = -v.scale(T::from(1.0 / n as f64));
        energy += (v.re - xs[i]) * (v.re - xs[i]) + v.im * v.re;
    }
    energy
}

struct Correction<T> {
    s: Vec<T>,
    y: Vec<T>,
    rho: T,
}

pub fn lbfgs_two_loop_on_rosenbrock<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len().max(2);
    let anchor: Vec<T> = (0..n).map(|i| xs[i % xs.len()] * 0.3).collect();
    let value = |p: &[T]| {
        let mut f = T::default();
        for i in 0..n - 1 {
            let valley = p[i + 1] - p[i] * p[i];
            f += valley * valley * 2.0 + (p[i] - anchor[i]) * (p[i] - anchor[i]);
        }
        f
    };
    let gradient = |p: &[T]| {
        let mut g = vec![T::default(); n];
        for i in 0..n - 1 {
            let valley = p[i + 1] - p[i] * p[i];
            g[i] += valley * p[i] * -8.0 + (p[i] - anchor[i]) * 2.0;
            g[i + 1] += valley * 4.0;
        }
        g
    };
    let inner = |a: &[T], b: &[T]| a.iter().zip(b).map(|(&a, &b)| a * b).sum::<T>();
    let mut p = vec![T::from(0.5); n];
    let mut g = gradient(&p);
    let mut history: VecDeque<Correction<T>> = VecDeque::with_capacity(3);
    for _ in 0..k + 3 {
        let mut q = g.clone();
        let mut alphas = Vec::with_capacity(history.len());
        for c in history.iter().rev() {
            let alpha = c.rho * inner(&c.s, &q);
            for i in 0..n {
                q[i] -= alpha * c.y[i];
            }
            alphas.push(alpha);
        }
        if let Some(c) = history.back() {
            let gamma = inner(&c.s, &c.y) / inner(&c.y, &c.y);
            q.iter_mut().for_each(|q| *q *= gamma);
        }
        for (c, alpha) in history.iter().zip(alphas.into_iter().rev()) {
            let beta = c.rho * inner(&c.y, &q);
            for i in 0..n {
                q[i] += c.s[i] * (alpha - beta);
            }
        }
        let slope = inner(&g, &q);
        let before = value(&p);
        let mut t = 1.0;
        let next = loop {
            let trial: Vec<T> = p.iter().zip(&q).map(|(&p, &q)| p - q * t).collect();
            if value(&trial) <= before - slope * (1e-4 * t) || t < 1e-3 {
                break trial;
            }
            t *= 0.5;
        };
        let next_g = gradient(&next);
        let s: Vec<T> = next.iter().zip(&p).map(|(&a, &b)| a - b).collect();
        let y: Vec<T> = next_g.iter().zip(&g).map(|(&a, &b)| a - b).collect();
        let sy = inner(&s, &y);
        (p, g) = (next, next_g);
        if sy > 1e-8 {
            if history.len() == 3 {
                history.pop_front();
            }
            history.push_back(Correction { s, y, rho: sy.recip() });
        }
        if inner(&g, &g) < 1e-10 {
            break;
        }
    }
    value(&p) + p.iter().sum::<T>()
}

/// Complete elliptic integrals of the first and second kind by the arithmetic-geometric mean.
fn elliptic_ke<T: Number>(m: T) -> (T, T) {
    let mut a = T::from(1.0);
    let mut b = (T::from(1.0) - m).sqrt();
    let mut sum = m * 0.5;
    let mut power = 0.5;
    let mut iterations = 0;
    while (a - b).abs() > 1e-9 && iterations < 10 {
        let c = (a - b) * 0.5;
        (a, b) = ((a + b) * 0.5, (a * b).sqrt());
        power *= 2.0;
        sum += c * c * power;
        iterations += 1;
    }
    let first = a.recip() * (PI / 2.0);
    (first, first * (T::from(1.0) - sum))
}

pub fn pendulum_periods_by_arithmetic_geometric_mean<T: Number>(xs: &[T], k: usize) -> T {
    let mut total = T::default();
    for (i, &x) in xs.iter().enumerate() {
        let sine = (x * (0.4 + 0.05 * k as f64)).sin();
        let (first, second) = elliptic_ke(sine * sine * 0.95);
        total += match i % 3 {
            0 => first * 4.0,
            1 => second * x,
            _ => first / second,
        };
    }
    total
}

pub fn ridders_derivative_extrapolated<T: Number>(xs: &[T], k: usize) -> T {
    const CON: f64 = 1.4;
    const NTAB: usize = 6;
    let f = |t: T| xs.iter().map(|&x| (t * x).sin() / (t * t + 1.0)).sum::<T>();
    let at = xs[0] * 0.5 + 0.1 * k as f64;
    let mut hh = 0.4;
    let mut a = [[T::default(); NTAB]; NTAB];
    a[0][0] = (f(at + hh) - f(at - hh)) / (2.0 * hh);
    let mut err = T::from(f64::MAX);
    let mut answer = a[0][0];
    'tableau: for i in 1..NTAB {
        hh /= CON;
        a[0][i] = (f(at + hh) - f(at - hh)) / (2.0 * hh);
        let mut fac = CON * CON;
        for j in 1..=i {
            a[j][i] = (a[j - 1][i] * fac - a[j - 1][i - 1]) / (fac - 1.0);
            fac *= CON * CON;
            let errt = (a[j][i] - a[j - 1][i]).abs().max((a[j][i] - a[j - 1][i - 1]).abs());
            if errt <= err {
                err = errt;
                answer = a[j][i];
                if err < 1e-9 {
                    break 'tableau;
                }
            }
        }
        if (a[i][i] - a[i - 1][i - 1]).abs() >= err * 2.0 {
            break;
        }
    }
    answer
}

pub fn broyden_coupled_equations<T: Number>(xs: &[T], k: usize) -> T {
    let n = xs.len().min(4);
    let residual = |x: &[T]| -> Vec<T> {
        (0..n)
            .map(|i| {
                let before = if i == 0 { T::default() } else { x[i - 1] };
                let after = if i + 1 == n { T::default() } else { x[i + 1] };
                x[i] * 3.0 - x[i] * x[i] * 0.2 - before * 0.5 - after * 0.4 + (xs[i] * 0.5).sin()
            })
            .collect()
    };
    let mut inverse = vec![vec![T::default(); n]; n];
    for i in 0..n {
        inverse[i][i] = T::from(0.33);
    }
    let mut x = vec![T::from(0.2); n];
    let mut f = residual(&x);
    let mut iterations = 0;
    while f.iter().any(|f| f.abs() > 1e-7) && iterations < 4 + k {
        let mut dx = vec![T::default(); n];
        for i in 0..n {
            for j in 0..n {
                dx[i] -= inverse[i][j] * f[j];
            }
            x[i] += dx[i];
        }
        let next = residual(&x);
        let df: Vec<T> = next.iter().zip(&f).map(|(&a, &b)| a - b).collect();
        let mut h_df = vec![T::default(); n];
        let mut dx_h = vec![T::default(); n];
        for i in 0..n {
            for j in 0..n {
                h_df[i] += inverse[i][j] * df[j];
                dx_h[j] += dx[i] * inverse[i][j];
            }
        }
        let denominator: T = dx_h.iter().zip(&df).map(|(&a, &b)| a * b).sum();
        if denominator.abs() > 1e-12 {
            for i in 0..n {
                for j in 0..n {
                    inverse[i][j] += (dx[i] - h_df[i]) * dx_h[j] / denominator;
                }
            }
        }
        f = next;
        iterations += 1;
    }
    x.iter().zip(xs).map(|(&a, &b)| a * a + a * b).sum()
}
