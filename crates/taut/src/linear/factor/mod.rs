//! The factor of a constant symmetric matrix, made to be solved with again and again: three right-hand sides.
//!
//! `A = L D Lᵀ` with D block diagonal, in panels over an order of our own (see [`ordering`]); a solve is two
//! passes of dense products over interleaved lanes. Stored in f64, or in f32 for methods that only need a good
//! direction: factored in f64 and rounded once, right-hand sides scaled by a power of two before rounding, the
//! solution has a relative error near 1e-7 times the condition the rounding meets. Does not handle: indefinite
//! matrices, blocks, new values in an old pattern (make a new factor).

mod dense;
mod exchange;
mod front;
pub(super) mod frontal;
mod means;
mod parts;
mod supernodal;

use super::{Indefinite, Symmetric, ordering};
use crate::kernel::Real;
use crate::kernel::{self, Kernel};
use crate::words;
use exchange::Largest;
use glam::DVec3;
use means::Means;
use parts::{Part, downwards, upwards};
use supernodal::Supernodes;

/// The numbers a factor is stored in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub enum Precision {
    /// f32: half the memory traffic, for use in corrections.
    #[default]
    Single,
    /// f64: solutions exact to rounding.
    Double,
}

impl Precision {
    /// Both, by their words.
    pub const NAMES: [(&'static str, Precision); 2] =
        [("single", Precision::Single), ("double", Precision::Double)];
}

words::choice!(Precision, "precision", "precisions are");

/// Why there is no factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfactored {
    /// The matrix is not positive definite to rounding.
    Indefinite,
    /// This much more memory \[B\] was asked for and refused.
    Memory {
        /// Size of the piece that could not be had \[B\].
        bytes: usize,
    },
}

impl From<Indefinite> for Unfactored {
    fn from(_: Indefinite) -> Self {
        Unfactored::Indefinite
    }
}

/// Error of a solve \[relative\] up to which f32 is good enough for corrections, which are wrong by far more than this
/// for other reasons.
const ROUNDED: f64 = 1e-4;

/// A factored positive definite matrix.
pub struct Factor(Stored);

enum Stored {
    Double(Solver<f64>),
    Single(Solver<f32>),
}

impl Factor {
    /// Order and factor. Fails where the matrix is not positive definite to rounding, or memory does not suffice.
    pub fn new(a: &Symmetric<f64>, precision: Precision) -> Result<Self, Unfactored> {
        Factor::with_kernel(a, precision, Kernel::detected())
    }

    /// Stored in f32 if a solve then still finds `probe` to 1e-4 of its size, else in f64. Rounding hits smooth
    /// solutions hardest, so that is what a probe should be; positions are.
    pub fn rounded(a: &Symmetric<f64>, probe: &[DVec3]) -> Result<Self, Unfactored> {
        let mut factor = Factor::new(a, Precision::Single)?;
        let mut found = probe.to_vec();
        a.multiply(probe, &mut found);
        factor.solve(&mut found);
        found.iter_mut().zip(probe).for_each(|(found, &probe)| *found -= probe);
        let largest = |v: &[DVec3]| kernel::run(Kernel::detected(), Largest(v));
        let enough = largest(&found) <= ROUNDED * largest(probe);
        if enough { Ok(factor) } else { Factor::new(a, Precision::Double) }
    }

    /// As [`Factor::new`], computing in a given way; one that this processor lacks is replaced by plain code.
    pub fn with_kernel(a: &Symmetric<f64>, precision: Precision, kernel: Kernel) -> Result<Self, Unfactored> {
        Ok(Factor(match precision {
            Precision::Double => Stored::Double(Solver::new(a, kernel)?),
            Precision::Single => Stored::Single(Solver::new(a, kernel)?),
        }))
    }

    /// Solve in place: on entry the right-hand side, on return the solution.
    pub fn solve(&mut self, b: &mut [DVec3]) {
        match &mut self.0 {
            Stored::Double(solver) => solver.solve(b).store(b),
            Stored::Single(solver) => solver.solve(b).store(b),
        }
    }

    /// Solve for the right-hand side b into x.
    pub fn solve_into(&mut self, b: &[DVec3], x: &mut [DVec3]) {
        match &mut self.0 {
            Stored::Double(solver) => solver.solve(b).store(x),
            Stored::Single(solver) => solver.solve(b).store(x),
        }
    }

    /// What it is stored in.
    pub fn precision(&self) -> Precision {
        match self.0 {
            Stored::Double(_) => Precision::Double,
            Stored::Single(_) => Precision::Single,
        }
    }

    /// Numbers stored: what each of the two passes of a solve reads, about.
    pub fn fill(&self) -> usize {
        match &self.0 {
            Stored::Double(solver) => solver.fill(),
            Stored::Single(solver) => solver.fill(),
        }
    }

    /// The way it computes.
    pub fn kernel(&self) -> Kernel {
        match &self.0 {
            Stored::Double(solver) => solver.kernel,
            Stored::Single(solver) => solver.kernel,
        }
    }
}

struct Solver<T: Real> {
    kernel: Kernel,
    means: Means,
    parts: Vec<Part<T>>,
    /// The numbers of all parts.
    store: Vec<T::Block>,
    /// Power of two that brings the matrix to about 1.
    scale: f64,
    /// What brings the last solution to its size.
    grown: f64,
}

impl<T: Real> Solver<T> {
    fn new(a: &Symmetric<f64>, kernel: Kernel) -> Result<Self, Unfactored> {
        let nodes = Supernodes::new(ordering(&a.pattern));
        let scale = power_of_two(1.0 / a.diagonal.iter().fold(0.0, |m: f64, &d| m.max(d)));
        let means = Means::new(a);
        let (parts, store) = parts::factored(kernel, a, scale, &nodes, &means)?;
        Ok(Solver { kernel, means, parts, store, scale, grown: 1.0 })
    }

    fn fill(&self) -> usize {
        T::WIDTH * self.store.len()
    }

    /// Solve; the solution stays in the parts, to be stored.
    fn solve(&mut self, b: &[DVec3]) -> &Self {
        let rows: usize = self.parts.iter().map(|p| p.order.len()).sum();
        assert_eq!(b.len(), rows, "one right-hand side per row");
        let (kernel, store) = (self.kernel, &self.store);
        // Brought to about 1, small scenes do not fall into the denormals of f32.
        let to = if T::EXACT { 1.0 } else { power_of_two(1.0 / kernel::run(kernel, Largest(b))) };
        let from = power_of_two(1.0 / to) * self.scale;
        upwards(&mut self.parts, &|part, below| part.forward(kernel, store, b, to, below));
        downwards(&mut self.parts, &[], &|part, above| part.backward(kernel, store, above, from));
        self.means.find(self.parts.iter().flat_map(|part| &part.runs));
        self.grown = from;
        self
    }

    fn store(&self, b: &mut [DVec3]) {
        self.parts.iter().for_each(|part| part.store(self.kernel, b, self.grown, &self.means.shifts));
    }
}

/// The power of two at or below a positive number; 1 for anything without one (0, infinite, not a number) and
/// for what is so near the ends of the range that its reciprocal would leave it.
fn power_of_two(v: f64) -> f64 {
    let power = f64::from_bits(v.to_bits() & 0x7ff0_0000_0000_0000);
    if (1e-300..1e300).contains(&power) { power } else { 1.0 }
}
