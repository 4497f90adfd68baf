//! Graphs with weights, in compressed adjacency: what is matched, contracted and cut.
//!
//! A coarse vertex stands for `weight` fine ones, a coarse edge for `edge_weight` fine ones. Contraction follows
//! a heavy-edge matching: joining the ends of heavy edges keeps cheap cuts visible on the coarse graph
//! (Karypis and Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", 1998).

use super::super::Pattern;

/// Neighbours looked at per edge, so that one hub does not cost the square of its degree.
const MOST_COMPARED: usize = 64;

/// An undirected graph without loops; every edge is listed at both ends.
#[derive(Debug, Clone, Default)]
pub(super) struct Graph {
    pub start: Vec<u32>,
    pub adjacent: Vec<u32>,
    pub edge_weight: Vec<u32>,
    pub weight: Vec<u32>,
}

impl Graph {
    pub fn new(pattern: &Pattern) -> Self {
        let n = pattern.size();
        let mut start = vec![0u32; n + 1];
        for j in 0..n {
            for &i in &pattern.rows[pattern.column(j)] {
                start[i as usize + 1] += 1;
                start[j + 1] += 1;
            }
        }
        (0..n).for_each(|v| start[v + 1] += start[v]);
        let mut next = start.clone();
        let mut adjacent = vec![0; start[n] as usize];
        let mut put = |v: usize, u: u32| {
            adjacent[next[v] as usize] = u;
            next[v] += 1;
        };
        for j in 0..n {
            for &i in &pattern.rows[pattern.column(j)] {
                put(i as usize, j as u32);
                put(j, i);
            }
        }
        let mut graph = Graph { edge_weight: vec![1; adjacent.len()], weight: vec![1; n], start, adjacent };
        graph.weigh_edges();
        graph
    }

    /// Weigh each edge by the neighbours its ends share. All edges of a mesh count alike, but pairs with much in
    /// common make compact coarse vertices: with weights of 1 the springs two apart win as often as the short
    /// ones, and the Curtain gets 5 % more fill.
    fn weigh_edges(&mut self) {
        let mut near = vec![u32::MAX; self.size()];
        for v in 0..self.size() as u32 {
            self.neighbours(v).iter().for_each(|&u| near[u as usize] = v);
            for slot in self.range(v) {
                let shared = self.neighbours(self.adjacent[slot]).iter();
                let shared = shared.take(MOST_COMPARED).filter(|&&t| near[t as usize] == v).count();
                self.edge_weight[slot] = 1 + shared as u32;
            }
        }
    }

    pub fn size(&self) -> usize {
        self.weight.len()
    }

    #[inline]
    fn range(&self, v: u32) -> std::ops::Range<usize> {
        self.start[v as usize] as usize..self.start[v as usize + 1] as usize
    }

    #[inline]
    pub fn neighbours(&self, v: u32) -> &[u32] {
        &self.adjacent[self.range(v)]
    }

    /// The subgraph on `keep`, numbered in that order. `place` is scratch as long as this graph.
    pub fn induced(&self, keep: &[u32], place: &mut [u32]) -> Graph {
        place.fill(u32::MAX);
        (0u32..).zip(keep).for_each(|(new, &old)| place[old as usize] = new);
        let mut sub = Graph { start: vec![0], ..Graph::default() };
        sub.weight = keep.iter().map(|&v| self.weight[v as usize]).collect();
        for &v in keep {
            for slot in self.range(v) {
                let u = place[self.adjacent[slot] as usize];
                if u != u32::MAX {
                    sub.adjacent.push(u);
                    sub.edge_weight.push(self.edge_weight[slot]);
                }
            }
            sub.start.push(sub.adjacent.len() as u32);
        }
        sub
    }

    /// Match vertices along heavy edges and contract the pairs. Returns the coarse graph and the coarse vertex
    /// of every vertex.
    pub fn coarsened(&self, heaviest: u32, random: &mut Random) -> (Graph, Vec<u32>) {
        let partner = self.matching(heaviest, random);
        let n = self.size() as u32;
        let mut map = vec![u32::MAX; n as usize];
        let mut leaders = Vec::with_capacity(n as usize);
        for v in 0..n {
            if map[v as usize] == u32::MAX {
                map[v as usize] = leaders.len() as u32;
                map[partner[v as usize] as usize] = leaders.len() as u32;
                leaders.push(v);
            }
        }
        (self.contracted(&leaders, &partner, &map), map)
    }

    fn matching(&self, heaviest: u32, random: &mut Random) -> Vec<u32> {
        let mut partner = vec![u32::MAX; self.size()];
        for v in random.order(self.size()) {
            if partner[v as usize] != u32::MAX {
                continue;
            }
            let mut best = (0, v);
            for slot in self.range(v) {
                let (u, w) = (self.adjacent[slot], self.edge_weight[slot]);
                let light = self.weight[u as usize] + self.weight[v as usize] <= heaviest;
                if w > best.0 && partner[u as usize] == u32::MAX && light {
                    best = (w, u);
                }
            }
            partner[v as usize] = best.1;
            partner[best.1 as usize] = v;
        }
        partner
    }

    fn contracted(&self, leaders: &[u32], partner: &[u32], map: &[u32]) -> Graph {
        let mut coarse = Graph { start: vec![0], ..Graph::default() };
        coarse.adjacent.reserve(self.adjacent.len() / 2);
        coarse.edge_weight.reserve(self.adjacent.len() / 2);
        let mut slot_of = vec![u32::MAX; leaders.len()];
        for (c, &v) in leaders.iter().enumerate() {
            let first = coarse.adjacent.len();
            let other = partner[v as usize];
            let both = if other == v { &[v][..] } else { &[v, other][..] };
            for &v in both {
                for slot in self.range(v) {
                    let u = map[self.adjacent[slot] as usize];
                    let at = slot_of[u as usize] as usize;
                    // A slot from before `first` belongs to another vertex's list: it is stale.
                    if at >= first && at < coarse.adjacent.len() {
                        coarse.edge_weight[at] += self.edge_weight[slot];
                    } else if u as usize != c {
                        slot_of[u as usize] = coarse.adjacent.len() as u32;
                        coarse.adjacent.push(u);
                        coarse.edge_weight.push(self.edge_weight[slot]);
                    }
                }
            }
            coarse.weight.push(both.iter().map(|&v| self.weight[v as usize]).sum());
            coarse.start.push(coarse.adjacent.len() as u32);
        }
        coarse
    }
}

/// A small repeatable generator (splitmix64): orders must be the same on every machine.
#[derive(Debug, Clone)]
pub(super) struct Random(pub u64);

impl Random {
    /// Uniform below `n` (n > 0), to the accuracy an ordering needs.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((z >> 32) * n as u64) >> 32) as usize
    }

    fn order(&mut self, n: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        (1..n).for_each(|i| order.swap(i, self.below(i + 1)));
        order
    }
}
