//! Models that cannot be simulated are refused with the element, the value and the remedy; odd ones that can be
//! are simulated as the table at `Model::validate` says. Nothing panics.

use crate::common::Random;
use crate::symmetry::methods;
use taut::shapes::Grid;
use taut::{
    DVec3, Damping, Edit, Error, Event, Filter, Method, Model, NewtonSettings, Path, Settings, Simulation,
    Spring, SpringKind, State, Stop, relative_error,
};

const H: f64 = 1.0 / 30.0;

/// A small cloth with one tet, so that every kind of element is there.
fn cloth() -> Model {
    let mut model = Grid { columns: 4, rows: 3, ..Grid::default() }.build().unwrap();
    model.rest[5].y = 0.1;
    model.tets = vec![[0, 1, 4, 5]];
    model.bodies.clear();
    model.body_of.clear();
    model
}

fn quick() -> Method {
    Method::LocalGlobal(Stop::iterations(3))
}

/// The message must contain all these words.
fn names<T>(result: Result<T, Error>, words: &[&str]) {
    let message = result.err().expect("should be refused").to_string();
    for word in words {
        assert!(message.contains(word), "`{message}` does not say `{word}`");
    }
}

fn run(model: &Model, method: &Method) -> Simulation {
    let settings =
        Settings { precision: taut::Precision::Double, ..Settings::without_contact(method.clone(), H) };
    let mut simulation = Simulation::new(model.clone(), settings).unwrap();
    for _ in 0..3 {
        simulation.step().unwrap();
    }
    simulation.state().check_finite().unwrap();
    simulation
}

#[test]
fn what_cannot_be_simulated_is_refused_by_name_value_and_remedy() {
    type Change = fn(&mut Model);
    let table: [(Change, &[&str]); 30] = [
        (|m| m.bodies.push(taut::Body::named("b")), &["particle 0", "12 particles", "0 entries"]),
        (|m| m.body_of = vec![0; 11], &["particle 11", "12 particles", "11 entries", "one per particle"]),
        (|m| m.body_of = vec![0; 12], &["particle 0", "body 0", "has 0", "add the body"]),
        (|m| m.masses[3] = 0.0, &["particle 3", "0 kg", "positive"]),
        (|m| m.masses[4] = -2.5, &["particle 4", "-2.5 kg", "positive"]),
        (|m| m.masses[5] = f64::NAN, &["particle 5", "NaN kg", "finite"]),
        (|m| m.masses[6] = f64::INFINITY, &["particle 6", "inf kg", "finite"]),
        (|m| m.rest[7].z = f64::NAN, &["particle 7", "NaN", "finite"]),
        (|m| m.rest[8].x = f64::NEG_INFINITY, &["particle 8", "-inf", "finite"]),
        (
            |m| {
                let _ = m.rest.pop();
            },
            &["particle 11", "12 masses", "11 rest"],
        ),
        (|m| m.springs[9].stiffness = -1.0, &["spring 9", "-1 N/m", "zero or more"]),
        (|m| m.springs[2].stiffness = f64::NAN, &["spring 2", "NaN N/m", "finite"]),
        (|m| m.springs[2].stiffness = f64::INFINITY, &["spring 2", "inf N/m", "finite"]),
        (|m| m.springs[8].rest_length = -0.1, &["spring 8", "-0.1 m", "zero or more"]),
        (|m| m.springs[8].rest_length = f64::NAN, &["spring 8", "NaN m", "finite"]),
        (|m| m.springs[7].ends = [3, 12], &["spring 7", "particle 12", "12", "from 0"]),
        (|m| m.springs[7].ends = [u32::MAX, 0], &["spring 7", "4294967295", "from 0"]),
        (|m| m.springs[6].ends = [5, 5], &["spring 6", "particle 5 twice", "different"]),
        (|m| m.triangles[1] = [0, 1, 99], &["triangle 1", "particle 99", "from 0"]),
        (|m| m.triangles[1] = [4, 1, 4], &["triangle 1", "particle 4 twice", "different"]),
        (|m| m.tets[0] = [0, 1, 2, 13], &["tet 0", "particle 13", "from 0"]),
        (|m| m.tets[0] = [0, 1, 2, 0], &["tet 0", "particle 0 twice", "different"]),
        (|m| m.gravity.y = f64::NAN, &["gravity", "NaN", "finite"]),
        (|m| m.air.wind.x = f64::INFINITY, &["wind", "inf", "finite"]),
        (|m| m.air.density = -1.2, &["air.density", "-1.2", "zero or more"]),
        (|m| m.air.density = f64::NAN, &["air.density", "NaN", "finite"]),
        (|m| m.air.drag = -1.0, &["drag", "-1", "zero or more"]),
        (|m| m.air.drag = f64::INFINITY, &["drag", "inf", "finite"]),
        (|m| m.air.lift = -0.1, &["lift", "-0.1", "zero or more"]),
        (|m| m.air.lift = f64::NAN, &["lift", "NaN", "finite"]),
    ];
    for (change, words) in table {
        let mut model = cloth();
        change(&mut model);
        names(model.validate(), words);
        names(Simulation::new(model.clone(), Settings::without_contact(quick(), H)), words);
        let state = State::at_rest(&cloth());
        names(Simulation::with_state(model.clone(), state, Settings::without_contact(quick(), H)), words);
        assert!(model.warnings()[0].contains(words[0]), "a refused model's warning is the reason");
        let mut whole = cloth();
        whole.append(&model);
        assert!(
            whole.validate().is_err()
                || words.iter().any(|w| ["gravity", "wind", "air.density", "drag", "lift"].contains(w))
        );
    }
}

