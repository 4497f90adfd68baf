//! Triangle meshes: one spring per edge, one bend spring across each edge that triangles share.
//!
//! The bend spring joins the two vertices opposite the edge, unless they are the same vertex or an edge
//! joins them already. Where three or more triangles share an edge (a seam, a flag sewn to a curtain) each gets one to
//! the eight before it in the order of these vertices, so that no triangle folds freely and their number stays
//! proportional to that of the triangles. A third of each triangle's mass goes to each corner.
//! Spring order: edges, then bend springs, each sorted by particle.
//! Stiffness does not depend on edge length: a sheet of mass M hung by one edge stretches by about Mg/2k
//! at any resolution, because n springs side by side and n in a row cancel.
//! Does not handle: winding (kept as given), welding of vertices at the same place.

use super::{Mass, edge, one_body, particle_count, unique, zero_or_more};
use crate::{Error, Family, Model, Spring, SpringKind};
use glam::DVec3;

/// Of the triangles on one edge, how many before it each is joined to: up to nine, every two are joined.
const SHEETS: usize = 8;

/// The material of a triangle mesh. A stiffness of 0 means: no springs of that family.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// Name of the body.
    pub name: String,
    /// Total mass \[kg\] or areal density [kg/m²].
    pub mass: Mass,
    /// Stiffness of the springs along edges [N/m].
    pub stretch: f64,
    /// Stiffness of the springs across edges [N/m].
    pub bend: f64,
    /// Force law of the springs along edges; bend springs are linear.
    pub kind: SpringKind,
}

impl Default for Surface {
    /// Cotton-like: 0.2 kg/m², 1000 N/m along edges, 10 N/m across them (chosen).
    fn default() -> Self {
        Surface {
            name: "body".into(),
            mass: Mass::Density(0.2),
            stretch: 1000.0,
            bend: 10.0,
            kind: SpringKind::Linear,
        }
    }
}

impl Surface {
    /// Make the body from vertices \[m\] and triangles.
    pub fn build(&self, positions: &[DVec3], triangles: &[[u32; 3]]) -> Result<Model, Error> {
        particle_count("vertices", positions.len(), 1)?;
        let stretch = zero_or_more("stretch", self.stretch)?;
        let bend = zero_or_more("bend", self.bend)?;
        let mut model = Model {
            masses: vec![1.0; positions.len()],
            rest: positions.to_vec(),
            triangles: triangles.to_vec(),
            ..Model::default()
        };
        model.validate()?; // indices and positions can be trusted from here on
        model.masses = vertex_areas(positions, triangles);
        lend_areas(&mut model.masses, triangles);
        if !triangles.is_empty() && model.masses.iter().all(|&area| area == 0.0) {
            let problem = "has no area, and neither has any other".to_string();
            let remedy = "corners must not lie on a line: export the mesh again";
            return Err(Error::Model { element: "triangle", index: 0, problem, remedy });
        }
        self.mass.weigh(&mut model.masses, "remove the vertex or give it a triangle")?;

        let wings = wings(triangles);
        let edges = unique(wings.iter().map(|w| w.0).collect());
        let across = across(&wings, &edges);
        let join = |[a, b]: [u32; 2], stiffness, kind, family| {
            let rest_length = positions[a as usize].distance(positions[b as usize]);
            Spring { ends: [a, b], rest_length, stiffness, kind, family }
        };
        if stretch > 0.0 {
            model.springs.extend(edges.iter().map(|&e| join(e, stretch, self.kind, Family::Stretch)));
        }
        if bend > 0.0 {
            model.springs.extend(across.iter().map(|&e| join(e, bend, SpringKind::Linear, Family::Bend)));
        }
        one_body(&self.name, model)
    }
}

/// A third of the area of its triangles, for each vertex \[m²\].
fn vertex_areas(positions: &[DVec3], triangles: &[[u32; 3]]) -> Vec<f64> {
    let mut areas = vec![0.0; positions.len()];
    for t in triangles {
        let [a, b, c] = t.map(|i| positions[i as usize]);
        let third = (b - a).cross(c - a).length() / 6.0;
        t.iter().for_each(|&i| areas[i as usize] += third);
    }
    areas
}

