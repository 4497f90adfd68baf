//! Timed events: what a scene does to itself while it runs. Pins follow paths and let go, wind changes.

use crate::{Error, Filter, Model, State, keys};
use glam::DVec3;

/// A displacement over time \[m\], straight between keys, constant before the first and after the last.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Path {
    /// (time after the event's start \[s\], displacement \[m\]), times increasing.
    pub keys: Vec<(f64, DVec3)>,
}

impl Path {
    /// Displacement at a time after the event's start.
    pub fn at(&self, time: f64) -> DVec3 {
        keys::value_at(&self.keys, time)
    }
}

/// What happens.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// Pin particles and carry each along the path, from where it was when the event began.
    Move {
        /// Which particles.
        particles: Vec<usize>,
        /// How they move.
        path: Path,
    },
    /// Let particles go, with the velocity they have.
    Release {
        /// Which particles.
        particles: Vec<usize>,
    },
    /// Set the wind [m/s].
    Wind(DVec3),
    /// Multiply the stiffness of some springs.
    Stiffness {
        /// Which springs.
        springs: Vec<usize>,
        /// By how much (dimensionless, zero or more).
        factor: f64,
    },
}

/// An action and when it begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Simulated time \[s\].
    pub time: f64,
    /// What happens then.
    pub action: Action,
}

/// Events in order of time, and how far the simulation has got with them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    events: Vec<Event>,
    begun: usize,
    /// Paths under way: the particle, where it started, which event.
    moving: Vec<(usize, DVec3, usize)>,
}

/// What the events of a step changed that integrators have prepared for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Changed {
    /// The set of pinned particles or the springs changed: prepare again.
    pub structure: bool,
}

impl Script {
    /// Check and sort events.
    pub fn new(mut events: Vec<Event>, model: &Model) -> Result<Self, Error> {
        check_all(&events, model)?;
        events.sort_by(|a, b| a.time.total_cmp(&b.time));
        Ok(Script { events, begun: 0, moving: Vec::new() })
    }

    /// Refuse a model that lacks particles or springs the events name.
    pub fn check(&self, model: &Model) -> Result<(), Error> {
        check_all(&self.events, model)
    }

    /// Whether an event begins in the step from `state.time` to `until` \[s\]: one that is named for the very end
    /// of a step belongs to the next. A millionth of a step is that end, because `origin + n·h` is rounded.
    pub fn due(&self, state: &State, until: f64) -> bool {
        let end = until - 1e-6 * (until - state.time);
        self.events.get(self.begun).is_some_and(|event| event.time < end)
    }

    /// Leave a particle to the hand that took it: its path, if it is on one, ends here.
    pub fn forget(&mut self, particle: usize) {
        self.moving.retain(|&(i, ..)| i != particle);
    }

    /// Bring pins and wind to where they are at time `until` \[s\], the end of the coming step.
    pub fn advance(&mut self, model: &mut Model, state: &mut State, until: f64) -> Changed {
        let mut changed = Changed::default();
        while self.due(state, until) {
            let event = &self.events[self.begun];
            let number = self.begun;
            match &event.action {
                Action::Move { particles, .. } => {
                    for &i in particles {
                        changed.structure |= !state.filters[i].is_pinned();
                        self.moving.retain(|&(particle, ..)| particle != i);
                        self.moving.push((i, state.positions[i], number));
                    }
                }
                Action::Release { particles } => {
                    for &i in particles {
                        changed.structure |= state.filters[i].is_pinned();
                        state.filters[i] = Filter::Free;
                        self.moving.retain(|&(particle, ..)| particle != i);
                    }
                }
                Action::Wind(wind) => model.air.wind = *wind,
                Action::Stiffness { springs, factor } => {
                    springs.iter().for_each(|&i| model.springs[i] = model.springs[i].scaled(*factor));
                    changed.structure = true;
                }
            }
            self.begun += 1;
        }
        for &(i, from, number) in &self.moving {
            let event = &self.events[number];
            if let Action::Move { path, .. } = &event.action {
                state.filters[i] = Filter::Pinned(from + path.at(until - event.time));
            }
        }
        changed
    }
}

fn check_all(events: &[Event], model: &Model) -> Result<(), Error> {
    for (i, event) in events.iter().enumerate() {
        check(event, model).map_err(|(key, value, remedy)| {
            Error::setting(format!("{key} of event {i} at {} s", event.time), value, remedy)
        })?;
    }
    Ok(())
}

/// Refuse an impossible event: key as in a scene, value, remedy.
pub(crate) fn check(event: &Event, model: &Model) -> Result<(), (&'static str, String, String)> {
    let fail = |key, value: String, remedy: &str| Err((key, value, remedy.to_string()));
    let shown = |(t, p): &(f64, DVec3)| format!("[{t}, {}, {}, {}]", p.x, p.y, p.z);
    if !event.time.is_finite() {
        return fail("time", event.time.to_string(), "times must be finite");
    }
    match &event.action {
        Action::Move { particles, .. } | Action::Release { particles }
            if particles.iter().any(|&i| i >= model.particles()) =>
        {
            let worst = particles.iter().max().copied().unwrap_or(0);
            let remedy = format!("there are only {} particles", model.particles());
            fail("particles", format!("particle {worst}"), &remedy)
        }
        Action::Move { path, .. } => {
            if let Some(key) = path.keys.iter().find(|(t, p)| !t.is_finite() || !p.is_finite()) {
                return fail("path", shown(key), "path times and positions must be finite");
            }
            match path.keys.windows(2).find(|k| k[0].0 >= k[1].0) {
                Some(k) => {
                    fail("path", format!("{}, {}", shown(&k[0]), shown(&k[1])), "path times must increase")
                }
                None => Ok(()),
            }
        }
        Action::Wind(wind) if !wind.is_finite() => fail("wind", wind.to_string(), "must be finite"),
        Action::Stiffness { springs, .. } if springs.iter().any(|&i| i >= model.springs.len()) => {
            let worst = springs.iter().max().copied().unwrap_or(0);
            let remedy = format!("there are only {} springs", model.springs.len());
            fail("springs", format!("spring {worst}"), &remedy)
        }
        Action::Stiffness { factor, .. } if !(*factor >= 0.0 && factor.is_finite()) => {
            fail("stiffness", factor.to_string(), "must be zero or more and finite")
        }
        _ => Ok(()),
    }
}
