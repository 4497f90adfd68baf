//! Which mesh edges and faces a blade opens.
//!
//! An edge that the blade crosses is snapped to its nearer end. The ends so found in one triangle are joined by one of
//! its edges, those in one tetrahedron by one of its faces, or two: these open. Two elements that share an edge snap it
//! to the same end, so the path goes on from one to the next. Where the blade ends within an element only one of its
//! edges is crossed, and nothing opens: the tip of a slit stays whole.
//!
//! Of two ends equally near the one that was there first counts, for both sides of an earlier cut alike.

use super::Blade;
use super::cells::{Cells, sorted};
use crate::geometry::edge_meets_face;
use crate::{Error, Model, bounds};
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

/// What opens.
#[derive(Debug, Default)]
pub(super) struct Path {
    /// Edges of triangles, by their particles, ascending.
    pub edges: BTreeSet<[u32; 2]>,
    /// Faces between tetrahedra, likewise.
    pub faces: BTreeSet<[u32; 3]>,
    /// Threads: springs that no elements accompany.
    pub springs: BTreeSet<u32>,
}

/// What a cut opens, in the mesh as it is: where a blade was does not matter any more, nor where the mesh is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Opening {
    /// Edges of triangles, by their particles.
    #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
    pub edges: Vec<[u32; 2]>,
    /// Faces between tetrahedra, by their particles.
    #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
    pub faces: Vec<[u32; 3]>,
    /// Springs that are gone.
    #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
    pub springs: Vec<u32>,
}

impl Opening {
    /// Refuse what names particles or springs that are not there.
    pub fn validate(&self, model: &Model) -> Result<(), Error> {
        let (m, s) = (model.particles(), model.springs.len());
        let ends = self.edges.iter().flatten().chain(self.faces.iter().flatten());
        if let Some(i) = ends.copied().find(|&i| i as usize >= m) {
            let remedy = format!("there are only {m}, counted from 0");
            return Err(Error::setting("cut", format!("particle {i}"), remedy));
        }
        if let Some(i) = self.springs.iter().find(|&&i| i as usize >= s) {
            let remedy = format!("there are only {s} springs, counted from 0");
            return Err(Error::setting("cut", format!("spring {i}"), remedy));
        }
        Ok(())
    }
}

impl From<&Opening> for Path {
    fn from(opening: &Opening) -> Path {
        Path {
            edges: opening.edges.iter().copied().map(sorted).collect(),
            faces: opening.faces.iter().copied().map(sorted).collect(),
            springs: opening.springs.iter().copied().collect(),
        }
    }
}

impl From<Path> for Opening {
    fn from(path: Path) -> Opening {
        let Path { edges, faces, springs } = path;
        Opening {
            edges: edges.into_iter().collect(),
            faces: faces.into_iter().collect(),
            springs: springs.into_iter().collect(),
        }
    }
}

impl Path {
    /// What a blade opens.
    pub fn new(cells: &Cells, model: &Model, positions: &[DVec3], blade: &Blade) -> Self {
        let mut path = Path::default();
        let mut knife = Knife::new(blade, model, positions);
        for cell in 0..cells.len() as u32 {
            let corners = cells.of(cell);
            if knife.is_far(corners) {
                continue;
            }
            let ends = knife.ends(corners);
            match (corners.len(), &ends[..]) {
                (3, [a, b]) => drop(path.edges.insert(sorted([*a, *b]))),
                // A blade that turns within the triangle: the edge between the last two stays.
                (3, [a, b, c]) => path.edges.extend([sorted([*a, *b]), sorted([*a, *c])]),
                (4, [a, b, c]) => drop(path.faces.insert(sorted([*a, *b, *c]))),
                (4, [a, b, c, d]) => path.faces.extend([sorted([*a, *b, *c]), sorted([*a, *c, *d])]),
                _ => {}
            }
        }
        let springs = (0..).zip(&model.springs);
        let parted = springs.filter(|(_, s)| knife.meets(s.ends) && !cells.accompany(s.ends));
        path.springs.extend(parted.map(|(number, _)| number));
        path
    }

