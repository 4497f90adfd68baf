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
