// A number of a table, chosen and not computed with, was its own tangent in forward mode; so were those of what is an enum.
#[derive(Clone, Copy)]
enum Law { Fixed(f64), Scaled(f64, usize), Free }

const TABLE: [f64; 5] = [0.5, 1.25, -2.0, 3.5, 0.75];
static LAWS: [Law; 4] = [Law::Fixed(1.5), Law::Scaled(0.5, 2), Law::Free, Law::Fixed(-0.5)];

pub fn body<T: Number>(xs: &[T], k: usize) -> T {
    let weight = |i: usize, x: T| if x > T::from(0.5) { x * x } else { T::from(TABLE[(i + k) % 5]) };
    let by_law = |i: usize, x: T| match LAWS[(i + k) % 4] {
        Law::Fixed(v) => T::from(v),
        Law::Scaled(v, n) => x * v * n as f64,
        Law::Free => x * x,
    };
    xs.iter().enumerate().map(|(i, &x)| weight(i, x) * weight(i, x) * xs[0] + by_law(i, x) * by_law(i, x)).sum()
}
