//! The leaves: clusters of neighbouring faces and loose edges, found once, where the surface is at rest.
//!
//! A point or edge that several faces share belongs to the first leaf that has it. So vertex–face and edge–edge pairs
//! come out of pairs of leaves, each of them once, and every box is inside the box of its leaf.

use super::boxes::{Block, Ends, LANES, Lanes};
use crate::geometry::Surface;
use crate::kernel::Simd;
use crate::linear::Components;
use glam::DVec3;

/// Points, edges or faces (N corners each), in blocks of eight that belong to one leaf.
#[derive(Debug, Clone)]
pub(super) struct Group<const N: usize> {
    /// For each leaf where its blocks begin; at last where all end.
    starts: Vec<u32>,
    pub blocks: Vec<Block>,
    /// The number in the surface of each primitive.
    pub numbers: Vec<[u32; LANES]>,
    /// The particles of each primitive.
    pub corners: Vec<[[u32; N]; LANES]>,
    /// The same corner by corner; the first primitive fills up what is missing.
    rows: Vec<[[u32; LANES]; N]>,
    /// How many lanes of each block are in use.
    pub counts: Vec<usize>,
}

impl<const N: usize> Group<N> {
    fn new() -> Self {
        Group {
            starts: vec![0],
            blocks: vec![],
            numbers: vec![],
            corners: vec![],
            rows: vec![],
            counts: vec![],
        }
    }

    /// Add what belongs to the next leaf.
    fn push(&mut self, numbers: &[u32], corners: impl Fn(u32) -> [u32; N]) {
        for eight in numbers.chunks(LANES) {
            self.blocks.push(Block::EMPTY);
            let number = |i: usize| eight.get(i).copied();
            self.numbers.push(std::array::from_fn(|i| number(i).unwrap_or(u32::MAX)));
            self.corners.push(std::array::from_fn(|i| number(i).map_or([0; N], &corners)));
            let filled = std::array::from_fn(|i| corners(number(i).unwrap_or(eight[0])));
            self.rows.push(std::array::from_fn(|k| filled.map(|corners: [u32; N]| corners[k])));
            self.counts.push(eight.len());
        }
        self.starts.push(self.blocks.len() as u32);
    }

    /// The blocks of a leaf.
    #[inline(always)]
    pub fn of(&self, leaf: usize) -> std::ops::Range<usize> {
        self.starts[leaf] as usize..self.starts[leaf + 1] as usize
    }

    /// The numbers in the surface of a leaf's primitives.
    pub fn numbers(&self, leaf: usize) -> impl Iterator<Item = u32> + '_ {
        self.of(leaf).flat_map(|b| self.numbers[b][..self.counts[b]].iter().copied())
    }

    /// The boxes of a leaf's primitives, from those of the particles.
    #[inline(always)]
    pub fn refit<V: Simd<f32>>(&mut self, leaf: usize, particles: &[Vec<Lanes>; 2]) {
        for b in self.of(leaf) {
            self.blocks[b].fit::<V>(&self.rows[b], self.counts[b], particles);
        }
    }
}

/// The box around particles, of which there is at least one.
#[inline(always)]
pub(super) fn around<V: Simd<f32>>(corners: &[u32], particles: &[Ends]) -> [Ends; 2] {
    let first = V::load(&particles[corners[0] as usize]);
    let (mut low, mut high) = (first, first);
    for &corner in &corners[1..] {
        let at = V::load(&particles[corner as usize]);
        (low, high) = (V::min(low, at), V::max(high, at));
    }
    [V::store(low), V::store(high)]
}

/// Some of the groups of a leaf, one bit each.
pub(super) type Parts = u8;
pub(super) const POINTS: Parts = 1;
pub(super) const EDGES: Parts = 2;
pub(super) const FACES: Parts = 4;

/// What the leaves hold.
#[derive(Debug, Clone)]
pub(super) struct Leaves {
    pub count: usize,
    pub points: Group<1>,
    pub edges: Group<2>,
    pub faces: Group<3>,
    /// For each leaf where its particles begin in `particles`; at last where all end.
    starts: Vec<u32>,
    /// Every particle of a leaf once, owned or not, leaf after leaf.
    particles: Vec<u32>,
    /// For each leaf where those begin in `joined` that share a particle with it; at last where all end.
    joined_starts: Vec<u32>,
    joined: Vec<u32>,
}

impl Leaves {
    pub fn new(surface: &Surface, rest: &[DVec3]) -> Self {
        let mut leaves = Leaves {
            count: 0,
            points: Group::new(),
            edges: Group::new(),
            faces: Group::new(),
            starts: vec![0],
            particles: vec![],
            joined_starts: vec![0],
            joined: vec![],
        };
        let mut owned =
            Owned { points: vec![false; surface.particles], edges: vec![false; surface.edges.len()] };
        clusters(surface, rest, |elements| leaves.push(surface, elements, &mut owned));
        leaves.join(surface.particles);
        leaves
    }

