//! When surfaces and strands tear.

use crate::Error;
use crate::random::Random;

/// What the edges of a body bear. An edge of a surface that is longer opens the mesh across itself at one of its ends; a
/// link of a strand is gone. Solids of tetrahedra do not tear.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Tear {
    /// Strain l/r − 1 that an edge bears in the mean (dimensionless, above 0).
    pub strain: f64,
    /// By which part of that edges differ from one another, at most (dimensionless, 0 or more and below 1).
    pub spread: f64,
    /// Seed of these differences. Those of an edge depend on it and on nothing else that changes.
    pub seed: u64,
    /// Edges that may give way in one step, those furthest beyond their limit first.
    pub most: u32,
}

impl Default for Tear {
    /// At half as long again, give or take a tenth of that, eight in a step.
    fn default() -> Self {
        Tear { strain: 0.5, spread: 0.1, seed: 1, most: 8 }
    }
}

impl Tear {
    /// The strain that the edge between two particles bears, by their numbers before all cuts.
    pub fn limit(&self, [a, b]: [u32; 2]) -> f64 {
        let edge = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
        // What the generator gives first for neighbouring seeds has nothing in common.
        let mut random = Random(self.seed ^ edge.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        self.strain * (1.0 + self.spread * random.signed())
    }

    /// Refuse numbers outside their range.
    pub fn validate(&self) -> Result<(), Error> {
        if !(self.strain > 0.0 && self.strain.is_finite()) {
            return Err(Error::setting(
                "tear.strain",
                self.strain,
                "must be above 0 and finite: 0.5 is half as long again",
            ));
        }
        if !(0.0..1.0).contains(&self.spread) {
            return Err(Error::setting("tear.spread", self.spread, "must be 0 or more and below 1"));
        }
        if self.most == 0 {
            return Err(Error::setting(
                "tear.most",
                0,
                "must be 1 or more: leave `tear` out for what does not tear",
            ));
        }
        Ok(())
    }
}
