//! Exports read back: every number in its place, everything refused that cannot be written.

use super::*;
use base64::Engine;
use serde_json::Value;

/// A wavy cloth, a strand, a loose particle and a static triangle; four frames.
pub fn sample() -> Animation {
    let cloth = crate::shapes::Grid { columns: 5, rows: 4, name: "cloth".into(), ..Default::default() };
    let strand = crate::shapes::Strands { particles: 6, name: "strand".into(), ..Default::default() };
    let mut model = cloth.build().unwrap();
    model.append(&strand.build().unwrap());
    let mut animation = Animation::of(&model, "a </script><b>\"name\"", 24.0);
    let m = model.particles();
    animation.moving.push(MovingMesh { name: "dust".into(), particles: m..m + 1, ..Default::default() });
    for frame in 0..4 {
        let wave = |p: &DVec3| *p + DVec3::new(0.1, (7.0 * p.x + frame as f64).sin(), -0.3 * frame as f64);
        let points: Vec<DVec3> = model.rest.iter().chain([&DVec3::ONE]).map(wave).collect();
        animation.push(&points).unwrap();
    }
    animation.scene_hash = "feed".into();
    animation.pinned = vec![0, 4];
    animation.ground = Some(-1.0);
    animation.statics.push(StaticMesh {
        name: "floor".into(),
        positions: vec![[0.0, -1.0, 0.0], [0.0, -1.0, 2.0], [2.5, -1.0, 0.0]],
        triangles: vec![[0, 1, 2]],
        colour: 0xb9b4ab,
        motion: None,
    });
    animation
}

pub struct Glb {
    pub json: Value,
    binary: Vec<u8>,
}

impl Glb {
    pub fn of(animation: &Animation) -> Glb {
        let mut bytes = Vec::new();
        write_glb(animation, &mut bytes).unwrap();
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&bytes[..4], number(4), number(8)), (&b"glTF"[..], 2, bytes.len()));
        let end = 20 + number(12);
        assert!(&bytes[16..20] == b"JSON" && end.is_multiple_of(4));
        let json = serde_json::from_slice(&bytes[20..end]).unwrap();
        if end == bytes.len() {
            return Glb { json, binary: Vec::new() };
        }
        assert_eq!((number(end), &bytes[end + 4..end + 8]), (bytes.len() - end - 8, &b"BIN\0"[..]));
        Glb { json, binary: bytes[end + 8..].to_vec() }
    }

    /// The four-byte numbers of an accessor, once it is shown to lie inside its view.
    fn words(&self, accessor: &Value) -> Vec<[u8; 4]> {
        let accessor = &self.json["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let size = |v: &Value| v.as_u64().unwrap_or(0) as usize;
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            vector => vector[3..].parse().unwrap(),
        };
        let (offset, bytes) = (size(&accessor["byteOffset"]), 4 * width * size(&accessor["count"]));
        assert!(bytes > 0 && offset + bytes <= size(&view["byteLength"]));
        assert!(size(&view["byteOffset"]) + size(&view["byteLength"]) <= self.binary.len());
        let start = size(&view["byteOffset"]) + offset;
        self.binary[start..start + bytes].as_chunks().0.to_vec()
    }

    /// Positions or normals that a primitive has in a frame.
    pub fn frame(&self, primitive: &Value, frame: usize, kind: &str) -> Vec<DVec3> {
        let points = |accessor: &Value| -> Vec<DVec3> {
            let floats = self.floats(accessor);
            floats.as_chunks().0.iter().map(|p: &[f32; 3]| DVec3::from_array(p.map(f64::from))).collect()
        };
        let mut found = points(&primitive["attributes"][kind]);
        if frame > 0 {
            let offsets = points(&primitive["targets"][frame - 1][kind]);
            found.iter_mut().zip(offsets).for_each(|(x, d)| *x += d);
        }
        found
    }

    /// The bytes of a buffer view.
    pub fn view(&self, number: usize) -> &[u8] {
        let size = |member: &str| self.json["bufferViews"][number][member].as_u64().unwrap() as usize;
        &self.binary[size("byteOffset")..][..size("byteLength")]
    }

    pub fn floats(&self, accessor: &Value) -> Vec<f32> {
        self.words(accessor).into_iter().map(f32::from_le_bytes).collect()
    }

    pub fn indices(&self, accessor: &Value) -> Vec<u32> {
        self.words(accessor).into_iter().map(u32::from_le_bytes).collect()
    }
}

