//! Frames that anybody computed, judged: what intersects, what passes through what, how far edges stretch, what is not
//! finite.
//!
//! Within a frame, edges and faces that have a point in common are found exactly. Between two frames nobody knows how
//! things moved; for *straight* motion from one to the next every pair that touches on the way is found. Pairs that share
//! a particle are not tested: they always touch.

use crate::geometry::{Candidates, Distances, Kind, Surface, Tolerance, Tree, edge_meets_face, first_touch};
use glam::DVec3;

/// Nearer than this, as a fraction of its size, a pair counts as touching between frames.
const TOLERANCE: Tolerance = Tolerance { relative: 1e-13, rounds: 200 };

/// Judges frame after frame of one surface.
#[derive(Debug, Clone)]
pub struct Verifier {
    surface: Surface,
    /// Length of every edge at rest \[m\].
    lengths: Vec<f64>,
    tree: Tree,
    before: Option<Vec<DVec3>>,
    candidates: Candidates,
    edges_and_faces: Vec<[u32; 2]>,
    findings: Findings,
}

/// What was found. Frames count from 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Findings {
    /// Frames looked at.
    pub frames: usize,
    /// Frames with a position that is not finite; they are left out of everything else.
    pub non_finite_frames: usize,
    /// The first such position.
    pub non_finite: Option<NonFinite>,
    /// Pairs of an edge and a face with a point in common, over all frames, and the frames that have any.
    pub intersections: usize,
    /// How many frames have any.
    pub intersecting_frames: usize,
    /// The first of them.
    pub intersection: Option<Intersection>,
    /// Pairs that touch between a frame and the next, over all frames.
    pub crossings: usize,
    /// The first of them in time.
    pub crossing: Option<Crossing>,
    /// The edge that is farthest from its length at rest; `None` if no edge has a length there.
    pub strain: Option<Strain>,
}

impl Findings {
    /// Whether nothing intersects, nothing passes through anything and all is finite.
    pub fn clean(&self) -> bool {
        self.non_finite_frames + self.intersections + self.crossings == 0
    }
}

/// A position that is infinite or not a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NonFinite {
    /// In which frame.
    pub frame: usize,
    /// Of which particle.
    pub particle: u32,
    /// The position \[m\].
    pub position: DVec3,
}

/// An edge and a face with a point in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intersection {
    /// In which frame.
    pub frame: usize,
    /// The particles of the edge.
    pub edge: [u32; 2],
    /// The number of the face.
    pub face: u32,
    /// The particles of the face.
    pub corners: [u32; 3],
}

/// Two primitives that touch between two frames, if all moves straight from one to the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// The frame before.
    pub frame: usize,
    /// How far on the way to the next frame, 0 to 1; never later than they really touch.
    pub time: f64,
    /// A vertex and a face, or two edges.
    pub kind: Kind,
    /// The four particles, as `kind` orders them.
    pub particles: [u32; 4],
}

/// An edge that is longer or shorter than at rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strain {
    /// In which frame.
    pub frame: usize,
    /// The particles of the edge.
    pub edge: [u32; 2],
    /// Length over length at rest, minus 1.
    pub strain: f64,
}

impl Verifier {
    /// For frames of this surface; lengths at rest are those between these positions \[m\], one for each particle.
    pub fn new(surface: Surface, rest: &[DVec3]) -> Self {
        let length = |&[a, b]: &[u32; 2]| rest[a as usize].distance(rest[b as usize]);
        Verifier {
            lengths: surface.edges.iter().map(length).collect(),
            tree: Tree::new(&surface, rest),
            surface,
            before: None,
            candidates: Candidates::default(),
            edges_and_faces: vec![],
            findings: Findings::default(),
        }
    }

    /// What has been found so far.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Judge the next frame \[m\]: one position for each particle.
    pub fn frame(&mut self, positions: Vec<DVec3>) {
        let frame = self.findings.frames;
        self.findings.frames += 1;
        if let Some(particle) = positions.iter().position(|p| !p.is_finite()) {
            let first = NonFinite { frame, particle: particle as u32, position: positions[particle] };
            self.findings.non_finite.get_or_insert(first);
            self.findings.non_finite_frames += 1;
            self.before = None;
            return;
        }
        self.strain(frame, &positions);
        self.intersections(frame, &positions);
        if let Some(before) = self.before.take() {
            self.crossings(frame - 1, &before, &positions);
        }
        self.before = Some(positions);
    }

    fn strain(&mut self, frame: usize, positions: &[DVec3]) {
        for (&edge, &rest) in self.surface.edges.iter().zip(&self.lengths) {
            let [a, b] = edge.map(|p| positions[p as usize]);
            let strain = a.distance(b) / rest - 1.0;
            if rest > 0.0 && self.findings.strain.is_none_or(|most| strain.abs() > most.strain.abs()) {
                self.findings.strain = Some(Strain { frame, edge, strain });
            }
        }
    }

