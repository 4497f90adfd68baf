//! A run with everything that was done to it is saved as a scene, which does the same by itself, to the bit.

use crate::common::{Random, take};
use taut::collision::{Course, Level, Motion, Pose};
use taut::{Blade, DVec3, Edit, Error, Method, Path, Recorded, Scene, Settings, Simulation, Solid, Stop};

const SCENE: &str = r#"
duration = 1.0
air = { density = 1.2 }
contact = { level = "off" }
tear = { strain = 0.6 }
[[body]]
name = "sheet"
grid = { columns = 9, rows = 9, width = 1.0, height = 1.0 }
rotation = [90.0, 0.0, 0.0]
[[body]]
name = "stone"
grid = { columns = 3, rows = 3, width = 0.2, height = 0.2 }
position = [2.0, 0.0, 0.0]
[[solid]]
sphere = { centre = [0.0, -0.6, 0.0], radius = 0.2 }
[[pin]]
name = "top"
at = ["top"]
[[event]]
time = 0.2
release = "top"
[[event]]
time = 0.3
cut_at = [40, 41]
"#;

/// Numbers that no short decimal is.
fn odd(random: &mut Random) -> DVec3 {
    random.vector(0.3)
}

/// One edit of every kind, between steps.
fn edits(random: &mut Random) -> Vec<Edit> {
    let knife = |x: f64| {
        Blade::sweep(&[DVec3::new(x, -1.0, -1.0), DVec3::new(x, 1.0, -1.0)], DVec3::Z * 2.0).unwrap()
    };
    let path = Path { keys: vec![(0.0, odd(random) * 0.1), (1.0 / 7.0, odd(random) * 0.1)] };
    let motion = Motion { shifts: vec![(0.0, DVec3::ZERO), (0.1, odd(random))], ..Motion::default() };
    let settings = Settings::without_contact(Method::ConjugateGradient(Stop::iterations(7)), 1.0 / 77.0);
    vec![
        Edit::Place { particles: vec![80, 72], places: vec![odd(random), odd(random)] },
        Edit::Wind(odd(random) * 10.0),
        Edit::Hold { particles: vec![40, 44], path },
        Edit::Cut(knife(0.02 * odd(random).x)),
        Edit::Gravity(odd(random) * 30.0),
        Edit::Follow { particles: vec![3, 4], course: Course::Rigid(Box::new(motion)) },
        Edit::Forces { particles: vec![83], forces: vec![odd(random)] },
        Edit::Stiffness { springs: vec![1, 2, 3], factor: 1.0 / 3.0 },
        Edit::Stiffnesses { springs: vec![4, 5], stiffness: vec![100.0 / 3.0, 1e-7] },
        Edit::Settings(Box::new(settings)),
        Edit::Release { particles: vec![80, 40] },
        Edit::CutAt { particles: vec![30, 85] },
        Edit::Velocities { particles: vec![86], velocities: vec![odd(random)] },
        Edit::Positions { particles: vec![87], positions: vec![odd(random)] },
        Edit::Move { solid: Solid::Obstacle(0), pose: Pose { shift: odd(random), ..Pose::default() } },
        Edit::Cut(knife(0.31)),
    ]
}

/// Of every edit there is, one after the other, while a script cuts and the cloth tears.
#[test]
fn a_saved_log_is_the_run_again() {
    let mut random = Random(12);
    let mut live = Scene::parse("live", SCENE, None).unwrap().simulation().unwrap();
    live.record();
    for (number, edit) in edits(&mut random).into_iter().enumerate() {
        take(&mut live, 1 + number % 3);
        if number == 3 {
            // A cut prepared apart is noted as what it opened.
            let mut apart = live.apart();
            apart.edit(edit).unwrap();
            take(&mut live, 1);
            live.adopt(apart).unwrap();
        } else {
            live.edit(edit.clone()).unwrap_or_else(|e| panic!("{edit:?}: {e}"));
        }
    }
    take(&mut live, 5);
    let (model, state) = (live.model().clone(), live.state().clone());
    live.edit(Edit::Replace(Box::new((model, state)))).unwrap();
    take(&mut live, 5);
    let log = live.log();
    assert!(log.iter().any(|one| matches!(one.edit, Edit::Open(_))) && log.len() == 17);

    let saved = format!("{SCENE}{}", Scene::log_to_text(log).unwrap());
    let scene = Scene::parse("saved", &saved, None).unwrap();
    assert_eq!(scene.log, log);
    let mut again = scene.simulation().unwrap();
    let steps = live.state().step;
    take(&mut again, steps as usize);
    assert!(again.state() == live.state() && again.model() == live.model());
    assert!(live.model().copies.len() > 20);
    // Saved again it is the same text.
    assert_eq!(Scene::log_to_text(&scene.log).unwrap(), Scene::log_to_text(log).unwrap());
}

