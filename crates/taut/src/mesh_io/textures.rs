//! Texture coordinates of triangles, found again from the polygons they were cut from.

use super::{Mesh, triangulate};
use std::collections::HashMap;

impl Mesh {
    /// The triangles whose corners all have texture coordinates, with these (dimensionless, up from the lower left).
    pub fn textured_triangles(&self) -> HashMap<[u32; 3], [[f64; 2]; 3]> {
        let mut textured = HashMap::new();
        let original = &self.original;
        if original.corner_uvs.is_empty() {
            return textured;
        }
        // For each welded vertex of the face at hand, its first corner.
        let mut corner_of = vec![0; self.positions.len()];
        let (mut polygon, mut triangles) = (Vec::new(), Vec::new());
        for face in original.faces() {
            polygon.clear();
            polygon.extend(original.corners[face.clone()].iter().map(|&i| original.vertices[i as usize]));
            polygon.iter().zip(face).rev().for_each(|(&v, corner)| corner_of[v as usize] = corner);
            triangulate::triangulate(&polygon, &self.positions, &mut triangles);
            for triangle in triangles.drain(..) {
                let uvs = triangle.map(|v| {
                    let uv = original.corner_uvs[corner_of[v as usize]];
                    original.uvs.get(uv as usize).copied()
                });
                if let [Some(a), Some(b), Some(c)] = uvs {
                    textured.insert(triangle, [a, b, c]);
                }
            }
        }
        textured
    }
}
