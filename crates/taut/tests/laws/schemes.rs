//! Time schemes: what each keeps of the energy, its order of convergence, and that pins, damping, contact, symmetry and
//! the relative error mean the same in all of them.

use crate::common::{Random, distance, take};
use crate::samples::{curtain, net};
use taut::collision::{Obstacle, Shape};
use taut::doctor::Frequency;
use taut::shapes::{Diagonals, Grid};
use taut::{
    DVec3, Damping, Error, Explicit, Method, Model, Scheme, Settings, Simulation, Spring, State, Stop,
};

const SCHEMES: [Scheme; 3] = [Scheme::ImplicitEuler, Scheme::Bdf2, Scheme::Midpoint];

fn simulation(model: &Model, state: &State, method: Method, scheme: Scheme, h: f64) -> Simulation {
    let settings = Settings { scheme, ..Settings::without_contact(method, h) };
    Simulation::with_state(model.clone(), state.clone(), settings).unwrap()
}

/// Largest change of the total energy over the steps, relative to the energy in motion and springs at the start.
fn drift(mut simulation: Simulation, steps: usize) -> f64 {
    let start = simulation.energy();
    let mut worst = 0.0_f64;
    for _ in 0..steps {
        simulation.step().unwrap();
        worst = worst.max((simulation.energy().total() - start.total()).abs());
    }
    worst / (start.kinetic + start.elastic)
}

/// Local/global is exact in one iteration; the second takes up the rounding of very long steps.
#[test]
fn midpoint_keeps_the_energy_of_springs_without_length_at_any_step() {
    let (mut model, state) = net(&mut Random(3), 10, [0.0, 0.0], true);
    model.springs.iter_mut().for_each(|s| s.rest_length = 0.0);
    let mut state = state;
    state.velocities[0] = DVec3::ZERO; // the pinned one
    for h in [1e-3, 1.0 / 30.0, 1.0, 30.0] {
        for method in [Method::LocalGlobal(Stop::iterations(2)), Method::newton()] {
            let drift = drift(simulation(&model, &state, method.clone(), Scheme::Midpoint, h), 10_000);
            println!("h {h} {}: {drift:e}", method.name());
            assert!(drift <= 1e-10, "h {h}, {method:?}: {drift:e}");
        }
    }
}

/// A vibrating net of springs with lengths, hω = 0.1.
#[test]
fn midpoint_keeps_hookean_energy_at_short_steps_and_euler_loses_it() {
    let (mut model, mut state) = net(&mut Random(5), 8, [0.7, 0.95], true);
    model.gravity = DVec3::ZERO;
    state.velocities.iter_mut().for_each(|v| *v *= 0.2);
    let h = 0.1 / Frequency::of(&model, &state).any_pose;
    let run = |scheme| drift(simulation(&model, &state, Method::newton(), scheme, h), 10_000);
    let [euler, bdf2, midpoint] = SCHEMES.map(run);
    println!("euler {euler:e}, bdf2 {bdf2:e}, midpoint {midpoint:e}");
    assert!(midpoint <= 1e-3, "{midpoint:e}");
    assert!(euler > 0.3 && bdf2 < 0.5 * euler, "{euler} {bdf2}");
}

/// Past hω = 1 the energy grows; when springs are a hundred times too long the run ends, and with the other schemes
/// it does not. The mean of two ends far apart is near: it is the end of a step that is looked at.
#[test]
fn midpoint_that_explodes_is_stopped() {
    let (model, state) = curtain(21);
    let end = |scheme| {
        let xpbd = Method::Xpbd(Stop::iterations(10));
        let mut simulation = simulation(&model, &state, xpbd, scheme, 1.0 / 30.0);
        (0..300).find_map(|_| simulation.step().err())
    };
    let [euler, bdf2, midpoint] = SCHEMES.map(end);
    assert_eq!((euler, bdf2), (None, None));
    let Some(Error::Diverged { stretch, particle, .. }) = midpoint else { panic!("{midpoint:?}") };
    assert!(stretch > 100.0 && !state.filters[particle].is_pinned(), "{stretch}, {particle}");
}

