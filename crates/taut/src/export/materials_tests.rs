//! Materials of glTF files, from there into a GLB.

use super::tests::Glb;
use super::*;
use crate::Scene;
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A picture, as far as anybody looks; of a length that must be padded.
const WEAVE: &[u8] = b"\x89PNG\r\n\x1a\nweave";
/// Another, cut off after its mark.
const RELIEF: &[u8] = b"\xff\xd8\xff";

/// Where the pictures of a file are.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Embedded,
    External,
    Binary,
}

fn linen() -> Value {
    let transform = json!({"KHR_texture_transform": {"scale": [2.0, 2.5]}, "ACME_glow": {"lamp": 7}});
    json!({"name": "linen", "doubleSided": true, "alphaMode": "MASK", "alphaCutoff": 0.3,
        "extras": {"noteTexture": {"index": 9}},
        "pbrMetallicRoughness": {"baseColorFactor": [0.1, 0.2, 0.3, 0.12345678901234568], "roughnessFactor": 0.7,
            "baseColorTexture": {"index": 2, "texCoord": 0, "extensions": transform}},
        "normalTexture": {"index": 1, "scale": 0.5}, "occlusionTexture": {"index": 2, "strength": 0.25},
        "extensions": {"KHR_materials_sheen": {"sheenColorTexture": {"index": 1}}, "ACME_shine": {"index": 1}}})
}

fn brass() -> Value {
    json!({"name": "brass", "pbrMetallicRoughness": {"metallicFactor": 0.9}, "emissiveFactor": [0.0, 0.5, 1.0],
        "alphaMode": "BLEND"})
}

/// Four squares in a row: of linen, of brass, of nothing, of linen again; only those of linen have texture coordinates.
/// Written into a folder of its own, with a texture and a material that nothing uses.
fn quilt(name: &str, form: Form) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("taut_quilt_{name}_{form:?}_{}", std::process::id()));
    std::fs::create_dir_all(folder.join("pictures")).unwrap();
    let mut buffer: Vec<u8> = Vec::new();
    let (mut views, mut accessors) = (Vec::new(), Vec::new());
    let mut view = |bytes: &[u8]| {
        views.push(json!({"buffer": 0, "byteOffset": buffer.len(), "byteLength": bytes.len()}));
        buffer.extend(bytes);
        buffer.resize(buffer.len().next_multiple_of(4), 0);
        views.len() - 1
    };
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0f32]];
    let floats = |numbers: &[f32]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let mut accessor = |view: usize, component: u32, shape: &str, count: usize| {
        accessors
            .push(json!({"bufferView": view, "componentType": component, "type": shape, "count": count}));
        accessors.len() - 1
    };
    let uvs = accessor(view(&floats(&corners.map(|[x, y]| [0.5 * x, 0.25 * y]).concat())), 5126, "VEC2", 4);
    let indices = accessor(view(&[0, 1, 2, 0, 2, 3]), 5121, "SCALAR", 6);
    let square = |(at, material): (usize, &Option<u32>)| {
        let points = corners.map(|[x, y]| [x + at as f32, y, 0.0]).concat();
        let mut primitive = json!({"indices": indices, "attributes":
            {"POSITION": accessor(view(&floats(&points)), 5126, "VEC3", 4)}});
        if let Some(material) = material {
            primitive["material"] = (*material).into();
        }
        if *material == Some(2) {
            primitive["attributes"]["TEXCOORD_0"] = uvs.into();
        }
        primitive
    };
    let primitives: Vec<Value> = [Some(2), Some(0), None, Some(2)].iter().enumerate().map(square).collect();
    let images = match form {
        Form::External => {
            json!([{"uri": "absent.png"}, {"uri": "./pictures/weave%201.png"}, {"uri": "relief"}])
        }
        Form::Embedded => {
            let data =
                |bytes: &[u8]| json!({"uri": format!("data:image/gif;base64,{}", STANDARD.encode(bytes))});
            json!([data(b"GIF"), data(WEAVE), data(RELIEF)])
        }
        Form::Binary => {
            let mut image = |bytes: &[u8]| json!({"bufferView": view(bytes), "mimeType": "image/bmp"});
            json!([image(b"BMP"), image(WEAVE), image(RELIEF)])
        }
    };
    let mut document = json!({"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": primitives}], "accessors": accessors, "bufferViews": views,
        "materials": [brass(), {"emissiveTexture": {"index": 0}}, linen()],
        "textures": [{"source": 0}, {"source": 2, "name": "relief"}, {"source": 1, "sampler": 1}],
        "samplers": [{}, {"magFilter": 9728, "minFilter": 9984, "wrapS": 33071, "wrapT": 33648}],
        "images": images, "extensionsRequired": ["KHR_texture_transform", "ACME_shine"],
        "extensionsUsed": ["ACME_shine", "ACME_glow", "KHR_texture_transform", "KHR_materials_sheen"]});
    let file = match form {
        Form::Binary => {
            document["buffers"] = json!([{"byteLength": buffer.len()}]);
            let mut text = document.to_string();
            text.extend(std::iter::repeat_n(' ', text.len().next_multiple_of(4) - text.len()));
            let length = |bytes: usize| (bytes as u32).to_le_bytes();
            let whole = 28 + text.len() + buffer.len();
            let head = [*b"glTF", length(2), length(whole), length(text.len()), *b"JSON"].concat();
            let bytes = [&head, text.as_bytes(), &length(buffer.len()), b"BIN\0", &buffer[..]].concat();
            std::fs::write(folder.join("quilt.glb"), bytes).unwrap();
            return folder.join("quilt.glb");
        }
        Form::External => "stitches.bin".into(),
        Form::Embedded => format!("data:;base64,{}", STANDARD.encode(&buffer)),
    };
    document["buffers"] = json!([{"byteLength": buffer.len(), "uri": file}]);
    std::fs::write(folder.join("quilt.gltf"), document.to_string()).unwrap();
    std::fs::write(folder.join("stitches.bin"), buffer).unwrap();
    std::fs::write(folder.join("pictures/weave 1.png"), WEAVE).unwrap();
    std::fs::write(folder.join("relief"), RELIEF).unwrap();
    folder.join("quilt.gltf")
}

