//! Animated GLB (glTF 2.0 in one binary file): one node and mesh per moving mesh, one morph target per later frame.
//!
//! The base mesh is frame 0, target i holds the offsets x_i − x_0 (f32, 12 bytes per particle and frame), and
//! keyframe i sets weight i to 1 and all others to 0. Between keyframes weights are interpolated linearly, so
//! positions are too. All of them share one table of times and weights (N × (N − 1) floats).
//!
//! Surfaces have smooth normals in every frame, as morph targets too (another 12 bytes per particle and frame): without
//! them viewers draw facets, and normals of frame 0 alone would light a moving cloth as if it had never moved. Strands
//! are thin tubes (36 bytes per particle and frame), see `drawn`. An obstacle that moves is a node with a rotation and a
//! translation per frame, about the point it turns about. Far from the origin of its scene everything hangs from one node
//! that is there.
//!
//! Faces of a glTF file keep its materials and pictures, see `materials`: for each material of a mesh there is a
//! primitive, with its own triangles over the vertices they all share.
//!
//! Source: Khronos, glTF 2.0 specification, sections 3.6 to 3.9, 3.11 and 4.4. Not handled: files of 4 GiB or more
//! (refused), colours of the back side and of vertices, pins and the player's ground; a turn by more than half a circle
//! per frame.

use super::drawn::{Drawn, lean, smooth_normals};
use super::materials::Materials;
use super::{Animation, MovingMesh, StaticMesh, bounds, unwritable};
use crate::Error;
use crate::collision::Motion;
use crate::mesh_io::NO_MATERIAL;
use crate::mesh_io::material::Image;
use glam::DVec3;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io::{self, Write};
use std::rc::Rc;

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY: u32 = 34962;
const ELEMENT_ARRAY: u32 = 34963;
const POINTS: u32 = 0;
const TRIANGLES: u32 = 4;

