//! A player in one HTML file: it opens offline in any browser, and asks for nothing from anywhere.
//!
//! The page holds our own scripts (`player/`; the viewer draws with the same), a JSON header and one binary load: base64
//! of raw deflate of
//!
//! | run | integers | predicted by |
//! |---|---|---|
//! | positions, frame by frame: x of all particles, then y, then z | 16 bits | 2 x_{f−1} − x_{f−2}; frame 1: x_0; frame 0: the particle before |
//! | corners of triangles, ends of lines, corners of static triangles | 32 bits | the number before |
//! | vertices of static meshes | 32-bit floats | |
//!
//! Positions are quantised to 65,535 steps per axis of the motion's box: the error is at most half a step.
//! Integers are stored as their difference from the prediction, folded to 2d or −2d − 1 so that small ones have
//! empty high bytes, and for each frame (or list) all low bytes come first, then all higher ones: deflate
//! shortens what is alike and adjacent. Not handled: particles and lists beyond 32 bits.

use super::{Animation, bounds, unwritable};
use crate::Error;
use crate::collision::Motion;
use crate::render::Camera;
use base64::Engine;
use glam::DVec3;
use serde_json::json;
use std::io::Write;

const PAGE: &str = include_str!("player/page.html");
const STYLE: &str = include_str!("player/style.css");
/// The scripts that draw scenes, by file name: ES modules, shared with the viewer.
pub const RENDERER: [(&str, &str); 6] = [
    ("camera.js", include_str!("player/camera.js")),
    ("geometry.js", include_str!("player/geometry.js")),
    ("shaders.js", include_str!("player/shaders.js")),
    ("gl.js", include_str!("player/gl.js")),
    ("view.js", include_str!("player/view.js")),
    ("flat.js", include_str!("player/flat.js")),
];
/// Those of the player alone.
const OWN: [&str; 2] = [include_str!("player/data.js"), include_str!("player/main.js")];

/// Write the animation as a self-contained HTML player.
pub fn write_html(animation: &Animation, mut out: impl Write) -> Result<(), Error> {
    animation.validate()?;
    let (header, load) = pack(animation);
    let scripts =
        RENDERER.iter().map(|(_, text)| *text).chain(OWN).map(inlined).collect::<Vec<_>>().join("\n");
    let title = if animation.name.is_empty() { "taut" } else { &animation.name };
    let fill = |key: &str| match key {
        "title" => escaped(title),
        "version" => escaped(&animation.version),
        "scene_hash" => escaped(&animation.scene_hash),
        "style" => STYLE.to_string(),
        "header" => header.to_string().replace('<', "\\u003c"), // a name must not end the script element
        "load" => base64::engine::general_purpose::STANDARD.encode(&load),
        "scripts" => scripts.clone(),
        _ => unreachable!("page.html has no other keys"),
    };
    let mut write = |text: &str| out.write_all(text.as_bytes()).map_err(unwritable("HTML"));
    for (i, piece) in PAGE.split("@@").enumerate() {
        if i % 2 == 0 { write(piece)? } else { write(&fill(piece))? }
    }
    out.flush().map_err(unwritable("HTML"))
}

/// An ES module as part of one script: what it imports is there already. Each import is one line.
fn inlined(module: &str) -> String {
    let lines = module.lines().filter(|line| !line.starts_with("import "));
    lines.flat_map(|line| [line.strip_prefix("export ").unwrap_or(line), "\n"]).collect()
}

