//! Explicit Euler against its closed forms: free fall, the growth of one mode, drag, momentum, moving pins.

use crate::bodies::tangle;
use crate::common::Random;
use taut::doctor::Frequency;
use taut::{DVec3, Damping, Explicit, Method, Model, Scheme, Settings, Simulation, Spring, State, measure};

const BOTH: [Explicit; 2] = [Explicit::SymplecticEuler, Explicit::ForwardEuler];

fn simulation(order: Explicit, model: &Model, state: &State, drag: f64, h: f64) -> Simulation {
    let method = Method::Explicit(order);
    let settings = Settings {
        damping: Damping { drag, ..Damping::default() },
        ..Settings::without_contact(method.clone(), h)
    };
    Simulation::with_state(model.clone(), state.clone(), settings).unwrap()
}

#[test]
fn free_fall() {
    let model = Model { masses: vec![0.7], rest: vec![DVec3::ZERO], ..Model::default() };
    let state = State::at_rest(&model);
    for order in BOTH {
        let mut simulation = simulation(order, &model, &state, 0.0, 0.03);
        for n in 1..=100 {
            simulation.step().unwrap();
            let n = f64::from(n);
            let sum = if order == Explicit::SymplecticEuler { n * (n + 1.0) } else { n * (n - 1.0) };
            let expected = -9.81 * 0.03 * 0.03 * sum / 2.0;
            assert!(
                (simulation.positions()[0].y - expected).abs() <= 1e-12 * expected.abs(),
                "{order:?} {n}"
            );
        }
    }
}

/// One spring without rest length is one mode: the 2×2 matrices of the doctor, step by step.
#[test]
fn one_mode_moves_by_its_matrix() {
    let (k, m, c) = (50.0, 0.5, 0.3);
    let model = Model {
        masses: vec![m; 2],
        // Far apart at rest: how far is too far is measured against this.
        rest: vec![DVec3::ZERO, DVec3::X * 1e3],
        springs: vec![Spring::new(0, 1, 0.0, k)],
        gravity: DVec3::ZERO,
        ..Model::default()
    };
    let mut state = State::at_rest(&model);
    state.positions[1] = DVec3::new(0.3, 0.1, 0.0);
    state.pin(0);
    for order in BOTH {
        for h in [0.01, 0.05] {
            let (mut x, mut v) = (state.positions[1], DVec3::ZERO);
            let mut simulation = simulation(order, &model, &state, c, h);
            for n in 0..100 {
                simulation.step().unwrap();
                let old = v;
                v += h * (-k / m * x - c * v);
                x += h * if order == Explicit::SymplecticEuler { v } else { old };
                let error = (simulation.positions()[1] - x).length();
                assert!(error <= 1e-12 * x.length(), "{order:?} {h} step {n}: {error:e}");
            }
            let growth = order.growth((k / m).sqrt(), c, h).powi(100);
            let energy = |x: DVec3, v: DVec3| (k / m * x.length_squared() + v.length_squared()).sqrt();
            let grown = energy(x, v) / energy(state.positions[1], DVec3::ZERO);
            assert!((0.3..3.0).contains(&(grown / growth)), "{order:?} {h}: {grown} for {growth}");
        }
    }
}

/// Below the doctor's limit a net keeps together, a tenth above it does not.
#[test]
fn the_doctor_is_right() {
    let mut random = Random(8);
    let model = Model { gravity: DVec3::ZERO, ..tangle(&mut random, 12, 1e4) };
    let mut state = State::at_rest(&model);
    state.positions.iter_mut().for_each(|p| *p += random.vector(1e-9));
    let omega = Frequency::of(&model, &state).upper;
    for drag in [0.0, 20.0] {
        let limit = Explicit::SymplecticEuler.limit(omega, drag);
        let run = |h: f64| {
            let mut simulation = simulation(Explicit::SymplecticEuler, &model, &state, drag, h);
            (0..3000).all(|_| simulation.step().is_ok()) && simulation.energy().total() < 1e-6
        };
        assert!(run(0.98 * limit) && !run(1.1 * limit), "drag {drag}");
    }
}

#[test]
fn momentum_is_kept() {
    for order in BOTH {
        let mut random = Random(5);
        let model = tangle(&mut random, 9, 1e3);
        let mut state = State::at_rest(&model);
        state.velocities.iter_mut().for_each(|v| *v = random.vector(1.0));
        let before = measure::momentum(&model, &state);
        let omega = Frequency::of(&model, &state).any_pose;
        let mut simulation = simulation(order, &model, &state, 0.0, 0.01 / omega);
        for _ in 0..10_000 {
            simulation.step().unwrap();
        }
        let scale: f64 = model.masses.iter().sum();
        let drift = (measure::momentum(&model, simulation.state()) - before).length() / scale;
        assert!(drift <= 1e-12, "{order:?}: {drift:e}");
        // Symplectic Euler's forces are central and act where the particles are: it keeps angular momentum too.
        if order == Explicit::SymplecticEuler {
            let turn = measure::angular_momentum(&model, simulation.state());
            let off = (turn - measure::angular_momentum(&model, &state)).length() / scale;
            assert!(off <= 1e-12, "{off:e}");
        }
    }
}

#[test]
fn pins_are_exact_and_let_go() {
    let model = taut::shapes::Grid { columns: 5, rows: 5, ..Default::default() }.build().unwrap();
    let state = State::at_rest(&model);
    for order in BOTH {
        let mut simulation = simulation(order, &model, &state, 5.0, 1e-4);
        for n in 1..=200 {
            let place = DVec3::new(0.1, 1e-4 * f64::from(n), 0.0);
            let before = simulation.positions()[12];
            simulation.grab(12, place).unwrap();
            simulation.step().unwrap();
            assert_eq!(simulation.positions()[12], place);
            assert_eq!(simulation.state().velocities[12], (place - before) / 1e-4);
        }
        simulation.release(12).unwrap();
        simulation.step().unwrap();
        assert_ne!(simulation.positions()[12], DVec3::new(0.1, 0.02, 0.0));
    }
}

#[test]
fn explicit_methods_are_their_own_scheme() {
    let model = tangle(&mut Random(1), 4, 1.0);
    let mut simulation = simulation(BOTH[0], &model, &State::at_rest(&model), 0.0, 0.01);
    let message = simulation
        .configure(Settings { scheme: Scheme::Bdf2, ..simulation.settings().clone() })
        .unwrap_err()
        .to_string();
    assert!(message.contains("bdf2") && message.contains("symplectic_euler"), "{message}");
    simulation
        .configure(Settings { scheme: Scheme::ImplicitEuler, ..simulation.settings().clone() })
        .unwrap();
}
