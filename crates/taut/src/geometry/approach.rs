//! Nearest points of many pairs, four at a time: the arithmetic of `nearest` step by step, so the same bits, one pair per
//! lane. Most pairs of a point and a face say nothing, because a face beside is nearer (`rims`): those on a side are dropped
//! four at a time as well.

use super::fours::{Three, cross, dot, fraction, minus, negative, plus, scaled};
use super::nearest::{Kind, Nearest, RANGE, nearest};
use super::rims::{Rims, SLANT};
use super::{Candidates, Surface};
use crate::kernel::{Four, Kernel, Simd, Wide, Work, points, run};
use glam::DVec3;

/// A pair at the start of a step, and where its nearest points go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Approach {
    pub kind: Kind,
    /// Numbers of the primitives.
    pub pair: [u32; 2],
    pub particles: [u32; 4],
    /// Nearest points at the start, and their distance \[m\].
    pub nearest: Nearest,
    pub distance: f64,
    /// How far apart the same points are at the end, along the line between them at the start, times that distance
    /// \[m²\].
    pub after: f64,
}

/// Room for positions.
#[derive(Debug)]
pub(crate) struct Approaches {
    start: Vec<Four>,
    kernel: Kernel,
}

impl Default for Approaches {
    fn default() -> Self {
        Approaches { start: Vec::new(), kernel: Kernel::detected() }
    }
}

impl Approaches {
    /// Tell of the candidates, in their order, that are within a distance \[m\] at the start, or along the line between
    /// their nearest points at the end, and say something that no pair beside them does. Those that touch at the start have
    /// no such line and are left out.
    pub fn each(
        &mut self,
        (surface, rims, candidates): (&Surface, &Rims, &Candidates),
        (start, end): (&[DVec3], &[DVec3]),
        within: f64,
        tell: impl FnMut(Approach),
    ) {
        self.start.clear();
        self.start.extend(start.iter().map(|x| Wide([x.x, x.y, x.z, 0.0])));
        let Approaches { start: places, kernel } = self;
        run(*kernel, Pass { surface, rims, candidates, start, end, places, within, tell });
    }
}

struct Pass<'a, F> {
    surface: &'a Surface,
    rims: &'a Rims,
    candidates: &'a Candidates,
    start: &'a [DVec3],
    end: &'a [DVec3],
    places: &'a [Four],
    within: f64,
    tell: F,
}

impl<F: FnMut(Approach)> Work<f64> for Pass<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(mut self) {
        let Candidates { vertex_face, edge_edge } = self.candidates;
        for pairs in vertex_face.chunks(4) {
            self.four::<V, false>(pairs);
        }
        for pairs in edge_edge.chunks(4) {
            self.four::<V, true>(pairs);
        }
    }
}

