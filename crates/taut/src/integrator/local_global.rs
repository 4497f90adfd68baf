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

use super::stop::Iterative;
use super::{Minimiser, Solve, Stop};
use crate::energy::Objective;
use crate::linear::{Factor, Precision, Symbolic, Unfactored};
use crate::{Error, Model};
use glam::DVec3;

pub(crate) struct LocalGlobal {
    stop: Stop,
    factor: Option<Factor>,
    /// ∇g at x.
    gradient: Vec<DVec3>,
}

impl LocalGlobal {
    pub(crate) fn new(stop: Stop) -> Self {
        LocalGlobal { stop, factor: None, gradient: Vec::new() }
    }
}

impl Iterative for LocalGlobal {
    fn iterate(&mut self, model: &Model, objective: &mut Objective, x: &mut Vec<DVec3>) {
        let correction = &mut self.gradient;
        self.factor.as_mut().expect("prepared").solve(correction);
        objective.rows.add(x, -1.0, correction);
        objective.gradient(model, x, &mut self.gradient);
    }

    fn residual(&mut self, model: &Model, objective: &mut Objective, _: &[DVec3]) -> f64 {
        objective.residual(model, &self.gradient)
    }
}

/// The constant matrix `M + h²L` over the free rows, factored. In single precision where that is asked for and enough;
/// never where one solve is the whole answer because g is quadratic.
pub(crate) fn constant_factor(model: &Model, objective: &Objective) -> Result<Factor, Error> {
    let (a, rows) = (objective.constant(model)?, &objective.rows);
    let symbolic = Symbolic::new(&a.pattern, &objective.sequence(model).restricted(&rows.of));
    let probe: Vec<DVec3> = rows.particles.iter().map(|&i| model.rest[i as usize]).collect();
    let factor = match objective.precision {
        Precision::Single if !objective.is_quadratic(model) => Factor::rounded(&symbolic, &a, &probe),
        _ => Factor::new(&symbolic, &a, Precision::Double),
    };
    factor.map_err(|why| match why {
        Unfactored::Memory { bytes } => too_large(model, Some(bytes)),
        Unfactored::Indefinite => {
            let largest = model.springs.iter().map(|s| s.stiffness).fold(0.0, f64::max);
            let remedy =
                "masses and stiffnesses differ too much for double precision: make them more alike, or shorten the step";
            Error::setting("stiffness", format!("{largest} N/m"), remedy)
        }
    })
}

/// The error for a factorization that cannot be stored, and how much was missing \[B\] if that is known.
pub(super) fn too_large(model: &Model, missing: Option<usize>) -> Error {
    let size = format!("{} particles, {} springs", model.particles(), model.springs.len());
    let more = missing.map_or(String::new(), |b| format!(": it needs {} MiB more", b.div_ceil(1 << 20)));
    Error::setting(
        "model",
        size,
        format!(
            "the factorization does not fit into memory{more}; use newton with pcg_jacobi, which factors nothing"
        ),
    )
}

impl Minimiser for LocalGlobal {
    fn prepare(&mut self, model: &Model, objective: &Objective) -> Result<(), Error> {
        self.factor = Some(constant_factor(model, objective)?);
        self.gradient = vec![DVec3::ZERO; objective.rows.len()];
        Ok(())
    }

    fn gradient(&self) -> Option<&[DVec3]> {
        Some(&self.gradient)
    }

    fn minimise(&mut self, model: &Model, objective: &mut Objective, x: &mut Vec<DVec3>) -> Solve {
        objective.gradient(model, x, &mut self.gradient);
        self.repeat(self.stop, model, objective, x)
    }
}
