//! Events: `[[event]]` tables as timed edits.

use super::body::Bodies;
use super::place::Source;
use super::select::Pin;
use super::text::EventText;
use crate::Error;
use crate::words::suggest;
use crate::{Edit, Event, Path};
use glam::DVec3;
use toml::Spanned;

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
        let mut edits = Vec::new();
        if let Some(name) = &text.movement {
            let keys = text.path.as_deref().unwrap_or_default();
            if keys.is_empty() {
                return Err(self.error(start, "`move` needs a `path`", "add path = [[time, x, y, z], ...]"));
            }
            let keys = keys.iter().map(|&[t, x, y, z]| (t, DVec3::new(x, y, z))).collect();
            edits.push(Edit::Hold { particles: named("move", name)?, path: Path { keys } });
        }
        if let Some(name) = &text.release {
            edits.push(Edit::Release { particles: named("release", name)? });
        }
        if let Some(wind) = text.wind {
            edits.push(Edit::Wind(DVec3::from_array(wind)));
        }
        if let Some(factor) = text.stiffness {
            let springs = match &text.body {
                Some(name) => bodies.model.springs_of(bodies.find(self, name, start)?).collect(),
                None => (0..bodies.model.springs.len()).collect(),
            };
            edits.push(Edit::Stiffness { springs, factor });
        }
        if edits.is_empty() {
            let remedy = "add move, release, wind or stiffness";
            return Err(self.error(start, "this event does nothing", remedy));
        }
        let events: Vec<Event> = edits.into_iter().map(|edit| Event { time: text.time, edit }).collect();
        for event in &events {
            event.check(&bodies.model).map_err(|e| self.refused(start, e))?;
        }
        Ok(events)
    }
}
