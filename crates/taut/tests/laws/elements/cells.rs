//! Membranes and blocks: homogeneous strain, stresses in closed form, elements that were crushed, bad input.

use super::{blocks, membranes, run_for};
use crate::common::Random;
use taut::integrator::objective;
use taut::linear::nearest::unimodular;
use taut::measure::Energy;
use taut::{Block, DVec3, Damping, Limit, Membrane, Method, Model, Settings, State, Stop};

/// Forces on all particles at x [N].
fn forces(model: &Model, x: &[DVec3]) -> Vec<DVec3> {
    let state = State::at_rest(model);
    let mut g = objective(model, &state, 1.0, &Damping::default());
    g.target.copy_from_slice(x);
    g.start.copy_from_slice(x);
    let mut gradient = vec![DVec3::ZERO; model.particles()];
    g.gradient(model, x, &mut gradient);
    gradient.iter().map(|g| -*g).collect()
}

type Matrix = [DVec3; 3];

fn apply(m: Matrix, v: DVec3) -> DVec3 {
    m[0] * v.x + m[1] * v.y + m[2] * v.z
}

/// The nearest rotation by Newton's iteration R ← ½ (R + R⁻ᵀ), another way than the library's.
fn polar(mut m: Matrix) -> Matrix {
    for _ in 0..60 {
        let [a, b, c] = m;
        let determinant = a.dot(b.cross(c));
        let inverse = [b.cross(c), c.cross(a), a.cross(b)].map(|v| v / determinant);
        m = [0, 1, 2].map(|i| 0.5 * (m[i] + inverse[i]));
    }
    m
}

/// At the boundary of a box that is deformed evenly the stress is that of the formula, and inside nothing pulls.
#[test]
fn blocks_pass_the_patch_test() {
    let mut random = Random(3);
    for (young, poisson) in [(1e4, 0.0), (1e4, 0.3), (1e5, 0.45)] {
        let model = blocks(&mut random, 3, 0.1, young, poisson);
        for case in 0..8 {
            let noise = [random.vector(0.3), random.vector(0.3), random.vector(0.3)];
            let m = [DVec3::X + noise[0], DVec3::Y + noise[1], DVec3::Z + noise[2]];
            let m = if case == 0 { [DVec3::X, DVec3::Y, DVec3::Z].map(|e| 1.1 * e) } else { m };
            let x: Vec<DVec3> = model.rest.iter().map(|&p| apply(m, p) + DVec3::X).collect();
            let pulls = forces(&model, &x);
            // P = 2μ (F − R) + 3λ (F − U).
            let [mu, lambda] = [model.blocks[0].shear, model.blocks[0].volume];
            let r = polar(m);
            let f = glam::DMat3::from_cols(m[0], m[1], m[2]);
            let u = unimodular(f, f);
            let columns = [u.x_axis, u.y_axis, u.z_axis];
            let stress = [0, 1, 2].map(|i| 2.0 * mu * (m[i] - r[i]) + 3.0 * lambda * (m[i] - columns[i]));
            let area = 0.3 * 0.3;
            let largest = stress.iter().map(|s| s.length()).fold(0.0, f64::max) * area;
            let at = |i: usize, axis: usize, side: f64| (model.rest[i][axis] - side).abs() < 1e-12;
            for (axis, stress) in stress.iter().enumerate() {
                // Forces at their places: minus the mean stress times the volume.
                let moment: DVec3 = (0..model.particles()).map(|i| model.rest[i][axis] * pulls[i]).sum();
                let expected = -0.3 * area * *stress;
                assert!((moment - expected).length() < 1e-12 * 0.3 * largest, "{moment} {expected}");
            }
            for (i, pull) in pulls.iter().enumerate() {
                let inside = (0..3).all(|axis| !at(i, axis, 0.0) && !at(i, axis, 0.3));
                assert!(!inside || pull.length() < 1e-12 * largest, "{pull} {largest}");
            }
            if case == 0 {
                // Even swelling: 3 (λ + ⅔μ) ε.
                let pressure = (3.0 * lambda + 2.0 * mu) * 0.1;
                assert!((stress[0].x - pressure).abs() < 1e-12 * pressure);
            }
        }
    }
}

