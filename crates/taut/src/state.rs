//! The State: everything that moves.

use crate::{Error, Model};
use glam::DVec3;

/// What a particle may do in a step: the pair (S, z) of a projection and a prescribed value.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
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

/// What moves: positions, velocities, and what acts on particles from outside.
#[derive(Debug, PartialEq)]
pub struct State {
    /// Simulated time t \[s\].
    pub time: f64,
    /// Positions q \[m\].
    pub positions: Vec<DVec3>,
    /// Velocities v [m/s].
    pub velocities: Vec<DVec3>,
    /// Forces of the user's own on each particle \[N\], constant until changed.
    pub forces: Vec<DVec3>,
    /// Pins and handles.
    pub filters: Vec<Filter>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        State {
            time: self.time,
            positions: self.positions.clone(),
            velocities: self.velocities.clone(),
            forces: self.forces.clone(),
            filters: self.filters.clone(),
        }
    }

    /// Derived, this would allocate; a step keeps its backup by it.
    fn clone_from(&mut self, other: &Self) {
        self.time = other.time;
        self.positions.clone_from(&other.positions);
        self.velocities.clone_from(&other.velocities);
        self.forces.clone_from(&other.forces);
        self.filters.clone_from(&other.filters);
    }
}

impl State {
    /// At rest, in the model's rest pose, nothing pinned.
    pub fn at_rest(model: &Model) -> Self {
        let m = model.particles();
        State {
            time: 0.0,
            positions: model.rest.clone(),
            velocities: vec![DVec3::ZERO; m],
            forces: vec![DVec3::ZERO; m],
            filters: vec![Filter::Free; m],
        }
    }

    /// Pin a particle where it is now.
    pub fn pin(&mut self, particle: usize) {
        self.filters[particle] = Filter::Pinned(self.positions[particle]);
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
