//! Materials and pictures of a file: taken along, not understood.
//!
//! A simulation needs none of them, so whatever is wrong with one never stops the reading: it is left out, and a note
//! says why. A picture is what begins like one (PNG, JPEG, WebP, KTX 2), whatever its name or the document says of it,
//! so that a file cannot have others of its folder copied into results; where it ends nobody looks. Of extensions
//! those are kept whose indices are known to be of textures only.

use super::super::cursor::short;
use super::super::material::{Image, Material, NO_MATERIAL, Sampler, Texture, is_texture, members};
use super::super::siblings::clean;
use super::Reader;
use super::document::{embedded, unescape};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Most materials of a file: each is a primitive with a list of all frames.
const MOST: usize = 1000;

/// Bytes of memory that a byte of JSON can become.
const COST: u64 = 160;

/// How images begin, where that is, and what they are.
const PICTURES: [(usize, &[u8], &str); 4] = [
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (8, b"WEBP", "image/webp"),
    (0, b"\xabKTX 20\xbb\r\n\x1a\n", "image/ktx2"),
];

/// What has been read before, by its number in the file; `None` is what was left out.
#[derive(Default)]
pub(super) struct Known {
    materials: HashMap<u32, u32>,
    /// Whether there were more materials than are kept.
    full: bool,
    textures: HashMap<u32, Option<Arc<Texture>>>,
    images: HashMap<u32, Option<Arc<Image>>>,
    files: HashMap<String, Option<Arc<Image>>>,
    extensions: BTreeSet<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct TextureText {
    name: Option<String>,
    sampler: Option<u32>,
    source: Option<u32>,
    extensions: BTreeMap<String, Value>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ImageText {
    name: Option<String>,
    uri: Option<String>,
    buffer_view: Option<u32>,
}

/// What is read, or why not.
type Found<T> = Result<T, String>;

impl Reader<'_> {
    /// The number in `original.materials` of a material of the file, or [`NO_MATERIAL`] if it is left out.
    pub fn material(&mut self, number: u32) -> u32 {
        if let Some(&known) = self.known.materials.get(&number) {
            return known;
        }
        let next = self.raw.original.materials.len();
        let found = if next < MOST {
            let found = self.new_material(number).map(|material| self.raw.original.materials.push(material));
            self.or_note("material", number, found).map_or(NO_MATERIAL, |()| next as u32)
        } else {
            if !std::mem::replace(&mut self.known.full, true) {
                self.raw.notes.push(format!("only {MOST} materials are kept"));
            }
            NO_MATERIAL
        };
        self.known.materials.insert(number, found);
        found
    }

    fn or_note<T>(&mut self, what: &str, number: u32, found: Found<T>) -> Option<T> {
        found.map_err(|why| self.raw.notes.push(format!("{what} {number} is left out: {why}"))).ok()
    }

    fn new_material(&mut self, number: u32) -> Found<Material> {
        let text = entry(&self.document.materials, number)?;
        self.afford(text.len(), COST)?;
        let mut object: Value = parse(text)?;
        if !object.is_object() {
            return Err("it is no object".into());
        }
        let (mut textures, mut extensions) = (Vec::new(), BTreeMap::new());
        members(&mut object, &mut |name, value| {
            if name == "extensions" {
                return self.keep_extensions(value, &mut extensions);
            }
            if !is_texture(name, value) {
                return true;
            }
            let transform = &value["extensions"]["KHR_texture_transform"]["texCoord"];
            if [&value["texCoord"], transform].iter().any(|set| !set.is_null() && **set != 0) {
                let why = "only TEXCOORD_0 is kept";
                self.raw.notes.push(format!("{} of material {number} is left out: {why}", short(name)));
                return false;
            }
            let index = value["index"].as_u64().and_then(|index| u32::try_from(index).ok());
            let Some(texture) = self.texture(index.unwrap_or(u32::MAX)) else { return false };
            let named = texture.images.iter().filter_map(|(extension, _)| extension.as_ref());
            named.for_each(|name| self.use_extension(name, &mut extensions));
            value["index"] = textures.len().into();
            textures.push(texture);
            true
        });
        Ok(Material { object, textures, extensions })
    }

    /// Take out of an object `extensions` those that are not kept, and say whether any is left.
    fn keep_extensions(&mut self, value: &mut Value, used: &mut BTreeMap<String, bool>) -> bool {
        let Some(object) = value.as_object_mut() else { return false };
        object.retain(|name, _| {
            let kept = name.starts_with("KHR_materials_") || name == "KHR_texture_transform";
            if kept {
                self.use_extension(name, used)
            } else {
                self.drop_extension(name)
            }
            kept
        });
        !object.is_empty()
    }

    fn drop_extension(&mut self, name: &str) {
        if self.known.extensions.insert(name.into()) {
            self.raw.notes.push(format!("the extension {} of materials is left out", short(name)));
        }
    }

    fn use_extension(&self, name: &str, used: &mut BTreeMap<String, bool>) {
        used.insert(name.into(), self.document.extensions_required.contains(name));
    }

    fn texture(&mut self, number: u32) -> Option<Arc<Texture>> {
        if let Some(known) = self.known.textures.get(&number) {
            return known.clone();
        }
        let found = self.new_texture(number);
        let found = self.or_note("texture", number, found).map(Arc::new);
        self.known.textures.insert(number, found.clone());
        found
    }

    fn new_texture(&mut self, number: u32) -> Found<Texture> {
        let text = entry(&self.document.textures, number)?;
        self.afford(text.len(), COST)?;
        let text: TextureText = parse(text)?;
        let sampler = match text.sampler {
            Some(number) => {
                let sampler = entry(&self.document.samplers, number).and_then(parse::<Sampler>);
                Some(sampler.map_err(|why| format!("its sampler {number}: {why}"))?)
            }
            None => None,
        };
        let mut images = Vec::new();
        if let Some(image) = text.source.and_then(|source| self.image(source)) {
            images.push((None, image));
        }
        for (name, value) in text.extensions {
            if !["EXT_texture_webp", "KHR_texture_basisu"].contains(&name.as_str()) {
                self.drop_extension(&name);
                continue;
            }
            let source = value["source"].as_u64().and_then(|source| u32::try_from(source).ok());
            if let Some(image) = source.and_then(|source| self.image(source)) {
                images.push((Some(name), image));
            }
        }
        match images.is_empty() {
            true => Err("it has no picture".into()),
            false => Ok(Texture { name: text.name, sampler, images }),
        }
    }

    fn image(&mut self, number: u32) -> Option<Arc<Image>> {
        if let Some(known) = self.known.images.get(&number) {
            return known.clone();
        }
        let found = self.new_image(number);
        let found = self.or_note("image", number, found);
        self.known.images.insert(number, found.clone());
        found
    }

    fn new_image(&mut self, number: u32) -> Found<Arc<Image>> {
        let text: ImageText = parse(entry(&self.document.images, number)?)?;
        let picture = |bytes: Vec<u8>| {
            let begins =
                |(at, mark, _): &&(usize, &[u8], _)| bytes.get(*at..).is_some_and(|b| b.starts_with(mark));
            let (_, _, media_type) =
                PICTURES.iter().find(begins).ok_or("it is no PNG, JPEG, WebP or KTX 2")?;
            Ok(Arc::new(Image { name: text.name.clone(), media_type, bytes }))
        };
        match (&text.uri, text.buffer_view) {
            (Some(uri), _) if uri.starts_with("data:") => picture(embedded(uri)?),
            (Some(uri), _) => {
                let name = clean(&unescape(uri)).map_err(|e| e.to_string())?;
                if let Some(known) = self.known.files.get(&name) {
                    return known.clone().ok_or(format!("\"{}\" is left out", short(&name)));
                }
                let bytes = (self.sibling)(&name).map_err(|e| e.to_string());
                let bytes = bytes.and_then(|b| b.ok_or(format!("\"{}\" is missing", short(&name))));
                let found = bytes.and_then(picture);
                self.known.files.insert(name, found.as_ref().ok().cloned());
                found
            }
            (None, Some(view)) => {
                let bytes = self.document.buffer_views.get(view as usize).and_then(|view| self.bytes(view));
                let bytes = bytes.ok_or(format!("buffer view {view} is not in its buffer"))?;
                self.afford(bytes.len(), 1)?;
                picture(bytes.to_vec())
            }
            (None, None) => Err("it names no file and no buffer view".into()),
        }
    }

    /// Take memory for so many bytes of the file out of the budget, if it is there.
    fn afford(&self, bytes: usize, cost: u64) -> Found<()> {
        self.charge(bytes as u64, cost).map_err(|_| "the file is too small for all it describes".into())
    }
}

/// The text of an entry of one of the document's lists.
fn entry<'a>(list: &[&'a serde_json::value::RawValue], number: u32) -> Found<&'a str> {
    list.get(number as usize).map(|text| text.get()).ok_or(format!("there are {}", list.len()))
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Found<T> {
    serde_json::from_str(text).map_err(|e| e.to_string().chars().take(100).collect())
}
