//! A scene that runs: edits of the user's own, steps, and the way back.

use crate::apart::Pending;
use crate::command::Command;
use crate::hand::Hand;
use crate::report::Taken;
use crate::topology::Topology;
use crate::tune;
use crate::undo::Undo;
use glam::{DQuat, DVec3};
use serde_json::Value;
use taut::collision::Pose;
use taut::doctor::examine;
use taut::{Blade, Edit, Error, Method, Recorded, Scene, Simulation, Solid, clock};

/// Steps of an exchange, at most.
const MOST_STEPS: f64 = 1e5;

/// A scene that runs, and what was done to it.
pub(crate) struct Running {
    pub scene: Scene,
    pub simulation: Simulation,
    pub topology: Topology,
    /// Particles, triangles and springs of the model that was last shown.
    shown: [usize; 3],
    pub hand: Option<Hand>,
    pub pending: Pending,
    /// Why what was prepared could not be made.
    pub late: Option<Error>,
    pub undo: Undo,
    /// What was done before the simulation's own log begins.
    pub past: Vec<Recorded>,
    /// Factors on the stiffness of families.
    pub stiffness: [f64; 3],
    /// Why the last step failed, and a time step \[s\] that would not.
    pub stopped: Option<(String, Option<f64>)>,
    /// The setting that was changed last, if nothing else was done since.
    tuned: Option<String>,
}

impl Running {
    /// A scene from its start.
    pub fn new(scene: Scene) -> Result<Self, Error> {
        let mut simulation = scene.simulation()?;
        simulation.record();
        Ok(Running {
            topology: Topology::new(&scene),
            shown: sizes(&simulation),
            scene,
            simulation,
            hand: None,
            pending: Pending::default(),
            late: None,
            undo: Undo::default(),
            past: Vec::new(),
            stiffness: [1.0; 3],
            stopped: None,
            tuned: None,
        })
    }

    /// Whether the model is another than when this was asked last: whatever has cut it, and whether or not a step was
    /// taken since.
    pub fn was_cut(&mut self) -> bool {
        let now = sizes(&self.simulation);
        std::mem::replace(&mut self.shown, now) != now
    }

    /// Everything that was done, from the start.
    fn log(&self) -> Vec<Recorded> {
        self.past.iter().chain(self.simulation.log()).cloned().collect()
    }

    /// The scene, with what was done as events, and as long as it was played.
    pub fn saved(&self) -> Result<String, Error> {
        let Scene { text, frames, frames_per_second, .. } = &self.scene;
        let played = (self.simulation.state().time * frames_per_second - 1e-6).ceil().max(*frames as f64);
        let log = Scene::log_to_text(&self.log())?;
        Ok(lasting(text, played / frames_per_second) + &log)
    }

    /// Edits of the user's own, each of which can be taken back.
    pub fn make(&mut self, command: Command) -> Result<(), Error> {
        let same = |hand: &&mut Hand, particles: &[usize]| hand.particles == particles;
        let topology = &self.topology;
        let origin = topology.origin;
        let seen = |turn: DQuat, shift: DVec3| Pose { turn, shift: shift + origin - turn * origin };
        let state = self.simulation.state();
        let edit = match command {
            Command::Grab(particles, place) => {
                let target = place + origin;
                if let Some(hand) = self.hand.as_mut().filter(|hand| same(hand, &particles)) {
                    hand.target = target;
                    return Ok(());
                }
                return self.take_up(particles, target);
            }
            Command::Drop => return self.let_go(),
            Command::Set(key, value) => return self.tune(key, &value),
            Command::Pin(particles) => {
                let first = self.exists(&particles)?;
                if state.filters[first].is_pinned() {
                    Edit::Release { particles }
                } else {
                    let places = particles.iter().map(|&i| state.positions[i]).collect();
                    Edit::Place { particles, places }
                }
            }
            Command::Cut(eye, line) => Edit::Cut(self.blade(eye + origin, &line)?),
            Command::Punch(particle) => Edit::CutAt { particles: vec![particle] },
            Command::Solid(number, turn, shift) => {
                let Some(&obstacle) = topology.obstacles.get(number) else {
                    let remedy = format!("there are only {}, counted from 0", topology.obstacles.len());
                    return Err(Error::setting("solid", number, remedy));
                };
                Edit::Move { solid: Solid::Obstacle(obstacle), pose: seen(turn, shift) }
            }
            Command::Body(body, turn, shift) => {
                Edit::Move { solid: Solid::Body(body), pose: seen(turn, shift) }
            }
            _ => return Ok(()),
        };
        // A solid that is led moves in every step: one way back is enough.
        let led = match &edit {
            Edit::Move { solid, .. } => Some(format!("{solid:?}")),
            _ => None,
        };
        if led.is_none() || self.tuned != led {
            self.keep();
        }
        let led_before = std::mem::replace(&mut self.tuned, led.clone());
        let done = self.pending.make(&mut self.simulation, edit);
        if done.is_err() {
            if led.is_none() || led_before != led {
                self.undo.forget();
            }
            self.tuned = led_before;
        }
        done
    }

    /// The first particle, if all are there.
    fn exists(&self, particles: &[usize]) -> Result<usize, Error> {
        let count = self.simulation.model().particles();
        match particles.iter().find(|&&i| i >= count) {
            None => Ok(particles[0]),
            Some(i) => {
                let remedy = format!("there are only {count}, counted from 0");
                Err(Error::setting("particles", format!("particle {i}"), remedy))
            }
        }
    }

    fn keep(&mut self) {
        self.stopped = None;
        let log = self.log();
        self.undo.keep(&self.simulation, log, self.stiffness);
    }

