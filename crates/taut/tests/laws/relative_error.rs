//! Relative error, [Liu13] eq. (15): `(g(x_i) − g*)/(g(x_0) − g*)`, x_0 = y.

use crate::common::Random;
use crate::samples::{answer, curtain, exact_frames, net};
use taut::{DVec3, Damping, Method, Model, RelativeError, Spring, State, Stop};

const H: f64 = 1.0 / 30.0;

fn error(model: &Model, state: &State, x: &[DVec3]) -> RelativeError {
    taut::relative_error(model, state, H, &Damping::default(), x).expect("the model is sound")
}

/// The Curtain in mid-swing: frame 20 after frames solved exactly.
fn swinging() -> (Model, State) {
    let (model, state) = curtain(21);
    let state = exact_frames(&model, &state, H, 20);
    (model, state)
}

#[test]
fn it_is_0_where_exact_and_1_at_the_start() {
    let (model, state) = swinging();
    let start = taut::integrator::objective(&model, &state, H, &Damping::default()).inertia;
    let at_start = error(&model, &state, &start);
    assert_eq!((at_start.error, at_start.answer), (1.0, at_start.start));
    assert!(at_start.exact < at_start.start);
    let at_end = error(&model, &state, &at_start.positions);
    assert!(at_end.error.abs() < 1e-13, "{:e}", at_end.error);
    assert!(error(&model, &state, &answer(&Method::hybrid(), &model, &state, H).0).error.abs() < 1e-12);
}

#[test]
fn it_falls_with_iterations() {
    let (model, state) = swinging();
    let after = |n| {
        error(&model, &state, &answer(&Method::LocalGlobal(Stop::iterations(n)), &model, &state, H).0).error
    };
    let errors = [1, 10, 100, 1000].map(after);
    println!("21 × 21, after 1, 10, 100, 1000: {errors:?}");
    assert!(errors[0] < 1.0 && errors[3] > 0.0);
    assert!(errors.windows(2).all(|e| e[1] < 0.7 * e[0]), "{errors:?}");
    assert!(errors[3] < 0.05 * errors[0], "{errors:?}");
}

/// A spring pushed through its own length has two resting places. The exact minimum is the lower of those found
/// from the start and from the answer: an answer in the better basin is not charged for being elsewhere, one
/// in the worse basin is.
#[test]
fn the_lower_of_two_basins_counts() {
    let rest = vec![DVec3::ZERO, DVec3::X];
    let springs = vec![Spring::new(0, 1, 1.0, 1e4)];
    let model = Model { masses: vec![1.0; 2], rest, springs, gravity: DVec3::ZERO, ..Model::default() };
    let mut state = State::at_rest(&model);
    state.pin(0);
    // y is just on the near side of the pin, so its basin is x ≈ +1; a force leaves ŷ on the far side, where
    // x ≈ −1 is lower.
    state.velocities[1] = DVec3::X * (-0.9 / H);
    state.forces[1] = DVec3::X * (-0.3 / (H * H));
    let (from_start, _) = answer(&Method::newton(), &model, &state, H);
    assert!(from_start[1].x > 0.5, "{}", from_start[1]);
    let far = [DVec3::ZERO, DVec3::X * -1.1];
    let good = error(&model, &state, &far);
    assert!(good.positions[1].x < -0.5 && good.exact < error(&model, &state, &from_start).exact);
    assert!(good.error > 0.0 && good.error < 0.1, "{}", good.error);
    // Judged from that basin the answer of Newton from y is worse than its own minimum.
    let value =
        |x: &[DVec3]| taut::integrator::objective(&model, &state, H, &Damping::default()).value(&model, x);
    assert!(value(&from_start) > value(&good.positions));
}

/// Newton from the answer descends, so an answer can be lower than g* by rounding only; such errors come out
/// negative as they are.
#[test]
fn negative_errors_are_not_clipped() {
    let mut random = Random(61);
    let mut negative = 0;
    for _ in 0..200 {
        let (model, state) = net(&mut random, 10, [0.5, 0.9], true);
        let exact = error(&model, &state, &answer(&Method::newton(), &model, &state, H).0).positions;
        let nudged: Vec<DVec3> = exact.iter().map(|&p| p + random.vector(1e-16)).collect();
        let found = error(&model, &state, &nudged);
        assert!(found.error.abs() < 1e-12);
        assert_eq!(found.error < 0.0, found.answer < found.exact);
        negative += usize::from(found.error < 0.0);
    }
    println!("{negative} of 200 negative");
    assert!(negative > 0);
}

/// A start that is exact leaves nothing to compare with: 0 for an answer as good, infinite for a worse one.
#[test]
fn an_exact_start() {
    let rest = vec![DVec3::ZERO, DVec3::X];
    let springs = vec![Spring::new(0, 1, 1.0, 100.0)];
    let model = Model { masses: vec![1.0; 2], rest, springs, gravity: DVec3::ZERO, ..Model::default() };
    let state = State::at_rest(&model);
    assert_eq!(error(&model, &state, &state.positions).error, 0.0);
    assert_eq!(error(&model, &state, &[DVec3::ZERO, DVec3::X * 2.0]).error, f64::INFINITY);
}
