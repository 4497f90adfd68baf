//! What is odd about solids that are meshes: not met by anything, open or badly made, jumping, with other bodies inside.

use super::Scene;
use crate::collision::{Course, Frames, Level, Motion};
use crate::doctor::{Finding, Severity, short};
use crate::{Edit, bounds};
use glam::DVec3;
use std::collections::HashSet;

/// A solid of a scene: its number, and its triangles at the start.
struct Shell<'a> {
    name: &'a str,
    particles: Vec<usize>,
    corners: Vec<[u32; 3]>,
    closed: bool,
    extent: [DVec3; 2],
}

/// How the mesh of a solid is made.
#[derive(Default)]
struct Make {
    open: usize,
    crowded: usize,
    against: usize,
    flat: usize,
    repeated: usize,
    inverted: bool,
}

pub(super) fn solids(scene: &Scene, out: &mut Vec<Finding>) {
    let all = (0..scene.model.bodies.len()).filter(|&body| scene.model.bodies[body].solid);
    for body in all {
        let corners: Vec<[u32; 3]> =
            scene.model.triangles_of(body).map(|t| scene.model.triangles[t]).collect();
        let particles: Vec<usize> = scene.model.particles_of(body).collect();
        let make = Make::of(scene, &particles, &corners);
        let shell = Shell {
            name: scene.model.body_name(body),
            closed: make.open == 0,
            extent: bounds::extent(particles.iter().map(|&i| scene.state.positions[i])),
            particles,
            corners,
        };
        if scene.settings.contact.level == Level::Off {
            let what =
                format!("solid `{}` is a mesh, but contact is off: everything passes through it", shell.name);
            let remedy = "add [contact] with level = \"fast\" or \"exact\"";
            out.push(Finding::new(Severity::Warning, what, remedy));
        }
        out.extend(make.finding(shell.name));
        out.extend(shell.jump(scene));
        if shell.closed {
            (0..scene.model.body_count()).filter(|&b| b != body).for_each(|b| shell.holds(scene, b, out));
        }
    }
}

impl Make {
    fn of(scene: &Scene, particles: &[usize], corners: &[[u32; 3]]) -> Make {
        let rest = |i: u32| scene.model.rest[i as usize];
        let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
        let mut edges: Vec<([u32; 2], bool)> =
            corners.iter().flat_map(sides).map(|[a, b]| ([a.min(b), a.max(b)], a < b)).collect();
        edges.sort_unstable();
        let mut make = Make::default();
        for same in edges.chunk_by(|a, b| a.0 == b.0) {
            make.open += usize::from(same.len() == 1);
            make.crowded += usize::from(same.len() > 2);
            make.against += usize::from(same.len() == 2 && same[0].1 == same[1].1);
        }
        let area = |t: &&[u32; 3]| {
            let [a, b, c] = t.map(rest);
            (b - a).cross(c - a) == DVec3::ZERO
        };
        make.flat = corners.iter().filter(area).count();
        let mut seen = HashSet::new();
        let bits =
            |&&i: &&usize| !seen.insert((scene.model.rest[i] + DVec3::ZERO).to_array().map(f64::to_bits));
        make.repeated = particles.iter().filter(bits).count();
        // Six times the volume, seen from a point of it.
        let from = corners.first().map_or(DVec3::ZERO, |t| rest(t[0]));
        let volume = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| rest(i) - from);
            a.dot(b.cross(c))
        };
        let sound = make.open + make.crowded + make.against == 0;
        make.inverted = sound && corners.iter().map(volume).sum::<f64>() < 0.0;
        make
    }

    /// One sentence about all of it. An open sheet is a choice; the rest is probably a slip.
    fn finding(&self, name: &str) -> Option<Finding> {
        let counted = [
            (self.open, "open edges"),
            (self.crowded, "edges with three faces or more"),
            (self.against, "edges whose faces are wound against each other"),
            (self.flat, "faces without area"),
            (self.repeated, "repeated points"),
        ];
        let mut odd: Vec<String> =
            counted.iter().filter(|c| c.0 > 0).map(|(count, what)| format!("{count} {what}")).collect();
        odd.extend(self.inverted.then(|| "all faces wound inside out".to_string()));
        if odd.is_empty() {
            return None;
        }
        let bad = self.crowded + self.against + self.flat + self.repeated > 0 || self.inverted;
        let severity = if bad { Severity::Warning } else { Severity::Note };
        let what = format!("the mesh of solid `{name}` has {}", odd.join(", "));
        Some(Finding::new(severity, what, "it is used as it is: both sides of every face keep things out"))
    }
}

