//! The exact mean of a solution computed in reduced precision.
//!
//! Where rows nearly sum to zero (a stiff body that nothing holds) the constant vector is the softest mode of its
//! component, and rounding to f32 changes it most: the error is 1e-7 times the largest over the smallest
//! eigenvalue. But its equation is known exactly: `Σ b = wᵀx` over each component, w the row sums of the matrix.
//! Shifting each component to satisfy it makes the mean as good as in f64.

use crate::linear::{Components, Symmetric};
use glam::DVec3;
use std::ops::Range;

/// What each component is shifted by, and what that takes.
pub(super) struct Means {
    /// `Σ w` of each component.
    totals: Vec<f64>,
    /// The shift of each component.
    pub shifts: Vec<DVec3>,
}

/// Columns of a part that follow each other and belong to one component.
pub(super) struct Stretch {
    /// Numbered within the part.
    pub columns: Range<usize>,
    pub component: usize,
    /// Row of the matrix and row sum w of each column.
    pub rows: Vec<u32>,
    pub weights: Vec<f64>,
    /// `Σ b − wᵀx` over these columns.
    pub missing: DVec3,
}

/// Cut the columns of a part, given by their rows, into stretches. Weights are set by [`Means::weigh`].
pub(super) fn stretches(components: &Components, rows: &[u32]) -> Vec<Stretch> {
    let of = |i: u32| components.of[i as usize];
    let mut end = 0;
    let stretch = |rows: &[u32]| {
        end += rows.len();
        let (columns, component) = (end - rows.len()..end, of(rows[0]) as usize);
        let weights = vec![0.0; rows.len()];
        Stretch { columns, component, rows: rows.to_vec(), weights, missing: DVec3::ZERO }
    };
    rows.chunk_by(|&i, &j| of(i) == of(j)).map(stretch).collect()
}

impl Means {
    /// For this many components.
    pub fn new(components: usize) -> Self {
        Means { totals: vec![0.0; components], shifts: vec![DVec3::ZERO; components] }
    }

    /// Take the row sums of a matrix for weights.
    pub fn weigh<'a>(
        &mut self,
        components: &Components,
        a: &Symmetric<f64>,
        stretches: impl Iterator<Item = &'a mut Stretch>,
    ) {
        let sums = a.row_sums(|entry| entry);
        self.totals.fill(0.0);
        components.of.iter().zip(&sums).for_each(|(&c, w)| self.totals[c as usize] += w);
        for Stretch { rows, weights, .. } in stretches {
            weights.iter_mut().zip(rows).for_each(|(w, i)| *w = sums[*i as usize]);
        }
    }

    /// Find the shifts from what all stretches miss.
    pub fn find<'a>(&mut self, stretches: impl Iterator<Item = &'a Stretch>) {
        self.shifts.fill(DVec3::ZERO);
        stretches.for_each(|stretch| self.shifts[stretch.component] += stretch.missing);
        for (shift, total) in self.shifts.iter_mut().zip(&self.totals) {
            // Where the row sums cancel to zero or less the equation is useless.
            *shift = if *total > 0.0 { *shift / *total } else { DVec3::ZERO };
        }
    }
}
