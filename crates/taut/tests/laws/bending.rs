//! Choi–Ko bend springs: force and slope are derivatives of the energy, the cap is continuous, Newton works on them,
//! methods with a constant matrix refuse them by name.

use crate::common::Random;
use crate::samples::net;
use std::f64::consts::PI;
use taut::energy::spring_energy;
use taut::shapes::Grid;
use taut::{
    DVec3, Damping, LinearSolver, Method, Model, NewtonSettings, Settings, Simulation, Spring, SpringKind,
    State,
};

const LENGTH: f64 = 0.05;
const BENDING: f64 = 2e-6;

/// The least cap, times `factor`.
fn spring(factor: f64) -> Spring {
    Spring::bend(0, 1, LENGTH, BENDING, factor * 4.0 * PI * PI * BENDING / LENGTH.powi(3))
}

fn crossing(spring: &Spring) -> f64 {
    let SpringKind::Bend { crossing, .. } = spring.kind else { panic!("not a bend spring") };
    crossing
}

fn energy(spring: &Spring, l: f64) -> f64 {
    spring_energy(spring, &[DVec3::ZERO, DVec3::X * l])
}

#[test]
fn force_and_slope_are_the_derivatives_of_the_energy() {
    for factor in [1.0, 1.3, 2.0, 10.0, 1e3] {
        let spring = spring(factor);
        for i in 1..100 {
            let (l, d) = (LENGTH * f64::from(i) / 100.0, 1e-4 * LENGTH);
            if (l - crossing(&spring)).abs() <= d {
                continue;
            }
            let (tension, slope) = spring.tension(l);
            let by_energy = (energy(&spring, l + d) - energy(&spring, l - d)) / (2.0 * d);
            let by_force = (spring.tension(l + d).0 - spring.tension(l - d).0) / (2.0 * d);
            assert!(tension < 0.0 && slope > 0.0, "it pushes, less the longer it is");
            assert!(
                (by_energy - tension).abs() < 1e-6 * tension.abs(),
                "{factor} at {l}: {by_energy} {tension}"
            );
            assert!((by_force - slope).abs() < 1e-6 * slope, "{factor} at {l}: {by_force} {slope}");
        }
        assert_eq!(spring.tension(LENGTH), (0.0, 0.0));
        assert_eq!(energy(&spring, 1.5 * LENGTH), 0.0);
    }
}

#[test]
fn the_cap_is_met_once_and_without_a_jump() {
    for factor in [1.0, 1.3, 2.0, 10.0, 1e3] {
        let spring = spring(factor);
        let c = crossing(&spring);
        assert!(0.0 < c && c < LENGTH, "{c}");
        let e = 1e-9 * LENGTH;
        let [below, above] = [c - e, c + e].map(|l| (spring.tension(l).0, energy(&spring, l)));
        let steepest = spring.stiffest();
        assert!((below.0 - above.0).abs() <= 2.0 * e * steepest, "force: {below:?} {above:?}");
        // Two lengths 2e apart differ in energy by 2e f.
        let left = below.1 - above.1 + 2.0 * e * below.0;
        assert!(left.abs() < 4.0 * e * e * steepest + 1e-13 * below.1, "energy: {below:?} {above:?}");
        // f* is the smaller of the two everywhere.
        let wide = Spring::bend(0, 1, LENGTH, BENDING, 1e12);
        for i in 1..200 {
            let l = LENGTH * f64::from(i) / 200.0;
            let arc = -wide.tension(l).0;
            let cap = spring.stiffness * (LENGTH - l);
            let least = arc.min(cap);
            assert!((-spring.tension(l).0 - least).abs() < 1e-12 * least, "{factor} at {l}");
        }
    }
}

