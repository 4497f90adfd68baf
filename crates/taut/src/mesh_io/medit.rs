//! Medit `.mesh`, ascii: vertices with references, triangles, quads, tetrahedra. By hand: no crate reads it.
//!
//! Keywords with a count and rows of numbers, indices from 1, each row ending in a reference; the references of
//! vertices become the attribute `ref`. Not handled: the binary `.meshb`; other sections are skipped.

use super::cursor::{Cursor, short};
use super::numbers::Type;
use super::parts::Parts;
use crate::Error;
use glam::DVec3;

pub(super) fn read(file: &str, bytes: &[u8]) -> Result<Parts, Error> {
    let mut text = Cursor::text(file, bytes);
    let mut parts = Parts::default();
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
            "Vertices" => vertices(&mut text, dimension, &mut parts)?,
            "Triangles" => faces::<3>(&mut text, &mut parts)?,
            "Quadrilaterals" => faces::<4>(&mut text, &mut parts)?,
            "Tetrahedra" => tets(&mut text, &mut parts)?,
            "End" => break,
            _ if word.starts_with(|c: char| c.is_ascii_alphabetic()) => skip(&mut text, word, &mut parts),
            _ => {
                let problem = format!("\"{}\" where a keyword should be", short(word));
                return Err(text.error(problem, "check the count of the section above"));
            }
        }
    }
    Ok(parts)
}

fn read_dimension(text: &mut Cursor) -> Result<usize, Error> {
    match text.whole(Type::U64, "the dimension")? {
        d @ 2..=3 => Ok(d as usize),
        d => Err(text.error(format!("the dimension is {d}"), "it must be 2 or 3")),
    }
}

fn vertices(text: &mut Cursor, dimension: usize, parts: &mut Parts) -> Result<(), Error> {
    let count = text.count(Type::U64, dimension + 1, 0, "vertices")?;
    let references = parts.attributes.entry("ref".into()).or_default();
    for _ in 0..count {
        let mut position = DVec3::ZERO;
        for axis in 0..dimension {
            position[axis] = text.finite(Type::F64, ["the x", "the y", "the z"][axis])?;
        }
        parts.positions.push(position);
        references.push(text.value(Type::F64, "the reference of a vertex")?);
    }
    Ok(())
}

/// A row of indices with its reference. Should the vertices follow later, `Parts` checks the range.
fn row<const N: usize>(text: &mut Cursor, parts: &Parts, what: &str) -> Result<[u32; N], Error> {
    let known = if parts.positions.is_empty() { u32::MAX as usize / 4 } else { parts.positions.len() };
    let mut corners = [0; N];
    for corner in &mut corners {
        *corner = text.index(Type::U64, 1, known, what)?;
    }
    text.value(Type::F64, "a reference")?;
    Ok(corners)
}

fn faces<const N: usize>(text: &mut Cursor, parts: &mut Parts) -> Result<(), Error> {
    for _ in 0..text.count(Type::U64, N + 1, 0, "faces")? {
        let corners = row::<N>(text, parts, "a face")?;
        parts.face(&corners);
    }
    Ok(())
}

fn tets(text: &mut Cursor, parts: &mut Parts) -> Result<(), Error> {
    for _ in 0..text.count(Type::U64, 5, 0, "tets")? {
        parts.tets.push(row::<4>(text, parts, "a tet")?);
    }
    Ok(())
}

/// Skip the numbers of a section we have no use for.
fn skip(text: &mut Cursor, keyword: &str, parts: &mut Parts) {
    if matches!(keyword, "Hexahedra" | "Prisms" | "Pyramids") {
        let note = format!("{keyword} are ignored: solids are made of tetrahedra");
        if !parts.notes.contains(&note) {
            parts.notes.push(note);
        }
    }
    while text.peek().is_some_and(|w| !w.starts_with(|c: char| c.is_ascii_alphabetic())) {
        text.word();
    }
}
