//! PLY: polygons with any scalars per vertex, in ascii or binary of either endian. By hand: `ply-rs-bw` keeps a
//! map of properties per vertex, far beyond our memory bound.
//!
//! A header lists elements and their properties; rows follow in that order. Of `vertex` we take x, y, z, texture
//! coordinates (s t, u v, texture_u texture_v) and every other scalar but the normal as an attribute; of `face`
//! the vertex indices and MeshLab's `texcoord` per corner; of `tristrips` lists of vertex indices, where -1 ends a strip.

mod header;

use super::NO_UV;
use super::cursor::{Cursor, short};
use super::numbers::Type;
use super::raw::{RawMesh, strip};
use crate::Error;
use glam::DVec3;
use header::{Element, Property, header};

pub(super) fn read(file: &str, bytes: &[u8]) -> Result<RawMesh, Error> {
    let mut cursor = Cursor::text(file, bytes);
    let elements = header(&mut cursor)?;
    let mut raw = RawMesh::default();
    let vertices = elements.iter().find(|e| e.name == "vertex").map_or(0, |e| e.count);
    for element in &elements {
        let (numbers, size) = element
            .properties
            .iter()
            .fold((0, 0), |(n, size), p| (n + 1, size + p.length.unwrap_or(p.stored).size()));
        let count =
            cursor.room(element.count, numbers, size, &format!("\"{}\" rows", short(&element.name)))?;
        match element.name.as_str() {
            "vertex" => read_vertices(&mut cursor, element, count, &mut raw)?,
            "face" => read_faces(&mut cursor, element, count, vertices as usize, &mut raw)?,
            "tristrips" => read_strips(&mut cursor, element, count, vertices as usize, &mut raw)?,
            other => {
                if count > 0 {
                    raw.notes.push(format!("{count} rows of the element \"{}\" are ignored", short(other)));
                }
                skip(&mut cursor, element, count)?;
            }
        }
    }
    if raw.original.corner_uvs.is_empty() && raw.original.uvs.len() == raw.positions.len() {
        raw.original.corner_uvs = raw.original.corners.clone();
    }
    Ok(raw)
}

/// The length of a list that is sure to fit into the bytes that follow.
fn length(cursor: &mut Cursor, property: &Property, length: Type) -> Result<usize, Error> {
    cursor.count(length, 1, property.stored.size(), "items of a list")
}

fn skip_property(cursor: &mut Cursor, property: &Property) -> Result<(), Error> {
    let items = if let Some(stored) = property.length { length(cursor, property, stored)? } else { 1 };
    for _ in 0..items {
        cursor.value(property.stored, &property.name)?;
    }
    Ok(())
}

fn skip(cursor: &mut Cursor, element: &Element, count: usize) -> Result<(), Error> {
    if element.properties.is_empty() {
        return Ok(()); // rows of nothing, however many
    }
    for _ in 0..count {
        element.properties.iter().try_for_each(|p| skip_property(cursor, p))?;
    }
    Ok(())
}

/// Where the numbers of a vertex property go.
enum Role {
    Position(usize),
    Texture(usize),
    Attribute(Vec<f64>),
    Unused,
}

fn role(property: &Property, count: usize) -> Role {
    match property.name.as_str() {
        _ if property.length.is_some() => Role::Unused,
        "x" => Role::Position(0),
        "y" => Role::Position(1),
        "z" => Role::Position(2),
        "s" | "u" | "texture_u" => Role::Texture(0),
        "t" | "v" | "texture_v" => Role::Texture(1),
        "nx" | "ny" | "nz" => Role::Unused,
        _ => Role::Attribute(Vec::with_capacity(count)),
    }
}