/// A stretched net, swinging smoothly.
fn taut_net() -> (Model, State) {
    let grid = Grid { columns: 5, rows: 5, diagonals: Diagonals::None, bend: 0.0, ..Grid::default() };
    let model = grid.build().unwrap();
    let mut state = State::at_rest(&model);
    for (x, v) in state.positions.iter_mut().zip(&mut state.velocities) {
        let bump = ((x.x + 0.5) * 3.0).sin() * ((x.z + 0.5) * 3.0).sin();
        *v = DVec3::new(0.3, 1.0, -0.2) * bump;
        *x *= 1.3;
    }
    [0, 4, 20, 24].into_iter().for_each(|i| state.pin(i));
    (model, state)
}

/// Fitted slope of log error against log h, over h, h/2, h/4, h/8.
fn slope(method: &Method, scheme: Scheme, reference: &[DVec3], h: f64, steps: usize) -> f64 {
    let (model, state) = taut_net();
    let error = |p: i32| {
        let parts = 1 << p;
        let mut simulation = simulation(&model, &state, method.clone(), scheme, h / f64::from(parts));
        take(&mut simulation, steps * parts as usize);
        distance(simulation.positions(), reference).log2()
    };
    let errors: Vec<f64> = (0..4).map(error).collect();
    println!("{} {}: {errors:.3?}", method.name(), scheme.name());
    // Least squares through four equally spaced points.
    (3.0 * (errors[0] - errors[3]) + (errors[1] - errors[2])) / 10.0
}

#[test]
fn orders_of_convergence() {
    let (model, state) = taut_net();
    let omega = Frequency::of(&model, &state).any_pose;
    let (h, steps) = (0.1 / omega, 60);
    let reference = {
        let mut fine = simulation(&model, &state, Method::newton(), Scheme::Midpoint, h / 256.0);
        take(&mut fine, steps * 256);
        fine.positions().to_vec()
    };
    let euler = Scheme::ImplicitEuler;
    for (method, scheme, order) in [
        (Method::Explicit(Explicit::SymplecticEuler), euler, 1.0),
        (Method::Explicit(Explicit::ForwardEuler), euler, 1.0),
        (Method::newton(), euler, 1.0),
        (Method::newton(), Scheme::Bdf2, 2.0),
        (Method::newton(), Scheme::Midpoint, 2.0),
    ] {
        let slope = slope(&method, scheme, &reference, h, steps);
        assert!((slope / order - 1.0).abs() <= 0.1, "{} {}: {slope}", method.name(), scheme.name());
    }
}

/// Schemes of second order follow a parabola exactly, the first step included.
#[test]
fn second_order_falls_exactly() {
    let lone = Model { masses: vec![0.3], rest: vec![DVec3::X], ..Model::default() };
    let mut state = State::at_rest(&lone);
    state.velocities[0] = DVec3::new(1.0, 2.0, 0.0);
    for scheme in [Scheme::Bdf2, Scheme::Midpoint] {
        let mut simulation = simulation(&lone, &state, Method::newton(), scheme, 0.1);
        for n in 1..=50 {
            let t = simulation.step().unwrap().time;
            let expected = DVec3::X + t * DVec3::new(1.0, 2.0, 0.0) + 0.5 * t * t * lone.gravity;
            assert!(
                (simulation.positions()[0] - expected).length() <= 1e-12 * expected.length(),
                "{scheme:?} {n}"
            );
            let velocity = DVec3::new(1.0, 2.0, 0.0) + t * lone.gravity;
            assert!((simulation.state().velocities[0] - velocity).length() <= 1e-12 * velocity.length());
        }
    }
}