/// A vertex in the middle of a straight edge may have triangles without area only: it counts like the least of the
/// others, so that it moves with them. A vertex of no triangle at all still has nothing.
fn lend_areas(areas: &mut [f64], triangles: &[[u32; 3]]) {
    let least = areas.iter().copied().filter(|&a| a > 0.0).fold(f64::INFINITY, f64::min);
    if least.is_finite() {
        let corners = triangles.iter().flatten().map(|&i| i as usize);
        corners.for_each(|i| areas[i] = if areas[i] > 0.0 { areas[i] } else { least });
    }
}

/// Each triangle's three edges, each with the vertex opposite, sorted by edge; what repeats is there once.
fn wings(triangles: &[[u32; 3]]) -> Vec<([u32; 2], u32)> {
    let of = |&[a, b, c]: &[u32; 3]| [(edge(a, b), c), (edge(b, c), a), (edge(c, a), b)];
    unique(triangles.iter().flat_map(of).collect())
}

/// The pairs of vertices opposite a shared edge that are not edges (`edges` is sorted).
fn across(wings: &[([u32; 2], u32)], edges: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for shared in wings.chunk_by(|a, b| a.0 == b.0) {
        for (n, &(_, a)) in shared.iter().enumerate() {
            let opposite = shared[n.saturating_sub(SHEETS)..n].iter().map(|&(_, b)| b);
            pairs.extend(opposite.map(|b| edge(a, b)).filter(|e| edges.binary_search(e).is_err()));
        }
    }
    unique(pairs)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{refused, sound};
    use super::*;
    use std::collections::BTreeSet;

    /// A closed torus of `n` x `m` quads, each cut in two: no boundary, Euler characteristic 0.
    fn torus(n: u32, m: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let turn = |i: u32, n: u32| (f64::from(i) / f64::from(n) * std::f64::consts::TAU).sin_cos();
        let place = |i: u32| {
            let ((s, c), (u, v)) = (turn(i / m, n), turn(i % m, m));
            DVec3::new(c * (2.0 + v), u, s * (2.0 + v))
        };
        let at = |i: u32, j: u32| (i % n) * m + j % m;
        let quads = (0..n).flat_map(|i| (0..m).map(move |j| (i, j)));
        let cut =
            |(i, j)| [[at(i, j), at(i, j + 1), at(i + 1, j)], [at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)]];
        ((0..n * m).map(place).collect(), quads.flat_map(cut).collect())
    }

    /// Bend pairs by comparing all triangles with one another.
    fn brute(triangles: &[[u32; 3]]) -> BTreeSet<[u32; 2]> {
        let mut pairs = BTreeSet::new();
        for s in triangles {
            for t in triangles {
                let shared: Vec<_> = s.iter().filter(|v| t.contains(v)).collect();
                if shared.len() == 2 {
                    let lone = |t: &[u32; 3]| *t.iter().find(|v| !shared.contains(v)).unwrap();
                    pairs.insert(edge(lone(s), lone(t)));
                }
            }
        }
        let joined = |&[a, b]: &[u32; 2]| triangles.iter().any(|t| t.contains(&a) && t.contains(&b));
        pairs.into_iter().filter(|p| !joined(p)).collect()
    }

    fn check(positions: &[DVec3], triangles: &[[u32; 3]], edges: usize) {
        let model = Surface::default().build(positions, triangles).unwrap();
        sound(&model);
        let bend: BTreeSet<_> = model.springs[edges..].iter().map(|s| edge(s.ends[0], s.ends[1])).collect();
        assert_eq!(bend, brute(triangles));
        assert_eq!(bend.len(), model.springs.len() - edges);
        let stiff = Surface { bend: 0.0, ..Surface::default() }.build(positions, triangles).unwrap();
        assert_eq!(stiff.springs.len(), edges);
        let area: f64 = vertex_areas(positions, triangles).iter().sum();
        assert!((model.masses.iter().sum::<f64>() / (0.2 * area) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn edges_obey_euler_and_bends_match_brute_force() {
        let (positions, triangles) = torus(7, 6);
        check(&positions, &triangles, positions.len() + triangles.len());
        // A narrow torus joins opposite vertices twice, and by edges.
        let (positions, triangles) = torus(4, 3);
        check(&positions, &triangles, positions.len() + triangles.len());
        // A closed tetrahedron: every opposite vertex is joined by an edge already, so nothing bends.
        check(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z], &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], 6);
        // An open sheet: V − E + F = 1.
        let cloth = super::super::Grid { columns: 6, rows: 5, ..Default::default() }.build().unwrap();
        check(&cloth.rest, &cloth.triangles, cloth.rest.len() + cloth.triangles.len() - 1);
    }

    #[test]
    fn three_sheets_on_one_seam_are_braced_pairwise() {
        let positions = [DVec3::ZERO, DVec3::Y, DVec3::X, DVec3::Z, DVec3::new(-1.0, 0.0, -1.0)];
        let triangles = [[0, 1, 2], [0, 1, 3], [0, 1, 4]];
        check(&positions, &triangles, 7);
        let model = Surface::default().build(&positions, &triangles).unwrap();
        assert_eq!(model.springs[7..].iter().map(|s| s.ends).collect::<Vec<_>>(), [[2, 3], [2, 4], [3, 4]]);
    }

    /// A book of 20,000 pages, and one page 20,000 times: springs in proportion, no pairs of all with all.
    #[test]
    fn many_triangles_on_one_edge_make_few_springs() {
        let page = |i: u32| DVec3::new((f64::from(i) / 4000.0).sin(), 0.5, (f64::from(i) / 4000.0).cos());
        let positions: Vec<DVec3> =
            [DVec3::ZERO, DVec3::Y].into_iter().chain((0..20_000).map(page)).collect();
        let book: Vec<[u32; 3]> = (2..20_002).map(|i| [0, 1, i]).collect();
        let model = Surface::default().build(&positions, &book).unwrap();
        assert_eq!(model.springs.len(), 1 + 2 * 20_000 + 8 * 20_000 - 36);
        let nine = Surface::default().build(&positions[..11], &book[..9]).unwrap();
        assert_eq!(nine.springs.len(), 1 + 2 * 9 + 36, "every two of nine");
        let same = Surface::default().build(&positions[..3], &[[0, 1, 2]; 20_000]).unwrap();
        assert_eq!(same.springs.len(), 3);
    }

    #[test]
    fn mass_is_total_or_per_area() {
        let positions = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::NEG_X];
        let triangles = [[0, 1, 2], [0, 2, 3]];
        let dense = Surface { mass: Mass::Density(3.0), ..Surface::default() };
        assert_eq!(dense.build(&positions, &triangles).unwrap().masses, [1.0, 0.5, 1.0, 0.5]);
        let total = Surface { mass: Mass::Total(6.0), ..Surface::default() };
        assert_eq!(total.build(&positions, &triangles).unwrap().masses, [2.0, 1.0, 2.0, 1.0]);
    }

    #[test]
    fn a_vertex_on_a_straight_edge_is_as_light_as_the_lightest() {
        let positions = [DVec3::ZERO, 2.0 * DVec3::X, DVec3::Y, DVec3::X];
        let model = Surface::default().build(&positions, &[[0, 1, 2], [0, 3, 1]]).unwrap();
        assert_eq!(model.masses[3], model.masses[0]);
        model.validate().unwrap();
    }

    #[test]
    fn impossible_meshes_are_refused_by_name() {
        let p = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let good = Surface::default;
        refused(good().build(&p, &[[0, 1, 2]]), "particle 3: belongs to no element");
        refused(good().build(&p[..3], &[[0, 1, 3]]), "triangle 0");
        refused(good().build(&p[..3], &[[0, 1, 1]]), "triangle 0");
        refused(good().build(&[DVec3::ZERO, DVec3::X, DVec3::NAN], &[[0, 1, 2]]), "particle 2");
        refused(good().build(&[DVec3::ZERO; 3], &[[0, 1, 2]]), "triangle 0: has no area");
        refused(Surface { stretch: -1.0, ..good() }.build(&p[..3], &[[0, 1, 2]]), "stretch");
        refused(Surface { bend: f64::NAN, ..good() }.build(&p[..3], &[[0, 1, 2]]), "bend");
        refused(Surface { mass: Mass::Total(0.0), ..good() }.build(&p[..3], &[[0, 1, 2]]), "mass");
        refused(Surface { mass: Mass::Density(-1.0), ..good() }.build(&p[..3], &[[0, 1, 2]]), "density");
    }
}
