//! Animated GLB (glTF 2.0 in one binary file): one node and mesh per moving mesh, one morph target per later frame.
//!
//! The base mesh is frame 0, target i holds the offsets x_i − x_0 (f32, 12 bytes per particle and frame), and
//! keyframe i sets weight i to 1 and all others to 0. Between keyframes weights are interpolated linearly, so
//! positions are too. All of them share one table of times and weights (N × (N − 1) floats).
//!
//! Moving meshes have no normals: a viewer must then compute flat ones for the shape it draws (glTF 2.0, 3.7.2.1),
//! which is right in every frame. Normals of frame 0 would light a moving cloth as if it had never moved, and
//! normals for every target would double the file. Static meshes do have smooth normals.
//!
//! Source: Khronos, glTF 2.0 specification, sections 3.6, 3.7, 3.11 and 4.4. Not handled: files of 4 GiB or more
//! (refused), colours of the back side, pins and the player's ground.

use super::{Animation, MovingMesh, StaticMesh, bounds, unwritable};
use crate::Error;
use glam::DVec3;
use serde_json::{Value, json};
use std::io::{self, Write};

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY: u32 = 34962;
const ELEMENT_ARRAY: u32 = 34963;
const POINTS: u32 = 0;
const LINES: u32 = 1;
const TRIANGLES: u32 = 4;

/// Write the animation as GLB.
pub fn write_glb(animation: &Animation, out: impl Write) -> Result<(), Error> {
    animation.validate()?;
    let mut file = File::default();
    let mut json = serde_json::to_vec(&file.describe(animation)).expect("a JSON value can always be written");
    json.resize(json.len().next_multiple_of(4), b' ');
    let binary = if file.length > 0 { 8 + file.length } else { 0 }; // an empty chunk is left out
    let total = 12 + 8 + json.len() + binary;
    let Ok(total) = u32::try_from(total) else {
        return Err(Error::setting(
            "GLB size",
            total,
            "must be under 4 GiB; write fewer frames or particles",
        ));
    };
    file.write(total, &json, io::BufWriter::new(out)).map_err(unwritable("GLB"))
}

