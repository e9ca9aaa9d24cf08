//! A library for Rust alone.

#[unsafe(no_mangle)]
pub extern "C" fn twice(x: f64) -> f64 {
    2.0 * x
}
