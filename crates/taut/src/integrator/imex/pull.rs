//! What one spring does: its force, and how that changes with the positions and velocities of its ends.
//!
//! Jacobian: [`Spring::stiffnesses`] with t clamped to max(0, t), which makes it definite. (Bend springs never pull:
//! theirs is `k x̂x̂ᵀ`.) Damper: `k_d x̂x̂ᵀ` with k_d = β·stiffness; how that changes with x is dropped. A slack spring
//! has none of these.

use crate::energy::{length, outer};
use crate::{Damping, Model, Spring};
use glam::{DMat3, DVec3};

/// What a spring does now.
pub(super) struct Pull {
    pub unit: DVec3,
    tension: f64,
    slope: f64,
    /// What part of the slope holds against motion across it, not negative.
    across: f64,
}

/// What a spring does at positions x; `None` if it is slack. A spring without length points as at the start of the
/// step, else as in the rest pose.
pub(super) fn pull(model: &Model, spring: &Spring, x: &[DVec3], start: &[DVec3]) -> Option<Pull> {
    let (a, b) = spring.ab();
    let l = length(x[a] - x[b]);
    let (tension, slope) = spring.tension(l);
    if slope == 0.0 {
        return None;
    }
    let directions = [x[a] - x[b], start[a] - start[b], model.rest[a] - model.rest[b]];
    let along = directions.into_iter().find(|&p| p != DVec3::ZERO).unwrap_or(DVec3::ZERO);
    let size = length(along);
    let unit = if size > 0.0 { along / size } else { along };
    Some(Pull { unit, tension, slope, across: spring.across(l, tension, slope).max(0.0) })
}

impl Pull {
    /// Force \[N\] towards the second end, with the damper's against the relative velocity v_a − v_b \[m/s\].
    pub fn force(&self, damping: &Damping, spring: &Spring, relative: DVec3) -> DVec3 {
        (self.tension + damping.material * spring.stiffness * relative.dot(self.unit)) * self.unit
    }

    /// How that force grows with x_a − x_b [N/m], made definite.
    pub fn jacobian(&self) -> DMat3 {
        let Pull { unit, slope, across, .. } = *self;
        DMat3::from_diagonal(DVec3::splat(slope * across)) + (slope * (1.0 - across)) * outer(unit)
    }
}
