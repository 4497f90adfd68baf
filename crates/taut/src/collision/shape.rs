//! Forms as signed distances: negative inside, with the outward normal of the nearest surface point.

use crate::Error;
use glam::{DQuat, DVec2, DVec3};

/// A form and its place.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub enum Shape {
    /// Everything below a height \[m\].
    Ground {
        /// Height of the surface \[m\].
        height: f64,
    },
    /// A ball.
    Sphere {
        /// Centre \[m\].
        centre: DVec3,
        /// Radius \[m\].
        radius: f64,
    },
    /// Everything behind a plane.
    Plane {
        /// A point of the plane \[m\].
        point: DVec3,
        /// Outward normal, of any length but zero.
        normal: DVec3,
    },
    /// A box.
    Box {
        /// Centre \[m\].
        centre: DVec3,
        /// Full extents along its own axes \[m\].
        size: DVec3,
        /// Orientation.
        rotation: DQuat,
        /// Radius of its edges and corners \[m\]; 0 is sharp.
        rounding: f64,
    },
    /// A cylinder with flat ends.
    Cylinder {
        /// Centres of its two ends \[m\].
        ends: [DVec3; 2],
        /// Radius \[m\].
        radius: f64,
    },
    /// A cylinder with round ends.
    Capsule {
        /// Centres of its two end balls \[m\].
        ends: [DVec3; 2],
        /// Radius \[m\].
        radius: f64,
    },
    /// A cone with flat ends, pointed if one of them has no radius.
    Cone {
        /// Centres of its two ends \[m\].
        ends: [DVec3; 2],
        /// Their radii \[m\]; at most one is 0.
        radii: [f64; 2],
    },
    /// A ring.
    Torus {
        /// Centre \[m\].
        centre: DVec3,
        /// Its axis, of any length but zero.
        axis: DVec3,
        /// From the centre to the middle of the tube \[m\].
        radius: f64,
        /// Radius of the tube \[m\].
        tube: f64,
    },
}

