//! What crosses already: at the start of a simulation, or because it was pinched and let through.
//!
//! An edge that meets a face can get out of it through a border of the face, or by drawing one of its ends back through
//! it. Both are contacts of a point and a face or of two edges that a guard would prevent. So for every edge and face that
//! meet, their points and edges are *loose*: neither certified nor kept apart, until the two are apart. Which ones meet is
//! decided exactly, and remembered in the State.

use crate::geometry::{Kind, Surface, Tree, edge_meets_face};
use glam::DVec3;

/// The pairs of a step that may cross.
#[derive(Debug, Default)]
pub(super) struct Tangles {
    /// Points and faces, and edges and edges, that are loose; ascending.
    vertex_face: Vec<[u32; 2]>,
    edge_edge: Vec<[u32; 2]>,
    /// The faces of each edge: where those of an edge begin, and all of them.
    starts: Vec<u32>,
    faces: Vec<u32>,
    found: Vec<[u32; 2]>,
}

impl Tangles {
    pub fn new(surface: &Surface) -> Self {
        let mut starts = vec![0; surface.edges.len() + 1];
        surface.face_edges.as_flattened().iter().for_each(|&e| starts[e as usize + 1] += 1);
        (1..starts.len()).for_each(|e| starts[e] += starts[e - 1]);
        let (mut next, mut faces) = (starts.clone(), vec![0; 3 * surface.faces.len()]);
        for (face, edges) in surface.face_edges.iter().enumerate() {
            for &e in edges {
                faces[next[e as usize] as usize] = face as u32;
                next[e as usize] += 1;
            }
        }
        Tangles { starts, faces, ..Tangles::default() }
    }

    /// All edges and faces that meet at positions x, ascending; those that are prescribed altogether do not count.
    pub fn all(
        surface: &Surface,
        tree: &mut Tree,
        prescribed: &[bool],
        x: &[DVec3],
        crossed: &mut Vec<[u32; 2]>,
    ) {
        tree.refit(x, x);
        tree.edges_and_faces(prescribed, crossed);
        crossed.retain(|&pair| meet(surface, x, pair));
        crossed.sort_unstable();
    }

    /// Begin a step in which these edges and faces meet.
    pub fn begin(&mut self, surface: &Surface, crossed: &[[u32; 2]]) {
        self.vertex_face.clear();
        self.edge_edge.clear();
        for &[edge, face] in crossed {
            self.vertex_face.extend(surface.edges[edge as usize].map(|point| [point, face]));
            let sides = surface.face_edges[face as usize];
            self.edge_edge.extend(sides.map(|side| [edge.min(side), edge.max(side)]));
        }
        self.sort();
    }

    fn sort(&mut self) {
        for list in [&mut self.vertex_face, &mut self.edge_edge] {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// Whether a pair may cross.
    #[inline]
    pub fn is_loose(&self, kind: Kind, pair: [u32; 2]) -> bool {
        let list = self.list(kind);
        !list.is_empty() && list.binary_search(&pair).is_ok()
    }

    fn list(&self, kind: Kind) -> &Vec<[u32; 2]> {
        match kind {
            Kind::VertexFace => &self.vertex_face,
            Kind::EdgeEdge => &self.edge_edge,
        }
    }

    /// Let pairs through in this step.
    pub fn pass(&mut self, pairs: impl Iterator<Item = (Kind, [u32; 2])>) {
        for (kind, pair) in pairs {
            match kind {
                Kind::VertexFace => self.vertex_face.push(pair),
                Kind::EdgeEdge => self.edge_edge.push(pair),
            }
        }
        self.sort();
    }

    /// End the step at positions x: which edges and faces meet there. Only loose pairs can have come to that.
    pub fn end(&mut self, surface: &Surface, x: &[DVec3], crossed: &mut Vec<[u32; 2]>) {
        let Tangles { vertex_face, edge_edge, starts, faces, found } = self;
        let faces_of = |e: u32| &faces[starts[e as usize] as usize..starts[e as usize + 1] as usize];
        found.clear();
        for &[a, b] in &*edge_edge {
            found.extend(faces_of(b).iter().map(|&face| [a, face]));
            found.extend(faces_of(a).iter().map(|&face| [b, face]));
        }
        // A point that went through a face: each of its edges may meet it now.
        for (edge, ends) in surface.edges.iter().enumerate().filter(|_| !vertex_face.is_empty()) {
            for end in ends {
                let from = vertex_face.partition_point(|pair| pair[0] < *end);
                let own = vertex_face[from..].iter().take_while(|pair| pair[0] == *end);
                found.extend(own.map(|pair| [edge as u32, pair[1]]));
            }
        }
        found.sort_unstable();
        found.dedup();
        let apart = |&[edge, face]: &[u32; 2]| {
            let corners = surface.faces[face as usize];
            !surface.edges[edge as usize].iter().any(|i| corners.contains(i))
        };
        crossed.clear();
        crossed.extend(found.iter().copied().filter(|pair| apart(pair) && meet(surface, x, *pair)));
    }
}

fn meet(surface: &Surface, x: &[DVec3], [edge, face]: [u32; 2]) -> bool {
    let edge = surface.edges[edge as usize].map(|i| x[i as usize]);
    edge_meets_face(edge, surface.faces[face as usize].map(|i| x[i as usize]))
}
