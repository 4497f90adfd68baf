//! Strain limits: nothing where nothing is too long, pins untouched, momentum kept, after any method.

use crate::common::Random;
use crate::samples::net;
use taut::{
    DVec3, Family, Method, Model, Order, Settings, Simulation, Spring, State, Stop, StrainLimit, measure,
    shapes::Grid,
};

const H: f64 = 1.0 / 30.0;
const ORDERS: [Order; 3] = [Order::Given, Order::Alternating, Order::Coloured];

fn methods() -> [Method; 5] {
    [
        Method::LocalGlobal(Stop::iterations(5)),
        Method::newton(),
        Method::Xpbd(Stop::iterations(5)),
        Method::SemiImplicit(Default::default()),
        Method::AdaptiveImex(Default::default()),
    ]
}

/// A limit that nothing reaches changes no bit.
#[test]
fn nothing_to_do_is_nothing_done() {
    let model = Grid { columns: 6, rows: 6, ..Grid::default() }.build().unwrap();
    for method in methods() {
        let mut plain = Simulation::new(model.clone(), Settings::without_contact(method, H)).unwrap();
        plain.pin(0).unwrap();
        let mut limited =
            Simulation::new(model.clone(), Settings::without_contact(plain.settings().method.clone(), H))
                .unwrap();
        limited.pin(0).unwrap();
        limited
            .configure(Settings {
                limit: Some(StrainLimit {
                    stretch: 1e6,
                    shear: 1e6,
                    bend: f64::INFINITY,
                    ..Default::default()
                }),
                ..limited.settings().clone()
            })
            .unwrap();
        for _ in 0..30 {
            plain.step().unwrap();
            let report = limited.step().unwrap().limited.unwrap();
            assert_eq!((report.passes, report.over), (1, 0));
            assert_eq!(plain.state(), limited.state());
        }
    }
}

/// After every method, in every order: no spring much over its limit, the pin where it is, a family without a limit
/// left alone, and velocities those of what happened.
#[test]
fn limits_hold_after_every_method() {
    let soft = Grid { columns: 8, rows: 8, stretch: 20.0, shear: 20.0, bend: 20.0, ..Grid::default() };
    let model = soft.build().unwrap();
    for method in methods() {
        for order in ORDERS {
            let mut simulation =
                Simulation::new(model.clone(), Settings::without_contact(method.clone(), H)).unwrap();
            simulation.pin(0).unwrap();
            simulation.pin(7).unwrap();
            let limit = StrainLimit { shear: f64::INFINITY, passes: 300, order, ..StrainLimit::default() };
            simulation.configure(Settings { limit: Some(limit), ..simulation.settings().clone() }).unwrap();
            let mut sheared = 0.0_f64;
            for _ in 0..60 {
                let before = simulation.positions().to_vec();
                let report = simulation.step().unwrap().limited.unwrap();
                let x = simulation.positions();
                assert_eq!((x[0], x[7]), (model.rest[0], model.rest[7]));
                let ratio = |s: &&Spring| x[s.ab().0].distance(x[s.ab().1]) / s.rest_length;
                let of =
                    |shear: bool| model.springs.iter().filter(move |s| (s.family == Family::Shear) == shear);
                let worst = of(false).map(|s| ratio(&s)).fold(0.0, f64::max);
                sheared = of(true).map(|s| ratio(&s)).fold(sheared, f64::max);
                assert!(worst < 1.15, "{worst} {method:?} {order:?}");
                assert!(
                    (report.worst * 1.1 - worst).abs() < 1e-12
                        && (report.over == 0) == (report.worst <= 1.0 + 4e-12)
                );
                for i in 8..model.particles() {
                    let did = (x[i] - before[i]) / H;
                    assert!(
                        (simulation.state().velocities[i] - did).length() <= 1e-12 * did.length().max(1.0)
                    );
                }
            }
            assert!(sheared > 1.12, "shear is not limited: {sheared}");
        }
    }
}

