//! One step: a list of stages.

use super::Simulation;
use crate::after::{EnergyBudget, Limited, Limiter};
use crate::clock::timed;
use crate::collision::{self, Ground, Layers, Level, Obstacle, Pinched, Response};
use crate::cut::Parted;
use crate::integrator::{Contacts, Solve, check_springs, error_of};
use crate::linear::Sequence;
use crate::model::Change;
use crate::report::{Report, Way};
use crate::script::Script;
use crate::threads::{ITERATED_WORTH_THREADS, ROWS_WORTH_THREADS, WORTH_THREADS, inside};
use crate::{Error, Model, Settings, State};

/// Particles that are held without a new factor, at most: each costs a pass over all rows in every solve.
const MOST_HELD: usize = 32;

/// What is put back if something fails that has changed more than the state.
pub(super) struct Undo {
    model: Model,
    state: State,
    settings: Settings,
    script: Script,
    obstacles: Vec<Obstacle>,
    order: Option<Sequence>,
    parted: Option<Parted>,
    /// How long the log was.
    logged: usize,
}

impl Simulation {
    /// Advance by one time step. On an error everything is as it was before the step, events included. Large models work
    /// on the threads of rayon's pool: to step several simulations at once, do so from a pool made for them, so that none
    /// waits within the step of another, or give each [threads of its own](Simulation::use_threads).
    pub fn step(&mut self) -> Result<Report, Error> {
        let threads = self.threads.clone();
        threads.run_if(self.model.particles() >= ITERATED_WORTH_THREADS, || self.step_here())
    }

    fn step_here(&mut self) -> Result<Report, Error> {
        let end = self.next_time();
        self.before.clone_from(&self.state);
        // Events and tears change more than the state. They are rare enough to keep a copy of all for.
        let events = self.script.due(&self.state, end) || !self.script.recorded_now(&self.state).is_empty();
        if events || self.tearing() {
            self.undo = Some(Box::new(self.copy()));
        }
        let ordered = self.integrator.order().is_some();
        let Model { springs, masses, .. } = &self.model;
        let large = springs.len() >= WORTH_THREADS || masses.len() >= ROWS_WORTH_THREADS;
        let result = inside(large, || self.stages());
        if result.as_ref().is_ok_and(|report| self.undo.is_some() || report.followed != Change::Nothing) {
            // What is remembered may have grown: make room for its next copy, so that steps allocate nothing.
            self.before.clone_from(&self.state);
        }
        if result.is_err() {
            self.put_back(ordered);
        }
        self.undo = None;
        result
    }

    /// A copy of what edits may change.
    pub(super) fn copy(&self) -> Undo {
        Undo {
            model: self.model.clone(),
            state: self.state.clone(),
            settings: self.settings.clone(),
            script: self.script.clone(),
            obstacles: self.obstacles.clone(),
            order: self.order().cloned(),
            parted: self.parted,
            logged: self.log().len(),
        }
    }

    /// Put a copy back. The integrator may know of the edits: another is prepared.
    pub(super) fn return_copy(&mut self, copy: Undo) {
        let Undo { model, state, settings, script, obstacles, order, parted, logged } = copy;
        (self.model, self.state, self.settings, self.script) = (model, state, settings, script);
        (self.obstacles, self.parted, self.tears) = (obstacles, parted, None);
        self.log.iter_mut().for_each(|log| log.truncate(logged));
        self.afresh(order);
    }

    /// Put back what there was before the step. `ordered`: whether there was an order of elimination.
    fn put_back(&mut self, ordered: bool) {
        std::mem::swap(&mut self.state, &mut self.before);
        if let Some(undo) = self.undo.take() {
            self.return_copy(*undo);
            return;
        }
        if self.state.memory.held != self.before.memory.held {
            self.change = self.change.max(Change::Rows);
        }
        if !ordered && self.integrator.order().is_some() {
            self.afresh(None);
        }
    }

