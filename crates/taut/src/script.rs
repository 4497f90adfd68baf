//! Timed edits: what a scene does to itself while it runs. How far a script has got is in the
//! [`State`], so that going on from a copy of that goes on with the script as well.

use crate::cut::Severed;
use crate::state::{Carried, Cursor};
use crate::{Edit, Error, Filter, Model, State};
use std::collections::{BTreeMap, BTreeSet};

/// An edit and when it happens.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// Simulated time \[s\].
    pub time: f64,
    /// What happens then.
    pub edit: Edit,
}

/// An edit that was made while a simulation ran. It names particles and springs by the numbers they had then, where an
/// [`Event`] names those there were before all cuts, and means their copies too.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Recorded {
    /// Steps taken before it.
    pub step: u64,
    /// What was done.
    pub edit: Edit,
}

impl Recorded {
    /// The same error, as one of this edit.
    pub(crate) fn name(&self, error: Error) -> Error {
        named(error, &format!("the edit after step {}", self.step))
    }
}

/// The same error, as one about something.
fn named(error: Error, what: &str) -> Error {
    match error {
        Error::Setting { name, value, remedy } => {
            Error::Setting { name: format!("{name} of {what}"), value, remedy }
        }
        other => other,
    }
}

impl Event {
    /// Refuse an impossible event. Settings and models are replaced between steps, not by a script.
    pub fn check(&self, model: &Model) -> Result<(), Error> {
        if !self.time.is_finite() {
            return Err(Error::setting("time", self.time, "times must be finite"));
        }
        if matches!(self.edit, Edit::Settings(_) | Edit::Replace(_) | Edit::Move { .. }) {
            let remedy =
                "an event cannot replace settings or the model or move a solid: do so between two steps";
            return Err(Error::setting("edit", "settings, model or solid", remedy));
        }
        self.edit.check(model)
    }

    /// The same error, as one of this event.
    fn name(&self, number: usize, error: Error) -> Error {
        named(error, &format!("event {number} at {} s", self.time))
    }
}

/// Events in order of time, and recorded edits in order of steps. How far a simulation has got with them is in its
/// [`State`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    events: Vec<Event>,
    recorded: Vec<Recorded>,
}

impl Script {
    /// Check and sort events.
    pub fn new(mut events: Vec<Event>, model: &Model) -> Result<Self, Error> {
        events.sort_by(|a, b| a.time.total_cmp(&b.time));
        Script::in_order(events, model)
    }

    /// Check events that are in order already, as another script had them.
    pub(crate) fn in_order(events: Vec<Event>, model: &Model) -> Result<Self, Error> {
        let script = Script { events, recorded: Vec::new() };
        script.check(model)?;
        Ok(script)
    }

    /// The events, in order of time.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Edits that are to be made again before steps to come.
    pub(crate) fn recorded(&self) -> &[Recorded] {
        &self.recorded
    }

    /// Make edits again, each before the step it was made before; in place of those there were.
    pub(crate) fn replay(&mut self, mut recorded: Vec<Recorded>) -> Result<(), Error> {
        recorded.iter().try_for_each(|one| one.edit.check_values().map_err(|e| one.name(e)))?;
        recorded.sort_by_key(|one| one.step);
        self.recorded = recorded;
        Ok(())
    }

    /// Those to be made before the next step.
    pub(crate) fn recorded_now(&self, state: &State) -> &[Recorded] {
        let before = |step: u64| self.recorded.partition_point(|one| one.step < step);
        &self.recorded[before(state.step)..before(state.step + 1)]
    }

    /// Refuse a model that events do not fit.
    pub fn check(&self, model: &Model) -> Result<(), Error> {
        self.events
            .iter()
            .enumerate()
            .try_for_each(|(n, event)| event.check(model).map_err(|e| self.name(n, e)))
    }

    /// Whether these may be the events that a state is in the midst of: it knows them, and what has begun is not in its
    /// future.
    pub(crate) fn fits(&self, state: &State) -> bool {
        let mut begun = self.events.iter().take(state.memory.script.begun as usize);
        self.knows(state) && begun.all(|event| event.time <= state.time)
    }

    /// Whether there are as many events as have begun in a state, and what carries its particles is a path among those.
    pub(crate) fn knows(&self, state: &State) -> bool {
        let cursor = &state.memory.script;
        let Some(begun) = self.events.get(..cursor.begun as usize) else { return false };
        let own = |c: &Carried| {
            Some(
                begun.get(c.event as usize)?.edit.carries()?.get(c.number as usize)?
                    == &(c.particle as usize),
            )
        };
        let known = |c: &Carried| own(c) == Some(true);
        cursor.carried.iter().all(|c| known(c) && (c.particle as usize) < state.filters.len())
    }

    /// Whether an event begins in the step from `state.time` to `until` \[s\]: one that is named for the very end
    /// of a step belongs to the next. A millionth of a step is that end, because `origin + n·h` is rounded.
    pub fn due(&self, state: &State, until: f64) -> bool {
        let end = until - 1e-6 * (until - state.time);
        self.events.get(state.memory.script.begun as usize).is_some_and(|event| event.time < end)
    }

