//! Pins are exact for every method, may move and be let go; events fall into the step they name; whatever was
//! changed between steps, the next step is that of a simulation started there.

use crate::symmetry::methods;
use taut::script::Script;
use taut::shapes::Grid;
use taut::{
    Air, DVec3, Damping, Edit, Error, Event, Method, Model, Path, Settings, Simulation, Spring, State, Stop,
    measure,
};

const H: f64 = 1.0 / 30.0;

fn cloth() -> Model {
    // Shear and bend springs that static_imex may take explicitly.
    let grid = Grid { columns: 5, rows: 5, stretch: 300.0, shear: 10.0, bend: 2.0, ..Grid::default() };
    let mut model = grid.build().unwrap();
    model.air = Air { wind: DVec3::new(0.5, 0.0, 1.0), density: 1.2, ..Air::default() };
    model
}

fn simulation(method: &Method, events: Vec<Event>) -> Simulation {
    let damping = Damping { ether: 0.98, rigid: 0.05, drag: 0.2, material: 0.002 };
    let settings = Settings { damping, conserve: 0.5, ..Settings::without_contact(method.clone(), H) };
    let mut simulation = Simulation::new(cloth(), settings).unwrap();
    simulation.pin(0).unwrap();
    simulation.set_script(events).unwrap();
    simulation
}

fn take(simulation: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        simulation.step().unwrap();
    }
}

fn bits(v: DVec3) -> [u64; 3] {
    v.to_array().map(f64::to_bits)
}

fn path() -> Path {
    Path {
        keys: vec![(0.1, DVec3::ZERO), (0.35, DVec3::new(0.1, 0.2, -0.1)), (0.8, DVec3::new(-0.1, 0.3, 0.1))],
    }
}

fn event(time: f64, edit: Edit) -> Event {
    Event { time, edit }
}

#[test]
fn pins_are_exact_and_carry_their_own_velocity() {
    for method in methods() {
        let moving = event(0.15, Edit::Hold { particles: vec![4], path: path() });
        let mut simulation = simulation(&method, vec![moving]);
        let start = simulation.positions().to_vec();
        let mut from = start[4];
        for n in 0..40 {
            let (before, free) = (simulation.state().clone(), n < 4);
            if n <= 4 {
                from = before.positions[4];
            }
            let hand = DVec3::new(0.1 * (0.3 * f64::from(n)).sin(), 0.1, -0.02 * f64::from(n));
            simulation.grab(12, hand).unwrap();
            let end = simulation.step().unwrap().time;
            let state = simulation.state();
            let mut expected = vec![(0, start[0]), (12, hand)];
            if !free {
                expected.push((4, from + path().at(end - 0.15)));
            }
            for (i, place) in expected {
                assert_eq!(bits(state.positions[i]), bits(place), "particle {i}, step {n}, {method:?}");
                let velocity = (place - before.positions[i]) / H;
                assert_eq!(bits(state.velocities[i]), bits(velocity), "particle {i}, step {n}, {method:?}");
            }
            assert!(!free || state.positions[4] != before.positions[4], "free until 0.15 s");
        }
    }
}

/// Without anything to slow it, what was thrown flies on at the speed of the hand.
#[test]
fn what_is_let_go_flies_on() {
    let lone = Model { masses: vec![0.3], rest: vec![DVec3::X], gravity: DVec3::ZERO, ..Model::default() };
    let speed = DVec3::new(1.5, -2.0, 0.5);
    for method in methods() {
        let keys = vec![(0.0, DVec3::ZERO), (10.0, speed * 10.0)];
        let mut thrown = Simulation::new(lone.clone(), Settings::without_contact(method.clone(), H)).unwrap();
        let events = vec![
            event(0.0, Edit::Hold { particles: vec![0], path: Path { keys } }),
            event(0.5, Edit::Release { particles: vec![0] }),
        ];
        thrown.set_script(events).unwrap();
        for n in 1..=60 {
            thrown.step().unwrap();
            let expected = DVec3::X + speed * (f64::from(n) * H);
            assert!((thrown.positions()[0] - expected).length() < 1e-12, "step {n}, {method:?}");
            assert_eq!(
                thrown.state().filters[0].is_pinned(),
                n <= 15,
                "let go in the step that ends after 0.5 s"
            );
        }
        // The same by hand.
        let mut thrown = Simulation::new(lone.clone(), Settings::without_contact(method.clone(), H)).unwrap();
        for n in 1..=5 {
            thrown.grab(0, DVec3::X + speed * (f64::from(n) * H)).unwrap();
            thrown.step().unwrap();
        }
        thrown.release(0).unwrap();
        thrown.step().unwrap();
        assert!((thrown.positions()[0] - DVec3::X - speed * (6.0 * H)).length() < 1e-13);
    }
}

