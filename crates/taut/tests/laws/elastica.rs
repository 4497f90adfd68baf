//! The cantilever test of textiles: a strip that hangs over an edge by its own weight, against the heavy elastica.
//!
//! With θ the angle below the horizontal at the length s from the edge, B the rigidity per width and w the weight per
//! area, `B θ″ = −w (L − s) cos θ`, θ(0) = 0, θ′(L) = 0. At an overhang L = 2 (B/w)^⅓ the chord leans by 41.5° (Peirce).

use crate::common::Random;
use crate::plate::meshes::{Cell, sheet};
use taut::shapes::strand_bending;
use taut::{DVec3, Link, Method, Model, Settings, Simulation, Spring, State};

/// Areal density [kg/m²], overhang \[m\].
const DENSITY: f64 = 0.15;
const OVERHANG: f64 = 0.2;
const WEIGHT: f64 = 9.81 * DENSITY;
/// B \[N·m\].
const RIGIDITY: f64 = WEIGHT * OVERHANG * OVERHANG * OVERHANG / 8.0;
/// Elements of the overhang, which begins half an element behind the last row that is held; rows that are held.
const ELEMENTS: u32 = 48;
const HELD: u32 = 3;
const STEP: f64 = OVERHANG / (ELEMENTS as f64 + 0.5);
const START: f64 = STEP * (HELD as f64 - 1.5);

/// The slope of the chord in degrees, by shooting for θ′(0) with the classical Runge–Kutta method.
fn exact() -> f64 {
    let steps = 2000;
    let (h, load) = (1.0 / f64::from(steps), WEIGHT * OVERHANG.powi(3) / RIGIDITY);
    let shoot = |slope: f64| {
        // θ, θ′, x, y in units of the overhang.
        let rate = |s: f64, [t, u, ..]: [f64; 4]| [u, -load * (1.0 - s) * t.cos(), t.cos(), t.sin()];
        let mut z = [0.0, slope, 0.0, 0.0];
        for n in 0..steps {
            let s = f64::from(n) * h;
            let at = |k: [f64; 4], c: f64| [0, 1, 2, 3].map(|i| z[i] + c * h * k[i]);
            let a = rate(s, z);
            let b = rate(s + 0.5 * h, at(a, 0.5));
            let c = rate(s + 0.5 * h, at(b, 0.5));
            let d = rate(s + h, at(c, 1.0));
            z = [0, 1, 2, 3].map(|i| z[i] + h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]));
        }
        z
    };
    let (mut low, mut high) = (0.0, load);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        *(if shoot(middle)[1] > 0.0 { &mut high } else { &mut low }) = middle;
    }
    let [_, _, x, y] = shoot(low);
    y.atan2(x).to_degrees()
}

/// The slope of the chord of a body along x that hangs, from `START` to where `tip` says.
fn hung(model: Model, tip: impl Fn(DVec3) -> bool) -> f64 {
    let mut state = State::at_rest(&model);
    let held = |p: &DVec3| p.x < START + 0.75 * STEP;
    (0..model.particles()).filter(|&i| held(&model.rest[i])).for_each(|i| state.pin(i));
    let ends: Vec<usize> = (0..model.particles()).filter(|&i| tip(model.rest[i])).collect();
    let mut simulation =
        Simulation::with_state(model, state, Settings::without_contact(Method::newton(), 1.0 / 60.0))
            .unwrap();
    let settled = simulation.settle(1e-6, 4000, |_, _| true).unwrap();
    assert!(settled.converged, "{settled:?}");
    let end = ends.iter().map(|&i| simulation.positions()[i]).sum::<DVec3>() / ends.len() as f64;
    (-end.y).atan2(end.x - START).to_degrees()
}

/// A strip of four rows. What holds it together is so stiff that its weight stretches it by a ten-thousandth.
fn strip(name: &str) -> Model {
    let (columns, rows, random) = (ELEMENTS + HELD - 1, 4, &mut Random(7));
    let mut cell = Cell::open(if name == "jitter" { "diagonal" } else { name }, columns, rows, random);
    // Vertices on the rim stay on it, those that are held where they are.
    let free = |p: DVec3| {
        let inside = p.x > f64::from(HELD) - 0.5 && p.x < f64::from(columns) - 0.5;
        let rim = p.y < 0.5 || p.y > f64::from(rows) - 0.5;
        DVec3::new(f64::from(u8::from(inside)), f64::from(u8::from(inside && !rim)), 0.0)
    };
    let shares: Vec<DVec3> = cell.points.iter().map(|&p| free(p)).collect();
    match name {
        "jitter" => cell.move_by(0.25, &shares, random),
        "random" => (0..8).for_each(|_| {
            cell.move_by(0.12, &shares, random);
            while cell.flip() {}
        }),
        _ => {}
    }
    let rest: Vec<DVec3> = cell.points.iter().map(|p| STEP * DVec3::new(p.x, 0.0, p.y)).collect();
    sheet(rest, &cell, DENSITY, RIGIDITY, 1e4 * WEIGHT * OVERHANG)
}

#[test]
fn strips_hang_as_the_heavy_elastica() {
    let exact = exact();
    assert!((exact - 41.49).abs() < 0.01, "{exact}");
    for (name, share) in [("diagonal", 0.005), ("chequer", 0.005), ("jitter", 0.02), ("random", 0.02)] {
        let last = STEP * (f64::from(ELEMENTS + HELD) - 1.5);
        let angle = hung(strip(name), |p| p.x > last);
        println!("{name}: {angle:.3} against {exact:.3}");
        assert!((angle / exact - 1.0).abs() < share, "{name}: {angle} {exact}");
    }
}

#[test]
fn strands_hang_alike() {
    let count = ELEMENTS + HELD;
    let rest: Vec<DVec3> = (0..count).map(|i| DVec3::X * STEP * f64::from(i)).collect();
    let mut masses = vec![DENSITY * STEP; rest.len()];
    masses[rest.len() - 1] *= 0.5;
    let stiffness = 1e4 * WEIGHT * OVERHANG / STEP;
    let springs = (1..count).map(|i| Spring::new(i - 1, i, STEP, stiffness)).collect();
    let strand: Vec<u32> = (0..count).collect();
    let links: Vec<Link> = strand_bending(&rest, &strand, RIGIDITY).unwrap();
    let angle = hung(Model { masses, rest, springs, links, ..Model::default() }, |p| {
        p.x > STEP * (f64::from(count) - 1.5)
    });
    let exact = exact();
    println!("strand: {angle:.3} against {exact:.3}");
    assert!((angle / exact - 1.0).abs() < 0.005, "{angle} {exact}");
}