    /// A path that begins now, as an event that has just begun: its path belongs to the script from now on.
    pub(crate) fn begin(&mut self, edit: &Edit, model: &Model, state: &mut State) {
        self.forget_past(state);
        let number = state.memory.script.begun as usize;
        // Events after it have later numbers from now on; none of them has begun.
        self.events.insert(number, Event { time: state.time, edit: edit.clone() });
        self.start(number, model, state);
    }

    /// Follow a cut: a copy is carried where its original is and let go with it, and springs have other numbers.
    pub(crate) fn follow_cut(&mut self, cut: &Severed, state: &mut State) {
        let first = (state.positions.len() - cut.copies.len()) as u32;
        let carried = &mut state.memory.script.carried;
        for (number, event) in (0..).zip(&mut self.events) {
            match &mut event.edit {
                Edit::Hold { particles, .. }
                | Edit::Follow { particles, .. }
                | Edit::Release { particles }
                | Edit::CutAt { particles } => {
                    for (copy, &original) in (first..).zip(&cut.copies) {
                        if !particles.contains(&(original as usize)) {
                            continue;
                        }
                        let same = |c: &&Carried| c.event == number && c.particle == original;
                        let with = carried.iter().find(same).copied();
                        let place = particles.len() as u32;
                        carried.extend(with.map(|with| Carried { particle: copy, number: place, ..with }));
                        particles.push(copy as usize);
                    }
                }
                Edit::Stiffness { springs, .. } => {
                    let named: BTreeSet<u32> = springs.iter().map(|&spring| spring as u32).collect();
                    let own = |&new: &usize| named.contains(&cut.springs[new]);
                    *springs = (0..cut.springs.len()).filter(own).collect();
                }
                Edit::Stiffnesses { springs, stiffness } => {
                    let of: BTreeMap<u32, f64> =
                        springs.iter().map(|&s| s as u32).zip(stiffness.drain(..)).collect();
                    let own =
                        (0..cut.springs.len()).filter_map(|new| Some((new, *of.get(&cut.springs[new])?)));
                    (*springs, *stiffness) = own.unzip();
                }
                _ => {}
            }
        }
    }

    /// Forget what is to carry particles of a solid later on: somebody moves it by hand. `body` is its number.
    pub(crate) fn leave_solid(&mut self, body: usize, model: &Model, state: &State) {
        let own = |edit: &Edit| edit.carries().is_some_and(|p| p.iter().any(|&i| model.tag(i) == body));
        let mut later = self.events.split_off((state.memory.script.begun as usize).min(self.events.len()));
        later.retain(|event| !own(&event.edit));
        self.events.append(&mut later);
    }

    /// Drop events that have begun and carry nothing any more.
    fn forget_past(&mut self, state: &mut State) {
        let Cursor { begun, carried } = &mut state.memory.script;
        let past = (*begun as usize).min(self.events.len());
        let mut number = vec![None; past];
        carried.iter().for_each(|c| number[c.event as usize] = Some(0));
        let mut kept = 0;
        for number in number.iter_mut().flatten() {
            (*number, kept) = (kept, kept + 1);
        }
        let mut event = 0..;
        self.events.retain(|_| number.get(event.next().unwrap_or(0)).is_none_or(Option::is_some));
        carried.iter_mut().for_each(|c| c.event = number[c.event as usize].expect("it carries something"));
        *begun = u64::from(kept);
    }

    /// The event that begins in the step from `state.time` to `until` \[s\], if one does: its number, and its edit, which is
    /// to be made now.
    pub fn next(&self, model: &Model, state: &mut State, until: f64) -> Option<(usize, Edit)> {
        if !self.due(state, until) {
            return None;
        }
        let number = state.memory.script.begun as usize;
        let edit = self.events[number].edit.clone();
        self.start(number, model, state);
        Some((number, edit))
    }

    /// The same error, as one of an event.
    pub(crate) fn name(&self, number: usize, error: Error) -> Error {
        self.events[number].name(number, error)
    }

    /// Bring what is carried to where it is at time `until` \[s\], the end of the coming step.
    pub fn carry(&self, state: &mut State, until: f64) {
        for carried in &state.memory.script.carried {
            let Some(Event { time, edit }) = self.events.get(carried.event as usize) else { continue };
            if let Some(place) = edit.place(carried.number as usize, carried.from, until - time) {
                state.filters[carried.particle as usize] = Filter::Pinned(place);
            }
        }
    }

    /// An event has begun: it carries its particles from now on, if it carries any.
    fn start(&self, number: usize, model: &Model, state: &mut State) {
        let edit = &self.events[number].edit;
        if let Some(particles) = edit.carries() {
            let State { positions, memory, .. } = &mut *state;
            let follows = matches!(edit, Edit::Follow { .. });
            let carried = |(own, &i): (usize, &usize)| Carried {
                particle: i as u32,
                event: number as u32,
                number: own as u32,
                from: if follows && model.is_solid(i) { model.rest[i] } else { positions[i] },
            };
            memory.script.leave(particles);
            memory.script.carried.extend(particles.iter().enumerate().map(carried));
        }
        state.memory.script.begun = number as u64 + 1;
    }
}
