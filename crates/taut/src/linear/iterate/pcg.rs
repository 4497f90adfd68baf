//! Preconditioned conjugate gradients on 3-vectors, for matrices given as functions.
//!
//! Stops when `rᵀP⁻¹r ≤ ε² bᵀP⁻¹b`, at a limit, or at the first direction of non-positive curvature
//! (`pᵀAp ≤ 0`), which proves that A is not positive definite.

use glam::DVec3;

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PcgOutcome {
    /// The tolerance was reached.
    Converged,
    /// The iteration limit was reached first.
    Limit,
    /// A direction of non-positive curvature was met; the solution so far is kept.
    NegativeCurvature,
}

/// The work vectors of a solver.
#[derive(Debug, Clone, Default)]
pub struct Pcg {
    r: Vec<DVec3>,
    z: Vec<DVec3>,
    p: Vec<DVec3>,
    q: Vec<DVec3>,
}

impl Pcg {
    /// Room for systems of `n` rows.
    pub fn new(n: usize) -> Self {
        let zeros = || vec![DVec3::ZERO; n];
        Pcg { r: zeros(), z: zeros(), p: zeros(), q: zeros() }
    }

    /// Solve `A x = b` from x = 0. Returns how it ended and the number of products with A.
    pub fn solve(
        &mut self,
        mut multiply: impl FnMut(&[DVec3], &mut [DVec3]),
        mut precondition: impl FnMut(&[DVec3], &mut [DVec3]),
        b: &[DVec3],
        x: &mut [DVec3],
        tolerance: f64,
        limit: usize,
    ) -> (PcgOutcome, usize) {
        let Pcg { r, z, p, q } = self;
        x.fill(DVec3::ZERO);
        r.copy_from_slice(b);
        precondition(r, z);
        p.copy_from_slice(z);
        let mut rz = dot(r, z);
        let goal = tolerance * tolerance * rz;
        for iteration in 0..limit {
            // A right-hand side of zeros has the solution zero. NaN ends the loop too, and is found by the caller.
            if rz.is_nan() || rz <= goal {
                return (PcgOutcome::Converged, iteration);
            }
            multiply(p, q);
            let curvature = dot(p, q);
            if curvature.is_nan() || curvature <= 0.0 {
                return (PcgOutcome::NegativeCurvature, iteration + 1);
            }
            let alpha = rz / curvature;
            axpy(x, alpha, p);
            axpy(r, -alpha, q);
            precondition(r, z);
            let next = dot(r, z);
            let beta = next / rz;
            rz = next;
            p.iter_mut().zip(&*z).for_each(|(p, &z)| *p = z + beta * *p);
        }
        (PcgOutcome::Limit, limit)
    }
}

/// Σ aᵢ·bᵢ, in four running sums: with a single one every addition would wait for the last.
pub(crate) fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        (0..4).for_each(|k| sums[k] += a[k].dot(b[k]));
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a.dot(*b)).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// y += α x.
pub(super) fn axpy(y: &mut [DVec3], alpha: f64, x: &[DVec3]) {
    y.iter_mut().zip(x).for_each(|(y, &x)| *y += alpha * x);
}
