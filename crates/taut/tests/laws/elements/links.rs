//! Links: those that are springs, position-based dynamics, seams, attachments, bad input.

use super::{DAMPED, linked, minimising};
use crate::common::{Random, distance, take};
use crate::samples::net;
use taut::integrator::objective;
use taut::measure::{angular_momentum, momentum};
use taut::{DVec3, Damping, Link, Method, Model, Scheme, Settings, Simulation, Spring, State, Stop};

/// The model with a link (1, −1) in the place of each spring.
fn as_links(model: &Model) -> Model {
    let link = |s: &Spring| {
        let [a, b] = s.ends;
        Link::new(vec![(a, 1.0), (b, -1.0)], s.rest_length, s.stiffness)
    };
    let links = model.springs.iter().map(link).collect();
    Model { links, springs: Vec::new(), ..model.clone() }
}

/// Value, change, constant matrix and Hessian have the bits of springs, whose passes are in the same order; the gradient
/// has those of the definition in that order.
#[test]
fn a_link_of_two_is_a_spring_to_the_bit() {
    let mut random = Random(8);
    let (mut model, state) = net(&mut random, 40, [0.6, 1.5], true);
    model.springs.iter_mut().step_by(7).for_each(|s| s.rest_length = 0.0);
    let other = as_links(&model);
    for damping in [Damping::default(), DAMPED] {
        let h = 0.02;
        let (mut a, mut b) = (objective(&model, &state, h, &damping), objective(&other, &state, h, &damping));
        let x: Vec<DVec3> = state.positions.iter().map(|x| *x + random.vector(0.05)).collect();
        assert_eq!(a.value(&model, &x).to_bits(), b.value(&other, &x).to_bits());
        if damping == Damping::default() {
            assert_eq!(a.constant(&model).unwrap().upper, b.constant(&other).unwrap().upper);
            assert_eq!(a.constant(&model).unwrap().diagonal, b.constant(&other).unwrap().diagonal);
        }
        let hessian = |g: &taut::energy::Objective, model: &Model| {
            let (pattern, slots) = g.pattern(model);
            let mut hessian = taut::linear::Symmetric::zeros(pattern);
            g.hessian(model, &x, &slots, &mut hessian);
            hessian
        };
        let (one, two) = (hessian(&a, &model), hessian(&b, &other));
        assert_eq!(one.upper, two.upper);
        assert_eq!(one.diagonal, two.diagonal);
        let [mut of_springs, mut of_links] = [(); 2].map(|()| vec![DVec3::ZERO; a.rows.len()]);
        a.gradient(&model, &x, &mut of_springs);
        b.gradient(&other, &x, &mut of_links);
        let largest = of_springs.iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!(distance(&of_springs, &of_links) < 1e-15 * 8.0 * largest);
        if damping == Damping::default() {
            let mut pulls = vec![DVec3::ZERO; model.particles()];
            for s in &model.springs {
                let [a, b] = s.ends.map(|e| e as usize);
                let p = x[a] - x[b];
                let k = s.stiffness;
                let w = if s.rest_length == 0.0 { k } else { k * (1.0 - s.rest_length / p.length()) };
                pulls[a] += w * p;
                pulls[b] -= w * p;
            }
            let plain = b.rows.particles.iter().map(|&i| i as usize);
            let plain: Vec<DVec3> =
                plain.map(|i| model.masses[i] * (x[i] - b.target[i]) + (h * h) * pulls[i]).collect();
            assert_eq!(plain, of_links);
        }
    }
}

