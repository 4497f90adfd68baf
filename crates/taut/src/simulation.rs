//! The Simulation owns a Model, a State and an Integrator, and has one method that matters: [`Simulation::step`].

use crate::after::{Budget, Limiter, StrainLimit};
use crate::collision::{self, Contacts, Obstacle};
use crate::damping::Damping;
use crate::integrator::{Integrator, Method, Scheme, check_springs, error_of};
use crate::linear::Precision;
use crate::report::{Report, Stages, timed};
use crate::script::{Event, Script};
use crate::threads::{ROWS_WORTH_THREADS, WORTH_THREADS, inside};
use crate::{Error, Filter, Model, State, measure};
use glam::DVec3;

/// A running simulation.
///
/// ```
/// use taut::{DVec3, Method, Simulation, Stop, shapes};
///
/// # fn main() -> Result<(), taut::Error> {
/// // A square metre of cloth, 1 kg, held at two corners.
/// let cloth = shapes::Grid { columns: 11, rows: 11, ..Default::default() }.build()?;
/// let mut simulation = Simulation::new(cloth, Method::LocalGlobal(Stop::iterations(10)), 1.0 / 30.0)?;
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
/// simulation.scale_stiffness(0..springs, 2.0)?;
/// simulation.step()?;
/// # Ok(()) }
/// ```
pub struct Simulation {
    model: Model,
    state: State,
    method: Method,
    damping: Damping,
    scheme: Scheme,
    precision: Precision,
    integrator: Box<dyn Integrator>,
    script: Script,
    limiter: Option<Limiter>,
    budget: Option<Budget>,
    obstacles: Vec<Obstacle>,
    h: f64,
    // Time is origin + steps·h, not a running sum, so that events fall into the step they name.
    origin: f64,
    steps: u64,
    total_steps: u64,
    prepared: bool,
    exact: bool,
    backup: State,
    contacts: Contacts,
    contacts_before: Contacts,
}

impl Simulation {
    /// Start from the model's rest pose, at rest, with time step `h` \[s\].
    pub fn new(model: Model, method: Method, h: f64) -> Result<Self, Error> {
        model.validate()?;
        let state = State::at_rest(&model);
        Simulation::with_state(model, state, method, h)
    }

    /// Start from a state of your own.
    pub fn with_state(model: Model, state: State, method: Method, h: f64) -> Result<Self, Error> {
        model.validate()?;
        method.validate()?;
        method.suits(&model)?;
        check_step(h)?;
        let m = model.particles();
        let counts = [state.positions.len(), state.velocities.len(), state.forces.len(), state.filters.len()];
        if counts.iter().any(|&n| n != m) {
            let remedy = format!("positions, velocities, forces and filters need {m} entries each");
            return Err(Error::setting("state", format!("{counts:?}"), remedy));
        }
        state.check_finite()?;
        let damping = Damping::default();
        Ok(Simulation {
            integrator: method.integrator(damping, Scheme::default(), Precision::default()),
            backup: state.clone(),
            origin: state.time,
            model,
            state,
            method,
            damping,
            scheme: Scheme::default(),
            precision: Precision::default(),
            script: Script::default(),
            limiter: None,
            budget: None,
            obstacles: Vec::new(),
            h,
            steps: 0,
            total_steps: 0,
            prepared: false,
            exact: false,
            contacts: Contacts::default(),
            contacts_before: Contacts::default(),
        })
    }

    /// Advance by one time step. On an error everything is as it was before the step, events included. Large models work
    /// on the threads of rayon's pool: who steps several at once had better do so from a pool of their own, so that none
    /// waits within the step of another.
    pub fn step(&mut self) -> Result<Report, Error> {
        let end = self.origin + (self.steps + 1) as f64 * self.h;
        self.backup.clone_from(&self.state);
        self.contacts.resize(self.model.particles());
        self.contacts_before.clone_from(&self.contacts);
        // Events change the model too. They are rare enough to keep a copy for.
        let before = self.script.due(&self.state, end).then(|| (self.script.clone(), self.model.clone()));
        let Model { springs, masses, .. } = &self.model;
        let large = springs.len() >= WORTH_THREADS || masses.len() >= ROWS_WORTH_THREADS;
        let result = inside(large, || self.stages(end));
        if result.is_err() {
            std::mem::swap(&mut self.state, &mut self.backup);
            std::mem::swap(&mut self.contacts, &mut self.contacts_before);
            if let Some(before) = before {
                (self.script, self.model) = before;
                self.prepared = false;
            }
        }
        result
    }

