//! Rows: what free particles are called in vectors and matrices.

use crate::linear::{Block, Pattern, Symmetric};
use crate::{Model, Spring, State};
use glam::DVec3;

/// Row numbers of the free particles; pinned ones have none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// Particle of each row.
    pub particles: Vec<u32>,
    /// Row of each particle, or [`Rows::NONE`].
    pub of: Vec<u32>,
}

impl Rows {
    /// Marks a particle without a row.
    pub const NONE: u32 = u32::MAX;

    /// Number the free particles of a state.
    pub fn new(state: &State) -> Self {
        let mut rows = Rows { particles: Vec::new(), of: vec![Rows::NONE; state.filters.len()] };
        for (i, filter) in state.filters.iter().enumerate() {
            if !filter.is_pinned() {
                rows.of[i] = rows.particles.len() as u32;
                rows.particles.push(i as u32);
            }
        }
        rows
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
        let ((particles, rest), (eights, last)) = (self.particles.as_chunks::<8>(), d.as_chunks::<8>());
        for (particles, d) in particles.iter().zip(eights) {
            // They ascend: if the last is the eighth, all are neighbours.
            let near = particles[7] - particles[0] == 7;
            match x[particles[0] as usize..].first_chunk_mut::<8>().filter(|_| near) {
                Some(x) => x.iter_mut().zip(d).for_each(|(x, &d)| *x += t * d),
                None => particles.iter().zip(d).for_each(|(&i, &d)| x[i as usize] += t * d),
            }
        }
        rest.iter().zip(last).for_each(|(&i, &d)| x[i as usize] += t * d);
    }

    /// Matrix pattern of the springs between free particles, and the slot of each such spring in order.
    pub fn pattern(&self, springs: &[Spring]) -> (Pattern, Vec<u32>) {
        let edges = springs.iter().map(|s| s.ends.map(|e| self.of[e as usize]));
        Pattern::new(self.len(), edges.filter(|e| !e.contains(&Rows::NONE)))
    }

    /// `M + Σ block(spring) A Aᵀ` over the free rows. `slots` come from [`Rows::pattern`].
    pub fn assemble<B: Block>(
        &self,
        model: &Model,
        slots: &[u32],
        matrix: &mut Symmetric<B>,
        block: impl Fn(&Spring) -> B,
    ) {
        matrix.clear();
        for (diagonal, &i) in matrix.diagonal.iter_mut().zip(&self.particles) {
            *diagonal = B::ZERO.shifted(model.masses[i as usize]);
        }
        let mut slots = slots.iter();
        for spring in &model.springs {
            match spring.ends.map(|e| self.of[e as usize]) {
                [Rows::NONE, Rows::NONE] => {}
                [i, Rows::NONE] | [Rows::NONE, i] => matrix.diagonal[i as usize] += block(spring),
                [i, j] => {
                    let block = block(spring);
                    matrix.diagonal[i as usize] += block;
                    matrix.diagonal[j as usize] += block;
                    matrix.upper[*slots.next().expect("one slot per free spring") as usize] -= block;
                }
            }
        }
    }
}
