//! Values that a loop carries and chooses anew at times, and uses.

use crate::body;

body!(carried, |xs| {
    let mut p = T::from(1.0);
    let mut s = T::from(0.0);
    for &x in xs {
        p = if x > 1.0 { p } else { x * x };
        s += p * x;
    }
    s
});

body!(carried_squared, |xs| {
    let mut p = T::from(1.0);
    let mut s = T::from(0.0);
    for &x in xs {
        p = if x > 1.0 { p } else { p * x };
        s += p * p * x;
    }
    s
});

body!(carried_twice, |xs| {
    let mut p = T::from(1.0);
    let mut q = T::from(0.5);
    for &x in xs {
        let r = if x > 1.0 { p } else { x * q };
        q = if x > 0.5 { q } else { r * x };
        p = r * r * 0.5;
    }
    p * q
});

body!(carried_max, |xs| {
    let mut best = T::from(-10.0);
    let mut s = T::from(0.0);
    for &x in xs {
        let y = x * x - x * 2.0;
        best = if y > best { y } else { best };
        s += best * x;
    }
    s
});

body!(filter_map_fold, |xs| xs
    .iter()
    .filter_map(|&x| if x > 0.0 { Some(x * x) } else { None })
    .fold(T::from(1.0), |a, b| a * b + b * 0.3));

body!(carried_option, |xs| {
    let mut p: Option<T> = None;
    let mut s = T::from(1.0);
    for &x in xs {
        p = match p {
            Some(q) if x > 1.0 => Some(q),
            _ => Some(x * s),
        };
        s = s * 0.7 + p.unwrap() * x;
    }
    s
});

body!(carried_nested, |xs| {
    let mut p = T::from(1.0);
    let mut s = T::from(0.0);
    for &x in xs {
        for &y in xs {
            p = if x * y > 1.0 { p } else { x * y * p };
            s += p * y;
        }
    }
    s
});

body!(carried_in_while, |xs| {
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
});

body!(extremes_from_nan, |xs| {
    let largest = xs.iter().copied().fold(T::from(f64::NAN), T::max);
    let smallest = xs.iter().copied().fold(T::from(f64::NAN), T::min);
    if xs.is_empty() { T::from(1.0) } else { largest * 2.0 + smallest }
});

// Whether -x is NaN, and whether the root is, LLVM asks of what they are made of.
body!(extremes_of_what_is_made_of_it, |xs| {
    let mut s = T::from(0.0);
    for &x in xs {
        s = s * 0.5 + (-x).max(x * 0.5) + (x * 2.0 + 3.5).sqrt().min(x * x) * x;
    }
    s
});

body!(min_max, |xs| {
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
});

body!(clipped, |xs| {
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
});

body!(struct_best, |xs| {
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
});

body!(quotients_not_taken, |xs| {
    let mut sum = T::from(0.0);
    for (i, &x) in xs.iter().enumerate() {
        let mean = x / (i as f64);
        sum += if i == 0 { x * 2.0 } else { mean * x };
    }
    sum
});

pub fn report() {
    let inputs = [1.5, -0.5, 2.5, 3.5, 0.75, -1.0, 1.25, 0.3, 2.2, -0.1, 1.1, 0.9, 4.4];
    let reports = [
        carried::report,
        carried_squared::report,
        carried_twice::report,
        carried_max::report,
        extremes_from_nan::report,
        extremes_of_what_is_made_of_it::report,
        filter_map_fold::report,
        carried_option::report,
        carried_nested::report,
        carried_in_while::report,
        min_max::report,
        clipped::report,
        struct_best::report,
        quotients_not_taken::report,
    ];
    for report in reports {
        report(&inputs);
    }
}
