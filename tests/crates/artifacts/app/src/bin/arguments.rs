//! Ends with the number of its arguments, for a gradient that is right.
#![no_main]

#[unsafe(no_mangle)]
pub extern "C" fn main(count: i32, _arguments: *const *const u8) -> i32 {
    let mut dx = [0.0];
    physics::d_energy(&[3.0], &mut dx, 2.0, 1.0);
    count - 1 + i32::from(dx != [6.0]) * 100
}
