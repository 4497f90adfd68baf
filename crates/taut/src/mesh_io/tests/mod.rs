//! What every reader must do with good files, and what none may do with bad ones.

mod gltf;
mod hostile;
mod materials;
mod readers;
mod round_trips;
mod samples;
mod sequence;

use super::*;
use samples::{POINTS, Sample};

fn load(sample: &Sample) -> Result<Mesh, Error> {
    read_with_siblings(sample.name, &sample.bytes, &|name| Ok(sample.sibling(name)))
}

fn moved(mesh: &Mesh) -> Vec<DVec3> {
    // Thirds have no short decimal form: they show lost digits.
    mesh.positions.iter().map(|p| (*p + DVec3::new(0.1, 1e-9, 1e12)) / 3.0).collect()
}

#[test]
fn every_sample_gives_the_same_square() {
    for sample in samples::all() {
        let mesh = load(&sample).unwrap_or_else(|e| panic!("{e}"));
        let (vertices, triangles, tets) = sample.counts;
        assert_eq!(mesh.positions.len(), vertices, "{}", sample.name);
        assert_eq!(mesh.triangles.len(), triangles, "{} {:?}", sample.name, mesh.triangles);
        assert_eq!(mesh.tets.len(), tets, "{}", sample.name);
        let gltf = sample.name.contains(".gl");
        for (p, expected) in mesh.positions.iter().zip(POINTS) {
            let expected = DVec3::from_array(expected);
            let expected = if gltf { 2.0 * (expected + 5.0 * DVec3::Z) } else { expected };
            // Files of floats are exact to 24 bits.
            assert!((*p - expected).length() <= 1e-7 * (1.0 + expected.length()), "{} {p}", sample.name);
        }
        // The square faces up in every file; tet surfaces are checked on their own.
        if tets == 0 && !gltf {
            let [a, b, c] = mesh.triangles[0].map(|i| mesh.positions[i as usize]);
            assert_eq!((b - a).cross(c - a), DVec3::Z, "{}", sample.name);
        }
    }
}

#[test]
fn attributes_follow_their_vertices() {
    for sample in samples::all() {
        let mesh = load(&sample).unwrap();
        let expected: &[(&str, [f64; 5])] = match sample.name {
            "a.ply" | "b.ply" => &[("pin", [0.0, 1.0, 2.0, 3.0, 4.0])],
            "a.vtk" | "b.vtk" | "d.vtk" => &[("pin", [0.0, 1.0, 2.0, 3.0, 4.0])],
            "c.gltf" => &[
                ("_PIN", [0.0, 1.0, 2.0, 3.0, 4.0]),
                ("alpha", [1.0; 5]),
                ("blue", [1.0; 5]),
                ("green", [0.2; 5]),
                ("red", [0.0; 5]),
            ],
            "a.off" => &[("blue", [3.0; 5]), ("green", [2.5; 5]), ("red", [0.0, 1.0, 2.0, 3.0, 4.0])],
            "a.mesh" => &[("ref", [0.0, 1.0, 0.0, 1.0, 0.0])],
            "a.node" | "a.ele" => {
                &[("attribute_0", [0.5, 1.5, 2.5, 3.5, 4.5]), ("marker", [0.0, 1.0, 0.0, 1.0, 0.0])]
            }
            _ => &[],
        };
        let found: Vec<_> = mesh.attributes.iter().map(|(n, v)| (n.as_str(), v.clone())).collect();
        let expected: Vec<_> = expected.iter().map(|(n, v)| (*n, v.to_vec())).collect();
        let twice = sample.name.ends_with("ply");
        // The seam's copy of vertex 1 has another value: the first counts, and a note says so.
        assert_eq!(mesh.notes.iter().any(|n| n.contains("differs at 1 welded")), twice, "{:?}", mesh.notes);
        assert_eq!(found, expected, "{}", sample.name);
    }
}

#[test]
fn obj_comes_back_as_it_went() {
    let mesh = load(&samples::obj()).unwrap();
    let positions = moved(&mesh);
    let mut bytes = Vec::new();
    write_obj(&mesh, &positions, &mut bytes, &["hello\nv 1 2 3".into()]).unwrap();
    let again = read_bytes("again.obj", &bytes).unwrap();
    assert_eq!(again.positions, positions);
    assert_eq!(again.original, mesh.original);
    assert_eq!(again.triangles, mesh.triangles);
    let names: Vec<_> = again.original.names.iter().map(|n| (n.name.as_str(), n.faces.clone())).collect();
    let expected = [("cloth.mtl", 0..3), ("flag", 0..3), ("left", 0..1), ("red", 0..3), ("right part", 1..3)];
    assert_eq!(names, expected);
    assert_eq!(again.original.corner_uvs, [0, 1, 2, 3, 0, 1, 4, NO_UV, NO_UV, NO_UV]);
    assert_eq!(again.original.face_ends, [4, 7, 10]);
}

