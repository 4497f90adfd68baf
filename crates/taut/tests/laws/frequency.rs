//! ω_max against closed forms, dense eigenvalues and Cholesky; the step limits against explicit runs.

use crate::common::Random;
use taut::Explicit;
use taut::doctor::{Frequency, examine};
use taut::energy::{Objective, Rows};
use taut::linear::{Cholesky, Symmetric};
use taut::shapes::{Diagonals, Grid, Strands, published};
use taut::{DVec3, Model, Spring, SpringKind, State};

/// Particles in a row along X, one metre apart, joined by springs at rest.
fn chain(masses: &[f64], stiffness: &[f64]) -> (Model, State) {
    let rest = (0..masses.len()).map(|i| DVec3::X * i as f64).collect();
    let join = |(i, &k): (usize, &f64)| Spring::new(i as u32, i as u32 + 1, 1.0, k);
    let springs = stiffness.iter().enumerate().map(join).collect();
    let model = Model { masses: masses.to_vec(), rest, springs, ..Model::default() };
    let state = State::at_rest(&model);
    (model, state)
}

/// Not below the truth, and above it by no more than a millionth.
fn safe(found: &Frequency, exact: f64) {
    assert!(found.upper >= exact, "{found:?} is below {exact}");
    assert!(found.upper <= exact * (1.0 + 1e-6), "{found:?} is far above {exact}");
    assert!(found.lower <= exact && found.any_pose >= exact * (1.0 - 1e-15), "{found:?} for {exact}");
}

#[test]
fn one_spring_and_a_free_pair_have_their_textbook_frequencies() {
    let mut random = Random(1);
    for _ in 0..50 {
        let [m1, m2] = [0; 2].map(|_| random.magnitude(1e-9, 1e6));
        let k = random.magnitude(1e-9, 1e12);
        let (model, mut state) = chain(&[m1, m2], &[k]);
        safe(&Frequency::of(&model, &state), (k / m1 + k / m2).sqrt());
        state.pin(0);
        safe(&Frequency::of(&model, &state), (k / m2).sqrt());
    }
}

#[test]
fn chains_have_the_spectrum_of_a_path() {
    for (n, pins) in [(3, 1), (10, 1), (40, 1), (3, 2), (10, 2), (40, 2)] {
        let (m, k) = (0.3, 70.0);
        let (model, mut state) = chain(&vec![m; n + pins], &vec![k; n + pins - 1]);
        state.pin(0);
        // Fixed at both ends: 2 sin(jπ/(2(n+1))); at one end: 2 sin((2j−1)π/(2(2n+1))).
        let angle = if pins == 2 {
            state.pin(n + 1);
            n as f64 / (2 * (n + 1)) as f64
        } else {
            (2 * n - 1) as f64 / (2 * (2 * n + 1)) as f64
        };
        let exact = 2.0 * (k / m).sqrt() * (std::f64::consts::PI * angle).sin();
        safe(&Frequency::of(&model, &state), exact);
    }
}

/// K by central differences of the springs' forces, with clamped transverse terms where they are compressed.
fn dense(model: &Model, state: &State) -> Vec<Vec<f64>> {
    let rows = Rows::new(state);
    let n = 3 * rows.len();
    let mut a = vec![vec![0.0; n]; n];
    for s in &model.springs {
        let (i, j) = s.ab();
        let p = state.positions[i] - state.positions[j];
        // A compressed spring without its compression is one at rest.
        let r = s.rest_length.min(p.length());
        let force = |p: DVec3| s.stiffness * (p.length() - r) * p.normalize();
        for c in 0..3 {
            let e = DVec3::AXES[c] * 1e-5 * p.length();
            let column = (force(p + e) - force(p - e)) / (2.0 * e[c]);
            for d in 0..3 {
                for (u, v, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
                    let (row, col) = (rows.of[u], rows.of[v]);
                    if row != Rows::NONE && col != Rows::NONE {
                        let scale = (model.masses[u] * model.masses[v]).sqrt();
                        a[3 * row as usize + d][3 * col as usize + c] += sign * column[d] / scale;
                    }
                }
            }
        }
    }
    a
}

/// Largest eigenvalue of a symmetric matrix by Jacobi rotations.
fn jacobi(mut a: Vec<Vec<f64>>) -> f64 {
    let n = a.len();
    for _ in 0..12 {
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q] == 0.0 {
                    continue;
                }
                let angle = 0.5 * (2.0 * a[p][q]).atan2(a[q][q] - a[p][p]);
                let (s, c) = angle.sin_cos();
                for row in &mut a {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                let (above, below) = a.split_at_mut(q);
                for (x, y) in above[p].iter_mut().zip(&mut below[0]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
        }
    }
    (0..n).map(|i| a[i][i]).fold(0.0, f64::max)
}

