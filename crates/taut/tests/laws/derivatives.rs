//! Gradient and Hessian of g against differences: central, at two steps δ and δ/2, combined so that the error
//! is of fourth order (Richardson).
//!
//! δ is 1e-3 of the shortest spring, because that is the scale on which g bends. Differences of g then carry a
//! truncation error of order 1e-12 and a rounding error ε g/(δ |∇g|); the tolerances below say what is left.

use crate::common::Random;
use crate::samples::{net, slacken};
use taut::energy::Objective;
use taut::linear::Symmetric;
use taut::{DVec3, Damping, Filter, Model, Spring, SpringKind, State};

const AXES: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];

/// Worst errors of gradient and Hessian at x, relative to their largest entries.
pub fn errors(model: &Model, state: &State, h: f64, damping: &Damping, x: &[DVec3], delta: f64) -> [f64; 2] {
    let mut g = taut::integrator::objective(model, state, h, damping);
    let n = g.rows.len();
    let mut gradient = vec![DVec3::ZERO; n];
    g.gradient(model, x, &mut gradient);
    let (pattern, slots) = g.pattern(model);
    let mut hessian = Symmetric::zeros(pattern);
    g.hessian(model, x, &slots, &mut hessian);

    let (mut by_value, mut by_gradient) = (0.0f64, 0.0f64);
    let (mut largest, mut column) = (0.0f64, vec![DVec3::ZERO; n]);
    for row in 0..n {
        for (axis, &e) in AXES.iter().enumerate() {
            let particle = g.rows.particles[row] as usize;
            let value = richardson(delta, |t| vec![DVec3::X * g.value(model, &moved(x, particle, t * e))]);
            by_value = by_value.max((value[0].x - gradient[row][axis]).abs());
            let mut unit = vec![DVec3::ZERO; n];
            unit[row] = e;
            hessian.multiply(&unit, &mut column);
            let difference = richardson(delta, |t| slope(&mut g, model, &moved(x, particle, t * e)));
            for (d, c) in difference.iter().zip(&column) {
                by_gradient = by_gradient.max((*d - *c).abs().max_element());
                largest = largest.max(c.abs().max_element());
            }
        }
    }
    let steepest = gradient.iter().map(|g| g.abs().max_element()).fold(0.0, f64::max);
    [by_value / steepest, by_gradient / largest]
}

fn moved(x: &[DVec3], particle: usize, by: DVec3) -> Vec<DVec3> {
    let mut x = x.to_vec();
    x[particle] += by;
    x
}

fn slope(g: &mut Objective, model: &Model, x: &[DVec3]) -> Vec<DVec3> {
    let mut out = vec![DVec3::ZERO; g.rows.len()];
    g.gradient(model, x, &mut out);
    out
}

fn richardson(delta: f64, mut f: impl FnMut(f64) -> Vec<DVec3>) -> Vec<DVec3> {
    let mut central = |d: f64| -> Vec<DVec3> {
        f(d).iter().zip(f(-d)).map(|(plus, minus)| (*plus - minus) / (2.0 * d)).collect()
    };
    let (coarse, fine) = (central(delta), central(0.5 * delta));
    coarse.iter().zip(fine).map(|(&c, f)| (4.0 * f - c) / 3.0).collect()
}

fn shortest(model: &Model, x: &[DVec3]) -> f64 {
    model.springs.iter().map(|s| (x[s.ab().0] - x[s.ab().1]).length()).fold(f64::INFINITY, f64::min)
}

#[test]
fn of_random_nets_with_every_kind_of_spring() {
    let mut random = Random(11);
    for case in 0..20 {
        let (mut model, state) = net(&mut random, 12, [0.3, 2.0], case % 2 == 0);
        slacken(&mut model);
        model.springs.iter_mut().step_by(5).for_each(|s| s.rest_length = 0.0);
        let x: Vec<DVec3> = state.positions.iter().map(|&p| p + random.vector(0.05)).collect();
        let [gradient, hessian] =
            errors(&model, &state, 1.0 / 30.0, &Damping::default(), &x, 1e-3 * shortest(&model, &x));
        assert!(gradient < 1e-8 && hessian < 1e-8, "case {case}: {gradient:e} {hessian:e}");
    }
}

