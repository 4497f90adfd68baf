//! Rows: what free particles are called in vectors and matrices.

use crate::State;
use crate::linear::Pattern;
use glam::DVec3;
use std::ops::Range;

/// Row numbers of the free particles; pinned ones have none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// Particle of each row.
    pub particles: Vec<u32>,
    /// Row of each particle, or [`Rows::NONE`].
    pub of: Vec<u32>,
    /// Rows of particles that are prescribed all the same, ascending: gradients and steps are zero there.
    pub held: Vec<u32>,
    /// Particles that follow each other and all have rows, which then do so too; all such pieces, in order.
    together: Vec<Range<u32>>,
}

impl Rows {
    /// Marks a particle without a row.
    pub const NONE: u32 = u32::MAX;

    /// Number the free particles of a state.
    pub fn new(state: &State) -> Self {
        Rows::with_held(state, &[])
    }

    /// Number the free particles of a state and those that are held, ascending, although they are prescribed.
    pub(crate) fn with_held(state: &State, held: &[u32]) -> Self {
        let mut rows = Rows { of: vec![Rows::NONE; state.filters.len()], ..Rows::default() };
        for (i, filter) in state.filters.iter().enumerate() {
            if !filter.is_pinned() || held.binary_search(&(i as u32)).is_ok() {
                rows.of[i] = rows.particles.len() as u32;
                rows.particles.push(i as u32);
            }
        }
        let pieces = rows.particles.chunk_by(|i, j| i + 1 == *j);
        rows.together = pieces.map(|piece| piece[0]..piece[0] + piece.len() as u32).collect();
        rows.hold(held);
        rows
    }

    /// Hold other particles than before; all of them have rows.
    pub(crate) fn hold(&mut self, held: &[u32]) {
        self.held.clear();
        self.held.extend(held.iter().map(|&i| self.of[i as usize]));
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.particles.len()
    }

    /// Whether everything is pinned.
    pub fn is_empty(&self) -> bool {
        self.particles.is_empty()
    }

    /// `x_i += t d_row` for the particle i of every row.
    pub(crate) fn add(&self, x: &mut [DVec3], t: f64, d: &[DVec3]) {
        for (particles, d) in self.pieces(d) {
            x[particles].iter_mut().zip(d).for_each(|(x, &d)| *x += t * d);
        }
    }

    /// `to_i = x_i + t d_row` for the particle i of every row.
    pub(crate) fn step(&self, x: &[DVec3], t: f64, d: &[DVec3], to: &mut [DVec3]) {
        for (particles, d) in self.pieces(d) {
            let from = to[particles.clone()].iter_mut().zip(&x[particles]);
            from.zip(d).for_each(|((to, &x), &d)| *to = x + t * d);
        }
    }

    /// `Σ m_i d_row²`, in four sums: one would wait for itself.
    pub(crate) fn moment(&self, masses: &[f64], d: &[DVec3]) -> f64 {
        let mut sums = [0.0; 4];
        for (particles, d) in self.pieces(d) {
            let ((m, m_rest), (d, d_rest)) = (masses[particles].as_chunks::<4>(), d.as_chunks::<4>());
            for (m, d) in m.iter().zip(d) {
                (0..4).for_each(|k| sums[k] += m[k] * d[k].length_squared());
            }
            m_rest.iter().zip(d_rest).for_each(|(m, d)| sums[0] += m * d.length_squared());
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// Particles that are neighbours, and what d has for their rows.
    fn pieces<'a>(&'a self, mut d: &'a [DVec3]) -> impl Iterator<Item = (Range<usize>, &'a [DVec3])> {
        self.together.iter().map(move |piece| {
            let (own, rest) = d.split_at(piece.len());
            d = rest;
            (piece.start as usize..piece.end as usize, own)
        })
    }

    /// Where a matrix has entries for edges between particles, and the slot of each edge with two free ends, in order.
    pub fn pattern(&self, edges: &[[u32; 2]]) -> (Pattern, Vec<u32>) {
        let edges = edges.iter().map(|ends| ends.map(|e| self.of[e as usize]));
        Pattern::new(self.len(), edges.filter(|e| !e.contains(&Rows::NONE)))
    }
}
