//! Leaves that cannot touch themselves or their neighbours: the normal cones of \[Provot97\] with a contour test, both over
//! the whole step.
//!
//! Take a patch of faces, look at it along a direction n, and let
//!
//! 1. every face be seen from its front, and
//! 2. the contour of the patch be seen as a simple polygon, gone around once.
//!
//! Then *no two points of the patch are seen in one place*, so no two places of it touch. For a point y off the contour,
//! the number of faces seen at y is the winding number of the contour about y: that holds for one face, for both count
//! +1 inside it and 0 outside, and it holds for all of them because sides that two faces share cancel. A simple polygon
//! has winding numbers 0 and 1, so there is at most one face at y. Two points p and q of the patch seen at one y cannot
//! both be on the contour, which is simple. If p is not, the faces around p cover all of a small disc about y, the faces
//! around q some sector of it, and what is in both is covered twice.
//!
//! Both conditions hold throughout a step if polynomials in time stay positive. Let all particles move straight. The
//! normal (b − a)×(c − a) of a face is then quadratic in time, and so is (a − m)×(b − m) for a side a → b of the contour
//! and a particle m in the middle. A quadratic with values f₀ and f₁ at the ends and mixed value f½ (each factor of a product
//! taken at the other end, both ways, halved) is f₀(1−t)² + 2f½ t(1−t) + f₁t²: positive if all three are. For every face
//!
//! ```text
//! n·N > ½|n|    for its N₀, N½ and N₁, divided by |N₀|                                                          (1)
//! ```
//!
//! and for every side of the contour n·(a − m)×(b − m) > 0, three times likewise: seen from m, all sides run around in
//! one sense. If they go around m once at the start, they do at all times, for none can pass m; every ray from m then
//! meets the contour once, and it is a simple polygon (2).
//!
//! The patch of a leaf is made of its own faces and of all leaves that share a particle with it, and of faces that would
//! otherwise leave notches. If it passes, no two of these leaves need be tested against each other, and none against
//! itself. Patches overlap, so about a third of them, put to the test when a pair asks for it, settles all of a flat cloth.
//! That the start of the step is free of intersections is not even needed. Only a test by distances can notice what is dropped: by (1) no
//! face leans by more than 60° and none shrinks to half, so that non-neighbours are still apart by about half their distance
//! along the cloth.
//!
//! Rounding: sides are differences in double precision, in f32 afterwards. Every f32 number here is wrong by less than
//! 2⁻²⁰ of the sizes of its factors, and what must be positive must be so by more than that.

use super::boxes::{ALL, LANES};
use super::leaves::Leaves;
use super::patches::{LONGEST, Patch, Patches};
use crate::geometry::Surface;
use crate::kernel::{Four, Real, Simd, Wide, points};
use glam::DVec3;

/// Numbers of eight faces or of eight corners of a contour.
type Eight = Wide<[f32; LANES]>;

/// What is known of the leaves' patches, and what was found in a step.
#[derive(Debug, Clone)]
pub(super) struct Flat {
    patches: Vec<Patch>,
    /// The normals of each leaf's faces during the step.
    normals: Vec<Ball>,
    /// Whether a leaf's patch passes, once that was asked for.
    passes: Vec<Option<bool>>,
    /// For each leaf the last one with which it was found in a patch that passes.
    settled: Vec<u32>,
    room: Room,
}

/// No leaf.
const NONE: u32 = u32::MAX;

/// All N of a leaf lie in a ball.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Ball {
    centre: [f32; 3],
    radius: f32,
}

impl Flat {
    pub fn new(surface: &Surface, leaves: &Leaves, rest: &[DVec3]) -> Self {
        let mut patches = Patches::new(surface, leaves, rest);
        Flat {
            patches: (0..leaves.count).map(|leaf| patches.find(leaf)).collect(),
            normals: vec![Ball::default(); leaves.count],
            passes: vec![None; leaves.count],
            settled: vec![NONE; leaves.count],
            room: Room::default(),
        }
    }

    /// Take the positions of a step.
    #[inline(always)]
    pub fn refit<V: Simd<f32>>(&mut self, leaves: &Leaves, step: Step) {
        for (leaf, ball) in self.normals.iter_mut().enumerate() {
            *ball = Ball::around::<V>(leaves, leaf, step);
        }
        self.passes.fill(None);
    }

