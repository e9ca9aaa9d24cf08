//! Sixty parameters, each with an adjoint.

use crate::report::show;
use autodiff::*;

#[rustfmt::skip]
#[autodiff_reverse(d_sixty, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active, Active)]
#[allow(clippy::too_many_arguments)]
fn sixty(x0: f64, x1: f64, x2: f64, x3: f64, x4: f64, x5: f64, x6: f64, x7: f64, x8: f64, x9: f64, x10: f64, x11: f64, x12: f64, x13: f64, x14: f64, x15: f64, x16: f64, x17: f64, x18: f64, x19: f64, x20: f64, x21: f64, x22: f64, x23: f64, x24: f64, x25: f64, x26: f64, x27: f64, x28: f64, x29: f64, x30: f64, x31: f64, x32: f64, x33: f64, x34: f64, x35: f64, x36: f64, x37: f64, x38: f64, x39: f64, x40: f64, x41: f64, x42: f64, x43: f64, x44: f64, x45: f64, x46: f64, x47: f64, x48: f64, x49: f64, x50: f64, x51: f64, x52: f64, x53: f64, x54: f64, x55: f64, x56: f64, x57: f64, x58: f64, x59: f64) -> f64 {
    0.0 * x0 * x0
        + 1.0 * x1 * x1
        + 2.0 * x2 * x2
        + 3.0 * x3 * x3
        + 4.0 * x4 * x4
        + 5.0 * x5 * x5
        + 6.0 * x6 * x6
        + 7.0 * x7 * x7
        + 8.0 * x8 * x8
        + 9.0 * x9 * x9
        + 10.0 * x10 * x10
        + 11.0 * x11 * x11
        + 12.0 * x12 * x12
        + 13.0 * x13 * x13
        + 14.0 * x14 * x14
        + 15.0 * x15 * x15
        + 16.0 * x16 * x16
        + 17.0 * x17 * x17
        + 18.0 * x18 * x18
        + 19.0 * x19 * x19
        + 20.0 * x20 * x20
        + 21.0 * x21 * x21
        + 22.0 * x22 * x22
        + 23.0 * x23 * x23
        + 24.0 * x24 * x24
        + 25.0 * x25 * x25
        + 26.0 * x26 * x26
        + 27.0 * x27 * x27
        + 28.0 * x28 * x28
        + 29.0 * x29 * x29
        + 30.0 * x30 * x30
        + 31.0 * x31 * x31
        + 32.0 * x32 * x32
        + 33.0 * x33 * x33
        + 34.0 * x34 * x34
        + 35.0 * x35 * x35
        + 36.0 * x36 * x36
        + 37.0 * x37 * x37
        + 38.0 * x38 * x38
        + 39.0 * x39 * x39
        + 40.0 * x40 * x40
        + 41.0 * x41 * x41
        + 42.0 * x42 * x42
        + 43.0 * x43 * x43
        + 44.0 * x44 * x44
        + 45.0 * x45 * x45
        + 46.0 * x46 * x46
        + 47.0 * x47 * x47
        + 48.0 * x48 * x48
        + 49.0 * x49 * x49
        + 50.0 * x50 * x50
        + 51.0 * x51 * x51
        + 52.0 * x52 * x52
        + 53.0 * x53 * x53
        + 54.0 * x54 * x54
        + 55.0 * x55 * x55
        + 56.0 * x56 * x56
        + 57.0 * x57 * x57
        + 58.0 * x58 * x58
        + 59.0 * x59 * x59
}

#[rustfmt::skip]
pub fn report() {
    let (value, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59) = d_sixty(0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5, 16.5, 17.5, 18.5, 19.5, 20.5, 21.5, 22.5, 23.5, 24.5, 25.5, 26.5, 27.5, 28.5, 29.5, 30.5, 31.5, 32.5, 33.5, 34.5, 35.5, 36.5, 37.5, 38.5, 39.5, 40.5, 41.5, 42.5, 43.5, 44.5, 45.5, 46.5, 47.5, 48.5, 49.5, 50.5, 51.5, 52.5, 53.5, 54.5, 55.5, 56.5, 57.5, 58.5, 59.5, 1.0);
    let right: Vec<f64> = (0..60).map(|i| 2.0 * f64::from(i) * (f64::from(i) + 0.5)).collect();
    let sum: f64 = (0..60).map(|i| f64::from(i) * (f64::from(i) + 0.5).powi(2)).sum();
    show("sixty", &[value, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59], &[&[sum], &right[..]].concat());
}
