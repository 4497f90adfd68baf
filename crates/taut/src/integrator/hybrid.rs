//! Accelerated local/global first, then Newton (\[Liu13\] §5): each where it is best.
//!
//! Conjugate gradients on g converge about linearly: the decreases of g shrink by a factor ρ per iteration, so another
//! digit costs ln 10/−ln ρ of them. As soon as that is more than a Newton step costs, Newton takes over. The rule uses
//! counts and values only, so runs repeat bit for bit.

use super::accelerated::Accelerated;
use super::conjugate_gradient::ConjugateGradient;
use super::newton::{Newton, NewtonSettings};
use super::stop::Iterative;
use super::{Minimiser, Solve};
use crate::energy::Objective;
use crate::{Error, Model, clock, math};
use glam::DVec3;

pub(crate) struct Hybrid {
    settings: NewtonSettings,
    first: Accelerated<ConjugateGradient>,
    newton: Newton,
}

/// What a Newton step may cost, in iterations of the first phase. Measured on the Curtain it is 100 to 150 (92 to 130 ms
/// against 0.9 ms); chosen larger, because far from the minimum a Newton step does not gain a digit: with 150, 300 and
/// 1000 frame 20 takes 38, 30, 21 Newton steps at k = 1000 N/m and 12, 10, 10 at 10⁴ N/m. Total times differ by less
/// than a third, in both directions (docs/experiments/convergence.md).
const NEWTON_COST: f64 = 300.0;
/// Iterations over which decreases are compared: single ones vary too much.
const WINDOW: usize = 20;

impl Hybrid {
    pub(crate) fn new(settings: NewtonSettings) -> Self {
        Hybrid { settings, first: Accelerated::new(settings.stop), newton: Newton::new(settings) }
    }
}

impl Minimiser for Hybrid {
    fn prepare(&mut self, model: &Model, objective: &Objective) -> Result<(), Error> {
        self.first.prepare(model, objective)?;
        self.newton.prepare(model, objective)
    }

    fn minimise(&mut self, model: &Model, objective: &mut Objective, x: &mut Vec<DVec3>) -> Solve {
        let started = clock::seconds();
        let slowest = math::exp(-std::f64::consts::LN_10 * WINDOW as f64 / NEWTON_COST);
        self.first.begin(model, objective, x);
        let mut value = objective.value(model, x);
        let (mut decrease, mut iterations) = (f64::INFINITY, 0);
        loop {
            let residual = self.first.residual(model, objective, x);
            if let Some(ended) = self.settings.stop.reached(iterations, residual, started) {
                return Solve { ended, iterations, ..Solve::default() };
            }
            self.first.iterate(model, objective, x);
            iterations += 1;
            if iterations % WINDOW != 0 {
                continue;
            }
            let next = objective.value(model, x);
            let (last, now) = (decrease, value - next);
            (decrease, value) = (now, next);
            if now.is_nan() || now <= 0.0 || now > slowest * last {
                break;
            }
        }
        self.newton.go_on(model, objective, x, (iterations, started))
    }
}