    fn take_up(&mut self, particles: Vec<usize>, target: DVec3) -> Result<(), Error> {
        self.exists(&particles)?;
        let solid = |&&i: &&usize| self.simulation.model().is_solid(i);
        if let Some(i) = particles.iter().find(solid) {
            let remedy = "is of a solid: move the body instead";
            return Err(Error::setting("particles", format!("particle {i}"), remedy));
        }
        self.let_go()?;
        self.keep();
        self.tuned = None;
        self.hand = Some(Hand::new(particles, self.simulation.state(), target));
        Ok(())
    }

    fn let_go(&mut self) -> Result<(), Error> {
        match self.hand.take().and_then(Hand::drop) {
            Some(edit) => self.simulation.edit(edit),
            None => Ok(()),
        }
    }

    fn tune(&mut self, key: String, value: &Value) -> Result<(), Error> {
        let before = self.stiffness;
        let edit = tune::edit(&key, value, &self.simulation, &mut self.stiffness)?;
        let factors = std::mem::replace(&mut self.stiffness, before);
        edit.check(self.simulation.model())?;
        // A slider that moves is one change.
        if self.tuned.as_ref() != Some(&key) {
            self.keep();
        }
        self.stopped = None;
        self.simulation.edit(edit)?;
        (self.stiffness, self.tuned) = (factors, Some(key));
        Ok(())
    }

    pub fn go_back(&mut self) -> Result<(), Error> {
        let (mut simulation, log, stiffness) = self.undo.back()?;
        simulation.record();
        (self.simulation, self.past, self.stiffness) = (simulation, log, stiffness);
        (self.hand, self.stopped, self.tuned) = (None, None, None);
        self.pending.forget();
        Ok(())
    }

    /// Triangles from the eye through a line, to behind all there is.
    fn blade(&self, eye: DVec3, line: &[DVec3]) -> Result<Blade, Error> {
        let line: Vec<DVec3> = line.iter().map(|&p| p + self.topology.origin).collect();
        let positions = &self.simulation.state().positions;
        let far = positions.iter().map(|p| p.distance(eye)).fold(0.0, f64::max);
        let through = |p: DVec3| eye + (p - eye).normalize_or_zero() * 2.0 * far;
        let ends = line.windows(2).map(|ends| [eye, through(ends[0]), through(ends[1])]);
        let blade = Blade { triangles: ends.filter(|[_, a, b]| a != b).collect() };
        if blade.triangles.is_empty() {
            return Err(Error::setting("cut", format!("{} points", line.len()), "a stroke has two at least"));
        }
        blade.validate()?;
        Ok(blade)
    }

    /// Take steps: so many, or until a time \[s\], or until `budget` \[s\] of wall-clock time are over.
    pub fn take(&mut self, steps: u64, until: Option<f64>, budget: f64) -> Taken {
        let mut taken = Taken::default();
        let h = self.simulation.settings().time_step;
        let ahead = until.map_or(0.0, |until| ((until - self.simulation.state().time) / h + 1e-6).floor());
        let planned = ahead.clamp(0.0, MOST_STEPS).max((steps as f64).min(MOST_STEPS)) as u64;
        let asked = steps > 0;
        let started = clock::seconds();
        for done in 0..planned {
            if done > 0 && !asked && clock::seconds() - started > budget {
                taken.behind = true;
                break;
            }
            let began = clock::seconds();
            match self.step(planned - done) {
                Ok(report) => taken.add(report, clock::seconds() - began),
                Err(error) => {
                    self.stopped = Some((error.to_string(), self.steady()));
                    break;
                }
            }
            if self.stopped.is_some() {
                break;
            }
        }
        taken
    }

    /// One of so many steps to the place where the hand is to be.
    fn step(&mut self, left: u64) -> Result<taut::Report, Error> {
        if let Err(error) = self.pending.adopt(&mut self.simulation, false) {
            // Nothing has changed: the steps go on.
            self.late = Some(error);
        }
        let simulation = &mut self.simulation;
        if let Some(hand) = &mut self.hand {
            let (state, h) = (simulation.state(), simulation.settings().time_step);
            let share = 1.0 / left as f64;
            let edit = hand.lead(share, simulation.obstacles(), simulation.model(), state, state.time + h);
            simulation.edit(edit)?;
        }
        simulation.step()
    }

    /// For an explicit method, a step \[s\] at which it is stable.
    fn steady(&self) -> Option<f64> {
        let (model, settings) = (self.simulation.model(), self.simulation.settings());
        let Method::Explicit(scheme) = settings.method else { return None };
        let diagnosis = examine(model, self.simulation.state(), settings.time_step);
        let limit =
            scheme.limit(diagnosis.frequency.any_pose.max(diagnosis.omega_max), settings.damping.drag);
        (limit > 0.0).then_some(0.9 * limit)
    }
}

/// What every cut changes at least one of.
fn sizes(simulation: &Simulation) -> [usize; 3] {
    let model = simulation.model();
    [model.particles(), model.triangles.len(), model.springs.len()]
}

/// The text of a scene that lasts so long \[s\].
fn lasting(text: &str, seconds: f64) -> String {
    let own = |line: &str| line.split('=').next().is_some_and(|key| key.trim() == "duration");
    let tables = text.lines().position(|line| line.trim_start().starts_with('[')).unwrap_or(usize::MAX);
    let kept = text.lines().enumerate().filter(|(n, line)| *n > tables || !own(line));
    let rest: String = kept.flat_map(|(_, line)| [line, "\n"]).collect();
    format!("duration = {seconds:?}\n{rest}")
}
