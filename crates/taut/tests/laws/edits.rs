//! Edits: a thousand at random, each followed by one simulation and prepared afresh by another. The same answer; the same
//! bits, since both eliminate in the same order. What costs nothing to follow prepares nothing.

use crate::common::{Random, distance, take};
use taut::collision::{Obstacle, Shape};
use taut::shapes::Grid;
use taut::{
    Change, DVec3, Damping, Edit, Method, Path, Precision, Scheme, Settings, Simulation, Stop, StrainLimit,
};

const PARTICLES: usize = 49;

fn start(precision: Precision) -> Simulation {
    let grid = Grid { columns: 7, rows: 7, stretch: 300.0, shear: 50.0, bend: 5.0, ..Grid::default() };
    let mut model = grid.build().unwrap();
    model.air.density = 1.2;
    let settings = Settings { precision, ..Settings::without_contact(Method::default(), 1.0 / 60.0) };
    let mut simulation = Simulation::new(model, settings).unwrap();
    let ground = Shape::Ground { height: -1.5 };
    let ground = Obstacle { shape: ground, margin: 0.0, friction: 0.5, motion: None };
    simulation.set_obstacles(vec![ground]).unwrap();
    simulation.pin(0).unwrap();
    simulation
}

/// One of the edits there are, mild enough to go on from.
fn random_edit(random: &mut Random, simulation: &Simulation) -> Edit {
    let springs = simulation.model().springs.len();
    let some = |random: &mut Random, most: usize| -> Vec<usize> {
        let drawn = (0..1 + random.bits() % 3).map(|_| random.bits() as usize % most);
        drawn.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    };
    let particles = some(random, PARTICLES);
    let vectors = |random: &mut Random, size: f64| -> Vec<DVec3> {
        (0..particles.len()).map(|_| random.vector(size)).collect()
    };
    let near = |random: &mut Random| -> Vec<DVec3> {
        particles.iter().map(|&i| simulation.positions()[i] + random.vector(0.02)).collect()
    };
    let stiffness = |random: &mut Random, springs: &[usize]| -> Vec<f64> {
        let scaled = |&i: &usize| random.range(0.8, 1.25) * simulation.model().springs[i].stiffness;
        springs.iter().map(scaled).collect()
    };
    match random.bits() % 13 {
        12 => {
            let springs = some(random, springs);
            Edit::Stiffnesses { stiffness: stiffness(random, &springs), springs }
        }
        0 => Edit::Hold { path: Path { keys: vec![(0.1, random.vector(0.05))] }, particles },
        1 => Edit::Place { places: near(random), particles },
        2 | 3 => Edit::Release { particles },
        4 => Edit::Forces { forces: vectors(random, 0.05), particles },
        5 => Edit::Wind(random.vector(2.0)),
        6 => Edit::Gravity(DVec3::new(0.0, -9.81, 0.0) + random.vector(1.0)),
        7 | 8 => Edit::Stiffness { springs: some(random, springs), factor: random.range(0.8, 1.25) },
        9 => Edit::Positions { positions: near(random), particles },
        10 => Edit::Velocities { velocities: vectors(random, 0.1), particles },
        _ => Edit::Settings(Box::new(random_settings(random, simulation.settings()))),
    }
}

fn random_settings(random: &mut Random, now: &Settings) -> Settings {
    let methods = [
        Method::default(),
        Method::LocalGlobal(Stop::iterations(20)),
        Method::Lbfgs(Stop::iterations(10)),
        Method::newton(),
        Method::hybrid(),
        Method::Xpbd(Stop::iterations(20)),
        "baraff_witkin".parse().unwrap(),
        "adaptive_imex".parse().unwrap(),
    ];
    let method = methods[random.bits() as usize % methods.len()].clone();
    let scheme = [Scheme::ImplicitEuler, Scheme::Bdf2][random.bits() as usize % 2];
    let limit = StrainLimit { stretch: 0.2, ..StrainLimit::default() };
    Settings {
        time_step: random.range(0.005, 0.02),
        scheme,
        damping: Damping { drag: 0.5, material: random.range(0.0, 1e-3), ..Damping::default() },
        conserve: 0.0,
        limit: (random.bits().is_multiple_of(2)).then_some(limit),
        method,
        ..now.clone()
    }
}