    fn stages(&mut self) -> Result<Report, Error> {
        let mut report = Report { step: self.state.step + 1, ..Report::default() };
        let seconds = &mut report.seconds;
        let end = timed(&mut seconds.script, || self.play())?;
        report.time = end;
        (report.followed, report.way) = timed(&mut seconds.prepare, || self.follow())?;
        timed(&mut seconds.collide, || self.find_contacts())?;
        timed(&mut seconds.limit, || self.open_budget());
        report.solve = timed(&mut seconds.integrate, || self.integrate(end))?;
        report.missing_energy = timed(&mut seconds.limit, || self.close_budget());
        report.relative_error = self.relative_error()?;
        report.limited = timed(&mut seconds.limit, || self.limit_strain());
        report.touching = timed(&mut seconds.collide, || self.resolve_contacts());
        report.contact = timed(&mut seconds.collide, || self.keep_apart(end))?;
        seconds.contact = self.layers.as_ref().map_or_else(Default::default, |layers| layers.seconds);
        report.touching = report.touching.max(report.contact.map_or(0, |contact| contact.touching));
        (report.inverted, report.first_inverted) = self.model.inverted(&self.state.positions);
        report.parted = self.parted.take();
        (self.state.time, self.state.step) = (report.time, report.step);
        Ok(report)
    }

    /// Edits to be made again, the script up to the end of the step, then what tears; when that end is \[s\].
    fn play(&mut self) -> Result<f64, Error> {
        for recorded in self.script.recorded_now(&self.state).to_vec() {
            let made = recorded.edit.check(&self.model).and_then(|()| self.make(recorded.edit.clone()));
            made.map_err(|e| recorded.name(e))?;
        }
        let end = self.next_time();
        while let Some((number, edit)) = self.script.next(&self.model, &mut self.state, end) {
            self.perform(&edit).map_err(|e| self.script.name(number, e))?;
        }
        self.script.carry(&mut self.state, end);
        if self.undo.is_some() {
            self.tear()?;
            if self.change != Change::Nothing {
                self.model.validate()?;
            }
            // The step begins with what edits have put where.
            self.before.clone_from(&self.state);
        }
        self.state.check_finite()?;
        Ok(end)
    }

    /// Let the integrator, and what comes after it, follow what was changed since the last step.
    pub(super) fn follow(&mut self) -> Result<(Change, Way), Error> {
        let adopted = std::mem::take(&mut self.adopted);
        let apart = adopted != Change::Nothing;
        if self.change == Change::Nothing {
            return Ok((adopted, if apart { Way::Apart } else { Way::Nothing }));
        }
        let mut change = std::mem::replace(&mut self.change, Change::Everything);
        let held = &mut self.state.memory.held;
        if !held.is_empty() && (held.len() > MOST_HELD || self.exact || !self.integrator.keeps_rows()) {
            held.clear();
            change = change.max(Change::Rows);
        }
        let (model, state, settings) = (&self.model, &self.state, &self.settings);
        let known = self.order().is_some();
        self.integrator.follow(model, state, settings.time_step, change)?;
        let way = match change {
            Change::Held if apart => Way::Apart,
            Change::Held => Way::Held,
            _ if known => Way::KeptOrder,
            _ => Way::Fresh,
        };
        self.limiter = settings.limit.map(|limit| Limiter::new(limit, model, state));
        let h = settings.time_step;
        self.budget = EnergyBudget::new(settings.conserve, settings.damping, model, state, h);
        self.layers = match self.layers.take() {
            _ if settings.contact.level == Level::Off => None,
            Some(mut layers) if change <= Change::Rows => {
                layers.pin(model, state);
                Some(layers)
            }
            _ => Some(Layers::new(settings.contact, model, state)?),
        };
        self.make_room();
        self.change = Change::Nothing;
        Ok((change.max(adopted), way))
    }

    /// Make room for what may touch obstacles.
    pub(super) fn make_room(&mut self) {
        let most = if self.obstacles.is_empty() { 0 } else { self.model.particles() };
        self.state.memory.contacts.reserve(most);
        self.before.memory.contacts.reserve(most);
    }

