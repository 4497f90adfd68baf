//! Laws of framing: over the whole film, what moves fills the picture and none of it is cut off.

use super::*;
use crate::Scene;

const SIZE: [usize; 2] = [640, 480];

/// Leftmost, rightmost, uppermost and lowest place of some points in the pictures of a film, as shares of their size.
fn reach(film: &Film, points: impl Iterator<Item = DVec3>) -> [f64; 4] {
    let camera = film.camera();
    let forward = (camera.target - camera.eye).normalize();
    let right = forward.cross(camera.up).normalize();
    let half = f64::tan(0.5 * camera.fov);
    let share = |p: DVec3| {
        let p = p - camera.eye;
        let depth = p.dot(forward);
        assert!(depth > 0.0, "behind the camera");
        let (x, y) = (p.dot(right) / depth, p.dot(right.cross(forward)) / depth);
        [0.5 + 0.5 * x / half * SIZE[1] as f64 / SIZE[0] as f64, 0.5 - 0.5 * y / half]
    };
    points
        .map(share)
        .fold([1.0, 0.0, 1.0, 0.0], |[l, r, t, b], [x, y]| [l.min(x), r.max(x), t.min(y), b.max(y)])
}

/// Inside the picture, and as large as a margin of 3 % on every side allows: from side to side, or from top to bottom.
fn assert_filled(name: &str, [left, right, top, bottom]: [f64; 4]) {
    let inside = [left, top, 1.0 - right, 1.0 - bottom].iter().all(|&margin| margin > 0.02);
    assert!(inside, "{name} is cut off: {left:.3} to {right:.3}, {top:.3} to {bottom:.3}");
    let most = (right - left).max(bottom - top);
    assert!(most > 0.92, "{name} fills {most:.3} of the picture");
}

fn moving(animation: &Animation) -> impl Iterator<Item = DVec3> {
    animation.frames.iter().flatten().map(|&p| DVec3::from_array(p.map(f64::from)))
}

#[test]
fn a_swinging_cloth_fills_its_film() {
    let scene = Scene::load("curtain21").unwrap();
    let mut simulation = scene.simulation().unwrap();
    let mut animation = Animation::of_scene(&scene);
    for _ in 0..scene.frames * scene.substeps {
        animation.push(simulation.positions()).unwrap();
        simulation.step().unwrap();
    }
    // A floor to the horizon is no reason to step back from the cloth on it, nor is a ground far below.
    let floor = [[-50.0, 0.0, -50.0], [50.0, 0.0, -50.0], [0.0, 0.0, 50.0]];
    let floor = StaticMesh { positions: floor.to_vec(), triangles: vec![[0, 2, 1]], ..StaticMesh::default() };
    for ground in [None, Some(0.0), Some(-100.0)] {
        animation.ground = ground;
        assert_filled(
            "the cloth",
            reach(&Film::new(&animation, SIZE[0], SIZE[1]).unwrap(), moving(&animation)),
        );
    }
    animation.statics.push(floor);
    let [left, right, top, bottom] =
        reach(&Film::new(&animation, SIZE[0], SIZE[1]).unwrap(), moving(&animation));
    assert!((right - left).max(bottom - top) > 0.4, "{left} to {right}, {top} to {bottom}");
}

/// A solid that turns moves like any cloth: the arm is seen from end to end, in whatever direction it points.
#[test]
fn an_arm_stays_in_the_picture_while_it_bends() {
    let scene = Scene::load("arm_bend").unwrap();
    let mut animation = Animation::of_scene(&scene);
    for _ in 0..=scene.frames {
        animation.push(&scene.state.positions).unwrap();
    }
    let film = Film::new(&animation, SIZE[0], SIZE[1]).unwrap();
    let animation = &animation;
    let poses = |mesh| (0..=scene.frames).flat_map(move |frame| animation.places(mesh, frame));
    let arm: Vec<DVec3> = animation.statics.iter().flat_map(poses).collect();
    assert_filled("the arm", reach(&film, arm.into_iter()));
}

