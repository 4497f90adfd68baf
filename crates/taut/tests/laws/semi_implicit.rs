//! The semi-implicit method is one full Newton step from q_n, whatever the Hessian: `x = q_n − ∇²g(q_n)⁻¹ ∇g(q_n)`,
//! computed here densely by Gaussian elimination. And the experiment of [Liu13]: it meets indefinite matrices.

use crate::common::{Random, distance};
use crate::definition::{Step, flat, is_definite, solve};
use crate::samples::{answer, curtain, integrator, net, slacken};
use taut::{DVec3, Error, Filter, LinearSolver, Method, Model, Settings, Simulation, State};

fn dense_step(model: &Model, state: &State, h: f64) -> (Vec<DVec3>, bool) {
    let step = Step::new(model, state, h, 1.0);
    let mut x = state.positions.clone();
    for (x, filter) in x.iter_mut().zip(&state.filters) {
        if let Filter::Pinned(z) = filter {
            *x = *z;
        }
    }
    let hessian = step.hessian(model, &x);
    let d = solve(&hessian, &flat(&step.gradient(model, &x)));
    step.free.iter().zip(d.chunks(3)).for_each(|(&i, d)| x[i] -= DVec3::new(d[0], d[1], d[2]));
    (x, is_definite(&hessian))
}

#[test]
fn it_is_the_first_newton_step() {
    let mut random = Random(51);
    let mut indefinite = 0;
    for case in 0..100 {
        // From taut to crushed; pins rest, or move in the step.
        let ratio = [0.5, 0.7 + f64::from(case) / 70.0];
        let (mut model, mut state) = net(&mut random, 12, ratio, case % 2 == 0);
        if case % 4 == 3 {
            slacken(&mut model);
        }
        if case % 8 == 0 {
            state.filters[5] = Filter::Pinned(state.positions[5] + random.vector(0.01));
        }
        let (expected, definite) = dense_step(&model, &state, 1.0 / 30.0);
        let (x, solve) = answer(&Method::SemiImplicit(LinearSolver::Cholesky), &model, &state, 1.0 / 30.0);
        let size = distance(&expected, &state.positions).max(model.mean_rest_length());
        let apart = distance(&x, &expected) / size;
        assert!(apart < 1e-9, "case {case}, definite {definite}: {apart:e}");
        assert_eq!((solve.iterations, solve.newton_steps), (1, 1));
        assert_eq!(solve.indefinite, usize::from(!definite), "case {case}");
        indefinite += solve.indefinite;
        if definite {
            for solver in [LinearSolver::PcgJacobi, LinearSolver::PcgConstant] {
                let (x, solve) = answer(&Method::SemiImplicit(solver), &model, &state, 1.0 / 30.0);
                assert!(distance(&x, &expected) < 1e-4 * size, "case {case}, {solver:?}");
                assert!(solve.linear_iterations > 0 && solve.indefinite == 0);
            }
        }
    }
    assert!((20..80).contains(&indefinite), "{indefinite} indefinite cases");
}

/// Conjugate gradients that meet an indefinite matrix must not hand out the last frame's step.
#[test]
fn nothing_is_left_over_from_the_step_before() {
    let mut random = Random(52);
    for case in 0..40 {
        let (model, first) = net(&mut random, 12, [0.5, 0.9], true);
        let mut second = first.clone();
        second.positions.iter_mut().for_each(|p| *p *= 0.3);
        second.filters[0] = Filter::Pinned(second.positions[0]);
        for solver in [LinearSolver::Cholesky, LinearSolver::PcgJacobi, LinearSolver::PcgConstant] {
            let method = Method::SemiImplicit(solver);
            let (fresh, _) = answer(&method, &model, &second, 1.0 / 30.0);
            let mut used = integrator(&method, &model, &first, 1.0 / 30.0);
            used.step(&model, &mut first.clone(), taut::integrator::Contacts::default(), 1.0 / 30.0)
                .expect("a finite step");
            let mut state = second.clone();
            let solve = used
                .step(&model, &mut state, taut::integrator::Contacts::default(), 1.0 / 30.0)
                .expect("a finite step");
            assert_eq!(fresh, state.positions, "case {case}, {solver:?}, {solve:?}");
        }
    }
}

/// [Liu13] §5 on the 21 × 21 Curtain: at h = 1/30 the unfiltered Hessian turns indefinite, and the count says so;
/// soon after the cloth is thrown apart, and the error says that.
#[test]
fn the_experiment_meets_indefinite_hessians() {
    let mut met = Vec::new();
    for steps_per_second in [30, 60, 120] {
        let h = 1.0 / f64::from(steps_per_second);
        let (model, state) = curtain(21);
        let method = Method::SemiImplicit(LinearSolver::Cholesky);
        let mut simulation =
            Simulation::with_state(model, state, Settings::without_contact(method, h)).unwrap();
        let (mut indefinite, mut fastest, mut steps) = (0, 0.0f64, 0);
        for _ in 0..2 * steps_per_second {
            let solve = match simulation.step() {
                Ok(report) => report.solve,
                // Thrown apart, and it says so.
                Err(Error::Diverged { .. }) => break,
                Err(other) => panic!("{other}"),
            };
            steps += 1;
            indefinite += solve.indefinite;
            fastest = simulation.state().velocities.iter().map(|v| v.length()).fold(fastest, f64::max);
        }
        println!(
            "h = 1/{steps_per_second}: {indefinite} of {steps} steps indefinite, fastest {fastest:.2e} m/s"
        );
        met.push((indefinite, steps < 2 * steps_per_second));
    }
    assert!(met[0].0 > 0, "{met:?}");
    assert_eq!([met[0].1, met[1].1, met[2].1], [true, false, false], "it works at 1/60 and 1/120");
}
