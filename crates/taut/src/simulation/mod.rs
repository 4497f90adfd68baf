//! The Simulation owns a Model, a State, Settings and an Integrator, and has one method that matters:
//! [`Simulation::step`].

mod cut;
#[cfg(feature = "snapshot")]
mod snapshot;
mod step;

#[cfg(feature = "snapshot")]
pub use snapshot::Restored;

use crate::after::{EnergyBudget, Limiter};
use crate::collision::{Layers, Obstacle, Pose};
use crate::cut::Parted;
use crate::energy::edges;
use crate::integrator::Integrator;
use crate::model::Change;
use crate::script::{Event, Script};
use crate::state::{Cursor, Memory, Origin, Slot};
use crate::{Edit, Error, Filter, Model, Settings, Solid, State, measure};
use glam::DVec3;

/// A running simulation.
///
/// ```
/// use taut::{DVec3, Edit, Method, Settings, Simulation, Stop, shapes};
///
/// # fn main() -> Result<(), taut::Error> {
/// // A square metre of cloth, 1 kg, held at two corners.
/// let cloth = shapes::Grid { columns: 11, rows: 11, ..Default::default() }.build()?;
/// let settings = Settings::new(Method::LocalGlobal(Stop::iterations(10)), 1.0 / 30.0);
/// let mut simulation = Simulation::new(cloth, settings)?;
/// simulation.pin(0)?;
/// simulation.pin(10)?;
/// for _ in 0..30 {
///     simulation.step()?;
/// }
/// let lowest = simulation.positions().iter().map(|p| p.y).fold(0.0, f64::min);
/// assert!(lowest < -0.3, "it falls");
///
/// // Grab a free corner, lift it, let go.
/// simulation.grab(120, DVec3::new(0.5, 0.5, 0.5))?;
/// simulation.step()?;
/// assert_eq!(simulation.positions()[120], DVec3::new(0.5, 0.5, 0.5));
/// simulation.release(120)?;
///
/// // Twice as stiff from now on.
/// let springs = simulation.model().springs.len();
/// simulation.edit(Edit::Stiffness { springs: (0..springs).collect(), factor: 2.0 })?;
/// simulation.step()?;
/// # Ok(()) }
/// ```
pub struct Simulation {
    model: Model,
    state: State,
    settings: Settings,
    script: Script,
    obstacles: Vec<Obstacle>,
    integrator: Box<dyn Integrator>,
    limiter: Option<Limiter>,
    layers: Option<Layers>,
    budget: Option<EnergyBudget>,
    /// What was changed since the integrator last followed.
    change: Change,
    /// How far the state it began from was in a script, until one is set.
    resumed: Cursor,
    /// The state before the step.
    before: State,
    /// What was cut since the last step.
    parted: Option<Parted>,
    /// What is put back if a step fails that has changed more than the state.
    undo: Option<Box<step::Undo>>,
    /// Whether every step is also solved exactly.
    exact: bool,
}

impl Simulation {
    /// Start from the model's rest pose, at rest.
    pub fn new(model: Model, settings: Settings) -> Result<Self, Error> {
        model.validate()?;
        let state = State::at_rest(&model);
        Simulation::with_state(model, state, settings)
    }

    /// Start from a state of your own, or go on from one that another simulation had: with the same model, settings,
    /// events and obstacles that gives the same bits as the other's next steps.
    pub fn with_state(model: Model, mut state: State, settings: Settings) -> Result<Self, Error> {
        model.validate()?;
        settings.validate()?;
        settings.suits(&model)?;
        state.validate(&model)?;
        state.memory.keep_particles(model.particles());
        state.memory.held.retain(|&i| state.filters[i as usize].is_pinned());
        // Its positions may be anybody's.
        state.memory.inspected = false;
        keep_origin(&mut state, settings.time_step);
        Ok(Simulation {
            resumed: std::mem::take(&mut state.memory.script),
            integrator: settings.integrator(),
            before: state.clone(),
            model,
            state,
            settings,
            script: Script::default(),
            obstacles: Vec::new(),
            limiter: None,
            layers: None,
            budget: None,
            change: Change::Everything,
            parted: None,
            undo: None,
            exact: false,
        })
    }

    /// Positions \[m\], one per particle.
    pub fn positions(&self) -> &[DVec3] {
        &self.state.positions
    }

    /// What is fixed during a step.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What moves.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// How steps are taken.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Events, in order of time.
    pub fn events(&self) -> &[Event] {
        self.script.events()
    }

