//! Cuts by a script, and what films and meshes make of them.

use crate::common::take;
use std::collections::BTreeSet;
use taut::export::{Animation, Film, write_glb};
use taut::{Blade, DVec3, Edit, Error, Parted, Scene, Simulation, Way, mesh_io};

/// Two bodies, a piece of cloth and a hair, cut twice at once and once again.
const SCENE: &str = r#"
    duration = 1.0
    contact = { level = "off" }
    method = { iterations = 10 }
    [[body]]
    name = "hair"
    strands = { columns = 2, rows = 1, spacing = 0.2, particles = 9, length = 0.8 }
    position = [0.0, 0.0, 0.5]
    [[body]]
    name = "sheet"
    grid = { columns = 13, rows = 13, width = 1.0, height = 1.0 }
    rotation = [90.0, 0.0, 0.0]
    [[body]]
    name = "other"
    grid = { columns = 5, rows = 5, width = 0.5, height = 0.5 }
    position = [2.0, 0.0, 0.0]
    rotation = [90.0, 0.0, 0.0]
    [[pin]]
    name = "top"
    body = "sheet"
    at = ["top"]
    [[pin]]
    body = "hair"
    at = ["roots"]
    [[event]]
    time = 0.2
    cut = { line = [[-0.6, -0.1, -1.0], [0.6, -0.05, -1.0]], along = [0.0, 0.0, 3.0] }
    [[event]]
    time = 0.2
    cut = { line = [[0.03, -0.3, -1.0], [0.03, 0.7, -1.0]], along = [0.0, 0.0, 3.0] }
    [[event]]
    time = 0.1
    move = "top"
    path = [[0.5, 0.1, 0.1, 0.0]]
    [[event]]
    time = 0.35
    stiffness = 2.0
    [[event]]
    time = 0.45
    release = "top"
    [[event]]
    time = 0.4
    cut = { line = [[1.6, -0.8, -1.0], [2.6, -0.8, -1.0]], along = [0.0, 0.0, 3.0] }
"#;

fn scene() -> Scene {
    Scene::parse("cuts", SCENE, None).unwrap()
}

fn knives(scene: &Scene) -> Vec<Blade> {
    let blade =
        |event: &taut::Event| if let Edit::Cut(blade) = &event.edit { Some(blade.clone()) } else { None };
    scene.events.iter().filter_map(blade).collect()
}

/// Its other events.
fn uncut(scene: &Scene) -> Vec<taut::Event> {
    let others = scene.events.iter().filter(|event| !matches!(event.edit, Edit::Cut(_)));
    others.cloned().collect()
}

/// A cut by a script is that by hand before the same step, to the bit; reports say what it did and how it was followed.
#[test]
fn a_script_cuts_as_a_hand_does() {
    for level in ["off", "fast"] {
        let text = SCENE.replace("off", level);
        script_and_hand(&Scene::parse("cuts", &text, None).unwrap());
    }
}

fn script_and_hand(scene: &Scene) {
    let mut scripted = scene.simulation().unwrap();
    let mut by_hand = scene.simulation().unwrap();
    by_hand.set_script(uncut(scene)).unwrap();
    let knives = knives(scene);
    for step in 0..20 {
        let mut removed = 0;
        for knife in match step {
            6 => &knives[..2],
            12 => &knives[2..],
            _ => &[],
        } {
            removed += by_hand.cut(knife).unwrap().removed;
        }
        let before = scripted.model().particles();
        let (report, other) = (scripted.step().unwrap(), by_hand.step().unwrap());
        assert_eq!((report.parted, report.way), (other.parted, other.way), "step {step}");
        if [6, 12].contains(&step) {
            let Parted { copies, removed: all, pieces, .. } = report.parted.unwrap();
            assert_eq!((before + copies, removed), (scripted.model().particles(), all));
            // Another tenth of the particles are copies: they are ordered afresh.
            assert_eq!((pieces, report.way), if step == 6 { (8, Way::Fresh) } else { (9, Way::KeptOrder) });
        } else {
            assert_eq!(report.parted, None);
        }
        assert!(scripted.model() == by_hand.model());
        assert!(scripted.positions() == by_hand.positions(), "step {step}");
    }
}

