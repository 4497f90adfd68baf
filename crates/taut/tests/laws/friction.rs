//! Coulomb friction, however a method meets a solid: held as a constraint, or put right after the step.

use crate::common::take;
use std::f64::consts::FRAC_PI_6;
use taut::collision::{Obstacle, Shape};
use taut::{DVec3, Method, Model, Scheme, Settings, Simulation, State};

/// Every method with every time scheme it knows, in steps of `h` \[s\].
pub fn every_way(h: f64) -> impl Iterator<Item = Settings> {
    let schemes = [Scheme::ImplicitEuler, Scheme::Bdf2, Scheme::Midpoint];
    let ways = Method::NAMES.into_iter().flat_map(move |word| schemes.map(|scheme| (word, scheme)));
    ways.map(move |(word, scheme)| Settings { scheme, ..Settings::new(word.parse().unwrap(), h) })
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
    let shape = Shape::Box { centre: -0.5 * normal, size: DVec3::new(9.0, 1.0, 9.0), rotation };
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
            let name = format!("{} {}, {speed} m/s", settings.method.name(), settings.scheme.name());
            println!("{name}: {errors:.5?}");
            for (error, rate) in errors.iter().zip([60.0, 120.0, 240.0, 480.0]) {
                assert!(error.abs() <= 4.0 / rate * 0.5 * pull, "{name}, 1/{rate} s: {errors:?}");
            }
            assert!(errors[3].abs() <= 0.3 * errors[1].abs(), "{name}: {errors:?}");
        }
    }
}
