//! What the potential energy is a sum of.
//!
//! ```text
//! g(x) = ½ ‖x − ŷ‖²_M + h² Σ E_t(x)      over the terms t
//! ```
//!
//! A term is all elements of one kind: springs today. Minimisers know g alone, so that a new kind of element is a new
//! [`Term`] and nothing else. Each method of the trait is one pass over all elements of the term, and everything it
//! adds or returns has the factor h² of g.

use super::{Rows, Sum};
use crate::linear::{Block, Symmetric};
use crate::{Error, Model};
use glam::{DMat3, DVec3};

/// One step as a term sees it: constant while the step is solved.
pub(crate) struct Step<'a> {
    pub model: &'a Model,
    pub rows: &'a Rows,
    /// Positions at the start of the step, q_n \[m\].
    pub start: &'a [DVec3],
    /// h² \[s²\].
    pub h2: f64,
}

impl Step<'_> {
    /// Direction for a pair of particles without distance: as at the start of the step, else as in the rest pose.
    /// (A fixed axis would break mirror symmetry.)
    #[inline]
    pub fn fallback(&self, a: usize, b: usize) -> DVec3 {
        let p = self.start[a] - self.start[b];
        if p != DVec3::ZERO { p } else { self.model.rest[a] - self.model.rest[b] }
    }
}

/// A part E_t of the potential energy.
pub(crate) trait Term: std::fmt::Debug + Send + Sync {
    /// List the pairs of particles that meet in an element: where matrices have entries off the diagonal.
    fn edges(&self, model: &Model, edges: &mut Vec<[u32; 2]>);

    /// For every particle add the steepest slope its force can have \[N/m\].
    fn stiffest(&self, model: &Model, slopes: &mut [f64]);

    /// Add the share of the constant matrix `M + h²L`, an upper bound of ∇²g: one number per edge and particle, for all
    /// three coordinates alike. An error if there is no such matrix.
    fn constant(&self, step: &Step, entries: &mut Entries<f64>) -> Result<(), Error>;

    /// Whether E is quadratic, so that the constant matrix is ∇²g itself.
    fn is_quadratic(&self, model: &Model) -> bool;

    /// Add h²E(x) \[kg·m²\], element by element.
    fn value(&self, step: &Step, x: &[DVec3], sum: &mut Sum);

    /// Add h² (E(to) − E(from)) \[kg·m²\], element by element, in a form that keeps the digits of small changes.
    fn change(&self, step: &Step, from: &[DVec3], to: &[DVec3], sum: &mut Sum);

    /// Add h²∇E(x) \[kg·m\] to the rows. Returns h²E(x) \[kg·m²\] by plain sums.
    fn gradient(&mut self, step: &Step, x: &[DVec3], gradient: &mut [DVec3]) -> f64;

    /// h² dᵀ∇²E d \[kg·m²\] at the x of the last gradient; d has one entry per row.
    fn curvature(&mut self, step: &Step, d: &[DVec3]) -> f64;

    /// Add h²∇²E(x) \[kg\].
    fn hessian(&self, step: &Step, x: &[DVec3], entries: &mut Entries<DMat3>);
}

/// A matrix over the free rows while terms add to it. Entries of pinned particles are dropped.
pub(crate) struct Entries<'a, B> {
    rows: &'a Rows,
    /// Of the edges between free particles that are still to come, in the order of [`Term::edges`].
    slots: std::slice::Iter<'a, u32>,
    matrix: &'a mut Symmetric<B>,
}

impl<'a, B: Block> Entries<'a, B> {
    /// Begin with M. `slots` come from [`Rows::pattern`] of the edges of all terms.
    pub fn new(masses: &[f64], rows: &'a Rows, slots: &'a [u32], matrix: &'a mut Symmetric<B>) -> Self {
        matrix.clear();
        for (diagonal, &i) in matrix.diagonal.iter_mut().zip(&rows.particles) {
            *diagonal = B::ZERO.shifted(masses[i as usize]);
        }
        Entries { rows, slots: slots.iter(), matrix }
    }

    /// Add a block to the diagonal of a particle.
    #[cfg_attr(not(test), expect(dead_code, reason = "for elements of more than two particles"))]
    pub fn diagonal(&mut self, particle: u32, block: B) {
        let row = self.rows.of[particle as usize];
        if row != Rows::NONE {
            self.matrix.diagonal[row as usize] += block;
        }
    }

    /// Add a symmetric block off the diagonal, for the next edge.
    #[cfg_attr(not(test), expect(dead_code, reason = "for elements of more than two particles"))]
    pub fn edge(&mut self, ends: [u32; 2], block: B) {
        if ends.iter().all(|&e| self.rows.of[e as usize] != Rows::NONE) {
            let slot = self.next_slot();
            self.matrix.upper[slot] += block;
        }
    }

    /// Add `[B −B; −B B]`, the second derivative of a function of x_a − x_b, for the next edge.
    #[inline]
    pub fn difference(&mut self, ends: [u32; 2], block: B) {
        match ends.map(|e| self.rows.of[e as usize]) {
            [Rows::NONE, Rows::NONE] => {}
            [i, Rows::NONE] | [Rows::NONE, i] => self.matrix.diagonal[i as usize] += block,
            [i, j] => {
                let slot = self.next_slot();
                self.matrix.diagonal[i as usize] += block;
                self.matrix.diagonal[j as usize] += block;
                self.matrix.upper[slot] -= block;
            }
        }
    }

    fn next_slot(&mut self) -> usize {
        *self.slots.next().expect("one slot per edge between free particles") as usize
    }
}
