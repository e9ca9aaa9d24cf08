//! With cargo's harness: a `#[test]` runs where it is told `--test`, and a `#[bench]` wants a nightly compiler.
#![cfg_attr(feature = "measured", feature(test))]

fn gradient() -> [f64; 2] {
    let mut dx = [0.0; 2];
    physics::d_energy(&[1.0, 2.0], &mut dx, 3.0, 1.0);
    dx
}

#[test]
fn right() {
    assert_eq!(gradient(), [3.0, 6.0]);
}

#[cfg(feature = "measured")]
mod measured {
    extern crate test;

    #[bench]
    fn speed(bencher: &mut test::Bencher) {
        assert_eq!(super::gradient(), [3.0, 6.0]);
        bencher.iter(super::gradient);
    }
}
