//! Limits are limits: no method iterates longer than it was allowed to, and what has blown up is not called a result.

use crate::common::take;
use crate::friction::every_way;
use crate::samples::{answer, curtain, exact_frames};
use taut::{Ended, Error, Method, Settings, Simulation, Spring, Stop};

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

/// A tolerance ends a step as soon as the residual is below it, not later; what cannot get there says so.
#[test]
fn a_tolerance_ends_every_method_that_can_reach_it() {
    let (model, state) = curtain(11);
    for method in iterating(Stop::tolerance(1e-2)) {
        let (_, solve) = answer(&method, &model, &state, H);
        // Position-based dynamics without compliance has another answer in mind.
        let reached = !matches!(method, Method::Pbd(_));
        let ended = if reached { Ended::Tolerance } else { Ended::Stalled };
        assert_eq!(solve.ended, ended, "{}: {solve:?}", method.name());
        assert_eq!(solve.residual <= 1e-2, reached, "{}: {solve:?}", method.name());
        let mut earlier = method.clone();
        *earlier.stop_mut().unwrap() = Stop::iterations(solve.iterations.max(2) - 1);
        if reached && solve.iterations > 1 && !matches!(method, Method::Newton(_) | Method::Hybrid(_)) {
            let (_, before) = answer(&earlier, &model, &state, H);
            assert!(before.residual > 1e-2, "{}: {before:?} would have been enough", method.name());
        }
    }
}

/// Whatever the step, no spring of a state that a method returns is a hundred times too long (of its own length or the mean):
/// it stays whole, or says that it has diverged. Some of each are among these.
#[test]
fn no_method_returns_what_has_blown_up() {
    let (model, state) = curtain(7);
    let mean = model.springs.iter().map(|s| s.rest_length).sum::<f64>() / model.springs.len() as f64;
    for settings in every_way(1.0) {
        let name = format!("{} {}", settings.method.name(), settings.scheme.name());
        let ends = [0.001, 1.0 / 30.0, 0.3, 30.0].map(|time_step| {
            let settings = Settings { time_step, ..settings.clone() };
            let mut simulation = Simulation::with_state(model.clone(), state.clone(), settings).unwrap();
            (0..60).find_map(|n| {
                let before = simulation.state().clone();
                let end = simulation.step().err();
                let x = simulation.positions();
                let ratio = |s: &Spring| x[s.ab().0].distance(x[s.ab().1]) / s.rest_length.max(mean);
                let longest = model.springs.iter().map(ratio).fold(0.0, f64::max);
                assert!(longest <= 100.0, "{name}, {time_step} s, step {n}: {longest} times as long");
                assert!(end.is_none() || *simulation.state() == before, "{name}: half a step was left");
                end
            })
        });
        println!(
            "{name}: {}",
            ends.each_ref().map(|end| if end.is_some() { "lost" } else { "whole" }).join(" ")
        );
        assert!(ends[0].is_none(), "{name}: {ends:?}");
        let told = |end: &Option<Error>| matches!(end, None | Some(Error::Diverged { .. }));
        assert!(ends.iter().all(told), "{name}: {ends:?}");
    }
}

/// At a step of 100 s a few Gauss–Seidel iterations leave springs thousands of times too long.
#[test]
fn position_based_dynamics_reports_divergence() {
    let (model, state) = curtain(21);
    for word in ["pbd", "xpbd"] {
        let run = |h| {
            let settings = Settings::without_contact(word.parse().unwrap(), h);
            Simulation::with_state(model.clone(), state.clone(), settings).unwrap()
        };
        take(&mut run(H), 30);
        let mut long = run(100.0);
        let end = (0..30).find_map(|_| long.step().err());
        assert!(matches!(end, Some(Error::Diverged { .. })), "{word}: {end:?}");
    }
}
