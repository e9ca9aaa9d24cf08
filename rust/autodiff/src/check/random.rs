//! Numbers that look random and are the same for the same seed.

use super::Vec;

/// `SplitMix64`: a few lines, and good enough for directions.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Begins anew for each seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any of all 64-bit words.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// From `low` to `high`, evenly, and of so few bits that an `f32` holds it.
    #[expect(clippy::cast_precision_loss, reason = "23 bits fit")]
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        let share = (self.word() >> 41) as f64 / (1u64 << 23) as f64;
        low + (high - low) * share
    }

    /// Of size 0.5 to 1.5 and of either sign: nothing that it is multiplied by vanishes.
    pub fn factor(&mut self) -> f64 {
        let size = self.between(0.5, 1.5);
        if self.word() & 1 == 0 {
            size
        } else {
            -size
        }
    }

    /// `most` of the numbers below `all`, in order; all of them if there are no more.
    pub fn some(&mut self, all: usize, most: usize) -> Vec<usize> {
        let mut chosen = Vec::new();
        for index in 0..all {
            let (wanted, left) = (most.saturating_sub(chosen.len()), all - index);
            if wanted >= left || self.word() % (left as u64) < wanted as u64 {
                chosen.push(index);
            }
        }
        chosen
    }
}
