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

use super::constant::ConstantMatrix;
use super::stop::Iterative;
use super::{Minimiser, Solve, Stop};
use crate::energy::Objective;
use crate::{Error, Model};
use glam::DVec3;

pub(crate) struct LocalGlobal {
    stop: Stop,
    matrix: Option<ConstantMatrix>,
    /// ∇g at x.
    gradient: Vec<DVec3>,
}

impl LocalGlobal {
    pub(crate) fn new(stop: Stop) -> Self {
        LocalGlobal { stop, matrix: None, gradient: Vec::new() }
    }
}

impl Iterative for LocalGlobal {
    fn iterate(&mut self, model: &Model, objective: &mut Objective, x: &mut Vec<DVec3>) {
        let correction = &mut self.gradient;
        self.matrix.as_mut().expect("prepared").solve(correction);
        objective.rows.add(x, -1.0, correction);
        objective.gradient(model, x, &mut self.gradient);
    }

    fn residual(&mut self, model: &Model, objective: &mut Objective, _: &[DVec3]) -> f64 {
        objective.residual(model, &self.gradient)
    }
}

impl Minimiser for LocalGlobal {
    fn prepare(&mut self, model: &Model, objective: &Objective) -> Result<(), Error> {
        self.matrix = Some(ConstantMatrix::new(model, objective, self.matrix.as_ref())?);
        self.gradient = vec![DVec3::ZERO; objective.rows.len()];
        Ok(())
    }

    fn hold(&mut self, rows: &[u32]) {
        self.matrix.as_mut().expect("prepared").hold(rows);
    }

    fn keeps_rows(&self) -> bool {
        true
    }

    fn gradient(&self) -> Option<&[DVec3]> {
        Some(&self.gradient)
    }

    fn minimise(&mut self, model: &Model, objective: &mut Objective, x: &mut Vec<DVec3>) -> Solve {
        objective.gradient(model, x, &mut self.gradient);
        self.repeat(self.stop, model, objective, x)
    }
}
