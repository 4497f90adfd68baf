//! Places: particles in the order in which most edges run in fours, and points in that order.
#![expect(unsafe_code, reason = "rows of an array of eight are gathered by numbers below eight")]

use super::super::dispatch::{Kernel, Work, run};
use super::super::simd::{Row, Simd};
use glam::DVec3;

/// Where particles are: blocks of them, in each the even ones, then the odd ones.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Places {
    /// All, rounded up to eight.
    pub size: usize,
    pub block: usize,
}

impl Places {
    /// Blocks: where they begin, and their length.
    pub fn blocks(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.size).step_by(self.block.max(1)).map(move |begin| (begin, self.block.min(self.size - begin)))
    }

    pub fn of(self, particle: usize) -> usize {
        let begin = particle - particle % self.block;
        let half = self.block.min(self.size - begin) / 2;
        begin + (particle - begin) / 2 + (particle % 2) * half
    }
}

/// Points by place, x, y and z apart.
#[derive(Debug, Clone, Default)]
pub(crate) struct Planes {
    pub(super) xyz: [Vec<f64>; 3],
    places: Places,
    particles: usize,
}

impl Planes {
    /// Of so many particles; the rest is far from them and from each other, so that it is never without length.
    pub(super) fn new(places: Places, particles: usize) -> Self {
        let far = |k: usize| 1e100 * (1 + k) as f64;
        Planes { xyz: [0; 3].map(|_| (0..places.size + 4).map(far).collect()), places, particles }
    }

    /// Put the point of each particle in its place.
    pub fn fill<'a>(&mut self, kernel: Kernel, point: impl Fn(usize) -> &'a DVec3) {
        run(kernel, Fill { planes: self, point });
    }
}

/// Puts points in their places.
struct Fill<'a, P> {
    planes: &'a mut Planes,
    point: P,
}

impl<'p, P: Fn(usize) -> &'p DVec3> Work<f64> for Fill<'_, P> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) {
        let Fill { planes: Planes { xyz: [x, y, z], places, particles }, point } = self;
        for (begin, length) in places.blocks() {
            let (count, half) = ((*particles).min(begin + length) - begin, length / 2);
            let all = [&mut x[begin..], &mut y[begin..], &mut z[begin..]];
            // Eight points are four even and four odd ones.
            for k in 0..count / 8 {
                let mut rows = [Row::default(); 8];
                for (i, row) in rows.iter_mut().enumerate() {
                    *row = V::store(V::point(point(begin + 8 * k + i).as_ref()));
                }
                // SAFETY: there are eight.
                let (even, odd) =
                    unsafe { (V::gather(&rows, &[0, 2, 4, 6]), V::gather(&rows, &[1, 3, 5, 7])) };
                for c in 0..3 {
                    all[c][4 * k..4 * k + 4].copy_from_slice(&V::store(even[c]).0);
                    all[c][half + 4 * k..half + 4 * k + 4].copy_from_slice(&V::store(odd[c]).0);
                }
            }
            for i in count - count % 8..count {
                let (p, place) = (point(begin + i), i / 2 + (i % 2) * half);
                (all[0][place], all[1][place], all[2][place]) = (p.x, p.y, p.z);
            }
        }
    }
}
