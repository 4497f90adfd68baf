//! Contact as constraints, for methods that can hold particles (\[BA04\] §2.2 after Baraff & Witkin 1998 §5).
//!
//! A particle that a step carried into an obstacle is put on its surface ([`resolve`](super::resolve)) and may be held
//! there in the next: by all three coordinates while friction can hold it, `|r_t| ≤ μ r_n` with r the force its
//! constraint exerted in the last step, else by its normal only, free to slide in the tangent plane and slowed by
//! Coulomb's μ r_n. In the step after it touched there is no such force yet: r is then what would have had to be exerted
//! to keep its velocity. When the constraint would have to pull (r_n < 0), or another obstacle takes over, it is let go.
//!
//! Not handled: a particle between two obstacles, which one holds and the other pushes.

use super::Obstacle;
use crate::state::Contact;
use crate::{Filter, Model, State};

/// Bring the contacts of the last step to the step of length `h` \[s\] that `state` is about to take: where each is, and
/// whether it slides. Those that have come apart are dropped. None is held yet.
pub fn find(obstacles: &[Obstacle], model: &Model, state: &State, contacts: &mut Vec<Contact>, h: f64) {
    contacts.retain_mut(|contact| {
        let Some(i) = contact.single().filter(|&i| state.filters[i] == Filter::Free) else { return false };
        let Some(obstacle) = obstacles.get(contact.obstacle as usize) else { return false };
        update(contact, i, obstacle, model, state, h)
    });
}

/// The contact of particle `i` in the coming step. Returns whether it still is one.
fn update(c: &mut Contact, i: usize, obstacle: &Obstacle, model: &Model, state: &State, h: f64) -> bool {
    let (distance, normal) = obstacle.distance(state.positions[i], state.time);
    c.held = false;
    let reaction = std::mem::take(&mut c.reaction);
    let pressed = reaction.dot(normal);
    if pressed < 0.0 {
        return false;
    }
    // Corrections of the position are not motion: the obstacle's own velocity is that of its surface.
    let surface = state.positions[i] - distance * normal;
    let (carried, turned) = obstacle.carry(surface, normal, state.time, state.time + h);
    let ground = (carried - surface) / h;
    let relative = state.velocities[i] - ground;
    let sliding = relative - relative.dot(normal) * normal;
    let (speed, across) = (sliding.length(), reaction - pressed * normal);
    let lost = obstacle.friction * pressed * h / model.masses[i];
    let gives_way = !c.slides && across.length() > obstacle.friction * pressed;
    if c.slides {
        // What other forces added in the last step they will add again: it stops only if friction can take that as
        // well.
        let gained = (sliding - c.sliding).dot(sliding) / speed;
        c.slides = speed > 0.0 && speed + gained > lost;
    }
    // A constraint that gives way had been holding against the motion that begins now.
    let against = if gives_way { across.normalize() } else { -sliding / speed };
    c.slides |= gives_way;
    if c.slides {
        c.sliding = sliding + lost * against;
        c.velocity = ground + c.sliding;
    }
    (c.gap, c.friction, c.normal, c.place) = (distance, obstacle.friction, turned, carried);
    true
}
