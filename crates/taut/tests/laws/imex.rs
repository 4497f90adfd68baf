//! Implicit–explicit steps on velocities: against Newton's method on g where both solve the same equations, against
//! Runge–Kutta for their order in h, against their undecomposed and serial selves, under filters.

use crate::common::{Random, distance};
use crate::samples::{answer, net};
use taut::linear::Preconditioner;
use taut::shapes::Grid;
use taut::{
    DVec3, Damping, Filter, ImexSettings, LinearSolver, Method, Model, Scene, Scheme, Simulation, Spring,
    SpringKind, State, measure,
};

const TIGHT: ImexSettings = ImexSettings {
    preconditioner: Preconditioner::Modified,
    decompose: true,
    tolerance: 1e-14,
    newton: 1,
    guess: false,
};

/// A net whose springs are all taut, so that no Jacobian is clamped.
fn taut_net(random: &mut Random) -> (Model, State) {
    net(random, 30, [0.5, 0.9], true)
}

#[test]
fn with_taut_springs_it_is_the_first_newton_step_and_iterated_it_is_newton() {
    let mut random = Random(31);
    for _ in 0..10 {
        let (model, state) = taut_net(&mut random);
        let h = 1.0 / 60.0;
        let size = model.size();
        let (first, _) = answer(&Method::SemiImplicit(LinearSolver::Cholesky), &model, &state, h);
        let (x, solve) = answer(&Method::BaraffWitkin(TIGHT), &model, &state, h);
        assert!(distance(&x, &first) < 1e-12 * size, "{:e}", distance(&x, &first) / size);
        assert_eq!((solve.iterations, solve.explicit_springs), (1, 0));
        // Short enough steps for the springs to stay taut on the way.
        let h = 1.0 / 600.0;
        let (exact, _) = answer(&Method::newton(), &model, &state, h);
        let (x, solve) =
            answer(&Method::BaraffWitkin(ImexSettings { newton: 30, ..TIGHT }), &model, &state, h);
        assert!(distance(&x, &exact) < 1e-11 * size, "{:e}, {solve:?}", distance(&x, &exact) / size);
        assert!(solve.iterations < 30, "{solve:?}");
    }
}

/// Grid stretched by a tenth and held at its rim, thrown smoothly: no spring goes slack.
fn drum() -> (Model, State) {
    let grid =
        Grid { columns: 6, rows: 6, mass: 3.6, stretch: 100.0, shear: 40.0, bend: 10.0, ..Grid::default() };
    let model = grid.build().unwrap();
    let mut state = State::at_rest(&model);
    for i in 0..36 {
        let (r, c) = (i / 6, i % 6);
        state.positions[i] *= 1.1;
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
fn exact(model: &Model, state: &State, damping: f64, time: f64) -> Vec<DVec3> {
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
    let (model, state) = drum();
    let fastest = taut::doctor::Frequency::of(&model, &state).upper;
    let time = 0.4;
    let truth = exact(&model, &state, material, time);
    let mut points = Vec::new();
    for n in [1.0, 2.0, 4.0, 8.0] {
        let steps = (time * fastest / 0.1).ceil() * n;
        let h = time / steps;
        assert!(h * fastest <= 0.1);
        let mut simulation = Simulation::with_state(model.clone(), state.clone(), method.clone(), h).unwrap();
        simulation.configure(method.clone(), Damping { material, ..Damping::default() }, h).unwrap();
        simulation.set_scheme(scheme).unwrap();
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
    for newton in [1, 20] {
        let settings = ImexSettings { newton, ..TIGHT };
        let slope = order(&Method::BaraffWitkin(settings), Scheme::Bdf2, 0.0);
        println!("{slope:.3} BDF2 with {newton}");
        assert!((1.8..=2.2).contains(&slope), "{slope} for {newton} iterations");
    }
}

/// Choi–Ko cloth that falls apart into many components: crumpled, so that springs are slack, and pinned along its
/// two middle columns.
fn crumpled(side: usize) -> (Model, State) {
    let model =
        Grid { columns: side, rows: side, mass: 0.2, ..Grid::default() }.choi_ko(1e-7).build().unwrap();
    let mut state = State::at_rest(&model);
    let mut random = Random(side as u64);
    let cell = 1.0 / (side - 1) as f64;
    state.positions.iter_mut().for_each(|p| *p += random.vector(0.2 * cell));
    state.velocities.iter_mut().for_each(|v| *v = random.vector(0.2));
    // Two columns: bend springs reach over one.
    let middle = move |i: usize| (side / 2..side / 2 + 2).contains(&(i % side));
    (0..side * side).filter(|&i| middle(i)).for_each(|i| state.pin(i));
    for i in (0..side * side).filter(|&i| i % 7 == 3 && !middle(i)) {
        let axis = random.vector(1.0);
        state.filters[i] = match i % 3 {
            0 => Filter::Plane { normal: axis, through: state.positions[i] },
            1 => Filter::Line { direction: axis, through: state.positions[i] },
            _ => Filter::Free,
        };
    }
    (model, state)
}

#[test]
fn decomposed_it_gives_the_same_answer_with_fewer_rows_multiplied() {
    let (model, state) = crumpled(25);
    type Make = fn(ImexSettings) -> Method;
    let makes: [Make; 3] = [Method::BaraffWitkin, Method::StaticImex, Method::AdaptiveImex];
    for make in makes {
        let (whole, together) =
            answer(&make(ImexSettings { decompose: false, ..TIGHT }), &model, &state, 1.0 / 100.0);
        let (parts, apart) = answer(&make(TIGHT), &model, &state, 1.0 / 100.0);
        let error = distance(&parts, &whole) / model.size();
        println!(
            "{error:e}, {} components, {} of {} rows",
            apart.components, apart.rows_multiplied, together.rows_multiplied
        );
        assert!(error <= 1e-12, "{error:e}");
        assert!(together.components == 1 && apart.components > 1, "{apart:?}");
        assert!(apart.rows_multiplied < together.rows_multiplied);
    }
}

#[test]
fn components_in_parallel_give_the_same_bits() {
    let (model, state) = crumpled(61);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let method = Method::AdaptiveImex(ImexSettings::default());
            let mut simulation =
                Simulation::with_state(model.clone(), state.clone(), method, 1.0 / 100.0).unwrap();
            let mut step = || {
                let components = simulation.step().unwrap().solve.components;
                assert!(components > 1);
                measure::hash(simulation.state())
            };
            (0..5).map(|_| step()).collect::<Vec<_>>()
        })
    };
    let serial = run(1);
    for threads in [2, 3, 8] {
        assert_eq!(run(threads), serial, "{threads} threads");
    }
}

