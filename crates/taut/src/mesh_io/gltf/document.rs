//! The raw of a glTF 2.0 document that meshes need, its GLB container, and its buffers.
//!
//! GLB: a head of 12 bytes, then chunks `length, type, bytes`: JSON first, then BIN. Optional members are boxed,
//! because `{},` repeated must not grow into kilobytes; unknown members are skipped without recursion.

use super::super::Siblings;
use super::super::cursor::{Cursor, short};
use super::super::numbers::{Encoding, Type};
use super::super::siblings::clean;
use crate::Error;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Document<'a> {
    pub scene: Option<u32>,
    pub scenes: Vec<Scene>,
    pub nodes: Vec<Node>,
    pub meshes: Vec<Mesh>,
    pub accessors: Vec<Accessor>,
    pub buffer_views: Vec<BufferView>,
    buffers: Vec<Buffer>,
    pub extensions_required: BTreeSet<String>,
    // What only some faces use stays text until they do.
    #[serde(borrow)]
    pub materials: Vec<&'a RawValue>,
    #[serde(borrow)]
    pub textures: Vec<&'a RawValue>,
    #[serde(borrow)]
    pub images: Vec<&'a RawValue>,
    #[serde(borrow)]
    pub samplers: Vec<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Scene {
    pub nodes: Vec<u32>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Node {
    pub name: Option<Box<str>>,
    pub mesh: Option<u32>,
    pub skin: Option<u32>,
    pub children: Vec<u32>,
    pub matrix: Option<Box<[f64; 16]>>,
    pub translation: Option<Box<[f64; 3]>>,
    pub rotation: Option<Box<[f64; 4]>>,
    pub scale: Option<Box<[f64; 3]>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Mesh {
    pub name: Option<Box<str>>,
    pub primitives: Vec<Primitive>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Primitive {
    /// Accessors by name: POSITION, TEXCOORD_0, ...
    pub attributes: BTreeMap<Box<str>, u32>,
    pub indices: Option<u32>,
    pub mode: Option<u32>,
    pub material: Option<u32>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Accessor {
    pub buffer_view: Option<u32>,
    pub byte_offset: u64,
    pub component_type: u32,
    pub normalized: bool,
    pub count: u64,
    #[serde(rename = "type")]
    pub shape: Box<str>,
    pub sparse: Option<Box<Sparse>>,
}

/// Elements of an accessor that are replaced: so many, by index.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Sparse {
    pub count: u64,
    pub indices: Packed,
    pub values: Packed,
}

/// Numbers without gaps.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Packed {
    pub buffer_view: u32,
    pub byte_offset: u64,
    pub component_type: u32,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct BufferView {
    pub buffer: u32,
    pub byte_offset: u64,
    pub byte_length: u64,
    pub byte_stride: Option<u32>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Buffer {
    uri: Option<Box<str>>,
}

/// Split a file into its JSON and, for GLB, its binary chunk.
pub(super) fn open<'a>(file: &'a str, bytes: &'a [u8]) -> Result<(Document<'a>, Option<&'a [u8]>), Error> {
    let (json, binary) = if bytes.starts_with(b"glTF") { chunks(file, bytes)? } else { (bytes, None) };
    let document = serde_json::from_slice(json).map_err(|e| {
        let line = Some(e.line()).filter(|&l| l > 0 && binary.is_none());
        let problem: String = e.to_string().chars().take(200).collect();
        Error::file(file, line, format!("the JSON is broken ({problem})"), "export the file again")
    })?;
    Ok((document, binary))
}

fn chunks<'a>(file: &'a str, bytes: &'a [u8]) -> Result<(&'a [u8], Option<&'a [u8]>), Error> {
    let mut cursor = Cursor::new(file, bytes, Encoding::Little);
    cursor.take(4, "the mark glTF")?;
    let version = cursor.whole(Type::U32, "the version")?;
    if version != 2 {
        return Err(cursor.error(format!("the version of the GLB is {version}"), "export glTF 2.0"));
    }
    cursor.whole(Type::U32, "the length of the file")?;
    let (mut json, mut binary) = (None, None);
    while cursor.remaining() > 0 {
        let length = cursor.whole(Type::U32, "the length of a chunk")?;
        let kind = cursor.take(4, "the type of a chunk")?;
        let length = cursor.room(length, 0, 1, "bytes of a chunk")?;
        let chunk = cursor.take(length, "a chunk")?;
        match kind {
            b"JSON" if json.is_none() => json = Some(chunk),
            b"BIN\0" if binary.is_none() => binary = Some(chunk),
            _ => {}
        }
    }
    let missing = || cursor.error("there is no JSON chunk", "the file seems to be cut off");
    Ok((json.ok_or_else(missing)?, binary))
}

/// The bytes behind each buffer. Two buffers of the same external file share them.
pub(super) struct Buffers<'a> {
    loaded: Vec<Cow<'a, [u8]>>,
    which: Vec<usize>,
}

impl<'a> Buffers<'a> {
    pub fn load(
        file: &str,
        document: &Document,
        binary: Option<&'a [u8]>,
        sibling: &Siblings,
    ) -> Result<Self, Error> {
        let mut buffers = Buffers { loaded: Vec::new(), which: Vec::new() };
        let mut known = BTreeMap::new();
        for (number, buffer) in document.buffers.iter().enumerate() {
            let fail = |problem: String| {
                let remedy = "embed buffers as data:...;base64,...";
                Error::file(file, None, format!("buffer {number} {problem}"), remedy)
            };
            let name = match &buffer.uri {
                None => String::new(),
                Some(uri) if uri.starts_with("data:") => {
                    buffers.which.push(buffers.loaded.len());
                    buffers.loaded.push(Cow::Owned(embedded(uri).map_err(fail)?));
                    continue;
                }
                Some(uri) => clean(&unescape(uri))?,
            };
            if let Some(&which) = known.get(&name) {
                buffers.which.push(which);
                continue;
            }
            let data = if buffer.uri.is_none() {
                Cow::Borrowed(binary.unwrap_or(&[]))
            } else {
                let missing = || {
                    let problem = format!("buffer {number} is in \"{}\", which is missing", short(&name));
                    Error::file(file, None, problem, "put it next to the file, or export a .glb")
                };
                Cow::Owned(sibling(&name)?.ok_or_else(missing)?)
            };
            buffers.which.push(buffers.loaded.len());
            known.insert(name, buffers.loaded.len());
            buffers.loaded.push(data);
        }
        Ok(buffers)
    }

    pub fn get(&self, buffer: u32) -> Option<&[u8]> {
        self.which.get(buffer as usize).map(|&which| self.loaded[which].as_ref())
    }

    /// Bytes outside the file itself.
    pub fn bytes(&self) -> usize {
        self.loaded.iter().map(|data| data.len()).sum()
    }
}

/// The bytes of a `data:` address, or what is wrong with it.
pub(super) fn embedded(uri: &str) -> Result<Vec<u8>, String> {
    let (_, data) = uri.split_once(";base64,").ok_or(format!("starts \"{}\"", short(uri)))?;
    STANDARD.decode(data).map_err(|e| format!("is not base64 ({e})"))
}

/// Undo %20 and its like, before the path is judged.
pub(super) fn unescape(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|h| std::str::from_utf8(h).ok());
        match hex.filter(|_| byte == b'%').and_then(|h| u8::from_str_radix(h, 16).ok()) {
            Some(code) => {
                bytes.push(code);
                rest = &tail[2..];
            }
            None => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
