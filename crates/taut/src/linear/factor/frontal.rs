//! Multifrontal Cholesky factorization (Duff and Reid, "The multifrontal solution of indefinite sparse symmetric linear
//! equations", 1983), one part at a time.
//!
//! For each supernode, children before parents: put its columns of A and the update matrices of its children into its
//! [`Front`], eliminate its columns, and keep the update matrix for the parent. Children come directly before their
//! parent, so the update matrices that wait form a stack. Memory beyond the factor: that stack and the largest front.

use super::Unfactored;
use super::front::{Eliminate, Front, stored};
use super::supernodal::Supernodes;
use super::symbolic::{Lower, Symbolic};
use crate::kernel::{self, Kernel, Real};
use crate::linear::Symmetric;
use crate::linear::order::ROOT;
use std::ops::Range;

/// The matrix in elimination order: its lower triangle by columns.
pub(super) struct Columns<'a> {
    lower: &'a Lower,
    values: Vec<f64>,
    diagonal: Vec<f64>,
}

impl<'a> Columns<'a> {
    /// The matrix times `scale`.
    pub fn new(symbolic: &'a Symbolic, a: &Symmetric<f64>, scale: f64) -> Self {
        let Symbolic { lower, nodes, .. } = symbolic;
        let values = lower.slots.iter().map(|&slot| scale * a.upper[slot as usize]).collect();
        let diagonal = nodes.order.iter().map(|&i| scale * a.diagonal[i as usize]).collect();
        Columns { lower, values, diagonal }
    }
}

/// The update matrix of a supernode whose parent is in a later part: a lower triangle, column by column.
pub(super) struct Update {
    node: u32,
    values: Vec<f64>,
}

/// Factor the supernodes of one part and write their panels, one after the other. `updates` are the update matrices that
/// earlier parts left for it. Returns those it leaves for later parts.
pub(super) fn factor<T: Real>(
    kernel: Kernel,
    a: &Columns,
    nodes: &Supernodes,
    part: Range<usize>,
    mut updates: Vec<Update>,
    panels: &mut [T::Block],
) -> Result<Vec<Update>, Unfactored> {
    let mut assembly = Assembly::new(nodes, part.clone())?;
    updates.sort_by_key(|update| nodes.parent[update.node as usize]);
    let mut updates = updates.into_iter().peekable();
    let (mut left, mut panels) = (Vec::new(), panels);
    for s in part.clone() {
        assembly.begin(s, a);
        while let Some(update) = updates.next_if(|u| nodes.parent[u.node as usize] as usize == s) {
            assembly.add(nodes.rows(update.node as usize), &update.values);
        }
        let width = nodes.columns(s).len();
        let size = stored::<T>(width, width + nodes.rows(s).len());
        let (own, rest) = std::mem::take(&mut panels).split_at_mut(size);
        kernel::run(kernel, Eliminate::<T> { front: &mut assembly.front, panels: own })?;
        panels = rest;
        match nodes.parent[s] {
            ROOT => {}
            parent if part.contains(&(parent as usize)) => assembly.keep(s),
            _ => {
                let values = assembly.front.remainder().flatten().copied().collect();
                left.push(Update { node: s as u32, values });
            }
        }
    }
    Ok(left)
}

/// The front of the supernode under work, and the update matrices of the part that wait for their parents.
struct Assembly<'a> {
    nodes: &'a Supernodes,
    front: Front,
    /// Place in the front of each row that is in it.
    place: Vec<u32>,
    /// Supernodes whose update matrices wait, the newest last.
    waiting: Vec<u32>,
    /// Their update matrices, one after the other: lower triangles, column by column.
    stack: Vec<f64>,
    /// Rows of an update matrix that are consecutive in the front too: the first of them in the matrix, and its place
    /// in the front.
    runs: Vec<[usize; 2]>,
}

