//! A solid that turns and is shifted is, in every frame of every output, where the engine had it at that time: in pictures, GLB and HTML,
//! from the start and in a run that was resumed.

use crate::common::Folder;
use serde_json::Value;
use std::fs;
use taut::DVec3;

const ABOUT: DVec3 = DVec3::new(0.5, 0.2, 0.0);
const HALF: DVec3 = DVec3::new(0.15, 0.25, 0.4);

/// The keys that move it.
const KEYS: &str = "turn = [[0.0, 0.0, 0.0, 10.0], [0.3, 0.0, 0.0, 100.0]], path = [[0.0, 0.0, 0.0, 0.0], [0.2, 0.2, 0.1, 0.0]]";

/// A box beside a cloth that is held, turned about a point that is not its centre and shifted by these keys.
/// Two more cloths mark the corners of the scene, so that its extent does not depend on the box.
fn scene(keys: &str) -> String {
    let ([x, y, z], size) = (ABOUT.to_array(), (2.0 * HALF).to_array());
    format!(
        "[camera]\neye = [2.0, 1.5, 3.0]\ntarget = [0.5, 0.0, 0.0]\n[[body]]\nposition = [-1.0, 0.5, 0.0]\n\
         grid = {{ columns = 2, rows = 2, width = 0.4, height = 0.4 }}\n[[pin]]\nat = [\"top\", \"bottom\"]\n\
         [[body]]\nname = \"low\"\nposition = [-2.0, -2.0, -2.0]\n\
         grid = {{ columns = 2, rows = 2, width = 0.1, height = 0.1 }}\n[[pin]]\nbody = \"low\"\nat = [\"top\", \"bottom\"]\n\
         [[body]]\nname = \"high\"\nposition = [3.0, 3.0, 2.0]\n\
         grid = {{ columns = 2, rows = 2, width = 0.1, height = 0.1 }}\n[[pin]]\nbody = \"high\"\nat = [\"top\", \"bottom\"]\n\
         [[solid]]\nbox = {{ centre = [0.8, 0.0, 0.0], size = {size:?} }}\n\
         move = {{ about = [{x}, {y}, {z}], {keys} }}\n"
    )
}

/// The angle [degrees] in a frame: from 10° on 300° a second, until 0.3 s.
fn angle(frame: usize) -> f64 {
    10.0 + 300.0 * (frame as f64 / 30.0).min(0.3)
}

/// The shift in a frame: one metre a second along x, half as much along y, until 0.2 s.
fn shift(frame: usize) -> DVec3 {
    DVec3::new(1.0, 0.5, 0.0) * (frame as f64 / 30.0).min(0.2)
}

/// Corners of the box in a frame.
fn corners(frame: usize) -> Vec<DVec3> {
    let angle = angle(frame);
    let (sine, cosine) = angle.to_radians().sin_cos();
    let turned = |p: DVec3| DVec3::new(cosine * p.x - sine * p.y, sine * p.x + cosine * p.y, p.z);
    let signs =
        (0..8).map(|i| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2 & 1).into()) * 2.0 - 1.0);
    signs.map(|s| ABOUT + shift(frame) + turned(DVec3::X * 0.8 + s * HALF - ABOUT)).collect()
}

fn assert_at(frame: usize, found: &[DVec3], what: &str) {
    for corner in corners(frame) {
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

/// The angle [degrees] and the shift of the box in a frame of an HTML player, straight between the keys in its header.
fn in_html(page: &str, frame: usize) -> (f64, DVec3) {
    let header = page.split_once("id=\"header\">").unwrap().1.split_once("</script>").unwrap().0;
    let header: Value = serde_json::from_str(header).unwrap();
    let motion = &header["statics"][0]["motion"];
    assert_eq!(motion["about"], serde_json::json!([0.5, 0.2, 0.0]));
    let at = |keys: &Value| {
        let key = |i: usize, k: usize| keys[i][k].as_f64().unwrap();
        let share = ((frame as f64 - key(0, 0)) / (key(1, 0) - key(0, 0))).clamp(0.0, 1.0);
        let value = |k: usize| key(0, k) + share * (key(1, k) - key(0, k));
        DVec3::new(value(1), value(2), value(3))
    };
    let turn = at(&motion["turns"]);
    assert_eq!((turn.x, turn.y), (0.0, 0.0));
    (turn.z.to_degrees(), at(&motion["shifts"]))
}

#[test]
fn every_output_shows_the_pose_of_its_time() {
    let folder = Folder::new("poses");
    folder.write("turn.toml", &scene(KEYS));
    let options = "--format png,glb,html --size 64x48 --quiet";
    folder.line(&format!("run turn.toml {options} --frames 11 --out whole")).fine();
    folder.line(&format!("run turn.toml {options} --frames 5 --out part --save-state s")).fine();
    folder.line(&format!("run turn.toml {options} --frames 6 --out part --resume s")).fine();
    // The engine.
    let scene_of = |path: &str| taut::Scene::parse("turn", &scene(path), None).unwrap();
    let whole = scene_of(KEYS);
    let mut simulation = whole.simulation().unwrap();
    for frame in 0..=11 {
        let obstacle = &simulation.obstacles()[0];
        for corner in corners(frame) {
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
            assert_at(frame, &placed[i], &format!("{glb}, frame {frame}"));
            let (found, shifted) = in_html(&page, i);
            assert!((found - angle(frame)).abs() < 1e-9, "{html}, frame {frame}: {found}°");
            assert!(shifted.distance(shift(frame)) < 1e-9, "{html}, frame {frame}: {shifted}");
        }
    }
    // Pictures, against those of a box that stands still at that angle.
    for frame in [0, 4, 7, 11] {
        let (angle, [x, y, z]) = (angle(frame), shift(frame).to_array());
        let keys = format!("turn = [[0.0, 0.0, 0.0, {angle}]], path = [[0.0, {x}, {y}, {z}]]");
        folder.write("still.toml", &scene(&keys));
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