#[test]
fn damping_is_the_same_in_every_scheme() {
    let lone = Model { masses: vec![0.3], rest: vec![DVec3::X], gravity: DVec3::ZERO, ..Model::default() };
    let mut state = State::at_rest(&lone);
    state.velocities[0] = DVec3::Y;
    for scheme in SCHEMES {
        let mut simulation = simulation(&lone, &state, Method::newton(), scheme, 0.1);
        let damping = Damping { ether: 0.97, drag: 0.5, ..Damping::default() };
        simulation
            .configure(Settings {
                method: Method::newton(),
                damping,
                time_step: 0.1,
                ..simulation.settings().clone()
            })
            .unwrap();
        for n in 1..=50 {
            simulation.step().unwrap();
            let expected = (0.97_f64 / 1.05).powi(n);
            let v = simulation.state().velocities[0].y;
            assert!((v / expected - 1.0).abs() < 1e-12, "{scheme:?} step {n}: {v} for {expected}");
        }
    }
}

#[test]
fn pins_are_exact_in_every_scheme_and_after_every_minimiser() {
    let model = Grid { columns: 5, rows: 5, ..Grid::default() }.build().unwrap();
    let methods =
        [Method::LocalGlobal(Stop::iterations(3)), Method::newton(), Method::Xpbd(Stop::iterations(3))];
    for scheme in SCHEMES {
        for method in methods.clone() {
            let mut simulation = simulation(&model, &State::at_rest(&model), method, scheme, 0.02);
            simulation.pin(0).unwrap();
            for n in 0..30 {
                let place = DVec3::new(0.5, 0.02 * f64::from(n).sin(), 0.01 * f64::from(n));
                let before = simulation.positions()[4];
                simulation.grab(4, place).unwrap();
                simulation.step().unwrap();
                assert_eq!((simulation.positions()[0], simulation.positions()[4]), (model.rest[0], place));
                assert_eq!(simulation.state().velocities[4], (place - before) / 0.02);
            }
        }
    }
}

/// The error of eq. (15) is that of the scheme's own g: Newton has none, ten iterations have some.
#[test]
fn relative_error_measures_the_same_scheme() {
    let model = Grid { columns: 7, rows: 7, ..Grid::default() }.build().unwrap();
    for scheme in SCHEMES {
        let run = |method| {
            let mut simulation = simulation(&model, &State::at_rest(&model), method, scheme, 1.0 / 30.0);
            simulation.pin(0).unwrap();
            simulation.measure_error(true);
            (0..10).map(|_| simulation.step().unwrap().relative_error.unwrap()).collect::<Vec<_>>()
        };
        assert!(run(Method::newton()).iter().all(|e| e.abs() < 1e-12), "{scheme:?}");
        let ten = run(Method::LocalGlobal(Stop::iterations(10)));
        assert!(ten.iter().all(|&e| e < 1.0) && ten.iter().any(|&e| e > 1e-3), "{scheme:?}: {ten:?}");
    }
}

/// What the ground has stopped stays stopped: BDF2 does not remember the fall.
#[test]
fn contact_ends_the_past() {
    let lone = Model { masses: vec![0.3], rest: vec![DVec3::Y], ..Model::default() };
    for scheme in SCHEMES {
        let mut simulation = simulation(&lone, &State::at_rest(&lone), Method::newton(), scheme, 0.02);
        let ground =
            Obstacle { shape: Shape::Ground { height: 0.0 }, margin: 0.0, friction: 0.5, motion: None };
        simulation.set_obstacles(vec![ground]).unwrap();
        for n in 0..100 {
            simulation.step().unwrap();
            if n > 30 {
                assert_eq!(simulation.positions()[0], DVec3::ZERO, "{scheme:?} step {n}");
                assert_eq!(simulation.state().velocities[0], DVec3::ZERO, "{scheme:?} step {n}");
            }
        }
    }
}