#[test]
fn glb_holds_every_frame_of_every_mesh() {
    let animation = sample();
    let glb = Glb::of(&animation);
    assert_eq!(glb.json["asset"]["generator"], format!("taut {}", env!("CARGO_PKG_VERSION")));
    assert_eq!(glb.json["asset"]["extras"]["scene_hash"], "feed");
    assert_eq!(glb.json["buffers"][0]["byteLength"], glb.binary.len());
    for (i, mesh) in animation.moving.iter().enumerate() {
        let primitive = &glb.json["meshes"][i]["primitives"][0];
        assert_eq!(primitive["mode"], [4, 4, 0][i]); // triangles, tubes of triangles, points
        for (f, frame) in animation.frames.iter().enumerate() {
            let mut found = glb.frame(primitive, f, "POSITION");
            if i == 1 {
                // The middle of each ring is its particle.
                let middle = |ring: &[DVec3]| ring.iter().sum::<DVec3>() / 3.0;
                found = found.chunks_exact(3).map(middle).collect();
            }
            assert_eq!(found.len(), mesh.particles.len());
            for (x, wanted) in found.iter().zip(&frame[mesh.particles.clone()]) {
                let wanted = DVec3::from_array(wanted.map(f64::from));
                assert!((*x - wanted).length() <= 1e-6 * (1.0 + wanted.length()), "{x} {wanted}");
            }
        }
    }
    let corners: Vec<u32> = animation.triangles.iter().flatten().copied().collect();
    assert_eq!(glb.indices(&glb.json["meshes"][0]["primitives"][0]["indices"]), corners);
    let sides = glb.indices(&glb.json["meshes"][1]["primitives"][0]["indices"]);
    assert_eq!(sides.len(), 5 * 18, "five links of three sides, without bend springs");
    let floor = &glb.json["meshes"][3]["primitives"][0]["attributes"];
    assert_eq!(glb.floats(&floor["NORMAL"]), [0.0, 1.0, 0.0].repeat(3));
}

#[test]
fn glb_accessors_state_their_true_bounds() {
    let glb = Glb::of(&sample());
    for (i, accessor) in glb.json["accessors"].as_array().unwrap().iter().enumerate() {
        let Some(low) = accessor["min"].as_array() else { continue };
        let values = glb.floats(&i.into());
        for (k, low) in low.iter().enumerate() {
            let column = || values.iter().skip(k).step_by(accessor["min"].as_array().unwrap().len());
            assert_eq!(low.as_f64().unwrap() as f32, column().copied().fold(f32::INFINITY, f32::min));
            let high = accessor["max"][k].as_f64().unwrap() as f32;
            assert_eq!(high, column().copied().fold(f32::NEG_INFINITY, f32::max));
        }
    }
}

#[test]
fn glb_shows_one_frame_at_each_key() {
    let glb = Glb::of(&sample());
    let motion = &glb.json["animations"][0];
    assert_eq!(motion["channels"].as_array().unwrap().len(), 3); // the floor stands still
    let times = glb.floats(&motion["samplers"][0]["input"]);
    assert_eq!(times, [0.0, 1.0, 2.0, 3.0].map(|f: f32| f / 24.0));
    let weights = glb.floats(&motion["samplers"][0]["output"]);
    assert_eq!(weights, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].concat());
}

#[test]
fn a_still_or_empty_scene_is_a_glb_without_animation() {
    let mut still = sample();
    still.frames.truncate(1);
    let glb = Glb::of(&still);
    assert!(glb.json["animations"].is_null() && glb.json["meshes"][0]["weights"].is_null());
    let glb = Glb::of(&Animation { frames: vec![Vec::new()], ..Animation::default() });
    assert!(glb.json["nodes"].is_null() && glb.json["buffers"].is_null() && glb.binary.is_empty());
}

fn html(animation: &Animation) -> String {
    let mut bytes = Vec::new();
    write_html(animation, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// What stands between a script element's id and its end.
fn element<'a>(page: &'a str, id: &str) -> &'a str {
    page.split_once(&format!("id=\"{id}\">")).unwrap().1.split_once("</script>").unwrap().0
}

