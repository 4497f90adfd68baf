//! Nearest points of a vertex and a face, and of two edges.
//!
//! Both are one problem. The differences between points of the first primitive and points of the second fill a patch
//! of a plane,
//!
//! ```text
//! d(s, t) = corner + s·e + t·f      vertex–face: a triangle, s, t ≥ 0, s + t ≤ 1
//!                                   edge–edge:   a parallelogram, 0 ≤ s, t ≤ 1
//! ```
//!
//! and the nearest points belong to the d that is nearest to the origin. It lies inside the patch or on one of its sides;
//! each gives one candidate, and the shortest wins. Every candidate is a point of the patch whatever rounding did to its
//! s and t, so a degenerate patch (no area, no length) needs no case of its own: a bad candidate only loses.

use glam::DVec3;

/// Two primitives with four points in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Point 0 against the triangle of points 1, 2, 3. Repeat a point of the triangle, \[p, a, b, b\] or \[p, a, a, a\],
    /// and it is a point against an edge or another point.
    VertexFace,
    /// The edge of points 0, 1 against that of points 2, 3.
    EdgeEdge,
}

/// Nearest points of two primitives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// `Σ weights[i]·x[i]` is the vector below: positive weights sum to 1 over the first primitive and the negative
    /// ones to −1 over the second.
    pub weights: [f64; 4],
    /// From the nearest point of the second primitive to that of the first \[m\].
    pub vector: DVec3,
}

/// Nearest points of two primitives given by their four points \[m\].
pub fn nearest(kind: Kind, points: &[DVec3; 4]) -> Nearest {
    let differences = kind.differences(points);
    // Squares of differences neither overflow nor vanish: a power of two changes no digit.
    let scale = scale(differences.iter().fold(0.0, |m, d| d.abs().max_element().max(m)));
    let found = kind.nearest(&differences.map(|d| d * scale));
    Nearest { vector: found.vector / scale, ..found }
}

/// Weights of the corners of a triangle for its point nearest to `p`.
pub fn point_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> [f64; 3] {
    let [_, alpha, beta, gamma] = nearest(Kind::VertexFace, &[p, a, b, c]).weights;
    [-alpha, -beta, -gamma]
}

/// Parameters (s, t) of the nearest points a + s (b − a) and c + t (d − c) of two segments.
pub fn segment_segment([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> (f64, f64) {
    let [_, s, _, t] = nearest(Kind::EdgeEdge, &[a, b, c, d]).weights;
    (s, -t)
}

/// 1, or if squares of lengths of this size would leave the range of numbers, a power of two that brings it near 1.
pub(super) fn scale(size: f64) -> f64 {
    const LARGE: f64 = f64::from_bits((1023 + 240) << 52);
    const SMALL: f64 = f64::from_bits((1023 - 240) << 52);
    if (SMALL..=LARGE).contains(&size) || size == 0.0 || !size.is_finite() {
        return 1.0;
    }
    // The inverse of the size's leading power of two, kept within normal numbers.
    let exponent = ((size.to_bits() >> 52) as i64 - 1023).max(-1000);
    f64::from_bits(((1023 - exponent).max(1) as u64) << 52)
}

impl Kind {
    /// Differences of every point of the first primitive from every point of the second: the corners of the patch.
    /// A triangle repeats its last corner.
    #[inline]
    pub(super) fn differences(self, &[a, b, c, d]: &[DVec3; 4]) -> [DVec3; 4] {
        match self {
            Kind::VertexFace => [a - b, a - c, a - d, a - d],
            Kind::EdgeEdge => [a - c, b - c, a - d, b - d],
        }
    }

    /// Point of the patch at weights of the four points.
    pub(super) fn point(self, &[corner, along_e, along_f, _]: &[DVec3; 4], weights: &[f64; 4]) -> DVec3 {
        let (s, t) = match self {
            Kind::VertexFace => (-weights[2], -weights[3]),
            Kind::EdgeEdge => (weights[1], -weights[3]),
        };
        corner + s * (along_e - corner) + t * (along_f - corner)
    }

    /// Point of the patch nearest to the origin, as weights of the four points.
    #[inline]
    pub(super) fn nearest(self, &[corner, along_e, along_f, far]: &[DVec3; 4]) -> Nearest {
        let (e, f) = (along_e - corner, along_f - corner);
        // A side is a point and a direction. Its candidate is r of the way.
        let side = |from: DVec3, direction: DVec3| {
            let r = fraction(-from.dot(direction), direction.length_squared());
            (r, from + r * direction)
        };
        let (r, d) = side(corner, e);
        let mut best = (r, 0.0, d, d.length_squared());
        let mut offer = |s: f64, t: f64, d: DVec3| {
            let square = d.length_squared();
            if square < best.3 {
                best = (s, t, d, square);
            }
        };
        let (r, d) = side(corner, f);
        offer(0.0, r, d);
        match self {
            Kind::VertexFace => {
                let (r, d) = side(along_e, along_f - along_e);
                offer(1.0 - r, r, d);
            }
            Kind::EdgeEdge => {
                let (r, d) = side(along_f, far - along_f);
                offer(r, 1.0, d);
                let (r, d) = side(along_e, far - along_e);
                offer(1.0, r, d);
            }
        }
        // Inside: d ⟂ e, f, so t = n·(corner × e)/n² with n = e × f. In a narrow patch t is off by rounding divided by
        // the patch's width, and so would be an s found the same way. But s taken as the best for this t leaves only the
        // error of t across the patch: rounding.
        let n = e.cross(f);
        let t = fraction(n.dot(corner.cross(e)), n.length_squared());
        let s = fraction(-(corner + t * f).dot(e), e.length_squared());
        let inside = match self {
            Kind::VertexFace => s + t <= 1.0,
            Kind::EdgeEdge => true,
        };
        if inside {
            offer(s, t, corner + s * e + t * f);
        }
        let (s, t, vector, _) = best;
        let weights = match self {
            Kind::VertexFace => [1.0, -(1.0 - s - t).max(0.0), -s, -t],
            Kind::EdgeEdge => [1.0 - s, s, -(1.0 - t), -t],
        };
        Nearest { weights, vector }
    }
}

/// The quotient clamped to [0, 1]; 0 if it is no number.
#[inline]
fn fraction(numerator: f64, denominator: f64) -> f64 {
    let r = numerator / denominator;
    if r > 0.0 { r.min(1.0) } else { 0.0 }
}
