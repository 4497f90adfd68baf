//! The hybrid switches by itself: easy steps stay with local/global, hard ones go on to Newton, and Newton, started
//! nearer, needs fewer steps than alone.

use crate::common::distance;
use crate::samples::{answer, curtain, exact_frames, integrator};
use taut::{Ended, LinearSolver, Method, NewtonSettings, Stop};

const H: f64 = 1.0 / 30.0;

fn hybrid(tolerance: f64) -> Method {
    Method::Hybrid(NewtonSettings { stop: Stop::tolerance(tolerance), solver: LinearSolver::Cholesky })
}

/// Springs without rest length are linear: one iteration is exact, and Newton has nothing to do.
#[test]
fn linear_springs_need_no_newton() {
    let (mut model, state) = curtain(11);
    model.springs.iter_mut().for_each(|s| s.rest_length = 0.0);
    let (_, solve) = answer(&hybrid(1e-11), &model, &state, H);
    assert_eq!((solve.newton_steps, solve.ended), (0, Ended::Tolerance), "{solve:?}");
    assert!(solve.iterations <= 2, "{solve:?}");
}

/// At a short step M dominates M + h²L, and local/global gains digits quickly.
#[test]
fn short_steps_need_no_newton() {
    let (model, state) = curtain(11);
    let h = 1e-3;
    let mut hybrid = integrator(&hybrid(1e-10), &model, &state, h);
    let mut state = state;
    for _ in 0..20 {
        let solve =
            hybrid.step(&model, &mut state, taut::integrator::Contacts::default(), h).expect("a finite step");
        assert_eq!((solve.newton_steps, solve.ended), (0, Ended::Tolerance), "{solve:?}");
    }
}

#[test]
fn the_curtain_goes_on_to_newton_and_needs_less_of_it() {
    let (model, state) = curtain(21);
    let mut state = exact_frames(&model, &state, H, 5);
    let (mut alone, mut mixed, mut iterations) = (0, 0, 0);
    for frame in 0..10 {
        let (exact, newton) = answer(&Method::newton(), &model, &state, H);
        let (x, both) = answer(&Method::hybrid(), &model, &state, H);
        assert!(both.newton_steps > 0 && both.iterations > both.newton_steps, "{both:?}");
        assert_eq!(newton.iterations, newton.newton_steps);
        println!(
            "frame {frame}: newton {} steps ({} indefinite); hybrid {} local/global + {} ({} indefinite); {:.1e} m apart",
            newton.newton_steps,
            newton.indefinite,
            both.iterations - both.newton_steps,
            both.newton_steps,
            both.indefinite,
            distance(&exact, &x)
        );
        alone += newton.newton_steps;
        mixed += both.newton_steps;
        iterations += both.iterations - both.newton_steps;
        state = exact_frames(&model, &state, H, 1);
    }
    println!("newton {alone} steps, hybrid {mixed} after {iterations} local/global iterations");
    assert!(mixed < alone, "{mixed} steps after local/global, {alone} without");
}
