//! Functions that Enzyme gets silently wrong in reverse mode where what mends them is left out: `verify NAME`.

use autodiff::*;

/// A struct that is an integer and a float is returned.
mod option {
    use super::*;

    #[inline(never)]
    fn above(x: f64) -> Option<f64> {
        if x > 0.5 { Some(x * x) } else { None }
    }

    #[autodiff_reverse(d_option, Duplicated, Active)]
    pub fn option(x: &[f64]) -> f64 {
        x.iter().map(|&x| above(x).unwrap_or(x)).sum()
    }
}

/// A word is a float at times, and an integer at others.
mod result {
    use super::*;

    #[inline(never)]
    fn put(held: &mut [Result<f64, u64>], n: usize, x: f64) {
        let place = n % held.len();
        held[place] = if x > 0.5 { Ok(x * x) } else { Err(n as u64) };
    }

    #[autodiff_reverse(d_result, Duplicated, Active)]
    pub fn result(x: &[f64; 9]) -> f64 {
        let mut held = [const { Err(0) }; 3];
        for (n, &x) in x.iter().enumerate() {
            put(&mut held, n, x);
        }
        held.iter().flatten().map(|x| x * x).sum()
    }
}

/// What overlaps is moved.
#[autodiff_reverse(d_moved, Duplicated, Active)]
fn moved(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    v.remove(1);
    v.rotate_left(2);
    v.iter().enumerate().map(|(n, x)| x * x * n as f64).sum()
}

/// Words are exchanged, in a loop that LLVM unrolls where it may.
#[autodiff_reverse(d_exchanged, Duplicated, Active)]
fn exchanged(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    v.reverse();
    v.iter().enumerate().map(|(n, x)| x * x * n as f64).sum()
}

/// A loop carries a value, uses it, and chooses it anew at times.
#[autodiff_reverse(d_carried, Duplicated, Active)]
fn carried(x: &[f64]) -> f64 {
    let (mut p, mut sum) = (1.0, 0.0);
    for &x in x {
        p = if x > 1.0 { p } else { x * x };
        sum += p * x;
    }
    sum
}

#[derive(Clone)]
struct Opaque(f64);

/// Nobody knows its numbers.
#[autodiff_reverse(d_opaque, Duplicated, Active)]
fn opaque(x: &Opaque) -> f64 {
    x.0 * x.0
}

/// All that can be checked: behind references of either kind, by value, in single precision, a struct, two lanes at once.
mod shapes {
    use autodiff::autodiff_reverse;
    use autodiff::check::Numbers;

    #[derive(Clone, Numbers)]
    pub struct Spring {
        pub stiffness: f32,
        pub ends: [f32; 2],
        pub turns: u32,
    }

    impl Spring {
        #[autodiff_reverse(d_stretch, Duplicated, Duplicated, Const, Active, Active)]
        pub fn stretch(&self, by: &mut Vec<f32>, times: &[usize], (a, b): (f32, f32)) -> f32 {
            for (by, times) in by.iter_mut().zip(times) {
                *by *= self.stiffness * (self.ends[1] - self.ends[0]) * a * *times as f32;
            }
            by.iter().sum::<f32>() * b / self.turns as f32
        }
    }

    #[autodiff_reverse(d_squares, 2, Duplicated, Duplicated)]
    pub fn squares(x: &[f64], to: &mut [f64]) {
        for (x, to) in x.iter().zip(to) {
            *to = x * x;
        }
    }
}

fn report() {
    let spring = shapes::Spring { stiffness: 2.0, ends: [0.5, 2.0], turns: 5 };
    let mut d_spring = shapes::Spring { stiffness: 100.0, ends: [0.0; 2], turns: 5 };
    let (mut by, mut d_by) = (vec![1.0, -0.5, 0.25], vec![0.0, 1.0, 0.0]);
    let (value, (a, b)) = spring.d_stretch(&mut d_spring, &mut by, &mut d_by, &[1, 2, 3], (0.5, 0.25), 2.0);
    println!("{value} {a} {b} {by:?} {d_by:?} {} {:?}", d_spring.stiffness, d_spring.ends);
    let (x, mut dx) = ([1.0, 2.0], [[1.0; 2], [0.0; 2]]);
    let (mut to, mut seeds) = ([0.0; 2], [[1.0, 0.0], [0.0, 1.0]]);
    let ([dx_0, dx_1], [seed_0, seed_1]) = (&mut dx, &mut seeds);
    shapes::d_squares(&x, dx_0, dx_1, &mut to, seed_0, seed_1);
    println!("{to:?} {dx:?} {seeds:?}");
    let mut d_opaque_ = Opaque(0.0);
    println!("{} {}", d_opaque(&Opaque(3.0), &mut d_opaque_, 1.0), d_opaque_.0);
}

/// As many operations as numbers: what a check costs beside them counts most.
#[autodiff_reverse(d_light, Duplicated, Active)]
fn light(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x * x).sum()
}

/// Many operations for each number.
#[autodiff_reverse(d_heavy, Duplicated, Active)]
fn heavy(x: &[f64]) -> f64 {
    let energy = |a: f64, b: f64| (-(a - b) * (a - b)).exp();
    x.iter().enumerate().map(|(n, &a)| x[..n].iter().map(|&b| energy(a, b)).sum::<f64>()).sum()
}

/// Microseconds for each gradient.
fn time(calls: u32, n: u32, derivative: impl Fn(&[f64], &mut [f64])) -> f64 {
    let x: Vec<f64> = (0..n).map(|n| (f64::from(n) * 1.7).sin()).collect();
    let mut dx = vec![0.0; x.len()];
    let begin = std::time::Instant::now();
    for _ in 0..calls {
        derivative(&x, &mut dx);
    }
    begin.elapsed().as_secs_f64() * 1e6 / f64::from(calls)
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("report") => return report(),
        Some("time") => {
            let light = time(2000, 10_000, |x, dx| {
                d_light(x, dx, 1.0);
            });
            let heavy = time(20, 1000, |x, dx| {
                d_heavy(x, dx, 1.0);
            });
            return println!("light {light:.1} heavy {heavy:.1}");
        }
        _ => {}
    }
    let x: Vec<f64> = (0..9).map(|n| (f64::from(n) * 1.7).sin() + 0.6).collect();
    let mut dx = vec![0.0; x.len()];
    for _ in 0..3 {
        match std::env::args().nth(1).as_deref() {
            Some("option") => option::d_option(&x, &mut dx, 1.0),
            Some("result") => {
                let (x, dx) = (x[..].try_into().unwrap(), (&mut dx[..]).try_into().unwrap());
                result::d_result(x, dx, 1.0)
            }
            Some("moved") => d_moved(&x, &mut dx, 1.0),
            Some("exchanged") => d_exchanged(&x, &mut dx, 1.0),
            _ => d_carried(&x, &mut dx, 1.0),
        };
    }
    println!("{dx:?}");
}
