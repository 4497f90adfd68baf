//! What contact carries from one step to the next.
//!
//! Nothing needs to be remembered to keep things apart. But where cloth lies on cloth, or is pressed together by its
//! springs, the multipliers of a step are nearly those of the next, and a few sweeps or iterations find them sooner from
//! there. A constraint is known again by its *place*: for a point and a face, the point and the corner with the most weight,
//! which stays the same while the point slides from one face to the next.
//!
//! An impact presses hard for one step, and given again it would throw back what has just been stopped. So only what has
//! pressed in each of the last two steps is expected, the lesser of both.

use crate::energy::{NOWHERE, Near};
use crate::geometry::{Kind, NO_WEIGHT};
use crate::state::Load;

/// The first number of the places of obstacles, after those of the kinds of pairs.
const OBSTACLE: u32 = 2;

/// By what a pair is known: a point and the heaviest corner of the face, or two edges.
pub(super) fn of_pair(kind: Kind, pair: [u32; 2], particles: [u32; 4], weights: [f64; 4]) -> [u32; 3] {
    let heavier = |a: usize, b: usize| if weights[b].abs() > weights[a].abs() { b } else { a };
    match kind {
        Kind::VertexFace => [0, particles[0], particles[heavier(heavier(1, 2), 3)]],
        Kind::EdgeEdge => [1, pair[0], pair[1]],
    }
}

/// By what the constraint of an obstacle with a particle or a face is known.
pub(super) fn of_obstacle([obstacle, primitive]: [u32; 2]) -> [u32; 3] {
    [OBSTACLE, obstacle, primitive]
}

/// The constraints of a step, in the order of their places, without those that say the same twice: of the same particles,
/// but for weights that are next to none. A point above a corner is near all faces around it, and the corner is near all
/// faces around the point.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Where the constraints of each point begin.
    first: Vec<u32>,
    /// Where those of the last point, or of the last edge, begin.
    last: usize,
}

impl Places {
    /// No constraints yet.
    pub fn clear(&mut self, particles: usize) {
        self.first.clear();
        self.first.resize(particles, u32::MAX);
        self.last = 0;
    }

    /// Whether a constraint is to be added at a place to a pool of others that come before it by kind and first number: not
    /// if it says the same as one of them.
    #[inline]
    pub fn take(
        &mut self,
        place: [u32; 3],
        (particles, weights): ([u32; 4], [f64; 4]),
        pool: &mut [Near],
    ) -> bool {
        let [kind, a, b] = place;
        if pool.last().is_some_and(|last| last.place[..2] != [kind, a]) {
            self.finish(pool);
        }
        if kind != 0 {
            return true;
        }
        let heavy = heavy(&weights);
        let same = |other: &Near| {
            let theirs = self::heavy(&other.weights);
            let has = |i: u32| (0..4).any(|k| theirs[k] && other.particles[k] == i);
            count(heavy) == count(theirs) && (0..4).all(|k| !heavy[k] || has(particles[k]))
        };
        if pool[self.last..].iter().any(|other| other.place[2] == b && same(other)) {
            return false;
        }
        // Of two points it is enough that the one with the lower number is near the other.
        if b < a && count(heavy) <= 2 {
            let run = pool.iter().skip(self.first[b as usize] as usize);
            let mut run = run.take_while(|other| other.place[..2] == [0, b]);
            if run.any(|other| other.place[2] == a && same(other)) {
                return false;
            }
        }
        self.first[a as usize] = self.last as u32;
        true
    }

    /// Put the last point's constraints, which are few, into order.
    pub fn finish(&mut self, pool: &mut [Near]) {
        let last = &mut pool[self.last..];
        if !last.is_sorted_by_key(|near| near.place) {
            last.sort_by_key(|near| near.place);
        }
        self.last = pool.len();
    }
}

/// Which particles have a weight.
#[inline]
fn heavy(weights: &[f64; 4]) -> [bool; 4] {
    weights.map(|w| w.abs() > NO_WEIGHT)
}

#[inline]
fn count(heavy: [bool; 4]) -> usize {
    heavy.into_iter().filter(|&is| is).count()
}

/// Let the constraints of a step of length `h` \[s\] expect what their places carried in the steps before. Both lists
/// are ascending by place.
pub(super) fn recall(loads: &[Load], pool: &mut [Near], h: f64) {
    let mut loads = loads.iter().peekable();
    for run in pool.chunk_by_mut(|a, b| a.place == b.place) {
        while loads.next_if(|load| load.place < run[0].place).is_some() {}
        let Some(load) = loads.next_if(|load| load.place == run[0].place) else { continue };
        let share = h * h * load.lasting / run.len() as f64;
        if share > 0.0 && share.is_finite() {
            run.iter_mut().for_each(|near| near.within = share);
        }
    }
}

/// List what the constraints of a step press with, ascending by place; `before` is the list of the step before.
pub(super) fn remember(pool: &[Near], h: f64, before: &[Load], loads: &mut Vec<Load>) {
    loads.clear();
    let mut before = before.iter().peekable();
    for run in pool.chunk_by(|a, b| a.place == b.place) {
        let place = run[0].place;
        let last = run.iter().map(|near| near.pressed + near.within).sum::<f64>() / (h * h);
        while before.next_if(|load| load.place < place).is_some() {}
        if last > 0.0 && place != NOWHERE {
            let earlier = before.next_if(|load| load.place == place).map_or(0.0, |load| load.last);
            loads.push(Load { place, last, lasting: last.min(earlier) });
        }
    }
}
