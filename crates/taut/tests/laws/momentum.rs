//! Momentum of a free system, at any iteration count; the angular-momentum identity of the converged step,
//!
//! ```text
//! L(n+1) − L(n) = h Σ m v(n+1) × v(n)
//! ```
//!
//! (implicit Euler does not keep angular momentum; this is what it keeps instead).

use super::bodies::tangle;
use super::common::Random;
use super::samples::accelerated;
use taut::measure::{angular_momentum, momentum};
use taut::{DVec3, Damping, ImexSettings, Method, Model, Settings, Simulation, State, Stop};

const H: f64 = 1.0 / 30.0;

fn moving(random: &mut Random, model: &Model) -> State {
    let mut state = State::at_rest(model);
    state.velocities.iter_mut().for_each(|v| *v = random.vector(1.0));
    state.positions.iter_mut().for_each(|x| *x += random.vector(0.1));
    state
}

/// Σ m|v|, the yardstick of momenta.
fn scale(model: &Model, state: &State) -> f64 {
    model.masses.iter().zip(&state.velocities).map(|(m, v)| m * v.length()).sum()
}

fn methods() -> Vec<Method> {
    let mut all = accelerated(Stop::iterations(7)).to_vec();
    all.extend([1, 10].map(|n| Method::LocalGlobal(Stop::iterations(n))));
    all.push(Method::newton());
    let loose = ImexSettings { tolerance: 0.1, ..ImexSettings::default() };
    all.extend([Method::BaraffWitkin(loose), Method::StaticImex(loose), Method::AdaptiveImex(loose)]);
    all.extend([Method::Pbd(Stop::iterations(5)), Method::Xpbd(Stop::iterations(5))]);
    all
}

#[test]
fn a_free_system_keeps_its_momentum_for_ten_thousand_steps() {
    for k in [1e2, 1e4, 1e6] {
        for method in methods() {
            let mut random = Random(k as u64);
            let model = tangle(&mut random, 9, k);
            let state = moving(&mut random, &model);
            let (before, scale) = (momentum(&model, &state), scale(&model, &state));
            let mut simulation =
                Simulation::with_state(model, state, Settings::without_contact(method, H)).unwrap();
            let mut worst = 0.0_f64;
            for _ in 0..10_000 {
                simulation.step().unwrap();
                worst = worst.max((momentum(simulation.model(), simulation.state()) - before).length());
            }
            println!("k {k:e} {:?}: {:e}", simulation.settings().method, worst / scale);
            assert!(
                worst <= 1e-9 * scale,
                "k {k:e}, {:?}: {:e}",
                simulation.settings().method,
                worst / scale
            );
        }
    }
}

#[test]
fn each_of_two_bodies_keeps_its_own() {
    for method in methods() {
        let mut random = Random(3);
        let mut model = tangle(&mut random, 7, 1e6);
        let split = model.append(&tangle(&mut random, 5, 1e3));
        let state = moving(&mut random, &model);
        let of = |state: &State, range: std::ops::Range<usize>| -> DVec3 {
            range.map(|i| model.masses[i] * state.velocities[i]).sum()
        };
        let parts = [0..split, split..model.particles()];
        let before = parts.clone().map(|part| of(&state, part));
        let scale = scale(&model, &state);
        let mut simulation =
            Simulation::with_state(model.clone(), state, Settings::without_contact(method, H)).unwrap();
        for _ in 0..1000 {
            simulation.step().unwrap();
        }
        for (part, before) in parts.into_iter().zip(before) {
            let drift = (of(simulation.state(), part) - before).length();
            assert!(drift <= 1e-9 * scale, "{:?}: {:e}", simulation.settings().method, drift / scale);
        }
    }
}

#[test]
fn gravity_adds_momentum_at_the_rate_of_the_weight() {
    for method in methods() {
        let mut random = Random(4);
        let model = Model { gravity: DVec3::new(1.0, -9.81, 0.5), ..tangle(&mut random, 8, 1e6) };
        let state = moving(&mut random, &model);
        let (before, mass) = (momentum(&model, &state), model.masses.iter().sum::<f64>());
        let mut simulation =
            Simulation::with_state(model, state, Settings::without_contact(method, H)).unwrap();
        for n in 1..=300 {
            simulation.step().unwrap();
            let gained = momentum(simulation.model(), simulation.state()) - before;
            let expected = mass * simulation.model().gravity * (f64::from(n) * H);
            let off = (gained - expected).length();
            assert!(
                off <= 1e-11 * expected.length(),
                "{:?}, step {n}: {off:e}",
                simulation.settings().method
            );
        }
    }
}

#[test]
fn the_converged_step_obeys_the_angular_momentum_identity() {
    let mut worst = 0.0_f64;
    for (k, material) in [1e2, 1e4, 1e6].into_iter().flat_map(|k| [(k, 0.0), (k, 1e-3), (k, 1.0)]) {
        let mut random = Random(k as u64 + 1);
        let model = tangle(&mut random, 12, k);
        let state = moving(&mut random, &model);
        let damping = Damping { material, ..Damping::default() };
        let settings = Settings { damping, ..Settings::without_contact(Method::newton(), H) };
        let mut simulation = Simulation::with_state(model, state, settings).unwrap();
        for n in 0..300 {
            let before = simulation.state().clone();
            simulation.step().unwrap();
            let (model, after) = (simulation.model(), simulation.state());
            let pairs = after.velocities.iter().zip(&before.velocities);
            let made: DVec3 = model.masses.iter().zip(pairs).map(|(&m, (v1, &v0))| m * v1.cross(v0)).sum();
            let gained = angular_momentum(model, after) - angular_momentum(model, &before);
            let moved = after.positions.iter().zip(&after.velocities);
            let scale: f64 =
                model.masses.iter().zip(moved).map(|(m, (x, v))| m * x.length() * v.length()).sum();
            let off = (gained - H * made).length() / scale;
            worst = worst.max(off);
            assert!(off <= 1e-10, "k {k:e}, β {material}, step {n}: {off:e}");
        }
    }
    println!("angular momentum identity: {worst:e}");
}
