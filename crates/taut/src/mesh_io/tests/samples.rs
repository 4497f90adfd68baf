//! One small valid file of every format and encoding, made here: no data files.

use base64::Engine;

pub struct Sample {
    pub name: &'static str,
    pub bytes: Vec<u8>,
    pub siblings: Vec<(&'static str, Vec<u8>)>,
    /// Welded vertices, triangles, tets.
    pub counts: (usize, usize, usize),
}

impl Sample {
    pub fn sibling(&self, name: &str) -> Option<Vec<u8>> {
        self.siblings.iter().find(|(n, _)| *n == name).map(|(_, b)| b.clone())
    }
}

/// Corners of a unit square and a point above it.
pub const POINTS: [[f64; 3]; 5] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.25, 0.5, 0.1]];
const TETS: [[u32; 4]; 2] = [[0, 1, 2, 4], [0, 2, 3, 4]];
const ONE: [[u32; 3]; 1] = [[0, 1, 2]];

fn sample(name: &'static str, bytes: impl Into<Vec<u8>>, counts: (usize, usize, usize)) -> Sample {
    Sample { name, bytes: bytes.into(), siblings: Vec::new(), counts }
}

/// Numbers in either endian.
pub struct Out(pub Vec<u8>, pub bool);

impl Out {
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.0.extend(text.as_bytes());
        self
    }
    pub fn put<const N: usize>(&mut self, mut little: [u8; N]) -> &mut Self {
        if self.1 {
            little.reverse();
        }
        self.0.extend(little);
        self
    }
    pub fn int(&mut self, i: i32) -> &mut Self {
        self.put(i.to_le_bytes())
    }
    fn size(&mut self, i: u64) -> &mut Self {
        self.put(i.to_le_bytes())
    }
    pub fn double(&mut self, x: f64) -> &mut Self {
        self.put(x.to_le_bytes())
    }
    fn float(&mut self, x: f64) -> &mut Self {
        self.put((x as f32).to_le_bytes())
    }
}

pub fn all() -> Vec<Sample> {
    let mut all = all_but_materials();
    all.push(super::materials::sample());
    all
}

pub fn all_but_materials() -> Vec<Sample> {
    let mut all = vec![
        obj(),
        super::readers::off(),
        ply_ascii(),
        ply_binary(false),
        ply_binary(true),
        stl_ascii(),
        stl_binary(),
    ];
    all.extend([
        gltf_embedded(),
        gltf_external(),
        super::gltf::sample(),
        glb(),
        medit(),
        tetgen("a.node"),
        tetgen("a.ele"),
    ]);
    all.extend([gmsh_2_ascii(), gmsh_2_binary(), gmsh_4_ascii(), gmsh_4_binary(false), gmsh_4_binary(true)]);
    all.extend([vtk_ascii(), vtk_binary(), vtk_5(false), vtk_5(true), vtk_polydata()]);
    all
}

pub fn obj() -> Sample {
    let text = "# a quad and a triangle, with a seam in the texture\nmtllib cloth.mtl\n\
        v 0 0 0\nv 1 0 -0.0\nv 1 1 0\nv 0 1 0\nv 0.25 0.5 1e-1\n\
        vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0.5\n\
        o flag\ng left\nusemtl red\nf 1/1 2/2/7 3/3 4/4\ng right part\nf -5/1 \\\n -4/2 -1/-1\nf 3 4 5\n";
    sample("a.obj", text, (5, 4, 0))
}

fn ply_header(format: &str) -> String {
    format!(
        "ply\nformat {format} 1.0\ncomment made by hand\nelement vertex 6\nproperty double x\nproperty double y\n\
         property double z\nproperty float s\nproperty float t\nproperty uchar pin\nelement face 2\n\
         property list uchar int vertex_indices\nproperty short quality\nelement edge 1\nproperty int vertex1\nend_header\n"
    )
}

/// The square's corner 1 appears twice, as at a seam.
fn ply_vertices() -> impl Iterator<Item = [f64; 3]> {
    POINTS.into_iter().chain([POINTS[1]])
}

fn ply_ascii() -> Sample {
    let mut text = ply_header("ascii");
    for (i, [x, y, z]) in ply_vertices().enumerate() {
        text += &format!("{x} {y} {z} 0.5 0.25 {}\n", i % 5);
    }
    text += "4 0 1 2 3 -7\n3 0 5 4 7\n3\n";
    sample("a.ply", text, (5, 3, 0))
}

