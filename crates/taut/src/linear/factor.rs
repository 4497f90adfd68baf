//! The factor of a constant symmetric matrix, made to be solved with again and again: three right-hand sides.
//!
//! `A = L D Lᵀ` with D block diagonal, in panels over an order of our own (see [`ordering`]); a solve is two
//! passes of dense products over interleaved lanes. Stored in f64, or in f32 for methods that only need a good
//! direction: factored in f64 and rounded once, right-hand sides scaled by a power of two before rounding, the
//! solution has a relative error near 1e-7 times the condition the rounding meets. Does not handle: indefinite
//! matrices, blocks, new values in an old pattern (make a new factor).

use super::frontal::{self, Columns, Update};
use super::kernel::{self, Backward, Forward, Kernel, Panels};
use super::means::Means;
use super::simd::Real;
use super::supernodal::{self, Supernodes};
use super::{Indefinite, Pattern, Symmetric, ordering};
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
            Stored::Double(solver) => solver.solve(b),
            Stored::Single(solver) => solver.solve(b),
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
    panels: Panels<T>,
    /// Original rows of its columns.
    order: Vec<u32>,
    /// The part that waits for it, and where in that one's x the rows are that both share.
    parent: Option<usize>,
    boundary: Vec<u32>,
    /// The parts it waits for.
    children: Vec<usize>,
    /// Its columns, then its boundary, then a row that fills up lists.
    x: Vec<T::Lanes>,
    /// Room for the backward pass.
    points: Vec<[T::Block; 3]>,
}

struct Solver<T: Real> {
    kernel: Kernel,
    means: Option<Means>,
    parts: Vec<Part<T>>,
    /// Ranges of parts that do not wait for each other, only for those of earlier ranges.
    levels: Vec<Range<usize>>,
    /// Power of two that brings the matrix to about 1.
    scale: f64,
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
                parts.push(Part::new(panels, &nodes, p, &boundaries));
            }
        }
        for k in 0..parts.len() {
            if let Some(parent) = parts[k].parent.map(|p| place[p]) {
                parts[k].parent = Some(parent);
                parts[parent].children.push(k);
            }
        }
        let means = (size_of::<T>() < size_of::<f64>()).then(|| Means::new(a));
        Ok(Solver { kernel, means, parts, levels, scale })
    }

    fn fill(&self) -> usize {
        self.parts.iter().map(|p| T::WIDTH * p.panels.values.len()).sum()
    }

    fn solve(&mut self, b: &mut [DVec3]) {
        let rows: usize = self.parts.iter().map(|p| p.order.len()).sum();
        assert_eq!(b.len(), rows, "one right-hand side per row");
        // Brought to about 1, small scenes do not fall into the denormals of f32.
        let largest = if self.means.is_some() { largest(b) } else { 1.0 };
        let (to, from) = (power_of_two(1.0 / largest), power_of_two(1.0 / power_of_two(1.0 / largest)));
        let (kernel, from) = (self.kernel, from * self.scale);
        for level in &self.levels {
            let (before, now) = self.parts[..level.end].split_at_mut(level.start);
            each_at_once(now, |part| {
                part.load(b, to);
                part.x[part.order.len()..].fill(T::Lanes::default());
                for child in part.children.iter().map(|&k| &before[k]) {
                    for (&i, add) in child.boundary.iter().zip(&child.x[child.order.len()..]) {
                        part.x[i as usize] = T::sum(&part.x[i as usize], add);
                    }
                }
                kernel::run(kernel, Forward(&part.panels, &mut part.x));
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
                kernel::run(kernel, Backward(&part.panels, &mut part.x, &mut part.points));
            });
        }
        if let Some(means) = &mut self.means {
            means.remember(b);
        }
        self.parts.iter().for_each(|part| part.store(b, from));
        if let Some(means) = &mut self.means {
            means.restore(b);
        }
    }
}

impl<T: Real> Part<T> {
    /// The p-th part of all; its neighbours are numbered as there.
    fn new(panels: Panels<T>, nodes: &Supernodes, p: usize, boundaries: &[Vec<u32>]) -> Self {
        let parent = nodes.parts[p].parent;
        let own = columns(nodes, p);
        let inside = |&i: &u32| {
            let (outer, far) = (columns(nodes, parent?), &boundaries[parent?]);
            let place = i as usize - outer.start;
            Some(if place < outer.len() { place } else { outer.len() + far.binary_search(&i).ok()? } as u32)
        };
        let boundary: Option<Vec<u32>> = boundaries[p].iter().map(inside).collect();
        let longest = panels.list.iter().map(|p| (p.rows.1 - p.rows.0) as usize).max().unwrap_or(0);
        Part {
            panels,
            x: vec![T::Lanes::default(); own.len() + boundaries[p].len() + 1],
            order: nodes.order[own].to_vec(),
            parent,
            boundary: boundary.expect("what a part shares with later ones it shares with its parent"),
            children: Vec::new(),
            points: vec![[T::Block::default(); 3]; longest],
        }
    }

    fn load(&mut self, b: &[DVec3], scale: f64) {
        for (x, &i) in self.x.iter_mut().zip(&self.order) {
            *x = T::lanes(scale * b[i as usize]);
        }
    }

    fn store(&self, b: &mut [DVec3], scale: f64) {
        for (x, &i) in self.x.iter().zip(&self.order) {
            b[i as usize] = scale * T::point(x);
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

/// The largest coordinate; three chains of comparisons, because one would wait for itself.
fn largest(b: &[DVec3]) -> f64 {
    let larger = |m: f64, v: f64| if v.abs() > m { v.abs() } else { m };
    b.iter()
        .fold(DVec3::ZERO, |m, v| DVec3::new(larger(m.x, v.x), larger(m.y, v.y), larger(m.z, v.z)))
        .max_element()
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

/// `f` on every element, at the same time where there are several and threads.
fn each_at_once<P: Send>(list: &mut [P], f: impl Fn(&mut P) + Sync + Send) {
    #[cfg(feature = "threads")]
    if list.len() > 1 {
        use rayon::prelude::*;
        return list.par_iter_mut().with_max_len(1).for_each(f);
    }
    list.iter_mut().for_each(f);
}
