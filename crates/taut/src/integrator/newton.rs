//! Newton's method on g to rounding level: the reference every other method is measured against.
//!
//! Each step solves `(∇²g + μM) d = −∇g` with the *true* Hessian. Where compressed springs make it indefinite,
//! μ grows until it is not; where it is definite, μ = 0 and convergence is quadratic. (Making each spring
//! definite on its own never lets go of the error: a prototype stalled at 1e-2.) Armijo line search; once g
//! can no longer tell two points apart, a full step counts if it halves the residual.

use super::linear_system::{LinearSolver, LinearSystem};
use super::{Ended, Minimiser, Solve, Stop};
use crate::energy::Objective;
use crate::linear::dot;
use crate::{Error, Model, clock};
use glam::DVec3;

/// Newton's numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewtonSettings {
    /// When to stop; tolerance 0 goes to rounding level.
    pub stop: Stop,
    /// How linear systems are solved.
    pub solver: LinearSolver,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        NewtonSettings { stop: Stop::iterations(1000), solver: LinearSolver::Cholesky }
    }
}

pub(crate) struct Newton {
    settings: NewtonSettings,
    system: Option<LinearSystem>,
    shift: f64,
    gradient: Vec<DVec3>,
    minus: Vec<DVec3>,
    direction: Vec<DVec3>,
    trial: Vec<DVec3>,
}

/// Below this μ the shift is dropped: H is M plus stiffness, so μ is measured in units of M's own share.
const SMALLEST_SHIFT: f64 = 0.25;
/// Sufficient decrease of the line search (Armijo), the customary value.
const ARMIJO: f64 = 1e-4;
/// Relative change of g that its own rounding cannot fake: terms carry an error ε·l/(l − r), and 1e4 is a
/// small strain for cloth.
const VISIBLE: f64 = 1e-11;

impl Newton {
    pub(crate) fn new(settings: NewtonSettings) -> Self {
        let empty = Vec::new;
        Newton {
            settings,
            system: None,
            shift: 0.0,
            gradient: empty(),
            minus: empty(),
            direction: empty(),
            trial: empty(),
        }
    }

    /// Solve for the direction, raising the shift while the matrix is indefinite. Returns whether it was.
    fn find_direction(&mut self, accuracy: f64) -> bool {
        let system = self.system.as_mut().expect("prepared");
        self.minus.iter_mut().zip(&self.gradient).for_each(|(m, &g)| *m = -g);
        self.shift = if self.shift > 4.0 * SMALLEST_SHIFT { self.shift / 4.0 } else { 0.0 };
        let mut indefinite = false;
        while system.solve(self.shift, &self.minus, &mut self.direction, accuracy).is_err() {
            indefinite = true;
            self.shift = (4.0 * self.shift).max(SMALLEST_SHIFT);
            // Past this the matrix is a multiple of M in double precision, or holds NaN: steepest descent.
            if self.shift > 1e30 {
                self.direction.copy_from_slice(&self.minus);
                break;
            }
        }
        indefinite
    }

    /// Move along the direction as far as g agrees. Returns the new residual, or `None` if nothing is gained.
    fn search(
        &mut self,
        model: &Model,
        objective: &mut Objective,
        x: &mut [DVec3],
        residual: f64,
    ) -> Option<f64> {
        let value = objective.value(model, x);
        let slope = dot(&self.gradient, &self.direction);
        let mut t = 1.0;
        // While the promised decrease stands clear of the rounding of g, g decides.
        while -slope * t > VISIBLE * value {
            self.try_step(objective, x, t);
            if objective.value(model, &self.trial) <= value + ARMIJO * t * slope {
                x.copy_from_slice(&self.trial);
                objective.gradient(model, x, &mut self.gradient);
                return Some(objective.residual(model, &self.gradient));
            }
            t *= 0.5;
        }
        // Below it, the residual does.
        self.try_step(objective, x, 1.0);
        objective.gradient(model, &self.trial, &mut self.gradient);
        let next = objective.residual(model, &self.gradient);
        if next <= 0.5 * residual {
            x.copy_from_slice(&self.trial);
            return Some(next);
        }
        None
    }

    fn try_step(&mut self, objective: &Objective, x: &[DVec3], t: f64) {
        self.trial.copy_from_slice(x);
        for (&i, &d) in objective.rows.particles.iter().zip(&self.direction) {
            self.trial[i as usize] += t * d;
        }
    }
}

impl Minimiser for Newton {
    fn prepare(&mut self, model: &Model, objective: &Objective) -> Result<(), Error> {
        let zeros = vec![DVec3::ZERO; objective.rows.len()];
        self.system = Some(LinearSystem::new(self.settings.solver, model, objective)?);
        self.trial = vec![DVec3::ZERO; model.particles()];
        (self.gradient, self.minus, self.direction) = (zeros.clone(), zeros.clone(), zeros);
        Ok(())
    }

    fn minimise(&mut self, model: &Model, objective: &mut Objective, x: &mut [DVec3]) -> Solve {
        let started = clock::seconds();
        objective.gradient(model, x, &mut self.gradient);
        let mut residual = objective.residual(model, &self.gradient);
        let first = residual;
        let mut solve = Solve::default();
        self.system.as_mut().expect("prepared").products = 0;
        self.shift = 0.0;
        loop {
            let ended = self.settings.stop.reached(solve.iterations, residual, started);
            solve.linear_iterations = self.system.as_ref().expect("prepared").products;
            if let Some(ended) = ended {
                return Solve { ended, newton_steps: solve.iterations, ..solve };
            }
            let system = self.system.as_mut().expect("prepared");
            objective.hessian(model, x, &system.slots, &mut system.hessian);
            let accuracy = (residual / first).clamp(1e-10, 1e-2);
            solve.indefinite += usize::from(self.find_direction(accuracy));
            solve.iterations += 1;
            match self.search(model, objective, x, residual) {
                Some(next) => residual = next,
                None => {
                    let ended = Ended::Rounding;
                    let linear_iterations = self.system.as_ref().expect("prepared").products;
                    return Solve { ended, newton_steps: solve.iterations, linear_iterations, ..solve };
                }
            }
        }
    }
}
