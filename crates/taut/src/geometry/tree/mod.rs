//! Which points come near which faces during a step, and which edges which edges.
//!
//! | file | what |
//! |---|---|
//! | `boxes` | boxes at both ends of a step, one against eight at a time |
//! | `leaves` | clusters of eight neighbouring faces, with the points and edges they own |
//! | `levels` | the tree above them |
//!
//! [`Tree::refit`] takes the positions at both ends of a step, [`Tree::pairs`] finds the candidates: pairs of primitives
//! without a common particle whose boxes come within a distance, the same ones that a test of all pairs would find. The
//! leaves stay as they were made at rest. The order of the leaves is found anew in the first refit after a search that
//! took 1.5 times as many box tests as the first one after it was last found: counts, not clocks, decide.

mod boxes;
mod leaves;
mod levels;
#[cfg(test)]
mod tests;

use super::Surface;
use crate::kernel::{Kernel, Simd, Work, run};
use boxes::{Ends, Frame, LANES, One, bits};
use glam::DVec3;
use leaves::Leaves;
use levels::Levels;

/// Pairs that may touch. Kept from step to step, so that nothing is allocated once the lists have grown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidates {
    /// A particle and the number of a face.
    pub vertex_face: Vec<[u32; 2]>,
    /// The numbers of two edges.
    pub edge_edge: Vec<[u32; 2]>,
}

impl Candidates {
    /// Put the lower edge of each pair first, and both lists in ascending order: that does not depend on the tree.
    pub fn sort(&mut self) {
        self.edge_edge.iter_mut().for_each(|pair| pair.sort_unstable());
        self.vertex_face.sort_unstable();
        self.edge_edge.sort_unstable();
    }
}

/// The distances within which pairs are looked for \[m\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Distances {
    /// Between a point and a face.
    pub vertex_face: f64,
    /// Between two edges.
    pub edge_edge: f64,
}

/// A bounding volume tree over a [`Surface`].
#[derive(Debug, Clone)]
pub struct Tree {
    leaves: Leaves,
    levels: Levels,
    frame: Frame,
    /// The particles at both ends of the step.
    particles: Vec<Ends>,
    /// Leaves whose primitives have their boxes.
    fitted: Vec<bool>,
    /// Leaves near each other.
    near: Vec<[u32; 2]>,
    /// Leaves with prescribed particles.
    held: Vec<Held>,
    /// Box tests of the last search, and of the first after the order was found.
    tests: u64,
    fresh: Option<u64>,
    kernel: Kernel,
}

/// Which particles of a leaf are prescribed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    None,
    Some,
    All,
}

/// How many times as many box tests as at first wear a tree out: 3/2.
const WORN: [u64; 2] = [3, 2];

impl Tree {
    /// A tree over a surface; its leaves are what is together in these positions \[m\], one for each particle.
    pub fn new(surface: &Surface, rest: &[DVec3]) -> Self {
        let leaves = Leaves::new(surface, rest);
        let mut tree = Tree {
            levels: Levels::default(),
            frame: Frame::new(rest, rest),
            particles: vec![],
            fitted: vec![false; leaves.count],
            near: vec![],
            held: vec![Held::None; leaves.count],
            tests: 0,
            fresh: None,
            kernel: Kernel::detected(),
            leaves,
        };
        tree.arrange(rest);
        tree.refit(rest, rest);
        tree
    }

    /// Find the order of the leaves.
    fn arrange(&mut self, positions: &[DVec3]) {
        let centre = |leaf| {
            let [low, high] =
                crate::bounds::extent(self.leaves.particles(leaf).iter().map(|&p| positions[p as usize]));
            low + (high - low) * 0.5
        };
        self.levels.build(&(0..self.leaves.count).map(centre).collect::<Vec<_>>());
        (self.tests, self.fresh) = (0, None);
    }

    /// Take the positions at the start and the end of a step \[m\], one of each for every particle of the surface.
    pub fn refit(&mut self, start: &[DVec3], end: &[DVec3]) {
        if self.fresh.is_some_and(|fresh| WORN[1] * self.tests > WORN[0] * fresh) {
            self.arrange(start);
        }
        self.frame = Frame::new(start, end);
        self.fitted.fill(false);
        run(self.kernel, Refit { tree: self, start, end });
    }

