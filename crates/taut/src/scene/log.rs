//! Logs as text: what was done to a scene while it ran, as `[[event]]` tables of it.
//!
//! ```toml
//! [[event]]
//! step = 12
//! edit = { place = { particles = [24], places = [[0.1, 0.25, 0.0]] } }
//! ```
//!
//! An edit has its name in Rust, in small letters, and the names of its fields. Numbers are written so that they are read
//! as the same bits.

use super::Scene;
use super::event::EventText;
use super::place::Source;
use crate::{Edit, Error, Recorded};
use serde::Deserialize;
use serde_json::Value;
use std::fmt::Write;
use toml::Spanned;

impl Scene {
    /// A [log](crate::Simulation::log) as text that can be appended to that of the scene: the scene then does by itself what
    /// was done to it, to the bit.
    ///
    /// ```
    /// use taut::{DVec3, Scene};
    ///
    /// # fn main() -> Result<(), taut::Error> {
    /// let text = "[[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\n";
    /// let mut live = Scene::parse("live", text, None)?.simulation()?;
    /// live.record();
    /// live.step()?;
    /// live.grab(24, DVec3::new(0.1, 0.25, 0.0))?;
    /// live.step()?;
    ///
    /// let saved = format!("{text}{}", Scene::log_to_text(live.log())?);
    /// let mut again = Scene::parse("saved", &saved, None)?.simulation()?;
    /// again.step()?;
    /// again.step()?;
    /// assert_eq!(again.positions(), live.positions());
    /// # Ok(()) }
    /// ```
    pub fn log_to_text(log: &[Recorded]) -> Result<String, Error> {
        let mut text = String::new();
        for recorded in log {
            let edit = written(&recorded.edit).map_err(|e| recorded.name(e))?;
            _ = write!(text, "\n[[event]]\nstep = {}\nedit = {edit}\n", recorded.step);
        }
        Ok(text)
    }
}

/// An edit as it stands after `edit =`.
fn written(edit: &Edit) -> Result<String, Error> {
    #[derive(Deserialize)]
    struct Read {
        edit: Edit,
    }
    let refuse = |what: &dyn std::fmt::Display| {
        let remedy = "it cannot be written as text: numbers must be finite, whole numbers below 2^63";
        Error::setting("edit", what, remedy)
    };
    let mut text = String::new();
    let value = serde_json::to_value(edit).map_err(|e| refuse(&e))?;
    inline(&value, &mut text);
    match toml::from_str(&format!("edit = {text}")) {
        Ok(Read { edit: same }) if same == *edit => Ok(text),
        Ok(_) => Err(refuse(&"a number")),
        Err(e) => Err(refuse(&e.message())),
    }
}

/// A value as TOML in one line. What is null is left out.
fn inline(value: &Value, out: &mut String) {
    match value {
        Value::Array(list) => {
            for (n, one) in list.iter().enumerate() {
                out.push_str(if n == 0 { "[" } else { ", " });
                inline(one, out);
            }
            out.push_str(if list.is_empty() { "[]" } else { "]" });
        }
        Value::Object(table) => {
            let given = table.iter().filter(|(_, value)| !value.is_null());
            out.push('{');
            for (n, (key, one)) in given.enumerate() {
                _ = write!(out, "{} {key} = ", if n == 0 { "" } else { "," });
                inline(one, out);
            }
            out.push_str(" }");
        }
        // Words and numbers are written as in JSON.
        plain => _ = write!(out, "{plain}"),
    }
}

impl Source<'_> {
    /// The edit of a table that names a step, to be made again before that.
    pub(super) fn recorded(&self, text: &Spanned<EventText>) -> Result<Recorded, Error> {
        let (start, text) = (text.span().start, text.get_ref());
        let (Some(step), Some(edit), true) = (text.step, &text.edit, text.says_no_more()) else {
            let remedy = "an event with `step` has an `edit` and nothing else; all others have a `time`";
            return Err(self.error(start, "this event is neither at a time nor one of a log", remedy));
        };
        edit.check_values().map_err(|e| self.refused(start, e))?;
        Ok(Recorded { step, edit: edit.clone() })
    }
}
