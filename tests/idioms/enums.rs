use crate::dual::Number;

pub fn enum_ops<T: Number>(xs: &[T], _k: usize) -> T {
    #[derive(Clone, Copy)]
    enum Op<T> {
        Add(T),
        Mul(T, f64),
        Neg,
    }
    let ops: Vec<Op<T>> = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| match i % 3 {
            0 => Op::Add(x),
            1 => Op::Mul(x, 0.5),
            _ => Op::Neg,
        })
        .collect();
    let mut a = T::from(1.0);
    for op in &ops {
        a = match *op {
            Op::Add(x) => a + x * x,
            Op::Mul(x, k) => a * x * k,
            Op::Neg => -a,
        };
    }
    a * a
}

pub fn state_machine<T: Number>(xs: &[T], _k: usize) -> T {
    #[derive(Clone, Copy)]
    enum S {
        Idle,
        Up,
        Down,
    }
    let mut st = S::Idle;
    let mut v = T::from(1.0);
    for &x in xs {
        st = match (st, x > 1.0) {
            (S::Idle, true) => S::Up,
            (S::Idle, false) => S::Down,
            (S::Up, true) => S::Up,
            (S::Up, false) => S::Idle,
            (S::Down, true) => S::Idle,
            (S::Down, false) => S::Down,
        };
        v = match st {
            S::Idle => v,
            S::Up => v * x * 0.7,
            S::Down => v + x * x,
        };
    }
    v
}

pub fn enum_heap<T: Number>(xs: &[T], _k: usize) -> T {
    enum Sh<T> {
        C(T),
        R { w: T, h: T },
        U,
    }
    let v: Vec<Sh<T>> = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| match i % 3 {
            0 => Sh::C(x),
            1 => Sh::R { w: x, h: x * 2.0 },
            _ => Sh::U,
        })
        .collect();
    v.iter()
        .map(|s| match s {
            Sh::C(r) => *r * *r * 3.0,
            Sh::R { w, h } => *w * *h,
            Sh::U => T::from(1.0),
        })
        .sum()
}
