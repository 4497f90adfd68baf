//! XPBD converges to the implicit step; PBD is that step for a lone spring, and stiffens with iterations in a net.

use crate::common::{Random, distance, take};
use crate::samples::{answer, curtain, net};
use taut::{DVec3, Method, Model, Scheme, Settings, Simulation, Spring, SpringKind, State, Stop};

/// Random nets whose springs only pull, so that g is convex: Newton's answer to 1e-9 of the size. A curtain beginning to
/// fall, some of whose springs push and are treated as published: to 1e-6.
#[test]
fn converged_xpbd_is_the_implicit_step() {
    let xpbd = Method::Xpbd(Stop::tolerance(1e-12));
    let mut worst = 0.0_f64;
    let mut compare = |model: &Model, state: &State, h: f64, tolerance: f64| {
        let (x, solve) = answer(&xpbd, model, state, h);
        let (exact, _) = answer(&Method::newton(), model, state, h);
        let error = distance(&x, &exact) / model.size();
        worst = worst.max(error);
        assert!(error <= tolerance, "{error:e}: {solve:?}");
    };
    let mut random = Random(2);
    for _ in 0..10 {
        let (mut model, state) = net(&mut random, 15, [0.3, 0.9], true);
        model.springs.iter_mut().for_each(|s| s.kind = SpringKind::ExtensionOnly);
        compare(&model, &state, 1.0 / 60.0, 1e-9);
    }
    let (model, state) = curtain(9);
    compare(&model, &state, 1.0 / 60.0, 1e-6);
    println!("worst {worst:e}");
}

/// The same with the other schemes: XPBD minimises whatever g it is given.
#[test]
fn converged_xpbd_serves_every_scheme() {
    let (mut model, mut state) = net(&mut Random(6), 12, [0.4, 0.9], true);
    model.gravity = DVec3::ZERO;
    model.springs.iter_mut().for_each(|s| s.kind = SpringKind::ExtensionOnly);
    state.velocities.iter_mut().for_each(|v| *v *= 0.1);
    for (_, scheme) in Scheme::NAMES {
        let run = |method: Method| {
            let settings = Settings { scheme, ..Settings::without_contact(method, 0.01) };
            let mut simulation = Simulation::with_state(model.clone(), state.clone(), settings).unwrap();
            take(&mut simulation, 10);
            simulation.positions().to_vec()
        };
        let error =
            distance(&run(Method::Xpbd(Stop::tolerance(1e-13))), &run(Method::newton())) / model.size();
        assert!(error <= 1e-8, "{scheme:?}: {error:e}");
    }
}

#[test]
fn a_lone_spring_is_exact_at_any_count() {
    let model = Model {
        masses: vec![0.3, 0.7],
        rest: vec![DVec3::ZERO, DVec3::X],
        springs: vec![Spring::new(0, 1, 0.8, 120.0)],
        ..Model::default()
    };
    let state = State::at_rest(&model);
    let (exact, _) = answer(&Method::newton(), &model, &state, 0.05);
    for n in [1, 2, 10, 100] {
        for method in [Method::Pbd(Stop::iterations(n)), Method::Xpbd(Stop::iterations(n))] {
            let (x, _) = answer(&method, &model, &state, 0.05);
            assert!(distance(&x, &exact) <= 1e-13, "{n} iterations, {method:?}: {:e}", distance(&x, &exact));
        }
    }
}

/// How far a chain's end hangs below its rest after all motion has died.
fn sag(method: Method) -> f64 {
    let n = 10;
    let model = Model {
        masses: vec![0.1; n + 1],
        rest: (0..=n).map(|i| DVec3::NEG_Y * (0.1 * i as f64)).collect(),
        springs: (0..n as u32).map(|i| Spring::new(i, i + 1, 0.1, 20_000.0)).collect(),
        ..Model::default()
    };
    let settings = Settings {
        damping: taut::Damping { ether: 0.9, ..Default::default() },
        ..Settings::without_contact(method.clone(), 1.0 / 30.0)
    };
    let mut simulation = Simulation::new(model, settings).unwrap();
    simulation.pin(0).unwrap();
    take(&mut simulation, 1500);
    -1.0 - simulation.positions()[n].y
}

/// Σ (mass below) g/k for the chain: what local/global has at any count, and XPBD.
#[test]
fn stiffness_depends_on_iterations_for_pbd_alone() {
    let exact = (1..=10).map(|j| 0.1 * f64::from(j) * 9.81 / 20_000.0).sum::<f64>();
    let counts = [1, 5, 20, 80];
    let pbd = counts.map(|n| sag(Method::Pbd(Stop::iterations(n))) / exact);
    println!("pbd {pbd:?}");
    assert!(pbd.windows(2).all(|w| w[1] < w[0]) && pbd[3] < 0.5 * pbd[0], "stiffer with iterations: {pbd:?}");
    for n in counts {
        let same = sag(Method::LocalGlobal(Stop::iterations(n))) / exact;
        assert!((same - 1.0).abs() < 1e-6, "local_global, {n}: {same}");
    }
    let converged = sag(Method::Xpbd(Stop::iterations(2000))) / exact;
    assert!((converged - 1.0).abs() < 1e-6, "xpbd: {converged}");
}

#[test]
fn pbd_wants_a_number_of_iterations() {
    let model = curtain(4).0;
    for (stop, naming) in [
        (Stop::iterations(0), "iterations = 0"),
        (Stop::tolerance(1e-6), "tolerance = 0.000001: pbd corrects the stiffness for a fixed number"),
        (Stop::budget(0.01), "budget"),
    ] {
        let message = Simulation::new(model.clone(), Settings::without_contact(Method::Pbd(stop), 0.1))
            .err()
            .unwrap()
            .to_string();
        assert!(message.contains(naming), "{message}");
    }
}