/// Write the animation as GLB.
pub fn write_glb(animation: &Animation, out: impl Write) -> Result<(), Error> {
    animation.validate()?;
    let mut file = File::new(animation);
    let mut json = serde_json::to_vec(&file.describe()).expect("a JSON value can always be written");
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
    Points(Cow<'a, [[f32; 3]]>),
    /// Positions of what is drawn, or its normals if `true`, in a frame: of frame 0 itself, of others the offsets.
    Frame(Rc<Drawn>, usize, bool),
    Textures(Rc<Drawn>),
    Indices(Vec<u32>),
    Times,
    /// For each frame, the weight of every target.
    Weights,
    /// For each frame, how an obstacle is turned, and where the point is that it turns about.
    Turns(&'a Motion),
    Shifts(&'a Motion),
    Picture(&'a Image),
}

struct File<'a> {
    animation: &'a Animation,
    runs: Vec<Run<'a>>,
    length: usize,
    views: Vec<Value>,
    accessors: Vec<Value>,
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    materials: Materials<'a>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl<'a> File<'a> {
    fn new(animation: &'a Animation) -> Self {
        let (views, accessors, nodes, meshes) = Default::default();
        let (materials, samplers, channels) = Default::default();
        File {
            animation,
            runs: Vec::new(),
            length: 0,
            views,
            accessors,
            nodes,
            meshes,
            materials,
            samplers,
            channels,
        }
    }

    fn describe(&mut self) -> Value {
        let a = self.animation;
        a.moving.iter().filter(|p| !p.particles.is_empty()).for_each(|p| self.add_moving(p));
        let moving = self.meshes.len();
        a.statics.iter().filter(|m| !m.triangles.is_empty()).for_each(|m| self.add_static(m));
        self.motion(moving);
        let notes = json!({"version": a.version, "scene_hash": a.scene_hash,
            "frames": a.frames.len(), "frames_per_second": a.frames_per_second});
        let mut root = json!({
            "asset": {"version": "2.0", "generator": format!("taut {}", a.version), "extras": notes},
            "scene": 0,
            "scenes": [{"name": a.name}],
        });
        // glTF forbids empty lists: what there is none of is left out.
        if !self.channels.is_empty() {
            let (samplers, channels) =
                (std::mem::take(&mut self.samplers), std::mem::take(&mut self.channels));
            root["animations"] = json!([{"name": a.name, "samplers": samplers, "channels": channels}]);
        }
        if !self.meshes.is_empty() {
            let mut nodes: Value = (0..self.nodes.len()).collect();
            if a.origin != DVec3::ZERO {
                let origin = json!({"name": "origin", "translation": a.origin.to_array(), "children": nodes});
                nodes = json!([self.nodes.len()]);
                self.nodes.push(origin);
            }
            root["scenes"][0]["nodes"] = nodes;
            root["nodes"] = std::mem::take(&mut self.nodes).into();
            root["meshes"] = std::mem::take(&mut self.meshes).into();
            let (materials, first) = (std::mem::take(&mut self.materials), self.views.len());
            for &image in &materials.images {
                self.view(image.bytes.len(), json!({}));
                self.runs.push(Run::Picture(image));
            }
            materials.describe(&mut root, first);
            root["bufferViews"] = std::mem::take(&mut self.views).into();
            root["accessors"] = std::mem::take(&mut self.accessors).into();
            root["buffers"] = json!([{"byteLength": self.length}]);
        }
        root
    }

    fn add_moving(&mut self, mesh: &MovingMesh) {
        // A solid that stands still needs no targets.
        let frames = if self.stands(mesh) { 1 } else { self.animation.frames.len() };
        let drawn = Drawn::of(self.animation, mesh).into_iter();
        let primitives = drawn.flat_map(|drawn| self.primitives(drawn, frames)).collect();
        let mut extra = json!({});
        if frames > 1 {
            let names: Vec<String> = (1..frames).map(|f| format!("frame {f}")).collect();
            extra = json!({"weights": vec![0; frames - 1], "extras": {"targetNames": names}});
        }
        self.mesh(&mesh.name, mesh.colours[0], primitives, extra);
        self.nodes.push(json!({"name": mesh.name, "mesh": self.meshes.len() - 1}));
    }

    /// Whether a moving mesh is a solid that never moves.
    fn stands(&self, mesh: &MovingMesh) -> bool {
        let at = |frame: usize| &self.animation.frames[frame][mesh.particles.clone()];
        mesh.solid && (1..self.animation.frames.len()).all(|frame| at(frame) == at(0))
    }

    /// One for each material, with the same vertices.
    fn primitives(&mut self, drawn: Drawn, frames: usize) -> Vec<Value> {
        let count = drawn.vertices();
        let drawn = Rc::new(drawn);
        let mut primitive = json!({"mode": POINTS, "attributes": {}, "targets": vec![json!({}); frames - 1]});
        let kinds: &[(&str, bool)] = &[("POSITION", false), ("NORMAL", true)];
        for &(kind, normals) in &kinds[..1 + usize::from(drawn.is_smooth())] {
            let view = self.view(12 * count * frames, json!({"target": ARRAY, "byteStride": 12}));
            for f in 0..frames {
                let accessor = self.points(view, f, Run::Frame(drawn.clone(), f, normals), count);
                let place =
                    if f == 0 { &mut primitive["attributes"] } else { &mut primitive["targets"][f - 1] };
                place[kind] = accessor.into();
            }
        }
        if !drawn.uvs.is_empty() {
            let view = self.view(8 * count, json!({"target": ARRAY, "byteStride": 8}));
            let place = json!({"bufferView": view, "componentType": FLOAT, "type": "VEC2", "count": count});
            primitive["attributes"]["TEXCOORD_0"] = self.accessor(Run::Textures(drawn.clone()), place).into();
        }
        if frames == 1 {
            primitive.as_object_mut().expect("made above").remove("targets");
        }
        if drawn.triangles.is_empty() {
            return vec![primitive];
        }
        primitive["mode"] = TRIANGLES.into();
        let materials = &self.animation.materials;
        let of_material = |(&number, triangles): (&u32, &Vec<[u32; 3]>)| {
            let mut primitive = primitive.clone();
            primitive["indices"] = self.indices(triangles.as_flattened().to_vec()).into();
            if number != NO_MATERIAL {
                primitive["material"] = self.materials.add(&materials[number as usize]).into();
            }
            primitive
        };
        drawn.triangles.iter().map(of_material).collect()
    }

    fn add_static(&mut self, mesh: &'a StaticMesh) {
        let count = mesh.positions.len();
        let mut node = json!({"name": mesh.name, "mesh": self.meshes.len()});
        let mut positions = Cow::Borrowed(&mesh.positions[..]);
        if let Some(motion) = &mesh.motion {
            // The node turns about its origin.
            let from_axis = |p: &[f32; 3]| {
                (DVec3::from_array(p.map(f64::from)) - motion.about).to_array().map(|c| c as f32)
            };
            positions = mesh.positions.iter().map(from_axis).collect();
            let start = self.animation.time(0);
            node["translation"] = json!((motion.about + motion.shift(start)).to_array());
            node["rotation"] = json!(motion.turn(start).to_array());
        }
        let normals = smooth_normals(&mesh.positions, &mesh.triangles, &[]);
        let view = self.view(24 * count, json!({"target": ARRAY, "byteStride": 12}));
        let position = self.points(view, 0, Run::Points(positions), count);
        let normal = self.points(view, 1, Run::Points(normals.into()), count);
        let indices = self.indices(mesh.triangles.as_flattened().to_vec());
        let attributes = json!({"POSITION": position, "NORMAL": normal});
        let primitive = json!({"mode": TRIANGLES, "indices": indices, "attributes": attributes});
        self.mesh(&mesh.name, mesh.colour, vec![primitive], json!({}));
        self.nodes.push(node);
    }

    fn mesh(&mut self, name: &str, colour: u32, mut primitives: Vec<Value>, mut mesh: Value) {
        for primitive in primitives.iter_mut().filter(|p| p["material"].is_null()) {
            primitive["material"] = self.materials.colour(name, colour).into();
        }
        mesh["name"] = name.into();
        mesh["primitives"] = primitives.into();
        self.meshes.push(mesh);
    }

    /// The keys of `moving` meshes, which come first, and of obstacles that move.
    fn motion(&mut self, moving: usize) {
        let a = self.animation;
        let frames = a.frames.len();
        let drawn = a.statics.iter().filter(|m| !m.triangles.is_empty()).zip(moving..);
        let turning: Vec<_> = drawn.filter_map(|(mesh, node)| Some((mesh.motion.as_ref()?, node))).collect();
        let parts = a.moving.iter().filter(|mesh| !mesh.particles.is_empty()).enumerate();
        let morphed: Vec<usize> = parts.filter(|(_, mesh)| !self.stands(mesh)).map(|part| part.0).collect();
        if frames < 2 || morphed.len() + turning.len() == 0 {
            return;
        }
        let last = time(frames - 1, a.frames_per_second);
        let input = self.numbers(frames, "SCALAR", Run::Times, json!({"min": [0.0], "max": [last]}));
        let key = |file: &mut Self, output: usize, path: &str, nodes: Vec<usize>| {
            let channel =
                |node| json!({"sampler": file.samplers.len(), "target": {"node": node, "path": path}});
            file.channels.extend(nodes.into_iter().map(channel).collect::<Vec<_>>());
            file.samplers.push(json!({"input": input, "output": output, "interpolation": "LINEAR"}));
        };
        if !morphed.is_empty() {
            let output = self.numbers(frames * (frames - 1), "SCALAR", Run::Weights, json!({}));
            key(self, output, "weights", morphed);
        }
        for (motion, node) in turning {
            if !motion.turns.is_empty() {
                let output = self.numbers(frames, "VEC4", Run::Turns(motion), json!({}));
                key(self, output, "rotation", vec![node]);
            }
            if !motion.shifts.is_empty() {
                let output = self.numbers(frames, "VEC3", Run::Shifts(motion), json!({}));
                key(self, output, "translation", vec![node]);
            }
        }
    }

    /// A view of the next `bytes` bytes.
    fn view(&mut self, bytes: usize, mut view: Value) -> usize {
        view["buffer"] = 0.into();
        view["byteOffset"] = self.length.into();
        view["byteLength"] = bytes.into();
        self.views.push(view);
        self.length += bytes.next_multiple_of(4); // of four-byte numbers, but for pictures
        self.views.len() - 1
    }

    fn accessor(&mut self, run: Run<'a>, accessor: Value) -> usize {
        self.runs.push(run);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Point list number `slot` of a view of lists of `count` points.
    fn points(&mut self, view: usize, slot: usize, run: Run<'a>, count: usize) -> usize {
        let mut place = json!({"bufferView": view, "byteOffset": 12 * count * slot, "componentType": FLOAT,
            "type": "VEC3", "count": count});
        // Positions must have bounds, normals need none.
        if !matches!(run, Run::Frame(_, _, true)) {
            let [lo, hi] = bounds(run.points(self.animation).iter().copied());
            (place["min"], place["max"]) = (json!(lo), json!(hi));
        }
        self.accessor(run, place)
    }

    fn indices(&mut self, indices: Vec<u32>) -> usize {
        let count = indices.len();
        let view = self.view(4 * count, json!({"target": ELEMENT_ARRAY}));
        let place =
            json!({"bufferView": view, "componentType": UNSIGNED_INT, "type": "SCALAR", "count": count});
        self.accessor(Run::Indices(indices), place)
    }

    /// Keys of the animation, by themselves.
    fn numbers(&mut self, count: usize, shape: &str, run: Run<'a>, mut place: Value) -> usize {
        let width = match shape {
            "VEC4" => 4,
            "VEC3" => 3,
            _ => 1,
        };
        place["bufferView"] = self.view(4 * width * count, json!({})).into();
        place["componentType"] = FLOAT.into();
        place["type"] = shape.into();
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
        self.runs.iter().try_for_each(|run| run.write(self.animation, &mut out))?;
        out.flush()
    }
}

impl Run<'_> {
    /// The points of a run of points.
    fn points(&self, a: &Animation) -> Cow<'_, [[f32; 3]]> {
        match self {
            Run::Points(points) => Cow::Borrowed(points),
            Run::Frame(drawn, frame, normals) => {
                let of = |f: usize| {
                    if *normals { drawn.normals(&a.frames[f]) } else { drawn.positions(&a.frames[f]) }
                };
                let mut base = of(0);
                if *normals && a.frames.len() > 1 {
                    base.iter_mut().for_each(lean);
                }
                let mut points = if *frame > 0 { of(*frame) } else { base.clone() };
                if *frame > 0 {
                    points.iter_mut().flatten().zip(base.iter().flatten()).for_each(|(x, b)| *x -= b);
                }
                points.into()
            }
            _ => Cow::Borrowed(&[]),
        }
    }

    fn write(&self, a: &Animation, out: &mut impl Write) -> io::Result<()> {
        let frames = a.frames.len();
        let mut put = |x: f32| out.write_all(&x.to_le_bytes());
        match self {
            Run::Points(_) | Run::Frame(..) => self.points(a).iter().flatten().try_for_each(|&x| put(x)),
            Run::Textures(drawn) => drawn.uvs.iter().flatten().try_for_each(|&x| put(x)),
            Run::Times => (0..frames).try_for_each(|f| put(time(f, a.frames_per_second))),
            Run::Weights => (0..frames)
                .try_for_each(|f| (1..frames).try_for_each(|target| put((f == target) as u8 as f32))),
            Run::Turns(motion) => (0..frames).try_for_each(|f| {
                let turn = motion.turn(a.time(f));
                turn.to_array().iter().try_for_each(|&x| put(x as f32))
            }),
            Run::Shifts(motion) => (0..frames).try_for_each(|f| {
                let place = motion.about + motion.shift(a.time(f));
                place.to_array().iter().try_for_each(|&x| put(x as f32))
            }),
            Run::Indices(indices) => indices.iter().try_for_each(|i| out.write_all(&i.to_le_bytes())),
            Run::Picture(image) => {
                let length = image.bytes.len();
                out.write_all(&image.bytes)?;
                out.write_all(&[0; 3][..length.next_multiple_of(4) - length])
            }
        }
    }
}

/// When a frame is shown \[s\], counted from the first.
fn time(frame: usize, rate: f64) -> f32 {
    (frame as f64 / rate) as f32
}
