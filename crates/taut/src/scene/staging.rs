//! Bodies and events in the scene they are in: started inside a solid, falling for ever, held everywhere, outside the
//! time simulated.
//!
//! Does not handle: triangles that cut a solid between particles outside it; a solid that stands beside a falling body
//! and not below it.

use super::{Scene, odd};
use crate::collision::Obstacle;
use crate::doctor::{self, Diagnosis, Finding, Frequency, Limit, Severity, short};
use crate::integrator::{Explicit, Scheme};
use crate::{Edit, Family, Method, Model, Settings, SpringKind};
use glam::DVec3;

impl Scene {
    /// What may go wrong: the model in its starting pose, and how it stands among solids and events.
    pub fn examine(&self) -> Diagnosis {
        let scene = self;
        let h = scene.time_step();
        let mut diagnosis = doctor::examine(&scene.model, &scene.state, h);
        let limit = |scheme| Limit::new(scheme, diagnosis.omega_max, scene.settings.damping.drag, h);
        diagnosis.limits = Explicit::NAMES.map(|(_, scheme)| limit(scheme)).to_vec();
        stage(scene, &mut diagnosis.findings);
        if diagnosis.worst() != Some(Severity::Error) {
            diagnosis.findings.extend(self.long_step());
            diagnosis.findings.extend(self.lost_order());
        }
        diagnosis.findings.sort_by_key(|f| std::cmp::Reverse(f.severity));
        diagnosis
    }

    /// Notes where BDF2 or the midpoint rule is not of second order.
    fn lost_order(&self) -> Vec<Finding> {
        let Settings { scheme, damping, .. } = self.settings;
        let mut method = self.settings.method.clone();
        let once = method.imex_mut().is_some_and(|settings| settings.newton == 1);
        let mut notes = Vec::new();
        if once && scheme == Scheme::Bdf2 {
            let what = format!("{method} with bdf2 is of first order where springs push or are damped");
            let remedy = "iterate: iterations = 20 in [method], or use newton";
            notes.push(Finding::new(Severity::Note, what, remedy));
        }
        let can_be_slack = self.model.springs.iter().any(|s| s.kind != SpringKind::Linear);
        if scheme != Scheme::ImplicitEuler && damping.material > 0.0 && can_be_slack {
            let what = format!("{scheme} is of first order where springs with dampers become slack or taut");
            let remedy = "the damper's force begins and ends at once there: shorten the step, or leave material damping out";
            notes.push(Finding::new(Severity::Note, what, remedy));
        }
        notes
    }

    /// A warning where the scene's own method takes springs explicitly at a step that is past their limit.
    pub fn long_step(&self) -> Option<Finding> {
        let scene = self;
        let (model, state, h) = (&scene.model, &scene.state, scene.time_step());
        let (limit, method) = match scene.settings.method {
            Method::Explicit(scheme) => {
                let omega = Frequency::of(model, state).upper;
                (Limit::new(scheme, omega, scene.settings.damping.drag, h), scheme.name())
            }
            Method::StaticImex(_) => {
                // Dampers of explicit springs are explicit too, and as stiff: βω² per second in the fastest mode.
                let springs = model.springs.iter().copied().filter(|s| s.family != Family::Stretch).collect();
                let omega = Frequency::of(&Model { springs, ..model.clone() }, state).upper;
                let drag = scene.settings.damping.material * omega * omega;
                let limit = Limit::new(Explicit::SymplecticEuler, omega, drag, h);
                (limit, "static_imex, which takes shear and bend springs explicitly,")
            }
            _ => return None,
        };
        let (fate, remedy) = limit.fate(h);
        let tamed = if scene.settings.limit.is_some() { " (strain limits may keep it together)" } else { "" };
        let what = format!("{method} at {h:.4} s is {fate}");
        (h >= limit.step).then(|| Finding::new(Severity::Warning, what, format!("{remedy}{tamed}")))
    }
}

fn stage(scene: &Scene, out: &mut Vec<Finding>) {
    let solid = |&body: &usize| scene.model.bodies.get(body).is_some_and(|body| body.solid);
    for body in (0..scene.model.body_count()).filter(|body| !solid(body)) {
        inside(scene, body, out);
        pinned_inside(scene, body, out);
        held(scene, body, out);
    }
    odd::solids(scene, out);
    out.extend(doctor::examine_contact(&scene.model, &scene.state, scene.settings.contact));
    events(scene, out);
    sideways(scene.model.gravity, out);
}