    /// Drop pairs of leaves, which are in ascending order, that are in a patch that passes in this step.
    #[inline(always)]
    pub fn cull<V: Simd<f32>>(&mut self, leaves: &Leaves, step: Step, pairs: &mut Vec<[u32; 2]>) {
        self.settled.fill(NONE);
        let (mut last, mut kept) = (NONE, 0);
        for i in 0..pairs.len() {
            let [a, b] = pairs[i];
            if a != last {
                last = a;
                for &leaf in leaves.joined(a as usize) {
                    if self.passes[leaf as usize] == Some(true) {
                        self.settle(leaves, leaf, a);
                    }
                }
            }
            if !self.cannot_touch::<V>(leaves, step, [a, b]) {
                pairs[kept] = [a, b];
                kept += 1;
            }
        }
        pairs.truncate(kept);
    }

    /// Note that a leaf and all in the patch of another cannot touch.
    #[inline(always)]
    fn settle(&mut self, leaves: &Leaves, patch: u32, leaf: u32) {
        leaves.joined(patch as usize).iter().for_each(|&other| self.settled[other as usize] = leaf);
    }

    /// Whether two leaves are in a patch that passes. The last patches are tried first: they reach to pairs yet to come.
    #[inline(always)]
    fn cannot_touch<V: Simd<f32>>(&mut self, leaves: &Leaves, step: Step, [a, b]: [u32; 2]) -> bool {
        if self.settled[b as usize] == a {
            return true;
        }
        // A leaf has in its patch those that have it in theirs: what both lists hold.
        let (mut first, mut second) = (leaves.joined(a as usize), leaves.joined(b as usize));
        while let (Some((&leaf, rest)), Some((other, others))) = (first.split_last(), second.split_last()) {
            if leaf < *other {
                second = others;
                continue;
            }
            first = rest;
            let at = leaf as usize;
            if leaf == *other && self.passes[at].is_none() {
                let passes = self.put_to_test::<V>(at, step);
                self.passes[at] = Some(passes);
                if passes {
                    self.settle(leaves, leaf, a);
                    return true;
                }
            }
        }
        false
    }

    #[inline(always)]
    fn put_to_test<V: Simd<f32>>(&mut self, leaf: usize, step: Step) -> bool {
        let patch = &self.patches[leaf];
        if patch.contour.is_empty() {
            return false;
        }
        match view(patch, &self.normals) {
            Some(view) => simple::<V>(patch, view, step, &mut self.room),
            None => false,
        }
    }
}

/// Positions at both ends of a step, and a power of two that brings lengths near 1.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub start: &'a [Four],
    pub end: &'a [Four],
    pub scale: f64,
}

/// x, y, z and 0 of a difference.
type Difference = <f32 as Real>::Lanes;

/// From one particle to another at one end of the step.
#[inline(always)]
fn difference(at: &[Four], from: usize, to: usize, scale: f64) -> Difference {
    let (Wide(a), Wide(b)) = (at[from], at[to]);
    f32::rounded(&Wide([
        (b[0] - a[0]) * scale,
        (b[1] - a[1]) * scale,
        (b[2] - a[2]) * scale,
        (b[3] - a[3]) * scale,
    ]))
}

/// Eight differences: their x, y and z.
#[inline(always)]
fn eight<V: Simd<f32>>(differences: &[Difference]) -> Vectors<V> {
    points::<f32, V>(differences, &[0, 1, 2, 3, 4, 5, 6, 7])
}

type Vectors<V> = [<V as Simd<f32>>::Vector; 3];

#[inline(always)]
fn cross<V: Simd<f32>>(a: Vectors<V>, b: Vectors<V>) -> Vectors<V> {
    [
        V::subtract(V::multiply(a[1], b[2]), V::multiply(a[2], b[1])),
        V::subtract(V::multiply(a[2], b[0]), V::multiply(a[0], b[2])),
        V::subtract(V::multiply(a[0], b[1]), V::multiply(a[1], b[0])),
    ]
}

#[inline(always)]
fn dot<V: Simd<f32>>(a: Vectors<V>, b: Vectors<V>) -> V::Vector {
    V::add(V::add(V::multiply(a[0], b[0]), V::multiply(a[1], b[1])), V::multiply(a[2], b[2]))
}

#[inline(always)]
fn add<V: Simd<f32>>(a: Vectors<V>, b: Vectors<V>) -> Vectors<V> {
    [V::add(a[0], b[0]), V::add(a[1], b[1]), V::add(a[2], b[2])]
}

#[inline(always)]
fn scaled<V: Simd<f32>>(a: Vectors<V>, by: V::Vector) -> Vectors<V> {
    [V::multiply(a[0], by), V::multiply(a[1], by), V::multiply(a[2], by)]
}

