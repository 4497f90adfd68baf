//! Wavefront OBJ: polygons, texture coordinates and names. By hand: `tobj` reads f32, merges what it cannot
//! restore, and gives no line numbers.
//!
//! `v x y z`, `vt u v`, `f v/vt/vn ...` with indices from 1, negative ones counting back from the last;
//! `o`, `g`, `usemtl`, `mtllib` name what follows. Not handled: free-form surfaces; lines and points are
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
    loop {
        match text.word_here().unwrap_or("") {
            "" | "vn" | "vp" | "s" => {}
            "v" => {
                let position = [number(&mut text, "x")?, number(&mut text, "y")?, number(&mut text, "z")?];
                raw.positions.push(DVec3::from_array(position));
            }
            "vt" => {
                let u = number(&mut text, "u")?;
                let v = if let Some(word) = text.word_here() { finite(&text, word, "v")? } else { 0.0 };
                raw.original.uvs.push([u, v]);
            }
            "f" | "fo" => face(&mut text, &mut raw, &mut corners)?,
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
        Some(word) => finite(text, word, what),
        None => Err(text.error(format!("the line ends where {what} should be"), "complete the line")),
    }
}

fn finite(text: &Cursor, word: &str, what: &str) -> Result<f64, Error> {
    let value = text.parse(word, what)?;
    if value.is_finite() {
        Ok(value)
    } else {
        Err(text.error(format!("{what} is {value}"), "it must be finite"))
    }
}

fn face(text: &mut Cursor, raw: &mut RawMesh, corners: &mut Vec<u32>) -> Result<(), Error> {
    corners.clear();
    let start = raw.original.corner_uvs.len();
    while let Some(word) = text.word_here() {
        let mut indices = word.split('/');
        corners.push(index(text, indices.next().unwrap_or(""), raw.positions.len(), "vertex")?);
        let uv = match indices.next().unwrap_or("") {
            "" => NO_UV,
            uv => index(text, uv, raw.original.uvs.len(), "texture coordinate")?,
        };
        raw.original.corner_uvs.push(uv);
    }
    if corners.len() < 3 {
        raw.original.corner_uvs.truncate(start);
    }
    raw.face(corners);
    Ok(())
}

fn index(text: &Cursor, word: &str, count: usize, what: &str) -> Result<u32, Error> {
    let number = word.parse::<i64>().ok();
    let resolved = number.and_then(|i| if i < 0 { i.checked_add(count as i64) } else { i.checked_sub(1) });
    match resolved {
        Some(i) if (0..count as i64).contains(&i) => Ok(i as u32),
        _ => {
            let problem = format!("the face uses {what} \"{}\", but {count} are defined above", short(word));
            Err(text.error(problem, "indices count from 1, or from -1 backwards"))
        }
    }
}
