//! Bodies made from mesh files: which way is up, which triangles a solid shows, what is noticed about them.

use std::path::{Path, PathBuf};
use taut::{DVec3, Scene};

/// A folder that is removed with everything in it.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("taut_{name}_{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn with(self, name: &str, text: &str) -> Self {
        std::fs::write(self.0.join(name), text).unwrap();
        self
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn load(folder: &Path, text: &str) -> Scene {
    Scene::parse("s.toml", text, Some(folder)).unwrap()
}

#[test]
fn z_up_is_turned_to_y_up_without_rounding() {
    let folder = Folder::new("up").with("a.obj", "v 0.1 0.2 0.3\nv 1 0 0\nv 0 1 0.7\nf 1 2 3\n");
    let of = |up: &str| load(&folder.0, &format!("[[body]]\nmesh = {{ file = \"a.obj\"{up} }}\n"));
    let (plain, y, z) = (of(""), of(", up = \"y\""), of(", up = \"z\""));
    assert_eq!(plain.model.rest, y.model.rest);
    let turned: Vec<DVec3> = plain.model.rest.iter().map(|p| DVec3::new(p.x, p.z, -p.y)).collect();
    assert_eq!(z.model.rest, turned);
    assert_eq!(z.model.springs, plain.model.springs);
    // What is up stays up: the normal of the XY plane, Z, becomes Y.
    let normal = |scene: &Scene| {
        let [a, b, c] = scene.model.triangles[0].map(|i| scene.model.rest[i as usize]);
        (b - a).cross(c - a)
    };
    assert_eq!(normal(&z).y, normal(&plain).z);
    let text = "[[body]]\nmesh = { file = \"a.obj\", up = \"x\" }\n";
    let error = Scene::parse("s.toml", text, Some(&folder.0)).unwrap_err().to_string();
    assert!(error.contains("s.toml:2: up = \"x\"; must be \"y\" or \"z\""), "{error}");
}

/// Two tets and their six outer faces; with `faces` of them given, in the file's own order.
fn medit(faces: &[&str]) -> String {
    let vertices =
        "MeshVersionFormatted 2\nDimension 3\nVertices 5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\n";
    let tets = "Tetrahedra 2\n1 2 3 4 0\n2 3 4 5 0\nEnd\n";
    format!("{vertices}Triangles {}\n{}\n{tets}", faces.len(), faces.join("\n"))
}

#[test]
fn a_solid_keeps_the_surface_its_file_gives() {
    // The surface of the first tet alone: it is closed, and not the hull.
    let given = ["3 2 1 0", "1 2 4 0", "2 3 4 0", "3 1 4 0"];
    let folder = Folder::new("surface").with("a.mesh", &medit(&given)).with("open.mesh", &medit(&given[..3]));
    let of = |file: &str| load(&folder.0, &format!("[[body]]\nmesh = {{ file = \"{file}\" }}\n")).model;
    assert_eq!(of("a.mesh").triangles, [[2, 1, 0], [0, 1, 3], [1, 2, 3], [2, 0, 3]]);
    assert_eq!(of("a.mesh").tets.len(), 2);
    assert_eq!(of("open.mesh").triangles.len(), 6, "with holes it is no surface: the tets' own is taken");
}

#[test]
fn long_steps_and_sideways_gravity_are_noticed() {
    let folder = Folder::new("noticed").with("a.mesh", &medit(&[]));
    let solid = "[[body]]\nmesh = { file = \"a.mesh\" }\n";
    let has = |text: &str, words: &str| {
        let scene = load(&folder.0, text);
        let findings = scene.examine().findings.into_iter().map(|f| format!("{} -> {}", f.what, f.remedy));
        scene.notes.iter().cloned().chain(findings).any(|note| note.contains(words))
    };
    assert!(has(&format!("time_step = 0.1\n{solid}"), "steps of a frame, 0.03333 s, are taken"));
    assert!(!has(&format!("time_step = 0.03333333333\n{solid}"), "longer than a frame"));
    assert!(has(&format!("gravity = [0.0, 0.0, -9.81]\n{solid}"), "Y up -> for a mesh made with Z up"));
    assert!(!has(&format!("gravity = [1.0, -9.81, 0.0]\n{solid}"), "Y up"));
    assert!(!has(&format!("gravity = [0.0, 0.0, 0.0]\n{solid}"), "Y up"));
}

/// The warp of a mesh follows its texture upwards, however it lies; without texture it is along x.
#[test]
fn the_warp_follows_the_texture() {
    let obj = |uv: &str| {
        format!(
            "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0 0\nvt 0 1\nvt -1 1\nvt -1 0\n{uv}\n"
        )
    };
    let folder = Folder::new("woven")
        .with("up.obj", &obj("f 1/1 2/2 3/3 4/4"))
        .with("turned.obj", &obj("f 1/5 2/6 3/7 4/8"))
        .with("plain.obj", &obj("f 1 2 3 4"))
        .with("flat.obj", &obj("f 1/1 2/1 3/1 4/1"));
    let warp = |file: &str| {
        let text = format!("[[body]]\nmesh = {{ file = \"{file}\" }}\nwarp = 100.0\n");
        let membranes = load(&folder.0, &text).model.membranes;
        assert_eq!(membranes.len(), 2);
        assert!(membranes[0].direction.normalize().distance(membranes[1].direction.normalize()) < 1e-12);
        membranes[0].direction.normalize()
    };
    assert!(warp("up.obj").distance(DVec3::Z) < 1e-12, "{}", warp("up.obj"));
    assert!(warp("turned.obj").distance(DVec3::X) < 1e-12, "{}", warp("turned.obj"));
    assert_eq!(warp("plain.obj"), DVec3::X);
    assert_eq!(warp("flat.obj"), DVec3::X, "a texture of one point says nothing");
}
