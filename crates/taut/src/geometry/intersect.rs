//! Whether an edge and a face have a point in common, exactly: every decision is the sign of a determinant, and that sign
//! is right whatever the rounding (Shewchuk's adaptive predicates).
//!
//! Edges and faces are closed: what only touches intersects. They may lie in one plane, on one line or in one point.
//! Signs are exact as long as no product of three differences leaves the range of f64: coordinates of magnitude 1e-40 to
//! 1e60, and 0, are safe.

use glam::{DVec2, DVec3, Vec3Swizzles};
use robust::{Coord, Coord3D, orient2d, orient3d};

/// −1, 0 or 1.
type Sign = i32;

fn sign(value: f64) -> Sign {
    Sign::from(value > 0.0) - Sign::from(value < 0.0)
}

/// The side of the plane through a, b and c on which d lies; 0 if the four lie in one plane.
fn side([a, b, c]: [DVec3; 3], d: DVec3) -> Sign {
    let at = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    sign(orient3d(at(a), at(b), at(c), at(d)))
}

/// The side of the line through a and b on which c lies; 0 if the three lie on one line.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> Sign {
    let at = |p: DVec2| Coord { x: p.x, y: p.y };
    sign(orient2d(at(a), at(b), at(c)))
}

/// What is seen along each axis.
const VIEWS: [fn(DVec3) -> DVec2; 3] = [|p| p.yz(), |p| p.zx(), |p| p.xy()];

/// Whether the edge between two points and the triangle between three have a point in common.
pub fn edge_meets_face(edge: [DVec3; 2], face: [DVec3; 3]) -> bool {
    let [p, q] = edge;
    let [a, b, c] = face;
    let (above, below) = (side(face, p), side(face, q));
    if above == 0 && below == 0 {
        return flat_meet(edge, face);
    }
    // The line through p and q meets the plane in one point, which is on the edge if p and q are not on one side, and
    // in the triangle if the line passes all three sides in the same sense.
    let passes = [[a, b], [b, c], [c, a]].map(|[from, to]| side([p, q, from], to));
    above * below <= 0 && (passes.iter().all(|&s| s >= 0) || passes.iter().all(|&s| s <= 0))
}

/// Whether two triangles have a point in common: if they do, an edge of one meets the other.
pub fn faces_meet(first: [DVec3; 3], second: [DVec3; 3]) -> bool {
    let edges = |[a, b, c]: [DVec3; 3]| [[a, b], [b, c], [c, a]];
    edges(first).into_iter().any(|edge| edge_meets_face(edge, second))
        || edges(second).into_iter().any(|edge| edge_meets_face(edge, first))
}

