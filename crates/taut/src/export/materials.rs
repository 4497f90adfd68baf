//! The materials of a GLB: a colour for each mesh, or those that a glTF file gave its faces, with their textures and
//! pictures. What is equal is written once, however many bodies came from one file.

use crate::mesh_io::Material;
use crate::mesh_io::material::{Image, Texture, is_texture, members};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// The lists of a glTF document that materials need.
#[derive(Default)]
pub(super) struct Materials<'a> {
    materials: List,
    textures: List,
    samplers: List,
    /// Pictures, in the order in which textures number them.
    pub images: Vec<&'a Image>,
    numbers: HashMap<&'a Image, usize>,
    /// Extensions used, and whether a reader must know them.
    extensions: BTreeMap<&'a str, bool>,
}

/// A list of objects that are all different.
#[derive(Default)]
struct List {
    objects: Vec<Value>,
    numbers: HashMap<String, usize>,
}

impl List {
    /// The number of an object in the list.
    fn add(&mut self, object: Value) -> usize {
        let next = self.objects.len();
        let number = *self.numbers.entry(object.to_string()).or_insert(next);
        if number == next {
            self.objects.push(object);
        }
        number
    }
}

impl<'a> Materials<'a> {
    /// The number of a material of a file.
    pub fn add(&mut self, material: &'a Material) -> usize {
        let mut object = material.object.clone();
        members(&mut object, &mut |name, value| {
            let index = value.get("index").and_then(Value::as_u64);
            if let (true, Some(index)) = (is_texture(name, value), index) {
                value["index"] = self.texture(&material.textures[index as usize]).into();
            }
            true
        });
        for (name, &required) in &material.extensions {
            *self.extensions.entry(name).or_default() |= required;
        }
        self.materials.add(object)
    }

    fn texture(&mut self, texture: &'a Texture) -> usize {
        let mut object = json!({});
        if let Some(name) = &texture.name {
            object["name"] = name.as_str().into();
        }
        if let Some(sampler) = &texture.sampler {
            object["sampler"] = self.samplers.add(json!(sampler)).into();
        }
        for (extension, image) in &texture.images {
            let next = self.images.len();
            let number = *self.numbers.entry(image).or_insert(next);
            if number == next {
                self.images.push(image);
            }
            match extension {
                Some(name) => object["extensions"][name] = json!({"source": number}),
                None => object["source"] = number.into(),
            }
        }
        self.textures.add(object)
    }

    /// The number of a material of one colour (0xRRGGBB, sRGB).
    pub fn colour(&mut self, name: &str, colour: u32) -> usize {
        let [_, r, g, b] = colour.to_be_bytes().map(|byte| {
            let c = byte as f64 / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        let surface =
            json!({"baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8});
        self.materials.add(json!({"name": name, "doubleSided": true, "pbrMetallicRoughness": surface}))
    }

    /// Put the lists into a document. Pictures are in buffer views one after the other, from number `first` on.
    pub fn describe(self, root: &mut Value, first: usize) {
        let image = |(image, view): (&&Image, usize)| {
            let mut object = json!({"bufferView": view, "mimeType": image.media_type});
            if let Some(name) = &image.name {
                object["name"] = name.as_str().into();
            }
            object
        };
        let images: Vec<Value> = self.images.iter().zip(first..).map(image).collect();
        let names = |all: bool| -> Vec<Value> {
            let named = self.extensions.iter().filter(|(_, required)| all || **required);
            named.map(|(&name, _)| name.into()).collect()
        };
        let lists = [
            ("extensionsUsed", names(true)),
            ("extensionsRequired", names(false)),
            ("materials", self.materials.objects),
            ("textures", self.textures.objects),
            ("samplers", self.samplers.objects),
            ("images", images),
        ];
        // glTF forbids empty lists.
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            root[name] = list.into();
        }
    }
}
