//! Vertex separators: sides 0 and 1 never touch, side 2 is the separator between them.
//!
//! Moving a separator vertex v to side s draws its neighbours on the other side o into the separator: the
//! separator shrinks by `weight(v) − pull(v, o)`, `pull(v, o)` the weight of v's neighbours in o. Refinement is
//! Fiduccia and Mattheyses' (1982): make the best move even when it is a loss, move no vertex twice in a pass,
//! keep the best state seen. A pass never looks at the inside of a side.

use super::graph::Graph;
use std::collections::BinaryHeap;

/// The side of separator vertices.
pub(super) const CUT: u8 = 2;

/// The larger side has at most this share of the vertices. Fill with 0.6, 0.7, 0.75 on the Curtain: 3.4, 3.3, 3.4e5;
/// on the Frog 4.1, 3.7, 4.1e5 (limbs want to be cut off whole).
pub(super) const LARGEST: f64 = 0.7;

pub(super) struct Separator<'g> {
    graph: &'g Graph,
    pub side: Vec<u8>,
    /// Vertices in side 0, side 1 and the separator.
    pub count: [usize; 3],
    limit: usize,
    /// Vertices of the separator, ascending, as a pass begins.
    cut: Vec<u32>,
    pull: Vec<[u32; 2]>,
    locked: Vec<bool>,
    queue: [BinaryHeap<(i32, u32)>; 2],
    /// (vertex, side before), newest last.
    journal: Vec<(u32, u8)>,
}

impl<'g> Separator<'g> {
    pub fn new(graph: &'g Graph, side: Vec<u8>) -> Self {
        let n = graph.size();
        let mut count = [0; 3];
        side.iter().for_each(|&s| count[s as usize] += 1);
        Separator {
            graph,
            count,
            limit: (LARGEST * n as f64).ceil() as usize,
            cut: (0..n as u32).filter(|&v| side[v as usize] == CUT).collect(),
            side,
            pull: vec![[0; 2]; n],
            locked: vec![false; n],
            queue: [BinaryHeap::new(), BinaryHeap::new()],
            journal: Vec::new(),
        }
    }

    /// What is to be made small: the separator, and among equals the imbalance.
    pub fn cost(&self) -> (bool, usize, usize) {
        let [a, b, cut] = self.count;
        (a.max(b) > self.limit, cut, a.abs_diff(b))
    }

    /// Passes of moves until one brings nothing.
    pub fn refine(&mut self, passes: usize) {
        for _ in 0..passes {
            if !self.pass() {
                break;
            }
        }
    }

    fn pass(&mut self) -> bool {
        self.journal.clear();
        self.queue.iter_mut().for_each(BinaryHeap::clear);
        let cut = std::mem::take(&mut self.cut);
        cut.iter().for_each(|&v| self.enter(v));
        let before = self.cost();
        let (mut best, mut keep, mut idle) = (before, 0, 0);
        let patience = patience(cut.len());
        self.cut = cut;
        while idle < patience
            && let Some((v, s)) = self.next()
        {
            self.shift(v, s);
            self.locked[v as usize] = true;
            idle += 1;
            if self.cost() < best {
                (best, keep, idle) = (self.cost(), self.journal.len(), 0);
            }
        }
        for k in (keep..self.journal.len()).rev() {
            let (v, side) = self.journal[k];
            self.put(v, side);
        }
        self.gather();
        best < before
    }

    /// Find the separator again after moves, and unlock what was moved.
    fn gather(&mut self) {
        self.cut.extend(self.journal.iter().map(|&(v, _)| v));
        self.journal.iter().for_each(|&(v, _)| self.locked[v as usize] = false);
        let side = &self.side;
        self.cut.retain(|&v| side[v as usize] == CUT);
        self.cut.sort_unstable();
        self.cut.dedup();
    }

    /// The better of the two sides' best moves that keep the balance.
    fn next(&mut self) -> Option<(u32, usize)> {
        let options = [0, 1].map(|s| {
            let (v, gain) = self.best(s)?;
            (self.count[s] < self.limit || self.count[s] < self.count[1 - s]).then_some((v, gain))
        });
        match options {
            [Some((v, g)), Some((u, f))] => {
                let first = (g, self.count[1]) >= (f, self.count[0]);
                Some(if first { (v, 0) } else { (u, 1) })
            }
            [Some((v, _)), None] => Some((v, 0)),
            [None, Some((v, _))] => Some((v, 1)),
            [None, None] => None,
        }
    }

    /// Best move to side `s`, left in the queue. Gains are queued when they rise; one that has fallen since is
    /// found out here and queued again.
    fn best(&mut self, s: usize) -> Option<(u32, i32)> {
        while let Some(&(gain, v)) = self.queue[s].peek() {
            let now = self.gain(v, s);
            let stands = self.side[v as usize] == CUT && !self.locked[v as usize];
            if stands && gain == now {
                return Some((v, gain));
            }
            self.queue[s].pop();
            if stands && now < gain {
                self.queue[s].push((now, v));
            }
        }
        None
    }

    #[inline]
    fn gain(&self, v: u32, s: usize) -> i32 {
        1 - self.pull[v as usize][1 - s] as i32
    }

    fn shift(&mut self, v: u32, s: usize) {
        let graph = self.graph;
        self.set(v, s as u8);
        for &u in graph.neighbours(v) {
            match self.side[u as usize] {
                CUT => self.pull[u as usize][s] += 1,
                side if side as usize == 1 - s => {
                    self.set(u, CUT);
                    for &t in graph.neighbours(u) {
                        if self.side[t as usize] == CUT {
                            self.pull[t as usize][1 - s] -= 1;
                            self.offer(t, s);
                        }
                    }
                    self.enter(u);
                }
                _ => {}
            }
        }
    }

    /// Count what a vertex new to the separator would pull, and queue it.
    fn enter(&mut self, v: u32) {
        let mut pull = [0; 4];
        for &u in self.graph.neighbours(v) {
            pull[self.side[u as usize] as usize & 3] += 1;
        }
        self.pull[v as usize] = [pull[0], pull[1]];
        self.offer(v, 0);
        self.offer(v, 1);
    }

    #[inline]
    fn offer(&mut self, v: u32, s: usize) {
        if !self.locked[v as usize] {
            let gain = self.gain(v, s);
            self.queue[s].push((gain, v));
        }
    }

    fn set(&mut self, v: u32, side: u8) {
        self.journal.push((v, self.side[v as usize]));
        self.put(v, side);
    }

    fn put(&mut self, v: u32, side: u8) {
        self.count[self.side[v as usize] as usize] -= 1;
        self.count[side as usize] += 1;
        self.side[v as usize] = side;
    }
}

/// Moves without gain after which a pass over a separator of `cut` vertices gives up.
fn patience(cut: usize) -> usize {
    30 + cut / 4
}
