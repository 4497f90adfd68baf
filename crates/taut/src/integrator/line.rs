//! g along a line, `φ(t) = g(x + t d) − g(x)`.
//!
//! With p and q the vectors of a spring in x and in d, its length is `l(t)² = p·p + 2t p·q + t² q·q`: three numbers
//! per spring, gathered once, give φ at any t by a pass over plain arrays, and its curvature at 0,
//!
//! ```text
//! φ″(0) = dᵀMd + h² Σ k [(1 − r/l) q·q + (r/l³) (p·q)²].
//! ```
//!
//! Changes are differences of squares, term by term, so small ones keep their digits. Sums are taken in blocks of
//! fixed size: the same bits for any number of threads.

use crate::energy::{Objective, length};
use crate::{Model, SpringKind};
use glam::DVec3;

/// Springs that share a sum.
const BLOCK: usize = 2048;

/// One line through the positions. Remade by [`Line::through`] without allocating.
#[derive(Default)]
pub(super) struct Line {
    blocks: Vec<Block>,
    /// d of every particle, zero where pinned.
    d: Vec<DVec3>,
    /// Inertia's share of φ: `½ t² mass + t moment`.
    mass: f64,
    moment: f64,
}

/// Consecutive springs: h²k, r and the least stretch that has energy; then l, p·q and q·q on the line.
struct Block {
    first: usize,
    stiffness: Vec<f64>,
    rest: Vec<f64>,
    least: Vec<f64>,
    length: Vec<f64>,
    along: Vec<f64>,
    square: Vec<f64>,
    sum: f64,
}

impl Line {
    pub(super) fn new(model: &Model, h: f64) -> Self {
        let block = |(i, springs): (usize, &[crate::Spring])| {
            let zeros = vec![0.0; springs.len()];
            // A slack spring that only pulls has the energy of one at rest.
            let least = |s: &crate::Spring| match s.kind {
                SpringKind::ExtensionOnly => 0.0,
                _ => f64::NEG_INFINITY,
            };
            Block {
                first: i * BLOCK,
                stiffness: springs.iter().map(|s| h * h * s.stiffness).collect(),
                rest: springs.iter().map(|s| s.rest_length).collect(),
                least: springs.iter().map(least).collect(),
                length: zeros.clone(),
                along: zeros.clone(),
                square: zeros,
                sum: 0.0,
            }
        };
        let blocks = model.springs.chunks(BLOCK).enumerate().map(block).collect();
        Line { blocks, d: vec![DVec3::ZERO; model.particles()], ..Line::default() }
    }

    /// The line from `x` along `direction`, one entry per row. Returns φ″(0).
    pub(super) fn through(
        &mut self,
        model: &Model,
        objective: &Objective,
        x: &[DVec3],
        direction: &[DVec3],
    ) -> f64 {
        (self.mass, self.moment) = (0.0, 0.0);
        for (&i, &d) in objective.rows.particles.iter().zip(direction) {
            let i = i as usize;
            self.d[i] = d;
            self.mass += model.masses[i] * d.length_squared();
            self.moment += model.masses[i] * d.dot(x[i] - objective.target[i]);
        }
        let d = &self.d;
        each(&mut self.blocks, |block| block.load(model, x, d));
        self.mass + self.blocks.iter().map(|b| b.sum).sum::<f64>()
    }

    /// φ(t) \[kg·m²\].
    pub(super) fn change(&mut self, t: f64) -> f64 {
        each(&mut self.blocks, |block| block.change(t));
        t * (0.5 * t * self.mass + self.moment) + self.blocks.iter().map(|b| b.sum).sum::<f64>()
    }
}

impl Block {
    /// The three numbers of each spring; the sum is the springs' share of φ″(0).
    fn load(&mut self, model: &Model, x: &[DVec3], d: &[DVec3]) {
        self.sum = 0.0;
        for (i, spring) in model.springs[self.first..][..self.rest.len()].iter().enumerate() {
            let (a, b) = spring.ab();
            let (p, q) = (x[a] - x[b], d[a] - d[b]);
            let (l, pq, qq) = (length(p), p.dot(q), q.length_squared());
            (self.length[i], self.along[i], self.square[i]) = (l, pq, qq);
            // Without length there is no direction, and so no transverse term.
            let (ratio, cosine) = if l > 0.0 { (self.rest[i] / l, pq / l) } else { (0.0, 0.0) };
            let curvature =
                if l - self.rest[i] <= self.least[i] { 0.0 } else { qq - ratio * (qq - cosine * cosine) };
            self.sum += self.stiffness[i] * curvature;
        }
    }

    /// The sum becomes the springs' share of φ(t).
    fn change(&mut self, t: f64) {
        let springs = self.stiffness.iter().zip(&self.rest).zip(&self.least);
        let numbers = self.length.iter().zip(&self.along).zip(&self.square);
        let mut sum = 0.0;
        for (((&k, &r), &least), ((&l, &pq), &qq)) in springs.zip(numbers) {
            let growth = t * (2.0 * pq + t * qq);
            // Rounding may leave a spring that shrinks to nothing just below it.
            let m = (l * l + growth).max(0.0).sqrt();
            let (before, after) = ((l - r).max(least), (m - r).max(least));
            let taut = (l - r).min(m - r) > least && l + m > 0.0;
            let difference = if taut { growth / (l + m) } else { after - before };
            sum += k * difference * (before + after);
        }
        self.sum = 0.5 * sum;
    }
}

/// `f` on every block, at the same time where there are many.
fn each(blocks: &mut [Block], f: impl Fn(&mut Block) + Sync + Send) {
    #[cfg(feature = "threads")]
    if blocks.len() >= WORTH_THREADS && rayon::current_num_threads() > 1 {
        use rayon::prelude::*;
        return blocks.par_iter_mut().for_each(f);
    }
    blocks.iter_mut().for_each(f);
}

/// Blocks above which a pass over them is worth waking other cores for: 50,000 springs, as in `energy`.
#[cfg(feature = "threads")]
const WORTH_THREADS: usize = 25;