#[inline(always)]
fn splat<V: Simd<f32>>(a: [f32; 3]) -> Vectors<V> {
    [V::splat(a[0]), V::splat(a[1]), V::splat(a[2])]
}

#[inline(always)]
fn magnitude<V: Simd<f32>>(a: V::Vector) -> V::Vector {
    V::max(a, V::subtract(V::splat(0.0), a))
}

/// |x| + |y| + |z|.
#[inline(always)]
fn extent<V: Simd<f32>>(a: Vectors<V>) -> V::Vector {
    V::add(V::add(magnitude::<V>(a[0]), magnitude::<V>(a[1])), magnitude::<V>(a[2]))
}

#[inline(always)]
fn largest<V: Simd<f32>>(a: V::Vector) -> f32 {
    V::store(a).0.into_iter().fold(0.0, f32::max)
}

/// What rounding can do, as a fraction of the sizes of the factors of a product.
const ROUNDING: f32 = 1.0 / (1 << 20) as f32;

impl Ball {
    /// A ball with the normals of a leaf's faces during a step, each divided by its length at the start.
    #[inline(always)]
    pub fn around<V: Simd<f32>>(leaves: &Leaves, leaf: usize, step: Step) -> Ball {
        let unknown = Ball { centre: [0.0; 3], radius: f32::INFINITY };
        let Some(block) = leaves.faces.of(leaf).next() else { return unknown };
        // Two sides of each face at the start, the same two at the end; lanes without a face repeat others.
        let mut sides = [[Difference::default(); LANES]; 4];
        let corners = leaves.faces.corners[block][..leaves.faces.counts[block]].iter().cycle();
        for (lane, corners) in corners.take(LANES).enumerate() {
            let [a, b, c] = corners.map(|p| p as usize);
            sides[0][lane] = difference(step.start, a, b, step.scale);
            sides[1][lane] = difference(step.start, a, c, step.scale);
            sides[2][lane] = difference(step.end, a, b, step.scale);
            sides[3][lane] = difference(step.end, a, c, step.scale);
        }
        let [b0, c0] = [eight::<V>(&sides[0]), eight::<V>(&sides[1])];
        let [b1, c1] = [eight::<V>(&sides[2]), eight::<V>(&sides[3])];
        let (first, last) = (cross::<V>(b0, c0), cross::<V>(b1, c1));
        let mixed = scaled::<V>(add::<V>(cross::<V>(b0, c1), cross::<V>(b1, c0)), V::splat(0.5));
        let length = V::sqrt(dot::<V>(first, first));
        let size =
            V::multiply(V::add(extent::<V>(b0), extent::<V>(b1)), V::add(extent::<V>(c0), extent::<V>(c1)));
        // A face without area makes the centre not a number, and a sliver the radius large: neither can pass.
        let inverse = V::divide(V::splat(1.0), length);
        let [first, mixed, last] =
            [scaled::<V>(first, inverse), scaled::<V>(mixed, inverse), scaled::<V>(last, inverse)];
        let sum = f32::xyz(&V::sums(add::<V>(add::<V>(first, mixed), last)));
        let centre = sum.map(|sum| sum / (3 * LANES) as f32);
        let back = splat::<V>(centre.map(|c| -c));
        let [a, b, c] = [add::<V>(first, back), add::<V>(mixed, back), add::<V>(last, back)];
        let square = V::max(V::max(dot::<V>(a, a), dot::<V>(b, b)), dot::<V>(c, c));
        let unsure = V::multiply(V::multiply(size, inverse), V::splat(4.0 * ROUNDING));
        Ball { centre, radius: largest::<V>(V::add(V::sqrt(square), unsure)) }
    }
}