/// The viewpoint of a scene is that of the film, and what it leaves open still holds everything.
#[test]
fn a_viewpoint_is_obeyed() {
    let mut animation = super::tests::sample();
    for (azimuth, elevation, angle) in [(2.0, 0.1, 0.3), (-0.7, 1.2, 1.2), (0.0, -0.4, 0.56)] {
        animation.view = Viewpoint {
            azimuth: Some(azimuth),
            elevation: Some(elevation),
            field_of_view: Some(angle),
            ..Viewpoint::default()
        };
        let film = Film::new(&animation, SIZE[0], SIZE[1]).unwrap();
        let back = (film.camera().eye - film.camera().target).normalize();
        assert!((back.y - elevation.sin()).abs() < 1e-12 && (back.x.atan2(back.z) - azimuth).abs() < 1e-12);
        assert_eq!(film.camera().fov, angle);
        assert_filled("the sample", reach(&film, animation.framed(animation.surroundings())));
    }
    let eye = DVec3::new(3.0, 4.0, 5.0);
    animation.view.eye = Some(eye);
    assert_eq!(Film::new(&animation, SIZE[0], SIZE[1]).unwrap().camera().eye, eye);
}

/// On the coordinates of a map, where single precision knows half metres, everything is drawn as at the origin; only a
/// node of the GLB says where it is.
#[test]
fn far_away_everything_looks_the_same() {
    let films = [[0.0; 3], [524288.0, 1024.0, 4194304.0]].map(|[x, y, z]| {
        let place = |dx: f64, dy: f64, dz: f64| format!("[{:?}, {:?}, {:?}]", x + dx, y + dy, z + dz);
        let text = format!(
            "duration = 0.25\n[[body]]\ngrid = {{ columns = 9, rows = 9, width = 1.0, height = 1.0 }}\nposition = {}\n\
             [[body]]\nstrands = {{ columns = 2, rows = 1, spacing = 0.5, particles = 9, length = 0.5, stiffness = 20.0 }}\n\
             position = {}\n\
             [[solid]]\nsphere = {{ centre = {}, radius = 0.25 }}\n[[solid]]\nground = {{ height = {y:?} }}\n\
             [[solid]]\nbox = {{ centre = {}, size = [0.25, 0.5, 0.25] }}\n\
             turn = {{ about = {}, axis = [0.0, 1.0, 0.0], path = [[0.0, 0.0], [0.25, 40.0]] }}\n\
             [camera]\ntarget = {}\n",
            place(0.0, 1.0, 0.0),
            place(0.0, 2.0, 0.0),
            place(0.0, 0.5, 0.0),
            place(1.0, 0.25, 0.0),
            place(1.0, 0.25, 0.5),
            place(0.5, 0.5, 0.0),
        );
        let scene = Scene::parse("map", &text, None).unwrap();
        let mut simulation = scene.simulation().unwrap();
        let mut animation = Animation::of_scene(&scene);
        for _ in 0..scene.frames {
            animation.push(simulation.positions()).unwrap();
            for _ in 0..scene.substeps {
                simulation.step().unwrap();
            }
        }
        animation
    });
    let [here, there] = &films;
    assert_eq!(here.origin, DVec3::ZERO);
    let near = |a: DVec3, b: DVec3| assert!(a.distance(b) <= 1e-6, "{a} {b}");
    let moved = |film: &Animation| moving(film).map(|p| p + film.origin).collect::<Vec<_>>();
    let offset = DVec3::new(524288.0, 1024.0, 4194304.0);
    moved(here).into_iter().zip(moved(there)).for_each(|(a, b)| near(a, b - offset));
    let last = here.frames.len() - 1;
    for (a, b) in here.statics.iter().zip(&there.statics) {
        here.places(a, last).zip(there.places(b, last)).for_each(|(a, b)| near(a, b + there.origin - offset));
    }
    let [a, b] = films.each_ref().map(|film| Film::new(film, SIZE[0], SIZE[1]).unwrap());
    near(a.camera().eye, b.camera().eye + there.origin - offset);
    near(a.camera().target, b.camera().target + there.origin - offset);
    assert_eq!(here.ground, there.ground.map(|height| height + there.origin.y - offset.y));
    let [a, b] = films.each_ref().map(super::tests::Glb::of);
    for mesh in 0..4 {
        let [a, b] = [&a, &b].map(|glb| glb.frame(&glb.json["meshes"][mesh]["primitives"][0], 0, "POSITION"));
        let turns = mesh == 3; // that one is seen from the node it turns about
        let shift = if turns { DVec3::ZERO } else { there.origin - offset };
        a.into_iter().zip(b).for_each(|(a, b)| near(a, b + shift));
    }
    assert_eq!(a.json["scenes"][0]["nodes"], serde_json::json!([0, 1, 2, 3]));
    assert_eq!(b.json["scenes"][0]["nodes"], serde_json::json!([4]));
    let root = &b.json["nodes"][4];
    assert_eq!(root["children"], serde_json::json!([0, 1, 2, 3]));
    assert_eq!(root["translation"], serde_json::json!(there.origin.to_array()));
}
