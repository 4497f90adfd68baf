//! Accelerations of local/global never raise g, whatever the springs, and come nearer to the minimum than plain
//! iterations do.

use crate::common::Random;
use crate::samples::{accelerated, answer, curtain, exact_frames, net, slacken};
use taut::energy::Objective;
use taut::{DVec3, Damping, Method, Model, State, Stop, relative_error};

/// The largest relative rise of g from one iteration to the next, over the first `iterations` of a step.
fn worst_rise(
    method: impl Fn(Stop) -> Method,
    model: &Model,
    state: &State,
    h: f64,
    iterations: usize,
) -> f64 {
    let g: Objective = taut::integrator::objective(model, state, h, &Damping::default());
    let mut worst = f64::NEG_INFINITY;
    let mut before: Option<Vec<DVec3>> = None;
    for n in 1..=iterations {
        let (x, _) = answer(&method(Stop::iterations(n)), model, state, h);
        if let Some(before) = before {
            worst = worst.max(g.change(model, &before, &x) / g.value(model, &before));
        }
        before = Some(x);
    }
    worst
}

/// Nets that are stretched, crushed, slack, stiff and soft, from random states and at steps short and long.
#[test]
fn g_never_rises() {
    let mut random = Random(31);
    let mut worst = [f64::NEG_INFINITY; 4];
    for trial in 0..60 {
        let (mut model, mut state) = net(&mut random, 20, [0.3, 2.5], trial % 2 == 0);
        let stiffer = random.magnitude(1e-2, 3e3);
        model.springs.iter_mut().for_each(|s| s.stiffness *= stiffer);
        model.springs.iter_mut().step_by(7).for_each(|s| s.rest_length = 0.0);
        if trial % 3 == 0 {
            slacken(&mut model);
        }
        state.velocities.iter_mut().for_each(|v| *v = random.vector(5.0));
        let h = random.magnitude(1e-3, 0.3);
        for (i, worst) in worst.iter_mut().enumerate() {
            let method = |stop| accelerated(stop)[i].clone();
            *worst = worst.max(worst_rise(method, &model, &state, h, 25));
        }
    }
    for (method, worst) in accelerated(Stop::iterations(1)).iter().zip(worst) {
        println!("{}: largest relative rise {worst:e}", method.name());
        assert!(worst <= 1e-12, "{}: {worst:e}", method.name());
    }
}

/// Every acceleration, at any number of iterations from the tenth on, is nearer to exact than plain local/global, and at
/// the fiftieth by far: half of what each gains there. (A two-loop recursion without its second loop gains a third.)
#[test]
fn they_accelerate() {
    let h = 1.0 / 30.0;
    let (model, state) = curtain(21);
    let state = exact_frames(&model, &state, h, 10);
    for n in [10, 20, 50] {
        let error = |method: &Method| {
            let (x, _) = answer(method, &model, &state, h);
            relative_error(&model, &state, h, &Damping::default(), &x).unwrap().error
        };
        let plain = error(&Method::LocalGlobal(Stop::iterations(n)));
        for (method, gain) in accelerated(Stop::iterations(n)).into_iter().zip([250.0, 300.0, 100.0, 18.0]) {
            let error = if n == 50 { gain } else { 1.0 } * error(&method);
            println!("{n} iterations: {} {error:.3e}, plain {plain:.3e}", method.name());
            assert!(error < plain, "{n} iterations: {} {error}, plain {plain}", method.name());
        }
    }
}
