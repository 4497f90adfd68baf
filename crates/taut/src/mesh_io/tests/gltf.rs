//! glTF's many ways to store numbers and triangles.

use super::samples::{POINTS, Sample};
use super::*;
use base64::Engine;

/// A document with one mesh of one primitive, put together piece by piece.
#[derive(Default)]
struct Document {
    buffer: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
}

impl Document {
    fn view(&mut self, bytes: impl IntoIterator<Item = u8>) -> usize {
        let start = self.buffer.len();
        self.buffer.extend(bytes);
        let length = self.buffer.len() - start;
        self.views.push(format!(r#"{{"buffer":0,"byteOffset":{start},"byteLength":{length}}}"#));
        self.views.len() - 1
    }

    /// An accessor over bytes: its component type, shape and count, and further members.
    fn accessor(
        &mut self,
        bytes: impl IntoIterator<Item = u8>,
        (component, shape, count): (u32, &str, usize),
        more: &str,
    ) -> usize {
        let view = self.view(bytes);
        let shape = format!(r#""componentType":{component},"type":"{shape}","count":{count}"#);
        self.accessors.push(format!(r#"{{"bufferView":{view},{shape}{more}}}"#));
        self.accessors.len() - 1
    }

    fn text(&self, primitive: &str, more: &str) -> Vec<u8> {
        let data = base64::engine::general_purpose::STANDARD.encode(&self.buffer);
        let (views, accessors) = (self.views.join(","), self.accessors.join(","));
        format!(
            r#"{{"asset":{{"version":"2.0"}},{more}"nodes":[{{"mesh":0,"translation":[0,0,10],"scale":[2,2,2]}}],
"meshes":[{{"primitives":[{primitive}]}}],"accessors":[{accessors}],"bufferViews":[{views}],
"buffers":[{{"uri":"data:;base64,{data}"}}]}}"#
        )
        .into_bytes()
    }
}

fn floats(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|&x| (x as f32).to_le_bytes()).collect()
}

fn shorts(numbers: &[i16]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// The square as a strip; its positions sparse over nothing, its texture coordinates bytes, a colour, a scalar.
pub fn sample() -> Sample {
    let mut d = Document::default();
    let places = d.view([1, 2, 3, 4]);
    let values = d.view(floats(POINTS[1..].as_flattened()));
    d.accessors.push(format!(
        r#"{{"componentType":5126,"type":"VEC3","count":5,"sparse":{{"count":4,
"indices":{{"bufferView":{places},"componentType":5121}},"values":{{"bufferView":{values}}}}}}}"#
    ));
    let strip = d.accessor([1, 2, 0, 3], (5121, "SCALAR", 4), "");
    let uv =
        d.accessor([0, 0, 255, 0, 255, 255, 0, 255, 51, 102], (5121, "VEC2", 5), r#","normalized":true"#);
    let colour = d.accessor([0, 51, 255, 255].repeat(5), (5121, "VEC4", 5), r#","normalized":true"#);
    let pin = d.accessor(floats(&[0.0, 1.0, 2.0, 3.0, 4.0]), (5126, "SCALAR", 5), "");
    let wide = d.accessor(floats(&[0.0; 15]), (5126, "VEC3", 5), "");
    let primitive = format!(
        r#"{{"mode":5,"indices":{strip},"attributes":{{"POSITION":0,"TEXCOORD_0":{uv},"COLOR_0":{colour},
"_PIN":{pin},"_WIDE":{wide},"NORMAL":99}}}}"#
    );
    Sample { name: "c.gltf", bytes: d.text(&primitive, ""), siblings: Vec::new(), counts: (5, 2, 0) }
}

#[test]
fn strips_sparse_positions_colours_and_scalars() {
    let mesh = load(&sample()).unwrap();
    // The strip 1 2 0 3 turns every other triangle.
    assert_eq!(mesh.triangles, [[1, 2, 0], [0, 2, 3]]);
    assert_eq!(mesh.original.uvs[4], [0.2, 0.6], "glTF counts v down, we count it up");
    assert_eq!(mesh.original.corner_uvs, [1, 2, 0, 0, 2, 3]);
    assert!(mesh.notes.contains(&"the attribute _WIDE is ignored: it is not SCALAR".into()));
    assert_eq!(mesh.attributes["_PIN"], [0.0, 1.0, 2.0, 3.0, 4.0]);
    let colour = ["red", "green", "blue", "alpha"].map(|name| mesh.attributes[name][4]);
    assert_eq!(colour, [0.0, 0.2, 1.0, 1.0]);
}

