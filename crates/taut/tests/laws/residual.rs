//! The reported residual is the true one: max ‖∇g_i‖/(m_i ℓ) at the positions handed out, recomputed here from
//! the definition. For every method, with pins that rest and move, free bodies (whose momentum was restored after
//! the solve), forces and ether drag.

use crate::common::Random;
use crate::definition::Step;
use crate::samples::{curtain, net, slacken};
use taut::{DVec3, Damping, Filter, LinearSolver, Method, Model, NewtonSettings, State, Stop};

fn methods() -> Vec<Method> {
    let newton = |solver, n| NewtonSettings { stop: Stop::iterations(n), solver };
    vec![
        Method::LocalGlobal(Stop::iterations(1)),
        Method::LocalGlobal(Stop::iterations(10)),
        Method::LocalGlobal(Stop::tolerance(1e-6)),
        Method::ConjugateGradient(Stop::iterations(10)),
        Method::Lbfgs(Stop::iterations(10)),
        Method::Anderson(Stop::iterations(10)),
        Method::Chebyshev(Stop::iterations(10)),
        Method::Newton(newton(LinearSolver::Cholesky, 1)),
        Method::Newton(newton(LinearSolver::PcgJacobi, 3)),
        Method::newton(),
        Method::Hybrid(newton(LinearSolver::Cholesky, 5)),
        Method::hybrid(),
        Method::SemiImplicit(LinearSolver::Cholesky),
        Method::SemiImplicit(LinearSolver::PcgJacobi),
        Method::SemiImplicit(LinearSolver::PcgConstant),
    ]
}

fn check(name: &str, model: &Model, start: &State, h: f64, ether: f64, frames: usize) {
    for method in methods() {
        let mut state = start.clone();
        let mut integrator = method.integrator(
            Damping { ether, ..Damping::default() },
            Default::default(),
            Default::default(),
        );
        integrator.prepare(model, &state, h).expect("the model is sound");
        for frame in 0..frames {
            for filter in &mut state.filters[1..] {
                if let Filter::Pinned(z) = filter {
                    *z += DVec3::new(0.01, 0.0, 0.005);
                }
            }
            let step = Step::new(model, &state, h, ether);
            let reported = integrator
                .step(model, &mut state, taut::integrator::Contacts::default(), h)
                .expect("a finite step")
                .residual;
            let found = step.residual(model, &state.positions);
            // Two orders of summation may differ by some roundings of the stiffest particle.
            let allowed = 1e-9 * found + 16.0 * step.rounding(model, &state.positions);
            assert!(
                (reported - found).abs() <= allowed,
                "{name}, {method:?}, frame {frame}: reported {reported:e}, found {found:e}"
            );
        }
    }
}

#[test]
fn of_a_pinned_curtain() {
    let (model, state) = curtain(9);
    check("curtain", &model, &state, 1.0 / 60.0, 1.0, 8);
}

#[test]
fn of_nets_free_and_held() {
    let mut random = Random(31);
    for case in 0..6 {
        let (mut model, mut state) = net(&mut random, 30, [0.6, 1.1], case % 2 == 0);
        slacken(&mut model);
        if case % 2 == 0 {
            state.pin(5);
        }
        state.forces.iter_mut().for_each(|f| *f = random.vector(0.1));
        check("net", &model, &state, 1.0 / 60.0, 0.9, 5);
    }
}

/// Two bodies, one pinned and one free: only the free one's momentum is restored.
#[test]
fn of_several_bodies() {
    let mut random = Random(32);
    let (mut model, _) = net(&mut random, 20, [0.6, 1.1], false);
    let (other, _) = net(&mut random, 15, [0.6, 1.1], false);
    model.append(&other);
    let mut state = State::at_rest(&model);
    state.velocities.iter_mut().for_each(|v| *v = random.vector(1.0));
    state.pin(3);
    check("two bodies", &model, &state, 1.0 / 60.0, 1.0, 5);
}
