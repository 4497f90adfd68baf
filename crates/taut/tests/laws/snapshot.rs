//! A snapshot is complete: from one taken at any step, by any method, a simulation goes on bit for bit. A step that fails
//! leaves no trace in it. (That damaged ones are refused is in `snapshot_memory`.)

use crate::symmetry::methods;
use taut::collision::{Motion, Obstacle, Shape};
use taut::shapes::Grid;
use taut::{
    DVec3, Damping, Edit, Event, Explicit, ImexSettings, Method, Path, Scheme, Settings, Simulation,
    StrainLimit, measure,
};

/// What a simulation may have besides springs.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Company {
    Alone,
    Obstacles,
    Limit,
    Script,
}

const COMPANIES: [Company; 4] = [Company::Alone, Company::Obstacles, Company::Limit, Company::Script];

/// Every method, those that remember most among them.
fn every_method() -> Vec<Method> {
    let guess = ImexSettings { guess: true, ..ImexSettings::default() };
    let explicit = Explicit::NAMES.map(|(_, order)| Method::Explicit(order));
    methods().into_iter().chain(explicit).chain([Method::BaraffWitkin(guess)]).collect()
}

fn step_length(method: &Method) -> f64 {
    match method {
        Method::Explicit(_) | Method::StaticImex(_) => 1e-3,
        Method::SemiImplicit(_) => 1.0 / 240.0,
        _ => 1.0 / 60.0,
    }
}

/// A sheet of 25 particles with a velocity, in some company; `None` where that is refused.
fn simulation(method: &Method, scheme: Scheme, company: Company) -> Option<Simulation> {
    let grid = Grid { columns: 5, rows: 5, stretch: 200.0, shear: 40.0, bend: 4.0, ..Grid::default() };
    let mut model = grid.build().unwrap();
    model.air.density = 1.2;
    let settings = Settings {
        scheme,
        damping: Damping { drag: 0.1, rigid: 0.01, material: 1e-3, ether: 0.999 },
        conserve: if scheme == Scheme::Bdf2 { 0.0 } else { 0.3 },
        limit: (company == Company::Limit).then(|| StrainLimit { stretch: 1e-3, ..StrainLimit::default() }),
        ..Settings::without_contact(method.clone(), step_length(method))
    };
    settings.validate().ok()?;
    let h = settings.time_step;
    let mut simulation = Simulation::new(model, settings).unwrap();
    if company == Company::Obstacles {
        let turn = Motion::turning(DVec3::ZERO, DVec3::Y, vec![(0.0, 0.0), (1.0, 2.0)]);
        let ball = Shape::Sphere { centre: DVec3::new(0.5, -0.3, 0.5), radius: 0.28 };
        let ball = Obstacle { shape: ball, margin: 0.01, friction: 0.3, motion: Some(turn) };
        let ground =
            Obstacle { shape: Shape::Ground { height: -0.35 }, margin: 0.0, friction: 0.5, motion: None };
        simulation.set_obstacles(vec![ball, ground]).unwrap();
        // Fast enough to touch within the first steps however short they are.
        let particles: Vec<usize> = (0..25).collect();
        let velocities = vec![DVec3::new(0.4, -0.02 / h, 0.1); 25];
        simulation.edit(Edit::Velocities { particles, velocities }).unwrap();
    } else {
        simulation.pin(0).unwrap();
        simulation.pin(4).unwrap();
    }
    if company == Company::Script {
        let keys = vec![(0.0, DVec3::ZERO), (30.0 * h, DVec3::new(0.05, 0.1, 0.0)), (60.0 * h, DVec3::ZERO)];
        let event = |step: f64, edit| Event { time: step * h, edit };
        let events = vec![
            event(5.0, Edit::Hold { particles: vec![0, 20], path: Path { keys } }),
            event(12.0, Edit::Wind(DVec3::new(1.0, 0.0, 3.0))),
            event(25.0, Edit::Stiffness { springs: (0..20).collect(), factor: 1.5 }),
            event(40.0, Edit::Release { particles: vec![20] }),
            event(60.0, Edit::Release { particles: vec![4] }),
        ];
        simulation.set_script(events).unwrap();
    }
    Some(simulation)
}

/// Snapshots at each of 50 steps, 20 more steps from each.
#[test]
fn a_restored_simulation_goes_on_bit_for_bit() {
    let (mut combinations, mut touched) = (0, false);
    for method in every_method() {
        for (_, scheme) in Scheme::NAMES {
            for company in COMPANIES {
                let Some(mut original) = simulation(&method, scheme, company) else { continue };
                let (mut snapshots, mut hashes) = (Vec::new(), Vec::new());
                for n in 0..70 {
                    if n < 50 {
                        snapshots.push(original.snapshot());
                    }
                    let Ok(report) = original.step() else { break };
                    touched |= report.touching > 0;
                    hashes.push(measure::hash(original.state()));
                }
                // What diverges does so in every copy; what was reached is compared.
                for (n, snapshot) in snapshots.iter().enumerate() {
                    let end = (n + 20).min(hashes.len());
                    let mut copy = Simulation::restore(snapshot).unwrap().simulation;
                    assert_eq!(copy.snapshot(), *snapshot, "{method:?} {scheme:?} {company:?}");
                    for (k, hash) in hashes[n.min(end)..end].iter().enumerate() {
                        copy.step().unwrap();
                        let now = measure::hash(copy.state());
                        assert_eq!(now, *hash, "{method:?} {scheme:?} {company:?}, step {n} + {k}");
                    }
                }
                assert!(hashes.len() >= 20, "{method:?} {scheme:?} {company:?}: {} steps", hashes.len());
                combinations += 1;
            }
        }
    }
    println!("{combinations} combinations");
    assert!(combinations >= 150 && touched);
}

