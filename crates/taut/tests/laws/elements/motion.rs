//! Steps with each kind of element: momenta, symmetries, threads, memory, snapshots, budgets, step limits.

use super::{DAMPED, Sample, minimising, samples};
use crate::allocation::allocations;
use crate::common::{distance, take};
use taut::measure::{Energy, angular_momentum, momentum};
use taut::{
    DVec3, Damping, Explicit, Method, Model, Precision, Scheme, Settings, Simulation, State, Stop, doctor,
};

const H: f64 = 1.0 / 60.0;

fn run(sample: &Sample, settings: Settings, steps: usize) -> State {
    let (model, state) = (sample.model.clone(), sample.state.clone());
    let mut simulation = Simulation::with_state(model, state, settings).unwrap();
    take(&mut simulation, steps);
    simulation.state().clone()
}

fn scale(sample: &Sample) -> f64 {
    sample.model.masses.iter().zip(&sample.state.velocities).map(|(m, v)| m * v.length()).sum()
}

/// Linear momentum at any number of iterations; angular momentum as the converged step has it, dampers or not.
#[test]
fn free_bodies_keep_their_momenta() {
    for mut sample in samples(0.03) {
        sample.model.gravity = DVec3::ZERO;
        for damping in [Damping::default(), DAMPED] {
            for method in minimising() {
                let settings = Settings { damping, ..Settings::without_contact(method.clone(), H) };
                let end = run(&sample, settings, 20);
                let drift = momentum(&sample.model, &end) - momentum(&sample.model, &sample.state);
                assert!(drift.length() < 1e-11 * scale(&sample), "{} {method:?}: {drift}", sample.name);
            }
            let settings = Settings { damping, ..Settings::without_contact(Method::newton(), H) };
            let (model, state) = (sample.model.clone(), sample.state.clone());
            let mut simulation = Simulation::with_state(model, state, settings).unwrap();
            for _ in 0..20 {
                let before = simulation.state().clone();
                simulation.step().unwrap();
                let after = simulation.state();
                let turned =
                    angular_momentum(&sample.model, after) - angular_momentum(&sample.model, &before);
                let pairs = after.velocities.iter().zip(&before.velocities).zip(&sample.model.masses);
                let lost: DVec3 = pairs.map(|((v, u), &m)| H * m * v.cross(*u)).sum();
                let size = scale(&sample) * sample.model.size();
                assert!((turned - lost).length() < 1e-10 * size, "{}: {turned} {lost}", sample.name);
            }
        }
    }
}

/// The sample with points mapped by a linear map that is `scale` times an orthogonal one.
fn mapped(sample: &Sample, map: impl Fn(DVec3) -> DVec3, scale: f64) -> Sample {
    let (mut model, mut state) = (sample.model.clone(), sample.state.clone());
    model.rest.iter_mut().chain(&mut state.positions).for_each(|x| *x = map(*x));
    state.velocities.iter_mut().for_each(|v| *v = map(*v));
    model.gravity = map(model.gravity);
    model.membranes.iter_mut().for_each(|one| one.direction = map(one.direction));
    super::resize(&mut model, scale);
    Sample { name: sample.name, model, state }
}

fn same(a: &State, b: &State, map: impl Fn(DVec3) -> DVec3) -> bool {
    let equal = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).all(|(a, b)| map(*a) == *b);
    equal(&a.positions, &b.positions) && equal(&a.velocities, &b.velocities)
}

fn every_method() -> Vec<Method> {
    let mut all = minimising();
    all.extend(Explicit::NAMES.map(|(_, order)| Method::Explicit(order)));
    all
}

#[test]
fn in_a_mirror_and_in_other_units_the_bits_are_the_same() {
    for sample in samples(0.03) {
        for method in every_method() {
            let explicit = matches!(method, Method::Explicit(_));
            let h = if explicit { 1e-4 } else { H };
            let damping = if explicit { Damping::default() } else { DAMPED };
            let settings =
                || Settings { damping, conserve: 0.5, ..Settings::without_contact(method.clone(), h) };
            let expected = run(&sample, settings(), 20);
            for signs in [DVec3::new(-1.0, 1.0, 1.0), DVec3::new(1.0, 1.0, -1.0), DVec3::splat(-1.0)] {
                let flip = |v: DVec3| v * signs;
                let found = run(&mapped(&sample, flip, 1.0), settings(), 20);
                assert!(same(&expected, &found, flip), "{} {signs} {method:?}", sample.name);
            }
            for power in [-40, 1, 40] {
                let scale = 2f64.powi(power);
                let larger = |v: DVec3| v * scale;
                let found = run(&mapped(&sample, larger, scale), settings(), 20);
                assert!(same(&expected, &found, larger), "{} 2^{power} {method:?}", sample.name);
            }
        }
    }
}

