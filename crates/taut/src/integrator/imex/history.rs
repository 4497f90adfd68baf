//! What a two-step scheme remembers of the step before.

use crate::State;
use glam::DVec3;

/// Where the last step began, and where it ended: what BDF2 goes on from.
#[derive(Default)]
pub(super) struct History {
    /// Positions and velocities.
    pub before: (Vec<DVec3>, Vec<DVec3>),
    after: (Vec<DVec3>, Vec<DVec3>),
    any: bool,
}

impl History {
    /// Forget, with room for so many particles.
    pub fn clear(&mut self, zeros: &[DVec3]) {
        let pair = || (zeros.to_vec(), zeros.to_vec());
        *self = History { before: pair(), after: pair(), any: false };
    }

    /// Whether the coming step begins where the last one ended.
    pub fn continues(&self, state: &State) -> bool {
        self.any && self.after.0 == state.positions && self.after.1 == state.velocities
    }

    /// A step from `state` ended here.
    pub fn keep(&mut self, state: &State, positions: &[DVec3], velocities: &[DVec3]) {
        self.before.0.copy_from_slice(&state.positions);
        self.before.1.copy_from_slice(&state.velocities);
        self.after.0.copy_from_slice(positions);
        self.after.1.copy_from_slice(velocities);
        self.any = true;
    }
}
