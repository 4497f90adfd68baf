//! Files that lie, break off or were scrambled: a clear error or a sound mesh, never a panic.

use super::samples::{self, Sample};
use super::*;

/// What everyone downstream relies on.
fn assert_sound(mesh: &Mesh, what: &str) {
    let n = mesh.positions.len() as u32;
    assert!(n > 0 && mesh.positions.iter().all(|p| p.is_finite()), "{what}");
    assert!(mesh.triangles.as_flattened().iter().chain(mesh.tets.as_flattened()).all(|&i| i < n), "{what}");
    assert!(mesh.original.vertices.iter().all(|&i| i < n), "{what}");
    assert!(mesh.original.corners.iter().all(|&i| (i as usize) < mesh.original.vertices.len()), "{what}");
    assert_eq!(mesh.original.face_ends.last().copied().unwrap_or(0), mesh.original.corners.len(), "{what}");
    let uvs = &mesh.original.corner_uvs;
    assert!(uvs.is_empty() || uvs.len() == mesh.original.corners.len(), "{what}");
    assert!(uvs.iter().all(|&i| i == NO_UV || (i as usize) < mesh.original.uvs.len()), "{what}");
    let (materials, faces) = (&mesh.original.face_materials, mesh.original.face_ends.len());
    assert!(materials.is_empty() || materials.len() == faces, "{what}");
    let known = |&m: &u32| m == NO_MATERIAL || (m as usize) < mesh.original.materials.len();
    assert!(materials.iter().all(known), "{what}");
    for values in mesh.attributes.values() {
        assert!(values.len() == n as usize && values.iter().all(|v| v.is_finite()), "{what}");
    }
    write_obj(mesh, &mesh.positions, std::io::sink(), &[]).unwrap();
    write_ply(mesh, &mesh.positions, std::io::sink(), &[]).unwrap();
}

fn survive(sample: &Sample, bytes: &[u8], siblings: &[(&str, Vec<u8>)], what: &str) {
    let find = |name: &str| Ok(siblings.iter().find(|(n, _)| *n == name).map(|(_, b)| b.clone()));
    match read_with_siblings(sample.name, bytes, &find) {
        Ok(mesh) => assert_sound(&mesh, what),
        Err(e) => {
            let text = e.to_string();
            assert!(text.len() < 600, "{what}: a message of {} bytes", text.len());
            assert!(matches!(e, Error::File { .. }), "{what}: {text}");
        }
    }
}

#[test]
fn every_truncation_of_every_sample() {
    for sample in samples::all() {
        for n in 0..sample.bytes.len() {
            let what = format!("{} cut at {n}", sample.name);
            survive(&sample, &sample.bytes[..n], &sample.siblings, &what);
        }
        for (i, (name, bytes)) in sample.siblings.iter().enumerate() {
            for n in 0..bytes.len() {
                let mut siblings = sample.siblings.clone();
                siblings[i].1.truncate(n);
                survive(&sample, &sample.bytes, &siblings, &format!("{name} cut at {n}"));
            }
        }
    }
}

#[test]
fn truncated_binaries_are_errors() {
    for sample in samples::all() {
        if ["b.ply", "b.stl", "a.glb", "a.gltf", "b.msh", "d.msh"].contains(&sample.name) {
            for n in 0..sample.bytes.len() - 14 {
                let cut = Sample { bytes: sample.bytes[..n].to_vec(), ..samples::obj() };
                let cut = Sample { name: sample.name, ..cut };
                // Gmsh nodes alone are a whole file, if an odd one.
                let lonely = |m: &Mesh| m.notes.iter().any(|n| n.contains("vertices only"));
                assert!(load(&cut).map_or(true, |m| lonely(&m)), "{} cut at {n}", sample.name);
            }
        }
    }
}

