//! What is seen from one obstacle: particles at both ends of the step, in its own coordinates, where it rests; which
//! faces dip into it, and which go through it on their way.

use super::solids::{Ground, SHALLOW};
use crate::collision::deepest::{Deepest, Sample, bound, deepest, weighted};
use crate::collision::{Obstacle, Pose, Shape};
use crate::energy::Near;
use glam::DVec3;

/// How well the deepest point of a face is known, in lengths of its shortest edge at rest, like [`SHALLOW`].
const KNOWN: f64 = 0.2e-3;
/// How far beyond what is allowed a face that began outside can be found, in what is not known: once, and rounding.
const INSIDE: f64 = 1.5;
/// How much of the way out a point that starts inside is pushed inside g: all at once would be a blow.
const RELAXED: f64 = 0.2;
/// Advances towards the first entry, at most.
const ROUNDS: usize = 64;
/// How much of a way that is safe is gone at once: beyond it another tangent sees further.
const ADVANCE: f64 = 0.9;

/// A point of a face, and the plane it is kept in front of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Touch {
    weights: [f64; 3],
    /// Where it is at the start, and the outward normal, in coordinates of the obstacle.
    place: DVec3,
    normal: DVec3,
    /// How far along the normal it must move \[m\].
    need: f64,
}

/// What is seen from one obstacle.
#[derive(Debug, Default)]
pub(super) struct View {
    pub start: Pose,
    pub end: Pose,
    /// The particles at both ends of the step.
    before: Vec<Sample>,
    pub after: Vec<Sample>,
    /// No particle goes further than this \[m\].
    furthest: f64,
}

impl View {
    pub fn look(
        &mut self,
        obstacle: &Obstacle,
        ground: Ground,
        start: &[DVec3],
        end: &[DVec3],
        changed: impl Fn(usize) -> bool,
    ) {
        let poses = (obstacle.pose(ground.from), obstacle.pose(ground.to));
        let sample =
            |pose: Pose, x: DVec3| Sample::of(&obstacle.shape, pose.turn.inverse() * (x - pose.shift));
        let all = poses != (self.start, self.end) || self.before.len() != start.len();
        (self.start, self.end) = poses;
        if all {
            self.before.clear();
            self.after.clear();
        }
        for i in 0..start.len() {
            if all {
                self.before.push(sample(self.start, start[i]));
                self.after.push(sample(self.end, end[i]));
            } else if changed(i) {
                self.before[i] = sample(self.start, start[i]);
                self.after[i] = sample(self.end, end[i]);
            }
        }
        let ways = self.before.iter().zip(&self.after).map(|(a, b)| a.place.distance_squared(b.place));
        self.furthest = ways.fold(0.0, f64::max).sqrt();
    }

    /// How near to the margin a particle has a constraint \[m\].
    pub fn reach(&self, obstacle: &Obstacle) -> f64 {
        obstacle.margin.max(0.1 * self.furthest)
    }

    /// Whether a face cannot come near the form, by the distances of its corners alone.
    pub fn is_far(&self, corners: [u32; 3], obstacle: &Obstacle) -> bool {
        let (mut nearest, mut longest, mut way) = (f64::INFINITY, 0.0f64, 0.0f64);
        for k in 0..3 {
            let [a, b] = [corners[k], corners[(k + 1) % 3]].map(|i| i as usize);
            nearest = nearest.min(self.before[a].distance).min(self.after[a].distance);
            longest = longest
                .max(self.before[a].place.distance_squared(self.before[b].place))
                .max(self.after[a].place.distance_squared(self.after[b].place));
            way = way.max(self.before[a].place.distance_squared(self.after[a].place));
        }
        nearest - longest.sqrt() - way.sqrt() > 2.0 * obstacle.margin
    }

    fn corners(&self, corners: [u32; 3]) -> [[Sample; 3]; 2] {
        [&self.before, &self.after].map(|samples| corners.map(|i| samples[i as usize]))
    }

    /// The point of a face with these weights, kept out by the plane that touches the form where it is at the end.
    pub fn at_end(&self, corners: [u32; 3], w: [f64; 3], obstacle: &Obstacle, gently: bool) -> Touch {
        let [before, after] = self.corners(corners).map(|c| c.map(|sample| sample.place));
        let (place, end) = (weighted(before, w), weighted(after, w));
        let Sample { distance, normal, .. } = Sample::of(&obstacle.shape, end);
        let mut need = normal.dot(end - place) - (distance - obstacle.margin);
        if gently {
            let inside = (Sample::of(&obstacle.shape, place).distance - obstacle.margin).min(0.0);
            need += (1.0 - RELAXED) * inside;
        }
        Touch { weights: w, place, normal, need }
    }

    /// The deepest point of a face at the end, if it is within the margin and no corner.
    pub fn dip(&self, obstacle: &Obstacle, corners: [u32; 3], allowed: f64) -> Option<Deepest> {
        let [_, after] = self.corners(corners);
        let limit = obstacle.margin;
        if bound(&obstacle.shape, &after) >= limit {
            return None;
        }
        let found = deepest(&obstacle.shape, &after, [obstacle.margin; 2], allowed * (KNOWN / SHALLOW));
        let corner = found.weights.iter().any(|&w| w > 1.0 - 1e-3);
        (found.distance < limit && !corner).then_some(found)
    }

