//! What damping takes and what it must leave: each coefficient is an exact factor; rigid and material damping keep
//! momentum, angular momentum and every rigid motion.

use super::bodies::{line, tangle};
use super::common::{Random, distance};
use taut::damping::Damper;
use taut::energy::Rows;
use taut::linear::Components;
use taut::measure::{Energy, angular_momentum, momentum};
use taut::shapes::Grid;
use taut::{DVec3, Damping, Method, Model, Settings, Simulation, State};

const H: f64 = 1.0 / 30.0;

/// The velocities after damping.
fn damped(model: &Model, state: &State, damping: Damping) -> State {
    let rows = Rows::new(state);
    let components = Components::new(model.particles(), model.springs.iter().map(|s| s.ends));
    let mut after = state.clone();
    let mut damper = Damper::new(damping, model, &rows, &components);
    damper.damp(model, state, &rows, &components, H, &mut after.velocities);
    after
}

fn rigid(k: f64) -> Damping {
    Damping { rigid: k, ..Damping::default() }
}

fn material(beta: f64) -> Damping {
    Damping { material: beta, ..Damping::default() }
}

fn tumbling(random: &mut Random, model: &Model) -> State {
    let mut state = State::at_rest(model);
    state.velocities.iter_mut().for_each(|v| *v = random.vector(2.0));
    state
}

/// Give particles `range` the rigid motion `velocity` + `spin` × x.
fn set_rigid(state: &mut State, range: std::ops::Range<usize>, velocity: DVec3, spin: DVec3) {
    for i in range {
        state.velocities[i] = velocity + spin.cross(state.positions[i]);
    }
}

/// Particles on a line through nowhere in particular, a little off it by `thickness`.
fn thin(random: &mut Random, thickness: f64) -> Model {
    let (from, along) = (random.vector(1.0), random.vector(1.0));
    let places: Vec<DVec3> = (0..8).map(|i| from + along * f64::from(i) + random.vector(thickness)).collect();
    let masses = (0..8).map(|_| random.magnitude(0.1, 10.0)).collect();
    line(places, masses, &[(1.0, 100.0); 7])
}

/// Largest change of P over Σ m|v| and of L over Σ m|x||v|.
fn change(model: &Model, before: &State, after: &State) -> f64 {
    let weigh =
        |f: &dyn Fn(usize) -> f64| (0..model.particles()).map(|i| model.masses[i] * f(i)).sum::<f64>();
    let speed = |i: usize| before.velocities[i].length();
    let p = (momentum(model, after) - momentum(model, before)).length() / weigh(&speed);
    let l = (angular_momentum(model, after) - angular_momentum(model, before)).length()
        / weigh(&|i| before.positions[i].length() * speed(i));
    p.max(l)
}

/// Rate of stretch of the distance between every two particles of a range [m/s]; none in a rigid motion.
fn deformation(state: &State, range: std::ops::Range<usize>) -> f64 {
    let rate = |i: usize, j: usize| {
        let p = state.positions[i] - state.positions[j];
        (state.velocities[i] - state.velocities[j]).dot(p.normalize_or_zero()).abs()
    };
    let pairs = range.clone().flat_map(|i| range.clone().map(move |j| (i, j)));
    pairs.map(|(i, j)| rate(i, j)).fold(0.0, f64::max)
}

/// How each coefficient takes from a velocity in a step of every method, in closed form. Two particles fly apart on a
/// spring that is at its rest length, along it and each at the velocity v from the middle; the middle moves too.
#[test]
fn each_coefficient_is_an_exact_factor_in_every_method() {
    let (m, k, h, v) = (0.5, 500.0, 1.0 / 64.0, 0.25);
    let model = |k: f64| Model {
        gravity: DVec3::ZERO,
        ..line(vec![-0.5 * DVec3::X, 0.5 * DVec3::X], vec![m; 2], &[(1.0, k)])
    };
    let drift = DVec3::new(1.0, -2.0, 3.0);
    // Velocities of middle and spread after one step, over what they were; ω² is that of the spread, 2k/m.
    let factors = |word: &str, k: f64, damping: Damping| {
        let model = model(k);
        let mut state = State::at_rest(&model);
        state.velocities = vec![drift - v * DVec3::X, drift + v * DVec3::X];
        let mut method: Method = word.parse().unwrap();
        method.stop_mut().into_iter().for_each(|stop| stop.accuracy = 0.0);
        let settings = Settings { damping, ..Settings::without_contact(method, h) };
        let mut simulation = Simulation::with_state(model, state, settings).unwrap();
        simulation.step().unwrap();
        let [a, b] = simulation.state().velocities[..] else { panic!() };
        [(a + b).dot(drift) / (2.0 * drift.length_squared()), (b - a).x / (2.0 * v)]
    };
    let w2 = 2.0 * k / m;
    for word in Method::NAMES {
        let explicit = word.ends_with("_euler");
        let expect = |name: &str, k: f64, damping, expected: [f64; 2]| {
            let found = factors(word, k, damping);
            let off = (found[0] - expected[0]).abs().max((found[1] - expected[1]).abs());
            assert!(off <= 1e-9, "{name} by {word}: {found:?}, not {expected:?}");
        };
        let none = Damping::default();
        // All but without a spring: the drags alone.
        for share in [0.0, 0.25, 0.9] {
            expect("ether", 1e-300, Damping { ether: share, ..none }, [share, share]);
            expect("rigid", 1e-300, rigid(share), [1.0, 1.0 - share]);
        }
        let slowed = if explicit { 1.0 - 3.0 * h } else { 1.0 / (1.0 + 3.0 * h) };
        expect("drag", 1e-300, Damping { drag: 3.0, ..none }, [slowed, slowed]);
        // The one that is meant for springs, so stiff that adaptive_imex has them implicit. Explicit methods feel no
        // force at the rest length.
        for beta in [0.0, 0.01, 0.3] {
            let stiff = if explicit { 0.0 } else { h * h * w2 };
            let expected = 1.0 / (1.0 + h * beta * w2 + stiff);
            // pbd moves both ends onto the rest length, and the damper as far as ten iterations of both allow.
            if word != "pbd" {
                expect("material", k, material(beta), [1.0, expected]);
            }
        }
    }
}

