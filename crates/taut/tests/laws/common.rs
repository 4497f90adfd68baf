//! Models, random numbers and distances shared by the laws.

use taut::{DVec3, Simulation};

/// A small repeatable generator (splitmix64): tests must not depend on a crate's stream.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [low, high).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Each coordinate uniform in [−size, size).
    pub fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.range(-size, size), self.range(-size, size), self.range(-size, size))
    }

    /// Between `low` and `high`, every order of magnitude as likely as the next.
    pub fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        self.range(low.ln(), high.ln()).exp()
    }
}

/// Largest distance between corresponding points \[m\].
pub fn distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max)
}

/// So many steps, none of which fails.
pub fn take(simulation: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        simulation.step().unwrap();
    }
}
