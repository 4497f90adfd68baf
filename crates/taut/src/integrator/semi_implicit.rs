//! The semi-implicit method of Baraff and Witkin 1998: one full Newton step from q_n, no line search, no correction.
//!
//! The matrix is the unfiltered Hessian, whatever it is: \[Liu13\] §5 meets indefinite ones at h = 1/30 s, and so do we.
//! Nothing keeps such a step from throwing particles away; a simulation that is lost ends with an error (`lost`).

use super::linear_system::{LinearSolver, LinearSystem};
use super::{Ended, Minimiser, Solve};
use crate::energy::Objective;
use crate::{Error, Model};
use glam::DVec3;

/// One full Newton step from q_n, no line search, no correction.
pub(crate) struct SemiImplicit {
    solver: LinearSolver,
    system: Option<LinearSystem>,
    minus: Vec<DVec3>,
    direction: Vec<DVec3>,
}

/// Accuracy of the one linear solve where it is iterative; Baraff and Witkin use a comparable one.
const SEMI_IMPLICIT_TOLERANCE: f64 = 1e-6;

impl SemiImplicit {
    pub(crate) fn new(solver: LinearSolver) -> Self {
        SemiImplicit { solver, system: None, minus: Vec::new(), direction: Vec::new() }
    }
}

impl Minimiser for SemiImplicit {
    fn prepare(&mut self, model: &Model, objective: &Objective) -> Result<(), Error> {
        self.system = Some(LinearSystem::new(self.solver, model, objective, self.system.take())?);
        self.minus = vec![DVec3::ZERO; objective.rows.len()];
        self.direction = self.minus.clone();
        Ok(())
    }

    fn starts_at_rest(&self) -> bool {
        true
    }

    fn minimise(&mut self, model: &Model, objective: &mut Objective, x: &mut Vec<DVec3>) -> Solve {
        let system = self.system.as_mut().expect("prepared");
        objective.gradient(model, x, &mut self.minus);
        self.minus.iter_mut().for_each(|g| *g = -*g);
        objective.hessian(model, x, &system.slots, &mut system.hessian);
        system.products = 0;
        let definite = system.solve(0.0, &self.minus, &mut self.direction, SEMI_IMPLICIT_TOLERANCE);
        if definite.is_err() {
            system.solve_signed(&self.minus, &mut self.direction);
        }
        objective.rows.add(x, 1.0, &self.direction);
        Solve {
            ended: Ended::Iterations,
            iterations: 1,
            newton_steps: 1,
            linear_iterations: system.products,
            indefinite: usize::from(definite.is_err()),
            ..Solve::default()
        }
    }
}
