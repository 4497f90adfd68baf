//! Collisions with solids: what the integrator could not know, put right after it.
//!
//! A particle inside a solid is put on its surface, as \[Liu13\] §4.1 and \[Xu24\] do; the velocity into the
//! surface is taken away and friction takes from the sliding one what Coulomb allows. Simple and fast: no
//! continuous detection (a particle faster than a solid is thick may pass it) and no cloth-cloth contact.

mod shape;

pub use shape::Shape;

use crate::{Error, State};
use glam::DVec3;

/// A rigid obstacle.
#[derive(Debug, Clone, PartialEq)]
pub struct Solid {
    /// Its form and place.
    pub shape: Shape,
    /// How far from the surface particles are kept \[m\]: half the cloth's thickness, or enough for the triangles
    /// between particles not to cut through.
    pub margin: f64,
    /// Coefficient of friction μ (dimensionless), 0 is perfectly slippery.
    pub friction: f64,
}

impl Solid {
    /// Refuse what is not a solid.
    pub fn validate(&self) -> Result<(), Error> {
        if !(self.margin >= 0.0 && self.margin.is_finite()) {
            return Err(Error::setting("margin", self.margin, "must be zero or more [m] and finite"));
        }
        if !(self.friction >= 0.0 && self.friction.is_finite()) {
            return Err(Error::setting("friction", self.friction, "must be zero or more and finite"));
        }
        self.shape.validate()
    }
}

/// Move particles out of the solids after a step of length `h` \[s\] that began at `before`. Pinned particles are
/// left alone. Returns how many were touching.
pub fn resolve(solids: &[Solid], before: &[DVec3], state: &mut State, h: f64) -> usize {
    let mut touching = 0;
    let State { positions, velocities, filters, .. } = state;
    for (((x, v), filter), &before) in positions.iter_mut().zip(velocities).zip(filters).zip(before) {
        if !filter.is_pinned() {
            let hits = solids.iter().filter(|solid| resolve_one(solid, before, x, v, h));
            touching += usize::from(hits.count() > 0);
        }
    }
    touching
}

fn resolve_one(solid: &Solid, before: DVec3, x: &mut DVec3, v: &mut DVec3, h: f64) -> bool {
    let outside = |x: DVec3| {
        let (distance, normal) = solid.shape.distance(x);
        (distance - solid.margin, normal)
    };
    let (distance, normal) = outside(*x);
    if distance >= 0.0 {
        return false;
    }
    let into = (-v.dot(normal)).max(0.0);
    let sliding = *v - v.dot(normal) * normal;
    let speed = sliding.length();
    // Coulomb: the tangential impulse is at most μ times the normal one.
    let kept = if speed > solid.friction * into { 1.0 - solid.friction * into / speed } else { 0.0 };
    *v = v.dot(normal).max(0.0) * normal + kept * sliding;
    // The distance slid in this step shrinks with the speed, so that what sticks does not creep.
    let slid = (*x - before) - (*x - before).dot(normal) * normal;
    if h * speed > 0.0 {
        *x -= (1.0 - kept) * slid;
    }
    let (distance, normal) = outside(*x);
    *x -= distance.min(0.0) * normal;
    true
}