    /// Find the leaves that share particles.
    fn join(&mut self, particles: usize) {
        let mut of = vec![vec![]; particles];
        for leaf in 0..self.count {
            self.particles(leaf).iter().for_each(|&p| of[p as usize].push(leaf as u32));
        }
        for leaf in 0..self.count {
            let mut joined: Vec<u32> =
                self.particles(leaf).iter().flat_map(|&p| &of[p as usize]).copied().collect();
            joined.sort_unstable();
            joined.dedup();
            self.joined.extend(joined);
            self.joined_starts.push(self.joined.len() as u32);
        }
    }

    /// The leaves that share a particle with a leaf, itself among them.
    #[inline(always)]
    pub fn joined(&self, leaf: usize) -> &[u32] {
        &self.joined[self.joined_starts[leaf] as usize..self.joined_starts[leaf + 1] as usize]
    }

    /// Add a leaf of these elements.
    fn push(&mut self, surface: &Surface, elements: &[u32], owned: &mut Owned) {
        let faces = surface.faces.len() as u32;
        let (mut own, mut edges) = (Vec::new(), Vec::new());
        for &e in elements {
            match e.checked_sub(faces) {
                None => {
                    own.push(e);
                    edges.extend(surface.face_edges[e as usize]);
                }
                Some(edge) => edges.push(edge),
            }
        }
        let corners =
            |edges: &[u32]| edges.iter().flat_map(|&e| surface.edges[e as usize]).collect::<Vec<_>>();
        let mut particles = corners(&edges);
        particles.sort_unstable();
        particles.dedup();
        edges.retain(|&e| !std::mem::replace(&mut owned.edges[e as usize], true));
        let mut points = particles.clone();
        points.retain(|&p| !std::mem::replace(&mut owned.points[p as usize], true));
        self.faces.push(&own, |f| surface.faces[f as usize]);
        self.edges.push(&edges, |e| surface.edges[e as usize]);
        self.points.push(&points, |p| [p]);
        self.particles.extend(particles);
        self.starts.push(self.particles.len() as u32);
        self.count += 1;
    }

    /// The particles of a leaf.
    #[inline(always)]
    pub fn particles(&self, leaf: usize) -> &[u32] {
        &self.particles[self.starts[leaf] as usize..self.starts[leaf + 1] as usize]
    }

    #[inline(always)]
    pub fn refit<V: Simd<f32>>(&mut self, leaf: usize, what: Parts, particles: &[Vec<Lanes>; 2]) {
        if what & POINTS != 0 {
            self.points.refit::<V>(leaf, particles);
        }
        if what & EDGES != 0 {
            self.edges.refit::<V>(leaf, particles);
        }
        if what & FACES != 0 {
            self.faces.refit::<V>(leaf, particles);
        }
    }
}

/// Which points and edges belong to a leaf already.
struct Owned {
    points: Vec<bool>,
    edges: Vec<bool>,
}

/// Cut the surface into clusters of at most eight neighbouring elements: faces, or, counted after them, edges without
/// faces. What is not joined is never in one cluster, however near.
fn clusters(surface: &Surface, rest: &[DVec3], mut found: impl FnMut(&[u32])) {
    let faces = surface.faces.len();
    let loose = (0..surface.edges.len()).filter(|&e| surface.edge_faces[e] == 0);
    let mut elements: Vec<u32> = (0..faces).chain(loose.map(|e| faces + e)).map(|e| e as u32).collect();
    let corners = |e: u32| match (e as usize).checked_sub(faces) {
        None => &surface.faces[e as usize][..],
        Some(edge) => &surface.edges[edge][..],
    };
    let components = Components::new(surface.particles, surface.edges.iter().copied());
    let component = |e: u32| components.of[corners(e)[0] as usize];
    let centre = |e: u32| {
        let corners = corners(e);
        corners.iter().map(|&c| rest[c as usize]).sum::<DVec3>() / corners.len() as f64
    };
    elements.sort_by_key(|&e| component(e));
    for joined in elements.chunk_by_mut(|&a, &b| component(a) == component(b)) {
        bisect(joined, LANES, &|n| n.div_ceil(LANES).div_ceil(2) * LANES, &centre, &mut found);
    }
}

/// Cut items across their longest extent until at most so many are left; `first` says how many go to the first part.
pub(super) fn bisect(
    items: &mut [u32],
    most: usize,
    first: &impl Fn(usize) -> usize,
    centre: &impl Fn(u32) -> DVec3,
    found: &mut impl FnMut(&[u32]),
) {
    if items.len() <= most {
        items.sort_unstable();
        return found(items);
    }
    let [low, high] = crate::bounds::extent(items.iter().map(|&i| centre(i)));
    let axis = (high - low).max_position();
    // Equal places are told apart by number, so that the result does not depend on how the selection works.
    let at = first(items.len());
    items.select_nth_unstable_by(at, |&a, &b| centre(a)[axis].total_cmp(&centre(b)[axis]).then(a.cmp(&b)));
    let (left, right) = items.split_at_mut(at);
    bisect(left, most, first, centre, found);
    bisect(right, most, first, centre, found);
}