/// Every method that takes them, every scheme, with dampers and budgets: the motion of springs.
#[test]
fn links_of_two_move_as_springs() {
    let mut random = Random(9);
    let (model, mut state) = net(&mut random, 25, [0.9, 1.1], false);
    state.velocities.iter_mut().for_each(|v| *v *= 0.2);
    let other = as_links(&model);
    let mut methods: Vec<(Method, Scheme)> =
        Scheme::NAMES.iter().flat_map(|(_, s)| minimising().into_iter().map(|m| (m, *s))).collect();
    let stop = Stop::iterations(30);
    methods.extend([Method::Pbd(stop), Method::Xpbd(stop)].map(|m| (m, Scheme::ImplicitEuler)));
    for (method, scheme) in methods {
        let unconverged = matches!(method, Method::Pbd(_) | Method::Xpbd(_));
        for damping in [Damping::default(), DAMPED] {
            // What dampers take is counted in another way: along where a link ends, not where it begins.
            let conserve = if scheme == Scheme::Bdf2 || damping == DAMPED { 0.0 } else { 1.0 };
            let settings =
                || Settings { scheme, damping, conserve, ..Settings::without_contact(method.clone(), 0.01) };
            let end = |model: &Model| {
                let mut simulation =
                    Simulation::with_state(model.clone(), state.clone(), settings()).unwrap();
                let missing: f64 =
                    (0..4).map(|_| simulation.step().unwrap().missing_energy.unwrap_or(0.0)).sum();
                (simulation.positions().to_vec(), missing, simulation.energy().total())
            };
            let ((a, lacks, energy), (b, also, and)) = (end(&model), end(&other));
            let error = distance(&a, &b) / model.size();
            println!("{method:?} {scheme:?} {:?}: {error:.1e}", damping.material);
            // Position-based methods visit springs by colour.
            assert!(error < if unconverged { 3e-2 } else { 1e-7 }, "{method:?} {scheme:?}: {error:e}");
            if !unconverged {
                assert!((lacks - also).abs() < 1e-6 * energy.abs().max(lacks.abs()), "{lacks} {also}");
                assert!((energy - and).abs() < 1e-6 * energy.abs());
            }
        }
    }
}

/// What position-based dynamics with compliance converges to is the implicit step, for links of many particles too.
#[test]
fn xpbd_converges_to_the_implicit_step() {
    let mut model = linked(&mut Random(4), 12, 0.1);
    // Links that push are treated as published, and end elsewhere.
    model.links.iter_mut().for_each(|link| link.rest_length *= 0.6);
    let mut state = State::at_rest(&model);
    state.pin(0);
    state.velocities.iter_mut().skip(1).for_each(|v| *v = DVec3::new(0.1, -0.2, 0.3));
    let after = |method: Method| {
        let mut simulation =
            Simulation::with_state(model.clone(), state.clone(), Settings::without_contact(method, 0.005))
                .unwrap();
        take(&mut simulation, 1);
        simulation.positions().to_vec()
    };
    let exact = after(Method::newton());
    let errors = [10, 1000].map(|n| distance(&after(Method::Xpbd(Stop::iterations(n))), &exact));
    println!("{errors:?}");
    assert!(errors[1] < 1e-9 * model.size() && errors[0] > errors[1], "{errors:?}");
}

#[test]
fn seams_close_and_keep_momentum() {
    // Two rows of particles side by side, each row a chain.
    let rest: Vec<DVec3> =
        (0..12).map(|i| DVec3::new(0.1 * f64::from(i % 6), 0.2 * f64::from(i / 6), 0.0)).collect();
    let chain = |i: u32| Spring::new(i, i + 1, 0.1, 500.0);
    let springs = (0..5).chain(6..11).map(chain).collect();
    let mut model = Model { masses: vec![0.01; 12], rest, springs, ..Model::default() };
    model.gravity = DVec3::ZERO;
    let (first, second): (Vec<u32>, Vec<u32>) = ((0..6).collect(), (6..12).collect());
    model.sew(&first, &second, 200.0, 0.1, 0.5).unwrap();
    let state = State::at_rest(&model);
    let damping = Damping { material: 0.05, ..Damping::default() };
    let settings = Settings { damping, ..Settings::without_contact(Method::newton(), 1.0 / 60.0) };
    let mut simulation = Simulation::with_state(model.clone(), state, settings).unwrap();
    let gap = |x: &[DVec3]| (0..6).map(|i| x[i].distance(x[i + 6])).fold(0.0, f64::max);
    take(&mut simulation, 6);
    assert!((gap(simulation.positions()) - 0.2).abs() < 1e-12, "not before its time");
    take(&mut simulation, 15);
    let halfway = gap(simulation.positions());
    assert!((0.08..0.18).contains(&halfway), "{halfway}");
    take(&mut simulation, 400);
    assert!(gap(simulation.positions()) < 1e-9, "{:e}", gap(simulation.positions()));
    assert!(momentum(&model, simulation.state()).length() < 1e-12);
    assert!(angular_momentum(&model, simulation.state()).length() < 1e-12);
    let odd = model.sew(&first, &second[1..], 200.0, 0.0, 1.0).unwrap_err().to_string();
    assert!(odd.contains("6 and 5 particles"), "{odd}");
}

