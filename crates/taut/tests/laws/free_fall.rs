//! Free fall: after n steps implicit Euler has fallen g h² n(n+1)/2, whatever the method, the body or its springs.
//!
//! To 1e-12 for single particles and stiff bodies. A loose tangle of stiff springs (k = 1e6, masses over two orders)
//! reaches 4e-12 under the exact methods, 50 m down: there a position is rounded to 7e-15 m, and restoring lengths
//! to that takes a tangle close to a mechanism a hundred times as far.

use super::bodies::methods;
use super::common::Random;
use taut::{DVec3, Model, Settings, Simulation, State, shapes};

/// Largest distance from the closed form over 100 steps, relative to the fall so far and the size of the scene.
fn error(model: &Model, velocity: DVec3, h: f64, method: taut::Method) -> f64 {
    let mut state = State::at_rest(model);
    state.velocities.fill(velocity);
    let start = state.positions.clone();
    let mut simulation =
        Simulation::with_state(model.clone(), state, Settings::without_contact(method, h)).unwrap();
    let mut worst = 0.0_f64;
    for n in 1..=100 {
        simulation.step().unwrap();
        let n = f64::from(n);
        let fall = model.gravity * (h * h * n * (n + 1.0) / 2.0) + velocity * (h * n);
        for (x, x0) in simulation.positions().iter().zip(&start) {
            let scale =
                x0.length() + velocity.length() * h * n + model.gravity.length() * h * h * n * n / 2.0;
            worst = worst.max((*x - *x0 - fall).length() / scale);
        }
    }
    worst
}

#[test]
fn everything_falls_alike_under_every_method() {
    let mut random = Random(11);
    let single = Model { masses: vec![0.7], rest: vec![DVec3::new(1.0, 2.0, 3.0)], ..Model::default() };
    let isolated = Model {
        masses: (0..20).map(|_| random.magnitude(1e-3, 1e3)).collect(),
        rest: (0..20).map(|_| random.vector(2.0)).collect(),
        ..Model::default()
    };
    let ball = shapes::Field::ball(DVec3::ZERO, 0.5).lattice(0.3).unwrap();
    let solid = shapes::Solid { stiffness: 1e6, ..Default::default() };
    let solid = solid.build(&ball.positions, &ball.tets).unwrap();
    let cloth =
        shapes::Grid { columns: 5, rows: 5, stretch: 1e6, shear: 1e6, bend: 1e6, ..Default::default() };
    let cloth = cloth.build().unwrap();
    let mut mixed = solid.clone();
    mixed.append(&isolated);
    let bodies =
        [("single", single), ("isolated", isolated), ("cloth", cloth), ("solid", solid), ("mixed", mixed)];
    for (name, model) in &bodies {
        for velocity in [DVec3::ZERO, DVec3::new(3.0, 4.0, -1.0)] {
            for h in [1.0 / 30.0, 0.001] {
                for method in methods() {
                    let error = error(model, velocity, h, method.clone());
                    println!("{name} {velocity} {h:.4} {}: {error:e}", method.name());
                    assert!(error <= 1e-12, "{name}, {velocity}, h {h}, {method:?}: {error:e}");
                }
            }
        }
    }
}