fn scene(file: &Path, text: &str) -> Scene {
    let (folder, name) = (file.parent().unwrap(), file.file_name().unwrap().to_str().unwrap());
    Scene::parse("s", &text.replace("FILE", &format!("{{ file = \"{name}\" }}")), Some(folder)).unwrap()
}

/// The names of the materials of a mesh's squares, seen by where the triangles are; nothing for a plain colour.
fn squares(glb: &Glb, mesh: usize) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for primitive in glb.json["meshes"][mesh]["primitives"].as_array().unwrap() {
        let material = &glb.json["materials"][primitive["material"].as_u64().unwrap() as usize];
        let places = glb.frame(primitive, 0, "POSITION");
        for t in glb.indices(&primitive["indices"]).as_chunks::<3>().0 {
            let middle = t.iter().map(|&i| places[i as usize].x).sum::<f64>() / 3.0;
            found.push((middle as u32, material["name"].as_str().unwrap().to_string()));
        }
    }
    found.sort();
    found
}

/// A material as it was, with pictures in place of the numbers of textures.
fn resolved(glb: &Glb, object: &Value) -> Value {
    let mut object = object.clone();
    crate::mesh_io::material::members(&mut object, &mut |name, value| {
        if name.ends_with("Texture") {
            let texture = &glb.json["textures"][value["index"].as_u64().unwrap() as usize];
            let image = &glb.json["images"][texture["source"].as_u64().unwrap() as usize];
            let sampler = texture["sampler"].as_u64().map(|n| glb.json["samplers"][n as usize].clone());
            let bytes = glb.view(image["bufferView"].as_u64().unwrap() as usize);
            value["index"] = json!([bytes, image["mimeType"], sampler, texture["name"]]);
        }
        true
    });
    object
}

/// Linen with what it should be written with.
fn wanted() -> Value {
    let nearest = json!({"magFilter": 9728, "minFilter": 9984, "wrapS": 33071, "wrapT": 33648});
    let weave = json!([WEAVE, "image/png", nearest, null]);
    let relief = json!([RELIEF, "image/jpeg", null, "relief"]);
    let mut linen = linen();
    let surface = &mut linen["pbrMetallicRoughness"]["baseColorTexture"];
    surface["index"] = weave.clone();
    surface["extensions"].as_object_mut().unwrap().remove("ACME_glow");
    linen["occlusionTexture"]["index"] = weave;
    linen["normalTexture"]["index"] = relief.clone();
    linen["extensions"]["KHR_materials_sheen"]["sheenColorTexture"]["index"] = relief;
    linen["extensions"].as_object_mut().unwrap().remove("ACME_shine");
    linen
}