impl<F: FnMut(Approach)> Pass<'_, F> {
    /// Up to four pairs; the first fills up what is missing.
    #[inline(always)]
    fn four<V: Simd<f64>, const EDGES: bool>(&mut self, pairs: &[[u32; 2]]) {
        let kind = if EDGES { Kind::EdgeEdge } else { Kind::VertexFace };
        let of: [[u32; 4]; 4] = std::array::from_fn(|lane| {
            let [first, second] = *pairs.get(lane).unwrap_or(&pairs[0]);
            match kind {
                Kind::VertexFace => {
                    let [a, b, c] = self.surface.faces[second as usize];
                    [first, a, b, c]
                }
                Kind::EdgeEdge => {
                    let ([a, b], [c, d]) =
                        (self.surface.edges[first as usize], self.surface.edges[second as usize]);
                    [a, b, c, d]
                }
            }
        });
        let rows: [[u32; 4]; 4] = std::array::from_fn(|k| of.map(|particles| particles[k]));
        let found = Found::<V>::new::<EDGES>(all::<V>(self.places, &rows));
        let square = dot::<V>(found.vector, found.vector);
        let distance = V::sqrt(square);
        let close = V::positive(V::subtract(V::splat(self.within), distance));
        let mut wanted = V::positive(distance);
        if !EDGES {
            wanted &= !self.on_sides::<V>(&found, pairs, &of, square);
        }
        wanted = (wanted | !found.sound) & 15;
        if wanted == 0 {
            return;
        }
        let (w, v) = (found.weights, found.vector);
        let weights = [V::store(w[0]), V::store(w[1]), V::store(w[2]), V::store(w[3])];
        let vector = [V::store(v[0]), V::store(v[1]), V::store(v[2])];
        let distance = V::store(distance);
        for (lane, &pair) in pairs.iter().enumerate().filter(|(lane, _)| wanted >> lane & 1 == 1) {
            let particles = of[lane];
            let mut nearest = Nearest {
                weights: weights.map(|w| w.0[lane]),
                vector: DVec3::from_array(vector.map(|v| v.0[lane])),
            };
            let (mut distance, mut close) = (distance.0[lane], close >> lane & 1 == 1);
            if found.sound >> lane & 1 == 0 {
                // Its squares leave the range of numbers.
                nearest = self::nearest(kind, &particles.map(|i| self.start[i as usize]));
                distance = nearest.vector.length();
                close = distance < self.within;
            }
            let after = self.after(particles, &nearest);
            let wanted = distance > 0.0 && (close || after < self.within * distance);
            let approach = Approach { kind, pair, particles, nearest, distance, after };
            if wanted && self.rims.tells(self.surface, &approach, self.start) {
                (self.tell)(approach);
            }
        }
    }

    /// How far apart the nearest points are at the end, along the line between them at the start, times their distance.
    #[inline(always)]
    fn after(&self, particles: [u32; 4], nearest: &Nearest) -> f64 {
        let d = particles.map(|i| self.end[i as usize] - self.start[i as usize]);
        let w = nearest.weights;
        let way = w[1] * (d[1] - d[0]) + w[2] * (d[2] - d[0]) + w[3] * (d[3] - d[0]);
        nearest.vector.dot(nearest.vector + way)
    }

    /// Of four points and faces: those nearest on a side of the face, or in a corner, with the face across the side nearer.
    #[inline(always)]
    fn on_sides<V: Simd<f64>>(
        &self,
        found: &Found<V>,
        pairs: &[[u32; 2]],
        of: &[[u32; 4]; 4],
        square: V::Vector,
    ) -> u32 {
        let beside: [[u32; 3]; 4] =
            std::array::from_fn(|lane| self.rims.beside(pairs.get(lane).unwrap_or(&pairs[0])[1]));
        let point = points::<f64, V>(self.places, &of.map(|particles| particles[0]));
        let place = minus::<V>(point, found.vector);
        let size = V::multiply(V::splat(SLANT), V::sqrt(square));
        let least = V::multiply(size, size);
        let mut dropped = 0;
        // A side is where the corner that is not on it has no weight.
        for (side, corner) in [(0, 3), (1, 1), (2, 2)] {
            let across = points::<f64, V>(self.places, &beside.map(|corners| corners[side]));
            let to = minus::<V>(across, place);
            let along = dot::<V>(found.vector, to);
            let slanted = V::subtract(V::multiply(along, along), V::multiply(least, dot::<V>(to, to)));
            let inside = V::positive(negative::<V>(found.weights[corner]));
            dropped |= V::positive(along) & V::positive(slanted) & !inside;
        }
        dropped
    }
}

/// The points of four pairs: the first of each, the second, …
#[inline(always)]
fn all<V: Simd<f64>>(x: &[Four], rows: &[[u32; 4]; 4]) -> [Three<V>; 4] {
    [
        points::<f64, V>(x, &rows[0]),
        points::<f64, V>(x, &rows[1]),
        points::<f64, V>(x, &rows[2]),
        points::<f64, V>(x, &rows[3]),
    ]
}

