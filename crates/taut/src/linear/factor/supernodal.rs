//! Supernodes: runs of columns of the factor with the same rows below them, stored and used as dense panels.
//!
//! Neighbouring supernodes, child and parent, are joined where that stores few zeros, because a panel of one
//! column costs as much to start as one of eight. For large matrices the tree is cut into a tree of few
//! [`Part`]s, of which those on different branches can be factored and solved at the same time. The cut depends on
//! the matrix alone, so the number of threads changes no bit.

use crate::linear::Elimination;
use crate::linear::order::ROOT;
use crate::threads::ROWS_WORTH_THREADS;
use std::ops::Range;

/// A supernode is joined to its parent while the zeros this stores are below this share of the entries, for
/// joined supernodes of at most that many columns. (On the Curtain in f32 this is 8 % faster than half as many zeros,
/// and as fast as more of them.)
const JOIN: [(u32, f64); 3] = [(8, 0.6), (16, 0.3), (32, 0.15)];

/// Below this many rows, or entries, one thread is enough, and the tree stays in one piece: so many rows of a cloth have
/// a little more entries, hair has a tenth. (Tests want parts in small matrices.)
const ROWS_TO_SPLIT: usize = if cfg!(test) { 5_000 } else { ROWS_WORTH_THREADS };
const ENTRIES_TO_SPLIT: f64 = if cfg!(test) { 5e4 } else { 5e5 };
/// Subtrees aimed at: enough to balance eight threads, few enough that sums over them cost nothing.
const PARTS: f64 = 16.0;

/// The columns of a factor grouped into supernodes.
#[derive(Debug, Clone, Default)]
pub(super) struct Supernodes {
    /// `order[k]` is the row eliminated k-th.
    pub order: Vec<u32>,
    /// First column of each supernode, and the number of columns.
    pub first: Vec<u32>,
    /// Supernode of the first row below each supernode.
    pub parent: Vec<u32>,
    /// Rows below each supernode, ascending, compressed.
    pub row_start: Vec<usize>,
    pub rows: Vec<u32>,
    /// All supernodes, in trees of parts: children before parents.
    pub parts: Vec<Part>,
}

/// Supernodes that are worked on one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub nodes: Range<usize>,
    /// How many parts have to come before it: those directly before it in the list.
    pub below: usize,
}

impl Supernodes {
    pub fn new(elimination: Elimination) -> Self {
        let first = joined(&elimination);
        let n = elimination.order.len();
        let mut of = vec![0u32; n];
        for s in 0..first.len() - 1 {
            of[first[s] as usize..first[s + 1] as usize].fill(s as u32);
        }
        let mut nodes = Supernodes { first, row_start: vec![0], ..Supernodes::default() };
        nodes.find_rows(&elimination, &of);
        nodes.order = elimination.order;
        nodes.split();
        nodes
    }

    pub fn count(&self) -> usize {
        self.parent.len()
    }

    pub fn columns(&self, s: usize) -> Range<usize> {
        self.first[s] as usize..self.first[s + 1] as usize
    }

    pub fn rows(&self, s: usize) -> &[u32] {
        &self.rows[self.row_start[s]..self.row_start[s + 1]]
    }

    /// Entries stored for a supernode, as in a solve that reads the square on its diagonal in full.
    pub fn entries(&self, s: usize) -> f64 {
        let (c, r) = (self.columns(s).len() as f64, self.rows(s).len() as f64);
        c * (c + r)
    }

    /// Rows of each supernode: those of its children and of its own columns, less its columns.
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

    /// Choose the parts and bring each into one piece.
    fn split(&mut self) {
        let count = self.count();
        self.parts = vec![Part { nodes: 0..count, below: 0 }];
        let mut weight: Vec<f64> = (0..count).map(|s| self.entries(s)).collect();
        let total: f64 = weight.iter().sum();
        if self.order.len() < ROWS_TO_SPLIT || total < ENTRIES_TO_SPLIT {
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

/// The tree of supernodes on its way into parts: a branch heavier than a share is cut where it forks, lighter ones
/// next to each other are bundled to about a share.
struct Cut {
    /// Of each supernode with all below it.
    weight: Vec<f64>,
    share: f64,
    children: Vec<Vec<usize>>,
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

    /// A heavy branch: its stem down to where it forks, and before that all below.
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

    fn part(&mut self, nodes: Vec<u32>, below: usize) {
        let begin = self.sequence.len();
        self.sequence.extend(nodes);
        self.parts.push(Part { nodes: begin..self.sequence.len(), below });
    }
}

/// First columns of the supernodes, after joining.
fn joined(elimination: &Elimination) -> Vec<u32> {
    let (counts, parent) = (&elimination.counts, &elimination.parent);
    let n = counts.len() as u32;
    // (first column, entries that are not zero) of the supernodes so far.
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

fn trapezoid(columns: u32, rows: u32) -> f64 {
    let (c, r) = (f64::from(columns), f64::from(rows));
    c * (c + 1.0) / 2.0 + c * r
}