/// Who changes gravity for a mesh made with Z up has pictures and ground on their side.
fn sideways(gravity: DVec3, out: &mut Vec<Finding>) {
    let size = gravity.abs();
    if size.y >= size.max_element() {
        return;
    }
    let what = format!("gravity is {gravity} m/s², but ground and pictures have Y up");
    let remedy = "for a mesh made with Z up write mesh = { file = ..., up = \"z\" } and leave gravity out";
    out.push(Finding::new(Severity::Note, what, remedy));
}

/// How deep a particle starts in a solid \[m\].
fn depth(scene: &Scene, solid: &Obstacle, particle: usize) -> f64 {
    -(solid.distance(scene.state.positions[particle], 0.0).0 + solid.margin)
}

/// Pins are never pushed out: what hangs from them is drawn into the solid.
fn pinned_inside(scene: &Scene, body: usize, out: &mut Vec<Finding>) {
    for (number, solid) in scene.obstacles.iter().enumerate() {
        let pinned = |i: &usize| scene.state.filters[*i].is_pinned() && depth(scene, solid, *i) > 0.0;
        let deep: Vec<usize> = scene.model.particles_of(body).filter(pinned).collect();
        let Some(first) = deep.first() else { continue };
        let what = format!(
            "body `{}` has {} pins inside solid {number}, a {}; the first is particle {first}",
            scene.model.body_name(body),
            deep.len(),
            solid.shape.name()
        );
        let remedy =
            "pins are not pushed out, and what hangs from them is drawn inside: move them or the solid";
        out.push(Finding::new(Severity::Warning, what, remedy));
    }
}

/// What is free and inside is pushed out in the first step.
fn inside(scene: &Scene, body: usize, out: &mut Vec<Finding>) {
    let members: Vec<usize> = scene.model.particles_of(body).collect();
    for (number, solid) in scene.obstacles.iter().enumerate() {
        let free = members.iter().enumerate().filter(|&(_, &i)| !scene.state.filters[i].is_pinned());
        let depth = |i: usize| depth(scene, solid, i);
        let deep: Vec<(usize, f64)> = free.map(|(n, &i)| (n, depth(i))).filter(|d| d.1 > 0.0).collect();
        let Some(&(first, depth)) = deep.first() else { continue };
        let deepest = deep.iter().map(|d| d.1).fold(0.0, f64::max);
        let what = format!(
            "body `{}` starts with {} particles inside solid {number}, a {}; the first is number {first} of the body, \
             {} m deep",
            scene.model.body_name(body),
            deep.len(),
            solid.shape.name(),
            short(depth)
        );
        let remedy = format!(
            "move the body or the solid by {} m; else the first step pushes them out",
            short(deepest)
        );
        out.push(Finding::new(Severity::Warning, what, remedy));
    }
}

/// What nothing holds, and what is held everywhere.
fn held(scene: &Scene, body: usize, out: &mut Vec<Finding>) {
    let name = scene.model.body_name(body);
    let own = |particles: &[usize]| particles.iter().any(|&i| scene.model.tag(i) == body);
    let has =
        |kind: fn(&Edit) -> Option<&[usize]>| scene.events.iter().filter_map(|e| kind(&e.edit)).any(own);
    let grabbed = has(Edit::carries);
    let released = has(|e| if let Edit::Release { particles } = e { Some(particles) } else { None });
    let members: Vec<usize> = scene.model.particles_of(body).collect();
    let pinned = members.iter().filter(|&&i| scene.state.filters[i].is_pinned()).count();
    if !grabbed && !released && pinned > 0 && pinned == members.len() {
        let what = format!("every particle of body `{name}` is pinned: it cannot move");
        out.push(Finding::new(Severity::Warning, what, "pin less of it: a smaller `box`, fewer `indices`"));
    }
    let solids = !scene.obstacles.is_empty() || scene.model.bodies.iter().any(|body| body.solid);
    let still = scene.model.gravity == DVec3::ZERO || solids;
    if !still && !grabbed && pinned == 0 && !members.is_empty() {
        let what = format!("body `{name}` has no pin and nothing below it: it falls for ever");
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
