use crate::dual::Number;

/// A number that depends on every element, and on where it is.
fn weigh<T: Number>(xs: &[T]) -> T {
    xs.iter().enumerate().map(|(i, &x)| x * x * (i as f64 + 1.0)).sum()
}

pub fn rk4_oscillators<T: Number>(xs: &[T], _k: usize) -> T {
    fn f<T: Number>(y: [T; 2], k: T) -> [T; 2] {
        [y[1], y[0] * -k]
    }
    let mut y = [T::from(1.0), T::from(0.0)];
    for &k in xs {
        let h = 0.1;
        let a = f(y, k);
        let b = f([y[0] + a[0] * (h / 2.0), y[1] + a[1] * (h / 2.0)], k);
        let c = f([y[0] + b[0] * (h / 2.0), y[1] + b[1] * (h / 2.0)], k);
        let d = f([y[0] + c[0] * h, y[1] + c[1] * h], k);
        for i in 0..2 {
            y[i] = y[i] + (a[i] + b[i] * 2.0 + c[i] * 2.0 + d[i]) * (h / 6.0);
        }
    }
    y[0] * y[1]
}

pub fn particles_attracted<T: Number>(xs: &[T], _k: usize) -> T {
    struct P<T> {
        pos: [T; 2],
        vel: [T; 2],
        m: f64,
    }
    let mut ps: Vec<P<T>> = xs
        .iter()
        .enumerate()
        .map(|(i, &x)| P { pos: [x, x * 0.5], vel: [T::from(0.0); 2], m: i as f64 + 1.0 })
        .collect();
    for _ in 0..2 {
        for i in 0..ps.len() {
            let mut acc = [T::from(0.0); 2];
            for j in 0..ps.len() {
                if i != j {
                    for k in 0..2 {
                        let d = ps[j].pos[k] - ps[i].pos[k];
                        acc[k] += d * ps[j].m * 0.01;
                    }
                }
            }
            for k in 0..2 {
                ps[i].vel[k] += acc[k];
            }
        }
        for p in &mut ps {
            for k in 0..2 {
                let v = p.vel[k];
                p.pos[k] += v * 0.1;
            }
        }
    }
    ps.iter().map(|p| p.pos[0] * p.pos[1] * p.m).sum()
}

pub fn convolution<T: Number>(xs: &[T], _k: usize) -> T {
    let k = [0.25, 0.5, 0.25];
    let n = xs.len();
    let mut o = vec![T::from(0.0); n];
    for i in 0..n {
        for (j, w) in k.iter().enumerate() {
            let p = i as isize + j as isize - 1;
            if p >= 0 && (p as usize) < n {
                o[i] += xs[p as usize] * *w;
            }
        }
    }
    weigh(&o)
}