#[test]
fn html_holds_every_frame_to_half_a_step() {
    let animation = sample();
    let page = html(&animation);
    let header: Value = serde_json::from_str(element(&page, "header")).unwrap();
    let load = base64::engine::general_purpose::STANDARD.decode(element(&page, "load")).unwrap();
    let bytes = miniz_oxide::inflate::decompress_to_vec(&load).unwrap();
    assert_eq!(header["bytes"], bytes.len());
    let m = animation.particles();
    let mut past: Vec<Vec<i64>> = Vec::new();
    for (f, frame) in animation.frames.iter().enumerate() {
        let block = &bytes[6 * m * f..6 * m * (f + 1)];
        let mut now: Vec<i64> = Vec::new();
        for i in 0..3 * m {
            let folded = block[i] as i64 + 256 * block[3 * m + i] as i64;
            let difference = if folded % 2 == 0 { folded / 2 } else { -(folded + 1) / 2 };
            let expected = match f {
                0 => now.last().copied().unwrap_or(0),
                1 => past[0][i],
                _ => 2 * past[f - 1][i] - past[f - 2][i],
            };
            now.push((expected + difference).rem_euclid(65_536));
        }
        for (i, q) in now.iter().enumerate() {
            let (k, step) = (i / m, header["step"][i / m].as_f64().unwrap());
            let x = header["low"][k].as_f64().unwrap() + step * *q as f64;
            assert!((x - frame[i % m][k] as f64).abs() <= 0.5001 * step, "frame {f}, coordinate {i}");
        }
        past.push(now);
    }
    // Behind the frames: four bytes for each corner and end, and the floor's vertices as they are.
    let corners = 3 * animation.triangles.len() + 2 * animation.lines.len() + 3;
    assert_eq!(bytes.len(), 4 * 6 * m + 4 * corners + 36);
    assert_eq!(bytes[bytes.len() - 12..bytes.len() - 8], 2.5f32.to_le_bytes());
}

#[test]
fn html_is_one_page_whatever_the_name() {
    let page = html(&sample());
    assert_eq!(page.matches("</script>").count(), 3);
    assert!(page.contains("<title>a &lt;/script&gt;&lt;b&gt;&quot;name&quot;</title>"));
    assert!(page.contains("content=\"feed\"") && page.contains("\"scene_hash\":\"feed\""));
    assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("@@"));
    assert_eq!(page, html(&sample()), "the same animation gives the same bytes");
}

#[test]
fn what_cannot_be_written_is_refused() {
    let refused = |change: fn(&mut Animation), words: &str| {
        let mut animation = sample();
        change(&mut animation);
        for error in [write_glb(&animation, std::io::sink()), write_html(&animation, std::io::sink())] {
            let text = error.unwrap_err().to_string();
            assert!(text.contains(words), "{text}");
        }
    };
    refused(|a| a.frames.clear(), "at least one");
    refused(|a| a.frames_per_second = 0.0, "frames per second = 0");
    refused(|a| a.frames[2][1][0] = f32::NAN, "particle 1");
    refused(|a| a.frames[3].truncate(26), "frame 3: has 26 particles, the first has 27");
    refused(|a| a.triangles[3][1] = 20, "triangle 3: uses particle 20, not one of 0..20");
    refused(|a| a.lines[0][0] = 3, "line 0: uses particle 3");
    refused(|a| a.moving[1].lines.end = 99, "moving mesh 1: lines 0..99");
    refused(|a| a.pinned.push(27), "pin 2: uses particle 27");
    refused(|a| a.statics[0].triangles[0][2] = 3, "triangle of a static mesh 0");
    refused(|a| a.ground = Some(f64::INFINITY), "ground = inf");
    let mut animation = sample();
    assert!(animation.push(&[DVec3::ZERO]).is_err());
    assert!(animation.push(&[DVec3::NAN; 27]).is_err());
    assert_eq!(animation.frames.len(), 4);
}

#[test]
fn a_full_disk_is_an_error() {
    let mut small = [0u8; 1000];
    assert!(write_glb(&sample(), &mut small[..]).unwrap_err().to_string().starts_with("GLB output"));
    assert!(write_html(&sample(), &mut small[..]).unwrap_err().to_string().starts_with("HTML output"));
}

#[test]
fn bracing_springs_are_not_drawn() {
    let brush = crate::shapes::published::brush().unwrap();
    let lines = Animation::of(&brush, "", 60.0).lines;
    assert_eq!(lines.len(), 105 * 18);
    assert!(lines.iter().all(|[a, b]| a.abs_diff(*b) == 1));
    let mut net = crate::shapes::Grid { rows: 3, columns: 3, ..Default::default() }.build().unwrap();
    net.triangles.clear();
    assert_eq!(Animation::of(&net, "", 60.0).lines.len(), 12, "the sides of four squares");
}

/// A pin that the script lets go is no longer drawn.
#[test]
fn released_pins_are_not_marked() {
    let text = "[[body]]\ngrid = { columns = 3, rows = 3, width = 1.0, height = 1.0 }\n\
                [[pin]]\nname = \"a\"\nat = [\"top_left\"]\n[[pin]]\nat = [\"bottom\"]\n\
                [[event]]\ntime = 0.5\nrelease = \"a\"\n";
    let animation = Animation::of_scene(&crate::Scene::parse("s", text, None).unwrap());
    assert_eq!(animation.held(15), [6, 7, 8, 0], "at 0.5 s it holds");
    assert_eq!(animation.held(16), [6, 7, 8]);
}
