//! Gradients whose tapes are of every kind; what each takes: `tape FUNCTION SIZE CALLS THREADS`.
//!
//! It prints a line of JSON: seconds of processor time a gradient, the least and the median of all calls, with the value and without it
//! (`ActiveOnly`); and what is held at the end. `FUNCTION` may be `all`, each in turn.
use autodiff::*;

/// A recurrence: a tape whose length is known before.
#[autodiff_reverse(d_recurrence, Duplicated, Active)]
#[autodiff_reverse(only_recurrence, Duplicated, ActiveOnly)]
fn recurrence(x: &[f64]) -> f64 {
    let mut y = 0.3;
    for x in x {
        y += 0.01 * x * y * (1.0 - y);
    }
    y
}

/// The same up to a number that is too large: a tape that grows.
#[autodiff_reverse(d_growing, Duplicated, Active)]
#[autodiff_reverse(only_growing, Duplicated, ActiveOnly)]
fn growing(x: &[f64]) -> f64 {
    let (mut y, mut i) = (0.3, 0);
    while i < x.len() && x[i] < 2.0 {
        y += 0.01 * x[i] * y * (1.0 - y);
        i += 1;
    }
    y
}

/// Layers of neurons, a new vector for each.
#[autodiff_reverse(d_layers, Duplicated, Active)]
#[autodiff_reverse(only_layers, Duplicated, ActiveOnly)]
fn layers(weights: &[f64]) -> f64 {
    const WIDTH: usize = 64;
    let mut neurons = vec![0.5; WIDTH];
    for layer in weights.chunks_exact(WIDTH * WIDTH) {
        neurons = layer
            .chunks_exact(WIDTH)
            .map(|row| row.iter().zip(&neurons).map(|(w, x)| w * x).sum::<f64>().tanh())
            .collect();
    }
    neurons.iter().map(|x| x * x).sum()
}

/// Heat along a rod, a hundred steps from one buffer to the other.
#[autodiff_reverse(d_heat, Duplicated, Active)]
#[autodiff_reverse(only_heat, Duplicated, ActiveOnly)]
fn heat(start: &[f64]) -> f64 {
    let n = start.len();
    let mut now = start.to_vec();
    let mut next = vec![0.0; n];
    for _ in 0..100 {
        for i in 1..n - 1 {
            next[i] = now[i] + 0.1 * (now[i - 1] - 2.0 * now[i] + now[i + 1]) * now[i];
        }
        now.copy_from_slice(&next);
    }
    now.iter().map(|x| x * x).sum()
}

/// The likelihood of points under a mixture: small vectors in a loop.
#[autodiff_reverse(d_mixture, Duplicated, Active)]
#[autodiff_reverse(only_mixture, Duplicated, ActiveOnly)]
fn mixture(points: &[f64]) -> f64 {
    const MEANS: [f64; 8] = [-2.0, -1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0];
    let mut sum = 0.0;
    for x in points {
        let terms: Vec<f64> = MEANS.iter().map(|mean| -0.5 * (x - mean) * (x - mean)).collect();
        let most = terms.iter().fold(f64::MIN, |a, b| if *b > a { *b } else { a });
        sum += most + terms.iter().map(|term| (term - most).exp()).sum::<f64>().ln();
    }
    sum
}

/// Halves of halves: functions that call themselves hand their tapes on.
#[autodiff_reverse(d_halves, Duplicated, Active)]
#[autodiff_reverse(only_halves, Duplicated, ActiveOnly)]
fn halves(x: &[f64]) -> f64 {
    if x.len() < 64 {
        return x.iter().map(|x| x.sin()).product();
    }
    let (left, right) = x.split_at(x.len() / 2);
    let mut product = halves(left) * halves(right);
    for x in left {
        product = (product + x).sin();
    }
    product
}

type WithValue = fn(&[f64], &mut [f64], f64) -> f64;
type Without = fn(&[f64], &mut [f64], f64);

const FUNCTIONS: [(&str, WithValue, Without); 6] = [
    ("recurrence", d_recurrence, only_recurrence),
    ("growing", d_growing, only_growing),
    ("layers", d_layers, only_layers),
    ("heat", d_heat, only_heat),
    ("mixture", d_mixture, only_mixture),
    ("halves", d_halves, only_halves),
];

#[repr(C)]
struct Time {
    seconds: i64,
    nanoseconds: i64,
}

unsafe extern "C" {
    fn clock_gettime(clock: i32, time: *mut Time) -> i32;
}

/// Of this thread alone, in seconds.
fn processor_time() -> f64 {
    const THREAD: i32 = 3;
    let mut now = Time { seconds: 0, nanoseconds: 0 };
    assert_eq!(unsafe { clock_gettime(THREAD, &mut now) }, 0);
    now.seconds as f64 + now.nanoseconds as f64 * 1e-9
}

fn seconds(calls: usize, mut call: impl FnMut()) -> (f64, f64) {
    let mut taken: Vec<f64> = (0..calls)
        .map(|_| {
            let begin = processor_time();
            call();
            processor_time() - begin
        })
        .collect();
    taken.sort_by(f64::total_cmp);
    (taken[0], taken[calls / 2])
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<usize> = asked[1..].iter().map(|number| number.parse().expect("a number")).collect();
    let [size, calls, threads] = numbers[..] else { panic!("FUNCTION SIZE CALLS THREADS") };
    let x: Vec<f64> = (0..size).map(|i| (i as f64 * 0.37).sin()).collect();
    for (name, with, without) in FUNCTIONS.iter().filter(|f| asked[0] == "all" || asked[0] == f.0) {
        let work = || {
            let mut dx = vec![0.0; size];
            let (least, median) = seconds(calls, || {
                with(&x, &mut dx, 1.0);
            });
            let (least_without, median_without) = seconds(calls, || without(&x, &mut dx, 1.0));
            println!(
                r#"{{"function": "{name}", "least": {least:e}, "median": {median:e}, "least_without": {least_without:e}, "median_without": {median_without:e}, "held": {}}}"#,
                tape::held()
            );
        };
        std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    }
}
