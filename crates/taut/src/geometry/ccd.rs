//! When two primitives that move along straight lines first touch.
//!
//! Let D_k(t) be the differences between the points of one primitive and those of the other. For a fixed vector n
//! every n·D_k(t) is linear in t. If all of them are positive at s and at t, the plane across n separates the
//! primitives during all of \[s, t\]. Any n may be tried: a bad one costs progress, never truth. The nearest vector
//! at s is a good one:
//!
//! ```text
//! t = 0
//! repeat   n = direction of the nearest vector at t
//!          r = first time at which an n·D_k ceases to be positive; none in the step: free
//!          t ← t + 0.99 (r − t)
//! ```
//!
//! It ends with a hit at t when the distance is within the tolerance, when rounding leaves no room, or after so many
//! rounds. All before t is certified, so no contact is missed and no time is late.
//!
//! Two refinements make the rounds few. Most pairs are apart by the mean of their differences at both ends, which is
//! tried before anything else. And where primitives turn while they are close, a fixed n gets nowhere, so n may turn
//! evenly too: from p at s to q at t. Then n·D_k is quadratic, and it is positive during all of \[s, t\] if its
//! Bernstein coefficients are,
//!
//! ```text
//! p·D_k(s) > 0        p·D_k(t) + q·D_k(s) > 0        q·D_k(t) > 0
//! ```
//!
//! still nothing but dot products, and with p = q the fixed n again. How fast n should turn is seen from the round
//! before. To keep a gap ξ, ξ|n| is taken off every n·D_k; as |n| is convex in t, what holds for p and q holds in
//! between.
//!
//! # Rounding
//!
//! Let u = 2⁻⁵³ and M be the largest |D_k| of any pair at either end, coordinate by coordinate. A computed D_k is the
//! true difference to one rounding, wherever the pair is, and its product with n adds three roundings:
//!
//! ```text
//! |computed n·D_k − true n·D_k| ≤ 4u S + O(u²),    S = Σ |n_i| M_i
//! ```
//!
//! From every n·D_k at the start and at the end of the step 32u (S + ξ|n|) is taken off. Of that 5u pay for these
//! errors and for the subtraction, 3u for the rounding of S and ξ|n|, 4u for interpolation between start and end, 4u
//! for interpolation between p and q; the rest is reserve. Then a positive number computed here is a positive number.
//! Products may fall below the range of numbers, by 2⁻¹⁰⁷⁵ each. That is covered by 2⁻⁹⁰⁰, which is nothing as small
//! pairs are scaled up. What overflows is not positive: a hit.

use super::nearest::{Kind, Nearest, Patch, scale};
use glam::DVec3;
use std::array::from_fn;

/// When a query counts as a hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Nearer than this beyond the gap is a hit, as a fraction of the largest coordinate difference in the pair.
    pub relative: f64,
    /// Rounds until a pair that is neither free nor near counts as a hit.
    pub rounds: u32,
}

impl Default for Tolerance {
    fn default() -> Self {
        Tolerance { relative: 1e-6, rounds: 64 }
    }
}

/// The first contact of a pair, or rather how far it is certified to be free of contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Free before this fraction of the step; never later than the true contact.
    pub time: f64,
    /// Weights of the four points at that time, as in [`Nearest`].
    pub weights: [f64; 4],
    /// Unit vector from the second primitive to the first at that time. At distance zero it is that of the plane they
    /// lie in, against their motion; zero if nothing tells a direction.
    pub normal: DVec3,
    /// Why the search ended.
    pub ended: Ended,
}

/// Why the search for a contact ended with a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The distance is within the tolerance of the gap.
    Near,
    /// Rounding leaves no room to go on.
    Rounding,
    /// The round limit.
    Rounds,
}

/// First time in \[0, 1\] at which two primitives, whose points move straight from `start` to `end` \[m\], come within
/// `gap` ≥ 0 \[m\] of each other; `None` if it is certain that they do not.
pub fn first_touch(
    kind: Kind,
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    gap: f64,
    tolerance: Tolerance,
) -> Option<Touch> {
    // Two calls, so that each kind is compiled for itself.
    let motion = match kind {
        Kind::VertexFace => Motion::new(Kind::VertexFace, start, end, gap),
        Kind::EdgeEdge => Motion::new(Kind::EdgeEdge, start, end, gap),
    };
    let mean = motion.bounds(motion.start.sum() + motion.end.sum());
    if positive(&mean.start) & positive(&mean.end) {
        return None;
    }
    motion.search(tolerance)
}

/// What a query is about: the differences D_k at both ends of the step.
struct Motion {
    kind: Kind,
    start: Patch,
    end: Patch,
    gap: f64,
    /// M: the largest difference, coordinate by coordinate.
    largest: DVec3,
}

/// Lower bounds of n·D_k − ξ|n|, for every k, at both ends of the step.
struct Bounds {
    start: [f64; 4],
    end: [f64; 4],
}

