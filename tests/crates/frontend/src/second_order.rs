//! Derivatives of derivatives: products with the Hessian, in three orders of the modes.

use crate::report::show;
use autodiff::*;

/// A function with its second derivatives along a direction, each way.
macro_rules! second_order {
    ($module:ident, $function:item) => {
        mod $module {
            use autodiff::*;

            #[autodiff_reverse(adjoint, Duplicated, Active)]
            #[autodiff_forward(tangent, Dual, Dual)]
            $function

            /// Forward over reverse.
            #[autodiff_forward(forward_over_reverse, Dual, Dual)]
            fn gradient(x: &[f64], to: &mut [f64]) {
                adjoint(x, to, 1.0);
            }

            /// Reverse over forward, and forward over forward.
            #[autodiff_reverse(reverse_over_forward, Duplicated, Const, Active)]
            #[autodiff_forward(forward_over_forward, Dual, Const, Dual)]
            fn slope(x: &[f64], along: &[f64]) -> f64 {
                tangent(x, along).1
            }

            /// H·v each way: the vector by the first two, its product with `w` by the third.
            pub fn products(x: &[f64], v: &[f64], w: &[f64]) -> (Vec<f64>, Vec<f64>, f64) {
                let (mut of_x, mut by_forward) = (vec![0.0; x.len()], vec![0.0; x.len()]);
                forward_over_reverse(x, v, &mut of_x, &mut by_forward);
                let mut by_reverse = vec![0.0; x.len()];
                reverse_over_forward(x, &mut by_reverse, v, 1.0);
                (by_forward, by_reverse, forward_over_forward(x, w, v).1)
            }
        }
    };
}

second_order! {
    rosenbrock,
    fn rosenbrock(x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 1..x.len() {
            let (a, b) = (x[i] - x[i - 1] * x[i - 1], 1.0 - x[i - 1]);
            sum += 100.0 * a * a + b * b;
        }
        sum
    }
}

second_order! {
    log_sum_exp,
    fn log_sum_exp(x: &[f64]) -> f64 {
        x.iter().map(|x| x.exp()).sum::<f64>().ln()
    }
}

second_order! {
    product,
    fn product(x: &[f64]) -> f64 {
        let mut product = 1.0;
        for x in x {
            product *= x.sin();
        }
        product
    }
}

#[autodiff_reverse(d1, Active, Active)]
fn quartic(x: f64) -> f64 {
    x * x * x * x
}

#[autodiff_reverse(d2, Active, Active)]
fn first(x: f64) -> f64 {
    d1(x, 1.0).1
}

#[autodiff_forward(d3, Dual, Dual)]
fn second(x: f64) -> f64 {
    d2(x, 1.0).1
}

type Products = fn(&[f64], &[f64], &[f64]) -> (Vec<f64>, Vec<f64>, f64);

fn compare(name: &str, products: Products, hessian: [[f64; 3]; 3], x: &[f64; 3]) {
    let (v, w) = ([0.5, -1.0, 0.25], [2.0, 0.3, -0.7]);
    let right = hessian.map(|row| row.iter().zip(v).map(|(h, v)| h * v).sum::<f64>());
    let along: f64 = right.iter().zip(w).map(|(h, w)| h * w).sum();
    let (by_forward, by_reverse, number) = products(x, &v, &w);
    show(&format!("{name} forward over reverse"), &by_forward, &right);
    show(&format!("{name} reverse over forward"), &by_reverse, &right);
    show(&format!("{name} forward over forward"), &[number], &[along]);
}

pub fn report_third() {
    let both = d3(1.5, 1.0);
    show("quartic, third", &[both.0, both.1], &[12.0 * 1.5 * 1.5, 24.0 * 1.5]);
}

pub fn report() {
    let x = [0.4, 1.1, -0.6];
    let corner = |x: f64, next: f64| 1200.0 * x * x - 400.0 * next + 2.0;
    let rosenbrock = [
        [corner(x[0], x[1]), -400.0 * x[0], 0.0],
        [-400.0 * x[0], 200.0 + corner(x[1], x[2]), -400.0 * x[1]],
        [0.0, -400.0 * x[1], 200.0],
    ];
    compare("rosenbrock", rosenbrock::products, rosenbrock, &x);

    let sum: f64 = x.iter().map(|x| x.exp()).sum();
    let share = x.map(|x| x.exp() / sum);
    let delta = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
    let log_sum_exp = std::array::from_fn(|i| std::array::from_fn(|j| share[i] * (delta(i, j) - share[j])));
    compare("log_sum_exp", log_sum_exp::products, log_sum_exp, &x);

    let (sin, cos) = (x.map(f64::sin), x.map(f64::cos));
    let all: f64 = sin.iter().product();
    let cot = |i: usize| cos[i] / sin[i];
    let product = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { -all } else { all * cot(i) * cot(j) }));
    compare("product", product::products, product, &x);
    report_third();
}
