//! Law: a mesh goes through any format and comes back the same, as far as the format can say it.
//!
//! Meshes are generated: polygons of 3 to 255 corners over vertices of which some are copies (seams anywhere), texture
//! coordinates per corner with holes, attributes. Each is written by our writers; in the formats we only read it is
//! written here, with one texture coordinate and attribute per vertex.

use super::*;
use crate::random::Random;
use base64::Engine;

/// A whole number below `n`.
fn below(random: &mut Random, n: usize) -> usize {
    ((random.signed() * 0.5 + 0.5) * n as f64).floor().clamp(0.0, n as f64 - 1.0) as usize
}

/// A mesh as its file would have it: vertices with copies, faces of at most `corners` corners.
struct Generated {
    vertices: Vec<DVec3>,
    faces: Vec<Vec<u32>>,
}

impl Generated {
    fn new(random: &mut Random, corners: usize) -> Self {
        // Coordinates that 32-bit floats hold, so that every format can.
        let number = |x: f64| f64::from((3.0 * x) as f32);
        let points = 3 + below(random, 2 * corners);
        let mut vertices: Vec<DVec3> =
            (0..points).map(|_| DVec3::from_array(random.vector().to_array().map(number))).collect();
        for _ in 0..below(random, points) {
            let at = below(random, vertices.len());
            let copied = vertices[below(random, vertices.len())];
            vertices.insert(at, copied);
        }
        let face = |random: &mut Random| -> Vec<u32> {
            // The most and the least corners are as likely as all others together.
            let most = corners.min(vertices.len());
            let count = match below(random, 4) {
                0 => most,
                1 => 3,
                _ => 3 + below(random, most - 2),
            };
            (0..count).map(|_| below(random, vertices.len()) as u32).collect()
        };
        let faces = (0..1 + below(random, 8)).map(|_| face(random)).collect();
        Generated { vertices, faces }
    }

    /// One number for each vertex, equal where vertices are.
    fn attribute(&self) -> Vec<f64> {
        self.vertices.iter().map(|p| f64::from((p.x - 2.0 * p.y + p.z) as f32)).collect()
    }

    /// One texture coordinate for each vertex, other ones for copies.
    fn uv(&self, vertex: usize) -> [f64; 2] {
        [vertex as f64 / 1024.0, 1.0 - vertex as f64 / 512.0]
    }
}

/// Corners of all faces by place and texture coordinate, with what they carry.
type Essence = Vec<Vec<([f64; 3], Option<[f64; 2]>)>>;

fn essence(mesh: &Mesh) -> Essence {
    let o = &mesh.original;
    let corner = |c: usize| {
        let place = mesh.positions[o.vertices[o.corners[c] as usize] as usize].to_array();
        (place, o.corner_uvs.get(c).and_then(|&uv| o.uvs.get(uv as usize)).copied())
    };
    o.faces().map(|range| range.map(corner).collect()).collect()
}

fn through(mesh: &Mesh, name: &str) -> Mesh {
    let mut bytes = Vec::new();
    match name.ends_with("obj") {
        true => write_obj(mesh, &mesh.positions, &mut bytes, &[]).unwrap(),
        false => write_ply(mesh, &mesh.positions, &mut bytes, &[]).unwrap(),
    }
    read_bytes(name, &bytes).unwrap()
}

