//! Solids that are meshes, in scenes: read, posed, moved by keys, by a sequence or a point cache; and what is said about
//! those that are odd or wrong.

use crate::common::take;
use crate::mesh_bodies::Folder;
use crate::mesh_solids::cuboid;
use crate::scenes::CLOTH;
use std::fmt::Write;
use taut::doctor::Severity;
use taut::{DVec3, Scene};

/// A mesh as OBJ.
fn obj(places: &[DVec3], faces: &[[u32; 3]]) -> String {
    let mut text = String::new();
    places.iter().for_each(|p| writeln!(text, "v {} {} {}", p.x, p.y, p.z).unwrap());
    faces.iter().for_each(|f| writeln!(text, "f {} {} {}", f[0] + 1, f[1] + 1, f[2] + 1).unwrap());
    text
}

fn block(shift: f64) -> String {
    let (places, faces) = cuboid(DVec3::new(shift, 0.0, 0.0), DVec3::new(0.2, 0.1, 0.3));
    obj(&places, &faces)
}

fn parse(folder: &Folder, solid: &str) -> Result<Scene, String> {
    let text = format!("[contact]\nlevel = \"fast\"\n{CLOTH}[[solid]]\n{solid}\n");
    Scene::parse("s.toml", &text, Some(&folder.0)).map_err(|e| e.to_string())
}

/// What `check` says that contains a word.
fn said(scene: &Scene, word: &str) -> Vec<(Severity, String)> {
    let findings = scene.examine().findings.into_iter();
    findings.filter(|f| f.what.contains(word)).map(|f| (f.severity, f.what)).collect()
}

/// Scaled, then rotated, then moved; pinned, drawn in the colour of solids, as thick as other solids keep cloth away.
#[test]
fn a_mesh_is_a_solid_body_posed_as_asked() {
    let folder = Folder::new("solid").with("block.obj", &block(0.0));
    let keys = "mesh = { file = \"block.obj\" }\nposition = [1.0, 2.0, 3.0]\nrotation = [0.0, 90.0, 0.0]\nscale = 2.0\n";
    let scene = parse(&folder, keys).unwrap();
    let body = scene.model.body("solid0").unwrap();
    assert!(scene.model.bodies[body].solid);
    let (low, high) =
        scene.model.particles_of(body).fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(a, b), i| {
            assert!(scene.state.filters[i].is_pinned());
            (a.min(scene.model.rest[i]), b.max(scene.model.rest[i]))
        });
    assert!((low - DVec3::new(0.7, 1.9, 2.8)).length() < 1e-12, "{low}");
    assert!((high - DVec3::new(1.3, 2.1, 3.2)).length() < 1e-12, "{high}");
    assert_eq!(scene.colours[body], taut::render::STONE);
    let plain = Scene::parse("s.toml", CLOTH, None).unwrap();
    let skin = scene.model.skin(body);
    assert_eq!(skin.thickness, Some(0.25 * plain.model.mean_rest_length()));
    assert_eq!(scene.model.mean_rest_length(), plain.model.mean_rest_length());
    assert!(
        scene.examine().findings.iter().all(|f| !f.what.contains("solid0")),
        "{:?}",
        scene.examine().findings
    );
    // Drawn in every output, marked by no pins, in the numbering of the files it came from.
    let animation = taut::export::Animation::of_scene(&scene);
    assert_eq!((animation.moving.len(), animation.statics.len(), animation.pinned.len()), (2, 0, 0));
    assert!(animation.moving[1].solid && animation.moving[1].triangles.len() == 12);
    assert_eq!(scene.mesh.original.vertices.len(), scene.model.particles());
}