#[test]
fn rigid_drag_keeps_both_momenta_and_leaves_a_rigid_motion() {
    let mut random = Random(21);
    let mut models = vec![("tangle", tangle(&mut random, 15, 1e3))];
    let pair = line(vec![DVec3::ZERO, random.vector(1.0)], vec![0.3, 4.0], &[(1.0, 10.0)]);
    models.push(("pair", pair));
    models.push(("collinear", thin(&mut random, 0.0)));
    let axis = line((0..5).map(|i| DVec3::Z * f64::from(i)).collect(), vec![1.0; 5], &[(1.0, 10.0); 4]);
    models.push(("along an axis", axis));
    for thickness in [1e-1, 1e-2, 1e-3, 1e-4] {
        models.push(("thin", thin(&mut random, thickness)));
    }
    let point = Model { masses: vec![2.0], rest: vec![DVec3::X], ..Model::default() };
    models.push(("point", point));
    let mut flat = tangle(&mut random, 9, 1e3);
    flat.rest.iter_mut().for_each(|x| x.y = 0.0);
    models.push(("flat", flat));
    for (name, model) in &models {
        let state = tumbling(&mut random, model);
        for k in [0.1, 0.7, 1.0] {
            let after = damped(model, &state, rigid(k));
            let lost = change(model, &state, &after);
            println!("{name}, k {k}: {lost:e}");
            assert!(lost <= 1e-12, "{name}, k {k}: {lost:e}");
        }
        let after = damped(model, &state, rigid(1.0));
        let left = deformation(&after, 0..model.particles()) / speed(&after);
        println!("{name}: deformation {left:e}");
        assert!(left <= 1e-12, "{name}: still deforms at {left:e}");
    }
}

fn speed(state: &State) -> f64 {
    state.velocities.iter().map(|v| v.length()).fold(0.0, f64::max)
}

#[test]
fn each_component_keeps_its_own_rigid_motion() {
    let mut random = Random(22);
    let mut model = tangle(&mut random, 6, 1e3);
    let starts = [0, model.append(&thin(&mut random, 0.0)), model.append(&tangle(&mut random, 5, 1e3))];
    let ends = [starts[1], starts[2], model.particles()];
    let state = tumbling(&mut random, &model);
    let after = damped(&model, &state, rigid(1.0));
    for (start, end) in starts.into_iter().zip(ends) {
        assert!(deformation(&after, start..end) <= 1e-12 * speed(&after));
        // With everything else at rest the momenta are those of this component.
        let alone = |state: &State| {
            let mut state = state.clone();
            (0..model.particles())
                .filter(|i| !(start..end).contains(i))
                .for_each(|i| state.velocities[i] = DVec3::ZERO);
            state
        };
        let lost = change(&model, &alone(&state), &alone(&after));
        assert!(lost <= 1e-12, "particles {start}..{end}: {lost:e}");
    }
    // Were the whole one body, the distances between components would not change either.
    assert!(deformation(&after, 0..model.particles()) > 0.1 * speed(&after));
}

#[test]
fn rigid_motions_are_left_alone() {
    let mut random = Random(23);
    let mut model = tangle(&mut random, 8, 1e4);
    let start = model.append(&thin(&mut random, 0.0));
    let mut state = State::at_rest(&model);
    set_rigid(&mut state, 0..start, DVec3::new(1.0, -3.0, 2.0), DVec3::new(0.5, 2.0, -1.0));
    set_rigid(&mut state, start..model.particles(), DVec3::new(-2.0, 0.0, 1.0), DVec3::new(-1.0, 0.3, 4.0));
    for damping in [rigid(0.4), rigid(1.0), material(0.01), material(10.0)] {
        let after = damped(&model, &state, damping);
        let off = distance(&after.velocities, &state.velocities) / speed(&state);
        println!("{damping:?}: {off:e}");
        assert!(off <= 1e-12, "{damping:?}: {off:e}");
    }
}

