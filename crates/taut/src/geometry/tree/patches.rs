//! The patch of each leaf, found once: its faces, its contour, and a particle in its middle.

use super::boxes::LANES;
use super::leaves::Leaves;
use crate::geometry::Surface;
use glam::DVec3;

/// Longest contour that is kept.
pub(super) const LONGEST: usize = 8 * LANES;

/// How far from the middle the line through a side must pass, as a fraction of how far the side is: sides that run
/// around well at rest do so after some deformation.
const AROUND: f64 = 0.2;

/// A leaf and what is around it.
#[derive(Debug, Clone, Default)]
pub(super) struct Patch {
    /// Particles of the contour in their order, the patch to their left; none if they are not one loop.
    pub contour: Vec<u32>,
    /// The particle in the middle.
    pub middle: u32,
    /// Leaves whose faces make up the patch, or have some part in it.
    pub cover: Vec<u32>,
}

/// A side of a face, from one particle to another, and its edge.
type Side = ([u32; 2], u32);

/// What is needed to find patches.
pub(super) struct Patches<'a> {
    surface: &'a Surface,
    leaves: &'a Leaves,
    rest: &'a [DVec3],
    /// For each face its leaf.
    leaf: Vec<u32>,
    /// For each edge the faces that have it.
    faces: Vec<Vec<u32>>,
    /// The patch for which a face was last taken.
    taken: Vec<u32>,
    /// How often sides run along each edge, from its first particle to the second less the other way.
    tally: Vec<i32>,
}

impl<'a> Patches<'a> {
    pub fn new(surface: &'a Surface, leaves: &'a Leaves, rest: &'a [DVec3]) -> Self {
        let mut leaf = vec![0; surface.faces.len()];
        for l in 0..leaves.count {
            leaves.faces.numbers(l).for_each(|face| leaf[face as usize] = l as u32);
        }
        let mut faces = vec![vec![]; surface.edges.len()];
        for (edges, face) in surface.face_edges.iter().zip(0..) {
            edges.iter().for_each(|&e| faces[e as usize].push(face));
        }
        let (taken, tally) = (vec![u32::MAX; surface.faces.len()], vec![0; surface.edges.len()]);
        Patches { surface, leaves, rest, leaf, faces, taken, tally }
    }

    /// The patch of a leaf; without a contour if it can never pass.
    pub fn find(&mut self, leaf: usize) -> Patch {
        let ring = self.leaves.joined(leaf);
        let loose = |&l: &u32| {
            self.leaves.edges.numbers(l as usize).any(|e| self.surface.edge_faces[e as usize] == 0)
        };
        if ring.iter().any(loose) {
            return Patch::default();
        }
        let mut faces: Vec<u32> = ring.iter().flat_map(|&l| self.leaves.faces.numbers(l as usize)).collect();
        faces.iter().for_each(|&face| self.taken[face as usize] = leaf as u32);
        let middle = self.middle(&faces);
        let border = loop {
            let border = self.border(&faces);
            let notches = self.notches(leaf as u32, &faces, &border, middle);
            if notches.is_empty() || border.len() > LONGEST {
                break border;
            }
            faces.extend(notches);
        };
        let mut cover: Vec<u32> = faces.iter().map(|&face| self.leaf[face as usize]).collect();
        cover.sort_unstable();
        cover.dedup();
        Patch { contour: joined(border).unwrap_or_default(), middle, cover }
    }

    fn at(&self, particle: u32) -> DVec3 {
        self.rest[particle as usize]
    }

    /// The corner nearest to the mean of all corners.
    fn middle(&self, faces: &[u32]) -> u32 {
        let corners = || faces.iter().flat_map(|&face| self.surface.faces[face as usize]);
        let mean = corners().map(|p| self.at(p)).sum::<DVec3>() / (3 * faces.len()) as f64;
        let far = corners().map(|p| (self.at(p).distance_squared(mean), p));
        far.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map_or(0, |(_, p)| p)
    }

    /// The sides that are left when those that run along an edge both ways have cancelled.
    fn border(&mut self, faces: &[u32]) -> Vec<Side> {
        let Patches { surface, tally, .. } = self;
        let sides = || {
            faces.iter().flat_map(|&face| {
                let ([a, b, c], edges) = (surface.faces[face as usize], surface.face_edges[face as usize]);
                [[a, b], [b, c], [c, a]].into_iter().zip(edges)
            })
        };
        let sense = |[a, b]: [u32; 2]| if a < b { 1 } else { -1 };
        sides().for_each(|(side, e)| tally[e as usize] += sense(side));
        let border = sides().filter(|&(side, e)| tally[e as usize] * sense(side) > 0).collect();
        sides().for_each(|(_, e)| tally[e as usize] = 0);
        border
    }

    /// The faces behind those sides of the border that do not run around the middle well enough. They are taken.
    fn notches(&mut self, leaf: u32, faces: &[u32], border: &[Side], middle: u32) -> Vec<u32> {
        let normal = |&face: &u32| {
            let [a, b, c] = self.surface.faces[face as usize].map(|p| self.at(p));
            (b - a).cross(c - a)
        };
        let n = faces.iter().map(normal).sum::<DVec3>().normalize_or_zero();
        let mut notches = Vec::new();
        for &([a, b], e) in border {
            let [p, q] = [a, b].map(|p| self.at(p) - self.at(middle));
            if n.dot(p.cross(q)) < AROUND * p.distance(q) * p.length().max(q.length()) {
                let behind = self.faces[e as usize].iter().filter(|&&face| self.taken[face as usize] != leaf);
                notches.extend(behind);
            }
        }
        notches.sort_unstable();
        notches.dedup();
        notches.iter().for_each(|&face| self.taken[face as usize] = leaf);
        notches
    }
}

/// Sides put one after the other, if that is one loop, not too long, that passes no particle twice.
fn joined(mut sides: Vec<Side>) -> Option<Vec<u32>> {
    sides.sort_unstable();
    let after = |p: u32| {
        let place = sides.partition_point(|(side, _)| side[0] < p);
        sides[place..].iter().take_while(move |(side, _)| side[0] == p).map(|(side, _)| side[1])
    };
    let start = sides.first().filter(|_| sides.len() <= LONGEST)?.0[0];
    let mut contour = vec![start];
    loop {
        let mut next = after(*contour.last()?);
        let (to, None) = (next.next()?, next.next()) else { return None };
        if to == start {
            return (contour.len() == sides.len()).then_some(contour);
        }
        // Beyond all sides it would go round and round without ever meeting the start.
        if contour.len() == sides.len() {
            return None;
        }
        contour.push(to);
    }
}
