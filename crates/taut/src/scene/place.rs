//! Where in a file something stands, and how to say that it is wrong.

use super::text::{ShapeText, Vector};
use crate::collision::{Obstacle, Shape};
use crate::{Error, math};
use glam::{DQuat, DVec3};
use std::fmt::Display;
use std::path::Path;

/// In place of a byte: the error is about the file as a whole.
pub(super) const WHOLE: usize = usize::MAX;

/// A scene's text and where it came from.
pub(super) struct Source<'a> {
    pub file: &'a str,
    pub text: &'a str,
    pub folder: Option<&'a Path>,
    /// Whether mesh files may lie outside the folder.
    pub trusted: bool,
    /// Where its keys are, if nobody has seen its lines.
    pub places: &'a [super::replace::Place],
}

impl Source<'_> {
    fn line(&self, byte: usize) -> usize {
        self.text.as_bytes()[..byte.min(self.text.len())].iter().filter(|&&b| b == b'\n').count() + 1
    }

    /// An error about the table that starts at byte `start`, or about the [`WHOLE`] file.
    pub fn error(&self, start: usize, problem: impl Display, remedy: impl Into<String>) -> Error {
        if !self.places.is_empty() {
            return Error::file(self.file, None, self.with_key(start, problem.to_string()), remedy);
        }
        let line = (start != WHOLE).then(|| self.line(start));
        Error::file(self.file, line, problem, remedy)
    }

    /// An error about a key's value, in the table that starts at byte `start`: names the key's own line.
    pub fn bad(&self, start: usize, key: &str, value: impl Display, remedy: &str) -> Error {
        let at = self.find(start, key.rsplit('.').next().unwrap_or(key)).unwrap_or(start);
        self.error(at, format!("{key} = {}", brief(value)), remedy)
    }

    /// Where the table that starts at byte `start` has this key.
    fn find(&self, start: usize, key: &str) -> Option<usize> {
        let mut at = start.min(self.text.len());
        for (number, line) in self.text[at..].split_inclusive('\n').enumerate() {
            let content = line.split('#').next().unwrap_or_default();
            if number > 0 && is_header(content) {
                return None;
            }
            let word = |part: &str| {
                let word = part.split_once('=')?.0.trim().trim_matches('"').to_string();
                word.rsplit('.').next().map(str::to_string)
            };
            if content.split(['{', ',']).any(|part| word(part).as_deref() == Some(key)) {
                return Some(at);
            }
            at += line.len();
        }
        None
    }

    /// What the engine refused, said about the table that starts at byte `start`.
    pub fn refused(&self, start: usize, e: Error) -> Error {
        match e {
            Error::Setting { name, value, remedy } => self.bad(start, &name, value, &remedy),
            Error::File { .. } => e,
            other => self.error(start, other, ""),
        }
    }

    /// A finite vector in the table that starts at byte `start`.
    pub fn vector(&self, start: usize, key: &str, v: Vector) -> Result<DVec3, Error> {
        let v = DVec3::from_array(v);
        if v.is_finite() { Ok(v) } else { Err(self.bad(start, key, v, "must be finite")) }
    }

    /// A positive, finite number in the table that starts at byte `start`.
    pub fn positive(&self, start: usize, key: &str, value: f64) -> Result<f64, Error> {
        match value > 0.0 && value.is_finite() {
            true => Ok(value),
            false => Err(self.bad(start, key, value, "must be positive and finite")),
        }
    }

    /// A rigid obstacle; `margin` \[m\] if it names none.
    pub fn obstacle(&self, text: &toml::Spanned<ShapeText>, margin: f64) -> Result<Obstacle, Error> {
        let (start, text) = (text.span().start, text.get_ref());
        let (friction, margin) = (text.friction.unwrap_or(0.3), text.margin.unwrap_or(margin));
        let shape = self.shape(text, start)?;
        self.no_mesh_keys(text, start)?;
        let motion = self.motion(text, shape.bounds(), start)?;
        let solid = Obstacle { shape, margin, friction, motion };
        solid.validate().map_err(|e| self.refused(start, e))?;
        Ok(solid)
    }

    /// Exactly one shape.
    pub fn shape(&self, text: &ShapeText, start: usize) -> Result<Shape, Error> {
        let mut found = self.shapes(text, start)?;
        let count = found.len();
        let remedy = "give exactly one of ground, plane, sphere, box, cylinder, capsule, cone, torus";
        match found.pop() {
            Some(shape) if count == 1 => Ok(shape),
            _ => Err(self.error(start, format!("this has {count} shapes"), remedy)),
        }
    }

    /// The shapes that are given.
    pub fn shapes(&self, text: &ShapeText, start: usize) -> Result<Vec<Shape>, Error> {
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
            let rounding = b.rounding.unwrap_or(0.0);
            found.push(Shape::Box { centre: v(b.centre), size: v(b.size), rotation, rounding });
        }
        if let Some(p) = &text.plane {
            found.push(Shape::Plane { point: v(p.point), normal: v(p.normal) });
        }
        if let Some(c) = &text.cone {
            let radii = [c.radius, c.radius_to.unwrap_or(0.0)];
            found.push(Shape::Cone { ends: [v(c.from), v(c.to)], radii });
        }
        if let Some(t) = &text.torus {
            let axis = t.axis.map_or(DVec3::Y, v);
            found.push(Shape::Torus { centre: v(t.centre), axis, radius: t.radius, tube: t.tube });
        }
        if let Some(t) = &text.cylinder {
            found.push(Shape::Cylinder { ends: [v(t.from), v(t.to)], radius: t.radius });
        }
        if let Some(t) = &text.capsule {
            if let Some(radius) = t.radius_to {
                let remedy = "only parts of a body taper; a rigid capsule has one radius";
                return Err(self.bad(start, "radius_to", radius, remedy));
            }
            found.push(Shape::Capsule { ends: [v(t.from), v(t.to)], radius: t.radius });
        }
        Ok(found)
    }
}

/// Rotation from angles about x, then y, then z \[degrees\].
pub(super) fn rotation(degrees: Option<Vector>) -> DQuat {
    let [x, y, z] = degrees.unwrap_or_default().map(f64::to_radians);
    math::rotation(z * DVec3::Z) * math::rotation(y * DVec3::Y) * math::rotation(x * DVec3::X)
}

/// Keys (time, vector) of a motion, the vectors in a unit.
pub(super) fn keys(text: Option<&[[f64; 4]]>, unit: f64) -> Vec<(f64, DVec3)> {
    text.into_iter().flatten().map(|&[t, x, y, z]| (t, unit * DVec3::new(x, y, z))).collect()
}

/// Whether a line begins a table; a line of numbers in brackets does not.
fn is_header(line: &str) -> bool {
    let name = line.trim().trim_start_matches('[');
    line.trim().starts_with('[') && line.trim().ends_with(']') && name.starts_with(char::is_alphabetic)
}

/// A value as it is shown; numbers of more digits than anyone would write are rounded.
fn brief(value: impl Display) -> String {
    let text = value.to_string();
    match text.parse::<f64>() {
        Ok(number) if text.len() > 24 => format!("{number:e}"),
        _ => text,
    }
}