/// A run of the binary chunk, turned into bytes only when it is written: a long motion is not held twice.
enum Run<'a> {
    Points(&'a [[f32; 3]]),
    /// A frame, as offsets from the base frame that comes first.
    Offsets([&'a [[f32; 3]]; 2]),
    Normals(Vec<[f32; 3]>),
    Indices(Vec<u32>),
    Times(usize, f64),
    /// For each of so many frames, the weight of every target.
    Weights(usize),
}

#[derive(Default)]
struct File<'a> {
    runs: Vec<Run<'a>>,
    length: usize,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
}

impl<'a> File<'a> {
    fn describe(&mut self, a: &'a Animation) -> Value {
        a.moving.iter().filter(|p| !p.particles.is_empty()).for_each(|p| self.add_moving(a, p));
        let moving = self.meshes.len();
        a.statics.iter().filter(|m| !m.triangles.is_empty()).for_each(|m| self.add_static(m));
        let notes = json!({"version": a.version, "scene_hash": a.scene_hash,
            "frames": a.frames.len(), "frames_per_second": a.frames_per_second});
        let mut root = json!({
            "asset": {"version": "2.0", "generator": format!("taut {}", a.version), "extras": notes},
            "scene": 0,
            "scenes": [{"name": a.name}],
        });
        // glTF forbids empty lists: what there is none of is left out.
        if moving > 0 && a.frames.len() > 1 {
            root["animations"] = json!([self.motion(a, moving)]);
        }
        if !self.meshes.is_empty() {
            let node = |(i, mesh): (usize, &Value)| json!({"name": mesh["name"], "mesh": i});
            root["scenes"][0]["nodes"] = (0..self.meshes.len()).collect();
            root["nodes"] = self.meshes.iter().enumerate().map(node).collect();
            root["meshes"] = std::mem::take(&mut self.meshes).into();
            root["materials"] = std::mem::take(&mut self.materials).into();
            root["bufferViews"] = std::mem::take(&mut self.views).into();
            root["accessors"] = std::mem::take(&mut self.accessors).into();
            root["buffers"] = json!([{"byteLength": self.length}]);
        }
        root
    }

    fn add_moving(&mut self, a: &'a Animation, mesh: &MovingMesh) {
        let frame = |f: usize| &a.frames[f][mesh.particles.clone()];
        let base = frame(0);
        let view = self.view(12 * base.len() * a.frames.len(), json!({"target": ARRAY, "byteStride": 12}));
        let position = self.points(view, 0, Run::Points(base));
        let offset = |f| json!({"POSITION": self.points(view, f, Run::Offsets([base, frame(f)]))});
        let targets: Vec<Value> = (1..a.frames.len()).map(offset).collect();
        let local = |i: u32| i - mesh.particles.start as u32;
        let triangles = a.triangles[mesh.triangles.clone()].iter().flatten().map(|&i| local(i));
        let lines = a.lines[mesh.lines.clone()].iter().flatten().map(|&i| local(i));
        let mut primitives: Vec<Value> = [(TRIANGLES, triangles.collect()), (LINES, lines.collect())]
            .into_iter()
            .filter(|(_, indices): &(u32, Vec<u32>)| !indices.is_empty())
            .map(|(mode, indices)| json!({"mode": mode, "indices": self.indices(indices)}))
            .collect();
        if primitives.is_empty() {
            primitives.push(json!({"mode": POINTS}));
        }
        let mut extra = json!({});
        if !targets.is_empty() {
            let names: Vec<String> = (1..a.frames.len()).map(|f| format!("frame {f}")).collect();
            extra = json!({"weights": vec![0; targets.len()], "extras": {"targetNames": names}});
            primitives.iter_mut().for_each(|p| p["targets"] = targets.clone().into());
        }
        primitives.iter_mut().for_each(|p| p["attributes"] = json!({"POSITION": position}));
        self.mesh(&mesh.name, mesh.colours[0], primitives, extra);
    }

    fn add_static(&mut self, mesh: &'a StaticMesh) {
        let vertices = mesh.positions.len();
        let normals = smooth_normals(&mesh.positions, &mesh.triangles);
        let view = self.view(24 * vertices, json!({"target": ARRAY, "byteStride": 12}));
        let position = self.points(view, 0, Run::Points(&mesh.positions));
        let normal = self.points(view, 1, Run::Normals(normals));
        let indices = self.indices(mesh.triangles.iter().flatten().copied().collect());
        let attributes = json!({"POSITION": position, "NORMAL": normal});
        let primitive = json!({"mode": TRIANGLES, "indices": indices, "attributes": attributes});
        self.mesh(&mesh.name, mesh.colour, vec![primitive], json!({}));
    }

    fn mesh(&mut self, name: &str, colour: u32, mut primitives: Vec<Value>, mut mesh: Value) {
        primitives.iter_mut().for_each(|p| p["material"] = self.materials.len().into());
        self.materials.push(material(name, colour));
        mesh["name"] = name.into();
        mesh["primitives"] = primitives.into();
        self.meshes.push(mesh);
    }

    fn motion(&mut self, a: &Animation, nodes: usize) -> Value {
        let frames = a.frames.len();
        let last = time(frames - 1, a.frames_per_second);
        let limits = json!({"min": [0.0], "max": [last]});
        let input = self.scalars(frames, Run::Times(frames, a.frames_per_second), limits);
        let output = self.scalars(frames * (frames - 1), Run::Weights(frames), json!({}));
        let channel = |node| json!({"sampler": 0, "target": {"node": node, "path": "weights"}});
        json!({
            "name": a.name,
            "samplers": [{"input": input, "output": output, "interpolation": "LINEAR"}],
            "channels": (0..nodes).map(channel).collect::<Vec<_>>(),
        })
    }

    /// A view of the next `bytes` bytes.
    fn view(&mut self, bytes: usize, mut view: Value) -> usize {
        view["buffer"] = 0.into();
        view["byteOffset"] = self.length.into();
        view["byteLength"] = bytes.into();
        self.views.push(view);
        self.length += bytes; // all we write are four-byte numbers: alignment keeps itself
        self.views.len() - 1
    }

    fn accessor(&mut self, run: Run<'a>, accessor: Value) -> usize {
        self.runs.push(run);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Point list number `slot` of a view of lists of equal length.
    fn points(&mut self, view: usize, slot: usize, run: Run<'a>) -> usize {
        let (count, [lo, hi]) = match &run {
            Run::Offsets([base, frame]) => (base.len(), bounds(offsets(base, frame))),
            Run::Normals(points) => (points.len(), bounds(points.iter().copied())),
            Run::Points(points) => (points.len(), bounds(points.iter().copied())),
            _ => unreachable!("only lists of points have three components"),
        };
        let place = json!({"bufferView": view, "byteOffset": 12 * count * slot, "componentType": FLOAT,
            "type": "VEC3", "count": count, "min": lo, "max": hi});
        self.accessor(run, place)
    }

    fn indices(&mut self, indices: Vec<u32>) -> usize {
        let count = indices.len();
        let view = self.view(4 * count, json!({"target": ELEMENT_ARRAY}));
        let place =
            json!({"bufferView": view, "componentType": UNSIGNED_INT, "type": "SCALAR", "count": count});
        self.accessor(Run::Indices(indices), place)
    }

    fn scalars(&mut self, count: usize, run: Run<'a>, mut place: Value) -> usize {
        place["bufferView"] = self.view(4 * count, json!({})).into();
        place["componentType"] = FLOAT.into();
        place["type"] = "SCALAR".into();
        place["count"] = count.into();
        self.accessor(run, place)
    }

    fn write(&self, total: u32, json: &[u8], mut out: impl Write) -> io::Result<()> {
        out.write_all(b"glTF")?;
        [2, total, json.len() as u32].iter().try_for_each(|n| out.write_all(&n.to_le_bytes()))?;
        out.write_all(b"JSON")?;
        out.write_all(json)?;
        if self.length > 0 {
            out.write_all(&(self.length as u32).to_le_bytes())?;
            out.write_all(b"BIN\0")?;
        }
        self.runs.iter().try_for_each(|run| run.write(&mut out))?;
        out.flush()
    }
}

impl Run<'_> {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut put = |x: f32| out.write_all(&x.to_le_bytes());
        match self {
            Run::Points(points) => points.iter().flatten().try_for_each(|&x| put(x)),
            Run::Normals(points) => points.iter().flatten().try_for_each(|&x| put(x)),
            Run::Offsets([base, frame]) => offsets(base, frame).flatten().try_for_each(put),
            Run::Times(frames, rate) => (0..*frames).try_for_each(|f| put(time(f, *rate))),
            Run::Weights(frames) => (0..*frames)
                .try_for_each(|f| (1..*frames).try_for_each(|target| put((f == target) as u8 as f32))),
            Run::Indices(indices) => indices.iter().try_for_each(|i| out.write_all(&i.to_le_bytes())),
        }
    }
}

fn offsets(base: &[[f32; 3]], frame: &[[f32; 3]]) -> impl Iterator<Item = [f32; 3]> {
    base.iter().zip(frame).map(|(b, x)| std::array::from_fn(|k| x[k] - b[k]))
}

/// When a frame is shown \[s\].
fn time(frame: usize, rate: f64) -> f32 {
    (frame as f64 / rate) as f32
}

fn material(name: &str, colour: u32) -> Value {
    let [_, r, g, b] = colour.to_be_bytes().map(|byte| {
        let c = byte as f64 / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    });
    let surface = json!({"baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8});
    json!({"name": name, "doubleSided": true, "pbrMetallicRoughness": surface})
}

/// Unit normals, each the area-weighted mean of the faces around; upwards where there is none.
fn smooth_normals(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    let point = |i: u32| DVec3::from_array(positions[i as usize].map(f64::from));
    let mut normals = vec![DVec3::ZERO; positions.len()];
    for t in triangles {
        let [a, b, c] = t.map(point);
        t.iter().for_each(|&i| normals[i as usize] += (b - a).cross(c - a));
    }
    normals.iter().map(|n| n.try_normalize().unwrap_or(DVec3::Y).to_array().map(|c| c as f32)).collect()
}
