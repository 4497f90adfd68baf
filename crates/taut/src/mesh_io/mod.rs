//! Meshes in and out: files become a welded [`Mesh`] to simulate, and new positions go back onto the file's
//! own vertices, polygons, texture coordinates and names.
//!
//! | extension | read | carries vertex attributes |
//! |---|---|---|
//! | `.obj` | polygons, texture coordinates, names | – |
//! | `.ply` | ascii, binary of both endians | every extra scalar vertex property |
//! | `.off` | ascii, polygons | colours as red, green, blue, alpha |
//! | `.stl` | ascii, binary | – |
//! | `.gltf` `.glb` | triangles of the default scene, node transforms applied | scalars that begin with `_`, COLOR_0 as red, green, blue, alpha |
//! | `.mesh` | Medit, ascii | `ref` |
//! | `.node` `.ele` | TetGen, with `.face` where there is one | `attribute_0` ..., `marker` |
//! | `.msh` | Gmsh 2.x and 4.1, ascii and binary | – |
//! | `.vtk` | legacy unstructured grid and polydata, ascii and binary | scalars of POINT_DATA |
//!
//! A [`Sequence`] is one mesh at many times: numbered OBJ or PLY files, or a `.pc2` with a mesh.
//!
//! Hostile files: nothing is reserved that the remaining bytes could not fill, nothing recurses, and names of
//! further files cannot leave the folder of the first. Not handled: animation, skins, cells beyond triangles,
//! quads, polygons and linear tetrahedra (they are left out and counted in [`Mesh::notes`]).

mod cursor;
mod cut;
mod gltf;
mod gmsh;
mod looks;
mod loose;
pub(crate) mod material;
mod medit;
mod numbered;
mod numbers;
mod obj;
mod off;
mod pc2;
mod ply;
mod raw;
mod recognise;
mod sequence;
mod siblings;
mod stl;
#[cfg(test)]
mod tests;
mod tetgen;
mod triangulate;
mod vtk;
mod write;

pub use looks::Look;
pub use material::{Material, NO_MATERIAL};
pub use numbered::numbered;
pub use sequence::Sequence;
pub use siblings::inside_folder;
pub use triangulate::surface;
pub use write::{write_obj, write_ply};

use crate::{Error, input};
use glam::DVec3;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// A mesh ready to simulate, with the record needed to write it back as it came.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    /// Positions of the welded vertices \[m\], in order of first appearance in the file.
    pub positions: Vec<DVec3>,
    /// Triangles over welded vertices: the file's polygons cut up, or else the surface of its tets.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra over welded vertices.
    pub tets: Vec<[u32; 4]>,
    /// Scalars per welded vertex by name, in the file's own units; all finite.
    pub attributes: BTreeMap<String, Vec<f64>>,
    /// What the file itself held.
    pub original: Original,
    /// What was welded, dropped or left out: one sentence each.
    pub notes: Vec<String>,
}

/// The file's own vertices, faces and names, kept so that an export looks like the import.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Original {
    /// For each vertex of the file, the welded vertex it became.
    pub vertices: Vec<u32>,
    /// Texture coordinates (dimensionless), to the right and up from the lower left corner.
    pub uvs: Vec<[f64; 2]>,
    /// Corners of all faces one after the other, as indices of the file's vertices.
    pub corners: Vec<u32>,
    /// For each corner its entry in `uvs`, or [`NO_UV`]; empty if no face has texture coordinates.
    pub corner_uvs: Vec<u32>,
    /// For each face, where in `corners` it ends.
    pub face_ends: Vec<usize>,
    /// For each face its entry in `materials`, or [`NO_MATERIAL`]; empty if no face has one.
    pub face_materials: Vec<u32>,
    /// The materials of a glTF file that its faces use, in the order in which they do.
    pub materials: Vec<Material>,
    /// Lines between the file's vertices: strands. Written, not read.
    pub lines: Vec<[u32; 2]>,
    /// Objects, groups and materials in the order of the file.
    pub names: Vec<Name>,
}

/// The entry of [`Original::corner_uvs`] for a corner without texture coordinates.
pub const NO_UV: u32 = u32::MAX;

/// A named range of faces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// What the name belongs to.
    pub kind: NameKind,
    /// The name.
    pub name: String,
    /// The faces it covers, up to the next name of the same kind.
    pub faces: Range<usize>,
}

/// What a [`Name`] belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// An object (OBJ `o`, an STL solid, a glTF node).
    Object,
    /// A group (OBJ `g`).
    Group,
    /// A material (OBJ `usemtl`).
    Material,
    /// A file of materials (OBJ `mtllib`).
    Library,
}

impl Mesh {
    /// A generated mesh: it is its own original, nothing is welded.
    pub fn from_parts(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>, tets: Vec<[u32; 4]>) -> Self {
        let original = Original {
            vertices: (0..positions.len() as u32).collect(),
            corners: triangles.as_flattened().to_vec(),
            face_ends: (1..=triangles.len()).map(|i| 3 * i).collect(),
            ..Original::default()
        };
        Mesh { positions, triangles, tets, original, ..Mesh::default() }
    }

