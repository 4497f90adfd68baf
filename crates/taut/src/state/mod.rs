//! The State: everything that moves, and everything a restart needs to go on bit for bit.

mod contact;
mod memory;

pub use contact::Contact;
pub(crate) use memory::{Carried, Cursor, Load, Memory, Origin, Slot};

use crate::{Error, Model};
use glam::DVec3;

/// What a particle may do in a step: the pair (S, z) of a projection and a prescribed value.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub enum Filter {
    /// S = 1: three degrees of freedom.
    #[default]
    Free,
    /// S = 0: a pin, a moving handle, a grabbed particle. At the end of the step the particle is exactly here \[m\].
    Pinned(DVec3),
    /// S = I − nnᵀ: two degrees of freedom. At the end of the step the particle is on this plane.
    Plane {
        /// Normal of the plane, of any length but zero.
        normal: DVec3,
        /// A point of it \[m\].
        through: DVec3,
    },
    /// S = ddᵀ: one degree of freedom. At the end of the step the particle is on this line.
    Line {
        /// Direction of the line, of any length but zero.
        direction: DVec3,
        /// A point of it \[m\].
        through: DVec3,
    },
}

impl Filter {
    /// Whether the particle is neither free nor pinned: something between, which few methods know.
    #[inline]
    pub fn is_partial(&self) -> bool {
        matches!(self, Filter::Plane { .. } | Filter::Line { .. })
    }

    /// Whether the particle has no degree of freedom (and so no row in any system).
    #[inline]
    pub fn is_pinned(&self) -> bool {
        matches!(self, Filter::Pinned(_))
    }
}

/// What moves: positions, velocities, what acts on particles from outside, and, out of sight, what integrator, contact
/// and script remember of earlier steps. A simulation that starts from a copy goes on as the original does.
#[derive(Debug, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct State {
    /// Simulated time t \[s\].
    pub time: f64,
    /// Steps taken.
    pub step: u64,
    /// Positions q \[m\].
    pub positions: Vec<DVec3>,
    /// Velocities v [m/s].
    pub velocities: Vec<DVec3>,
    /// Forces of the user's own on each particle \[N\], constant until changed.
    pub forces: Vec<DVec3>,
    /// Pins and handles.
    #[cfg_attr(feature = "snapshot", serde(deserialize_with = "crate::packed::bounded"))]
    pub filters: Vec<Filter>,
    pub(crate) memory: Memory,
}

impl Clone for State {
    fn clone(&self) -> Self {
        State {
            time: self.time,
            step: self.step,
            positions: self.positions.clone(),
            velocities: self.velocities.clone(),
            forces: self.forces.clone(),
            filters: self.filters.clone(),
            memory: self.memory.clone(),
        }
    }

    /// Derived, this would allocate; a step keeps its backup by it.
    fn clone_from(&mut self, other: &Self) {
        (self.time, self.step) = (other.time, other.step);
        self.positions.clone_from(&other.positions);
        self.velocities.clone_from(&other.velocities);
        self.forces.clone_from(&other.forces);
        self.filters.clone_from(&other.filters);
        self.memory.clone_from(&other.memory);
    }
}

impl State {
    /// Steps beyond which their number times h is no longer exact.
    const MOST_STEPS: u64 = 1 << 53;

    /// At rest, in the model's rest pose, nothing pinned but solids.
    pub fn at_rest(model: &Model) -> Self {
        let m = model.particles();
        let filter = |i: usize| match model.rest.get(i) {
            Some(&place) if model.is_solid(i) => Filter::Pinned(place),
            _ => Filter::Free,
        };
        State {
            time: 0.0,
            step: 0,
            positions: model.rest.clone(),
            velocities: vec![DVec3::ZERO; m],
            forces: vec![DVec3::ZERO; m],
            filters: (0..m).map(filter).collect(),
            memory: Memory::default(),
        }
    }

    /// Pin a particle where it is now: it is at rest.
    pub fn pin(&mut self, particle: usize) {
        self.velocities[particle] = DVec3::ZERO;
        self.filters[particle] = Filter::Pinned(self.positions[particle]);
    }

    /// Refuse a state that does not fit the model, or that holds what is not finite.
    pub fn validate(&self, model: &Model) -> Result<(), Error> {
        let m = model.particles();
        let counts = [self.positions.len(), self.velocities.len(), self.forces.len(), self.filters.len()];
        if counts.iter().any(|&n| n != m) {
            let remedy = format!("positions, velocities, forces and filters need {m} entries each");
            return Err(Error::setting("state", format!("{counts:?}"), remedy));
        }
        if !self.time.is_finite() {
            return Err(Error::setting("time", self.time, "must be finite"));
        }
        if self.step > State::MOST_STEPS {
            return Err(Error::setting(
                "step",
                self.step,
                "must be at most 2^53: more cannot be counted exactly",
            ));
        }
        if let Some(i) = (0..m).find(|&i| model.is_solid(i) && !self.filters[i].is_pinned()) {
            let remedy = format!("is of the solid `{}`: pin it", model.body_name(model.tag(i)));
            return Err(Error::setting("filters", format!("particle {i}"), remedy));
        }
        self.check_finite()
    }

    /// Name the first particle that would be so far away that squares of distances are not finite, if any.
    pub(crate) fn check_places(&self, places: &[DVec3]) -> Result<(), Error> {
        match places.iter().position(|place| !place.length_squared().is_finite()) {
            Some(particle) => Err(Error::NonFinite { quantity: "position", particle, time: self.time }),
            None => Ok(()),
        }
    }

    /// Name the first particle with a value that is not finite, if any.
    pub fn check_finite(&self) -> Result<(), Error> {
        let bad = |quantity, particle| Err(Error::NonFinite { quantity, particle, time: self.time });
        for (i, p) in self.positions.iter().enumerate() {
            if !p.is_finite() {
                return bad("position", i);
            }
            if !self.velocities[i].is_finite() {
                return bad("velocity", i);
            }
            if !self.forces[i].is_finite() {
                return bad("force", i);
            }
            let (target, axis) = match self.filters[i] {
                Filter::Free => continue,
                Filter::Pinned(z) => (z, DVec3::X),
                Filter::Plane { normal: axis, through } | Filter::Line { direction: axis, through } => {
                    (through, axis)
                }
            };
            if !target.is_finite() {
                return bad("pin target", i);
            }
            if axis.try_normalize().is_none() {
                return bad("direction of the filter", i);
            }
        }
        Ok(())
    }
}
