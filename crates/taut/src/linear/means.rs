//! The exact mean of a solution computed in reduced precision.
//!
//! Where rows nearly sum to zero (a stiff body that nothing holds) the constant vector is the softest mode of its
//! component, and rounding to f32 hits it hardest: the error is 1e-7 times the largest over the smallest
//! eigenvalue. But its equation is known exactly: `Σ b = wᵀx` over each component, w the row sums. Shifting each
//! component to satisfy it makes the mean as good as f64 has it.

use super::{Components, Symmetric};
use glam::DVec3;

/// Row sums by component.
pub(super) struct Means {
    /// Runs of rows of the same component: (first, end, component).
    runs: Vec<(usize, usize, usize)>,
    weights: Vec<f64>,
    totals: Vec<f64>,
    sums: Vec<DVec3>,
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
        let mut runs: Vec<(usize, usize, usize)> = Vec::new();
        for (i, &c) in components.of.iter().enumerate() {
            totals[c as usize] += weights[i];
            match runs.last_mut() {
                Some(run) if run.2 == c as usize => run.1 = i + 1,
                _ => runs.push((i, i + 1, c as usize)),
            }
        }
        Means { sums: vec![DVec3::ZERO; components.count], runs, weights, totals }
    }

    /// Note what the means must be, before `b` is overwritten.
    pub fn remember(&mut self, b: &[DVec3]) {
        self.sums.fill(DVec3::ZERO);
        for &(first, end, c) in &self.runs {
            self.sums[c] += sum(end - first, |i| b[first..end][i]);
        }
    }

    /// Shift each component of the solution so that they are.
    pub fn restore(&mut self, x: &mut [DVec3]) {
        for &(first, end, c) in &self.runs {
            let (w, x) = (&self.weights[first..end], &x[first..end]);
            self.sums[c] -= sum(end - first, |i| w[i] * x[i]);
        }
        for (shift, total) in self.sums.iter_mut().zip(&self.totals) {
            // Row sums that cancel to nothing say nothing.
            *shift = if *total > 0.0 { *shift / *total } else { DVec3::ZERO };
        }
        for &(first, end, c) in &self.runs {
            x[first..end].iter_mut().for_each(|x| *x += self.sums[c]);
        }
    }
}

/// Sum of `count` terms, four at a time: one sum would wait for itself.
#[inline]
fn sum(count: usize, term: impl Fn(usize) -> DVec3) -> DVec3 {
    let mut sums = [DVec3::ZERO; 4];
    let whole = count - count % 4;
    for i in (0..whole).step_by(4) {
        (0..4).for_each(|k| sums[k] += term(i + k));
    }
    let rest = (whole..count).fold(DVec3::ZERO, |sum, i| sum + term(i));
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
