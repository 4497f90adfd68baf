//! Wavefront OBJ: polygons, texture coordinates and names. By hand: `tobj` reads f32, merges what it cannot
//! restore, and gives no line numbers.
//!
//! `v x y z`, `vt u v`, `f v/vt/vn ...` with indices from 1, which may come before what they name, negative ones
//! counting back from the last; `o`, `g`, `usemtl`, `mtllib` name what follows. Not handled: free-form surfaces; lines and points are
//! counted in the notes.

use super::cursor::{Cursor, short};
use super::raw::RawMesh;
use super::{NO_UV, NameKind};
use crate::Error;
use glam::DVec3;

pub(super) fn read(file: &str, bytes: &[u8]) -> Result<RawMesh, Error> {
    let mut text = Cursor::text(file, bytes);
    let mut raw = RawMesh::default();
    let (mut lines, mut unknown) = (0, 0);
    let mut corners = Vec::new();
    let mut latest = [Latest::default(); 2];
    loop {
        match text.word_here().unwrap_or("") {
            "" | "vn" | "vp" | "s" => {}
            "v" => {
                let mut position = [0.0; 3];
                for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
                    let value = number(&mut text, name)?;
                    position[axis] = raw.coordinate(value, || not_finite(&text, value, name));
                }
                raw.positions.push(DVec3::from_array(position));
            }
            "vt" => {
                let u = number(&mut text, "u").and_then(|u| finite(&text, u, "u"))?;
                let v = match text.word_here() {
                    Some(word) => finite(&text, text.parse(word, "v")?, "v")?,
                    None => 0.0,
                };
                raw.original.uvs.push([u, v]);
            }
            "f" | "fo" => face(&mut text, &mut raw, &mut corners, &mut latest)?,
            "o" => raw.name(NameKind::Object, text.rest_of_line()),
            "g" => raw.name(NameKind::Group, text.rest_of_line()),
            "usemtl" => raw.name(NameKind::Material, text.rest_of_line()),
            "mtllib" => raw.name(NameKind::Library, text.rest_of_line()),
            "l" | "p" => lines += 1,
            word => {
                if unknown == 0 {
                    let problem = format!("the keyword \"{}\" is unknown and ignored", short(word));
                    raw.notes.push(text.error(problem, "").to_string());
                }
                unknown += 1;
            }
        }
        if !text.next_line() {
            break;
        }
    }
    for (late, what, count) in
        [(latest[0], VERTEX, raw.positions.len()), (latest[1], TEXTURE, raw.original.uvs.len())]
    {
        if late.index > count {
            return Err(missing(file, late.line, &late.index.to_string(), what, count));
        }
    }
    if unknown > 1 {
        raw.notes.push(format!("{} further lines with unknown keywords are ignored", unknown - 1));
    }
    if lines > 0 {
        raw.notes.push(format!("{lines} lines or points are ignored: only faces are read"));
    }
    Ok(raw)
}

/// A number on this very line: one from the next line would belong to another statement.
fn number(text: &mut Cursor, what: &str) -> Result<f64, Error> {
    match text.word_here() {
        Some(word) => text.parse(word, what),
        None => Err(text.error(format!("the line ends where {what} should be"), "complete the line")),
    }
}

fn finite(text: &Cursor, value: f64, what: &str) -> Result<f64, Error> {
    if value.is_finite() { Ok(value) } else { Err(not_finite(text, value, what)) }
}

fn not_finite(text: &Cursor, value: f64, what: &str) -> Error {
    text.error(format!("{what} is {value}"), "it must be finite")
}

/// The greatest index so far that names something further down, counted from 1, and its line.
#[derive(Clone, Copy, Default)]
struct Latest {
    index: usize,
    line: usize,
}

const VERTEX: &str = "vertex";
const TEXTURE: &str = "texture coordinate";

fn face(
    text: &mut Cursor,
    raw: &mut RawMesh,
    corners: &mut Vec<u32>,
    [vertex, texture]: &mut [Latest; 2],
) -> Result<(), Error> {
    corners.clear();
    let start = raw.original.corner_uvs.len();
    while let Some(word) = text.word_here() {
        let mut indices = word.split('/');
        corners.push(index(text, indices.next().unwrap_or(""), raw.positions.len(), VERTEX, vertex)?);
        let uv = match indices.next().unwrap_or("") {
            "" => NO_UV,
            uv => index(text, uv, raw.original.uvs.len(), TEXTURE, texture)?,
        };
        raw.original.corner_uvs.push(uv);
    }
    if corners.len() < 3 {
        raw.original.corner_uvs.truncate(start);
    }
    raw.face(corners);
    Ok(())
}

fn index(text: &Cursor, word: &str, count: usize, what: &str, latest: &mut Latest) -> Result<u32, Error> {
    let number = word.parse::<i64>().ok();
    match number.and_then(|i| if i < 0 { i.checked_add(count as i64) } else { i.checked_sub(1) }) {
        Some(i) if (0..count as i64).contains(&i) => Ok(i as u32),
        Some(i) if (0..u32::MAX as i64).contains(&i) => {
            if i as usize >= latest.index {
                *latest = Latest { index: i as usize + 1, line: text.line };
            }
            Ok(i as u32)
        }
        _ => Err(missing(text.file, text.line, word, what, count)),
    }
}

fn missing(file: &str, line: usize, word: &str, what: &str, count: usize) -> Error {
    let problem = format!("the face uses {what} \"{}\", but {count} are defined", short(word));
    Error::file(file, Some(line), problem, "indices count from 1, or from -1 backwards")
}
