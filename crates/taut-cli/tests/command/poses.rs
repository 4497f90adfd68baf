//! A solid that turns is, in every frame of every output, where the engine had it at that time: in pictures, GLB and HTML,
//! from the start and in a run that was resumed.

use crate::common::Folder;
use serde_json::Value;
use std::fs;
use taut::DVec3;

const ABOUT: DVec3 = DVec3::new(0.5, 0.2, 0.0);
const HALF: DVec3 = DVec3::new(0.15, 0.25, 0.4);

/// A box beside a cloth that is held, turned about a point that is not its centre by these angles [degrees] over time.
/// Two more cloths mark the corners of the scene, so that its extent does not depend on the box.
fn scene(path: &str) -> String {
    let ([x, y, z], size) = (ABOUT.to_array(), (2.0 * HALF).to_array());
    format!(
        "[camera]\neye = [2.0, 1.5, 3.0]\ntarget = [0.5, 0.0, 0.0]\n[[body]]\nposition = [-1.0, 0.5, 0.0]\n\
         grid = {{ columns = 2, rows = 2, width = 0.4, height = 0.4 }}\n[[pin]]\nat = [\"top\", \"bottom\"]\n\
         [[body]]\nname = \"low\"\nposition = [-2.0, -2.0, -2.0]\n\
         grid = {{ columns = 2, rows = 2, width = 0.1, height = 0.1 }}\n[[pin]]\nbody = \"low\"\nat = [\"top\", \"bottom\"]\n\
         [[body]]\nname = \"high\"\nposition = [3.0, 3.0, 2.0]\n\
         grid = {{ columns = 2, rows = 2, width = 0.1, height = 0.1 }}\n[[pin]]\nbody = \"high\"\nat = [\"top\", \"bottom\"]\n\
         [[solid]]\nbox = {{ centre = [0.8, 0.0, 0.0], size = {size:?} }}\n\
         turn = {{ about = [{x}, {y}, {z}], axis = [0.0, 0.0, 2.0], path = {path} }}\n"
    )
}

/// The angle [degrees] in a frame: from 10° on 300° a second, until 0.3 s.
fn angle(frame: usize) -> f64 {
    10.0 + 300.0 * (frame as f64 / 30.0).min(0.3)
}

/// Corners of the box at an angle [degrees].
fn corners(angle: f64) -> Vec<DVec3> {
    let (sine, cosine) = angle.to_radians().sin_cos();
    let turned = |p: DVec3| DVec3::new(cosine * p.x - sine * p.y, sine * p.x + cosine * p.y, p.z);
    let signs =
        (0..8).map(|i| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2 & 1).into()) * 2.0 - 1.0);
    signs.map(|s| ABOUT + turned(DVec3::X * 0.8 + s * HALF - ABOUT)).collect()
}

fn assert_at(angle: f64, found: &[DVec3], what: &str) {
    for corner in corners(angle) {
        let off = found.iter().map(|p| p.distance(corner)).fold(f64::INFINITY, f64::min);
        assert!(off < 1e-5, "{what}: no corner within {off} m of {corner}");
    }
}