/// A simulation that has never been anything else.
fn afresh(simulation: &Simulation) -> Simulation {
    let (model, state) = (simulation.model().clone(), simulation.state().clone());
    let mut fresh = Simulation::with_state(model, state, simulation.settings().clone()).unwrap();
    fresh.set_script(simulation.events().to_vec()).unwrap();
    fresh.set_obstacles(simulation.obstacles().to_vec()).unwrap();
    fresh
}

#[test]
fn following_an_edit_is_preparing_afresh() {
    for (precision, seed, bound) in [(Precision::Double, 5, 1e-10), (Precision::Single, 6, 1e-6)] {
        let (mut simulation, mut random) = (start(precision), Random(seed));
        let (mut same, mut kinds) = (0, std::collections::BTreeSet::new());
        for n in 0..500 {
            let edit = random_edit(&mut random, &simulation);
            kinds.insert(format!("{edit:?}").split([' ', '(']).next().unwrap().to_string());
            simulation.edit(edit).unwrap();
            let mut fresh = afresh(&simulation);
            assert_eq!(simulation.state(), fresh.state(), "edit {n}");
            for _ in 0..2 {
                let (one, other) = (simulation.step().unwrap(), fresh.step().unwrap());
                assert_eq!((one.step, one.touching), (other.step, other.touching));
                let apart = distance(simulation.positions(), fresh.positions());
                assert!(apart <= bound * simulation.model().size(), "edit {n}: {apart:e} m apart");
            }
            same += usize::from(simulation.state() == fresh.state());
        }
        assert_eq!(same, 500, "the order is the same, and so is every bit");
        assert!(kinds.len() >= 10, "{kinds:?}");
    }
}

/// What was refused has changed nothing, though each could have been done in part.
#[test]
fn refused_edits_change_no_bit() {
    let mut simulation = start(Precision::Double);
    // A path, contacts, bend springs that local/global refuses, and an event for the last particle.
    let strip = taut::Spring::bend(0, 2, 0.3, 1e-6, 1.0);
    let newton = Settings { scheme: Scheme::Bdf2, ..Settings::without_contact(Method::newton(), 0.01) };
    simulation.configure(newton.clone()).unwrap();
    simulation
        .rebuild(|model, _| {
            model.springs.push(strip);
            Ok(())
        })
        .unwrap();
    let far = PARTICLES;
    let last = Edit::Release { particles: vec![far - 1] };
    simulation.set_script(vec![taut::Event { time: 9.0, edit: last }]).unwrap();
    let keys = vec![(0.0, DVec3::ZERO), (1.0, DVec3::X)];
    simulation.edit(Edit::Hold { particles: vec![1, 2], path: Path { keys } }).unwrap();
    let below = Shape::Ground { height: -0.005 };
    let below = Obstacle { shape: below, margin: 0.0, friction: 0.5, motion: None };
    simulation.set_obstacles(vec![below]).unwrap();
    take(&mut simulation, 8);
    assert!(simulation.step().unwrap().touching > 0);
    let before = simulation.snapshot();
    let (one, two) = (|| vec![DVec3::ONE], || vec![DVec3::ONE, DVec3::NAN]);
    let at_rest = |model: &taut::Model| taut::State::at_rest(model);
    let small = Grid { columns: 3, rows: 3, ..Grid::default() }.build().unwrap();
    let mut infinite = at_rest(simulation.model());
    infinite.velocities[7].y = f64::INFINITY;
    for edit in [
        Edit::Hold { particles: vec![1, far], path: Path::default() },
        Edit::Hold { particles: vec![1], path: Path { keys: vec![(1.0, DVec3::X), (0.5, DVec3::X)] } },
        Edit::Place { particles: vec![1, 2], places: one() },
        Edit::Place { particles: vec![1, 5], places: two() },
        Edit::Release { particles: vec![1, 0, far] },
        Edit::Forces { particles: vec![3, far], forces: vec![DVec3::ONE; 2] },
        Edit::Forces { particles: vec![3, 4], forces: two() },
        Edit::Positions { particles: vec![1, 2], positions: two() },
        Edit::Positions { particles: vec![1, 2], positions: one() },
        Edit::Velocities { particles: vec![3, usize::MAX], velocities: vec![DVec3::ONE; 2] },
        Edit::Velocities { particles: vec![3, 3], velocities: two() },
        Edit::Cut(taut::Blade { triangles: vec![[DVec3::ZERO, DVec3::X, DVec3::NAN]] }),
        Edit::CutAt { particles: vec![1, far] },
        Edit::Open(taut::Opening { edges: vec![[0, far as u32]], ..taut::Opening::default() }),
        Edit::Move { solid: taut::Solid::Obstacle(1), pose: Default::default() },
        Edit::Wind(DVec3::NAN),
        Edit::Gravity(DVec3::INFINITY),
        Edit::Stiffness { springs: vec![0, 1 << 40], factor: 2.0 },
        Edit::Stiffness { springs: vec![0, 1], factor: -1.0 },
        Edit::Stiffness { springs: vec![0, 1], factor: 1e308 },
        Edit::Stiffness { springs: vec![7, 2, 7], factor: 1e200 },
        // Settings that are wrong, and settings that are not, but do not suit the model.
        Edit::Settings(Box::new(Settings::without_contact(Method::default(), -1.0))),
        Edit::Settings(Box::new(Settings { conserve: 0.5, ..newton })),
        Edit::Settings(Box::new(Settings::without_contact(Method::default(), 0.02))),
        // No model; a model and the state of another; a state that is not finite; a model too small for the event.
        Edit::Replace(Box::new((taut::Model::default(), simulation.state().clone()))),
        Edit::Replace(Box::new((small.clone(), simulation.state().clone()))),
        Edit::Replace(Box::new((simulation.model().clone(), infinite))),
        Edit::Replace(Box::new((small.clone(), at_rest(&small)))),
    ] {
        let message = simulation.edit(edit.clone()).unwrap_err().to_string();
        assert!(!message.is_empty());
        assert_eq!(simulation.snapshot(), before, "{edit:?}: {message}");
    }
    let nowhere = taut::Event { time: 0.0, edit: Edit::Release { particles: vec![1, far] } };
    simulation.set_script(vec![nowhere]).unwrap_err();
    let flat = Shape::Ground { height: f64::NAN };
    let flat = Obstacle { shape: flat, margin: 0.0, friction: 0.5, motion: None };
    simulation.set_obstacles(vec![flat]).unwrap_err();
    simulation
        .rebuild(|model, _| {
            model.masses.truncate(3);
            Ok(())
        })
        .unwrap_err();
    simulation.scale_stiffness(3..1_000_000, 2.0).unwrap_err();
    assert_eq!(simulation.snapshot(), before);
}

