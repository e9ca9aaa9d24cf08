//! Derivatives in a library: one called here and from outside, one generic that is instantiated by whoever uses it.

use autodiff::*;

/// A law of force, given by others.
pub trait Law {
    fn energy(stretch: f64) -> f64;
}

#[autodiff_reverse(d_energy, Duplicated, Const, Active)]
pub fn energy(x: &[f64], stiffness: f64) -> f64 {
    x.iter().map(|x| 0.5 * stiffness * x * x).sum()
}

#[autodiff_reverse(d_stretched, Active, Active)]
pub fn stretched<L: Law>(by: f64) -> f64 {
    let factor = if cfg!(feature = "doubled") { 2.0 } else { 1.0 };
    factor * L::energy(by)
}

/// The energy; its gradient is added to `dx`.
///
/// # Safety
///
/// Both point to `length` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn energy_and_gradient(x: *const f64, dx: *mut f64, length: usize, stiffness: f64) -> f64 {
    let x = unsafe { core::slice::from_raw_parts(x, length) };
    let dx = unsafe { core::slice::from_raw_parts_mut(dx, length) };
    d_energy(x, dx, stiffness, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradient() {
        let mut dx = [0.0; 2];
        assert_eq!(d_energy(&[1.0, 2.0], &mut dx, 3.0, 1.0), 7.5);
        assert_eq!(dx, [3.0, 6.0]);
    }
}
