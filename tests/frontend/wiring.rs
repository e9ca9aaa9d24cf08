//! What the placeholder is handed, and what is made of what it leaves; `wiring.c` takes the place of Enzyme.
use autodiff::{autodiff_forward, autodiff_reverse};
use std::sync::atomic::{AtomicUsize, Ordering};

const _: () = assert!(autodiff::available());

static DROPPED: AtomicUsize = AtomicUsize::new(0);

struct Factor(f64);

impl Drop for Factor {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::Relaxed);
    }
}

// The arguments are named like the locals of the generated code, each like another one's.
#[autodiff_reverse(d_product, Active, Duplicated, Const, Active, Active)]
fn product(value_1: f64, value_0: &mut [f64], result: Factor, argument_0: f32) -> f64 {
    value_0[1] = 1.0;
    value_1 * value_0[0] * result.0 * f64::from(argument_0)
}

#[autodiff_forward(t_scaled, 2, Dual, Dual, Const, Dual)]
fn scaled(x: f64, by: &[f64], result_shadow_0: f64) -> f64 {
    x * by[0] * result_shadow_0
}

#[autodiff_forward(t_named, Dual, Const, Const)]
fn named(x: f64, name: &str) -> String {
    format!("{name} {x}")
}

#[autodiff_reverse(d_kept, Active, Active)]
fn kept(x: f64, _y: f64) -> () {
    assert_eq!(x, 3.0);
}

fn main() {
    let (mut x, mut dx) = ([3.0, 0.0], [0.5, 0.25]);
    let adjoints = d_product(2.0, &mut x, &mut dx, Factor(5.0), 7.0, 0.125);
    assert_eq!(adjoints, (210.125, 20.0, 70.0), "value and seed, then the adjoints in the order of the arguments");
    assert_eq!((x, dx), ([3.0, 1.0], [100.5, 0.25]));
    assert_eq!(DROPPED.load(Ordering::Relaxed), 1, "what the primal consumes is dropped once");

    let lanes = t_scaled(2.0, 0.5, 0.25, &[3.0], &[10.0], &[20.0], 5.0);
    assert_eq!(lanes, [30.0, 10.5, 20.25]);
    assert_eq!(t_named(2.0, 1.0, "x"), "x 2");
    assert_eq!(d_kept(3.0, 4.0), ((), 5.0, 6.0));

    println!("wired");
    t_scaled(2.0, 0.5, 0.25, &[3.0], &[10.0], &[], 5.0);
}
