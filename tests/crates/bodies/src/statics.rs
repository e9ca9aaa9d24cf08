//! Statics and thread-locals of integers: they count, and choose, and carry no derivative.

use core::cell::Cell;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::body;

static mut STEPS: u32 = 0;
static CALLS: AtomicUsize = AtomicUsize::new(0);
std::thread_local!(static SEED: Cell<u64> = const { Cell::new(0) });

/// Numbers that look random, the same ones after each `start`.
fn next() -> u64 {
    SEED.set(SEED.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    SEED.get() >> 33
}

body!(counted_in_a_static, |xs| {
    unsafe { STEPS = 0 };
    let mut s = T::from(1.0);
    for &x in xs {
        unsafe { STEPS += 1 };
        s = s * x + T::from(unsafe { STEPS } as f64);
    }
    s
});

body!(counted_in_an_atomic, |xs| {
    let begun = CALLS.load(Ordering::Relaxed);
    let mut s = T::from(1.0);
    for &x in xs {
        CALLS.fetch_add(1, Ordering::Relaxed);
        s = s * x + x;
    }
    s * T::from((CALLS.load(Ordering::Relaxed) - begun) as f64)
});

body!(drawn_by_a_thread_local, |xs| {
    SEED.set(17);
    let mut s = T::from(1.0);
    for &x in xs {
        s = if next() % 2 == 0 { s * x } else { s + x * T::from(next() as f64 * 1e-9) };
    }
    s
});

pub fn report() {
    let inputs = [1.5, -0.5, 2.5, 3.5, 0.75, -1.0, 1.25, 0.3, 2.2, -0.1, 1.1, 0.9, 4.4];
    for report in [counted_in_a_static::report, counted_in_an_atomic::report, drawn_by_a_thread_local::report] {
        report(&inputs);
    }
}