#[test]
fn membranes_pass_the_patch_test() {
    let mut random = Random(4);
    let (warp, weft, shear, area) = (300.0, 200.0, 50.0, 70.0);
    let mut model = membranes(&mut random, 4, 0.1, [warp, weft, shear, area]);
    model.membranes.iter_mut().for_each(|one| one.limit = None);
    for case in 0..8 {
        let (mut a, mut b) = (DVec3::X + random.vector(0.3), DVec3::Z + random.vector(0.3));
        if case == 0 {
            (a, b) = (1.1 * DVec3::X, 0.95 * DVec3::Z);
        }
        let x: Vec<DVec3> = model.rest.iter().map(|p| a * p.x + b * p.z + DVec3::Y).collect();
        let pulls = forces(&model, &x);
        let largest = pulls.iter().map(|p| p.length()).fold(0.0, f64::max);
        let inside = |p: DVec3| [p.x, p.z].iter().all(|&c| c > 1e-9 && c < 0.4 - 1e-9);
        for (pull, rest) in pulls.iter().zip(&model.rest) {
            assert!(!inside(*rest) || pull.length() < 1e-12 * largest, "{pull} {largest}");
        }
        if case == 0 {
            // Along warp and weft; A of diag(σ₁, σ₂) is diag(x, 1/x) with x − σ₁ = (1/x)² (…): by bisection.
            let (s, t) = (1.1, 0.95);
            let (mut low, mut high) = (0.5, 2.0);
            for _ in 0..200 {
                let x: f64 = 0.5 * (low + high);
                // The derivative of (x − s)² + (1/x − t)².
                let slope = (x - s) - (1.0 / x - t) / (x * x);
                if slope > 0.0 { high = x } else { low = x }
            }
            let along = |sigma: f64, stiffness: f64, kept: f64| {
                2.0 * shear * (sigma - 1.0)
                    + (stiffness - 2.0 * shear) * (sigma - 1.0)
                    + 2.0 * area * (sigma - kept)
            };
            let stress = [along(s, warp, low), along(t, weft, 1.0 / low)];
            for (axis, stress) in [(DVec3::X, stress[0]), (DVec3::Z, stress[1])] {
                let moment: f64 = pulls.iter().zip(&model.rest).map(|(f, p)| f.dot(axis) * p.dot(axis)).sum();
                assert!((moment + 0.16 * stress).abs() < 1e-12 * 0.16 * 100.0, "{moment} {stress}");
            }
        }
    }
}

/// Small strains cost what linear elasticity says, in every direction.
#[test]
fn small_strains_cost_what_linear_elasticity_says() {
    let mut random = Random(6);
    let (young, poisson) = (1e5, 0.4);
    let model = blocks(&mut random, 2, 0.1, young, poisson);
    let volume = 0.2f64.powi(3);
    for _ in 0..10 {
        let noise = [random.vector(1e-5), random.vector(1e-5), random.vector(1e-5)];
        let even = |i: usize, j: usize| 0.5 * (noise[i][j] + noise[j][i]);
        let mut state = State::at_rest(&model);
        for x in &mut state.positions {
            *x += apply(noise, *x);
        }
        let squared: f64 = (0..9).map(|k| even(k / 3, k % 3).powi(2)).sum();
        let trace = even(0, 0) + even(1, 1) + even(2, 2);
        let (mu, lambda) = (young / 2.8, young * poisson / (1.4 * 0.2));
        let expected = volume * (mu * squared + 0.5 * lambda * trace * trace);
        let found = Energy::of(&model, &state).elastic;
        assert!((found / expected - 1.0).abs() < 1e-4, "{found} {expected}");
    }
}

