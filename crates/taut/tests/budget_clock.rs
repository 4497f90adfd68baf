//! Law: a budget is kept by every method as a whole, by a clock that goes on by a second whenever it is read: the hybrid
//! has no second one for Newton. A binary of its own, because a process has one clock.

use std::sync::atomic::{AtomicU32, Ordering};
use taut::shapes::Grid;
use taut::{Ended, Method, Settings, Simulation, Solve, State, Stop};

fn count() -> f64 {
    static READ: AtomicU32 = AtomicU32::new(0);
    f64::from(READ.fetch_add(1, Ordering::Relaxed))
}

#[test]
fn every_method_has_one_clock() {
    assert!(taut::clock::install(count));
    let model = Grid { columns: 21, rows: 21, ..Grid::default() }.build().unwrap();
    let mut state = State::at_rest(&model);
    [0, 20].into_iter().for_each(|i| state.pin(i));
    let step = |state: &State, method: Method| -> (State, Solve) {
        let settings = Settings::without_contact(method, 1.0 / 30.0);
        let mut simulation = Simulation::with_state(model.clone(), state.clone(), settings).unwrap();
        let solve = simulation.step().unwrap().solve;
        (simulation.state().clone(), solve)
    };
    let with = |method: &Method, seconds: f64| {
        let mut method = method.clone();
        *method.stop_mut()? = Stop::budget(seconds);
        method.validate().is_ok().then_some(method)
    };
    // The first step that ends with several of Newton's.
    let (before, free) = (0..30)
        .find_map(|_| {
            let (next, solve) = step(&state, Method::hybrid());
            let before = std::mem::replace(&mut state, next);
            (solve.newton_steps >= 4).then_some((before, solve))
        })
        .expect("a step that the hybrid leaves to Newton");
    // A second is an iteration.
    let first = free.iterations - free.newton_steps;
    let (_, solve) = step(&before, with(&Method::hybrid(), first as f64 + 1.5).unwrap());
    assert_eq!(
        (solve.iterations, solve.newton_steps, solve.ended),
        (first + 2, 2, Ended::Budget),
        "{free:?}"
    );
    let methods = Method::NAMES.into_iter().filter_map(|word| with(&word.parse().unwrap(), 7.5));
    for method in methods {
        let (_, solve) = step(&before, method.clone());
        let name = method.name();
        assert!(solve.iterations == 8 && solve.ended == Ended::Budget, "{name}: {solve:?}");
    }
}
