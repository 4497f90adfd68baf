//! The factor of a symmetric positive definite matrix that is solved with again and again, three right-hand sides at a
//! time.
//!
//! `A = L D Lᵀ`, L unit lower triangular by blocks and D block diagonal. The work is done in three steps, and each is
//! repeated only when what it depends on changes:
//!
//! | step | depends on | what it finds |
//! |---|---|---|
//! | [`Sequence`](super::Sequence) | the graph of all vertices | in which order to eliminate |
//! | [`Symbolic`] | the pattern of the matrix, the order | which entries of L are not zero, and how they are grouped |
//! | [`Factor`] | the values | the numbers |
//!
//! # Words
//!
//! A *supernode* is a run of consecutive columns of L with the same rows below them, here columns 3 to 5 with the rows 8
//! and 9. Its *front* is a small dense matrix over its columns and the rows below (a lower triangle, the other half
//! follows by symmetry):
//!
//! ```text
//!        3 4 5   8 9
//!      3 D
//!      4 D D             D, B: the columns of A, less what earlier supernodes subtract from them
//!      5 D D D
//!      8 B B B   U
//!      9 B B B   U U     U: the update matrix
//! ```
//!
//! Eliminating columns 3 to 5 turns D and B into `S = D⁻¹` and `N = −B D⁻¹`, which is all that is stored of the
//! supernode, and leaves the *update matrix* `U = −B D⁻¹ Bᵀ`, what the supernode subtracts from later columns. U is added
//! to the front of the *parent*, the supernode that holds row 8, the first row below. Parents make the supernodes a tree.
//!
//! A *panel* is `W = [S; N]` as it is stored for solves: a dense matrix of at most 32 columns. A wider supernode is cut
//! into several panels, which are eliminated one after the other.
//!
//! A *part* is what one thread works through: some supernodes, children before parents. Small matrices have one part. The
//! tree of a large one is cut where it forks: the stem from the root down to the first fork is a part, then the stem of
//! each branch down to its first fork, and so on, until the subtrees that remain have at most a sixteenth of the entries.
//! Parts form a tree as well, and are listed so that all parts below a part come directly before it:
//!
//! ```text
//!             6
//!           /   \
//!          2     5        parts 0 and 1 need nothing, 2 needs both, 5 needs 3 and 4
//!         / \   / \
//!        0   1 3   4      0, 1, 3 and 4 can be worked on at the same time, then 2 and 5, then 6
//! ```
//!
//! How a matrix is cut depends on its pattern alone, so the number of threads changes no bit.
//!
//! # Precision
//!
//! Numbers are computed in f64 and stored in f64 or, for methods that only need a good direction, rounded to f32.
//! Right-hand sides are scaled by a power of two before they are rounded; the relative error of a solution is then
//! about 1e-7 times the condition number of the matrix.
//!
//! Does not handle: indefinite matrices, blocks (for both see [`Cholesky`](super::Cholesky)).

mod dense;
mod exchange;
mod front;
pub(super) mod frontal;
mod means;
mod parts;
mod supernodal;
mod symbolic;

use super::{Indefinite, Symmetric};
use crate::kernel::{self, Kernel, Real, prefer_large};
use crate::words;
use exchange::Largest;
use frontal::Columns;
use glam::DVec3;
use means::Means;
use parts::{PartSolver, downwards, upwards};
use std::sync::Arc;
#[cfg(test)]
pub(super) use supernodal::Split;
pub use symbolic::Symbolic;

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
    /// Both, with the words that name them in scenes.
    pub const NAMES: [(&'static str, Precision); 2] =
        [("single", Precision::Single), ("double", Precision::Double)];
}

words::choice!(Precision, "precision", "precisions are");

/// Why there is no factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfactored {
    /// The matrix is not positive definite to rounding.
    Indefinite,
    /// Memory does not suffice.
    Memory {
        /// Size of the allocation that the system refused \[B\].
        bytes: usize,
    },
}

impl From<Indefinite> for Unfactored {
    fn from(_: Indefinite) -> Self {
        Unfactored::Indefinite
    }
}

/// Relative error of a solve up to which f32 is good enough for corrections: the matrix they are solved with is not the
/// true Hessian, which makes them wrong by far more than this.
const ROUNDED: f64 = 1e-4;

/// A factored positive definite matrix.
pub struct Factor(Stored);

enum Stored {
    Double(Solver<f64>),
    Single(Solver<f32>),
}

/// Evaluate an expression with `$solver` bound to the solver of either precision.
macro_rules! either {
    ($stored:expr, $solver:ident => $result:expr) => {
        match $stored {
            Stored::Double($solver) => $result,
            Stored::Single($solver) => $result,
        }
    };
}

impl Factor {
    /// Factor a matrix with the pattern that was analysed. Fails where it is not positive definite to rounding, or memory
    /// does not suffice. Panics if it has another pattern.
    pub fn new(
        symbolic: &Arc<Symbolic>,
        a: &Symmetric<f64>,
        precision: Precision,
    ) -> Result<Self, Unfactored> {
        Factor::with_kernel(symbolic, a, precision, Kernel::detected())
    }

    /// As [`Factor::new`], stored in f32 if a solve then still finds `probe` to 1e-4 of its size, else in f64. Rounding
    /// changes smooth solutions most, so a probe should be smooth; positions are.
    pub fn rounded(
        symbolic: &Arc<Symbolic>,
        a: &Symmetric<f64>,
        probe: &[DVec3],
    ) -> Result<Self, Unfactored> {
        let mut factor = Factor::new(symbolic, a, Precision::Single)?;
        let mut found = probe.to_vec();
        a.multiply(probe, &mut found);
        factor.solve(&mut found);
        found.iter_mut().zip(probe).for_each(|(found, &probe)| *found -= probe);
        let largest = |v: &[DVec3]| kernel::run(Kernel::detected(), Largest(v));
        let enough = largest(&found) <= ROUNDED * largest(probe);
        if enough { Ok(factor) } else { Factor::new(symbolic, a, Precision::Double) }
    }

