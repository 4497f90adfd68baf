//! The distance of two primitives at rest, in whole numbers.

use super::exact::quotient;
use super::oracle::whole;
use glam::DVec3;
use num_bigint::BigInt;
use taut::geometry::Kind;

/// Distance of two primitives at rest \[m\], rounded once.
pub fn distance(kind: Kind, points: &[DVec3; 4]) -> f64 {
    type Vector = [BigInt; 3];
    let minus = |a: &Vector, b: &Vector| -> Vector { std::array::from_fn(|k| &a[k] - &b[k]) };
    let dot = |a: &Vector, b: &Vector| -> BigInt { (0..3).map(|k| &a[k] * &b[k]).sum() };
    let cross = |a: &Vector, b: &Vector| -> Vector {
        std::array::from_fn(|k| &a[(k + 1) % 3] * &b[(k + 2) % 3] - &a[(k + 2) % 3] * &b[(k + 1) % 3])
    };
    let (points, power) = whole(points);
    let between = |i: usize, j: usize| minus(&points[i], &points[j]);
    let triangles = match kind {
        Kind::VertexFace => vec![[between(0, 1), between(0, 2), between(0, 3)]],
        Kind::EdgeEdge => {
            vec![[between(0, 2), between(1, 2), between(1, 3)], [between(0, 2), between(1, 3), between(0, 3)]]
        }
    };
    let (none, mut least) = (BigInt::ZERO, f64::INFINITY);
    for [a, b, c] in &triangles {
        let sides = [(a, b), (b, c), (c, a)];
        for (from, to) in sides {
            let along = minus(to, from);
            let (part, all) = (-dot(from, &along), dot(&along, &along));
            least = least.min(quotient(&dot(from, from), &1.into()));
            if part > none && part < all {
                least = least.min(quotient(&(dot(from, from) * &all - &part * &part), &all));
            }
        }
        let normal = cross(&minus(b, a), &minus(c, a));
        let square = dot(&normal, &normal);
        if square > none && sides.iter().all(|(from, to)| dot(&normal, &cross(from, to)) >= none) {
            let height = dot(&normal, a);
            least = least.min(quotient(&(&height * &height), &square));
        }
    }
    least.sqrt() * 2f64.powi(-(power as i32))
}
