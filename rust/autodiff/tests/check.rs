//! `gradcheck!` on derivatives that are written by hand, so that they can be wrong.
#![cfg(feature = "check")]

use autodiff::check::{Against, Numbers, Report};
use autodiff::{gradcheck, try_gradcheck};

fn energy(x: &[f64], k: f64) -> f64 {
    x.iter().map(|x| 0.5 * k * x * x).sum()
}

fn d_energy(x: &[f64], dx: &mut [f64], k: f64, seed: f64) -> f64 {
    for (dx, x) in dx.iter_mut().zip(x) {
        *dx += seed * k * x;
    }
    energy(x, k)
}

fn t_energy(x: &[f64], bx: &[f64], k: f64) -> (f64, f64) {
    (energy(x, k), x.iter().zip(bx).map(|(x, t)| k * x * t).sum())
}

fn t_energy_2(x: &[f64], b0: &[f64], b1: &[f64], k: f64) -> [f64; 3] {
    [energy(x, k), t_energy(x, b0, k).1, t_energy(x, b1, k).1]
}

fn t_energy_v(x: &[f64], both: &[f64], k: f64) -> [f64; 2] {
    let (b0, b1) = both.split_at(x.len());
    [t_energy(x, b0, k).1, t_energy(x, b1, k).1]
}

#[test]
fn right_derivatives_pass() {
    let x = vec![1.0, -2.0, 0.0, 1e-3, 1e4];
    let report = gradcheck! {
        #[autodiff_reverse(d_energy, Duplicated, Const, Active)]
        #[autodiff_forward(t_energy, Dual, Const, Dual)]
        #[autodiff_forward(t_energy_2, 2, Dual, Const, Dual)]
        #[autodiff_forward(t_energy_v, 2, Dualv, Const, DualvOnly)]
        energy(&x, 3.0)
    };
    assert!(report.kinks.is_empty() && report.undecided.is_empty(), "{report}");
    assert!(report.compared > 40);
    assert_eq!(report.worst.len(), 1);
    assert!(report.worst[0].1 < 1e-6, "{report:?}");
}

#[test]
fn slices_arrays_and_borrowed_slices() {
    let x: &[f64] = &[1.0, 2.0];
    gradcheck!(
        #[autodiff_reverse(d_energy, Duplicated, Const, Active)]
        energy(&x[..], 3.0)
    );
    gradcheck!(
        #[autodiff_reverse(d_energy, Duplicated, Const, Active)]
        energy(&[1.0, 2.0], 3.0)
    );
}

mod wrong {
    pub fn d_energy(x: &[f64], dx: &mut [f64], k: f64, seed: f64) -> f64 {
        dx[1] += 1e-4;
        super::d_energy(x, dx, k, seed)
    }

    pub fn energy(x: &[f64], k: f64) -> f64 {
        super::energy(x, k)
    }

    pub fn t_energy(x: &[f64], bx: &[f64], k: f64) -> (f64, f64) {
        (super::energy(x, k) + 1e-6, super::t_energy(x, bx, k).1)
    }

    pub fn t_energy_2(x: &[f64], b0: &[f64], b1: &[f64], k: f64) -> [f64; 3] {
        let [value, t0, _] = super::t_energy_2(x, b0, b1, k);
        [value, t0, t0]
    }
}

fn wrong(found: Result<Report, Report>) -> Report {
    found.expect_err("it is wrong")
}

#[test]
fn a_wrong_element_is_named() {
    let found = wrong(try_gradcheck!(
        #[autodiff_reverse(d_energy, Duplicated, Const, Active)]
        wrong::energy(&[1.0, -2.0, 0.5], 3.0)
    ));
    let first = &found.mismatches[0];
    let place = first.by.as_ref().expect("it is one number");
    assert_eq!((place.of.as_str(), place.number, place.count), ("&[1.0, -2.0, 0.5]", 1, 3));
    assert!((first.got + 6.0 - 1e-4).abs() < 1e-9 && (first.want + 6.0).abs() < 1e-8, "{first:?}");
    let text = found.to_string();
    assert!(text.contains("`d_energy`, the derivative of the result by &[1.0, -2.0, 0.5], number 1 of 3"), "{text}");
    assert!(text.contains("central differences with steps down to"), "{text}");
}