/// What a gradient tells by the way: g itself, and afterwards the curvature along a direction.
#[test]
fn value_and_curvature_agree_with_the_slow_ways() {
    let mut random = Random(15);
    for case in 0..40 {
        let (mut model, state) = net(&mut random, 12, [0.3, 2.0], case % 2 == 0);
        slacken(&mut model);
        if case % 4 == 0 {
            // All alike, so that they are weighed four at a time.
            model.springs.iter_mut().for_each(|s| s.kind = SpringKind::ExtensionOnly);
        }
        let mut x: Vec<DVec3> = state.positions.iter().map(|&p| p + random.vector(0.05)).collect();
        if case % 5 == 0 {
            let (a, b) = model.springs[3].ab();
            x[a] = x[b];
        }
        let mut g = taut::integrator::objective(&model, &state, 1.0 / 30.0, &Damping::default());
        let n = g.rows.len();
        let value = g.gradient(&model, &x, &mut vec![DVec3::ZERO; n]);
        let exact = g.value(&model, &x);
        assert!((value - exact).abs() <= 1e-13 * exact, "case {case}: {value} {exact}");

        let (pattern, slots) = g.pattern(&model);
        let mut hessian = Symmetric::zeros(pattern);
        g.hessian(&model, &x, &slots, &mut hessian);
        let d: Vec<DVec3> = (0..n).map(|_| random.vector(1.0)).collect();
        let mut product = d.clone();
        hessian.multiply(&d, &mut product);
        let exact: f64 = d.iter().zip(&product).map(|(d, p)| d.dot(*p)).sum();
        let size: f64 = product.iter().map(|p| p.length()).sum();
        let curvature = g.curvature(&model, &d);
        if case % 5 == 0 {
            // A spring without length is taken for stiff in every direction: never too soft.
            assert!(curvature >= exact - 1e-12 * size, "case {case}: {curvature} {exact}");
        } else {
            assert!((curvature - exact).abs() <= 1e-12 * size, "case {case}: {curvature} {exact}");
        }

        // What was computed elsewhere leaves no trace.
        let mut again = taut::integrator::objective(&model, &state, 1.0 / 30.0, &Damping::default());
        for x in [&state.positions, &x] {
            again.gradient(&model, x, &mut vec![DVec3::ZERO; n]);
            again.curvature(&model, &d);
        }
        assert_eq!(again.curvature(&model, &d), curvature, "case {case}");
    }
}

/// One spring at lengths from the ordinary down to 1e-9 of its rest length, where the transverse curvature is
/// −k r/l: g is evaluated to ε k r², so its slope k r is known to ε r/δ.
#[test]
fn of_springs_nearly_without_length() {
    let mut random = Random(12);
    for exponent in 0..=9 {
        for _ in 0..20 {
            let (mut model, mut state) = net(&mut random, 2, [1.0, 1.0], false);
            model.springs = vec![Spring::new(0, 1, 0.1, 100.0)];
            let l = 0.1 * 10f64.powi(-exponent) * random.range(0.2, 0.9);
            let direction = random.vector(1.0);
            let x = [DVec3::ZERO, direction * (l / direction.length())];
            // The target nearby: otherwise inertia swamps the spring.
            state.positions.copy_from_slice(&x);
            state.velocities.fill(DVec3::ZERO);
            let [gradient, hessian] = errors(&model, &state, 1.0 / 30.0, &Damping::default(), &x, 1e-3 * l);
            let rounding = f64::EPSILON * 0.1 / (1e-3 * l);
            assert!(gradient < 1e-9 + 20.0 * rounding, "l {l:e}: gradient {gradient:e}");
            assert!(hessian < 1e-8, "l {l:e}: Hessian {hessian:e}");
        }
    }
}