    fn intersections(&mut self, frame: usize, positions: &[DVec3]) {
        self.tree.refit(positions, positions);
        self.tree.edges_and_faces(&[], &mut self.edges_and_faces);
        let surface = &self.surface;
        let at = |p: u32| positions[p as usize];
        self.edges_and_faces.retain(|&[edge, face]| {
            edge_meets_face(surface.edges[edge as usize].map(at), surface.faces[face as usize].map(at))
        });
        self.findings.intersections += self.edges_and_faces.len();
        if let Some(&[edge, face]) = self.edges_and_faces.iter().min() {
            self.findings.intersecting_frames += 1;
            let (edge, corners) = (surface.edges[edge as usize], surface.faces[face as usize]);
            self.findings.intersection.get_or_insert(Intersection { frame, edge, face, corners });
        }
    }

    fn crossings(&mut self, frame: usize, before: &[DVec3], after: &[DVec3]) {
        self.tree.refit(before, after);
        self.tree.pairs(&[], Distances::default(), &mut self.candidates);
        let Surface { edges, faces, .. } = &self.surface;
        let faces = self.candidates.vertex_face.iter().map(|&[p, f]| {
            let [a, b, c] = faces[f as usize];
            (Kind::VertexFace, [p, a, b, c])
        });
        let edges = self.candidates.edge_edge.iter().map(|&[e, f]| {
            let ([a, b], [c, d]) = (edges[e.min(f) as usize], edges[e.max(f) as usize]);
            (Kind::EdgeEdge, [a, b, c, d])
        });
        let mut first: Option<Crossing> = None;
        for (kind, particles) in faces.chain(edges) {
            let [start, end] = [before, after].map(|at| particles.map(|p| at[p as usize]));
            let Some(touch) = first_touch(kind, &start, &end, 0.0, TOLERANCE) else { continue };
            self.findings.crossings += 1;
            let found = Crossing { frame, time: touch.time, kind, particles };
            // The earliest; of those at one time the same one whatever the order of the candidates.
            let key = |c: &Crossing| (c.time, c.kind, c.particles);
            if first.is_none_or(|first| key(&found) < key(&first)) {
                first = Some(found);
            }
        }
        self.findings.crossing = self.findings.crossing.or(first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two parallel triangles, the second above the first, and how far above in each frame.
    fn judged(heights: &[f64]) -> Findings {
        let surface = Surface::new(6, &[[0, 1, 2], [3, 4, 5]], &[]).unwrap();
        let at = |height: f64| -> Vec<DVec3> {
            let flat = [DVec3::ZERO, DVec3::X, DVec3::Z];
            let above = flat.map(|p| p * 2.0 + DVec3::new(-0.25, height, -0.25));
            flat.into_iter().chain(above).collect()
        };
        let mut verifier = Verifier::new(surface, &at(1.0));
        heights.iter().for_each(|&height| verifier.frame(at(height)));
        verifier.findings().clone()
    }

    #[test]
    fn what_is_apart_is_clean() {
        let findings = judged(&[1.0, 0.5, 1e-9, 2.0]);
        assert!(findings.clean() && findings.strain.unwrap().strain.abs() < 1e-15, "{findings:?}");
        assert_eq!((findings.frames, findings.crossing), (4, None));
    }

    #[test]
    fn passing_through_between_frames_is_found_though_no_frame_intersects() {
        let findings = judged(&[1.0, 0.75, -0.25, 1.0]);
        assert_eq!((findings.intersections, findings.clean()), (0, false));
        let crossing = findings.crossing.unwrap();
        assert_eq!(crossing.frame, 1);
        assert!(crossing.time <= 0.75 && crossing.time > 0.74, "{crossing:?}");
    }

    #[test]
    fn frames_that_intersect_are_counted_and_the_first_is_named() {
        let findings = judged(&[1.0, 0.0, 0.5, 0.0]);
        assert_eq!((findings.intersecting_frames, findings.intersection.unwrap().frame), (2, 1));
        assert!(findings.intersections >= 2);
    }

    #[test]
    fn frames_that_are_not_finite_are_left_out() {
        let findings = judged(&[1.0, f64::NAN, -1.0, f64::INFINITY]);
        assert_eq!((findings.frames, findings.non_finite_frames), (4, 2));
        let first = findings.non_finite.unwrap();
        assert_eq!((first.frame, first.particle), (1, 3));
        // Nobody knows how it came to the other side.
        assert_eq!(findings.crossings, 0);
    }

    #[test]
    fn strain_is_that_of_the_worst_edge_either_way() {
        let surface = Surface::new(4, &[], &[[0, 1], [1, 2], [2, 3]]).unwrap();
        let at = |x: [f64; 4]| x.map(|x| DVec3::new(x, 0.0, 0.0)).to_vec();
        // The last edge has no length at rest.
        let mut verifier = Verifier::new(surface, &at([0.0, 1.0, 2.0, 2.0]));
        verifier.frame(at([0.0, 1.25, 2.25, 9.0]));
        verifier.frame(at([0.0, 1.0, 1.5, 2.0]));
        let strain = verifier.findings().strain.unwrap();
        assert_eq!((strain.frame, strain.edge, strain.strain), (1, [1, 2], -0.5));
    }
}
