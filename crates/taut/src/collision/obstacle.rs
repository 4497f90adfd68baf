//! Rigid obstacles: a form, how far particles are kept from it, its friction, and how it moves.

use super::{Motion, Pose, Shape};
use crate::Error;
use glam::DVec3;

/// A rigid obstacle.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Obstacle {
    /// Its form and place.
    pub shape: Shape,
    /// How far from the surface particles are kept \[m\]: half the cloth's thickness, or enough for the triangles
    /// between particles not to cut through.
    pub margin: f64,
    /// Coefficient of friction μ (dimensionless), 0 is perfectly slippery.
    pub friction: f64,
    /// How it moves, if it does.
    pub motion: Option<Motion>,
}

impl Obstacle {
    /// Refuse what cannot be an obstacle.
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
                let (distance, normal) = self.shape.distance(motion.given(p, time));
                (distance, motion.turn(time) * normal)
            }
        };
        (distance - self.margin, normal)
    }

    /// Where it is at a time \[s\].
    pub fn pose(&self, time: f64) -> Pose {
        self.motion.as_ref().map_or(Pose::default(), |motion| motion.pose(time))
    }

    /// Where a point and a direction fixed to it go from one time to another \[s\].
    pub fn carry(&self, p: DVec3, direction: DVec3, from: f64, to: f64) -> (DVec3, DVec3) {
        self.motion.as_ref().map_or((p, direction), |motion| motion.carry(p, direction, from, to))
    }
}
