//! The factor of a constant symmetric matrix, made to be solved with again and again: three right-hand sides.
//!
//! `A = L D Lᵀ` with D block diagonal, in panels over an order of our own (see [`ordering`]); a solve is two
//! passes of dense products over interleaved lanes. Stored in f64, or in f32 for methods that only need a good
//! direction: factored in f64 and rounded once, right-hand sides scaled by a power of two before rounding, the
//! solution has a relative error near 1e-7 times the condition the rounding meets. Does not handle: indefinite
//! matrices, blocks, new values in an old pattern (make a new factor).

use super::exchange::{Largest, Load, Store, Weigh};
use super::frontal::{self, Columns, Update};
use super::kernel::{self, Kernel};
use super::means::{Means, Run};
use super::passes::{Panels, Passes};
use super::simd::Real;
use super::supernodal::{self, Supernodes};
use super::{Indefinite, Pattern, Symmetric, ordering};
use crate::threads::each_chunk;
use glam::DVec3;
use std::ops::Range;

/// The numbers a factor is stored in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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

/// Columns that are solved together, and the rows of later parts they touch.
struct Part<T: Real> {
    passes: Passes<T>,
    /// Original rows of its columns.
    order: Vec<u32>,
    runs: Vec<Run>,
    /// The part that waits for it, and where in that one's x the rows are that both share.
    parent: Option<usize>,
    boundary: Vec<u32>,
    /// The parts it waits for.
    children: Vec<usize>,
    /// Its columns, then its boundary, then a row that fills up lists.
    x: Vec<T::Lanes>,
}

struct Solver<T: Real> {
    kernel: Kernel,
    means: Means,
    parts: Vec<Part<T>>,
    /// Ranges of parts that do not wait for each other, only for those of earlier ranges.
    levels: Vec<Range<usize>>,
    /// Power of two that brings the matrix to about 1.
    scale: f64,
    /// What brings the last solution to its size.
    grown: f64,
}

impl<T: Real> Solver<T> {
    fn new(a: &Symmetric<f64>, kernel: Kernel) -> Result<Self, Unfactored> {
        let nodes = Supernodes::new(ordering(&a.pattern));
        let scale = power_of_two(1.0 / a.diagonal.iter().fold(0.0, |m: f64, &d| m.max(d)));
        let columns = permuted(a, &nodes.order, scale);
        let boundaries: Vec<Vec<u32>> = nodes.parts.iter().map(|p| boundary(&nodes, p)).collect();
        let (sequence, levels) = by_level(&nodes.parts);
        let mut left: Vec<Vec<Update>> = nodes.parts.iter().map(|_| Vec::new()).collect();
        let mut place = vec![0; sequence.len()];
        let means = Means::new(a);
        let mut parts: Vec<Part<T>> = Vec::new();
        for level in &levels {
            let mut jobs: Vec<_> =
                sequence[level.clone()].iter().map(|&p| (p, std::mem::take(&mut left[p]), None)).collect();
            each_at_once(&mut jobs, |(p, updates, done)| {
                let (range, updates) = (nodes.parts[*p].nodes.clone(), std::mem::take(updates));
                *done = Some(frontal::factor(kernel, &columns, &nodes, range, updates, &boundaries[*p]));
            });
            for (p, _, done) in jobs {
                let (panels, updates) = done.expect("each has been done")?;
                if let Some(parent) = nodes.parts[p].parent {
                    left[parent].extend(updates);
                }
                place[p] = parts.len();
                parts.push(Part::new(panels, &nodes, p, &boundaries, &means));
            }
        }
        for k in 0..parts.len() {
            if let Some(parent) = parts[k].parent.map(|p| place[p]) {
                parts[k].parent = Some(parent);
                parts[parent].children.push(k);
            }
        }
        Ok(Solver { kernel, means, parts, levels, scale, grown: 1.0 })
    }

    fn fill(&self) -> usize {
        self.parts.iter().map(|p| p.passes.fill()).sum()
    }

    /// Solve; the solution stays in the parts, to be stored.
    fn solve(&mut self, b: &[DVec3]) -> &Self {
        let rows: usize = self.parts.iter().map(|p| p.order.len()).sum();
        assert_eq!(b.len(), rows, "one right-hand side per row");
        let kernel = self.kernel;
        // Brought to about 1, small scenes do not fall into the denormals of f32.
        let to = if T::EXACT { 1.0 } else { power_of_two(1.0 / kernel::run(kernel, Largest(b))) };
        let from = power_of_two(1.0 / to) * self.scale;
        for level in &self.levels {
            let (before, now) = self.parts[..level.end].split_at_mut(level.start);
            each_at_once(now, |part| {
                part.load(kernel, b, to);
                part.x[part.order.len()..].fill(T::Lanes::default());
                for child in part.children.iter().map(|&k| &before[k]) {
                    for (&i, add) in child.boundary.iter().zip(&child.x[child.order.len()..]) {
                        part.x[i as usize] = T::sum(&part.x[i as usize], add);
                    }
                }
                part.passes.forward(kernel, &mut part.x);
            });
        }
        for level in self.levels.iter().rev() {
            let (now, after) = self.parts[level.start..].split_at_mut(level.len());
            each_at_once(now, |part| {
                if let Some(parent) = part.parent.map(|k| &after[k - level.end]) {
                    for (x, &i) in part.x[part.order.len()..].iter_mut().zip(&part.boundary) {
                        *x = parent.x[i as usize];
                    }
                }
                part.passes.backward(kernel, &mut part.x);
                part.weigh(kernel, from);
            });
        }
        self.means.find(self.parts.iter().flat_map(|part| &part.runs));
        self.grown = from;
        self
    }

