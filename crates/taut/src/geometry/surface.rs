//! What can touch: the points, edges and faces of all bodies, over one numbering of particles.

use crate::Error;

/// Points, edges and faces. Every edge is there once, whether faces share it or a strand is made of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Surface {
    /// How many particles there are, whether they belong to the surface or not.
    pub particles: usize,
    /// The particles that belong to an edge, ascending.
    pub points: Vec<u32>,
    /// The two particles of each edge, the lower first, ascending.
    pub edges: Vec<[u32; 2]>,
    /// The three particles of each face, as they were given.
    pub faces: Vec<[u32; 3]>,
    /// The edges of each face: from its first corner to the second, to the third, and back.
    pub face_edges: Vec<[u32; 3]>,
    /// How many faces each edge belongs to: 0 in a strand, 1 on a border, 2 within, more where sheets meet.
    pub edge_faces: Vec<u32>,
}

impl Surface {
    /// The surface of these triangles and loose segments, which may repeat one another. Errors name what uses a particle
    /// that is not there, or one twice.
    pub fn new(particles: usize, triangles: &[[u32; 3]], segments: &[[u32; 2]]) -> Result<Self, Error> {
        triangles.iter().enumerate().try_for_each(|(i, t)| check("triangle", i, t, particles))?;
        segments.iter().enumerate().try_for_each(|(i, s)| check("segment", i, s, particles))?;
        // Every side of a triangle, then every segment, with the place to which the number of its edge goes.
        let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let ordered = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
        let mut sides: Vec<_> = sides.chain(segments.iter().copied()).map(ordered).zip(0..).collect();
        sides.sort_unstable();
        let mut surface = Surface { particles, faces: triangles.to_vec(), ..Surface::default() };
        surface.face_edges = vec![[0; 3]; triangles.len()];
        for (edge, place) in sides {
            if surface.edges.last() != Some(&edge) {
                surface.edges.push(edge);
                surface.edge_faces.push(0);
            }
            let number = surface.edges.len() - 1;
            if let Some(slot) = surface.face_edges.as_flattened_mut().get_mut(place as usize) {
                *slot = number as u32;
                surface.edge_faces[number] += 1;
            }
        }
        let mut used = vec![false; particles];
        surface.edges.as_flattened().iter().for_each(|&p| used[p as usize] = true);
        surface.points = (0..particles as u32).filter(|&p| used[p as usize]).collect();
        Ok(surface)
    }
}

/// An element names particles that are there, each of them once.
fn check(element: &'static str, index: usize, corners: &[u32], particles: usize) -> Result<(), Error> {
    let fail = |problem, remedy| Err(Error::Model { element, index, problem, remedy });
    if let Some(c) = corners.iter().find(|&&c| c as usize >= particles) {
        return fail(format!("it uses particle {c}, but there are {particles}"), "indices count from 0");
    }
    match corners.iter().enumerate().find(|(n, c)| corners[..*n].contains(c)) {
        Some((_, c)) => fail(format!("it uses particle {c} twice"), "its corners must differ"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_faces_share_an_edge_and_a_strand_adds_its_own() {
        let surface = Surface::new(7, &[[0, 1, 2], [2, 1, 3]], &[[4, 3], [1, 2], [3, 4]]).unwrap();
        assert_eq!(surface.points, [0, 1, 2, 3, 4]);
        assert_eq!(surface.edges, [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [3, 4]]);
        assert_eq!(surface.edge_faces, [1, 1, 2, 1, 1, 0]);
        assert_eq!(surface.face_edges, [[0, 2, 1], [2, 3, 4]]);
    }

    #[test]
    fn what_cannot_be_is_named() {
        let error = |triangles: &[[u32; 3]], segments: &[[u32; 2]]| {
            Surface::new(3, triangles, segments).unwrap_err().to_string()
        };
        assert!(
            error(&[[0, 1, 2], [0, 1, 3]], &[]).contains("triangle 1: it uses particle 3, but there are 3")
        );
        assert!(error(&[[0, 1, 0]], &[]).contains("triangle 0: it uses particle 0 twice"));
        assert!(error(&[], &[[2, 2]]).contains("segment 0: it uses particle 2 twice"));
        assert_eq!(Surface::new(0, &[], &[]).unwrap(), Surface::default());
    }
}
