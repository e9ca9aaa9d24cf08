use crate::dual::Number;
use std::collections::BTreeMap;

fn composed<T: Number>(f: impl Fn(T) -> T, g: impl Fn(T) -> T) -> impl Fn(T) -> T {
    move |x| g(f(x))
}

fn repeated<T: Number>(f: &dyn Fn(T) -> T, times: usize, x: T) -> T {
    (0..times).fold(x, |x, _| f(x))
}

pub fn composition<T: Number>(xs: &[T], _k: usize) -> T {
    let scale = xs[0];
    let f = composed(move |x: T| x * scale, |x| x.sin() + x);
    let twice = composed(&f, &f);
    xs.iter().map(|&x| twice(x)).sum()
}

pub fn closure_applied_k_times<T: Number>(xs: &[T], k: usize) -> T {
    let shift = xs[xs.len() - 1];
    repeated(&|x| x * 0.5 + shift * shift, k + 1, xs[0])
}

pub fn functions_returned_in_boxes<T: Number>(xs: &[T], _k: usize) -> T {
    fn polynomial<T: Number>(coefficients: Vec<T>) -> Box<dyn Fn(T) -> T> {
        Box::new(move |x| coefficients.iter().rev().fold(T::from(0.0), |sum, &c| sum * x + c))
    }
    fn derivative<T: Number>(coefficients: &[T]) -> Box<dyn Fn(T) -> T> {
        polynomial(coefficients.iter().enumerate().skip(1).map(|(i, &c)| c * i as f64).collect())
    }
    let (p, dp) = (polynomial(xs.to_vec()), derivative(xs));
    p(T::from(0.7)) * 2.0 + dp(T::from(-0.4)) + p(xs[0] * 0.5)
}

pub fn accumulator_that_is_called<T: Number>(xs: &[T], _k: usize) -> T {
    let mut total = T::from(0.0);
    let mut calls = 0;
    let mut add = |x: T| {
        calls += 1;
        total += x * x * f64::from(calls);
        total
    };
    let half = add(xs[0]) * 0.5;
    xs.iter().for_each(|&x| {
        add(x);
    });
    total + half
}

pub fn table_of_functions<T: Number>(xs: &[T], _k: usize) -> T {
    let functions: [fn(T) -> T; 4] = [T::sin, T::exp, |x| x * x, T::atan];
    xs.iter().enumerate().map(|(i, &x)| functions[i % functions.len()](x)).sum()
}

pub fn named_operations<T: Number>(xs: &[T], _k: usize) -> T {
    let mut operations: BTreeMap<&str, Box<dyn Fn(T, T) -> T>> = BTreeMap::new();
    operations.insert("add", Box::new(|a, b| a + b));
    operations.insert("blend", Box::new(|a, b| a * 0.3 + b * 0.7));
    operations.insert("multiply", Box::new(|a, b| a * b));
    ["blend", "multiply", "add"]
        .iter()
        .cycle()
        .zip(xs)
        .fold(T::from(1.0), |state, (name, &x)| operations[name](state, x))
}

struct Pipeline<'a, T> {
    stages: Vec<Box<dyn FnMut(T) -> Option<T> + 'a>>,
}

impl<'a, T: Number> Pipeline<'a, T> {
    fn then(mut self, stage: impl FnMut(T) -> Option<T> + 'a) -> Self {
        self.stages.push(Box::new(stage));
        self
    }

    fn run(&mut self, x: T) -> Option<T> {
        self.stages.iter_mut().try_fold(x, |x, stage| stage(x))
    }
}

pub fn pipeline_of_stages<T: Number>(xs: &[T], k: usize) -> T {
    let mut previous = T::from(0.0);
    let mut pipeline = Pipeline { stages: Vec::new() }
        .then(|x: T| (x > -1.0).then_some(x))
        .then(|x| Some(std::mem::replace(&mut previous, x) * 0.5 + x))
        .then(move |x| Some(x.powi(k as i32 + 1)));
    let outputs: Vec<T> = xs.iter().filter_map(|&x| pipeline.run(x)).collect();
    outputs.iter().sum()
}