#[test]
fn odd_but_legal_models_do_what_the_table_says() {
    for method in methods() {
        // No particles; every particle pinned: time and pins advance.
        let none = run(&Model::default(), &method);
        assert_eq!(none.state().time, 3.0 * H);
        let mut pinned = Simulation::new(cloth(), Settings::without_contact(method.clone(), H)).unwrap();
        (0..12).for_each(|i| pinned.pin(i).unwrap());
        pinned.grab(3, DVec3::Y).unwrap();
        pinned.step().unwrap();
        let mut expected = cloth().rest;
        expected[3] = DVec3::Y;
        assert_eq!(pinned.positions(), expected);
        assert_eq!(pinned.state().time, H);

        // A spring of rest length 0 draws its ends together.
        let zero = Model {
            masses: vec![1.0; 2],
            rest: vec![DVec3::ZERO, DVec3::X],
            springs: vec![Spring::new(0, 1, 0.0, 900.0)],
            gravity: DVec3::ZERO,
            ..Model::default()
        };
        let mut drawn = Simulation::new(zero.clone(), Settings::without_contact(method.clone(), H)).unwrap();
        drawn.step().unwrap();
        // (m + 2 h²k) d = m d₀ with h²k = 1.
        let apart = drawn.positions()[1].x - drawn.positions()[0].x;
        assert!((apart - 1.0 / 3.0).abs() < 1e-12, "{apart} m apart, {method:?}");
        // Even where they coincide, and where a rest length has no direction at all.
        run(&Model { rest: vec![DVec3::X; 2], ..zero.clone() }, &method);
        let blind = vec![Spring::new(0, 1, 0.5, 900.0)];
        run(&Model { rest: vec![DVec3::X; 2], springs: blind, ..zero.clone() }, &method);

        // Two springs between the same particles act as one of their joint stiffness. Position-based methods treat
        // them one after the other: they agree only when they have converged, pbd never.
        let halves = vec![Spring::new(0, 1, 0.5, 300.0), Spring::new(1, 0, 0.5, 600.0)];
        let twice = run(&Model { springs: halves, ..zero.clone() }, &method);
        let once = run(&Model { springs: vec![Spring::new(0, 1, 0.5, 900.0)], ..zero.clone() }, &method);
        let apart = (twice.positions()[1] - once.positions()[1]).length();
        let in_turn = matches!(method, Method::Pbd(_) | Method::Xpbd(_));
        assert!(in_turn || apart < 1e-12, "{apart}, {method:?}");

        // A particle without a spring falls freely; components do not feel one another.
        let mut two = cloth();
        two.append(&Model { masses: vec![0.1], rest: vec![DVec3::X], ..Model::default() });
        two.append(&zero);
        let both = run(&two, &method);
        let fall = DVec3::X + DVec3::Y * (-9.81 * H * H * 6.0);
        assert!((both.positions()[12] - fall).length() < 1e-12, "{method:?}");
        let middle = (both.positions()[13] + both.positions()[14]) / 2.0;
        assert!((middle - DVec3::new(0.5, fall.y, 0.0)).length() < 1e-12, "{method:?}");

        // Triangles without area feel no wind.
        let mut flat = cloth();
        flat.rest[1] = flat.rest[0];
        flat.air = taut::Air { wind: DVec3::Z, density: 1.2, ..taut::Air::default() };
        run(&flat, &method);
    }
}

