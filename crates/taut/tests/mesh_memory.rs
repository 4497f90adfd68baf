//! Law: reading a mesh never takes more than 16 MiB + 128 × the size of the file, whatever the file says.
//!
//! Each file repeats what its format blows up most. A binary of its own, because it counts every allocation.

use peak_alloc::PeakAlloc;
use taut::mesh_io::read_with_siblings;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

const SIZE: usize = 4 << 20;

fn repeat(head: &str, piece: &str, tail: &str) -> String {
    let body = piece.repeat((SIZE - head.len() - tail.len()) / piece.len());
    format!("{head}{body}{tail}")
}

/// Distinct vertices in few digits, for welding remembers each.
fn vertices(head: &str, keyword: &str) -> String {
    let mut text = String::with_capacity(SIZE + 100);
    text += head;
    for i in 0.. {
        if text.len() > SIZE {
            break;
        }
        text += &format!("{keyword}{} {} {}\n", i % 100, i / 100 % 100, i / 10_000);
    }
    text
}

/// A count that the body can just about fill.
fn counted(head: &str, after: &str, piece: &str) -> String {
    let count = (SIZE - 200) / piece.len();
    format!("{head}{count}{after}{}", piece.repeat(count))
}

const TRIANGLE: &str = r#"{"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}"#;

/// A triangle of this material.
fn used_material(material: &str) -> String {
    used_with(material, &format!(r#""bufferViews":[{{"byteLength":36}}],"buffers":[{TRIANGLE}]"#))
}

fn used_with(material: &str, lists: &str) -> String {
    format!(
        r#"{{"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"material":0,"attributes":{{"POSITION":0}}}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}}],
        "materials":[{material}],{lists}}}"#
    )
}