fn ply_binary(big: bool) -> Sample {
    let mut out = Out(Vec::new(), big);
    out.text(&ply_header(if big { "binary_big_endian" } else { "binary_little_endian" }));
    for (i, [x, y, z]) in ply_vertices().enumerate() {
        out.double(x).double(y).double(z).float(0.5).float(0.25).put([i as u8 % 5]);
    }
    out.put([4]).int(0).int(1).int(2).int(3).put((-7i16).to_le_bytes());
    out.put([3]).int(0).int(5).int(4).put(7i16.to_le_bytes());
    out.int(3);
    sample("b.ply", out.0, (5, 3, 0))
}

const SOUP: [[usize; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

fn stl_ascii() -> Sample {
    let mut text = String::from("solid a flag\n");
    for triangle in SOUP {
        text += "facet normal 0 0 nan\n outer loop\n";
        for [x, y, z] in triangle.map(|i| POINTS[i]) {
            text += &format!("  vertex {x:e} {y} {z}\n");
        }
        text += " endloop\nendfacet\n";
    }
    sample("a.stl", text + "endsolid a flag\n", (4, 2, 0))
}

fn stl_binary() -> Sample {
    let mut out = Out(vec![b' '; 80], false);
    out.0[..5].copy_from_slice(b"solid");
    out.int(2);
    for triangle in SOUP {
        out.float(0.0).float(0.0).float(1.0);
        for x in triangle.iter().flat_map(|&i| POINTS[i]) {
            out.float(x);
        }
        out.put([0, 0]);
    }
    sample("b.stl", out.0, (4, 2, 0))
}

/// Five positions, two triangles as u16, five texture coordinates.
fn gltf_buffer() -> Vec<u8> {
    let mut out = Out(Vec::new(), false);
    POINTS.iter().flatten().for_each(|&x| {
        out.float(x);
    });
    [0u16, 1, 2, 0, 2, 3].iter().for_each(|i| {
        out.put(i.to_le_bytes());
    });
    POINTS.iter().for_each(|p| {
        out.float(p[0]).float(p[1]);
    });
    out.0
}

fn gltf_json(uri: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[1]}}],
"nodes":[{{"mesh":0,"translation":[0,0,5],"name":"flag"}},
 {{"children":[0],"scale":[2,2,2],"rotation":[0,0,0,1]}},{{"mesh":0}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"TEXCOORD_0":2}},"indices":1}},{{"mode":1,"attributes":{{"POSITION":0}}}}]}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":5,"type":"VEC3"}},
 {{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"}},
 {{"bufferView":2,"componentType":5126,"count":5,"type":"VEC2"}}],
"bufferViews":[{{"buffer":0,"byteLength":60}},{{"buffer":0,"byteOffset":60,"byteLength":12}},
 {{"buffer":0,"byteOffset":72,"byteLength":40}}],
"buffers":[{{"byteLength":112{uri}}}]}}"#
    )
}

