//! What crosses already when a simulation begins, or when somebody has put particles where they are: it is found, named
//! and counted; `exact` refuses it, `fast` goes on and leaves it alone.

use taut::collision::Level;
use taut::doctor::{Finding, Severity};
use taut::geometry::edge_meets_face;
use taut::{DVec3, Edit, Model, Scene, Settings, Simulation, State};

/// A sheet, and another that stands upright a metre above it.
fn scene(level: &str, lines: &str) -> Scene {
    let sheet = "[[body]]\ngrid = { columns = 9, rows = 9, width = 1.0, height = 1.0 }\n";
    let upright = "rotation = [90.0, 0.0, 0.0]\nposition = [0.03, 1.747, 0.04]\n";
    let text = format!("[contact]\nlevel = \"{level}\"\n{sheet}{lines}{sheet}{upright}");
    Scene::parse("s.toml", &text, None).unwrap()
}

/// The second sheet through the first.
fn across(positions: &[DVec3]) -> Vec<DVec3> {
    let half = positions.len() / 2;
    (0..).zip(positions).map(|(i, &p)| if i < half { p } else { p - 1.7 * DVec3::Y }).collect()
}

/// How many edges and triangles meet, pair by pair; exactly, because a sheet that has moved as a whole lies in one plane
/// with its neighbours.
fn crossings(model: &Model, x: &[DVec3]) -> usize {
    let mut edges: Vec<[u32; 2]> =
        model.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.iter_mut().for_each(|edge| edge.sort_unstable());
    edges.sort_unstable();
    edges.dedup();
    let at = |i: u32| x[i as usize];
    let meet = |edge: &[u32; 2], t: &[u32; 3]| {
        !edge.iter().any(|i| t.contains(i)) && edge_meets_face(edge.map(at), t.map(at))
    };
    edges.iter().map(|edge| model.triangles.iter().filter(|t| meet(edge, t)).count()).sum()
}

fn found(scene: &Scene, words: &str) -> Vec<Finding> {
    let findings = scene.examine().findings;
    findings.into_iter().filter(|finding| finding.what.contains(words)).collect()
}

#[test]
fn crossings_at_the_start_are_named_and_counted() {
    for (level, severity) in [("fast", Severity::Warning), ("exact", Severity::Error)] {
        let mut scene = scene(level, "");
        assert_eq!(found(&scene, "cross at the start"), []);
        scene.state.positions = across(&scene.state.positions);
        let count = crossings(&scene.model, &scene.state.positions);
        assert!(count > 10);
        let told = found(&scene, "cross at the start");
        assert_eq!((told.len(), told[0].severity), (1, severity));
        let what = &told[0].what;
        assert!(what.starts_with(&format!("{count} pairs")), "{what}");
        assert!(what.matches("edge ").count() == 10 + 1 && what.ends_with(", ...)"), "{what}");
        let mut simulation = scene.simulation().unwrap();
        match simulation.step() {
            Ok(report) => assert_eq!((report.contact.unwrap().tangled, level), (count, "fast")),
            Err(error) => {
                let error = error.to_string();
                assert!(
                    level == "exact" && error.contains(what.as_str()) && error.contains("\"fast\""),
                    "{error}"
                );
            }
        }
    }
    let mut off = scene("off", "");
    off.state.positions = across(&off.state.positions);
    assert_eq!(found(&off, "cross at the start"), [], "nobody minds");
}