/// A copy of the State is enough too, with the same model, settings, events and obstacles.
#[test]
fn going_on_from_a_state_is_going_on() {
    for method in every_method() {
        for (scheme, company) in Scheme::NAMES.into_iter().flat_map(|s| COMPANIES.map(|c| (s.1, c))) {
            let Some(mut original) = simulation(&method, scheme, company) else { continue };
            (0..15).for_each(|_| drop(original.step()));
            let (model, state) = (original.model().clone(), original.state().clone());
            let mut copy = Simulation::with_state(model, state, original.settings().clone()).unwrap();
            copy.set_script(original.events().to_vec()).unwrap();
            copy.set_obstacles(original.obstacles().to_vec()).unwrap();
            for n in 0..10 {
                let (one, other) = (original.step(), copy.step());
                assert_eq!(one.is_ok(), other.is_ok());
                assert_eq!(original.state(), copy.state(), "{method:?} {scheme:?} {company:?}, {n}");
            }
        }
    }
}

/// Each way a step can fail, after ten that did not: it fails again as often as it is tried, and leaves the simulation as
/// it was, bit for bit: its snapshot, and once the cause is taken away, the steps that follow.
#[test]
fn a_step_that_fails_has_never_been() {
    type Change = fn(&mut Simulation);
    let breaks: [(&str, Change, Change); 7] = [
        ("force", |s| s.set_force(7, DVec3::MAX).unwrap(), |s| s.set_force(7, DVec3::ZERO).unwrap()),
        ("velocity", |s| s.grab(12, DVec3::X * 1e307).unwrap(), |s| s.release(12).unwrap()),
        (
            "pin target",
            |s| {
                let keys = vec![(0.0, DVec3::MIN), (1.0, DVec3::MAX)];
                s.edit(Edit::Hold { particles: vec![12], path: Path { keys } }).unwrap();
            },
            |s| s.release(12).unwrap(),
        ),
        (
            "spring",
            |s| {
                let edit = || Edit::Stiffness { springs: vec![3], factor: 1e200 };
                s.set_script([edit(), edit()].map(|edit| Event { time: s.state().time, edit }).into())
                    .unwrap();
            },
            |s| s.set_script(Vec::new()).unwrap(),
        ),
        // Only integrators notice this, as they prepare for it.
        (
            "differ too much",
            |s| s.scale_stiffness(20..21, 1e200).unwrap(),
            |s| s.scale_stiffness(20..21, 1e-200).unwrap(),
        ),
        // Events that integrators have followed, and a force that fails the step.
        (
            "force",
            |s| {
                let events = [
                    Edit::Stiffness { springs: (0..40).collect(), factor: 3.0 },
                    Edit::Hold { particles: vec![12], path: Path::default() },
                    Edit::Forces { particles: vec![7], forces: vec![DVec3::MAX] },
                ];
                s.set_script(events.map(|edit| Event { time: s.state().time, edit }).into()).unwrap();
            },
            |s| s.set_script(Vec::new()).unwrap(),
        ),
        (
            "times its rest length",
            |s| {
                s.configure(Settings { time_step: 10.0, ..s.settings().clone() }).unwrap();
                let velocities = (0..25).map(|i| DVec3::splat(f64::from(i) * 1e3)).collect();
                s.edit(Edit::Velocities { particles: (0..25).collect(), velocities }).unwrap();
            },
            |s| {
                s.configure(Settings { time_step: 1e-3, ..s.settings().clone() }).unwrap();
                s.halt();
            },
        ),
    ];
    let mut seen = [0; 7];
    for method in every_method() {
        for (scheme, company) in Scheme::NAMES.into_iter().flat_map(|s| COMPANIES.map(|c| (s.1, c))) {
            for (k, (word, spoil, cure)) in breaks.iter().enumerate() {
                let Some(mut simulation) = simulation(&method, scheme, company) else { continue };
                (0..10).for_each(|_| drop(simulation.step()));
                spoil(&mut simulation);
                let before = simulation.snapshot();
                let Err(error) = simulation.step() else { continue };
                let what = format!("{method:?} {scheme:?} {company:?} {error}");
                assert_eq!(simulation.snapshot(), before, "{what}");
                assert_eq!(simulation.step().unwrap_err(), error, "{what}");
                assert_eq!(simulation.snapshot(), before, "{what}");
                seen[k] += usize::from(error.to_string().contains(word));
                let mut untried = Simulation::restore(&before).unwrap().simulation;
                for simulation in [&mut simulation, &mut untried] {
                    cure(simulation);
                    (0..2).for_each(|_| drop(simulation.step()));
                }
                assert_eq!(simulation.snapshot(), untried.snapshot(), "{what}");
            }
        }
    }
    println!("failures of each kind: {seen:?}");
    assert!(seen.iter().all(|&n| n >= 3), "{seen:?}");
}
