//! What single formats allow beyond the common: strips, faces before their vertices, empty blocks, wrong endings.

use super::samples::{self, Out, POINTS, Sample};
use super::*;

/// Colours, texture coordinates and normals all at once.
pub fn off() -> Sample {
    let mut text = String::from("STCNOFF # all of it\n5 2 0\n");
    for (i, [x, y, z]) in POINTS.iter().enumerate() {
        text += &format!("{x} {y} {z} 0 0 1 {i} 2.5 3 {x} {y}\n");
    }
    text += "4 0 1 2 3 255 0 0\n3 0 1 4\n";
    Sample { name: "a.off", bytes: text.into_bytes(), siblings: Vec::new(), counts: (5, 3, 0) }
}

#[test]
fn off_with_and_without_what_may_be_missing() {
    let mesh = load(&off()).unwrap();
    assert_eq!(mesh.original.uvs[4], [0.25, 0.5]);
    assert_eq!(mesh.original.corner_uvs, mesh.original.corners);
    assert_eq!(mesh.attributes.keys().collect::<Vec<_>>(), ["blue", "green", "red"]);
    assert_eq!(mesh.attributes["red"], [0.0, 1.0, 2.0, 3.0, 4.0]);
    let bare = "3 1 0\n0 0 0\n1 0 0 # a corner\n0 1 0 0.5 0.5 0.5\n3  2 0 1 0.1 0.2 0.3\n";
    assert_eq!(read_bytes("a.off", bare.as_bytes()).unwrap().triangles, [[2, 0, 1]]);
    for (text, words) in [
        ("4OFF\n1 0 0\n0 0 0 0\n", ":1: this begins with \"4OFF\""),
        ("OFF BINARY\n", ":1: this is a binary OFF file"),
        ("OFF\n4000000000 0 0\n0 0 0\n", "4000000000 vertices are announced"),
        ("OFF\n1 1 0\n0 0 0\n4000000000 0\n", "4000000000 corners of a face are announced"),
        ("OFF\n1 1 0\n0 0 0\n3 0 0 1\n", ":4: a face uses vertex 1"),
        ("STOFF\n1 0 0\n0 0 0 1\n", ":3: the texture coordinates of a vertex are missing"),
    ] {
        let error = read_bytes("a.off", text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

const POINTS_OF_PLY: &str = "property float x\nproperty float y\nproperty float z\n";

#[test]
fn ply_strips_end_at_minus_one() {
    let text = format!(
        "ply\nformat ascii 1.0\nelement vertex 5\n{POINTS_OF_PLY}element tristrips 2\n\
         property list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n2 2 2\n\
         9 0 1 3 2 -1 4 3 2 -1\n3 0 1 4\n"
    );
    let mesh = read_bytes("a.ply", text.as_bytes()).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 3], [3, 1, 2], [4, 3, 2], [0, 1, 4]]);
    let error = read_bytes("a.ply", text.replace("-1 4", "-2 4").as_bytes()).unwrap_err().to_string();
    assert!(error.contains("a strip uses vertex -2, but there are 5, counted from 0"), "{error}");
    // Strips have no texture coordinates of their own; faces beside them may.
    let faces =
        "element face 1\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\n";
    let mixed = text.replace("end_header", &format!("{faces}end_header")) + "3 0 1 2 6 0 0 1 0 1 1\n";
    let mesh = read_bytes("a.ply", mixed.as_bytes()).unwrap();
    assert_eq!(mesh.original.corner_uvs[..12], [NO_UV; 12]);
    assert_eq!(mesh.original.corner_uvs[12..], [0, 1, 2]);
}

#[test]
fn vtk_strips() {
    let text = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 1 1 0\n\
                TRIANGLE_STRIPS 1 5\n4 0 1 2 3\n";
    assert_eq!(read_bytes("a.vtk", text.as_bytes()).unwrap().triangles, [[0, 1, 2], [2, 1, 3]]);
}

#[test]
fn obj_faces_may_come_first() {
    let text = "f 1/1 2/2 3/3\nv 0 0 0\nv 1 0 0\nvt 0 0\nf 1/2 2/3 -1/-1\nv 0 1 0\nvt 1 0\nvt 0 1\n";
    let mesh = read_bytes("a.obj", text.as_bytes()).unwrap();
    assert_eq!(mesh.original.corners, [0, 1, 2, 0, 1, 1]);
    assert_eq!(mesh.original.corner_uvs, [0, 1, 2, 1, 2, 0]);
    for (from, to, words) in [
        ("f 1/1 2/2 3/3", "f 1/1 4/2 3/3", ":1: the face uses vertex \"4\", but 3 are defined"),
        ("f 1/2", "f 1/9", ":5: the face uses texture coordinate \"9\", but 3 are defined"),
        ("-1/-1", "-3/-1", ":5: the face uses vertex \"-3\", but 2 are defined"),
    ] {
        let error = read_bytes("a.obj", text.replace(from, to).as_bytes()).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn gmsh_2_binary_may_have_empty_blocks() {
    let mut out = Out(Vec::new(), false);
    out.text("$MeshFormat\n2.2 1 8\n").int(1).text("\n$EndMeshFormat\n$Nodes\n3\n");
    for (i, p) in POINTS[..3].iter().enumerate() {
        out.int(i as i32 + 1).double(p[0]).double(p[1]).double(p[2]);
    }
    out.text("\n$EndNodes\n$Elements\n1\n");
    out.int(15).int(0).int(2); // points: none, before
    out.int(2).int(1).int(0).int(1).int(1).int(2).int(3);
    out.int(4).int(0).int(2); // tets: none, after
    out.text("\n$EndElements\n");
    assert_eq!(read_bytes("a.msh", &out.0).unwrap().triangles, [[0, 1, 2]]);
}

#[test]
fn a_wrong_ending_is_named_with_the_right_one() {
    for sample in samples::all() {
        let right = sample.name.rsplit('.').next().unwrap();
        if ["node", "ele"].contains(&right) || sample.name == "b.stl" {
            continue; // numbers alone, and a mark in common with text
        }
        for wrong in ["obj", "ply", "off", "stl", "gltf", "mesh", "node", "msh", "vtk"] {
            let suits = if right == "glb" { "gltf" } else { right };
            let Err(error) = read_bytes(&format!("x.{wrong}"), &sample.bytes) else {
                assert!(wrong == suits, "{} as {wrong}", sample.name);
                continue;
            };
            if wrong != suits {
                let text = error.to_string();
                assert!(
                    text.contains(&format!("it looks like .{right}; rename it")),
                    "{}: {text}",
                    sample.name
                );
            }
        }
    }
    let error = read_bytes("a.stl", "some words ".repeat(20).as_bytes()).unwrap_err().to_string();
    assert!(error.contains("this is text, but does not begin with \"solid\""), "{error}");
}

#[test]
fn windows_paths_and_flat_faces_are_named() {
    let error = inside_folder(Path::new("scenes"), "meshes\\shirt.obj").unwrap_err().to_string();
    assert!(error.contains("this path has a backslash; write / instead"), "{error}");
    let error = inside_folder(Path::new("scenes"), "C:\\shirt.obj").unwrap_err().to_string();
    assert!(error.contains("leaves the folder") && error.contains("write / instead"), "{error}");
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 2\nf 3 2 1\nf 1 1 1 1\n";
    let notes = read_bytes("a.obj", text.as_bytes()).unwrap().notes;
    let note =
        "3 faces with fewer than three different corners were dropped, the first in face 1, counted from 0";
    assert_eq!(notes, [note]);
}
