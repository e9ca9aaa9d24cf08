use crate::dual::Number;

pub fn divide_and_conquer<T: Number>(xs: &[T], _k: usize) -> T {
    fn rec<T: Number>(xs: &[T]) -> T {
        if xs.len() <= 1 {
            return xs.iter().map(|&x| x * x).sum();
        }
        let (a, b) = xs.split_at(xs.len() / 2);
        let (a, b) = (rec(a), rec(b));
        a * 0.5 + b * a + b
    }
    rec(xs)
}

pub fn recursion_tree<T: Number>(xs: &[T], _k: usize) -> T {
    fn go<T: Number>(xs: &[T], d: usize) -> T {
        if d == 0 || xs.is_empty() {
            return T::from(1.0);
        }
        let x = xs[d % xs.len()];
        go(xs, d - 1) * x * 0.5 + go(xs, d / 2) * 0.3
    }
    go(xs, 6)
}

pub fn mutual_recursion<T: Number>(xs: &[T], _k: usize) -> T {
    fn even<T: Number>(xs: &[T]) -> T {
        match xs {
            [] => T::from(1.0),
            [x, r @ ..] => odd(r) * *x + 0.5,
        }
    }
    fn odd<T: Number>(xs: &[T]) -> T {
        match xs {
            [] => T::from(2.0),
            [x, r @ ..] => even(r) * 0.7 + *x * *x,
        }
    }
    even(xs)
}