/// A pendulum that hangs on a triangle which flies and spins: both momenta of the whole are kept.
#[test]
fn attachments_hold_and_keep_both_momenta() {
    let rest =
        vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.25, 0.25, 0.0), DVec3::new(0.25, 0.25, -0.5)];
    let edges = [(0, 1, 1.0), (1, 2, 2f64.sqrt()), (2, 0, 1.0), (3, 4, 0.5)];
    let springs = edges.map(|(a, b, r)| Spring::new(a, b, r, 1e3)).to_vec();
    let mut model = Model { masses: vec![0.1; 5], rest, springs, ..Model::default() };
    model.links.push(Link::attachment(3, &[(0, 0.5), (1, 0.25), (2, 0.25)], 1e4));
    model.gravity = DVec3::ZERO;
    let mut state = State::at_rest(&model);
    let mut random = Random(6);
    state.velocities.iter_mut().for_each(|v| *v = random.vector(1.0));
    let begin = (momentum(&model, &state), angular_momentum(&model, &state));
    for h in [1e-3, 5e-4] {
        // The midpoint rule keeps angular momentum.
        let settings =
            Settings { scheme: Scheme::Midpoint, ..Settings::without_contact(Method::newton(), h) };
        let mut simulation = Simulation::with_state(model.clone(), state.clone(), settings).unwrap();
        take(&mut simulation, 200);
        let end = (momentum(&model, simulation.state()), angular_momentum(&model, simulation.state()));
        assert!((begin.0 - end.0).length() < 1e-12 && (begin.1 - end.1).length() < 1e-9, "{begin:?} {end:?}");
        assert!(model.links[0].vector(simulation.positions()).length() < 5e-3);
    }
}

#[test]
fn what_links_cannot_be_is_said() {
    let model =
        Model { masses: vec![1.0; 3], rest: vec![DVec3::ZERO, DVec3::X, DVec3::Y], ..Model::default() };
    let two = || vec![(0, 1.0), (1, -1.0)];
    let closing = |from, until| Link { closing: Some((from, until)), ..Link::new(two(), 1.0, 1.0) };
    let cases = [
        (Link::new(vec![(0, 1.0)], 0.0, 1.0), "has 1 particles"),
        (Link::new(vec![(0, 1.0), (7, -1.0)], 0.0, 1.0), "uses particle 7, but there are only 3"),
        (Link::attachment(1, &[(1, 1.0)], 1.0), "uses particle 1 twice"),
        (Link::new(vec![(0, 1.0), (1, -0.9)], 0.0, 1.0), "its weights sum to 0.0"),
        (Link::new(vec![(0, f64::NAN), (1, -1.0)], 0.0, 1.0), "the weight of particle 0 is NaN"),
        (Link::new(two(), 0.0, -1.0), "stiffness is -1 N/m"),
        (Link::new(two(), f64::INFINITY, 1.0), "rest length is inf m"),
        (closing(2.0, 2.0), "closes from 2 s until 2 s"),
    ];
    for (link, words) in cases {
        let mut model = model.clone();
        model.links = vec![Link::new(two(), 0.0, 1.0), link];
        let said = model.validate().unwrap_err().to_string();
        assert!(said.contains("link 1") && said.contains(words), "{said}");
    }
}

#[test]
fn methods_that_know_springs_only_say_so() {
    let model = linked(&mut Random(1), 6, 0.1);
    for name in ["baraff_witkin", "static_imex", "adaptive_imex"] {
        let settings = Settings::without_contact(name.parse().unwrap(), 0.01);
        let said = Simulation::new(model.clone(), settings).err().expect("refused").to_string();
        assert!(said.contains(name) && said.contains("link 0") && said.contains("newton"), "{said}");
    }
    let damping = Damping { material: 0.1, ..Damping::default() };
    let settings =
        Settings { damping, ..Settings::without_contact("symplectic_euler".parse().unwrap(), 0.01) };
    let said = Simulation::new(model, settings).err().expect("refused").to_string();
    assert!(said.contains("damping.material") && said.contains("other elements"), "{said}");
    let solid = super::blocks(&mut Random(1), 1, 0.1, 1e4, 0.3);
    for name in ["pbd", "xpbd", "baraff_witkin"] {
        let settings = Settings::without_contact(name.parse().unwrap(), 0.01);
        let said = Simulation::new(solid.clone(), settings).err().expect("refused").to_string();
        assert!(said.contains(name) && said.contains("block 0"), "{said}");
    }
}
