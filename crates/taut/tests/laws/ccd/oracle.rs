//! The first contact of two primitives in straight motion, exactly: coordinates are whole numbers times one power of
//! two, times are roots of polynomials with whole coefficients.
//!
//! In terms of the differences D_k(t) the primitives touch when the origin lies in their hull, a triangle or a
//! parallelogram, which is two triangles. It then lies in the plane of the hull: det(D_0, D_1, D_2) = 0. If that
//! determinant vanishes throughout, the hull can reach the origin only with one of its sides.

use super::exact::{Dyadic, Polynomial, Root};
use glam::DVec3;
use num_bigint::BigInt;
use taut::geometry::Kind;

/// A vector of polynomials in time.
type Path = [Polynomial; 3];

fn minus(a: &Path, b: &Path) -> Path {
    std::array::from_fn(|k| a[k].minus(&b[k]))
}

fn dot(a: &Path, b: &Path) -> Polynomial {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}

fn cross(a: &Path, b: &Path) -> Path {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i].times(&b[j]).minus(&a[j].times(&b[i]))
    })
}

/// Coordinates of all points as whole numbers, and their unit: 2^−power.
pub fn whole(points: &[DVec3]) -> (Vec<[BigInt; 3]>, u64) {
    let exact: Vec<[Dyadic; 3]> = points.iter().map(|p| p.to_array().map(Dyadic::new)).collect();
    let power = exact.iter().flatten().map(|c| c.power).max().unwrap_or(0);
    (exact.iter().map(|p| std::array::from_fn(|k| p[k].times(power))).collect(), power)
}

/// The first time in [0, 1] at which the primitives touch.
pub fn first_contact(kind: Kind, start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<Root> {
    let (points, _) = whole(&[start.as_slice(), end].concat());
    let path = |i: usize| -> Path {
        std::array::from_fn(|k| {
            Polynomial::new(vec![points[i][k].clone(), &points[i + 4][k] - &points[i][k]])
        })
    };
    let between = |i: usize, j: usize| minus(&path(i), &path(j));
    // Corners of the hull in the order of its sides.
    let corners = match kind {
        Kind::VertexFace => vec![between(0, 1), between(0, 2), between(0, 3)],
        Kind::EdgeEdge => vec![between(0, 2), between(1, 2), between(1, 3), between(0, 3)],
    };
    let touches = |time: &mut Root| {
        let [a, b, c, d @ ..] = &corners[..] else { unreachable!() };
        triangle_touches(time, [a, b, c]) || d.iter().any(|d| triangle_touches(time, [a, c, d]))
    };
    let volume = dot(&corners[0], &cross(&corners[1], &corners[2]));
    let times = if volume.is_zero() {
        [vec![Root::zero()], side_events(&corners).roots()].concat()
    } else {
        volume.roots()
    };
    times.into_iter().find_map(|mut time| touches(&mut time).then_some(time))
}

/// A polynomial that vanishes whenever a side reaches the origin.
fn side_events(corners: &[Path]) -> Polynomial {
    let mut product = Polynomial::new(vec![1.into()]);
    for (i, a) in corners.iter().enumerate() {
        let b = &corners[(i + 1) % corners.len()];
        let [x, y, z] = cross(a, b);
        let off_line = x.common_divisor(&y).common_divisor(&z);
        let ends = dot(a, b);
        match (off_line.is_zero(), ends.is_zero()) {
            (false, _) => product = product.times(&off_line),
            (true, false) => product = product.times(&ends),
            // The origin stays where it is: in the side at time 0 or never.
            (true, true) => {}
        }
    }
    product
}

/// Does the origin, known to be in the plane of the triangle, lie in it?
fn triangle_touches(time: &mut Root, corners: [&Path; 3]) -> bool {
    let [a, b, c] = corners;
    let normal = cross(&minus(b, a), &minus(c, a));
    let sides = [(a, b), (b, c), (c, a)];
    if normal.iter().any(|n| time.sign(n) != 0) {
        return sides.iter().all(|(a, b)| time.sign(&dot(&normal, &cross(a, b))) >= 0);
    }
    // No area: the triangle is its sides.
    sides.iter().any(|(a, b)| cross(a, b).iter().all(|c| time.sign(c) == 0) && time.sign(&dot(a, b)) <= 0)
}
