//! The elements that a cut takes apart: tetrahedra, and triangles that are no face of one.

use super::path::Path;
use crate::Model;
use std::collections::VecDeque;

/// A triangle or a tetrahedron.
pub(super) struct Cells {
    /// Four particles of each tetrahedron, then three of each loose triangle and [`NONE`].
    corners: Vec<[u32; 4]>,
    /// Of each triangle of the model its own cell, or the tetrahedron whose face it is.
    triangles: Vec<u32>,
    /// The cells at particle p, ascending, are `at[begin[p]..begin[p + 1]]`.
    begin: Vec<u32>,
    at: Vec<u32>,
}

/// The fourth corner of a triangle.
const NONE: u32 = u32::MAX;

impl Cells {
    /// Those of all bodies that are no solids.
    pub fn new(model: &Model) -> Self {
        let free = |i: u32| !model.is_solid(i as usize);
        let mut cells = Cells {
            corners: model.tets.clone(),
            triangles: Vec::with_capacity(model.triangles.len()),
            begin: Vec::new(),
            at: Vec::new(),
        };
        cells.index(model.particles());
        for triangle in &model.triangles {
            let of = cells.holding(triangle);
            let number = cells.corners.len() as u32;
            cells.triangles.push(of.unwrap_or(number));
            if of.is_none() {
                let [a, b, c] = *triangle;
                cells.corners.push(if free(a) { [a, b, c, NONE] } else { [NONE; 4] });
            }
        }
        cells.index(model.particles());
        cells
    }

    /// List the cells at every particle.
    fn index(&mut self, particles: usize) {
        self.begin = vec![0; particles + 1];
        let all = || self.corners.iter().flatten().filter(|&&p| p != NONE);
        all().for_each(|&p| self.begin[p as usize + 1] += 1);
        (0..particles).for_each(|p| self.begin[p + 1] += self.begin[p]);
        let mut next = self.begin.clone();
        self.at = vec![0; self.begin[particles] as usize];
        for (cell, corners) in (0..).zip(&self.corners) {
            for &p in corners.iter().filter(|&&p| p != NONE) {
                self.at[next[p as usize] as usize] = cell;
                next[p as usize] += 1;
            }
        }
    }

    pub fn len(&self) -> usize {
        self.corners.len()
    }

    /// The particles of a cell: three or four.
    pub fn of(&self, cell: u32) -> &[u32] {
        let corners = &self.corners[cell as usize];
        let count = corners.iter().position(|&p| p == NONE).unwrap_or(4);
        &corners[..count]
    }

    /// The cells at a particle, ascending.
    pub fn at(&self, particle: u32) -> &[u32] {
        let p = particle as usize;
        &self.at[self.begin[p] as usize..self.begin[p + 1] as usize]
    }

    /// The cells that have both particles, ascending.
    pub fn with(&self, [a, b]: [u32; 2]) -> impl Iterator<Item = u32> {
        self.at(a).iter().copied().filter(move |&cell| self.of(cell).contains(&b))
    }

    /// Whether two cells are joined: two tetrahedra by a face, others by an edge, that has not been opened.
    pub fn joined(&self, one: u32, other: u32, path: &Path) -> bool {
        let (a, b) = (self.of(one), self.of(other));
        let mut shared = [NONE; 4];
        let mut count = 0;
        for &p in a.iter().filter(|p| b.contains(p)) {
            (shared[count], count) = (p, count + 1);
        }
        match (a.len() == 4 && b.len() == 4, count) {
            (true, 3) => !path.faces.contains(&sorted([shared[0], shared[1], shared[2]])),
            (false, 2) => !path.edges.contains(&sorted([shared[0], shared[1]])),
            (false, 3) => true,
            _ => false,
        }
    }

    /// The first cell that has all these particles.
    pub fn holding(&self, particles: &[u32]) -> Option<u32> {
        self.at(particles[0])
            .iter()
            .copied()
            .find(|&cell| particles.iter().all(|p| self.of(cell).contains(p)))
    }

    /// The two tetrahedra that a face is between.
    pub fn beside(&self, [a, b, c]: [u32; 3]) -> Option<[u32; 2]> {
        let mut sides = self.with([a, b]).filter(|&cell| self.of(cell).contains(&c));
        Some([sides.next()?, sides.next()?])
    }

    /// Of each triangle of the model its own cell, or the tetrahedron whose face it is.
    pub fn of_triangles(&self) -> &[u32] {
        &self.triangles
    }

    /// Whether elements join two particles: a spring between others is a thread, which elements say nothing about.
    pub fn accompany(&self, ends: [u32; 2]) -> bool {
        let meet = ends.iter().all(|&p| !self.at(p).is_empty());
        meet && (self.with(ends).next().is_some() || self.walk(&Path::default(), ends).is_some())
    }

    /// The elements around two particles, and around those that are neighbours of both, ascending.
    fn around(&self, [a, b]: [u32; 2]) -> Vec<u32> {
        let neighbours = |p: u32| self.at(p).iter().flat_map(|&cell| self.of(cell)).copied();
        let once = |mut list: Vec<u32>| {
            list.sort_unstable();
            list.dedup();
            list
        };
        let of_b = once(neighbours(b).collect());
        let both = neighbours(a).filter(|p| of_b.binary_search(p).is_ok());
        let middle = once(both.chain([a, b]).collect());
        once(middle.iter().flat_map(|&p| self.at(p)).copied().collect())
    }

    /// The first and the last element of the shortest walk from one particle to another through the elements around
    /// them, from each to one it is joined to.
    pub fn walk(&self, path: &Path, [a, b]: [u32; 2]) -> Option<[u32; 2]> {
        let (from, to) = (self.at(a), self.at(b));
        // Of one step: the most frequent.
        for &first in from {
            if let Some(&last) = to.iter().find(|&&last| self.joined(first, last, path)) {
                return Some([first, last]);
            }
        }
        let all = self.around([a, b]);
        // Where each was come to from; those around a begin.
        let mut root: Vec<Option<u32>> =
            all.iter().map(|cell| from.contains(cell).then_some(*cell)).collect();
        let mut queue: VecDeque<usize> = (0..all.len()).filter(|&i| root[i].is_some()).collect();
        while let Some(here) = queue.pop_front() {
            if to.contains(&all[here]) {
                return root[here].map(|first| [first, all[here]]);
            }
            for there in 0..all.len() {
                if root[there].is_none() && self.joined(all[here], all[there], path) {
                    root[there] = root[here];
                    queue.push_back(there);
                }
            }
        }
        None
    }

    /// A face of a tetrahedron, counter-clockwise seen from outside if the tetrahedron's corners are numbered as those of
    /// a positive volume.
    pub fn outward(&self, cell: u32, face: [u32; 3]) -> [u32; 3] {
        let [a, b, c, d] = self.corners[cell as usize];
        let faces = [[a, c, b], [a, b, d], [b, c, d], [a, d, c]];
        faces.into_iter().find(|own| sorted(*own) == face).unwrap_or(face)
    }
}

/// The same particles, ascending.
pub(super) fn sorted<const N: usize>(mut particles: [u32; N]) -> [u32; N] {
    particles.sort_unstable();
    particles
}
