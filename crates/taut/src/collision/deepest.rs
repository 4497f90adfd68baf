//! The deepest point of a triangle in a form.
//!
//! The signed distance φ of a convex form lies above its tangents, `φ(y) ≥ φ(x) + ∇φ(x)·(y − x)`. On a triangle a tangent
//! is told by its three values at the corners, and the highest of several tangents bounds φ from below. Its lowest point
//! is a small linear program. There φ is sampled, which gives another tangent, until φ and the bound agree (Kelley's
//! cutting planes). Where a face rests on a plane one tangent settles it, across a sharp edge two or three do; bounds by
//! |∇φ| ≤ 1 alone would need hundreds of thousands of samples.
//!
//! A ring is not convex: its distance lies below its tangents by at most [`Shape::sag`], which is small on small
//! triangles. So the triangle is cut into four until each part is settled.

use super::Shape;
use crate::geometry::point_triangle;
use glam::DVec3;

/// A form's distance and its gradient at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    pub place: DVec3,
    /// φ \[m\].
    pub distance: f64,
    /// ∇φ, the outward unit normal.
    pub normal: DVec3,
}

impl Sample {
    pub fn of(shape: &Shape, place: DVec3) -> Self {
        let (distance, normal) = shape.distance(place);
        Sample { place, distance, normal }
    }

    /// Bounds from below for φ at the corners of a triangle, linear between them, by what is known here \[m\].
    fn tangent(&self, shape: &Shape, corners: [DVec3; 3]) -> [f64; 3] {
        let ways = corners.map(|corner| corner - self.place);
        if shape.is_convex() {
            return ways.map(|way| self.distance + self.normal.dot(way));
        }
        let far = ways.iter().map(|way| way.length_squared()).fold(0.0, f64::max).sqrt();
        let sag = shape.sag(self.place, far);
        match sag < far {
            true => ways.map(|way| self.distance + self.normal.dot(way) - sag),
            // The distance changes by no more than the way.
            false => [self.distance - far; 3],
        }
    }
}

/// A bound from below for φ on a triangle whose corners are sampled \[m\].
pub(super) fn bound(shape: &Shape, corners: &[Sample; 3]) -> f64 {
    let places = corners.map(|c| c.place);
    lowest(&corners.map(|c| c.tangent(shape, places))).0
}

/// The lowest value of the highest of some linear functions on a triangle, and its barycentric coordinates. It is taken in
/// a corner, on a side where two of them are alike, or where three are.
fn lowest(functions: &[[f64; 3]]) -> (f64, [f64; 3]) {
    let mut best = (f64::INFINITY, [0.0; 3]);
    let mut try_point = |w: [f64; 3]| {
        if w.iter().all(|&w| w >= 0.0) {
            let value = |f: &[f64; 3]| w[0] * f[0] + w[1] * f[1] + w[2] * f[2];
            let highest = functions.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
            if highest < best.0 {
                best = (highest, w);
            }
        }
    };
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].into_iter().for_each(&mut try_point);
    for (i, f) in functions.iter().enumerate() {
        for (k, g) in functions.iter().enumerate().skip(i + 1) {
            let d: [f64; 3] = std::array::from_fn(|c| f[c] - g[c]);
            for [a, b] in [[0, 1], [1, 2], [2, 0]] {
                if d[a] * d[b] < 0.0 {
                    let mut w = [0.0; 3];
                    (w[a], w[b]) = (d[b] / (d[b] - d[a]), d[a] / (d[a] - d[b]));
                    try_point(w);
                }
            }
            for h in &functions[k + 1..] {
                // w across both differences, that is along their cross product.
                let e: [f64; 3] = std::array::from_fn(|c| f[c] - h[c]);
                let w = DVec3::from_array(d).cross(DVec3::from_array(e));
                let sum = w.element_sum();
                if sum != 0.0 {
                    try_point((w / sum).to_array());
                }
            }
        }
    }
    best
}

/// A point of a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Deepest {
    /// φ there \[m\].
    pub distance: f64,
    /// Its barycentric coordinates.
    pub weights: [f64; 3],
}

/// How well a point that is deep is the deepest, as a part of its depth.
const ROUGHLY: f64 = 0.1;
/// Steps down the slope.
const DESCENTS: usize = 5;
/// Tangents that are kept at a time, and that are tried.
const KEPT: usize = 10;
const TRIED: usize = 60;
/// How often a triangle is cut into four, at most.
const MOST_CUTS: usize = 12;

/// The point of a triangle with the smallest φ, to a tolerance \[m\]: no point of it is deeper by more than that, or, where
/// it is below `surface` \[m\], by more than a tenth of its depth there. What is above `ceiling` \[m\] is not told apart.
pub(super) fn deepest(
    shape: &Shape,
    corners: &[Sample; 3],
    [surface, ceiling]: [f64; 2],
    tolerance: f64,
) -> Deepest {
    let mut best = Deepest { distance: f64::INFINITY, weights: [0.0; 3] };
    for (k, corner) in corners.iter().enumerate() {
        if corner.distance < best.distance {
            best = Deepest { distance: corner.distance, weights: std::array::from_fn(|j| f64::from(j == k)) };
        }
    }
    let settled = |best: &Deepest| best.distance - tolerance.max(ROUGHLY * (surface - best.distance));
    let enough = |best: &Deepest| settled(best).min(ceiling);
    if shape.is_convex() {
        by_tangents(shape, corners, &enough, &mut best);
    } else {
        let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        by_cutting(shape, corners, &unit, &enough, MOST_CUTS, &mut best);
    }
    best
}

