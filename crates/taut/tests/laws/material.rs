//! Material damping inside g: each spring that is not slack resists its rate of stretch with βk. Every method means the
//! same by it, every time scheme keeps its order, and every minimiser finds the same step at any β.

use crate::bodies::tangle;
use crate::common::{Random, distance, take};
use crate::imex_order::drum;
use crate::imex_order::exact;
use crate::samples::{accelerated, net, slacken};
use taut::measure::{angular_momentum, momentum};
use taut::shapes::Grid;
use taut::{
    DVec3, Damping, Explicit, ImexSettings, Method, Model, Scheme, Settings, Simulation, Spring, SpringKind,
    State, Stop,
};

/// With material damping β \[s\].
fn damped(model: &Model, state: &State, method: Method, scheme: Scheme, beta: f64, h: f64) -> Simulation {
    let damping = Damping { material: beta, ..Damping::default() };
    let settings = Settings { damping, scheme, ..Settings::without_contact(method, h) };
    Simulation::with_state(model.clone(), state.clone(), settings).unwrap()
}

fn euler(model: &Model, state: &State, method: Method, beta: f64, h: f64) -> Simulation {
    damped(model, state, method, Scheme::ImplicitEuler, beta, h)
}

/// Two particles a metre apart drift together on a spring of two metres: they fly freely.
#[test]
fn slack_springs_do_not_damp() {
    let kinds = [
        (SpringKind::ExtensionOnly, 2.0),
        // A strip that is longer than at rest.
        (Spring::bend(0, 1, 0.25, 1e-3, 100.0).kind, 0.25),
    ];
    for (kind, length) in kinds {
        let spring = Spring { kind, ..Spring::new(0, 1, length, 100.0) };
        let rest = vec![-0.5 * DVec3::X, 0.5 * DVec3::X];
        let model = Model {
            masses: vec![1.0; 2],
            rest,
            springs: vec![spring],
            gravity: DVec3::ZERO,
            ..Model::default()
        };
        let mut state = State::at_rest(&model);
        state.velocities = vec![0.25 * DVec3::X, -0.25 * DVec3::X];
        let methods =
            ["newton", "local_global", "hybrid", "symplectic_euler", "baraff_witkin", "xpbd", "pbd"];
        for method in methods.map(|word| word.parse::<Method>().unwrap()) {
            if method.suits(&model).is_err() {
                continue;
            }
            let mut simulation = euler(&model, &state, method.clone(), 0.02, 0.01);
            take(&mut simulation, 100);
            let off = (simulation.positions()[1] - 0.25 * DVec3::X).length();
            assert!(off <= 1e-13, "{kind:?}, {}: {off:e}", method.name());
        }
    }
}

/// A cloth whose stretch springs only pull and whose bend springs buckle, thrown: methods that have nothing in common
/// but the equations agree better and better.
#[test]
fn newton_and_baraff_witkin_mean_the_same() {
    let grid = Grid { columns: 9, rows: 8, mass: 0.2, ..Grid::default() }.choi_ko(1e-4);
    let model = grid.build().unwrap();
    let mut state = State::at_rest(&model);
    for (x, v) in state.positions.iter().zip(&mut state.velocities) {
        *v = DVec3::new(-0.5 * x.x, (4.0 * x.x).sin() * (3.0 * x.z).cos(), 0.3 * x.x - 0.6 * x.z);
    }
    [0, 8].into_iter().for_each(|i| state.pin(i));
    let apart = |parts: usize| {
        let tight = ImexSettings { tolerance: 1e-12, ..ImexSettings::default() };
        let [a, b] = [Method::newton(), Method::BaraffWitkin(tight)].map(|method| {
            let mut simulation = euler(&model, &state, method, 0.02, 0.01 / parts as f64);
            take(&mut simulation, 20 * parts);
            simulation.positions().to_vec()
        });
        distance(&a, &b)
    };
    let apart = [2, 8, 32].map(apart);
    println!("{apart:?}");
    assert!(apart[1] < 0.4 * apart[0] && apart[2] < 0.4 * apart[1] && apart[2] < 1e-3, "{apart:?}");
}