pub fn gltf_with_uri(uri: &str) -> Vec<u8> {
    gltf_json(&format!(r#","uri":"{uri}""#)).into_bytes()
}

fn gltf_embedded() -> Sample {
    let data = base64::engine::general_purpose::STANDARD.encode(gltf_buffer());
    sample("a.gltf", gltf_with_uri(&format!("data:application/octet-stream;base64,{data}")), (5, 2, 0))
}

fn gltf_external() -> Sample {
    let siblings = vec![("my data.bin", gltf_buffer())];
    Sample { siblings, ..sample("b.gltf", gltf_with_uri("./my%20data.bin"), (5, 2, 0)) }
}

fn glb() -> Sample {
    let mut json = gltf_json("").into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let binary = gltf_buffer();
    let mut out = Out(b"glTF".to_vec(), false);
    out.int(2).int((28 + json.len() + binary.len()) as i32).int(json.len() as i32).text("JSON");
    out.0.extend(&json);
    out.int(binary.len() as i32).text("BIN\0");
    out.0.extend(&binary);
    sample("a.glb", out.0, (5, 2, 0))
}

fn medit() -> Sample {
    let mut text = String::from("MeshVersionFormatted 2\n# comment\nDimension\n3\nVertices\n5\n");
    for (i, [x, y, z]) in POINTS.iter().enumerate() {
        text += &format!("{x} {y} {z} {}\n", i % 2);
    }
    text += "Edges 1\n1 2 0\nTriangles\n1\n1 2 3 0\nQuadrilaterals 1\n1 2 3 4 9\nTetrahedra\n2\n";
    TETS.iter().for_each(|t| text += &format!("{} {} {} {} 1\n", t[0] + 1, t[1] + 1, t[2] + 1, t[3] + 1));
    sample("a.mesh", text + "End\n", (5, 3, 2))
}

fn tetgen(name: &'static str) -> Sample {
    let mut node = String::from("# nodes\n5 3 1 1\n");
    for (i, [x, y, z]) in POINTS.iter().enumerate() {
        node += &format!("{} {x} {y} {z} {}.5 {}\n", i + 1, i, i % 2);
    }
    let ele = "2 4 0\n1 1 2 3 5\n2 1 3 4 5 # the last\n";
    let (bytes, siblings) = if name.ends_with("node") {
        (node.into_bytes(), vec![("a.ele", ele.into())])
    } else {
        (ele.into(), vec![("a.node", node.into_bytes()), ("a.face", b"1 1\n1 1 2 3 -1\n".to_vec())])
    };
    let triangles = if name.ends_with("node") { 6 } else { 1 };
    Sample { siblings, ..sample(name, bytes, (5, triangles, 2)) }
}

fn gmsh_2_ascii() -> Sample {
    let mut text = String::from(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 1 \"a\"\n$EndPhysicalNames\n",
    );
    text += "$Nodes\n5\n";
    POINTS.iter().enumerate().for_each(|(i, [x, y, z])| text += &format!("{} {x} {y} {z}\n", 10 * i + 3));
    text +=
        "$EndNodes\n$Elements\n4\n1 15 2 0 1 3\n2 2 2 0 1 3 13 23\n3 4 2 0 1 3 13 23 43\n4 4 0 3 23 33 43\n";
    sample("a.msh", text + "$EndElements\n", (5, 1, 2))
}

fn gmsh_2_binary() -> Sample {
    let mut out = Out(Vec::new(), false);
    out.text("$MeshFormat\n2.2 1 8\n").int(1).text("\n$EndMeshFormat\n$Nodes\n5\n");
    for (i, p) in POINTS.iter().enumerate() {
        out.int(i as i32 + 1).double(p[0]).double(p[1]).double(p[2]);
    }
    out.text("\n$EndNodes\n$Elements\n3\n").int(2).int(1).int(2).int(1).int(7).int(7);
    ONE[0].iter().for_each(|&i| {
        out.int(i as i32 + 1);
    });
    out.int(4).int(2).int(0);
    for (n, tet) in TETS.iter().enumerate() {
        out.int(n as i32 + 2);
        tet.iter().for_each(|&i| {
            out.int(i as i32 + 1);
        });
    }
    out.text("\n$EndElements\n");
    sample("b.msh", out.0, (5, 1, 2))
}

fn gmsh_4_ascii() -> Sample {
    let mut text = String::from("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 0\n$EndEntities\n");
    text += "$Nodes\n2 5 1 5\n2 1 1 1\n1\n0 0 0 0.5 0.5\n3 1 0 4\n2\n3\n4\n5\n";
    POINTS[1..].iter().for_each(|[x, y, z]| text += &format!("{x} {y} {z}\n"));
    text += "$EndNodes\n$Elements\n2 3 1 3\n2 1 2 1\n1 1 2 3\n3 1 4 2\n2 1 2 3 5\n3 1 3 4 5\n$EndElements\n";
    sample("c.msh", text, (5, 1, 2))
}

fn gmsh_4_binary(big: bool) -> Sample {
    let mut out = Out(Vec::new(), big);
    out.text("$MeshFormat\n4.1 1 8\n").int(1).text("\n$EndMeshFormat\n$Nodes\n");
    out.size(1).size(5).size(1).size(5).int(3).int(1).int(0).size(5);
    (1..=5).for_each(|i| {
        out.size(i);
    });
    POINTS.iter().flatten().for_each(|&x| {
        out.double(x);
    });
    out.text("\n$EndNodes\n$Elements\n").size(2).size(3).size(1).size(3);
    out.int(2).int(1).int(2).size(1).size(1).size(1).size(2).size(3);
    out.int(3).int(1).int(4).size(2);
    for (n, tet) in TETS.iter().enumerate() {
        out.size(n as u64 + 2);
        tet.iter().for_each(|&i| {
            out.size(i as u64 + 1);
        });
    }
    out.text("\n$EndElements\n");
    sample("d.msh", out.0, (5, 1, 2))
}

fn vtk_ascii() -> Sample {
    let mut text =
        String::from("# vtk DataFile Version 3.0\na title # with a hash\nASCII\nDATASET UNSTRUCTURED_GRID\n");
    text += "POINTS 5 double\n";
    POINTS.iter().for_each(|[x, y, z]| text += &format!("{x} {y} {z}\n"));
    text += "CELLS 5 25\n4 0 1 2 4\n4 0 2 3 4\n3 0 1 2\n4 0 1 3 2\n5 0 1 2 3 4\nCELL_TYPES 5\n10 10 5 8 14\n";
    text += "CELL_DATA 5\nSCALARS region int\nLOOKUP_TABLE default\n0 1 2 3 4\nPOINT_DATA 5\nSCALARS pin float 1\n";
    text += "LOOKUP_TABLE default\n0 1 2 3 4\nNORMALS n float\n0 0 1 0 0 1 0 0 1 0 0 1 0 0 1\nFIELD data 1\nmass 1 5 double\n";
    sample("a.vtk", text + "1 2 3 4 nan\n", (5, 3, 2))
}

fn vtk_binary() -> Sample {
    let mut out = Out(Vec::new(), true);
    out.text("# vtk DataFile Version 3.0\ntitle\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n");
    POINTS.iter().flatten().for_each(|&x| {
        out.float(x);
    });
    out.text("\nCELLS 2 10\n");
    for tet in TETS {
        out.int(4);
        tet.iter().for_each(|&i| {
            out.int(i as i32);
        });
    }
    out.text("\nCELL_TYPES 2\n")
        .int(10)
        .int(10)
        .text("\nPOINT_DATA 5\nSCALARS pin unsigned_char 1\nLOOKUP_TABLE default\n");
    out.put([0]).put([1]).put([2]).put([3]).put([4]).text("\n");
    sample("b.vtk", out.0, (5, 6, 2))
}

fn vtk_5(binary: bool) -> Sample {
    let mut out = Out(Vec::new(), true);
    let encoding = if binary { "BINARY" } else { "ASCII" };
    out.text(&format!(
        "# vtk DataFile Version 5.1\ntitle\n{encoding}\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
    ));
    let number = |out: &mut Out, i: u64| {
        if binary {
            out.size(i)
        } else {
            out.text(&format!("{i} "))
        };
    };
    for &x in POINTS.iter().flatten() {
        if binary {
            out.double(x)
        } else {
            out.text(&format!("{x} "))
        };
    }
    out.text("\nMETADATA\nINFORMATION 1\nNAME L2_NORM LOCATION vtkDataArray\nDATA 2 0 1\n\nCELLS 3 8\nOFFSETS vtktypeint64\n");
    [0, 4, 8].into_iter().for_each(|i| number(&mut out, i));
    out.text("\nCONNECTIVITY vtktypeint64\n");
    TETS.as_flattened().iter().for_each(|&i| number(&mut out, i as u64));
    out.text("\nCELL_TYPES 2\n");
    for _ in TETS {
        if binary {
            out.int(10)
        } else {
            out.text("10\n")
        };
    }
    sample("c.vtk", out.0, (5, 6, 2))
}

fn vtk_polydata() -> Sample {
    let mut text =
        String::from("# vtk DataFile Version 4.2\ntitle\nASCII\nDATASET POLYDATA\nPOINTS 5 float\n");
    POINTS.iter().for_each(|[x, y, z]| text += &format!("{x} {y} {z} "));
    text += "\nLINES 1 3\n2 0 1\nPOLYGONS 2 9\n4 0 1 2 3\n3 0 1 4\nPOINT_DATA 5\nTEXTURE_COORDINATES uv 2 float\n";
    sample(
        "d.vtk",
        text + "0 0 1 0 1 1 0 1 0.5 0.5\nSCALARS pin int\n0 1 2 3 4\nCOLOR_SCALARS c 3\n0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
        (5, 3, 0),
    )
}
