//! Conjugate gradients under constraints (MPCG), \[BA04\] §4 after Baraff & Witkin 1998 and Ascher & Boxerman 2003.
//!
//! Each row has an orthogonal projection S and a prescribed value z. Sought is the x with
//!
//! ```text
//! S A x = S b,      (I − S) x = (I − S) z
//! ```
//!
//! (eq. (9a) of \[BA04\] lacks the A). With `b̂ = S (b − A (I − S) z)` this is `S A S u = b̂` for the component u = S x
//! of x, and on range(S) the matrix S A S is positive definite if A is. Stops when `rᵀP⁻¹r ≤ ε² b̂ᵀP⁻¹b̂`.
//!
//! A may consist of diagonal blocks that no entry connects. Each block is solved separately, with its own step lengths:
//! blocks that converge early save products, and different blocks may be solved by different threads. Sums run over one
//! block in order, so the answer is the same at any number of threads.

use super::pcg::{axpy, dot};
use super::projection::{Preconditioner, Projection};
use crate::linear::Symmetric;
use crate::threads::{ITERATED_WORTH_THREADS, both, several};
use glam::{DMat3, DVec3};

/// The system to be solved; all lists have one entry per row.
#[derive(Debug, Clone, Copy)]
pub struct Constrained<'a> {
    /// A, positive definite.
    pub matrix: &'a Symmetric<DMat3>,
    /// b.
    pub right: &'a [DVec3],
    /// S.
    pub projections: &'a [Projection],
    /// z; only (I − S) z is used.
    pub prescribed: &'a [DVec3],
}

/// How to solve it, and how exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accuracy {
    /// The preconditioner P.
    pub preconditioner: Preconditioner,
    /// The tolerance ε (dimensionless).
    pub tolerance: f64,
    /// Iterations per block at most.
    pub limit: usize,
}

/// What a solve took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// Iterations, summed over the blocks.
    pub iterations: usize,
    /// Rows multiplied by a vector (the RVM of \[BA04\]): products times rows, summed over the blocks.
    pub rows: usize,
    /// Blocks that reached the limit before the tolerance.
    pub unfinished: usize,
}

impl std::ops::Add for Effort {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Effort {
            iterations: self.iterations + other.iterations,
            rows: self.rows + other.rows,
            unfinished: self.unfinished + other.unfinished,
        }
    }
}

/// The work vectors of a solver.
#[derive(Debug, Clone, Default)]
pub struct Mpcg {
    work: [Vec<DVec3>; 4],
    inverses: Vec<DMat3>,
}

/// The pieces of all vectors that belong to some consecutive blocks.
struct Pieces<'a> {
    /// Their first row.
    first: usize,
    x: &'a mut [DVec3],
    work: [&'a mut [DVec3]; 4],
    inverses: &'a mut [DMat3],
}

impl<'a> Pieces<'a> {
    /// The first `rows` rows, and the others.
    fn split(self, rows: usize) -> (Pieces<'a>, Pieces<'a>) {
        let (x, other_x) = self.x.split_at_mut(rows);
        let (inverses, other_inverses) = self.inverses.split_at_mut(rows);
        let [(r, other_r), (s, other_s), (p, other_p), (q, other_q)] =
            self.work.map(|w| w.split_at_mut(rows));
        let other = Pieces {
            first: self.first + rows,
            x: other_x,
            work: [other_r, other_s, other_p, other_q],
            inverses: other_inverses,
        };
        (Pieces { first: self.first, x, work: [r, s, p, q], inverses }, other)
    }
}

impl Mpcg {
    /// Solve from the guess in `x`, which the answer replaces. `ends` are the ends of the blocks, in rows: the last is
    /// the number of rows, and nothing in A connects rows of different blocks.
    pub fn solve(
        &mut self,
        system: Constrained,
        ends: &[u32],
        x: &mut [DVec3],
        accuracy: Accuracy,
    ) -> Effort {
        let n = x.len();
        self.work.iter_mut().for_each(|w| w.resize(n, DVec3::ZERO));
        self.inverses.resize(n, DMat3::ZERO);
        let work = self.work.each_mut().map(|w| &mut w[..n]);
        solve_all(&system, ends, Pieces { first: 0, x, work, inverses: &mut self.inverses[..n] }, &accuracy)
    }
}

