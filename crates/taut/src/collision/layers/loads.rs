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

/// Put constraints that are ascending by kind and pair into the order of their places, and drop what says the same twice:
/// the same particles, but for weights that are next to none. A point above a corner is near all faces around it, and the
/// corner is near all faces around the point.
pub(super) fn drop_twice(pool: &mut Vec<Near>) {
    // The pairs of a point are few, and together.
    pool.chunk_by_mut(|a, b| a.place[..2] == b.place[..2]).for_each(|run| run.sort_by_key(|near| near.place));
    let mut kept = 0;
    for k in 0..pool.len() {
        let Near { place: [kind, a, b], .. } = pool[k];
        let heavy = heavy(&pool[k]);
        let same = |near: &Near| self::heavy(near) == heavy;
        let mut run = pool[..kept].iter().rev().take_while(|near| near.place == [kind, a, b]);
        let twice = kind == 0 && run.any(same);
        // Of two points it is enough that the one with the lower number is near the other.
        let seen = || {
            let first = pool[..kept].partition_point(|near| near.place < [kind, b, a]);
            let mut run = pool[first..kept].iter().take_while(|near| near.place == [kind, b, a]);
            run.any(same)
        };
        let other_way = kind == 0 && b < a && heavy[2] == u32::MAX && seen();
        if !twice && !other_way {
            pool.swap(kept, k);
            kept += 1;
        }
    }
    pool.truncate(kept);
}

/// The particles that have a weight, ascending, and no others.
fn heavy(near: &Near) -> [u32; 4] {
    let mut heavy = [u32::MAX; 4];
    (0..4).filter(|&k| near.weights[k].abs() > NO_WEIGHT).for_each(|k| heavy[k] = near.particles[k]);
    heavy.sort_unstable();
    heavy
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
