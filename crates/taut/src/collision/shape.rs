//! Forms as signed distances: negative inside, with the outward normal of the nearest surface point.

use crate::Error;
use glam::{DQuat, DVec3};

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
    /// A box.
    Box {
        /// Centre \[m\].
        centre: DVec3,
        /// Full extents along its own axes \[m\].
        size: DVec3,
        /// Orientation.
        rotation: DQuat,
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
}

impl Shape {
    /// Signed distance \[m\] and outward unit normal at `p`.
    pub fn distance(&self, p: DVec3) -> (f64, DVec3) {
        match *self {
            Shape::Ground { height } => (p.y - height, DVec3::Y),
            Shape::Sphere { centre, radius } => ball(p - centre, radius),
            Shape::Box { centre, size, rotation } => {
                let (d, n) = cuboid(rotation.inverse() * (p - centre), 0.5 * size);
                (d, rotation * n)
            }
            Shape::Cylinder { ends, radius } => cylinder(p, ends, radius),
            Shape::Capsule { ends: [a, b], radius } => {
                let along = b - a;
                let t = ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
                ball(p - (a + t * along), radius)
            }
        }
    }

    /// Lower and upper corner of a box around it \[m\].
    pub fn bounds(&self) -> [DVec3; 2] {
        match *self {
            Shape::Ground { height } => {
                [DVec3::NEG_INFINITY, DVec3::new(f64::INFINITY, height, f64::INFINITY)]
            }
            Shape::Sphere { centre, radius } => [centre - radius, centre + radius],
            Shape::Box { centre, size, rotation } => {
                let reach = |axis: DVec3| (rotation * (0.5 * size * axis)).abs();
                let half = reach(DVec3::X) + reach(DVec3::Y) + reach(DVec3::Z);
                [centre - half, centre + half]
            }
            Shape::Cylinder { ends: [a, b], radius } | Shape::Capsule { ends: [a, b], radius } => {
                [a.min(b) - radius, a.max(b) + radius]
            }
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
        match *self {
            Shape::Ground { height } => finite("ground.height", DVec3::splat(height)),
            Shape::Sphere { centre, radius } => {
                finite("sphere.centre", centre)?;
                positive("sphere.radius", radius)
            }
            Shape::Box { centre, size, .. } => {
                finite("box.centre", centre)?;
                size.to_array().iter().try_for_each(|&s| positive("box.size", s))
            }
            Shape::Cylinder { ends, radius } | Shape::Capsule { ends, radius } => {
                ends.iter().try_for_each(|&e| finite("ends", e))?;
                positive("length", ends[0].distance(ends[1]))?;
                positive("radius", radius)
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Shape> {
        let rotation = DQuat::from_rotation_x(0.7) * DQuat::from_rotation_z(0.3);
        let ends = [DVec3::new(-0.3, 0.1, 0.2), DVec3::new(0.5, 0.6, -0.1)];
        vec![
            Shape::Ground { height: 0.2 },
            Shape::Sphere { centre: DVec3::new(0.1, 0.2, 0.3), radius: 0.6 },
            Shape::Box { centre: DVec3::new(0.1, -0.2, 0.0), size: DVec3::new(1.0, 0.5, 0.8), rotation },
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
