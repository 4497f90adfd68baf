//! `taut verify` on sequences that are good, bad and no sequences at all.

use crate::common::Folder;
use std::fs;

/// Two squares, the second above the first by a height.
fn squares(height: f64) -> String {
    let mut text = String::new();
    for (y, size) in [(0.0, 1.0), (height, 0.5)] {
        for (x, z) in [(0.0, 0.0), (1.0, 0.125), (1.25, 1.0), (0.0, 1.0)] {
            text += &format!("v {} {y} {}\n", 0.1 + x * size, 0.1 + z * size);
        }
    }
    text + "f 1 2 3 4\nf 5 6 7 8\n"
}

/// A folder with a frame for each height.
fn frames(name: &str, heights: &[f64]) -> Folder {
    let folder = Folder::new(name);
    heights.iter().enumerate().for_each(|(i, &h)| folder.write(&format!("s_{i:03}.obj"), &squares(h)));
    folder
}

#[test]
fn a_good_sequence_is_clean() {
    let folder = frames("verify_good", &[1.0, 0.5, 0.25]);
    for line in ["verify .", "verify s_*.obj", "verify s_000.obj s_002.obj s_001.obj", "verify s_000.obj"] {
        let answer = folder.line(line).fine();
        assert!(answer.out.contains("8 vertices, 4 triangles"), "{}", answer.out);
        assert!(answer.out.contains("straight motion: none"), "{}", answer.out);
    }
    let object = folder.line("verify . --json").fine().json();
    assert_eq!((&object["clean"], &object["frames"]), (&true.into(), &3.into()));
    assert!(object["crossings"]["first"].is_null() && object["intersections"]["first"].is_null());
    assert_eq!(object["strain"]["largest"], 0.0);
    assert_eq!(object["strain"]["against"], "the first frame");
}

#[test]
fn passing_through_between_frames_is_found() {
    let folder = frames("verify_through", &[1.0, 0.5, -0.5, 1.0]);
    let answer = folder.line("verify .").failed(1, &["found", "pairs that touch between frames"]);
    assert!(answer.out.contains("edges that meet faces: none"), "{}", answer.out);
    let object = folder.line("verify . --json").json();
    let first = &object["crossings"]["first"];
    assert_eq!(
        (&first["frame"], object["crossings"]["motion"].as_str().unwrap()),
        (&1.into(), "straight from frame to frame")
    );
    assert!((first["time"].as_f64().unwrap() - 0.5).abs() < 1e-6, "{object}");
    assert!(first["file"].as_str().unwrap().ends_with("s_001.obj"));
}

#[test]
fn a_frame_that_intersects_is_named() {
    let folder = frames("verify_meets", &[1.0, 0.5, 0.25]);
    // One corner below the other square.
    folder.write("s_002.obj", &squares(0.25).replacen("v 0.1 0.25 0.1", "v 0.2 -0.25 0.2", 1));
    let answer = folder.line("verify .").failed(1, &["found", "edges that meet faces"]);
    assert!(answer.out.contains("in frame 2 (./s_002.obj)"), "{}", answer.out);
    let object = folder.line("verify . --json").json();
    let first = &object["intersections"]["first"];
    assert_eq!(first["frame"], 2);
    let of = |what: &str| first[what].as_array().unwrap().clone();
    assert_eq!((of("edge").len(), of("triangle").len()), (2, 3));
    assert!(of("edge").contains(&4.into()) || of("triangle").contains(&4.into()), "{object}");
}

#[test]
fn strain_is_measured_against_the_mesh_at_rest() {
    let folder = frames("verify_strain", &[1.0, 0.5]);
    let half: String = squares(1.0)
        .lines()
        .map(|line| match line.strip_prefix("v ") {
            Some(numbers) => {
                let halved = numbers.split(' ').map(|n| (n.parse::<f64>().unwrap() * 0.5).to_string());
                format!("v {}\n", halved.collect::<Vec<_>>().join(" "))
            }
            None => format!("{line}\n"),
        })
        .collect();
    folder.write("rest.ply.obj", &half);
    let object = folder.line("verify s_*.obj --rest rest.ply.obj --json").fine().json();
    assert!((object["strain"]["largest"].as_f64().unwrap() - 1.0).abs() < 1e-12, "{object}");
    assert_eq!(object["strain"]["against"], "rest.ply.obj");
}

#[test]
fn what_is_not_finite_is_found_and_left_out() {
    let folder = frames("verify_nan", &[1.0, 0.5, -0.5]);
    folder.write("s_001.obj", &squares(0.5).replacen("v 0.1 0.5 0.1", "v 0.1 nan 0.1", 1));
    let answer = folder.line("verify .").failed(1, &["found 1 frame that is not finite"]);
    assert!(answer.out.contains("frame 1 (./s_001.obj): vertex 4 is at [0.1, NaN, 0.1]"), "{}", answer.out);
    assert_eq!(folder.line("verify . --json").json()["non_finite"]["first"]["vertex"], 4);
}

