//! Newton's method on g to rounding level: the reference every other method is measured against.
//!
//! Each step solves `(∇²g + μM) d = −∇g` with the *true* Hessian. Where compressed springs make it indefinite,
//! μ grows until it is not; where it is definite, μ = 0 and convergence is quadratic. (Making each spring
//! definite on its own never lets go of the error: a prototype stalled at 1e-2.) Armijo line search; once g
//! can no longer tell two points apart, a full step counts if it halves the residual.
//!
//! [`SemiImplicit`] is the first such step from q_n, whole, with whatever matrix there is (\[Liu13\] §5).

use super::local_global::{constant_factor, too_large};
use super::{Ended, Minimiser, Solve, Stop};
use crate::energy::Objective;
use crate::linear::{Cholesky, Factor, Indefinite, Pcg, PcgOutcome, Symmetric, dot};
use crate::{Error, Model, clock};
use glam::{DMat3, DVec3};

/// How Newton's linear systems are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinearSolver {
    /// Sparse Cholesky factorization of the 3m×3m Hessian.
    #[default]
    Cholesky,
    /// Conjugate gradients, preconditioned by the inverse 3×3 diagonal blocks.
    PcgJacobi,
    /// Conjugate gradients, preconditioned by the constant prefactored matrix M + h²L.
    PcgConstant,
}

impl LinearSolver {
    /// Every solver's word, as used in scenes.
    pub const NAMES: [&'static str; 3] = ["cholesky", "pcg_jacobi", "pcg_constant"];

    /// The solver of that word.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        let all = [LinearSolver::Cholesky, LinearSolver::PcgJacobi, LinearSolver::PcgConstant];
        let found = LinearSolver::NAMES.iter().position(|&n| n == name).map(|i| all[i]);
        let remedy = || format!("linear solvers are {}", LinearSolver::NAMES.join(", "));
        found.ok_or_else(|| Error::setting("linear_solver", format!("{name:?}"), remedy()))
    }
}

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

/// The Hessian of one step and what is needed to solve with it.
struct LinearSystem {
    solver: LinearSolver,
    hessian: Symmetric<DMat3>,
    slots: Vec<u32>,
    masses: Vec<f64>,
    cholesky: Option<Cholesky>,
    constant: Option<Factor>,
    blocks: Vec<DMat3>,
    pcg: Pcg,
    /// Products with the Hessian so far in this step.
    products: usize,
}

impl LinearSystem {
    fn new(solver: LinearSolver, model: &Model, objective: &Objective) -> Result<Self, Error> {
        let rows = &objective.rows;
        let (pattern, slots) = rows.pattern(&model.springs);
        let (mut cholesky, mut constant) = (None, None);
        match solver {
            LinearSolver::Cholesky => {
                cholesky = Some(Cholesky::new::<DMat3>(&pattern).ok_or_else(|| too_large(model))?);
            }
            LinearSolver::PcgConstant => constant = Some(constant_factor(model, objective)?),
            LinearSolver::PcgJacobi => {}
        }
        Ok(LinearSystem {
            solver,
            hessian: Symmetric::zeros(pattern),
            slots,
            masses: rows.particles.iter().map(|&i| model.masses[i as usize]).collect(),
            cholesky,
            constant,
            blocks: vec![DMat3::ZERO; rows.len()],
            pcg: Pcg::new(rows.len()),
            products: 0,
        })
    }

    /// `(H + μM) d = b`, to the relative accuracy `tolerance` where the solver is iterative. Where the matrix
    /// turns out to be indefinite d is as far as the solver got, perhaps zero.
    fn solve(&mut self, mu: f64, b: &[DVec3], d: &mut [DVec3], tolerance: f64) -> Result<(), Indefinite> {
        d.fill(DVec3::ZERO);
        if let Some(cholesky) = &mut self.cholesky {
            cholesky.factor(&self.hessian, mu, &self.masses)?;
            d.copy_from_slice(b);
            cholesky.solve(d);
            return Ok(());
        }
        if self.solver == LinearSolver::PcgJacobi {
            self.invert_blocks(mu)?;
        }
        let LinearSystem { hessian, masses, constant, blocks, pcg, products, .. } = self;
        let multiply = |x: &[DVec3], y: &mut [DVec3]| {
            hessian.multiply(x, y);
            y.iter_mut().zip(x).zip(&*masses).for_each(|((y, &x), &m)| *y += mu * m * x);
        };
        let precondition = |r: &[DVec3], z: &mut [DVec3]| match constant {
            Some(factor) => {
                z.copy_from_slice(r);
                factor.solve(z);
            }
            None => z.iter_mut().zip(r).zip(&*blocks).for_each(|((z, &r), block)| *z = *block * r),
        };
        let limit = (3 * b.len()).clamp(100, 10_000);
        let (outcome, count) = pcg.solve(multiply, precondition, b, d, tolerance, limit);
        *products += count;
        if outcome == PcgOutcome::NegativeCurvature { Err(Indefinite) } else { Ok(()) }
    }

    /// `H d = b` although H is indefinite. Conjugate gradients cannot go past a direction of negative curvature:
    /// they keep the d they had then, and if that is nothing, each row goes down its own slope.
    fn solve_signed(&mut self, b: &[DVec3], d: &mut [DVec3]) {
        if let Some(cholesky) = &mut self.cholesky {
            d.copy_from_slice(b);
            match cholesky.factor_signed(&self.hessian) {
                Ok(()) => cholesky.solve(d),
                // H is singular, so the step is infinite; the caller names the particle.
                Err(Indefinite) => d.fill(DVec3::INFINITY),
            }
        } else if d.iter().all(|&d| d == DVec3::ZERO) {
            let size = |block: &DMat3| block.to_cols_array().iter().map(|v| v * v).sum::<f64>().sqrt();
            let rows = d.iter_mut().zip(b).zip(&self.hessian.diagonal);
            rows.for_each(|((d, &b), block)| *d = b / size(block));
        }
    }

    /// Block-Jacobi preconditioner; a diagonal block that is not definite proves that H is not.
    fn invert_blocks(&mut self, mu: f64) -> Result<(), Indefinite> {
        for ((inverse, block), &m) in self.blocks.iter_mut().zip(&self.hessian.diagonal).zip(&self.masses) {
            let block = *block + DMat3::from_diagonal(DVec3::splat(mu * m));
            let minor = block.x_axis.x * block.y_axis.y - block.y_axis.x * block.x_axis.y;
            if !(block.x_axis.x > 0.0 && minor > 0.0 && block.determinant() > 0.0) {
                return Err(Indefinite);
            }
            *inverse = block.inverse();
        }
        Ok(())
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
        self.system = Some(LinearSystem::new(self.solver, model, objective)?);
        self.minus = vec![DVec3::ZERO; objective.rows.len()];
        self.direction = self.minus.clone();
        Ok(())
    }

    fn starts_at_rest(&self) -> bool {
        true
    }

    fn minimise(&mut self, model: &Model, objective: &mut Objective, x: &mut [DVec3]) -> Solve {
        let system = self.system.as_mut().expect("prepared");
        objective.gradient(model, x, &mut self.minus);
        self.minus.iter_mut().for_each(|g| *g = -*g);
        objective.hessian(model, x, &system.slots, &mut system.hessian);
        system.products = 0;
        let definite = system.solve(0.0, &self.minus, &mut self.direction, SEMI_IMPLICIT_TOLERANCE);
        if definite.is_err() {
            system.solve_signed(&self.minus, &mut self.direction);
        }
        for (&i, &d) in objective.rows.particles.iter().zip(&self.direction) {
            x[i as usize] += d;
        }
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