/// One event each second for three hours: an event at k s is first felt in the step that ends after k s.
#[test]
fn events_fall_into_the_step_they_name_however_long_the_run() {
    let model = Model { masses: vec![1.0], rest: vec![DVec3::ZERO], ..Model::default() };
    for rate in [24, 25, 30, 49, 60, 90, 98, 240] {
        let (h, seconds) = (1.0 / rate as f64, 3 * 3600);
        let events = (0..seconds).map(|k| event(k as f64, Edit::Wind(DVec3::X * k as f64))).collect();
        let script = Script::new(events, &model).unwrap();
        let (mut state, mut wind) = (State::at_rest(&model), Edit::Wind(DVec3::NAN));
        for n in 0..seconds * rate {
            state.time = n as f64 * h;
            wind = script.next(&model, &mut state, (n + 1) as f64 * h).map_or(wind, |(_, edit)| edit);
            let here = Edit::Wind(DVec3::X * (n / rate) as f64);
            assert_eq!(wind, here, "step {n} at {rate} steps per second");
        }
    }
    // The same when the step was changed on the way, so that times are sums: 0.1 + 29·0.1 is more than 3.
    let method = Method::LocalGlobal(Stop::iterations(1));
    let mut simulation = Simulation::new(model, Settings::without_contact(method.clone(), 0.1)).unwrap();
    let gust = event(3.0, Edit::Wind(DVec3::Z));
    simulation.set_script(vec![gust]).unwrap();
    for n in 1..=31 {
        let time = simulation.step().unwrap().time;
        assert_eq!(simulation.model().air.wind == DVec3::Z, n == 31, "step {n}, which ends at {time}");
        if n == 1 {
            simulation
                .configure(Settings {
                    method: method.clone(),
                    damping: Damping::default(),
                    time_step: 0.1,
                    ..simulation.settings().clone()
                })
                .unwrap();
        }
    }
}

#[test]
fn time_does_not_drift() {
    let mut simulation = simulation(&Method::LocalGlobal(Stop::iterations(1)), Vec::new());
    for n in 1..=3000 {
        assert_eq!(simulation.step().unwrap().time, f64::from(n) * H);
    }
}

/// After any edit the simulation is as good as new.
#[test]
fn preparing_again_is_starting_afresh() {
    for method in methods() {
        let mut edited = simulation(&method, Vec::new());
        let springs = edited.model().springs.len();
        for round in 0..6 {
            match round {
                0 => edited.pin(24).unwrap(),
                1 => edited.grab(7, DVec3::new(0.1, 0.2, 0.3)).unwrap(),
                2 => edited.scale_stiffness(0..springs / 2, 1.7).unwrap(),
                3 => edited.release(24).unwrap(),
                4 => edited
                    .rebuild(|model, state| {
                        model.springs.remove(30);
                        model.masses[3] *= 2.0;
                        state.velocities[2] += DVec3::Y;
                        Ok(())
                    })
                    .unwrap(),
                _ => edited.set_wind(DVec3::new(0.0, 2.0, 0.0)).unwrap(),
            }
            let (model, state) = (edited.model().clone(), edited.state().clone());
            let settings = Settings { conserve: 0.5, ..edited.settings().clone() };
            let mut fresh = Simulation::with_state(model, state, settings).unwrap();
            for _ in 0..3 {
                // Semi-implicit steps are too long here: both are lost, or none.
                let (a, b) = (edited.step().err(), fresh.step().err());
                assert!(a == b && (a.is_none() || matches!(method, Method::SemiImplicit(_))), "{a:?} {b:?}");
                assert_eq!(edited.positions(), fresh.positions(), "round {round}, {method:?}");
                assert_eq!(edited.state().velocities, fresh.state().velocities);
            }
        }
    }
}

