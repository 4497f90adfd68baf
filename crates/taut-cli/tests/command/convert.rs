//! Meshes through the command and back.

use crate::common::Folder;
use taut::mesh_io::{self, Mesh};

fn read(folder: &Folder, name: &str) -> Mesh {
    mesh_io::read(folder.0.join(name)).unwrap()
}

#[test]
fn round_trips_keep_vertices_polygons_texture_coordinates_and_names() {
    let folder = Folder::with_shirt("convert");
    for line in ["shirt.obj a.ply", "a.ply b.obj", "shirt.obj c.obj", "c.obj d.obj"] {
        let answer = folder.line(&format!("convert {line}")).fine();
        assert!(answer.err.contains("84 vertices, 72 faces"), "{}", answer.err);
        assert_eq!(answer.out, "");
    }
    assert_eq!(folder.read("c.obj"), folder.read("d.obj"), "nothing left to change");
    let (start, end) = (read(&folder, "shirt.obj"), read(&folder, "b.obj"));
    assert_eq!((&start.positions, &start.triangles), (&end.positions, &end.triangles));
    assert_eq!(start.original.corners, end.original.corners);
    assert!(start.original.face_ends.iter().enumerate().all(|(i, &end)| end == 4 * (i + 1)), "quads");
    assert_eq!(read(&folder, "c.obj").original, start.original, "names and texture coordinates too");
}

#[test]
fn soups_are_welded_to_simulate_and_come_back_as_they_were() {
    let folder = Folder::with_shirt("soup");
    let answer = folder.line("convert shirt.stl soup.obj").fine();
    assert!(
        answer.err.contains("note: ") && answer.err.contains("432 vertices, 144 faces"),
        "{}",
        answer.err
    );
    let (stl, obj) = (read(&folder, "shirt.stl"), read(&folder, "soup.obj"));
    assert_eq!((stl.positions.len(), stl.original.vertices.len()), (84, 432));
    assert_eq!((&stl.positions, &stl.triangles), (&obj.positions, &obj.triangles));
}

#[test]
fn a_scene_becomes_a_mesh_that_says_where_it_comes_from() {
    let folder = Folder::new("scene");
    folder.line("convert curtain21 start.obj").fine();
    let text = folder.read("start.obj");
    assert!(text.starts_with("# taut 0."), "{}", &text[..80]);
    assert!(text.lines().nth(1).unwrap().starts_with("# scene curtain21 "));
    let mesh = read(&folder, "start.obj");
    let scene = taut::Scene::load("curtain21").unwrap();
    assert_eq!(mesh.positions, scene.state.positions, "full precision");
    assert_eq!(mesh.triangles.len(), 800);
}

#[test]
fn a_run_writes_the_vertices_it_was_given() {
    let folder = Folder::with_shirt("own");
    folder.write("own.toml", "[[body]]\nmesh = { file = \"shirt.obj\" }\nposition = [0.0, 1.0, 0.0]\n");
    folder.line("run own.toml --frames 1 --format obj,ply").fine();
    assert_eq!(folder.list("out"), ["own_0000.obj", "own_0000.ply", "own_0001.obj", "own_0001.ply"]);
    let (start, frame) = (read(&folder, "shirt.obj"), read(&folder, "out/own_0000.obj"));
    assert_eq!(start.original.uvs, frame.original.uvs);
    assert_eq!(start.original.corners, frame.original.corners);
    for (a, b) in start.positions.iter().zip(&frame.positions) {
        assert_eq!(*a + taut::DVec3::Y, *b);
    }
    assert_eq!(read(&folder, "out/own_0001.ply").positions, read(&folder, "out/own_0001.obj").positions);
}

/// A triangle whose material has a picture: through every way to a GLB.
#[test]
fn materials_and_pictures_go_wherever_a_glb_is_written() {
    let folder = Folder::new("materials");
    folder.write(
        "flag.gltf",
        r#"{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"material":0}]}],
"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3}],
"bufferViews":[{"buffer":0,"byteLength":36}],
"buffers":[{"byteLength":36,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],
"materials":[{"name":"silk","doubleSided":true,"emissiveTexture":{"index":0}}],
"textures":[{"source":0,"sampler":0}],"samplers":[{"wrapS":33071}],"images":[{"uri":"silk.png"}]}"#,
    );
    std::fs::write(folder.0.join("silk.png"), b"\x89PNG\r\n\x1a\nsilk").unwrap();
    folder.write(
        "s.toml",
        "duration = 0.1\n[[body]]\nmesh = { file = \"flag.gltf\" }\n[[pin]]\nindices = [0, 1, 2]\n",
    );
    for line in [
        "convert flag.gltf a.glb",
        "convert a.glb b.glb",
        "convert s.toml c.glb",
        "run s.toml --frames 1 --format glb --out . --save-state s.state",
        "run s.toml --resume s.state --format glb --out .",
        "settle s.toml --format glb --out .",
    ] {
        folder.line(line).fine();
    }
    let start = read(&folder, "flag.gltf").original;
    assert_eq!((start.materials.len(), &start.face_materials[..]), (1, &[0][..]));
    let made: Vec<String> = folder.list(".").into_iter().filter(|name| name.ends_with(".glb")).collect();
    assert_eq!(made, ["a.glb", "b.glb", "c.glb", "s.glb", "s_from_0002.glb", "s_rest.glb"]);
    for name in made {
        let end = read(&folder, &name).original;
        assert_eq!((end.materials, end.face_materials), (start.materials.clone(), vec![0]), "{name}");
    }
}
