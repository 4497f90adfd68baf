//! Local/global first, then Newton (\[Liu13\] §5): each where it is best.
//!
//! Local/global converges linearly: its decreases of g shrink by a factor ρ per iteration, so another digit
//! costs ln 10/−ln ρ of them. As soon as that is more than a Newton step costs, Newton takes over. The rule uses
//! counts and values only, so runs repeat bit for bit.

use super::local_global::LocalGlobal;
use super::newton::{Newton, NewtonSettings};
use super::{Minimiser, Solve};
use crate::energy::Objective;
use crate::{Error, Model, clock};
use glam::DVec3;

pub(crate) struct Hybrid {
    settings: NewtonSettings,
    local_global: LocalGlobal,
    newton: Newton,
}

/// What a Newton step with Cholesky costs, in local/global iterations. Measured on the falling Curtain (release
/// build, one core): 36 at 21², 68 at 41², 64 at 81²; with block-Jacobi conjugate gradients 34, 54, 51. The choice
/// is not delicate: 30 and 60 lead to the same number of Newton steps over ten frames of 21². (Measured before
/// [`Factor`](crate::linear::Factor) made the iteration about three times cheaper.)
const NEWTON_COST: f64 = 60.0;

impl Hybrid {
    pub(crate) fn new(settings: NewtonSettings) -> Self {
        let (local_global, newton) = (LocalGlobal::new(settings.stop), Newton::new(settings));
        Hybrid { settings, local_global, newton }
    }
}

impl Minimiser for Hybrid {
    fn prepare(&mut self, model: &Model, objective: &Objective) -> Result<(), Error> {
        self.local_global.prepare(model, objective)?;
        self.newton.prepare(model, objective)
    }

    fn minimise(&mut self, model: &Model, objective: &mut Objective, x: &mut [DVec3]) -> Solve {
        let started = clock::seconds();
        let slowest = (-std::f64::consts::LN_10 / NEWTON_COST).exp();
        let mut residual = self.local_global.begin(model, objective, x);
        let mut value = objective.value(model, x);
        let (mut decrease, mut iterations) = (f64::INFINITY, 0);
        loop {
            if let Some(ended) = self.settings.stop.reached(iterations, residual, started) {
                return Solve { ended, iterations, ..Solve::default() };
            }
            residual = self.local_global.iterate(model, objective, x);
            iterations += 1;
            let next = objective.value(model, x);
            let (last, now) = (decrease, value - next);
            (decrease, value) = (now, next);
            if now.is_nan() || now <= 0.0 || now > slowest * last {
                break;
            }
        }
        let solve = self.newton.minimise(model, objective, x);
        Solve { iterations: iterations + solve.iterations, ..solve }
    }
}
