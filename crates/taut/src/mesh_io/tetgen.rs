//! TetGen: `.node` (vertices), `.ele` (tets) and, where present, `.face` (surface). By hand: no crate reads them.
//!
//! `.node`: `count 3 attributes markers`, then `index x y z attributes.. marker`. `.ele`: `count 4 attributes`,
//! then `index a b c d ..`. Indices count from the index of the first node (0 or 1). Either file names the pair.
//! Not handled: the middle nodes of ten-node tets (they stay as loose vertices, and a note says so).

use super::Siblings;
use super::cursor::Cursor;
use super::numbers::Type;
use super::raw::RawMesh;
use crate::Error;
use std::path::Path;

pub(super) fn read(file: &str, bytes: &[u8], sibling: &Siblings) -> Result<RawMesh, Error> {
    let fetch = |extension: &str| {
        let path = Path::new(file).with_extension(extension);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok::<_, Error>((path.to_string_lossy().into_owned(), sibling(&name)?))
    };
    let is_node = Path::new(file).extension().is_some_and(|e| e.eq_ignore_ascii_case("node"));
    let (other_file, other) = fetch(if is_node { "ele" } else { "node" })?;
    let (mut raw, base) = match (&other, is_node) {
        (_, true) => nodes(Cursor::text(file, bytes))?,
        (Some(other), false) => nodes(Cursor::text(&other_file, other))?,
        (None, false) => {
            let problem = format!("the vertices are missing: there is no {other_file}");
            return Err(Error::file(file, None, problem, "put the .node file next to the .ele file"));
        }
    };
    match (&other, is_node) {
        (_, false) => elements(Cursor::text(file, bytes), base, &mut raw)?,
        (Some(other), true) => elements(Cursor::text(&other_file, other), base, &mut raw)?,
        (None, true) => raw.notes.push(format!("there is no {other_file}: vertices only")),
    }
    let (face_file, face) = fetch("face")?;
    if let Some(face) = face {
        faces(Cursor::text(&face_file, &face), base, &mut raw)?;
    }
    Ok(raw)
}

fn nodes(mut text: Cursor) -> Result<(RawMesh, u64), Error> {
    let mut raw = RawMesh::default();
    let count = text.whole(Type::U64, "the number of vertices")?;
    let dimension = text.whole(Type::U64, "the dimension")?;
    if dimension != 3 {
        return Err(text.error(format!("the dimension is {dimension}"), "tetrahedra need 3"));
    }
    let attributes = text.whole(Type::U64, "the number of attributes")? as usize;
    if attributes > 256 {
        return Err(text.error(format!("{attributes} attributes per vertex"), "at most 256 are read"));
    }
    let markers = text.whole(Type::U64, "the number of markers")? > 0;
    let columns = attributes + markers as usize;
    let count = text.room(count, 4 + columns, 0, "vertices")?;
    let mut columns = vec![Vec::new(); columns];
    let mut base = 0;
    for i in 0..count as u64 {
        let number = text.whole(Type::U64, "the index of a vertex")?;
        if i == 0 {
            base = number;
        }
        if number != base.saturating_add(i) || base > 1 {
            let problem = format!("vertex {number} where {} should be", base.min(1) + i);
            return Err(text.error(problem, "vertices are numbered in order from 0 or 1"));
        }
        raw.positions.push(text.position(Type::F64)?);
        for column in &mut columns {
            column.push(text.value(Type::F64, "an attribute")?);
        }
    }
    for (i, column) in columns.into_iter().enumerate() {
        let name = if i == attributes { "marker".into() } else { format!("attribute_{i}") };
        raw.attributes.insert(name, column);
    }
    Ok((raw, base))
}

fn elements(mut text: Cursor, base: u64, raw: &mut RawMesh) -> Result<(), Error> {
    let count = text.whole(Type::U64, "the number of tets")?;
    let corners = text.whole(Type::U64, "the number of nodes per tet")?;
    if corners != 4 && corners != 10 {
        return Err(text.error(format!("{corners} nodes per tet"), "there must be 4 (or 10)"));
    }
    if corners == 10 {
        raw.notes.push("middle nodes of ten-node tets are loose vertices; export four-node tets".into());
    }
    text.whole(Type::U64, "the number of attributes")?;
    for _ in 0..text.room(count, corners as usize + 1, 0, "tets")? {
        text.whole(Type::U64, "the index of a tet")?;
        raw.tets.push(corners_of(&mut text, base, raw.positions.len(), "a tet")?);
        text.next_line();
    }
    Ok(())
}

fn faces(mut text: Cursor, base: u64, raw: &mut RawMesh) -> Result<(), Error> {
    let count = text.whole(Type::U64, "the number of faces")?;
    text.whole(Type::U64, "the number of markers")?;
    for _ in 0..text.room(count, 4, 0, "faces")? {
        text.whole(Type::U64, "the index of a face")?;
        let corners: [u32; 3] = corners_of(&mut text, base, raw.positions.len(), "a face")?;
        raw.face(&corners);
        text.next_line();
    }
    Ok(())
}

fn corners_of<const N: usize>(text: &mut Cursor, base: u64, n: usize, what: &str) -> Result<[u32; N], Error> {
    let mut corners = [0; N];
    for corner in &mut corners {
        *corner = text.index(Type::U64, base, n, what)?;
    }
    Ok(corners)
}
