//! Air on sheets: bounded in a gale at large steps, the same in every moving frame, the textbook terminal velocity,
//! and no length of its own.

use super::common::{Random, distance};
use taut::shapes::{Grid, Mass, Surface};
use taut::{Air, DVec3, Method, Model, NewtonSettings, Settings, Simulation, State, Stop};

const H: f64 = 1.0 / 30.0;

fn sheet(mass: f64) -> Model {
    Grid { columns: 9, rows: 9, mass, bend: 1.0, ..Default::default() }.build().unwrap()
}

#[test]
fn a_light_sheet_held_at_one_edge_streams_downwind_and_stays_bounded() {
    for mass in [1.0, 0.05, 0.005] {
        // Newton to rounding level would take most of a minute here.
        let exact = Method::Hybrid(NewtonSettings { stop: Stop::tolerance(1e-4), ..Default::default() });
        for method in [Method::LocalGlobal(Stop::iterations(10)), exact] {
            let wind = DVec3::new(0.0, 0.0, 30.0);
            let model = Model { air: Air { wind, density: 1.2, ..Air::default() }, ..sheet(mass) };
            let mut simulation =
                Simulation::new(model, Settings::without_contact(method.clone(), H)).unwrap();
            // Hung by its first row, so the wind meets it once it has swung down.
            (0..9).for_each(|i| simulation.pin(i).unwrap());
            let mut fastest = 0.0_f64;
            let mut mean = 0.0;
            for n in 0..150 {
                simulation.step().unwrap();
                let state = simulation.state();
                fastest = state.velocities.iter().map(|v| v.length()).fold(fastest, f64::max);
                if n >= 100 {
                    mean += simulation.positions().iter().map(|x| x.z + 0.5).sum::<f64>() / 81.0 / 50.0;
                }
                let reach = state.positions.iter().map(|x| x.length()).fold(0.0, f64::max);
                assert!(reach < 3.0, "{mass} kg, {method:?}: {reach} m away at step {n}");
            }
            println!("{mass} kg, {}: mean {mean}, fastest {fastest}", method.name());
            assert!(mean > 0.4, "{mass} kg, {method:?}: centre only {mean} m downwind of the held edge");
            assert!(fastest < 60.0, "{mass} kg, {method:?}: {fastest} m/s in a wind of 30");
        }
    }
}

fn sailing(wind: DVec3, own: DVec3) -> Simulation {
    let air = Air { wind, density: 1.2, ..Air::default() };
    let model = Model { gravity: DVec3::ZERO, air, ..sheet(0.2) };
    let mut state = State::at_rest(&model);
    let mut random = Random(31);
    state.positions.iter_mut().for_each(|x| *x += random.vector(0.02));
    state.velocities.fill(own);
    Simulation::with_state(model, state, Settings::without_contact(Method::newton(), 0.01)).unwrap()
}

#[test]
fn a_sheet_that_moves_with_the_wind_feels_none() {
    let wind = DVec3::new(3.0, 1.0, -2.0);
    let air = Air { wind, density: 1.2, ..Air::default() };
    let model = Model { gravity: DVec3::ZERO, air, ..sheet(0.2) };
    let mut state = State::at_rest(&model);
    state.velocities.fill(wind);
    let mut simulation =
        Simulation::with_state(model, state, Settings::without_contact(Method::newton(), H)).unwrap();
    for _ in 0..100 {
        simulation.step().unwrap();
    }
    let velocities = &simulation.state().velocities;
    let off = distance(velocities, &vec![wind; velocities.len()]);
    assert!(off <= 1e-11 * wind.length(), "{off:e}");
}

#[test]
fn only_the_relative_wind_counts() {
    let (wind, drift) = (DVec3::new(4.0, 3.0, 1.0), DVec3::new(-2.0, 8.0, 5.0));
    let (mut here, mut there) = (sailing(wind, DVec3::ZERO), sailing(wind + drift, drift));
    for n in 1..=50 {
        here.step().unwrap();
        there.step().unwrap();
        let carried: Vec<DVec3> =
            here.positions().iter().map(|x| *x + drift * (0.01 * f64::from(n))).collect();
        let off = distance(&carried, there.positions());
        assert!(off <= 1e-9, "step {n}: {off:e}");
    }
    let blown: f64 = here.state().velocities.iter().map(|v| v.length()).sum::<f64>() / 81.0;
    assert!(blown > 0.5, "the wind must have done something: {blown} m/s");
}

#[test]
fn a_sheet_falling_flat_reaches_the_textbook_terminal_velocity() {
    for (areal, h) in [(0.2, H), (0.2, 0.005), (1.0, H), (0.08, H)] {
        // Mass in proportion to area, so that every particle is slowed alike and the sheet stays flat.
        let grid = sheet(1.0);
        let surface = Surface { mass: Mass::Density(areal), ..Surface::default() };
        let mut model = surface.build(&grid.rest, &grid.triangles).unwrap();
        model.air = Air { density: 1.2, ..Air::default() };
        let (g, mass) = (-model.gravity.y, model.masses.iter().sum::<f64>());
        let expected = (2.0 * mass * g / (1.2 * 1.0 * model.air.drag)).sqrt();
        let mut simulation =
            Simulation::new(model, Settings::without_contact(Method::LocalGlobal(Stop::iterations(3)), h))
                .unwrap();
        while simulation.state().time < 5.0 {
            simulation.step().unwrap();
        }
        for v in &simulation.state().velocities {
            let off = (*v + DVec3::Y * expected).length() / expected;
            assert!(off <= 1e-6, "{areal} kg/m², h {h}: {v}, expected {expected}: {off:e}");
        }
    }
}

#[test]
fn wind_has_no_length_of_its_own() {
    let run = |p: i32, method: &Method| {
        let (s, mut random) = (2.0_f64.powi(p), Random(32));
        let mut model = sheet(0.1);
        model.air = Air { wind: DVec3::new(9.0, 2.0, -4.0) * s, density: 1.2 * s.powi(-3), ..Air::default() };
        model.gravity *= s;
        model.rest.iter_mut().for_each(|x| *x *= s);
        model.springs.iter_mut().for_each(|spring| spring.rest_length *= s);
        let mut state = State::at_rest(&model);
        state.positions.iter_mut().for_each(|x| *x += random.vector(0.03) * s);
        state.velocities.iter_mut().for_each(|v| *v = random.vector(3.0) * s);
        state.pin(0);
        let mut simulation =
            Simulation::with_state(model, state, Settings::without_contact(method.clone(), H)).unwrap();
        (0..20).for_each(|_| assert!(simulation.step().is_ok()));
        simulation.positions().iter().map(|x| *x / s).collect::<Vec<_>>()
    };
    for method in [Method::LocalGlobal(Stop::iterations(5)), Method::newton()] {
        let one = run(0, &method);
        for p in [-20, -3, 7, 40] {
            assert_eq!(one, run(p, &method), "2^{p}, {method:?}");
        }
    }
}