#[test]
fn odd_models_are_warned_about() {
    assert_eq!(cloth().warnings(), Vec::<String>::new());
    let mut odd = cloth();
    odd.springs.push(Spring { ends: [1, 0], ..odd.springs[0] });
    odd.append(&Model { masses: vec![0.1], rest: vec![DVec3::X], ..Model::default() });
    odd.rest[0] = odd.rest[1];
    let text = odd.warnings().join("\n");
    let last = odd.springs.len() - 1;
    for words in [
        &format!("repeat an earlier pair of particles (both act), the first is number {last}")[..],
        "1 particles have no spring (they move freely), the first is number 12",
        "no area",
        "no volume",
    ] {
        assert!(text.contains(words), "{text}\n does not say {words}");
    }
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let with = |method: Method| Simulation::new(cloth(), Settings::without_contact(method, H));
    for h in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        names(
            Simulation::new(cloth(), Settings::without_contact(quick(), h)),
            &["time step", &h.to_string(), "positive"],
        );
    }
    let stops = [
        (Stop::iterations(0), "iterations", "0"),
        (Stop::tolerance(-1.0), "tolerance", "-1"),
        (Stop::tolerance(f64::NAN), "tolerance", "NaN"),
        (Stop::budget(0.0), "budget", "0"),
        (Stop::budget(f64::NAN), "budget", "NaN"),
    ];
    for (stop, name, value) in stops {
        let settings = NewtonSettings { stop, ..NewtonSettings::default() };
        for method in [Method::LocalGlobal(stop), Method::Newton(settings), Method::Hybrid(settings)] {
            names(with(method), &[name, value]);
        }
    }
    let mut simulation = with(quick()).unwrap();
    let none = Damping::default();
    for (damping, words) in [
        (Damping { ether: 1.5, ..none }, ["damping.ether", "1.5", "between 0 and 1"]),
        (Damping { ether: f64::NAN, ..none }, ["damping.ether", "NaN", "between 0 and 1"]),
        (Damping { rigid: -0.1, ..none }, ["damping.rigid", "-0.1", "between 0 and 1"]),
        (Damping { material: -1.0, ..none }, ["damping.material", "-1", "zero or more"]),
        (Damping { material: f64::INFINITY, ..none }, ["damping.material", "inf", "finite"]),
    ] {
        names(simulation.configure(Settings { damping, ..Settings::without_contact(quick(), H) }), &words);
    }
    names(simulation.configure(Settings::without_contact(quick(), 0.0)), &["time step", "0"]);
    let none = Method::LocalGlobal(Stop::iterations(0));
    names(simulation.configure(Settings::without_contact(none, H)), &["iterations"]);
    assert_eq!(*simulation.settings(), Settings::without_contact(quick(), H));
    simulation.step().unwrap();
}

