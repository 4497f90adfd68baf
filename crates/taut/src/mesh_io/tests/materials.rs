//! Materials of glTF files: taken along where they can be had, left out with a note where not.

use super::samples::{self, Sample};
use super::*;
use std::cell::Cell;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nflag";

/// The square as one primitive with a material, whose pictures are a file, in the text and a piece of a buffer.
pub fn sample() -> Sample {
    let embedded = samples::all_but_materials().into_iter().find(|s| s.name == "a.gltf").unwrap();
    let text = String::from_utf8(embedded.bytes).unwrap();
    let text = text.replacen("\"indices\":1}", "\"indices\":1,\"material\":1}", 1).replacen(
        "\"accessors\"",
        r#""materials":[{},{"name":"silk","emissiveTexture":{"index":0},"extensions":{"KHR_materials_sheen":{
"sheenColorTexture":{"index":1}},"ACME_shine":{}},"normalTexture":{"index":2,"texCoord":0}}],
"textures":[{"source":0,"sampler":0},{"extensions":{"EXT_texture_webp":{"source":1}}},{"source":2},{"source":0}],
"samplers":[{"wrapS":33071}],
"images":[{"uri":"my%20flag.png"},{"uri":"data:;base64,iVBORw0KGgo="},{"bufferView":3},{"uri":"./my flag.png"}],
"accessors""#,
        1,
    );
    // A view of the buffer's last four bytes, which begin no picture.
    let text = text.replacen(
        "\"byteOffset\":72,\"byteLength\":40}]",
        "\"byteOffset\":72,\"byteLength\":40},{\"buffer\":0,\"byteOffset\":108,\"byteLength\":4}]",
        1,
    );
    Sample {
        name: "d.gltf",
        bytes: text.into_bytes(),
        siblings: vec![("my flag.png", PNG.to_vec())],
        counts: (5, 2, 0),
    }
}

fn text() -> String {
    String::from_utf8(sample().bytes).unwrap()
}

#[test]
fn a_material_comes_with_its_pictures_and_without_what_is_none() {
    let mesh = load(&sample()).unwrap();
    assert_eq!(mesh.original.face_materials, [0, 0]);
    let [silk] = &mesh.original.materials[..] else { panic!("materials without faces are left out") };
    assert_eq!(silk.name(), Some("silk"));
    let images: Vec<_> =
        silk.textures.iter().map(|t| (t.images[0].0.as_deref(), &t.images[0].1.bytes[..])).collect();
    assert_eq!(images, [(None, PNG), (Some("EXT_texture_webp"), &PNG[..8])]);
    let extensions: Vec<(&str, bool)> = silk.extensions.iter().map(|(name, &r)| (name.as_str(), r)).collect();
    assert_eq!(extensions, [("EXT_texture_webp", false), ("KHR_materials_sheen", false)]);
    assert!(silk.object["normalTexture"].is_null() && silk.object["extensions"]["ACME_shine"].is_null());
    let told = |words: &str| assert!(mesh.notes.iter().any(|n| n == words), "{:?}", mesh.notes);
    told("the extension ACME_shine of materials is left out");
    told("image 2 is left out: it is no PNG, JPEG, WebP or KTX 2");
    told("texture 2 is left out: it has no picture");
}

