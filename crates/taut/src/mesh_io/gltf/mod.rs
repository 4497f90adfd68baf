//! glTF 2.0 and GLB: the triangles of the default scene with node transforms applied. JSON by `serde_json`
//! (bounded nesting, line numbers); the `gltf` crate's structs are too large for our memory bound and its
//! iterators panic on broken accessors.
//!
//! Positions are f32 in the file; transforms are applied in f64. Not handled: compressed, quantized or sparse
//! accessors (errors); points, lines, strips and fans (noted); skins and morphs (rest pose).

mod document;

use super::cursor::{Cursor, short};
use super::numbers::{Encoding, Type};
use super::raw::RawMesh;
use super::{NO_UV, NameKind, Siblings};
use crate::Error;
use document::{Accessor, Buffers, Document, Node, Primitive};
use glam::{DMat4, DQuat, DVec3};
use std::cell::Cell;

struct Reader<'a> {
    file: &'a str,
    document: Document,
    buffers: Buffers<'a>,
    raw: RawMesh,
    /// Bytes of memory that instances of meshes may still use.
    budget: Cell<u64>,
    /// Primitives left out.
    ignored: usize,
}

pub(super) fn read(file: &str, bytes: &[u8], sibling: &Siblings) -> Result<RawMesh, Error> {
    let (document, binary) = document::open(file, bytes)?;
    let buffers = Buffers::load(file, &document, binary, sibling)?;
    // One file can name one mesh many times over: bound what comes out by what went in.
    let budget = Cell::new((8 << 20) + 100 * (bytes.len() + buffers.bytes()) as u64);
    let mut reader = Reader { file, document, buffers, raw: RawMesh::default(), budget, ignored: 0 };
    reader.check_extensions()?;
    reader.walk()?;
    if reader.ignored > 0 {
        let note = format!("{} primitives that are not plain triangles are ignored", reader.ignored);
        reader.raw.notes.push(note);
    }
    if reader.document.nodes.iter().any(|n| n.skin.is_some()) {
        reader.raw.notes.push("skins are ignored: the mesh is read in its rest pose".into());
    }
    Ok(reader.raw)
}

fn transform(node: &Node) -> DMat4 {
    if let Some(matrix) = &node.matrix {
        return DMat4::from_cols_array(matrix);
    }
    let scale = node.scale.as_ref().map_or(DVec3::ONE, |s| DVec3::from_array(**s));
    let rotation = node.rotation.as_ref().map_or(DQuat::IDENTITY, |r| DQuat::from_array(**r).normalize());
    let translation = node.translation.as_ref().map_or(DVec3::ZERO, |t| DVec3::from_array(**t));
    DMat4::from_scale_rotation_translation(scale, rotation, translation)
}

