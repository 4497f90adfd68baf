//! Draws the surface of a lattice mesh towards the field it was carved from.
//!
//! Each surface vertex moves along the field's gradient to where the field is zero, one cell at most.
//! Wherever that would leave a tet less than a fraction of its volume, all movements of its corners are
//! halved, in the end to nothing, until no such tet is left: since the unmoved mesh is sound this ends, and
//! no tet turns inside out. All vertices move at once, so the result does not depend on their order and a
//! symmetric mesh stays symmetric.
//! Does not handle: sharp edges, which are rounded by about half a cell; inner vertices, which stay on the
//! lattice.

use super::lattice::Tetrahedra;
use super::solid::{boundary, volume};
use super::{Field, unique};
use glam::DVec3;

/// Part of its volume that every tet keeps (chosen by looking: less lets slivers in, more leaves steps).
const KEEP: f64 = 0.1;

/// Halvings after which a vertex stays where it was.
const HALVINGS: u8 = 6;

/// Rounds of drawing: a vertex held back by its neighbours gets another chance once they have moved.
const ROUNDS: usize = 4;

pub(super) fn snap(field: &Field, mesh: &mut Tetrahedra, cell: f64) {
    let surface = unique(boundary(&mesh.tets).into_iter().flatten().collect());
    let least: Vec<f64> = mesh.tets.iter().map(|t| KEEP * volume(&mesh.positions, t)).collect();
    for _ in 0..ROUNDS {
        let mut moves = vec![DVec3::ZERO; mesh.positions.len()];
        for &i in &surface {
            moves[i as usize] = to_surface(field, mesh.positions[i as usize], cell);
        }
        draw(mesh, &least, moves);
    }
}

/// Move all vertices, as far as every tet keeps its least volume.
fn draw(mesh: &mut Tetrahedra, least: &[f64], mut moves: Vec<DVec3>) {
    let start = mesh.positions.clone();
    let mut halvings = vec![0; start.len()];
    loop {
        mesh.positions
            .iter_mut()
            .zip(start.iter().zip(&moves))
            .for_each(|(at, (&from, &by))| *at = from + by);
        let squeezed =
            mesh.tets.iter().zip(least).filter(|(tet, least)| volume(&mesh.positions, tet) < **least);
        let corners = unique(
            squeezed.flat_map(|(tet, _)| *tet).filter(|&i| moves[i as usize] != DVec3::ZERO).collect(),
        );
        if corners.is_empty() {
            return;
        }
        for i in corners.into_iter().map(|i| i as usize) {
            halvings[i] += 1;
            moves[i] = if halvings[i] < HALVINGS { moves[i] / 2.0 } else { DVec3::ZERO };
        }
    }
}

/// The way from a point near the surface to the surface, no longer than a cell \[m\].
fn to_surface(field: &Field, point: DVec3, cell: f64) -> DVec3 {
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
        let ball = Field::ball(DVec3::new(0.1, 0.2, 0.3), 1.0);
        let cell = 0.11;
        let mesh = ball.lattice(cell).unwrap();
        let surface = unique(boundary(&mesh.tets).into_iter().flatten().collect());
        let off = |&i: &u32| ball.distance(mesh.positions[i as usize]).abs();
        let mean = surface.iter().map(off).sum::<f64>() / surface.len() as f64;
        assert!(mean < 0.1 * cell, "off by {} cells", mean / cell);
        let least = mesh.tets.iter().map(|t| volume(&mesh.positions, t)).fold(f64::INFINITY, f64::min);
        assert!(least >= KEEP * cell.powi(3) / 6.0 * 0.999, "least volume {least}");
    }
}