/// A particle that moves along with its pin feels nothing of it, wherever in a step a scheme looks.
#[test]
fn what_moves_with_its_pin_is_not_pulled() {
    let velocity = DVec3::new(0.5, -0.25, 1.0);
    let springs = vec![Spring::new(0, 1, 0.0, 300.0)];
    let (masses, rest) = (vec![1.0; 2], vec![DVec3::ZERO; 2]);
    let model = Model { masses, rest, springs, gravity: DVec3::ZERO, ..Model::default() };
    for scheme in SCHEMES {
        let mut state = State::at_rest(&model);
        state.velocities.fill(velocity);
        let mut simulation = simulation(&model, &state, Method::newton(), scheme, 0.25);
        for n in 1..=20 {
            simulation.grab(0, 0.25 * f64::from(n) * velocity).unwrap();
            simulation.step().unwrap();
            let [pin, free] = simulation.positions() else { panic!() };
            assert!((*free - *pin).length() <= 1e-13, "{scheme:?} step {n}: {pin} {free}");
        }
    }
}

/// A lone particle whose velocity is changed between steps goes on with the new one.
#[test]
fn a_push_between_steps_ends_the_past() {
    let lone = Model { masses: vec![0.3], rest: vec![DVec3::Y], gravity: DVec3::ZERO, ..Model::default() };
    let (before, after) = (DVec3::new(1.0, 2.0, -1.0), DVec3::new(-3.0, 0.5, 0.25));
    for scheme in SCHEMES {
        let mut state = State::at_rest(&lone);
        state.velocities[0] = before;
        let h = 0.02;
        let mut integrator = Method::newton().integrator(Damping::default(), scheme, Default::default());
        integrator.prepare(&lone, &state, h).unwrap();
        for _ in 0..5 {
            integrator.step(&lone, &mut state, taut::integrator::Contacts::default(), h).unwrap();
        }
        assert!((state.positions[0] - lone.rest[0] - 5.0 * h * before).length() < 1e-14, "{scheme:?}");
        let from = state.positions[0];
        state.velocities[0] = after;
        integrator.step(&lone, &mut state, taut::integrator::Contacts::default(), h).unwrap();
        assert!((state.positions[0] - from - h * after).length() < 1e-14, "{scheme:?}");
    }
}

#[test]
fn mirrored_and_in_other_units_the_bits_are_the_same() {
    let (model, mut state) = taut_net();
    state.velocities.iter_mut().for_each(|v| *v *= 3.0);
    let scale = 2f64.powi(20);
    let maps: [(DVec3, f64); 2] = [(DVec3::new(-1.0, 1.0, 1.0), 1.0), (DVec3::splat(scale), scale)];
    for scheme in SCHEMES {
        for method in
            [Method::LocalGlobal(Stop::iterations(5)), Method::newton(), Method::Xpbd(Stop::iterations(5))]
        {
            let run = |model: &Model, state: &State| {
                let mut simulation = simulation(model, state, method.clone(), scheme, 0.01);
                let damping = Damping { ether: 0.99, rigid: 0.01, drag: 0.3, material: 1e-3 };
                simulation
                    .configure(Settings {
                        method: method.clone(),
                        damping,
                        time_step: 0.01,
                        ..simulation.settings().clone()
                    })
                    .unwrap();
                take(&mut simulation, 30);
                simulation.state().clone()
            };
            let expected = run(&model, &state);
            for (map, length) in maps {
                let (mut other, mut moved) = (model.clone(), state.clone());
                other.rest.iter_mut().chain(&mut moved.positions).for_each(|p| *p *= map);
                moved.velocities.iter_mut().for_each(|v| *v *= map);
                other.gravity *= map;
                other.springs.iter_mut().for_each(|s: &mut Spring| s.rest_length *= length);
                [0, 4, 20, 24].into_iter().for_each(|i| moved.pin(i));
                let found = run(&other, &moved);
                assert!(
                    found.positions.iter().zip(&expected.positions).all(|(a, b)| *a == *b * map),
                    "{scheme:?}"
                );
                assert!(found.velocities.iter().zip(&expected.velocities).all(|(a, b)| *a == *b * map));
            }
        }
    }
}
