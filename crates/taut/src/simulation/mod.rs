//! The Simulation owns a Model, a State, Settings and an Integrator, and has one method that matters:
//! [`Simulation::step`].

mod apart;
mod edits;
#[cfg(feature = "snapshot")]
mod snapshot;
mod step;

pub use apart::Apart;

#[cfg(feature = "snapshot")]
pub use snapshot::Restored;

use crate::after::{EnergyBudget, Limiter};
use crate::collision::{Layers, Obstacle};
use crate::cut::{Parted, Tears};
use crate::integrator::Integrator;
use crate::model::Change;
use crate::script::{Event, Recorded, Script};
use crate::state::{Cursor, Origin};
use crate::{Error, Filter, Model, Settings, State, Threads, measure};
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
    /// What can tear, as long as the model is the one it was found for.
    tears: Option<Tears>,
    /// What is put back if a step fails that has changed more than the state.
    undo: Option<Box<step::Undo>>,
    /// Whether every step is also solved exactly.
    exact: bool,
    /// What was done since somebody asked for a log.
    log: Option<Vec<Recorded>>,
    /// On which threads it steps.
    threads: Threads,
    /// What the integrator has followed elsewhere, and the next report is to say.
    adopted: Change,
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
            tears: None,
            undo: None,
            exact: false,
            log: None,
            threads: Threads::default(),
            adopted: Change::Nothing,
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

    /// The threads it steps on.
    pub fn threads(&self) -> &Threads {
        &self.threads
    }

    /// Step on other threads from now on; the bits stay the same.
    ///
    /// ```
    /// use taut::{Method, Settings, Simulation, Threads, shapes};
    ///
    /// # fn main() -> Result<(), taut::Error> {
    /// let cloth = shapes::Grid { columns: 41, rows: 41, ..Default::default() }.build()?;
    /// let mut simulation = Simulation::new(cloth, Settings::new(Method::default(), 1.0 / 30.0))?;
    /// simulation.use_threads(Threads::alone());
    /// simulation.step()?;
    /// simulation.use_threads(Threads::own(2)?);
    /// simulation.step()?;
    /// # Ok(()) }
    /// ```
    pub fn use_threads(&mut self, threads: Threads) {
        self.threads = threads;
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
        let recorded = self.script.recorded().to_vec();
        self.script = Script::new(events, &self.model)?;
        self.script.replay(recorded)?;
        self.forget_log();
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
        self.forget_log();
        self.change = self.change.max(Change::Values);
        Ok(())
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
        self.forget_log();
        Ok(())
    }

    /// When the next step ends \[s\].
    fn next_time(&self) -> f64 {
        let origin = self.state.memory.origin;
        origin.time + (self.state.step - origin.step + 1) as f64 * self.settings.time_step
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
