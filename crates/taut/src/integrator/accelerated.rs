//! Accelerations of local/global: better directions and steps from the same gradient and the same constant matrix.
//!
//! Local/global steps by `−z`, `z = (M + h²L)⁻¹ ∇g(x)`. Each iteration here has the same one gradient and one solve;
//! what was seen in earlier iterations turns z into a direction d (the [`Acceleration`] of the method), and
//!
//! ```text
//! x ← x + t d,      t = −∇g·d / dᵀ∇²g d   or   t = 1.
//! ```
//!
//! M + h²L is never softer than ∇²g, so plain steps are too short, in soft directions by orders of magnitude:
//! taking t from the true curvature about halves the iterations (docs/experiments/convergence.md).
//!
//! Safeguard: a step counts only if g falls. The pass that computes the gradient at the new point tells g as well; where
//! the change is too near its rounding it is computed again, term by term. A step that does not count is halved a few
//! times, then the memory is cleared and the plain step taken, which never raises g. So g never rises.

use super::constant::ConstantMatrix;
use super::stop::Iterative;
use super::{Minimiser, Solve, Stop};
use crate::energy::Objective;
use crate::{Error, Model};
use glam::DVec3;

/// What a method remembers of a step's earlier iterations, and the direction it makes of that.
pub(crate) trait Acceleration: Default + Send {
    /// Whether t comes from the curvature of g; if not it is 1.
    const SEARCHES: bool;
    /// Room for `rows` rows.
    fn prepare(&mut self, rows: usize);
    /// Start again: the next direction is −z.
    fn forget(&mut self);
    /// The direction at a point with gradient `g` and `z = (M + h²L)⁻¹ g`. Returns g·d.
    fn direction(&mut self, g: &[DVec3], z: &[DVec3], d: &mut [DVec3]) -> f64;
    /// From that point the step t d was taken, t > 0. Nobody needs the three any more: keep what is wanted by swapping.
    fn took(&mut self, t: f64, d: &mut Vec<DVec3>, g: &mut Vec<DVec3>, z: &mut Vec<DVec3>);
}

pub(crate) struct Accelerated<M> {
    stop: Stop,
    memory: M,
    matrix: Option<ConstantMatrix>,
    /// Where it goes, or came from.
    other: Vec<DVec3>,
    /// ∇g here and there, and g here.
    g: Vec<DVec3>,
    next: Vec<DVec3>,
    here: f64,
    z: Vec<DVec3>,
    /// Whether z is that of the gradient here.
    solved: bool,
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
/// Changes of g smaller than this part of it are not taken from the difference of two plain sums.
const SMALL: f64 = 1e-11;

impl<M: Acceleration> Accelerated<M> {
    pub(crate) fn new(stop: Stop) -> Self {
        let [other, g, next, z, d] = [const { Vec::new() }; 5];
        let (memory, here) = (M::default(), 0.0);
        Accelerated { stop, memory, matrix: None, other, g, next, here, z, solved: false, d }
    }

    /// Load the gradient at `x`; must precede iterations.
    pub(crate) fn begin(&mut self, model: &Model, objective: &mut Objective, x: &[DVec3]) {
        self.memory.forget();
        self.solved = false;
        self.here = objective.gradient(model, x, &mut self.g);
        // What is pinned stays where it is.
        self.other.copy_from_slice(x);
    }

    /// z = (M + h²L)⁻¹ ∇g.
    fn solve(&mut self) {
        self.matrix.as_mut().expect("prepared").solve_into(&self.g, &mut self.z);
    }

    /// Find the t that takes x to where g is lower, and g there; `None` if it does not fall.
    fn search(
        &mut self,
        slope: f64,
        model: &Model,
        objective: &mut Objective,
        x: &[DVec3],
    ) -> Option<(f64, f64)> {
        let longest = if M::SEARCHES { objective.longest(model, slope, &self.d) } else { None };
        let mut t = longest.map_or(1.0, |t| t.min(LONGEST));
        for _ in 0..TRIALS {
            let there = self.go(t, model, objective, x);
            let mut change = there - self.here;
            if change.abs() < SMALL * self.here {
                change = objective.change(model, x, &self.other);
            }
            if change <= ARMIJO * t * slope && slope < 0.0 {
                return Some((t, there));
            }
            t *= 0.5;
        }
        None
    }

    /// How far the plain step goes where contacts may be stiffer than the constant matrix knows.
    fn along_contacts(&mut self, model: &Model, objective: &mut Objective) -> f64 {
        let slope = crate::linear::dot(&self.g, &self.d);
        objective.longest(model, slope, &self.d).map_or(0.0, |t| t.min(1.0))
    }

    /// Go from x to x + t d. Returns g there.
    fn go(&mut self, t: f64, model: &Model, objective: &mut Objective, x: &[DVec3]) -> f64 {
        objective.rows.step(x, t, &self.d, &mut self.other);
        objective.gradient(model, &self.other, &mut self.next)
    }
}

impl<M: Acceleration> Iterative for Accelerated<M> {
    /// One solve, one gradient.
    fn iterate(&mut self, model: &Model, objective: &mut Objective, x: &mut Vec<DVec3>) {
        if !std::mem::take(&mut self.solved) {
            self.solve();
        }
        let slope = self.memory.direction(&self.g, &self.z, &mut self.d);
        let (t, there) = self.search(slope, model, objective, x).unwrap_or_else(|| {
            self.memory.forget();
            self.d.iter_mut().zip(&self.z).for_each(|(d, &z)| *d = -z);
            let t =
                if objective.contacts.list.is_empty() { 1.0 } else { self.along_contacts(model, objective) };
            (t, self.go(t, model, objective, x))
        });
        self.here = there;
        std::mem::swap(x, &mut self.other);
        self.memory.took(t, &mut self.d, &mut self.g, &mut self.z);
        std::mem::swap(&mut self.g, &mut self.next);
    }

    fn residual(&mut self, model: &Model, objective: &mut Objective, _: &[DVec3]) -> f64 {
        objective.residual(model, &self.g)
    }

    /// The solve is that of the next iteration, if there is one.
    fn estimate(&mut self) -> f64 {
        self.solve();
        self.solved = true;
        crate::linear::dot(&self.g, &self.z).sqrt()
    }
}

impl<M: Acceleration> Minimiser for Accelerated<M> {
    fn prepare(&mut self, model: &Model, objective: &Objective) -> Result<(), Error> {
        let rows = objective.rows.len();
        self.matrix = Some(ConstantMatrix::new(model, objective, self.matrix.as_ref())?);
        self.memory.prepare(rows);
        self.other = vec![DVec3::ZERO; model.particles()];
        [self.g, self.next, self.z, self.d] = std::array::from_fn(|_| vec![DVec3::ZERO; rows]);
        Ok(())
    }

    fn hold(&mut self, rows: &[u32]) {
        self.matrix.as_mut().expect("prepared").hold(rows);
    }

    fn keeps_rows(&self) -> bool {
        true
    }

    fn gradient(&self) -> Option<&[DVec3]> {
        Some(&self.g)
    }

    fn meets(&self) -> bool {
        M::SEARCHES
    }

    fn minimise(&mut self, model: &Model, objective: &mut Objective, x: &mut Vec<DVec3>) -> Solve {
        self.begin(model, objective, x);
        self.repeat(self.stop, model, objective, x)
    }
}
