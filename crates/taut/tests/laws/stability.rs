//! Implicit methods stay together at any step and stiffness, and what is not finite is caught in the step that
//! meets it.

use crate::common::Random;
use crate::samples::accelerated;
use crate::symmetry::{every_method, methods};
use taut::shapes::{Field, Grid, Solid, Strands};
use taut::{
    DVec3, Edit, Error, Event, LinearSolver, Method, Model, NewtonSettings, Path, Settings, Simulation,
    State, Stop,
};

/// Small bodies of every kind and the particles that hold them.
fn bodies() -> Vec<(&'static str, Model, Vec<usize>)> {
    let grid = Grid { columns: 8, rows: 8, ..Grid::default() }.build().unwrap();
    let strand = Strands { direction: DVec3::X, length: 1.0, ..Strands::default() }.build().unwrap();
    let ball = Field::ball(DVec3::ZERO, 0.5).lattice(0.25).unwrap();
    let ball = Solid::default().build(&ball.positions, &ball.tets).unwrap();
    vec![("grid", grid, vec![0, 7]), ("strand", strand, vec![0]), ("solid", ball, vec![0])]
}

/// Steps of each run.
const STEPS: usize = 10;

/// Run a body that was set moving, and hold it to what energy allows.
///
/// Reach: no particle gets farther than free flight takes it; nor farther than a body whose springs all pulled in
/// one line, k/m softer than one of them, where the energy it began with and the work of gravity are used up:
/// `½ (k/m) d² = K + M g d` at most, so `d < 2 M g m/k + √(2 K m/k)`.
///
/// Energy: implicit Euler only loses it, if g is brought below its value at q_n. Newton and the hybrid do so up
/// to h = 1/4 s. At h = 1 s inertia alone carries the cloth ten times its size away, and the minimum they find from
/// there may be a folded one; ten iterations of local/global are not a minimum at all. Then no more is asked than
/// that springs are not, on average, strained by more than their own length.
fn stays_together(name: &str, model: &Model, pins: &[usize], method: &Method, h: f64, k: f64) {
    let what = format!("{name}, {}, h = {h}, k = {k:e}", method.name());
    let mut model = model.clone();
    model.springs.iter_mut().for_each(|s| s.stiffness = k);
    let mut state = State::at_rest(&model);
    let mut random = Random(5);
    state.velocities.iter_mut().for_each(|v| *v = random.vector(0.5));
    pins.iter().for_each(|&i| state.pin(i));
    let (mass, size, m) = (model.masses.iter().sum::<f64>(), model.size(), model.particles() as f64);
    let crushed: f64 = model.springs.iter().map(|s| 0.5 * k * s.rest_length * s.rest_length).sum();
    let mut simulation =
        Simulation::with_state(model, state, Settings::without_contact(method.clone(), h)).unwrap();
    let first = simulation.energy();
    let elastic = 2.0 * mass * 9.81 * m / k + (2.0 * first.kinetic * m / k).sqrt();
    let scale = first.kinetic + mass * 9.81 * size;
    for n in 1..=STEPS {
        simulation.step().unwrap_or_else(|e| panic!("{what}: {e}"));
        simulation.state().check_finite().unwrap();
        let n = n as f64;
        let flight = 9.81 * h * h * n * (n + 1.0) / 2.0 + 0.87 * n * h;
        let pin = simulation.positions()[pins[0]];
        let reach = simulation.positions().iter().map(|p| (*p - pin).length()).fold(0.0, f64::max);
        assert!(reach <= size + flight.min(elastic), "{what}: reach {reach} m, size {size} m");
        let gained = simulation.energy().total() - first.total();
        if !matches!(method, Method::Newton(_) | Method::Hybrid(_)) || h == 1.0 {
            assert!(gained <= crushed, "{what}: gained {gained} J, {crushed} J would crush it");
        } else {
            assert!(gained <= 1e-9 * scale, "{what}: gained {gained} J of {scale} J");
        }
    }
}

#[test]
fn any_step_and_any_stiffness() {
    let mut all = vec![Method::LocalGlobal(Stop::iterations(10)), Method::newton(), Method::hybrid()];
    all.extend(accelerated(Stop::iterations(10)));
    for (name, model, pins) in bodies() {
        for method in &all {
            for h in [1.0 / 1000.0, 1.0 / 30.0, 0.25, 1.0] {
                for k in [1.0, 1e3, 1e6, 1e9] {
                    stays_together(name, &model, &pins, method, h, k);
                }
            }
        }
    }
}

