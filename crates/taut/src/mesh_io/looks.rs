//! Texture coordinates and materials of triangles, found again from the polygons they were cut from.

use super::{Mesh, NO_MATERIAL, triangulate};
use std::collections::HashMap;

/// What a file says of how a triangle looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Texture coordinates of its corners (dimensionless, up from the lower left), if all have them.
    pub uvs: Option<[[f64; 2]; 3]>,
    /// Its entry in [`Original::materials`](super::Original::materials), or [`NO_MATERIAL`].
    pub material: u32,
}

impl Mesh {
    /// The triangles that have texture coordinates or a material.
    pub fn looks(&self) -> HashMap<[u32; 3], Look> {
        let mut looks = HashMap::new();
        let original = &self.original;
        if original.corner_uvs.is_empty() && original.face_materials.is_empty() {
            return looks;
        }
        // For each welded vertex of the face at hand, its first corner.
        let mut corner_of = vec![0; self.positions.len()];
        let (mut polygon, mut triangles) = (Vec::new(), Vec::new());
        for (face, corners) in original.faces().enumerate() {
            polygon.clear();
            polygon.extend(original.corners[corners.clone()].iter().map(|&i| original.vertices[i as usize]));
            polygon.iter().zip(corners).rev().for_each(|(&v, corner)| corner_of[v as usize] = corner);
            triangulate::triangulate(&polygon, &self.positions, &mut triangles);
            let material = original.face_materials.get(face).copied().unwrap_or(NO_MATERIAL);
            for triangle in triangles.drain(..) {
                let uvs = triangle.map(|v| {
                    let uv = original.corner_uvs.get(corner_of[v as usize])?;
                    original.uvs.get(*uv as usize).copied()
                });
                let uvs = if let [Some(a), Some(b), Some(c)] = uvs { Some([a, b, c]) } else { None };
                if uvs.is_some() || material != NO_MATERIAL {
                    looks.insert(triangle, Look { uvs, material });
                }
            }
        }
        looks
    }
}