/// Forces, positions and velocities prepare nothing; stiffness and pins do.
#[test]
fn edits_cost_what_they_touch() {
    assert!(Change::Nothing < Change::Held && Change::Held < Change::Values && Change::Values < Change::Rows);
    let mut simulation = start(Precision::Double);
    let prepared = |simulation: &mut Simulation| simulation.step().unwrap().followed;
    assert_eq!(prepared(&mut simulation), Change::Everything);
    assert_eq!(prepared(&mut simulation), Change::Nothing);
    let (particles, vectors) = (vec![5, 6], vec![DVec3::Y, DVec3::X]);
    for (edit, change) in [
        (Edit::Forces { particles: particles.clone(), forces: vectors.clone() }, Change::Nothing),
        (Edit::Velocities { particles: particles.clone(), velocities: vectors }, Change::Nothing),
        (Edit::Wind(DVec3::X), Change::Nothing),
        (Edit::Stiffness { springs: vec![3], factor: 1.1 }, Change::Values),
        (Edit::Hold { particles: particles.clone(), path: Path::default() }, Change::Held),
        (Edit::Hold { particles: particles.clone(), path: Path::default() }, Change::Nothing),
        (Edit::Release { particles }, Change::Held),
        (Edit::Release { particles: vec![0] }, Change::Rows),
    ] {
        simulation.edit(edit.clone()).unwrap();
        assert_eq!(prepared(&mut simulation), change, "{edit:?}");
    }
}

