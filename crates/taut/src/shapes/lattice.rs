//! Tetrahedra from a field, on a lattice of cubes cut into five tets each.
//!
//! A cube's five tets are one on every other corner and four on the corners between. Neighbouring cubes are
//! cut as mirror images (by the parity of i + j + k), so that faces match. The lattice passes through the
//! origin: a shape symmetric about a coordinate plane gives a mesh that is, too. An unbounded lattice has
//! six edges per particle, a body of some thousand particles about 5.2 to 5.5, which is what \[Liu13\] Table 1
//! has. Tets are kept whose four corners are inside, or nearly; of those, the largest set connected through
//! faces. Then the surface is drawn towards the shape (see `snap`), never turning a tet inside out.
//! Does not handle: details thinner than about a cell, which vanish.

use super::solid::faces;
use super::{Field, at_least, particle_count, positive, snap, unique};
use crate::Error;
use crate::math::cbrt;
use glam::DVec3;

/// A tetrahedral mesh, for [`Solid::build`](super::Solid::build).
#[derive(Debug, Clone, PartialEq)]
pub struct Tetrahedra {
    /// Vertices \[m\].
    pub positions: Vec<DVec3>,
    /// Corners of each tet, all of positive volume.
    pub tets: Vec<[u32; 4]>,
}

/// The tets of an even cube; corner bits 1, 2, 4 are a step along x, y, z. Odd cubes are mirrored in x.
const FIVE: [[u32; 4]; 5] = [[0, 6, 5, 3], [1, 3, 0, 5], [2, 6, 0, 3], [4, 5, 0, 6], [7, 6, 3, 5]];

/// Lattice points that may be looked at in one pass; a bound on time and memory, not a limit of the method.
const MOST_POINTS: f64 = (1u64 << 26) as f64;

/// How far outside, in cells, a lattice point may be and still be used (chosen by looking: 0 loses thin
/// parts, 0.5 leaves a rougher surface).
const REACH: f64 = 0.3;

/// How near [`Field::with_particles`] comes to what was asked.
const TOLERANCE: f64 = 0.02;

impl Field {
    /// Fill the shape with tetrahedra on cubes of edge `cell` \[m\].
    pub fn lattice(&self, cell: f64) -> Result<Tetrahedra, Error> {
        self.check()?;
        let mut mesh = self.carve(positive("cell", cell)?)?;
        if mesh.tets.is_empty() {
            return Err(Error::setting("cell", cell, "no tet fits inside the shape; make the cell smaller"));
        }
        snap::snap(self, &mut mesh, cell);
        Ok(mesh)
    }

    /// Fill the shape with tetrahedra that have `particles` vertices, give or take 2 %.
    ///
    /// The count falls as the cube of the cell size, but with jumps: few particles cannot always be had.
    pub fn with_particles(&self, particles: usize) -> Result<Tetrahedra, Error> {
        self.check()?;
        at_least("particles", particles, 4)?;
        particle_count("particles", particles, 1)?;
        let [lo, hi] = self.bounds();
        let mut cell = cbrt((hi - lo).element_product() / particles as f64);
        let (mut nearest, mut nearest_cell, mut miss) = (0, cell, f64::INFINITY);
        for n in 0..SEARCH[0] + SEARCH[1] {
            let Ok(mesh) = self.carve(cell) else {
                let remedy = "needs too large a lattice; ask for fewer, or check the size of the shape";
                return Err(Error::setting("particles", particles, remedy));
            };
            let count = mesh.positions.len();
            let ratio = count as f64 / particles as f64;
            if (ratio - 1.0).abs() < miss {
                (nearest, nearest_cell, miss) = (count, cell, (ratio - 1.0).abs());
            }
            if miss <= if n < SEARCH[0] { TOLERANCE / 4.0 } else { TOLERANCE } {
                break;
            }
            cell = if n < SEARCH[0] { cell * cbrt(ratio).clamp(0.5, 2.0) } else { nearest_cell * nearby(n) };
        }
        if miss <= TOLERANCE {
            return self.lattice(nearest_cell);
        }
        Err(Error::setting(
            "particles",
            particles,
            format!("no lattice with this many was found; the nearest has {nearest}: ask for that"),
        ))
    }

    /// The largest connected set of lattice tets inside, on lattice points; empty if there is none.
    fn carve(&self, cell: f64) -> Result<Tetrahedra, Error> {
        let [lo, hi] = self.bounds().map(|corner| corner / cell);
        let (lo, hi) = (lo.floor() - 1.0, hi.ceil() + 1.0);
        let size = hi - lo + 1.0;
        let count = size.element_product();
        // Lattice coordinates are whole numbers in floating point: exact, and so are their sums, up to here.
        if !(count <= MOST_POINTS && lo.abs().max(hi.abs()).max_element() < (1u64 << 50) as f64) {
            let remedy =
                format!("needs {count:.1e} lattice points, {MOST_POINTS} are allowed; make it larger");
            return Err(Error::setting("cell", cell, remedy));
        }
        let size = size.to_array().map(|n| n as u32);
        let inside = self.sample(lo, size, cell);
        let mut tets = cut(lo.element_sum() % 2.0 != 0.0, size, &inside);
        largest_part(&mut tets);
        let names = unique(tets.iter().flatten().copied().collect());
        let renumber = |name| names.partition_point(|&other| other < name) as u32;
        tets.iter_mut().for_each(|tet| *tet = tet.map(renumber));
        let place = |&name: &u32| {
            let (xy, z) = (name / size[2], name % size[2]);
            (lo + DVec3::new((xy / size[1]).into(), (xy % size[1]).into(), z.into())) * cell
        };
        Ok(Tetrahedra { positions: names.iter().map(place).collect(), tets })
    }