#[test]
fn our_writers_keep_polygons_seams_textures_and_attributes() {
    let mut random = Random(7);
    for round in 0..300 {
        let generated = Generated::new(&mut random, [3, 8, 64, 127, 128, 255][round % 6]);
        let mut text = String::new();
        generated.vertices.iter().for_each(|p| text += &format!("v {:?} {:?} {:?}\n", p.x, p.y, p.z));
        (0..40).for_each(|i| text += &format!("vt {:?} {:?}\n", f64::from(i) / 7.0, f64::from(i) / 3.0));
        for face in &generated.faces {
            // A face has texture coordinates at all corners or at none: PLY cannot say otherwise.
            let textured = below(&mut random, 3) > 0;
            text += "f";
            for corner in face {
                let uv = if textured { format!("/{}", 1 + below(&mut random, 40)) } else { String::new() };
                text += &format!(" {}{uv}", corner + 1);
            }
            text += "\n";
        }
        let mut mesh = read_bytes("a.obj", text.as_bytes()).unwrap();
        assert_eq!(mesh.original.face_ends.len(), generated.faces.len());
        let value = |p: &DVec3| p.x / 3.0 - p.z;
        mesh.attributes.insert("stiff ness".into(), mesh.positions.iter().map(value).collect());
        mesh.attributes.insert("s".into(), vec![0.1; mesh.positions.len()]);
        for formats in [["b.obj", "c.ply"], ["b.ply", "c.obj"], ["b.ply", "c.ply"]] {
            let mut again = mesh.clone();
            for format in formats {
                again = through(&again, format);
                assert_eq!(essence(&again), essence(&mesh), "round {round} {format}");
                assert_eq!(again.positions, mesh.positions);
                assert_eq!(again.triangles, mesh.triangles);
                assert_eq!(again.original.vertices, mesh.original.vertices);
            }
            if formats == ["b.ply", "c.ply"] {
                let found: Vec<_> = again.attributes.into_iter().collect();
                let named = |name: &str, from: &str| (name.to_string(), mesh.attributes[from].clone());
                assert_eq!(found, [named("attribute_s", "s"), named("stiff_ness", "stiff ness")]);
            }
        }
    }
}

/// The mesh in a format we read: its file and further files, and whether it has textures, attributes and polygons.
type Encoded = (&'static str, Vec<u8>, Vec<(&'static str, Vec<u8>)>, [bool; 3]);

fn rows<T: AsRef<[u32]>>(rows: &[T], base: u32, tail: &str) -> String {
    let row = |r: &T| r.as_ref().iter().map(|i| (i + base).to_string()).collect::<Vec<_>>().join(" ");
    rows.iter().map(|r| format!("{}{tail}\n", row(r))).collect()
}

fn encode(g: &Generated) -> Vec<Encoded> {
    let (n, faces) = (g.vertices.len(), g.faces.len());
    let triangles: Vec<[u32; 3]> = g.faces.iter().map(|f| [f[0], f[1], f[2]]).collect();
    let xyz = |p: &DVec3| format!("{:?} {:?} {:?}", p.x, p.y, p.z);
    let lines = |row: &dyn Fn(usize, &DVec3) -> String| -> String {
        g.vertices.iter().enumerate().map(|(i, p)| row(i, p) + "\n").collect()
    };
    let (values, uv) = (g.attribute(), |i: usize| format!("{:?} {:?}", g.uv(i)[0], g.uv(i)[1]));
    let scalars: String = values.iter().map(|x| format!("{x:?}\n")).collect();
    let counted: String = g.faces.iter().map(|f| format!("{} {}", f.len(), rows(&[f], 0, ""))).collect();
    let plain = lines(&|_, p| xyz(p));
    let numbered = lines(&|i, p| format!("{i} {}", xyz(p)));

    let off = lines(&|i, p| format!("{} {:?} 0 0 {}", xyz(p), values[i], uv(i)));
    let off = format!("STCOFF\n{n} {faces} 0\n{off}{counted}");
    let size: usize = g.faces.iter().map(|f| f.len() + 1).sum();
    let textures = lines(&|i, _| uv(i));
    let vtk = format!(
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS {n} double\n{plain}POLYGONS {faces} {size}\n\
         {counted}POINT_DATA {n}\nSCALARS red double\nLOOKUP_TABLE default\n{scalars}\
         TEXTURE_COORDINATES t 2 double\n{textures}"
    );
    let medit = lines(&|i, p| format!("{} {:?}", xyz(p), values[i]));
    let medit = format!(
        "MeshVersionFormatted 2\nDimension 3\nVertices {n}\n{medit}Triangles {faces}\n{}End\n",
        rows(&triangles, 1, " 0")
    );
    let msh: String =
        triangles.iter().map(|t| format!("1 2 0 {}", rows(&[t], 0, ""))).collect::<Vec<_>>().concat();
    let msh = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{n}\n{numbered}$EndNodes\n$Elements\n{faces}\n{msh}$EndElements\n"
    );
    let node = format!("{n} 3 1 0\n{}", lines(&|i, p| format!("{i} {} {:?}", xyz(p), values[i])));
    let face: String = triangles.iter().map(|t| format!("0 {}", rows(&[t], 0, ""))).collect();
    let mut stl = vec![0; 80];
    stl.extend((faces as u32).to_le_bytes());
    for t in &triangles {
        stl.extend([0; 12]);
        let floats = t.iter().flat_map(|&i| g.vertices[i as usize].to_array());
        stl.extend(floats.flat_map(|x| (x as f32).to_le_bytes()));
        stl.extend([0; 2]);
    }
    vec![
        ("a.off", off.into(), Vec::new(), [true; 3]),
        ("a.vtk", vtk.into(), Vec::new(), [true; 3]),
        ("a.gltf", gltf(g, &triangles), Vec::new(), [true, true, false]),
        ("a.mesh", medit.into(), Vec::new(), [false, true, false]),
        ("a.node", node.into(), vec![("a.face", format!("{faces} 0\n{face}").into())], [false, true, false]),
        ("a.msh", msh.into(), Vec::new(), [false; 3]),
        ("a.stl", stl, Vec::new(), [false; 3]),
    ]
}