impl<'a> Assembly<'a> {
    /// Memory for a part: the largest front and the highest stack it will meet.
    fn new(nodes: &'a Supernodes, part: Range<usize>) -> Result<Self, Unfactored> {
        let (mut highest, mut depth, mut deepest) = (0, 0, 0);
        // For each supernode, how many numbers on the stack wait for it.
        let mut left = vec![0; part.len()];
        for s in part.clone() {
            let r = nodes.rows(s).len();
            highest = highest.max(nodes.columns(s).len() + r);
            depth -= left[s - part.start];
            if let Some(left) = left.get_mut((nodes.parent[s] as usize).wrapping_sub(part.start)) {
                *left += triangle(r);
                depth += triangle(r);
                deepest = deepest.max(depth);
            }
        }
        let (mut front, mut stack) = (Front::default(), Vec::new());
        front.reserve(highest)?;
        reserve(&mut stack, deepest)?;
        let place = vec![0; nodes.order.len()];
        Ok(Assembly { nodes, front, place, waiting: Vec::new(), stack, runs: Vec::new() })
    }

    /// Fill the front of a supernode with its columns of A and the update matrices of its children in the part.
    fn begin(&mut self, s: usize, a: &Columns) {
        let nodes = self.nodes;
        let (own, rows) = (nodes.columns(s), nodes.rows(s));
        (0u32..).zip(own.clone()).for_each(|(k, j)| self.place[j] = k);
        (own.len() as u32..).zip(rows).for_each(|(k, &i)| self.place[i as usize] = k);
        self.front.begin(own.len(), own.len() + rows.len());
        for (k, j) in own.enumerate() {
            let column = self.front.column(k);
            column[k] = a.diagonal[j];
            let entries = a.lower.start[j] as usize..a.lower.start[j + 1] as usize;
            for (&i, &value) in a.lower.rows[entries.clone()].iter().zip(&a.values[entries]) {
                column[self.place[i as usize] as usize] = value;
            }
        }
        while let Some(&child) = self.waiting.last()
            && nodes.parent[child as usize] as usize == s
        {
            self.waiting.pop();
            let rows = nodes.rows(child as usize);
            let stack = std::mem::take(&mut self.stack);
            let rest = stack.len() - triangle(rows.len());
            self.add(rows, &stack[rest..]);
            self.stack = stack;
            self.stack.truncate(rest);
        }
    }

    /// Add an update matrix over these rows to the front, one piece of consecutive rows at a time.
    fn add(&mut self, rows: &[u32], values: &[f64]) {
        self.runs.clear();
        let mut next = usize::MAX;
        for (k, &i) in rows.iter().enumerate() {
            let place = self.place[i as usize] as usize;
            if place != next {
                self.runs.push([k, place]);
            }
            next = place + 1;
        }
        self.runs.push([rows.len(), 0]);
        let mut values = values;
        for (r, run) in self.runs.windows(2).enumerate() {
            for k in run[0][0]..run[1][0] {
                let column = self.front.column(run[0][1] + k - run[0][0]);
                let (own, rest) = values.split_at(rows.len() - k);
                values = rest;
                let mut own = own;
                let mut from = k;
                for run in self.runs[r..].windows(2) {
                    let (piece, rest) = own.split_at(run[1][0] - from);
                    let to = &mut column[run[0][1] + from - run[0][0]..][..piece.len()];
                    to.iter_mut().zip(piece).for_each(|(to, add)| *to += add);
                    (own, from) = (rest, run[1][0]);
                }
            }
        }
    }

    /// Put the update matrix of a supernode on the stack.
    fn keep(&mut self, s: usize) {
        self.waiting.push(s as u32);
        self.front.remainder().for_each(|column| self.stack.extend_from_slice(column));
    }
}

/// Entries of a lower triangle with r rows.
fn triangle(r: usize) -> usize {
    r * (r + 1) / 2
}

/// Make room for `count` numbers, or say how much memory was refused.
pub(in crate::linear) fn reserve<N>(list: &mut Vec<N>, count: usize) -> Result<(), Unfactored> {
    let bytes = count.saturating_mul(size_of::<N>());
    list.try_reserve_exact(count).map_err(|_| Unfactored::Memory { bytes })
}