#[test]
fn filters_hold_exactly_and_what_they_exert_is_reported() {
    let slope = DVec3::new(3.0, 4.0, 0.0);
    for (filter, along) in [
        (Filter::Plane { normal: slope, through: DVec3::ZERO }, DVec3::new(4.0, -3.0, 0.0) / 5.0),
        (
            Filter::Line { direction: DVec3::new(4.0, -3.0, 0.0), through: DVec3::ZERO },
            DVec3::new(4.0, -3.0, 0.0) / 5.0,
        ),
        (Filter::Plane { normal: DVec3::Y, through: DVec3::ZERO }, DVec3::ZERO),
        (Filter::Pinned(DVec3::ZERO), DVec3::ZERO),
    ] {
        let model = Model { masses: vec![2.0], rest: vec![DVec3::ZERO], ..Model::default() };
        let mut state = State::at_rest(&model);
        state.filters[0] = filter;
        let mut integrator =
            Method::BaraffWitkin(TIGHT).integrator(Damping::default(), Scheme::default(), Default::default());
        integrator.prepare(&model, &state, 0.01).unwrap();
        for n in 1..=100 {
            integrator.step(&model, &mut state, 0.01).unwrap();
            // Sliding freely it gains g sin θ h in each step.
            let expected = model.gravity.dot(along) * along * 0.01 * f64::from(n);
            assert!(
                (state.velocities[0] - expected).length() <= 1e-13,
                "{filter:?}: {}",
                state.velocities[0]
            );
            let off = match filter {
                Filter::Plane { normal, .. } => {
                    normal.normalize() * normal.normalize().dot(state.positions[0])
                }
                Filter::Line { direction: d, .. } => {
                    state.positions[0] - d.normalize() * d.normalize().dot(state.positions[0])
                }
                _ => state.positions[0],
            };
            assert!(
                off.length() <= 8.0 * f64::EPSILON / 2.0 * state.positions[0].length(),
                "{filter:?}: {off}"
            );
            let holds = -2.0 * (model.gravity - model.gravity.dot(along) * along);
            let reaction = integrator.reactions().unwrap()[0];
            assert!((reaction - holds).length() < 1e-12 * holds.length(), "{filter:?}: {reaction} {holds}");
        }
    }
}

