use crate::dual::Number;

pub fn best_in_a_loop<T: Number>(xs: &[T], _k: usize) -> T {
    let mut best = T::from(-1.0);
    for &x in xs {
        let y = x * x - x * 2.0;
        best = if y > best { y } else { best };
    }
    best * best
}

pub fn struct_state<T: Number>(xs: &[T], _k: usize) -> T {
    #[derive(Clone, Copy)]
    struct S<T> {
        a: T,
        b: T,
        n: u32,
    }
    let mut st = S { a: T::from(0.5), b: T::from(1.5), n: 0 };
    for &x in xs {
        st = S { a: st.b * x, b: st.a + x * x, n: st.n + 1 };
        if st.n % 4 == 3 {
            st.a = st.a * st.b;
        }
    }
    st.a + st.b * (st.n as f64)
}

pub fn carried<T: Number>(xs: &[T], _k: usize) -> T {
    let mut p = T::from(1.0);
    let mut s = T::from(0.0);
    for &x in xs {
        p = if x > 1.0 { p } else { x * x };
        s += p * x;
    }
    s
}

pub fn carried_squared<T: Number>(xs: &[T], _k: usize) -> T {
    let mut p = T::from(1.0);
    let mut s = T::from(0.0);
    for &x in xs {
        p = if x > 1.0 { p } else { p * x };
        s += p * p * x;
    }
    s
}

pub fn carried_twice<T: Number>(xs: &[T], _k: usize) -> T {
    let mut p = T::from(1.0);
    let mut q = T::from(0.5);
    for &x in xs {
        let r = if x > 1.0 { p } else { x * q };
        q = if x > 0.5 { q } else { r * x };
        p = r * r * 0.5;
    }
    p * q
}

pub fn carried_max<T: Number>(xs: &[T], _k: usize) -> T {
    let mut best = T::from(-10.0);
    let mut s = T::from(0.0);
    for &x in xs {
        let y = x * x - x * 2.0;
        best = if y > best { y } else { best };
        s += best * x;
    }
    s
}

pub fn carried_nested<T: Number>(xs: &[T], _k: usize) -> T {
    let mut p = T::from(1.0);
    let mut s = T::from(0.0);
    for &x in xs {
        for &y in xs {
            p = if x * y > 1.0 { p } else { x * y * p };
            s += p * y;
        }
    }
    s
}

pub fn carried_in_while<T: Number>(xs: &[T], _k: usize) -> T {
    let (mut i, mut p, mut s) = (0, T::from(1.0), T::from(0.0));
    while i < xs.len() {
        let x = xs[i];
        if x > 1.0 {
            p = x * x;
            i += 2;
        } else {
            i += 1;
        }
        s += p * p;
    }
    s
}

pub fn min_max<T: Number>(xs: &[T], _k: usize) -> T {
    let (mut lo, mut hi) = (T::from(100.0), T::from(-100.0));
    let mut s = T::from(0.0);
    for &x in xs {
        if x < lo {
            lo = x;
        }
        if x > hi {
            hi = x;
        }
        s += (hi - lo) * x;
    }
    s
}

pub fn clipped<T: Number>(xs: &[T], _k: usize) -> T {
    let mut p = T::from(0.1);
    let mut s = T::from(0.0);
    for &x in xs {
        p = p + x * 0.3;
        if p > 1.0 {
            p = T::from(1.0);
        }
        if p < -1.0 {
            p = T::from(-1.0);
        }
        s += p * x;
    }
    s
}

pub fn struct_best<T: Number>(xs: &[T], _k: usize) -> T {
    #[derive(Clone, Copy)]
    struct B<T> {
        a: T,
        b: T,
        n: usize,
    }
    let mut best = B { a: T::from(-5.0), b: T::from(0.0), n: 0 };
    let mut s = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        let c = B { a: x * x, b: x * 2.0, n: i };
        if c.a > best.a {
            best = c;
        }
        s += best.a * best.b * (best.n as f64);
    }
    s
}

pub fn fixpoint<T: Number>(xs: &[T], _k: usize) -> T {
    xs.iter()
        .map(|&a| {
            let mut y = T::from(1.0);
            for _ in 0..20 {
                let n = (y + a * a * 0.1) * 0.7;
                let d = n - y;
                y = n;
                if d < 1e-3 && d > -1e-3 {
                    break;
                }
            }
            y
        })
        .sum()
}

pub fn square_roots_by_steps<T: Number>(xs: &[T], _k: usize) -> T {
    let mut s = T::from(0.0);
    for &a in xs {
        let mut y = T::from(1.0);
        let mut n = 0;
        while n < 6 {
            y = y + (a * a + 1.0 - y * y) * 0.2;
            n += 1;
        }
        s += y;
    }
    s
}
