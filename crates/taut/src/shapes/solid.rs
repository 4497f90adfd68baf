//! Tetrahedral solids: one spring per tet edge, a quarter of each tet's mass at each corner.
//!
//! Tets are turned so that `(b − a) × (c − a) · (d − a) > 0`, whatever they were given as. The surface is
//! every face that belongs to exactly one tet, counter-clockwise seen from outside. Springs are sorted by
//! particle. Stiffness does not depend on edge length; a lattice of cell r behaves like a material of
//! modulus about k/r, so scale k with the cell to keep the material.
//! Does not handle: resistance to volume change and inversion beyond what the springs give.

use super::{Mass, edge, one_body, particle_count, positive, unique};
use crate::{Error, Model, Spring};
use glam::DVec3;

/// The material of a tetrahedral mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Solid {
    /// Name of the body.
    pub name: String,
    /// Total mass \[kg\] or density [kg/m³].
    pub mass: Mass,
    /// Stiffness of every spring [N/m].
    pub stiffness: f64,
}

impl Default for Solid {
    /// Soft flesh: 1000 kg/m³, 1000 N/m (chosen).
    fn default() -> Self {
        Solid { name: "body".into(), mass: Mass::Density(1000.0), stiffness: 1000.0 }
    }
}

impl Solid {
    /// Make the body from vertices \[m\] and tetrahedra.
    pub fn build(&self, positions: &[DVec3], tets: &[[u32; 4]]) -> Result<Model, Error> {
        particle_count("vertices", positions.len(), 1)?;
        let stiffness = positive("stiffness", self.stiffness)?;
        let mut model = Model {
            masses: vec![1.0; positions.len()],
            rest: positions.to_vec(),
            tets: tets.to_vec(),
            ..Model::default()
        };
        model.validate()?; // indices and positions can be trusted from here on
        model.masses = orient(positions, &mut model.tets)?;
        self.mass.weigh(&mut model.masses, "remove the vertex or give it a tet")?;
        let join = |[a, b]: [u32; 2]| {
            Spring::new(a, b, positions[a as usize].distance(positions[b as usize]), stiffness)
        };
        model.springs = tet_edges(tets).into_iter().map(join).collect();
        model.triangles = boundary(&model.tets);
        one_body(&self.name, model)
    }
}

/// Turn every tet to positive volume; a quarter of the volume of its tets for each vertex \[m³\].
fn orient(positions: &[DVec3], tets: &mut [[u32; 4]]) -> Result<Vec<f64>, Error> {
    let mut volumes = vec![0.0; positions.len()];
    for (index, tet) in tets.iter_mut().enumerate() {
        let volume = volume(positions, tet);
        let [a, b, c, d] = tet.map(|i| positions[i as usize]);
        // What rounding alone can make of a flat tet.
        let noise = 16.0 * f64::EPSILON * (b - a).length() * (c - a).length() * (d - a).length();
        if volume.abs() <= noise || volume.is_nan() {
            let problem = format!("volume is {volume} m³ (corners {tet:?})");
            return Err(Error::Model { element: "tet", index, problem, remedy: "remove flat tets" });
        }
        if volume < 0.0 {
            tet.swap(2, 3);
        }
        tet.iter().for_each(|&i| volumes[i as usize] += volume.abs() / 4.0);
    }
    Ok(volumes)
}

/// Signed volume of a tet \[m³\].
pub(super) fn volume(positions: &[DVec3], tet: &[u32; 4]) -> f64 {
    let [a, b, c, d] = tet.map(|i| positions[i as usize]);
    (b - a).cross(c - a).dot(d - a) / 6.0
}

/// Every edge once, sorted.
fn tet_edges(tets: &[[u32; 4]]) -> Vec<[u32; 2]> {
    let of = |&[a, b, c, d]: &[u32; 4]| [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]];
    unique(tets.iter().flat_map(of).map(|[a, b]| edge(a, b)).collect())
}

/// Corners of the face opposite each corner, counter-clockwise from outside if the volume is positive.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// A face: its sorted corners, then where it is, the tet and the corner opposite.
pub(super) type Face = ([u32; 3], u32, u8);

