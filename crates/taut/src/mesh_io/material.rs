//! Materials of a glTF file, kept to be written again. taut itself does not look at them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The entry of [`Original::face_materials`](super::Original::face_materials) for a face without a material.
pub const NO_MATERIAL: u32 = u32::MAX;

/// A material of a glTF file with the textures it uses, whole by itself: it can be written into any other file.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// The glTF object; the `index` of a texture counts in `textures`.
    pub(crate) object: Value,
    pub(crate) textures: Vec<Arc<Texture>>,
    /// Extensions that it or its textures use, and whether the file required each.
    pub(crate) extensions: BTreeMap<String, bool>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Texture {
    pub name: Option<String>,
    pub sampler: Option<Sampler>,
    /// The image, and those that extensions name instead: each with its extension, the image itself with none.
    pub images: Vec<(Option<String>, Arc<Image>)>,
}

/// How a texture is filtered and repeated, in glTF's numbers.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Sampler {
    #[serde(skip_serializing_if = "Option::is_none")]
    mag_filter: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_filter: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wrap_s: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wrap_t: Option<u32>,
}

/// A picture, byte for byte as it was found.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Image {
    pub name: Option<String>,
    pub media_type: &'static str,
    pub bytes: Vec<u8>,
}

impl Material {
    /// Its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.object["name"].as_str()
    }

    /// Whether it needs texture coordinates.
    pub fn is_textured(&self) -> bool {
        !self.textures.is_empty()
    }
}

/// Look at every member of a glTF object and of the objects within, but not into `extras`, which are the author's own.
/// Members for which `keep` is false are removed.
pub(crate) fn members(object: &mut Value, keep: &mut dyn FnMut(&str, &mut Value) -> bool) {
    if let Some(object) = object.as_object_mut() {
        object.retain(|name, value| {
            let kept = name == "extras" || keep(name, value);
            if kept && name != "extras" {
                members(value, keep);
            }
            kept
        });
    }
}

/// Whether a member of a material says which texture it uses: `baseColorTexture` and the like, of extensions too.
pub(crate) fn is_texture(name: &str, value: &Value) -> bool {
    name.ends_with("Texture") && value.get("index").is_some()
}