/// An edit at a time is an event like any other; what is wrong is said with its line.
#[test]
fn edits_are_events_too() {
    let with = |event: &str| format!("{SCENE}[[event]]\n{event}\n");
    let scene = Scene::parse("one", &with("time = 0.1\nedit = { gravity = [0.0, 1.5, 0.0] }"), None).unwrap();
    let mut simulation = scene.simulation().unwrap();
    take(&mut simulation, 40);
    assert_eq!(simulation.model().gravity, DVec3::Y * 1.5);
    for (event, what) in [
        ("edit = { gravity = [0.0, 1.5, 0.0] }", "no time"),
        ("step = 3\ntime = 0.1\nedit = { gravity = [0.0, 1.5, 0.0] }", "neither"),
        ("step = 3\nwind = [0.0, 1.5, 0.0]", "neither"),
        ("step = 3", "neither"),
        ("step = 3\nedit = { levity = [0.0, 1.5, 0.0] }", "levity"),
        ("step = 3\nedit = { place = { particles = [3] } }", "places"),
        ("step = 3\nedit = { place = { particles = [3], places = [] } }", "one is needed for each"),
        ("step = 3\nedit = { place = { particles = [3], places = [[0.0, nan, 0.0]] } }", "finite"),
        ("step = 3\nedit = { place = { particles = [3], places = [[0.0, 0.0, 0.0]], paces = 1 } }", "paces"),
        ("step = 3\nedit = { open = { edges = [3], faces = [], springs = [] } }", "as many numbers"),
        ("time = 0.1\nedit = { move = { solid = { obstacle = 0 } } }", "pose"),
        ("time = 0.1\nedit = { gravity = [0.0, inf, 0.0] }", "finite"),
        ("time = 0.1\nedit = { release = { particles = [500] } }", "there are only"),
        ("time = 0.1\nbody = \"stone\"\ncut_at = [9]", "this body has 9 particles"),
        ("time = 0.1\nbody = \"stones\"\ncut_at = [9]", "did you mean"),
    ] {
        let text = with(event);
        let message = Scene::parse("edits.toml", &text, None).unwrap_err().to_string();
        let lines = text.lines().count();
        let near = (lines - 4..=lines).any(|n| message.contains(&format!(":{n}:")));
        assert!(message.contains(what) && near, "{event}: {message}");
    }
    // What only its step can refuse is refused then, and leaves everything as it was.
    let text = with("step = 3\nedit = { release = { particles = [500] } }");
    let mut simulation = Scene::parse("edits.toml", &text, None).unwrap().simulation().unwrap();
    take(&mut simulation, 3);
    let before = simulation.snapshot();
    let message = simulation.step().unwrap_err().to_string();
    assert!(message.contains("the edit after step 3") && simulation.snapshot() == before, "{message}");
    // And what is no number cannot be written.
    let edit = Edit::Gravity(DVec3::new(0.0, f64::NAN, 0.0));
    let refused = Scene::log_to_text(&[Recorded { step: 7, edit }]);
    assert!(matches!(refused, Err(Error::Setting { .. })));
    let settings = Settings {
        contact: taut::collision::ContactSettings::new(Level::Exact),
        ..Settings::new(Method::default(), 0.01)
    };
    let edit = Edit::Settings(Box::new(settings));
    assert!(Scene::log_to_text(&[Recorded { step: 7, edit }]).unwrap().contains("step = 7"));
}

/// A hole: everything of the particle is gone and nothing else; cloth, membranes that bend, tetrahedra.
#[test]
fn a_hole_takes_what_its_particle_has() {
    let whole = SCENE.replace("tear = { strain = 0.6 }", "");
    let mut cloth = Scene::parse("live", &whole, None).unwrap().simulation().unwrap();
    take(&mut cloth, 2);
    check(&mut cloth, 40);
    check(&mut cloth, 41);
    check(&mut cloth, 8);
    let mut block = super::cut::block(4);
    take(&mut block, 1);
    check(&mut block, 62);
    check(&mut block, 63);
    check(&mut block, 0);
    let refused = cloth.cut_at(5000).unwrap_err().to_string();
    assert!(refused.contains("there are only 90"), "{refused}");
}

fn check(simulation: &mut Simulation, particle: u32) {
    let before = Simulation::restore(&simulation.snapshot()).unwrap().simulation;
    let cut = simulation.cut_at(particle as usize).unwrap();
    let (m, n) = (before.model(), simulation.model());
    let own = |corners: &[u32]| corners.contains(&particle);
    assert!(cut.copies.is_empty() && m.particles() == n.particles() && m.masses == n.masses);
    let springs: Vec<_> = m.springs.iter().filter(|s| !own(&s.ends)).copied().collect();
    assert!(n.springs == springs && springs.len() < m.springs.len());
    assert_eq!(cut.removed, m.springs.len() - springs.len());
    assert!(cut.springs.iter().map(|&s| m.springs[s as usize]).eq(springs));
    assert!(n.tets.iter().eq(m.tets.iter().filter(|t| !own(&t[..]))));
    if m.tets.is_empty() {
        assert!(n.triangles.iter().eq(m.triangles.iter().filter(|t| !own(&t[..]))));
    } else {
        // The skin is that of the tetrahedra that are left: each face that has one of them only, outside out.
        let mut faces = std::collections::BTreeMap::new();
        for &[a, b, c, d] in &n.tets {
            for face in [[a, c, b], [a, b, d], [b, c, d], [a, d, c]] {
                let mut key = face;
                key.sort_unstable();
                faces.entry(key).or_insert_with(Vec::new).push(face);
            }
        }
        let turned = |[a, b, c]: [u32; 3]| [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap();
        let mut skin: Vec<[u32; 3]> = faces.values().filter(|f| f.len() == 1).map(|f| turned(f[0])).collect();
        let mut own: Vec<[u32; 3]> = n.triangles.iter().map(|t| turned(*t)).collect();
        skin.sort_unstable();
        own.sort_unstable();
        assert!(skin == own);
    }
    let again = simulation.snapshot();
    assert_eq!(simulation.cut_at(particle as usize).unwrap(), taut::Severed::default());
    assert!(simulation.snapshot() == again, "the second time nothing changes");
    let (model, state) = (n_of(simulation), simulation.state().clone());
    let mut fresh = Simulation::with_state(model, state, simulation.settings().clone()).unwrap();
    take(&mut fresh, 1);
    // The ball it meets is not in the other.
    simulation.set_obstacles(Vec::new()).unwrap();
    take(simulation, 1);
    assert!(crate::common::distance(simulation.positions(), fresh.positions()) <= 1e-6);
}

fn n_of(simulation: &Simulation) -> taut::Model {
    simulation.model().clone()
}
