//! Events: `[[event]]` tables as timed edits.

use super::body::Bodies;
use super::place::Source;
use super::place::keys;
use super::select::Pin;
use super::text::Vector;
use crate::collision::{Course, Motion};
use crate::words::suggest;
use crate::{Blade, Edit, Error, Event, Path, bounds};
use glam::DVec3;
use serde::Deserialize;
use toml::Spanned;

/// Something that happens at a time: `move`, `release`, `wind`, `stiffness`, `cut`, `cut_at`, or any `edit`; or an edit
/// of a log, before a step.
#[derive(Debug, Clone, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct EventText {
    pub time: Option<f64>,
    pub step: Option<u64>,
    pub edit: Option<Edit>,
    #[serde(rename = "move")]
    pub movement: Option<String>,
    pub path: Option<Vec<[f64; 4]>>,
    pub turn: Option<Vec<[f64; 4]>>,
    pub about: Option<Vector>,
    pub release: Option<String>,
    pub wind: Option<Vector>,
    pub stiffness: Option<f64>,
    pub body: Option<String>,
    pub cut: Option<CutText>,
    pub cut_at: Option<Vec<usize>>,
}

impl EventText {
    /// Whether it has an edit and a step, and nothing else.
    pub fn says_no_more(&self) -> bool {
        let rest = EventText { edit: None, ..self.clone() };
        rest == EventText { step: self.step, ..EventText::default() }
    }
}

/// A blade: a line [m] and a vector [m] that it is swept along.
#[derive(Debug, Clone, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct CutText {
    pub line: Vec<Vector>,
    pub along: Vector,
}

impl Source<'_> {
    /// The events of one table: usually one, several if it has several actions.
    pub(super) fn event(
        &self,
        text: &Spanned<EventText>,
        bodies: &Bodies,
        pins: &[Pin],
    ) -> Result<Vec<Event>, Error> {
        let (start, text) = (text.span().start, text.get_ref());
        let named = |key: &str, name: &str| {
            let names: Vec<&str> = pins.iter().map(|p| p.name.as_str()).collect();
            let found = pins.iter().find(|p| p.name == name).map(|p| p.particles.clone());
            let remedy = match names.is_empty() {
                true => "add a [[pin]] with this `name`".into(),
                false => suggest(name, &names, "the pins are"),
            };
            found.ok_or_else(|| self.bad(start, key, format!("{name:?}"), &remedy))
        };
        let Some(time) = text.time else {
            let remedy = "add time = ... [s], counted from the start";
            return Err(self.error(start, "this event has no time", remedy));
        };
        let mut edits: Vec<Edit> = text.edit.iter().cloned().collect();
        if let Some(name) = &text.movement {
            let particles = named("move", name)?;
            let shifts = keys(text.path.as_deref(), 1.0);
            let turns = keys(text.turn.as_deref(), 1f64.to_radians());
            edits.push(match (turns.is_empty(), shifts.is_empty()) {
                (true, true) => {
                    let remedy = "add path = [[time, x, y, z], ...] or turn = [[time, x, y, z], ...]";
                    return Err(self.error(start, "`move` needs a `path`", remedy));
                }
                (true, false) => Edit::Hold { particles, path: Path { keys: shifts } },
                (false, _) => {
                    let [low, high] = bounds::extent(particles.iter().map(|&i| bodies.state.positions[i]));
                    let about = text.about.map_or(0.5 * (low + high), DVec3::from_array);
                    let course = Course::Rigid(Box::new(Motion { about, turns, shifts }));
                    Edit::Follow { particles, course }
                }
            });
        }
        if let Some(name) = &text.release {
            edits.push(Edit::Release { particles: named("release", name)? });
        }
        if let Some(wind) = text.wind {
            edits.push(Edit::Wind(DVec3::from_array(wind)));
        }
        if let Some(factor) = text.stiffness {
            let springs: Vec<usize> = match &text.body {
                Some(name) => bodies.model.springs_of(bodies.find(self, name, start)?).collect(),
                None => (0..bodies.model.springs.len()).collect(),
            };
            if let Some(name) = text.body.as_ref().filter(|_| springs.is_empty()) {
                let remedy = "this body has no springs: what is made of elements keeps its stiffness";
                return Err(self.bad(start, "body", format!("{name:?}"), remedy));
            }
            edits.push(Edit::Stiffness { springs, factor });
        }
        if let Some(CutText { line, along }) = &text.cut {
            let line: Vec<DVec3> = line.iter().map(|&p| DVec3::from_array(p)).collect();
            let blade = Blade::sweep(&line, DVec3::from_array(*along));
            edits.push(Edit::Cut(blade.map_err(|e| self.refused(start, e))?));
        }
        if let Some(numbers) = &text.cut_at {
            let body = text.body.as_ref().map_or(Ok(0), |name| bodies.find(self, name, start))?;
            let members: Vec<usize> = bodies.model.particles_of(body).collect();
            let particle = |&number: &usize| {
                let remedy = || format!("this body has {} particles, counted from 0", members.len());
                members.get(number).copied().ok_or_else(|| self.bad(start, "cut_at", number, &remedy()))
            };
            edits.push(Edit::CutAt { particles: numbers.iter().map(particle).collect::<Result<_, _>>()? });
        }
        if edits.is_empty() {
            let remedy = "add move, release, wind, stiffness, cut or cut_at";
            return Err(self.error(start, "this event does nothing", remedy));
        }
        let events: Vec<Event> = edits.into_iter().map(|edit| Event { time, edit }).collect();
        for event in &events {
            event.check(&bodies.model).map_err(|e| self.refused(start, e))?;
        }
        Ok(events)
    }
}
