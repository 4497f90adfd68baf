//! The linear systems of Newton's method: the true Hessian of g, shifted by a multiple of M, solved directly or by
//! conjugate gradients.

use super::constant::{ConstantMatrix, too_large};
use crate::energy::Objective;
use crate::linear::{Cholesky, Indefinite, Pcg, PcgOutcome, Sequence, Symmetric};
use crate::{Error, Model, words};
use glam::{DMat3, DVec3};

/// How Newton's linear systems are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub enum LinearSolver {
    /// Sparse Cholesky factorization of the 3m×3m Hessian.
    #[default]
    Cholesky,
    /// Conjugate gradients, preconditioned by the inverse 3×3 diagonal blocks.
    PcgJacobi,
    /// Conjugate gradients, preconditioned by the constant prefactored matrix M + h²L.
    PcgConstant,
}

impl LinearSolver {
    /// Every solver with its word.
    pub const NAMES: [(&'static str, LinearSolver); 3] = [
        ("cholesky", LinearSolver::Cholesky),
        ("pcg_jacobi", LinearSolver::PcgJacobi),
        ("pcg_constant", LinearSolver::PcgConstant),
    ];
}

words::choice!(LinearSolver, "linear_solver", "linear solvers are");

/// The Hessian of one step and what is needed to solve with it.
pub(super) struct LinearSystem {
    solver: LinearSolver,
    pub(super) hessian: Symmetric<DMat3>,
    pub(super) slots: Vec<u32>,
    masses: Vec<f64>,
    /// The order of its rows, if it is solved directly.
    sequence: Sequence,
    cholesky: Option<Cholesky>,
    constant: Option<ConstantMatrix>,
    blocks: Vec<DMat3>,
    pcg: Pcg,
    /// Products with the Hessian so far in this step.
    pub(super) products: usize,
}

impl LinearSystem {
    /// Where only numbers have changed since `old`, its analysis is used again.
    pub(super) fn new(
        solver: LinearSolver,
        model: &Model,
        objective: &Objective,
        old: Option<LinearSystem>,
    ) -> Result<Self, Error> {
        let rows = &objective.rows;
        let (pattern, slots) = objective.pattern(model);
        let (mut sequence, mut cholesky, mut constant) = (Sequence::default(), None, None);
        match solver {
            LinearSolver::Cholesky => {
                sequence = objective.sequence(model).restricted(&rows.of);
                let known = old.filter(|old| old.sequence == sequence && old.hessian.pattern == pattern);
                let made = known.and_then(|old| old.cholesky);
                let made = made.or_else(|| Cholesky::new::<DMat3>(&pattern, &sequence));
                cholesky = Some(made.ok_or_else(|| too_large(model, None))?);
            }
            LinearSolver::PcgConstant => {
                let old = old.and_then(|old| old.constant);
                constant = Some(ConstantMatrix::new(model, objective, old.as_ref())?);
            }
            LinearSolver::PcgJacobi => {}
        }
        Ok(LinearSystem {
            solver,
            hessian: Symmetric::zeros(pattern),
            slots,
            masses: rows.particles.iter().map(|&i| model.masses[i as usize]).collect(),
            sequence,
            cholesky,
            constant,
            blocks: vec![DMat3::ZERO; rows.len()],
            pcg: Pcg::new(rows.len()),
            products: 0,
        })
    }

    /// `(H + μM) d = b`, to the relative accuracy `tolerance` where the solver is iterative. Where the matrix
    /// turns out to be indefinite d is as far as the solver got, perhaps zero.
    pub(super) fn solve(
        &mut self,
        mu: f64,
        b: &[DVec3],
        d: &mut [DVec3],
        tolerance: f64,
    ) -> Result<(), Indefinite> {
        d.fill(DVec3::ZERO);
        if let Some(cholesky) = &mut self.cholesky {
            cholesky.factor(&self.hessian, mu, &self.masses)?;
            d.copy_from_slice(b);
            cholesky.solve(d);
            return Ok(());
        }
        if self.solver == LinearSolver::PcgJacobi {
            self.invert_blocks(mu)?;
        }
        let LinearSystem { hessian, masses, constant, blocks, pcg, products, .. } = self;
        let multiply = |x: &[DVec3], y: &mut [DVec3]| {
            hessian.multiply(x, y);
            y.iter_mut().zip(x).zip(&*masses).for_each(|((y, &x), &m)| *y += mu * m * x);
        };
        let precondition = |r: &[DVec3], z: &mut [DVec3]| match constant {
            Some(matrix) => matrix.solve_into(r, z),
            None => z.iter_mut().zip(r).zip(&*blocks).for_each(|((z, &r), block)| *z = *block * r),
        };
        let limit = (3 * b.len()).clamp(100, 10_000);
        let (outcome, count) = pcg.solve(multiply, precondition, b, d, tolerance, limit);
        *products += count;
        if outcome == PcgOutcome::NegativeCurvature { Err(Indefinite) } else { Ok(()) }
    }

    /// `H d = b` although H is indefinite. Conjugate gradients cannot go past a direction of negative curvature:
    /// they keep the d they had then, and if that is nothing, each row goes down its own slope.
    pub(super) fn solve_signed(&mut self, b: &[DVec3], d: &mut [DVec3]) {
        if let Some(cholesky) = &mut self.cholesky {
            d.copy_from_slice(b);
            match cholesky.factor_signed(&self.hessian) {
                Ok(()) => cholesky.solve(d),
                // H is singular, so the step is infinite; the caller names the particle.
                Err(Indefinite) => d.fill(DVec3::INFINITY),
            }
        } else if d.iter().all(|&d| d == DVec3::ZERO) {
            let size = |block: &DMat3| block.to_cols_array().iter().map(|v| v * v).sum::<f64>().sqrt();
            let rows = d.iter_mut().zip(b).zip(&self.hessian.diagonal);
            rows.for_each(|((d, &b), block)| *d = b / size(block));
        }
    }

    /// Block-Jacobi preconditioner; a diagonal block that is not definite proves that H is not.
    fn invert_blocks(&mut self, mu: f64) -> Result<(), Indefinite> {
        for ((inverse, block), &m) in self.blocks.iter_mut().zip(&self.hessian.diagonal).zip(&self.masses) {
            let block = *block + DMat3::from_diagonal(DVec3::splat(mu * m));
            let minor = block.x_axis.x * block.y_axis.y - block.y_axis.x * block.x_axis.y;
            if !(block.x_axis.x > 0.0 && minor > 0.0 && block.determinant() > 0.0) {
                return Err(Indefinite);
            }
            *inverse = block.inverse();
        }
        Ok(())
    }
}
