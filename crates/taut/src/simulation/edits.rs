//! Edits of a running simulation, by whoever makes them: a hand between two steps, a script or a log within one.

use super::{Simulation, set_origin};
use crate::collision::Pose;
use crate::cut::{self, Blade, Severed, Tears};
use crate::energy::edges;
use crate::linear::Sequence;
use crate::model::Change;
use crate::script::Recorded;
use crate::state::{Memory, Slot};
use crate::{Edit, Error, Model, Settings, Solid, State};
use glam::DVec3;

impl Simulation {
    /// Change something, between two steps. If it is refused, nothing has changed.
    pub fn edit(&mut self, edit: Edit) -> Result<(), Error> {
        self.edited(edit).map(drop)
    }

    /// The same; of a cut, what it has done.
    fn edited(&mut self, edit: Edit) -> Result<Severed, Error> {
        edit.check(&self.model)?;
        let undo = edit.may_fail().then(|| self.copy());
        let done = self.make(edit);
        if let (Err(_), Some(undo)) = (&done, undo) {
            self.return_copy(undo);
        }
        done
    }

    /// Make an edit that was checked, and log it. What fails may be half done.
    pub(super) fn make(&mut self, edit: Edit) -> Result<Severed, Error> {
        if edit.carries().is_some() {
            // Its path is the script's business from now on.
            self.script.begin(&edit, &self.model, &mut self.state);
        }
        let severed = self.perform(&edit)?;
        let step = self.state.step;
        self.log.iter_mut().for_each(|log| log.push(Recorded { step, edit: edit.clone() }));
        Ok(severed)
    }

    /// Do what was checked.
    pub(super) fn perform(&mut self, edit: &Edit) -> Result<Severed, Error> {
        match edit {
            Edit::Settings(settings) => self.take(settings),
            Edit::Replace(other) => self.replace(&other.0, &other.1)?,
            Edit::Move { solid, pose } => self.put(*solid, *pose)?,
            Edit::Cut(blade) => return self.part(|model, state| cut::sever(model, state, blade)),
            Edit::CutAt { particles } => {
                return self.part(|model, state| Ok(cut::punch(model, state, particles)));
            }
            Edit::Open(opening) => return self.part(|model, state| cut::open(model, state, opening)),
            edit => {
                let change = edit.apply(&mut self.model, &mut self.state);
                self.note(change);
            }
        }
        Ok(Severed::default())
    }

    /// Keep a log from now on, of edits by hand and of those made again from another log, but not of a script's own
    /// events: see [`Simulation::log`].
    ///
    /// ```
    /// use taut::{DVec3, Method, Settings, Simulation, shapes};
    ///
    /// # fn main() -> Result<(), taut::Error> {
    /// let cloth = shapes::Grid { columns: 5, rows: 5, ..Default::default() }.build()?;
    /// let start = || Simulation::new(cloth.clone(), Settings::new(Method::default(), 1.0 / 30.0));
    /// let mut live = start()?;
    /// live.record();
    /// live.step()?;
    /// live.grab(24, DVec3::Y)?;
    /// live.step()?;
    /// live.release(24)?;
    /// live.step()?;
    ///
    /// let mut again = start()?;
    /// again.replay(live.log().to_vec())?;
    /// (0..3).try_for_each(|_| again.step().map(drop))?;
    /// assert_eq!(again.state(), live.state());
    /// # Ok(()) }
    /// ```
    pub fn record(&mut self) {
        self.log.get_or_insert_default();
    }

    /// What was done since [`Simulation::record`], in order. The same simulation in the state it had then goes on to the
    /// same bits if it [replays](Simulation::replay) this. What is no edit is not in it: with [`Simulation::return_to`],
    /// [`Simulation::set_script`] and [`Simulation::set_obstacles`] a log begins anew.
    pub fn log(&self) -> &[Recorded] {
        self.log.as_deref().unwrap_or_default()
    }

    /// Make edits again, each before the step before which it was made; those of steps already taken are left out. Replaces
    /// edits that were to be made again. One that is refused when its time has come fails the step.
    pub fn replay(&mut self, log: Vec<Recorded>) -> Result<(), Error> {
        self.script.replay(log)
    }

    /// A log begins anew, if one is kept.
    pub(super) fn forget_log(&mut self) {
        self.log.iter_mut().for_each(Vec::clear);
    }

