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
use crate::linear::{Kernel, Real, Simd, Wide, Work, run};
use crate::{Model, Spring, SpringKind};
use glam::DVec3;

/// Springs in a block.
const BLOCK: usize = 2048;

type Row = Wide<[f64; 4]>;

/// One line through the positions. Remade by [`Line::through`] without allocating.
#[derive(Default)]
pub(super) struct Line {
    blocks: Vec<Block>,
    x: Vec<Row>,
    /// Zero where pinned.
    d: Vec<Row>,
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

/// Four springs side by side, the last filled up with springs without stiffness.
#[derive(Clone, Copy)]
struct Four {
    ends: [[u32; 4]; 2],
    /// h²k.
    stiffness: Row,
    rest: Row,
    pulls_only: [bool; 4],
    /// On the line: l, p·q and q·q.
    length: Row,
    along: Row,
    square: Row,
    /// All push and pull, and have lengths that plain arithmetic can square.
    ordinary: bool,
}

impl Line {
    pub(super) fn new(model: &Model, h: f64) -> Self {
        let block = |(i, springs): (usize, &[Spring])| {
            let fours = springs.chunks(4).map(|s| Four::new(s, h)).collect();
            Block { first: i * BLOCK, fours, sum: 0.0 }
        };
        let blocks = model.springs.chunks(BLOCK).enumerate().map(block).collect();
        let rows = vec![Row::default(); model.particles()];
        Line { blocks, x: rows.clone(), d: rows, ..Line::default() }
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
        self.x.iter_mut().zip(x).for_each(|(own, &x)| *own = f64::lanes(x));
        for (&i, &d) in objective.rows.particles.iter().zip(direction) {
            let i = i as usize;
            self.d[i] = f64::lanes(d);
            self.mass += model.masses[i] * d.length_squared();
            self.moment += model.masses[i] * d.dot(x[i] - objective.target[i]);
        }
        let (x, d, kernel) = (&self.x[..], &self.d[..], Kernel::detected());
        each(&mut self.blocks, |Block { first, fours, sum }| {
            let springs = &model.springs[*first..];
            *sum = run(kernel, Load { springs, fours, x, d });
        });
        self.mass + self.blocks.iter().map(|b| b.sum).sum::<f64>()
    }

    /// φ(t) \[kg·m²\].
    pub(super) fn change(&mut self, t: f64) -> f64 {
        let kernel = Kernel::detected();
        each(&mut self.blocks, |Block { fours, sum, .. }| *sum = 0.5 * run(kernel, Change { fours, t }));
        t * (0.5 * t * self.mass + self.moment) + self.blocks.iter().map(|b| b.sum).sum::<f64>()
    }
}

/// The three numbers of each spring; returns their share of φ″(0), `Σ h²k [q·q − (r/l) (q·q − (p·q/l)²)]`.
struct Load<'a> {
    springs: &'a [Spring],
    fours: &'a mut [Four],
    x: &'a [Row],
    d: &'a [Row],
}

impl Work<f64> for Load<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> f64 {
        let dot = |[a, b, c]: [V::Vector; 3], [d, e, f]: [V::Vector; 3]| {
            V::add(V::add(V::multiply(a, d), V::multiply(b, e)), V::multiply(c, f))
        };
        let mut sum = V::splat(0.0);
        for (four, springs) in self.fours.iter_mut().zip(self.springs.chunks(4)) {
            let [a, b] = &four.ends;
            let (p, q) = (V::differences(self.x, a, b), V::differences(self.d, a, b));
            let (squared, pq, qq) = (dot(p, p), dot(p, q), dot(q, q));
            let l = V::sqrt(squared);
            (four.along, four.square, four.length) = (V::store(pq), V::store(qq), V::store(l));
            four.ordinary = four.pulls_only == [false; 4] && V::all_normal(squared);
            let share = if four.ordinary {
                let cosine = V::divide(pq, l);
                let across = V::subtract(qq, V::multiply(cosine, cosine));
                let ratio = V::divide(V::load(&four.rest), l);
                V::multiply(V::load(&four.stiffness), V::subtract(qq, V::multiply(ratio, across)))
            } else {
                V::load(&four.odd_curvature(springs, self.x))
            };
            sum = V::add(sum, share);
        }
        total(V::store(sum))
    }
}

