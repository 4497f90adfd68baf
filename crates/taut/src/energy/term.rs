//! What the potential energy is a sum of.
//!
//! ```text
//! g(x) = ½ ‖x − ŷ‖²_M + h² Σ E_t(x)      over the terms t
//! ```
//!
//! A term is all elements of one kind: springs, links. Minimisers know g alone, so that a new kind of element is a new
//! [`Term`] and nothing else. Each method of the trait is one pass over all elements of the term, and everything it
//! adds or returns has the factor h² of g.

use super::{Rows, Sum, Visit, length};
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
    /// Whether Hessians leave out what makes them softer than they may become: for bounds on frequencies.
    pub stiffest: bool,
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

/// What is known of a step before it is solved.
pub(crate) struct Origin<'a> {
    /// Time at its end \[s\].
    pub time: f64,
    /// q_n and y \[m\].
    pub start: &'a [DVec3],
    pub inertia: &'a [DVec3],
    /// How the scheme counts rates.
    pub rate: Rate<'a>,
}

/// From which l* a time scheme counts the rate of stretch, `l̇ = (l(x) − l*)/h` with h its effective step.
#[derive(Clone, Copy)]
pub(crate) enum Rate<'a> {
    /// l(q): implicit Euler, and the first step of BDF2.
    Euler,
    /// p(q)·p̂(y), as `l(x) − p(q)·p̂(x)` is p̂(x)·(p(x) − p(q)); p̂(y) is p̂(x) but for O(h²): the implicit midpoint.
    Midpoint,
    /// (4l(q) − l(q₋))/3, with the q₋ given here: BDF2.
    Bdf2(&'a [DVec3]),
}

impl Origin<'_> {
    /// l* \[m\] of what has the vector p at given positions.
    #[inline]
    pub fn length(&self, p: impl Fn(&[DVec3]) -> DVec3) -> f64 {
        let start = p(self.start);
        match self.rate {
            Rate::Euler => length(start),
            Rate::Midpoint => {
                let y = p(self.inertia);
                let l = length(y);
                if l > 0.0 { start.dot(y / l) } else { length(start) }
            }
            Rate::Bdf2(before) => length(start) + (length(start) - length(p(before))) / 3.0,
        }
    }
}

/// What elements pull with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Elasticity alone.
    Elastic,
    /// Dampers alone, as they were aimed.
    Dampers,
}

/// A part E_t of the potential energy.
pub(crate) trait Term: std::fmt::Debug + Send + Sync {
    /// List the pairs of particles that meet in an element: where matrices have entries off the diagonal.
    fn edges(&self, model: &Model, edges: &mut Vec<[u32; 2]>);

    /// Take dampers, and whatever else changes from step to step, of the step that comes.
    fn aim(&mut self, _model: &Model, _origin: &Origin) {}

    /// Forces \[N\] of a part of every element at x, pinned particles included, are added to the list; `energy` is told
    /// the elastic energy \[J\] of each, with a particle of it.
    fn account(
        &self,
        _step: &Step,
        _part: Part,
        _x: &[DVec3],
        _forces: &mut [DVec3],
        _energy: &mut dyn FnMut(u32, f64),
    ) {
    }

    /// Visit its links as position-based dynamics does ([`Sweep`](super::Sweep)): `change` gives the impulse that each gets,
    /// of which `impulses` has the sums. Inverse masses are in 1/kg, 0 where pinned.
    fn visit(
        &self,
        _step: &Step,
        _inverse: &[f64],
        _impulses: &mut [DVec3],
        _x: &mut [DVec3],
        _change: &dyn Fn(Visit) -> DVec3,
    ) {
    }

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

    /// Add `[B −B; −Bᵀ Bᵀ]`, for the next edge. Over all pairs of an element whose forces sum to zero, with B = −∂²E/∂x_a∂x_b,
    /// this makes its second derivative: a spring has one pair and a symmetric B.
    #[inline]
    pub fn difference(&mut self, ends: [u32; 2], block: B) {
        match ends.map(|e| self.rows.of[e as usize]) {
            [Rows::NONE, Rows::NONE] => {}
            [i, Rows::NONE] => self.matrix.diagonal[i as usize] += block,
            [Rows::NONE, j] => self.matrix.diagonal[j as usize] += block.turned(),
            [i, j] => {
                let slot = self.next_slot();
                self.matrix.diagonal[i as usize] += block;
                self.matrix.diagonal[j as usize] += block.turned();
                self.matrix.upper[slot] -= if i < j { block } else { block.turned() };
            }
        }
    }

    fn next_slot(&mut self) -> usize {
        *self.slots.next().expect("one slot per edge between free particles") as usize
    }
}