/// Stiff and strongly damped: 100 products with the dampers' matrix were not enough here.
#[test]
fn every_minimiser_finds_the_damped_step() {
    let (mut model, state) = net(&mut Random(7), 30, [0.8, 1.2], true);
    slacken(&mut model);
    for scheme in [Scheme::ImplicitEuler, Scheme::Bdf2, Scheme::Midpoint] {
        for beta in [1e-3, 0.1] {
            // The second step of BDF2 looks back.
            let answer = |method: Method| {
                let mut simulation = damped(&model, &state, method, scheme, beta, 0.002);
                take(&mut simulation, 3);
                simulation.positions().to_vec()
            };
            let reference = answer(Method::newton());
            let start = distance(&reference, &state.positions);
            let mut methods = accelerated(Stop::iterations(2000)).to_vec();
            methods.extend([Method::LocalGlobal(Stop::iterations(20_000)), Method::hybrid()]);
            for method in methods {
                let off = distance(&answer(method.clone()), &reference) / start;
                println!("{} {} β {beta}: {off:e}", scheme.name(), method.name());
                assert!(off <= 1e-9, "{} {} β {beta}: {off:e}", scheme.name(), method.name());
            }
        }
    }
}

/// Damping at any iteration count keeps P; a converged step makes no L.
#[test]
fn momentum_is_kept() {
    for (k, beta) in [(1e2, 1.0), (1e4, 1e-2), (1e6, 1e-4), (1e6, 1.0)] {
        for method in ["newton", "local_global", "conjugate_gradient", "xpbd"] {
            let mut random = Random(24);
            let model = tangle(&mut random, 12, k);
            let mut state = State::at_rest(&model);
            state.velocities.iter_mut().for_each(|v| *v = random.vector(2.0));
            let mut simulation = euler(&model, &state, method.parse().unwrap(), beta, 1.0 / 30.0);
            let size: f64 = model.masses.iter().zip(&state.velocities).map(|(m, v)| m * v.length()).sum();
            take(&mut simulation, 30);
            let lost = momentum(&model, simulation.state()) - momentum(&model, &state);
            assert!(lost.length() <= 1e-12 * size, "{method}, k {k}, β {beta}: {lost}");
        }
    }
}

/// Even flight and even spin about an axis of inertia last: no spring changes its length.
#[test]
fn rigid_motions_are_left_alone() {
    let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into()) - 0.5;
    let rest: Vec<DVec3> = (0..8).map(corner).collect();
    let pairs = (0..8u32).flat_map(|b| (0..b).map(move |a| [a, b]));
    let length = |[a, b]: [u32; 2]| rest[a as usize].distance(rest[b as usize]);
    let springs = pairs.map(|ends| Spring::new(ends[0], ends[1], length(ends), 1e3)).collect();
    let model = Model { masses: vec![0.1; 8], rest, springs, gravity: DVec3::ZERO, ..Model::default() };
    let mut state = State::at_rest(&model);
    let (drift, spin) = (DVec3::new(1.0, -3.0, 2.0), DVec3::new(0.0, 0.5, 0.0));
    state.velocities.iter_mut().zip(&model.rest).for_each(|(v, &x)| *v = drift + spin.cross(x));
    // What the schemes do to a spinning body without damping; with it they do no more, but for what they stretch it by.
    for (scheme, most) in [(Scheme::ImplicitEuler, 1e-3), (Scheme::Bdf2, 1e-3), (Scheme::Midpoint, 1e-5)] {
        let end = |beta| {
            let mut simulation = damped(&model, &state, Method::newton(), scheme, beta, 0.01);
            take(&mut simulation, 100);
            let l = angular_momentum(&model, simulation.state())
                - simulation.positions().iter().sum::<DVec3>().cross(0.1 * drift);
            (simulation.positions().to_vec(), l)
        };
        let ((free, l), (damped, damped_l)) = (end(0.0), end(0.1));
        println!("{}: {:e}, L {l} {damped_l}", scheme.name(), distance(&free, &damped));
        assert!(distance(&free, &damped) <= most, "{}: {:e}", scheme.name(), distance(&free, &damped));
    }
}