impl Shape {
    /// What it is called in scenes.
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Ground { .. } => "ground",
            Shape::Plane { .. } => "plane",
            Shape::Sphere { .. } => "sphere",
            Shape::Box { .. } => "box",
            Shape::Cylinder { .. } => "cylinder",
            Shape::Capsule { .. } => "capsule",
            Shape::Cone { .. } => "cone",
            Shape::Torus { .. } => "torus",
        }
    }

    /// Signed distance \[m\] and outward unit normal at `p`.
    pub fn distance(&self, p: DVec3) -> (f64, DVec3) {
        match *self {
            Shape::Ground { height } => (p.y - height, DVec3::Y),
            Shape::Sphere { centre, radius } => ball(p - centre, radius),
            Shape::Plane { point, normal } => {
                let normal = normal.normalize();
                (normal.dot(p - point), normal)
            }
            Shape::Box { centre, size, rotation, rounding } => {
                let (d, n) = cuboid(rotation.inverse() * (p - centre), 0.5 * size - rounding);
                (d - rounding, rotation * n)
            }
            Shape::Cylinder { ends, radius } => cylinder(p, ends, radius),
            Shape::Capsule { ends: [a, b], radius } => {
                let along = b - a;
                let t = ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
                ball(p - (a + t * along), radius)
            }
            Shape::Cone { ends, radii } => cone(p, ends, radii),
            Shape::Torus { centre, axis, radius, tube } => {
                let axis = axis.normalize();
                let (_, outward) = across(p - centre, axis);
                ball(p - (centre + radius * outward), tube)
            }
        }
    }

    /// The radius of the largest ball that fits in everywhere along it \[m\]: nothing that moves less goes through it, and
    /// what it has moved into is nearest to where it came in.
    pub fn thickness(&self) -> f64 {
        match *self {
            Shape::Ground { .. } | Shape::Plane { .. } => f64::INFINITY,
            Shape::Sphere { radius, .. } | Shape::Capsule { radius, .. } => radius,
            Shape::Box { size, .. } => 0.5 * size.min_element(),
            Shape::Cylinder { ends: [a, b], radius } => radius.min(0.5 * a.distance(b)),
            // A cone is as thin as one likes towards its narrow end.
            Shape::Cone { radii, .. } => radii[0].min(radii[1]),
            Shape::Torus { tube, .. } => tube,
        }
    }

    /// Whether its distance is a convex function.
    pub fn is_convex(&self) -> bool {
        !matches!(self, Shape::Torus { .. })
    }

    /// What the distance may fall short of its tangent: `φ(y) ≥ φ(x) + ∇φ(x)·(y − x) − sag(x, s)` for all y within s of x
    /// \[m\]. The distance from a convex form is convex, it lies above its tangents. Along a ring it bends down, by at most
    /// 1/ρ at a distance ρ from the axis; across the axis nothing is known.
    pub fn sag(&self, x: DVec3, s: f64) -> f64 {
        let Shape::Torus { centre, axis, .. } = *self else { return 0.0 };
        let (rho, _) = across(x - centre, axis.normalize());
        if s < rho { 0.5 * s * s / (rho - s) } else { f64::INFINITY }
    }

    /// Lower and upper corner of a box around it \[m\].
    pub fn bounds(&self) -> [DVec3; 2] {
        match *self {
            Shape::Ground { height } => {
                [DVec3::NEG_INFINITY, DVec3::new(f64::INFINITY, height, f64::INFINITY)]
            }
            Shape::Sphere { centre, radius } => [centre - radius, centre + radius],
            Shape::Plane { .. } => [DVec3::NEG_INFINITY, DVec3::INFINITY],
            Shape::Box { centre, size, rotation, .. } => {
                let reach = |axis: DVec3| (rotation * (0.5 * size * axis)).abs();
                let half = reach(DVec3::X) + reach(DVec3::Y) + reach(DVec3::Z);
                [centre - half, centre + half]
            }
            Shape::Cylinder { ends: [a, b], radius } | Shape::Capsule { ends: [a, b], radius } => {
                [a.min(b) - radius, a.max(b) + radius]
            }
            Shape::Cone { ends: [a, b], radii: [r, s] } => [(a - r).min(b - s), (a + r).max(b + s)],
            Shape::Torus { centre, radius, tube, .. } => [centre - (radius + tube), centre + (radius + tube)],
        }
    }

    /// Refuse sizes that are not positive and places that are not finite.
    pub fn validate(&self) -> Result<(), Error> {
        let positive = |name: &str, v: f64| match v > 0.0 && v.is_finite() {
            true => Ok(()),
            false => Err(Error::setting(name, v, "must be positive and finite")),
        };
        let finite = |name: &str, v: DVec3| match v.is_finite() {
            true => Ok(()),
            false => Err(Error::setting(name, v, "must be finite")),
        };
        let direction = |name: &str, v: DVec3| match v.try_normalize() {
            Some(_) => Ok(()),
            None => Err(Error::setting(name, v, "must be finite and have a length")),
        };
        match *self {
            Shape::Ground { height } => finite("ground.height", DVec3::splat(height)),
            Shape::Sphere { centre, radius } => {
                finite("sphere.centre", centre)?;
                positive("sphere.radius", radius)
            }
            Shape::Plane { point, normal } => {
                finite("plane.point", point)?;
                direction("plane.normal", normal)
            }
            Shape::Box { centre, size, rounding, .. } => {
                finite("box.centre", centre)?;
                size.to_array().iter().try_for_each(|&s| positive("box.size", s))?;
                match rounding >= 0.0 && rounding <= 0.5 * size.min_element() {
                    true => Ok(()),
                    false => Err(Error::setting(
                        "box.rounding",
                        rounding,
                        "must be from 0 to half the smallest extent",
                    )),
                }
            }
            Shape::Cylinder { ends, radius } | Shape::Capsule { ends, radius } => {
                ends.iter().try_for_each(|&e| finite("ends", e))?;
                positive("length", ends[0].distance(ends[1]))?;
                positive("radius", radius)
            }
            Shape::Cone { ends, radii } => {
                ends.iter().try_for_each(|&e| finite("ends", e))?;
                positive("length", ends[0].distance(ends[1]))?;
                positive("radius", radii[0].max(radii[1]))?;
                match radii[0].min(radii[1]) >= 0.0 {
                    true => Ok(()),
                    false => Err(Error::setting("radius", radii[0].min(radii[1]), "must be 0 or more")),
                }
            }
            Shape::Torus { centre, axis, radius, tube } => {
                finite("torus.centre", centre)?;
                direction("torus.axis", axis)?;
                positive("torus.tube", tube)?;
                match radius > tube && radius.is_finite() {
                    true => Ok(()),
                    false => Err(Error::setting("torus.radius", radius, "must be larger than its tube")),
                }
            }
        }
    }
}

/// Distance from an axis through the origin \[m\], and the direction away from it.
fn across(p: DVec3, axis: DVec3) -> (f64, DVec3) {
    let across = p - p.dot(axis) * axis;
    let r = across.length();
    (r, if r > 0.0 { across / r } else { axis.any_orthonormal_vector() })
}

fn ball(from_centre: DVec3, radius: f64) -> (f64, DVec3) {
    let r = from_centre.length();
    (r - radius, if r > 0.0 { from_centre / r } else { DVec3::Y })
}

/// Box about the origin with half extents `half`.
fn cuboid(p: DVec3, half: DVec3) -> (f64, DVec3) {
    let q = p.abs() - half;
    let sign = DVec3::new(1.0f64.copysign(p.x), 1.0f64.copysign(p.y), 1.0f64.copysign(p.z));
    let outside = q.max(DVec3::ZERO);
    let d = outside.length();
    if d > 0.0 {
        return (d, sign * outside / d);
    }
    let depth = q.max_element();
    let face = [DVec3::X, DVec3::Y, DVec3::Z][if q.x == depth { 0 } else { usize::from(q.y != depth) + 1 }];
    (depth, sign * face)
}