/// What a viewer is given is what the file had: for every face its material, for every material its pictures, byte for
/// byte, whatever way they were stored, and after a run.
#[test]
fn faces_keep_their_materials_and_pictures() {
    for form in [Form::Embedded, Form::External, Form::Binary] {
        let file = quilt("faces", form);
        let scene = scene(&file, "[[body]]\nname = \"quilt\"\nmesh = FILE\n[[pin]]\nindices = [0]\n");
        let mut simulation = scene.simulation().unwrap();
        let mut animation = Animation::of_scene(&scene);
        for _ in 0..3 {
            animation.push(simulation.positions()).unwrap();
            simulation.step().unwrap();
        }
        let glb = Glb::of(&animation);
        assert_eq!(scene.mesh.positions.len(), 10, "neighbours are welded");
        let names = ["linen", "linen", "brass", "brass", "quilt", "quilt", "linen", "linen"];
        let expected: Vec<(u32, String)> = (0..8).map(|t| (t / 2, names[t as usize].to_string())).collect();
        assert_eq!(squares(&glb, 0), expected, "{form:?}");
        let materials = glb.json["materials"].as_array().unwrap();
        assert_eq!((materials.len(), &materials[1]), (3, &brass()));
        assert_eq!(resolved(&glb, &materials[0]), wanted(), "{form:?}");
        let count = |list: &str| glb.json[list].as_array().unwrap().len();
        assert_eq!(
            (count("images"), count("textures"), count("samplers")),
            (2, 2, 1),
            "none that is not used"
        );
        assert_eq!(glb.json["extensionsUsed"], json!(["KHR_materials_sheen", "KHR_texture_transform"]));
        assert_eq!(glb.json["extensionsRequired"], json!(["KHR_texture_transform"]));
        // Vertices are shared, with coordinates where the file had some and those of the corner where not.
        let primitives = glb.json["meshes"][0]["primitives"].as_array().unwrap();
        assert!(primitives.iter().all(|p| p["attributes"] == primitives[0]["attributes"]));
        let uvs = glb.floats(&primitives[0]["attributes"]["TEXCOORD_0"]);
        let mut seen = 0;
        for (place, uv) in glb.frame(&primitives[0], 0, "POSITION").iter().zip(uvs.as_chunks::<2>().0) {
            let square = [0.0, 3.0].map(|x| [0.5 * (place.x - x) as f32, 0.25 * place.y as f32]);
            seen += usize::from(*uv != [0.0; 2]);
            assert!(square.contains(uv) || *uv == [0.0; 2], "{place} {uv:?}");
        }
        assert_eq!(seen, 6, "three corners of each square of linen");

        // Read back, all of it is still there, and nothing more to change.
        let mut bytes = Vec::new();
        write_glb(&animation, &mut bytes).unwrap();
        let mesh = crate::mesh_io::read_bytes("back.glb", &bytes).unwrap();
        let mut again = Animation::of_mesh(&mesh, "back");
        again.push(&mesh.positions).unwrap();
        let again = Glb::of(&again);
        assert_eq!(resolved(&again, &again.json["materials"][0]), wanted());
        assert_eq!(squares(&again, 0), expected);
        std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
    }
}

#[test]
fn bodies_of_one_file_share_its_pictures() {
    let file = quilt("share", Form::External);
    let text = "[[body]]\ngrid = { columns = 2, rows = 2, width = 1.0, height = 1.0 }\n[[body]]\nmesh = FILE\n\
                [[body]]\nmesh = FILE\ncolour = 3\n";
    let scene = scene(&file, text);
    std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
    assert_eq!(scene.mesh.original.materials.len(), 4);
    let of_quilt = |[linen, brass]: [u32; 2]| [[linen; 2], [brass; 2], [NO_MATERIAL; 2], [linen; 2]].concat();
    let faces = [vec![NO_MATERIAL; 2], of_quilt([0, 1]), of_quilt([2, 3])].concat();
    assert_eq!(scene.mesh.original.face_materials, faces);
    let mut animation = Animation::of_scene(&scene);
    animation.push(&scene.state.positions).unwrap();
    let glb = Glb::of(&animation);
    let names: Vec<&Value> = glb.json["materials"].as_array().unwrap().iter().map(|m| &m["name"]).collect();
    assert_eq!(names, ["body0", "linen", "brass", "body1", "body2"]);
    assert_eq!(glb.json["images"].as_array().unwrap().len(), 2);
    assert_eq!(squares(&glb, 0).iter().filter(|(_, name)| name != "body0").count(), 0);
    for (mesh, plain) in [(1, "body1"), (2, "body2")] {
        let names: Vec<String> = squares(&glb, mesh).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["linen", "linen", "brass", "brass", plain, plain, "linen", "linen"]);
    }
}

/// Textures need coordinates, even of a mesh that has none.
#[test]
fn textures_without_coordinates_are_those_of_a_corner() {
    let file = quilt("bare", Form::Embedded);
    let text = std::fs::read_to_string(&file).unwrap().replace("TEXCOORD_0", "TEXCOORD_7");
    std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
    let mesh = crate::mesh_io::read_bytes("a.gltf", text.as_bytes()).unwrap();
    assert!(mesh.original.corner_uvs.is_empty());
    let mut animation = Animation::of_mesh(&mesh, "a");
    animation.push(&mesh.positions).unwrap();
    let glb = Glb::of(&animation);
    let attributes = &glb.json["meshes"][0]["primitives"][0]["attributes"];
    assert_eq!(glb.floats(&attributes["TEXCOORD_0"]), [0.0; 20]);
    animation.moving[0].materials[1] = 2;
    let error = write_glb(&animation, std::io::sink()).unwrap_err().to_string();
    assert!(error.contains("moving mesh 0: uses material 2, but there are 2"), "{error}");
}
