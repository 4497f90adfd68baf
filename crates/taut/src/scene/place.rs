//! Where in a file something stands, and how to say that it is wrong.

use super::text::{ShapeText, SolidText, Vector};
use crate::Error;
use crate::collision::{Motion, Shape, Solid};
use glam::{DQuat, DVec3, EulerRot};
use std::fmt::Display;
use std::path::Path;

/// In place of a byte: the error is about the file as a whole.
pub(super) const WHOLE: usize = usize::MAX;

/// A scene's text and where it came from.
pub(super) struct Source<'a> {
    pub file: &'a str,
    pub text: &'a str,
    pub folder: Option<&'a Path>,
}

impl Source<'_> {
    fn line(&self, byte: usize) -> usize {
        self.text.as_bytes()[..byte.min(self.text.len())].iter().filter(|&&b| b == b'\n').count() + 1
    }

    /// An error about the table that starts at byte `start`, or about the [`WHOLE`] file.
    pub fn error(&self, start: usize, problem: impl Display, remedy: impl Into<String>) -> Error {
        let line = (start != WHOLE).then(|| self.line(start));
        Error::file(self.file, line, problem, remedy)
    }

    /// An error about a key's value, in the table that starts at byte `start`: names the key's own line.
    pub fn bad(&self, start: usize, key: &str, value: impl Display, remedy: &str) -> Error {
        let mut at = start.min(self.text.len());
        let last = key.rsplit('.').next().unwrap_or(key);
        for line in self.text[at..].split_inclusive('\n') {
            let found = line.split(['{', ',', '#']).any(|part| {
                part.split_once('=').is_some_and(|(word, _)| word.trim().trim_matches('"') == last)
            });
            if found {
                return self.error(at, format!("{key} = {value}"), remedy);
            }
            at += line.len();
        }
        self.error(start, format!("{key} = {value}"), remedy)
    }

    /// What the TOML reader found, in one line; an unknown key suggests the nearest known one.
    pub fn syntax(&self, e: &toml::de::Error) -> Error {
        let line = e.span().map(|s| self.line(s.start));
        let message = e.message().replace('\n', " ");
        if let Some((unknown, known)) = unknown_key(&message) {
            let remedy = suggest(unknown, &known, "the keys here are");
            return Error::file(self.file, line, format!("unknown key `{unknown}`"), remedy);
        }
        Error::file(self.file, line, message, "")
    }

    /// A finite vector.
    pub fn vector(&self, key: &str, v: Vector) -> Result<DVec3, Error> {
        let v = DVec3::from_array(v);
        if v.is_finite() { Ok(v) } else { Err(self.bad(0, key, v, "must be finite")) }
    }

    /// A rigid obstacle; `margin` \[m\] if it names none.
    pub fn obstacle(&self, text: &toml::Spanned<SolidText>, margin: f64) -> Result<Solid, Error> {
        let (start, text) = (text.span().start, text.get_ref());
        let shape = ShapeText {
            ground: text.ground.clone(),
            sphere: text.sphere.clone(),
            cuboid: text.cuboid.clone(),
            cylinder: text.cylinder.clone(),
            capsule: text.capsule.clone(),
        };
        let (friction, margin) = (text.friction.unwrap_or(0.3), text.margin.unwrap_or(margin));
        let motion = text.turn.as_ref().map(|turn| Motion {
            about: DVec3::from_array(turn.about),
            axis: DVec3::from_array(turn.axis),
            keys: turn.path.iter().map(|&[time, degrees]| (time, degrees.to_radians())).collect(),
        });
        let solid = Solid { shape: self.shape(&shape, start)?, margin, friction, motion };
        solid.validate().map_err(|e| self.error(start, e, ""))?;
        Ok(solid)
    }

    /// Exactly one shape.
    pub fn shape(&self, text: &ShapeText, start: usize) -> Result<Shape, Error> {
        let v = DVec3::from_array;
        let mut found = Vec::new();
        if let Some(g) = &text.ground {
            found.push(Shape::Ground { height: g.height.unwrap_or(0.0) });
        }
        if let Some(s) = &text.sphere {
            found.push(Shape::Sphere { centre: v(s.centre), radius: s.radius });
        }
        if let Some(b) = &text.cuboid {
            let rotation = rotation(b.rotation);
            found.push(Shape::Box { centre: v(b.centre), size: v(b.size), rotation });
        }
        if let Some(t) = &text.cylinder {
            found.push(Shape::Cylinder { ends: [v(t.from), v(t.to)], radius: t.radius });
        }
        if let Some(t) = &text.capsule {
            found.push(Shape::Capsule { ends: [v(t.from), v(t.to)], radius: t.radius });
        }
        let count = found.len();
        let remedy = "give one of ground, sphere, box, cylinder, capsule";
        match found.pop() {
            Some(shape) if count == 1 => Ok(shape),
            _ => Err(self.error(start, format!("{count} shapes where there should be one"), remedy)),
        }
    }
}

/// Rotation from angles about x, then y, then z \[degrees\].
pub(super) fn rotation(degrees: Option<Vector>) -> DQuat {
    let [x, y, z] = degrees.unwrap_or_default().map(f64::to_radians);
    DQuat::from_euler(EulerRot::ZYX, z, y, x)
}

/// The unknown key and the known ones in serde's message "unknown field `a`, expected one of `b`, `c`".
fn unknown_key(message: &str) -> Option<(&str, Vec<&str>)> {
    let rest = message.strip_prefix("unknown field `")?;
    let (unknown, rest) = rest.split_once('`')?;
    Some((unknown, rest.split('`').skip(1).step_by(2).collect()))
}

/// "did you mean `x`?" if a known word is near, else the list of them all after `otherwise`.
pub(super) fn suggest(word: &str, known: &[&str], otherwise: &str) -> String {
    let nearest = known.iter().min_by_key(|k| edits(word, k));
    match nearest {
        Some(near) if edits(word, near) <= 1 + word.len() / 3 => format!("did you mean `{near}`?"),
        _ if known.is_empty() => otherwise.to_string(),
        _ => format!("{otherwise} ({})", known.join(", ")),
    }
}

/// Insertions, deletions, replacements between two words.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
