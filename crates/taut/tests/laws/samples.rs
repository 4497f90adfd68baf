//! Models in interesting states, shared by the laws of the step.

use crate::common::Random;
use taut::integrator::Integrator;
use taut::{DVec3, Method, Model, Solve, Spring, SpringKind, State, Stop, shapes};

/// The Curtain of [Liu13] as REFERENCES.md has it: two top corners pinned, horizontal, with a seeded 0.1 mm perturbation.
pub fn curtain(side: usize) -> (Model, State) {
    let model = shapes::published::curtain(side).expect("sides are at least 2");
    let mut state = State::at_rest(&model);
    let mut random = Random(1);
    state.positions.iter_mut().for_each(|p| *p += random.vector(1e-4));
    state.pin(0);
    state.pin(side - 1);
    (model, state)
}

/// A random connected net of `m` particles about 0.1 m apart, three springs each, at rest lengths `ratio`
/// times the distances, plus parallel springs. The first is pinned if `pinned`.
pub fn net(random: &mut Random, m: usize, ratio: [f64; 2], pinned: bool) -> (Model, State) {
    let side = 0.1 * (m as f64).cbrt();
    let rest: Vec<DVec3> = (0..m).map(|_| random.vector(side)).collect();
    let mut springs = Vec::new();
    let mut link = |random: &mut Random, a: usize, b: usize| {
        if a != b {
            let r = (rest[a] - rest[b]).length() * random.range(ratio[0], ratio[1]);
            springs.push(Spring::new(a as u32, b as u32, r, random.magnitude(10.0, 300.0)));
        }
    };
    for i in 1..m {
        let to = random.bits() as usize % i;
        link(random, i, to);
    }
    for _ in 0..2 * m {
        let [a, b] = [random.bits() as usize % m, random.bits() as usize % m];
        link(random, a, b);
    }
    springs.push(springs[0]);
    let masses = (0..m).map(|_| random.magnitude(0.005, 0.05)).collect();
    let model = Model { masses, rest, springs, ..Model::default() };
    let mut state = State::at_rest(&model);
    state.velocities.iter_mut().for_each(|v| *v = random.vector(0.5));
    if pinned {
        state.pin(0);
    }
    (model, state)
}

/// Make every other spring extension-only.
pub fn slacken(model: &mut Model) {
    model.springs.iter_mut().step_by(2).for_each(|s| s.kind = SpringKind::ExtensionOnly);
}

/// Every acceleration of local/global.
pub fn accelerated(stop: Stop) -> [Method; 4] {
    [Method::ConjugateGradient(stop), Method::Lbfgs(stop), Method::Anderson(stop), Method::Chebyshev(stop)]
}

/// A prepared integrator without damping.
pub fn integrator(method: &Method, model: &Model, state: &State, h: f64) -> Box<dyn Integrator> {
    let mut integrator = method.integrator(taut::Damping::default(), Default::default(), Default::default());
    integrator.prepare(model, state, h).expect("the model is sound");
    integrator
}

/// One undamped step of a method from a state, the state left alone: positions and what the solve did.
pub fn answer(method: &Method, model: &Model, state: &State, h: f64) -> (Vec<DVec3>, Solve) {
    let mut after = state.clone();
    let solve = integrator(method, model, state, h)
        .step(model, &mut after, taut::integrator::Contacts::default(), h)
        .expect("a finite step");
    (after.positions, solve)
}

/// The state after some exactly solved frames.
pub fn exact_frames(model: &Model, state: &State, h: f64, frames: usize) -> State {
    let mut state = state.clone();
    let mut exact = integrator(&Method::newton(), model, &state, h);
    for _ in 0..frames {
        exact.step(model, &mut state, taut::integrator::Contacts::default(), h).expect("a finite step");
    }
    state
}