#[test]
fn turned_they_move_the_same() {
    let axis = DVec3::new(0.3, -0.5, 0.8).normalize();
    let (sin, cos) = 2.1f64.sin_cos();
    let turn = |v: DVec3| v * cos + axis.cross(v) * sin + axis * (axis.dot(v) * (1.0 - cos));
    for sample in samples(0.03) {
        for method in [Method::newton(), Method::default(), Method::LocalGlobal(Stop::iterations(10))] {
            let precision = Precision::Double;
            let settings =
                || Settings { damping: DAMPED, precision, ..Settings::without_contact(method.clone(), H) };
            let expected = run(&sample, settings(), 10);
            let found = run(&mapped(&sample, turn, 1.0), settings(), 10);
            let turned: Vec<DVec3> = expected.positions.iter().map(|&x| turn(x)).collect();
            let error = distance(&turned, &found.positions) / sample.model.size();
            println!("{} {method:?}: {error:.1e}", sample.name);
            assert!(error < 1e-8, "{} {method:?}: {error:e}", sample.name);
        }
    }
}

#[test]
fn steps_allocate_nothing() {
    for sample in samples(0.05) {
        for method in every_method() {
            let explicit = matches!(method, Method::Explicit(_));
            let damping = if explicit { Damping::default() } else { DAMPED };
            let h = if explicit { 1e-4 } else { H };
            let settings =
                Settings { damping, conserve: 0.5, ..Settings::without_contact(method.clone(), h) };
            let (model, state) = (sample.model.clone(), sample.state.clone());
            let mut simulation = Simulation::with_state(model, state, settings).unwrap();
            simulation.step().unwrap();
            let used = allocations(|| take(&mut simulation, 5));
            assert_eq!(used, 0, "{} {method:?}", sample.name);
        }
    }
}

#[cfg(feature = "snapshot")]
#[test]
fn snapshots_go_on_bit_for_bit() {
    for sample in samples(0.05) {
        let settings = Settings { damping: DAMPED, ..Settings::without_contact(Method::default(), H) };
        let (model, state) = (sample.model.clone(), sample.state.clone());
        let mut one = Simulation::with_state(model, state, settings).unwrap();
        take(&mut one, 3);
        let mut other = Simulation::restore(&one.snapshot()).unwrap().simulation;
        assert_eq!(one.model(), other.model());
        take(&mut one, 3);
        take(&mut other, 3);
        assert_eq!(one.state(), other.state(), "{}", sample.name);
    }
}

/// With the whole budget a free body neither gains nor loses; dampers take, and give nothing.
#[test]
fn budgets_count_every_element() {
    for mut sample in samples(0.01) {
        sample.model.gravity = DVec3::ZERO;
        let begin = Energy::of(&sample.model, &sample.state).total();
        for scheme in [Scheme::ImplicitEuler, Scheme::Midpoint] {
            let settings =
                Settings { conserve: 1.0, scheme, ..Settings::without_contact(Method::newton(), H / 4.0) };
            let (model, state) = (sample.model.clone(), sample.state.clone());
            let mut simulation = Simulation::with_state(model, state, settings).unwrap();
            let mut missing = 0.0;
            for _ in 0..50 {
                missing += simulation.step().unwrap().missing_energy.unwrap();
            }
            let end = simulation.energy().total() + missing;
            assert!((end / begin - 1.0).abs() < 1e-9, "{} {scheme:?}: {begin} {end}", sample.name);
        }
        let settings = |damping| Settings {
            conserve: 1.0,
            damping,
            ..Settings::without_contact(Method::newton(), H / 4.0)
        };
        let damped = run(&sample, settings(DAMPED), 50);
        let end = Energy::of(&sample.model, &damped).total();
        assert!(end < 0.9 * begin, "{}: {begin} {end}", sample.name);
    }
}

/// The doctor's limit is where symplectic Euler begins to grow.
#[test]
fn step_limits_hold() {
    for mut sample in samples(0.0) {
        sample.model.gravity = DVec3::ZERO;
        let Model { links, rest, .. } = &mut sample.model;
        // At rest, so that the pose stays what it is.
        links.iter_mut().for_each(|link| link.rest_length = link.vector(rest).length());
        sample.state.velocities.iter_mut().for_each(|v| *v *= 1e-6);
        let diagnosis = doctor::examine(&sample.model, &sample.state, H);
        let limit = diagnosis.limits[0].step;
        assert!(diagnosis.frequency.any_pose >= diagnosis.omega_max);
        let method = Method::Explicit(Explicit::SymplecticEuler);
        let grows = |h: f64| {
            let settings = Settings::without_contact(method.clone(), h);
            let begin = Energy::of(&sample.model, &sample.state).total();
            let (model, state) = (sample.model.clone(), sample.state.clone());
            let mut simulation = Simulation::with_state(model, state, settings).unwrap();
            (0..2000).any(|_| simulation.step().is_err() || simulation.energy().total() > 1e4 * begin)
        };
        assert!(!grows(0.98 * limit) && grows(1.02 * limit), "{}: {limit}", sample.name);
    }
}