fn hostile_files() -> Vec<(&'static str, String)> {
    let ply = "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int y\nproperty int z\n";
    let medit = "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n0 0 1 0\n0 1 0 0\n1 0 0 0\n";
    let vtk = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 1 int\n0 0 0\n";
    let msh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 0 0 1\n3 0 1 0\n4 1 0 0\n$EndNodes\n$Elements\n";
    vec![
        ("vertices.obj", vertices("", "v ")),
        ("triangles.obj", repeat("v 0 0 0\nv 0 0 1\nv 0 1 0\n", "f 1 2 3\n", "")),
        ("polygon.obj", repeat("v 0 0 0\nv 0 0 1\nv 0 1 0\nf", " 1 2 3", "\n")),
        ("names.obj", repeat("v 0 0 0\n", "o\n", "")),
        ("textures.obj", repeat("v 0 0 0\n", "vt 0\n", "")),
        ("junk.obj", repeat("v 0 0 0\n", "x\n", "")),
        ("properties.ply", repeat(ply, "property int a\n", "end_header\n")),
        ("named.ply", {
            let names: String = (0..SIZE / 22).map(|i| format!("property char {i:x}\n")).collect();
            format!("{ply}{names}end_header\n{}", "0 ".repeat(SIZE / 22 + 3))
        }),
        ("elements.ply", repeat(ply, "element a 0\n", "end_header\n0 0 0\n")),
        (
            "faces.ply",
            counted(
                &format!("{ply}element face "),
                "\nproperty list int int vertex_indices\nend_header\n0 0 0\n",
                "3 0 0 0 ",
            ),
        ),
        (
            "empty_faces.ply",
            counted(
                &format!("{ply}element face "),
                "\nproperty list int int vertex_indices\nend_header\n0 0 0\n",
                "0 ",
            ),
        ),
        (
            "strip.ply",
            counted(
                &format!("{}element tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n0 0 1\n0 1 0\n", ply.replace("vertex 1", "vertex 3")),
                "\n",
                "0 1 2 ",
            )
            .replacen(&((SIZE - 200) / 6).to_string(), &(3 * ((SIZE - 200) / 6)).to_string(), 1),
        ),
        ("vertices.off", {
            let rows = vertices("", "");
            format!("OFF {} 0 0\n{rows}", rows.lines().count())
        }),
        ("faces.off", counted("OFF 3 ", " 0\n0 0 0\n0 0 1\n0 1 0\n", "3 0 1 2\n")),
        (
            "soup.stl",
            repeat(
                "solid\n",
                " facet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 0 1 vertex 0 1 0 endloop endfacet",
                "",
            ),
        ),
        ("solids.stl", repeat("", "solid\n", "")),
        ("tets.mesh", counted(&format!("{medit}Tetrahedra "), "\n", "1 2 3 4 0\n")),
        ("keywords.mesh", repeat(medit, "Hexahedra\n", "")),
        ("tets.msh", counted(msh, "\n", "1 4 0 1 2 3 4\n") + "$EndElements\n"),
        ("nodes.msh", {
            let nodes: String =
                (1..SIZE / 14).map(|i| format!("{i} {} {} 0\n", i % 1000, i / 1000)).collect();
            format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n{nodes}$EndNodes\n", SIZE / 14 - 1)
        }),
        ("polygons.vtk", counted(&format!("{vtk}POLYGONS "), " 1\n", "3 0 0 0\n")),
        ("empty.vtk", counted(&format!("{vtk}POLYGONS "), " 1\n", "0\n")),
        ("scalars.vtk", {
            let arrays: String = (0..SIZE / 20).map(|i| format!("{i:x} 1 1 int\n0\n")).collect();
            format!("{vtk}POINT_DATA 1\nFIELD f {}\n{arrays}", SIZE / 20)
        }),
        ("nodes.gltf", repeat("{\"nodes\":[", "{},", "{}]}")),
        ("chain.gltf", {
            let nodes: String = (1..SIZE / 22).map(|i| format!("{{\"children\":[{i}]}},")).collect();
            format!("{{\"nodes\":[{nodes}{{}}]}}")
        }),
        ("meshes.gltf", repeat("{\"meshes\":[", "{},", "{}]}")),
        ("primitives.gltf", repeat("{\"meshes\":[{\"primitives\":[", "{},", "{}]}]}")),
        ("accessors.gltf", repeat("{\"accessors\":[", "{},", "{}]}")),
        ("views.gltf", repeat("{\"bufferViews\":[", "{},", "{}]}")),
        ("buffers.gltf", repeat("{\"buffers\":[", "{},", "{}]}")),
        ("data.gltf", repeat("{\"buffers\":[", "{\"uri\":\"data:;base64,\"},", "{}]}")),
        ("extensions.gltf", repeat("{\"extensionsRequired\":[", "\"\",", "\"\"]}")),
        ("roots.gltf", repeat("{\"scenes\":[{\"nodes\":[", "0,", "0]}]}")),
        ("children.gltf", repeat("{\"nodes\":[{\"children\":[", "0,", "0]}]}")),
        ("materials.gltf", repeat("{\"materials\":[", "{},", "{}]}")),
        ("textures.gltf", repeat("{\"textures\":[", "0,", "0]}")),
        ("deep_material.gltf", used_material(&repeat("{", "\"\":[[[[[[{\"\":{\"\":0}}]]]]]],", "\"\":0}"))),
        ("lists_material.gltf", used_material(&repeat("{\"\":[", "[[[[]]]],", "0]}"))),
        ("references.gltf", {
            let names: String =
                (0..SIZE / 30).map(|i| format!("\"{i:x}Texture\":{{\"index\":{i}}},")).collect();
            used_material(&format!("{{{names}\"\":0}}"))
        }),
        ("pictures.gltf", {
            // Every picture is the same large piece of the file.
            let used: String = (0..SIZE / 100).map(|i| format!("\"{i}Texture\":{{\"index\":{i}}},")).collect();
            let textures: String = (0..SIZE / 100).map(|i| format!("{{\"source\":{i}}},")).collect();
            let images = "{\"bufferView\":1},".repeat(SIZE / 100);
            let picture = format!("iVBORw0KGgoA{}", "AAAA".repeat(SIZE / 16));
            let lists = format!(
                "\"textures\":[{textures}{{}}],\"images\":[{images}{{}}],\
                 \"bufferViews\":[{{\"byteLength\":36}},{{\"buffer\":1,\"byteLength\":{}}}],\
                 \"buffers\":[{TRIANGLE},{{\"uri\":\"data:;base64,{picture}\"}}]",
                9 + 3 * (SIZE / 16)
            );
            used_with(&format!("{{{used}\"\":0}}"), &lists)
        }),
        ("nested.gltf", repeat("{\"extras\":", "[", "")),
        ("attributes.gltf", {
            let names: String = (0..SIZE / 10).map(|i| format!("\"{i:x}\":0,")).collect();
            format!("{{\"meshes\":[{{\"primitives\":[{{\"attributes\":{{{names}\"POSITION\":0}}}}]}}]}}")
        }),
        ("columns.gltf", {
            // Many attributes of one small primitive, then a large one without them.
            let names: String = (0..SIZE / 16).map(|i| format!("\"_{i:x}\":2,")).collect();
            let numbers = "AACAPwAAgD8AAIA/".repeat(SIZE / 32);
            let (count, bytes) = (SIZE / 32, 12 * (SIZE / 32));
            format!(
                r#"{{"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{{names}"POSITION":1}}}},{{"attributes":{{"POSITION":0}}}}]}}],
                "accessors":[{{"bufferView":0,"componentType":5126,"count":{count},"type":"VEC3"}},
                {{"bufferView":0,"componentType":5126,"count":1,"type":"VEC3"}},
                {{"bufferView":0,"componentType":5126,"count":1,"type":"SCALAR"}}],
                "bufferViews":[{{"byteLength":{bytes}}}],"buffers":[{{"uri":"data:;base64,{numbers}"}}]}}"#
            )
        }),
        ("instances.gltf", {
            let mesh = r#"{"attributes":{"POSITION":0}},"#;
            let numbers = "AACAPwAAgD8AAIA/".repeat(SIZE / 32);
            let (count, bytes) = (SIZE / 32, 12 * (SIZE / 32));
            let meshes = mesh.repeat(SIZE / 2 / mesh.len());
            format!(
                r#"{{"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{meshes}{{}}]}}],
                "accessors":[{{"bufferView":0,"componentType":5126,"count":{count},"type":"VEC3"}}],
                "bufferViews":[{{"byteLength":{bytes}}}],"buffers":[{{"uri":"data:;base64,{numbers}"}}]}}"#
            )
        }),
    ]
}

#[test]
fn memory_is_bounded_by_the_size_of_the_file() {
    let mut over = Vec::new();
    for (name, text) in hostile_files() {
        HEAP.reset_peak_usage();
        let before = HEAP.current_usage();
        let result = read_with_siblings(name, text.as_bytes(), &|_| Ok(None));
        let used = HEAP.peak_usage() - before;
        let outcome = result.map_or_else(|e| e.to_string(), |m| format!("{} vertices", m.positions.len()));
        let ratio = used as f64 / text.len() as f64;
        println!("{name:18} {:5.1} MiB  x {ratio:5.1}  {outcome}", used as f64 / 1048576.0);
        if used > (16 << 20) + 128 * text.len() {
            over.push(name);
        }
    }
    assert!(over.is_empty(), "more than 16 MiB + 128 x file: {over:?}");
}
