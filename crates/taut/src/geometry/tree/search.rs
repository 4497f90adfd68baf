//! The search: pairs of leaves near each other, then pairs of what they hold.

use super::boxes::{LANES, One, bits};
use super::flat::Step;
use super::leaves::{EDGES, FACES, Group, Leaves, POINTS, Parts};
use super::levels::Levels;
use super::{Candidates, Distances, Held, Tree, ascending, is};
use crate::kernel::{Simd, Work};

/// What is looked for, and where it goes.
pub(super) enum Wanted<'a> {
    Candidates(Distances, &'a mut Candidates),
    EdgesAndFaces(&'a mut Vec<[u32; 2]>),
}

pub(super) struct Search<'a> {
    pub tree: &'a mut Tree,
    pub prescribed: &'a [bool],
    pub wanted: Wanted<'a>,
}

impl Work<f32> for Search<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<f32>, const FUSED: bool>(self) {
        let Search { tree, prescribed, wanted } = self;
        match wanted {
            Wanted::Candidates(distances, found) => {
                let (face, edge) =
                    (tree.frame.reach(distances.vertex_face), tree.frame.reach(distances.edge_edge));
                let [wants_faces, wants_edges] =
                    [distances.vertex_face, distances.edge_edge].map(|d| d >= 0.0);
                let parts = |wants: bool, parts: Parts| if wants { parts } else { 0 };
                let needed = parts(wants_faces, POINTS | FACES) | parts(wants_edges, EDGES);
                near::<V>(tree, face.max(edge), needed);
                let (face, edge) = (V::splat(face), V::splat(edge));
                let mut vertex_face = Sink::new(&mut found.vertex_face);
                let mut edge_edge = Sink::new(&mut found.edge_edge);
                let Leaves { points, edges, faces, .. } = &tree.leaves;
                for &pair in &tree.near {
                    let pair = Pair::<V>::new(tree, pair, prescribed);
                    if wants_faces {
                        pair.between(points, faces, face, &mut vertex_face);
                        if pair.a != pair.b {
                            pair.turned().between(points, faces, face, &mut vertex_face);
                        }
                    }
                    if wants_edges {
                        pair.between(edges, edges, edge, &mut edge_edge);
                    }
                }
                vertex_face.flush();
                edge_edge.flush();
            }
            Wanted::EdgesAndFaces(found) => {
                let reach = tree.frame.reach(0.0);
                near::<V>(tree, reach, EDGES | FACES);
                let (reach, mut sink) = (V::splat(reach), Sink::new(found));
                let Leaves { edges, faces, .. } = &tree.leaves;
                for &pair in &tree.near {
                    let pair = Pair::<V>::new(tree, pair, prescribed);
                    pair.between(edges, faces, reach, &mut sink);
                    if pair.a != pair.b {
                        pair.turned().between(edges, faces, reach, &mut sink);
                    }
                }
                sink.flush();
            }
        }
    }
}

