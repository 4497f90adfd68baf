//! Queries for continuous detection, harder than cloth makes them, for which the oracle knows the answer.

use crate::common::Random;
use glam::{DMat3, DVec3};
use taut::geometry::Kind;

/// One query: which primitives, and where their points are at the start and at the end.
#[derive(Debug, Clone, Copy)]
pub struct Query {
    pub kind: Kind,
    pub start: [DVec3; 4],
    pub end: [DVec3; 4],
}

/// What a generated query is made to be.
pub const FAMILIES: [&str; 7] =
    ["loose", "aimed", "whole numbers", "grazing", "coplanar", "touching at an end", "degenerate"];

/// Query number `index`: its family is that number modulo the number of families.
pub fn generate(index: u64) -> Query {
    let mut random = Random(index.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let kind = if random.bits() & 1 == 0 { Kind::VertexFace } else { Kind::EdgeEdge };
    let (start, end) = match index % 7 {
        0 => loose(&mut random),
        1 => aimed(kind, &mut random),
        2 => whole(&mut random),
        3 => grazing(kind, &mut random),
        4 => coplanar(&mut random),
        5 => touching(kind, &mut random),
        _ => degenerate(kind, &mut random),
    };
    moved_elsewhere(Query { kind, start, end }, &mut random)
}

type Ends = ([DVec3; 4], [DVec3; 4]);

fn chance(random: &mut Random, of: u64) -> bool {
    random.bits().is_multiple_of(of)
}

/// Whole coordinates up to `size`.
fn corner(random: &mut Random, size: i64) -> DVec3 {
    let mut coordinate = || (random.bits() % (2 * size as u64 + 1)) as f64 - size as f64;
    DVec3::new(coordinate(), coordinate(), coordinate())
}

/// Weights of the points at a place in both primitives, now and then at a corner or an edge of them.
fn place(kind: Kind, random: &mut Random) -> [f64; 4] {
    let mut share = || match random.bits() % 6 {
        0 => 0.0,
        1 => 1.0,
        _ => (random.bits() % 65) as f64 / 64.0,
    };
    let (s, t) = (share(), share());
    match kind {
        Kind::VertexFace => [1.0, -(1.0 - s), -s * (1.0 - t), -s * t],
        Kind::EdgeEdge => [1.0 - s, s, -(1.0 - t), -t],
    }
}

fn sum(weights: [f64; 4], points: [DVec3; 4]) -> DVec3 {
    (0..4).map(|i| weights[i] * points[i]).sum()
}

/// The points of the first primitive moved by `by`.
fn shift_first(kind: Kind, points: &mut [DVec3; 4], by: DVec3) {
    let count = if kind == Kind::VertexFace { 1 } else { 2 };
    points.iter_mut().take(count).for_each(|p| *p += by);
}

/// Anywhere, anyhow.
fn loose(random: &mut Random) -> Ends {
    let motion = random.magnitude(0.01, 10.0);
    let common = random.vector(motion);
    let start: [DVec3; 4] = std::array::from_fn(|_| random.vector(1.0));
    (start, start.map(|p| p + common + random.vector(motion)))
}

/// Meant to touch at some time at some place; rounding decides where that is an edge or a corner.
fn aimed(kind: Kind, random: &mut Random) -> Ends {
    let (mut start, mut end) = loose(random);
    let (t, weights) = (random.range(0.0, 1.0), place(kind, random));
    let miss = (1.0 - t) * sum(weights, start) + t * sum(weights, end);
    let off =
        if chance(random, 2) { DVec3::ZERO } else { random.vector(1.0) * random.magnitude(1e-15, 1e-2) };
    shift_first(kind, &mut start, off - miss);
    shift_first(kind, &mut end, off - miss);
    (start, end)
}

/// Few small numbers, so that everything special happens: parallel, coplanar, coinciding, at rest.
fn whole(random: &mut Random) -> Ends {
    let size = 1 + (random.bits() % 4) as i64;
    let points: [DVec3; 8] = std::array::from_fn(|_| corner(random, size));
    (std::array::from_fn(|i| points[i]), std::array::from_fn(|i| points[i + 4]))
}

/// The plane z = (t − r) x turns while the other primitive passes at x = t − r, z = g: they are (t − r)² − g apart.
/// For g = 0 they touch without crossing, a double root; otherwise they pass close by or cross twice.
fn grazing(kind: Kind, random: &mut Random) -> Ends {
    let r = (1 + random.bits() % 63) as f64 / 64.0;
    let g = match random.bits() % 4 {
        0 | 1 => 0.0,
        side => (side as f64 * 2.0 - 5.0) * 2f64.powi(-(random.bits() as i32 & 31) - 4),
    };
    let at = |t: f64| {
        let turned = |x: f64, y: f64| DVec3::new(x, y, (t - r) * x);
        match kind {
            Kind::VertexFace => [
                DVec3::new(t - r, 0.0, g),
                turned(-2.0, -2.0),
                turned(2.0, -2.0),
                turned(0.0, if r > 0.5 { 2.0 } else { 4.0 }),
            ],
            Kind::EdgeEdge => {
                [turned(-2.0, 0.0), turned(1.0, 0.0), DVec3::new(t - r, -1.0, g), DVec3::new(t - r, 2.0, g)]
            }
        }
    };
    sheared((at(0.0), at(1.0)), random)
}

/// In one plane throughout.
fn coplanar(random: &mut Random) -> Ends {
    // 20 bits: no sum of small multiples of them is rounded.
    let fine = !chance(random, 3);
    let size = if fine { 1 << 20 } else { 3 };
    let mut flat = || -> [DVec3; 4] { std::array::from_fn(|_| corner(random, size).with_z(0.0)) };
    let (start, mut end) = (flat(), flat());
    if fine && chance(random, 2) {
        let by = corner(random, size).with_z(0.0);
        end = start.map(|p| p + by + corner(random, size / 4).with_z(0.0));
    }
    sheared((start, end), random)
}

/// Touching at the start or at the end, exactly.
fn touching(kind: Kind, random: &mut Random) -> Ends {
    // Weights are multiples of 1/64², coordinates of 64²: the place is a whole number.
    let mut touch: [DVec3; 4] = std::array::from_fn(|_| 4096.0 * corner(random, 8));
    let other: [DVec3; 4] = std::array::from_fn(|_| 4096.0 * corner(random, 8));
    let apart = sum(place(kind, random), touch);
    shift_first(kind, &mut touch, -apart);
    if chance(random, 2) { (touch, other) } else { (other, touch) }
}

/// A triangle without area, an edge without length, at one end or both.
fn degenerate(kind: Kind, random: &mut Random) -> Ends {
    let (mut start, mut end) = match random.bits() % 4 {
        0 => loose(random),
        1 => aimed(kind, random),
        2 => whole(random),
        _ => touching(kind, random),
    };
    let which = random.bits() % 4;
    let (i, j, k) =
        (1 + random.bits() as usize % 3, 1 + random.bits() as usize % 3, random.bits() as usize % 2);
    let share = (random.bits() % 5) as f64 / 4.0;
    let narrow = if chance(random, 2) { 0.0 } else { random.magnitude(1e-18, 1e-3) };
    let flatten = |points: &mut [DVec3; 4]| match kind {
        Kind::VertexFace if which < 2 => points[i] = points[j],
        Kind::VertexFace => {
            let line = points[1] + share * (points[2] - points[1]);
            points[3] = line + narrow * (points[3] - line);
        }
        Kind::EdgeEdge if which < 2 => points[2 * k] = points[2 * k + 1],
        Kind::EdgeEdge => {
            let parallel = points[2] + (share + 0.25) * (points[1] - points[0]);
            points[3] = parallel + narrow * (points[3] - parallel);
        }
    };
    flatten(&mut start);
    if which.is_multiple_of(2) {
        flatten(&mut end);
    }
    (start, end)
}

/// Along no axis: multiplied by a matrix of small whole numbers with determinant 1.
fn sheared((start, end): Ends, random: &mut Random) -> Ends {
    let mut whole = || (random.bits() % 3) as f64 - 1.0;
    let lower = DMat3::from_cols_array(&[1.0, whole(), whole(), 0.0, 1.0, whole(), 0.0, 0.0, 1.0]);
    let upper = DMat3::from_cols_array(&[1.0, 0.0, 0.0, whole(), 1.0, 0.0, whole(), whole(), 1.0]);
    let matrix = lower * upper;
    (start.map(|p| matrix * p), end.map(|p| matrix * p))
}

/// At another scale, and for every second far from the origin, which rounds what does not fit.
fn moved_elsewhere(query: Query, random: &mut Random) -> Query {
    let scale = 2f64.powi((random.bits() % 41) as i32 - 20);
    let far = match random.bits() % 4 {
        0 | 1 => DVec3::ZERO,
        2 => corner(random, 1_000_000),
        _ => random.vector(1.0) * random.magnitude(1.0, 1e6),
    };
    let moved = |points: [DVec3; 4]| points.map(|p| p * scale + far);
    Query { start: moved(query.start), end: moved(query.end), ..query }
}