#[test]
fn states_that_do_not_fit_are_refused() {
    type Change = fn(&mut State);
    let table: [(Change, &str); 8] = [
        (
            |s| {
                let _ = s.positions.pop();
            },
            "[11, 12, 12, 12]",
        ),
        (|s| s.velocities.push(DVec3::ZERO), "[12, 13, 12, 12]"),
        (|s| s.forces.clear(), "[12, 12, 0, 12]"),
        (
            |s| {
                let _ = s.filters.pop();
            },
            "[12, 12, 12, 11]",
        ),
        (|s| s.positions[2].x = f64::NAN, "position of particle 2"),
        (|s| s.velocities[3].y = f64::INFINITY, "velocity of particle 3"),
        (|s| s.forces[4].z = f64::NAN, "force of particle 4"),
        (|s| s.filters[5] = Filter::Pinned(DVec3::NAN), "pin target of particle 5"),
    ];
    for (change, words) in table {
        let mut state = State::at_rest(&cloth());
        change(&mut state);
        names(Simulation::with_state(cloth(), state, Settings::without_contact(quick(), H)), &[words]);
    }
    let state = State::at_rest(&cloth());
    names(relative_error(&cloth(), &state, H, &Damping::default(), &[]), &["answer", "0 positions", "12"]);
}

#[test]
fn indices_that_do_not_exist_are_refused_and_nothing_changes() {
    let mut simulation = Simulation::new(cloth(), Settings::without_contact(quick(), H)).unwrap();
    let springs = simulation.model().springs.len();
    let (model, state) = (simulation.model().clone(), simulation.state().clone());
    for i in [12, 13, usize::MAX] {
        let words = ["particle", &i.to_string(), "only 12"];
        names(simulation.pin(i), &words);
        names(simulation.grab(i, DVec3::ZERO), &words);
        names(simulation.release(i), &words);
        names(simulation.set_force(i, DVec3::X), &words);
        let path = Path::default();
        let only = format!("only {springs}");
        for (edit, remedy) in [
            (Edit::Hold { particles: vec![0, i], path }, "only 12"),
            (Edit::Release { particles: vec![i, 0] }, "only 12"),
            (Edit::Stiffness { springs: (0..springs + 1).collect(), factor: 1.0 }, only.as_str()),
            (Edit::Settings(Box::new(Settings::without_contact(quick(), H))), "between two steps"),
        ] {
            names(simulation.set_script(vec![Event { time: 0.0, edit }]), &["event 0 at 0 s", remedy]);
        }
    }
    let backwards = Path { keys: vec![(1.0, DVec3::X), (1.0, DVec3::Y)] };
    let edit = Edit::Hold { particles: vec![0], path: backwards };
    names(simulation.set_script(vec![Event { time: 2.0, edit }]), &["event 0 at 2 s", "increase"]);
    names(simulation.scale_stiffness(0..springs + 1, 2.0), &["springs", "range of the"]);
    #[expect(clippy::reversed_empty_ranges)]
    let reversed = 5..4;
    names(simulation.scale_stiffness(reversed, 2.0), &["springs", "5..4"]);
    names(simulation.scale_stiffness(2..5, -1.0), &["stiffness = -1", "zero or more"]);
    names(simulation.scale_stiffness(2..5, f64::NAN), &["stiffness = NaN", "finite"]);
    names(simulation.scale_stiffness(2..5, 1e306), &["stiffness", "1000 N/m of spring 2", "finite"]);
    names(simulation.set_force(3, DVec3::NAN), &["forces of particle 3", "finite"]);
    names(simulation.set_wind(DVec3::NAN), &["wind", "NaN"]);
    assert_eq!((simulation.model(), simulation.state()), (&model, &state));
    simulation.step().unwrap();
}

