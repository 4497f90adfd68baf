//! Vertex separators: sides 0 and 1 never touch, side 2 is the separator between them.
//!
//! Moving a separator vertex v to side s draws its neighbours on the other side o into the separator: the
//! separator shrinks by `weight(v) − pull(v, o)`, `pull(v, o)` the weight of v's neighbours in o. Refinement is
//! Fiduccia and Mattheyses' (1982): make the best move even when it is a loss, move no vertex twice in a pass,
//! keep the best state seen. Greedy growing starts from one vertex and uses the same moves.

use super::graph::{Graph, Random};
use std::collections::BinaryHeap;

/// The side of separator vertices.
pub(super) const CUT: u8 = 2;

/// Sides may differ by this much: the larger one has at most 3/5 of all weight. Of 0.55, 0.6, 0.65 on the
/// Curtain and a cube none is best on both (2 % of fill).
const LARGEST: f64 = 0.6;

pub(super) struct Separator<'g> {
    graph: &'g Graph,
    pub side: Vec<u8>,
    /// Weight of side 0, side 1 and the separator.
    pub weight: [u64; 3],
    limit: u64,
    pull: Vec<[u32; 2]>,
    locked: Vec<bool>,
    queue: [BinaryHeap<(i64, u32)>; 2],
    /// (vertex, side before), newest last.
    journal: Vec<(u32, u8)>,
}

impl<'g> Separator<'g> {
    pub fn new(graph: &'g Graph, side: Vec<u8>) -> Self {
        let n = graph.size();
        let mut weight = [0; 3];
        side.iter().zip(&graph.weight).for_each(|(&s, &w)| weight[s as usize] += u64::from(w));
        let total: u64 = weight.iter().sum();
        let limit = (LARGEST * total as f64).ceil() as u64;
        Separator {
            graph,
            side,
            weight,
            limit,
            pull: vec![[0; 2]; n],
            locked: vec![false; n],
            queue: [BinaryHeap::new(), BinaryHeap::new()],
            journal: Vec::new(),
        }
    }

    /// Grow side 0 from a random vertex, always by the vertex that adds least to the separator, to half the weight.
    pub fn grown(graph: &'g Graph, random: &mut Random) -> Self {
        let n = graph.size();
        let mut s = Separator::new(graph, vec![1; n]);
        let mut fresh = random.below(n) as u32;
        while s.weight[0] < s.weight[1] {
            if let Some((v, _)) = s.best(0) {
                s.shift(v, 0);
                continue;
            }
            // The component is used up: go on in another one.
            while s.side[fresh as usize] != 1 {
                fresh = (fresh + 1) % n as u32;
            }
            s.set(fresh, CUT);
            s.enter(fresh);
        }
        s
    }

    /// What is to be made small: the separator, and among equals the imbalance.
    pub fn cost(&self) -> (bool, u64, u64) {
        let [a, b, cut] = self.weight;
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
        self.locked.fill(false);
        for v in 0..self.graph.size() as u32 {
            if self.side[v as usize] == CUT {
                self.enter(v);
            }
        }
        let before = self.cost();
        let (mut best, mut keep, mut idle) = (before, 0, 0);
        let patience = 20 + self.graph.size() / 50;
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
        while self.journal.len() > keep {
            let (v, side) = self.journal.pop().expect("longer than keep");
            self.move_weight(v, side);
        }
        best < before
    }

    /// The better of the two sides' best moves that keep the balance.
    fn next(&mut self) -> Option<(u32, usize)> {
        let options = [0, 1].map(|s| {
            let (v, gain) = self.best(s)?;
            let heavier = self.weight[s] + u64::from(self.graph.weight[v as usize]);
            (heavier <= self.limit || self.weight[s] < self.weight[1 - s]).then_some((v, gain))
        });
        match options {
            [Some((v, g)), Some((u, f))] => {
                let first = (g, self.weight[1]) >= (f, self.weight[0]);
                Some(if first { (v, 0) } else { (u, 1) })
            }
            [Some((v, _)), None] => Some((v, 0)),
            [None, Some((v, _))] => Some((v, 1)),
            [None, None] => None,
        }
    }

    /// Best move to side `s`, left in the queue. Gains are queued when they rise; one that has fallen since is
    /// found out here and queued again.
    fn best(&mut self, s: usize) -> Option<(u32, i64)> {
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
    fn gain(&self, v: u32, s: usize) -> i64 {
        i64::from(self.graph.weight[v as usize]) - i64::from(self.pull[v as usize][1 - s])
    }

    fn shift(&mut self, v: u32, s: usize) {
        let (graph, w) = (self.graph, self.graph.weight[v as usize]);
        self.set(v, s as u8);
        for &u in graph.neighbours(v) {
            match self.side[u as usize] {
                CUT => self.pull[u as usize][s] += w,
                side if side as usize != s => {
                    self.set(u, CUT);
                    for &t in graph.neighbours(u) {
                        if self.side[t as usize] == CUT {
                            self.pull[t as usize][1 - s] -= graph.weight[u as usize];
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
        let mut pull = [0; 2];
        for &u in self.graph.neighbours(v) {
            if let side @ 0..=1 = self.side[u as usize] {
                pull[side as usize] += self.graph.weight[u as usize];
            }
        }
        self.pull[v as usize] = pull;
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
        self.move_weight(v, side);
    }

    fn move_weight(&mut self, v: u32, side: u8) {
        let w = u64::from(self.graph.weight[v as usize]);
        self.weight[self.side[v as usize] as usize] -= w;
        self.weight[side as usize] += w;
        self.side[v as usize] = side;
    }
}