#[test]
fn rigid_motion_costs_nothing() {
    let mut random = Random(7);
    let solid = blocks(&mut random, 2, 0.1, 1e4, 0.4);
    let cloth = membranes(&mut random, 4, 0.1, [300.0, 200.0, 50.0, 70.0]);
    let axis = DVec3::new(0.3, -0.5, 0.8).normalize();
    let (sin, cos) = 2.1f64.sin_cos();
    let turn = |v: DVec3| v * cos + axis.cross(v) * sin + axis * (axis.dot(v) * (1.0 - cos));
    for model in [solid, cloth] {
        let mut state = State::at_rest(&model);
        state.positions.iter_mut().for_each(|x| *x = turn(*x) + DVec3::ONE);
        let energy = Energy::of(&model, &state).elastic;
        assert!(energy < 1e-24 * 1e4, "{energy:e}");
    }
}

/// Edges of all blocks over those at rest, the farthest from 1.
fn worst_edge(model: &Model, x: &[DVec3]) -> f64 {
    let pairs = model.blocks.iter().flat_map(|b| {
        let c = b.corners;
        [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(|(i, j)| (c[i] as usize, c[j] as usize))
    });
    let ratio = |(i, j): (usize, usize)| x[i].distance(x[j]) / model.rest[i].distance(model.rest[j]);
    pairs.map(|pair| (ratio(pair) - 1.0).abs()).fold(0.0, f64::max)
}

/// Flattened to a plane, a line, a point, turned inside out or strewn about, a solid rights itself.
#[test]
fn crushed_solids_recover() {
    let mut random = Random(12);
    for poisson in [0.0, 0.3, 0.45] {
        let model = blocks(&mut random, 3, 0.1, 1e4, poisson);
        let flat = |keep: DVec3| model.rest.iter().map(|p| *p * keep).collect::<Vec<_>>();
        let strewn: Vec<DVec3> = model.rest.iter().map(|_| random.vector(0.15)).collect();
        let poses = [
            ("plane", flat(DVec3::new(1.0, 0.0, 1.0))),
            ("line", flat(DVec3::X)),
            ("point", flat(DVec3::ZERO)),
            ("mirror", flat(DVec3::new(-1.0, 1.0, 1.0))),
            ("strewn", strewn),
        ];
        for (name, pose) in poses {
            let mut free = model.clone();
            free.gravity = DVec3::ZERO;
            let mut state = State::at_rest(&free);
            state.positions = pose;
            let damping = Damping { ether: 0.9, ..Damping::default() };
            let settings = Settings {
                damping,
                ..Settings::without_contact(Method::ConjugateGradient(Stop::iterations(10)), 1.0 / 60.0)
            };
            let end = run_for(&free, state, settings, 300);
            let (inverted, first) = free.inverted(&end.positions);
            let worst = worst_edge(&free, &end.positions);
            println!("{name} {poisson}: {inverted} inverted, worst edge {worst:.1e}");
            assert_eq!((inverted, first), (0, None), "{name} {poisson}");
            assert!(worst < 1e-6 || poisson > 0.4, "{name} {poisson}: {worst:e}");
        }
    }
}

/// Every vertex of a block of 6³ boxes anywhere in it.
#[test]
fn a_strewn_block_recovers() {
    let mut random = Random(2);
    let mut model = blocks(&mut random, 6, 0.05, 1e4, 0.3);
    model.gravity = DVec3::ZERO;
    let mut state = State::at_rest(&model);
    state.positions.iter_mut().for_each(|x| *x = DVec3::splat(0.15) + random.vector(0.15));
    let damping = Damping { ether: 0.9, ..Damping::default() };
    let settings = Settings { damping, ..Settings::new(Method::default(), 1.0 / 60.0) };
    assert!(model.inverted(&state.positions).0 > model.blocks.len() / 3);
    let end = run_for(&model, state, settings, 300);
    let (inverted, worst) = (model.inverted(&end.positions), worst_edge(&model, &end.positions));
    assert!(inverted == (0, None) && worst < 1e-6, "{inverted:?} {worst:e}");
}

#[test]
fn inverted_blocks_are_counted() {
    let model = blocks(&mut Random(1), 1, 0.1, 1e4, 0.3);
    let count = model.blocks.len();
    assert_eq!(model.inverted(&model.rest), (0, None));
    let mirrored: Vec<DVec3> = model.rest.iter().map(|p| DVec3::new(-p.x, p.y, p.z)).collect();
    assert_eq!(model.inverted(&mirrored), (count, Some(0)));
    // The last corner of the last block to the other side of the whole.
    let mut x = model.rest.clone();
    let corner = model.blocks[count - 1].corners[3] as usize;
    x[corner] = DVec3::splat(0.05) + 20.0 * (DVec3::splat(0.05) - x[corner]);
    let (some, first) = model.inverted(&x);
    assert!(some > 0 && some <= count && first.is_some());
}

/// Beyond its limits a membrane is stiffer, within them not.
#[test]
fn limits_hold_within_a_strain() {
    let energy = |limit: Option<Limit>, stretch: f64| {
        let membrane = Membrane { limit, ..Membrane::isotropic([0, 1, 2], 100.0) };
        let rest = vec![DVec3::ZERO, DVec3::X, DVec3::Z];
        let model = Model { masses: vec![1.0; 3], rest, membranes: vec![membrane], ..Model::default() };
        let mut state = State::at_rest(&model);
        state.positions[1] = stretch * DVec3::X;
        Energy::of(&model, &state).elastic
    };
    let limit = Some(Limit { low: 0.9, high: 1.1, stiffness: 1e4 });
    for stretch in [0.95, 1.05] {
        assert_eq!(energy(limit, stretch), energy(None, stretch));
    }
    for (stretch, beyond) in [(0.85, 0.05), (1.2, 0.1)] {
        let more: f64 = energy(limit, stretch) - energy(None, stretch);
        let expected = 0.5 * 1e4 * 0.5 * beyond * beyond;
        assert!((more / expected - 1.0).abs() < 1e-9, "{more} {expected}");
    }
}

#[test]
fn what_cells_cannot_be_is_said() {
    for (poisson, young, words) in [(-0.1, 1e4, "poisson"), (0.5, 1e4, "poisson"), (0.3, 0.0, "young")] {
        let said = Block::isotropic([0, 1, 2, 3], young, poisson).unwrap_err().to_string();
        assert!(said.contains(words), "{said}");
    }
    let rest = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y, DVec3::Z, 2.0 * DVec3::X];
    let model = Model { masses: vec![1.0; 6], rest, ..Model::default() };
    let block = Block { corners: [0, 1, 2, 4], shear: 1.0, volume: 1.0 };
    let said = |blocks: Vec<Block>, membranes: Vec<Membrane>| {
        Model { blocks, membranes, ..model.clone() }.validate().unwrap_err().to_string()
    };
    for (bad, words) in [
        (Block { corners: [0, 1, 2, 3], ..block }, "has no volume"),
        (Block { corners: [0, 1, 2, 9], ..block }, "uses particle 9"),
        (Block { shear: -1.0, ..block }, "shear is -1 Pa"),
        (Block { volume: f64::NAN, ..block }, "volume is NaN Pa"),
    ] {
        let said = said(vec![block, bad], Vec::new());
        assert!(said.contains("block 1") && said.contains(words), "{said}");
    }
    let fine = Membrane::isotropic([0, 1, 2], 100.0);
    let limit = |low, high| Some(Limit { low, high, stiffness: 1.0 });
    for (bad, words) in [
        (Membrane { corners: [0, 1, 5], ..fine }, "has no area"),
        (Membrane { direction: DVec3::Z, ..fine }, "is normal to it"),
        (Membrane { direction: DVec3::NAN, ..fine }, "the warp is along"),
        (Membrane { warp: 99.0, ..fine }, "below twice the shear stiffness"),
        (Membrane { area: -1.0, ..fine }, "area is -1 N/m"),
        (Membrane { limit: limit(1.1, 1.2), ..fine }, "1.1 to 1.2"),
    ] {
        let said = said(Vec::new(), vec![fine, bad]);
        assert!(said.contains("membrane 1") && said.contains(words), "{said}");
    }
}
