//! Numbers behind locks: their own, or those of a static that is only read.

use crate::tried;
use std::hint::black_box;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Condvar, Mutex, RwLock};

static SCALE: Mutex<f64> = Mutex::new(2.0);
static WEIGHTS: RwLock<[f64; 2]> = RwLock::new([2.0, 3.0]);

tried! {
    mutex(x) { let kept = Mutex::new(x); *kept.lock().unwrap() *= x; let y = *kept.lock().unwrap(); y * x } => x.powi(3), 3.0 * x * x;
    mutex_of_a_vec(x) { let kept = Mutex::new(vec![x]); kept.lock().unwrap().push(x * x); kept.into_inner().unwrap().iter().sum() }
        => x + x * x, 1.0 + 2.0 * x;
    read_write_lock(x) { let kept = RwLock::new(x); *kept.write().unwrap() *= x; let y = *kept.read().unwrap(); y } => x * x, 2.0 * x;
    shared(x) { let one = Arc::new(Mutex::new(x)); *Arc::clone(&one).lock().unwrap() *= x; let y = *one.lock().unwrap(); y }
        => x * x, 2.0 * x;
    condition(x) { let (kept, changed) = (Mutex::new(x), Condvar::new()); changed.notify_all(); let y = *kept.lock().unwrap(); y * x }
        => x * x, 2.0 * x;
    barrier(x) { Barrier::new(1).wait(); x * x } => x * x, 2.0 * x;
    static_that_is_read(x) { *SCALE.lock().unwrap() * x * x } => 2.0 * x * x, 4.0 * x;
    table_that_is_read(x) { WEIGHTS.read().unwrap()[1] * x * x } => 3.0 * x * x, 6.0 * x;
    counted_in_an_atomic(x) {
        let count = AtomicUsize::new(0);
        for _ in 0..black_box(3) { count.fetch_add(1, Ordering::Relaxed); }
        x * count.load(Ordering::Relaxed) as f64
    } => 3.0 * x, 3.0;
    behind_an_atomic_pointer(x) { let mut y = x * x; let place = AtomicPtr::new(&raw mut y); unsafe { *place.load(Ordering::SeqCst) * x } }
        => x.powi(3), 3.0 * x * x;
}
