//! Places, the order of vertices in which most edges are in fours, and points in that order.
#![expect(unsafe_code, reason = "points of an array of eight are gathered by numbers below eight")]

use super::super::dispatch::{Kernel, Work, run};
use super::super::simd::{Four, Simd};
use glam::DVec3;

/// The places of vertices: section by section, in each first the even vertices, then the odd ones.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Places {
    /// How many there are: the number of vertices, rounded up to a multiple of eight.
    pub size: usize,
    /// How many a section has; the last one may have fewer.
    pub section: usize,
}

impl Places {
    /// Where each section begins, and its length.
    pub fn sections(self) -> impl Iterator<Item = (usize, usize)> {
        let length = move |begin| self.section.min(self.size - begin);
        (0..self.size).step_by(self.section.max(1)).map(move |begin| (begin, length(begin)))
    }

    /// The place of a vertex.
    pub fn of(self, vertex: usize) -> usize {
        let begin = vertex - vertex % self.section;
        let half = self.section.min(self.size - begin) / 2;
        begin + (vertex - begin) / 2 + (vertex % 2) * half
    }
}

/// One point per vertex, by place: x, y and z in an array each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Planes {
    pub(super) xyz: [Vec<f64>; 3],
    places: Places,
    vertices: usize,
}

impl Planes {
    /// Places without a vertex get points that are far from all others, so that no edge to them has length zero. Four such
    /// places are appended, because the far ends of a four may begin at the last place and are all read.
    pub(super) fn new(places: Places, vertices: usize) -> Self {
        let far = |k: usize| 1e100 * (1 + k) as f64;
        Planes { xyz: [0; 3].map(|_| (0..places.size + 4).map(far).collect()), places, vertices }
    }

    /// Put the point of each vertex in its place.
    pub fn fill<'a>(&mut self, kernel: Kernel, point: impl Fn(usize) -> &'a DVec3) {
        run(kernel, Fill { planes: self, point });
    }
}

/// The work of [`Planes::fill`].
struct Fill<'a, P> {
    planes: &'a mut Planes,
    point: P,
}

impl<'p, P: Fn(usize) -> &'p DVec3> Work<f64> for Fill<'_, P> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) {
        let Fill { planes: Planes { xyz: [x, y, z], places, vertices }, point } = self;
        for (begin, length) in places.sections() {
            let (count, half) = ((*vertices).min(begin + length) - begin, length / 2);
            let all = [&mut x[begin..], &mut y[begin..], &mut z[begin..]];
            // Eight vertices at a time are four even ones and four odd ones.
            for k in 0..count / 8 {
                let mut points = [Four::default(); 8];
                for (i, to) in points.iter_mut().enumerate() {
                    *to = V::store(V::point(point(begin + 8 * k + i).as_ref()));
                }
                // SAFETY: there are eight points.
                let (even, odd) =
                    unsafe { (V::gather(&points, &[0, 2, 4, 6]), V::gather(&points, &[1, 3, 5, 7])) };
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