    /// The rigid obstacles.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// Kinetic, elastic and gravitational energy now.
    pub fn energy(&self) -> measure::Energy {
        measure::Energy::of(&self.model, &self.state)
    }

    /// Whether every step is also solved exactly, to report its relative error (slow): that of the scheme's own g.
    /// Methods that minimise nothing report none.
    pub fn measure_error(&mut self, on: bool) {
        self.exact = on;
        if on && !self.state.memory.held.is_empty() {
            // Newton has to know who is held.
            self.change = self.change.max(Change::Rows);
        }
    }

    /// Events to come; replaces earlier ones, and ends the paths they had begun. A simulation that has none yet and goes
    /// on from the state of another is as far in these events as that was.
    pub fn set_script(&mut self, events: Vec<Event>) -> Result<(), Error> {
        self.script = Script::new(events, &self.model)?;
        self.state.memory.script = std::mem::take(&mut self.resumed);
        if !self.script.fits(&self.state) {
            self.state.memory.script = Cursor::default();
        }
        Ok(())
    }

    /// Rigid obstacles; replaces earlier ones, with which contact ends. A simulation that has none yet and goes on from
    /// the state of another keeps the contacts of that.
    pub fn set_obstacles(&mut self, obstacles: Vec<Obstacle>) -> Result<(), Error> {
        obstacles.iter().try_for_each(Obstacle::validate)?;
        if !self.obstacles.is_empty() {
            self.state.memory.contacts.clear();
        }
        self.obstacles = obstacles;
        self.change = self.change.max(Change::Values);
        Ok(())
    }

    /// Change something, between two steps. If it is refused, nothing has changed.
    pub fn edit(&mut self, edit: Edit) -> Result<(), Error> {
        match edit {
            Edit::Settings(settings) => self.configure(*settings),
            Edit::Replace(other) => self.replace(other.0, other.1),
            Edit::Move { solid, pose } => self.move_solid(solid, pose),
            Edit::Cut(blade) => self.cut(&blade).map(drop),
            edit => {
                edit.check(&self.model)?;
                let change = match edit {
                    // Its path is the script's business from now on.
                    Edit::Hold { .. } => self.script.begin(edit, &mut self.model, &mut self.state),
                    edit => edit.apply(&mut self.model, &mut self.state),
                };
                self.note(change);
                Ok(())
            }
        }
    }

    /// Move a solid to a pose, seen from how it was given (an obstacle's form, the rest pose of a body): it is exactly
    /// there after the next step, and stays until it is moved again. What moved it before is forgotten.
    pub fn move_solid(&mut self, solid: Solid, pose: Pose) -> Result<(), Error> {
        pose.validate()?;
        let (now, then) = (self.state.time, self.next_time());
        let refuse = |what: String, remedy: String| Err(Error::setting("solid", what, remedy));
        match solid {
            Solid::Obstacle(number) => {
                let count = self.obstacles.len();
                let Some(obstacle) = self.obstacles.get_mut(number) else {
                    let remedy = format!("there are only {count}, counted from 0");
                    return refuse(format!("obstacle {number}"), remedy);
                };
                obstacle.motion.get_or_insert_default().reach(pose, now, then);
            }
            Solid::Body(body) => {
                if !self.model.bodies.get(body).is_some_and(|body| body.solid) {
                    let solids = (0..self.model.bodies.len()).filter(|&b| self.model.bodies[b].solid);
                    let remedy = format!("the bodies that are solids are {:?}", solids.collect::<Vec<_>>());
                    return refuse(format!("body {body}"), remedy);
                }
                let particles: Vec<usize> = self.model.particles_of(body).collect();
                let places = particles.iter().map(|&i| pose.at(self.model.rest[i])).collect();
                let place = Edit::Place { particles, places };
                place.check(&self.model)?;
                self.script.leave_solid(body, &self.model, &self.state);
                self.edit(place)?;
            }
        }
        Ok(())
    }

    /// When the next step ends \[s\].
    fn next_time(&self) -> f64 {
        let origin = self.state.memory.origin;
        origin.time + (self.state.step - origin.step + 1) as f64 * self.settings.time_step
    }

    /// Take steps in another way from now on.
    pub fn configure(&mut self, settings: Settings) -> Result<(), Error> {
        settings.validate()?;
        settings.suits(&self.model)?;
        let order = self.integrator.order().cloned();
        self.integrator = settings.integrator();
        order.into_iter().for_each(|order| self.integrator.adopt(&self.model, order));
        self.settings = settings;
        self.state.memory.contacts.clear();
        self.state.memory.held.clear();
        self.state.memory.inspected = false;
        self.state.memory.loads.clear();
        self.state.memory.integrator = Slot::default();
        set_origin(&mut self.state);
        self.change = Change::Everything;
        Ok(())
    }