    /// Append another mesh; its faces become the object `name` unless the file gave them names of its own.
    /// Vertex attributes are kept only where both have them.
    pub fn append(&mut self, other: &Mesh, name: &str) {
        let (welded, vertex) = (self.positions.len() as u32, self.original.vertices.len() as u32);
        let (corner, face) = (self.original.corners.len(), self.original.face_ends.len());
        let (uv, faces) = (self.original.uvs.len() as u32, other.original.face_ends.len());
        self.positions.extend(&other.positions);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|i| i + welded)));
        self.tets.extend(other.tets.iter().map(|t| t.map(|i| i + welded)));
        if welded == 0 {
            self.attributes = other.attributes.clone();
        } else {
            self.attributes.retain(|key, _| other.attributes.contains_key(key));
            self.attributes.iter_mut().for_each(|(key, values)| values.extend(&other.attributes[key]));
        }
        let original = &mut self.original;
        if !(original.corner_uvs.is_empty() && other.original.corner_uvs.is_empty()) {
            original.corner_uvs.resize(corner, NO_UV);
            let shifted = |&i: &u32| if i == NO_UV { NO_UV } else { i + uv };
            original.corner_uvs.extend(other.original.corner_uvs.iter().map(shifted));
            original.corner_uvs.resize(corner + other.original.corners.len(), NO_UV);
        }
        if !(original.face_materials.is_empty() && other.original.face_materials.is_empty()) {
            let first = original.materials.len() as u32;
            original.face_materials.resize(face, NO_MATERIAL);
            let shifted = |&i: &u32| if i == NO_MATERIAL { NO_MATERIAL } else { i + first };
            original.face_materials.extend(other.original.face_materials.iter().map(shifted));
            original.face_materials.resize(face + faces, NO_MATERIAL);
            original.materials.extend(other.original.materials.iter().cloned());
        }
        original.vertices.extend(other.original.vertices.iter().map(|i| i + welded));
        original.lines.extend(other.original.lines.iter().map(|line| line.map(|i| i + vertex)));
        original.uvs.extend(&other.original.uvs);
        original.corners.extend(other.original.corners.iter().map(|i| i + vertex));
        original.face_ends.extend(other.original.face_ends.iter().map(|end| end + corner));
        if other.original.names.is_empty() {
            original.names.push(Name {
                kind: NameKind::Object,
                name: name.into(),
                faces: face..face + faces,
            });
        }
        original.names.extend(
            other
                .original
                .names
                .iter()
                .map(|n| Name { faces: n.faces.start + face..n.faces.end + face, ..n.clone() }),
        );
        self.notes.extend(other.notes.iter().cloned());
    }
}

impl Mesh {
    /// Whether every edge of its triangles belongs to two of them, or an even number: a surface without holes.
    pub fn closed(&self) -> bool {
        let of = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]);
        let mut edges: Vec<[u32; 2]> = self.triangles.iter().flat_map(of).collect();
        edges.sort_unstable();
        edges.chunk_by(|a, b| a == b).all(|same| same.len().is_multiple_of(2))
    }
}

impl Original {
    /// For each face, where in `corners` (and `corner_uvs`) it lies.
    pub fn faces(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut start = 0;
        self.face_ends.iter().map(move |&end| std::mem::replace(&mut start, end)..end)
    }
}

/// Read a mesh file; the extension says the format.
pub fn read(path: impl AsRef<Path>) -> Result<Mesh, Error> {
    let path = path.as_ref();
    let bytes = input::read(path, input::MOST_BYTES)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let sibling = |name: &str| siblings::read_inside(folder, name);
    read_with_siblings(&path.to_string_lossy(), &bytes, &sibling)
}

/// Read a mesh from memory; the extension of `name` says the format. Files of more than one part (TetGen,
/// glTF with external buffers) need [`read_with_siblings`].
pub fn read_bytes(name: &str, bytes: &[u8]) -> Result<Mesh, Error> {
    read_with_siblings(name, bytes, &|_| Ok(None))
}

/// Read a mesh from memory, asking `sibling` for further files by their name relative to the first. The names
/// asked for never leave the folder; `None` means there is no such file.
pub fn read_with_siblings(name: &str, bytes: &[u8], sibling: &Siblings) -> Result<Mesh, Error> {
    let bytes = &*plain(bytes);
    let mesh = raw(name, bytes, sibling).and_then(|raw| raw.finish(name));
    let extension = ending(name);
    mesh.map_err(|error| match recognise::ending(bytes) {
        Some(other) if other != extension && !(other.starts_with("gl") && extension.starts_with("gl")) => {
            let problem = format!("this does not hold what .{extension} says: it looks like .{other}");
            Error::file(name, None, problem, format!("rename it to end in .{other}"))
        }
        _ => error,
    })
}

/// The ending of a file's name, in lower case.
fn ending(name: &str) -> String {
    Path::new(name).extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// What a file holds, as it stands there.
fn raw(name: &str, bytes: &[u8], sibling: &Siblings) -> Result<raw::RawMesh, Error> {
    match &*ending(name) {
        "obj" => obj::read(name, bytes),
        "off" => off::read(name, bytes),
        "ply" => ply::read(name, bytes),
        "stl" => stl::read(name, bytes),
        "gltf" | "glb" => gltf::read(name, bytes, sibling),
        "mesh" => medit::read(name, bytes),
        "node" | "ele" => tetgen::read(name, bytes, sibling),
        "msh" => gmsh::read(name, bytes),
        "vtk" => vtk::read(name, bytes),
        other => {
            let known = "use .obj .ply .off .stl .gltf .glb .mesh .node .ele .msh or .vtk";
            let problem = format!("the extension \"{other}\" is no known mesh format");
            Err(Error::file(name, None, problem, known))
        }
    }
}

/// The file without a UTF-8 mark in front, and with line feeds where an old editor ended lines by returns alone.
fn plain(bytes: &[u8]) -> Cow<'_, [u8]> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let returns_only = bytes.contains(&b'\r') && !bytes.contains(&b'\n') && bytes.iter().all(u8::is_ascii);
    match returns_only && !bytes.contains(&0) {
        true => bytes.iter().map(|&b| if b == b'\r' { b'\n' } else { b }).collect(),
        false => bytes.into(),
    }
}

/// Fetches a further file by its name relative to the first.
pub type Siblings<'a> = dyn Fn(&str) -> Result<Option<Vec<u8>>, Error> + 'a;