fn xorshift(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn twenty_thousand_scrambled_files_of_each_sample() {
    // Pieces that matter to some format, besides random bytes.
    let pieces: [&[u8]; 12] = [
        b"4000000000",
        b"-1",
        b"nan",
        b"1e999",
        b"18446744073709551616",
        b"\xff\xff\xff\xff",
        b"\0\0\0\0",
        b"\n",
        b" ",
        b"#",
        b"9",
        b"[[[[",
    ];
    for sample in samples::all() {
        let mut state = 0x9E37_79B9_7F4A_7C15;
        let names = sample.siblings.len() + 1;
        for round in 0..20_000 {
            let (mut bytes, mut siblings) = (sample.bytes.clone(), sample.siblings.clone());
            let target = match xorshift(&mut state) as usize % names {
                0 => &mut bytes,
                k => &mut siblings[k - 1].1,
            };
            for _ in 0..1 + xorshift(&mut state) % 3 {
                let (at, dice) = (xorshift(&mut state) as usize % target.len(), xorshift(&mut state));
                let piece = pieces[dice as usize / 8 % pieces.len()];
                match dice % 4 {
                    0 => target[at] = (dice >> 32) as u8,
                    1 => target[at] ^= 1 << ((dice >> 32) % 8),
                    2 => drop(target.splice(at..(at + piece.len()).min(target.len()), piece.iter().copied())),
                    _ => drop(target.splice(at..at, piece.iter().copied())),
                }
            }
            survive(&sample, &bytes, &siblings, &format!("{} round {round}", sample.name));
        }
    }
}

fn refusal(name: &str, bytes: &[u8]) -> String {
    let error = read_bytes(name, bytes).map(|m| m.positions.len()).expect_err(name).to_string();
    assert!(error.starts_with(name), "{error}");
    error
}

#[test]
fn messages_name_file_line_value_and_remedy() {
    for (name, text, parts) in [
        (
            "a.obj",
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n",
            ":4: the face uses vertex \"9\", but 3 are defined",
        ),
        ("a.obj", "v 0 0 0\nf 0 1 1\n", ":2: the face uses vertex \"0\""),
        ("a.obj", "v 0 0 0\nf -2 1 1\n", ":2: the face uses vertex \"-2\""),
        ("a.obj", "v 0 0 0\nf 1/1 1 1\n", ":2: the face uses texture coordinate \"1\", but 0"),
        ("a.obj", "v 0 0 nan\n", ":1: z is NaN; it must be finite"),
        ("a.obj", "\n\nv 0 1e999 0\n", ":3: y is inf"),
        ("a.obj", "v 0 zero 0\n", ":1: y is \"zero\"; it must be a number"),
        ("a.obj", "v 0 0\nv 1 1 1\n", ":1: the line ends where z"),
        ("a.obj", "", "there are no vertices"),
        (
            "a.stl",
            "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1e999\n",
            ":4: the z of a vertex is inf",
        ),
        (
            "a.mesh",
            "MeshVersionFormatted 2\nDimension 3\nVertices 1\n0 0 0 0\nTriangles 1\n1 1 2 0\nEnd",
            ":6: a face uses vertex 2",
        ),
        (
            "a.mesh",
            "MeshVersionFormatted 2\nTriangles 1\n1 1 2 0\nVertices 1\n0 0 0 0\nEnd",
            "face 0 uses vertex 1",
        ),
        ("a.ele", "1 4 0\n0 0 1 2 3\n", "the vertices are missing: there is no a.node"),
        ("a.node", "2 3 0 0\n1 0 0 0\n3 0 0 0\n", ":3: vertex 3 where 2 should be"),
        ("a.msh", "$MeshFormat\n4 0 8\n", ":2: the version is 4; save as version 4.1"),
        ("a.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_GRID\n", ":4: the dataset is"),
        ("a.xyz", "", "the extension \"xyz\" is no known mesh format; use .obj"),
        ("a.gltf", "{\n\"nodes\": [1}", ":2: the JSON is broken"),
        ("a.gltf", r#"{"nodes":[{"children":[0]}],"scenes":[{"nodes":[0]}]}"#, "node 0 has two parents"),
        ("a.gltf", r#"{"scenes":[{"nodes":[3]}]}"#, "node 3 is used, but there are 0"),
        ("a.gltf", r#"{"extensionsRequired":["KHR_draco_mesh_compression"]}"#, "KHR_draco_mesh_compression"),
    ] {
        let error = refusal(name, text.as_bytes());
        assert!(error.contains(parts), "{error}\nshould contain\n{parts}");
    }
}

#[test]
fn announced_counts_are_checked_before_memory_is_touched() {
    let lies: [(&str, Vec<u8>); 10] = [
        ("a.ply", b"ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n".into()),
        ("a.ply", b"ply\nformat binary_big_endian 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n".into()),
        ("a.stl", [&[0; 80][..], &4_000_000_000u32.to_le_bytes(), &[0; 60]].concat()),
        ("a.mesh", b"MeshVersionFormatted 2 Dimension 3 Vertices 4000000000 0 0 0 0".into()),
        ("a.node", b"4000000000 3 0 0\n0 0 0 0\n".into()),
        ("a.msh", b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4000000000\n1 0 0 0\n".into()),
        ("a.msh", b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4000000000 1 1\n3 1 0 4000000000\n1\n".into()),
        ("a.vtk", b"# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4000000000 float\n0 0 0\n".into()),
        ("a.vtk", b"# vtk DataFile Version 3.0\nt\nBINARY\nDATASET POLYDATA\nPOINTS 4000000000 float\n0 0 0\n".into()),
        ("a.glb", [&b"glTF\x02\0\0\0\x20\0\0\0"[..], &4_000_000_000u32.to_le_bytes(), b"JSON{}"].concat()),
    ];
    for (name, bytes) in lies {
        let error = refusal(name, &bytes);
        assert!(error.contains("4000000000") && error.contains("bytes follow"), "{error}");
    }
    let text = String::from_utf8(samples::gltf_with_uri("data:;base64,AAAA")).unwrap();
    let error = refusal("a.gltf", text.replace("\"count\":5,", "\"count\":4000000000,").as_bytes());
    assert!(error.contains("accessor 0 needs 48000000000 bytes"), "{error}");
    // With a stride of zero any count would fit.
    let error = refusal("a.gltf", text.replace("\"byteLength\":60", "\"byteStride\":0").as_bytes());
    assert!(error.contains("accessor 0 has a stride of 0 bytes for 12"), "{error}");
}

#[test]
fn rows_of_nothing_take_no_time() {
    let text =
        "ply\nformat ascii 1.0\nelement nothing 4000000000000\nelement face 4000000000000\nend_header\n";
    assert!(refusal("a.ply", text.as_bytes()).contains("no vertices"));
}

#[test]
fn deep_nesting_is_refused_or_skipped() {
    for opening in ["[", "{\"children\":[", "{\"nodes\":["] {
        refusal("a.gltf", opening.repeat(100_000).as_bytes());
    }
    let hidden = format!("{{\"extras\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    refusal("a.gltf", hidden.as_bytes());
    // A chain of 10^5 nodes is legal, however deep.
    let chain: Vec<String> = (1..100_000).map(|i| format!("{{\"children\":[{i}]}}")).collect();
    let text = format!("{{\"scenes\":[{{\"nodes\":[0]}}],\"nodes\":[{},{{}}]}}", chain.join(","));
    assert!(refusal("a.gltf", text.as_bytes()).contains("no vertices"));
}

#[test]
fn instances_cannot_multiply_without_bound() {
    let sample = samples::all().into_iter().find(|s| s.name == "a.gltf").unwrap();
    let text = String::from_utf8(sample.bytes).unwrap();
    let primitive = r#"{"attributes":{"POSITION":0},"indices":1},"#;
    let many = text.replace("\"primitives\":[", &format!("\"primitives\":[{}", primitive.repeat(10_000)));
    let mesh = read_bytes("a.gltf", many.as_bytes()).unwrap();
    assert_eq!(mesh.triangles.len(), 20_002);
    let nodes = "{\"mesh\":0},".repeat(10_000);
    let many = many.replace("\"nodes\":[{", &format!("\"nodes\":[{nodes}{{"));
    let many = many.replace("\"scene\":0,\"scenes\":[{\"nodes\":[1]}],", "").replace("\"children\":[0],", "");
    assert!(refusal("a.gltf", many.as_bytes()).contains("used by too many nodes"));
}

#[test]
fn paths_that_leave_the_folder_are_refused() {
    for uri in [
        "../secret.bin",
        "/etc/passwd",
        "a/../../b.bin",
        "%2e%2e/secret.bin",
        "..%2fsecret.bin",
        "..\\\\secret.bin",
        "C:secret.bin",
        "file:///etc/passwd",
        "http://host/a.bin",
        "//host/a.bin",
        "",
        ".",
    ] {
        let bytes = samples::gltf_with_uri(uri);
        let asked = |name: &str| -> Result<Option<Vec<u8>>, Error> { panic!("asked for {name}") };
        let error = read_with_siblings("a.gltf", &bytes, &asked).unwrap_err().to_string();
        assert!(error.contains("leaves the folder"), "{uri}: {error}");
        assert!(
            inside_folder(Path::new("scenes"), &uri.replace("%2e", ".").replace("%2f", "/")).is_err(),
            "{uri}"
        );
    }
    assert_eq!(inside_folder(Path::new("scenes"), "a/./b.obj").unwrap(), Path::new("scenes/a/b.obj"));
}
