//! Collisions with solids: what the integrator could not know, put right after it, and what it is told before.
//!
//! A particle inside a solid is put on its surface, as \[Liu13\] §4.1 and \[Xu24\] do; the velocity into the
//! surface is taken away and friction takes from the sliding one what Coulomb allows. Simple and fast: no
//! continuous detection (a particle faster than a solid is thick may pass it) and no cloth-cloth contact. Methods that
//! honour filters are told of contacts before the step ([`Contacts`]).

mod contact;
mod motion;
mod shape;

pub use contact::Contacts;
pub use motion::Motion;
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
    /// How it turns, if it does.
    pub motion: Option<Motion>,
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
        self.motion.as_ref().map_or(Ok(()), Motion::validate)?;
        self.shape.validate()
    }

    /// Distance \[m\] from its margin and outward unit normal at `p`, at a time \[s\].
    pub fn distance(&self, p: DVec3, time: f64) -> (f64, DVec3) {
        let (distance, normal) = match &self.motion {
            None => self.shape.distance(p),
            Some(motion) => {
                let pose = motion.pose(time);
                let (distance, normal) =
                    self.shape.distance(motion.about + pose.inverse() * (p - motion.about));
                (distance, pose * normal)
            }
        };
        (distance - self.margin, normal)
    }

    /// Where a point and a direction fixed to it go from one time to another \[s\].
    pub fn carry(&self, p: DVec3, direction: DVec3, from: f64, to: f64) -> (DVec3, DVec3) {
        let Some(motion) = &self.motion else { return (p, direction) };
        let turn = motion.turn(from, to);
        (motion.about + turn * (p - motion.about), turn * direction)
    }
}

/// Move particles out of the solids after a step of length `h` \[s\] that began at `before` and at `state.time`.
/// Pinned particles are left alone. `hit` hears of each particle and solid that touch; returns how many particles do.
pub fn resolve(
    solids: &[Solid],
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

fn resolve_one(solid: &Solid, before: DVec3, x: &mut DVec3, v: &mut DVec3, time: f64, h: f64) -> bool {
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
