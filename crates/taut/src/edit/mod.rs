//! Edits: everything that can be done to a simulation while it runs. Scripts are timed edits; the setters of
//! [`Simulation`](crate::Simulation) send them, and so do viewers and other languages.
//!
//! An edit is checked before it changes anything: one that is refused has changed no bit. Applying it costs what it
//! touches, and gives the [`Change`] that integrators follow.

mod check;

use crate::collision::{Course, Pose};
use crate::cut::{Blade, Opening};
use crate::model::Change;
use crate::{Filter, Model, Settings, State, keys};
use glam::DVec3;

/// A displacement over time \[m\], straight between keys, constant before the first and after the last.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Path {
    /// (time after the edit \[s\], displacement \[m\]), times increasing.
    pub keys: Vec<(f64, DVec3)>,
}

impl Path {
    /// Displacement \[m\] at a time \[s\] after the edit.
    pub fn at(&self, time: f64) -> DVec3 {
        keys::value_at(&self.keys, time)
    }
}

/// Something done to a simulation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[cfg_attr(
    feature = "snapshot",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case", deny_unknown_fields)
)]
pub enum Edit {
    /// Pin particles and carry each along the path, from where it is.
    Hold {
        /// Which particles.
        #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
        particles: Vec<usize>,
        /// How they move.
        path: Path,
    },
    /// Pin particles at places: each is exactly there after the next step.
    Place {
        /// Which particles.
        #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
        particles: Vec<usize>,
        /// Where, one place for each \[m\].
        places: Vec<DVec3>,
    },
    /// Let particles go, with the velocity they have.
    Release {
        /// Which particles.
        #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
        particles: Vec<usize>,
    },
    /// Set forces that act until changed.
    Forces {
        /// On which particles.
        #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
        particles: Vec<usize>,
        /// One for each \[N\].
        forces: Vec<DVec3>,
    },
    /// Set the wind [m/s]; it acts if the model's air has a density.
    Wind(DVec3),
    /// Set the acceleration of gravity [m/s²].
    Gravity(DVec3),
    /// Multiply the stiffness of springs.
    Stiffness {
        /// Which springs.
        #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
        springs: Vec<usize>,
        /// By how much (dimensionless, zero or more).
        factor: f64,
    },
    /// Put particles elsewhere; velocities stay.
    Positions {
        /// Which particles.
        #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
        particles: Vec<usize>,
        /// Where, one place for each \[m\].
        positions: Vec<DVec3>,
    },
    /// Set velocities.
    Velocities {
        /// Of which particles.
        #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
        particles: Vec<usize>,
        /// One for each [m/s].
        velocities: Vec<DVec3>,
    },
    /// Pin particles and let them move as prescribed: in each frame where that says, or as a rigid body from where they
    /// are; those of a solid from their rest pose.
    Follow {
        /// Which particles.
        #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
        particles: Vec<usize>,
        /// How they move, by the time after the edit.
        course: Course,
    },
    /// Cut through everything that a blade meets: see [`Simulation::cut`](crate::Simulation::cut).
    Cut(Blade),
    /// Punch holes: see [`Simulation::cut_at`](crate::Simulation::cut_at).
    CutAt {
        /// Around which particles.
        #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
        particles: Vec<usize>,
    },
    /// Open these edges and faces of the mesh, wherever it is: a cut that was prepared apart.
    Open(Opening),
    /// Take steps in another way from now on. (Never an event.)
    Settings(Box<Settings>),
    /// Go on with another model, from another state. (Never an event.)
    Replace(Box<(Model, State)>),
    /// Move a solid: it is exactly there after the next step, and stays. What moved it before is forgotten. (Never an
    /// event.)
    Move {
        /// Which solid.
        solid: Solid,
        /// Where to, seen from how it was given.
        pose: Pose,
    },
    /// Set the stiffness of springs; one that buckles keeps its form, and all its forces grow alike.
    Stiffnesses {
        /// Which springs.
        #[cfg_attr(feature = "snapshot", serde(with = "crate::packed"))]
        springs: Vec<usize>,
        /// One for each [N/m].
        stiffness: Vec<f64>,
    },
}

