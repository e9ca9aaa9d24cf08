//! A library with differentiated functions: who uses it needs no attribute, and need not know of any.

use autodiff::*;

/// A chain of springs, its first end held at 0; the weights hang at heights below that.
pub struct Chain {
    pub stiffness: f64,
    pub length: f64,
    pub weight: f64,
}

impl Chain {
    /// The energy of the springs and of the weights.
    #[autodiff_reverse(d_energy, Const, Duplicated, Active)]
    pub fn energy(&self, heights: &[f64]) -> f64 {
        let springs = heights.iter().scan(0.0, |above, below| {
            let stretch = std::mem::replace(above, *below) - below - self.length;
            Some(0.5 * self.stiffness * stretch * stretch)
        });
        springs.sum::<f64>() + self.weight * heights.iter().sum::<f64>()
    }

    /// The force on each weight: the energy's slope, downhill.
    pub fn forces(&self, heights: &[f64]) -> Vec<f64> {
        let mut forces = vec![0.0; heights.len()];
        self.d_energy(heights, &mut forces, -1.0);
        forces
    }
}
