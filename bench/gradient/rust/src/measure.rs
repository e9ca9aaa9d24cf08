//! A program's numbers and times, printed a line each: `name number …`.

use crate::numbers::Numbers;
use crate::program::{Program, WIDTH};
use std::hint::black_box;
use std::time::Instant;

/// A sample is of as many calls as take so long, that the clock's own time is nothing.
const SAMPLE_S: f64 = 1e-3;

/// How many samples there are at least, however long they take.
const LEAST: usize = 3;

/// Prints the numbers of a program, then the times of its functions, measured in turn for so many seconds in all.
pub fn measure(program: &dyn Program, seconds: f64) {
    let mut adjoint = zeros(program);
    let mut alone = zeros(program);
    println!("value {:e}", program.primal());
    println!("resident_before_kB {}", most_resident_kb());
    println!("value_of_gradient {:e}", program.gradient(&mut adjoint));
    println!("resident_after_kB {}", most_resident_kb());
    program.gradient_only(&mut alone);
    println!("without_value {:e}", farthest(&adjoint, &alone));
    for block in &adjoint {
        let norm = block.iter().map(|d| d * d).sum::<f64>().sqrt();
        let mixed: f64 = block.iter().enumerate().map(|(i, d)| (i as f64).cos() * d).sum();
        println!("block {} {norm:e} {mixed:e}", block.len());
    }
    let (direction, directions) = directions(program);
    let expected: f64 = adjoint.iter().flatten().zip(direction.iter().flatten()).map(|(a, b)| a * b).sum();
    println!("slope {expected:e} {:e}", program.slope(&direction));
    println!("slopes {}", program.slopes(&directions).map(|slope| format!("{slope:e}")).join(" "));

    let (mut with_value, mut without) = (zeros(program), zeros(program));
    let mut timed: [(&str, Box<dyn FnMut() + '_>); 5] = [
        ("primal", Box::new(|| _ = black_box(black_box(program).primal()))),
        ("gradient", Box::new(move || _ = black_box(black_box(program).gradient(black_box(&mut with_value))))),
        ("gradient_only", Box::new(move || black_box(program).gradient_only(black_box(&mut without)))),
        ("slope", Box::new(move || _ = black_box(black_box(program).slope(black_box(&direction))))),
        ("slopes", Box::new(move || _ = black_box(black_box(program).slopes(black_box(&directions))))),
    ];
    for (name, least, median) in times(&mut timed, seconds) {
        println!("{name}_s {least:e} {median:e}");
    }
}

fn zeros(program: &dyn Program) -> Vec<Vec<f64>> {
    program.blocks().into_iter().map(|length| vec![0.0; length]).collect()
}

/// A direction, and [`WIDTH`] of them, of which that is the last.
fn directions(program: &dyn Program) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let mut numbers = Numbers::new(2);
    let many: Vec<_> = program.blocks().into_iter().map(|n| numbers.many(WIDTH * n, -1.0, 1.0)).collect();
    (many.iter().map(|block| block[block.len() / WIDTH * (WIDTH - 1)..].to_vec()).collect(), many)
}

/// How far two gradients are apart, over how long the first is.
fn farthest(one: &[Vec<f64>], other: &[Vec<f64>]) -> f64 {
    let norm = one.iter().flatten().map(|a| a * a).sum::<f64>().sqrt();
    let apart = one.iter().flatten().zip(other.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    apart / norm
}

/// Seconds a call, least and median, of each function by name; sample after sample they take turns.
fn times<'a>(functions: &mut [(&'a str, Box<dyn FnMut() + '_>)], seconds: f64) -> Vec<(&'a str, f64, f64)> {
    let calls: Vec<usize> = functions.iter_mut().map(|(_, function)| calls_of_a_sample(function)).collect();
    let mut samples = vec![Vec::new(); functions.len()];
    let begin = Instant::now();
    while samples[0].len() < LEAST || begin.elapsed().as_secs_f64() < seconds {
        for (((_, function), samples), &calls) in functions.iter_mut().zip(&mut samples).zip(&calls) {
            samples.push(taken(function, calls) / calls as f64);
        }
    }
    samples.iter_mut().for_each(|samples| samples.sort_by(f64::total_cmp));
    let sorted = functions.iter().zip(&samples);
    sorted.map(|((name, _), samples)| (*name, samples[0], samples[samples.len() / 2])).collect()
}

fn calls_of_a_sample(function: &mut dyn FnMut()) -> usize {
    let mut calls = 1;
    while taken(function, calls) < SAMPLE_S {
        calls *= 2;
    }
    calls
}

fn taken(function: &mut dyn FnMut(), calls: usize) -> f64 {
    let begin = Instant::now();
    (0..calls).for_each(|_| function());
    begin.elapsed().as_secs_f64()
}

/// The most memory that this process has had so far, as Linux tells it.
fn most_resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells of each process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("and of its memory");
    line.trim().trim_end_matches(" kB").parse().expect("in kB")
}