/// A solid of a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "snapshot",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum Solid {
    /// An obstacle, by its number.
    Obstacle(usize),
    /// A body that is a solid, by its number.
    Body(usize),
}

impl Edit {
    /// Whether more than [`Edit::check`] can refuse it when much is done already.
    pub(crate) fn may_fail(&self) -> bool {
        matches!(self, Edit::Cut(_) | Edit::CutAt { .. } | Edit::Open(_))
    }

    /// The particles it carries from now on.
    pub(crate) fn carries(&self) -> Option<&[usize]> {
        match self {
            Edit::Hold { particles, .. } | Edit::Follow { particles, .. } => Some(particles),
            _ => None,
        }
    }

    /// Where it has carried its particle `number`, which began at `from` \[m\], after a time \[s\].
    pub(crate) fn place(&self, number: usize, from: DVec3, time: f64) -> Option<DVec3> {
        match self {
            Edit::Hold { path, .. } => Some(from + path.at(time)),
            Edit::Follow { particles, course } => Some(course.at((number, particles.len()), from, time)),
            _ => None,
        }
    }

    /// Do what was checked to a model and a state. Paths, cuts, settings and solids are the business of whoever keeps them:
    /// a `Hold` only pins here.
    pub(crate) fn apply(&self, model: &mut Model, state: &mut State) -> Change {
        let mut change = Change::Nothing;
        match self {
            Edit::Hold { particles, .. } | Edit::Follow { particles, .. } => {
                for &i in particles {
                    change = change.max(pin(state, i, state.positions[i]));
                }
            }
            Edit::Place { particles, places } => {
                state.memory.script.leave(particles);
                for (&i, &place) in particles.iter().zip(places) {
                    change = change.max(pin(state, i, place));
                }
            }
            Edit::Release { particles } => {
                state.memory.script.leave(particles);
                for &i in particles {
                    if std::mem::take(&mut state.filters[i]) != Filter::Free {
                        change = change.max(state.memory.let_go(i));
                    }
                }
            }
            Edit::Forces { particles, forces } => write(&mut state.forces, particles, forces),
            Edit::Positions { particles, positions } => {
                // Somebody must look again what crosses what.
                state.memory.inspected = false;
                state.memory.loads.clear();
                write(&mut state.positions, particles, positions)
            }
            Edit::Velocities { particles, velocities } => write(&mut state.velocities, particles, velocities),
            Edit::Wind(wind) => model.air.wind = *wind,
            Edit::Gravity(gravity) => model.gravity = *gravity,
            Edit::Stiffness { springs, factor } => {
                springs.iter().for_each(|&i| model.springs[i] = model.springs[i].scaled(*factor));
                change = Change::Values;
            }
            Edit::Stiffnesses { springs, stiffness } => {
                let own = springs.iter().zip(stiffness);
                own.for_each(|(&i, &k)| model.springs[i] = model.springs[i].with_stiffness(k));
                change = Change::Values;
            }
            Edit::Cut(_) | Edit::CutAt { .. } | Edit::Open(_) => {}
            Edit::Settings(_) | Edit::Replace(_) | Edit::Move { .. } => {}
        }
        change
    }
}

/// Pin a particle, which may keep its row if it had one. What is pinned where it is is at rest.
fn pin(state: &mut State, particle: usize, place: DVec3) -> Change {
    let before = std::mem::replace(&mut state.filters[particle], Filter::Pinned(place));
    if before.is_pinned() {
        return Change::Nothing;
    }
    if place == state.positions[particle] {
        state.velocities[particle] = DVec3::ZERO;
    }
    state.memory.hold(particle, state.step)
}

fn write(list: &mut [DVec3], particles: &[usize], values: &[DVec3]) {
    particles.iter().zip(values).for_each(|(&i, &value)| list[i] = value);
}