/// In a convex form.
fn by_tangents(shape: &Shape, corners: &[Sample; 3], enough: &impl Fn(&Deepest) -> f64, best: &mut Deepest) {
    let places = corners.map(|c| c.place);
    let mut tangents = [[0.0; 3]; KEPT];
    for (tangent, corner) in tangents.iter_mut().zip(corners) {
        *tangent = corner.tangent(shape, places);
    }
    let mut count = 3;
    let (mut below, mut weights) = lowest(&tangents[..count]);
    if below >= enough(best) {
        return;
    }
    // Down the slope first, by steps as long as the last one says (Barzilai and Borwein): where φ is smooth the tangent at
    // its end settles the matter.
    let mut here = Sample::of(shape, weighted(places, weights));
    let mut step = places[0].distance(places[1]).max(places[0].distance(places[2]));
    for _ in 0..DESCENTS {
        let w = point_triangle(here.place - step * here.normal, places);
        let next = Sample::of(shape, weighted(places, w));
        if next.distance < best.distance {
            *best = Deepest { distance: next.distance, weights: w };
        }
        tangents[count] = next.tangent(shape, places);
        count += 1;
        let (way, turn) = (next.place - here.place, next.normal - here.normal);
        let long = way.length_squared() / way.dot(turn);
        step = if long.is_finite() && long > 0.0 { long } else { 2.0 * step };
        here = next;
        if way == DVec3::ZERO {
            break;
        }
    }
    for _ in 0..TRIED {
        (below, weights) = lowest(&tangents[..count]);
        if below >= enough(best) {
            return;
        }
        let sample = Sample::of(shape, weighted(places, weights));
        if sample.distance < best.distance {
            *best = Deepest { distance: sample.distance, weights };
        }
        if count == KEPT {
            // The one that says least about this place.
            let value = |f: &[f64; 3]| weights[0] * f[0] + weights[1] * f[1] + weights[2] * f[2];
            let least = (0..KEPT).min_by(|&a, &b| value(&tangents[a]).total_cmp(&value(&tangents[b])));
            tangents.swap(least.unwrap_or(0), KEPT - 1);
            count -= 1;
        }
        tangents[count] = sample.tangent(shape, places);
        count += 1;
    }
}

/// In a form that is not convex.
fn by_cutting(
    shape: &Shape,
    corners: &[Sample; 3],
    weights: &[[f64; 3]; 3],
    enough: &impl Fn(&Deepest) -> f64,
    cuts: usize,
    best: &mut Deepest,
) {
    if cuts == 0 || bound(shape, corners) >= enough(best) {
        return;
    }
    let sides = [[0, 1], [1, 2], [2, 0]];
    let middle_weights = sides.map(|[a, b]| std::array::from_fn(|k| 0.5 * (weights[a][k] + weights[b][k])));
    let middles = sides.map(|[a, b]| Sample::of(shape, 0.5 * (corners[a].place + corners[b].place)));
    for (middle, &weights) in middles.iter().zip(&middle_weights) {
        if middle.distance < best.distance {
            *best = Deepest { distance: middle.distance, weights };
        }
    }
    let ([a, b, c], [u, v, w]) = (corners, weights);
    let ([ab, bc, ca], [uv, vw, wu]) = (&middles, &middle_weights);
    // The middle first: what is deepest inside is found soonest there.
    for (parts, weights) in [
        ([*ab, *bc, *ca], [*uv, *vw, *wu]),
        ([*a, *ab, *ca], [*u, *uv, *wu]),
        ([*b, *bc, *ab], [*v, *vw, *uv]),
        ([*c, *ca, *bc], [*w, *wu, *vw]),
    ] {
        by_cutting(shape, &parts, &weights, enough, cuts - 1, best);
    }
}

/// A point of a triangle.
pub(super) fn weighted(x: [DVec3; 3], w: [f64; 3]) -> DVec3 {
    x[0] + w[1] * (x[1] - x[0]) + w[2] * (x[2] - x[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::shape::tests::all;
    use crate::random::Random;

    /// No point of a dense sampling is deeper, none lies below the bound, and the answer is a point of the triangle.
    #[test]
    fn nothing_is_deeper() {
        let mut random = Random(3);
        for shape in all() {
            for size in [0.02, 0.3, 2.0] {
                for _ in 0..60 {
                    let centre = random.vector();
                    let places = [0, 1, 2].map(|_| centre + size * random.vector());
                    let corners = places.map(|p| Sample::of(&shape, p));
                    let found = deepest(&shape, &corners, [f64::NEG_INFINITY, f64::INFINITY], 1e-4 * size);
                    let [u, v, w] = found.weights;
                    assert!((u + v + w - 1.0).abs() < 1e-12 && u.min(v).min(w) >= 0.0);
                    let at = u * places[0] + v * places[1] + w * places[2];
                    assert!((shape.distance(at).0 - found.distance).abs() <= 1e-12);
                    let bound = bound(&shape, &corners);
                    for i in 0..=40 {
                        for j in 0..=40 - i {
                            let (s, t) = (f64::from(i) / 40.0, f64::from(j) / 40.0);
                            let p = places[0] + s * (places[1] - places[0]) + t * (places[2] - places[0]);
                            let d = shape.distance(p).0;
                            assert!(d >= found.distance - 1.0001e-4 * size, "{shape:?}: {d} {found:?}");
                            assert!(d >= bound - 1e-12, "{shape:?}: {d} below {bound}");
                        }
                    }
                }
            }
        }
    }
}
