//! What a run is: frames of steps, their summary, and films that are whole or absent.

use taut::export::Animation;
use taut::run::{Recording, Summary, step_frame};
use taut::{Error, Scene};

/// A simulation that no scene made runs and is shown like one.
#[test]
fn a_simulation_is_run_as_a_scene() {
    let scene = Scene::load("curtain21").unwrap();
    let mut simulation = scene.simulation().unwrap();
    simulation.step().unwrap();
    let around = Scene::around("mine", &simulation);
    assert_eq!((around.substeps, around.frames, around.name.as_str()), (1, 0, "mine"));
    let (mut one, mut other) = (simulation, around.simulation().unwrap());
    let mut reports = 0;
    let mut summary = Summary::default();
    step_frame(&around, &mut one, &mut summary, |_| {
        reports += 1;
        true
    })
    .unwrap();
    other.step().unwrap();
    assert_eq!(one.positions(), other.positions());
    assert_eq!((reports, summary.steps), (1, 1));
    let animation = Animation::of_scene(&around);
    assert_eq!(animation.triangles, Animation::of_scene(&scene).triangles);
}

/// Positions of a recording are those of the simulation in single precision, bodies interleaved or not, copies on their
/// originals before there were any.
#[test]
fn recordings_know_where_everything_was() {
    let text = "[contact]\nlevel = \"off\"\n[[body]]\ngrid = { columns = 11, rows = 11, width = 1.0, height = 1.0 }\n\
                [[event]]\ntime = 0.1\ncut = { line = [[0.03, -1.0, -2.0], [0.03, -1.0, 2.0]], along = [0.0, 2.0, 0.0] }\n";
    let scene = Scene::parse("cut", text, None).unwrap();
    let mut simulation = scene.simulation().unwrap();
    let (mut recording, mut summary) = (Recording::new(&scene, 0), Summary::default());
    let mut seen = Vec::new();
    for frame in 0..8 {
        if frame > 0 {
            step_frame(&scene, &mut simulation, &mut summary, |_| true).unwrap();
        }
        recording.push(&scene, &simulation).unwrap();
        seen.push(simulation.positions().to_vec());
    }
    let model = simulation.model();
    assert!(!model.copies.is_empty(), "it was cut");
    assert_eq!(summary.json(&scene, &simulation, &[])["cut"]["copies"], model.copies.len());
    for (frame, seen) in seen.iter().enumerate() {
        let positions = recording.positions(frame);
        assert_eq!(positions.len(), model.particles());
        for (i, place) in seen.iter().enumerate() {
            assert_eq!(positions[i], place.to_array().map(|c| c as f32), "frame {frame}, particle {i}");
        }
        for &[copy, parent] in model.copies.iter().filter(|[copy, _]| *copy as usize >= seen.len()) {
            assert_eq!(positions[copy as usize], positions[parent as usize]);
        }
    }
}

#[test]
fn films_are_whole_or_absent() {
    let folder = std::env::temp_dir().join(format!("taut_films_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let scene = Scene::load("curtain21").unwrap();
    let mut recording = Recording::new(&scene, 0);
    let save = |recording: &Recording, name: &str| recording.save(&scene, &folder.join(name), (64, 48));
    assert!(matches!(save(&recording, "none.glb"), Err(Error::Setting { .. })), "no frames");
    let simulation = scene.simulation().unwrap();
    recording.push(&scene, &simulation).unwrap();
    recording.push(&scene, &simulation).unwrap();
    for name in ["a.glb", "a.html", "a.gif", "a.png", "a.obj", "a.ply", "b.GLB"] {
        let path = save(&recording, name).unwrap();
        assert!(std::fs::metadata(path).unwrap().len() > 100, "{name}");
    }
    let message = save(&recording, "a.mp4").unwrap_err().to_string();
    assert!(message.contains("a.mp4: cannot write this format; end the name in .glb"), "{message}");
    assert!(save(&recording, "nowhere/a.glb").is_err());
    let names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 7, "{names:?}");
    std::fs::remove_dir_all(&folder).unwrap();
}