#[test]
fn what_cannot_be_read_is_code_two() {
    let folder = frames("verify_bad", &[1.0, 0.5, 0.25]);
    folder.write("other_0.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("other_1.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 3 2\n");
    folder.write("points.obj", "v 0 0 0\nv 1 0 0\n");
    folder.line("verify .").failed(2, &["points.obj", "no number in its name"]);
    folder.line("verify other_0.obj other_1.obj").failed(2, &["other_1.obj", "face 0 joins other vertices"]);
    folder.line("verify points.obj").failed(2, &["points.obj", "no faces"]);
    folder.line("verify nothing_*.obj").failed(2, &["nothing_*.obj", "no such files"]);
    folder.line("verify nowhere").failed(2, &["nowhere"]);
    folder.line("verify").failed(2, &["FRAMES"]);
    folder.line("verify s_*.obj --rest points.obj").failed(2, &["points.obj", "no faces"]);
    folder
        .line("verify s_*.obj --rest other_0.obj")
        .failed(2, &["s_000.obj", "8 vertices, but the mesh has 3"]);
    fs::remove_file(folder.0.join("s_001.obj")).unwrap();
    folder.line("verify s_000.obj s_002.obj").fine();
    folder.write("s_004.obj", &squares(1.0));
    folder.write("s_005.obj", &squares(1.0));
    folder.line("verify s_*.obj").failed(2, &["s_002.obj: frame 1 is missing before it"]);
}

#[test]
fn a_point_cache_needs_its_mesh() {
    let folder = Folder::new("verify_cache");
    folder.write("mesh.obj", &squares(1.0));
    let cache = |samples: &[f64]| {
        let mut bytes = b"POINTCACHE2\0\x01\0\0\0\x08\0\0\0\0\0\0\0\0\0\x80\x3f".to_vec();
        bytes.extend((samples.len() as i32).to_le_bytes());
        for &height in samples {
            let text = squares(height);
            let numbers = text.lines().filter_map(|l| l.strip_prefix("v ")).flat_map(|l| l.split(' '));
            numbers.for_each(|n| bytes.extend(n.parse::<f32>().unwrap().to_le_bytes()));
        }
        bytes
    };
    let put = |bytes: &[u8]| fs::write(folder.0.join("a.pc2"), bytes).unwrap();
    put(&cache(&[1.0, 0.5, 0.25]));
    folder.line("verify a.pc2 --rest mesh.obj").fine();
    folder.line("verify a.pc2").failed(2, &["a.pc2", "points without faces"]);
    put(&cache(&[1.0, 0.5, -0.25]));
    let answer = folder.line("verify a.pc2 --rest mesh.obj").failed(1, &["between frames"]);
    assert!(answer.out.contains("of the way after frame 1 (a.pc2, sample 1)"), "{}", answer.out);
    put(&cache(&[1.0, 0.5])[..100]);
    folder.line("verify a.pc2 --rest mesh.obj").failed(2, &["16 positions are announced, but only 68 bytes"]);
}

/// A sheet that falls on one that is held: with contact every step is certified, without it goes through. The frames
/// are the very steps.
#[test]
fn every_step_of_a_run_is_certified() {
    let folder = Folder::new("verify_steps");
    let sheet = "grid = { columns = 7, rows = 7, width = 1.0, height = 1.0 }\nfabric = \"cotton\"\n";
    let scene = |level: &str| {
        format!(
            "duration = 1.0\ntime_step = 0.016667\n[contact]\nlevel = \"{level}\"\n[[body]]\n{sheet}[[body]]\n{sheet}\
             name = \"above\"\nposition = [0.1, 0.1, 0.05]\n[[pin]]\nat = [\"left\", \"right\"]\n"
        )
    };
    for level in ["off", "fast", "exact"] {
        folder.write("fall.toml", &scene(level));
        let run = format!("run fall.toml --format obj --quiet --out {level}");
        folder.line(&format!("{run}_steps --every-step --frames 24")).fine();
        folder.line(&format!("{run}_frames --frames 12")).fine();
        assert_eq!(folder.list(&format!("{level}_steps")).len(), 25);
        let [step, frame] = [("steps", 24), ("frames", 12)]
            .map(|(kind, number)| folder.read(&format!("{level}_{kind}/fall_{number:04}.obj")));
        assert!(step == frame, "step 24 is frame 12");
        let verify = folder.line(&format!("verify {level}_steps --json"));
        match level {
            "off" => assert_eq!(verify.failed(1, &["found"]).json()["clean"], false),
            _ => assert_eq!(verify.fine().json()["clean"], true),
        }
    }
}