fn read_vertices(
    cursor: &mut Cursor,
    element: &Element,
    count: usize,
    raw: &mut RawMesh,
) -> Result<(), Error> {
    if let Some(axis) = ["x", "y", "z"].iter().find(|a| !element.properties.iter().any(|p| p.name == **a)) {
        return Err(cursor.error(format!("vertices have no property \"{axis}\""), "they need x, y and z"));
    }
    let mut roles: Vec<Role> = element.properties.iter().map(|p| role(p, count)).collect();
    let textured = roles.iter().any(|r| matches!(r, Role::Texture(_)));
    for _ in 0..count {
        let (mut position, mut uv) = ([0.0; 3], [0.0; 2]);
        for (property, role) in element.properties.iter().zip(&mut roles) {
            match role {
                Role::Position(axis) => {
                    let value = cursor.value(property.stored, &property.name)?;
                    position[*axis] = raw.coordinate(value, || cursor.not_finite(value, &property.name));
                }
                Role::Texture(axis) => uv[*axis] = cursor.value(property.stored, &property.name)?,
                Role::Attribute(values) => values.push(cursor.value(property.stored, &property.name)?),
                Role::Unused => skip_property(cursor, property)?,
            }
        }
        raw.positions.push(DVec3::from_array(position));
        if textured {
            raw.original.uvs.push(uv);
        }
    }
    for (property, role) in element.properties.iter().zip(roles) {
        if let Role::Attribute(values) = role {
            raw.attributes.insert(property.name.clone(), values);
        }
    }
    Ok(())
}

fn read_faces(
    cursor: &mut Cursor,
    element: &Element,
    count: usize,
    vertices: usize,
    raw: &mut RawMesh,
) -> Result<(), Error> {
    if element.properties.is_empty() {
        return Ok(());
    }
    let per_corner = element.properties.iter().any(|p| p.name == "texcoord");
    let (mut corners, mut uvs) = (Vec::new(), Vec::new());
    for _ in 0..count {
        corners.clear();
        uvs.clear();
        for property in &element.properties {
            match (property.name.as_str(), property.length) {
                ("vertex_indices" | "vertex_index", Some(stored)) => {
                    for _ in 0..length(cursor, property, stored)? {
                        corners.push(cursor.index(property.stored, 0, vertices, "a face")?);
                    }
                }
                ("texcoord", Some(stored)) => {
                    for _ in 0..length(cursor, property, stored)? {
                        uvs.push(cursor.value(property.stored, "a texture coordinate")?);
                    }
                }
                _ => skip_property(cursor, property)?,
            }
        }
        if per_corner && corners.len() >= 3 {
            add_corner_uvs(raw, corners.len(), &uvs);
        }
        raw.face(&corners);
    }
    Ok(())
}

fn read_strips(
    cursor: &mut Cursor,
    element: &Element,
    count: usize,
    vertices: usize,
    raw: &mut RawMesh,
) -> Result<(), Error> {
    if element.properties.is_empty() {
        return Ok(());
    }
    const END: u32 = u32::MAX;
    let mut corners = Vec::new();
    for _ in 0..count {
        for property in &element.properties {
            let ("vertex_indices" | "vertex_index", Some(stored)) = (property.name.as_str(), property.length)
            else {
                skip_property(cursor, property)?;
                continue;
            };
            corners.clear();
            for _ in 0..length(cursor, property, stored)? {
                let value = cursor.value(property.stored, "a strip")?;
                let corner = if value == -1.0 { END } else { cursor.known(value, 0, vertices, "a strip")? };
                corners.push(corner);
            }
            for run in corners.split(|&i| i == END) {
                strip(run).for_each(|triangle| raw.face(&triangle));
            }
        }
    }
    Ok(())
}

/// MeshLab writes u v u v ... for the corners of a face, or nothing.
fn add_corner_uvs(raw: &mut RawMesh, corners: usize, uvs: &[f64]) {
    let original = &mut raw.original;
    original.corner_uvs.resize(original.corners.len(), NO_UV); // strips before have none
    for corner in 0..corners {
        let uv = uvs.get(2 * corner..2 * corner + 2);
        original.corner_uvs.push(if uv.is_some() { original.uvs.len() as u32 } else { NO_UV });
        original.uvs.extend(uv.map(|uv| [uv[0], uv[1]]));
    }
}