    /// The particles on it, ascending.
    pub fn particles(&self) -> BTreeSet<u32> {
        self.edges.iter().flatten().chain(self.faces.iter().flatten()).copied().collect()
    }
}

/// A blade, and the edges it was held against.
struct Knife<'a> {
    blade: &'a Blade,
    model: &'a Model,
    positions: &'a [DVec3],
    extent: [DVec3; 2],
    /// The end that an edge is snapped to, if it is crossed.
    known: BTreeMap<[u32; 2], Option<u32>>,
}

impl<'a> Knife<'a> {
    fn new(blade: &'a Blade, model: &'a Model, positions: &'a [DVec3]) -> Self {
        let extent = bounds::extent(blade.triangles.as_flattened().iter().copied());
        Knife { blade, model, positions, extent, known: BTreeMap::new() }
    }

    /// Whether particles are all beyond it on one side.
    fn is_far(&self, particles: &[u32]) -> bool {
        let [low, high] = bounds::extent(particles.iter().map(|&p| self.positions[p as usize]));
        particles.is_empty() || self.extent[0].cmpgt(high).any() || self.extent[1].cmplt(low).any()
    }

    /// The ends that the edges of a triangle or tetrahedron are snapped to, each once, in the order in which the edges of
    /// the section follow each other.
    fn ends(&mut self, corners: &[u32]) -> Vec<u32> {
        let n = corners.len();
        let pairs = (0..n).flat_map(|j| (0..j).map(move |i| [corners[i], corners[j]]));
        let mut crossed: Vec<([u32; 2], u32)> =
            pairs.filter_map(|edge| self.end(sorted(edge)).map(|end| (edge, end))).collect();
        if let [first, ..] = crossed[..]
            && crossed.len() == 4
        {
            // Around a section with four corners, the one opposite of the first shares no particle with it.
            let opposite = |edge: &[u32; 2]| !edge.contains(&first.0[0]) && !edge.contains(&first.0[1]);
            if let Some(place) = crossed.iter().position(|(edge, _)| opposite(edge)) {
                crossed.swap(2, place);
            }
        }
        let mut ends = Vec::with_capacity(4);
        crossed.iter().for_each(|&(_, end)| {
            if !ends.contains(&end) {
                ends.push(end)
            }
        });
        ends
    }

    /// Whether what is between two particles crosses it.
    fn meets(&self, ends: [u32; 2]) -> bool {
        let edge = ends.map(|p| self.positions[p as usize]);
        !self.is_far(&ends) && self.blade.triangles.iter().any(|triangle| edge_meets_face(edge, *triangle))
    }

    /// The end that an edge is snapped to, if the blade crosses it.
    fn end(&mut self, edge: [u32; 2]) -> Option<u32> {
        if let Some(&known) = self.known.get(&edge) {
            return known;
        }
        let end = self.blade.triangles.iter().find_map(|triangle| self.snap(edge, triangle));
        self.known.insert(edge, end);
        end
    }

    fn snap(&self, [a, b]: [u32; 2], triangle: &[DVec3; 3]) -> Option<u32> {
        let [p, q] = [a, b].map(|i| self.positions[i as usize]);
        let [low, high] = bounds::extent(triangle.iter().copied());
        if low.cmpgt(p.max(q)).any() || high.cmplt(p.min(q)).any() || !edge_meets_face([p, q], *triangle) {
            return None;
        }
        let normal = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
        let [near, far] = [p, q].map(|p| normal.dot(p - triangle[0]).abs());
        // An edge within the blade is opened by what crosses beside it, if anything.
        if near == 0.0 && far == 0.0 {
            return None;
        }
        let first = self.model.original(a) < self.model.original(b);
        Some(if near < far || (near == far && first) { a } else { b })
    }
}
