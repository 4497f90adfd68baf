//! Any number of threads, one hash: work may be shared out, but every sum is taken in a fixed order.

use crate::samples::accelerated;
use taut::{
    Air, DVec3, Damping, Explicit, LinearSolver, Method, NewtonSettings, Order, Settings, Simulation, Stop,
    StrainLimit, measure, shapes::Grid,
};

/// Enough springs (59,078) for passes over them to be shared out; the threshold is 50,000.
const SIDE: usize = 110;

/// The hash after each of a few steps, as seen by a pool of so many threads.
fn hashes(threads: usize, method: &Method, steps: usize) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        assert_eq!(rayon::current_num_threads(), threads);
        own_hashes(method, steps)
    })
}

/// The same on whatever pool this thread finds.
fn own_hashes(method: &Method, steps: usize) -> Vec<u64> {
    let h = if matches!(method, Method::Explicit(_)) { 1e-4 } else { 1.0 / 30.0 };
    let mut model = Grid { columns: SIDE, rows: SIDE, ..Grid::default() }.build().unwrap();
    assert!(model.springs.len() > 50_000);
    model.air = Air { wind: DVec3::new(1.0, 0.0, 2.0), density: 1.2, ..Air::default() };
    let damping = Damping { ether: 0.99, rigid: 0.01, drag: 0.2, material: 0.001 };
    let limit = StrainLimit { stretch: 1e-4, order: Order::Coloured, passes: 2, ..StrainLimit::default() };
    let settings = Settings {
        damping,
        conserve: 0.5,
        limit: Some(limit),
        ..Settings::without_contact(method.clone(), h)
    };
    let mut simulation = Simulation::new(model, settings).unwrap();
    simulation.pin(0).unwrap();
    simulation.pin(SIDE - 1).unwrap();
    let mut step = || {
        simulation.step().unwrap();
        measure::hash(simulation.state())
    };
    (0..steps).map(|_| step()).collect()
}

fn one_hash(method: Method, steps: usize) {
    // Other code than that of a pool of one, which goes through every fork.
    let serial = taut::serially(|| own_hashes(&method, steps));
    assert!(serial.windows(2).all(|w| w[0] != w[1]), "it moves");
    for threads in [1, 2, 3, 8] {
        assert_eq!(hashes(threads, &method, steps), serial, "{threads} threads, {method:?}");
    }
}

#[test]
fn local_global() {
    one_hash(Method::LocalGlobal(Stop::iterations(5)), 3);
}

/// A thread that belongs to no pool hands its steps over to the one of all.
#[test]
fn from_outside() {
    let method = Method::default();
    assert_eq!(own_hashes(&method, 2), hashes(1, &method, 2));
}

#[test]
fn accelerations() {
    for method in accelerated(Stop::iterations(8)) {
        one_hash(method, 1);
    }
}

/// Coloured passes are shared out, and so are the forces of an explicit step.
#[test]
fn position_based_and_explicit() {
    one_hash(Method::Pbd(Stop::iterations(3)), 3);
    one_hash(Method::Xpbd(Stop::iterations(3)), 3);
    Explicit::NAMES.iter().for_each(|&(_, order)| one_hash(Method::Explicit(order), 3));
}

/// Two Newton steps reach every kind of pass; more would only repeat them.
#[test]
fn newton_and_hybrid() {
    let stop = Stop::iterations(2);
    one_hash(Method::Newton(NewtonSettings { stop, solver: LinearSolver::PcgConstant }), 1);
    one_hash(Method::Hybrid(NewtonSettings { stop, solver: LinearSolver::PcgJacobi }), 1);
}

/// Three steps: a sheet that starts flat and at rest has no spring forces whose order could matter before the third.
#[test]
fn direct_solves() {
    one_hash(Method::SemiImplicit(LinearSolver::Cholesky), 3);
}