/// By keys, before the first of which it is where that says; a cloth's pins turn by an event in the same way.
#[test]
fn keys_move_meshes_and_turn_pins() {
    let folder = Folder::new("keys").with("block.obj", &block(0.0));
    let movement = "move = { path = [[0.0, 0.5, 0.0, 0.0], [0.1, 1.0, 0.0, 0.0]], turn = [[0.0, 0.0, 0.0, 0.0], [0.1, 0.0, 720.0, 0.0]] }";
    let scene =
        parse(&folder, &format!("name = \"arm\"\nmesh = {{ file = \"block.obj\" }}\n{movement}\n")).unwrap();
    let first = scene.model.particles_of(scene.model.body("arm").unwrap()).next().unwrap();
    let rest = scene.model.rest[first];
    assert!(scene.state.positions[first].distance(rest + DVec3::X * 0.5) < 1e-15);
    let mut simulation = scene.simulation().unwrap();
    let frames = (0.0625 / scene.time_step()).round() as usize;
    take(&mut simulation, frames);
    let time = simulation.state().time;
    let angle = (7200.0 * time).to_radians();
    let turned = DVec3::new(
        rest.x * angle.cos() + rest.z * angle.sin(),
        rest.y,
        rest.z * angle.cos() - rest.x * angle.sin(),
    );
    let expected = turned + DVec3::X * (0.5 + 5.0 * time);
    assert!(simulation.positions()[first].distance(expected) < 1e-12);
    let text = format!(
        "{CLOTH}[[pin]]\nname = \"edge\"\nat = [\"top\"]\n[[event]]\ntime = 0.0\nmove = \"edge\"\n\
         turn = [[0.0, 0.0, 0.0, 0.0], [0.1, 0.0, 360.0, 0.0]]\nabout = [0.0, 0.0, 0.0]\n"
    );
    let scene = Scene::parse("s.toml", &text, None).unwrap();
    let mut simulation = scene.simulation().unwrap();
    take(&mut simulation, (0.05 / scene.time_step()).round() as usize);
    let angle = (3600.0 * simulation.state().time).to_radians();
    for i in 0..5 {
        let (p, now) = (scene.state.positions[i], simulation.positions()[i]);
        let (sine, cosine) = angle.sin_cos();
        let expected = DVec3::new(p.x * cosine + p.z * sine, p.y, p.z * cosine - p.x * sine);
        assert!(now.distance(expected) < 1e-12, "{now}, {expected}");
    }
}

/// Numbered files and a point cache of the same frames: straight in between, and the same.
#[test]
fn a_sequence_moves_a_mesh() {
    let mut folder = Folder::new("walk");
    let mut cache = b"POINTCACHE2\0".to_vec();
    cache.extend([1, 8].map(i32::to_le_bytes).concat());
    cache.extend([0.0, 1.0].map(f32::to_le_bytes).concat());
    cache.extend(3i32.to_le_bytes());
    for frame in 0..3 {
        let shift = 0.25 * f64::from(frame * frame);
        folder = folder.with(&format!("walk_{frame:02}.obj"), &block(shift));
        let places = cuboid(DVec3::new(shift, 0.0, 0.0), DVec3::new(0.2, 0.1, 0.3)).0;
        cache.extend(places.iter().flat_map(|p| p.to_array()).flat_map(|x| (x as f32).to_le_bytes()));
    }
    std::fs::write(folder.0.join("walk.pc2"), cache).unwrap();
    for (mesh, exact) in [
        ("{ sequence = \"walk_*.obj\", frames_per_second = 20.0 }", 1e-12),
        ("{ file = \"walk_01.obj\", pc2 = \"walk.pc2\", frames_per_second = 20.0 }", 1e-6),
    ] {
        let scene = parse(&folder, &format!("mesh = {mesh}\nposition = [0.0, -1.0, 0.0]\n")).unwrap();
        let body = scene.model.body("solid0").unwrap();
        let first = scene.model.particles_of(body).next().unwrap();
        let start = scene.model.rest[first];
        assert!(start.distance(DVec3::new(-0.1, -1.05, -0.15)) < exact, "the first frame, posed: {start}");
        let mut simulation = scene.simulation().unwrap();
        let mut seen = 0;
        while simulation.state().time < 0.13 {
            take(&mut simulation, 1);
            let place = (20.0 * simulation.state().time).min(2.0);
            let expected = if place <= 1.0 { 0.25 * place } else { 0.25 + 0.75 * (place - 1.0) };
            let found = simulation.positions()[first] - start;
            assert!(found.distance(DVec3::X * expected) < exact, "{found}, {expected}");
            seen += usize::from(place == 2.0);
        }
        assert!(seen > 0, "it stays at the end");
        let jump = said(&scene, "more than its size");
        assert_eq!(jump.len(), 1, "0.75 m for a block of 0.37 m");
        assert!(jump[0].0 == Severity::Warning && jump[0].1.contains("in frame 2"), "{jump:?}");
    }
}

