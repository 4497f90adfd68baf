//! Fields to fill with tetrahedra: negative inside, positive outside, changing by at most 1 m per metre.
//!
//! That last property (Lipschitz constant 1) is what [`Field::lattice`] relies on to skip empty space. The shapes of
//! obstacles ([`Shape`]) are exact distances and have it. A field adds round cones and blends, which contact could not
//! use: a blend is neither an exact distance nor has it an exact normal. The round cone is the union of all balls along a segment
//! whose radii go linearly from one end to the other: with s = (r₀ − r₁)/L and the point at t along and ρ away from the
//! axis, the nearest ball sits at t − ρ s/√(1 − s²), clamped to the segment. The blend of two fields,
//! `min(a, b) − max(k − |a − b|, 0)²/4k`, fills the crease between them over a width k.
//! Does not handle: carving away, moving and turning (give the parts where they belong).

use super::{finite, positive, zero_or_more};
use crate::Error;
use crate::collision::Shape;
use glam::DVec3;

/// The inside of something, as a formula.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// A shape that obstacles may have, too.
    Shape(Shape),
    /// A capsule whose ends may differ in thickness.
    RoundCone {
        /// Where the axis begins and ends \[m\].
        ends: [DVec3; 2],
        /// Radius at either end \[m\].
        radii: [f64; 2],
    },
    /// All parts together, flowing into one another; earlier parts are blended first.
    Union {
        /// The parts.
        parts: Vec<Field>,
        /// Width over which creases are filled \[m\]; 0 keeps them sharp.
        blend: f64,
    },
}

impl Field {
    /// A ball \[m\].
    pub fn ball(centre: DVec3, radius: f64) -> Self {
        Field::Shape(Shape::Sphere { centre, radius })
    }

    /// The field at a point \[m\]: negative inside; outside a lower bound of the distance to the surface.
    pub fn distance(&self, point: DVec3) -> f64 {
        match self {
            Field::Shape(shape) => shape.distance(point).0,
            Field::RoundCone { ends, radii } => round_cone(point, *ends, *radii),
            Field::Union { parts, blend } => {
                parts.iter().fold(f64::INFINITY, |all, part| soft_min(all, part.distance(point), *blend))
            }
        }
    }

    /// Lower and upper corner of a box around the inside \[m\]; lower is above upper if there is none.
    pub fn bounds(&self) -> [DVec3; 2] {
        match self {
            Field::Shape(shape) => shape.bounds(),
            Field::RoundCone { ends: [a, b], radii: [r, q] } => [(a - *r).min(b - *q), (a + *r).max(b + *q)],
            Field::Union { parts, blend } => {
                let join = |[lo, hi]: [DVec3; 2], [l, h]: [DVec3; 2]| [lo.min(l), hi.max(h)];
                let none = [DVec3::INFINITY, DVec3::NEG_INFINITY];
                let [lo, hi] = parts.iter().map(Field::bounds).fold(none, join);
                // Each blend swells by a quarter of k at most, and all of them together by k.
                let swell = blend * (parts.len().saturating_sub(1) as f64 / 4.0).min(1.0);
                [lo - swell, hi + swell]
            }
        }
    }

    /// Direction of steepest ascent, by differences over `step` \[m\]; zero where there is none.
    pub(super) fn gradient(&self, point: DVec3, step: f64) -> DVec3 {
        let slope = |axis: DVec3| self.distance(point + axis * step) - self.distance(point - axis * step);
        DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)).normalize_or_zero()
    }

    /// Refuse sizes that are not positive and finite, and the ground, which has no end.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self {
            Field::Shape(shape @ (Shape::Ground { .. } | Shape::Plane { .. })) => {
                Err(Error::setting("shape", shape.name(), "it has no end; fill a sphere or a box"))
            }
            Field::Shape(shape) => shape.validate(),
            Field::RoundCone { ends, radii } => {
                ends.iter().try_for_each(|&e| finite("capsule end", e).map(drop))?;
                radii.iter().try_for_each(|&r| positive("capsule radius", r).map(drop))
            }
            Field::Union { parts, blend } => {
                zero_or_more("blend", *blend)?;
                super::at_least("number of parts", parts.len(), 1)?;
                parts.iter().try_for_each(Field::check)
            }
        }
    }
}