impl Shell<'_> {
    /// Particles of another body that start inside: pinned ones are never pushed out, free ones cannot come out.
    fn holds(&self, scene: &Scene, body: usize, out: &mut Vec<Finding>) {
        if scene.model.bodies.get(body).is_some_and(|body| body.solid) {
            return;
        }
        let [low, high] = self.extent;
        let near = |i: &usize| {
            let p = scene.state.positions[*i];
            p.cmpge(low).all() && p.cmple(high).all() && self.winding(scene, p).abs() > 0.5
        };
        let inside: Vec<usize> = scene.model.particles_of(body).filter(near).collect();
        let Some(first) = inside.first() else { return };
        let pins = inside.iter().filter(|&&i| scene.state.filters[i].is_pinned()).count();
        let what = format!(
            "body `{}` starts with {} particles inside solid `{}`, {pins} of them pinned; the first is particle {first}",
            scene.model.body_name(body),
            inside.len(),
            self.name
        );
        let remedy = "a mesh keeps in what is inside: move the body or the solid, or unpin them";
        out.push(Finding::new(Severity::Warning, what, remedy));
    }

    /// How often the surface goes round a point: the solid angles of its faces over 4π (van Oosterom, Strackee 1983).
    fn winding(&self, scene: &Scene, p: DVec3) -> f64 {
        let angle = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| scene.state.positions[i as usize] - p);
            let (x, y, z) = (a.length(), b.length(), c.length());
            let volume = a.dot(b.cross(c));
            2.0 * volume.atan2(x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y)
        };
        self.corners.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
    }

    /// A warning if it moves by more than its size from a frame to the next.
    fn jump(&self, scene: &Scene) -> Option<Finding> {
        let own =
            |edit: &Edit| matches!(edit, Edit::Follow { particles, .. } if *particles == self.particles);
        let event = scene.events.iter().find(|event| own(&event.edit))?;
        let Edit::Follow { course, .. } = &event.edit else { return None };
        let size = (self.extent[1] - self.extent[0]).length();
        let (far, frame) = match course {
            Course::Frames(frames) => self.farthest(frames),
            Course::Rigid(motion) => self.fastest(motion, scene),
        };
        let what = format!(
            "solid `{}` moves by {} m in frame {frame}, more than its size of {} m",
            self.name,
            short(far),
            short(size)
        );
        let remedy =
            "what it meets then is thrown or pinched: let it move more slowly, or check its keys and units";
        (far > size).then(|| Finding::new(Severity::Warning, what, remedy))
    }

    /// The longest way of a vertex between two frames, and the later of them.
    fn farthest(&self, frames: &Frames) -> (f64, usize) {
        let count = self.particles.len();
        let all: Vec<&[DVec3]> = frames.positions.chunks(count).collect();
        let way =
            |pair: &[&[DVec3]]| pair[0].iter().zip(pair[1]).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        largest(all.windows(2).map(way).zip(1..))
    }

    /// The longest way of a corner of its box between two frames of the film, and the later of them.
    fn fastest(&self, motion: &Motion, scene: &Scene) -> (f64, usize) {
        let [low, high] = self.extent;
        let corner = |k: usize| {
            let pick = |axis: usize| if k >> axis & 1 == 0 { low[axis] } else { high[axis] };
            DVec3::new(pick(0), pick(1), pick(2))
        };
        let time = |frame: usize| frame as f64 / scene.frames_per_second;
        let way = |frame: usize| {
            let way = |p| motion.carry(p, p, time(frame - 1), time(frame)).0.distance(p);
            (0..8).map(corner).map(way).fold(0.0, f64::max)
        };
        largest((1..=scene.frames).map(|frame| (way(frame), frame)))
    }
}

fn largest(all: impl Iterator<Item = (f64, usize)>) -> (f64, usize) {
    all.fold((0.0, 0), |most, next| if next.0 > most.0 { next } else { most })
}
