//! Far from the origin everything falls as it does there, as far as positions are resolved; `check` says when not.

use crate::common::take;
use taut::doctor::{Severity, examine};
use taut::shapes::Grid;
use taut::{DVec3, Method, Settings, Simulation, State, Stop};

/// Mean displacement of a cloth, held at two corners, that begins at `offset` \[m\].
fn fall(word: &str, offset: DVec3) -> DVec3 {
    // Without drag forward Euler is for soft springs only.
    let k = if word == "forward_euler" { 10.0 } else { 1e4 };
    let grid = Grid { columns: 21, rows: 21, stretch: k, shear: k, bend: k, ..Grid::default() };
    let mut model = grid.build().unwrap();
    model.rest.iter_mut().for_each(|x| *x += offset);
    let mut state = State::at_rest(&model);
    [0, 20].into_iter().for_each(|i| state.pin(i));
    let mut method: Method = word.parse().unwrap();
    // A hundred iterations magnify what the single precision of the factor leaves.
    method.stop_mut().into_iter().filter(|s| s.accuracy > 0.0).for_each(|s| *s = Stop::iterations(10));
    // What takes springs explicitly needs short steps.
    let explicit = matches!(method, Method::Explicit(_) | Method::StaticImex(_));
    let (h, steps) = if explicit { (1e-4, 1000) } else { (0.02, 5) };
    let settings = Settings::without_contact(method, h);
    let mut simulation = Simulation::with_state(model.clone(), state, settings).unwrap();
    take(&mut simulation, steps);
    let moved = simulation.positions().iter().zip(&model.rest).map(|(x, r)| *x - *r);
    moved.sum::<DVec3>() / model.particles() as f64
}

#[test]
fn what_falls_here_falls_there() {
    for word in Method::NAMES {
        let here = fall(word, DVec3::ZERO);
        assert!(here.y < -0.02, "{word}: {here}");
        for far in [1e3, 1e5, 1e7, 1e9] {
            let there = fall(word, far * DVec3::new(0.11, 0.0, 1.0));
            let off = (there - here).length() / here.length();
            println!("{word} {far:e}: {off:e}");
            // From 1e-8, the accuracy of inner solves, to a hundredth where a spring is 2e5 roundings long.
            assert!(off <= 1e-8 + 1e-11 * far, "{word} at {far:e} m: {off:e}");
        }
    }
}

#[test]
fn what_is_not_resolved_is_said() {
    let mut model = Grid { columns: 41, rows: 41, ..Grid::default() }.build().unwrap();
    model.rest.iter_mut().for_each(|x| *x += DVec3::new(5e5, 1.0, 4.5e6));
    assert_eq!(examine(&model, &State::at_rest(&model), 0.01).findings, []);
    model.rest.iter_mut().for_each(|x| x.z += 1e9);
    let findings = examine(&model, &State::at_rest(&model), 0.01).findings;
    let words = ["1.005e9 m from the origin", "2.23e-7 m", "6.309e-6 of an edge"];
    let said =
        |word: &&str| findings.iter().any(|f| f.severity == Severity::Warning && f.what.contains(*word));
    assert!(words.iter().all(said), "{findings:?}");
}