/// One full step with an indefinite matrix may throw particles far (that is what \[Liu13\] show); conjugate gradients on
/// the way to a shift may stop early. Of these only finiteness is asked, or the honest error of a diverging step.
#[test]
fn single_steps_and_iterative_solvers_stay_finite_or_say_so() {
    let newton = |solver| Method::Newton(NewtonSettings { solver, stop: Stop::iterations(20) });
    let solvers = [LinearSolver::Cholesky, LinearSolver::PcgJacobi, LinearSolver::PcgConstant];
    let all = solvers.map(Method::SemiImplicit).into_iter().chain(solvers[1..].iter().map(|&s| newton(s)));
    let (_, model, pins) = bodies().swap_remove(0);
    for method in all {
        for (h, k) in [(1.0 / 1000.0, 1e9), (1.0 / 30.0, 1e3), (0.25, 1e6), (1.0, 1e9)] {
            let mut model = model.clone();
            model.springs.iter_mut().for_each(|s| s.stiffness = k);
            let mut simulation =
                Simulation::new(model, Settings::without_contact(method.clone(), h)).unwrap();
            pins.iter().for_each(|&p| simulation.pin(p).unwrap());
            for _ in 0..20 {
                let outcome = simulation.step();
                assert!(simulation.state().check_finite().is_ok(), "{method:?} h = {h} k = {k}");
                if outcome.is_err() {
                    break;
                }
            }
        }
    }
}

const H: f64 = 1.0 / 30.0;

fn cloth(method: &Method) -> Simulation {
    let model = Grid { columns: 5, rows: 5, ..Grid::default() }.build().unwrap();
    let mut simulation = Simulation::new(model, Settings::without_contact(method.clone(), H)).unwrap();
    simulation.pin(0).unwrap();
    simulation.step().unwrap();
    simulation
}

fn bits(state: &State) -> Vec<u64> {
    let vectors = state.positions.iter().chain(&state.velocities);
    vectors.flat_map(|v| v.to_array()).chain([state.time]).map(f64::to_bits).collect()
}

/// The next step must fail and name the quantity and the particle, twice, and leave every bit alone; once put
/// right, the simulation goes on as its twin does to which nothing happened.
fn caught(
    method: &Method,
    quantity: &str,
    particle: usize,
    wrong: impl Fn(&mut Simulation),
    right: impl Fn(&mut Simulation),
) {
    let (mut simulation, mut twin) = (cloth(method), cloth(method));
    right(&mut twin);
    wrong(&mut simulation);
    let before = bits(simulation.state());
    for _ in 0..2 {
        let error = simulation.step().unwrap_err();
        match &error {
            Error::NonFinite { quantity: q, particle: p, time } => {
                assert_eq!((*q, *p, *time), (quantity, particle, H), "{method:?}");
            }
            other => panic!("{other}"),
        }
        let message = error.to_string();
        assert!(message.contains(quantity) && message.contains(&format!("particle {particle}")), "{message}");
        assert_eq!(bits(simulation.state()), before, "{method:?}");
    }
    right(&mut simulation);
    for _ in 0..5 {
        // Explicit springs of this stiffness diverge in these steps, and say so: both in the same way.
        match (simulation.step(), twin.step()) {
            (Err(one), Err(other)) if matches!(method, Method::StaticImex(_) | Method::Explicit(_)) => {
                assert_eq!(one, other);
            }
            (one, other) => assert!(one.is_ok() && other.is_ok(), "{method:?}: {one:?} {other:?}"),
        }
        assert_eq!(bits(simulation.state()), bits(twin.state()), "{method:?}");
    }
}