impl Bounds {
    #[inline(always)]
    fn at(&self, t: f64) -> [f64; 4] {
        from_fn(|k| (1.0 - t) * self.start[k] + t * self.end[k])
    }
}

#[inline(always)]
fn positive(values: &[f64; 4]) -> bool {
    let [a, b, c, d] = values.map(|v| v > 0.0);
    a & b & c & d
}

impl Motion {
    #[inline(always)]
    fn new(kind: Kind, start: &[DVec3; 4], end: &[DVec3; 4], gap: f64) -> Motion {
        let (start, end) = (Patch::new(kind, start), Patch::new(kind, end));
        Motion { kind, start, end, gap, largest: start.largest(&end) }
    }

    /// The same with other units of length.
    fn scaled(&self, by: f64) -> Motion {
        let (start, end) = (self.start.scaled(by), self.end.scaled(by));
        Motion { start, end, gap: self.gap * by, largest: self.largest * by, ..*self }
    }

    fn at(&self, t: f64) -> Patch {
        self.start.mixed(&self.end, t)
    }

    #[inline(always)]
    fn bounds(&self, n: DVec3) -> Bounds {
        const MARGIN: f64 = 32.0 * (0.5 * f64::EPSILON);
        const TINY: f64 = f64::from_bits((1023 - 900) << 52);
        let mut margin = MARGIN * n.abs().dot(self.largest) + TINY;
        if self.gap > 0.0 {
            margin += self.gap * n.length() * (1.0 + MARGIN);
        }
        Bounds { start: self.start.dot(n).map(|d| d - margin), end: self.end.dot(n).map(|d| d - margin) }
    }

    #[inline(never)]
    fn search(mut self, tolerance: Tolerance) -> Option<Touch> {
        // Up, which loses nothing; down it might.
        let unit = scale(self.largest.max_element());
        if unit > 1.0 {
            self = self.scaled(unit);
        }
        let near = self.gap + tolerance.relative * self.largest.max_element();
        let mut t = 0.0;
        let mut nearest = self.start.nearest(self.kind);
        let mut before: Option<(f64, DVec3)> = None;
        let mut ended = Ended::Rounds;
        for _ in 0..tolerance.rounds {
            let distance = nearest.vector.length();
            let mut n = nearest.vector / distance;
            let mut fixed = self.bounds(n);
            let mut next = reach(&fixed, &fixed, t);
            if next <= t {
                n = self.at(t).direction(self.kind, &nearest);
                fixed = self.bounds(n);
                next = reach(&fixed, &fixed, t);
            }
            if next < 1.0 && distance <= near {
                ended = Ended::Near;
                break;
            }
            if let Some((earlier, m)) = before
                && next < 1.0
            {
                let turned = self.bounds(n + (n - m) * ((1.0 - t) / (t - earlier)));
                next = next.max(reach(&fixed, &turned, t));
            }
            if next >= 1.0 {
                return None;
            }
            if next <= t {
                ended = Ended::Rounding;
                break;
            }
            before = Some((t, n));
            t = next;
            nearest = self.at(t).nearest(self.kind);
        }
        Some(Touch { time: t, weights: nearest.weights, normal: self.normal(&nearest, t), ended })
    }

    /// Direction of a contact.
    #[cold]
    fn normal(&self, nearest: &Nearest, t: f64) -> DVec3 {
        let unit = |v: DVec3| (v / v.abs().max_element()).try_normalize();
        let point = |patch: &Patch| patch.point(self.kind, &nearest.weights);
        let moving = point(&self.end) - point(&self.start);
        let across = self.at(t).normal();
        let against = if across.dot(moving) > 0.0 { -across } else { across };
        unit(nearest.vector).or(unit(against)).or(unit(-moving)).unwrap_or(DVec3::ZERO)
    }
}

/// How far from t on a vector certifies that turns evenly, so that it is `from` at t and would be `to` at 1. Not
/// beyond t if it certifies nothing.
#[inline(always)]
fn reach(from: &Bounds, to: &Bounds, t: f64) -> f64 {
    let (from_now, to_now) = (from.at(t), to.at(t));
    let mut first = f64::INFINITY;
    for k in 0..4 {
        let root = first_root(from_now[k], from.end[k] + to_now[k], to.end[k]);
        first = if root < first { root } else { first };
    }
    let (share, until) = if first > 1.0 { (1.0, 1.0) } else { (0.99 * first, t + 0.99 * first * (1.0 - t)) };
    // That was a guess, of which nothing is believed.
    if certified(from, to, share, t, until) { until } else { t }
}

