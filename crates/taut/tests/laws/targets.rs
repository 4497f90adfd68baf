//! Whatever in a scene names a target (a body, a part of it, a pin) changes that and nothing else.
//!
//! A scene of four bodies is built twice, with and without one more line; every particle and spring that differs must be
//! among those named, and each of those must differ.

use crate::mesh_bodies::Folder;
use std::collections::BTreeSet;
use taut::{Filter, Scene, Simulation};

/// Two grids of nine, two strands of four, a mesh of four with a vertex attribute; in this order.
const BODIES: [(&str, usize, &str); 4] = [
    ("left", 9, "grid = { columns = 3, rows = 3, width = 1.0, height = 1.0 }"),
    ("right", 9, "grid = { columns = 3, rows = 3, width = 1.0, height = 1.0 }"),
    ("hair", 8, "strands = { columns = 2, rows = 1, spacing = 0.5, particles = 4, length = 1.0 }"),
    ("rag", 4, "mesh = { file = \"rag.ply\" }"),
];

const RAG: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                   property float weight\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n\
                   0 0 0 0\n1 0 0 1\n1 0 1 1\n0 0 1 0\n3 0 1 2\n3 0 2 3\n";

fn first(body: usize) -> usize {
    BODIES[..body].iter().map(|b| b.1).sum()
}

fn members(body: usize) -> BTreeSet<usize> {
    (first(body)..first(body) + BODIES[body].1).collect()
}

/// Some particles of a body, by their numbers in it.
fn some(body: usize, numbers: &[usize]) -> BTreeSet<usize> {
    numbers.iter().map(|i| first(body) + i).collect()
}

struct Stage(Folder);

impl Stage {
    fn new(name: &str) -> Self {
        Stage(Folder::new(name).with("rag.ply", RAG))
    }

    /// The bodies, one of them with further lines, and further tables.
    fn scene(&self, body: usize, lines: &str, tables: &str) -> Scene {
        // A method whose iterates do not depend on other bodies.
        let mut text =
            String::from("duration = 0.4\n[method]\nname = \"local_global\"\n[contact]\nlevel = \"off\"\n");
        for (i, (name, _, shape)) in BODIES.iter().enumerate() {
            let own = if i == body { lines } else { "" };
            text += &format!("[[body]]\nname = \"{name}\"\n{shape}\n{own}\n");
        }
        Scene::parse("s.toml", &(text + tables), Some(&self.0.0))
            .unwrap_or_else(|e| panic!("{e}\n{lines}{tables}"))
    }
}

/// Particles that differ in mass, place, speed or pin.
fn particles(a: &Scene, b: &Scene) -> BTreeSet<usize> {
    let of = |s: &Scene, i: usize| {
        (s.model.masses[i], s.model.rest[i], s.state.positions[i], s.state.velocities[i], s.state.filters[i])
    };
    (0..a.model.particles()).filter(|&i| of(a, i) != of(b, i)).collect()
}

/// Springs that differ, by their ends.
fn springs(a: &taut::Model, b: &taut::Model) -> BTreeSet<[usize; 2]> {
    let pairs = a.springs.iter().zip(&b.springs);
    pairs.filter(|(s, t)| s != t).map(|(s, _)| s.ends.map(|i| i as usize)).collect()
}

/// Springs with both ends among some particles.
fn between(model: &taut::Model, among: &BTreeSet<usize>) -> BTreeSet<[usize; 2]> {
    let ends = model.springs.iter().map(|s| s.ends.map(|i| i as usize));
    ends.filter(|ends| ends.iter().all(|i| among.contains(i))).collect()
}

#[test]
fn a_body_s_own_keys_change_that_body() {
    let stage = Stage::new("keys");
    let plain = stage.scene(9, "", "");
    // Key, bodies it can be given to, whether particles and springs differ.
    let keys: [(&str, &[usize], bool, bool); 15] = [
        ("mass = 3.0", &[0, 1, 2, 3], true, false),
        ("stretch = 5.0\nshear = 6.0\nbend = 7.0", &[0, 1], false, true),
        ("stretch = 5.0\nbend = 7.0", &[3], false, true),
        ("springs = \"extension_only\"\nbend = 7.0", &[0, 1, 3], false, true),
        ("position = [5.0, 5.0, 5.0]", &[0, 1, 2, 3], true, false),
        ("rotation = [0.0, 0.0, 90.0]\nposition = [0.0, 9.0, 0.0]", &[0, 1, 2, 3], true, false),
        ("scale = 2.0\nposition = [0.0, 9.0, 0.0]", &[0, 1, 2, 3], true, true),
        ("velocity = [1.0, 0.0, 0.0]", &[0, 1, 2, 3], true, false),
        ("perturbation = 0.1", &[0, 1, 2, 3], true, false),
        ("density = 7.0", &[0, 1, 3], true, false),
        ("colour = 4", &[0, 1, 2, 3], false, false),
        ("thickness = 0.3", &[0, 1, 2, 3], false, false),
        ("friction = 0.9", &[0, 1, 2, 3], false, false),
        ("collide = false", &[0, 1, 2, 3], false, false),
        ("self_collide = false", &[0, 1, 2, 3], false, false),
    ];
    for (lines, bodies, moves, hardens) in keys {
        for &body in bodies {
            let changed = stage.scene(body, lines, "");
            let own = members(body);
            let none = BTreeSet::new();
            assert_eq!(
                particles(&plain, &changed),
                if moves { own.clone() } else { none },
                "{lines} of {body}"
            );
            let expected = if hardens { between(&plain.model, &own) } else { BTreeSet::new() };
            assert_eq!(springs(&plain.model, &changed.model), expected, "{lines} of {body}");
            let colours =
                |s: &Scene| -> Vec<u8> { (0..4).filter(|&b| b != body).map(|b| s.colours[b]).collect() };
            assert_eq!(colours(&plain), colours(&changed));
            assert_eq!(changed.colours[body] != plain.colours[body], lines.starts_with("colour"));
            let meets =
                ["thickness", "friction", "collide", "self_collide"].iter().any(|k| lines.starts_with(k));
            let skins = plain.model.bodies.iter().zip(&changed.model.bodies);
            for (b, (one, other)) in skins.enumerate() {
                assert_eq!(one.skin != other.skin, meets && b == body, "{lines} of {body}");
            }
        }
    }
}