    fn find_contacts(&mut self) -> Result<(), Error> {
        let mut contacts = std::mem::take(&mut self.state.memory.contacts);
        let h = self.settings.time_step;
        collision::find(&self.obstacles, &self.model, &self.state, &mut contacts, h);
        self.state.memory.contacts = contacts;
        self.layers.as_mut().map_or(Ok(()), |layers| layers.begin(&mut self.state))
    }

    fn open_budget(&mut self) {
        let (model, state, h) = (&self.model, &self.state, self.settings.time_step);
        self.budget.iter_mut().for_each(|budget| budget.open(model, state, h));
    }

    fn integrate(&mut self, end: f64) -> Result<Solve, Error> {
        let mut contacts = std::mem::take(&mut self.state.memory.contacts);
        let h = self.settings.time_step;
        let near = self.layers.as_mut().filter(|_| self.integrator.meets());
        let ground = Ground { obstacles: &self.obstacles, from: self.state.time, to: end };
        let near = near.map(|layers| layers.foresee(&self.model, &self.state, ground, h)).transpose()?;
        let touching = Contacts { single: &mut contacts, near };
        let solve = self.integrator.step(&self.model, &mut self.state, touching, h);
        self.state.memory.contacts = contacts;
        if solve.is_ok() && self.settings.method.may_explode(self.settings.scheme) {
            check_springs(&self.model, &self.state.positions, self.state.time)?;
        }
        solve
    }

    fn close_budget(&mut self) -> Option<f64> {
        let contacts = std::mem::take(&mut self.state.memory.contacts);
        let (model, state, h) = (&self.model, &mut self.state, self.settings.time_step);
        let missing = self.budget.as_mut().map(|budget| budget.close(model, state, &contacts, h));
        self.state.memory.contacts = contacts;
        missing
    }

    fn relative_error(&mut self) -> Result<Option<f64>, Error> {
        let solved = self.integrator.solved().filter(|_| self.exact);
        let found = solved.map(|(g, x)| error_of(&self.model, g, x)).transpose()?;
        Ok(found.map(|found| found.error))
    }

    fn limit_strain(&mut self) -> Option<Limited> {
        let (model, before, h) = (&self.model, &self.before.positions, self.settings.time_step);
        self.limiter.as_mut().map(|limiter| limiter.apply(model, before, &mut self.state, h))
    }

    /// Put particles on the surface of obstacles, for methods that will hold them there, and where nothing else does.
    fn resolve_contacts(&mut self) -> usize {
        if self.layers.is_some() && !self.integrator.holds() {
            return 0;
        }
        let mut contacts = std::mem::take(&mut self.state.memory.contacts);
        let (model, before, h) = (&self.model, &self.before, self.settings.time_step);
        let touching = collision::resolve(&self.obstacles, model, before, &mut self.state, &mut contacts, h);
        self.state.memory.contacts = contacts;
        touching
    }

    /// Let nothing pass through anything else: the last thing that moves a particle.
    fn keep_apart(&mut self, end: f64) -> Result<Option<Response>, Error> {
        let Simulation { layers: Some(layers), before, state, model, obstacles, .. } = self else {
            return Ok(None);
        };
        state.check_places(&state.positions)?;
        let State { positions, velocities, time, .. } = &mut *state;
        let h = self.settings.time_step;
        let ground = Ground { obstacles, from: *time, to: end };
        let tangled = layers.tangled;
        let response = layers.respond(ground, &before.positions, positions, velocities, h);
        let response = response.map(|response| Response { tangled, ..response });
        let time = *time;
        layers.end(state);
        response.map(Some).map_err(|Pinched { mut particles, pair, obstacle }| {
            let body = |i: u32| model.body_name(model.tag(i as usize)).to_string();
            let solid = |k: u32| format!("solid {k}, a {},", obstacles[k as usize].shape.name());
            let second = obstacle.map_or_else(|| body(particles[pair]), solid);
            let bodies = [body(particles[0]), second];
            particles.dedup();
            Error::Pinched { particles, bodies, time }
        })
    }
}