#[test]
fn an_edit_that_fails_changes_nothing() {
    let held = event(0.5, Edit::Hold { particles: vec![24], path: path() });
    let method = Method::LocalGlobal(Stop::iterations(5));
    let (mut tried, mut twin) = (simulation(&method, vec![held.clone()]), simulation(&method, vec![held]));
    type Change = fn(&mut Model, &mut State) -> Result<(), Error>;
    let changes: [(&str, Change); 6] = [
        ("mass", |model, _| {
            model.masses[1] = -1.0;
            Ok(())
        }),
        ("spring 0", |model, _| {
            model.springs[0].stiffness = f64::NAN;
            Ok(())
        }),
        ("state", |_, state| {
            state.velocities.pop();
            Ok(())
        }),
        ("particle 2", |_, state| {
            state.positions[2].x = f64::NAN;
            Ok(())
        }),
        ("no", |model, state| {
            model.springs.clear();
            state.time = 7.0;
            Err(Error::setting("no", 0, "no"))
        }),
        // The script still names particle 24.
        ("particle 24", |model, state| {
            *model = Model { masses: vec![1.0], rest: vec![DVec3::ZERO], ..Model::default() };
            *state = State::at_rest(model);
            Ok(())
        }),
    ];
    for step in 0..20 {
        let (naming, change) = changes[step % changes.len()];
        let message = tried.rebuild(change).unwrap_err().to_string();
        assert!(message.contains(naming), "`{message}` does not name {naming}");
        assert_eq!((tried.model(), tried.state()), (twin.model(), twin.state()));
        assert_eq!(tried.step().unwrap().time, twin.step().unwrap().time);
        assert_eq!(measure::hash(tried.state()), measure::hash(twin.state()));
    }
}

#[test]
fn an_edit_may_set_the_clock() {
    let mut simulation = simulation(&Method::LocalGlobal(Stop::iterations(1)), Vec::new());
    simulation.step().unwrap();
    simulation
        .rebuild(|_, state| {
            state.time = 5.0;
            Ok(())
        })
        .unwrap();
    assert_eq!(simulation.step().unwrap().time, 5.0 + H);
}

#[test]
fn paths_are_straight_between_keys_and_still_outside() {
    assert_eq!(Path::default().at(3.0), DVec3::ZERO);
    let (a, b, c) = (DVec3::new(1.0, 0.0, 2.0), DVec3::new(2.0, 4.0, 0.0), DVec3::X);
    let path = Path { keys: vec![(1.0, a), (3.0, b), (4.0, c)] };
    for (time, place) in [
        (-1.0, a),
        (0.0, a),
        (1.0, a),
        (1.5, a + (b - a) / 4.0),
        (2.0, (a + b) / 2.0),
        (3.0, b),
        (3.5, (b + c) / 2.0),
        (4.0, c),
        (9.0, c),
    ] {
        assert_eq!(path.at(time), place, "at {time}");
    }
    let one = Path { keys: vec![(2.0, b)] };
    assert_eq!([one.at(1.0), one.at(2.0), one.at(3.0)], [b; 3]);
    // Moving along an empty path is being held.
    let hold = event(0.0, Edit::Hold { particles: vec![20], path: Path::default() });
    let mut simulation = simulation(&Method::LocalGlobal(Stop::iterations(5)), vec![hold]);
    let place = simulation.positions()[20];
    take(&mut simulation, 5);
    assert_eq!(simulation.positions()[20], place);
}

/// Wind and stiffness from the script are those set by hand before the same step.
#[test]
fn the_script_does_what_a_hand_would() {
    for method in methods() {
        let wind = DVec3::new(0.0, 1.0, 4.0);
        let events = vec![
            event(0.5, Edit::Stiffness { springs: (3..50).collect(), factor: 3.0 }),
            event(0.2, Edit::Wind(wind)),
            event(0.4, Edit::Hold { particles: vec![4], path: Path::default() }),
            event(0.7, Edit::Release { particles: vec![4, 0] }),
        ];
        let (mut scripted, mut by_hand) = (simulation(&method, events), simulation(&method, Vec::new()));
        for n in 0..30 {
            match n {
                6 => by_hand.set_wind(wind).unwrap(),
                12 => by_hand.pin(4).unwrap(),
                15 => by_hand.scale_stiffness(3..50, 3.0).unwrap(),
                21 => {
                    by_hand.release(4).unwrap();
                    by_hand.release(0).unwrap();
                }
                _ => {}
            }
            scripted.step().unwrap();
            by_hand.step().unwrap();
            let (one, other) = (scripted.state(), by_hand.state());
            assert_eq!(one.positions, other.positions, "step {n}, {method:?}");
            assert_eq!(one.velocities, other.velocities, "step {n}, {method:?}");
            assert_eq!((one.time, &one.filters), (other.time, &other.filters), "step {n}, {method:?}");
            assert_eq!(scripted.model(), by_hand.model(), "step {n}, {method:?}");
        }
    }
}

