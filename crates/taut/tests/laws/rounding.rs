//! Newton and hybrid go to rounding level from anywhere: large steps, stiff springs, crumpled starts. And where they
//! could not, they would say so.

use crate::common::Random;
use taut::{DVec3, Damping, Ended, Method, Model, Settings, Simulation, State, integrator, shapes};

fn curtain(side: usize, stiffness: f64) -> (Model, State) {
    let mut model = shapes::published::curtain(side).unwrap();
    model.springs.iter_mut().for_each(|s| s.stiffness = stiffness);
    let mut state = State::at_rest(&model);
    let mut random = Random(7);
    state.positions.iter_mut().for_each(|p| *p += random.vector(1e-4));
    state.pin(0);
    state.pin(side - 1);
    (model, state)
}

/// One ε of the largest coordinate through the stiffest particle, computed here from its definition.
fn rounding(model: &Model, x: &[DVec3], h: f64) -> f64 {
    let mut stiffness = vec![0.0; model.particles()];
    model.springs.iter().for_each(|s| s.ends.iter().for_each(|&e| stiffness[e as usize] += s.stiffness));
    let ratios = stiffness.iter().zip(&model.masses).map(|(k, m)| 1.0 + h * h * k / m);
    let largest = x.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    f64::EPSILON * ratios.fold(0.0, f64::max) * largest / model.mean_rest_length()
}

/// Take a step; what claims to be at rounding level must be. Returns whether it claims so.
fn step_exactly(simulation: &mut Simulation, what: &str) -> bool {
    let solve = simulation.step().unwrap().solve;
    let roundings = solve.residual
        / rounding(simulation.model(), simulation.positions(), simulation.settings().time_step);
    let claimed = solve.ended == Ended::Rounding;
    assert!(roundings <= 100.0 || !claimed, "{what}: {roundings} roundings, {solve:?}");
    if !claimed {
        println!("{what}: {roundings} roundings, {solve:?}");
    }
    claimed
}

#[test]
fn newton_and_hybrid_reach_rounding_level_at_any_step_and_stiffness() {
    // At a fold, where two minima meet, the Hessian is singular and Newton creeps along a flat valley until its
    // iterations are used up, and says so. That may happen in a few steps of a hundred, not more.
    let (mut steps, mut exact) = (0, 0);
    for (stiffness, h) in [(1e3, 1.0), (1e4, 0.25), (1e4, 1.0), (1e6, 1.0 / 30.0), (1e6, 1.0)] {
        for method in [Method::newton(), Method::hybrid()] {
            let (model, state) = curtain(13, stiffness);
            let mut simulation =
                Simulation::with_state(model, state, Settings::without_contact(method.clone(), h)).unwrap();
            for step in 0..20 {
                let what = format!("{} k = {stiffness} h = {h} step {step}", method.name());
                exact += usize::from(step_exactly(&mut simulation, &what));
                steps += 1;
            }
        }
    }
    println!("{exact} of {steps} steps at rounding level");
    assert!(100 * exact >= 97 * steps, "{exact} of {steps}");
}

#[test]
fn newton_reaches_rounding_level_from_a_crumpled_start() {
    for squash in [0.5, 0.1] {
        let (model, mut state) = curtain(15, 1e5);
        state.positions.iter_mut().for_each(|p| *p *= DVec3::new(squash, 1.0, squash));
        state.filters.fill(taut::Filter::Free);
        let mut simulation =
            Simulation::with_state(model, state, Settings::without_contact(Method::newton(), 1.0 / 30.0))
                .unwrap();
        assert!(step_exactly(&mut simulation, &format!("squashed to {squash}")));
    }
}

/// The change of g keeps its digits where subtracting two values of g has lost them all.
#[test]
fn changes_of_g_keep_their_digits() {
    let (model, mut state) = curtain(7, 1e3);
    let mut random = Random(3);
    state.positions.iter_mut().for_each(|p| *p += random.vector(0.02));
    let mut objective = integrator::objective(&model, &state, 1.0 / 30.0, &Damping::default());
    let x = state.positions.clone();
    let mut gradient = vec![DVec3::ZERO; objective.rows.len()];
    objective.gradient(&model, &x, &mut gradient);
    let direction: Vec<DVec3> = gradient.iter().map(|_| random.vector(1.0)).collect();
    for size in [1e-3, 1e-6, 1e-9] {
        let mut to = x.clone();
        for (&i, &d) in objective.rows.particles.iter().zip(&direction) {
            to[i as usize] += size * d;
        }
        let change = objective.change(&model, &x, &to);
        if size >= 1e-6 {
            let plain = objective.value(&model, &to) - objective.value(&model, &x);
            assert!((change - plain).abs() <= 1e-9 * plain.abs(), "{size}: {change} {plain}");
        } else {
            // To first order the change is the slope times what the positions really moved.
            let moved = objective.rows.particles.iter().map(|&i| to[i as usize] - x[i as usize]);
            let slope: f64 = gradient.iter().zip(moved).map(|(g, d)| g.dot(d)).sum();
            assert!((change - slope).abs() <= 1e-5 * slope.abs(), "{size}: {change} {slope}");
        }
    }
}

/// Lengths whose squares overflow: g is infinite and tells nothing. Newton says that it got stuck, or why it did not.
#[test]
fn where_g_overflows_newton_does_not_claim_to_be_exact() {
    let mut stuck = 0;
    for seed in 0..8 {
        let (mut model, mut state) = curtain(5, 1e5);
        let mut random = Random(seed);
        let scale = 2f64.powi(560);
        model.rest.iter_mut().for_each(|x| *x *= scale);
        model.springs.iter_mut().for_each(|s| s.rest_length *= scale);
        model.gravity = DVec3::ZERO;
        state.positions.iter_mut().for_each(|p| *p = scale * (*p * 0.3 + random.vector(0.2)));
        state.pin(0);
        state.pin(4);
        let mut simulation =
            Simulation::with_state(model, state, Settings::without_contact(Method::newton(), 1.0 / 30.0))
                .unwrap();
        let solve = simulation.step().unwrap().solve;
        println!("{solve:?}");
        let size = simulation.model().mean_rest_length() / scale;
        assert!(size.is_finite() && solve.residual.is_finite());
        let exact = solve.residual
            <= 100.0 * rounding(simulation.model(), simulation.positions(), simulation.settings().time_step);
        assert!(exact || solve.ended != Ended::Rounding, "{solve:?}");
        stuck += usize::from(solve.ended == Ended::Stalled);
    }
    assert!(stuck > 0, "some crumpled starts must get stuck");
}
