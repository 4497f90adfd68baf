//! STL: a soup of triangles, ascii or binary; welding in `raw.rs` makes it a mesh. By hand: `stl_io` reads f32
//! only and reserves what the header announces.
//!
//! Binary: 80 bytes of header, a count, 50 bytes per triangle (normal, three corners, two bytes unused), little
//! endian. Ascii: `solid name`, `facet normal .. outer loop vertex x y z ..`, `endsolid`.

use super::NameKind;
use super::cursor::{Cursor, short};
use super::numbers::{Encoding, Type};
use super::raw::RawMesh;
use crate::Error;

pub(super) fn read(file: &str, bytes: &[u8]) -> Result<RawMesh, Error> {
    // Some binary files start with "solid" too; only their exact size tells them apart.
    let announced = bytes.get(80..84).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as u64);
    let exact = announced.is_some_and(|n| 84 + 50 * n == bytes.len() as u64);
    if !exact && bytes.trim_ascii_start().get(..5).is_some_and(|b| b.eq_ignore_ascii_case(b"solid")) {
        ascii(Cursor::text(file, bytes))
    } else if !exact
        && !bytes.is_empty()
        && bytes.iter().take(84).all(|&b| matches!(b, b' '..=b'~' | b'\t' | b'\r' | b'\n'))
    {
        let problem = "this is text, but does not begin with \"solid\"";
        Err(Cursor::text(file, bytes).error(problem, "an ascii STL holds solid, facet and endsolid"))
    } else {
        binary(Cursor::new(file, bytes, Encoding::Little))
    }
}

fn binary(mut cursor: Cursor) -> Result<RawMesh, Error> {
    let mut raw = RawMesh::default();
    cursor.take(80, "the 80 bytes of an STL header")?;
    let triangles = cursor.count(Type::U32, 12, 50, "triangles of 50 bytes")?;
    for i in 0..triangles as u32 {
        cursor.take(12, "a normal")?;
        for _ in 0..3 {
            raw.positions.push(cursor.position(Type::F32)?);
        }
        cursor.take(2, "the end of a triangle")?;
        raw.face(&[0, 1, 2].map(|c| i.wrapping_mul(3).wrapping_add(c)));
    }
    if cursor.remaining() > 0 {
        raw.notes.push(format!("{} bytes after the last triangle are ignored", cursor.remaining()));
    }
    Ok(raw)
}

fn ascii(mut text: Cursor) -> Result<RawMesh, Error> {
    let mut raw = RawMesh::default();
    while let Some(word) = text.word() {
        match word.to_ascii_lowercase().as_str() {
            "solid" => raw.name(NameKind::Object, text.rest_of_line()),
            "endsolid" => drop(text.rest_of_line()),
            "facet" => facet(&mut text, &mut raw)?,
            _ => {
                let problem = format!("\"{}\" where a facet should start", short(word));
                return Err(text.error(problem, "an ascii STL holds solid, facet and endsolid"));
            }
        }
    }
    Ok(raw)
}

fn facet(text: &mut Cursor, raw: &mut RawMesh) -> Result<(), Error> {
    text.expect("normal")?;
    for _ in 0..3 {
        text.need("a normal")?; // recomputed from the corners, so even NaN does no harm
    }
    text.expect("outer")?;
    text.expect("loop")?;
    let start = raw.positions.len() as u32;
    for _ in 0..3 {
        text.expect("vertex")?;
        let position = text.position(Type::F64)?;
        raw.positions.push(position);
    }
    text.expect("endloop")?;
    text.expect("endfacet")?;
    raw.face(&[start, start + 1, start + 2]);
    Ok(())
}