    /// Go on with another model, from another state.
    fn replace(&mut self, model: Model, mut state: State) -> Result<(), Error> {
        model.validate()?;
        state.validate(&model)?;
        self.settings.suits(&model)?;
        self.script.check(&model)?;
        // The script goes on where it is; what else a state remembers is of another model.
        state.memory = Memory { script: self.state.memory.script.clone(), ..Memory::default() };
        state.memory.keep_particles(model.particles());
        set_origin(&mut state);
        if model.particles() != self.model.particles() || edges(&model) != edges(&self.model) {
            // Its order is that of another graph.
            self.integrator = self.settings.integrator();
        }
        (self.model, self.state) = (model, state);
        self.change = Change::Everything;
        Ok(())
    }

    /// Change anything about the model or the state between steps, on copies. The result is checked; if it is refused,
    /// or if `change` fails, nothing has changed.
    pub fn rebuild(
        &mut self,
        change: impl FnOnce(&mut Model, &mut State) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (mut model, mut state) = (self.model.clone(), self.state.clone());
        change(&mut model, &mut state)?;
        self.replace(model, state)
    }

    /// Go back to a state this simulation has had: the next steps are those it took from there, bit for bit.
    pub fn return_to(&mut self, state: &State) -> Result<(), Error> {
        state.validate(&self.model)?;
        let pinned = |state: &State| state.filters.iter().map(Filter::is_pinned).collect::<Vec<_>>();
        if pinned(state) != pinned(&self.state) || state.memory.held != self.state.memory.held {
            self.change = self.change.max(Change::Rows);
        }
        self.state.clone_from(state);
        self.state.memory.inspected = false;
        Ok(())
    }

    /// Hold a particle where it is.
    pub fn pin(&mut self, particle: usize) -> Result<(), Error> {
        let place = self.state.positions.get(particle).copied().unwrap_or_default();
        self.grab(particle, place)
    }

    /// Hold a particle at a place \[m\]: it is exactly there after the next step. Call again to drag it on.
    /// If the script was moving it, it no longer does.
    pub fn grab(&mut self, particle: usize, place: DVec3) -> Result<(), Error> {
        self.edit(Edit::Place { particles: vec![particle], places: vec![place] })
    }

    /// Let a pinned or grabbed particle go, with the velocity it has.
    pub fn release(&mut self, particle: usize) -> Result<(), Error> {
        self.edit(Edit::Release { particles: vec![particle] })
    }

    /// Set the force of the user's own on a particle \[N\]; it acts until changed.
    pub fn set_force(&mut self, particle: usize, force: DVec3) -> Result<(), Error> {
        self.edit(Edit::Forces { particles: vec![particle], forces: vec![force] })
    }

    /// Set the wind [m/s]; it acts if the model's air has a density.
    pub fn set_wind(&mut self, wind: DVec3) -> Result<(), Error> {
        self.edit(Edit::Wind(wind))
    }

    /// Multiply the stiffness of some springs.
    pub fn scale_stiffness(&mut self, springs: std::ops::Range<usize>, factor: f64) -> Result<(), Error> {
        let count = self.model.springs.len();
        if springs.start > springs.end || springs.end > count {
            let remedy = format!("must be a range of the {count} springs, from the first to before the last");
            return Err(Error::setting("springs", format!("{springs:?}"), remedy));
        }
        self.edit(Edit::Stiffness { springs: springs.collect(), factor })
    }

    /// Take all motion away: every velocity becomes zero.
    pub fn halt(&mut self) {
        self.state.velocities.fill(DVec3::ZERO);
    }

    /// A change has been made. What integrators remember of earlier steps belongs to what they were prepared for.
    fn note(&mut self, change: Change) {
        if change != Change::Nothing {
            self.change = self.change.max(change);
            self.state.memory.integrator.clear();
        }
    }
}

/// Count time as the state does, if it does so in steps of `h` \[s\]; else from now.
fn keep_origin(state: &mut State, h: f64) {
    let Origin { time, step } = state.memory.origin;
    let steps = state.step.checked_sub(step);
    if !steps.is_some_and(|steps| time + steps as f64 * h == state.time) {
        set_origin(state);
    }
}

/// Count time from now: `origin + n·h`, not a running sum, so that events fall into the step they name.
fn set_origin(state: &mut State) {
    state.memory.origin = Origin { time: state.time, step: state.step };
}