#[test]
fn both_writers_restore_every_sample() {
    for sample in samples::all() {
        let mesh = load(&sample).unwrap();
        let positions = moved(&mesh);
        let (mut obj, mut ply) = (Vec::new(), Vec::new());
        write_obj(&mesh, &positions, &mut obj, &[]).unwrap();
        write_ply(&mesh, &positions, &mut ply, &["a comment".into()]).unwrap();
        for (name, bytes) in [("again.obj", obj), ("again.ply", ply)] {
            let again = read_bytes(name, &bytes).unwrap_or_else(|e| panic!("{} {e}", sample.name));
            assert_eq!(again.positions, positions, "{}", sample.name);
            assert_eq!(again.triangles, mesh.triangles, "{}", sample.name);
            assert_eq!(again.original.vertices, mesh.original.vertices, "{}", sample.name);
            if !mesh.original.face_ends.is_empty() {
                assert_eq!(again.original.corners, mesh.original.corners, "{}", sample.name);
                assert_eq!(again.original.face_ends, mesh.original.face_ends, "{}", sample.name);
            }
            let uvs = |m: &Mesh| -> Vec<_> {
                m.original.corner_uvs.iter().map(|&i| m.original.uvs.get(i as usize).copied()).collect()
            };
            assert_eq!(uvs(&again), uvs(&mesh), "{} as {name}", sample.name);
            if name == "again.ply" {
                assert_eq!(again.attributes, mesh.attributes, "{}", sample.name);
            }
        }
    }
}

#[test]
fn generated_meshes_are_their_own_original() {
    let positions: Vec<DVec3> = [POINTS[0], POINTS[1], POINTS[2], POINTS[1]].map(DVec3::from_array).to_vec();
    let mesh = Mesh::from_parts(positions.clone(), vec![[0, 1, 2], [0, 3, 2]], vec![]);
    let mut bytes = Vec::new();
    write_obj(&mesh, &positions, &mut bytes, &[]).unwrap();
    let again = read_bytes("a.obj", &bytes).unwrap();
    assert_eq!(again.original.corners, mesh.original.corners);
    assert_eq!((mesh.original.vertices.len(), again.positions.len()), (4, 3));
    assert!(write_obj(&mesh, &positions[1..], &mut bytes, &[]).is_err());
}

#[test]
fn welding_is_exact_and_drops_what_collapses() {
    let text =
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv -0 0.0 0\nv 1e-300 0 0\nf 1 2 3\nf 1 2 4\nf 1 4 2 3\nf 5 2 3\nf 1 2\n";
    let mesh = read_bytes("a.obj", text.as_bytes()).unwrap();
    assert_eq!(mesh.original.vertices, [0, 1, 2, 0, 3]);
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 1, 2], [3, 1, 2]]);
    assert!(mesh.notes.iter().any(|n| n.starts_with("3 faces")), "{:?}", mesh.notes);
    assert!(mesh.positions.iter().all(|p| p.x.is_sign_positive()));
}

#[test]
fn concave_polygons_keep_their_area() {
    // An arrowhead: a fan from its first corner would leave the polygon.
    let text = "v 0 2 0\nv -2 -2 0\nv 0 -1 0\nv 2 -2 0\nf 2 3 4 1\nf 1 2 3 4\nf 3 4 1 2\nf 4 1 2 3\n";
    let mesh = read_bytes("a.obj", text.as_bytes()).unwrap();
    assert_eq!(mesh.triangles.len(), 8);
    for pair in mesh.triangles.chunks(2) {
        let areas = pair.iter().map(|t| {
            let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
            (b - a).cross(c - a).z / 2.0
        });
        assert!(areas.clone().all(|a| a > 0.0), "{pair:?}");
        assert_eq!(areas.sum::<f64>(), 6.0);
    }
}

#[test]
fn tet_surfaces_are_closed_and_face_outwards() {
    let positions = POINTS.map(DVec3::from_array);
    for tets in [[[0, 1, 2, 4], [0, 2, 3, 4]], [[1, 0, 2, 4], [0, 2, 3, 4]], [[0, 1, 2, 4], [4, 2, 3, 0]]] {
        let triangles = surface(&positions, &tets);
        let volume = |t: [DVec3; 3]| t[0].dot(t[1].cross(t[2])) / 6.0;
        let enclosed: f64 = triangles.iter().map(|t| volume(t.map(|i| positions[i as usize]))).sum();
        // Divergence theorem; the square of area 1 and the height 0.1 make the volume.
        assert!((enclosed - 0.1 / 3.0).abs() < 1e-15, "{enclosed}");
        assert_eq!(triangles.len(), 6);
    }
}