    /// Move a solid to a pose, seen from how it was given (an obstacle's form, the rest pose of a body): it is exactly
    /// there after the next step, and stays until it is moved again. What moved it before is forgotten.
    pub fn move_solid(&mut self, solid: Solid, pose: Pose) -> Result<(), Error> {
        self.edit(Edit::Move { solid, pose })
    }

    fn put(&mut self, solid: Solid, pose: Pose) -> Result<(), Error> {
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
                self.perform(&place)?;
            }
        }
        Ok(())
    }

    /// Take steps in another way from now on.
    pub fn configure(&mut self, settings: Settings) -> Result<(), Error> {
        self.edit(Edit::Settings(Box::new(settings)))
    }

    fn take(&mut self, settings: &Settings) {
        self.settings = settings.clone();
        self.afresh(self.order().cloned());
        self.state.memory.contacts.clear();
        self.state.memory.held.clear();
        self.state.memory.inspected = false;
        self.state.memory.loads.clear();
        self.state.memory.integrator = Slot::default();
        set_origin(&mut self.state);
    }

    /// Go on with another model, from another state.
    fn replace(&mut self, model: &Model, state: &State) -> Result<(), Error> {
        self.settings.suits(model)?;
        self.script.check(model)?;
        let (model, mut state) = (model.clone(), state.clone());
        // The script goes on where it is; what else a state remembers is of another model.
        state.memory = Memory { script: self.state.memory.script.clone(), ..Memory::default() };
        state.memory.keep_particles(model.particles());
        set_origin(&mut state);
        if model.particles() != self.model.particles() || edges(&model) != edges(&self.model) {
            // Its order is that of another graph.
            self.integrator = self.settings.integrator();
        }
        (self.model, self.state, self.tears) = (model, state, None);
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
        self.edit(Edit::Replace(Box::new((model, state))))
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

    /// Hold many particles where they are: all, or none if one of them is not there.
    pub fn pin_all(&mut self, particles: &[usize]) -> Result<(), Error> {
        let place = |&i: &usize| self.state.positions.get(i).copied().unwrap_or_default();
        let places = particles.iter().map(place).collect();
        self.edit(Edit::Place { particles: particles.to_vec(), places })
    }

    /// Put all particles elsewhere \[m\]; velocities stay, and nothing is prepared again.
    pub fn set_positions(&mut self, positions: &[DVec3]) -> Result<(), Error> {
        let particles = (0..self.model.particles()).collect();
        self.edit(Edit::Positions { particles, positions: positions.to_vec() })
    }

    /// Set the velocities of all particles [m/s]; nothing is prepared again.
    pub fn set_velocities(&mut self, velocities: &[DVec3]) -> Result<(), Error> {
        let particles = (0..self.model.particles()).collect();
        self.edit(Edit::Velocities { particles, velocities: velocities.to_vec() })
    }

    /// Set the forces of the user's own on all particles \[N\]; they act until changed, and nothing is prepared again.
    pub fn set_forces(&mut self, forces: &[DVec3]) -> Result<(), Error> {
        let particles = (0..self.model.particles()).collect();
        self.edit(Edit::Forces { particles, forces: forces.to_vec() })
    }

    /// Set the stiffness of all springs [N/m]: numbers only, so the order of elimination is kept.
    pub fn set_stiffness(&mut self, stiffness: &[f64]) -> Result<(), Error> {
        let springs = (0..self.model.springs.len()).collect();
        self.edit(Edit::Stiffnesses { springs, stiffness: stiffness.to_vec() })
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
        let particles: Vec<usize> = (0..self.model.particles()).collect();
        let velocities = vec![DVec3::ZERO; particles.len()];
        self.make(Edit::Velocities { particles, velocities }).expect("it names what there is");
    }

    /// Cut through everything that a blade meets. Elements stay whole: the path of their edges (in solids faces) next to the
    /// blade opens, particles on it get copies, and springs that would lead across it go. Masses, momentum and the area at
    /// rest stay what they were. Copies belong to what their originals belong to: bodies, paths, releases.
    ///
    /// ```
    /// use taut::{Blade, DVec3, Method, Settings, Simulation, shapes};
    ///
    /// # fn main() -> Result<(), taut::Error> {
    /// let cloth = shapes::Grid { columns: 11, rows: 11, ..Default::default() }.build()?;
    /// let mut simulation = Simulation::new(cloth, Settings::new(Method::default(), 1.0 / 30.0))?;
    /// let knife = Blade::sweep(&[DVec3::new(0.03, -1.0, -2.0), DVec3::new(0.03, -1.0, 2.0)], 2.0 * DVec3::Y)?;
    /// let cut = simulation.cut(&knife)?;
    /// assert_eq!((cut.copies.len(), cut.pieces), (11, 2));
    /// # Ok(()) }
    /// ```
    pub fn cut(&mut self, blade: &Blade) -> Result<Severed, Error> {
        self.edited(Edit::Cut(blade.clone()))
    }

    /// Punch a hole: the triangles, tetrahedra, springs and links of a particle are gone. It stays, held by nothing, with
    /// its mass. What it was part of bends from the edges that are left; the rest is as it was.
    ///
    /// ```
    /// use taut::{Method, Settings, Simulation, shapes};
    ///
    /// # fn main() -> Result<(), taut::Error> {
    /// let cloth = shapes::Grid { columns: 11, rows: 11, ..Default::default() }.build()?;
    /// let mut simulation = Simulation::new(cloth, Settings::new(Method::default(), 1.0 / 30.0))?;
    /// let triangles = simulation.model().triangles.len();
    /// assert_eq!(simulation.cut_at(60)?.pieces, 2);
    /// assert!(simulation.model().triangles.len() < triangles);
    /// # Ok(()) }
    /// ```
    pub fn cut_at(&mut self, particle: usize) -> Result<Severed, Error> {
        self.edited(Edit::CutAt { particles: vec![particle] })
    }

    fn part(
        &mut self,
        cut: impl FnOnce(&mut Model, &mut State) -> Result<Option<Severed>, Error>,
    ) -> Result<Severed, Error> {
        let Some(severed) = cut(&mut self.model, &mut self.state)? else { return Ok(Severed::default()) };
        self.tears = None;
        self.model.validate()?;
        self.script.follow_cut(&severed, &mut self.state);
        self.keep_order(&severed);
        self.parted = Some(self.parted.unwrap_or_default().and(&severed));
        self.note(Change::Elements);
        Ok(severed)
    }

    /// Whether something gives way in the coming step.
    pub(super) fn tearing(&mut self) -> bool {
        let Simulation { tears, model, state, .. } = self;
        tears.get_or_insert_with(|| Tears::new(model)).due(model, &state.positions)
    }

    /// Let give way what is stretched too far.
    pub(super) fn tear(&mut self) -> Result<(), Error> {
        if self.tearing() {
            let tears = self.tears.take().unwrap_or_default();
            self.part(|model, state| cut::tear(model, state, &tears))?;
        }
        Ok(())
    }

    /// Copies stay near their originals in the order of elimination, as long as they are few: with every further tenth of
    /// the particles all are ordered afresh.
    fn keep_order(&mut self, cut: &Severed) {
        let (all, particles) = (self.model.copies.len(), self.model.particles());
        let tenths = |copies: usize| 10 * copies / (particles - all);
        let kept = tenths(all) == tenths(all - cut.copies.len());
        // That of an earlier cut before the same step may not have been kept.
        let before = particles - cut.copies.len();
        let order = self.integrator.order().filter(|order| kept && order.as_slice().len() == before);
        if let Some(order) = order.map(|order| order.with_copies(&cut.copies)) {
            self.integrator.adopt(&self.model, order);
        }
    }

    /// The order of elimination, if there is one: not that of a model that has been cut since.
    pub(super) fn order(&self) -> Option<&Sequence> {
        self.integrator.order().filter(|order| order.as_slice().len() == self.model.particles())
    }

    /// Another integrator, which knows an order of elimination.
    pub(super) fn afresh(&mut self, order: Option<Sequence>) {
        (self.integrator, self.change) = (self.settings.integrator(), Change::Everything);
        order.into_iter().for_each(|order| self.integrator.adopt(&self.model, order));
    }

    /// A change has been made. What integrators remember of earlier steps belongs to what they were prepared for.
    fn note(&mut self, change: Change) {
        if change != Change::Nothing {
            self.change = self.change.max(change);
            self.state.memory.integrator.clear();
        }
    }
}
