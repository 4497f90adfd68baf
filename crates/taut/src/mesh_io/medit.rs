//! Medit `.mesh`, ascii: vertices with references, triangles, quads, tetrahedra. By hand: no crate reads it.
//!
//! Keywords with a count and rows of numbers, indices from 1, each row ending in a reference; the references of
//! vertices become the attribute `ref`. Not handled: the binary `.meshb`; other sections are skipped.

use super::cursor::{Cursor, short};
use super::numbers::Type;
use super::raw::RawMesh;
use crate::Error;
use glam::DVec3;

pub(super) fn read(file: &str, bytes: &[u8]) -> Result<RawMesh, Error> {
    let mut text = Cursor::text(file, bytes);
    let mut raw = RawMesh::default();
    let mut dimension = 3;
    let first = text.need("MeshVersionFormatted")?;
    if !first.eq_ignore_ascii_case("MeshVersionFormatted") {
        let problem = format!("\"{}\" where \"MeshVersionFormatted\" should be", short(first));
        return Err(text.error(problem, "give an ascii Medit file (the binary .meshb is not read)"));
    }
    text.whole(Type::U64, "the version")?;
    while let Some(word) = text.word() {
        match word {
            "Dimension" => dimension = read_dimension(&mut text)?,
            "Vertices" => vertices(&mut text, dimension, &mut raw)?,
            "Triangles" => faces::<3>(&mut text, &mut raw)?,
            "Quadrilaterals" => faces::<4>(&mut text, &mut raw)?,
            "Tetrahedra" => tets(&mut text, &mut raw)?,
            "End" => break,
            _ if word.starts_with(|c: char| c.is_ascii_alphabetic()) => skip(&mut text, word, &mut raw),
            _ => {
                let problem = format!("\"{}\" where a keyword should be", short(word));
                return Err(text.error(problem, "check the count of the section above"));
            }
        }
    }
    Ok(raw)
}

fn read_dimension(text: &mut Cursor) -> Result<usize, Error> {
    match text.whole(Type::U64, "the dimension")? {
        d @ 2..=3 => Ok(d as usize),
        d => Err(text.error(format!("the dimension is {d}"), "it must be 2 or 3")),
    }
}

fn vertices(text: &mut Cursor, dimension: usize, raw: &mut RawMesh) -> Result<(), Error> {
    let count = text.count(Type::U64, dimension + 1, 0, "vertices")?;
    let references = raw.attributes.entry("ref".into()).or_default();
    for _ in 0..count {
        let mut position = DVec3::ZERO;
        for axis in 0..dimension {
            position[axis] = text.finite(Type::F64, ["the x", "the y", "the z"][axis])?;
        }
        raw.positions.push(position);
        references.push(text.value(Type::F64, "the reference of a vertex")?);
    }
    Ok(())
}

/// A row of indices with its reference. Should the vertices follow later, `RawMesh` checks the range.
fn row<const N: usize>(text: &mut Cursor, raw: &RawMesh, what: &str) -> Result<[u32; N], Error> {
    let known = if raw.positions.is_empty() { u32::MAX as usize / 4 } else { raw.positions.len() };
    let mut corners = [0; N];
    for corner in &mut corners {
        *corner = text.index(Type::U64, 1, known, what)?;
    }
    text.value(Type::F64, "a reference")?;
    Ok(corners)
}

fn faces<const N: usize>(text: &mut Cursor, raw: &mut RawMesh) -> Result<(), Error> {
    for _ in 0..text.count(Type::U64, N + 1, 0, "faces")? {
        let corners = row::<N>(text, raw, "a face")?;
        raw.face(&corners);
    }
    Ok(())
}

fn tets(text: &mut Cursor, raw: &mut RawMesh) -> Result<(), Error> {
    for _ in 0..text.count(Type::U64, 5, 0, "tets")? {
        raw.tets.push(row::<4>(text, raw, "a tet")?);
    }
    Ok(())
}

/// Skip the numbers of a section we have no use for.
fn skip(text: &mut Cursor, keyword: &str, raw: &mut RawMesh) {
    if matches!(keyword, "Hexahedra" | "Prisms" | "Pyramids") {
        let note = format!("{keyword} are ignored: solids are made of tetrahedra");
        if !raw.notes.contains(&note) {
            raw.notes.push(note);
        }
    }
    while text.peek().is_some_and(|w| !w.starts_with(|c: char| c.is_ascii_alphabetic())) {
        text.word();
    }
}