#[test]
fn planes_along_axes_are_exact_in_a_cloth() {
    let (model, mut state) = crumpled(13);
    let free: Vec<usize> = (0..169).filter(|&i| !state.filters[i].is_pinned()).collect();
    for &i in &free {
        state.filters[i] = Filter::Plane { normal: DVec3::Y, through: DVec3::new(0.0, 0.1, 0.0) };
    }
    let (x, _) = answer(&Method::BaraffWitkin(ImexSettings::default()), &model, &state, 0.01);
    assert!(free.len() == 169 - 26 && free.iter().all(|&i| x[i].y == 0.1));
    // Fully fixed ones where they are wanted, moving or not.
    let fixed = |i: usize| state.filters[i].is_pinned();
    assert!((0..169).filter(|&i| fixed(i)).all(|i| state.filters[i] == Filter::Pinned(x[i])));
}

#[test]
fn the_criterion_splits_by_stiffness_and_step() {
    let grid =
        Grid { columns: 9, rows: 9, mass: 0.81, stretch: 1000.0, shear: 10.0, bend: 1.0, ..Grid::default() };
    let model = grid.build().unwrap();
    let edges = 2 * 9 * 8;
    let explicit = |h: f64, damping: f64| {
        let mut simulation =
            Simulation::new(model.clone(), Method::named("adaptive_imex").unwrap(), h).unwrap();
        let damping = Damping { material: damping, ..Damping::default() };
        simulation.configure(simulation.method().clone(), damping, h).unwrap();
        simulation.step().unwrap().solve.explicit_springs
    };
    // σ = h²k/m with m = 0.01 kg: stretch passes 0.2 at h = 1.41 ms, shear at 14.1 ms, bend at 44.7 ms.
    assert_eq!(explicit(1.0e-3, 0.0), model.springs.len());
    assert_eq!(explicit(2.0e-3, 0.0), model.springs.len() - edges);
    assert_eq!(explicit(20.0e-3, 0.0), 2 * 9 * 7);
    assert_eq!(explicit(50.0e-3, 0.0), 0);
    // A damper counts twice: 2hβk/m at β = 1 ms takes the stretch springs past 0.2 at any h above 0.86 ms.
    assert_eq!(explicit(1.0e-3, 1e-3), model.springs.len() - edges);
}

/// Sixteen springs of σ just below 0.2 each are too many for one particle, and the sum says so.
#[test]
fn a_crowd_of_weak_springs_stays_implicit_and_stable() {
    let mut model =
        Grid { columns: 9, rows: 9, mass: 0.81, bend_diagonals: true, ..Grid::default() }.build().unwrap();
    let h = 1e-2;
    model.springs.iter_mut().for_each(|s| s.stiffness = 0.199 * 0.01 / (h * h));
    let mut state = State::at_rest(&model);
    let mut random = Random(6);
    state.positions.iter_mut().for_each(|p| *p += random.vector(1e-3));
    let method = Method::named("adaptive_imex").unwrap();
    let mut simulation = Simulation::with_state(model, state, method, h).unwrap();
    let first = simulation.step().unwrap().solve;
    assert!(first.explicit_springs > 0 && first.explicit_springs < simulation.model().springs.len());
    let start = simulation.energy().elastic + simulation.energy().kinetic;
    for _ in 0..500 {
        simulation.step().unwrap();
    }
    let (fallen, energy) = (simulation.energy(), simulation.model().gravity.y * 500.0 * h);
    let moving = fallen.kinetic - 0.5 * 0.81 * energy * energy;
    assert!(fallen.elastic < 2.0 * start && moving.abs() < 0.02 * fallen.kinetic, "{fallen:?} from {start}");
}

/// The crumpled cloth with every point and vector multiplied, coordinate by coordinate.
fn mapped(model: &Model, state: &State, by: DVec3) -> (Model, State) {
    let (mut model, mut state) = (model.clone(), state.clone());
    let scale = by.x.abs();
    model.rest.iter_mut().for_each(|p| *p *= by);
    model.gravity *= by;
    for s in &mut model.springs {
        *s = match s.kind {
            SpringKind::Bend { bending, .. } => {
                let [a, b] = s.ends;
                Spring::bend(a, b, s.rest_length * scale, bending * scale.powi(3), s.stiffness)
            }
            _ => s.with_length(s.rest_length * scale),
        };
    }
    state.positions.iter_mut().chain(&mut state.velocities).for_each(|v| *v *= by);
    for filter in &mut state.filters {
        // Directions turn with the mirror; their length is of no account.
        match filter {
            Filter::Free => {}
            Filter::Pinned(z) => *z *= by,
            Filter::Plane { normal: axis, through } | Filter::Line { direction: axis, through } => {
                *axis *= by / scale;
                *through *= by;
            }
        }
    }
    (model, state)
}

