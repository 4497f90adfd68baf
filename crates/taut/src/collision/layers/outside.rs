//! What of a model can touch: its faces, and the strands that are no side of one.

use crate::{Family, Model};
use std::collections::HashSet;

/// Faces and strands of a model.
#[derive(Debug, Default)]
pub(super) struct Outside {
    /// Its triangles, each once, then the sides of tets that belong to one tet only and are no triangle of the model.
    pub faces: Vec<[u32; 3]>,
    /// Stretch springs with an end that no face and no tet has.
    pub strands: Vec<[u32; 2]>,
}

impl Outside {
    pub fn of(model: &Model) -> Self {
        // A face that is there again is the same obstacle.
        let mut seen = HashSet::new();
        let mut faces = model.triangles.clone();
        faces.retain(|&face| seen.insert(sorted(face)));
        faces.extend(boundary(model));
        let mut covered = vec![false; model.particles()];
        let corners = faces.as_flattened().iter().chain(model.tets.as_flattened());
        corners.for_each(|&i| covered[i as usize] = true);
        let stretch = model.springs.iter().filter(|s| s.family == Family::Stretch).map(|s| s.ends);
        let strands = stretch.filter(|ends| ends.iter().any(|&i| !covered[i as usize])).collect();
        Outside { faces, strands }
    }
}

/// The sides of tets that belong to one tet only, but for those that are triangles of the model: in the order of the tets,
/// wound as a tet of positive volume has them.
fn boundary(model: &Model) -> Vec<[u32; 3]> {
    let sides = |&[a, b, c, d]: &[u32; 4]| [[a, c, b], [a, b, d], [b, c, d], [a, d, c]];
    let all: Vec<[u32; 3]> = model.tets.iter().flat_map(sides).collect();
    let mut known: Vec<[u32; 3]> = all.iter().chain(&model.triangles).copied().map(sorted).collect();
    known.sort_unstable();
    let once = |side: &[u32; 3]| {
        let first = known.partition_point(|other| *other < sorted(*side));
        known.get(first + 1) != Some(&sorted(*side))
    };
    all.into_iter().filter(once).collect()
}

fn sorted(mut corners: [u32; 3]) -> [u32; 3] {
    corners.sort_unstable();
    corners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spring;
    use glam::DVec3;

    /// Two tets with a side in common, a strand that begins at one of them, a strand by itself.
    #[test]
    fn a_tet_has_its_boundary_and_a_strand_itself() {
        let springs = [[0, 1], [1, 2], [4, 5], [5, 6], [7, 8]];
        let mut model = Model {
            masses: vec![1.0; 9],
            rest: vec![DVec3::ZERO; 9],
            springs: springs.map(|[a, b]| Spring::new(a, b, 1.0, 1.0)).to_vec(),
            tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]],
            ..Model::default()
        };
        let outside = Outside::of(&model);
        let expected = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 3, 2], [1, 2, 4], [2, 3, 4], [1, 4, 3]];
        assert!(outside.faces.iter().all(|face| expected.contains(face)), "{:?}", outside.faces);
        assert_eq!((outside.faces.len(), outside.strands), (6, vec![[4, 5], [5, 6], [7, 8]]));
        // What is a triangle already is not there twice.
        model.triangles = vec![[2, 1, 0], [1, 2, 0]];
        let faces = Outside::of(&model).faces;
        assert_eq!((faces.len(), faces[0]), (6, [2, 1, 0]));
    }
}
