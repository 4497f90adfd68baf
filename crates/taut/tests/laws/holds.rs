//! Particles that are grabbed while a simulation runs keep their rows: the answer is that of a pin all the same.

use crate::common::{Random, distance, take};
use taut::shapes::Grid;
use taut::{Change, DVec3, Damping, Edit, Method, Precision, Scheme, Settings, Simulation, Stop};

const SIDE: usize = 15;

fn methods() -> [Method; 5] {
    let stop = Stop::iterations(12);
    [
        Method::LocalGlobal(stop),
        Method::ConjugateGradient(stop),
        Method::Lbfgs(stop),
        Method::Anderson(stop),
        Method::Chebyshev(stop),
    ]
}

fn cloth(settings: Settings) -> Simulation {
    let grid = Grid { columns: SIDE, rows: SIDE, stretch: 300.0, shear: 80.0, bend: 3.0, ..Grid::default() };
    let mut simulation = Simulation::new(grid.build().unwrap(), settings).unwrap();
    simulation.pin(0).unwrap();
    take(&mut simulation, 5);
    simulation
}

/// The same, prepared with the grabbed particles pinned: so is whatever is also solved exactly.
fn pinned(held: &Simulation) -> Simulation {
    let (model, state) = (held.model().clone(), held.state().clone());
    let mut pinned = Simulation::with_state(model, state, held.settings().clone()).unwrap();
    pinned.measure_error(true);
    pinned
}

fn settings(method: Method, scheme: Scheme, precision: Precision) -> Settings {
    let damping = Damping { material: 1e-3, drag: 0.2, ..Damping::default() };
    Settings { scheme, precision, damping, ..Settings::without_contact(method, 1.0 / 60.0) }
}

/// Two particles are dragged, one of them let go half-way: in every step held as pinned.
#[test]
fn held_is_as_pinned() {
    for (precision, bound) in [(Precision::Double, 1e-11), (Precision::Single, 2e-6)] {
        for method in methods() {
            for scheme in [Scheme::ImplicitEuler, Scheme::Bdf2, Scheme::Midpoint] {
                let mut held = cloth(settings(method.clone(), scheme, precision));
                let from = [3, SIDE * SIDE - 1].map(|i| (i, held.positions()[i]));
                for step in 0..8 {
                    let lift = DVec3::new(0.004, 0.01, -0.003) * f64::from(step);
                    let mut hand = from.to_vec();
                    hand.truncate(if step < 4 { 2 } else { 1 });
                    hand.iter().for_each(|&(i, from)| held.grab(i, from + lift).unwrap());
                    if step == 4 {
                        held.release(from[1].0).unwrap();
                    }
                    let mut other = pinned(&held);
                    let report = held.step().unwrap();
                    let residual = other.step().unwrap().solve.residual;
                    if precision == Precision::Double {
                        assert!((report.solve.residual - residual).abs() <= 1e-6 * residual);
                    }
                    let expected = if step % 4 == 0 { Change::Held } else { Change::Nothing };
                    assert_eq!(report.followed, expected, "{method}, step {step}");
                    hand.iter().for_each(|&(i, from)| assert_eq!(held.positions()[i], from + lift));
                    let apart = distance(held.positions(), other.positions());
                    assert!(apart <= bound, "{method}, {scheme:?}, {precision:?}, step {step}: {apart:e} m");
                }
            }
        }
    }
}

/// Whoever is held, and in which order they were grabbed, a snapshot goes on with the same bits.
#[test]
fn snapshots_go_on_while_something_is_held() {
    let mut random = Random(11);
    for method in methods() {
        let mut simulation = cloth(settings(method, Scheme::ImplicitEuler, Precision::Single));
        let mut most = 0;
        for _ in 0..25 {
            let particle = 1 + random.bits() as usize % 6;
            match random.bits() % 3 {
                0 => simulation.release(particle).unwrap(),
                _ => {
                    simulation.grab(particle, simulation.positions()[particle] + random.vector(0.01)).unwrap()
                }
            }
            let mut other = Simulation::restore(&simulation.snapshot()).unwrap().simulation;
            for _ in 0..2 {
                most += usize::from(simulation.step().unwrap().followed == Change::Held);
                other.step().unwrap();
                assert!(simulation.state() == other.state());
            }
        }
        assert!(most >= 10, "{most}");
    }
}

/// Beyond a few particles a new factor is cheaper; so it is for methods that have no constant one, and before the first
/// step, when there is nothing to spoil.
#[test]
fn who_is_not_held_is_pinned() {
    let mut simulation = cloth(settings(Method::default(), Scheme::ImplicitEuler, Precision::Single));
    let place = |simulation: &Simulation, particles: std::ops::Range<usize>| Edit::Place {
        places: simulation.positions()[particles.clone()].to_vec(),
        particles: particles.collect(),
    };
    simulation.edit(place(&simulation, 20..52)).unwrap();
    assert_eq!(simulation.step().unwrap().followed, Change::Held);
    simulation.edit(place(&simulation, 52..53)).unwrap();
    assert_eq!(simulation.step().unwrap().followed, Change::Rows);
    simulation.release(30).unwrap();
    assert_eq!(simulation.step().unwrap().followed, Change::Rows);
    for method in [Method::newton(), Method::hybrid(), Method::Xpbd(Stop::iterations(5))] {
        let mut simulation = cloth(settings(method, Scheme::ImplicitEuler, Precision::Single));
        simulation.pin(7).unwrap();
        assert_eq!(simulation.step().unwrap().followed, Change::Rows);
    }
}

/// A step that fails leaves what is held as it was.
#[test]
fn a_failed_step_forgets_nothing() {
    // So long that the force below carries particles to infinity.
    let settings = settings(Method::default(), Scheme::ImplicitEuler, Precision::Double);
    let mut simulation = cloth(Settings { time_step: 0.1, ..settings });
    simulation.pin(100).unwrap();
    simulation.step().unwrap();
    let before = simulation.snapshot();
    (20..60).for_each(|i| simulation.pin(i).unwrap());
    let many = simulation.snapshot();
    let mut other = Simulation::restore(&before).unwrap().simulation;
    for (force, fails) in [(DVec3::MAX, true), (DVec3::ZERO, false)] {
        simulation.edit(Edit::Forces { particles: (190..200).collect(), forces: vec![force; 10] }).unwrap();
        assert!(!fails || simulation.step().is_err());
    }
    assert!(simulation.snapshot() == many);
    (20..60).for_each(|i| other.pin(i).unwrap());
    for simulation in [&mut simulation, &mut other] {
        (20..60).for_each(|i| simulation.release(i).unwrap());
        simulation.step().unwrap();
    }
    assert!(simulation.state() == other.state());
}
