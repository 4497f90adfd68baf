//! Events: `[[event]]` tables as timed actions.

use super::body::Bodies;
use super::place::{Source, suggest};
use super::select::Pin;
use super::text::EventText;
use crate::Error;
use crate::script::{self, Action, Event, Path};
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
        let mut actions = Vec::new();
        if let Some(name) = &text.movement {
            let keys = text.path.as_deref().unwrap_or_default();
            if keys.is_empty() {
                return Err(self.error(start, "`move` needs a `path`", "add path = [[time, x, y, z], ...]"));
            }
            let keys = keys.iter().map(|&[t, x, y, z]| (t, DVec3::new(x, y, z))).collect();
            actions.push(Action::Move { particles: named("move", name)?, path: Path { keys } });
        }
        if let Some(name) = &text.release {
            actions.push(Action::Release { particles: named("release", name)? });
        }
        if let Some(wind) = text.wind {
            actions.push(Action::Wind(DVec3::from_array(wind)));
        }
        if let Some(factor) = text.stiffness {
            let springs = match &text.body {
                Some(name) => bodies.model.springs_of(bodies.find(self, name, start)?).collect(),
                None => (0..bodies.model.springs.len()).collect(),
            };
            actions.push(Action::Stiffness { springs, factor });
        }
        if actions.is_empty() {
            let remedy = "add move, release, wind or stiffness";
            return Err(self.error(start, "this event does nothing", remedy));
        }
        let events: Vec<Event> =
            actions.into_iter().map(|action| Event { time: text.time, action }).collect();
        for event in &events {
            script::check(event, &bodies.model)
                .map_err(|(key, value, remedy)| self.bad(start, key, value, &remedy))?;
        }
        Ok(events)
    }
}
