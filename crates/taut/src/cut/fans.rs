//! Fans: the elements around a particle that are still joined to one another. Each beyond the first gets a copy of it.

use super::cells::Cells;
use super::path::Path;
use crate::Model;
use glam::DVec3;
use std::collections::BTreeMap;

/// The copies that a cut makes.
#[derive(Debug, Default)]
pub(super) struct Fans {
    /// The particle each is a copy of.
    pub copies: Vec<u32>,
    /// What each has of the mass and the force of that (dimensionless).
    pub shares: Vec<f64>,
    /// What the particles that were copied keep of theirs.
    pub left: BTreeMap<u32, f64>,
    /// Masses before the cut \[kg\].
    pub masses: Vec<f64>,
    /// The copy that a cell has in the place of a particle.
    instead: BTreeMap<(u32, u32), u32>,
    /// Whether there is one, of each particle.
    parted: Vec<bool>,
}

impl Fans {
    pub fn new(cells: &Cells, path: &Path, model: &Model) -> Self {
        let parted = vec![false; model.particles()];
        let mut fans = Fans { masses: model.masses.clone(), parted, ..Fans::default() };
        for p in path.particles() {
            let of = components(cells.at(p), |one, other| cells.joined(one, other, path));
            let count = of.iter().max().map_or(0, |most| most + 1);
            let mut sizes = vec![0.0; count];
            for (&cell, &fan) in cells.at(p).iter().zip(&of) {
                sizes[fan] += rest_size(cells.of(cell), model);
                if fan > 0 {
                    let copy = model.particles() + fans.copies.len() + fan - 1;
                    fans.instead.insert((cell, p), copy as u32);
                }
            }
            let all: f64 = sizes.iter().sum();
            for size in sizes.iter().skip(1) {
                fans.copies.push(p);
                // Elements without any size share alike.
                fans.shares.push(if all > 0.0 { size / all } else { 1.0 / count as f64 });
            }
            if count > 1 {
                let given: f64 = fans.shares[fans.shares.len() - (count - 1)..].iter().sum();
                fans.left.insert(p, 1.0 - given);
                fans.parted[p as usize] = true;
            }
        }
        fans
    }

    /// The particle that one after the cut was before it.
    pub fn original(&self, particle: u32, model: &Model) -> u32 {
        let copy = (particle as usize).checked_sub(model.particles());
        copy.map_or(particle, |copy| self.copies[copy])
    }

    /// What stands in a cell for a particle it had before the cut.
    pub fn particle(&self, cell: u32, particle: u32) -> u32 {
        let copy = || self.instead.get(&(cell, particle)).copied();
        self.parted[particle as usize].then(copy).flatten().unwrap_or(particle)
    }
}

/// The number of the component of each of some cells, counted as they are met.
pub(super) fn components(cells: &[u32], joined: impl Fn(u32, u32) -> bool) -> Vec<usize> {
    let mut of = vec![usize::MAX; cells.len()];
    let mut count = 0;
    for start in 0..cells.len() {
        if of[start] != usize::MAX {
            continue;
        }
        let mut reached = vec![start];
        of[start] = count;
        while let Some(here) = reached.pop() {
            for there in 0..cells.len() {
                if of[there] == usize::MAX && joined(cells[here], cells[there]) {
                    of[there] = count;
                    reached.push(there);
                }
            }
        }
        count += 1;
    }
    of
}

/// Area of a triangle \[m²\] or volume of a tetrahedron \[m³\] at rest.
fn rest_size(corners: &[u32], model: &Model) -> f64 {
    let at = |k: usize| model.rest[corners[k] as usize] - model.rest[corners[0] as usize];
    match corners.len() {
        3 => 0.5 * at(1).cross(at(2)).length(),
        4 => DVec3::dot(at(1).cross(at(2)), at(3)).abs() / 6.0,
        _ => 0.0,
    }
}
