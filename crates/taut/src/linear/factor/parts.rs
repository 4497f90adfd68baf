//! Parts of a factor, each with the panels of a subtree: factored and solved one after the other along a branch, at the
//! same time on different ones.
//!
//! They are listed in trees, what is below a part directly before it. A part has its own piece of x: its columns, and
//! the rows of parts above that it touches, where it gathers what those are to add to theirs. Nothing is written by two,
//! so the answer is the same for any number of threads; and a thread that took one of two branches works through it
//! without waiting for the other.

use super::Unfactored;
use super::exchange::{Load, Store, Weigh};
use super::frontal::{self, Columns, Update};
use super::means::{Means, Run};
use super::supernodal::{self, Supernodes};
use crate::kernel::Real;
use crate::kernel::prefer_large;
use crate::kernel::{self, Kernel};
use crate::kernel::{Panels, Passes};
use crate::linear::{Pattern, Symmetric};
use crate::threads::both;
use glam::DVec3;
use std::ops::Range;

/// Columns that are solved together, and the rows of later parts they touch.
pub(super) struct Part<T: Real> {
    passes: Passes<T>,
    /// Original rows of its columns.
    pub order: Vec<u32>,
    pub runs: Vec<Run>,
    /// How many parts it waits for: those directly before it.
    below: usize,
    /// Where the rows it touches are in the x of the part that waits for it.
    boundary: Vec<u32>,
    /// Its columns, then its boundary, then a row that fills up lists.
    x: Vec<T::Lanes>,
}

impl<T: Real> Part<T> {
    /// The first half of a solve, after the parts below it.
    pub fn forward(
        &mut self,
        kernel: Kernel,
        store: &[T::Block],
        b: &[DVec3],
        scale: f64,
        below: &[Part<T>],
    ) {
        self.load(kernel, b, scale);
        self.x[self.order.len()..].fill(T::Lanes::default());
        for child in roots(below) {
            for (&i, add) in child.boundary.iter().zip(&child.x[child.order.len()..]) {
                self.x[i as usize] = T::sum(&self.x[i as usize], add);
            }
        }
        self.passes.forward(kernel, store, &mut self.x);
    }

    /// The second half, after the part above it, whose x is given.
    pub fn backward(&mut self, kernel: Kernel, store: &[T::Block], above: &[T::Lanes], scale: f64) {
        for (x, &i) in self.x[self.order.len()..].iter_mut().zip(&self.boundary) {
            *x = above[i as usize];
        }
        self.passes.backward(kernel, store, &mut self.x);
        self.weigh(kernel, scale);
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

    /// Write the solution of its columns.
    pub fn store(&self, kernel: Kernel, b: &mut [DVec3], scale: f64, shifts: &[DVec3]) {
        for Run { columns, component, .. } in &self.runs {
            let (order, x, shift) =
                (&self.order[columns.clone()], &self.x[columns.clone()], shifts[*component]);
            kernel::run(kernel, Store::<T> { b: &mut *b, order, scale, shift, x });
        }
    }
}

/// The last of some trees apart: the others, what is below its root, and that.
type LastApart<'a, T> = (&'a mut [Part<T>], &'a mut [Part<T>], &'a mut Part<T>);

fn last_apart<T: Real>(parts: &mut [Part<T>]) -> Option<LastApart<'_, T>> {
    let (root, others) = parts.split_last_mut()?;
    let (others, below) = others.split_at_mut(others.len() - root.below);
    Some((others, below, root))
}

/// `f(part, below)` on each part of some trees, after those below it; trees next to each other at the same time.
pub(super) fn upwards<T: Real>(parts: &mut [Part<T>], f: &(impl Fn(&mut Part<T>, &[Part<T>]) + Sync)) {
    if let Some((others, below, root)) = last_apart(parts) {
        let tree = || {
            upwards(below, f);
            f(root, below);
        };
        both(!others.is_empty(), || upwards(others, f), tree);
    }
}

/// `f(part, x of the part above it)` on each part of some trees, before those below it.
pub(super) fn downwards<T: Real>(
    parts: &mut [Part<T>],
    above: &[T::Lanes],
    f: &(impl Fn(&mut Part<T>, &[T::Lanes]) + Sync),
) {
    if let Some((others, below, root)) = last_apart(parts) {
        let tree = || {
            f(root, above);
            downwards(below, &root.x, f);
        };
        both(!others.is_empty(), || downwards(others, above, f), tree);
    }
}

