//! Supernodes and parts of a factor, found from its elimination tree. (The words are explained in the module above.)
//!
//! Neighbouring supernodes, child and parent, are joined where that stores few zeros, because a panel of one
//! column costs as much to start as one of eight.

use crate::linear::Elimination;
use crate::linear::order::ROOT;
use crate::threads::ROWS_WORTH_THREADS;
use std::ops::Range;

/// `(columns, zeros)`: a supernode is joined to its parent if together they have at most this many columns and the zeros
/// stored are less than this share of their entries, for any of the pairs. (On the Curtain in f32 this is 8 % faster than
/// with half these shares; larger shares gain nothing.)
const JOIN: [(u32, f64); 3] = [(8, 0.6), (16, 0.3), (32, 0.15)];

/// Parts aimed at: enough to balance eight threads, few enough that sums over them cost nothing.
const PARTS: f64 = 16.0;

/// From which size on a factor is cut into parts.
#[derive(Debug, Clone, Copy)]
pub(in crate::linear) struct Split {
    /// Rows of the matrix at least.
    pub rows: usize,
    /// Entries of the factor at least.
    pub entries: f64,
}

impl Split {
    /// Smaller factors are solved faster by one thread. A cloth with that many rows has a few more entries; hair, with
    /// a tenth of them, stays in one part.
    pub const USUAL: Split = Split { rows: ROWS_WORTH_THREADS, entries: 5e5 };
}

/// The columns of a factor grouped into supernodes.
#[derive(Debug, Clone, Default)]
pub(super) struct Supernodes {
    /// `order[k]` is the row eliminated k-th.
    pub order: Vec<u32>,
    /// First column of each supernode; the last entry is the number of columns.
    pub first: Vec<u32>,
    /// The supernode that holds the first row below each supernode, or [`ROOT`].
    pub parent: Vec<u32>,
    /// The rows below each supernode, ascending, are `rows[row_start[s]..row_start[s + 1]]`.
    row_start: Vec<usize>,
    rows: Vec<u32>,
    /// The supernodes cut into parts.
    pub parts: Vec<Part>,
}

/// Consecutive supernodes that one thread works through.
#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    pub nodes: Range<usize>,
    /// Number of parts below it, which are listed directly before it.
    pub below: usize,
    /// Rows of later parts that its supernodes have, ascending.
    pub boundary: Vec<u32>,
    /// Where the part above has these rows: see [`Supernodes::local`].
    pub boundary_above: Vec<u32>,
}

impl Supernodes {
    /// Group the columns of an elimination.
    pub fn new(elimination: Elimination, split: Split) -> Self {
        let first = joined(&elimination);
        let n = elimination.order.len();
        let mut of = vec![0u32; n];
        for s in 0..first.len() - 1 {
            of[first[s] as usize..first[s + 1] as usize].fill(s as u32);
        }
        let mut nodes = Supernodes { first, row_start: vec![0], ..Supernodes::default() };
        nodes.find_rows(&elimination, &of);
        nodes.order = elimination.order;
        nodes.split(split);
        nodes.find_boundaries();
        nodes
    }

    /// Number of supernodes.
    pub fn count(&self) -> usize {
        self.parent.len()
    }

    /// Columns of a supernode.
    pub fn columns(&self, s: usize) -> Range<usize> {
        self.first[s] as usize..self.first[s + 1] as usize
    }

    /// Rows below a supernode, ascending.
    pub fn rows(&self, s: usize) -> &[u32] {
        &self.rows[self.row_start[s]..self.row_start[s + 1]]
    }

    /// Columns of a part.
    pub fn part_columns(&self, part: &Part) -> Range<usize> {
        self.first[part.nodes.start] as usize..self.first[part.nodes.end] as usize
    }

    /// The number of a row within a part: the columns of the part come first, then its boundary.
    pub fn local(&self, part: &Part, row: u32) -> u32 {
        let columns = self.part_columns(part);
        let place = row as usize - columns.start;
        let outside = || part.boundary.binary_search(&row).expect("a row of the part or of its boundary");
        (if place < columns.len() { place } else { columns.len() + outside() }) as u32
    }

    /// Entries stored for a supernode; the square on its diagonal is stored in full.
    fn entries(&self, s: usize) -> f64 {
        let (c, r) = (self.columns(s).len() as f64, self.rows(s).len() as f64);
        c * (c + r)
    }