    /// For each lattice point, z fastest, whether it is inside or so near that `snap` can draw it in.
    fn sample(&self, lo: DVec3, size: [u32; 3], cell: f64) -> Vec<bool> {
        let mut inside = Vec::with_capacity(size.iter().map(|&n| n as usize).product());
        for x in 0..size[0] {
            for y in 0..size[1] {
                let mut z = 0;
                while z < size[2] {
                    let point = lo + DVec3::new(x.into(), y.into(), z.into());
                    let depth = REACH - self.distance(point * cell) / cell;
                    // The field cannot change sign sooner than its value allows: these points are alike.
                    let alike = (depth.abs() as u32).max(1).min(size[2] - z);
                    inside.extend(std::iter::repeat_n(depth > 0.0, alike as usize));
                    z += alike;
                }
            }
        }
        inside
    }
}

/// The tets of all cubes that have their four corners inside, as numbers of lattice points.
fn cut(first_is_odd: bool, [nx, ny, nz]: [u32; 3], inside: &[bool]) -> Vec<[u32; 4]> {
    let mut tets = Vec::new();
    for x in 0..nx - 1 {
        for y in 0..ny - 1 {
            for z in 0..nz - 1 {
                let odd = u32::from(first_is_odd) ^ (x + y + z) & 1;
                let corner = |bits: u32| {
                    let bits = bits ^ odd;
                    ((x + (bits & 1)) * ny + y + (bits >> 1 & 1)) * nz + z + (bits >> 2)
                };
                let kept = FIVE.map(|tet| tet.map(corner)).into_iter();
                let kept = kept.filter(|tet| tet.iter().all(|&point| inside[point as usize]));
                // A mirror image is turned inside out: exchange two corners.
                tets.extend(kept.map(|[a, b, c, d]| if odd == 1 { [a, b, d, c] } else { [a, b, c, d] }));
            }
        }
    }
    tets
}

/// How many cells are tried: first by the cube law, then around the best found, for the jumps make it circle.
const SEARCH: [i32; 2] = [16, 40];

/// Factors 1.002, 0.998, 1.004, 0.996, ... of the second search.
fn nearby(n: i32) -> f64 {
    let (turn, side) = ((n - SEARCH[0]) / 2 + 1, if n % 2 == 0 { 1 } else { -1 });
    1.0 + 0.002 * f64::from(turn * side)
}

/// Keep only the tets of the largest set connected through faces, the first of equals.
fn largest_part(tets: &mut Vec<[u32; 4]>) {
    let mut parent: Vec<u32> = (0..tets.len() as u32).collect();
    for pair in faces(tets).windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let (a, b) = (root(&mut parent, pair[0].1), root(&mut parent, pair[1].1));
        parent[a.max(b) as usize] = a.min(b);
    }
    let mut sizes = vec![0u32; tets.len()];
    (0..tets.len() as u32).for_each(|tet| sizes[root(&mut parent, tet) as usize] += 1);
    let largest = (0..sizes.len()).rev().max_by_key(|&part| sizes[part]); // the last of equals, from behind
    let mut tet = 0..;
    tets.retain(|_| Some(root(&mut parent, tet.next().unwrap_or(0)) as usize) == largest);
}

fn root(parent: &mut [u32], mut tet: u32) -> u32 {
    while parent[tet as usize] != tet {
        parent[tet as usize] = parent[parent[tet as usize] as usize]; // halve the path
        tet = parent[tet as usize];
    }
    tet
}

#[cfg(test)]
mod tests {
    use super::super::field::tests::medley;
    use super::super::solid::tests::sound_solid;
    use super::super::tests::refused;
    use super::super::{Solid, solid};
    use super::*;
    use crate::collision::Shape;
    use glam::DQuat;

    fn ball(x: f64, radius: f64) -> Field {
        Field::ball(DVec3::new(x, 0.0, 0.0), radius)
    }

    fn cuboid(centre: DVec3, size: DVec3) -> Field {
        Field::Shape(Shape::Box { centre, size, rotation: DQuat::IDENTITY, rounding: 0.0 })
    }

