//! A variable of the program that is only read; those of integers are in `../../bodies`.

use crate::tried;

static mut FACTOR: f64 = 2.0;

tried! {
    float_that_is_read(x) { unsafe { FACTOR * x * x } } => 2.0 * x * x, 4.0 * x;
}