    /// As [`Factor::new`], with the instructions named; those this processor lacks are replaced by plain code.
    pub fn with_kernel(
        symbolic: &Arc<Symbolic>,
        a: &Symmetric<f64>,
        precision: Precision,
        kernel: Kernel,
    ) -> Result<Self, Unfactored> {
        let mut factor = Factor(match precision {
            Precision::Double => Stored::Double(Solver::new(symbolic, kernel)?),
            Precision::Single => Stored::Single(Solver::new(symbolic, kernel)?),
        });
        factor.refactor(a)?;
        Ok(factor)
    }

    /// Factor another matrix with the same pattern, in the memory and the precision of this factor: the result is the
    /// same, bit for bit, as that of a new factor. After an error every solution is NaN, until a matrix is factored.
    /// Panics if the matrix has another pattern.
    pub fn refactor(&mut self, a: &Symmetric<f64>) -> Result<(), Unfactored> {
        either!(&mut self.0, solver => solver.factor(a))
    }

    /// Solve in place: on entry the right-hand side, on return the solution.
    pub fn solve(&mut self, b: &mut [DVec3]) {
        either!(&mut self.0, solver => solver.solve(b).store(b))
    }

    /// Solve for the right-hand side b into x.
    pub fn solve_into(&mut self, b: &[DVec3], x: &mut [DVec3]) {
        either!(&mut self.0, solver => solver.solve(b).store(x))
    }

    /// What it is stored in.
    pub fn precision(&self) -> Precision {
        match self.0 {
            Stored::Double(_) => Precision::Double,
            Stored::Single(_) => Precision::Single,
        }
    }

    /// Numbers stored: about what each of the two passes of a solve reads.
    pub fn fill(&self) -> usize {
        either!(&self.0, solver => solver.fill())
    }

    /// The instructions it computes with.
    pub fn kernel(&self) -> Kernel {
        either!(&self.0, solver => solver.kernel)
    }

    /// The analysis it was made from.
    pub fn symbolic(&self) -> &Arc<Symbolic> {
        either!(&self.0, solver => &solver.symbolic)
    }
}

struct Solver<T: Real> {
    symbolic: Arc<Symbolic>,
    kernel: Kernel,
    means: Means,
    parts: Vec<PartSolver<T>>,
    /// The numbers of the panels of all parts, one part after the other: in one piece, which large pages fit under.
    store: Vec<T::Block>,
    /// Power of two that brings the matrix to about 1; NaN if there is no factor.
    scale: f64,
    /// The solution asked for is this times the solution in the parts.
    unscaled: f64,
}

impl<T: Real> Solver<T> {
    /// Everything but the numbers.
    fn new(symbolic: &Arc<Symbolic>, kernel: Kernel) -> Result<Self, Unfactored> {
        let parts = parts::lay_out(symbolic)?;
        let size = parts.last().map_or(0, |part: &PartSolver<T>| part.numbers.end);
        let mut store = Vec::new();
        frontal::reserve(&mut store, size)?;
        prefer_large(&store);
        store.resize(size, T::Block::default());
        let means = Means::new(symbolic.components.count);
        Ok(Solver { symbolic: symbolic.clone(), kernel, means, parts, store, scale: f64::NAN, unscaled: 1.0 })
    }

    /// Compute the numbers.
    fn factor(&mut self, a: &Symmetric<f64>) -> Result<(), Unfactored> {
        let Solver { symbolic, kernel, means, parts, store, .. } = self;
        assert!(symbolic.pattern == a.pattern, "the matrix has the pattern that was analysed");
        self.scale = f64::NAN;
        let scale = power_of_two(1.0 / a.diagonal.iter().fold(0.0, |m: f64, &d| m.max(d)));
        let columns = Columns::new(symbolic, a, scale);
        parts::factor(*kernel, &symbolic.nodes, &columns, parts, store)?;
        means.weigh(&symbolic.components, a, parts.iter_mut().flat_map(|part| &mut part.stretches));
        self.scale = scale;
        Ok(())
    }

    fn fill(&self) -> usize {
        T::WIDTH * self.store.len()
    }

    /// Solve; the solution stays in the parts, to be stored.
    fn solve(&mut self, b: &[DVec3]) -> &Self {
        assert_eq!(b.len(), self.symbolic.pattern.size(), "one right-hand side per row");
        let (kernel, store) = (self.kernel, &self.store);
        // In f32, numbers of small scenes would be denormal: right-hand sides are brought to about 1.
        let to = if T::EXACT { 1.0 } else { power_of_two(1.0 / kernel::run(kernel, Largest(b))) };
        let from = power_of_two(1.0 / to) * self.scale;
        upwards(&mut self.parts, &|part, below| part.forward(kernel, store, b, to, below));
        downwards(&mut self.parts, &[], &|part, above| part.backward(kernel, store, above, from));
        self.means.find(self.parts.iter().flat_map(|part| &part.stretches));
        self.unscaled = from;
        self
    }

    fn store(&self, b: &mut [DVec3]) {
        self.parts.iter().for_each(|part| part.store(self.kernel, b, self.unscaled, &self.means.shifts));
    }
}

/// The largest power of two that is not above a positive number. It is 1 if there is none (0, infinity, NaN), or if it is so
/// large or small that its reciprocal might overflow or underflow.
fn power_of_two(v: f64) -> f64 {
    let power = f64::from_bits(v.to_bits() & 0x7ff0_0000_0000_0000);
    if (1e-300..1e300).contains(&power) { power } else { 1.0 }
}
