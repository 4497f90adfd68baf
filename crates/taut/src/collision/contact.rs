//! Contact as constraints, for methods that honour filters (\[BA04\] §2.2 after Baraff & Witkin 1998 §5).
//!
//! A particle that a step carried into a solid is put on its surface ([`resolve`](super::resolve)) and is held there in
//! the next: by all three coordinates while friction can hold it, `|r_t| ≤ μ r_n` with r the force its constraint
//! exerted in the last step, else by its normal only, free to slide in the tangent plane and slowed by Coulomb's
//! μ r_n. When the constraint would have to pull (r_n < 0), or another solid takes over, it is let go.
//!
//! Filters are written into the state for one step and taken away after. Not handled: a particle between two solids,
//! which the nearer holds and the other pushes.

use super::Obstacle;
use crate::{Filter, Model, State};
use glam::DVec3;

/// One particle's contact with a solid.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Contact {
    solid: u32,
    /// Whether friction has given way.
    slides: bool,
    /// Whether it was held in the last step, so that there is a force to judge by.
    held: bool,
    /// Sliding velocity with which it began the last step, friction taken off \[m/s\].
    began: DVec3,
}

/// Which particles touch which solid.
#[derive(Debug, PartialEq, Default)]
pub struct Contacts {
    of: Vec<Option<Contact>>,
}

impl Clone for Contacts {
    fn clone(&self) -> Self {
        Contacts { of: self.of.clone() }
    }

    /// Derived, this would allocate; a step keeps its backup by it.
    fn clone_from(&mut self, other: &Self) {
        self.of.clone_from(&other.of);
    }
}

impl Contacts {
    /// Room for so many particles; forgets everything if that is another number than before.
    pub fn resize(&mut self, particles: usize) {
        if self.of.len() != particles {
            self.of = vec![None; particles];
        }
    }

    /// A particle was carried into a solid and put on its surface.
    pub fn touch(&mut self, particle: usize, solid: usize) {
        // A particle between two solids is passed from one to the other; what its last constraint exerted is still
        // what friction is judged by, or it would hold for ever.
        let fresh = Contact { solid: 0, slides: true, held: false, began: DVec3::ZERO };
        self.of[particle] = Some(Contact { solid: solid as u32, ..self.of[particle].unwrap_or(fresh) });
    }

    /// Constrain the particles that touch for the step of length `h` \[s\] that `state` is about to take, judging by
    /// the `reactions` \[N\] of the last. Returns how many are held.
    pub fn hold(
        &mut self,
        solids: &[Obstacle],
        model: &Model,
        state: &mut State,
        reactions: &[DVec3],
        h: f64,
    ) -> usize {
        let mut count = 0;
        for (i, slot) in self.of.iter_mut().enumerate() {
            let Some(contact) = slot else { continue };
            let Some(solid) = solids.get(contact.solid as usize).filter(|_| state.filters[i] == Filter::Free)
            else {
                *slot = None;
                continue;
            };
            let (distance, normal) = solid.distance(state.positions[i], state.time);
            let reaction = if contact.held { reactions[i] } else { DVec3::ZERO };
            let pressed = reaction.dot(normal);
            if pressed < 0.0 {
                *slot = None;
                continue;
            }
            // Corrections of the position are not motion: the solid's own velocity is that of its surface.
            let surface = state.positions[i] - distance * normal;
            let (carried, turned) = solid.carry(surface, normal, state.time, state.time + h);
            let ground = (carried - surface) / h;
            let relative = state.velocities[i] - ground;
            let sliding = relative - relative.dot(normal) * normal;
            let (speed, across) = (sliding.length(), reaction - pressed * normal);
            let lost = solid.friction * pressed * h / model.masses[i];
            let gives_way = contact.held && !contact.slides && across.length() > solid.friction * pressed;
            if contact.slides {
                // What other forces added in the last step they will add again: it stops only if friction can take
                // that as well.
                let gained = if contact.held { (sliding - contact.began).dot(sliding) / speed } else { 0.0 };
                contact.slides = speed > 0.0 && speed + gained > lost;
            }
            // A constraint that gives way had been holding against the motion that begins now.
            let against = if gives_way { across.normalize() } else { -sliding / speed };
            contact.slides |= gives_way;
            if contact.slides {
                contact.began = sliding + lost * against;
                state.velocities[i] = ground + contact.began;
            }
            contact.held = true;
            state.filters[i] = match contact.slides {
                true => Filter::Plane { normal: turned, through: carried },
                false => Filter::Pinned(carried),
            };
            count += 1;
        }
        count
    }

    /// Take the filters away again.
    pub fn let_go(&mut self, state: &mut State) {
        for (filter, contact) in state.filters.iter_mut().zip(&self.of) {
            if contact.is_some_and(|c| c.held) {
                *filter = Filter::Free;
            }
        }
    }
}