#[test]
fn momentum_is_kept_whatever_the_masses() {
    for order in ORDERS {
        let mut random = Random(4);
        let (mut model, mut state) = net(&mut random, 20, [0.3, 0.6], false);
        model.gravity = DVec3::ZERO;
        state.velocities.fill(DVec3::ZERO);
        let centre = |x: &[DVec3]| model.masses.iter().zip(x).map(|(&m, &x)| m * x).sum::<DVec3>();
        let mut simulation = Simulation::with_state(
            model.clone(),
            state.clone(),
            Settings::without_contact(Method::default(), 1e-6),
        )
        .unwrap();
        simulation
            .configure(Settings {
                limit: Some(StrainLimit { order, passes: 5, ..StrainLimit::default() }),
                ..simulation.settings().clone()
            })
            .unwrap();
        simulation.step().unwrap();
        let moved = centre(simulation.positions()) - centre(&state.positions);
        let scale: f64 = model.masses.iter().sum::<f64>() * model.size();
        assert!(moved.length() <= 1e-14 * scale, "{:e}", moved.length() / scale);
        let pushed = measure::momentum(&model, simulation.state()).length();
        assert!(pushed * 1e-6 <= 1e-14 * scale, "{pushed:e}");
    }
}

/// One spring: half each, by mass, or all of it.
#[test]
fn one_spring_is_pulled_to_its_limit() {
    let model = Model {
        masses: vec![1.0, 3.0],
        rest: vec![DVec3::ZERO, DVec3::X],
        springs: vec![Spring::new(0, 1, 1.0, 1e-9)],
        gravity: DVec3::ZERO,
        ..Model::default()
    };
    let mut state = State::at_rest(&model);
    state.positions[1] = DVec3::X * 3.0;
    for (pinned, expected) in [(false, [1.425, 2.525]), (true, [0.0, 1.1])] {
        if pinned {
            state.pin(0);
        }
        let mut simulation = Simulation::with_state(
            model.clone(),
            state.clone(),
            Settings::without_contact(Method::default(), 0.1),
        )
        .unwrap();
        simulation
            .configure(Settings { limit: Some(StrainLimit::default()), ..simulation.settings().clone() })
            .unwrap();
        simulation.step().unwrap();
        for (x, expected) in simulation.positions().iter().zip(expected) {
            assert!((x.x - expected).abs() < 1e-9, "{x} for {expected}");
        }
    }
}

#[test]
fn impossible_limits_are_refused_with_what_would_be_right() {
    let model = Grid::default().build().unwrap();
    let mut simulation = Simulation::new(model, Settings::without_contact(Method::default(), H)).unwrap();
    let usual = StrainLimit::default();
    for (limit, naming) in [
        (StrainLimit { stretch: -0.1, ..usual }, "limit.stretch = -0.1: must be zero or more"),
        (StrainLimit { bend: f64::NAN, ..usual }, "limit.bend"),
        (StrainLimit { passes: 0, ..usual }, "limit.passes = 0: at least one"),
        (StrainLimit { speed: Some(0.0), ..usual }, "limit.speed = 0"),
    ] {
        let message = simulation
            .configure(Settings { limit: Some(limit), ..simulation.settings().clone() })
            .unwrap_err()
            .to_string();
        assert!(message.contains(naming), "{message}");
        assert!(simulation.settings().limit.is_none());
    }
}

/// Two alternating passes are one over the springs as they are given and one over them backwards.
#[test]
fn alternating_passes_go_there_and_back() {
    let chain = (0..5).map(|i| Spring::new(i, i + 1, 0.5, 0.0)).collect::<Vec<_>>();
    let rest: Vec<DVec3> = (0..6).map(|i| DVec3::X * f64::from(i)).collect();
    let model =
        Model { masses: vec![1.0; 6], rest, springs: chain, gravity: DVec3::ZERO, ..Model::default() };
    let limited = |model: &Model, state: State, order, passes| {
        let mut simulation =
            Simulation::with_state(model.clone(), state, Settings::without_contact(Method::newton(), H))
                .unwrap();
        let limit = StrainLimit { order, passes, correct_velocity: false, ..StrainLimit::default() };
        simulation.configure(Settings { limit: Some(limit), ..simulation.settings().clone() }).unwrap();
        simulation.step().unwrap();
        simulation.state().clone()
    };
    let start = State::at_rest(&model);
    let there_and_back = limited(&model, start.clone(), Order::Alternating, 2);
    let there = limited(&model, start.clone(), Order::Given, 1);
    let mut backwards = model.clone();
    backwards.springs.reverse();
    let back = limited(&backwards, there, Order::Given, 1);
    assert_eq!(there_and_back.positions, back.positions);
    assert_ne!(there_and_back.positions, limited(&model, start, Order::Given, 2).positions);
}