/// At no length at all the gradient is the limit along the start's direction, and nothing is NaN.
#[test]
fn of_a_spring_without_length() {
    let rest = vec![DVec3::ZERO, DVec3::X * 0.1];
    let springs = vec![Spring::new(0, 1, 0.1, 100.0)];
    let model = Model { masses: vec![0.1; 2], rest, springs, gravity: DVec3::ZERO, ..Model::default() };
    let mut state = State::at_rest(&model);
    state.positions[1] = DVec3::new(0.0, 0.03, 0.04);
    let h = 1.0 / 30.0;
    let mut g = taut::integrator::objective(&model, &state, h, &Damping::default());
    let x = [DVec3::ZERO; 2];
    let gradient = slope(&mut g, &model, &x);
    // ∇g_0 = m (0 − 0) − h²k d, d = r times the direction from particle 1 to particle 0.
    let expected = h * h * 100.0 * 0.1 * DVec3::new(0.0, 0.6, 0.8);
    assert!((gradient[0] - expected).length() < 1e-15 * expected.length(), "{}", gradient[0]);
    for l in [0.0, 5e-324, 1e-310, 1e-300, 1e-200, 1e-100] {
        let x = [DVec3::ZERO, DVec3::Y * l];
        let (pattern, slots) = g.pattern(&model);
        let mut hessian = Symmetric::zeros(pattern);
        g.hessian(&model, &x, &slots, &mut hessian);
        assert!(hessian.diagonal.iter().chain(&hessian.upper).all(|b| b.is_finite()), "l {l:e}: {hessian:?}");
        assert!(slope(&mut g, &model, &x).iter().all(|g| g.is_finite()), "l {l:e}");
        assert!(g.value(&model, &x).is_finite());
    }
}

/// On either side of l = r an extension-only spring is smooth: taut it is linear, slack it is not there.
#[test]
fn of_extension_only_springs_on_both_sides_of_the_kink() {
    let mut random = Random(13);
    for ratio in [0.5, 0.99, 0.9999, 1.0001, 1.01, 2.0] {
        let (mut model, mut state) = net(&mut random, 2, [1.0, 1.0], false);
        model.springs = vec![Spring { kind: SpringKind::ExtensionOnly, ..Spring::new(0, 1, 0.1, 100.0) }];
        let direction = random.vector(1.0);
        let x = [DVec3::ZERO, direction * (0.1 * ratio / direction.length())];
        state.positions.copy_from_slice(&x);
        let [gradient, hessian] = errors(&model, &state, 1.0 / 30.0, &Damping::default(), &x, 1e-6);
        assert!(gradient < 1e-8 && hessian < 1e-8, "ratio {ratio}: {gradient:e} {hessian:e}");
        let alone = Model { springs: Vec::new(), ..model.clone() };
        let [with, without] = [&model, &alone].map(|model| {
            let mut g = taut::integrator::objective(model, &state, 1.0 / 30.0, &Damping::default());
            slope(&mut g, model, &x)
        });
        let same = with == without;
        assert_eq!(same, ratio < 1.0, "ratio {ratio}");
    }
}

#[test]
fn pinned_particles_have_no_rows_but_hold_their_springs() {
    let (model, mut state) = net(&mut Random(14), 10, [0.5, 1.5], true);
    state.filters[7] = Filter::Pinned(DVec3::new(0.3, 0.2, 0.1));
    let mut g = taut::integrator::objective(&model, &state, 1.0 / 30.0, &Damping::default());
    assert_eq!(g.rows.particles, [1, 2, 3, 4, 5, 6, 8, 9]);
    assert_eq!(g.inertia[7], DVec3::new(0.3, 0.2, 0.1));
    let x = g.inertia.clone();
    let [gradient, hessian] =
        errors(&model, &state, 1.0 / 30.0, &Damping::default(), &x, 1e-3 * shortest(&model, &x));
    assert!(gradient < 1e-8 && hessian < 1e-8, "{gradient:e} {hessian:e}");
    // Moving the pin changes the gradient of its neighbours: its springs are felt.
    let before = slope(&mut g, &model, &x);
    assert_ne!(before, slope(&mut g, &model, &moved(&x, 7, DVec3::X * 0.01)));
}
