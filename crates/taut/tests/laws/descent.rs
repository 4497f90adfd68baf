//! g never rises under plain local/global: 10,000 half-steps over 5 scenes, no relative increase above 1e-12.
//!
//! The joint objective `G(x, d) = ½‖x − ŷ‖²_M + h²/2 Σ k‖p − d‖²` is evaluated here. Its local half-step is the
//! library's [`Objective::direction`]; its global half-step is a step of `Method::LocalGlobal` with one iteration:
//! from positions q with velocity (x − q)/h that iteration starts at x, and forces that make up the difference
//! keep ŷ where it was.

use crate::common::{Random, distance};
use crate::samples::{answer, curtain, exact_frames, integrator, net, slacken};
use taut::energy::{Objective, Sum};
use taut::{DVec3, Damping, Filter, Method, Model, SpringKind, State, Stop};

fn joint(model: &Model, g: &Objective, x: &[DVec3], d: &[DVec3]) -> f64 {
    let mut sum = Sum::default();
    for (i, &m) in model.masses.iter().enumerate() {
        sum.add(0.5 * m * (x[i] - g.target[i]).length_squared());
    }
    for (s, &d) in model.springs.iter().zip(d) {
        let (a, b) = s.ab();
        sum.add(0.5 * g.h * g.h * s.stiffness * ((x[a] - x[b]) - d).length_squared());
    }
    sum.total()
}

/// The state whose step starts its iteration at `x` and has the target of `frame`.
fn starting_at(model: &Model, before: &State, frame: &Objective, x: &[DVec3]) -> State {
    let (mut state, h) = (before.clone(), frame.h);
    for (i, &x) in x.iter().enumerate() {
        if state.filters[i] == Filter::Free {
            state.velocities[i] = (x - before.positions[i]) / h;
            state.forces[i] = model.masses[i] * ((frame.target[i] - x) / (h * h) - model.gravity);
        }
    }
    state
}

struct Seen {
    half_steps: usize,
    worst: f64,
}

/// Follow one frame for some iterations; returns the answer.
fn follow(model: &Model, before: &State, h: f64, iterations: usize, seen: &mut Seen) -> Vec<DVec3> {
    let frame = taut::integrator::objective(model, before, h, &Damping::default());
    let mut one = integrator(&Method::LocalGlobal(Stop::iterations(1)), model, before, h);
    let mut x = frame.inertia.clone();
    let directions = |g: &Objective, x: &[DVec3]| {
        model.springs.iter().map(|s| g.direction(model, s, x)).collect::<Vec<_>>()
    };
    let mut d = directions(&frame, &before.positions);
    for _ in 0..iterations {
        let mut state = starting_at(model, before, &frame, &x);
        let g = taut::integrator::objective(model, &state, h, &Damping::default());
        x.copy_from_slice(&g.inertia);
        let start = joint(model, &g, &x, &d);
        d = directions(&g, &x);
        let local = joint(model, &g, &x, &d);
        one.step(model, &mut state, taut::integrator::Contacts::default(), h).expect("a finite step");
        let global = joint(model, &g, &state.positions, &d);
        seen.half_steps += 2;
        seen.worst = seen.worst.max((local - start) / start).max((global - local) / local);
        x.copy_from_slice(&state.positions);
    }
    x
}

/// Name, model, state, h.
fn five() -> Vec<(&'static str, Model, State, f64)> {
    let h = 1.0 / 30.0;
    let (model, state) = curtain(21);
    let falling = exact_frames(&model, &state, h, 5);
    let (mut stiff, level) = curtain(11);
    stiff.springs.iter_mut().for_each(|s| s.stiffness = 1e6);
    let (mut loose, mut tossed) = curtain(11);
    loose.springs.iter_mut().for_each(|s| s.kind = SpringKind::ExtensionOnly);
    let mut random = Random(7);
    tossed.positions.iter_mut().for_each(|p| *p += random.vector(0.02));
    let (crushed, free) = net(&mut random, 60, [0.5, 3.0], false);
    let (mut mixed, held) = net(&mut random, 60, [0.5, 2.0], true);
    slacken(&mut mixed);
    mixed.springs.iter_mut().step_by(5).for_each(|s| s.rest_length = 0.0);
    vec![
        ("falling curtain", model, falling, h),
        ("stiff curtain", stiff, level, h),
        ("extension-only, tossed", loose, tossed, h),
        ("free, compressed", crushed, free, 1.0 / 10.0),
        ("mixed, held", mixed, held, 1.0 / 250.0),
    ]
}

#[test]
fn no_half_step_raises_g() {
    let mut total = 0;
    for (name, model, mut state, h) in five() {
        let mut seen = Seen { half_steps: 0, worst: f64::NEG_INFINITY };
        for _ in 0..20 {
            let x = follow(&model, &state, h, 50, &mut seen);
            for ((q, v), x) in state.positions.iter_mut().zip(&mut state.velocities).zip(x) {
                (*v, *q) = ((x - *q) / h, x);
            }
        }
        println!("{name}: {} half-steps, worst relative change {:e}", seen.half_steps, seen.worst);
        assert!(seen.worst <= 1e-12, "{name}: {:e}", seen.worst);
        total += seen.half_steps;
    }
    assert_eq!(total, 10_000);
}

/// The detour through states is the library's own iteration: ten singles are one step of ten.
#[test]
fn ten_single_iterations_are_one_step_of_ten() {
    for (name, model, state, h) in five() {
        let x = follow(&model, &state, h, 10, &mut Seen { half_steps: 0, worst: 0.0 });
        let (ten, _) = answer(&Method::LocalGlobal(Stop::iterations(10)), &model, &state, h);
        let apart = distance(&x, &ten) / model.mean_rest_length();
        assert!(apart < 1e-9, "{name}: {apart:e}");
    }
}
