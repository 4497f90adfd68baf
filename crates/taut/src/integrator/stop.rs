//! When an iterative method stops: after a number of iterations, at a residual, or when time is up.

use super::{Ended, Solve};
use crate::energy::Objective;
use crate::{Error, Model, clock};
use glam::DVec3;

/// When to stop iterating. Whatever comes first.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Stop {
    /// At most this many iterations.
    pub iterations: usize,
    /// At this scaled residual max‖∇g_i‖/(m_i ℓ); 0 never stops early (Newton: at rounding level).
    pub tolerance: f64,
    /// At this part of the error estimated when the step began, or at rounding level; 0 never. The estimate is
    /// √(∇gᵀ A⁻¹ ∇g), A = M + h²L the constant matrix: what is left of a step in the norm of A, had g that curvature.
    /// Accelerations of local/global know it; plain local/global stops far too soon by this measure.
    pub accuracy: f64,
    /// After this much time \[s\]. The only setting that makes results depend on a clock.
    pub budget: Option<f64>,
}

impl Stop {
    /// Iterations allowed where a tolerance or a budget shall end the step.
    pub const UNLIMITED: usize = 100_000;
    /// Iterations allowed where an accuracy shall end the step.
    pub const USUAL_LIMIT: usize = 100;

    /// A fixed number of iterations.
    pub fn iterations(iterations: usize) -> Self {
        Stop { iterations, tolerance: 0.0, accuracy: 0.0, budget: None }
    }

    /// When the estimated error has fallen to this part of the first, or after 100 iterations: as many as it takes, with
    /// any stiffness and mesh. At 1e-3, the default, a curtain of 10⁴ N/m hangs 2.5 % off where exact steps take it, after
    /// ten iterations a step 43 %.
    pub fn accuracy(accuracy: f64) -> Self {
        Stop { accuracy, ..Stop::iterations(Stop::USUAL_LIMIT) }
    }

    /// At a scaled residual, or after 100,000 iterations.
    pub fn tolerance(tolerance: f64) -> Self {
        Stop { tolerance, ..Stop::iterations(Stop::UNLIMITED) }
    }

    /// After a time in seconds, or 100,000 iterations.
    pub fn budget(seconds: f64) -> Self {
        Stop { budget: Some(seconds), ..Stop::iterations(Stop::UNLIMITED) }
    }

    pub(crate) fn validate(&self) -> Result<(), Error> {
        if self.iterations == 0 {
            return Err(Error::setting("iterations", 0, "at least one is needed"));
        }
        if self.tolerance.is_nan() || self.tolerance < 0.0 {
            return Err(Error::setting("tolerance", self.tolerance, "must be zero or more"));
        }
        if !(0.0..1.0).contains(&self.accuracy) {
            let remedy = "must be zero, to make all iterations, or a part of the error a step begins with, for example 1e-3";
            return Err(Error::setting("accuracy", self.accuracy, remedy));
        }
        match self.budget {
            Some(b) if b.is_nan() || b <= 0.0 => Err(Error::setting("budget", b, "must be more than 0 s")),
            Some(b) if !clock::available() => {
                Err(Error::setting("budget", b, "needs a clock: install one with taut::clock::install"))
            }
            _ => Ok(()),
        }
    }

    /// Whether `iterations` done since `started`, at `residual`, are enough.
    pub(crate) fn reached(&self, iterations: usize, residual: f64, started: f64) -> Option<Ended> {
        let late = |budget| iterations > 0 && clock::seconds() - started >= budget;
        if !residual.is_finite() {
            Some(Ended::NonFinite)
        } else if residual <= self.tolerance {
            Some(Ended::Tolerance)
        } else if iterations >= self.iterations {
            Some(Ended::Iterations)
        } else if self.budget.is_some_and(late) {
            Some(Ended::Budget)
        } else {
            None
        }
    }
}

/// A method that lowers g one iteration at a time.
pub(super) trait Iterative {
    fn iterate(&mut self, model: &Model, objective: &mut Objective, x: &mut Vec<DVec3>);
    /// The scaled residual where it is.
    fn residual(&mut self, model: &Model, objective: &mut Objective, x: &[DVec3]) -> f64;
    /// The estimated error where it is, √(∇gᵀ A⁻¹ ∇g), for methods that end by it.
    fn estimate(&mut self) -> f64 {
        f64::INFINITY
    }

    /// Iterate until told to stop.
    fn repeat(&mut self, stop: Stop, model: &Model, objective: &mut Objective, x: &mut Vec<DVec3>) -> Solve {
        let started = clock::seconds();
        let (mut iterations, mut best, mut best_at) = (0, f64::INFINITY, 0);
        let mut enough = 0.0;
        loop {
            // Only a tolerance asks for the residual, and only it can ask for the impossible.
            let residual = if stop.tolerance > 0.0 { self.residual(model, objective, x) } else { f64::MAX };
            if residual < best {
                (best, best_at) = (residual, iterations);
            }
            let stalled = stop.tolerance > 0.0 && iterations - best_at >= PATIENCE;
            let ended = stop.reached(iterations, residual, started).or(stalled.then_some(Ended::Stalled));
            let close = stop.accuracy > 0.0 && {
                let error = self.estimate();
                if iterations == 0 {
                    enough = (stop.accuracy * error).max(objective.least_error(model, x));
                }
                error <= enough
            };
            let ended = if close { Some(Ended::Tolerance) } else { ended };
            if let Some(ended) = ended {
                return Solve { ended, iterations, ..Solve::default() };
            }
            self.iterate(model, objective, x);
            iterations += 1;
        }
    }
}

/// Iterations without a new lowest residual after which a tolerance counts as out of reach: while a method converges
/// at all, even slowly, new lows come every few iterations.
const PATIENCE: usize = 500;