fn solve_all(system: &Constrained, ends: &[u32], pieces: Pieces, accuracy: &Accuracy) -> Effort {
    match ends.len() {
        0 => Effort::default(),
        1 => solve_one(system, pieces, accuracy),
        _ => {
            let (first, rows) = (pieces.first, pieces.x.len());
            let half = ends.partition_point(|&e| (e as usize - first) < rows / 2).clamp(1, ends.len() - 1);
            let (left, right) = pieces.split(ends[half - 1] as usize - first);
            let sides = (&ends[..half], &ends[half..]);
            let (a, b) = both(
                rows >= ITERATED_WORTH_THREADS && several(),
                || solve_all(system, sides.0, left, accuracy),
                || solve_all(system, sides.1, right, accuracy),
            );
            a + b
        }
    }
}

fn solve_one(system: &Constrained, pieces: Pieces, accuracy: &Accuracy) -> Effort {
    let Pieces { first, x, work: [r, s, p, q], inverses } = pieces;
    let rows = first..first + x.len();
    let (matrix, projections) = (system.matrix, &system.projections[rows.clone()]);
    let (b, z) = (&system.right[rows.clone()], &system.prescribed[rows.clone()]);
    let mut effort = Effort::default();
    let mut multiply = |v: &[DVec3], out: &mut [DVec3]| {
        effort.rows += v.len();
        matrix.multiply_part(first, v, out);
        out.iter_mut().zip(projections).for_each(|(v, projection)| *v = projection.apply(*v));
    };
    for ((inverse, &c), &projection) in inverses.iter_mut().zip(&matrix.diagonal[rows]).zip(projections) {
        *inverse = accuracy.preconditioner.inverse(c, projection);
    }
    let precondition = |r: &[DVec3], s: &mut [DVec3]| {
        let all = s.iter_mut().zip(r).zip(&*inverses).zip(projections);
        all.for_each(|(((s, &r), inverse), projection)| *s = projection.apply(*inverse * r));
    };

    // First r = b̂, the residual of x = (I − S) z. Then r −= S A S x for the guess x.
    let nonzero = |v: &[DVec3]| v.iter().any(|&v| v != DVec3::ZERO);
    r.iter_mut().zip(b).zip(projections).for_each(|((r, &b), projection)| *r = projection.apply(b));
    p.iter_mut().zip(z).zip(projections).for_each(|((p, &z), projection)| *p = projection.complement(z));
    if nonzero(p) {
        multiply(p, q);
        axpy(r, -1.0, q);
    }
    precondition(r, s);
    let mut rs = dot(r, s);
    let goal = accuracy.tolerance * accuracy.tolerance * rs;
    x.iter_mut().zip(projections).for_each(|(x, projection)| *x = projection.apply(*x));
    if nonzero(x) {
        multiply(x, q);
        axpy(r, -1.0, q);
        precondition(r, s);
        let guessed = dot(r, s);
        if guessed < rs {
            rs = guessed;
        } else {
            // The guess is worse than x = 0.
            axpy(r, 1.0, q);
            precondition(r, s);
            x.fill(DVec3::ZERO);
        }
    }
    p.copy_from_slice(s);
    let mut iterations = 0;
    // A right-hand side of zeros has the solution zero. NaN ends the loop too, and is found by the caller.
    while rs > goal && iterations < accuracy.limit {
        multiply(p, q);
        let curvature = dot(p, q);
        if curvature.is_nan() || curvature <= 0.0 {
            break;
        }
        let alpha = rs / curvature;
        axpy(x, alpha, p);
        axpy(r, -alpha, q);
        precondition(r, s);
        let next = dot(r, s);
        let beta = next / rs;
        rs = next;
        p.iter_mut().zip(&*s).for_each(|(p, &s)| *p = s + beta * *p);
        iterations += 1;
    }
    let all = x.iter_mut().zip(z).zip(projections);
    all.for_each(|((x, &z), projection)| *x = projection.apply(*x) + projection.complement(z));
    effort.iterations = iterations;
    effort.unfinished = usize::from(rs > goal);
    effort
}
