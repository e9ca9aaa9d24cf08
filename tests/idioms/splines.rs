use crate::dual::Number;

/// A natural cubic spline through values at 0, 1, 2 …
struct Spline<T> {
    values: Vec<T>,
    curvatures: Vec<T>,
}

impl<T: Number> Spline<T> {
    fn through(values: &[T]) -> Self {
        let n = values.len();
        let mut curvatures = vec![T::from(0.0); n];
        let mut upper = vec![0.0; n];
        for i in 1..n.saturating_sub(1) {
            let pivot = 4.0 - upper[i - 1];
            upper[i] = 1.0 / pivot;
            let bend = (values[i + 1] - values[i] * 2.0 + values[i - 1]) * 6.0;
            curvatures[i] = (bend - curvatures[i - 1]) / pivot;
        }
        for i in (1..n.saturating_sub(1)).rev() {
            curvatures[i] = curvatures[i] - curvatures[i + 1] * upper[i];
        }
        Spline { values: values.to_vec(), curvatures }
    }

    fn at(&self, x: f64) -> T {
        let i = (x.max(0.0) as usize).min(self.values.len().saturating_sub(2));
        let Some(&next) = self.values.get(i + 1) else { return self.values[i] };
        let (b, a) = (x - i as f64, 1.0 - (x - i as f64));
        let bent = self.curvatures[i] * (a * a * a - a) + self.curvatures[i + 1] * (b * b * b - b);
        self.values[i] * a + next * b + bent / 6.0
    }
}

pub fn natural_cubic_spline<T: Number>(xs: &[T], _k: usize) -> T {
    let spline = Spline::through(xs);
    (0..12).map(|i| spline.at(f64::from(i) * 0.7)).map(|y| y * y).sum()
}

pub fn catmull_rom<T: Number>(xs: &[T], _k: usize) -> T {
    let segment = |p: [T; 4], t: f64| {
        let linear = (p[2] - p[0]) * t;
        let square = (p[0] * 2.0 - p[1] * 5.0 + p[2] * 4.0 - p[3]) * (t * t);
        let cube = (p[1] * 3.0 - p[0] - p[2] * 3.0 + p[3]) * (t * t * t);
        p[1] + (linear + square + cube) * 0.5
    };
    let last = xs.len() - 1;
    (0..xs.len())
        .map(|i| [i.saturating_sub(1), i, (i + 1).min(last), (i + 2).min(last)].map(|at| xs[at]))
        .flat_map(|points| [0.2, 0.6].map(|t| segment(points, t)))
        .map(|y| y.powi(2))
        .sum()
}

pub fn lagrange_interpolation<T: Number>(xs: &[T], _k: usize) -> T {
    let n = xs.len().min(5);
    let at = |x: f64| {
        (0..n)
            .map(|i| {
                let basis: f64 = (0..n).filter(|&j| j != i).map(|j| (x - j as f64) / (i as f64 - j as f64)).product();
                xs[i] * basis
            })
            .sum::<T>()
    };
    at(0.5) * at(1.5) + at(2.25)
}

pub fn divided_differences<T: Number>(xs: &[T], _k: usize) -> T {
    let nodes: Vec<f64> = (0..xs.len()).map(|i| i as f64 * 0.8).collect();
    let mut coefficients = xs.to_vec();
    for order in 1..xs.len() {
        for i in (order..xs.len()).rev() {
            coefficients[i] = (coefficients[i] - coefficients[i - 1]) / (nodes[i] - nodes[i - order]);
        }
    }
    coefficients.iter().zip(&nodes).rev().fold(T::from(0.0), |sum, (&c, &node)| sum * (1.3 - node) + c)
}

pub fn bilinear_table<T: Number>(xs: &[T], _k: usize) -> T {
    let table: Vec<Vec<f64>> = (0..5).map(|i| (0..5).map(|j| f64::from(i * i - 2 * j)).collect()).collect();
    let look_up = |x: T, y: T| {
        let cell = |at: T| (at.value().floor() as usize).min(3);
        let (i, j) = (cell(x), cell(y));
        let (u, v) = (x - i as f64, y - j as f64);
        let low = v * (table[i][j + 1] - table[i][j]) + table[i][j];
        let high = v * (table[i + 1][j + 1] - table[i + 1][j]) + table[i + 1][j];
        low + u * (high - low)
    };
    xs.iter().map(|&x| look_up(x * x * 0.5 + 0.1, x + 1.6)).sum()
}

pub fn looked_up_between_knots<T: Number>(xs: &[T], _k: usize) -> T {
    let knots = [(-2.0, 0.5), (-0.5, 1.0), (0.0, 3.0), (1.0, 2.0), (2.0, -1.0), (4.0, 0.0)];
    let look_up = |x: T| {
        let after = knots.partition_point(|knot| x > knot.0).clamp(1, knots.len() - 1);
        let ((x0, y0), (x1, y1)) = (knots[after - 1], knots[after]);
        (x - x0) * ((y1 - y0) / (x1 - x0)) + y0
    };
    xs.iter().map(|&x| look_up(x)).map(|y| y * y).sum()
}

pub fn hermite_curve<T: Number>(xs: &[T], _k: usize) -> T {
    let slopes: Vec<T> = match xs {
        [only] => vec![*only],
        _ => xs.windows(2).map(|w| w[1] - w[0]).chain([xs[xs.len() - 1] - xs[xs.len() - 2]]).collect(),
    };
    let ends = xs.iter().zip(&slopes).zip(xs.iter().zip(&slopes).skip(1));
    let halfway = ends.map(|((&p, &m), (&q, &n))| (p + q) * 0.5 + (m - n) * 0.125);
    halfway.fold(slopes[0], |sum, y| sum + y * y)
}

pub fn b_spline_by_recursion<T: Number>(xs: &[T], _k: usize) -> T {
    fn basis(i: usize, degree: usize, x: f64) -> f64 {
        let knot = |i: usize| i as f64;
        if degree == 0 {
            return if knot(i) <= x && x < knot(i + 1) { 1.0 } else { 0.0 };
        }
        let rising = (x - knot(i)) / degree as f64 * basis(i, degree - 1, x);
        rising + (knot(i + degree + 1) - x) / degree as f64 * basis(i + 1, degree - 1, x)
    }
    let curve = |x: f64| xs.iter().enumerate().map(|(i, &x_i)| x_i * basis(i, 2, x)).sum::<T>();
    [0.4, 1.3, 2.5, 4.2].into_iter().map(curve).map(|y| y * y + y).sum()
}

pub fn chebyshev_by_clenshaw<T: Number>(xs: &[T], _k: usize) -> T {
    let at = |x: f64| {
        let (b1, b2) =
            xs.iter().skip(1).rev().fold((T::from(0.0), T::from(0.0)), |(b1, b2), &c| (b1 * (2.0 * x) - b2 + c, b1));
        b1 * x - b2 + xs[0]
    };
    at(0.3) * at(-0.7)
}

pub fn barycentric_weights<T: Number>(xs: &[T], _k: usize) -> T {
    let at = |x: f64| {
        let (mut above, mut below) = (T::from(0.0), 0.0);
        for (i, &y) in xs.iter().enumerate() {
            let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
            let end = if i == 0 || i == xs.len() - 1 { 0.5 } else { 1.0 };
            let weight = sign * end / (x - i as f64);
            above += y * weight;
            below += weight;
        }
        above / below
    };
    at(0.25) + at(0.75) * at(0.4)
}