    /// A face that is deeper at the end than it may be and than it was, or that passes through.
    pub fn hit(&self, obstacle: &Obstacle, corners: [u32; 3], allowed: f64) -> Option<Touch> {
        let [before, after] = self.corners(corners);
        if bound(&obstacle.shape, &after) < obstacle.margin - allowed {
            let known = allowed * (KNOWN / SHALLOW);
            let found = deepest(&obstacle.shape, &after, [obstacle.margin; 2], known);
            let depth = found.distance - obstacle.margin;
            if depth < -allowed {
                let was =
                    deepest(&obstacle.shape, &before, [obstacle.margin; 2], known).distance - obstacle.margin;
                // No step leaves a face deeper than allowed and what is not known: what is began inside.
                let limit = if was >= -(allowed + INSIDE * known) { -allowed } else { was - known };
                if depth < limit {
                    return Some(self.at_end(corners, found.weights, obstacle, false));
                }
            }
        }
        self.entry(obstacle, corners, allowed)
    }

    /// Where a face that starts outside the form first enters it on its way, deeper than it may: where it touches, with
    /// the plane there. From any place on the way the rest of it is safe as far as a tangent shows ([`clear_until`]).
    pub fn entry(&self, obstacle: &Obstacle, corners: [u32; 3], allowed: f64) -> Option<Touch> {
        let [before, after] = self.corners(corners);
        let (shape, ends) = (&obstacle.shape, after.map(|c| c.place));
        // What has come to less than its thickness cannot have gone through.
        let way = before.iter().zip(ends).map(|(c, end)| c.place.distance(end)).fold(0.0, f64::max);
        if way < shape.thickness() {
            return None;
        }
        if before.iter().any(|tangent| clear_until(shape, tangent, &before, ends, allowed) >= 1.0) {
            return None;
        }
        let known = allowed * (KNOWN / SHALLOW);
        let mut t = 0.0;
        for round in 0..=ROUNDS {
            let at = |k: usize| before[k].place + t * (ends[k] - before[k].place);
            let now: [Sample; 3] = std::array::from_fn(|k| Sample::of(shape, at(k)));
            let way = now.iter().zip(ends).map(|(c, end)| c.place.distance(end)).fold(0.0, f64::max);
            let found = deepest(shape, &now, [0.0, way], known);
            let tangent = Sample::of(shape, weighted(now.map(|c| c.place), found.weights));
            if found.distance < -allowed || round == ROUNDS {
                if t == 0.0 {
                    return None;
                }
                let place = weighted(before.map(|c| c.place), found.weights);
                let need = tangent.normal.dot(tangent.place - place) - (found.distance - obstacle.margin);
                return Some(Touch { weights: found.weights, place, normal: tangent.normal, need });
            }
            // All of the face is on the outer side of the tangent where it is deepest.
            let rest = clear_until(shape, &tangent, &now, ends, allowed);
            // And the distance changes by no more than the way.
            let far = (found.distance - known + allowed) / way;
            t += (1.0 - t) * far.max(ADVANCE * rest);
            if t >= 1.0 || rest >= 1.0 {
                return None;
            }
        }
        None
    }

    /// The constraint of a touch.
    pub fn near(
        &self,
        [a, b, c]: [u32; 3],
        touch: Touch,
        obstacle: &Obstacle,
        inverse: &[f64],
    ) -> Option<Near> {
        let Touch { weights: [u, mut v, mut w], place, normal, need } = touch;
        if b == c {
            (v, w) = (v + w, 0.0);
        }
        let near = Near::new(
            ([a, b, c, a], [u, v, w, 0.0]),
            self.end.turn * normal,
            need,
            obstacle.friction,
            inverse,
        )?;
        Some(Near { ground: self.end.at(place) - self.start.at(place), ..near })
    }
}

/// How much of the way from corners as they are now to their ends a face certainly stays out of a form, or at most
/// `allowed` in it \[m\], by a tangent: that bounds φ from below, and at the corners it is linear on the way.
fn clear_until(shape: &Shape, tangent: &Sample, now: &[Sample; 3], ends: [DVec3; 3], allowed: f64) -> f64 {
    let (mut first, mut last, mut far) = (f64::INFINITY, f64::INFINITY, 0.0f64);
    for (corner, end) in now.iter().zip(ends) {
        first = first.min(tangent.normal.dot(corner.place - tangent.place));
        last = last.min(tangent.normal.dot(end - tangent.place));
        far = far.max(corner.place.distance_squared(tangent.place)).max(end.distance_squared(tangent.place));
    }
    let sure = tangent.distance + allowed - shape.sag(tangent.place, far.sqrt());
    match [sure + first, sure + last] {
        [first, last] if first >= 0.0 && last >= 0.0 => 1.0,
        [first, last] if first > 0.0 => first / (first - last),
        _ => 0.0,
    }
}