#[test]
fn crumpled_grids_of_uneven_masses_match_dense_eigenvalues() {
    let mut random = Random(2);
    for pins in 0..3 {
        let grid = Grid { columns: 5, rows: 4, diagonals: Diagonals::Both, ..Grid::default() };
        let mut model = grid.build().unwrap();
        model.masses.iter_mut().for_each(|m| *m *= random.magnitude(0.1, 10.0));
        model.springs.iter_mut().for_each(|s| s.stiffness *= random.magnitude(0.1, 10.0));
        let mut state = State::at_rest(&model);
        state.positions.iter_mut().for_each(|x| *x += random.vector(0.1));
        (0..pins).for_each(|i| state.pin(4 * i));
        let exact = jacobi(dense(&model, &state)).sqrt();
        let found = Frequency::of(&model, &state);
        // The differences are good for eight digits.
        assert!((found.upper / exact - 1.0).abs() < 1e-6, "{found:?} for {exact}");
        assert!(found.upper >= exact * (1.0 - 1e-8) && found.any_pose >= exact, "{found:?} for {exact}");
    }
}

/// Whether every mode is slower than `omega`: ω²M − K is positive definite. The pose must have no compression.
fn slower_than(omega: f64, model: &Model, state: &State) -> bool {
    let objective = Objective::new(model, state, 1.0);
    let (pattern, slots) = objective.pattern(model);
    let mut a = Symmetric::zeros(pattern.clone());
    objective.hessian(model, &state.positions, &slots, &mut a); // M + K
    a.diagonal.iter_mut().for_each(|d| *d = -*d);
    a.upper.iter_mut().for_each(|u| *u = -*u);
    let masses: Vec<f64> = objective.rows.particles.iter().map(|&i| model.masses[i as usize]).collect();
    let sequence = objective.sequence(model).restricted(&objective.rows.of);
    let mut cholesky = Cholesky::new::<glam::DMat3>(&pattern, &sequence).unwrap();
    cholesky.factor(&a, omega * omega + 1.0, &masses).is_ok()
}

#[test]
fn the_published_models_are_bracketed_by_cholesky() {
    let rope = Strands { particles: 500, ..Strands::default() };
    let models = [
        published::curtain(21),
        published::curtain(81),
        published::brush(),
        published::hippo(),
        rope.build(),
    ];
    for model in models.map(Result::unwrap) {
        let mut state = State::at_rest(&model);
        state.positions.iter_mut().for_each(|x| *x *= 1.01);
        state.pin(0);
        let found = Frequency::of(&model, &state);
        assert!(slower_than(found.upper, &model, &state), "{found:?} is too low");
        assert!(!slower_than(found.lower * (1.0 - 1e-9), &model, &state), "{found:?} is too high");
        assert!(found.upper <= found.lower * (1.0 + 1e-6), "{found:?} is too wide");
    }
}

#[test]
fn square_cloth_with_its_paired_modes_is_never_underestimated() {
    for side in 3..26 {
        for pins in 0..3 {
            let model = published::curtain(side).unwrap();
            let mut state = State::at_rest(&model);
            state.positions.iter_mut().for_each(|x| *x *= 1.0 + 0.01 * pins as f64);
            (0..pins).for_each(|i| state.pin(i * (side - 1)));
            let found = Frequency::of(&model, &state);
            assert!(slower_than(found.upper, &model, &state), "side {side}, {pins} pins: {found:?}");
        }
    }
}

#[test]
fn one_stiff_spring_or_light_particle_among_thousands_is_not_missed() {
    let mut random = Random(3);
    for _ in 0..20 {
        let mut model = published::curtain(31).unwrap();
        let factor = random.magnitude(1.001, 1e3);
        let i = random.bits() as usize % model.springs.len();
        model.springs[i].stiffness *= factor;
        let i = random.bits() as usize % model.particles();
        model.masses[i] /= random.magnitude(1.001, 1e3);
        let mut state = State::at_rest(&model);
        state.positions.iter_mut().for_each(|x| *x *= 1.0 + 1e-9);
        let found = Frequency::of(&model, &state);
        assert!(slower_than(found.upper, &model, &state), "{found:?}");
        assert!(!slower_than(found.lower * (1.0 - 1e-9), &model, &state), "{found:?}");
    }
}

#[test]
fn slack_and_collapsed_springs_count_in_full() {
    let (mut model, mut state) = chain(&[1.0, 2.0], &[50.0]);
    let taut = Frequency::of(&model, &state).upper;
    model.springs[0].kind = SpringKind::ExtensionOnly;
    state.positions[1] *= 0.5;
    assert_eq!(Frequency::of(&model, &state).upper, taut);
    state.positions[1] = state.positions[0];
    safe(&Frequency::of(&model, &state), 75f64.sqrt());
}

#[test]
fn nothing_to_vibrate_means_no_limit() {
    let empty = Model::default();
    let (mut chained, mut pinned) = chain(&[1.0; 3], &[5.0; 2]);
    (0..3).for_each(|i| pinned.pin(i));
    let mut models = vec![(empty.clone(), State::at_rest(&empty)), (chained.clone(), pinned)];
    chained.springs.iter_mut().for_each(|s| s.stiffness = 0.0);
    models.push((chained.clone(), State::at_rest(&chained)));
    for (model, state) in models {
        let diagnosis = examine(&model, &state, 0.01);
        assert_eq!(diagnosis.omega_max, 0.0);
        assert!(diagnosis.limits.iter().all(|l| l.step == f64::INFINITY && l.growth == 1.0), "{diagnosis}");
    }
}

