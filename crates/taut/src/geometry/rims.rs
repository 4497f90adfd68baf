//! Which of the pairs around a place say something: a point that is near a surface is near many of its faces, but nearest to
//! one place.
//!
//! Let q be the place of a face that is nearest to p. Inside the face it is the nearest of all places around it. On a side
//! it is only if the face on the other side does not come nearer, that is if `(p − q)·(c − q) ≤ 0` for its corner c; and in
//! a corner if that holds for all neighbours c of the corner. If it does not, the pair of p with a face beside this one is
//! nearer and keeps p further away: this pair adds nothing. So of the six faces around a vertex that p lies above, one is
//! left. Where p is above a side or a corner to within `SLANT`, all pairs are kept.
//!
//! Two edges that are nearest where one of them ends, or nearly so, are a point and an edge. The faces of that edge have their own pairs
//! with the point.

use super::{Approach, Kind, Surface};
use glam::DVec3;

/// How far (p − q) must lean towards c, as a cosine: beyond rounding.
pub(super) const SLANT: f64 = 1e-6;
/// A weight that is no more than this is none: the place is on a side, or in a corner.
pub(crate) const NO_WEIGHT: f64 = 1e-3;

/// No side.
const NONE: u32 = u32::MAX;

/// What is beside each face and around each particle.
#[derive(Debug, Default)]
pub(crate) struct Rims {
    /// For each side of each face, from its first corner to the second, to the third, and back: the corner across it, or
    /// where there is none, beyond a border or where more than two faces meet, that of the face itself.
    across: Vec<[u32; 3]>,
    /// For each particle where its neighbours begin in `around`; at last where all end.
    starts: Vec<u32>,
    around: Vec<u32>,
}

impl Rims {
    pub fn new(surface: &Surface) -> Self {
        // The last face seen with each edge, and its corner that is not on the edge.
        let mut first = vec![[NONE; 2]; surface.edges.len()];
        let mut across: Vec<[u32; 3]> = surface.faces.iter().map(|&[a, b, c]| [c, a, b]).collect();
        for (face, (corners, edges)) in surface.faces.iter().zip(&surface.face_edges).enumerate() {
            for side in 0..3 {
                let (edge, opposite) = (edges[side] as usize, corners[(side + 2) % 3]);
                if surface.edge_faces[edge] != 2 {
                    continue;
                }
                match first[edge] {
                    [NONE, _] => first[edge] = [(3 * face + side) as u32, opposite],
                    [place, corner] => {
                        across[face][side] = corner;
                        across.as_flattened_mut()[place as usize] = opposite;
                    }
                }
            }
        }
        let mut starts = vec![0; surface.particles + 1];
        surface.edges.as_flattened().iter().for_each(|&i| starts[i as usize + 1] += 1);
        (1..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
        let (mut next, mut around) = (starts.clone(), vec![0; 2 * surface.edges.len()]);
        for &[a, b] in &surface.edges {
            for (one, other) in [(a, b), (b, a)] {
                around[next[one as usize] as usize] = other;
                next[one as usize] += 1;
            }
        }
        Rims { across, starts, around }
    }

    /// Whether a pair at positions x says something that no pair beside it does.
    #[inline]
    pub fn tells(&self, surface: &Surface, approach: &Approach, x: &[DVec3]) -> bool {
        let Approach { kind, pair, particles, nearest, distance, .. } = approach;
        if *kind == Kind::EdgeEdge {
            let [a, b, c, d] = nearest.weights.map(|w| w.abs() > NO_WEIGHT);
            let has_faces = pair.map(|edge| surface.edge_faces[edge as usize] > 0);
            return (a && b || !has_faces[1]) && (c && d || !has_faces[0]);
        }
        let [_, b, c, d] = nearest.weights.map(|w| w != 0.0);
        // From q to a corner, as p is at q + vector.
        let place = x[particles[0] as usize] - nearest.vector;
        let nearer = |corner: u32| {
            let to = x[corner as usize] - place;
            let (along, size) = (nearest.vector.dot(to), SLANT * *distance);
            along > 0.0 && along * along > size * size * to.length_squared()
        };
        let corner = match [b, c, d] {
            [true, true, true] => return true,
            // The face's own corner is never nearer than a place on its side.
            [true, true, false] => return !nearer(self.beside(pair[1])[0]),
            [false, true, true] => return !nearer(self.beside(pair[1])[1]),
            [true, false, true] => return !nearer(self.beside(pair[1])[2]),
            [true, ..] => particles[1],
            [_, true, _] => particles[2],
            _ => particles[3],
        };
        let around = self.starts[corner as usize] as usize..self.starts[corner as usize + 1] as usize;
        !self.around[around].iter().any(|&corner| nearer(corner))
    }

    /// The corner across each side of a face, from its first corner on; where there is none, that of the face itself.
    #[inline(always)]
    pub(super) fn beside(&self, face: u32) -> [u32; 3] {
        self.across[face as usize]
    }
}