    /// Find the candidates: pairs that come within these distances during the step, by the boxes around them, have no
    /// particle in common, and are not prescribed altogether. `prescribed` says which particles are; those beyond its
    /// end are not.
    pub fn pairs(&mut self, prescribed: &[bool], distances: Distances, found: &mut Candidates) {
        found.vertex_face.clear();
        found.edge_edge.clear();
        if self.leaves.count > 0 {
            self.hold(prescribed);
            run(self.kernel, Search { tree: self, prescribed, distances, found });
        }
    }

    fn hold(&mut self, prescribed: &[bool]) {
        for (leaf, held) in self.held.iter_mut().enumerate() {
            let particles = self.leaves.particles(leaf);
            let count = particles.iter().filter(|&&p| is(prescribed, p)).count();
            *held = match count {
                0 => Held::None,
                n if n == particles.len() => Held::All,
                _ => Held::Some,
            };
        }
        self.levels.hold(|leaf| self.held[leaf] == Held::All);
    }
}

#[inline(always)]
fn is(prescribed: &[bool], particle: u32) -> bool {
    prescribed.get(particle as usize).is_some_and(|&is| is)
}

/// The boxes of all nodes.
struct Refit<'a> {
    tree: &'a mut Tree,
    start: &'a [DVec3],
    end: &'a [DVec3],
}

impl Work<f32> for Refit<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<f32>, const FUSED: bool>(self) {
        let Refit { tree, start, end } = self;
        tree.particles.clear();
        tree.particles.extend(start.iter().zip(end).map(|(&start, &end)| tree.frame.ends(start, end)));
        tree.levels.refit::<V>(&tree.leaves, &tree.particles);
    }
}

/// The candidates.
struct Search<'a> {
    tree: &'a mut Tree,
    prescribed: &'a [bool],
    distances: Distances,
    found: &'a mut Candidates,
}

impl Work<f32> for Search<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<f32>, const FUSED: bool>(self) {
        let Search { tree, prescribed, distances, found } = self;
        let (vertex_face, edge_edge) =
            (tree.frame.reach(distances.vertex_face), tree.frame.reach(distances.edge_edge));
        tree.tests = tree.levels.pairs::<V>(vertex_face.max(edge_edge), &mut tree.near);
        tree.fresh.get_or_insert(tree.tests);
        for pair in &tree.near {
            for &leaf in pair {
                if !std::mem::replace(&mut tree.fitted[leaf as usize], true) {
                    tree.leaves.refit::<V>(leaf as usize, &tree.particles);
                }
            }
        }
        let reach = Reach { vertex_face: V::splat(vertex_face), edge_edge: V::splat(edge_edge) };
        let (mut points, mut edges) = (Sink::new(&mut found.vertex_face), Sink::new(&mut found.edge_edge));
        for &[a, b] in &tree.near {
            let (a, b) = (a as usize, b as usize);
            let held =
                if tree.held[a] == Held::None || tree.held[b] == Held::None { &[] } else { prescribed };
            // Only then need pairs be looked at one by one.
            let odd = !held.is_empty() || tree.leaves.joined(a).contains(&(b as u32));
            let pair = Pair::<V> { leaves: &tree.leaves, levels: &tree.levels, reach: &reach, held, odd };
            pair.vertex_face(a, b, &mut points);
            if a != b {
                pair.vertex_face(b, a, &mut points);
            }
            pair.edge_edge(a, b, &mut edges);
        }
        points.flush();
        edges.flush();
    }
}

/// A list that grows by many at a time.
struct Sink<'a> {
    list: &'a mut Vec<[u32; 2]>,
    buffer: [[u32; 2]; Sink::SIZE],
    count: usize,
}

impl<'a> Sink<'a> {
    const SIZE: usize = 512;

    fn new(list: &'a mut Vec<[u32; 2]>) -> Self {
        Sink { list, buffer: [[0; 2]; Sink::SIZE], count: 0 }
    }