#[test]
fn mirrored_and_in_any_unit_of_length_it_moves_the_same_bit_for_bit() {
    let (model, state) = crumpled(9);
    let settings = ImexSettings { guess: true, newton: 2, ..ImexSettings::default() };
    for method in
        [Method::BaraffWitkin(settings), Method::StaticImex(settings), Method::AdaptiveImex(settings)]
    {
        let run = |model: &Model, state: &State| {
            let h = 1.0 / 200.0;
            let mut simulation =
                Simulation::with_state(model.clone(), state.clone(), method.clone(), h).unwrap();
            let damping = Damping { ether: 0.99, rigid: 0.01, material: 1e-4, ..Damping::default() };
            simulation.configure(method.clone(), damping, h).unwrap();
            simulation.set_scheme(Scheme::Bdf2).unwrap();
            for _ in 0..10 {
                simulation.step().unwrap();
            }
            simulation.state().clone()
        };
        let expected = run(&model, &state);
        let mirrors = [[-1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0]].map(DVec3::from_array);
        let scales = [-40, -1, 1, 40].map(|p| DVec3::splat(2f64.powi(p)));
        for by in mirrors.into_iter().chain(scales) {
            let (other, moved) = mapped(&model, &state, by);
            let found = run(&other, &moved);
            assert!(found.positions.iter().zip(&expected.positions).all(|(a, b)| *a == *b * by), "{by}");
            assert!(found.velocities.iter().zip(&expected.velocities).all(|(a, b)| *a == *b * by), "{by}");
        }
    }
}

#[test]
fn scenes_say_what_is_wrong_with_them() {
    let scene = |method: &str, body: &str| {
        let text = format!(
            "[method]\nname = \"adaptive_imex\"\n{method}\n[[body]]\n\
             grid = {{ columns = 7, rows = 7, width = 1.0, height = 1.0 }}\n{body}\n"
        );
        Scene::parse("test", &text, None)
    };
    let good = scene(
        "preconditioner = \"block\"\nscheme = \"bdf2\"\ndecompose = false\nguess = true\niterations = 3",
        "model = \"choi_ko\"\nbending = 1e-5",
    )
    .unwrap();
    let settings = *good.method.clone().imex_mut().unwrap();
    assert_eq!((settings.newton, good.scheme, settings.decompose), (3, Scheme::Bdf2, false));
    assert_eq!((settings.preconditioner, settings.guess), (Preconditioner::Block, true));
    for (method, body, words) in [
        ("preconditioner = \"blok\"", "", ["test:3", "did you mean `block`"]),
        ("scheme = \"midpoint\"", "", ["test:3", "implicit_euler and bdf2"]),
        ("tolerance = 2.0", "", ["test:3", "between 0 and 1"]),
        ("iterations = 0", "", ["test:3", "at least one"]),
        ("budget = 1.0", "", ["test:3", "fixed amount of work"]),
        ("", "model = \"choi_ko\"", ["bending = missing", "above 0"]),
        ("", "bending = 1e-5", ["test:6", "choi_ko"]),
        ("", "model = \"choi\"", ["test:6", "springs, choi_ko"]),
        ("", "model = \"choi_ko\"\nbending = 1e-3\nbend = 0.1", ["4π²k_b/L³", "raise the cap"]),
    ] {
        let error = scene(method, body).unwrap_err().to_string();
        assert!(words.iter().all(|w| error.contains(w)), "{method} {body}: {error}");
    }
    let refused = Scene { method: Method::default(), ..good }.simulation().err().unwrap().to_string();
    assert!(refused.contains(Method::default().name()), "{refused}");
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let refused = |settings: ImexSettings, name: &str| {
        let error = Method::BaraffWitkin(settings).validate().unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    };
    refused(ImexSettings { newton: 0, ..TIGHT }, "iterations");
    for tolerance in [0.0, -1.0, 1.0, f64::NAN, f64::INFINITY] {
        refused(ImexSettings { tolerance, ..TIGHT }, "tolerance");
    }
    let (model, state) = crumpled(9);
    for method in [Method::newton(), Method::SemiImplicit(LinearSolver::Cholesky)] {
        let mut simulation = Simulation::with_state(model.clone(), state.clone(), method, 0.01).unwrap();
        let error = simulation.step().unwrap_err().to_string();
        assert!(error.contains("filter of particle 3") && error.contains("baraff_witkin"), "{error}");
    }
    let mut broken = state;
    broken.filters[5] = Filter::Plane { normal: DVec3::ZERO, through: DVec3::ZERO };
    let error = broken.check_finite().unwrap_err().to_string();
    assert!(error.contains("particle 5"), "{error}");
}
