//! Everything at once: whole lists of positions, velocities, forces, stiffnesses and pins, all or nothing, each prepared for
//! as little as it needs; and threads of one's own.

use crate::common::{Random, take};
use taut::{
    Change, DVec3, Edit, Method, Settings, Simulation, Spring, Stop, Threads, Way, measure, shapes::Grid,
};

fn start(side: usize) -> Simulation {
    let model = Grid { columns: side, rows: side, ..Grid::default() }.build().unwrap();
    let settings = Settings::without_contact(Method::LocalGlobal(Stop::iterations(3)), 1.0 / 60.0);
    let mut simulation = Simulation::new(model, settings).unwrap();
    simulation.pin(0).unwrap();
    take(&mut simulation, 2);
    simulation
}

#[test]
fn whole_lists_cost_what_they_change() {
    let mut simulation = start(9);
    let mut random = Random(5);
    let m = simulation.model().particles();
    let mut vectors = |size: f64| (0..m).map(|_| random.vector(size)).collect::<Vec<_>>();
    let positions: Vec<DVec3> =
        simulation.positions().iter().zip(vectors(0.01)).map(|(a, b)| *a + b).collect();
    let (velocities, forces) = (vectors(0.1), vectors(0.01));
    simulation.set_positions(&positions).unwrap();
    simulation.set_velocities(&velocities).unwrap();
    simulation.set_forces(&forces).unwrap();
    let state = simulation.state();
    assert_eq!((&state.positions, &state.velocities, &state.forces), (&positions, &velocities, &forces));
    assert_eq!(simulation.step().unwrap().followed, Change::Nothing, "none of these is in the matrix");

    let stiffness: Vec<f64> = simulation.model().springs.iter().map(|s| 1.5 * s.stiffness).collect();
    simulation.set_stiffness(&stiffness).unwrap();
    assert!(simulation.model().springs.iter().map(|s| s.stiffness).eq(stiffness));
    let report = simulation.step().unwrap();
    assert_eq!((report.followed, report.way), (Change::Values, Way::KeptOrder));

    simulation.pin_all(&[4, 5, 80]).unwrap();
    let held = simulation.positions()[80];
    assert_eq!(simulation.step().unwrap().way, Way::Held);
    assert_eq!(simulation.positions()[80], held);
}

/// The same as one by one.
#[test]
fn many_are_as_one_by_one() {
    let (mut one, mut all) = (start(9), start(9));
    let forces: Vec<DVec3> = (0..81).map(|i| DVec3::new(0.0, 0.0, f64::from(i) * 1e-4)).collect();
    (0..81).for_each(|i| one.set_force(i, forces[i]).unwrap());
    all.set_forces(&forces).unwrap();
    [3, 7, 70].iter().for_each(|&i| one.pin(i).unwrap());
    all.pin_all(&[3, 7, 70]).unwrap();
    one.scale_stiffness(0..40, 2.0).unwrap();
    let factor = |i: usize| if i < 40 { 2.0 } else { 1.0 };
    let stiffness = all.model().springs.iter().enumerate().map(|(i, s)| factor(i) * s.stiffness);
    all.set_stiffness(&stiffness.collect::<Vec<_>>()).unwrap();
    take(&mut one, 3);
    take(&mut all, 3);
    assert_eq!(one.state(), all.state());
}

#[test]
fn all_or_nothing() {
    let mut simulation = start(5);
    let (m, springs) = (25, simulation.model().springs.len());
    let mut odd = vec![DVec3::ONE; m];
    odd[m - 1].y = f64::NAN;
    let before = simulation.snapshot();
    let mut soft = vec![100.0; springs];
    soft[springs - 1] = -1.0;
    let refusals = [
        (simulation.set_positions(&odd), "positions of particle 24"),
        (simulation.set_positions(&odd[..7]), "positions = 7"),
        (simulation.set_velocities(&odd), "velocities of particle 24"),
        (simulation.set_forces(&odd), "forces of particle 24"),
        (simulation.set_stiffness(&soft), "stiffness of spring"),
        (simulation.set_stiffness(&soft[1..]), "one is needed for each"),
        (simulation.pin_all(&[1, 2, 25]), "particle 25"),
        (simulation.edit(Edit::Stiffnesses { springs: vec![1, 1], stiffness: vec![1.0; 2] }), "named twice"),
        (simulation.edit(Edit::Stiffnesses { springs: vec![springs], stiffness: vec![1.0] }), "only"),
    ];
    for (result, words) in refusals {
        let message = result.unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(simulation.snapshot(), before);
}

/// A spring that buckles has the forces of one that was made so; from nothing it does not come back.
#[test]
fn stiffness_of_springs_that_buckle() {
    let strip = Spring::bend(0, 1, 0.1, 1e-4, 20.0);
    let (twice, made) = (strip.with_stiffness(40.0), Spring::bend(0, 1, 0.1, 2e-4, 40.0));
    for length in [0.02, 0.06, 0.0999, 0.11] {
        let (a, b) = (twice.tension(length).0, made.tension(length).0);
        assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} {b}");
    }
    assert_eq!(Spring::new(0, 1, 0.1, 0.0).with_stiffness(3.0), Spring::new(0, 1, 0.1, 3.0));
    let mut model = Grid { columns: 3, rows: 3, ..Grid::default() }.build().unwrap();
    model.springs[0] = strip;
    let settings = Settings::without_contact("adaptive_imex".parse().unwrap(), 0.01);
    let mut simulation = Simulation::new(model, settings).unwrap();
    let set = |simulation: &mut Simulation, k: f64| {
        simulation.edit(Edit::Stiffnesses { springs: vec![0], stiffness: vec![k] })
    };
    set(&mut simulation, 0.0).unwrap();
    let message = set(&mut simulation, 10.0).unwrap_err().to_string();
    assert!(message.contains("stiffness of spring 0 = 10"), "{message}");
}

/// On the calling thread, on threads of its own, on threads shared with a clone: the same bits.
#[test]
fn threads_are_a_matter_of_time_only() {
    let run = |threads: Threads| {
        let mut simulation = start(110);
        simulation.use_threads(threads);
        take(&mut simulation, 2);
        measure::hash(simulation.state())
    };
    let own = Threads::own(2).unwrap();
    let hash = run(Threads::alone());
    assert_eq!([run(own.clone()), run(own.clone()), run(Threads::shared())], [hash; 3]);
    assert_eq!([own.count(), Threads::alone().count(), Threads::own(1).unwrap().count()], [2, 1, 1]);
    assert_eq!(own.run(rayon::current_num_threads), 2);
    for count in [0, Threads::MOST + 1] {
        let message = Threads::own(count).unwrap_err().to_string();
        assert!(message.contains(&format!("threads = {count}: must be between")), "{message}");
    }
}
