//! Boxes at both ends of a step, and the test of one against eight.
//!
//! Along an axis, let every point of A lie above every point of B by more than d, at the start *and* at the end of a step
//! in which all of them move straight. The difference of the heights of any two of them is linear in time, so it is
//! larger than d throughout: A and B do not come within d. That is the whole test, for either order of A and B and for
//! three axes. What A and B do together drops out of the differences: boxes are no wider for cloth that falls fast.
//!
//! Numbers are f32, about the middle of the scene at either end, in units in which the scene ends between 1 and 2 from
//! there: at 1e6 m an f32 could not tell 6 cm, and below 1e-38 it has no digits. Such a number is wrong by at most 2⁻²⁴,
//! and a difference of two by another 2⁻²⁴ of itself. [`Frame::reach`] allows for both, so that "apart" is never said
//! of what is not.

use crate::bounds::extent;
use crate::kernel::{Half, Simd, Wide, points};
use glam::DVec3;

/// Boxes in a [`Block`].
pub(super) const LANES: usize = 8;

/// Every lane of a block.
pub(super) const ALL: u32 = (1 << LANES) - 1;

/// x, y and z at the start, then at the end; the last two are 0.
pub(super) type Ends = Wide<[f32; LANES]>;

/// x, y and z of a particle at one end of the step, and 0.
pub(super) type Lanes = Half<[f32; 4]>;

/// The unit and the two origins of a step's f32 numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame {
    centres: [DVec3; 2],
    pub scale: f64,
}

impl Frame {
    pub fn new(start: &[DVec3], end: &[DVec3]) -> Self {
        let [start, end] = [start, end].map(|points| extent(points.iter().copied()));
        let half = (start[1] - start[0]).max(end[1] - end[0]).max_element() * 0.5;
        // The power of two that brings `half` between 1 and 2, as far as there is one.
        let exponent = half.to_bits() >> 52 & 0x7ff;
        let scale = f64::from_bits(2046_u64.saturating_sub(exponent).max(1) << 52);
        Frame { centres: [start, end].map(|[low, high]| low + (high - low) * 0.5), scale }
    }

    #[inline(always)]
    pub fn ends(&self, start: DVec3, end: DVec3) -> Ends {
        let (a, b) = ((start - self.centres[0]) * self.scale, (end - self.centres[1]) * self.scale);
        Wide([a.x as f32, a.y as f32, a.z as f32, b.x as f32, b.y as f32, b.z as f32, 0.0, 0.0])
    }

    /// The f32 difference above which two coordinates differ by more than a distance \[m\].
    pub fn reach(&self, distance: f64) -> f32 {
        let allowance = f64::from(f32::EPSILON);
        // Finite, so that nothing is within reach of a box of nothing.
        ((distance * self.scale * (1.0 + 8.0 * allowance) + 2.0 * allowance) as f32).min(f32::MAX)
    }
}

/// Eight boxes: x, y and z at the start, then at the end, of the lowest and the highest corner of each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    low: [Ends; 6],
    high: [Ends; 6],
}

impl Block {
    /// Boxes of nothing: apart from everything.
    pub const EMPTY: Block =
        Block { low: [Wide([f32::INFINITY; LANES]); 6], high: [Wide([f32::NEG_INFINITY; LANES]); 6] };

    #[inline(always)]
    pub fn set(&mut self, lane: usize, low: Ends, high: Ends) {
        for k in 0..6 {
            self.low[k].0[lane] = low.0[k];
            self.high[k].0[lane] = high.0[k];
        }
    }

    /// The boxes around primitives whose first corners, second corners, … are in these rows, from the particles at both
    /// ends of the step; only so many lanes are in use.
    #[inline(always)]
    pub fn fit<V: Simd<f32>>(&mut self, rows: &[[u32; LANES]], used: usize, particles: &[Vec<Lanes>; 2]) {
        // Lanes beyond hold boxes of nothing.
        let mut beyond = Wide([f32::INFINITY; LANES]);
        beyond.0[..used].fill(f32::NEG_INFINITY);
        let beyond = V::load(&beyond);
        let within = V::subtract(V::splat(0.0), beyond);
        for (end, particles) in particles.iter().enumerate() {
            let mut low = points::<f32, V>(particles, &rows[0]);
            let mut high = low;
            for row in &rows[1..] {
                let at = points::<f32, V>(particles, row);
                for k in 0..3 {
                    (low[k], high[k]) = (V::min(low[k], at[k]), V::max(high[k], at[k]));
                }
            }
            for k in 0..3 {
                self.low[3 * end + k] = V::store(V::max(low[k], beyond));
                self.high[3 * end + k] = V::store(V::min(high[k], within));
            }
        }
    }

    /// The box around all eight.
    pub fn around(&self) -> [Ends; 2] {
        let (mut low, mut high) = (Wide([0.0; LANES]), Wide([0.0; LANES]));
        for k in 0..6 {
            low.0[k] = self.low[k].0.into_iter().fold(f32::INFINITY, f32::min);
            high.0[k] = self.high[k].0.into_iter().fold(f32::NEG_INFINITY, f32::max);
        }
        [low, high]
    }
}

/// One box, each of its numbers in every lane.
pub(super) struct One<V: Simd<f32>> {
    low: [V::Vector; 6],
    high: [V::Vector; 6],
}

impl<V: Simd<f32>> One<V> {
    #[inline(always)]
    pub fn of(block: &Block, lane: usize) -> Self {
        let (mut low, mut high) = ([V::splat(0.0); 6], [V::splat(0.0); 6]);
        for k in 0..6 {
            (low[k], high[k]) = (V::splat(block.low[k].0[lane]), V::splat(block.high[k].0[lane]));
        }
        One { low, high }
    }

    /// Which boxes of a block are not apart from this one by more than `reach`: bit i for lane i.
    #[inline(always)]
    pub fn near(&self, block: &Block, reach: V::Vector) -> u32 {
        let mut gap = V::splat(f32::NEG_INFINITY);
        for k in 0..3 {
            // Of the start and the end the lesser counts, of axes and sides the best.
            let above = V::min(
                V::subtract(self.low[k], V::load(&block.high[k])),
                V::subtract(self.low[k + 3], V::load(&block.high[k + 3])),
            );
            let below = V::min(
                V::subtract(V::load(&block.low[k]), self.high[k]),
                V::subtract(V::load(&block.low[k + 3]), self.high[k + 3]),
            );
            gap = V::max(gap, V::max(above, below));
        }
        !V::positive(V::subtract(gap, reach)) & ALL
    }
}

/// The numbers of the bits that are set, ascending.
#[inline(always)]
pub(super) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        (mask != 0).then(|| {
            mask &= mask - 1;
            lane as usize
        })
    })
}
