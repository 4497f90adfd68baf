//! Writers: new positions of the welded vertices go back onto the file's own vertices, polygons, texture
//! coordinates and names. OBJ in text, PLY in binary little endian; numbers keep all digits of f64.

use super::{Mesh, NO_UV, NameKind, Original};
use glam::DVec3;
use std::borrow::Cow;
use std::io::{Error, ErrorKind, Result, Write};

/// Write `mesh` as OBJ with `positions` \[m\] of its welded vertices; `comments` open the file, one line each.
pub fn write_obj(mesh: &Mesh, positions: &[DVec3], mut out: impl Write, comments: &[String]) -> Result<()> {
    let original = exportable(mesh, positions)?;
    for comment in comments {
        writeln!(out, "# {}", one_line(comment))?;
    }
    // `{:?}` gives the shortest digits that read back to the same number.
    for &welded in &original.vertices {
        let p = positions[welded as usize];
        writeln!(out, "v {:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    for [u, v] in &original.uvs {
        writeln!(out, "vt {u:?} {v:?}")?;
    }
    let mut names = original.names.iter().peekable();
    for (face, range) in original.faces().enumerate() {
        while let Some(name) = names.next_if(|n| n.faces.start <= face) {
            writeln!(out, "{} {}", keyword(name.kind), one_line(&name.name))?;
        }
        write!(out, "f")?;
        for corner in range {
            write!(out, " {}", original.corners[corner] + 1)?;
            match original.corner_uvs.get(corner) {
                Some(&uv) if uv != NO_UV => write!(out, "/{}", uv + 1)?,
                _ => {}
            }
        }
        writeln!(out)?;
    }
    names.try_for_each(|name| writeln!(out, "{} {}", keyword(name.kind), one_line(&name.name)))?;
    original.lines.iter().try_for_each(|[a, b]| writeln!(out, "l {} {}", a + 1, b + 1))
}

fn keyword(kind: NameKind) -> &'static str {
    match kind {
        NameKind::Object => "o",
        NameKind::Group => "g",
        NameKind::Material => "usemtl",
        NameKind::Library => "mtllib",
    }
}

/// Write `mesh` as binary PLY with `positions` \[m\] of its welded vertices and their attributes; `comments` go
/// into the header. PLY has no place for names.
pub fn write_ply(mesh: &Mesh, positions: &[DVec3], mut out: impl Write, comments: &[String]) -> Result<()> {
    let original = exportable(mesh, positions)?;
    let textured = !original.corner_uvs.is_empty();
    let per_vertex =
        textured && original.corner_uvs == original.corners && original.uvs.len() == original.vertices.len();
    let per_corner = textured && !per_vertex;
    writeln!(out, "ply\nformat binary_little_endian 1.0")?;
    for comment in comments {
        writeln!(out, "comment {}", one_line(comment))?;
    }
    writeln!(out, "element vertex {}", original.vertices.len())?;
    writeln!(out, "property double x\nproperty double y\nproperty double z")?;
    if per_vertex {
        writeln!(out, "property double s\nproperty double t")?;
    }
    for name in mesh.attributes.keys() {
        writeln!(out, "property double {}", property_name(name))?;
    }
    // Many readers know only lists whose length is a byte, so larger ones only where a polygon needs them.
    let wide = original.faces().any(|face| 2 * face.len() > 255);
    let length = if wide { "uint" } else { "uchar" };
    writeln!(out, "element face {}\nproperty list {length} uint vertex_indices", original.face_ends.len())?;
    if per_corner {
        writeln!(out, "property list {length} double texcoord")?;
    }
    if !original.lines.is_empty() {
        writeln!(out, "element edge {}\nproperty int vertex1\nproperty int vertex2", original.lines.len())?;
    }
    writeln!(out, "end_header")?;
    for (i, &welded) in original.vertices.iter().enumerate() {
        let welded = welded as usize;
        let uv: &[f64] = if per_vertex { &original.uvs[i] } else { &[] };
        let attributes = mesh.attributes.values().map(|values| &values[welded]);
        for number in positions[welded].as_ref().iter().chain(uv).chain(attributes) {
            out.write_all(&number.to_le_bytes())?;
        }
    }
    for range in original.faces() {
        write_length(range.len(), wide, &mut out)?;
        for &corner in &original.corners[range.clone()] {
            out.write_all(&corner.to_le_bytes())?;
        }
        if per_corner {
            let corner_uvs = &original.corner_uvs[range];
            // The list cannot skip a corner, so one corner without takes the whole face's away.
            let kept = if corner_uvs.contains(&NO_UV) { &[] } else { corner_uvs };
            write_length(2 * kept.len(), wide, &mut out)?;
            for number in kept.iter().flat_map(|&uv| original.uvs[uv as usize]) {
                out.write_all(&number.to_le_bytes())?;
            }
        }
    }
    original.lines.as_flattened().iter().try_for_each(|end| out.write_all(&end.to_le_bytes()))
}

fn write_length(length: usize, wide: bool, out: &mut impl Write) -> Result<()> {
    if wide { out.write_all(&(length as u32).to_le_bytes()) } else { out.write_all(&[length as u8]) }
}

/// The original, checked; where it has no faces (tets alone), with the triangles of the simulation.
fn exportable<'a>(mesh: &'a Mesh, positions: &[DVec3]) -> Result<Cow<'a, Original>> {
    if positions.len() != mesh.positions.len() {
        let problem = format!("{} positions for {} vertices", positions.len(), mesh.positions.len());
        return Err(Error::new(ErrorKind::InvalidInput, problem));
    }
    if !mesh.original.face_ends.is_empty() || mesh.triangles.is_empty() {
        return Ok(Cow::Borrowed(&mesh.original));
    }
    let mut first = vec![u32::MAX; positions.len()];
    for (i, &welded) in mesh.original.vertices.iter().enumerate().rev() {
        first[welded as usize] = i as u32;
    }
    let corners = mesh.triangles.as_flattened().iter().map(|&i| first[i as usize]).collect();
    let face_ends = (1..=mesh.triangles.len()).map(|i| 3 * i).collect();
    Ok(Cow::Owned(Original { corners, face_ends, ..mesh.original.clone() }))
}

/// A comment or name must not start a line of its own.
fn one_line(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r']) { text.replace(['\n', '\r'], " ").into() } else { text.into() }
}

/// A word that no reader mistakes for a coordinate.
fn property_name(name: &str) -> String {
    let word: String =
        name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    let taken = ["", "x", "y", "z", "nx", "ny", "nz", "s", "t", "u", "v", "texture_u", "texture_v"];
    if taken.contains(&word.as_str()) || word.starts_with('#') { format!("attribute_{word}") } else { word }
}
