//! Commands: lists whose first entry is a word.

use glam::{DQuat, DVec3};
use serde_json::Value;
use taut::Error;

/// What can be asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// The scenes that come with taut.
    Scenes,
    /// One of them.
    Scene(String),
    /// A scene from its text, its name, and whether it may read files.
    Open(String, String, bool),
    /// From the start.
    Restart,
    /// So many steps.
    Step(u64),
    /// Hold particles; the first is to go to the place.
    Grab(Vec<usize>, DVec3),
    /// Let them go.
    Drop,
    /// Pin them, or let them go if the first is pinned.
    Pin(Vec<usize>),
    /// Cut from the eye through a line.
    Cut(DVec3, Vec<DVec3>),
    /// Punch a hole.
    Punch(usize),
    /// Move a static mesh of the picture.
    Solid(usize, DQuat, DVec3),
    /// Move a body that is a solid.
    Body(usize, DQuat, DVec3),
    /// Change a setting.
    Set(String, Value),
    /// Go back to before the last edit.
    Undo,
    /// The scene with what was done.
    Save,
    /// A hash of the state.
    Hash,
}

/// Most points of a stroke.
const MOST_POINTS: usize = 4096;
/// Most particles a command may name.
const MOST_PARTICLES: usize = 1 << 20;

impl Command {
    /// Read a command.
    pub fn read(value: &Value) -> Result<Self, Error> {
        let list = value.as_array().map_or(&[][..], Vec::as_slice);
        let Some(word) = list.first().and_then(Value::as_str) else {
            return Err(Error::setting("command", value, "is a list that begins with a word"));
        };
        let arguments = Arguments { word, list };
        Ok(match word {
            "scenes" => Command::Scenes,
            "scene" => Command::Scene(arguments.text(1)?),
            "open" => {
                let name = if list.len() > 2 { arguments.text(2)? } else { "scene".into() };
                Command::Open(arguments.text(1)?, name, list.get(3) != Some(&Value::Bool(false)))
            }
            "restart" => Command::Restart,
            "step" => Command::Step(arguments.whole(1)?),
            "grab" => Command::Grab(arguments.particles(1)?, arguments.vector(2)?),
            "drop" => Command::Drop,
            "pin" => Command::Pin(arguments.particles(1)?),
            "cut" => Command::Cut(arguments.vector(1)?, arguments.line(2)?),
            "punch" => Command::Punch(arguments.whole(1)? as usize),
            "solid" => Command::Solid(arguments.whole(1)? as usize, arguments.turn(2)?, arguments.vector(3)?),
            "body" => Command::Body(arguments.whole(1)? as usize, arguments.turn(2)?, arguments.vector(3)?),
            "set" => Command::Set(arguments.text(1)?, list.get(2).cloned().unwrap_or(Value::Null)),
            "undo" => Command::Undo,
            "save" => Command::Save,
            "hash" => Command::Hash,
            _ => {
                let remedy = "is no command of this version of taut";
                return Err(Error::setting("command", format!("{word:?}"), remedy));
            }
        })
    }
}

/// What follows the word.
struct Arguments<'a> {
    word: &'a str,
    list: &'a [Value],
}

impl Arguments<'_> {
    fn refuse<T>(&self, at: usize, wanted: &str) -> Result<T, Error> {
        let value = self.list.get(at).map_or("nothing".to_string(), short);
        Err(Error::setting(format!("argument {at} of {}", self.word), value, format!("must be {wanted}")))
    }

    fn text(&self, at: usize) -> Result<String, Error> {
        let text = self.list.get(at).and_then(Value::as_str);
        text.map_or_else(|| self.refuse(at, "text"), |text| Ok(text.into()))
    }

    fn whole(&self, at: usize) -> Result<u64, Error> {
        let number = self.list.get(at).and_then(Value::as_u64);
        number.map_or_else(|| self.refuse(at, "a whole number"), Ok)
    }

    fn vector(&self, at: usize) -> Result<DVec3, Error> {
        let found = self.list.get(at).and_then(numbers::<3>);
        found.map_or_else(|| self.refuse(at, "three finite numbers [m]"), |v| Ok(v.into()))
    }

    fn turn(&self, at: usize) -> Result<DQuat, Error> {
        let found = self.list.get(at).and_then(numbers::<4>).map(DQuat::from_array);
        let unit = found.filter(|turn| (turn.length_squared() - 1.0).abs() < 1e-3);
        unit.map_or_else(|| self.refuse(at, "a unit quaternion [x, y, z, w]"), |turn| Ok(turn.normalize()))
    }

    fn line(&self, at: usize) -> Result<Vec<DVec3>, Error> {
        let list = self.list.get(at).and_then(Value::as_array).filter(|list| list.len() <= MOST_POINTS);
        let points = list.and_then(|list| list.iter().map(|p| numbers::<3>(p).map(DVec3::from)).collect());
        points.map_or_else(|| self.refuse(at, &format!("up to {MOST_POINTS} points [m]")), Ok)
    }

    fn particles(&self, at: usize) -> Result<Vec<usize>, Error> {
        let list = self.list.get(at).and_then(Value::as_array).filter(|list| list.len() <= MOST_PARTICLES);
        let whole = |value: &Value| value.as_u64().and_then(|i| usize::try_from(i).ok());
        let particles: Option<Vec<usize>> = list.and_then(|list| list.iter().map(whole).collect());
        let Some(mut particles) = particles.filter(|list| !list.is_empty()) else {
            return self.refuse(at, "a list of particles, numbered from 0");
        };
        // The first leads; nobody is named twice.
        let mut seen = std::collections::HashSet::new();
        particles.retain(|&i| seen.insert(i));
        Ok(particles)
    }
}

/// So many finite numbers.
pub fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let list: Vec<f64> =
        value.as_array()?.iter().filter_map(Value::as_f64).filter(|x| x.is_finite()).collect();
    (value.as_array()?.len() == N).then_some(())?;
    list.try_into().ok()
}

/// The beginning of what was given.
fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.len() <= 60 { text } else { text.chars().take(60).chain(['…']).collect() }
}
