//! Holes: the elements and springs of some particles are gone, as in \[Xu24\].
//!
//! The particles themselves stay, without anything that holds them. Where tetrahedra are gone the faces behind them become
//! the surface. Sheets that bend do so from the edges that are left.

use super::cells::{Cells, sorted};
use super::links::made_again;
use super::{Severed, forget_contacts};
use crate::linear::Components;
use crate::{Model, State, Weave};
use std::collections::{BTreeMap, BTreeSet};

/// Take everything away that some particles are part of. `None` if there is nothing: then no bit has changed.
pub(crate) fn punch(model: &mut Model, state: &mut State, particles: &[usize]) -> Option<Severed> {
    let gone: BTreeSet<u32> = particles.iter().map(|&p| p as u32).collect();
    let bare = |corners: &[u32]| !corners.iter().any(|p| gone.contains(p));
    let cells = Cells::new(model);
    let near: BTreeSet<u32> =
        gone.iter().flat_map(|&p| cells.at(p)).flat_map(|&cell| cells.of(cell)).copied().collect();
    let before = [model.springs.len(), model.links.len(), model.triangles.len(), model.tets.len()];

    let opened = uncovered(&cells, model, &gone);
    let kept: Vec<bool> = cells.of_triangles().iter().map(|&cell| bare(cells.of(cell))).collect();
    let mut kept = kept.into_iter();
    model.triangles.retain(|_| kept.next() == Some(true));
    model.triangles.extend(opened);
    model.tets.retain(|tet| bare(tet));
    model.membranes.retain(|one| bare(&one.corners));
    model.blocks.retain(|one| bare(&one.corners));
    let springs: Vec<u32> =
        (0..).zip(&model.springs).filter(|(_, s)| bare(&s.ends)).map(|(i, _)| i).collect();
    model.springs.retain(|spring| bare(&spring.ends));

    let mut anew: BTreeMap<u32, (Weave, f64)> = BTreeMap::new();
    for link in &model.links {
        let middle = link.weights[0].0;
        if let Some(weave) = link.weave.filter(|_| near.contains(&middle) && !gone.contains(&middle)) {
            anew.entry(middle).or_insert((weave, link.stiffness));
        }
    }
    let mut removed = before[0] - springs.len();
    let named = |link: &crate::Link| link.weights.iter().any(|(p, _)| gone.contains(p));
    removed += model.links.iter().filter(|link| link.weave.is_none() && named(link)).count();
    model.links.retain(|link| match link.weave {
        Some(_) => !near.contains(&link.weights[0].0),
        None => !named(link),
    });
    let made = made_again(model, &anew);
    model.links.extend(made);

    let after = [springs.len(), model.links.len(), model.triangles.len(), model.tets.len()];
    if near.is_empty() && before == after {
        return None;
    }
    forget_contacts(&mut state.memory);
    let ends = model.springs.iter().map(|s| s.ends);
    let pieces = Components::new(model.particles(), ends.chain(model.bonds())).count;
    let deflated = model.deflate();
    Some(Severed { copies: Vec::new(), springs, removed, pieces, deflated })
}

/// Faces of tetrahedra that stay, behind those that go.
fn uncovered(cells: &Cells, model: &Model, gone: &BTreeSet<u32>) -> Vec<[u32; 3]> {
    let goes = |cell: u32| cells.of(cell).iter().any(|p| gone.contains(p));
    let mut faces = Vec::new();
    for (cell, &[a, b, c, d]) in (0..).zip(&model.tets).filter(|(cell, _)| goes(*cell)) {
        for face in [[b, c, d], [a, c, d], [a, b, d], [a, b, c]].map(sorted) {
            let other = cells.beside(face).and_then(|sides| sides.into_iter().find(|&side| side != cell));
            faces.extend(other.filter(|&other| !goes(other)).map(|other| cells.outward(other, face)));
        }
    }
    faces
}