    #[test]
    fn a_box_of_whole_cubes_is_filled_exactly() {
        let mesh = cuboid(DVec3::new(0.0, 3.0, 0.5), DVec3::new(4.0, 6.0, 5.0)).lattice(1.0).unwrap();
        let model = Solid::default().build(&mesh.positions, &mesh.tets).unwrap();
        sound_solid(&model);
        assert_eq!((mesh.tets.len(), mesh.positions.len()), (5 * 4 * 6 * 5, 5 * 7 * 6));
        // Edges along the axes, and one diagonal per face.
        let axes = 4 * 7 * 6 + 5 * 6 * 6 + 5 * 7 * 5;
        let diagonals = 4 * 6 * 6 + 4 * 5 * 7 + 6 * 5 * 5;
        assert_eq!(model.springs.len(), axes + diagonals);
        assert!((model.masses.iter().sum::<f64>() - 120_000.0).abs() < 1e-6);
    }

    #[test]
    fn a_blend_is_filled_to_its_volume_and_obeys_euler() {
        let field = medley();
        let mesh = field.with_particles(3000).unwrap();
        assert!(mesh.positions.len().abs_diff(3000) <= 60);
        assert!(mesh.tets.iter().all(|t| solid::volume(&mesh.positions, t) > 0.0));
        let model = Solid::default().build(&mesh.positions, &mesh.tets).unwrap();
        sound_solid(&model);
        // A body without holes: V − E + F − T = 1, the faces being four per tet, inner ones shared.
        let faces = (4 * mesh.tets.len() + model.triangles.len()) / 2;
        assert_eq!(mesh.positions.len() + faces, model.springs.len() + mesh.tets.len() + 1);
        let [lo, hi] = field.bounds();
        let n = 80;
        let at = |i: usize| DVec3::new((i % n) as f64, (i / n % n) as f64, (i / n / n) as f64) + 0.5;
        let inside =
            (0..n * n * n).filter(|&i| field.distance(lo + (hi - lo) * at(i) / n as f64) < 0.0).count();
        let volume = (hi - lo).element_product() * inside as f64 / (n * n * n) as f64;
        let filled = model.masses.iter().sum::<f64>() / 1000.0;
        assert!((filled / volume - 1.0).abs() < 0.05, "{filled} of {volume}");
    }

    #[test]
    fn skipping_points_misses_none() {
        let (field, size, cell) = (medley(), [40, 41, 42], 0.07);
        let lo = DVec3::splat(-20.0);
        let mut each = Vec::new();
        for x in 0..40 {
            for y in 0..41 {
                let depth = |z| field.distance((lo + DVec3::new(x.into(), y.into(), f64::from(z))) * cell);
                each.extend((0..42).map(|z| depth(z) < REACH * cell));
            }
        }
        assert!(field.sample(lo, size, cell) == each);
    }

    #[test]
    fn only_the_largest_part_is_kept() {
        let two = Field::Union { parts: vec![ball(-1.0, 0.3), ball(1.0, 0.5)], blend: 0.1 };
        let alone = ball(1.0, 0.5).lattice(0.1).unwrap();
        let kept = two.lattice(0.1).unwrap();
        assert!(kept.positions.iter().all(|p| p.x > 0.0));
        assert_eq!(kept.tets.len(), alone.tets.len());
    }

    #[test]
    fn a_symmetric_shape_gives_a_symmetric_mesh() {
        let mesh =
            Field::RoundCone { ends: [DVec3::ZERO, DVec3::X], radii: [0.5, 0.2] }.lattice(0.13).unwrap();
        let bits = |p: DVec3| (p + 0.0).to_array().map(f64::to_bits);
        let mut here: Vec<_> = mesh.positions.iter().map(|&p| bits(p)).collect();
        let mut there: Vec<_> =
            mesh.positions.iter().map(|&p| bits(p * DVec3::new(1.0, 1.0, -1.0))).collect();
        here.sort_unstable();
        there.sort_unstable();
        assert_eq!(here, there);
    }

    #[test]
    fn impossible_lattices_are_refused_by_name() {
        let good = ball(0.0, 1.0);
        refused(good.lattice(0.0), "cell");
        refused(good.lattice(f64::NAN), "cell");
        refused(good.lattice(1e-9), "cell");
        refused(good.lattice(1e-320), "cell");
        refused(good.lattice(100.0), "cell");
        refused(ball(1e30, 1.0).lattice(0.1), "cell");
        refused(ball(0.0, -1.0).lattice(0.1), "sphere.radius");
        refused(ball(f64::NAN, 1.0).lattice(0.1), "sphere.centre");
        refused(cuboid(DVec3::ZERO, DVec3::X).lattice(0.1), "box.size");
        refused(Field::Shape(Shape::Ground { height: 0.0 }).lattice(0.1), "ground");
        refused(
            Field::RoundCone { ends: [DVec3::ZERO; 2], radii: [1.0, f64::NAN] }.lattice(0.1),
            "capsule radius",
        );
        refused(Field::Union { parts: vec![], blend: 0.0 }.lattice(0.1), "parts");
        refused(Field::Union { parts: vec![good.clone()], blend: -1.0 }.lattice(0.1), "blend");
        refused(good.with_particles(0), "particles");
        refused(good.with_particles(usize::MAX), "particles");
        refused(ball(0.0, 1e200).with_particles(1000), "particles");
        let needle = Field::RoundCone { ends: [DVec3::ZERO, DVec3::ONE], radii: [1e-6; 2] };
        refused(needle.with_particles(1000), "particles");
    }
}
