//! What joins bodies: seams, attachments, and the air they hold together.

use super::body::Bodies;
use super::place::Source;
use super::select::PartText;
use super::text::BodyText;
use crate::geometry::{point_triangle, segment_segment};
use crate::{Error, Family, Link};
use glam::DVec3;
use serde::Deserialize;
use std::collections::BTreeSet;
use toml::Spanned;

/// Stiffness of a seam or an attachment where none is given, of each particle [N/m].
const STIFFNESS: f64 = 1000.0;
/// How long a seam takes to close where that is not given \[s\].
const SECONDS: f64 = 1.0;

/// Two rows of particles that are sewn together.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SeamText {
    pub first: PartText,
    pub second: PartText,
    #[serde(default)]
    pub reversed: bool,
    pub stiffness: Option<f64>,
    pub time: Option<f64>,
    pub seconds: Option<f64>,
}

/// Particles that are held at the nearest points of another body.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AttachmentText {
    pub part: PartText,
    pub to: String,
    pub stiffness: Option<f64>,
}

impl Bodies {
    /// Sew two rows of particles together, one by one.
    pub fn sew(&mut self, source: &Source, text: &Spanned<SeamText>) -> Result<(), Error> {
        let (start, text) = (text.span().start, text.get_ref());
        let row = |part| -> Result<Vec<u32>, Error> {
            Ok(self.chosen(source, part, start)?.into_iter().map(|i| i as u32).collect())
        };
        let (first, mut second) = (row(&text.first.which())?, row(&text.second.which())?);
        if text.reversed {
            second.reverse();
        }
        if let Some((same, _)) = first.iter().zip(&second).find(|(a, b)| a == b) {
            let remedy = "it cannot be sewn to itself: name rows that share no particle";
            return Err(source.bad(start, "second", format!("particle {same}"), remedy));
        }
        let stiffness = source.positive(start, "stiffness", text.stiffness.unwrap_or(STIFFNESS))?;
        let seconds = source.positive(start, "seconds", text.seconds.unwrap_or(SECONDS))?;
        let time = text.time.unwrap_or(0.0);
        if !time.is_finite() {
            return Err(source.bad(start, "time", time, "must be a number of seconds"));
        }
        let sewn = self.model.sew(&first, &second, stiffness, time, seconds);
        sewn.map_err(|e| source.refused(start, e))
    }

    /// Hold particles at the points of another body that are nearest to them at rest.
    pub fn attach(&mut self, source: &Source, text: &Spanned<AttachmentText>) -> Result<(), Error> {
        let (start, text) = (text.span().start, text.get_ref());
        let particles = self.chosen(source, &text.part.which(), start)?;
        let stiffness = source.positive(start, "stiffness", text.stiffness.unwrap_or(STIFFNESS))?;
        let names: Vec<&str> = self.model.bodies.iter().map(|b| b.name.as_str()).collect();
        let to = self.model.body(&text.to).ok_or_else(|| {
            let remedy = crate::words::suggest(&text.to, &names, "the bodies are");
            source.bad(start, "to", format!("{:?}", text.to), &remedy)
        })?;
        if let Some(first) = particles.iter().find(|&&i| self.model.tag(i) == to) {
            let remedy = format!("particle {first} is of that body itself: name another one");
            return Err(source.bad(start, "to", format!("{:?}", text.to), &remedy));
        }
        let cells = self.cells(to);
        for particle in particles {
            let weights = self.nearest(&cells, particle).ok_or_else(|| {
                let remedy = "it has neither triangles nor springs to be attached to";
                source.bad(start, "to", format!("{:?}", text.to), remedy)
            })?;
            self.model.links.push(Link::attachment(particle as u32, &weights, stiffness));
        }
        Ok(())
    }