fn round_cone(point: DVec3, [a, b]: [DVec3; 2], [ra, rb]: [f64; 2]) -> f64 {
    let length = a.distance(b);
    if (ra - rb).abs() >= length {
        let (centre, radius) = if ra >= rb { (a, ra) } else { (b, rb) };
        return point.distance(centre) - radius; // one end swallows the other
    }
    let axis = (b - a) / length;
    let along = (point - a).dot(axis);
    let away = (point - a - axis * along).length();
    let s = (ra - rb) / length;
    let t = (along - away * s / (1.0 - s * s).sqrt()).clamp(0.0, length);
    point.distance(a + axis * t) - (ra - s * t)
}

fn soft_min(a: f64, b: f64, width: f64) -> f64 {
    let overlap = (width - (a - b).abs()).max(0.0);
    a.min(b) - if overlap > 0.0 { overlap * overlap / (4.0 * width) } else { 0.0 }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use glam::DQuat;

    /// A blend of one primitive of each sort.
    pub fn medley() -> Field {
        let capsule = Field::RoundCone { ends: [DVec3::ZERO, DVec3::new(0.9, 0.4, 0.1)], radii: [0.3, 0.1] };
        let ball = Field::ball(DVec3::new(-0.3, 0.1, 0.2), 0.35);
        let (centre, size) = (DVec3::new(0.1, -0.4, 0.0), DVec3::new(0.6, 0.4, 0.5));
        let block = Field::Shape(Shape::Box { centre, size, rotation: DQuat::IDENTITY, rounding: 0.0 });
        Field::Union { parts: vec![capsule, ball, block], blend: 0.2 }
    }

    /// Points spread evenly over [−1, 1]³: multiples of irrational numbers.
    pub fn points(count: usize) -> impl Iterator<Item = DVec3> {
        let part = |x: f64| 2.0 * x.fract() - 1.0;
        (0..count).map(move |i| {
            let i = i as f64;
            DVec3::new(part(i * 0.819_172_513), part(i * 0.671_043_606), part(i * 0.549_700_477))
        })
    }

    #[test]
    fn a_round_cone_is_the_union_of_its_balls() {
        let cones =
            [([0.3, 0.1], 0.5), ([0.05, 0.4], 0.5), ([0.2, 0.2], 0.6), ([0.5, 0.1], 0.2), ([0.2, 0.1], 0.0)];
        for (radii, length) in cones {
            let ends =
                [DVec3::new(-0.2, 0.1, 0.0), DVec3::new(-0.2, 0.1, 0.0) + DVec3::new(0.6, 0.0, 0.8) * length];
            let cone = Field::RoundCone { ends, radii };
            for p in points(200) {
                let ball = |i: i32| {
                    let t = f64::from(i) / 2000.0;
                    p.distance(ends[0].lerp(ends[1], t)) - (radii[0] + (radii[1] - radii[0]) * t)
                };
                let nearest = (0..=2000).map(ball).fold(f64::INFINITY, f64::min);
                assert!((cone.distance(p) - nearest).abs() < 1e-5, "{cone:?} at {p}");
            }
        }
    }

    #[test]
    fn fields_never_change_faster_than_distance_and_stay_in_bounds() {
        let field = medley();
        let [lo, hi] = field.bounds();
        let all: Vec<_> = points(1500).map(|p| p * 1.3).collect();
        for pair in all.windows(2) {
            let change = (field.distance(pair[0]) - field.distance(pair[1])).abs();
            assert!(change <= pair[0].distance(pair[1]) * (1.0 + 1e-12));
            let inside = pair[0].cmpge(lo).all() && pair[0].cmple(hi).all();
            assert!(inside || field.distance(pair[0]) > 0.0, "sticks out of its bounds at {}", pair[0]);
        }
    }

    #[test]
    fn many_equal_parts_swell_no_further_than_the_bounds() {
        let ball = Field::ball(DVec3::ZERO, 0.5);
        for count in 1..30 {
            let field = Field::Union { parts: vec![ball.clone(); count], blend: 0.4 };
            assert!(field.distance(DVec3::X * field.bounds()[1].x) > -1e-12);
        }
    }
}