/// From a snapshot before a cut or after it a run goes on to the same bits.
#[test]
fn snapshots_know_the_cuts_to_come() {
    let mut simulation = scene().simulation().unwrap();
    let mut others = Vec::new();
    for step in 0..16 {
        if [4, 6, 7, 12].contains(&step) {
            others.push(Simulation::restore(&simulation.snapshot()).unwrap().simulation);
        }
        others.iter_mut().for_each(|other| take(other, 1));
        take(&mut simulation, 1);
        assert!(others.iter().all(|other| other.snapshot() == simulation.snapshot()), "step {step}");
    }
}

/// A step that fails after its script has cut leaves everything as it was; so does a cut that is refused.
#[test]
fn a_step_that_fails_has_cut_nothing() {
    let mut simulation = scene().simulation().unwrap();
    let mut other = scene().simulation().unwrap();
    take(&mut simulation, 6);
    take(&mut other, 6);
    let last = simulation.positions().len() - 1;
    let force = |force| Edit::Forces { particles: vec![last], forces: vec![force] };
    simulation.edit(force(DVec3::MAX)).unwrap();
    let before = simulation.snapshot();
    for _ in 0..2 {
        assert!(matches!(simulation.step(), Err(Error::NonFinite { .. })));
        assert!(simulation.snapshot() == before);
    }
    simulation.edit(force(DVec3::ZERO)).unwrap();
    for _ in 0..10 {
        assert_eq!(simulation.step().unwrap().parted, other.step().unwrap().parted);
        assert!(simulation.snapshot() == other.snapshot());
    }
}

/// So finely that there would be more than four copies of everything: refused, with the number, by a hand and a script.
#[test]
fn too_many_copies_are_refused() {
    let text = "[[body]]\nmesh = { file = \"block.msh\" }";
    assert!(Scene::parse("block", text, None).is_err(), "a scene needs its mesh");
    let mut simulation = super::cut::block(3);
    let normals =
        [DVec3::X, DVec3::Y, DVec3::Z, DVec3::X - DVec3::Y, DVec3::Y - DVec3::Z, DVec3::X - DVec3::Z];
    let mut knives = Vec::new();
    for normal in normals {
        for level in -30..60 {
            let at = (f64::from(level) / 20.0 + 0.007) * normal / normal.length_squared();
            let side = normal.any_orthogonal_vector().normalize();
            let along = normal.cross(side).normalize();
            knives.push(
                Blade::sweep(&[at - 9.0 * (side + along), at + 9.0 * (side - along)], 18.0 * along).unwrap(),
            );
        }
    }
    let mut script = Vec::new();
    let refused = knives.iter().find_map(|knife| {
        let before = simulation.snapshot();
        script.push(taut::Event { time: 0.0, edit: Edit::Cut(knife.clone()) });
        let refused = simulation.cut(knife).err()?;
        assert!(simulation.snapshot() == before);
        Some(refused.to_string())
    });
    let refused = refused.expect("it is cut to pieces");
    assert!(refused.contains("copies") && refused.contains("at most 256"), "{refused}");
    let mut simulation = super::cut::block(3);
    simulation.set_script(script).unwrap();
    let before = simulation.snapshot();
    let message = simulation.step().unwrap_err().to_string();
    assert!(message.contains("cut of event") && message.contains("at 0 s"), "{message}");
    assert!(simulation.snapshot() == before);
}

type Frame = (mesh_io::Mesh, Vec<DVec3>, Vec<[u32; 3]>);

/// Run a scene into an animation, and keep each frame's own mesh and triangles.
fn film(scene: &Scene, frames: usize) -> (Animation, Vec<Frame>) {
    let mut simulation = scene.simulation().unwrap();
    let mut animation = Animation::of_scene(scene);
    let mut meshes = Vec::new();
    for frame in 0..frames {
        let cut = frame > 0 && simulation.step().unwrap().parted.is_some();
        let model = simulation.model();
        let mesh = scene.mesh.parted(model);
        if cut {
            animation.follow(model, &mesh);
        }
        animation.push(simulation.positions()).unwrap();
        meshes.push((mesh, simulation.positions().to_vec(), model.triangles.clone()));
    }
    (animation, meshes)
}