/// Every face of every tet, so sorted that the same face seen from two tets comes twice in a row.
pub(super) fn faces(tets: &[[u32; 4]]) -> Vec<Face> {
    let mut faces = Vec::with_capacity(4 * tets.len());
    for (n, tet) in tets.iter().enumerate() {
        for (opposite, face) in FACES.iter().enumerate() {
            let mut corners = face.map(|i| tet[i]);
            corners.sort_unstable();
            faces.push((corners, n as u32, opposite as u8));
        }
    }
    faces.sort_unstable();
    faces
}

/// The faces of exactly one tet, counter-clockwise seen from outside, in the order of the tets.
pub(super) fn boundary(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let faces = faces(tets);
    let lone = faces.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1);
    let mut lone: Vec<_> = lone.map(|same| (same[0].1, same[0].2)).collect();
    lone.sort_unstable();
    lone.into_iter().map(|(tet, opposite)| FACES[opposite as usize].map(|i| tets[tet as usize][i])).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::{refused, sound};
    use super::*;

    /// Sound, positive, and enclosed by its surface: the divergence theorem gives the volume twice.
    pub fn sound_solid(model: &Model) {
        sound(model);
        let volumes: Vec<f64> = model.tets.iter().map(|t| volume(&model.rest, t)).collect();
        assert!(volumes.iter().all(|&v| v > 0.0));
        let flux = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| model.rest[i as usize]);
            a.cross(b).dot(c) / 6.0
        };
        let (inside, outside) = (volumes.iter().sum::<f64>(), model.triangles.iter().map(flux).sum::<f64>());
        assert!((inside - outside).abs() < 1e-9 * inside, "{inside} inside, {outside} by the surface");
        // Closed: every directed edge of the surface is met by its reverse.
        let turns = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        let mut ways: Vec<_> = model.triangles.iter().flat_map(turns).collect();
        let mut back: Vec<_> = ways.iter().map(|&[a, b]| [b, a]).collect();
        ways.sort_unstable();
        back.sort_unstable();
        assert_eq!(ways, back);
    }

    fn octahedron() -> (Vec<DVec3>, Vec<[u32; 4]>) {
        let p = vec![DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
        (p, vec![[0, 1, 2, 4], [0, 1, 4, 3], [0, 1, 3, 5], [0, 1, 2, 5]]) // mixed orientations
    }

    #[test]
    fn an_octahedron_has_its_edges_axis_surface_and_mass() {
        let (p, tets) = octahedron();
        let model = Solid::default().build(&p, &tets).unwrap();
        sound_solid(&model);
        assert_eq!((model.springs.len(), model.triangles.len()), (12 + 1, 8));
        assert!((model.masses.iter().sum::<f64>() - 1000.0 * 4.0 / 3.0).abs() < 1e-9);
        let total = Solid { mass: Mass::Total(12.0), ..Solid::default() }.build(&p, &tets).unwrap();
        for (mass, share) in total.masses.iter().zip([3.0, 3.0, 1.5, 1.5, 1.5, 1.5]) {
            assert!((mass - share).abs() < 1e-12);
        }
    }

    #[test]
    fn impossible_solids_are_refused_by_name() {
        let (p, tets) = octahedron();
        let good = Solid::default;
        refused(good().build(&p, &tets[..1]), "particle 3");
        refused(good().build(&p, &[[0, 1, 2, 9]]), "tet 0");
        refused(good().build(&p, &[tets[0], tets[1], tets[2], [0, 1, 2, 3]]), "tet 3");
        let thirds: Vec<DVec3> =
            (0..4).map(|i| DVec3::new(1.0, 0.7, 0.3) * (f64::from(i) / 3.0 + 0.1)).collect();
        refused(good().build(&thirds, &[[0, 1, 2, 3]]), "tet 0");
        refused(Solid { stiffness: 0.0, ..good() }.build(&p, &tets), "stiffness");
        refused(Solid { mass: Mass::Density(f64::NAN), ..good() }.build(&p, &tets), "density");
    }
}