/// The header and the compressed load.
fn pack(a: &Animation) -> (serde_json::Value, Vec<u8>) {
    let [lo, hi] = a.bounds();
    let step: [f64; 3] = std::array::from_fn(|k| (hi[k] as f64 - lo[k] as f64) / 65_535.0);
    let mut bytes = positions(&a.frames, lo, step);
    bytes.extend(indices(a.triangles.iter().flatten()));
    bytes.extend(indices(a.lines.iter().flatten()));
    bytes.extend(indices(a.statics.iter().flat_map(|m| m.triangles.iter().flatten())));
    let vertices = a.statics.iter().flat_map(|m| &m.positions).flatten();
    bytes.extend(vertices.flat_map(|x| x.to_le_bytes()));
    let range = |r: &std::ops::Range<usize>| json!([r.start, r.end]);
    let moving = |p: &super::MovingMesh| {
        json!({"name": p.name, "colours": p.colours, "particles": range(&p.particles),
            "triangles": range(&p.triangles), "lines": range(&p.lines), "solid": p.solid})
    };
    // Rotation vectors [rad] and shifts [m] at times in frames of the animation.
    let motion = |motion: &Motion| {
        let keys = |keys: &[(f64, DVec3)]| -> Vec<_> {
            let frame = |time: f64| time * a.frames_per_second - a.first as f64;
            keys.iter().map(|&(time, v)| [frame(time), v.x, v.y, v.z]).collect()
        };
        json!({"about": motion.about.to_array(), "turns": keys(&motion.turns), "shifts": keys(&motion.shifts)})
    };
    let still = |m: &super::StaticMesh| {
        let [lo, hi] = bounds(m.positions.iter().copied());
        json!({"name": m.name, "colour": m.colour, "vertices": m.positions.len(),
            "triangles": m.triangles.len(), "low": lo, "high": hi, "motion": m.motion.as_ref().map(motion)})
    };
    let view = json!({
        "azimuth": a.view.azimuth.unwrap_or(Camera::AZIMUTH),
        "elevation": a.view.elevation.unwrap_or(Camera::ELEVATION),
        "angle": a.view.field_of_view.unwrap_or(Camera::FIELD_OF_VIEW),
        "eye": a.view.eye.map(|p| p.to_array()), "target": a.view.target.map(|p| p.to_array()),
    });
    let released: Vec<u32> = a.released.iter().map(|&from| from.saturating_sub(a.first as u32)).collect();
    let header = json!({
        "name": a.name, "version": a.version, "scene_hash": a.scene_hash, "rate": a.frames_per_second,
        "first": a.first, "frames": a.frames.len(), "particles": a.particles(), "low": lo, "step": step, "high": hi,
        "filled": a.filled().map(|corner| corner.to_array()),
        "triangles": a.triangles.len(), "lines": a.lines.len(), "pinned": a.pinned, "released": released, "ground": a.ground,
        "view": view,
        "parts": a.moving.iter().map(moving).collect::<Vec<_>>(),
        "statics": a.statics.iter().map(still).collect::<Vec<_>>(),
        "bytes": bytes.len(),
    });
    const LEVEL: u8 = 7; // beyond it the file shrinks by a percent and takes twice as long
    (header, miniz_oxide::deflate::compress_to_vec(&bytes, LEVEL))
}

fn positions(frames: &[Vec<[f32; 3]>], lo: [f32; 3], step: [f64; 3]) -> Vec<u8> {
    let m = frames.first().map_or(0, Vec::len);
    let quantise =
        |x: f32, k: usize| ((x as f64 - lo[k] as f64) / step[k].max(f64::MIN_POSITIVE)).round() as u16;
    let mut bytes = Vec::with_capacity(6 * m * frames.len());
    let mut before = [vec![0u16; 3 * m], vec![0u16; 3 * m]];
    for (f, frame) in frames.iter().enumerate() {
        let now: Vec<u16> = (0..3).flat_map(|k| frame.iter().map(move |p| quantise(p[k], k))).collect();
        let expected = |i: usize| match f {
            0 if i == 0 => 0,
            0 => now[i - 1],
            1 => before[0][i],
            _ => before[0][i].wrapping_mul(2).wrapping_sub(before[1][i]),
        };
        let folded = |i: usize| {
            let d = now[i].wrapping_sub(expected(i)) as i16;
            ((d << 1) ^ (d >> 15)).to_le_bytes()
        };
        (0..2).for_each(|byte| bytes.extend((0..3 * m).map(|i| folded(i)[byte])));
        let [last, older] = before;
        drop(older);
        before = [now, last];
    }
    bytes
}

fn indices<'a>(numbers: impl Iterator<Item = &'a u32>) -> Vec<u8> {
    let mut last = 0u32;
    let folded: Vec<[u8; 4]> = numbers
        .map(|&n| {
            let d = n.wrapping_sub(last) as i32;
            last = n;
            ((d << 1) ^ (d >> 31)).to_le_bytes()
        })
        .collect();
    (0..4).flat_map(|byte| folded.iter().map(move |b| b[byte])).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