#[test]
#[should_panic(expected = "gradcheck of `wrong::energy`")]
fn a_mismatch_panics() {
    gradcheck!(
        #[autodiff_reverse(d_energy, Duplicated, Const, Active)]
        wrong::energy(&[1.0, -2.0], 3.0)
    );
}

#[test]
fn a_wrong_value_is_found() {
    let found = wrong(try_gradcheck!(
        #[autodiff_forward(t_energy, Dual, Const, Dual)]
        wrong::energy(&[1.0], 3.0)
    ));
    assert!(found.mismatches.iter().all(|mismatch| mismatch.against == Against::Function), "{found}");
}

#[test]
fn a_wrong_lane_is_found() {
    let found = wrong(try_gradcheck! {
        #[autodiff_forward(t_energy_2, 2, Dual, Const, Dual)]
        wrong::energy(&[1.0, -2.0], 3.0)
    });
    assert!(!found.mismatches.is_empty());
}

mod disagreeing {
    pub(crate) use super::{energy, t_energy};

    pub fn d_energy(x: &[f64], dx: &mut [f64], k: f64, seed: f64) -> f64 {
        dx[0] += 2e-4;
        super::d_energy(x, dx, k, seed)
    }
}

#[test]
fn reverse_is_held_against_forward() {
    // So loosely that differences see nothing.
    let found = wrong(try_gradcheck! {
        #[check(tolerance = 1e-4)]
        #[autodiff_reverse(d_energy, Duplicated, Const, Active)]
        #[autodiff_forward(t_energy, Dual, Const, Dual)]
        disagreeing::energy(&[1.0, -2.0], 3.0)
    });
    let against = |against: &Against| *against == Against::Derivative("t_energy");
    assert!(found.mismatches.iter().all(|mismatch| against(&mismatch.against)), "{found}");
}

#[derive(Clone, Numbers)]
struct Spring<T> {
    stiffness: T,
    ends: [f32; 2],
    turns: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Numbers)]
struct Point(f64, f64);

impl Point {
    fn stretched(self, by: f64) -> Point {
        Point(self.0 * by, self.1 / by)
    }

    fn d_stretched(self, by: f64, seed: Point) -> (Point, Point, f64) {
        let adjoint = Point(seed.0 * by, seed.1 / by);
        (self.stretched(by), adjoint, seed.0 * self.0 - seed.1 * self.1 / (by * by))
    }

    fn t_stretched(self, t: Point, by: f64, t_by: f64) -> (Point, Point) {
        (self.stretched(by), Point(t.0 * by + self.0 * t_by, t.1 / by - self.1 * t_by / (by * by)))
    }
}

#[test]
fn structs_by_value_and_methods() {
    let point = Point(1.0, 6.0);
    gradcheck! {
        #[autodiff_reverse(d_stretched, Active, Active, Active)]
        #[autodiff_forward(t_stretched, Dual, Dual, Dual)]
        Point::stretched(point, 2.0)
    };
    assert_eq!(point, Point(1.0, 6.0));
}

fn force(spring: &Spring<f64>) -> f32 {
    let [left, right] = spring.ends;
    spring.stiffness as f32 * (right - left) * spring.turns as f32
}

fn d_force(spring: &Spring<f64>, d: &mut Spring<f64>, seed: f32) -> f32 {
    let [left, right] = spring.ends;
    let turns = spring.turns as f32;
    d.stiffness += f64::from(seed * (right - left) * turns);
    d.ends[0] -= seed * spring.stiffness as f32 * turns;
    d.ends[1] += seed * spring.stiffness as f32 * turns;
    force(spring)
}

#[test]
fn structs_of_single_precision_behind_references() {
    let spring = Spring { stiffness: 2.5, ends: [0.5, 1.75], turns: 3 };
    let report = gradcheck!(
        #[autodiff_reverse(d_force, Duplicated, Active)]
        force(&spring)
    );
    assert!(report.worst[0].1 > 0.0 && report.undecided.is_empty(), "{report:?}");
}

fn squares(x: &[f64], to: &mut [f64]) {
    for (x, to) in x.iter().zip(to) {
        *to = x * x + 0.5 * *to;
    }
}