/// Each names the scene's line, the file and what to do.
#[test]
fn sequences_that_are_wrong_are_refused_by_name() {
    let other = obj(&cuboid(DVec3::ZERO, DVec3::ONE).0, &[[0, 1, 2], [1, 3, 2]]);
    let folder = Folder::new("wrong")
        .with("gap_1.obj", &block(0.0))
        .with("gap_2.obj", &block(0.0))
        .with("gap_4.obj", &block(0.0))
        .with("nan_1.obj", &block(0.0))
        .with("nan_2.obj", &block(0.0).replacen("v -0.1", "v nan", 1))
        .with("top_1.obj", &block(0.0))
        .with("top_2.obj", &other)
        .with("dots.obj", "v 0 0 0\nv 1 0 0\n")
        .with("short.pc2", "POINTCACHE2\0");
    let cases = [
        (
            "mesh = { sequence = \"gap_*.obj\" }",
            ["sequence = \"gap_*.obj\"", "gap_4.obj", "frame 3 is missing"],
        ),
        ("mesh = { sequence = \"nan_*.obj\" }", ["s.toml:", "nan_2.obj", "finite"]),
        ("mesh = { sequence = \"top_*.obj\" }", ["s.toml:", "top_2.obj", "has 2 faces, but the mesh has 12"]),
        ("mesh = { sequence = \"none_*.obj\" }", ["s.toml:", "none_*.obj", "no such files"]),
        ("mesh = { sequence = \"gap_1.obj\" }", ["s.toml:", "sequence = \"gap_1.obj\"", "walk_*.obj"]),
        ("mesh = { sequence = \"../gap_*.obj\" }", ["s.toml:", "gap_*.obj", "leaves the folder"]),
        (
            "mesh = { file = \"gap_1.obj\", pc2 = \"short.pc2\" }",
            ["s.toml:", "pc2 = \"short.pc2\"", "short.pc2"],
        ),
        ("mesh = { pc2 = \"short.pc2\" }", ["s.toml:", "one source", "the file of its mesh"]),
        (
            "mesh = { file = \"gap_1.obj\", sequence = \"gap_*.obj\", pc2 = \"a\" }",
            ["s.toml:", "one source", "file"],
        ),
        ("mesh = { file = \"absent.obj\" }", ["s.toml:", "file = \"absent.obj\"", "absent.obj"]),
        ("mesh = { file = \"dots.obj\" }", ["s.toml:", "no faces", "export it with faces"]),
        (
            "mesh = { file = \"gap_1.obj\", frames_per_second = 3.0 }",
            ["frames_per_second = 3", "only a sequence", ""],
        ),
        ("mesh = { file = \"gap_1.obj\", up = \"x\" }", ["up = \"x\"", "must be", ""]),
        ("mesh = { file = \"gap_1.obj\" }\nmargin = 0.1", ["margin = 0.1", "thickness", ""]),
        ("mesh = { file = \"gap_1.obj\" }\nthickness = -0.1", ["thickness = -0.1", "zero or more", ""]),
        ("mesh = { file = \"gap_1.obj\" }\nfriction = nan", ["friction = NaN", "zero or more", ""]),
        ("mesh = { file = \"gap_1.obj\" }\nscale = 0.0", ["scale = 0", "positive", ""]),
        ("mesh = { file = \"gap_1.obj\" }\nname = \"body0\"", ["name = \"body0\"", "two bodies", ""]),
        ("mesh = { file = \"gap_1.obj\" }\nground = {}", ["2 shapes", "exactly one of", "mesh"]),
        (
            "mesh = { sequence = \"top_*.obj\", file = \"top_1.obj\" }",
            ["s.toml:", "top_2.obj", "all frames must be of one mesh"],
        ),
    ];
    for (solid, parts) in cases {
        let error = parse(&folder, solid).map(|_| ()).unwrap_err();
        parts.iter().for_each(|part| assert!(error.contains(part), "`{error}` lacks `{part}` for {solid}"));
        assert!(!error.contains('\n'), "{error}");
    }
    let one = folder.with("one_1.obj", &block(0.0));
    let both = "mesh = { sequence = \"one_*.obj\" }\nmove = { path = [[0.0, 0.0, 0.0, 0.0]] }";
    assert!(parse(&one, both).unwrap_err().contains("moves in two ways"));
}

