//! Local/global block coordinate descent, \[Liu13\] §4.
//!
//! Local step: `d_i = r_i p_i/‖p_i‖`. Global step: `(M + h²L) x = M y + h² (J d + f_ext)`, one m×m matrix for
//! three coordinates, factored once. The same iteration as a correction,
//!
//! ```text
//! x ← x − (M + h²L)⁻¹ ∇g(x),
//! ```
//!
//! is what is computed here: rounding in the solve then acts on the correction, not on the position. g never
//! rises: the local step is the exact minimum over d, the global step the exact minimum over x.

use super::{Ended, Minimiser, Solve, Stop};
use crate::energy::Objective;
use crate::linear::{Factor, Precision, Symmetric};
use crate::{Error, Model, SpringKind, clock};
use glam::DVec3;

pub(crate) struct LocalGlobal {
    stop: Stop,
    factor: Option<Factor>,
    correction: Vec<DVec3>,
}

/// Iterations without a new lowest residual after which a tolerance counts as out of reach: while a method converges
/// at all, even slowly, new lows come every few iterations.
pub(super) const PATIENCE: usize = 500;

impl LocalGlobal {
    pub(crate) fn new(stop: Stop) -> Self {
        LocalGlobal { stop, factor: None, correction: Vec::new() }
    }

    /// One iteration. Returns the scaled residual after it.
    pub(crate) fn iterate(&mut self, model: &Model, objective: &mut Objective, x: &mut [DVec3]) -> f64 {
        let gradient = &mut self.correction;
        let factor = self.factor.as_mut().expect("prepared");
        factor.solve(gradient);
        for (&i, &dx) in objective.rows.particles.iter().zip(&*gradient) {
            x[i as usize] -= dx;
        }
        objective.gradient(model, x, gradient);
        objective.residual(model, gradient)
    }

    /// Load the gradient at `x`; must precede [`LocalGlobal::iterate`]. Returns the scaled residual.
    pub(crate) fn begin(&mut self, model: &Model, objective: &mut Objective, x: &[DVec3]) -> f64 {
        objective.gradient(model, x, &mut self.correction);
        objective.residual(model, &self.correction)
    }
}

/// The constant matrix `M + h²L` over the free rows, factored.
pub(crate) fn constant_factor(model: &Model, objective: &Objective) -> Result<Factor, Error> {
    refuse_bend(model, "a constant matrix")?;
    let rows = &objective.rows;
    let (pattern, slots) = rows.pattern(&model.springs);
    let mut a = Symmetric::<f64>::zeros(pattern);
    let h2 = objective.h * objective.h;
    rows.assemble(model, &slots, &mut a, |spring| h2 * spring.stiffness);
    Factor::new(&a, Precision::Double).map_err(|_| {
        let largest = model.springs.iter().map(|s| s.stiffness).fold(0.0, f64::max);
        let remedy =
            "masses and stiffnesses differ too much for double precision: M + h²L is singular to rounding";
        Error::setting("stiffness", format!("{largest} N/m"), remedy)
    })
}

/// Refuse Choi–Ko bend springs on behalf of `who`: their stiffness changes with their length, so there is no constant
/// matrix to factor once.
pub(super) fn refuse_bend(model: &Model, who: &str) -> Result<(), Error> {
    let Some(index) = model.springs.iter().position(|s| matches!(s.kind, SpringKind::Bend { .. })) else {
        return Ok(());
    };
    let problem =
        format!("is a Choi–Ko bend spring, which {who} cannot handle: its stiffness is not constant");
    let remedy = "use newton (cholesky or pcg_jacobi), baraff_witkin, static_imex or adaptive_imex";
    Err(Error::Model { element: "spring", index, problem, remedy })
}

/// The error for a factorization that cannot be stored.
pub(super) fn too_large(model: &Model) -> Error {
    let size = format!("{} particles, {} springs", model.particles(), model.springs.len());
    Error::setting("model", size, "the factorization does not fit into memory")
}

impl Minimiser for LocalGlobal {
    fn prepare(&mut self, model: &Model, objective: &Objective) -> Result<(), Error> {
        self.factor = Some(constant_factor(model, objective)?);
        self.correction = vec![DVec3::ZERO; objective.rows.len()];
        Ok(())
    }

    fn minimise(&mut self, model: &Model, objective: &mut Objective, x: &mut [DVec3]) -> Solve {
        let residual = self.begin(model, objective, x);
        let stop = self.stop;
        repeat(&stop, residual, || self.iterate(model, objective, x))
    }
}

/// Iterate from a point with that scaled residual until told to stop; `iterate` returns the residual after it.
pub(super) fn repeat(stop: &Stop, mut residual: f64, mut iterate: impl FnMut() -> f64) -> Solve {
    let started = clock::seconds();
    let (mut iterations, mut best, mut best_at) = (0, residual, 0);
    loop {
        if let Some(ended) = stop.reached(iterations, residual, started) {
            return Solve { ended, iterations, ..Solve::default() };
        }
        // Only a tolerance can ask for the impossible.
        if stop.tolerance > 0.0 && iterations - best_at >= PATIENCE {
            return Solve { ended: Ended::Stalled, iterations, ..Solve::default() };
        }
        residual = iterate();
        iterations += 1;
        if residual < best {
            (best, best_at) = (residual, iterations);
        }
    }
}
