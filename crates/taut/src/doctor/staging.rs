//! Bodies and events in the scene they are in: started inside a solid, falling for ever, held everywhere, outside the
//! time simulated.
//!
//! Does not handle: triangles that cut a solid between particles outside it; a solid that stands beside a falling body
//! and not below it.

use super::{Finding, Severity, short};
use crate::collision::Shape;
use crate::script::Action;
use crate::{Body, Scene};
use glam::DVec3;

pub(super) fn examine(scene: &Scene, out: &mut Vec<Finding>) {
    for body in &scene.model.bodies {
        inside(scene, body, out);
        held(scene, body, out);
    }
    events(scene, out);
}

/// Pins may be anywhere; what is free and inside is pushed out in the first step.
fn inside(scene: &Scene, body: &Body, out: &mut Vec<Finding>) {
    for (number, solid) in scene.solids.iter().enumerate() {
        let free = body.particles.clone().filter(|&i| !scene.state.filters[i].is_pinned());
        let depth = |i: usize| -solid.shape.distance(scene.state.positions[i]).0;
        let deep: Vec<(usize, f64)> = free.map(|i| (i, depth(i))).filter(|d| d.1 > 0.0).collect();
        let Some(&(first, depth)) = deep.first() else { continue };
        let deepest = deep.iter().map(|d| d.1).fold(0.0, f64::max);
        let what = format!(
            "body `{}` starts inside solid {number}, a {}: {} particles, the first is {} of the body, {} m deep",
            body.name,
            word(&solid.shape),
            deep.len(),
            first - body.particles.start,
            short(depth)
        );
        let remedy =
            format!("move one of them by {} m: they are pushed out in the first step", short(deepest));
        out.push(Finding::new(Severity::Warning, what, remedy));
    }
}

fn word(shape: &Shape) -> &'static str {
    match shape {
        Shape::Ground { .. } => "ground",
        Shape::Sphere { .. } => "sphere",
        Shape::Box { .. } => "box",
        Shape::Cylinder { .. } => "cylinder",
        Shape::Capsule { .. } => "capsule",
    }
}

/// What nothing holds, and what is held everywhere.
fn held(scene: &Scene, body: &Body, out: &mut Vec<Finding>) {
    let pinned = |i: usize| scene.state.filters[i].is_pinned();
    let own = |particles: &[usize]| particles.iter().any(|i| body.particles.contains(i));
    let has =
        |kind: fn(&Action) -> Option<&[usize]>| scene.events.iter().filter_map(|e| kind(&e.action)).any(own);
    let grabbed = has(|a| if let Action::Move { particles, .. } = a { Some(particles) } else { None });
    let released = has(|a| if let Action::Release { particles } = a { Some(particles) } else { None });
    let stuck = !grabbed && !released && body.particles.clone().all(pinned);
    if stuck && !body.particles.is_empty() {
        let what = format!("every particle of body `{}` is pinned: it cannot move", body.name);
        out.push(Finding::new(Severity::Warning, what, "pin less of it: a smaller `box`, fewer `indices`"));
    }
    let still = scene.model.gravity == DVec3::ZERO || !scene.solids.is_empty();
    if !still && !grabbed && !body.particles.clone().any(pinned) {
        let what = format!("body `{}` has no pin and nothing below it: it falls for ever", body.name);
        out.push(Finding::new(
            Severity::Note,
            what,
            "add a [[pin]], or a [[solid]] with ground = { height = 0.0 }",
        ));
    }
}

fn events(scene: &Scene, out: &mut Vec<Finding>) {
    let end = scene.frames as f64 / scene.frames_per_second;
    for (number, event) in scene.events.iter().enumerate() {
        let time = short(event.time);
        if event.time >= end {
            let what = format!("event {number} at {time} s comes after the end at {} s", short(end));
            out.push(Finding::new(Severity::Warning, what, "raise `duration`, or let it happen earlier"));
        }
        if event.time < 0.0 {
            let what =
                format!("event {number} at {time} s comes before the start: it acts in the first step");
            out.push(Finding::new(Severity::Warning, what, "times count from 0, the start"));
        }
    }
}
