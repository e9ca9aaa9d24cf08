//! Floats as integers: their bits moved and compared, their exponents read and made.

use crate::tried;
use std::hint::black_box;

tried! {
    there_and_back(x) { f64::from_bits((x * x).to_bits()) } => x * x, 2.0 * x;
    single(x) { f64::from(f32::from_bits((x as f32).to_bits())) * x } => x * x, 2.0 * x;
    negated(x) { f64::from_bits((x * x).to_bits() ^ (1 << 63)) } => -x * x, -2.0 * x;
    without_sign(x) { f64::from_bits((-x * x).to_bits() & !(1 << 63)) } => x * x, 2.0 * x;
    compared(x) { if x.to_bits() > 1.0_f64.to_bits() { x * x } else { x } }
        => if x > 1.0 { x * x } else { x }, if x > 1.0 { 2.0 * x } else { 1.0 };
    exponent_read(x) { x * (((x.to_bits() >> 52) & 0x7ff) as i32 - 1023) as f64 } => x * x.log2().floor(), x.log2().floor();
    exponent_made(x) { f64::from_bits((1023 + (2.0 * x).floor() as u64) << 52) * x }
        => (2.0 * x).floor().exp2() * x, (2.0 * x).floor().exp2();
    total_order(x) { let mut v = [x, 1.0, 2.0]; v.sort_by(f64::total_cmp); v[2] * v[2] }
        => x.max(2.0).powi(2), if x > 2.0 { 2.0 * x } else { 0.0 };
    of_a_map(x) { let mut map = std::collections::BTreeMap::new(); map.insert(x.to_bits(), x); map[&x.to_bits()] * x }
        => x * x, 2.0 * x;
    two_in_a_word(x) {
        let word = black_box(u64::from((x as f32).to_bits()) << 32 | u64::from((2.0 * x as f32).to_bits()));
        f64::from(f32::from_bits((word >> 32) as u32)) * f64::from(f32::from_bits(word as u32))
    } => 2.0 * x * x, 4.0 * x;
    as_bytes(x) { f64::from_be_bytes((x * x).to_be_bytes()) } => x * x, 2.0 * x;
    fixed_point(x) { ((x * 65536.0).round() as i64 / 65536) as f64 * x } => x.floor() * x, x.floor();
}
