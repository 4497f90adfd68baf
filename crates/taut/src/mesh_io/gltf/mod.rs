//! glTF 2.0 and GLB: the triangles of the default scene with node transforms applied. JSON by `serde_json`
//! (bounded nesting, line numbers); the `gltf` crate's structs are too large for our memory bound and its
//! iterators panic on broken accessors.
//!
//! Numbers of any type become f64, then transforms are applied. COLOR_0 and scalars whose name begins with `_` become
//! vertex attributes; materials and pictures are taken along, see `materials`. Not handled: compressed buffers (errors);
//! points and lines (noted); skins and morphs (rest pose).

mod accessor;
mod document;
mod materials;

use super::cursor::short;
use super::raw::{RawMesh, strip};
use super::{NO_MATERIAL, NO_UV, NameKind, Siblings};
use crate::Error;
use document::{Buffers, Document, Node, Primitive};
use glam::{DMat4, DQuat, DVec3};
use std::cell::Cell;

/// Modes of primitives.
const TRIANGLES: u32 = 4;
const STRIP: u32 = 5;
const FAN: u32 = 6;

/// Attributes that COLOR_0 becomes, 0 to 1 each.
const CHANNELS: [&str; 4] = ["red", "green", "blue", "alpha"];

struct Reader<'a> {
    file: &'a str,
    document: Document<'a>,
    buffers: Buffers<'a>,
    sibling: &'a Siblings<'a>,
    raw: RawMesh,
    known: materials::Known,
    /// Bytes of memory that instances of meshes may still use.
    budget: Cell<u64>,
    /// Primitives of points and lines.
    ignored: usize,
}

