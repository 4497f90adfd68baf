//! What a viewer needs beyond positions: normals, texture coordinates, tubes, obstacles that turn.

use super::drawn::LEAN;
use super::tests::{Glb, sample};
use super::*;
use crate::Scene;

#[test]
fn normals_are_smooth_in_every_frame() {
    let animation = sample();
    let glb = Glb::of(&animation);
    let primitive = &glb.json["meshes"][0]["primitives"][0];
    for (f, frame) in animation.frames.iter().enumerate() {
        let place = |i: u32| DVec3::from_array(frame[i as usize].map(f64::from));
        for (i, normal) in glb.frame(primitive, f, "NORMAL").into_iter().enumerate() {
            let around = animation.triangles.iter().filter(|t| t.contains(&(i as u32)));
            let area = |t: &[u32; 3]| (place(t[1]) - place(t[0])).cross(place(t[2]) - place(t[0]));
            let wanted = around.map(area).sum::<DVec3>().normalize();
            let (lean, straight) = (normal.angle_between(wanted), if f == 0 { LEAN } else { 0.0 });
            assert!((lean - straight).abs() < 1e-5, "frame {f}, particle {i}: {normal} {wanted}");
            assert!((normal.length() - 1.0).abs() < 1e-6);
        }
    }
}

/// Blender takes a triangle whose corners have its own normal in frame 0, to 1e-7, for one that is meant to be flat.
#[test]
fn a_flat_beginning_is_not_taken_for_facets() {
    let text = "[[body]]\ngrid = { columns = 4, rows = 3, width = 1.0, height = 1.0 }\n";
    let scene = Scene::parse("s", text, None).unwrap();
    let mut animation = Animation::of_scene(&scene);
    let corners = |glb: &Glb| {
        let primitive = &glb.json["meshes"][0]["primitives"][0];
        glb.frame(primitive, 0, "NORMAL").iter().map(|n| n.y).collect::<Vec<_>>()
    };
    animation.push(&scene.state.positions).unwrap();
    assert!(corners(&Glb::of(&animation)).iter().all(|&y| y == 1.0), "one frame is as it is");
    animation.push(&scene.state.positions).unwrap();
    assert!(corners(&Glb::of(&animation)).iter().all(|y| (0.99999..0.999999).contains(y)));
}

/// Tubes are as thin in every frame, and their rings are turned alike from frame to frame.
#[test]
fn strands_are_tubes_that_do_not_spin() {
    let animation = sample();
    let glb = Glb::of(&animation);
    let primitive = &glb.json["meshes"][1]["primitives"][0];
    assert!(primitive["attributes"]["NORMAL"].is_null());
    let rings: Vec<Vec<DVec3>> = (0..4).map(|f| glb.frame(primitive, f, "POSITION")).collect();
    let spoke = |f: usize, v: usize| {
        let middle = rings[f][v / 3 * 3..][..3].iter().sum::<DVec3>() / 3.0;
        rings[f][v] - middle
    };
    let radius = spoke(0, 0).length();
    assert!(radius > 0.0 && radius < 0.1);
    for (f, v) in (0..4).flat_map(|f| (0..18).map(move |v| (f, v))) {
        assert!((spoke(f, v).length() / radius - 1.0).abs() < 1e-3, "frame {f} vertex {v}");
        let along =
            (rings[f][v / 3 * 3 + 3 - 3 * (v / 15)] - rings[f][(v / 3).saturating_sub(1) * 3]).normalize();
        assert!(spoke(f, v).dot(along).abs() < 0.5 * radius, "across the strand");
        if v >= 3 {
            assert!(spoke(f, v).dot(spoke(f, v - 3)) > 0.3 * radius * radius, "turned like the ring before");
        }
    }
}