    fn store(&self, b: &mut [DVec3]) {
        self.parts.iter().for_each(|part| part.store(self.kernel, b, self.grown, &self.means.shifts));
    }
}

impl<T: Real> Part<T> {
    /// The p-th part of all; its neighbours are numbered as there.
    fn new(panels: Panels<T>, nodes: &Supernodes, p: usize, boundaries: &[Vec<u32>], means: &Means) -> Self {
        let parent = nodes.parts[p].parent;
        let own = columns(nodes, p);
        let inside = |&i: &u32| {
            let (outer, far) = (columns(nodes, parent?), &boundaries[parent?]);
            let place = i as usize - outer.start;
            Some(if place < outer.len() { place } else { outer.len() + far.binary_search(&i).ok()? } as u32)
        };
        let boundary: Option<Vec<u32>> = boundaries[p].iter().map(inside).collect();
        let size = own.len() + boundaries[p].len() + 1;
        let order = nodes.order[own].to_vec();
        Part {
            passes: Passes::new(panels, size),
            x: vec![T::Lanes::default(); size],
            runs: means.runs(&order),
            order,
            parent,
            boundary: boundary.expect("what a part shares with later ones it shares with its parent"),
            children: Vec::new(),
        }
    }

    fn load(&mut self, kernel: Kernel, b: &[DVec3], scale: f64) {
        for Run { columns, missing, .. } in &mut self.runs {
            let (order, x) = (&self.order[columns.clone()], &mut self.x[columns.clone()]);
            *missing = kernel::run(kernel, Load::<T> { b, order, scale, x });
        }
    }

    /// What the solution misses of its mean; in f64 nothing that could be mended.
    fn weigh(&mut self, kernel: Kernel, scale: f64) {
        for Run { columns, weights, missing, .. } in &mut self.runs {
            let x = &self.x[columns.clone()];
            let found = || scale * kernel::run(kernel, Weigh::<T> { weights, x });
            *missing = if T::EXACT { DVec3::ZERO } else { *missing - found() };
        }
    }

    fn store(&self, kernel: Kernel, b: &mut [DVec3], scale: f64, shifts: &[DVec3]) {
        for Run { columns, component, .. } in &self.runs {
            let (order, x, shift) =
                (&self.order[columns.clone()], &self.x[columns.clone()], shifts[*component]);
            kernel::run(kernel, Store::<T> { b: &mut *b, order, scale, shift, x });
        }
    }
}

/// Columns of a part.
fn columns(nodes: &Supernodes, p: usize) -> Range<usize> {
    let part = &nodes.parts[p].nodes;
    nodes.first[part.start] as usize..nodes.first[part.end] as usize
}

/// Rows of later parts that a part touches, ascending.
fn boundary(nodes: &Supernodes, part: &supernodal::Part) -> Vec<u32> {
    let end = nodes.first[part.nodes.end];
    let mut rows: Vec<u32> =
        part.nodes.clone().flat_map(|s| nodes.rows(s)).copied().filter(|&i| i >= end).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// The parts, those that wait for none first, then those that wait for these only, and so on; and where each such
/// level begins and ends.
fn by_level(parts: &[supernodal::Part]) -> (Vec<usize>, Vec<Range<usize>>) {
    let mut level = vec![0; parts.len()];
    for p in 0..parts.len() {
        if let Some(parent) = parts[p].parent {
            level[parent] = level[parent].max(level[p] + 1);
        }
    }
    let mut sequence: Vec<usize> = (0..parts.len()).collect();
    sequence.sort_by_key(|&p| level[p]);
    let chunks = sequence.chunk_by(|&p, &q| level[p] == level[q]);
    let levels = chunks.scan(0, |end, chunk| {
        *end += chunk.len();
        Some(*end - chunk.len()..*end)
    });
    (sequence.clone(), levels.collect())
}

/// The power of two at or below a positive number; 1 for anything without one (0, infinite, not a number) and
/// for what is so near the ends of the range that its reciprocal would leave it.
fn power_of_two(v: f64) -> f64 {
    let power = f64::from_bits(v.to_bits() & 0x7ff0_0000_0000_0000);
    if (1e-300..1e300).contains(&power) { power } else { 1.0 }
}

/// The matrix in elimination order, times `scale`.
fn permuted(a: &Symmetric<f64>, order: &[u32], scale: f64) -> Columns {
    let n = order.len();
    let mut place = vec![0u32; n];
    (0u32..).zip(order).for_each(|(new, &old)| place[old as usize] = new);
    let pairs = |pattern: &Pattern, visit: &mut dyn FnMut(u32, u32, usize)| {
        for j in 0..n {
            for slot in pattern.column(j) {
                let (p, q) = (place[pattern.rows[slot] as usize], place[j]);
                visit(p.min(q), p.max(q), slot);
            }
        }
    };
    let mut start = vec![0u32; n + 1];
    pairs(&a.pattern, &mut |column, _, _| start[column as usize + 1] += 1);
    (0..n).for_each(|k| start[k + 1] += start[k]);
    let mut next = start.clone();
    let (mut rows, mut values) = (vec![0; a.upper.len()], vec![0.0; a.upper.len()]);
    pairs(&a.pattern, &mut |column, row, slot| {
        let at = next[column as usize] as usize;
        next[column as usize] += 1;
        (rows[at], values[at]) = (row, scale * a.upper[slot]);
    });
    let diagonal = order.iter().map(|&i| scale * a.diagonal[i as usize]).collect();
    Columns { start, rows, values, diagonal }
}

/// `f` on every element, at the same time where there are several.
fn each_at_once<P: Send>(list: &mut [P], f: impl Fn(&mut P) + Sync + Send) {
    each_chunk(list.len() > 1, 1, list, |_, one| f(&mut one[0]));
}
