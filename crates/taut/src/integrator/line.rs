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
use crate::{Model, Spring, SpringKind};
use glam::DVec3;

/// Springs in a block.
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

/// Springs that share a sum.
struct Block {
    first: usize,
    fours: Vec<Four>,
    sum: f64,
}

/// Four springs side by side: h²k, r and the least stretch that has energy; then l, p·q and q·q on the line.
#[derive(Clone, Copy, Default)]
struct Four {
    stiffness: [f64; 4],
    rest: [f64; 4],
    least: [f64; 4],
    length: [f64; 4],
    along: [f64; 4],
    square: [f64; 4],
}

impl Line {
    pub(super) fn new(model: &Model, h: f64) -> Self {
        let block = |(i, springs): (usize, &[Spring])| {
            let fours = springs.chunks(4).map(|s| Four::new(s, h)).collect();
            Block { first: i * BLOCK, fours, sum: 0.0 }
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
    /// The three numbers of each spring; the sum becomes the springs' share of φ″(0).
    fn load(&mut self, model: &Model, x: &[DVec3], d: &[DVec3]) {
        let mut sums = [0.0; 4];
        for (four, springs) in self.fours.iter_mut().zip(model.springs[self.first..].chunks(4)) {
            four.load(springs, x, d);
            let curvature = four.curvature();
            (0..4).for_each(|i| sums[i] += curvature[i]);
        }
        self.sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }

    /// The sum becomes the springs' share of φ(t).
    fn change(&mut self, t: f64) {
        let mut sums = [0.0; 4];
        for four in &self.fours {
            let change = four.change(t);
            (0..4).for_each(|i| sums[i] += change[i]);
        }
        self.sum = 0.5 * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
    }
}

impl Four {
    fn new(springs: &[Spring], h: f64) -> Self {
        let mut four = Four::default();
        for (i, spring) in springs.iter().enumerate() {
            four.stiffness[i] = h * h * spring.stiffness;
            four.rest[i] = spring.rest_length;
            // A slack spring that only pulls has the energy of one at rest.
            let pulls = spring.kind == SpringKind::ExtensionOnly;
            four.least[i] = if pulls { 0.0 } else { f64::NEG_INFINITY };
        }
        four
    }

    #[inline]
    fn load(&mut self, springs: &[Spring], x: &[DVec3], d: &[DVec3]) {
        let mut squared = [1.0; 4];
        for (i, spring) in springs.iter().enumerate().take(4) {
            let (a, b) = spring.ab();
            let (p, q) = (x[a] - x[b], d[a] - d[b]);
            (squared[i], self.along[i], self.square[i]) = (p.length_squared(), p.dot(q), q.length_squared());
        }
        self.length = squared.map(f64::sqrt);
        if !squared.iter().all(|s| s.is_normal()) {
            for (l, spring) in self.length.iter_mut().zip(springs) {
                let (a, b) = spring.ab();
                *l = length(x[a] - x[b]);
            }
        }
    }

    /// h²k [(1 − r/l) q·q + (r/l³) (p·q)²].
    #[inline]
    fn curvature(&self) -> [f64; 4] {
        std::array::from_fn(|i| {
            let (l, qq, r) = (self.length[i], self.square[i], self.rest[i]);
            // Without length there is no direction, and so no transverse term.
            let inverse = if l > 0.0 { 1.0 / l } else { 0.0 };
            let along = self.along[i] * inverse;
            let curvature = qq - r * inverse * (qq - along * along);
            if l - r > self.least[i] { self.stiffness[i] * curvature } else { 0.0 }
        })
    }

    /// Twice the change of ½ h²k (l − r)².
    #[inline]
    fn change(&self, t: f64) -> [f64; 4] {
        std::array::from_fn(|i| {
            let (l, r, least) = (self.length[i], self.rest[i], self.least[i]);
            let growth = t * (2.0 * self.along[i] + t * self.square[i]);
            // Rounding may leave a spring that shrinks to nothing just below it.
            let m = (l * l + growth).max(0.0).sqrt();
            let (before, after) = ((l - r).max(least), (m - r).max(least));
            let taut = ((l - r).min(m - r) > least) & (l + m > 0.0);
            let difference = if taut { growth / (l + m) } else { after - before };
            self.stiffness[i] * difference * (before + after)
        })
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