#[test]
fn material_damping_keeps_both_momenta_and_only_ever_slows() {
    let mut random = Random(24);
    for k in [1e2, 1e4, 1e6] {
        let model = tangle(&mut random, 12, k);
        for beta in [1e-4, 1e-2, 1.0] {
            let mut state = tumbling(&mut random, &model);
            let mut last = Energy::of(&model, &state).kinetic;
            for n in 0..5 {
                let after = damped(&model, &state, material(beta));
                let lost = change(&model, &state, &after);
                assert!(lost <= 1e-12, "k {k:e}, beta {beta}: {lost:e}");
                let now = Energy::of(&model, &after).kinetic;
                assert!(now < last * (1.0 + 1e-12), "k {k:e}, beta {beta}, round {n}: {last} -> {now}");
                (state, last) = (after, now);
            }
        }
    }
}

/// (M + hD) ṽ = M v by elimination, D = Σ βk A Aᵀ ⊗ x̂x̂ᵀ, pinned particles held at v = 0.
fn dense(model: &Model, state: &State, beta: f64) -> Vec<DVec3> {
    let n = 3 * model.particles();
    let (mut a, mut b) = (vec![vec![0.0; n]; n], vec![0.0; n]);
    for i in 0..n {
        a[i][i] = model.masses[i / 3];
        b[i] = model.masses[i / 3] * state.velocities[i / 3][i % 3];
    }
    for s in &model.springs {
        let (p, q) = s.ab();
        let unit = (state.positions[p] - state.positions[q]).normalize();
        for (r, c) in (0..9).map(|e| (e / 3, e % 3)) {
            let f = H * beta * s.stiffness * unit[r] * unit[c];
            a[3 * p + r][3 * p + c] += f;
            a[3 * q + r][3 * q + c] += f;
            a[3 * p + r][3 * q + c] -= f;
            a[3 * q + r][3 * p + c] -= f;
        }
    }
    for i in (0..n).filter(|i| state.filters[i / 3].is_pinned()) {
        a[i].fill(0.0);
        (a[i][i], b[i]) = (1.0, 0.0);
    }
    for i in 0..n {
        let pivot = (i..n).max_by(|&p, &q| a[p][i].abs().total_cmp(&a[q][i].abs())).unwrap();
        a.swap(i, pivot);
        b.swap(i, pivot);
        for row in i + 1..n {
            let f = a[row][i] / a[i][i];
            let (upper, lower) = a.split_at_mut(row);
            (i..n).for_each(|c| lower[0][c] -= f * upper[i][c]);
            b[row] -= f * b[i];
        }
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|c| a[i][c] * b[c]).sum();
        b[i] = (b[i] - known) / a[i][i];
    }
    b.chunks(3).map(DVec3::from_slice).collect()
}

/// On a leather of 31 × 31 particles, where 100 products were not enough: what is left of (M + hD) ṽ − M v.
#[test]
fn material_damping_converges_on_a_stiff_cloth() {
    let grid = Grid {
        columns: 31,
        rows: 31,
        stretch: 4000.0,
        shear: 2000.0,
        bend: 80.0,
        mass: 0.8,
        ..Grid::default()
    };
    let model = grid.build().unwrap();
    let (state, beta) = (tumbling(&mut Random(26), &model), 0.02);
    let after = damped(&model, &state, material(beta));
    // hD v for velocities v: what the dampers would do in a step if nothing slowed down.
    let impulses = |v: &[DVec3]| {
        let mut sums = vec![DVec3::ZERO; model.particles()];
        for s in &model.springs {
            let (a, b) = s.ab();
            let unit = (state.positions[a] - state.positions[b]).normalize();
            let impulse = H * beta * s.stiffness * (v[a] - v[b]).dot(unit) * unit;
            sums[a] += impulse;
            sums[b] -= impulse;
        }
        sums
    };
    let largest = |v: &[DVec3]| v.iter().map(|r| r.length()).fold(0.0, f64::max);
    let mut left = impulses(&after.velocities);
    for (i, left) in left.iter_mut().enumerate() {
        *left += model.masses[i] * (after.velocities[i] - state.velocities[i]);
    }
    let worst = largest(&left) / largest(&impulses(&state.velocities));
    assert!(worst <= 1e-9, "{worst:e} of the impulses is left");
}

#[test]
fn material_damping_solves_its_equation() {
    let mut random = Random(25);
    for pins in [0, 2] {
        for k in [1e2, 1e4, 1e6] {
            let model = tangle(&mut random, 7, k);
            let mut state = tumbling(&mut random, &model);
            for i in 0..pins {
                state.velocities[i] = DVec3::ZERO;
                state.pin(i);
            }
            for beta in [1e-4, 1e-2, 1.0] {
                let after = damped(&model, &state, material(beta));
                let off = distance(&after.velocities, &dense(&model, &state, beta)) / speed(&state);
                println!("pins {pins}, k {k:e}, beta {beta}: {off:e}");
                assert!(off <= 1e-9, "pins {pins}, k {k:e}, beta {beta}: {off:e}");
            }
        }
    }
}