    fn stages(&mut self, end: f64) -> Result<Report, Error> {
        let mut seconds = Stages::default();
        let Simulation { model, state, integrator, script, limiter, budget, .. } = self;
        let (solids, backup, contacts) = (&self.obstacles, &self.backup, &mut self.contacts);

        let changed = timed(&mut seconds.script, || script.advance(model, state, end));
        state.check_finite()?;
        if changed.structure || !self.prepared {
            self.prepared = false;
            model.validate()?;
            timed(&mut seconds.prepare, || integrator.prepare(model, state, self.h))?;
            limiter.iter_mut().for_each(|l| l.prepare(model, state));
            *budget = Budget::new(self.damping, model, state);
            self.prepared = true;
        }
        let hold = |reactions: &[DVec3]| contacts.hold(solids, model, state, reactions, self.h);
        let held = timed(&mut seconds.collide, || integrator.reactions().map_or(0, hold));
        timed(&mut seconds.limit, || budget.iter_mut().for_each(|b| b.open(model, state, self.h)));
        let solve = timed(&mut seconds.integrate, || integrator.step(model, state, self.h))?;
        if self.method.may_explode(self.scheme) {
            check_springs(model, &state.positions, state.time)?;
        }
        timed(&mut seconds.limit, || budget.iter_mut().for_each(|b| b.close(model, state, self.h)));
        contacts.let_go(state);
        let solved = integrator.solved().filter(|_| self.exact);
        let relative_error = solved.map(|(g, x)| error_of(model, g, x)).transpose()?.map(|e| e.error);
        let limit = |l: &mut Limiter| l.apply(model, &backup.positions, state, self.h);
        let limited = timed(&mut seconds.limit, || limiter.as_mut().map(limit));
        let constrained = integrator.reactions().is_some();
        let hit = |particle, solid| {
            if constrained {
                contacts.touch(particle, solid)
            }
        };
        let resolve = || collision::resolve(solids, &backup.positions, state, self.h, hit);
        let touching = timed(&mut seconds.collide, resolve).max(held);

        self.steps += 1;
        self.total_steps += 1;
        state.time = end;
        Ok(Report { step: self.total_steps, time: end, solve, limited, touching, relative_error, seconds })
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

    /// Time step \[s\].
    pub fn time_step(&self) -> f64 {
        self.h
    }

    /// The method in use.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The damping in use.
    pub fn damping(&self) -> &Damping {
        &self.damping
    }

    /// Kinetic, elastic and gravitational energy now.
    pub fn energy(&self) -> measure::Energy {
        measure::Energy::of(&self.model, &self.state)
    }

    /// Change the method, damping or time step from the next step on.
    pub fn configure(&mut self, method: Method, damping: Damping, h: f64) -> Result<(), Error> {
        method.validate()?;
        method.suits(&self.model)?;
        damping.validate()?;
        check_step(h)?;
        method.check_scheme(self.scheme)?;
        check_conserve(&damping, self.scheme)?;
        self.integrator = method.integrator(damping, self.scheme, self.precision);
        (self.method, self.damping, self.h) = (method, damping, h);
        self.contacts = Contacts::default();
        (self.origin, self.steps) = (self.state.time, 0);
        self.prepared = false;
        Ok(())
    }

    /// Change the time scheme from the next step on.
    pub fn set_scheme(&mut self, scheme: Scheme) -> Result<(), Error> {
        self.method.check_scheme(scheme)?;
        check_conserve(&self.damping, scheme)?;
        self.scheme = scheme;
        self.integrator = self.method.integrator(self.damping, scheme, self.precision);
        self.prepared = false;
        Ok(())
    }

    /// The time scheme in use.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Store the constant matrix of methods that have one in single precision, where a trial shows that this is
    /// enough, or always in double. Forces and positions are in double either way, and a method that iterates to
    /// convergence ends in the same place: single is faster, double keeps an unconverged answer the same to 1e-12,
    /// not only 1e-8, when a scene is turned or renumbered.
    pub fn set_precision(&mut self, precision: Precision) {
        self.precision = precision;
        self.integrator = self.method.integrator(self.damping, self.scheme, precision);
        self.prepared = false;
    }

    /// The precision asked for.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Limit how far springs stretch, after every step, or stop doing so.
    pub fn set_limit(&mut self, limit: Option<StrainLimit>) -> Result<(), Error> {
        limit.iter().try_for_each(StrainLimit::validate)?;
        self.limiter = limit.map(Limiter::new);
        self.prepared = false;
        Ok(())
    }

    /// The strain limit in use.
    pub fn limit(&self) -> Option<&StrainLimit> {
        self.limiter.as_ref().map(|l| &l.limit)
    }

    /// Whether every step is also solved exactly, to report its relative error (slow): that of the scheme's own g.
    /// Methods that minimise nothing report none.
    pub fn measure_error(&mut self, on: bool) {
        self.exact = on;
    }

    /// Events to come; replaces earlier ones.
    pub fn set_script(&mut self, events: Vec<Event>) -> Result<(), Error> {
        self.script = Script::new(events, &self.model)?;
        Ok(())
    }

    /// Rigid obstacles; replaces earlier ones.
    pub fn set_obstacles(&mut self, solids: Vec<Obstacle>) -> Result<(), Error> {
        solids.iter().try_for_each(Obstacle::validate)?;
        (self.obstacles, self.contacts) = (solids, Contacts::default());
        Ok(())
    }

    /// The rigid obstacles.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// Hold a particle where it is.
    pub fn pin(&mut self, particle: usize) -> Result<(), Error> {
        self.check_particle(particle)?;
        self.grab(particle, self.state.positions[particle])
    }

    /// Hold a particle at a place \[m\]: it is exactly there after the next step. Call again to drag it on.
    /// If the script was moving it, it no longer does.
    pub fn grab(&mut self, particle: usize, place: DVec3) -> Result<(), Error> {
        self.check_particle(particle)?;
        self.script.forget(particle);
        self.prepared &= self.state.filters[particle].is_pinned();
        self.state.filters[particle] = Filter::Pinned(place);
        Ok(())
    }

    /// Let a pinned or grabbed particle go, with the velocity it has.
    pub fn release(&mut self, particle: usize) -> Result<(), Error> {
        self.check_particle(particle)?;
        self.script.forget(particle);
        self.prepared &= !self.state.filters[particle].is_pinned();
        self.state.filters[particle] = Filter::Free;
        Ok(())
    }

    /// Set the force of the user's own on a particle \[N\]; it acts until changed.
    pub fn set_force(&mut self, particle: usize, force: DVec3) -> Result<(), Error> {
        self.check_particle(particle)?;
        self.state.forces[particle] = force;
        Ok(())
    }

    /// Take all motion away: every velocity becomes zero.
    pub fn halt(&mut self) {
        self.state.velocities.fill(DVec3::ZERO);
    }

    /// Set the wind [m/s]; it acts if the model's air has a density.
    pub fn set_wind(&mut self, wind: DVec3) -> Result<(), Error> {
        if !wind.is_finite() {
            return Err(Error::setting("wind", wind, "must be finite"));
        }
        self.model.air.wind = wind;
        Ok(())
    }

    /// Multiply the stiffness of some springs.
    pub fn scale_stiffness(&mut self, springs: std::ops::Range<usize>, factor: f64) -> Result<(), Error> {
        self.edit(|model, _| {
            let count = model.springs.len();
            let remedy = || format!("there are only {count} springs");
            let range = model.springs.get_mut(springs.clone());
            let range = range.ok_or_else(|| Error::setting("springs", format!("{springs:?}"), remedy()))?;
            range.iter_mut().for_each(|s| *s = s.scaled(factor));
            Ok(())
        })
    }

    /// Change anything about the model or the state between steps. The result is validated; if it is refused,
    /// or if `change` fails, nothing has changed.
    pub fn edit(
        &mut self,
        change: impl FnOnce(&mut Model, &mut State) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (mut model, mut state) = (self.model.clone(), self.state.clone());
        change(&mut model, &mut state)?;
        self.script.check(&model)?;
        let fresh = Simulation::with_state(model, state, self.method.clone(), self.h)?;
        if fresh.state.time != self.state.time {
            (self.origin, self.steps) = (fresh.state.time, 0);
        }
        (self.model, self.state, self.backup) = (fresh.model, fresh.state, fresh.backup);
        self.contacts = Contacts::default();
        self.prepared = false;
        Ok(())
    }

    fn check_particle(&self, particle: usize) -> Result<(), Error> {
        let m = self.model.particles();
        if particle < m {
            return Ok(());
        }
        Err(Error::setting("particle", particle, format!("there are only {m}, counted from 0")))
    }
}

fn check_step(h: f64) -> Result<(), Error> {
    if h > 0.0 && h.is_finite() {
        return Ok(());
    }
    Err(Error::setting("time step", h, "must be a positive number of seconds, for example 0.0333"))
}

/// Refuse to conserve energy where the time scheme looks back at velocities as it left them.
fn check_conserve(damping: &Damping, scheme: Scheme) -> Result<(), Error> {
    if damping.conserve == 0.0 || scheme != Scheme::Bdf2 {
        return Ok(());
    }
    let remedy = "bdf2 does not allow it, because it needs the velocities of earlier steps: use implicit_euler or midpoint";
    Err(Error::setting("damping.conserve", damping.conserve, remedy))
}
