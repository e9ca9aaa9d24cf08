//! Ends with 0 where it is run as cargo runs a bench: with `--bench`, the only argument.
#![no_main]

use core::ffi::{CStr, c_char};

#[unsafe(no_mangle)]
pub extern "C" fn main(count: i32, arguments: *const *const c_char) -> i32 {
    let last = unsafe { CStr::from_ptr(*arguments.add(count as usize - 1)) };
    let mut dx = [0.0];
    physics::d_energy(&[1.0], &mut dx, 2.0, 1.0);
    i32::from(count != 2 || last != c"--bench" || dx[0] != 2.0)
}
