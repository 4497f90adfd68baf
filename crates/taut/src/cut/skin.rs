//! The surface of a solid where it was opened: a triangle on either side of every face that has parted.
//!
//! Only particles come apart. A cut that ends inside a solid can have a strip of faces of which no particle parts, and
//! around its edges and corners triangles would meet that have no business with one another. There the path stays
//! closed: faces are taken from it until no edge of the surface has more than two triangles that had not before, and
//! the triangles around every particle still follow one another.

use super::cells::{Cells, sorted};
use super::fans::{Fans, components};
use super::path::Path;
use crate::Model;
use std::collections::{BTreeMap, BTreeSet};

/// Opened faces whose sides no longer have the same particles, with their sides.
fn parted<'a>(
    cells: &'a Cells,
    path: &'a Path,
    fans: &'a Fans,
) -> impl Iterator<Item = ([u32; 3], [u32; 2])> + 'a {
    let sides = path.faces.iter().filter_map(|&face| Some((face, cells.beside(face)?)));
    sides.filter(|&(face, [one, other])| {
        face.iter().any(|&p| fans.particle(one, p) != fans.particle(other, p))
    })
}

/// The triangle of a face on the side of one of its tetrahedra.
fn side(cells: &Cells, fans: &Fans, face: [u32; 3], cell: u32) -> [u32; 3] {
    cells.outward(cell, face).map(|p| fans.particle(cell, p))
}

/// The particles that an elastic element has after a cut: those of the triangle or tetrahedron it belongs to.
fn after<const N: usize>(cells: &Cells, fans: &Fans, corners: [u32; N]) -> [u32; N] {
    cells.holding(&corners).map_or(corners, |cell| corners.map(|p| fans.particle(cell, p)))
}

/// Give triangles and tetrahedra the particles they have after a cut, and solids their new surface.
pub(super) fn rename(cells: &Cells, path: &Path, fans: &Fans, model: &mut Model) {
    for (triangle, &cell) in model.triangles.iter_mut().zip(cells.of_triangles()) {
        *triangle = triangle.map(|p| fans.particle(cell, p));
    }
    for (face, sides) in parted(cells, path, fans) {
        model.triangles.extend(sides.map(|cell| side(cells, fans, face, cell)));
    }
    for membrane in &mut model.membranes {
        membrane.corners = after(cells, fans, membrane.corners);
    }
    for block in &mut model.blocks {
        block.corners = after(cells, fans, block.corners);
    }
    for (cell, tet) in (0..).zip(&mut model.tets) {
        *tet = tet.map(|p| fans.particle(cell, p));
    }
}

/// Take from the path of a solid the faces that would spoil its surface, of each spot the last. Whether there were any.
pub(super) fn close(cells: &Cells, path: &mut Path, fans: &Fans, model: &Model) -> bool {
    let on: BTreeSet<u32> = path.faces.iter().flatten().copied().collect();
    if on.is_empty() {
        return false;
    }
    // All triangles that touch the path, with the face they come from if they are new.
    let mut triangles: Vec<([u32; 3], Option<[u32; 3]>)> = Vec::new();
    let mut before: Vec<[u32; 3]> = Vec::new();
    for (triangle, &cell) in model.triangles.iter().zip(cells.of_triangles()) {
        if triangle.iter().any(|p| on.contains(p)) {
            before.push(*triangle);
            triangles.push((triangle.map(|p| fans.particle(cell, p)), None));
        }
    }
    for (face, sides) in parted(cells, path, fans) {
        triangles.extend(sides.map(|cell| (side(cells, fans, face, cell), Some(face))));
    }
    let plain: Vec<[u32; 3]> = triangles.iter().map(|(triangle, _)| *triangle).collect();
    let (flawed, known) = (flaws(&plain), flaws(&before));
    let original = |p: u32| fans.original(p, model);
    let mut closed = BTreeSet::new();
    for flaw in flawed {
        let whole_ring = flaw.iter().any(|&p| on.contains(&original(p)));
        if !whole_ring || known.contains(&sorted(flaw.map(original))) {
            continue;
        }
        let at = |&&(triangle, _): &&([u32; 3], _)| flaw.iter().all(|p| triangle.contains(p));
        let faces = triangles.iter().filter(at).filter_map(|(_, face)| *face);
        // The last by the numbers there were before all cuts, so that a second cut closes the same.
        closed.extend(faces.max_by_key(|face| sorted(face.map(|p| model.original(p)))));
    }
    closed.iter().for_each(|face| _ = path.faces.remove(face));
    !closed.is_empty()
}

/// Edges of more than two triangles, and particles (twice) around which triangles do not follow one another.
fn flaws(triangles: &[[u32; 3]]) -> BTreeSet<[u32; 2]> {
    let mut edges: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    let mut around: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, &[a, b, c]) in (0..).zip(triangles) {
        [[a, b], [b, c], [c, a]].into_iter().for_each(|edge| *edges.entry(sorted(edge)).or_default() += 1);
        [a, b, c].into_iter().for_each(|p| around.entry(p).or_default().push(number));
    }
    let mut flaws: BTreeSet<[u32; 2]> =
        edges.into_iter().filter(|(_, n)| *n > 2).map(|(edge, _)| edge).collect();
    for (p, own) in around {
        let beside = |one: u32, other: u32| {
            let [one, other] = [one, other].map(|number| triangles[number as usize]);
            one.iter().any(|&q| q != p && other.contains(&q))
        };
        if components(&own, beside).iter().any(|&fan| fan > 0) {
            flaws.insert([p, p]);
        }
    }
    flaws
}
