//! Which particles seams and attachments draw together: what shares such a pair are neighbours, as if they shared a
//! particle, and are neither kept apart nor certified.
//!
//! A seam or an attachment is a link that holds one particle at others: its weight has one sign and theirs the other. Bending
//! has such links too, but there the one shares an edge with the others.

use crate::Model;
use crate::geometry::Surface;

/// The particles that others are drawn to.
#[derive(Debug, Default)]
pub(super) struct Seams {
    /// Both ways, ascending.
    pairs: Vec<[u32; 2]>,
    /// Whether a particle is in any; empty if there are none.
    sewn: Vec<bool>,
}

impl Seams {
    pub fn new(model: &Model, surface: &Surface) -> Self {
        let mut pairs = Vec::new();
        for link in model.links.iter().filter(|link| link.stiffness > 0.0) {
            let held: Vec<(u32, f64)> = link.weights.iter().copied().filter(|(_, w)| *w != 0.0).collect();
            let alone =
                |&&(_, w): &&(u32, f64)| held.iter().filter(|(_, v)| v.signum() == w.signum()).count() == 1;
            let Some(&(one, _)) = held.iter().find(alone) else { continue };
            let others = || held.iter().map(|&(j, _)| j).filter(|&j| j != one);
            let share_an_edge = |j: u32| surface.edges.binary_search(&[one.min(j), one.max(j)]).is_ok();
            if !others().any(share_an_edge) {
                pairs.extend(others().flat_map(|j| [[one, j], [j, one]]));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut sewn = vec![false; if pairs.is_empty() { 0 } else { model.particles() }];
        pairs.iter().for_each(|&[i, _]| sewn[i as usize] = true);
        Seams { pairs, sewn }
    }

    /// Whether two primitives share a seam.
    #[inline]
    pub fn join(&self, first: &[u32], second: &[u32]) -> bool {
        let joined = |i: u32, j: u32| self.pairs.binary_search(&[i, j]).is_ok();
        let drawn = |&i: &u32| self.sewn[i as usize] && second.iter().any(|&j| joined(i, j));
        !self.sewn.is_empty() && first.iter().any(drawn)
    }
}
