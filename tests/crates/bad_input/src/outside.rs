//! What talks to the outside, and leaves the number alone.

use crate::tried;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{process, thread};

tried! {
    prints(x) { println!("at {x} {:?}", x * x); x * x } => x * x, 2.0 * x;
    prints_to_the_error_output(x) { eprintln!("at {x:.3e}"); x * x } => x * x, 2.0 * x;
    tells_the_time(x) { let begun = Instant::now(); if begun.elapsed().as_secs() > 9999 { x } else { x * x } } => x * x, 2.0 * x;
    computes_with_the_time(x) { x * x + 0.0 * SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64() } => x * x, 2.0 * x;
    sleeps(x) { thread::sleep(Duration::from_nanos(1)); x * x } => x * x, 2.0 * x;
    yields(x) { thread::yield_now(); x * x } => x * x, 2.0 * x;
    knows_its_number(x) { if process::id() > 0 { x * x } else { x } } => x * x, 2.0 * x;
    may_exit(x) { if x < 0.0 { process::exit(3) } x * x } => x * x, 2.0 * x;
    may_abort(x) { if x < 0.0 { process::abort() } x * x } => x * x, 2.0 * x;
    may_panic(x) { assert!(x > 0.0, "no logarithm of {x}"); x.ln() } => x.ln(), 1.0 / x;
}