#[test]
fn fans_and_strips_that_join() {
    let mut d = Document::default();
    d.accessor(floats(POINTS.as_flattened()), (5126, "VEC3", 5), "");
    d.accessor(shorts(&[4, 0, 1, 2, 3]), (5123, "SCALAR", 5), "");
    d.accessor(shorts(&[0, 1, 2, 2, 2, 3, 3, 4, 0]), (5123, "SCALAR", 9), "");
    let read = |primitive| read_bytes("a.gltf", &d.text(primitive, "")).unwrap();
    let fan = read(r#"{"mode":6,"indices":1,"attributes":{"POSITION":0}}"#);
    assert_eq!(fan.triangles, [[4, 0, 1], [4, 1, 2], [4, 2, 3]]);
    let bare = read(r#"{"mode":6,"attributes":{"POSITION":0}}"#);
    assert_eq!(bare.triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    // Joints have a corner twice: they are no faces, and nobody is told of them.
    let joined = read(r#"{"mode":5,"indices":2,"attributes":{"POSITION":0}}"#);
    assert_eq!(joined.triangles, [[0, 1, 2], [3, 4, 0]]);
    assert!(joined.notes.is_empty(), "{:?}", joined.notes);
    let error = read_bytes("a.gltf", &d.text(r#"{"mode":1,"attributes":{"POSITION":0}}"#, "")).unwrap_err();
    assert!(error.to_string().contains("no triangles, only 1 primitives of points or lines"), "{error}");
}

#[test]
fn quantized_numbers_mean_what_the_extension_says() {
    let required = r#""extensionsRequired":["KHR_mesh_quantization"],"#;
    // Component type, normalized, the corner written and the one meant.
    let cases: [(u32, bool, i32, f64); 8] = [
        (5120, false, -3, -3.0),
        (5120, true, -128, -1.0),
        (5121, false, 200, 200.0),
        (5121, true, 51, 0.2),
        (5122, false, -300, -300.0),
        (5122, true, 32767, 1.0),
        (5123, false, 40000, 40000.0),
        (5123, true, 13107, 0.2),
    ];
    for (component, normalized, written, meant) in cases {
        let size = if component < 5122 { 1 } else { 2 };
        let corners = [[0, 0, 0], [written, 0, 0], [0, written, 0]];
        // Elements start at multiples of four bytes.
        let padded = |c: &[i32; 3]| {
            let mut bytes: Vec<u8> = c.iter().flat_map(|x| x.to_le_bytes()[..size].to_vec()).collect();
            bytes.resize(4 * size, 0);
            bytes
        };
        let mut d = Document::default();
        let more = format!(r#","normalized":{normalized}"#);
        d.accessor(corners.iter().flat_map(padded), (component, "VEC3", 3), &more);
        d.views[0] = d.views[0].replace("}", &format!(r#","byteStride":{}}}"#, 4 * size));
        let mesh = read_bytes("a.gltf", &d.text(r#"{"attributes":{"POSITION":0}}"#, required)).unwrap();
        let place = |x: f64, y: f64| DVec3::new(2.0 * x, 2.0 * y, 10.0);
        assert_eq!(mesh.positions, [place(0.0, 0.0), place(meant, 0.0), place(0.0, meant)], "{component}");
    }
}

#[test]
fn an_attribute_of_one_primitive_is_zero_in_the_others() {
    let mut d = Document::default();
    d.accessor(floats(POINTS[..3].as_flattened()), (5126, "VEC3", 3), "");
    d.accessor(floats(POINTS[2..].as_flattened()), (5126, "VEC3", 3), "");
    d.accessor([7, 8, 9], (5121, "SCALAR", 3), "");
    let plain = r#"{"attributes":{"POSITION":0}}"#;
    let pinned = r#"{"attributes":{"POSITION":1,"_A":2}}"#;
    let read = |first: &str, second: &str| {
        read_bytes("a.gltf", &d.text(&format!("{first},{second}"), "")).unwrap().attributes["_A"].clone()
    };
    assert_eq!(
        read(plain, pinned),
        [0.0, 0.0, 0.0, 8.0, 9.0],
        "the third vertex is welded: the first counts"
    );
    assert_eq!(read(pinned, plain), [7.0, 8.0, 9.0, 0.0, 0.0]);
    let short = r#"{"attributes":{"POSITION":0,"_A":3}}"#;
    d.accessor([7, 8], (5121, "SCALAR", 2), "");
    let error = read_bytes("a.gltf", &d.text(short, "")).unwrap_err().to_string();
    assert!(error.contains("_A has not one value for each vertex"), "{error}");
}

#[test]
fn sparse_accessors_cannot_lie() {
    let text = String::from_utf8(sample().bytes).unwrap();
    let refused = |from: &str, to: &str, words: &str| {
        let error = read_bytes("a.gltf", text.replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(r#""sparse":{"count":4"#, r#""sparse":{"count":4000000000"#, "needs 4000000000 bytes");
    refused(r#""count":5,"sparse""#, r#""count":3,"sparse""#, "replaces element 3, but there are 3");
    refused(r#""count":5,"sparse""#, r#""count":4000000000,"sparse""#, "announces far more");
    refused(r#""indices":{"bufferView":0"#, r#""indices":{"bufferView":77"#, "uses buffer view 77");
}