fn gltf(g: &Generated, triangles: &[[u32; 3]]) -> Vec<u8> {
    let (n, corners) = (g.vertices.len(), 3 * triangles.len());
    let mut numbers: Vec<f64> = g.vertices.iter().flat_map(|p| p.to_array()).collect();
    numbers.extend((0..n).flat_map(|i| [g.uv(i)[0], 1.0 - g.uv(i)[1]])); // v counts down
    numbers.extend(g.attribute());
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|&x| (x as f32).to_le_bytes()).collect();
    bytes.extend(triangles.as_flattened().iter().flat_map(|i| i.to_le_bytes()));
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    let view =
        |start: usize, length: usize| format!(r#"{{"buffer":0,"byteOffset":{start},"byteLength":{length}}}"#);
    let views =
        [view(0, 12 * n), view(12 * n, 8 * n), view(20 * n, 4 * n), view(24 * n, 4 * corners)].join(",");
    let accessor = |view: usize, component: u32, shape: &str, count: usize| {
        format!(r#"{{"bufferView":{view},"componentType":{component},"type":"{shape}","count":{count}}}"#)
    };
    let accessors = [
        accessor(0, 5126, "VEC3", n),
        accessor(1, 5126, "VEC2", n),
        accessor(2, 5126, "SCALAR", n),
        accessor(3, 5125, "SCALAR", corners),
    ];
    format!(
        r#"{{"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"indices":3,"attributes":{{"POSITION":0,"TEXCOORD_0":1,"_A":2}}}}]}}],
"accessors":[{}],"bufferViews":[{views}],"buffers":[{{"uri":"data:;base64,{data}"}}]}}"#,
        accessors.join(",")
    )
    .into_bytes()
}

#[test]
fn every_format_we_read_gives_the_same_mesh() {
    let mut random = Random(11);
    for round in 0..120 {
        let generated = Generated::new(&mut random, [3, 12, 130, 255][round % 4]);
        let place = |i: u32| (generated.vertices[i as usize] + DVec3::ZERO).to_array();
        for (name, bytes, siblings, [textured, attributes, polygons]) in encode(&generated) {
            let find = |name: &str| Ok(siblings.iter().find(|(n, _)| *n == name).map(|(_, b)| b.clone()));
            let mesh = read_with_siblings(name, &bytes, &find).unwrap_or_else(|e| panic!("{e}"));
            let corner = |&i: &u32| (place(i), textured.then(|| generated.uv(i as usize)));
            let count = |face: &Vec<u32>| if polygons { face.len() } else { 3 };
            let face = |f: &Vec<u32>| f[..count(f)].iter().map(corner).collect();
            let expected: Essence = generated.faces.iter().map(face).collect();
            assert_eq!(essence(&mesh), expected, "round {round} {name}");
            if attributes {
                let key = ["red", "_A", "ref", "attribute_0"]
                    .into_iter()
                    .find(|k| mesh.attributes.contains_key(*k));
                let found = &mesh.attributes[key.unwrap()];
                for (vertex, value) in generated.attribute().into_iter().enumerate() {
                    assert_eq!(found[mesh.original.vertices[vertex] as usize], value, "round {round} {name}");
                }
            }
            // And on through our own.
            for format in ["b.obj", "b.ply"] {
                let again = through(&mesh, format);
                assert_eq!(essence(&again), expected, "round {round} {name} {format}");
                assert_eq!(again.triangles, mesh.triangles);
            }
        }
    }
}
