//! Coulomb friction, however a method meets a solid: held as a constraint, or put right after the step.

use crate::common::take;
use std::f64::consts::FRAC_PI_6;
use taut::collision::{ContactSettings, Level, Obstacle, Shape};
use taut::{DVec3, Ending, Method, Model, Scheme, Settings, Simulation, State};

/// Every method with every time scheme it knows, in steps of `h` \[s\], particles alone put right and with all contact.
pub fn every_way(h: f64) -> impl Iterator<Item = Settings> {
    let schemes = [Scheme::ImplicitEuler, Scheme::Bdf2, Scheme::Midpoint];
    let ways = Method::NAMES.into_iter().flat_map(move |word| schemes.map(|scheme| (word, scheme)));
    let ways = ways.flat_map(|(word, scheme)| [Level::Off, Level::Fast].map(|level| (word, scheme, level)));
    ways.map(move |(word, scheme, level)| {
        let contact = ContactSettings::new(level);
        let mut method: Method = word.parse().unwrap();
        if level != Level::Off && ["conjugate_gradient", "lbfgs"].contains(&word) {
            // They minimise contact together with the springs, and have to do so to the end.
            method = method.ending(Ending { iterations: Some(100), ..Ending::default() }).unwrap();
        }
        Settings { scheme, contact, ..Settings::new(method, h) }
    })
    .filter(|settings| settings.validate().is_ok())
}

/// A particle on a slope of 30°, thrown down it; μ = 0.4.
fn slope(settings: Settings, speed: f64) -> (Simulation, DVec3) {
    let rotation = glam::DQuat::from_rotation_z(-FRAC_PI_6);
    let (along, normal) = (rotation * DVec3::X, rotation * DVec3::Y);
    let model = Model { masses: vec![0.3], rest: vec![DVec3::ZERO], ..Model::default() };
    let mut state = State::at_rest(&model);
    state.velocities[0] = speed * along;
    let mut simulation = Simulation::with_state(model, state, settings).unwrap();
    let shape =
        Shape::Box { centre: -0.5 * normal, size: DVec3::new(9.0, 1.0, 9.0), rotation, rounding: 0.0 };
    simulation.set_obstacles(vec![Obstacle { shape, margin: 0.0, friction: 0.4, motion: None }]).unwrap();
    (simulation, along)
}

/// From rest it slides ½ g (sin θ − μ cos θ) t², and faster by v t if thrown. Every method is of first order here: 60 to
/// 480 steps a second leave errors of at most 4 h, in such distances (implicit Euler and those held: 1 h).
#[test]
fn it_slides_as_far_as_coulomb_says() {
    let pull = 9.81 * (FRAC_PI_6.sin() - 0.4 * FRAC_PI_6.cos());
    for settings in every_way(1.0) {
        for speed in [0.0, 1.0] {
            let errors = [60, 120, 240, 480].map(|rate: u32| {
                let settings = Settings { time_step: 1.0 / f64::from(rate), ..settings.clone() };
                let (mut simulation, along) = slope(settings, speed);
                take(&mut simulation, rate as usize);
                simulation.positions()[0].dot(along) - (speed + 0.5 * pull)
            });
            let (method, scheme, level) =
                (settings.method.name(), settings.scheme.name(), settings.contact.level);
            let name = format!("{method} {scheme} {level}, {speed} m/s");
            println!("{name}: {errors:.5?}");
            for (error, rate) in errors.iter().zip([60.0, 120.0, 240.0, 480.0]) {
                assert!(error.abs() <= 4.0 / rate * 0.5 * pull, "{name}, 1/{rate} s: {errors:?}");
            }
            // A scheme of second order with contact after the step makes none at all.
            let none = errors.iter().all(|error| error.abs() < 1e-11);
            assert!(none || errors[3].abs() <= 0.3 * errors[1].abs(), "{name}: {errors:?}");
        }
    }
}

/// Three solids side by side, each with a particle thrown along it: friction and margin are those of the solid touched.
#[test]
fn every_solid_has_its_own_friction_and_margin() {
    let solids = [(0.1, 0.0), (0.5, 0.25), (0.0, 0.125)];
    let place = |n: usize| 100.0 * n as f64 * DVec3::Z;
    let obstacle = |n: usize| {
        let size = DVec3::new(20.0, 1.0, 20.0);
        let shape = Shape::Box {
            centre: place(n) - 0.5 * DVec3::Y,
            size,
            rotation: glam::DQuat::IDENTITY,
            rounding: 0.0,
        };
        Obstacle { shape, margin: solids[n].1, friction: solids[n].0, motion: None }
    };
    let start = |n: usize| place(n) + solids[n].1 * DVec3::Y;
    let end = |settings: &Settings, which: &[usize]| {
        let rest = which.iter().map(|&n| start(n)).collect();
        let model = Model { masses: vec![0.3; which.len()], rest, ..Model::default() };
        let mut state = State::at_rest(&model);
        state.velocities.fill(3.0 * DVec3::X);
        let mut simulation = Simulation::with_state(model, state, settings.clone()).unwrap();
        simulation.set_obstacles(which.iter().map(|&n| obstacle(n)).collect()).unwrap();
        take(&mut simulation, 50);
        simulation.positions().to_vec()
    };
    for settings in every_way(0.01) {
        let name = format!("{} {}", settings.method.name(), settings.scheme.name());
        let all = end(&settings, &[0, 1, 2]);
        for (n, (friction, _)) in solids.into_iter().enumerate() {
            let off = all[n].distance(end(&settings, &[n])[0]);
            assert!(off <= 1e-12, "{name}, solid {n}: {off:e} m from where it is alone");
            let moved = all[n] - start(n);
            // 3 t − ½ μ g t², to first order; no deeper than the margin allows.
            let expected = 1.5 - 0.5 * friction * 9.81 * 0.25;
            assert!((moved.x - expected).abs() <= 0.05, "{name}, solid {n}: {moved}, {expected}");
            assert!(moved.y.abs() <= 1e-12, "{name}, solid {n}: {moved}");
        }
    }
}
