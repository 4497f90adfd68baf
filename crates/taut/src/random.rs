//! A small repeatable generator (splitmix64): the same numbers on every machine and for any number of threads.

/// The state is the seed; any will do.
#[derive(Debug, Clone)]
pub(crate) struct Random(pub u64);

impl Random {
    #[inline]
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Each coordinate uniform in [−1, 1).
    pub fn vector(&mut self) -> glam::DVec3 {
        glam::DVec3::new(self.signed(), self.signed(), self.signed())
    }
}
