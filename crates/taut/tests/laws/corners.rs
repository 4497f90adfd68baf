//! A square held by two corners hangs alike at any resolution: its lowest point, and the middle of its top edge.

use crate::common::Random;
use crate::plate::meshes::{Cell, sheet};
use taut::{DVec3, Membrane, Method, Settings, Simulation, State};

/// Side \[m\], how far apart the corners are held in sides, areal density [kg/m²], rigidity \[N·m\], stiffness [N/m].
const APART: f64 = 0.8;
const DENSITY: f64 = 0.15;
const RIGIDITY: f64 = 1e-3;
const STIFFNESS: f64 = 300.0;

/// How deep the middle of the top edge and the lowest point hang below the corners \[m\].
fn depths(name: &str, n: u32) -> [f64; 2] {
    let side = f64::from(n);
    let cell = Cell::open(name, n, n, &mut Random(1));
    let rest = cell.points.iter().map(|p| DVec3::new(p.x, p.y - side, 0.0) / side).collect();
    let mut model = sheet(rest, &cell, DENSITY, RIGIDITY, 0.0);
    model.springs.clear();
    model.membranes = model.triangles.iter().map(|t| Membrane::isotropic(*t, STIFFNESS)).collect();
    let mut state = State::at_rest(&model);
    for (x, p) in state.positions.iter_mut().zip(&model.rest) {
        // Narrower, and in a wave, so that it knows to which side it hangs.
        *x = DVec3::new(APART * p.x, p.y, 0.004 * (std::f64::consts::TAU * p.x).cos());
    }
    let top = |x: f64| model.rest.iter().position(|p| (p.x - x).abs() < 1e-9 && p.y > -1e-9).unwrap();
    let [left, middle, right] = [0.0, 0.5, 1.0].map(top);
    [left, right].into_iter().for_each(|i| state.pin(i));
    let height = state.positions[left].y;
    let mut simulation =
        Simulation::with_state(model, state, Settings::without_contact(Method::newton(), 1.0 / 60.0))
            .unwrap();
    let settled = simulation.settle(1e-6, 4000, |_, _| true).unwrap();
    assert!(settled.converged, "{settled:?}");
    let lowest = simulation.positions().iter().map(|p| p.y).fold(0.0, f64::min);
    [height - simulation.positions()[middle].y, height - lowest]
}

#[test]
fn a_square_held_by_its_corners_hangs_alike_at_any_resolution() {
    let [coarse, fine] = [40, 80].map(|n| depths("chequer", n));
    println!("{coarse:?} {fine:?}");
    for n in 0..2 {
        assert!((coarse[n] / fine[n] - 1.0).abs() < 0.02, "{coarse:?} {fine:?}");
    }
}