/// Whichever way positions come in, it is looked again what they cross.
#[test]
fn positions_set_by_the_user_are_checked() {
    type Put = fn(&mut Simulation, Vec<DVec3>);
    let with_state: Put = |simulation, positions| {
        let state = put(simulation.state(), positions);
        *simulation =
            Simulation::with_state(simulation.model().clone(), state, simulation.settings().clone()).unwrap();
    };
    let return_to: Put = |simulation, positions| {
        let state = put(simulation.state(), positions);
        simulation.return_to(&state).unwrap();
    };
    let rebuild: Put = |simulation, positions| {
        let other = put(simulation.state(), positions);
        let change = |_: &mut Model, state: &mut State| {
            *state = other;
            Ok(())
        };
        simulation.rebuild(change).unwrap();
    };
    let unwatched: Put = |simulation, positions| {
        let settings = simulation.settings().clone();
        let method = settings.method.clone();
        simulation.configure(Settings::without_contact(method, settings.time_step)).unwrap();
        edit_all(simulation, positions);
        simulation.step().unwrap();
        simulation.configure(settings).unwrap();
    };
    for (way, put) in [with_state, return_to, edit_all, rebuild, unwatched].into_iter().enumerate() {
        for level in ["fast", "exact"] {
            let mut simulation = scene(level, "").simulation().unwrap();
            let tangled = simulation.step().unwrap().contact.unwrap().tangled;
            assert_eq!(tangled, 0);
            let positions = across(simulation.positions());
            put(&mut simulation, positions);
            let expected = crossings(simulation.model(), simulation.positions());
            match simulation.step() {
                Ok(report) => {
                    assert_eq!((report.contact.unwrap().tangled, level), (expected, "fast"), "way {way}");
                }
                Err(error) => assert!(level == "exact" && error.to_string().contains("cross at"), "{error}"),
            }
        }
    }
}

fn put(state: &State, positions: Vec<DVec3>) -> State {
    let mut state = state.clone();
    state.positions = positions;
    state
}

fn edit_all(simulation: &mut Simulation, positions: Vec<DVec3>) {
    let particles = (0..positions.len()).collect();
    simulation.edit(Edit::Positions { particles, positions }).unwrap();
}

/// What is found by looking again is what was known: a tangled simulation goes on bit for bit.
#[test]
fn looking_again_finds_what_was_known() {
    let mut scene = scene("fast", "");
    scene.state.positions = across(&scene.state.positions);
    let mut simulation = scene.simulation().unwrap();
    (0..4).for_each(|_| _ = simulation.step().unwrap());
    let (model, state) = (simulation.model().clone(), simulation.state().clone());
    let mut other = Simulation::with_state(model, state, simulation.settings().clone()).unwrap();
    for _ in 0..4 {
        let [one, two] = [&mut simulation, &mut other].map(|s| s.step().unwrap().contact.unwrap().tangled);
        assert!(one > 0 && one == two);
    }
    assert_eq!(simulation.state(), other.state());
}

/// A body that may pass through itself is not tangled.
#[test]
fn what_may_cross_does_not_count() {
    let mut scene = scene("exact", "");
    scene.state.positions = across(&scene.state.positions);
    scene.model.body_of.fill(0);
    for meets in [true, false] {
        scene.model.bodies[0].skin.self_collide = meets;
        assert_eq!(found(&scene, "cross at the start").len(), usize::from(meets));
        assert_eq!(scene.simulation().unwrap().step().is_err(), meets);
    }
    assert_eq!(scene.settings.contact.level, Level::Exact);
}

/// Thickness that the mesh has no room for is said, with the pairs and what would fit; the usual one is nobody's fault.
#[test]
fn thickness_beyond_the_mesh_is_told() {
    let told = |lines: &str| found(&scene("fast", lines), "thickness of body");
    assert_eq!(told(""), []);
    assert_eq!(told("thickness = 0.05\n"), []);
    let thick = told("thickness = 0.2\n");
    assert_eq!((thick.len(), thick[0].severity), (1, Severity::Warning));
    let Finding { what, remedy, .. } = &thick[0];
    assert!(what.contains("`body0` is 0.2 m") && what.contains("the nearest by"), "{what}");
    // As many as the report counts.
    let mut simulation = scene("fast", "thickness = 0.2\n").simulation().unwrap();
    let capped = simulation.step().unwrap().contact.unwrap().capped;
    assert!(what.contains(&format!("but {capped} pairs")), "{what}, {capped}");
    // And the remedy is one.
    let fits: f64 =
        remedy.split("lower the thickness to ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert_eq!(told(&format!("thickness = {}\n", 0.999 * fits)), []);
}