    /// The triangles of a body, or if it has none its strands as triangles without a third corner of their own.
    fn cells(&self, body: usize) -> Vec<[u32; 3]> {
        let triangles: Vec<[u32; 3]> =
            self.model.triangles_of(body).map(|t| self.model.triangles[t]).collect();
        if !triangles.is_empty() {
            return triangles;
        }
        let springs = self.model.springs_of(body).map(|s| &self.model.springs[s]);
        let along = springs.filter(|s| s.family == Family::Stretch);
        along.map(|s| [s.ends[0], s.ends[1], s.ends[1]]).collect()
    }

    /// Corners and shares of the point of some cells that is nearest to a particle.
    fn nearest(&self, cells: &[[u32; 3]], particle: usize) -> Option<Vec<(u32, f64)>> {
        let rest = |i: u32| self.model.rest[i as usize];
        let p = self.model.rest[particle];
        let shares = |&[a, b, c]: &[u32; 3]| match b == c {
            false => point_triangle(p, [a, b, c].map(rest)),
            true => {
                let (_, along) = segment_segment([p; 2], [a, b].map(rest));
                [1.0 - along, along, 0.0]
            }
        };
        let distance = |cell: &[u32; 3]| {
            let point: DVec3 = cell.iter().zip(shares(cell)).map(|(&i, share)| share * rest(i)).sum();
            point.distance_squared(p)
        };
        let nearest = cells.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let all = nearest.iter().copied().zip(shares(nearest));
        Some(all.filter(|(_, share)| *share != 0.0).collect())
    }

    /// Fill bodies with air: each alone, or with those it is sewn to.
    pub fn inflate(&mut self, source: &Source, texts: &[Spanned<BodyText>]) -> Result<(), Error> {
        let mut filled = BTreeSet::new();
        for (body, text) in texts.iter().enumerate() {
            let (start, text) = (text.span().start, text.get_ref());
            let Some(pressure) = text.pressure else {
                if let Some((key, value)) = [("volume", text.volume), ("inflate", text.inflate)]
                    .into_iter()
                    .find_map(|(key, value)| Some((key, value?)))
                {
                    let remedy = "it is about the air in a body: add pressure [Pa], or leave it out";
                    return Err(source.bad(start, key, value, remedy));
                }
                continue;
            };
            let bodies = self.sewn_to(body);
            if self.model.tets_of(body).next().is_some() {
                let remedy = "a solid is full of tetrahedra: only surfaces hold air";
                return Err(source.bad(start, "pressure", pressure, remedy));
            }
            if !bodies.iter().all(|&b| filled.insert(b)) {
                let remedy = "another body that it is sewn to holds this air already: give it once";
                return Err(source.bad(start, "pressure", pressure, remedy));
            }
            let filling =
                text.inflate.map(|seconds| source.positive(start, "inflate", seconds)).transpose()?;
            let inflated =
                self.model.inflate(&bodies, pressure, text.volume, filling.map(|seconds| (0.0, seconds)));
            inflated.map_err(|e| match e {
                Error::Model { problem, remedy, .. } => {
                    source.bad(start, "pressure", pressure, &format!("{problem}; {remedy}"))
                }
                e => source.refused(start, e),
            })?;
        }
        Ok(())
    }

    /// A body and those that seams join it to, one after another.
    fn sewn_to(&self, body: usize) -> Vec<usize> {
        let mut bodies = vec![body];
        let seams: Vec<[usize; 2]> = self
            .model
            .links
            .iter()
            .filter(|link| link.closing.is_some())
            .filter_map(|link| match link.weights[..] {
                [(a, _), (b, _)] => Some([a, b].map(|i| self.model.tag(i as usize))),
                _ => None,
            })
            .collect();
        let mut next = 0;
        while next < bodies.len() {
            for &[a, b] in &seams {
                let other = if a == bodies[next] { b } else { a };
                if [a, b].contains(&bodies[next]) && !bodies.contains(&other) {
                    bodies.push(other);
                }
            }
            next += 1;
        }
        bodies
    }
}
