//! After a step, a particle inside an obstacle is put on its surface, as \[Liu13\] §4.1 and \[Xu24\] do; the velocity into
//! the surface is taken away and friction takes from the sliding one what Coulomb allows. Simple and fast: no continuous
//! detection (a particle faster than an obstacle is thick may pass it) and no cloth-cloth contact.

use super::Obstacle;
use crate::State;
use glam::DVec3;

/// Move particles out of the solids after a step of length `h` \[s\] that began at `before` and at `state.time`.
/// Pinned particles are left alone. `hit` hears of each particle and solid that touch; returns how many particles do.
pub fn resolve(
    solids: &[Obstacle],
    before: &[DVec3],
    state: &mut State,
    h: f64,
    mut hit: impl FnMut(usize, usize),
) -> usize {
    let mut touching = 0;
    let State { positions, velocities, filters, time, .. } = state;
    for (i, ((x, v), filter)) in positions.iter_mut().zip(velocities).zip(filters).enumerate() {
        if filter.is_pinned() {
            continue;
        }
        let mut touched = false;
        for (s, solid) in solids.iter().enumerate() {
            if resolve_one(solid, before[i], x, v, *time, h) {
                hit(i, s);
                touched = true;
            }
        }
        touching += usize::from(touched);
    }
    touching
}

fn resolve_one(solid: &Obstacle, before: DVec3, x: &mut DVec3, v: &mut DVec3, time: f64, h: f64) -> bool {
    let (distance, normal) = solid.distance(*x, time + h);
    if distance >= 0.0 {
        return false;
    }
    // All motion is relative to the solid's surface, which may move.
    let before = solid.carry(before, normal, time, time + h).0;
    let ground = (*x - solid.carry(*x, normal, time + h, time).0) / h;
    let relative = *v - ground;
    let into = (-relative.dot(normal)).max(0.0);
    let sliding = relative - relative.dot(normal) * normal;
    let speed = sliding.length();
    // Coulomb: the tangential impulse is at most μ times the normal one.
    let kept = if speed > solid.friction * into { 1.0 - solid.friction * into / speed } else { 0.0 };
    *v = ground + relative.dot(normal).max(0.0) * normal + kept * sliding;
    // The distance slid in this step shrinks with the speed, so that what sticks does not creep.
    let slid = (*x - before) - (*x - before).dot(normal) * normal;
    if h * speed > 0.0 {
        *x -= (1.0 - kept) * slid;
    }
    let (distance, normal) = solid.distance(*x, time + h);
    *x -= distance.min(0.0) * normal;
    true
}