/// Amplitude after many steps of an explicit run from a random start of size one.
///
/// Springs of rest length zero are linear, so this is the linear system itself.
fn explicit_run(scheme: Explicit, model: &Model, state: &State, c: f64, h: f64, steps: usize) -> f64 {
    let mut random = Random(7);
    let free = |i: usize| !state.filters[i].is_pinned();
    let m = model.particles();
    let mut x: Vec<_> = (0..m).map(|i| if free(i) { random.vector(1.0) } else { DVec3::ZERO }).collect();
    let mut v = vec![DVec3::ZERO; m];
    for _ in 0..steps {
        let mut a: Vec<_> = v.iter().map(|&v| -c * v).collect();
        for s in &model.springs {
            let (i, j) = s.ab();
            let force = s.stiffness * (x[i] - x[j]);
            a[i] -= force / model.masses[i];
            a[j] += force / model.masses[j];
        }
        let old = v.clone();
        for i in (0..m).filter(|&i| free(i)) {
            v[i] += h * a[i];
            x[i] += h * if scheme == Explicit::SymplecticEuler { v[i] } else { old[i] };
        }
    }
    x.iter().map(|x| x.length()).fold(0.0, f64::max)
}

fn linear_grid() -> (Model, State) {
    let mut random = Random(8);
    let mut model = Grid { columns: 6, rows: 5, ..Grid::default() }.build().unwrap();
    model.masses.iter_mut().for_each(|m| *m *= random.magnitude(0.3, 3.0));
    model
        .springs
        .iter_mut()
        .for_each(|s| (s.rest_length, s.stiffness) = (0.0, random.magnitude(10.0, 1000.0)));
    let mut state = State::at_rest(&model);
    state.pin(0);
    state.pin(5);
    (model, state)
}

#[test]
fn symplectic_euler_is_bounded_below_its_limit_and_blows_up_above() {
    let (model, state) = linear_grid();
    let diagnosis = examine(&model, &state, 1.0 / 30.0);
    let omega = diagnosis.omega_max;
    for c in [0.0, 0.1 * omega, omega, 10.0 * omega] {
        let limit = Explicit::SymplecticEuler.limit(omega, c);
        let run = |h: f64| explicit_run(Explicit::SymplecticEuler, &model, &state, c, h, 2000);
        let (below, above) = (run(0.99 * limit), run(1.01 * limit));
        assert!(below < 100.0, "c = {c}: {below}");
        assert!(above > 1e10, "c = {c}: {above}");
    }
    assert_eq!(diagnosis.limits[0].step, 2.0 / omega);
}

#[test]
fn forward_euler_needs_drag() {
    let (model, state) = linear_grid();
    let omega = Frequency::of(&model, &state).upper;
    let run = |c, h| explicit_run(Explicit::ForwardEuler, &model, &state, c, h, 20_000);
    assert_eq!(Explicit::ForwardEuler.limit(omega, 0.0), 0.0);
    assert!(run(0.0, 0.1 / omega) > 1e10);
    for c in [0.5 * omega, 5.0 * omega] {
        let limit = Explicit::ForwardEuler.limit(omega, c);
        assert!(run(c, 0.99 * limit) < 100.0, "c = {c}");
        assert!(run(c, 1.01 * limit) > 1e10, "c = {c}");
    }
}

#[test]
fn growth_is_what_one_step_does_and_one_at_the_limit() {
    let mut random = Random(9);
    for _ in 0..1000 {
        let [omega, h] = [0; 2].map(|_| random.magnitude(1e-3, 1e3));
        let forward = Explicit::ForwardEuler.growth(omega, 0.0, h);
        assert!((forward / (1.0 + (h * omega).powi(2)).sqrt() - 1.0).abs() < 1e-12);
        let c = omega * random.magnitude(1e-3, 1e3);
        for (_, scheme) in Explicit::NAMES {
            let limit = scheme.limit(omega, c);
            assert!(scheme.growth(omega, c, 0.999 * limit) < 1.0, "{scheme:?} {omega} {c}");
            // The limit is for every mode up to ω; with strong drag a slow one is the first to go.
            let first =
                scheme.growth(omega, c, 1.001 * limit).max(scheme.growth(1e-6 * omega, c, 1.001 * limit));
            assert!(first > 1.0, "{scheme:?} {omega} {c}");
        }
    }
    let growth = |h| Explicit::SymplecticEuler.growth(3.0, 0.0, h);
    assert_eq!(growth(0.5), 1.0);
    // At h²ω² = 9 the roots of z² + 7z + 1.
    assert!((growth(1.0) - (7.0 + 45f64.sqrt()) / 2.0).abs() < 1e-12);
}