/// Twice the springs' share of φ(t), `Σ h²k (m − l) ((m − r) + (l − r))`, m the length at t.
struct Change<'a> {
    fours: &'a [Four],
    t: f64,
}

impl Work<f64> for Change<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> f64 {
        let (zero, t) = (V::splat(0.0), V::splat(self.t));
        let mut sum = zero;
        for four in self.fours {
            let share = if four.ordinary {
                let (l, r, pq) = (V::load(&four.length), V::load(&four.rest), V::load(&four.along));
                let growth = V::multiply(t, V::add(V::add(pq, pq), V::multiply(t, V::load(&four.square))));
                // Rounding may leave a spring that shrinks to nothing just below it.
                let m = V::sqrt(V::max(V::add(V::multiply(l, l), growth), zero));
                let difference = V::divide(growth, V::add(l, m));
                let stretches = V::add(V::subtract(l, r), V::subtract(m, r));
                V::multiply(V::load(&four.stiffness), V::multiply(difference, stretches))
            } else {
                V::load(&four.odd_change(self.t))
            };
            sum = V::add(sum, share);
        }
        total(V::store(sum))
    }
}

fn total(Wide([a, b, c, d]): Row) -> f64 {
    (a + b) + (c + d)
}

impl Four {
    fn new(springs: &[Spring], h: f64) -> Self {
        let spring = |i: usize| springs.get(i).unwrap_or(&springs[0]);
        Four {
            ends: [0, 1].map(|end| std::array::from_fn(|i| spring(i).ends[end])),
            stiffness: Wide(std::array::from_fn(|i| springs.get(i).map_or(0.0, |s| h * h * s.stiffness))),
            rest: Wide(std::array::from_fn(|i| spring(i).rest_length)),
            pulls_only: std::array::from_fn(|i| spring(i).kind == SpringKind::ExtensionOnly),
            length: Row::default(),
            along: Row::default(),
            square: Row::default(),
            ordinary: false,
        }
    }

    /// The least stretch that has energy: a slack spring that only pulls has that of one at rest.
    fn least(&self, i: usize) -> f64 {
        if self.pulls_only[i] { 0.0 } else { f64::NEG_INFINITY }
    }

    /// As in [`Load`], for any springs.
    #[cold]
    fn odd_curvature(&mut self, springs: &[Spring], x: &[Row]) -> Row {
        for (l, spring) in self.length.0.iter_mut().zip(springs) {
            let (a, b) = spring.ab();
            *l = length(f64::point(&x[a]) - f64::point(&x[b]));
        }
        Wide(std::array::from_fn(|i| {
            let (l, r, qq) = (self.length.0[i], self.rest.0[i], self.square.0[i]);
            // Without length there is no direction, and so no transverse term.
            let inverse = if l > 0.0 { 1.0 / l } else { 0.0 };
            let cosine = self.along.0[i] * inverse;
            let curvature = qq - r * inverse * (qq - cosine * cosine);
            if l - r > self.least(i) { self.stiffness.0[i] * curvature } else { 0.0 }
        }))
    }

    /// As in [`Change`], for any springs.
    #[cold]
    fn odd_change(&self, t: f64) -> Row {
        Wide(std::array::from_fn(|i| {
            let (l, r, least) = (self.length.0[i], self.rest.0[i], self.least(i));
            let growth = t * (2.0 * self.along.0[i] + t * self.square.0[i]);
            let m = (l * l + growth).max(0.0).sqrt();
            let (before, after) = ((l - r).max(least), (m - r).max(least));
            let taut = (l - r).min(m - r) > least && l + m > 0.0;
            let difference = if taut { growth / (l + m) } else { after - before };
            self.stiffness.0[i] * difference * (before + after)
        }))
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
