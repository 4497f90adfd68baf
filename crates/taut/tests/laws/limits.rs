//! Limits are limits: no method iterates longer than it was allowed to, and what has blown up is not called a result.

use crate::common::take;
use crate::samples::{answer, curtain, exact_frames};
use taut::{Ended, Error, Method, Settings, Simulation, Stop};

const H: f64 = 1.0 / 30.0;

/// Every method that iterates, with what ends it.
fn iterating(stop: Stop) -> Vec<Method> {
    let with = |word: &&str| {
        let mut method: Method = word.parse().unwrap();
        *method.stop_mut()? = stop;
        method.validate().is_ok().then_some(method)
    };
    Method::NAMES.iter().filter_map(with).collect()
}

#[test]
fn no_method_exceeds_its_iterations() {
    let (model, state) = curtain(21);
    let state = exact_frames(&model, &state, H, 5);
    // The hybrid is stopped in its first part, and after one of the Newton steps that follow.
    let (_, hybrid) = answer(&Method::hybrid(), &model, &state, H);
    assert!(hybrid.newton_steps > 1, "{hybrid:?}");
    let first = hybrid.iterations - hybrid.newton_steps;
    for iterations in [1, 7, first + 1] {
        for method in iterating(Stop::iterations(iterations)) {
            let (_, solve) = answer(&method, &model, &state, H);
            assert!(solve.iterations <= iterations, "{}: {solve:?} for {iterations}", method.name());
            let early = matches!(solve.ended, Ended::Rounding | Ended::Stalled);
            assert!(early || solve.ended == Ended::Iterations, "{}: {solve:?}", method.name());
            if matches!(method, Method::Hybrid(_)) {
                assert_eq!(solve.newton_steps, usize::from(iterations > first), "{solve:?}");
            }
        }
    }
}

/// A time that has passed when it begins allows one iteration. The hybrid gets no second clock for Newton.
#[test]
fn no_method_exceeds_its_budget() {
    let (model, state) = curtain(11);
    for method in iterating(Stop::budget(1e-12)) {
        let (_, solve) = answer(&method, &model, &state, H);
        assert_eq!((solve.iterations, solve.ended), (1, Ended::Budget), "{}", method.name());
    }
}

/// At a step of 100 s a few Gauss–Seidel iterations leave springs thousands of times too long.
#[test]
fn position_based_dynamics_reports_divergence() {
    let (model, state) = curtain(21);
    for word in ["pbd", "xpbd"] {
        let run = |h| {
            let settings = Settings::new(word.parse().unwrap(), h);
            Simulation::with_state(model.clone(), state.clone(), settings).unwrap()
        };
        take(&mut run(H), 30);
        let mut long = run(100.0);
        let end = (0..30).find_map(|_| long.step().err());
        assert!(matches!(end, Some(Error::Diverged { .. })), "{word}: {end:?}");
    }
}