#[test]
fn mirrored_gltf_nodes_keep_the_outside_out() {
    let glb = samples::all().into_iter().find(|s| s.name == "b.gltf").unwrap();
    let text =
        String::from_utf8(glb.bytes.clone()).unwrap().replace("\"scale\":[2,2,2]", "\"scale\":[-2,2,2]");
    let mesh = load(&Sample { bytes: text.into_bytes(), ..glb }).unwrap();
    let [a, b, c] = mesh.triangles[0].map(|i| mesh.positions[i as usize]);
    assert_eq!((b - a).cross(c - a), 4.0 * DVec3::Z);
    assert_eq!(mesh.original.names[0].name, "flag");
    assert!(mesh.notes.iter().any(|n| n.contains("1 primitives")), "{:?}", mesh.notes);
}

#[test]
fn files_are_read_from_disk_with_their_siblings() {
    let folder = std::env::temp_dir().join(format!("taut_mesh_io_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for sample in samples::all() {
        for (name, bytes) in sample.siblings.iter().chain([&(sample.name, sample.bytes.clone())]) {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
        let mesh = read(folder.join(sample.name)).unwrap();
        if sample.name != "a.node" {
            assert_eq!(mesh, load(&sample).unwrap(), "{}", sample.name);
        }
        sample.siblings.iter().for_each(|(name, _)| std::fs::remove_file(folder.join(name)).unwrap());
    }
    assert!(read(&folder).unwrap_err().to_string().contains("not a regular file"));
    assert!(read(folder.join("absent.obj")).unwrap_err().to_string().contains("absent.obj"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc/hostname", folder.join("link.bin")).unwrap();
        assert!(inside_folder(&folder, "link.bin").unwrap_err().to_string().contains("leaves the folder"));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn loose_vertices_are_left_out_and_written_back() {
    let text = "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 8 8 8\nv 0 1 0\nv 7 7 7\nf 2 3 5\n";
    let mesh = read_bytes("a.obj", text.as_bytes()).unwrap();
    assert_eq!(mesh.positions.len(), 6, "a reader keeps all");
    let mesh = mesh.without_loose();
    assert_eq!(mesh.positions, [DVec3::ZERO, DVec3::X, DVec3::Y]);
    assert_eq!(mesh.triangles, [[0, 1, 2]]);
    // Where the next one is; after the last there is none.
    assert_eq!(mesh.original.vertices, [0, 0, 1, 2, 2, 2]);
    assert!(mesh.notes.contains(&"vertices without a face are left out: 3, the first is vertex 0".into()));
    let mut out = Vec::new();
    write_obj(&mesh, &mesh.positions, &mut out, &[]).unwrap();
    assert!(String::from_utf8(out).unwrap().ends_with("f 2 3 5\n"));
    let points = read_bytes("a.obj", b"v 0 0 0\nv 1 0 0\n").unwrap().without_loose();
    assert_eq!(points.positions.len(), 2, "points alone are refused by who wants faces");
}

#[test]
fn two_meshes_in_one_keep_their_own_texture_coordinates_and_names() {
    let first = load(&samples::obj()).unwrap();
    let mut second = first.clone();
    second.original.uvs.iter_mut().for_each(|uv| uv[0] += 10.0);
    let mut both = Mesh::default();
    both.append(&first, "first");
    both.append(&Mesh::from_parts(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]], vec![]), "plain");
    both.append(&second, "second");
    let mut out = Vec::new();
    write_obj(&both, &both.positions, &mut out, &[]).unwrap();
    let again = read_bytes("both.obj", &out).unwrap();
    let corners = |mesh: &Mesh, faces: std::ops::Range<usize>| -> Vec<Option<[f64; 2]>> {
        let ranges: Vec<_> = mesh.original.faces().collect();
        let uv =
            |c: usize| mesh.original.corner_uvs.get(c).and_then(|&uv| mesh.original.uvs.get(uv as usize));
        faces.flat_map(|f| ranges[f].clone()).map(|c| uv(c).copied()).collect()
    };
    let n = first.original.face_ends.len();
    assert_eq!(corners(&again, 0..n), corners(&first, 0..n));
    assert_eq!(corners(&again, n..n + 1), [None; 3], "the plain one has none");
    assert_eq!(corners(&again, n + 1..2 * n + 1), corners(&second, 0..n));
    let objects: Vec<_> = again.original.names.iter().filter(|n| n.kind == NameKind::Object).collect();
    assert!(objects.iter().any(|o| o.name == "plain" && o.faces == (n..n + 1)), "{objects:?}");
}
