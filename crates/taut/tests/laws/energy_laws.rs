//! What is measured, against sums done by hand; and what implicit Euler may do to energy: take it.

use super::bodies::line;
use taut::measure::{Energy, angular_momentum, hash, momentum, stretch_ratios};
use taut::{DVec3, Method, Model, Settings, Simulation, Spring, SpringKind, State, shapes};

/// Three particles, a stretched and a compressed spring, one without rest length.
fn example() -> (Model, State) {
    let places = vec![DVec3::ZERO, DVec3::X, DVec3::new(1.0, 2.0, 0.0)];
    let mut model = line(places.clone(), vec![1.0, 2.0, 4.0], &[(1.0, 10.0), (2.0, 100.0)]);
    model.springs.push(Spring::new(0, 2, 0.0, 6.0));
    let mut state = State::at_rest(&model);
    state.positions = vec![DVec3::ZERO, DVec3::X * 3.0, DVec3::new(3.0, 1.5, 0.0)];
    state.velocities = vec![DVec3::Y, DVec3::new(0.0, 0.0, 3.0), DVec3::new(1.0, 0.0, -0.5)];
    (model, state)
}

#[test]
fn energies_and_momenta_as_summed_by_hand() {
    let (mut model, state) = example();
    let energy = Energy::of(&model, &state);
    // ½·1·1 + ½·2·9 + ½·4·1.25; ½·10·2² + ½·100·0.5² + ½·6·11.25; 9.81·(4·1.5).
    assert_eq!(energy.kinetic, 0.5 + 9.0 + 2.5);
    assert!((energy.elastic - (20.0 + 12.5 + 33.75)).abs() < 1e-13);
    assert!((energy.gravity - 9.81 * 6.0).abs() < 1e-13);
    assert!((energy.total() - (12.0 + 66.25 + 58.86)).abs() < 1e-13);
    assert_eq!(momentum(&model, &state), DVec3::new(4.0, 1.0, 4.0));
    // (3,0,0)×(0,0,6) = (0,−18,0); (3,1.5,0)×(4,0,−2) = (−3,6,−6).
    assert_eq!(angular_momentum(&model, &state), DVec3::new(-3.0, -12.0, -6.0));
    assert_eq!(stretch_ratios(&model, &state), vec![0.75, 3.0]);
    // The compressed spring stores nothing if it only acts in extension.
    model.springs[1].kind = SpringKind::ExtensionOnly;
    assert!((Energy::of(&model, &state).elastic - (20.0 + 33.75)).abs() < 1e-13);
}

/// A spring that only pulls, compressed, and a strip that buckles, drawn out: they hold no energy, pull at nothing and
/// take nothing, by any method. Two particles drift on as if there were none.
#[test]
fn slack_springs_store_nothing() {
    let bend = Spring::bend(0, 1, 0.25, 1e-3, 100.0);
    let pulling = Spring { kind: SpringKind::ExtensionOnly, ..Spring::new(0, 1, 2.0, 100.0) };
    for spring in [pulling, bend] {
        let rest = vec![-0.5 * DVec3::X, 0.5 * DVec3::X];
        let (masses, springs) = (vec![1.0; 2], vec![spring]);
        let model = Model { masses, rest, springs, gravity: DVec3::ZERO, ..Model::default() };
        let mut state = State::at_rest(&model);
        state.velocities = vec![DVec3::new(0.25, 0.5, 0.0), DVec3::new(-0.25, 0.5, 0.0)];
        for method in Method::NAMES.map(|word| word.parse::<Method>().unwrap()) {
            if method.suits(&model).is_err() {
                continue;
            }
            let (name, settings) = (method.name(), Settings::without_contact(method.clone(), 0.01));
            let mut simulation = Simulation::with_state(model.clone(), state.clone(), settings).unwrap();
            for n in 1..=100 {
                simulation.step().unwrap();
                let energy = simulation.energy();
                assert_eq!(energy.elastic, 0.0, "{name}, step {n}");
                assert!((energy.kinetic / 0.3125 - 1.0).abs() <= 1e-12, "{name}, step {n}: {energy:?}");
            }
            let off = simulation.positions()[1].distance(DVec3::new(0.25, 0.5, 0.0));
            assert!(off <= 1e-13, "{name}, {:?}: {off:e}", spring.kind);
        }
    }
}

#[test]
fn the_hash_sees_every_bit_but_the_sign_of_zero() {
    let (_, state) = example();
    let first = hash(&state);
    assert_eq!(first, hash(&state.clone()));
    let mut minus = state.clone();
    minus.positions[0] = DVec3::splat(-0.0);
    minus.velocities[0].x = -0.0;
    assert_eq!(first, hash(&minus));
    for i in 0..3 {
        for axis in 0..3 {
            let mut other = state.clone();
            other.positions[i][axis] = next(other.positions[i][axis]);
            assert_ne!(first, hash(&other), "position {i}, axis {axis}");
            let mut other = state.clone();
            other.velocities[i][axis] = next(other.velocities[i][axis]);
            assert_ne!(first, hash(&other), "velocity {i}, axis {axis}");
        }
    }
    let mut swapped = state.clone();
    std::mem::swap(&mut swapped.positions, &mut swapped.velocities);
    assert_ne!(first, hash(&swapped));
}

fn next(x: f64) -> f64 {
    f64::from_bits(x.to_bits() + 1)
}

/// Largest gain of energy in a step, over the energy there is to lose; every step's own gain, not the net one.
fn largest_gain(mut simulation: Simulation, steps: usize) -> (f64, f64) {
    let first = simulation.energy().total();
    let (mut last, mut lowest, mut gain) = (first, first, f64::NEG_INFINITY);
    for _ in 0..steps {
        simulation.step().unwrap();
        let now = simulation.energy().total();
        gain = gain.max(now - last);
        lowest = lowest.min(now);
        last = now;
    }
    (gain, first - lowest)
}

#[test]
fn implicit_euler_never_gains_energy_in_a_static_field() {
    let cloth = shapes::Grid { columns: 9, rows: 9, ..Default::default() }.build().unwrap();
    let mut curtain =
        Simulation::new(cloth.clone(), Settings::without_contact(Method::newton(), 1.0 / 30.0)).unwrap();
    curtain.pin(0).unwrap();
    curtain.pin(8).unwrap();
    let mut fine = Simulation::new(cloth, Settings::without_contact(Method::newton(), 1.0 / 300.0)).unwrap();
    fine.pin(0).unwrap();
    let places = (0..=20).map(|i| DVec3::X * (0.05 * f64::from(i))).collect();
    let rope = line(places, vec![0.01; 21], &[(0.05, 1000.0); 20]);
    let mut rope = Simulation::new(rope, Settings::without_contact(Method::newton(), 1.0 / 30.0)).unwrap();
    rope.pin(0).unwrap();
    for (name, simulation) in [("curtain", curtain), ("fine", fine), ("rope", rope)] {
        let (gain, lost) = largest_gain(simulation, 200);
        println!("{name}: largest gain {gain:e} J, {lost} J lost in all");
        assert!(lost > 0.0);
        assert!(gain <= 1e-12 * lost, "{name}: a step gained {gain:e} J of {lost} J");
    }
}
