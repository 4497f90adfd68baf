//! Which points come near which faces during a step, and which edges which edges.
//!
//! | file | what |
//! |---|---|
//! | `boxes` | boxes at both ends of a step, one against eight at a time |
//! | `leaves` | clusters of eight neighbouring faces, with the points and edges they own |
//! | `levels` | the tree above them |
//! | `search` | pairs of leaves, then pairs of what they hold |
//!
//! [`Tree::refit`] takes the positions at both ends of a step, [`Tree::pairs`] finds the candidates: pairs of primitives
//! without a common particle whose boxes come within a distance, the same ones that a test of all pairs would find. The
//! leaves stay as they were made at rest. The order of the leaves is found in the first refit and anew in the first after a search that
//! took 1.5 times as many box tests as the first one after it was last found: counts, not clocks, decide.

mod boxes;
mod flat;
mod leaves;
mod levels;
mod patches;
mod search;
#[cfg(test)]
mod tests;

use super::Surface;
use crate::kernel::{Four, Half, Kernel, Simd, Wide, Work, run};
use boxes::{Ends, Frame, Lanes};
use flat::{Flat, Step};
use glam::DVec3;
use leaves::{Leaves, Parts};
use levels::Levels;
use search::{Search, Wanted};

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
        self.sort_within(&mut SortRoom::default());
    }

    /// The same without allocating, once the room has grown.
    pub(crate) fn sort_within(&mut self, room: &mut SortRoom) {
        self.edge_edge.iter_mut().for_each(|[a, b]| (*a, *b) = (*a.min(b), *a.max(b)));
        ascending(&mut self.vertex_face, room);
        ascending(&mut self.edge_edge, room);
    }
}

/// Room to sort pairs.
#[derive(Debug, Clone, Default)]
pub(crate) struct SortRoom {
    pairs: Vec<[u32; 2]>,
    counts: Vec<u32>,
}

/// Sort pairs by the first, then the second. By counting: first by the second number, then by the first, each time keeping
/// the order of equals.
fn ascending(pairs: &mut Vec<[u32; 2]>, SortRoom { pairs: sorted, counts }: &mut SortRoom) {
    sorted.resize(pairs.len(), [0; 2]);
    for key in [1, 0] {
        let most = pairs.iter().map(|pair| pair[key]).max().unwrap_or(0);
        counts.clear();
        counts.resize(most as usize + 2, 0);
        pairs.iter().for_each(|pair| counts[pair[key] as usize + 1] += 1);
        (1..counts.len()).for_each(|number| counts[number] += counts[number - 1]);
        for pair in &*pairs {
            let place = &mut counts[pair[key] as usize];
            sorted[*place as usize] = *pair;
            *place += 1;
        }
        std::mem::swap(pairs, sorted);
    }
}

/// The distances within which pairs are looked for \[m\]; if negative, none are.
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
    /// The middle of each leaf where the order was last found.
    centres: Vec<DVec3>,
    frame: Frame,
    /// The particles at both ends of the step, at each of them, and as they were given at each.
    particles: Vec<Ends>,
    places: [Vec<Lanes>; 2],
    ends: [Vec<Four>; 2],
    /// What cannot touch itself; none if that is not looked for.
    flat: Option<Flat>,
    /// Which primitives of each leaf have their boxes.
    fitted: Vec<Parts>,
    /// Leaves near each other, and room to sort them.
    near: Vec<[u32; 2]>,
    room: SortRoom,
    /// Leaves with prescribed particles.
    held: Vec<Held>,
    /// Box tests of the last search, and of the first after the order was found; before that, whether it is that of rest.
    tests: u64,
    fresh: Option<u64>,
    resting: bool,
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
            centres: vec![],
            frame: Frame::new(rest, rest),
            particles: vec![],
            places: [vec![], vec![]],
            ends: [vec![], vec![]],
            flat: Some(Flat::new(surface, &leaves, rest)),
            fitted: vec![0; leaves.count],
            near: vec![],
            room: SortRoom::default(),
            held: vec![Held::None; leaves.count],
            tests: 0,
            fresh: None,
            resting: true,
            kernel: Kernel::detected(),
            leaves,
        };
        tree.refit(rest, rest);
        tree.resting = true;
        tree
    }

    /// The same without culling: pairs within a distance are all found, those of flat neighbours too.
    pub fn unculled(mut self) -> Self {
        self.flat = None;
        self
    }

    /// Find the order of the leaves.
    fn arrange(&mut self, positions: &[DVec3]) {
        let centre = |leaf| {
            let [low, high] =
                crate::bounds::extent(self.leaves.particles(leaf).iter().map(|&p| positions[p as usize]));
            low + (high - low) * 0.5
        };
        let mut centres = std::mem::take(&mut self.centres);
        centres.clear();
        centres.extend((0..self.leaves.count).map(centre));
        self.levels.build(&centres);
        self.centres = centres;
        (self.tests, self.fresh, self.resting) = (0, None, false);
    }

    /// Take the positions at the start and the end of a step \[m\], one of each for every particle of the surface.
    pub fn refit(&mut self, start: &[DVec3], end: &[DVec3]) {
        if self.resting || self.fresh.is_some_and(|fresh| WORN[1] * self.tests > WORN[0] * fresh) {
            self.arrange(start);
        }
        self.frame = Frame::new(start, end);
        self.fitted.fill(0);
        run(self.kernel, Refit { tree: self, start, end });
    }

    /// Find the candidates: pairs that come within these distances during the step, by the boxes around them, have no
    /// particle in common, and are not prescribed altogether. Their order depends on the surface and its rest alone. `prescribed` says which particles are; those beyond its
    /// end are not.
    pub fn pairs(&mut self, prescribed: &[bool], distances: Distances, found: &mut Candidates) {
        found.vertex_face.clear();
        found.edge_edge.clear();
        self.search(prescribed, Wanted::Candidates(distances, found));
    }

    /// Find the edges and faces that may meet during the step, with the same exceptions: the number of each edge, and that
    /// of the face.
    pub fn edges_and_faces(&mut self, prescribed: &[bool], found: &mut Vec<[u32; 2]>) {
        found.clear();
        self.search(prescribed, Wanted::EdgesAndFaces(found));
    }

    fn search(&mut self, prescribed: &[bool], wanted: Wanted) {
        if self.leaves.count > 0 {
            self.hold(prescribed);
            run(self.kernel, Search { tree: self, prescribed, wanted });
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
        for (end, places) in tree.places.iter_mut().enumerate() {
            places.clear();
            let of = |Wide(ends): &Ends| Half([ends[3 * end], ends[3 * end + 1], ends[3 * end + 2], 0.0]);
            places.extend(tree.particles.iter().map(of));
        }
        if let Some(flat) = &mut tree.flat {
            for (fours, points) in tree.ends.iter_mut().zip([start, end]) {
                fours.clear();
                fours.extend(points.iter().map(|p| Wide([p.x, p.y, p.z, 0.0])));
            }
            let [start, end] = &tree.ends;
            flat.refit::<V>(&tree.leaves, Step { start, end, scale: tree.frame.scale });
        }
    }
}
