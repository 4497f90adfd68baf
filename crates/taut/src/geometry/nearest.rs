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
//! and the nearest points belong to the d that is nearest to the origin. It lies inside the patch or on one of its
//! sides; each gives one candidate, and the shortest wins. Every candidate is a point of the patch whatever rounding
//! did to its s and t, so a degenerate patch (no area, no length) needs no case of its own: a bad candidate only
//! loses.

use glam::DVec3;
use std::array::from_fn;

/// Two primitives with four points in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Point 0 against the triangle of points 1, 2, 3. If two of these are the same, it is a point against an edge, and
    /// if all are, against another point.
    VertexFace,
    /// The edge of points 0, 1 against that of points 2, 3.
    EdgeEdge,
}

/// Nearest points of two primitives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// `Σ weights[i]·x[i]` is the vector below: over the first primitive they sum to 1, over the second to −1.
    pub weights: [f64; 4],
    /// From the nearest point of the second primitive to that of the first \[m\].
    pub vector: DVec3,
}

/// Nearest points of two primitives given by their four points \[m\].
pub fn nearest(kind: Kind, points: &[DVec3; 4]) -> Nearest {
    let patch = Patch::new(kind, points);
    // Squares of differences must neither overflow nor vanish; a power of two changes no digit.
    let scale = scale(patch.largest(&patch).max_element());
    let found = patch.scaled(scale).nearest(kind);
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

/// Sizes of lengths whose squares, and squares of these, stay within the range of numbers.
pub(super) const RANGE: [f64; 2] = [f64::from_bits((1023 - 240) << 52), f64::from_bits((1023 + 240) << 52)];

/// 1, or if squares of lengths of this size would leave the range of numbers, a power of two that brings it near 1.
#[inline]
pub(super) fn scale(size: f64) -> f64 {
    let [small, large] = RANGE;
    if (small..=large).contains(&size) || size == 0.0 || !size.is_finite() {
        return 1.0;
    }
    // The inverse of the size's leading power of two, kept within normal numbers.
    let exponent = ((size.to_bits() >> 52) as i64 - 1023).max(-1000);
    f64::from_bits(((1023 - exponent).max(1) as u64) << 52)
}

/// The corners of a patch: corner, corner + e, corner + f, and the fourth of a parallelogram; a triangle repeats its
/// third. One array per coordinate, so that loops over corners become vector instructions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patch([[f64; 4]; 3]);

impl Patch {
    /// Differences of every point of the first primitive from every point of the second.
    #[inline(always)]
    pub fn new(kind: Kind, points: &[DVec3; 4]) -> Patch {
        let [a, b, c, d] = points.map(|p| p.to_array());
        Patch(from_fn(|i| match kind {
            Kind::VertexFace => [a[i] - b[i], a[i] - c[i], a[i] - d[i], a[i] - d[i]],
            Kind::EdgeEdge => [a[i] - c[i], b[i] - c[i], a[i] - d[i], b[i] - d[i]],
        }))
    }

    #[inline(always)]
    pub fn scaled(&self, by: f64) -> Patch {
        Patch(self.0.map(|c| c.map(|c| c * by)))
    }

    /// Between this patch and another, at t = 0 and 1.
    #[inline(always)]
    pub fn mixed(&self, other: &Patch, t: f64) -> Patch {
        Patch(from_fn(|i| from_fn(|k| self.0[i][k] + t * (other.0[i][k] - self.0[i][k]))))
    }

    #[inline(always)]
    pub fn corner(&self, k: usize) -> DVec3 {
        DVec3::from_array(self.0.map(|c| c[k]))
    }

    #[inline(always)]
    pub fn sum(&self) -> DVec3 {
        DVec3::from_array(self.0.map(|c| (c[0] + c[1]) + (c[2] + c[3])))
    }

    /// Largest size of each coordinate in two patches.
    #[inline(always)]
    pub fn largest(&self, other: &Patch) -> DVec3 {
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        DVec3::from_array(from_fn(|i| {
            let [p, q, r, s] = from_fn(|k| larger(self.0[i][k].abs(), other.0[i][k].abs()));
            larger(larger(p, q), larger(r, s))
        }))
    }

    /// n·corner, for every corner.
    #[inline(always)]
    pub fn dot(&self, n: DVec3) -> [f64; 4] {
        from_fn(|k| n.x * self.0[0][k] + n.y * self.0[1][k] + n.z * self.0[2][k])
    }

    /// Point of the patch at weights of the four points.
    pub fn point(&self, kind: Kind, weights: &[f64; 4]) -> DVec3 {
        let [corner, along_e, along_f] = from_fn(|k| self.corner(k));
        let (s, t) = match kind {
            Kind::VertexFace => (-weights[2], -weights[3]),
            Kind::EdgeEdge => (weights[1], -weights[3]),
        };
        corner + s * (along_e - corner) + t * (along_f - corner)
    }

    /// e × f.
    pub fn normal(&self) -> DVec3 {
        let corner = self.corner(0);
        (self.corner(1) - corner).cross(self.corner(2) - corner)
    }

    /// Direction of the nearest vector, at right angles to what it ends on. The vector itself is off by rounding of the
    /// patch's size: where it is a millionth of that, its direction has lost six digits.
    pub fn direction(&self, kind: Kind, nearest: &Nearest) -> DVec3 {
        let along = |i: usize, j: usize| self.corner(j) - self.corner(i);
        // Directions in which the point of the patch could move; zero if it is on a side or a corner.
        let [first, second] = match kind {
            Kind::VertexFace => {
                let mut used = (0..3).filter(|k| nearest.weights[k + 1] != 0.0);
                let [i, j, k] = from_fn(|_| used.next());
                [j, k].map(|to| i.zip(to).map_or(DVec3::ZERO, |(i, j)| along(i, j)))
            }
            Kind::EdgeEdge => {
                let inside = nearest.weights.map(|w| w != 0.0);
                [
                    along(0, usize::from(inside[0] && inside[1])),
                    along(0, 2 * usize::from(inside[2] && inside[3])),
                ]
            }
        };
        let (vector, side) = (nearest.vector, first + second);
        let direction = if first != DVec3::ZERO && second != DVec3::ZERO {
            let normal = first.cross(second);
            if normal.dot(vector) < 0.0 { -normal } else { normal }
        } else if side != DVec3::ZERO {
            vector - vector.dot(side) / side.length_squared() * side
        } else {
            vector
        };
        direction / direction.length()
    }

    /// Point of the patch nearest to the origin, as weights of the four points.
    #[inline(always)]
    pub fn nearest(&self, kind: Kind) -> Nearest {
        // Where the four sides begin and end; a triangle has its third twice.
        let (from, to) = match kind {
            Kind::VertexFace => ([0, 0, 1, 1], [1, 2, 2, 2]),
            Kind::EdgeEdge => ([0, 0, 2, 1], [1, 2, 3, 3]),
        };
        let begin: [[f64; 4]; 3] = from_fn(|i| from.map(|k| self.0[i][k]));
        let along: [[f64; 4]; 3] = from_fn(|i| from_fn(|k| self.0[i][to[k]] - begin[i][k]));
        let dot = |a: &[[f64; 4]; 3], b: &[[f64; 4]; 3]| -> [f64; 4] {
            from_fn(|k| a[0][k] * b[0][k] + a[1][k] * b[1][k] + a[2][k] * b[2][k])
        };
        let (projected, square) = (dot(&begin, &along), dot(&along, &along));
        let part: [f64; 4] = from_fn(|k| fraction(-projected[k], square[k]));
        let point: [[f64; 4]; 3] = from_fn(|i| from_fn(|k| begin[i][k] + part[k] * along[i][k]));
        let distance = dot(&point, &point);
        let on_side = |k: usize| DVec3::from_array(point.map(|c| c[k]));
        let (mut best, mut vector, mut place) = (distance[0], on_side(0), (part[0], 0.0));
        for k in 1..4 {
            if distance[k] < best {
                let r = part[k];
                place = match (kind, k) {
                    (_, 1) => (0.0, r),
                    (Kind::VertexFace, _) => (1.0 - r, r),
                    (Kind::EdgeEdge, 2) => (r, 1.0),
                    (Kind::EdgeEdge, _) => (1.0, r),
                };
                (best, vector) = (distance[k], on_side(k));
            }
        }
        // Inside: d ⟂ e, f, so t = n·(corner × e)/n² with n = e × f. In a narrow patch t is off by rounding divided
        // by the patch's width, and so would be an s found the same way. But s taken as the best for this t leaves
        // only the error of t across the patch: rounding.
        let [e, f] = [0, 1].map(|k| DVec3::from_array(along.map(|c| c[k])));
        let (corner, n) = (self.corner(0), e.cross(f));
        let t = fraction(n.dot(corner.cross(e)), n.length_squared());
        let s = fraction(-(corner + t * f).dot(e), square[0]);
        let inside = corner + s * e + t * f;
        if inside.length_squared() < best && (kind == Kind::EdgeEdge || s + t <= 1.0) {
            (vector, place) = (inside, (s, t));
        }
        let (s, t) = place;
        let weights = match kind {
            Kind::VertexFace => [1.0, -(1.0 - s - t).max(0.0), -s, -t],
            Kind::EdgeEdge => [1.0 - s, s, -(1.0 - t), -t],
        };
        Nearest { weights, vector }
    }
}

/// The quotient clamped to [0, 1]; 0 if it is no number.
#[inline(always)]
fn fraction(numerator: f64, denominator: f64) -> f64 {
    let r = numerator / denominator;
    let r = if r > 0.0 { r } else { 0.0 };
    if r < 1.0 { r } else { 1.0 }
}
