//! When an iterative method stops: after so many iterations, at a residual, or when time is up.

use super::Ended;
use crate::{Error, clock};

/// When to stop iterating. Whatever comes first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// At most this many iterations.
    pub iterations: usize,
    /// At this scaled residual max‖∇g_i‖/(m_i ℓ); 0 never stops early (Newton: at rounding level).
    pub tolerance: f64,
    /// After this much time \[s\]. The only setting that makes results depend on a clock.
    pub budget: Option<f64>,
}

impl Stop {
    /// A fixed number of iterations.
    pub fn iterations(iterations: usize) -> Self {
        Stop { iterations, tolerance: 0.0, budget: None }
    }

    /// At a scaled residual, or after 100,000 iterations.
    pub fn tolerance(tolerance: f64) -> Self {
        Stop { iterations: 100_000, tolerance, budget: None }
    }

    /// After a time in seconds, or 100,000 iterations.
    pub fn budget(seconds: f64) -> Self {
        Stop { iterations: 100_000, tolerance: 0.0, budget: Some(seconds) }
    }

    pub(crate) fn validate(&self) -> Result<(), Error> {
        if self.iterations == 0 {
            return Err(Error::setting("iterations", 0, "at least one is needed"));
        }
        if self.tolerance.is_nan() || self.tolerance < 0.0 {
            return Err(Error::setting("tolerance", self.tolerance, "must be zero or more"));
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