#[test]
fn what_is_not_finite_is_caught_in_the_same_step() {
    let place = DVec3::new(0.1, 0.2, 0.3);
    // A particle of 1e-9 kg makes a tolerance relative to mass a very long wait.
    let patient = |m: &Method| matches!(m, Method::LocalGlobal(stop) if stop.tolerance > 0.0);
    for method in every_method().into_iter().filter(|m| !patient(m)) {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let wrong = DVec3::new(0.0, bad, 0.0);
            // Refused at once.
            let mut simulation = cloth(&method);
            let before = simulation.state().clone();
            let refused = [
                ("forces of particle 17", simulation.set_force(17, wrong)),
                ("places of particle 0", simulation.grab(0, wrong)),
                ("places of particle 8", simulation.grab(8, wrong)),
            ];
            for (words, refused) in refused {
                let message = refused.unwrap_err().to_string();
                assert!(message.contains(words) && message.contains("finite"), "{message}");
            }
            assert_eq!(*simulation.state(), before);
        }
        // Finite, but not what it does to a particle in one step.
        let light = |s: &mut Simulation, force: f64| {
            s.rebuild(|model, state| {
                model.masses[17] = 1e-9;
                state.forces[17] = DVec3::Z * force;
                Ok(())
            })
            .unwrap();
        };
        // Explicit methods have the force itself, and are lost when they add it up.
        let quantity = if matches!(method, Method::Explicit(_)) { "velocity" } else { "force" };
        caught(&method, quantity, 17, |s| light(s, f64::MAX), |s| light(s, 0.0));
        // A place that is finite, but not the velocity it takes to get there.
        let far = DVec3::X * 1e307;
        let failed = {
            let mut simulation = cloth(&method);
            simulation.grab(0, far).unwrap();
            let before = bits(simulation.state());
            let failed = simulation.step().is_err();
            assert_eq!(before, bits(simulation.state()), "{method:?}");
            simulation.grab(0, place).unwrap();
            simulation.step().unwrap();
            failed
        };
        assert!(failed, "{method:?}");
        // A path whose every key is finite, but not the way between them.
        let keys = vec![(0.0, DVec3::splat(-f64::MAX)), (1.0, DVec3::splat(f64::MAX))];
        let fling = Event { time: 0.0, edit: Edit::Hold { particles: vec![11], path: Path { keys } } };
        let script = |s: &mut Simulation, events| s.set_script(events).unwrap();
        caught(&method, "pin target", 11, |s| script(s, vec![fling.clone()]), |s| script(s, Vec::new()));
    }
}

#[test]
fn a_script_that_is_not_finite_is_refused_or_caught() {
    for method in methods() {
        let mut simulation = cloth(&method);
        for bad in [f64::NAN, f64::INFINITY] {
            let path = |key| Path { keys: vec![key] };
            let refused = [
                (bad, Edit::Wind(DVec3::X)),
                (0.0, Edit::Wind(DVec3::splat(bad))),
                (0.0, Edit::Hold { particles: vec![1], path: path((bad, DVec3::X)) }),
                (0.0, Edit::Hold { particles: vec![1], path: path((0.0, DVec3::splat(bad))) }),
                (0.0, Edit::Stiffness { springs: vec![0, 1, 2], factor: bad }),
            ];
            for (time, edit) in refused {
                let message = simulation.set_script(vec![Event { time, edit }]).unwrap_err().to_string();
                assert!(message.contains("event 0") && message.contains("finite"), "{message}");
            }
        }
        // Each factor is finite, their product with the stiffness is not.
        let stiffer =
            |time| Event { time, edit: Edit::Stiffness { springs: (4..9).collect(), factor: 1e200 } };
        simulation.set_script(vec![stiffer(0.1), stiffer(0.1)]).unwrap();
        while simulation.state().time < 0.1 {
            simulation.step().unwrap();
        }
        let (model, before) = (simulation.model().clone(), bits(simulation.state()));
        let message = simulation.step().unwrap_err().to_string();
        assert!(message.contains("spring 4") && message.contains("inf"), "{message}");
        assert_eq!(bits(simulation.state()), before);
        assert_eq!(simulation.model(), &model);
        simulation.set_script(Vec::new()).unwrap();
        simulation.step().unwrap();
    }
}

/// Forces that no number can hold, or hardly any, are an error that leaves everything as it was, contact on or off.
#[test]
fn forces_beyond_all_numbers_are_refused() {
    for name in Method::NAMES {
        for level in ["off", "fast", "exact"] {
            for force in [1e308, 1e300, 1e200, 1e160, 1e154] {
                let mut settings = Settings::new(name.parse().unwrap(), 1.0 / 60.0);
                settings.contact.level = level.parse().unwrap();
                let model = Grid { columns: 7, rows: 7, ..Default::default() }.build().unwrap();
                let mut simulation = Simulation::new(model, settings).unwrap();
                simulation.step().unwrap();
                simulation.set_forces(&[DVec3::new(force, -force, 0.5 * force); 49]).unwrap();
                simulation.set_force(3, DVec3::splat(-force)).unwrap();
                let before = simulation.state().clone();
                if simulation.step().is_err() {
                    assert_eq!(*simulation.state(), before, "{name}, {level}, {force:e}");
                } else {
                    assert!(simulation.positions().iter().all(|p| p.is_finite()));
                }
            }
        }
    }
}