/// Find the pairs of leaves within reach, and the boxes of those parts of them that are needed.
#[inline(always)]
fn near<V: Simd<f32>>(tree: &mut Tree, reach: f32, needed: Parts) {
    tree.tests = tree.levels.pairs::<V>(reach, &mut tree.near);
    tree.fresh.get_or_insert(tree.tests);
    // Leaves are numbered at rest, so now nothing depends on the order in which the tree has them.
    ascending(&mut tree.near, &mut tree.room);
    if let Some(flat) = &mut tree.flat {
        let [start, end] = &tree.ends;
        flat.cull::<V>(&tree.leaves, Step { start, end, scale: tree.frame.scale }, &mut tree.near);
    }
    for leaf in tree.near.as_flattened() {
        let fitted = &mut tree.fitted[*leaf as usize];
        if needed & !*fitted != 0 {
            tree.leaves.refit::<V>(*leaf as usize, needed & !*fitted, &tree.places);
            *fitted |= needed;
        }
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

    /// Add the pairs of one with those of eight others whose bit is set, without a branch for each; the lower number first
    /// if they are of one kind.
    #[inline(always)]
    fn push(&mut self, one: u32, others: &[u32; LANES], mask: u32, one_kind: bool) {
        if mask == 0 {
            return;
        }
        if self.count + LANES > Sink::SIZE {
            self.flush();
        }
        let room = &mut self.buffer[self.count..][..LANES];
        let mut count = 0;
        for (j, &other) in others.iter().enumerate() {
            room[count % LANES] = if one_kind { [one.min(other), one.max(other)] } else { [one, other] };
            count += (mask >> j & 1) as usize;
        }
        self.count += count;
    }
}

/// The search between two leaves, which may be one.
struct Pair<'a, V: Simd<f32>> {
    levels: &'a Levels,
    a: usize,
    b: usize,
    /// Empty if no pair can be prescribed altogether.
    held: &'a [bool],
    /// Whether the leaves share particles.
    joined: bool,
    vectors: std::marker::PhantomData<V>,
}

impl<'a, V: Simd<f32>> Pair<'a, V> {
    #[inline(always)]
    fn new(tree: &'a Tree, [a, b]: [u32; 2], prescribed: &'a [bool]) -> Self {
        let joined = tree.leaves.joined(a as usize).contains(&b);
        let (a, b) = (a as usize, b as usize);
        let free = tree.held[a] == Held::None || tree.held[b] == Held::None;
        let held = if free { &[] } else { prescribed };
        Pair { levels: &tree.levels, a, b, held, joined, vectors: std::marker::PhantomData }
    }

    /// The same with the leaves exchanged.
    #[inline(always)]
    fn turned(&self) -> Self {
        Pair { a: self.b, b: self.a, ..*self }
    }

    /// The box of a leaf.
    #[inline(always)]
    fn whole(&self, leaf: usize) -> One<V> {
        let (block, lane) = self.levels.leaf(leaf);
        One::of(block, lane)
    }

    /// Primitives of leaf a near primitives of leaf b. Within one group and one leaf each pair is found once.
    #[inline(always)]
    fn between<const M: usize, const N: usize>(
        &self,
        first: &Group<M>,
        second: &Group<N>,
        reach: V::Vector,
        found: &mut Sink,
    ) {
        let once = M == N && self.a == self.b;
        let (a, b) = (self.whole(self.a), self.whole(self.b));
        for q in second.of(self.b) {
            if a.near(&second.blocks[q], reach) == 0 {
                continue;
            }
            for p in first.of(self.a) {
                if once && q < p {
                    continue;
                }
                for i in bits(b.near(&first.blocks[p], reach)) {
                    let mut near = One::<V>::of(&first.blocks[p], i).near(&second.blocks[q], reach);
                    if once && p == q {
                        near &= !1 << i;
                    }
                    let near = self.wanted(&first.corners[p][i], &second.corners[q], near);
                    found.push(first.numbers[p][i], &second.numbers[q], near, M == N);
                }
            }
        }
    }

    /// Those of eight primitives that share no particle with another and are not prescribed together with it.
    #[inline(always)]
    fn wanted<const M: usize, const N: usize>(
        &self,
        one: &[u32; M],
        others: &[[u32; N]; LANES],
        mask: u32,
    ) -> u32 {
        let mut wanted = mask;
        if self.joined && mask != 0 {
            for (j, other) in others.iter().enumerate() {
                let mut shared = false;
                for p in one {
                    for q in other {
                        shared |= p == q;
                    }
                }
                wanted &= !(u32::from(shared) << j);
            }
        }
        if !self.held.is_empty() {
            for j in bits(wanted) {
                let all = one.iter().chain(&others[j]).all(|&p| is(self.held, p));
                wanted &= !(u32::from(all) << j);
            }
        }
        wanted
    }
}
