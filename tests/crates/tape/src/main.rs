//! `tape SECONDS THREADS MOST`: gradients at random sizes in threads that end, held against closed forms.
//!
//! It ends with a line of JSON.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// At most so many numbers.
const LARGEST: u64 = 200_000;

fn next(random: &mut u64) -> u64 {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    *random
}

/// Memory of this process in bytes, as the system counts it.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    pages.split(' ').nth(1).and_then(|count| count.parse::<usize>().ok()).unwrap_or(0) * 4096
}

fn main() {
    let asked: Vec<usize> = std::env::args().skip(1).filter_map(|number| number.parse().ok()).collect();
    let [seconds, threads, most] = asked[..] else { panic!("SECONDS THREADS MOST") };
    tape::hold_at_most(most);
    tape::check_chosen().unwrap_or_else(|wrong| panic!("{wrong}"));
    let end = Instant::now() + Duration::from_secs(seconds as u64);
    let (gradients, lives) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (most_held, most_resident) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let live = |seed: u64| {
        let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        for _ in 0..20 {
            // As often small as large.
            let n = next(&mut random) % (1 << (next(&mut random) % 18)).min(LARGEST) + 1;
            if let Err(wrong) = tape::check(n as usize, next(&mut random) as usize % 1000) {
                panic!("{wrong}");
            }
            gradients.fetch_add(6, Ordering::Relaxed);
            most_held.fetch_max(tape::held(), Ordering::Relaxed);
        }
        most_resident.fetch_max(resident(), Ordering::Relaxed);
        lives.fetch_add(1, Ordering::Relaxed);
    };
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let live = &live;
            scope.spawn(move || {
                let mut number = thread as u64 + 1;
                while Instant::now() < end {
                    std::thread::scope(|scope| _ = scope.spawn(move || live(number)));
                    number += 1_000;
                    if number % 64_000 < 1_000 {
                        tape::release();
                    }
                }
            });
        }
    });
    let held = tape::held();
    tape::release();
    println!(
        r#"{{"gradients": {}, "threads": {}, "held": {held}, "most_held": {}, "most_resident": {}, "left": {}}}"#,
        gradients.into_inner(),
        lives.into_inner(),
        most_held.into_inner(),
        most_resident.into_inner(),
        tape::held()
    );
}
