//! Newton's method on g to rounding level: the reference every other method is measured against.
//!
//! Each step solves `(∇²g + μM) d = −∇g` with the *true* Hessian. Where compressed springs make it indefinite,
//! μ grows until it is not; where it is definite, μ = 0 and convergence is quadratic. (Making each spring
//! definite on its own never lets go of the error: a prototype stalled at 1e-2.) Armijo line search on differences of g
//! that are summed term by term, so that they keep their digits; once even those drown in rounding, a full step counts
//! if it halves the residual. A step that gains nothing far from rounding level raises μ as well.

use super::linear_system::{LinearSolver, LinearSystem};
use super::{Ended, Minimiser, Solve, Stop};
use crate::energy::{Objective, spacing};
use crate::linear::dot;
use crate::{Error, Model, clock};
use glam::DVec3;

/// Newton's numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
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
/// Shortest step of the line search, as a fraction of the whole; below, a larger shift does better.
const SHORTEST: f64 = 1e-6;
/// Largest shift tried before giving up: by then the step is a short one downhill.
const LARGEST_SHIFT: f64 = 1e12;
/// Change of g, as a share of g, that may be nothing but rounding.
const NOISE: f64 = 1e-12;
/// Multiples of the rounding estimate below which only the residual can tell progress (the laws end below four).
const NEAR: f64 = 100.0;

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
        let slope = dot(&self.gradient, &self.direction);
        // Far from the origin a fall may be below the estimate; it is still longer than what positions are rounded to.
        let longest = self.direction.iter().map(|d| d.abs().max_element()).fold(0.0, f64::max);
        let rounded = residual <= NEAR * objective.rounding(x) && longest <= NEAR * spacing(x);
        let mut t = if rounded { 0.0 } else { 1.0 };
        while t > SHORTEST {
            self.try_step(objective, x, t);
            let change = objective.change(model, x, &self.trial);
            if change <= ARMIJO * t * slope {
                return Some(self.accept(model, objective, x));
            }
            // In the last quadratic steps g no longer tells, though the residual does.
            let noise = t == 1.0 && self.shift == 0.0 && change <= NOISE * objective.value(model, x);
            if noise && self.full_step_lowers(model, objective, x, 0.1 * residual) {
                return Some(self.accept(model, objective, x));
            }
            t *= 0.5;
        }
        // Near rounding level changes of g are noise: there a full step counts if it lowers the residual.
        if self.full_step_lowers(model, objective, x, 0.5 * residual) {
            return Some(self.accept(model, objective, x));
        }
        None
    }

    /// Whether the whole step brings the residual down to `enough`.
    fn full_step_lowers(
        &mut self,
        model: &Model,
        objective: &mut Objective,
        x: &[DVec3],
        enough: f64,
    ) -> bool {
        self.try_step(objective, x, 1.0);
        objective.gradient(model, &self.trial, &mut self.gradient);
        let lowers = objective.residual(model, &self.gradient) <= enough;
        if !lowers {
            objective.gradient(model, x, &mut self.gradient);
        }
        lowers
    }

    /// Go to the trial point. Returns the residual there.
    fn accept(&mut self, model: &Model, objective: &mut Objective, x: &mut [DVec3]) -> f64 {
        x.copy_from_slice(&self.trial);
        objective.gradient(model, x, &mut self.gradient);
        objective.residual(model, &self.gradient)
    }

    fn try_step(&mut self, objective: &Objective, x: &[DVec3], t: f64) {
        objective.rows.step(x, t, &self.direction, &mut self.trial);
    }
}

impl Minimiser for Newton {
    fn prepare(&mut self, model: &Model, objective: &Objective) -> Result<(), Error> {
        let zeros = vec![DVec3::ZERO; objective.rows.len()];
        self.system = Some(LinearSystem::new(self.settings.solver, model, objective, self.system.take())?);
        self.trial = vec![DVec3::ZERO; model.particles()];
        (self.gradient, self.minus, self.direction) = (zeros.clone(), zeros.clone(), zeros);
        Ok(())
    }

    fn minimise(&mut self, model: &Model, objective: &mut Objective, x: &mut Vec<DVec3>) -> Solve {
        self.go_on(model, objective, x, (0, clock::seconds()))
    }
}

impl Newton {
    /// Lower g from `x` where `done` iterations have been spent on it since the clock said `started` \[s\]. They count
    /// towards the limits, and in the iterations of the answer.
    pub(crate) fn go_on(
        &mut self,
        model: &Model,
        objective: &mut Objective,
        x: &mut [DVec3],
        (done, started): (usize, f64),
    ) -> Solve {
        objective.gradient(model, x, &mut self.gradient);
        // What is pinned stays where it is.
        self.trial.copy_from_slice(x);
        let mut residual = objective.residual(model, &self.gradient);
        let first = residual;
        let mut solve = Solve { iterations: done, ..Solve::default() };
        self.system.as_mut().expect("prepared").products = 0;
        self.shift = 0.0;
        loop {
            let ended = self.settings.stop.reached(solve.iterations, residual, started);
            solve.linear_iterations = self.system.as_ref().expect("prepared").products;
            if let Some(ended) = ended {
                return Solve { ended, newton_steps: solve.iterations - done, ..solve };
            }
            let system = self.system.as_mut().expect("prepared");
            objective.hessian(model, x, &system.slots, &mut system.hessian);
            let accuracy = (residual / first).clamp(1e-10, 1e-2);
            solve.indefinite += usize::from(self.find_direction(accuracy));
            solve.iterations += 1;
            match self.search(model, objective, x, residual) {
                Some(next) => residual = next,
                None => {
                    let exact = residual <= NEAR * objective.rounding(x);
                    if exact || self.shift > LARGEST_SHIFT {
                        let ended = if exact { Ended::Rounding } else { Ended::Stalled };
                        let linear_iterations = self.system.as_ref().expect("prepared").products;
                        let newton_steps = solve.iterations - done;
                        return Solve { ended, newton_steps, linear_iterations, ..solve };
                    }
                    // Nothing gained far from rounding: the quadratic model reaches too far. Trust it less.
                    self.shift = (16.0 * self.shift).max(16.0 * SMALLEST_SHIFT);
                }
            }
        }
    }
}
