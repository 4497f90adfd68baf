//! What contact carries from one step to the next.
//!
//! Nothing needs to be remembered to keep things apart. But where cloth lies on cloth, or is pressed together by its
//! springs, the multipliers of a step are nearly those of the next, and a few sweeps or iterations find them sooner from
//! there. A constraint is known again by its *place*: the particle of each primitive that has the most weight. It stays
//! the same while a point slides from one face to the next.
//!
//! An impact presses hard for one step, and given again it would throw back what has just been stopped. So only what has
//! pressed in each of the last two steps is expected, the lesser of both.

use super::Place;
use crate::energy::{NOWHERE, Near};
use crate::geometry::{Kind, NO_WEIGHT};
use crate::state::Load;

/// The first number of the places of obstacles, after those of the kinds of pairs.
const OBSTACLE: u32 = 2;

/// By what a pair is known: its kind, and the heaviest particle of each primitive.
pub(super) fn of_pair(kind: Kind, particles: [u32; 4], weights: [f64; 4]) -> [u32; 3] {
    let heaviest = |from: usize, to: usize| {
        let heavier = |a: usize, b: usize| if weights[b].abs() > weights[a].abs() { b } else { a };
        particles[(from + 1..to).fold(from, heavier)]
    };
    match kind {
        Kind::VertexFace => [0, particles[0], heaviest(1, 4)],
        Kind::EdgeEdge => [1, heaviest(0, 2), heaviest(2, 4)],
    }
}

/// By what the constraint of an obstacle with a particle or a face is known.
pub(super) fn of_obstacle([obstacle, primitive]: [u32; 2]) -> [u32; 3] {
    [OBSTACLE, obstacle, primitive]
}

/// Drop what says the same twice: the same particles, but for weights that are next to none. A point above a corner is
/// near all faces around it, and the corner is near all faces around the point. `order` is ascending.
pub(super) fn drop_twice(order: &mut Vec<Place>, found: &[Near]) {
    let heavy = |place: &Place| {
        let Near { particles, weights, .. } = found[place.2 as usize];
        let mut heavy = [u32::MAX; 4];
        (0..4).filter(|&k| weights[k].abs() > NO_WEIGHT).for_each(|k| heavy[k] = particles[k]);
        heavy.sort_unstable();
        heavy
    };
    // Of two points it is enough that the one with the lower number is near the other.
    let seen_from_other = |place: &Place, order: &[Place]| {
        let ([kind, a, b], heavy_here) = (place.0, heavy(place));
        if kind != 0 || a < b || heavy_here[2] != u32::MAX {
            return false;
        }
        let first = order.partition_point(|other| other.0 < [kind, b, a]);
        order[first..]
            .iter()
            .take_while(|other| other.0 == [kind, b, a])
            .any(|other| heavy(other) == heavy_here)
    };
    // What is kept moves to the front, and its beginning may be read while the rest is still judged.
    let mut kept = 0;
    for k in 0..order.len() {
        let place = order[k];
        let run = order[..kept].iter().rev().take_while(|other| other.0 == place.0);
        let twice = run.map(heavy).any(|other| other == heavy(&place));
        if !twice && !seen_from_other(&place, &order[..kept]) {
            order[kept] = place;
            kept += 1;
        }
    }
    order.truncate(kept);
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