/// Open, inverted, flat, doubled: used as they are, counted in one sentence.
#[test]
fn odd_meshes_are_counted_in_one_finding() {
    let (places, faces) = cuboid(DVec3::Y * -2.0, DVec3::splat(0.2));
    let inverted: Vec<[u32; 3]> = faces.iter().map(|&[a, b, c]| [a, c, b]).collect();
    let mut mixed = faces.clone();
    mixed[0].swap(0, 1);
    let more = |extra: &[[u32; 3]]| [&faces[..], extra].concat();
    let line = [&places[..], &[0.5 * (places[0] + places[1])]].concat();
    for (mesh, severity, parts) in [
        ((places.clone(), faces[1..].to_vec()), Severity::Note, vec!["3 open edges"]),
        ((places.clone(), inverted), Severity::Warning, vec!["inside out"]),
        ((places.clone(), mixed), Severity::Warning, vec!["3 edges whose faces are wound against"]),
        (
            (places.clone(), more(&[[0, 1, 7]])),
            Severity::Warning,
            vec!["1 open edges", "2 edges with three faces"],
        ),
        ((line, more(&[[0, 8, 1]])), Severity::Warning, vec!["1 faces without area"]),
    ] {
        let folder = Folder::new("odd").with("odd.obj", &obj(&mesh.0, &mesh.1));
        let scene = parse(&folder, "mesh = { file = \"odd.obj\" }").unwrap();
        let found = said(&scene, "the mesh of solid");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, severity, "{found:?}");
        parts.iter().for_each(|part| assert!(found[0].1.contains(part), "{found:?} lacks {part}"));
    }
}

/// A mesh that nothing meets because contact is off, and pins within solids of both kinds.
#[test]
fn what_will_go_wrong_is_said_before() {
    let folder = Folder::new("warned").with("block.obj", &block(0.0));
    let off = format!("{CLOTH}[[solid]]\nmesh = {{ file = \"block.obj\" }}\n");
    let scene = Scene::parse("s.toml", &off, Some(&folder.0)).unwrap();
    let expected = scene.settings.contact.level == taut::collision::Level::Off;
    assert_eq!(!said(&scene, "everything passes through").is_empty(), expected);
    assert!(said(&parse(&folder, "mesh = { file = \"block.obj\" }").unwrap(), "passes through").is_empty());
    let text = |solid: &str, scale: f64| {
        format!(
            "[contact]\nlevel = \"fast\"\n{CLOTH}position = [0.0, 0.0, 0.0]\n[[pin]]\nindices = [12]\n\
             [[solid]]\n{solid}\nscale = {scale}\n"
        )
    };
    let mesh = |scale| {
        Scene::parse("s.toml", &text("mesh = { file = \"block.obj\" }", scale), Some(&folder.0)).unwrap()
    };
    let inside = said(&mesh(1.0), "inside solid");
    assert_eq!(inside.len(), 1);
    assert!(inside[0].1.contains("1 of them pinned"), "{inside:?}");
    let ball = text("sphere = { centre = [0.0, 0.0, 0.0], radius = 0.05 }", 1.0).replace("scale = 1\n", "");
    let inside = said(&Scene::parse("s.toml", &ball, None).unwrap(), "pins inside solid");
    assert!(
        inside.len() == 1 && inside[0].1.contains("1 pins") && inside[0].1.contains("particle 12"),
        "{inside:?}"
    );
}

/// Vertices and faces written out, and a profile turned on a lathe, are solids like any other.
#[test]
fn a_mesh_may_be_written_in_the_scene() {
    let folder = Folder::new("made");
    let blade = "mesh = { vertices = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, 1.0, 0.0]], \
                 faces = [[0, 1, 2], [0, 2, 3]] }\nname = \"blade\"\nscale = 2.0\n";
    let scene = parse(&folder, blade).unwrap();
    let body = scene.model.body("blade").unwrap();
    let places: Vec<DVec3> = scene.model.particles_of(body).map(|i| scene.model.rest[i]).collect();
    assert_eq!((places.len(), places[2]), (4, DVec3::new(2.0, 4.0, 0.0)));
    assert!(scene.model.bodies[body].solid);
    assert_eq!(said(&scene, "blade").len(), 1, "its open edges");

    let scene = parse(
        &folder,
        "mesh = { lathe = [[0.0, 0.0], [0.5, 1.0], [0.5, 2.0]] }\nposition = [0.0, 1.0, 0.0]\n",
    );
    let scene = scene.unwrap();
    let body = scene.model.body("solid0").unwrap();
    let places: Vec<DVec3> = scene.model.particles_of(body).map(|i| scene.model.rest[i]).collect();
    assert_eq!(places.len(), 1 + 2 * 48);
    assert_eq!(places[0], DVec3::Y);
    assert!(places[49..].iter().all(|p| p.y == 3.0 && (p.x.hypot(p.z) - 0.5).abs() < 1e-12));
}
