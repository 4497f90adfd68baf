//! However the minimum is sought, it is the same: Newton with each linear solver, the hybrid and converged
//! local/global agree to 1e-10 of the mean rest length on 100 random states with positive definite Hessian.
//! Where compressed springs leave several minima each answer must at least be stationary to rounding level.

use crate::common::{Random, distance};
use crate::definition::{Step, is_definite};
use crate::samples::{answer, curtain, exact_frames, net, slacken};
use taut::{DVec3, Ended, LinearSolver, Method, Model, NewtonSettings, State, Stop};

fn newton(solver: LinearSolver) -> Method {
    Method::Newton(NewtonSettings { solver, ..NewtonSettings::default() })
}

/// Scaled residual at which local/global counts as converged.
const CONVERGED: f64 = 1e-13;

fn methods() -> Vec<(&'static str, Method)> {
    vec![
        ("newton, Cholesky", newton(LinearSolver::Cholesky)),
        ("newton, PCG Jacobi", newton(LinearSolver::PcgJacobi)),
        ("newton, PCG constant", newton(LinearSolver::PcgConstant)),
        ("hybrid", Method::hybrid()),
        ("local/global", Method::LocalGlobal(Stop::tolerance(CONVERGED))),
        ("conjugate gradients", Method::ConjugateGradient(Stop::tolerance(CONVERGED))),
        ("L-BFGS", Method::Lbfgs(Stop::tolerance(CONVERGED))),
        ("Anderson", Method::Anderson(Stop::tolerance(CONVERGED))),
        ("Chebyshev", Method::Chebyshev(Stop::tolerance(CONVERGED))),
    ]
}

/// Residuals at the end, in roundings of the stiffest particle (see `Step::rounding`): 0.2 on the Curtain, up to 2.2
/// on nets.
const ROUNDINGS: f64 = 4.0;

/// Whether ∇²g is positive definite between two points, sampled: then g has at most one minimum on the way.
fn convex(step: &Step, model: &Model, from: &[DVec3], to: &[DVec3]) -> bool {
    (0..=8).all(|t| {
        let part = |(&a, &b): (&DVec3, &DVec3)| a + f64::from(t) / 8.0 * (b - a);
        is_definite(&step.hessian(model, &from.iter().zip(to).map(part).collect::<Vec<_>>()))
    })
}

/// Whether g was convex between the answers; panics where methods disagree although it was, or where one has
/// not converged.
fn agree(model: &Model, state: &State, h: f64) -> bool {
    let step = Step::new(model, state, h, 1.0);
    let (exact, _) = answer(&Method::newton(), model, state, h);
    let mut all_convex = true;
    for (name, method) in methods() {
        let (x, solve) = answer(&method, model, state, h);
        let rounding = step.rounding(model, &x);
        let allowed = ROUNDINGS * rounding + if solve.newton_steps == 0 { CONVERGED } else { 0.0 };
        let residual = step.residual(model, &x);
        assert!(residual <= allowed, "{name}: residual {} roundings, {solve:?}", residual / rounding);
        let convex = convex(&step, model, &exact, &x);
        let apart = distance(&exact, &x) / model.mean_rest_length();
        assert!(!convex || apart <= 1e-10, "{name}: {apart:e} mean rest lengths away");
        all_convex &= convex;
    }
    all_convex
}

#[test]
fn every_method_finds_the_minimum() {
    let mut random = Random(21);
    let (mut tried, mut convex) = (0, 0);
    while convex < 100 {
        let (mut model, state) = net(&mut random, 24, [0.3, 0.9], tried % 2 == 0);
        if tried % 4 == 3 {
            slacken(&mut model);
        }
        tried += 1;
        convex += usize::from(agree(&model, &state, 1.0 / 60.0));
    }
    println!("{tried} states, {convex} of them convex");
    assert!(tried < 110, "{tried} states for 100 convex ones");
}

#[test]
fn compressed_nets_end_at_stationary_points() {
    let mut random = Random(22);
    for _ in 0..20 {
        let (model, state) = net(&mut random, 24, [1.0, 3.0], false);
        let step = Step::new(&model, &state, 0.1, 1.0);
        for (name, method) in &methods()[..4] {
            let (x, solve) = answer(method, &model, &state, 0.1);
            let residual = step.residual(&model, &x) / step.rounding(&model, &x);
            assert!(residual <= ROUNDINGS, "{name}: residual {residual} roundings, {solve:?}");
        }
    }
}

/// Newton alone ends where doubles end, on the Curtain in flight too, and says so.
#[test]
fn newton_ends_at_rounding_level() {
    let h = 1.0 / 30.0;
    let (model, state) = curtain(21);
    let mut state = exact_frames(&model, &state, h, 5);
    for frame in 0..10 {
        let step = Step::new(&model, &state, h, 1.0);
        for (name, method) in &methods()[..4] {
            let (x, solve) = answer(method, &model, &state, h);
            let residual = step.residual(&model, &x) / step.rounding(&model, &x);
            println!(
                "frame {frame}, {name}: {residual} roundings, {} steps, {:?}",
                solve.newton_steps, solve.ended
            );
            assert!(residual <= ROUNDINGS, "frame {frame}, {name}: {residual} roundings");
            assert_eq!(solve.ended, Ended::Rounding);
        }
        state = exact_frames(&model, &state, h, 1);
    }
}

/// The residual of each iterate is a multiple of the square of the one before, near the end.
#[test]
fn newton_converges_quadratically() {
    let h = 1.0 / 30.0;
    let (model, state) = curtain(21);
    let mut state = exact_frames(&model, &state, h, 10);
    let mut squares = 0;
    for _ in 0..5 {
        let residual = |n| {
            let stop = Stop::iterations(n);
            let method = Method::Newton(NewtonSettings { stop, solver: LinearSolver::Cholesky });
            answer(&method, &model, &state, h).1
        };
        let all = answer(&Method::newton(), &model, &state, h).1;
        let residuals: Vec<f64> = (1..=all.newton_steps).map(|n| residual(n).residual).collect();
        println!("{residuals:?}");
        for pair in residuals.windows(2).filter(|r| r[0] < 1e-3 && r[0] > 1e-7) {
            squares += 1;
            assert!(pair[1] <= 1000.0 * pair[0] * pair[0], "{pair:?}");
        }
        state = exact_frames(&model, &state, h, 1);
    }
    assert!(squares >= 5, "only {squares} pairs of iterates to judge by");
}
