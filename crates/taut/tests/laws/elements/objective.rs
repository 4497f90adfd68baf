//! g with each kind of element: its derivatives against differences, its descent, and its bits where rounding must not
//! show.

use super::{DAMPED, samples};
use crate::common::Random;
use crate::derivatives::errors;
use taut::energy::Objective;
use taut::integrator::objective;
use taut::{DVec3, Damping, Method, Stop};

const H: f64 = 1.0 / 50.0;

#[test]
fn gradient_and_hessian_agree_with_differences() {
    for sample in samples(0.03) {
        let mut random = Random(2);
        let mut state = sample.state.clone();
        state.pin(3);
        for damping in [Damping::default(), DAMPED] {
            let x: Vec<DVec3> = state.positions.iter().map(|x| *x + random.vector(0.01)).collect();
            let [gradient, hessian] = errors(&sample.model, &state, H, &damping, &x, 1e-4);
            println!("{}: {gradient:.1e} {hessian:.1e}", sample.name);
            assert!(gradient < 1e-8 && hessian < 1e-7, "{}: {gradient:e} {hessian:e}", sample.name);
        }
    }
}

/// Curvature is the Hessian along a direction; the free value of the gradient is g; changes keep their digits.
#[test]
fn passes_agree_with_each_other() {
    let damped = |sample| [Damping::default(), DAMPED].map(|damping| (sample, damping));
    for (sample, damping) in samples(0.03).iter().flat_map(damped) {
        let mut g = objective(&sample.model, &sample.state, H, &damping);
        let (model, x) = (&sample.model, &sample.state.positions);
        let mut random = Random(5);
        let mut gradient = vec![DVec3::ZERO; g.rows.len()];
        let value = g.gradient(model, x, &mut gradient);
        assert!((value / g.value(model, x) - 1.0).abs() < 1e-13, "{}", sample.name);
        let (pattern, slots) = g.pattern(model);
        let mut hessian = taut::linear::Symmetric::zeros(pattern);
        g.hessian(model, x, &slots, &mut hessian);
        for size in [1e-2, 1e-4, 1e-7] {
            let d: Vec<DVec3> = gradient.iter().map(|_| random.vector(1.0)).collect();
            let mut product = d.clone();
            hessian.multiply(&d, &mut product);
            let dot = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
            let (curved, exact) = (g.curvature(model, &d), dot(&d, &product));
            assert!((curved / exact - 1.0).abs() < 1e-11, "{}: {curved} {exact}", sample.name);
            let to: Vec<DVec3> = x.iter().zip(&d).map(|(x, d)| *x + size * *d).collect();
            let (change, difference) = (g.change(model, x, &to), g.value(model, &to) - g.value(model, x));
            assert!((change - difference).abs() < 1e-13 * g.value(model, &to), "{}", sample.name);
            // For small moves the parabola is exact to third order.
            let parabola = size * dot(&gradient, &d) + 0.5 * size * size * exact;
            let third = (change - parabola).abs() / (size * size * exact);
            let rounding = 1e-10 / size;
            assert!(third < 200.0 * size + rounding, "{}: {third:e} at {size:e}", sample.name);
        }
    }
}

#[test]
fn local_global_never_raises_g() {
    for sample in samples(0.08) {
        for damping in [Damping::default(), DAMPED] {
            let mut g = objective(&sample.model, &sample.state, H, &damping);
            let mut before = f64::INFINITY;
            for iterations in 1..60 {
                let x = answer(&sample, &damping, iterations);
                let now = g.value(&sample.model, &x);
                assert!(now <= before * (1.0 + 1e-12), "{} after {iterations}: {now} {before}", sample.name);
                before = now;
            }
            let newton = Method::newton();
            let mut integrator = newton.integrator(damping, Default::default(), Default::default());
            let mut state = sample.state.clone();
            integrator.prepare(&sample.model, &state, H).unwrap();
            integrator.step(&sample.model, &mut state, Default::default(), H).unwrap();
            let mut gradient = vec![DVec3::ZERO; g.rows.len()];
            g.gradient(&sample.model, &state.positions, &mut gradient);
            let rounding = g.rounding(&state.positions);
            assert!(g.residual(&sample.model, &gradient) < 100.0 * rounding, "{}", sample.name);
        }
    }
}

fn answer(sample: &super::Sample, damping: &Damping, iterations: usize) -> Vec<DVec3> {
    let method = Method::LocalGlobal(Stop::iterations(iterations));
    let mut integrator = method.integrator(*damping, Default::default(), Default::default());
    let mut state = sample.state.clone();
    integrator.prepare(&sample.model, &state, H).unwrap();
    integrator.step(&sample.model, &mut state, Default::default(), H).unwrap();
    state.positions
}

/// The constant matrix is never softer than the Hessian, in any pose.
#[test]
fn the_constant_matrix_bounds_every_hessian() {
    for noise in [0.01, 0.1, 1.0] {
        for sample in samples(noise) {
            let g: Objective = objective(&sample.model, &sample.state, H, &DAMPED);
            let constant = g.constant(&sample.model).unwrap();
            let (pattern, slots) = g.pattern(&sample.model);
            let mut hessian = taut::linear::Symmetric::zeros(pattern);
            g.hessian(&sample.model, &sample.state.positions, &slots, &mut hessian);
            let mut random = Random(3);
            for _ in 0..50 {
                let d: Vec<DVec3> = (0..g.rows.len()).map(|_| random.vector(1.0)).collect();
                let (mut a, mut b) = (d.clone(), d.clone());
                constant.multiply(&d, &mut a);
                hessian.multiply(&d, &mut b);
                let along = |v: &[DVec3]| d.iter().zip(v).map(|(d, v)| d.dot(*v)).sum::<f64>();
                assert!(along(&b) <= along(&a) * (1.0 + 1e-12), "{}", sample.name);
            }
        }
    }
}
