//! What a two-step scheme (BDF2) remembers of the step before, in the integrator's slot of the State: where that step
//! began, q₋ and v₋, and where it ended. One layout for every method.

use crate::State;
use crate::state::Slot;
use glam::DVec3;

/// Vectors and counters it takes in the slot.
pub(super) const VECTORS: usize = 4;
pub(super) const COUNTERS: usize = 2;

/// The step before.
pub(super) struct Past<'a> {
    /// Where it began, q₋ \[m\].
    pub q: &'a [DVec3],
    /// The velocity it began with, v₋ [m/s].
    pub v: &'a [DVec3],
    left: (&'a [DVec3], &'a [DVec3]),
}

impl<'a> Past<'a> {
    /// That of a state; `None` if no step of this length `h` \[s\] was remembered.
    pub fn of(state: &'a State, h: f64) -> Option<Self> {
        let Slot { vectors, counters } = &state.memory.integrator;
        let [q, v, positions, velocities, ..] = &vectors[..] else { return None };
        (counters[..] == [1, h.to_bits()]).then_some(Past { q, v, left: (positions, velocities) })
    }

    /// What obstacles, limits or the user have changed since that step about the position \[m\] and the velocity [m/s] of
    /// particle `i`.
    #[inline]
    pub fn changes(&self, state: &State, i: usize) -> (DVec3, DVec3) {
        (state.positions[i] - self.left.0[i], state.velocities[i] - self.left.1[i])
    }

    /// Whether nothing has changed.
    pub fn continues(&self, state: &State) -> bool {
        self.left.0 == state.positions && self.left.1 == state.velocities
    }
}

/// Remember a step of `h` \[s\] that began at `q` with `v` and ended at `left`, positions and velocities.
pub(super) fn remember(slot: &mut Slot, h: f64, q: &[DVec3], v: &[DVec3], left: (&[DVec3], &[DVec3])) {
    for (own, new) in slot.vectors.iter_mut().zip([q, v, left.0, left.1]) {
        own.copy_from_slice(new);
    }
    slot.counters.copy_from_slice(&[1, h.to_bits()]);
}
