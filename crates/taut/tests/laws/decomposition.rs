//! Implicit–explicit steps decomposed into components against their undecomposed and serial selves, and under filters.

use crate::common::{Random, distance};
use crate::imex::TIGHT;
use crate::samples::answer;
use taut::shapes::Grid;
use taut::{
    Contact, DVec3, Damping, Filter, ImexSettings, Method, Model, Scene, Scheme, Settings, Simulation, State,
    measure,
};

/// Choi–Ko cloth that falls apart into many components: crumpled, so that springs are slack, and pinned along its
/// two middle columns.
pub fn crumpled(side: usize) -> (Model, State) {
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

/// [BA04]: arm bend saves 35–50 % of the rows, against a solver that keeps constrained particles as rows.
#[test]
fn on_the_arm_it_saves_what_the_paper_says() {
    let count = |decompose| {
        let mut scene = Scene::load("arm_bend").unwrap();
        scene.settings.method.imex_mut().unwrap().decompose = decompose;
        let (mut simulation, mut iterations, mut rows) = (scene.simulation().unwrap(), 0, 0);
        for _ in 0..(0.4 / scene.time_step()).round() as usize {
            let solve = simulation.step().unwrap().solve;
            iterations += solve.linear_iterations;
            rows += solve.rows_multiplied;
        }
        [(iterations * scene.model.particles()) as f64, rows as f64]
    };
    let ([all, whole], [_, apart]) = (count(false), count(true));
    println!("{:.1} % of all rows, {:.1} % of free ones", 100.0 * apart / all, 100.0 * apart / whole);
    assert!((0.5..=0.65).contains(&(apart / all)) && apart < 0.95 * whole, "{apart} of {all}, {whole}");
}

#[test]
fn components_in_parallel_give_the_same_bits() {
    let (model, state) = crumpled(61);
    let run = || {
        let method = Method::AdaptiveImex(ImexSettings::default());
        let settings = Settings::without_contact(method, 1.0 / 100.0);
        let mut simulation = Simulation::with_state(model.clone(), state.clone(), settings).unwrap();
        let mut step = || {
            let components = simulation.step().unwrap().solve.components;
            assert!(components > 1);
            measure::hash(simulation.state())
        };
        (0..5).map(|_| step()).collect::<Vec<_>>()
    };
    let serial = taut::serially(run);
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(run), serial, "{threads} threads");
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
            let before = state.velocities[0];
            let mut contact: Vec<Contact> = contact_like(filter, before).into_iter().collect();
            if !contact.is_empty() {
                state.filters[0] = Filter::Free;
            }
            integrator
                .step(
                    &model,
                    &mut state,
                    taut::integrator::Contacts { single: &mut contact, near: None },
                    0.01,
                )
                .unwrap();
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
            // The force of the filter, by Newton's second law, and as a contact of that kind reports it.
            let reaction = 2.0 * ((state.velocities[0] - before) / 0.01 - model.gravity);
            assert!((reaction - holds).length() < 1e-11 * holds.length(), "{filter:?}: {reaction} {holds}");
            if let Some(contact) = contact.first() {
                let told = contact.reaction;
                assert!(contact.held && (told - holds).length() < 1e-12 * holds.length(), "{told} {holds}");
            }
        }
    }
}

/// A contact that lets particle 0 do what a filter does; it begins with the velocity it has.
fn contact_like(filter: Filter, velocity: DVec3) -> Option<Contact> {
    let contact = Contact { velocity, ..Contact::of_particle(0, 0) };
    match filter {
        Filter::Plane { normal, through } => Some(Contact { normal, place: through, ..contact }),
        Filter::Pinned(place) => Some(Contact { place, slides: false, ..contact }),
        _ => None,
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