/// The picture in a PNG, still compressed: the same for the same pixels.
fn pixels(folder: &Folder, name: &str) -> Vec<u8> {
    let bytes = fs::read(folder.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let (mut at, mut found) = (8, Vec::new());
    while at < bytes.len() {
        let length = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        if &bytes[at + 4..at + 8] == b"IDAT" {
            found.extend(&bytes[at + 8..at + 8 + length]);
        }
        at += 12 + length;
    }
    found
}

/// Vertices of the box in each frame of a GLB, as a viewer places them.
fn in_glb(bytes: &[u8]) -> Vec<Vec<DVec3>> {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let (json, binary) =
        (serde_json::from_slice::<Value>(&bytes[20..20 + length]).unwrap(), &bytes[28 + length..]);
    let index = |v: &Value| v.as_u64().unwrap_or(0) as usize;
    let floats = |accessor: &Value| -> Vec<f64> {
        let accessor = &json["accessors"][index(accessor)];
        let view = &json["bufferViews"][index(&accessor["bufferView"])];
        let width = if accessor["type"] == "VEC4" { 4 } else { 3 };
        let start = index(&view["byteOffset"]) + index(&accessor["byteOffset"]);
        let words = binary[start..].as_chunks().0.iter().take(width * index(&accessor["count"]));
        words.map(|word| f64::from(f32::from_le_bytes(*word))).collect()
    };
    let number = json["nodes"].as_array().unwrap().iter().position(|n| n["name"] == "box").unwrap();
    let node = &json["nodes"][number];
    let primitive = &json["meshes"][index(&node["mesh"])]["primitives"][0];
    let given = floats(&primitive["attributes"]["POSITION"]);
    let key = |path: &str| {
        let channels = json["animations"][0]["channels"].as_array().unwrap();
        let own = |c: &&Value| c["target"]["node"] == number && c["target"]["path"] == path;
        channels
            .iter()
            .find(own)
            .map(|c| floats(&json["animations"][0]["samplers"][index(&c["sampler"])]["output"]))
    };
    let (turns, ways) = (key("rotation").expect("the box turns"), key("translation"));
    let place = |frame: usize| {
        let still = || node["translation"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        let way: Vec<f64> = ways.as_ref().map_or_else(still, |w| w[3 * frame..3 * frame + 3].to_vec());
        let q = &turns[4 * frame..4 * frame + 4];
        let (axis, way) = (DVec3::new(q[0], q[1], q[2]), DVec3::from_slice(&way));
        // q p q*, written out.
        let turned = |p: DVec3| p + 2.0 * axis.cross(axis.cross(p) + q[3] * p);
        given.as_chunks::<3>().0.iter().map(|&p| way + turned(DVec3::from_array(p))).collect()
    };
    (0..turns.len() / 4).map(place).collect()
}

/// The angle of the box [degrees] in a frame of an HTML player, straight between the keys in its header.
fn in_html(page: &str, frame: usize) -> f64 {
    let header = page.split_once("id=\"header\">").unwrap().1.split_once("</script>").unwrap().0;
    let header: Value = serde_json::from_str(header).unwrap();
    let turn = &header["statics"][0]["turn"];
    assert_eq!(
        (&turn["about"], &turn["axis"]),
        (&serde_json::json!([0.5, 0.2, 0.0]), &serde_json::json!([0.0, 0.0, 1.0]))
    );
    let key = |i: usize, k: usize| turn["keys"][i][k].as_f64().unwrap();
    let share = ((frame as f64 - key(0, 0)) / (key(1, 0) - key(0, 0))).clamp(0.0, 1.0);
    (key(0, 1) + share * (key(1, 1) - key(0, 1))).to_degrees()
}

#[test]
fn every_output_shows_the_pose_of_its_time() {
    let folder = Folder::new("poses");
    folder.write("turn.toml", &scene("[[0.0, 10.0], [0.3, 100.0]]"));
    let options = "--format png,glb,html --size 64x48 --quiet";
    folder.line(&format!("run turn.toml {options} --frames 11 --out whole")).fine();
    folder.line(&format!("run turn.toml {options} --frames 5 --out part --save-state s")).fine();
    folder.line(&format!("run turn.toml {options} --frames 6 --out part --resume s")).fine();
    // The engine.
    let scene_of = |path: &str| taut::Scene::parse("turn", &scene(path), None).unwrap();
    let whole = scene_of("[[0.0, 10.0], [0.3, 100.0]]");
    let mut simulation = whole.simulation().unwrap();
    for frame in 0..=11 {
        let obstacle = &simulation.obstacles()[0];
        for corner in corners(angle(frame)) {
            let off = obstacle.distance(corner, simulation.state().time).0 + obstacle.margin;
            assert!(off.abs() < 1e-9, "frame {frame}: the engine is {off} m off");
        }
        (0..whole.substeps).for_each(|_| assert!(simulation.step().is_ok()));
    }
    for (glb, html, frames) in [
        ("whole/turn.glb", "whole/turn.html", 0..12),
        ("part/turn.glb", "part/turn.html", 0..6),
        ("part/turn_from_0006.glb", "part/turn_from_0006.html", 6..12),
    ] {
        let placed = in_glb(&fs::read(folder.0.join(glb)).unwrap());
        assert_eq!(placed.len(), frames.len(), "{glb}");
        let page = folder.read(html);
        for (i, frame) in frames.enumerate() {
            assert_at(angle(frame), &placed[i], &format!("{glb}, frame {frame}"));
            let found = in_html(&page, i);
            assert!((found - angle(frame)).abs() < 1e-9, "{html}, frame {frame}: {found}°");
        }
    }
    // Pictures, against those of a box that stands still at that angle.
    for frame in [0, 4, 7, 11] {
        folder.write("still.toml", &scene(&format!("[[0.0, {}]]", angle(frame))));
        let line = format!("run still.toml --format png --size 64x48 --quiet --frames {frame} --out still");
        folder.line(&line).fine();
        let expected = pixels(&folder, &format!("still/still_{frame:04}.png"));
        for out in ["whole", "part"] {
            let name = format!("{out}/turn_{frame:04}.png");
            assert!(pixels(&folder, &name) == expected, "{name} shows another pose");
        }
    }
    assert!(pixels(&folder, "whole/turn_0004.png") != pixels(&folder, "whole/turn_0007.png"));
}