/// A square of two triangles whose diagonal is a seam in the texture.
#[test]
fn texture_coordinates_split_vertices_at_seams_only() {
    let folder = std::env::temp_dir().join(format!("taut_seam_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 0.75\nvt 0 1\nvt 0.5 0.5\n\
                f 1/1 2/2 3/3\nf 1/1 3/5 4/4\n";
    std::fs::write(folder.join("a.obj"), text).unwrap();
    let scene = "[[body]]\ngrid = { columns = 2, rows = 2, width = 1.0, height = 1.0 }\n\
                 [[body]]\nmesh = { file = \"a.obj\" }\nposition = [0.0, 0.0, 3.0]\n";
    let scene = Scene::parse("s", scene, Some(&folder)).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let mut animation = Animation::of_scene(&scene);
    animation.push(&scene.state.positions).unwrap();
    animation.push(&scene.state.positions).unwrap();
    let glb = Glb::of(&animation);
    let primitive = |mesh: usize| &glb.json["meshes"][mesh]["primitives"][0];
    assert!(primitive(0)["attributes"]["TEXCOORD_0"].is_null(), "the grid has none");
    let uvs = glb.floats(&primitive(1)["attributes"]["TEXCOORD_0"]);
    // glTF counts down from the top. The first corner has one coordinate, the third two.
    assert_eq!(uvs, [0.0, 1.0, 1.0, 1.0, 1.0, 0.25, 0.5, 0.5, 0.0, 0.0]);
    assert_eq!(glb.indices(&primitive(1)["indices"]), [0, 1, 2, 0, 3, 4]);
    let positions = glb.frame(primitive(1), 1, "POSITION");
    assert_eq!(positions[2], positions[3]);
    let normals = glb.frame(primitive(1), 1, "NORMAL");
    assert_eq!((normals[2], normals[3]), (DVec3::Z, DVec3::Z));
}

#[test]
fn obstacles_that_turn_do_so_in_glb_and_html() {
    let text = "duration = 0.5\n[[body]]\ngrid = { columns = 2, rows = 2, width = 1.0, height = 1.0 }\n\
                [[solid]]\nbox = { centre = [1.0, 0.0, 0.0], size = [0.2, 0.4, 0.6] }\n\
                turn = { about = [0.0, 2.0, 0.5], axis = [0.0, 0.0, 2.0], path = [[0.0, 10.0], [0.3, 100.0]] }\n\
                [[solid]]\nsphere = { centre = [0.0, -1.0, 0.0], radius = 0.1 }\n";
    let scene = Scene::parse("s", text, None).unwrap();
    let mut animation = Animation::of_scene(&scene);
    (0..16).for_each(|_| animation.push(&scene.state.positions).unwrap());
    let glb = Glb::of(&animation);
    let node = &glb.json["nodes"][1];
    let numbers = |v: &serde_json::Value| -> Vec<f64> {
        v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let about = DVec3::from_slice(&numbers(&node["translation"]));
    let channels = glb.json["animations"][0]["channels"].as_array().unwrap();
    assert_eq!(channels.len(), 2, "the cloth and the box; the ball stands still");
    assert_eq!(
        (&channels[1]["target"]["node"], &channels[1]["target"]["path"]),
        (&1.into(), &"rotation".into())
    );
    let sampler = &glb.json["animations"][0]["samplers"][channels[1]["sampler"].as_u64().unwrap() as usize];
    let turns = glb.floats(&sampler["output"]);
    let given = glb.frame(&glb.json["meshes"][1]["primitives"][0], 0, "POSITION");
    for (f, turn) in turns.as_chunks::<4>().0.iter().enumerate() {
        let turn = glam::DQuat::from_array(turn.map(f64::from));
        for (p, given) in animation.statics[0].positions.iter().zip(&given) {
            let p = DVec3::from_array(p.map(f64::from));
            // A point fixed to the surface: where the obstacle's own distance says it is.
            let found = about + turn * *given;
            let pose = scene.obstacles[0].motion.as_ref().unwrap().pose(f as f64 / 30.0);
            assert!((found - pose.at(p)).length() < 1e-5, "frame {f}");
            assert!(
                (scene.obstacles[0].distance(found, f as f64 / 30.0).0 + scene.obstacles[0].margin).abs()
                    < 1e-5
            );
        }
        if f == 0 {
            let start = glam::DQuat::from_slice(&numbers(&node["rotation"]));
            assert!(start.abs_diff_eq(turn, 1e-6));
        }
    }
    let mut page = Vec::new();
    write_html(&animation, &mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    let header = page.split_once("id=\"header\">").unwrap().1.split_once("</script>").unwrap().0;
    let header: serde_json::Value = serde_json::from_str(header).unwrap();
    let motion = &header["statics"][0]["motion"];
    assert_eq!(numbers(&motion["turns"][1]), [9.0, 0.0, 0.0, 100f64.to_radians()]);
    assert!(header["statics"][1]["motion"].is_null());
}
