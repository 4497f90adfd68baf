//! Meshes of models that have been cut: what a file held, with the particles there are now.

use super::{Mesh, NO_MATERIAL, NO_UV, triangulate};
use crate::Model;
use std::collections::{BTreeMap, BTreeSet};

impl Mesh {
    /// This mesh, that of a whole model, as it is after cuts. A copy is a vertex of its own; a polygon of which a corner
    /// has become a copy, or lies in a hole, is written as triangles, with the texture coordinates, material and name it
    /// had. What a solid was opened to comes last.
    pub fn parted(&self, model: &Model) -> Mesh {
        let mut mesh = self.clone();
        let original = &mut mesh.original;
        let first = original.vertices.len() as u32;
        let whole = self.positions.len() as u32;
        for &[_, parent] in &model.copies {
            mesh.positions.push(mesh.positions[parent as usize]);
            mesh.attributes.values_mut().for_each(|values| values.push(values[parent as usize]));
            original.vertices.push(original.vertices.len() as u32 - first + whole);
        }
        // The vertex that a corner of the file is now.
        let vertex = |old: u32, now: u32| if now < whole { old } else { first + now - whole };
        let before = |t: &[u32; 3]| t.map(|i| model.original(i));
        let now: BTreeMap<[u32; 3], [u32; 3]> = model.triangles.iter().map(|t| (before(t), *t)).collect();
        let whole_mesh: BTreeSet<[u32; 3]> = self.triangles.iter().copied().collect();

        let (corners, uvs) =
            (std::mem::take(&mut original.corners), std::mem::take(&mut original.corner_uvs));
        let materials = std::mem::take(&mut original.face_materials);
        original.face_ends.clear();
        let mut add = |corners: &[u32], own: &[u32], material: Option<&u32>| {
            original.corners.extend(corners);
            original.corner_uvs.extend(own);
            original.face_materials.extend(material);
            original.face_ends.push(original.corners.len());
        };
        let mut starts = Vec::new();
        let mut faces = 0;
        let mut triangles = Vec::new();
        for (face, range) in self.original.faces().enumerate() {
            starts.push(faces);
            let (file, material) = (&corners[range.clone()], materials.get(face));
            let own = uvs.get(range).unwrap_or_default();
            let polygon: Vec<u32> = file.iter().map(|&i| self.original.vertices[i as usize]).collect();
            triangulate::triangulate(&polygon, &self.positions, &mut triangles);
            // Of a hole nothing is left.
            let parted = |t: &[u32; 3]| now.get(t).map_or(whole_mesh.contains(t), |now| now != t);
            if !triangles.iter().any(parted) {
                triangles.clear();
                add(file, own, material);
                faces += 1;
                continue;
            }
            for triangle in triangles.drain(..).filter(|t| now.contains_key(t) || !whole_mesh.contains(t)) {
                let at = triangle.map(|i| polygon.iter().position(|&p| p == i).unwrap_or_default());
                let after = now.get(&triangle).copied().unwrap_or(triangle);
                let corners: [u32; 3] = std::array::from_fn(|k| vertex(file[at[k]], after[k]));
                let own: Vec<u32> = at.iter().filter_map(|&k| own.get(k).copied()).collect();
                add(&corners, &own, material);
                faces += 1;
            }
        }
        let all = faces;
        // Without faces the triangles of the model are written.
        let opened = model.triangles.iter().filter(|t| all > 0 && !whole_mesh.contains(&before(t)));
        for triangle in opened {
            let file =
                |i: u32| self.original.vertices.iter().position(|&v| v == i).unwrap_or_default() as u32;
            let corners = triangle.map(|i| vertex(if i < whole { file(i) } else { 0 }, i));
            add(
                &corners,
                &[NO_UV; 3][..if uvs.is_empty() { 0 } else { 3 }],
                materials.first().map(|_| &NO_MATERIAL),
            );
        }
        let start = |face: usize| starts.get(face).copied().unwrap_or(all);
        original
            .names
            .iter_mut()
            .for_each(|name| name.faces = start(name.faces.start)..start(name.faces.end));
        mesh.part_lines(model);
        mesh.triangles.clone_from(&model.triangles);
        mesh.tets.clone_from(&model.tets);
        mesh
    }

    /// Lines stay where there is a spring.
    fn part_lines(&mut self, model: &Model) {
        let vertices = &self.original.vertices;
        let springs: BTreeSet<[u32; 2]> = match self.original.lines.is_empty() {
            true => BTreeSet::new(),
            false => model.springs.iter().flat_map(|s| [s.ends, [s.ends[1], s.ends[0]]]).collect(),
        };
        self.original.lines.retain(|ends| springs.contains(&ends.map(|i| vertices[i as usize])));
    }
}
