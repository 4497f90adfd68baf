//! Draws the surface of a lattice mesh towards the implicit shape it was carved from.
//!
//! Each surface vertex moves along the field's gradient to where the field is zero, one cell at most. Wherever that
//! would leave a tet less than a fraction of its volume, all movements of its corners are halved, in the end to
//! nothing, until no such tet is left: since the unmoved mesh is sound this ends, and no tet turns inside out.
//! All vertices move at once, so the result does not depend on their order and a symmetric mesh stays symmetric.
//! Does not handle: sharp edges, which are rounded by about half a cell; inner vertices, which stay on the lattice.

use super::lattice::Tetrahedra;
use super::solid::{boundary, volume};
use super::{Implicit, unique};
use glam::DVec3;

/// Part of its volume that every tet keeps (chosen by looking: less lets slivers in, more leaves steps).
const KEEP: f64 = 0.1;

/// Halvings after which a vertex stays where it was.
const HALVINGS: u8 = 6;

pub(super) fn snap(field: &Implicit, mesh: &mut Tetrahedra, cell: f64) {
    let surface = unique(boundary(&mesh.tets).into_iter().flatten().collect());
    let lattice = mesh.positions.clone();
    let mut moves = vec![DVec3::ZERO; lattice.len()];
    let mut halvings = vec![HALVINGS; lattice.len()];
    for &i in &surface {
        moves[i as usize] = to_surface(field, lattice[i as usize], cell);
        halvings[i as usize] = 0;
    }
    let place = |i: usize, halvings: &[u8]| {
        let part = if halvings[i] < HALVINGS { 0.5f64.powi(halvings[i].into()) } else { 0.0 };
        lattice[i] + moves[i] * part
    };
    loop {
        (0..lattice.len()).for_each(|i| mesh.positions[i] = place(i, &halvings));
        let squeezed = |t: &&[u32; 4]| volume(&mesh.positions, t) < KEEP * volume(&lattice, t);
        let corners = unique(mesh.tets.iter().filter(squeezed).flatten().copied().collect());
        if corners.is_empty() {
            return;
        }
        corners.iter().for_each(|&i| halvings[i as usize] = (halvings[i as usize] + 1).min(HALVINGS));
    }
}

/// The way from a point near the surface to the surface, no longer than a cell \[m\].
fn to_surface(field: &Implicit, point: DVec3, cell: f64) -> DVec3 {
    let mut at = point;
    for _ in 0..3 {
        at -= field.gradient(at, cell * 1e-3) * field.distance(at);
    }
    (at - point).clamp_length_max(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_becomes_round_and_no_tet_flat() {
        let ball = Implicit::Sphere { centre: DVec3::new(0.1, 0.2, 0.3), radius: 1.0 };
        let cell = 0.11;
        let mesh = ball.lattice(cell).unwrap();
        let surface = unique(boundary(&mesh.tets).into_iter().flatten().collect());
        let off = |&i: &u32| ball.distance(mesh.positions[i as usize]).abs();
        let mean = surface.iter().map(off).sum::<f64>() / surface.len() as f64;
        assert!(mean < 0.05 * cell, "off by {mean}");
        let least = mesh.tets.iter().map(|t| volume(&mesh.positions, t)).fold(f64::INFINITY, f64::min);
        assert!(least >= KEEP * cell.powi(3) / 6.0 * 0.999, "least volume {least}");
    }
}
