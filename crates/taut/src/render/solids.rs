//! Triangle meshes of simple solids, for drawing colliders and props.
//!
//! All wind counter-clockwise seen from outside. Curved solids share vertices (smooth shading), the cuboid
//! has its own four per face (sharp edges). Not handled: texture coordinates.

use crate::collision::Shape;
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// A solid to draw: it is lit, casts and receives shadow.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    /// Vertices \[m\].
    pub positions: Vec<DVec3>,
    /// Corners of the triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Index into the colours of the [`Style`](super::Style).
    pub colour: u8,
}

impl Mesh {
    /// The same mesh in another colour.
    pub fn coloured(self, colour: u8) -> Self {
        Mesh { colour, ..self }
    }
}

/// A mesh of any shape; the ground and planes have no end and become squares.
pub fn shape(shape: &Shape) -> Mesh {
    match *shape {
        Shape::Ground { height } => plane(height * DVec3::Y, DVec3::Y),
        Shape::Plane { point, normal } => plane(point, normal),
        Shape::Sphere { centre, radius } => sphere(centre, radius),
        Shape::Box { centre, size, rotation, rounding } => {
            let mut mesh = match rounding > 0.0 {
                true => rounded_cuboid(0.5 * size, rounding),
                false => cuboid(-0.5 * size, 0.5 * size),
            };
            mesh.positions.iter_mut().for_each(|p| *p = centre + rotation * *p);
            mesh
        }
        Shape::Cylinder { ends: [a, b], radius } => cylinder(a, b, radius),
        Shape::Capsule { ends: [a, b], radius } => capsule(a, b, radius),
        Shape::Cone { ends: [a, b], radii: [r, s] } => {
            revolve(b - a, 48, &[(a, 0.0), (a, r), (a, r), (b, s), (b, s), (b, 0.0)])
        }
        Shape::Torus { centre, axis, radius, tube } => torus(centre, axis, radius, tube),
    }
}

/// A square of four metres in a plane.
fn plane(point: DVec3, normal: DVec3) -> Mesh {
    let normal = normal.try_normalize().unwrap_or(DVec3::Y);
    let u = 2.0 * normal.any_orthonormal_vector();
    let v = normal.cross(u);
    let positions = vec![point - u - v, point + u - v, point + u + v, point - u + v];
    Mesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]], colour: super::STONE }
}

/// A box about the origin with half extents `half` and edges of a radius \[m\]: a ball, each eighth of it moved into its
/// corner.
fn rounded_cuboid(half: DVec3, radius: f64) -> Mesh {
    let mut mesh = sphere(DVec3::ZERO, radius);
    let corner = half - radius;
    mesh.positions.iter_mut().for_each(|p| *p += corner.copysign(*p));
    mesh
}

/// A ring about an axis.
fn torus(centre: DVec3, axis: DVec3, radius: f64, tube: f64) -> Mesh {
    let rings: Vec<_> = (0..=24).map(|k| TAU * f64::from(k) / 24.0 - PI).collect();
    let axis = axis.try_normalize().unwrap_or(DVec3::Y);
    let ring = |angle: &f64| (centre + tube * angle.sin() * axis, radius + tube * angle.cos());
    revolve(axis, 64, &rings.iter().map(ring).collect::<Vec<_>>())
}

/// Rows of rings from pole to pole: `ring(k)` gives centre height and radius along `axis`.
fn revolve(axis: DVec3, segments: u32, rings: &[(DVec3, f64)]) -> Mesh {
    let axis = axis.try_normalize().unwrap_or(DVec3::Y);
    let u = axis.any_orthonormal_vector();
    let v = axis.cross(u);
    let mut mesh = Mesh { colour: super::STONE, ..Mesh::default() };
    for &(centre, radius) in rings {
        for k in 0..segments {
            let (sin, cos) = (TAU * k as f64 / segments as f64).sin_cos();
            mesh.positions.push(centre + radius * (cos * u + sin * v));
        }
    }
    for row in 0..rings.len().saturating_sub(1) as u32 {
        for k in 0..segments {
            let next = (k + 1) % segments;
            let [a, b] = [row * segments + k, row * segments + next];
            let [c, d] = [a + segments, b + segments];
            mesh.triangles.push([a, b, d]);
            mesh.triangles.push([a, d, c]);
        }
    }
    mesh
}

/// A sphere of the given radius \[m\].
pub fn sphere(centre: DVec3, radius: f64) -> Mesh {
    capsule(centre, centre, radius)
}

/// A cylinder from `a` to `b` \[m\] with round caps of the same radius \[m\]; a sphere if the ends coincide.
pub fn capsule(a: DVec3, b: DVec3, radius: f64) -> Mesh {
    rounded(a, b, radius, 12) // rings per cap: facets stay under a pixel at ordinary sizes
}

/// A capsule with `half` rings per cap.
pub(super) fn rounded(a: DVec3, b: DVec3, radius: f64, half: u32) -> Mesh {
    let axis = (b - a).try_normalize().unwrap_or(DVec3::Y);
    let cap = |end: DVec3, k: u32, sign: f64| {
        let (sin, cos) = (0.5 * PI * k as f64 / half as f64).sin_cos();
        (end + sign * radius * sin * axis, radius * cos)
    };
    let mut rings: Vec<_> = (0..=half).rev().map(|k| cap(a, k, -1.0)).collect();
    rings.extend((u32::from(a == b)..=half).map(|k| cap(b, k, 1.0)));
    revolve(axis, 4 * half, &rings)
}

/// A cylinder from `a` to `b` \[m\] with flat ends.
pub fn cylinder(a: DVec3, b: DVec3, radius: f64) -> Mesh {
    // Doubled rings at the rims keep the caps flat under smooth shading.
    revolve(b - a, 48, &[(a, 0.0), (a, radius), (a, radius), (b, radius), (b, radius), (b, 0.0)])
}

/// An axis-parallel box from corner `lo` to corner `hi` \[m\].
pub fn cuboid(lo: DVec3, hi: DVec3) -> Mesh {
    let mut mesh = Mesh { colour: super::STONE, ..Mesh::default() };
    let (centre, half) = (0.5 * (lo + hi), 0.5 * (hi - lo).abs());
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let n = sign * DVec3::AXES[axis];
            let u = DVec3::AXES[(axis + 1) % 3];
            let v = n.cross(u);
            let first = mesh.positions.len() as u32;
            for (s, t) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                mesh.positions.push(centre + half * (n + s * u + t * v));
            }
            mesh.triangles.push([first, first + 1, first + 2]);
            mesh.triangles.push([first, first + 2, first + 3]);
        }
    }
    mesh
}