/// On a spring without rest length, one end fixed: (1 + hβω² + h²ω²) x⁺ = (1 + hβω²) x + h v.
#[test]
fn a_damped_oscillator_is_that_of_backward_euler() {
    let springs = vec![Spring::new(0, 1, 0.0, 50.0)];
    let (masses, rest) = (vec![1.0, 0.5], vec![DVec3::ZERO, DVec3::X]);
    let model = Model { masses, rest, springs, gravity: DVec3::ZERO, ..Model::default() };
    let mut state = State::at_rest(&model);
    state.pin(0);
    let (h, w2) = (0.02, 100.0);
    // ω = 10/s: from β = 0.2 s on it creeps and never crosses the origin, where its length would turn.
    for beta in [0.2, 1.0, 30.0] {
        for method in ["newton", "hybrid", "xpbd"].map(|word| word.parse::<Method>().unwrap()) {
            let mut simulation = euler(&model, &state, method.clone(), beta, h);
            let (mut x, mut v) = (1.0, 0.0);
            for n in 0..50 {
                let next = ((1.0 + h * beta * w2) * x + h * v) / (1.0 + h * beta * w2 + h * h * w2);
                (x, v) = (next, (next - x) / h);
                simulation.step().unwrap();
                let energy = simulation.energy();
                let expected = 0.25 * v * v + 25.0 * x * x;
                let off = (energy.kinetic + energy.elastic) / expected - 1.0;
                assert!(off.abs() <= 1e-10, "{}, β {beta}, step {n}: {off:e}", method.name());
            }
        }
    }
}

/// Slope of log error over log h against Runge–Kutta, over h, h/2, h/4, h/8.
fn order(method: &Method, scheme: Scheme, beta: f64) -> f64 {
    let ((model, state), time) = (drum(0.9), 0.1);
    let truth = exact(&model, &state, beta, time);
    let error = |n: usize| {
        let steps = 40 * n;
        let mut simulation = damped(&model, &state, method.clone(), scheme, beta, time / steps as f64);
        take(&mut simulation, steps);
        distance(simulation.positions(), &truth).log2()
    };
    let errors = [1, 2, 4, 8].map(error);
    let slope = (3.0 * (errors[0] - errors[3]) + (errors[1] - errors[2])) / 10.0;
    println!("{} {} β {beta}: {errors:.3?}, {slope:.3}", method.name(), scheme.name());
    slope
}

#[test]
fn schemes_keep_their_order_under_damping_and_where_springs_push() {
    let once = Method::BaraffWitkin(ImexSettings { tolerance: 1e-13, ..ImexSettings::default() });
    let newton_imex =
        Method::BaraffWitkin(ImexSettings { tolerance: 1e-13, newton: 20, ..ImexSettings::default() });
    for beta in [0.0, 0.05] {
        for (method, scheme, low, high) in [
            (Method::newton(), Scheme::ImplicitEuler, 0.9, 1.1),
            (Method::newton(), Scheme::Bdf2, 1.9, 2.1),
            (Method::newton(), Scheme::Midpoint, 1.9, 2.1),
            (newton_imex.clone(), Scheme::Bdf2, 1.9, 2.1),
            // One iteration leaves out part of the stiffness of springs that push.
            (once.clone(), Scheme::Bdf2, 0.8, 1.2),
            (Method::Explicit(Explicit::SymplecticEuler), Scheme::ImplicitEuler, 0.9, 1.1),
        ] {
            let slope = order(&method, scheme, beta);
            assert!((low..=high).contains(&slope), "{} {} β {beta}: {slope}", method.name(), scheme.name());
        }
    }
}