/// Nearest points of four pairs.
struct Found<V: Simd<f64>> {
    weights: [V::Vector; 4],
    vector: Three<V>,
    /// Bit i: the numbers of lane i are within their range.
    sound: u32,
}

/// The nearest point of the patch so far, its square, and its s and t.
struct Best<V: Simd<f64>> {
    vector: Three<V>,
    square: V::Vector,
    s: V::Vector,
    t: V::Vector,
}

// No closures: they would not be compiled for the features of the vectors.
impl<V: Simd<f64>> Best<V> {
    /// How far along a side its nearest point is, and that point.
    #[inline(always)]
    fn side(begin: Three<V>, along: Three<V>) -> (V::Vector, Three<V>) {
        let r = fraction::<V>(negative::<V>(dot::<V>(begin, along)), dot::<V>(along, along));
        (r, plus::<V>(begin, scaled::<V>(along, r)))
    }

    /// Take another point where it is nearer and `allowed` is positive.
    #[inline(always)]
    fn take(&mut self, point: Three<V>, s: V::Vector, t: V::Vector, allowed: V::Vector) {
        let square = dot::<V>(point, point);
        let nearer = V::where_positive(allowed, V::subtract(self.square, square));
        for (own, other) in self.vector.iter_mut().zip(point) {
            *own = V::select(nearer, other, *own);
        }
        (self.s, self.t) = (V::select(nearer, s, self.s), V::select(nearer, t, self.t));
        self.square = V::select(nearer, square, self.square);
    }
}