/// Gradient and Hessian of g by differences along random directions, on nets of bend springs only.
#[test]
fn objectives_with_them_are_consistent() {
    let mut random = Random(5);
    for case in 0..20 {
        let (mut model, state) = net(&mut random, 8, [1.0, 1.0], case % 2 == 0);
        for s in &mut model.springs {
            let cap = random.range(1.0, 5.0) * 4.0 * PI * PI * 1e-3 / s.rest_length.powi(3);
            *s = Spring::bend(s.ends[0], s.ends[1], s.rest_length, 1e-3, cap);
        }
        model.validate().unwrap();
        let x: Vec<DVec3> = state.positions.iter().map(|&p| 0.8 * p + random.vector(0.01)).collect();
        let mut g = taut::integrator::objective(&model, &state, 1.0 / 30.0, &Damping::default());
        let along: Vec<DVec3> = g.rows.particles.iter().map(|_| random.vector(1.0)).collect();
        let at = |t: f64| {
            let mut y = x.clone();
            g.rows.particles.iter().zip(&along).for_each(|(&i, &d)| y[i as usize] += t * d);
            y
        };
        let t = 1e-6;
        let (plus, minus) = (at(t), at(-t));
        let by_change = g.change(&model, &minus, &plus) / (2.0 * t);
        let by_value = (g.value(&model, &plus) - g.value(&model, &minus)) / (2.0 * t);
        let zeros = vec![DVec3::ZERO; along.len()];
        let [mut gradient, mut ahead, mut behind, mut curved] = std::array::from_fn(|_| zeros.clone());
        g.gradient(&model, &x, &mut gradient);
        g.gradient(&model, &plus, &mut ahead);
        g.gradient(&model, &minus, &mut behind);
        let slope: f64 = gradient.iter().zip(&along).map(|(g, d)| g.dot(*d)).sum();
        assert!((by_change - slope).abs() < 1e-8 * slope.abs(), "case {case}: {by_change} {slope}");
        assert!((by_value - slope).abs() < 1e-6 * slope.abs(), "case {case}: {by_value} {slope}");
        let (pattern, slots) = g.pattern(&model);
        let mut hessian = taut::linear::Symmetric::zeros(pattern);
        g.hessian(&model, &x, &slots, &mut hessian);
        hessian.multiply(&along, &mut curved);
        let largest = curved.iter().map(|c| c.length()).fold(0.0, f64::max);
        for ((a, b), c) in ahead.iter().zip(&behind).zip(&curved) {
            let difference = (*a - *b) / (2.0 * t);
            assert!((difference - *c).length() < 1e-6 * largest, "case {case}: {difference} {c}");
        }
    }
}

fn cloth() -> Model {
    Grid { columns: 7, rows: 7, mass: 0.2, ..Grid::default() }.choi_ko(1e-4).build().unwrap()
}

#[test]
fn the_model_has_the_published_topology() {
    let model = cloth();
    let count = |wanted: fn(&SpringKind) -> bool| model.springs.iter().filter(|s| wanted(&s.kind)).count();
    // 2·7·6 edges and 2·36 diagonals; two apart 2·7·5 along and 2·25 across.
    assert_eq!(count(|k| *k == SpringKind::ExtensionOnly), 84 + 72);
    assert_eq!(count(|k| matches!(k, SpringKind::Bend { .. })), 70 + 50);
}

#[test]
fn newton_reaches_rounding_level_on_it() {
    let model = cloth();
    let mut state = State::at_rest(&model);
    let mut random = Random(8);
    state.positions.iter_mut().for_each(|p| *p += random.vector(1e-3));
    [0, 6].into_iter().for_each(|i| state.pin(i));
    let mut simulation =
        Simulation::with_state(model, state, Settings::without_contact(Method::newton(), 1.0 / 60.0))
            .unwrap();
    for _ in 0..30 {
        let report = simulation.step().unwrap();
        assert!(report.solve.residual < 1e-10, "{:?}", report.solve);
    }
    assert!(simulation.positions()[45].y < -0.1, "it falls");
}

#[test]
fn methods_with_a_constant_matrix_refuse_it_by_name() {
    let constant = NewtonSettings { solver: LinearSolver::PcgConstant, ..NewtonSettings::default() };
    let refusing = [
        Method::default(),
        Method::hybrid(),
        Method::Newton(constant),
        Method::SemiImplicit(constant.solver),
    ];
    for method in refusing {
        let refused = Simulation::new(cloth(), Settings::without_contact(method.clone(), 1.0 / 60.0))
            .err()
            .expect("refused")
            .to_string();
        assert!(refused.contains(method.name()) && refused.contains("spring 156"), "{refused}");
        assert!(refused.contains("adaptive_imex"), "{refused}");
    }
}

#[test]
fn a_cap_below_the_buckling_load_is_refused_with_the_number_that_would_do() {
    let mut model = cloth();
    model.springs[156] = Spring::bend(0, 2, LENGTH, BENDING, 0.5);
    let refused = model.validate().unwrap_err().to_string();
    assert!(refused.contains("spring 156") && refused.contains("0.63"), "{refused}");
    assert!(model.springs.iter().all(|s| s.scaled(0.0).stiffness == 0.0));
}

#[test]
fn scaling_lengths_by_powers_of_two_scales_the_crossing_exactly() {
    for p in [-40, -3, 1, 40] {
        let scale = 2f64.powi(p);
        for factor in [1.0, 1.7, 30.0] {
            let (a, b) = (spring(factor), spring(factor));
            let b = Spring::bend(0, 1, b.rest_length * scale, BENDING * scale.powi(3), b.stiffness);
            assert_eq!(crossing(&a) * scale, crossing(&b));
            for l in [0.0, 0.01, 0.02, 0.03, 0.04] {
                assert_eq!(a.tension(l).0 * scale, b.tension(l * scale).0);
                assert_eq!(a.tension(l).1, b.tension(l * scale).1);
            }
        }
    }
}
