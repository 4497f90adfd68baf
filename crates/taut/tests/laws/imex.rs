//! Implicit–explicit steps on velocities: against Newton's method on g where both solve the same equations; which springs
//! are explicit; symmetries; what is refused. Their order is in `imex_order`, components and filters in `decomposition`.

use crate::common::{Random, distance};
use crate::decomposition::crumpled;
use crate::samples::{answer, curtain, net};
use taut::linear::Preconditioner;
use taut::shapes::Grid;
use taut::{
    DVec3, Damping, Error, Filter, ImexSettings, LinearSolver, Method, Model, Scene, Scheme, Settings,
    Simulation, Spring, SpringKind, State, measure,
};

pub const TIGHT: ImexSettings = ImexSettings {
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

#[test]
fn the_criterion_splits_by_stiffness_and_step() {
    let grid =
        Grid { columns: 9, rows: 9, mass: 0.81, stretch: 1000.0, shear: 10.0, bend: 1.0, ..Grid::default() };
    let model = grid.build().unwrap();
    let edges = 2 * 9 * 8;
    let explicit = |h: f64, damping: f64| {
        let mut simulation = Simulation::new(
            model.clone(),
            Settings::without_contact("adaptive_imex".parse::<Method>().unwrap(), h),
        )
        .unwrap();
        let damping = Damping { material: damping, ..Damping::default() };
        simulation
            .configure(Settings {
                method: simulation.settings().method.clone(),
                damping,
                time_step: h,
                ..simulation.settings().clone()
            })
            .unwrap();
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
    let method = "adaptive_imex".parse::<Method>().unwrap();
    let mut simulation = Simulation::with_state(model, state, Settings::without_contact(method, h)).unwrap();
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
            let mut simulation = Simulation::with_state(
                model.clone(),
                state.clone(),
                Settings::without_contact(method.clone(), h),
            )
            .unwrap();
            let damping = Damping { ether: 0.99, rigid: 0.01, material: 1e-4, ..Damping::default() };
            simulation
                .configure(Settings {
                    method: method.clone(),
                    damping,
                    time_step: h,
                    ..simulation.settings().clone()
                })
                .unwrap();
            simulation.configure(Settings { scheme: Scheme::Bdf2, ..simulation.settings().clone() }).unwrap();
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
    let settings = *good.settings.method.clone().imex_mut().unwrap();
    assert_eq!((settings.newton, good.settings.scheme, settings.decompose), (3, Scheme::Bdf2, false));
    assert_eq!((settings.preconditioner, settings.guess), (Preconditioner::Block, true));
    for (method, body, words) in [
        ("preconditioner = \"blok\"", "", ["test:3", "did you mean `block`"]),
        ("scheme = \"midpoint\"", "", ["test:3", "implicit_euler or bdf2"]),
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
    let refused = Scene { settings: Settings::without_contact(Method::default(), 1.0), ..good }
        .simulation()
        .err()
        .unwrap()
        .to_string();
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
        let mut simulation =
            Simulation::with_state(model.clone(), state.clone(), Settings::without_contact(method, 0.01))
                .unwrap();
        let error = simulation.step().unwrap_err().to_string();
        assert!(error.contains("filter of particle 3") && error.contains("baraff_witkin"), "{error}");
    }
    let mut broken = state;
    broken.filters[5] = Filter::Plane { normal: DVec3::ZERO, through: DVec3::ZERO };
    let error = broken.check_finite().unwrap_err().to_string();
    assert!(error.contains("particle 5"), "{error}");
}

/// Shear springs as stiff as stretch ones, taken explicitly at a long step: the run ends, and names the spring.
#[test]
fn a_static_split_past_its_limit_ends_in_an_error() {
    let model = Grid { columns: 9, rows: 9, ..Grid::default() }.build().unwrap();
    let mut state = State::at_rest(&model);
    state.pin(0);
    let lost = |method: Method| {
        let mut simulation = Simulation::with_state(
            model.clone(),
            state.clone(),
            Settings::without_contact(method, 1.0 / 30.0),
        )
        .unwrap();
        (0..60).find_map(|_| simulation.step().err())
    };
    let settings = ImexSettings::default();
    let error = lost(Method::StaticImex(settings));
    assert!(matches!(error, Some(Error::Diverged { stretch, .. }) if stretch > 100.0), "{error:?}");
    assert_eq!(lost(Method::AdaptiveImex(settings)), None);
}

/// [BA04]: with half of its springs explicit a sheet held at its middle moves as with all of them implicit, to the eye.
#[test]
fn the_adaptive_split_looks_like_no_split() {
    let fall = |word: &str| {
        let mut scene = Scene::load("centre_pinned").unwrap();
        scene.settings.method = word.parse().unwrap();
        let (mut simulation, mut explicit) = (scene.simulation().unwrap(), 0);
        for _ in 0..(0.2 / scene.time_step()).round() as usize {
            explicit = simulation.step().unwrap().solve.explicit_springs;
        }
        (
            simulation.positions().to_vec(),
            explicit as f64 / scene.model.springs.len() as f64,
            scene.model.size(),
        )
    };
    let ((full, none, size), (adaptive, part, _)) = (fall("baraff_witkin"), fall("adaptive_imex"));
    let mean = full.iter().zip(&adaptive).map(|(a, b)| a.distance(*b)).sum::<f64>() / full.len() as f64;
    let largest = distance(&full, &adaptive);
    println!("mean {:.2e}, largest {:.2e} of the diagonal, {part} explicit", mean / size, largest / size);
    assert!(mean < 5e-4 * size && largest < 3e-3 * size, "{mean} {largest} of {size}");
    assert!(none == 0.0 && part > 0.4, "{part}");
}

/// The curtain of [Liu13] at the step at which one unfiltered Newton step throws it apart (`semi_implicit`): where springs
/// push, the clamp keeps the matrix definite, and with it conjugate gradients and the cloth in one piece.
#[test]
fn springs_that_push_do_not_throw_it_apart() {
    for method in [Method::BaraffWitkin, Method::AdaptiveImex] {
        let (model, state) = curtain(21);
        let method = method(ImexSettings::default());
        let mut simulation =
            Simulation::with_state(model, state, Settings::without_contact(method, 1.0 / 30.0)).unwrap();
        for n in 0..60 {
            let residual = simulation.step().unwrap().solve.residual;
            let longest = *measure::stretch_ratios(simulation.model(), simulation.state()).last().unwrap();
            assert!(residual < 1e-2 && longest < 1.2, "step {n}: {residual:e}, {longest}");
        }
    }
}

/// A mass on one spring with its damper: (m + hc + h²k) v⁺ = m v − hk (x − r), exactly.
#[test]
fn one_damped_spring_moves_as_its_equation_says() {
    let (k, beta, h, m) = (40.0, 0.03, 0.05, 0.7);
    let model = Model {
        masses: vec![1.0, m],
        rest: vec![DVec3::ZERO, DVec3::X],
        springs: vec![Spring::new(0, 1, 1.0, k)],
        gravity: DVec3::ZERO,
        ..Model::default()
    };
    let mut state = State::at_rest(&model);
    state.pin(0);
    (state.positions[1], state.velocities[1]) = (1.2 * DVec3::X, 0.3 * DVec3::X);
    let method = Method::BaraffWitkin(TIGHT);
    let settings = Settings {
        damping: Damping { material: beta, ..Damping::default() },
        ..Settings::without_contact(method.clone(), h)
    };
    let mut simulation = Simulation::with_state(model, state, settings).unwrap();
    simulation.step().unwrap();
    let expected = (m * 0.3 - h * k * 0.2) / (m + h * beta * k + h * h * k);
    let found = simulation.state().velocities[1];
    assert!((found - expected * DVec3::X).length() <= 1e-15 * expected.abs(), "{found} {expected}");
}
