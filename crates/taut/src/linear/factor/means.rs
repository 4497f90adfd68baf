//! The exact mean of a solution computed in reduced precision.
//!
//! Where rows nearly sum to zero (a stiff body that nothing holds) the constant vector is the softest mode of its
//! component, and rounding to f32 hits it hardest: the error is 1e-7 times the largest over the smallest
//! eigenvalue. But its equation is known exactly: `Σ b = wᵀx` over each component, w the row sums. Shifting each
//! component to satisfy it makes the mean as good as f64 has it.

use crate::linear::{Components, Symmetric};
use glam::DVec3;
use std::ops::Range;

/// Row sums by component.
pub(super) struct Means {
    components: Components,
    weights: Vec<f64>,
    totals: Vec<f64>,
    /// What each component is shifted by.
    pub shifts: Vec<DVec3>,
}

/// Neighbours in the order of a factor that are of one component.
pub(super) struct Run {
    pub columns: Range<usize>,
    pub component: usize,
    /// Their row sums.
    pub weights: Vec<f64>,
    /// What their part of `wᵀx` lacks of their part of `Σ b`.
    pub missing: DVec3,
}

impl Means {
    pub fn new(a: &Symmetric<f64>) -> Self {
        let n = a.diagonal.len();
        let edges =
            (0..n).flat_map(|j| a.pattern.rows[a.pattern.column(j)].iter().map(move |&i| [i, j as u32]));
        let components = Components::new(n, edges);
        let mut weights = a.diagonal.clone();
        for j in 0..n {
            for slot in a.pattern.column(j) {
                weights[j] += a.upper[slot];
                weights[a.pattern.rows[slot] as usize] += a.upper[slot];
            }
        }
        let mut totals = vec![0.0; components.count];
        components.of.iter().zip(&weights).for_each(|(&c, w)| totals[c as usize] += w);
        Means { shifts: vec![DVec3::ZERO; totals.len()], components, weights, totals }
    }

    /// The runs of some rows in their order.
    pub fn runs(&self, order: &[u32]) -> Vec<Run> {
        let of = |i: u32| self.components.of[i as usize];
        let mut end = 0;
        let run = |rows: &[u32]| {
            end += rows.len();
            Run {
                columns: end - rows.len()..end,
                component: of(rows[0]) as usize,
                weights: rows.iter().map(|&i| self.weights[i as usize]).collect(),
                missing: DVec3::ZERO,
            }
        };
        order.chunk_by(|&i, &j| of(i) == of(j)).map(run).collect()
    }

    /// Find the shifts, from all runs.
    pub fn find<'a>(&mut self, runs: impl Iterator<Item = &'a Run>) {
        self.shifts.fill(DVec3::ZERO);
        runs.for_each(|run| self.shifts[run.component] += run.missing);
        for (shift, total) in self.shifts.iter_mut().zip(&self.totals) {
            // Row sums that cancel to nothing say nothing.
            *shift = if *total > 0.0 { *shift / *total } else { DVec3::ZERO };
        }
    }
}