/// A hand takes a particle from its path for good.
#[test]
fn a_hand_wins_over_a_path() {
    let moving = event(0.0, Edit::Hold { particles: vec![4, 20], path: path() });
    let mut simulation = simulation(&Method::LocalGlobal(Stop::iterations(5)), vec![moving]);
    take(&mut simulation, 6);
    let place = DVec3::new(0.3, 0.3, 0.3);
    simulation.grab(4, place).unwrap();
    simulation.release(20).unwrap();
    take(&mut simulation, 3);
    assert_eq!(simulation.positions()[4], place);
    assert!(!simulation.state().filters[20].is_pinned());
}

/// Events of a step that failed happen when it succeeds: here a release, a pin and a change of stiffness.
#[test]
fn events_of_a_failed_step_are_not_lost() {
    let events = vec![
        event(0.2, Edit::Release { particles: vec![0] }),
        event(0.2, Edit::Hold { particles: vec![24], path: path() }),
        event(0.2, Edit::Stiffness { springs: (0..20).collect(), factor: 0.3 }),
    ];
    for method in methods() {
        let (mut failing, mut twin) =
            (simulation(&method, events.clone()), simulation(&method, events.clone()));
        for n in 0..15 {
            if n == 6 {
                failing.grab(9, DVec3::X * 1e307).unwrap();
                failing.step().unwrap_err();
                failing.release(9).unwrap();
            }
            failing.step().unwrap();
            twin.step().unwrap();
            assert_eq!(failing.state(), twin.state(), "step {n}, {method:?}");
            assert_eq!(failing.model(), twin.model(), "step {n}, {method:?}");
        }
    }
}

/// Two particles and a spring of no stiffness: a pin holds one, the other falls as if alone.
#[test]
fn a_pin_holds_only_its_own_particle() {
    let model = Model {
        masses: vec![1.0; 2],
        rest: vec![DVec3::ZERO, DVec3::X],
        springs: vec![Spring::new(0, 1, 1.0, 0.0)],
        ..Model::default()
    };
    for method in methods() {
        let mut simulation =
            Simulation::new(model.clone(), Settings::without_contact(method.clone(), H)).unwrap();
        simulation.pin(0).unwrap();
        take(&mut simulation, 10);
        let fall = -9.81 * H * H * 55.0;
        assert_eq!(simulation.positions()[0], DVec3::ZERO);
        assert!((simulation.positions()[1] - DVec3::new(1.0, fall, 0.0)).length() < 1e-12, "{method:?}");
    }
}

/// A body thrown as a whole: its pins do not move, so that they have no kinetic energy and no part in what damping takes.
#[test]
fn what_is_pinned_where_it_is_is_at_rest() {
    let text = "[damping]\nrigid = 0.5\nmaterial = 0.01\n[[body]]\nname = \"rag\"\nvelocity = [1.0, 0.0, 2.0]\n\
        grid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\n[[pin]]\nname = \"edge\"\nat = [\"top\"]\n";
    let scene = taut::Scene::parse("s.toml", text, None).unwrap();
    let mut thrown = scene.simulation().unwrap();
    let free: f64 =
        (0..25).filter(|&i| !scene.state.filters[i].is_pinned()).map(|i| scene.model.masses[i]).sum();
    assert!((thrown.energy().kinetic / (2.5 * free) - 1.0).abs() < 1e-14);
    // By hand: free particles moving, pinned ones not.
    let mut state = State::at_rest(&scene.model);
    state.filters.copy_from_slice(&scene.state.filters);
    for i in (0..25).filter(|&i| !state.filters[i].is_pinned()).collect::<Vec<_>>() {
        state.velocities[i] = DVec3::new(1.0, 0.0, 2.0);
    }
    let mut by_hand = Simulation::with_state(scene.model.clone(), state, thrown.settings().clone()).unwrap();
    take(&mut thrown, 3);
    take(&mut by_hand, 3);
    assert_eq!(thrown.positions(), by_hand.positions());
    // A particle that is caught on its way.
    let caught = (0..25).find(|&i| !scene.state.filters[i].is_pinned()).unwrap();
    thrown.pin(caught).unwrap();
    assert_eq!(thrown.state().velocities[caught], DVec3::ZERO);
}