/// A film has its last topology in all frames, and is drawn as each frame was: pictures before a cut are those of a run
/// that is never cut.
#[test]
fn films_go_on_through_cuts() {
    let scene = scene();
    let (animation, meshes) = film(&scene, 16);
    animation.validate().unwrap();
    let model = scene
        .simulation()
        .map(|mut s| {
            take(&mut s, 15);
            s.model().clone()
        })
        .unwrap();
    assert_eq!(animation.particles(), model.particles());
    assert_eq!(animation.triangles.len(), model.triangles.len());
    let place = |i: u32| animation.order.iter().position(|&o| o == i).unwrap();
    let apart = |frame: usize| {
        let at = |i: u32| animation.frames[frame][place(i)];
        model.copies.iter().filter(|[copy, from]| at(*copy) != at(*from)).count()
    };
    assert_eq!((apart(0), apart(6)), (0, 0));
    assert!(apart(8) > 10 && apart(15) > 10);
    // Each frame draws the triangles it had, at the places they had.
    let whole = Scene { events: uncut(&scene), ..scene.clone() };
    let (uncut, _) = film(&whole, 7);
    let cut = Animation { frames: animation.frames[..7].to_vec(), ..animation.clone() };
    let (mut one, mut other) = (Film::new(&cut, 120, 90).unwrap(), Film::new(&uncut, 120, 90).unwrap());
    for frame in [0, 3, 6] {
        assert!(one.picture(frame) == other.picture(frame), "frame {frame}");
    }
    let mut bytes = Vec::new();
    write_glb(&animation, &mut bytes).unwrap();
    let back = mesh_io::read_bytes("film.glb", &bytes).unwrap();
    let drawn: usize = animation.moving.iter().map(|mesh| mesh.triangles.len()).sum();
    assert!(back.triangles.len() >= drawn, "{} of {drawn}", back.triangles.len());
    assert_eq!(animation.cuts.lost.len(), 2, "two links of hair are gone");
    assert_eq!(meshes.len(), 16);
}

/// Frame files have each frame's own vertices, faces and lines, and read back.
#[test]
fn meshes_are_written_as_they_were_cut() {
    let (_, meshes) = film(&scene(), 16);
    let mut lines = BTreeSet::new();
    for (mesh, positions, triangles) in &meshes {
        assert_eq!((mesh.positions.len(), &mesh.triangles), (positions.len(), triangles));
        lines.insert(mesh.original.lines.len());
        for (name, write) in [("a.obj", true), ("a.ply", false)] {
            let mut bytes = Vec::new();
            match write {
                true => mesh_io::write_obj(mesh, positions, &mut bytes, &[]).unwrap(),
                false => mesh_io::write_ply(mesh, positions, &mut bytes, &[]).unwrap(),
            }
            let back = mesh_io::read_bytes(name, &bytes).unwrap();
            assert_eq!(back.original.vertices.len(), positions.len());
            let mut faces: Vec<[u32; 3]> = back.original.corners.as_chunks().0.to_vec();
            let mut own = triangles.clone();
            faces.sort_unstable();
            own.sort_unstable();
            assert!(faces == own, "{name}");
        }
    }
    assert_eq!(lines.into_iter().collect::<Vec<_>>(), [14, 16]);
}

/// What is wrong with a blade is said with its line.
#[test]
fn mistakes_are_named() {
    for (cut, what) in [
        ("{ line = [[0.0, 0.0, 0.0]], along = [0.0, 0.0, 1.0] }", "two points"),
        ("{ line = [], along = [0.0, 0.0, 1.0] }", "two points"),
        ("{ line = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], along = [0.0, 0.0, 0.0] }", "needs a width"),
        ("{ line = [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], along = [0.0, 0.0, 1.0] }", "give it a length"),
        ("{ line = [[1.0, nan, 0.0], [1.0, 0.0, 0.0]], along = [0.0, 0.0, 1.0] }", "must be finite"),
        ("{ line = [[1e308, 0.0, 0.0], [1.0, 0.0, 0.0]], along = [1e308, 0.0, 1.0] }", "nearer than 1e100 m"),
        ("{ line = [[1.0, 0.0], [1.0, 0.0, 0.0]], along = [0.0, 0.0, 1.0] }", "3 numbers"),
        ("{ line = [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]] }", "`along` is missing"),
        ("{ line = [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], along = [0.0, 0.0, 1.0], deep = 1 }", "unknown key"),
        ("[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]", "cut = "),
    ] {
        let text = format!("{SCENE}    [[event]]\n    time = 1.0\n    cut = {cut}\n");
        let message = Scene::parse("cuts.toml", &text, None).unwrap_err().to_string();
        let line = text.lines().count();
        let near = (line - 2..=line).any(|n| message.contains(&format!(":{n}:")));
        assert!(message.contains(what) && near, "{cut}: {message}");
    }
    // Huge ones cut like any other, and one far away changes nothing.
    let huge =
        |x: f64| format!("{{ line = [[{x:e}, -1e6, -1e6], [{x:e}, 1e6, -1e6]], along = [0.0, 0.0, 2e6] }}");
    for (x, pieces) in [(0.21, 11), (1e6, 9)] {
        let text = format!("{SCENE}    [[event]]\n    time = 0.45\n    cut = {}\n", huge(x));
        let mut simulation = Scene::parse("cuts.toml", &text, None).unwrap().simulation().unwrap();
        let last = (0..16).filter_map(|_| simulation.step().unwrap().parted).last();
        assert_eq!(last.unwrap().pieces, pieces);
    }
}

