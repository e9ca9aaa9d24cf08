use crate::dual::Number;

pub fn curried_closures<T: Number>(xs: &[T], _k: usize) -> T {
    let f = |a: T| move |b: T| a * b + b;
    let fs: Vec<_> = xs.iter().map(|&x| f(x)).collect();
    fs.iter().fold(T::from(1.0), |s, g| g(s) * 0.5)
}

pub fn boxed_closures<T: Number>(xs: &[T], _k: usize) -> T {
    let fs: Vec<Box<dyn Fn(T) -> T>> =
        vec![Box::new(|x| x * x), Box::new(|x| x * 2.0 + 1.0), Box::new(|x| x * x * x * 0.1)];
    xs.iter().enumerate().map(|(i, &x)| fs[i % 3](x)).sum()
}

pub fn shared_cell<T: Number>(xs: &[T], _k: usize) -> T {
    use std::cell::Cell;
    let c = Cell::new(T::from(1.0));
    let bump = |x: T| c.set(c.get() * 0.5 + x);
    for &x in xs {
        bump(x * x);
    }
    c.get()
}