impl<V: Simd<f64>> Found<V> {
    #[inline(always)]
    fn new<const EDGES: bool>(x: [Three<V>; 4]) -> Self {
        let corners = if EDGES {
            [minus::<V>(x[0], x[2]), minus::<V>(x[1], x[2]), minus::<V>(x[0], x[3]), minus::<V>(x[1], x[3])]
        } else {
            let third = minus::<V>(x[0], x[3]);
            [minus::<V>(x[0], x[1]), minus::<V>(x[0], x[2]), third, third]
        };
        let (zero, one) = (V::splat(0.0), V::splat(1.0));
        let mut largest = zero;
        for corner in &corners {
            for &c in corner {
                largest = V::max(largest, V::max(c, negative::<V>(c)));
            }
        }
        let (low, high) = (V::splat(RANGE[0]), V::splat(RANGE[1]));
        let sound = V::positive(V::subtract(largest, low)) & V::positive(V::subtract(high, largest));
        let (e, f) = (minus::<V>(corners[1], corners[0]), minus::<V>(corners[2], corners[0]));
        let (r, vector) = Best::<V>::side(corners[0], e);
        let mut best = Best::<V> { vector, square: dot::<V>(vector, vector), s: r, t: zero };
        let (r, point) = Best::<V>::side(corners[0], f);
        best.take(point, zero, r, one);
        if EDGES {
            let (r, point) = Best::<V>::side(corners[2], minus::<V>(corners[3], corners[2]));
            best.take(point, r, one, one);
            let (r, point) = Best::<V>::side(corners[1], minus::<V>(corners[3], corners[1]));
            best.take(point, one, r, one);
        } else {
            let (r, point) = Best::<V>::side(corners[1], minus::<V>(corners[2], corners[1]));
            best.take(point, V::subtract(one, r), r, one);
        }
        // Inside.
        let n = cross::<V>(e, f);
        let t = fraction::<V>(dot::<V>(n, cross::<V>(corners[0], e)), dot::<V>(n, n));
        let at = plus::<V>(corners[0], scaled::<V>(f, t));
        let s = fraction::<V>(negative::<V>(dot::<V>(at, e)), dot::<V>(e, e));
        let point = plus::<V>(plus::<V>(corners[0], scaled::<V>(e, s)), scaled::<V>(f, t));
        let beyond = V::subtract(V::add(s, t), one);
        best.take(point, s, t, if EDGES { one } else { V::select(beyond, zero, one) });
        let Best { vector, s, t, .. } = best;
        let weights = if EDGES {
            [V::subtract(one, s), s, negative::<V>(V::subtract(one, t)), negative::<V>(t)]
        } else {
            let first = V::subtract(V::subtract(one, s), t);
            [one, negative::<V>(V::where_positive(first, first)), negative::<V>(s), negative::<V>(t)]
        };
        Found { weights, vector, sound }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Random pairs, degenerate ones among them, of any size: the same bits as one by one, zeros of either sign.
    #[test]
    fn four_at_a_time_are_as_one_by_one() {
        let mut random = Random(17);
        for round in 0..600 {
            let n = 12;
            let scale = [1.0, 1e-3, 1e-90, 1e90, 1e-250][round % 5];
            let snap = round % 3 == 0;
            let mut place = || {
                let v = random.vector();
                (if snap { (v * 2.0).round() } else { v }) * scale
            };
            let start: Vec<DVec3> = (0..n).map(|_| place()).collect();
            let end: Vec<DVec3> = start.iter().map(|&x| x + 0.3 * place()).collect();
            // Apart from each other, or a strip in which most sides have a face beside.
            let [count, stride] = if round % 2 == 0 { [n as u32 / 3, 3] } else { [n as u32 - 2, 1] };
            let corners = |i: u32| [stride * i, stride * i + 1, stride * i + 2];
            let triangles: Vec<[u32; 3]> = (0..count).map(corners).collect();
            let surface = Surface::new(n, &triangles, &[]).unwrap();
            let rims = Rims::new(&surface);
            let vertex_face = (0..n as u32)
                .flat_map(|p| (0..count).map(move |f| [p, f]))
                .filter(|[p, f]| !corners(*f).contains(p));
            let edges = surface.edges.len() as u32;
            let edge_edge = (0..edges).flat_map(|a| (a + 1..edges).map(move |b| [a, b]));
            let apart = |&[a, b]: &[u32; 2]| {
                !surface.edges[a as usize].iter().any(|i| surface.edges[b as usize].contains(i))
            };
            let candidates = Candidates {
                vertex_face: vertex_face.collect(),
                edge_edge: edge_edge.filter(apart).collect(),
            };
            let within = 0.7 * scale;
            let mut expected = Vec::new();
            let mut one = |kind, pair, particles: [u32; 4]| {
                let found = nearest(kind, &particles.map(|i| start[i as usize]));
                let moves = particles.map(|i| end[i as usize] - start[i as usize]);
                let w = found.weights;
                let way = w[1] * (moves[1] - moves[0])
                    + w[2] * (moves[2] - moves[0])
                    + w[3] * (moves[3] - moves[0]);
                let (distance, after) = (found.vector.length(), found.vector.dot(found.vector + way));
                if distance > 0.0 && (distance < within || after < within * distance) {
                    let approach = Approach { kind, pair, particles, nearest: found, distance, after };
                    expected.extend(rims.tells(&surface, &approach, &start).then_some(approach));
                }
            };
            for &[p, f] in &candidates.vertex_face {
                let [a, b, c] = surface.faces[f as usize];
                one(Kind::VertexFace, [p, f], [p, a, b, c]);
            }
            for &[e, f] in &candidates.edge_edge {
                let ([a, b], [c, d]) = (surface.edges[e as usize], surface.edges[f as usize]);
                one(Kind::EdgeEdge, [e, f], [a, b, c, d]);
            }
            for kernel in Kernel::available() {
                let mut found = Vec::new();
                let mut approaches = Approaches { kernel, ..Approaches::default() };
                approaches.each((&surface, &rims, &candidates), (&start, &end), within, |a| found.push(a));
                assert_eq!(found, expected, "{kernel:?}, round {round}");
            }
            // The square of a distance of 1e-250 is 0: there all pairs touch.
            assert!(round > 4 || expected.is_empty() == (scale == 1e-250), "round {round}");
        }
    }
}
