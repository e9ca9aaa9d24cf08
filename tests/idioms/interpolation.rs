use crate::dual::Number;

pub fn piecewise_quadratic<T: Number>(xs: &[T], _k: usize) -> T {
    let knots = [-1.0, 0.0, 1.0, 2.0, 5.0];
    xs.iter()
        .map(|&x| {
            let k = knots.iter().position(|&k| x < k).unwrap_or(5);
            if k == 0 || k == 5 {
                x
            } else {
                let w = (x + -knots[k - 1]) * (1.0 / (knots[k] - knots[k - 1]));
                w * w * (k as f64)
            }
        })
        .sum()
}
