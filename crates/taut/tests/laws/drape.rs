//! The drape test of textiles: a disc of cloth held between two smaller discs hangs down around them in folds. How much
//! of the ring around the discs it shades is a number of the cloth, whatever the mesh.

use crate::common::Random;
use crate::plate::meshes::{Cell, sheet};
use taut::{DVec3, Method, Settings, Simulation, State};

/// Radii of the cloth and of the discs, half of it \[m\], and how many folds it is started with.
const RADIUS: f64 = 0.15;
const HELD: f64 = 0.5 * RADIUS;
const FOLDS: f64 = 4.0;
/// Areal density [kg/m²], rigidity \[N·m\], stiffness of the springs [N/m].
const DENSITY: f64 = 0.15;
const RIGIDITY: f64 = 4e-5;
const STIFFNESS: f64 = 300.0;

/// Squares to discs: those around the middle become circles.
fn round(p: DVec3) -> DVec3 {
    let size = p.x.abs().max(p.y.abs());
    if size > 0.0 { p * (size / p.length()) } else { p }
}

/// The share of the ring in the shadow of a cloth of n × n squares, half of n odd: then the edge of the discs is half an
/// element behind the last circle that is held, where bending begins.
fn shadow(name: &str, n: u32) -> f64 {
    let random = &mut Random(3);
    let mut cell = Cell::open(if name == "random" { "flipped" } else { name }, n, n, random);
    let (middle, half) = (DVec3::new(1.0, 1.0, 0.0) * 0.5 * f64::from(n), 0.5 * f64::from(n));
    let on_rim = |p: DVec3| (p - middle).abs().max_element() > half - 0.5;
    let rim: Vec<usize> = (0..cell.points.len()).filter(|&i| on_rim(cell.points[i])).collect();
    let held = |p: &DVec3| (*p - middle).abs().max_element() < 0.5 * half + 0.75;
    let held: Vec<bool> = cell.points.iter().map(held).collect();
    let moves = |(p, held): (&DVec3, &bool)| f64::from(u8::from(!on_rim(*p) && !held));
    let free: Vec<DVec3> =
        cell.points.iter().zip(&held).map(|point| DVec3::new(1.0, 1.0, 0.0) * moves(point)).collect();
    cell.points.iter_mut().for_each(|p| *p = round(*p - middle) * (RADIUS / half));
    if name == "random" {
        cell.move_by(0.2 * RADIUS / half, &free, random);
    }
    let rest: Vec<DVec3> = cell.points.iter().map(|p| DVec3::new(p.x, 0.0, p.y)).collect();
    let model = sheet(rest, &cell, DENSITY, RIGIDITY, STIFFNESS);
    let mut state = State::at_rest(&model);
    for (i, p) in model.rest.iter().enumerate() {
        let (out, angle) = (p.length() - HELD, p.z.atan2(p.x));
        if held[i] {
            state.pin(i);
        } else {
            state.positions[i].y += 3.0 * out * out * (FOLDS * angle).cos();
        }
    }
    let mut simulation =
        Simulation::with_state(model, state, Settings::without_contact(Method::newton(), 1.0 / 60.0))
            .unwrap();
    let settled = simulation.settle(1e-4, 4000, |_, _| true).unwrap();
    assert!(settled.converged, "{settled:?}");
    // The rim seen from above, by its angle.
    let mut outline: Vec<DVec3> = rim.iter().map(|&i| simulation.positions()[i]).collect();
    outline.sort_by(|p, q| p.z.atan2(p.x).total_cmp(&q.z.atan2(q.x)));
    let next = |k: usize| outline[(k + 1) % outline.len()];
    let area: f64 = outline.iter().enumerate().map(|(k, p)| 0.5 * (p.x * next(k).z - p.z * next(k).x)).sum();
    let disc = std::f64::consts::PI * HELD * HELD;
    (area - disc) / (std::f64::consts::PI * RADIUS * RADIUS - disc)
}

#[test]
fn cloth_drapes_alike_on_any_mesh() {
    let [coarse, fine] = [22, 34].map(|n| shadow("chequer", n));
    println!("chequer: {coarse:.4}, {fine:.4}");
    assert!((coarse / fine - 1.0).abs() < 0.03, "{coarse} {fine}");
    for name in ["diagonal", "random"] {
        let other = shadow(name, 34);
        println!("{name}: {other:.4}");
        assert!((other / fine - 1.0).abs() < 0.05, "{name}: {other} {fine}");
    }
}
