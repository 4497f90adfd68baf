//! Parts of a factor: how they are solved and factored, those on different branches at the same time.
//!
//! Each part has a vector of its own: its columns, then its boundary, the rows of later parts that its panels touch.
//! In the forward pass a part gathers in its boundary what it adds to those rows, and the part above fetches it from
//! there; in the backward pass it copies the solution of those rows from the part above. No number is written by two
//! parts, so the answer is the same for any number of threads. A thread works through its branch without waiting for the
//! others.

use super::Unfactored;
use super::dense::BLOCK;
use super::exchange::{Load, Store, Weigh};
use super::front::shapes;
use super::frontal::{self, Columns, Update};
use super::means::{Stretch, stretches};
use super::supernodal::{Part, Supernodes};
use super::symbolic::Symbolic;
use crate::kernel::{self, Kernel, Panel, Panels, Passes, Real};
use crate::threads::both;
use glam::DVec3;
use std::ops::Range;

/// What a [`Part`] is solved with.
pub(super) struct PartSolver<T: Real> {
    passes: Passes<T>,
    /// Where the numbers of its panels are in the store.
    pub numbers: Range<usize>,
    /// Its columns by component.
    pub stretches: Vec<Stretch>,
    /// Number of parts below it, which are listed directly before it.
    below: usize,
    /// Number of its columns.
    columns: usize,
    /// Where the rows of its boundary are in the vector of the part above.
    boundary: Vec<u32>,
    /// Its columns, then its boundary, then one row that nobody reads: lists of rows are filled up with it.
    x: Vec<T::Lanes>,
}

impl<T: Real> PartSolver<T> {
    /// Number the rows of a part and list its panels, whose numbers are in the store from `begin` on.
    fn new(symbolic: &Symbolic, part: &Part, begin: usize) -> Result<Self, Unfactored> {
        let nodes = &symbolic.nodes;
        let columns = nodes.part_columns(part);
        let size = columns.len() + part.boundary.len() + 1;
        let mut panels = Panels { list: Vec::new(), rows: Vec::new() };
        let height = |s: usize| nodes.columns(s).len() + nodes.rows(s).len();
        let panels_of = |s: usize| shapes::<T>(nodes.columns(s).len(), height(s));
        frontal::reserve(&mut panels.rows, part.nodes.clone().flat_map(panels_of).map(|(_, n)| n).sum())?;
        let (mut end, mut list) = (begin, Vec::new());
        for s in part.nodes.clone() {
            let first = (nodes.columns(s).start - columns.start) as u32;
            list.clear();
            list.extend((first..).take(nodes.columns(s).len()));
            list.extend(nodes.rows(s).iter().map(|&i| nodes.local(part, i)));
            list.extend([size as u32 - 1; BLOCK]);
            for (own, blocks) in panels_of(s) {
                let from = panels.rows.len() as u32;
                panels.rows.extend(list[own.start..].chunks_exact(T::WIDTH).take(blocks).map(T::rows));
                panels.list.push(Panel {
                    first: first + own.start as u32,
                    columns: own.len() as u32,
                    rows: (from, panels.rows.len() as u32),
                    values: end,
                });
                end += blocks * own.len();
            }
        }
        Ok(PartSolver {
            passes: Passes::new(panels, size, end),
            numbers: begin..end,
            stretches: stretches(&symbolic.components, &nodes.order[columns.clone()]),
            below: part.below,
            columns: columns.len(),
            boundary: part.boundary_above.clone(),
            x: vec![T::Lanes::default(); size],
        })
    }

    /// The forward pass, after that of the parts below it.
    pub fn forward(
        &mut self,
        kernel: Kernel,
        store: &[T::Block],
        b: &[DVec3],
        scale: f64,
        below: &[PartSolver<T>],
    ) {
        self.load(kernel, b, scale);
        self.x[self.columns..].fill(T::Lanes::default());
        for child in roots(below) {
            for (&i, add) in child.boundary.iter().zip(&child.x[child.columns..]) {
                self.x[i as usize] = T::sum(&self.x[i as usize], add);
            }
        }
        self.passes.forward(kernel, store, &mut self.x);
    }

    /// The backward pass, after that of the part above it, whose vector is given.
    pub fn backward(&mut self, kernel: Kernel, store: &[T::Block], above: &[T::Lanes], scale: f64) {
        for (x, &i) in self.x[self.columns..].iter_mut().zip(&self.boundary) {
            *x = above[i as usize];
        }
        self.passes.backward(kernel, store, &mut self.x);
        self.weigh(kernel, scale);
    }

    /// Load the right-hand side, and sum it up.
    fn load(&mut self, kernel: Kernel, b: &[DVec3], scale: f64) {
        for Stretch { columns, rows, missing, .. } in &mut self.stretches {
            let x = &mut self.x[columns.clone()];
            *missing = kernel::run(kernel, Load::<T> { b, order: rows, scale, x });
        }
    }