/// A mesh to simulate needs no pictures: whatever is wrong with them, it is read.
#[test]
fn what_cannot_be_had_is_left_out_with_a_note() {
    let deep = format!("{{\"extras\":{}{},", "[".repeat(200), "]".repeat(200));
    let cases: &[(&str, &str, &str)] = &[
        ("my%20flag.png", "other.png", "image 0 is left out: \"other.png\" is missing"),
        ("my%20flag.png", "../my%20flag.png", "this path leaves the folder"),
        ("my%20flag.png", "https://host/flag.png", "this path leaves the folder"),
        ("data:;base64,iVBORw0KGgo=", "data:;base64,!", "image 1 is left out: is not base64"),
        ("data:;base64,iVBORw0KGgo=", "data:,png", "image 1 is left out: starts \"data:,png\""),
        (
            "\"byteOffset\":108,\"byteLength\":4}",
            "\"byteOffset\":110,\"byteLength\":4}",
            "buffer view 3 is not in",
        ),
        ("{\"bufferView\":3}", "{}", "image 2 is left out: it names no file and no buffer view"),
        ("\"source\":0,\"sampler\":0", "\"source\":9", "image 9 is left out: there are 4"),
        ("\"sampler\":0", "\"sampler\":1", "texture 0 is left out: its sampler 1: there are 1"),
        ("\"wrapS\":33071", "\"wrapS\":-1", "texture 0 is left out: its sampler 0: invalid value"),
        ("\"index\":0", "\"index\":4", "texture 4 is left out: there are 4"),
        ("\"index\":0", "\"index\":-1", "texture 4294967295 is left out"),
        ("\"texCoord\":0", "\"texCoord\":1", "normalTexture of material 1 is left out: only TEXCOORD_0"),
        ("\"material\":1", "\"material\":2", "material 2 is left out: there are 2"),
        ("{},{\"name\"", "{},7,{\"name\"", "material 1 is left out: it is no object"),
        ("{\"name\":\"silk\",", &deep, "material 1 is left out: recursion limit"),
        ("{\"name\":\"silk\",", "{\"alphaCutoff\":1e999,", "material 1 is left out: number out of range"),
    ];
    let plain = load(&sample()).unwrap();
    for (from, to, words) in cases {
        let text = text();
        assert!(text.contains(from), "{from}");
        let sibling = |name: &str| Ok((name == "my flag.png").then(|| PNG.to_vec()));
        let mesh = read_with_siblings("d.gltf", text.replacen(from, to, 1).as_bytes(), &sibling).unwrap();
        assert!(mesh.notes.iter().any(|n| n.contains(words)), "{to}: {:?}", mesh.notes);
        assert_eq!(mesh.triangles, plain.triangles, "{to}");
    }
}

/// Secrets next to a mesh are not copied into results, and files are read once.
#[test]
fn only_pictures_are_taken_and_each_once() {
    let asked = Cell::new(0);
    let text = text().replace("{\"index\":1}", "{\"index\":3}").replace("{\"source\":0}]", "{\"source\":3}]");
    let read = |bytes: &'static [u8]| {
        asked.set(0);
        let sibling = |_: &str| {
            asked.set(asked.get() + 1);
            Ok(Some(bytes.to_vec()))
        };
        read_with_siblings("d.gltf", text.as_bytes(), &sibling).unwrap()
    };
    let mesh = read(PNG);
    assert_eq!((mesh.original.materials[0].textures.len(), asked.get()), (2, 1));
    let mesh = read(b"-----BEGIN PRIVATE KEY-----");
    assert_eq!((mesh.original.materials[0].textures.len(), asked.get()), (0, 1));
}

#[test]
fn a_thousand_materials_are_kept() {
    let materials: Vec<String> = (0..1100).map(|i| format!("{{\"name\":\"{i}\"}}")).collect();
    let primitive = |i| format!("{{\"attributes\":{{\"POSITION\":0}},\"indices\":1,\"material\":{i}}}");
    let primitives: Vec<String> = (0..1100).map(primitive).collect();
    let text = text().replacen("{\"mode\":1,", &format!("{},{{\"mode\":1,", primitives.join(",")), 1);
    let text = text.replacen("\"materials\":[{}", &format!("\"materials\":[{}", materials.join(",")), 1);
    let mesh = read_bytes("d.gltf", text.as_bytes()).unwrap();
    assert_eq!(mesh.original.materials.len(), 1000);
    let last = mesh.original.face_materials[mesh.original.face_materials.len() - 1];
    assert_eq!((last, mesh.original.face_materials[0]), (NO_MATERIAL, 0));
    let told: Vec<&String> = mesh.notes.iter().filter(|n| n.contains("only 1000")).collect();
    assert_eq!(told.len(), 1, "{told:?}");
}