/// The roots of some trees, last first.
fn roots<T: Real>(mut parts: &[Part<T>]) -> impl Iterator<Item = &Part<T>> {
    std::iter::from_fn(move || {
        let (root, others) = parts.split_last()?;
        parts = &others[..others.len() - root.below];
        Some(root)
    })
}

/// Parts, and the numbers of all of them: in one piece, which large pages fit under.
pub(super) type Factored<T> = (Vec<Part<T>>, Vec<<T as Real>::Block>);

/// Factor a matrix times `scale`.
pub(super) fn factored<T: Real>(
    kernel: Kernel,
    a: &Symmetric<f64>,
    scale: f64,
    nodes: &Supernodes,
    means: &Means,
) -> Result<Factored<T>, Unfactored> {
    let columns = permuted(a, &nodes.order, scale);
    let boundaries: Vec<Vec<u32>> = nodes.parts.iter().map(|p| boundary(nodes, p)).collect();
    let plan = Plan { kernel, nodes, columns: &columns, boundaries: &boundaries, means };
    let (grown, _) = plan.forest(0..nodes.parts.len(), None)?;
    let mut store = Vec::new();
    if grown.len() > 1 {
        frontal::reserve(&mut store, grown.iter().map(|(panels, _)| panels.values.len()).sum())?;
        prefer_large(&store);
    }
    let parts = grown.into_iter().enumerate();
    Ok((parts.map(|(p, (panels, above))| plan.part(panels, p, above, &mut store)).collect(), store))
}

/// All that parts are made of.
struct Plan<'a> {
    kernel: Kernel,
    nodes: &'a Supernodes,
    columns: &'a Columns,
    /// Rows of later parts that each part touches.
    boundaries: &'a [Vec<u32>],
    means: &'a Means,
}

/// The panels of each part and the part above it, and what they leave for later ones.
type Grown<T> = Result<(Vec<(Panels<T>, Option<usize>)>, Vec<Update>), Unfactored>;

impl Plan<'_> {
    /// Factor some trees of parts that all wait for `above`, trees next to each other at the same time.
    fn forest<T: Real>(&self, parts: Range<usize>, above: Option<usize>) -> Grown<T> {
        let Some(root) = parts.clone().last() else { return Ok(Default::default()) };
        let begin = root - self.nodes.parts[root].below;
        let (mut others, mut tree) = (Ok(Default::default()), Ok(Default::default()));
        both(
            parts.start < begin,
            || others = self.forest(parts.start..begin, above),
            || tree = self.tree(begin..root, root, above),
        );
        let ((mut parts, mut updates), (more, left)) = (others?, tree?);
        parts.extend(more);
        updates.extend(left);
        Ok((parts, updates))
    }

    fn tree<T: Real>(&self, below: Range<usize>, root: usize, above: Option<usize>) -> Grown<T> {
        let (mut parts, updates) = self.forest(below, Some(root))?;
        let (nodes, boundary) = (self.nodes.parts[root].nodes.clone(), &self.boundaries[root]);
        let (panels, left) =
            frontal::factor(self.kernel, self.columns, self.nodes, nodes, updates, boundary)?;
        parts.push((panels, above));
        Ok((parts, left))
    }

    /// A part; the rows it touches are numbered as in the one above.
    fn part<T: Real>(
        &self,
        panels: Panels<T>,
        p: usize,
        above: Option<usize>,
        store: &mut Vec<T::Block>,
    ) -> Part<T> {
        let Plan { nodes, boundaries, means, .. } = self;
        let own = columns(nodes, p);
        let inside = |&i: &u32| {
            let (outer, far) = (columns(nodes, above?), &boundaries[above?]);
            let place = i as usize - outer.start;
            Some(if place < outer.len() { place } else { outer.len() + far.binary_search(&i).ok()? } as u32)
        };
        let boundary: Option<Vec<u32>> = boundaries[p].iter().map(inside).collect();
        let size = own.len() + boundaries[p].len() + 1;
        let order = nodes.order[own].to_vec();
        Part {
            passes: Passes::new(panels, size, store),
            x: vec![T::Lanes::default(); size],
            runs: means.runs(&order),
            order,
            below: nodes.parts[p].below,
            boundary: boundary.expect("what a part shares with later ones it shares with the next above"),
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
