//! OFF: polygons, ascii. By hand: it is a page, and no crate gives line numbers.
//!
//! The word `OFF`, led by `ST` (texture coordinates), `C` (colours), `N` (normals) in this order; the numbers of
//! vertices, faces and edges; per vertex x y z, normal, colour, s t; per face its number of corners, these, a colour.
//! Colours of vertices become the attributes `red`, `green`, `blue` and `alpha`. Not handled: binary files, other than
//! three dimensions (`4OFF`, `nOFF`).

use super::cursor::{Cursor, short};
use super::numbers::Type;
use super::raw::RawMesh;
use crate::Error;

pub(super) fn read(file: &str, bytes: &[u8]) -> Result<RawMesh, Error> {
    let mut text = Cursor::text(file, bytes);
    let mut raw = RawMesh::default();
    // The word may be missing.
    let numbers_first = text.peek().is_some_and(|word| word.parse::<f64>().is_ok());
    let mut word = if numbers_first { "OFF" } else { text.need("OFF")? };
    let mut led_by = |letters: &str| {
        let rest = word.strip_prefix(letters);
        word = rest.unwrap_or(word);
        rest.is_some()
    };
    let (textured, coloured, normals) = (led_by("ST"), led_by("C"), led_by("N"));
    let remedy = "give an ascii OFF file of three dimensions";
    if word != "OFF" {
        let problem = format!("this begins with \"{}\" where \"OFF\" should be", short(word));
        return Err(text.error(problem, remedy));
    }
    if text.peek() == Some("BINARY") {
        return Err(text.error("this is a binary OFF file", remedy));
    }
    let vertices = text.whole(Type::U64, "the number of vertices")?;
    let faces = text.whole(Type::U64, "the number of faces")?;
    text.whole(Type::U64, "the number of edges")?;
    let mut colours: [Vec<f64>; 4] = Default::default();
    for _ in 0..text.room(vertices, 3, 0, "vertices")? {
        raw.positions.push(text.position(Type::F64)?);
        for _ in 0..if normals { 3 } else { 0 } {
            text.value(Type::F64, "a normal")?;
        }
        if coloured || textured {
            tail(&mut text, [coloured, textured], &mut colours, &mut raw)?;
        }
        text.next_line();
    }
    let mut corners = Vec::new();
    for _ in 0..text.room(faces, 1, 0, "faces")? {
        corners.clear();
        for _ in 0..text.count(Type::U64, 1, 0, "corners of a face")? {
            corners.push(text.index(Type::U64, 0, raw.positions.len(), "a face")?);
        }
        raw.face(&corners);
        text.next_line(); // what follows on the line is its colour
    }
    if textured {
        raw.original.corner_uvs = raw.original.corners.clone();
    }
    let named = ["red", "green", "blue", "alpha"].into_iter().zip(colours);
    // Colours of three numbers have no alpha.
    let given = named.filter(|(_, values)| !values.is_empty());
    raw.attributes.extend(given.map(|(name, values)| (name.to_string(), values)));
    Ok(raw)
}

/// The colour, of as many numbers as the line has, and the texture coordinates at its end.
fn tail(
    text: &mut Cursor,
    [coloured, textured]: [bool; 2],
    colours: &mut [Vec<f64>; 4],
    raw: &mut RawMesh,
) -> Result<(), Error> {
    let mut numbers = Vec::new();
    while let Some(word) = text.word_here() {
        numbers.push(text.parse(word, "a colour or texture coordinate")?);
    }
    let end = if textured { numbers.len().saturating_sub(2) } else { numbers.len() };
    if textured {
        let &[s, t] = &numbers[end..] else {
            return Err(text.error("the texture coordinates of a vertex are missing", "write s and t"));
        };
        raw.original.uvs.push([s, t]);
    }
    if coloured {
        colours.iter_mut().zip(&numbers[..end]).for_each(|(column, &x)| column.push(x));
    }
    Ok(())
}