    /// Rows of each supernode: those of the matrix in its columns and those of its children, without its columns. `of`
    /// is the supernode of each column.
    fn find_rows(&mut self, elimination: &Elimination, of: &[u32]) {
        let count = self.first.len() - 1;
        let mut seen = vec![ROOT; of.len()];
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut rows: Vec<u32> = Vec::new();
        for s in 0..count {
            let columns = self.columns(s);
            rows.clear();
            let mut add = |list: &[u32]| {
                for &i in list {
                    if i as usize >= columns.end && seen[i as usize] != s as u32 {
                        seen[i as usize] = s as u32;
                        rows.push(i);
                    }
                }
            };
            columns.clone().for_each(|j| add(elimination.below(j)));
            for &child in &children[s] {
                add(&self.rows[self.row_start[child as usize]..self.row_start[child as usize + 1]]);
            }
            rows.sort_unstable();
            self.parent.push(rows.first().map_or(ROOT, |&i| of[i as usize]));
            if let Some(&i) = rows.first() {
                children[of[i as usize] as usize].push(s as u32);
            }
            self.rows.extend_from_slice(&rows);
            self.row_start.push(self.rows.len());
        }
    }

    /// Choose the parts, and renumber the supernodes so that those of a part are consecutive.
    fn split(&mut self, split: Split) {
        let count = self.count();
        self.parts = vec![Part { nodes: 0..count, ..Part::default() }];
        let mut weight: Vec<f64> = (0..count).map(|s| self.entries(s)).collect();
        let total: f64 = weight.iter().sum();
        if self.order.len() < split.rows || total < split.entries {
            return;
        }
        let share = total / PARTS;
        let (mut children, mut roots) = (vec![Vec::new(); count], Vec::new());
        for s in 0..count {
            match self.parent[s] {
                ROOT => roots.push(s),
                parent => {
                    weight[parent as usize] += weight[s];
                    children[parent as usize].push(s);
                }
            }
        }
        let mut cut = Cut { weight, share, children, sequence: Vec::new(), parts: Vec::new() };
        cut.cut(roots);
        let Cut { sequence, parts, .. } = cut;
        self.rearrange(&sequence);
        self.parts = parts;
    }

    /// Find what each part shares with later ones. A row that a part shares with any later part, the part directly above
    /// it has too: as a column, or in its boundary.
    fn find_boundaries(&mut self) {
        for p in 0..self.parts.len() {
            let nodes = self.parts[p].nodes.clone();
            let end = self.first[nodes.end];
            let all = nodes.flat_map(|s| self.rows(s)).copied();
            let mut boundary: Vec<u32> = all.filter(|&i| i >= end).collect();
            boundary.sort_unstable();
            boundary.dedup();
            self.parts[p].boundary = boundary;
        }
        for above in 0..self.parts.len() {
            // The parts directly below are the roots of the trees below, last first.
            let first = above - self.parts[above].below;
            let mut next = above;
            while next > first {
                let p = next - 1;
                let inside = |&i: &u32| self.local(&self.parts[above], i);
                self.parts[p].boundary_above = self.parts[p].boundary.iter().map(inside).collect();
                next = p - self.parts[p].below;
            }
        }
    }

    /// Put the supernodes into this sequence, in which children still precede their parents.
    fn rearrange(&mut self, sequence: &[u32]) {
        let mut place = vec![0u32; self.order.len()];
        let mut new_number = vec![0u32; sequence.len()];
        let mut next = Supernodes { first: vec![0], row_start: vec![0], ..Supernodes::default() };
        for (new, &s) in sequence.iter().enumerate() {
            new_number[s as usize] = new as u32;
            for j in self.columns(s as usize) {
                place[j] = next.order.len() as u32;
                next.order.push(self.order[j]);
            }
            next.first.push(next.order.len() as u32);
        }
        for &s in sequence {
            let begin = next.rows.len();
            next.rows.extend(self.rows(s as usize).iter().map(|&i| place[i as usize]));
            next.rows[begin..].sort_unstable();
            next.row_start.push(next.rows.len());
            let parent = self.parent[s as usize];
            next.parent.push(if parent == ROOT { ROOT } else { new_number[parent as usize] });
        }
        *self = next;
    }
}

