//! Implicit–explicit steps on velocities against Runge–Kutta: their order in h.

use crate::common::distance;
use crate::imex::TIGHT;
use taut::shapes::Grid;
use taut::{DVec3, Damping, Filter, ImexSettings, Method, Model, Scheme, Settings, Simulation, State};

/// Grid held at its rim and thrown smoothly, its springs `scale` times their rest length: at 1.1 none goes slack, at 0.9
/// all push.
pub fn drum(scale: f64) -> (Model, State) {
    let grid =
        Grid { columns: 6, rows: 6, mass: 3.6, stretch: 100.0, shear: 40.0, bend: 10.0, ..Grid::default() };
    let model = grid.build().unwrap();
    let mut state = State::at_rest(&model);
    for i in 0..36 {
        let (r, c) = (i / 6, i % 6);
        state.positions[i] *= scale;
        if r % 5 == 0 || c % 5 == 0 {
            state.pin(i);
        } else {
            let wave = |n: usize| (std::f64::consts::PI * n as f64 / 5.0).sin();
            state.velocities[i] = wave(r) * wave(c) * DVec3::new(0.2, 1.0, -0.1);
        }
    }
    (model, state)
}

/// Accelerations, from the springs' own law and the definition of the damper.
fn accelerate(model: &Model, damping: f64, x: &[DVec3], v: &[DVec3], pinned: &[bool]) -> Vec<DVec3> {
    let mut f: Vec<DVec3> = model.masses.iter().map(|&m| m * model.gravity).collect();
    for s in &model.springs {
        let (a, b) = s.ab();
        let p = x[a] - x[b];
        let u = p.normalize();
        let pull = s.stiffness * (p.length() - s.rest_length) + damping * s.stiffness * (v[a] - v[b]).dot(u);
        f[a] -= pull * u;
        f[b] += pull * u;
    }
    (0..f.len()).map(|i| if pinned[i] { DVec3::ZERO } else { f[i] / model.masses[i] }).collect()
}

/// The classical Runge–Kutta method with steps far below those measured against it.
pub fn exact(model: &Model, state: &State, damping: f64, time: f64) -> Vec<DVec3> {
    let pinned: Vec<bool> = state.filters.iter().map(Filter::is_pinned).collect();
    let (mut x, mut v) = (state.positions.clone(), state.velocities.clone());
    let steps = 2000;
    let h = time / f64::from(steps);
    let add = |a: &[DVec3], t: f64, b: &[DVec3]| -> Vec<DVec3> {
        a.iter().zip(b).map(|(a, b)| *a + t * *b).collect()
    };
    for _ in 0..steps {
        let force = |x: &[DVec3], v: &[DVec3]| accelerate(model, damping, x, v, &pinned);
        let (k1, l1) = (v.clone(), force(&x, &v));
        let (k2, l2) = (add(&v, h / 2.0, &l1), force(&add(&x, h / 2.0, &k1), &add(&v, h / 2.0, &l1)));
        let (k3, l3) = (add(&v, h / 2.0, &l2), force(&add(&x, h / 2.0, &k2), &add(&v, h / 2.0, &l2)));
        let (k4, l4) = (add(&v, h, &l3), force(&add(&x, h, &k3), &add(&v, h, &l3)));
        for i in 0..x.len() {
            x[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
            v[i] += h / 6.0 * (l1[i] + 2.0 * l2[i] + 2.0 * l3[i] + l4[i]);
        }
    }
    x
}

/// Slope of log error over log h, by least squares.
fn order(method: &Method, scheme: Scheme, material: f64) -> f64 {
    let (model, state) = drum(1.1);
    let fastest = taut::doctor::Frequency::of(&model, &state).upper;
    let time = 0.4;
    let truth = exact(&model, &state, material, time);
    let mut points = Vec::new();
    for n in [1.0, 2.0, 4.0, 8.0] {
        let steps = (time * fastest / 0.1).ceil() * n;
        let h = time / steps;
        assert!(h * fastest <= 0.1);
        let settings = Settings {
            damping: Damping { material, ..Damping::default() },
            ..Settings::without_contact(method.clone(), h)
        };
        let mut simulation = Simulation::with_state(model.clone(), state.clone(), settings).unwrap();
        simulation.configure(Settings { scheme, ..simulation.settings().clone() }).unwrap();
        let mut explicit = None;
        for _ in 0..steps as usize {
            let now = simulation.step().unwrap().solve.explicit_springs;
            assert_eq!(*explicit.get_or_insert(now), now, "the split is frozen");
        }
        points.push((h.ln(), distance(simulation.positions(), &truth).ln()));
    }
    let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let above: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    above / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

#[test]
fn euler_variants_are_of_first_order_and_bdf2_is_of_second() {
    for (method, material) in [
        (Method::BaraffWitkin(TIGHT), 0.0),
        (Method::BaraffWitkin(TIGHT), 1e-3),
        (Method::BaraffWitkin(ImexSettings { newton: 20, ..TIGHT }), 0.0),
        (Method::StaticImex(TIGHT), 0.0),
        (Method::StaticImex(TIGHT), 1e-3),
        (Method::AdaptiveImex(TIGHT), 0.0),
    ] {
        let slope = order(&method, Scheme::ImplicitEuler, material);
        println!("{slope:.3} {method:?}");
        assert!((0.9..=1.1).contains(&slope), "{slope} for {method:?}");
    }
    // One iteration leaves out how dampers turn.
    for (newton, material, wanted) in [(1, 0.0, 2.0), (20, 0.0, 2.0), (1, 0.03, 1.0), (20, 0.03, 2.0)] {
        let settings = ImexSettings { newton, ..TIGHT };
        let slope = order(&Method::BaraffWitkin(settings), Scheme::Bdf2, material);
        println!("{slope:.3} BDF2 with {newton}, β = {material} s");
        assert!((slope - wanted).abs() <= 0.2, "{slope} for {newton} iterations, β = {material} s");
    }
}