/// The directions to the right and up, if there are some from which every face of a patch is seen from its front (1).
#[inline(always)]
pub(super) fn view(patch: &Patch, normals: &[Ball]) -> Option<[[f32; 3]; 2]> {
    let mut n = [0.0; 3];
    for &leaf in &patch.cover {
        let centre = normals[leaf as usize].centre;
        n = [n[0] + centre[0], n[1] + centre[1], n[2] + centre[2]];
    }
    let dot = |a: [f32; 3], b: [f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let unit = |a: [f32; 3]| {
        let length = dot(a, a).sqrt();
        a.map(|x| x / length)
    };
    let n = unit(n);
    let seen = patch.cover.iter().all(|&leaf| {
        let Ball { centre, radius } = normals[leaf as usize];
        let longest = dot(centre, centre).sqrt() + radius;
        dot(n, centre) - radius > 0.5 + 8.0 * ROUNDING * longest
    });
    if !seen {
        return None;
    }
    // Across n and the axis that is least along it.
    let right = match n.map(f32::abs) {
        [x, y, z] if x <= y && x <= z => [0.0, n[2], -n[1]],
        [_, y, z] if y <= z => [-n[2], 0.0, n[0]],
        _ => [n[1], -n[0], 0.0],
    };
    let right = unit(right);
    let up = [
        n[1] * right[2] - n[2] * right[1],
        n[2] * right[0] - n[0] * right[2],
        n[0] * right[1] - n[1] * right[0],
    ];
    Some([right, up])
}

/// Room for the corners of a contour, the first once more at the end, at both ends of the step; and as they are seen:
/// right and up at the start, right and up at the end.
#[derive(Debug, Clone)]
pub(super) struct Room {
    corners: [[Difference; LONGEST + LANES]; 2],
    seen: [[f32; LONGEST + 2 * LANES]; 4],
}

impl Default for Room {
    fn default() -> Self {
        Room { corners: [[Difference::default(); LONGEST + LANES]; 2], seen: [[0.0; LONGEST + 2 * LANES]; 4] }
    }
}

/// Whether the contour of a patch is seen as a simple polygon throughout the step (2).
#[inline(always)]
pub(super) fn simple<V: Simd<f32>>(
    patch: &Patch,
    [right, up]: [[f32; 3]; 2],
    step: Step,
    Room { corners, seen }: &mut Room,
) -> bool {
    let (contour, middle) = (&patch.contour, patch.middle as usize);
    for (k, &p) in contour.iter().chain(&contour[..1]).enumerate() {
        corners[0][k] = difference(step.start, middle, p as usize, step.scale);
        corners[1][k] = difference(step.end, middle, p as usize, step.scale);
    }
    let (used, blocks) = (contour.len() + 1, contour.len() / LANES + 1);
    corners.iter_mut().for_each(|corners| corners[used..blocks * LANES].fill(Difference::default()));
    let (right, up) = (splat::<V>(right), splat::<V>(up));
    let mut size = V::splat(0.0);
    for block in 0..blocks {
        let (a, b) = (eight::<V>(&corners[0][block * LANES..]), eight::<V>(&corners[1][block * LANES..]));
        size = V::max(size, V::max(extent::<V>(a), extent::<V>(b)));
        let views = [dot::<V>(right, a), dot::<V>(up, a), dot::<V>(right, b), dot::<V>(up, b)];
        for (seen, view) in seen.iter_mut().zip(views) {
            seen[block * LANES..][..LANES].copy_from_slice(&V::store(view).0);
        }
    }
    let size = largest::<V>(size);
    let least = V::splat(8.0 * ROUNDING * size * size);
    let mut turns = 0;
    for block in 0..contour.len().div_ceil(LANES) {
        let at = block * LANES;
        let used = ALL >> (LANES - (contour.len() - at).min(LANES));
        let [p, q] = [at, at + 1].map(|at| eights(seen, at));
        let (p0, p1) = ([V::load(&p[0]), V::load(&p[1])], [V::load(&p[2]), V::load(&p[3])]);
        let (q0, q1) = ([V::load(&q[0]), V::load(&q[1])], [V::load(&q[2]), V::load(&q[3])]);
        let (first, last) = (turn::<V>(p0, q0), turn::<V>(p1, q1));
        let mixed = V::add(turn::<V>(p0, q1), turn::<V>(p1, q0));
        let worst = V::min(V::min(first, last), mixed);
        if V::positive(V::subtract(worst, least)) & used != used {
            return false;
        }
        // All run counterclockwise; whoever comes up from below passes the ray to the right.
        let below = |v| V::positive(V::subtract(V::splat(0.0), v));
        turns += (below(p0[1]) & !below(q0[1]) & used).count_ones();
    }
    turns == 1
}

/// Eight neighbours of each list.
#[inline(always)]
fn eights<const N: usize>(lists: &[[f32; N]; 4], at: usize) -> [Eight; 4] {
    let mut found = [Wide([0.0; LANES]); 4];
    for (found, list) in found.iter_mut().zip(lists) {
        found.0.copy_from_slice(&list[at..at + LANES]);
    }
    found
}

/// p × q in the plane.
#[inline(always)]
fn turn<V: Simd<f32>>(p: [V::Vector; 2], q: [V::Vector; 2]) -> V::Vector {
    V::subtract(V::multiply(p[0], q[1]), V::multiply(p[1], q[0]))
}