impl Reader<'_> {
    fn error(&self, problem: String, remedy: &str) -> Error {
        Error::file(self.file, None, problem, remedy)
    }

    fn check_extensions(&self) -> Result<(), Error> {
        let unread = ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_mesh_quantization"];
        match self.document.extensions_required.iter().find(|e| unread.contains(&e.as_str())) {
            Some(name) => {
                Err(self.error(format!("the extension {name} is not read"), "export without compression"))
            }
            None => Ok(()),
        }
    }

    /// The nodes the default scene starts from; without scenes, every node that is nobody's child.
    fn roots(&self) -> Result<Vec<u32>, Error> {
        let document = &self.document;
        let scene = document.scene.unwrap_or(0) as usize;
        if let Some(scene) = document.scenes.get(scene) {
            return Ok(scene.nodes.clone());
        }
        if document.scene.is_some() {
            let problem = format!("the default scene is {scene}, but there are {}", document.scenes.len());
            return Err(self.error(problem, "scenes count from 0"));
        }
        let mut is_child = vec![false; document.nodes.len()];
        for &child in document.nodes.iter().flat_map(|n| &n.children) {
            if let Some(flag) = is_child.get_mut(child as usize) {
                *flag = true;
            }
        }
        Ok((0..document.nodes.len() as u32).filter(|&n| !is_child[n as usize]).collect())
    }

    /// Visit nodes depth first, children in order. Only the way down from the root is kept: as many matrices
    /// as waiting children would outgrow the memory bound.
    fn walk(&mut self) -> Result<(), Error> {
        let mut seen = vec![false; self.document.nodes.len()];
        let mut way: Vec<(u32, DMat4, usize)> = Vec::new();
        for root in self.roots()? {
            way.push((root, self.enter(root, DMat4::IDENTITY, &mut seen)?, 0));
            while let Some((node, matrix, next)) = way.last_mut() {
                let Some(&child) = self.document.nodes[*node as usize].children.get(*next) else {
                    way.pop();
                    continue;
                };
                *next += 1;
                let parent = *matrix;
                way.push((child, self.enter(child, parent, &mut seen)?, 0));
            }
        }
        Ok(())
    }

    /// Read the mesh of a node and return the node's transform.
    fn enter(&mut self, number: u32, parent: DMat4, seen: &mut [bool]) -> Result<DMat4, Error> {
        let Some(node) = self.document.nodes.get(number as usize) else {
            let problem = format!("node {number} is used, but there are {}", seen.len());
            return Err(self.error(problem, "nodes count from 0"));
        };
        if std::mem::replace(&mut seen[number as usize], true) {
            let problem = format!("node {number} has two parents or is its own ancestor");
            return Err(self.error(problem, "nodes must form a tree"));
        }
        let matrix = parent * transform(node);
        if let Some(mesh) = node.mesh {
            self.mesh(number, mesh, matrix)?;
        }
        Ok(matrix)
    }

    fn mesh(&mut self, node: u32, number: u32, matrix: DMat4) -> Result<(), Error> {
        let meshes = &mut self.document.meshes;
        let count = meshes.len();
        let Some(mesh) = meshes.get_mut(number as usize) else {
            let problem = format!("node {node} uses mesh {number}, but there are {count}");
            return Err(self.error(problem, "meshes count from 0"));
        };
        let name = self.document.nodes[node as usize].name.as_ref().or(mesh.name.as_ref());
        let name = name.map_or(String::new(), |n| n.to_string());
        self.raw.name(NameKind::Object, name);
        // Out and back in, for reading primitives changes the rest of the reader.
        let primitives = std::mem::take(&mut mesh.primitives);
        let result = primitives.iter().try_for_each(|primitive| self.primitive(number, primitive, matrix));
        self.document.meshes[number as usize].primitives = primitives;
        result
    }

    fn primitive(&mut self, mesh: u32, primitive: &Primitive, matrix: DMat4) -> Result<(), Error> {
        let (Some(position), 4) = (primitive.attributes.position, primitive.mode.unwrap_or(4)) else {
            self.ignored += 1;
            return Ok(());
        };
        let positions = self.numbers(position, "VEC3", 320)?;
        let vertices = positions.len() / 3;
        let uvs = match primitive.attributes.texcoord_0 {
            Some(accessor) => self.numbers(accessor, "VEC2", 64)?,
            None => Vec::new(),
        };
        let indices = match primitive.indices {
            Some(accessor) => self.numbers(accessor, "SCALAR", 64)?,
            None => (0..vertices).map(|i| i as f64).collect(),
        };
        if let Some(&bad) = indices.iter().find(|&&i| !(i >= 0.0 && i < vertices as f64)) {
            let problem = format!("mesh {mesh} uses vertex {bad}, but there are {vertices}, counted from 0");
            return Err(self.error(problem, "indices must name a vertex of the primitive"));
        }
        let first = self.raw.positions.len() as u32;
        let point = |p: &[f64]| matrix.transform_point3(DVec3::from_slice(p));
        self.raw.positions.extend(positions.chunks_exact(3).map(point));
        let first_uv = self.raw.original.uvs.len() as u32;
        let textured = uvs.len() == 2 * vertices;
        if textured {
            self.raw.original.uvs.extend(uvs.chunks_exact(2).map(|uv| [uv[0], uv[1]]));
        }
        let mirrored = matrix.determinant() < 0.0;
        for triangle in indices.chunks_exact(3) {
            let [a, b, c] = [triangle[0], triangle[1], triangle[2]].map(|i| i as u32);
            let corners = if mirrored { [a, c, b] } else { [a, b, c] };
            self.raw.face(&corners.map(|i| first + i));
            let uv = |i| if textured { first_uv + i } else { NO_UV };
            self.raw.original.corner_uvs.extend(corners.map(uv));
        }
        Ok(())
    }

    /// All numbers of an accessor, each element costing so many bytes of the budget.
    fn numbers(&self, number: u32, shape: &str, cost: u64) -> Result<Vec<f64>, Error> {
        let fail = |(problem, remedy): (String, &str)| {
            Error::file(self.file, None, format!("accessor {number} {problem}"), remedy)
        };
        let Some(accessor) = self.document.accessors.get(number as usize) else {
            let problem = format!("is used, but there are {}", self.document.accessors.len());
            return Err(fail((problem, "accessors count from 0")));
        };
        let (stored, unit) = component(accessor, shape).map_err(fail)?;
        let arity = if shape == "VEC3" { 3 } else { 1 + (shape == "VEC2") as usize };
        let size = arity * stored.size();
        let (bytes, stride) = self.elements(accessor, size).map_err(fail)?;
        match self.budget.get().checked_sub(accessor.count.saturating_mul(cost)) {
            Some(left) => self.budget.set(left),
            None => {
                return Err(fail(("is used by too many nodes".into(), "use fewer copies of the mesh")));
            }
        }
        let scale = if accessor.normalized { 1.0 / unit } else { 1.0 };
        let mut numbers = Vec::with_capacity(accessor.count as usize * arity);
        for i in 0..accessor.count as usize {
            let mut cursor = Cursor::new(self.file, &bytes[i * stride..i * stride + size], Encoding::Little);
            for _ in 0..arity {
                numbers.push(cursor.value(stored, "a number")? * scale);
            }
        }
        Ok(numbers)
    }

    /// The bytes from the first element on, sure to hold all of them, and how far apart elements are.
    fn elements(&self, accessor: &Accessor, size: usize) -> Result<(&[u8], usize), (String, &'static str)> {
        let view = accessor.buffer_view.and_then(|v| self.document.buffer_views.get(v as usize));
        let (Some(view), None) = (view, &accessor.sparse) else {
            return Err(("has no buffer view, or is sparse".into(), "export plain accessors"));
        };
        let stride = view.byte_stride.map_or(size, |s| s as usize);
        if stride < size {
            return Err((format!("has a stride of {stride} bytes for {size}"), "elements must not overlap"));
        }
        let bytes = self.buffers.get(view.buffer).and_then(|b| part(b, view.byte_offset, view.byte_length));
        let bytes = bytes.and_then(|b| b.get(usize::try_from(accessor.byte_offset).ok()?..));
        let gaps = accessor.count.saturating_sub(1) as u128;
        let needed = if accessor.count == 0 { 0 } else { gaps * stride as u128 + size as u128 };
        match bytes {
            Some(bytes) if needed <= bytes.len() as u128 => Ok((bytes, stride)),
            _ => {
                let problem = format!("needs {needed} bytes, more than its buffer has");
                Err((problem, "correct the count, or fetch the whole file"))
            }
        }
    }
}

/// How an accessor of the given shape stores its numbers, and the integer that stands for 1 if normalized.
fn component(accessor: &Accessor, shape: &str) -> Result<(Type, f64), (String, &'static str)> {
    if accessor.shape.as_ref() != shape {
        let problem = format!("is \"{}\" where {shape} should be", short(&accessor.shape));
        return Err((problem, "positions are VEC3, texture coordinates VEC2, indices SCALAR"));
    }
    match (accessor.component_type, shape) {
        (5121, "VEC2" | "SCALAR") => Ok((Type::U8, 255.0)),
        (5123, "VEC2" | "SCALAR") => Ok((Type::U16, 65535.0)),
        (5125, "SCALAR") => Ok((Type::U32, 1.0)),
        (5126, "VEC2" | "VEC3") => Ok((Type::F32, 1.0)),
        (other, _) => Err((format!("has the component type {other}"), "export floats and plain indices")),
    }
}

fn part(bytes: &[u8], start: u64, length: u64) -> Option<&[u8]> {
    let (start, length) = (usize::try_from(start).ok()?, usize::try_from(length).ok()?);
    bytes.get(start..start.checked_add(length)?)
}