fn cylinder(p: DVec3, [a, b]: [DVec3; 2], radius: f64) -> (f64, DVec3) {
    let (centre, axis) = (0.5 * (a + b), (b - a).normalize());
    let along = (p - centre).dot(axis);
    let across = (p - centre) - along * axis;
    let r = across.length();
    let outward = if r > 0.0 { across / r } else { axis.any_orthonormal_vector() };
    let cap = if along < 0.0 { -axis } else { axis };
    let (side, end) = (r - radius, along.abs() - 0.5 * a.distance(b));
    if side > 0.0 && end > 0.0 {
        let d = (side * side + end * end).sqrt();
        return (d, (side * outward + end * cap) / d);
    }
    if side > end { (side, outward) } else { (end, cap) }
}

/// In the half-plane of r (from the axis) and y (along it, from the first end) a cone is a polygon with three outer
/// sides: first end, mantle, second end.
fn cone(p: DVec3, [a, b]: [DVec3; 2], [ra, rb]: [f64; 2]) -> (f64, DVec3) {
    let length = a.distance(b);
    let axis = (b - a) / length;
    let y = (p - a).dot(axis);
    let (r, outward) = across(p - a, axis);
    let here = DVec2::new(r, y);
    let (first, second) = (DVec2::new(ra, 0.0), DVec2::new(rb, length));
    let along = second - first;
    let mantle = DVec2::new(along.y, -along.x).normalize();
    let sides = [(-y, DVec2::NEG_Y), ((here - first).dot(mantle), mantle), (y - length, DVec2::Y)];
    let space = |n: DVec2| n.x * outward + n.y * axis;
    let deepest = sides.into_iter().fold(sides[0], |a, b| if b.0 > a.0 { b } else { a });
    if deepest.0 <= 0.0 {
        return (deepest.0, space(deepest.1));
    }
    // Outside: the nearest of the nearest points of each side.
    let on_mantle = first + ((here - first).dot(along) / along.length_squared()).clamp(0.0, 1.0) * along;
    let points = [DVec2::new(r.min(ra), 0.0), on_mantle, DVec2::new(r.min(rb), length)];
    let away = points.map(|q| here - q);
    let nearest = away.into_iter().fold(away[0], |a, b| if b.length() < a.length() { b } else { a });
    let d = nearest.length();
    if d > 0.0 { (d, space(nearest / d)) } else { (0.0, space(deepest.1)) }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn all() -> Vec<Shape> {
        let rotation = DQuat::from_rotation_x(0.7) * DQuat::from_rotation_z(0.3);
        let ends = [DVec3::new(-0.3, 0.1, 0.2), DVec3::new(0.5, 0.6, -0.1)];
        vec![
            Shape::Ground { height: 0.2 },
            Shape::Sphere { centre: DVec3::new(0.1, 0.2, 0.3), radius: 0.6 },
            Shape::Plane { point: DVec3::new(0.1, -0.3, 0.2), normal: DVec3::new(1.0, 2.0, -0.5) },
            Shape::Box {
                centre: DVec3::new(0.1, -0.2, 0.0),
                size: DVec3::new(1.0, 0.5, 0.8),
                rotation,
                rounding: 0.0,
            },
            Shape::Box {
                centre: DVec3::new(0.1, -0.2, 0.0),
                size: DVec3::new(1.0, 0.5, 0.8),
                rotation,
                rounding: 0.1,
            },
            Shape::Cone { ends, radii: [0.4, 0.1] },
            Shape::Cone { ends, radii: [0.0, 0.4] },
            Shape::Torus {
                centre: DVec3::new(0.1, 0.2, 0.0),
                axis: DVec3::new(0.3, 1.0, 0.2),
                radius: 0.6,
                tube: 0.2,
            },
            Shape::Cylinder { ends, radius: 0.3 },
            Shape::Capsule { ends, radius: 0.3 },
        ]
    }

    #[test]
    fn normals_are_gradients_and_one_step_along_them_lands_on_the_surface() {
        for shape in all() {
            for i in 0..2000 {
                let p = DVec3::new((i as f64 * 0.37).sin(), (i as f64 * 0.73).sin(), (i as f64 * 1.31).sin());
                let (d, n) = shape.distance(p);
                assert!((n.length() - 1.0).abs() < 1e-12);
                let landed = shape.distance(p - d * n).0;
                assert!(landed.abs() < 1e-12, "{shape:?} at {p}: {landed}");
                let [low, high] = shape.bounds();
                assert!(d > 0.0 || (p.cmpge(low).all() && p.cmple(high).all()), "{shape:?} at {p}");
                let e = 1e-6;
                let slope = (shape.distance(p + e * n).0 - shape.distance(p - e * n).0) / (2.0 * e);
                // At a medial axis the distance has a kink; elsewhere it grows by one per metre.
                assert!((slope - 1.0).abs() < 1e-6 || d < -0.05, "{shape:?} at {p}: {slope}");
            }
        }
    }
}