/// Are the coefficients positive for a vector that turns evenly, from `from` at s so far towards `to` at t?
#[inline(always)]
fn certified(from: &Bounds, to: &Bounds, share: f64, s: f64, t: f64) -> bool {
    let turned = |at: f64| -> [f64; 4] {
        let (from, to) = (from.at(at), to.at(at));
        from_fn(|k| (1.0 - share) * from[k] + share * to[k])
    };
    let (p, q, from_then) = (from.at(s), turned(s), from.at(t));
    let middle = from_fn(|k| from_then[k] + q[k]);
    positive(&p) & positive(&middle) & positive(&turned(t))
}

/// First root σ > 0 of a (1 − σ)² + b σ (1 − σ) + c σ², for a > 0; infinite if there is none.
#[inline(always)]
fn first_root(a: f64, b: f64, c: f64) -> f64 {
    let square = b * b - 4.0 * a * c;
    if (b >= 0.0 && c > 0.0) || square < 0.0 {
        return f64::INFINITY;
    }
    // Either form of the solution, whichever does not subtract.
    let (root, fall) = (square.sqrt(), 2.0 * a - b);
    let first = if fall >= 0.0 { 2.0 * a / (fall + root) } else { (root - fall) / (2.0 * (b - a - c)) };
    if first > 0.0 { first } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_falling_vertex_touches_the_face_it_meets_and_no_other() {
        let face = [DVec3::ZERO, DVec3::X, DVec3::Z];
        let query = |p: [f64; 3], q: [f64; 3], gap: f64| {
            let [start, end] = [p, q].map(|p| [DVec3::from(p), face[0], face[1], face[2]]);
            first_touch(Kind::VertexFace, &start, &end, gap, Tolerance::default())
        };
        let hit = query([0.2, 1.0, 0.3], [0.2, -1.0, 0.3], 0.0).unwrap();
        assert!(hit.time <= 0.5 && hit.time > 0.5 - 1e-6, "{hit:?}");
        assert!((hit.normal - DVec3::Y).length() < 1e-9, "{hit:?}");
        assert!((hit.weights[2] + 0.2).abs() < 1e-9 && (hit.weights[3] + 0.3).abs() < 1e-9, "{hit:?}");
        let hit = query([0.2, 1.0, 0.3], [0.2, -1.0, 0.3], 0.5).unwrap();
        assert!(hit.time <= 0.25 && hit.time > 0.25 - 1e-6, "{hit:?}");
        // Where they touch to begin with, the motion tells the side; for two points it is all there is.
        let hit = query([0.2, 0.0, 0.3], [0.3, -1.0, 0.3], 0.0).unwrap();
        assert_eq!((hit.time, hit.normal), (0.0, DVec3::Y));
        let (points, moved) = ([DVec3::ZERO; 4], [-DVec3::Z, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO]);
        let hit = first_touch(Kind::VertexFace, &points, &moved, 0.0, Tolerance::default()).unwrap();
        assert_eq!((hit.time, hit.normal), (0.0, DVec3::Z));
        assert_eq!(query([0.7, 1.0, 0.5], [0.7, -1.0, 0.5], 0.0), None);
        assert_eq!(query([0.2, 1.0, 0.3], [0.2, 0.1, 0.3], 0.0), None);
    }

    /// −0.45 of the smallest number is 0.51 + 0.51 − 3·0.49 of it; rounded term by term it is 1 + 1 − 1.
    #[test]
    fn products_that_vanish_certify_nothing() {
        let difference = DVec3::new(1.0, 1.0, -3.0) * f64::from_bits(1);
        let points = [difference, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
        let bounds =
            Motion::new(Kind::VertexFace, &points, &points, 0.0).bounds(DVec3::new(0.51, 0.51, 0.49));
        assert!(!positive(&bounds.start));
    }

    /// Whatever vectors and times are tried: what is certified holds at every time between.
    #[test]
    fn a_turning_vector_that_is_certified_separates_throughout() {
        let mut random = Random(3);
        let mut found = 0;
        for _ in 0..20_000 {
            let gap = random.signed().max(0.0);
            let centre = 3.0 * random.vector();
            let [start, end] = from_fn(|_| from_fn(|k| random.vector() + f64::from(k == 0) * centre));
            let motion = Motion::new(Kind::VertexFace, &start, &end, gap);
            let [n, m] = [0.5, 4.0].map(|off| centre + off * random.vector());
            let [s, t, share] = from_fn(|_| 0.5 + 0.5 * random.signed());
            let (s, t) = (s.min(t), s.max(t));
            if certified(&motion.bounds(n), &motion.bounds(m), share, s, t) {
                found += 1;
                for i in 0..=50 {
                    let part = f64::from(i) / 50.0;
                    let n = n.lerp(m, part * share);
                    let least =
                        motion.at(s + part * (t - s)).dot(n).into_iter().fold(f64::INFINITY, f64::min);
                    assert!(least > gap * n.length(), "{start:?} {end:?} at {part}");
                }
            }
        }
        assert!(found > 1000, "{found}");
    }
}
