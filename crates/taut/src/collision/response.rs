//! After a step, a particle inside an obstacle is put on its surface, as \[Liu13\] §4.1 and \[Xu24\] do; the velocity into
//! the surface is taken away and friction takes from the sliding one what Coulomb allows. Simple and fast: no continuous
//! detection (a particle faster than an obstacle is thick may pass it) and no faces. What is done where contact is off, and
//! for methods that hold particles on obstacles.

use super::Obstacle;
use crate::state::Contact;
use crate::{Model, State};
use glam::DVec3;

/// Move particles out of the obstacles after a step of length `h` \[s\] that began as `before` and at `state.time`.
/// Pinned particles are left alone. `contacts` becomes what touches now, by particle: those that were held, and those
/// that were pushed out. Returns how many particles touch.
pub fn resolve(
    obstacles: &[Obstacle],
    model: &Model,
    before: &State,
    state: &mut State,
    contacts: &mut Vec<Contact>,
    h: f64,
) -> usize {
    // What nobody held is put right here and begins anew.
    contacts.retain(|contact| contact.held);
    let held = contacts.len();
    let mut pushed = 0;
    let mut next = 0;
    let State { positions, velocities, filters, time, .. } = state;
    for (i, ((x, v), filter)) in positions.iter_mut().zip(velocities).zip(filters).enumerate() {
        let own = contacts[next..held].first().is_some_and(|c| c.particles[0] as usize == i).then_some(next);
        next += usize::from(own.is_some());
        if filter.is_pinned() {
            continue;
        }
        // By forces, before obstacles change its velocity.
        let gained = *v - before.velocities[i];
        let mut touched = None;
        for (number, obstacle) in obstacles.iter().enumerate() {
            if let Some(ground) = resolve_one(obstacle, before.positions[i], x, v, *time, h) {
                touched = Some((number, ground));
            }
        }
        let Some((obstacle, ground)) = touched else { continue };
        pushed += 1;
        match own {
            // A particle between two obstacles is passed from one to the other; what its last constraint exerted is
            // still what friction is judged by, or it would hold for ever.
            Some(own) => contacts[own].obstacle = obstacle as u32,
            None => {
                let contact = Contact::of_particle(i, obstacle);
                contacts.push(contact.expecting(model.masses[i], gained, *v - ground, h));
            }
        }
    }
    contacts.sort_unstable_by_key(|contact| contact.particles[0]);
    held.max(pushed)
}

/// Returns the velocity of the surface where a particle was inside [m/s].
fn resolve_one(
    obstacle: &Obstacle,
    before: DVec3,
    x: &mut DVec3,
    v: &mut DVec3,
    time: f64,
    h: f64,
) -> Option<DVec3> {
    let (distance, normal) = obstacle.distance(*x, time + h);
    if distance >= 0.0 {
        return None;
    }
    // All motion is relative to the obstacle's surface, which may move.
    let before = obstacle.carry(before, normal, time, time + h).0;
    let ground = (*x - obstacle.carry(*x, normal, time + h, time).0) / h;
    let relative = *v - ground;
    let into = (-relative.dot(normal)).max(0.0);
    let sliding = relative - relative.dot(normal) * normal;
    let speed = sliding.length();
    // Coulomb: the tangential impulse is at most μ times the normal one.
    let kept = if speed > obstacle.friction * into { 1.0 - obstacle.friction * into / speed } else { 0.0 };
    *v = ground + relative.dot(normal).max(0.0) * normal + kept * sliding;
    // The distance slid in this step shrinks with the speed, so that what sticks does not creep.
    let slid = (*x - before) - (*x - before).dot(normal) * normal;
    if h * speed > 0.0 {
        *x -= (1.0 - kept) * slid;
    }
    let (distance, normal) = obstacle.distance(*x, time + h);
    *x -= distance.min(0.0) * normal;
    Some(ground)
}