/// What chooses particles, the body it is tried on, and the particles of that body it means.
const CHOICES: [(&str, usize, &[usize]); 8] = [
    ("at = [\"top\"]", 0, &[0, 1, 2]),
    ("at = [\"bottom_left\", \"right\"]", 1, &[2, 5, 6, 8]),
    ("at = [\"roots\"]", 2, &[0, 4]),
    ("indices = [1, 7]", 1, &[1, 7]),
    ("indices = [0, 3]", 3, &[0, 3]),
    ("box = [[-9.0, -9.0, -9.0], [9.0, 9.0, -0.1]]", 1, &[0, 1, 2]),
    ("box = [[0.5, -0.1, -0.1], [1.5, 0.1, 0.5]]", 3, &[1]),
    ("attribute = \"weight\"", 3, &[1, 2]),
];

#[test]
fn pins_hold_the_particles_they_name() {
    let stage = Stage::new("pins");
    let plain = stage.scene(9, "", "");
    for (choice, body, numbers) in CHOICES {
        let pinned = stage.scene(9, "", &format!("[[pin]]\nbody = \"{}\"\n{choice}\n", BODIES[body].0));
        assert_eq!(particles(&plain, &pinned), some(body, numbers), "{choice}");
        assert!(some(body, numbers).iter().all(|&i| matches!(pinned.state.filters[i], Filter::Pinned(_))));
        assert_eq!(springs(&plain.model, &pinned.model), BTreeSet::new());
    }
    let pinned = stage.scene(9, "", "[[pin]]\nindices = [4]\n");
    assert_eq!(particles(&plain, &pinned), some(0, &[4]), "without a body it is the first");
}

#[test]
fn regions_change_the_part_they_name() {
    let stage = Stage::new("regions");
    let plain = stage.scene(9, "", "");
    for (choice, body, numbers) in CHOICES {
        let own = some(body, numbers);
        let region = |keys: &str| stage.scene(body, &format!("[[body.region]]\n{choice}\n{keys}"), "");
        let heavy = region("mass = 3.0");
        assert_eq!(particles(&plain, &heavy), own, "{choice}");
        assert!(own.iter().all(|&i| heavy.model.masses[i] == 3.0 * plain.model.masses[i]));
        assert_eq!(springs(&plain.model, &heavy.model), BTreeSet::new(), "{choice}");
        let stiff = region("stiffness = 3.0");
        assert_eq!(particles(&plain, &stiff), BTreeSet::new(), "{choice}");
        assert_eq!(springs(&plain.model, &stiff.model), between(&plain.model, &own), "{choice}");
    }
}

fn run(scene: &Scene, steps: usize) -> Simulation {
    let mut simulation = scene.simulation().unwrap();
    (0..steps).for_each(|_| assert!(simulation.step().is_ok()));
    simulation
}

#[test]
fn events_change_the_body_or_pin_they_name() {
    let stage = Stage::new("events");
    let held = "[[pin]]\nname = \"one\"\nbody = \"right\"\nat = [\"top\"]\n\
                [[pin]]\nname = \"two\"\nbody = \"right\"\nat = [\"bottom\"]\n\
                [[pin]]\nname = \"three\"\nbody = \"hair\"\nat = [\"roots\"]\n";
    let plain = run(&stage.scene(9, "", held), 6);
    let filters = |s: &Simulation| s.state().filters.clone();
    for (body, (name, ..)) in BODIES.iter().enumerate() {
        let event = format!("{held}[[event]]\ntime = 0.1\nstiffness = 2.0\nbody = \"{name}\"\n");
        let hardened = run(&stage.scene(9, "", &event), 6);
        let expected = between(plain.model(), &members(body));
        assert_eq!(springs(plain.model(), hardened.model()), expected, "{name}");
        // Bodies do not touch: all others are where they were, to the last bit.
        let moved = |i: &usize| plain.positions()[*i] != hardened.positions()[*i];
        let moved: BTreeSet<usize> = (0..plain.positions().len()).filter(moved).collect();
        assert!(moved.is_subset(&members(body)), "{name}: {moved:?}");
    }
    for (pin, own) in
        [("one", some(1, &[0, 1, 2])), ("two", some(1, &[6, 7, 8])), ("three", some(2, &[0, 4]))]
    {
        let differing = |event: &str| -> BTreeSet<usize> {
            let other = run(&stage.scene(9, "", &format!("{held}[[event]]\ntime = 0.1\n{event}\n")), 6);
            let pairs = filters(&plain).into_iter().zip(filters(&other));
            pairs.enumerate().filter(|(_, (a, b))| a != b).map(|(i, _)| i).collect()
        };
        assert_eq!(differing(&format!("release = \"{pin}\"")), own, "{pin}");
        let path = "path = [[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]]";
        assert_eq!(differing(&format!("move = \"{pin}\"\n{path}")), own, "{pin}");
    }
}
