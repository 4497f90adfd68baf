//! Everything to draw, gathered as one list of vertices and faces.
//!
//! Vertex normals are the area-weighted mean of the face normals, `Σ (b − a) × (c − a)` normalised. Faces with
//! a missing or non-finite vertex are left out here, so no later stage meets one.

use super::ribbon::{self, Chains};
use super::{Drawing, solids};
use glam::DVec3;

/// What a face is made of: decides its normals and its shading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stuff {
    /// Thin, seen from both sides.
    Cloth,
    /// A strand drawn as a ribbon turned to the viewer.
    Strand,
    /// Opaque prop or pin.
    Solid,
}

/// A triangle of the soup.
#[derive(Debug, Clone, Copy)]
pub(super) struct Face {
    pub corners: [u32; 3],
    pub stuff: Stuff,
    pub colour: u8,
}

/// The gathered geometry; buffers are reused from picture to picture.
#[derive(Debug, Default)]
pub(super) struct Soup {
    pub positions: Vec<DVec3>,
    pub normals: Vec<DVec3>,
    /// Share of the sky that each vertex sees on its front and its back, filled by [`super::sky`].
    pub open: Vec<[f64; 2]>,
    pub faces: Vec<Face>,
    /// Line segments, kept beside their ribbons because each light sees them from its own side.
    pub lines: Vec<ribbon::Line>,
    chains: Chains,
    pin: Option<solids::Mesh>,
}

impl Soup {
    pub fn gather(&mut self, drawing: &Drawing, eye: DVec3, pixel: f64, size: f64) {
        self.positions.clear();
        self.faces.clear();
        self.lines.clear();
        self.positions.extend_from_slice(drawing.positions);
        for (i, &corners) in drawing.triangles.iter().enumerate() {
            let colour = drawing.colours.get(i).copied().unwrap_or(0);
            self.push(Face { corners, stuff: Stuff::Cloth, colour });
        }
        for mesh in drawing.solids {
            self.add_mesh(mesh, DVec3::ZERO, 1.0, mesh.colour);
        }
        self.add_pins(drawing, size);
        self.set_normals();
        self.chains.lines(drawing, &mut self.lines);
        ribbon::add(self, eye, pixel);
        self.open.clear();
        self.open.resize(self.positions.len(), [1.0; 2]);
    }

    /// Append a face unless a corner is missing or not finite.
    pub fn push(&mut self, face: Face) {
        let good = |&v: &u32| self.positions.get(v as usize).is_some_and(|p| p.is_finite());
        if face.corners.iter().all(good) {
            self.faces.push(face);
        }
    }

    fn add_mesh(&mut self, mesh: &solids::Mesh, offset: DVec3, scale: f64, colour: u8) {
        let first = self.positions.len() as u32;
        self.positions.extend(mesh.positions.iter().map(|&p| offset + scale * p));
        for corners in &mesh.triangles {
            // An index beyond its own mesh must not reach into the next one.
            let own = |v: u32| if (v as usize) < mesh.positions.len() { first + v } else { u32::MAX };
            self.push(Face { corners: corners.map(own), stuff: Stuff::Solid, colour });
        }
    }

    fn add_pins(&mut self, drawing: &Drawing, size: f64) {
        let pin = self.pin.take().unwrap_or_else(|| solids::rounded(DVec3::ZERO, DVec3::ZERO, 1.0, 3));
        // Many pins (a whole edge) are drawn smaller, so that a row of them stays a row of beads.
        let radius = size * if drawing.pinned.len() > 12 { 0.0035 } else { 0.0075 };
        for &i in drawing.pinned {
            if let Some(&p) = drawing.positions.get(i as usize).filter(|p| p.is_finite()) {
                self.add_mesh(&pin, p, radius, super::PIN);
            }
        }
        self.pin = Some(pin);
    }

    fn set_normals(&mut self) {
        self.normals.clear();
        self.normals.resize(self.positions.len(), DVec3::ZERO);
        for face in &self.faces {
            let [a, b, c] = face.corners.map(|v| v as usize);
            let p = self.positions[a];
            let normal = (self.positions[b] - p).cross(self.positions[c] - p);
            for v in [a, b, c] {
                self.normals[v] += normal;
            }
        }
        for normal in &mut self.normals {
            *normal = normal.try_normalize().unwrap_or(DVec3::Y);
        }
    }
}
