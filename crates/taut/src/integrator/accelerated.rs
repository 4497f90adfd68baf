//! Accelerations of local/global: better directions and steps from the same gradient and the same constant matrix.
//!
//! Local/global steps by `−z`, `z = (M + h²L)⁻¹ ∇g(x)`. Each iteration here has the same one gradient and one solve;
//! what was seen in earlier iterations turns z into a direction d (the [`Memory`] of the method), and
//!
//! ```text
//! x ← x + t d,      t = −∇g·d / dᵀ∇²g d   or   t = 1.
//! ```
//!
//! M + h²L is never softer than ∇²g, so plain steps are too short, in soft directions by orders of magnitude:
//! taking t from the true curvature about halves the iterations (docs/experiments/convergence.md).
//!
//! Safeguard: a step counts only if g falls, measured along the [`Line`] it lies on. Otherwise it is halved a few
//! times, then the memory is cleared and the plain step taken, which never raises g. So g never rises.

use super::line::Line;
use super::local_global::{constant_factor, repeat};
use super::{Minimiser, Solve, Stop};
use crate::energy::Objective;
use crate::linear::{Factor, dot};
use crate::{Error, Model};
use glam::DVec3;

/// What a method remembers of a step's earlier iterations, and the direction it makes of that.
pub(crate) trait Memory: Default + Send {
    /// Whether t comes from the curvature of g; if not it is 1.
    const SEARCHES: bool;
    /// Room for `rows` rows.
    fn prepare(&mut self, rows: usize);
    /// Start again: the next direction is −z.
    fn forget(&mut self);
    /// The direction at a point with gradient `g` and `z = (M + h²L)⁻¹ g`.
    fn direction(&mut self, g: &[DVec3], z: &[DVec3], d: &mut [DVec3]);
    /// From that point the step `s` was taken.
    fn took(&mut self, s: &[DVec3], g: &[DVec3], z: &[DVec3]);
}

pub(crate) struct Accelerated<M> {
    stop: Stop,
    memory: M,
    factor: Option<Factor>,
    line: Line,
    g: Vec<DVec3>,
    z: Vec<DVec3>,
    d: Vec<DVec3>,
}

/// Sufficient decrease (Armijo), the customary value.
const ARMIJO: f64 = 1e-4;
/// Largest t. A step of t times the plain one changes a mode that A = M + h²L sees by λ (0 < λ ≤ 1) by 1 − tλ: beyond 2
/// it magnifies stiff modes, rounding among them. Without a limit a symmetric cloth lost its symmetry to 1e-8 in 100
/// steps, with 4 it keeps 1e-11 and needs as few iterations; with 2 conjugate gradients need ten times as many.
const LONGEST: f64 = 4.0;
/// Steps tried along a direction before the plain one: t, t/2, t/4.
const TRIALS: usize = 3;

impl<M: Memory> Accelerated<M> {
    pub(crate) fn new(stop: Stop) -> Self {
        let (memory, line, empty) = (M::default(), Line::default(), Vec::new);
        Accelerated { stop, memory, factor: None, line, g: empty(), z: empty(), d: empty() }
    }

    /// Load the gradient at `x`; must precede [`Accelerated::iterate`]. Returns the scaled residual.
    pub(crate) fn begin(&mut self, model: &Model, objective: &mut Objective, x: &[DVec3]) -> f64 {
        self.memory.forget();
        objective.gradient(model, x, &mut self.g);
        objective.residual(model, &self.g)
    }

    /// One iteration: one solve, one gradient. Returns the scaled residual after it.
    pub(crate) fn iterate(&mut self, model: &Model, objective: &mut Objective, x: &mut [DVec3]) -> f64 {
        self.z.copy_from_slice(&self.g);
        self.factor.as_mut().expect("prepared").solve(&mut self.z);
        self.memory.direction(&self.g, &self.z, &mut self.d);
        match self.search(model, objective, x) {
            Some(1.0) => {}
            Some(t) => self.d.iter_mut().for_each(|d| *d *= t),
            None => {
                self.memory.forget();
                self.d.iter_mut().zip(&self.z).for_each(|(d, &z)| *d = -z);
            }
        }
        for (&i, &d) in objective.rows.particles.iter().zip(&self.d) {
            x[i as usize] += d;
        }
        self.memory.took(&self.d, &self.g, &self.z);
        objective.gradient(model, x, &mut self.g);
        objective.residual(model, &self.g)
    }

    /// How far to go along d; `None` if g does not fall there.
    fn search(&mut self, model: &Model, objective: &Objective, x: &[DVec3]) -> Option<f64> {
        let slope = dot(&self.g, &self.d);
        let curvature = self.line.through(model, objective, x, &self.d);
        let searches = M::SEARCHES && curvature > 0.0;
        let mut t = if searches { (-slope / curvature).min(LONGEST) } else { 1.0 };
        for _ in 0..TRIALS {
            if self.line.change(t) <= ARMIJO * t * slope && slope < 0.0 {
                return Some(t);
            }
            t *= 0.5;
        }
        None
    }
}

impl<M: Memory> Minimiser for Accelerated<M> {
    fn prepare(&mut self, model: &Model, objective: &Objective) -> Result<(), Error> {
        let rows = objective.rows.len();
        self.factor = Some(constant_factor(model, objective)?);
        self.line = Line::new(model, objective.h);
        self.memory.prepare(rows);
        self.g = vec![DVec3::ZERO; rows];
        (self.z, self.d) = (self.g.clone(), self.g.clone());
        Ok(())
    }

    fn minimise(&mut self, model: &Model, objective: &mut Objective, x: &mut [DVec3]) -> Solve {
        let residual = self.begin(model, objective, x);
        let stop = self.stop;
        repeat(&stop, residual, || self.iterate(model, objective, x))
    }
}