/// Pictures show what is there before a hole is; frame files never more than there is.
#[test]
fn holes_are_not_there_before_they_are_made() {
    let hole = "    [[event]]\n    time = 0.3\n    body = \"sheet\"\n    cut_at = [84, 30]\n";
    let punched = Scene::parse("cuts", &format!("{SCENE}{hole}"), None).unwrap();
    let (film_of, meshes) = film(&punched, 14);
    let (plain, _) = film(&scene(), 14);
    let first =
        |animation: &Animation| Animation { frames: animation.frames[..9].to_vec(), ..animation.clone() };
    let (one, other) = (first(&film_of), first(&plain));
    let (mut one, mut other) = (Film::new(&one, 120, 90).unwrap(), Film::new(&other, 120, 90).unwrap());
    // Later triangles in another order make other last bits of normals.
    for frame in [0, 5] {
        assert!(one.picture(frame) == other.picture(frame), "frame {frame}");
    }
    let (mut one, mut other) = (Film::new(&film_of, 120, 90).unwrap(), Film::new(&plain, 120, 90).unwrap());
    assert!(one.picture(11) != other.picture(11), "there is a hole");
    for (mesh, positions, triangles) in [&meshes[8], &meshes[13]] {
        let mut bytes = Vec::new();
        mesh_io::write_obj(mesh, positions, &mut bytes, &[]).unwrap();
        let back = mesh_io::read_bytes("a.obj", &bytes).unwrap();
        let mut faces: Vec<[u32; 3]> = back.original.corners.as_chunks().0.to_vec();
        let mut own = triangles.clone();
        faces.sort_unstable();
        own.sort_unstable();
        assert!(faces == own);
    }
    assert!(meshes[13].2.len() + 8 < meshes[8].2.len());
}

/// Methods without a constant matrix, and springs that no constant matrix suits, are prepared again after a cut.
#[test]
fn every_method_goes_on_after_a_cut() {
    let plain = "stretch = 100.0";
    let strips = "model = \"choi_ko\"\nbending = 1e-6";
    for (material, method) in [
        (strips, "adaptive_imex"),
        (strips, "newton"),
        (plain, "newton"),
        (plain, "hybrid"),
        (plain, "semi_implicit"),
        (plain, "xpbd"),
        (plain, "lbfgs"),
        (plain, "baraff_witkin"),
    ] {
        let text = format!(
            "duration = 1.0\ncontact = {{ level = \"off\" }}\nmethod = {{ name = \"{method}\" }}\n[[body]]\n\
             grid = {{ columns = 9, rows = 9, width = 1.0, height = 1.0 }}\n{material}\n[[pin]]\nat = [\"top\"]\n\
             [[event]]\ntime = 0.1\n\
             cut = {{ line = [[-1.0, -1.0, 0.03], [1.0, -1.0, 0.03]], along = [0.0, 2.0, 0.0] }}\n\
             [[event]]\ntime = 0.2\ncut_at = [4]\n"
        );
        let mut simulation = Scene::parse("cut", &text, None).unwrap().simulation().unwrap();
        let pieces: Vec<usize> =
            (0..12).filter_map(|_| simulation.step().unwrap().parted.map(|parted| parted.pieces)).collect();
        assert_eq!(pieces, [2, 3], "{method}");
        let model = simulation.model().clone();
        let mut fresh =
            Simulation::with_state(model, simulation.state().clone(), simulation.settings().clone()).unwrap();
        take(&mut fresh, 1);
        take(&mut simulation, 1);
        let apart = crate::common::distance(simulation.positions(), fresh.positions());
        assert!(apart < 1e-6, "{method}: {apart:e} m");
    }
}
