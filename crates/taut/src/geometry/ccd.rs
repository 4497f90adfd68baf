//! When two primitives that move along straight lines first touch.
//!
//! Let D_k(t) be the differences between the points of one primitive and those of the other. For a *fixed* vector n each
//! n·D_k(t) is linear in t. If all of them are positive at s and at t, n separates the primitives during all of [s, t].
//! Any n may be tried: a bad one costs progress, never truth. The nearest vector at s is a good one:
//!
//! ```text
//! t = 0
//! repeat   n = nearest vector at t
//!          r = first time at which an n·D_k ceases to be positive
//!          r > 1: free
//!          t ← t + 0.9 (r − t)
//! ```
//!
//! It ends with a hit at t when the distance is within the tolerance, when rounding stops it, or after so many rounds.
//! All before t is certified, so a time is never late and no contact is missed.
//!
//! # Rounding
//!
//! With u = 2⁻⁵³, D as computed is the true difference to one rounding per coordinate, wherever the pair is. The dot
//! product n·D of computed numbers adds at most three roundings to each |n_k D_k|. Together
//!
//! ```text
//! |computed n·D − true n·D| ≤ 5u Σ_k |n_k| |D_k|  ≤  5u Σ_k |n_k| M_k,    M_k = largest |D_k| of any pair, either end
//! ```
//!
//! The margin e = 16u Σ|n_k| M_k covers that, its own rounding and that of n·D − e. It is taken off at both ends of the
//! step, so a = n·D(0) − e and b = n·D(1) − e are true lower bounds, and what is linear between them bounds n·D(t)
//! without further loss. Its zero a/(a − b) is computed with two roundings and moved inward by four.
//! Where products could fall below the range of numbers, a constant far below all others is added to e.

use super::nearest::{Kind, Nearest, scale};
use glam::DVec3;

/// When a query counts as a hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Nearer than this is a hit, as a fraction of the largest coordinate difference within the pair.
    pub relative: f64,
    /// Rounds until a pair that is neither free nor near counts as a hit.
    pub rounds: u32,
}

impl Default for Tolerance {
    fn default() -> Self {
        Tolerance { relative: 1e-6, rounds: 64 }
    }
}

/// The first contact of a pair, or rather how far it is certified to be free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Free before this fraction of the step; never later than the true contact.
    pub time: f64,
    /// Weights of the four points, as in [`Nearest`], at that time.
    pub weights: [f64; 4],
    /// Unit vector from the second primitive to the first, at that time; zero if nothing tells a direction.
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
/// `gap` \[m\] of each other; `None` if it is certain that they do not. Differences that overflow count as a hit.
pub fn first_touch(
    kind: Kind,
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    gap: f64,
    tolerance: Tolerance,
) -> Option<Touch> {
    Motion::new(kind, start, end, gap).first_touch(tolerance)
}

/// What a query is about: the differences at both ends of the step.
struct Motion {
    kind: Kind,
    start: [DVec3; 4],
    end: [DVec3; 4],
    gap: f64,
    /// Largest difference in each coordinate.
    largest: DVec3,
}

/// What one vector n certifies.
enum Certified {
    /// Everything to the end of the step.
    Free,
    /// Everything before this time.
    Until(f64),
    /// Nothing.
    Nothing,
}

impl Motion {
    #[inline]
    fn new(kind: Kind, start: &[DVec3; 4], end: &[DVec3; 4], gap: f64) -> Motion {
        let (mut start, mut end, mut gap) = (kind.differences(start), kind.differences(end), gap);
        let all = || start.iter().chain(&end);
        let mut largest = all().fold(DVec3::ZERO, |m, d| m.max(d.abs()));
        let scale = scale(largest.max_element());
        if scale != 1.0 {
            start = start.map(|d| d * scale);
            end = end.map(|d| d * scale);
            largest *= scale;
            gap *= scale;
        }
        Motion { kind, start, end, gap, largest }
    }

    #[inline]
    fn at(&self, t: f64) -> Nearest {
        self.kind.nearest(&std::array::from_fn(|k| self.start[k] + t * (self.end[k] - self.start[k])))
    }

    /// How far from `t` on the pair is certified by `n`.
    #[inline]
    fn certify(&self, n: DVec3, t: f64) -> Certified {
        const MARGIN: f64 = 16.0 * (0.5 * f64::EPSILON);
        let margin =
            MARGIN * n.abs().dot(self.largest) + self.gap * n.length() * (1.0 + MARGIN) + f64::MIN_POSITIVE;
        let a: [f64; 4] = std::array::from_fn(|k| n.dot(self.start[k]) - margin);
        let b: [f64; 4] = std::array::from_fn(|k| n.dot(self.end[k]) - margin);
        let smallest = |v: &[f64; 4]| v[0].min(v[1]).min(v[2].min(v[3]));
        if smallest(&a) > 0.0 && smallest(&b) > 0.0 {
            return Certified::Free;
        }
        let mut until = f64::INFINITY;
        for (&a, &b) in a.iter().zip(&b) {
            let zero = a / (a - b);
            if a > 0.0 && b > 0.0 {
            } else if a > 0.0 {
                until = until.min(zero * (1.0 - 2.0 * f64::EPSILON));
            } else if !(b > 0.0 && t >= zero * (1.0 + 2.0 * f64::EPSILON)) {
                return Certified::Nothing;
            }
        }
        if until == f64::INFINITY {
            Certified::Free
        } else if until > t {
            Certified::Until(until)
        } else {
            Certified::Nothing
        }
    }

    fn first_touch(&self, tolerance: Tolerance) -> Option<Touch> {
        let near = self.gap + tolerance.relative * self.largest.max_element();
        let (mut t, mut nearest) = (0.0, self.at(0.0));
        let mut ended = Ended::Rounds;
        for _ in 0..tolerance.rounds {
            let certified = self.certify(nearest.vector, t);
            let apart = nearest.vector.length_squared() > near * near;
            let until = match certified {
                Certified::Free => return None,
                _ if !apart => {
                    ended = Ended::Near;
                    break;
                }
                Certified::Until(until) => until,
                Certified::Nothing => t,
            };
            let next = t + 0.9 * (until - t);
            if next <= t {
                ended = Ended::Rounding;
                break;
            }
            t = next;
            nearest = self.at(t);
        }
        Some(Touch { time: t, weights: nearest.weights, normal: self.normal(&nearest, t), ended })
    }

    /// Direction of a contact. Where the distance is zero it is that of the patch, against the motion, and if the patch
    /// has none, against the motion.
    #[cold]
    fn normal(&self, nearest: &Nearest, t: f64) -> DVec3 {
        let unit = |v: DVec3| (v / v.abs().max_element()).try_normalize();
        let velocity: [DVec3; 4] = std::array::from_fn(|k| self.end[k] - self.start[k]);
        let [corner, along_e, along_f, _] = std::array::from_fn(|k| self.start[k] + t * velocity[k]);
        let moving = self.kind.point(&velocity, &nearest.weights);
        let across = (along_e - corner).cross(along_f - corner);
        let against = if across.dot(moving) > 0.0 { -across } else { across };
        unit(nearest.vector).or(unit(against)).or(unit(-moving)).unwrap_or(DVec3::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(query([0.7, 1.0, 0.5], [0.7, -1.0, 0.5], 0.0), None);
        assert_eq!(query([0.2, 1.0, 0.3], [0.2, 0.1, 0.3], 0.0), None);
    }
}