    fn flush(&mut self) {
        self.list.extend_from_slice(&self.buffer[..self.count]);
        self.count = 0;
    }

    /// Add the pairs of one with those of eight others whose bit is set, without a branch for each.
    #[inline(always)]
    fn push(&mut self, one: u32, others: &[u32; LANES], mask: u32) {
        if mask == 0 {
            return;
        }
        if self.count + LANES > Sink::SIZE {
            self.flush();
        }
        let room: &mut [[u32; 2]; LANES] =
            (&mut self.buffer[self.count..][..LANES]).try_into().expect("so many");
        let mut count = 0;
        for (j, &other) in others.iter().enumerate() {
            room[count % LANES] = [one, other];
            count += (mask >> j & 1) as usize;
        }
        self.count += count;
    }
}

struct Reach<V: Simd<f32>> {
    vertex_face: V::Vector,
    edge_edge: V::Vector,
}

/// The search between two leaves.
struct Pair<'a, V: Simd<f32>> {
    leaves: &'a Leaves,
    levels: &'a Levels,
    reach: &'a Reach<V>,
    /// Empty if no pair can be prescribed altogether.
    held: &'a [bool],
    /// Whether there may be pairs that share a particle or are prescribed altogether.
    odd: bool,
}

impl<V: Simd<f32>> Pair<'_, V> {
    /// The box of a leaf.
    #[inline(always)]
    fn whole(&self, leaf: usize) -> One<V> {
        let (block, lane) = self.levels.leaf(leaf);
        One::of(block, lane)
    }

    /// Those of eight primitives that share no particle with another and are not prescribed together with it.
    #[inline(always)]
    fn wanted<const M: usize, const N: usize>(
        &self,
        one: &[u32; M],
        others: &[[u32; N]; LANES],
        mask: u32,
    ) -> u32 {
        if !self.odd || mask == 0 {
            return mask;
        }
        let mut wanted = mask;
        for j in 0..LANES {
            let mut shared = false;
            for p in one {
                for q in &others[j] {
                    shared |= p == q;
                }
            }
            wanted &= !(u32::from(shared) << j);
        }
        if !self.held.is_empty() {
            for j in bits(wanted) {
                let all = one.iter().chain(&others[j]).all(|&p| is(self.held, p));
                wanted &= !(u32::from(all) << j);
            }
        }
        wanted
    }

    /// Points of leaf a near faces of leaf b.
    #[inline(always)]
    fn vertex_face(&self, a: usize, b: usize, found: &mut Sink) {
        let (points, faces) = (&self.leaves.points, &self.leaves.faces);
        let reach = self.reach.vertex_face;
        let whole = self.whole(b);
        for f in faces.of(b) {
            for p in points.of(a) {
                for i in bits(whole.near(&points.blocks[p], reach)) {
                    let point = points.corners[p][i];
                    let near = One::<V>::of(&points.blocks[p], i).near(&faces.blocks[f], reach);
                    let near = self.wanted(&point, &faces.corners[f], near);
                    found.push(point[0], &faces.numbers[f], near);
                }
            }
        }
    }

    /// Edges of leaf a near edges of leaf b, which may be a.
    #[inline(always)]
    fn edge_edge(&self, a: usize, b: usize, found: &mut Sink) {
        let edges = &self.leaves.edges;
        let reach = self.reach.edge_edge;
        let (first, second) = (self.whole(a), self.whole(b));
        for q in edges.of(b) {
            let others = first.near(&edges.blocks[q], reach);
            if others == 0 {
                continue;
            }
            for p in edges.of(a) {
                if a == b && q < p {
                    continue;
                }
                for i in bits(second.near(&edges.blocks[p], reach)) {
                    let mut near = One::<V>::of(&edges.blocks[p], i).near(&edges.blocks[q], reach);
                    if p == q {
                        near &= !1 << i;
                    }
                    let near = self.wanted(&edges.corners[p][i], &edges.corners[q], near);
                    found.push(edges.numbers[p][i], &edges.numbers[q], near);
                }
            }
        }
    }
}
