//! Ends with 0 where the gradient is right. Without `std::rt` it is small, and built in a second.
#![no_main]

#[unsafe(no_mangle)]
pub extern "C" fn main(count: i32, _arguments: *const *const u8) -> i32 {
    let x = [f64::from(count)];
    let mut dx = [0.0];
    physics::d_energy(&x, &mut dx, 2.0, 1.0);
    i32::from(dx[0] != 2.0 * x[0])
}