pub(super) fn read(file: &str, bytes: &[u8], sibling: &Siblings) -> Result<RawMesh, Error> {
    let (document, binary) = document::open(file, bytes)?;
    let buffers = Buffers::load(file, &document, binary, sibling)?;
    // One file can name one mesh many times over: bound what comes out by what went in.
    let budget = Cell::new((8 << 20) + 100 * (bytes.len() + buffers.bytes()) as u64);
    let (raw, known) = Default::default();
    let mut reader = Reader { file, document, buffers, sibling, raw, known, budget, ignored: 0 };
    reader.check_extensions()?;
    reader.walk()?;
    if reader.ignored > 0 {
        let what = format!("{} primitives of points or lines", reader.ignored);
        if reader.raw.positions.is_empty() {
            return Err(reader.error(format!("there are no triangles, only {what}"), "export faces"));
        }
        reader.raw.notes.push(format!("{what} are ignored"));
    }
    reader.pad_attributes(reader.raw.positions.len())?;
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
        let unread = ["KHR_draco_mesh_compression", "EXT_meshopt_compression"];
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
        let mode = primitive.mode.unwrap_or(TRIANGLES);
        let (Some(&position), TRIANGLES..=FAN) = (primitive.attributes.get("POSITION"), mode) else {
            self.ignored += 1;
            return Ok(());
        };
        let positions = self.numbers(position, &["VEC3"], 320)?;
        let vertices = positions.len() / 3;
        let uvs = match primitive.attributes.get("TEXCOORD_0") {
            Some(&accessor) => self.numbers(accessor, &["VEC2"], 64)?,
            None => Vec::new(),
        };
        let indices = match primitive.indices {
            Some(accessor) => self.numbers(accessor, &["SCALAR"], 64)?,
            None => (0..vertices).map(|i| i as f64).collect(),
        };
        if let Some(&bad) = indices.iter().find(|&&i| !(i >= 0.0 && i < vertices as f64 && i.fract() == 0.0))
        {
            let problem = format!("mesh {mesh} uses vertex {bad}, but there are {vertices}, counted from 0");
            return Err(self.error(problem, "indices must name a vertex of the primitive"));
        }
        if mode != TRIANGLES {
            self.charge(indices.len() as u64, 128)?; // every further corner makes a triangle
        }
        self.attributes(primitive, vertices)?;
        let first = self.raw.positions.len() as u32;
        let point = |p: &[f64]| matrix.transform_point3(DVec3::from_slice(p));
        self.raw.positions.extend(positions.chunks_exact(3).map(point));
        let first_uv = self.raw.original.uvs.len() as u32;
        let textured = uvs.len() == 2 * vertices;
        if textured {
            // Here v counts up from the lower edge, as in OBJ and PLY; glTF counts down from the upper one.
            self.raw.original.uvs.extend(uvs.chunks_exact(2).map(|uv| [uv[0], 1.0 - uv[1]]));
        }
        let material = primitive.material.map_or(NO_MATERIAL, |number| self.material(number));
        let mirrored = matrix.determinant() < 0.0;
        let uv = |i| if textured { first_uv + i } else { NO_UV };
        let raw = &mut self.raw;
        let mut face = |[a, b, c]: [u32; 3]| {
            let corners = if mirrored { [a, c, b] } else { [a, b, c] };
            raw.face(&corners.map(|i| first + i));
            raw.original.corner_uvs.extend(corners.map(uv));
            raw.original.face_materials.push(material);
        };
        let indices: Vec<u32> = indices.into_iter().map(|i| i as u32).collect();
        match mode {
            STRIP => strip(&indices).for_each(face),
            FAN => indices.windows(2).skip(1).for_each(|pair| face([indices[0], pair[0], pair[1]])),
            _ => indices.as_chunks().0.iter().for_each(|&triangle| face(triangle)),
        }
        Ok(())
    }

    /// Colours, and scalars whose name begins with `_`, of the vertices about to be added.
    fn attributes(&mut self, primitive: &Primitive, vertices: usize) -> Result<(), Error> {
        for (name, &accessor) in &primitive.attributes {
            let shapes: &[&str] = match name.as_ref() {
                "COLOR_0" => &["VEC3", "VEC4"],
                name if name.starts_with('_') => &["SCALAR"],
                _ => continue,
            };
            if shapes == ["SCALAR"] && self.shape(accessor).is_some_and(|s| s != "SCALAR") {
                let note = format!("the attribute {} is ignored: it is not SCALAR", short(name));
                if !self.raw.notes.contains(&note) {
                    self.raw.notes.push(note);
                }
                continue;
            }
            let values = self.numbers(accessor, shapes, 128)?;
            let names = if shapes == ["SCALAR"] { &[name.as_ref()][..] } else { &CHANNELS };
            let arity = values.len() / vertices.max(1);
            if values.len() != arity * vertices {
                let problem = format!("the attribute {} has not one value for each vertex", short(name));
                return Err(self.error(problem, "accessors of a primitive must have equal counts"));
            }
            for (channel, name) in names.iter().take(arity).enumerate() {
                self.pad_attribute(name, self.raw.positions.len())?;
                let column = self.raw.attributes.entry(name.to_string()).or_default();
                column.extend(values.iter().skip(channel).step_by(arity));
            }
        }
        Ok(())
    }

    /// Vertices of primitives without an attribute have 0 there.
    fn pad_attribute(&mut self, name: &str, vertices: usize) -> Result<(), Error> {
        let missing = vertices - self.raw.attributes.get(name).map_or(0, Vec::len);
        self.charge(missing as u64, 32)?;
        self.raw.attributes.entry(name.to_string()).or_default().resize(vertices, 0.0);
        Ok(())
    }

    fn pad_attributes(&mut self, vertices: usize) -> Result<(), Error> {
        let names: Vec<String> = self.raw.attributes.keys().cloned().collect();
        names.iter().try_for_each(|name| self.pad_attribute(name, vertices))
    }

    /// Take memory for `count` elements of `cost` bytes each out of the budget.
    fn charge(&self, count: u64, cost: u64) -> Result<(), Error> {
        let left = self.budget.get().checked_sub(count.saturating_mul(cost));
        let problem =
            "a mesh is used by too many nodes, or an accessor announces far more than the file holds";
        self.budget.set(left.ok_or_else(|| self.error(problem.into(), "use fewer copies of the mesh"))?);
        Ok(())
    }
}