/// Another model in the place of one that has been stepped, with more particles, fewer, or other springs: the simulation
/// goes on, may be configured, and its snapshot is that of where it is.
#[test]
fn a_replaced_model_leaves_nothing_behind() {
    let mut random = Random(8);
    let mut simulation = start(Precision::Double);
    let keys = vec![(0.0, DVec3::ZERO), (1.0, DVec3::X)];
    take(&mut simulation, 2);
    // Begun at a time that is in the future of most of the states to come.
    simulation.edit(Edit::Hold { particles: vec![3], path: Path { keys } }).unwrap();
    take(&mut simulation, 2);
    for n in 0..24 {
        let side = 5 + random.bits() as usize % 4;
        let model = Grid { columns: side, rows: 7, ..Grid::default() }.build().unwrap();
        let mut state = taut::State::at_rest(&model);
        if n % 3 == 0 {
            (state.time, state.step) = (simulation.state().time, n);
        }
        let time = state.time;
        simulation.edit(Edit::Replace(Box::new((model, state)))).unwrap();
        simulation
            .rebuild(|model, _| {
                let last = model.springs.len() - 1 - n as usize % 5;
                model.springs.swap_remove(last);
                Ok(())
            })
            .unwrap();
        if n % 2 == 0 {
            let settings = random_settings(&mut random, simulation.settings());
            simulation.configure(settings).unwrap();
        }
        simulation.pin(0).unwrap();
        let h = simulation.settings().time_step;
        assert_eq!(simulation.step().unwrap().time, time + h, "round {n}");
        let mut restored = Simulation::restore(&simulation.snapshot()).unwrap().simulation;
        for _ in 0..2 {
            simulation.step().unwrap();
            restored.step().unwrap();
            assert_eq!(simulation.state(), restored.state(), "round {n}");
        }
    }
}

/// A state that comes from elsewhere: of a script that is not set, of a larger model, of another step length.
#[test]
fn a_state_from_elsewhere_is_taken_as_far_as_it_fits() {
    let mut simulation = start(Precision::Double);
    let keys = vec![(0.0, DVec3::ZERO), (1.0, DVec3::X)];
    let hold = Edit::Hold { particles: vec![3, 48], path: Path { keys } };
    let bdf2 = Settings {
        scheme: Scheme::Bdf2,
        ..Settings::without_contact("baraff_witkin".parse().unwrap(), 0.01)
    };
    simulation.configure(bdf2.clone()).unwrap();
    simulation.set_script(vec![taut::Event { time: 0.02, edit: hold.clone() }]).unwrap();
    let below =
        Obstacle { shape: Shape::Ground { height: -0.005 }, margin: 0.0, friction: 0.5, motion: None };
    simulation.set_obstacles(vec![below.clone()]).unwrap();
    take(&mut simulation, 8);
    // Without its script.
    let (model, state) = (simulation.model().clone(), simulation.state().clone());
    let mut other = Simulation::with_state(model.clone(), state.clone(), bdf2.clone()).unwrap();
    other.edit(hold).unwrap();
    take(&mut other, 2);
    Simulation::restore(&other.snapshot()).unwrap();
    // With fewer particles.
    let small = Grid { columns: 3, rows: 3, ..Grid::default() }.build().unwrap();
    let mut fewer = state.clone();
    for list in [&mut fewer.positions, &mut fewer.velocities, &mut fewer.forces] {
        list.truncate(9);
    }
    fewer.filters.truncate(9);
    let mut other = Simulation::with_state(small, fewer, bdf2.clone()).unwrap();
    other.set_obstacles(vec![below]).unwrap();
    take(&mut other, 2);
    // With another step: what was remembered of longer ones is not looked back at.
    let short = Settings { time_step: 0.00125, ..bdf2 };
    let mut forgetful = state.clone();
    forgetful.velocities[20] += DVec3::X * 1e-300;
    let [mut one, mut fresh] =
        [state, forgetful].map(|state| Simulation::with_state(model.clone(), state, short.clone()).unwrap());
    take(&mut one, 1);
    take(&mut fresh, 1);
    assert!(distance(one.positions(), fresh.positions()) < 1e-12);
}

/// Holding and letting go again and again leaves nothing in the script.
#[test]
fn live_edits_do_not_pile_up() {
    let mut simulation = start(Precision::Double);
    for n in 0..50 {
        let path = Path { keys: vec![(0.1, DVec3::Y * 0.01)] };
        simulation.edit(Edit::Hold { particles: vec![5 + n % 7, 30], path }).unwrap();
        simulation.step().unwrap();
        simulation.edit(Edit::Release { particles: vec![5 + n % 7] }).unwrap();
    }
    assert!(simulation.events().len() <= 2, "{}", simulation.events().len());
}