/// The same for an edge and a triangle in one plane, or a triangle that has none.
fn flat_meet([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    // Along an axis on which the triangle still has an area, the plane is seen one to one.
    for view in VIEWS {
        let [p, q, a, b, c] = [p, q, a, b, c].map(view);
        let around = turn(a, b, c);
        if around != 0 {
            let inside = [[a, b], [b, c], [c, a]].iter().all(|&[from, to]| turn(from, to, p) * around >= 0);
            return inside || [[a, b], [b, c], [c, a]].iter().any(|&[from, to]| cross(p, q, from, to));
        }
    }
    // The triangle is a piece of a line, and its sides cover it.
    [[a, b], [b, c], [c, a]].iter().any(|&side| edges_meet([p, q], side))
}

/// Whether two edges in space have a point in common.
fn edges_meet([p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) -> bool {
    if side([p, q, a], b) != 0 {
        return false;
    }
    for view in VIEWS {
        let [p, q, a, b] = [p, q, a, b].map(view);
        if [turn(p, q, a), turn(p, q, b), turn(a, b, p), turn(a, b, q)] != [0; 4] {
            return cross(p, q, a, b);
        }
    }
    // All four on one line: they meet if their extents do, on every axis.
    p.min(q).cmple(a.max(b)).all() && a.min(b).cmple(p.max(q)).all()
}

/// Whether two edges in a plane have a point in common.
fn cross(p: DVec2, q: DVec2, a: DVec2, b: DVec2) -> bool {
    let extents_meet = p.min(q).cmple(a.max(b)).all() && a.min(b).cmple(p.max(q)).all();
    extents_meet && turn(p, q, a) * turn(p, q, b) <= 0 && turn(a, b, p) * turn(a, b, q) <= 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A point with whole coordinates of at most 36 bits.
    type Whole = [i128; 3];

    fn minus(a: Whole, b: Whole) -> Whole {
        [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
    }

    fn determinant([a, b, c]: [Whole; 3]) -> i128 {
        a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    }

    /// Whether the origin lies in the hull of points. By Carathéodory's theorem it then lies in a simplex of them, of as
    /// many dimensions as the hull has.
    fn hull_has_origin(points: &[Whole]) -> bool {
        let n = points.len();
        let same_sign = |values: &[i128]| values.iter().all(|&v| v >= 0) || values.iter().all(|&v| v <= 0);
        let mut solid = false;
        for (i, j, k) in (0..n).flat_map(|i| (0..i).flat_map(move |j| (0..j).map(move |k| (i, j, k)))) {
            for l in 0..k {
                let [a, b, c, d] = [i, j, k, l].map(|i| points[i]);
                if determinant([minus(a, d), minus(b, d), minus(c, d)]) != 0 {
                    solid = true;
                    let shares = [[a, b, c], [a, d, b], [a, c, d], [b, d, c]].map(determinant);
                    if same_sign(&shares) {
                        return true;
                    }
                }
            }
        }
        if solid {
            return false;
        }
        // A flat hull: the origin must lie in its plane, and in a triangle as seen along an axis on which it has an area.
        for axis in 0..3 {
            let see = |p: Whole| [p[(axis + 1) % 3], p[(axis + 2) % 3]];
            let area = |a: Whole, b: Whole| see(a)[0] * see(b)[1] - see(a)[1] * see(b)[0];
            let mut flat = false;
            for (i, j, k) in (0..n).flat_map(|i| (0..i).flat_map(move |j| (0..j).map(move |k| (i, j, k)))) {
                let [a, b, c] = [i, j, k].map(|i| points[i]);
                if area(minus(a, c), minus(b, c)) != 0 {
                    flat = true;
                    if determinant([a, b, c]) == 0 && same_sign(&[area(a, b), area(b, c), area(c, a)]) {
                        return true;
                    }
                }
            }
            if flat {
                return false;
            }
        }
        // On a line, or in a point: it lies between two of them, and on their line.
        let between = |a: Whole, b: Whole| {
            let on_line = (0..3).all(|k| a[k] * b[(k + 1) % 3] == b[k] * a[(k + 1) % 3]);
            on_line && (0..3).all(|k| a[k] * b[k] <= 0)
        };
        points.iter().any(|&a| points.iter().any(|&b| between(a, b)))
    }

    /// Five or six points in all positions that can go wrong: on a coarse or a fine lattice, so that many coincide or lie on one
    /// line or plane, or made to do so.
    fn configuration(random: &mut Random, count: usize) -> Vec<Whole> {
        let mut pick = |below: i64| ((random.signed() + 1.0) * 0.5 * below as f64) as i64;
        let size = [2, 3, 1000, 1 << 30][pick(4) as usize];
        let mut points: Vec<Whole> =
            (0..count).map(|_| [0; 3].map(|_: i32| i128::from(pick(2 * size + 1) - size))).collect();
        match pick(5) {
            0 => points.iter_mut().for_each(|p| p[2] = 2 * p[0] - 3 * p[1] + 1),
            1 => points.iter_mut().for_each(|p| (p[1], p[2]) = (3 * p[0], 5 - 2 * p[0])),
            // A point within the others, so that something touches.
            2 => {
                let [a, b, c, k] = [count - 1, count - 2, count - 3, pick(9) as usize];
                let weights = [
                    [1, 0, 0],
                    [1, 1, 2],
                    [2, 2, 0],
                    [0, 4, 0],
                    [3, -1, 2],
                    [1, 2, 1],
                    [0, 2, 2],
                    [4, 1, -1],
                    [0, 1, 3],
                ][k];
                let mixed = |i| {
                    (weights[0] * points[a][i] + weights[1] * points[b][i] + weights[2] * points[c][i]) / 4
                };
                let touching = [mixed(0), mixed(1), mixed(2)];
                if pick(2) == 0 {
                    points[0] = touching;
                } else {
                    let other = points[1];
                    points[0] = minus([2 * touching[0], 2 * touching[1], 2 * touching[2]], other);
                }
            }
            _ => {}
        }
        points
    }

    #[test]
    fn agrees_with_whole_numbers() {
        let random = &mut Random(3);
        let mut met = [[0; 2]; 2];
        for round in 0..20_000 {
            let scale = 2f64.powi(((random.signed() * 60.0) as i32) * (round % 3));
            let both = [5, 6].map(|count| configuration(random, count));
            for (kind, points) in both.iter().enumerate() {
                let (first, second) = points.split_at(kind + 2);
                let differences: Vec<Whole> =
                    first.iter().flat_map(|&a| second.iter().map(move |&b| minus(a, b))).collect();
                let exact = hull_has_origin(&differences);
                let at = |p: &Whole| DVec3::from_array(p.map(|c| c as f64)) * scale;
                let second = [at(&second[0]), at(&second[1]), at(&second[2])];
                let found = match *first {
                    [a, b] => edge_meets_face([at(&a), at(&b)], second),
                    [a, b, c] => faces_meet([at(&a), at(&b), at(&c)], second),
                    _ => unreachable!(),
                };
                assert_eq!(found, exact, "{points:?}");
                met[kind][usize::from(exact)] += 1;
            }
        }
        assert!(met.iter().flatten().all(|&count| count > 3_000), "{met:?}");
    }
}