fn d_squares(x: &[f64], dx: &mut [f64], to: &mut [f64], dto: &mut [f64]) {
    squares(x, to);
    for ((x, dx), dto) in x.iter().zip(dx).zip(dto) {
        *dx += 2.0 * x * *dto;
        *dto *= 0.5;
    }
}

fn t_squares(x: &[f64], bx: &[f64], to: &mut [f64], bto: &mut [f64]) {
    squares(x, to);
    for ((x, bx), bto) in x.iter().zip(bx).zip(bto) {
        *bto = 2.0 * x * bx + 0.5 * *bto;
    }
}

#[test]
fn what_is_written_through_a_reference() {
    let mut to = [1.0, 1.0, 1.0];
    gradcheck! {
        #[autodiff_reverse(d_squares, Duplicated, Duplicated)]
        #[autodiff_forward(t_squares, Dual, Dual)]
        squares(&[1.0, 2.0, 3.0], &mut to)
    };
    assert_eq!(to, [1.0; 3], "a copy is written");
}

fn hinge(x: &[f64]) -> f64 {
    x.iter().map(|x| x.max(0.0) + x.sin()).sum()
}

fn d_hinge(x: &[f64], dx: &mut [f64], seed: f64) -> f64 {
    for (dx, x) in dx.iter_mut().zip(x) {
        *dx += seed * (f64::from(*x > 0.0) + x.cos());
    }
    hinge(x)
}

#[test]
fn kinks_are_reported() {
    let report = gradcheck!(
        #[autodiff_reverse(d_hinge, Duplicated, Active)]
        hinge(&[1.0, 0.0, -1.0])
    );
    let kink = report.kinks.iter().find(|kink| kink.comparison.by.is_some()).expect("there is one");
    assert_eq!(kink.comparison.by.as_ref().expect("of one number").number, 1);
    assert!((kink.left - 1.0).abs() < 1e-3 && (kink.right - 2.0).abs() < 1e-3);
    assert!(report.to_string().contains("the function has a kink there"), "{report}");
}

fn step(x: f64) -> f64 {
    x.floor() * x
}

fn d_step(x: f64, seed: f64) -> (f64, f64) {
    (step(x), seed * x.floor())
}

#[test]
fn jumps_are_undecided() {
    let report = gradcheck!(
        #[autodiff_reverse(d_step, Active, Active)]
        step(2.0)
    );
    assert!(!report.undecided.is_empty(), "{report}");
    let report = gradcheck!(
        #[autodiff_reverse(d_step, Active, Active)]
        step(2.5)
    );
    assert!(report.undecided.is_empty(), "{report}");
}

fn difference(x: &[f64], n: usize) -> f64 {
    (0..n).map(|i| x[i] - x[n - 1 - i] + x[i].powi(2)).sum::<f64>() - 14.0
}

fn d_difference(x: &[f64], dx: &mut [f64], n: usize, seed: f64) -> f64 {
    for i in 0..n {
        dx[i] += 2.0 * x[i] * seed;
    }
    // Rounds differently.
    (0..n).rev().map(|i| x[i].powi(2)).sum::<f64>() - 14.0
}

#[test]
fn values_that_cancel_are_not_compared_more_closely_than_they_are_known() {
    let x = [1.0 + 1e-9, 2.0 + 1e-9, 3.0 - 1e-9];
    gradcheck!(
        #[autodiff_reverse(d_difference, Duplicated, Const, Active)]
        difference(&x, x.len())
    );
}

#[test]
fn a_sample_of_many_numbers_and_all_of_them_together() {
    let x: Vec<f64> = (0..1000).map(f64::from).collect();
    let report = gradcheck! {
        #[check(most = 5, seed = 7)]
        #[autodiff_reverse(d_energy, Duplicated, Const, Active)]
        energy(&x, 0.1)
    };
    assert_eq!(report.seed, 7);
    assert!(report.compared < 30);
    let found = wrong(try_gradcheck! {
        #[check(most = 0)]
        #[autodiff_reverse(d_energy, Duplicated, Const, Active)]
        wrong::energy(&[1.0, 2.0], 0.1)
    });
    assert_eq!(found.mismatches[0].by, None);
}