    /// Find `Σ b − wᵀx`. In f64 that is rounding, so it is taken to be zero.
    fn weigh(&mut self, kernel: Kernel, scale: f64) {
        for Stretch { columns, weights, missing, .. } in &mut self.stretches {
            let x = &self.x[columns.clone()];
            let found = || scale * kernel::run(kernel, Weigh::<T> { weights, x });
            *missing = if T::EXACT { DVec3::ZERO } else { *missing - found() };
        }
    }

    /// Write the solution of its columns.
    pub fn store(&self, kernel: Kernel, b: &mut [DVec3], scale: f64, shifts: &[DVec3]) {
        for Stretch { columns, component, rows, .. } in &self.stretches {
            let (x, shift) = (&self.x[columns.clone()], shifts[*component]);
            kernel::run(kernel, Store::<T> { b: &mut *b, order: rows, scale, shift, x });
        }
    }
}

/// Some trees of parts, taken apart: all trees but the last, the parts below the root of the last, and that root.
type LastApart<'a, T> = (&'a mut [PartSolver<T>], &'a mut [PartSolver<T>], &'a mut PartSolver<T>);

fn last_apart<T: Real>(parts: &mut [PartSolver<T>]) -> Option<LastApart<'_, T>> {
    let (root, others) = parts.split_last_mut()?;
    let (others, below) = others.split_at_mut(others.len() - root.below);
    Some((others, below, root))
}

/// `f(part, parts below it)` on each part of some trees, after those below it; different trees at the same time.
pub(super) fn upwards<T: Real>(
    parts: &mut [PartSolver<T>],
    f: &(impl Fn(&mut PartSolver<T>, &[PartSolver<T>]) + Sync),
) {
    if let Some((others, below, root)) = last_apart(parts) {
        let tree = || {
            upwards(below, f);
            f(root, below);
        };
        both(!others.is_empty(), || upwards(others, f), tree);
    }
}

/// `f(part, vector of the part above it)` on each part of some trees, before those below it; different trees at the same
/// time. `above` is the vector of the part that all of them are below.
pub(super) fn downwards<T: Real>(
    parts: &mut [PartSolver<T>],
    above: &[T::Lanes],
    f: &(impl Fn(&mut PartSolver<T>, &[T::Lanes]) + Sync),
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
fn roots<T: Real>(mut parts: &[PartSolver<T>]) -> impl Iterator<Item = &PartSolver<T>> {
    std::iter::from_fn(move || {
        let (root, others) = parts.split_last()?;
        parts = &others[..others.len() - root.below];
        Some(root)
    })
}

/// The solvers of all parts, before there are any numbers.
pub(super) fn lay_out<T: Real>(symbolic: &Symbolic) -> Result<Vec<PartSolver<T>>, Unfactored> {
    let mut begin = 0;
    let solver = |part| {
        let solver = PartSolver::new(symbolic, part, begin)?;
        begin = solver.numbers.end;
        Ok(solver)
    };
    symbolic.nodes.parts.iter().map(solver).collect()
}

/// Factor a matrix given by its columns: fill the store of all parts.
pub(super) fn factor<T: Real>(
    kernel: Kernel,
    nodes: &Supernodes,
    columns: &Columns,
    parts: &[PartSolver<T>],
    store: &mut [T::Block],
) -> Result<(), Unfactored> {
    Numeric { kernel, nodes, columns, parts }.trees(0..parts.len(), store).map(|_| ())
}

/// What factoring a part takes besides the update matrices of the parts below.
struct Numeric<'a, T: Real> {
    kernel: Kernel,
    nodes: &'a Supernodes,
    columns: &'a Columns<'a>,
    parts: &'a [PartSolver<T>],
}

impl<T: Real> Numeric<'_, T> {
    /// Factor some trees of parts, different trees at the same time, and write their numbers to `store`. Returns the update
    /// matrices they leave for the part above.
    fn trees(&self, parts: Range<usize>, store: &mut [T::Block]) -> Result<Vec<Update>, Unfactored> {
        let Some(root) = parts.clone().last() else { return Ok(Vec::new()) };
        let first = root - self.parts[root].below;
        let begin = self.parts[parts.start].numbers.start;
        let (others, last) = store.split_at_mut(self.parts[first].numbers.start - begin);
        let (others, last) = both(
            parts.start < first,
            || self.trees(parts.start..first, others),
            || self.tree(first..root, root, last),
        );
        let mut updates = others?;
        updates.extend(last?);
        Ok(updates)
    }

    /// Factor one tree: the parts below its root, then the root.
    fn tree(
        &self,
        below: Range<usize>,
        root: usize,
        store: &mut [T::Block],
    ) -> Result<Vec<Update>, Unfactored> {
        let (before, own) = store.split_at_mut(store.len() - self.parts[root].numbers.len());
        let updates = self.trees(below, before)?;
        let nodes = self.nodes.parts[root].nodes.clone();
        frontal::factor::<T>(self.kernel, self.columns, self.nodes, nodes, updates, own)
    }
}