/// A number to put where it may not belong.
fn odd(random: &mut Random) -> f64 {
    match random.bits() % 8 {
        0 => 0.0,
        1 => -1.0,
        2 => f64::NAN,
        3 => f64::INFINITY,
        4 => 1e-300,
        5 => 1e300,
        _ => random.magnitude(1e-6, 1e6),
    }
}

fn pick(random: &mut Random, n: usize) -> usize {
    (random.bits() % n.max(1) as u64) as usize
}

/// Spoil, or only change, something.
fn mutate(model: &mut Model, random: &mut Random) {
    let (m, s) = (model.masses.len(), model.springs.len());
    let (i, j, value) = (pick(random, m), pick(random, s), odd(random));
    let wrong_index = pick(random, m + 2) as u32;
    match random.bits() % 16 {
        0 if m > 0 => model.masses[i] = value,
        1 if m > 0 && i < model.rest.len() => model.rest[i][pick(random, 3)] = value,
        2 if s > 0 => model.springs[j].stiffness = value,
        3 if s > 0 => model.springs[j].rest_length = value,
        4 if s > 0 => model.springs[j].ends[pick(random, 2)] = wrong_index,
        5 if !model.triangles.is_empty() => model.triangles[0][pick(random, 3)] = wrong_index,
        6 if !model.tets.is_empty() => model.tets[0][pick(random, 4)] = wrong_index,
        7 if s > 0 => model.springs.push(model.springs[j]),
        8 if s > 0 => {
            let _ = model.springs.remove(j);
        }
        9 => model.springs.clear(),
        10 => {
            let _ = model.rest.pop();
        }
        11 if s > 0 => model.springs[j].kind = SpringKind::ExtensionOnly,
        12 => model.gravity[pick(random, 3)] = value,
        13 => model.air.density = value,
        14 => model.air.wind.x = value,
        15 => {
            let _ = model.append(&cloth());
        }
        _ => {
            if m > 0 && i < model.rest.len() {
                model.rest[i] = model.rest[0];
            }
        }
    }
}

/// Ten thousand spoiled models: each is refused with the name of what is wrong, or runs and stays finite, or (where
/// a number is finite but what it does is not) fails in the step, by name, with the state it had.
#[test]
fn ten_thousand_spoiled_models_never_panic() {
    let mut random = Random(1);
    let all = methods();
    let (mut refused, mut failed, mut ran) = (0, 0, 0);
    for case in 0..10_000 {
        let mut model = cloth();
        (0..1 + pick(&mut random, 3)).for_each(|_| mutate(&mut model, &mut random));
        let _ = model.warnings();
        let method = match &all[case % all.len()] {
            // A tolerance that a light particle can never reach would take a hundred thousand iterations.
            Method::LocalGlobal(_) => quick(),
            other => other.clone(),
        };
        let mut simulation = match Simulation::new(model, Settings::without_contact(method.clone(), H)) {
            Ok(simulation) => simulation,
            Err(error) => {
                let message = error.to_string();
                let named = ["particle ", "spring ", "triangle ", "tet ", "gravity", "wind", "air.density"];
                assert!(named.iter().any(|n| message.starts_with(n)), "case {case}: {message}");
                refused += 1;
                continue;
            }
        };
        if simulation.model().particles() > 0 {
            simulation.pin(0).unwrap();
        }
        for _ in 0..2 {
            let before = simulation.state().clone();
            match simulation.step() {
                Ok(_) => {
                    simulation.state().check_finite().unwrap();
                    ran += 1;
                }
                Err(error) => {
                    let message = error.to_string();
                    assert!(message.contains("particle") || message.contains("stiffness"), "{message}");
                    assert_eq!(simulation.state(), &before, "case {case}");
                    failed += 1;
                }
            }
        }
    }
    println!("{refused} refused, {ran} steps ran, {failed} failed");
    assert!(
        refused > 3000 && ran > 6000 && failed < ran / 10,
        "{refused} refused, {ran} ran, {failed} failed"
    );
}