/// The tree of supernodes while it is cut into parts: a branch heavier than a share becomes a stem and the branches it
/// forks into; lighter branches that wait for the same stem are bundled to about a share each.
struct Cut {
    /// Entries of each supernode and all below it.
    weight: Vec<f64>,
    /// Entries a part should have.
    share: f64,
    children: Vec<Vec<usize>>,
    /// The supernodes, one part after the other.
    sequence: Vec<u32>,
    parts: Vec<Part>,
}

impl Cut {
    /// Make parts of some branches.
    fn cut(&mut self, branches: Vec<usize>) {
        let (heavy, light): (Vec<usize>, Vec<usize>) =
            branches.into_iter().partition(|&s| self.weight[s] > self.share);
        heavy.into_iter().for_each(|s| self.stem(s));
        let (mut bundle, mut sum) = (Vec::new(), 0.0);
        for (k, &s) in light.iter().enumerate() {
            self.gather(s, &mut bundle);
            sum += self.weight[s];
            if sum > 0.75 * self.share || k + 1 == light.len() {
                self.part(std::mem::take(&mut bundle), 0);
                sum = 0.0;
            }
        }
    }

    /// Make parts of a heavy branch: first all that is below its stem, then the stem, which goes from the top down to
    /// where the branch has no heavy child or more than one.
    fn stem(&mut self, top: usize) {
        let (mut stem, mut rest) = (vec![top as u32], Vec::new());
        let mut tip = top;
        loop {
            let children = std::mem::take(&mut self.children[tip]);
            let heavy = |s: &&usize| self.weight[**s] > self.share;
            let mut thick = children.iter().filter(heavy);
            let (Some(&next), None) = (thick.next(), thick.next()) else {
                rest.extend(children);
                break;
            };
            rest.extend(children.into_iter().filter(|&s| s != next));
            stem.push(next as u32);
            tip = next;
        }
        let before = self.parts.len();
        self.cut(rest);
        stem.reverse();
        self.part(stem, self.parts.len() - before);
    }

    /// A supernode and all below it, children before parents.
    fn gather(&self, top: usize, into: &mut Vec<u32>) {
        let begin = into.len();
        let mut stack = vec![top];
        while let Some(s) = stack.pop() {
            into.push(s as u32);
            stack.extend(&self.children[s]);
        }
        into[begin..].sort_unstable();
    }

    /// Append a part that waits for the `below` parts before it.
    fn part(&mut self, nodes: Vec<u32>, below: usize) {
        let begin = self.sequence.len();
        self.sequence.extend(nodes);
        self.parts.push(Part { nodes: begin..self.sequence.len(), below, ..Part::default() });
    }
}

/// First columns of the supernodes: columns that follow each other in the tree and have the same rows below are one
/// supernode; then each is joined with children directly before it, as far as [`JOIN`] allows.
fn joined(elimination: &Elimination) -> Vec<u32> {
    let (counts, parent) = (&elimination.counts, &elimination.parent);
    let n = counts.len() as u32;
    // The supernodes so far: first column, and number of entries that are not zero.
    let mut stack: Vec<(u32, f64)> = Vec::new();
    let mut begin = 0;
    while begin < n {
        let mut end = begin + 1;
        let next = |j: u32| (parent[j as usize - 1] == j) && counts[j as usize - 1] == counts[j as usize] + 1;
        while end < n && next(end) {
            end += 1;
        }
        let rows = counts[end as usize - 1] - 1;
        let mut node = (begin, (begin..end).map(|j| f64::from(counts[j as usize])).sum::<f64>());
        while let Some(&(first, entries)) = stack.last()
            && (node.0..end).contains(&parent[node.0 as usize - 1])
        {
            let (columns, full) = (end - first, entries + node.1);
            let stored = trapezoid(columns, rows);
            let share = (stored - full) / stored;
            if !JOIN.iter().any(|&(most, zeros)| columns <= most && share < zeros) {
                break;
            }
            stack.pop();
            node = (first, full);
        }
        stack.push(node);
        begin = end;
    }
    stack.iter().map(|node| node.0).chain([n]).collect()
}

/// Entries of this many columns of a lower triangle with `rows` rows below the square on the diagonal.
fn trapezoid(columns: u32, rows: u32) -> f64 {
    let (c, r) = (f64::from(columns), f64::from(rows));
    c * (c + 1.0) / 2.0 + c * r
}
