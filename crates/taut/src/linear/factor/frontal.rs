//! Multifrontal Cholesky factorization into solve-ready panels.
//!
//! Each supernode gathers its columns of A and what its children left over (their update matrices) in a dense
//! [`Front`], eliminates its columns and passes the Schur complement on (Duff and Reid, "The multifrontal solution
//! of indefinite sparse symmetric linear equations", 1983). Children come right before their parent, so what waits
//! is a stack. Memory beyond the factor: that stack and the largest front, and where there are several parts one of them,
//! while their numbers are brought together (as much address space as for a second factor).

use super::Unfactored;
use super::dense::BLOCK;
use super::front::{Eliminate, Front, widths};
use super::supernodal::Supernodes;
use crate::kernel::Panels;
use crate::kernel::Real;
use crate::kernel::prefer_large;
use crate::kernel::{self, Kernel};
use crate::linear::order::ROOT;
use std::ops::Range;

/// Rows and values below the diagonal of the permuted matrix by columns, and its diagonal.
pub(super) struct Columns {
    pub start: Vec<u32>,
    pub rows: Vec<u32>,
    pub values: Vec<f64>,
    pub diagonal: Vec<f64>,
}

/// What a supernode leaves for one of a later part: a lower triangle over its rows, column by column.
pub(super) struct Update {
    node: u32,
    values: Vec<f64>,
}

/// The panels of a part, and what its supernodes leave for those of later parts.
pub(super) type Factored<T> = (Panels<T>, Vec<Update>);

/// Factor the supernodes of one part. `updates` is what earlier parts left for it; rows in the result are numbered
/// within the part: its columns first, then its `boundary`.
pub(super) fn factor<T: Real>(
    kernel: Kernel,
    a: &Columns,
    nodes: &Supernodes,
    part: Range<usize>,
    mut updates: Vec<Update>,
    boundary: &[u32],
) -> Result<Factored<T>, Unfactored> {
    let first_column = nodes.first[part.start];
    let columns = nodes.first[part.end] - first_column;
    let mut panels = reserved(nodes, part.clone())?;
    let mut assembly = Assembly::new(nodes, part.clone())?;
    updates.sort_by_key(|update| nodes.parent[update.node as usize]);
    let mut updates = updates.into_iter().peekable();
    let (mut list, mut rest) = (Vec::new(), Vec::new());
    for s in part.clone() {
        let (own, rows) = (nodes.columns(s), nodes.rows(s));
        assembly.begin(s, a);
        while let Some(update) = updates.next_if(|u| nodes.parent[u.node as usize] as usize == s) {
            assembly.add(nodes.rows(update.node as usize), &update.values);
        }
        let local = |&i: &u32| match i - first_column {
            own if own < columns => own,
            _ => columns + boundary.binary_search(&i).expect("rows of later parts are listed") as u32,
        };
        list.clear();
        list.extend(own.clone().map(|j| j as u32 - first_column));
        list.extend(rows.iter().map(local));
        // Lists are filled up with a row that nobody reads, the one after all others.
        list.extend([columns + boundary.len() as u32; BLOCK]);
        let (front, first) = (&mut assembly.front, own.start as u32 - first_column);
        kernel::run(kernel, Eliminate { front, first, rows: &list, panels: &mut panels })?;
        match nodes.parent[s] {
            ROOT => {}
            parent if part.contains(&(parent as usize)) => assembly.keep(s),
            _ => {
                let values = assembly.front.remainder().flatten().copied().collect();
                rest.push(Update { node: s as u32, values });
            }
        }
    }
    Ok((panels, rest))
}

/// Room for the panels of a part.
fn reserved<T: Real>(nodes: &Supernodes, part: Range<usize>) -> Result<Panels<T>, Unfactored> {
    let (mut values, mut rows) = (0, 0);
    for s in part {
        let (c, r) = (nodes.columns(s).len(), nodes.rows(s).len());
        for range in widths(c) {
            let blocks = (c + r - range.start).div_ceil(T::WIDTH);
            rows += blocks;
            values += range.len() * blocks;
        }
    }
    let mut panels = Panels { list: Vec::new(), rows: Vec::new(), values: Vec::new() };
    reserve(&mut panels.values, values)?;
    reserve(&mut panels.rows, rows)?;
    prefer_large(&panels.values);
    Ok(panels)
}

/// The front under work and what earlier ones of the part left over.
struct Assembly<'a> {
    nodes: &'a Supernodes,
    front: Front,
    /// Place in the front of each row that is in it.
    place: Vec<u32>,
    /// Supernodes whose updates wait, and the updates: lower triangles, column by column.
    waiting: Vec<u32>,
    stack: Vec<f64>,
    /// Runs of rows that stay together in the front: first row here, place there.
    runs: Vec<[usize; 2]>,
}

impl<'a> Assembly<'a> {
    /// Memory for a part.
    fn new(nodes: &'a Supernodes, part: Range<usize>) -> Result<Self, Unfactored> {
        let (mut highest, mut depth, mut deepest) = (0, 0, 0);
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

    /// Fill the front of a supernode with its columns of A and what its children in the part left over.
    fn begin(&mut self, s: usize, a: &Columns) {
        let nodes = self.nodes;
        let (own, rows) = (nodes.columns(s), nodes.rows(s));
        (0u32..).zip(own.clone()).for_each(|(k, j)| self.place[j] = k);
        (own.len() as u32..).zip(rows).for_each(|(k, &i)| self.place[i as usize] = k);
        self.front.begin(own.len(), own.len() + rows.len());
        for (k, j) in own.enumerate() {
            let column = self.front.column(k);
            column[k] = a.diagonal[j];
            let slots = a.start[j] as usize..a.start[j + 1] as usize;
            for (&i, &value) in a.rows[slots.clone()].iter().zip(&a.values[slots]) {
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

    /// Add a lower triangle over these rows to the front.
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

    /// Put what remains of the front on the stack.
    fn keep(&mut self, s: usize) {
        self.waiting.push(s as u32);
        self.front.remainder().for_each(|column| self.stack.extend_from_slice(column));
    }
}

fn triangle(r: usize) -> usize {
    r * (r + 1) / 2
}

/// Room for `count` numbers, or how much is missing.
pub(in crate::linear) fn reserve<N>(list: &mut Vec<N>, count: usize) -> Result<(), Unfactored> {
    let bytes = count.saturating_mul(size_of::<N>());
    list.try_reserve_exact(count).map_err(|_| Unfactored::Memory { bytes })
}
