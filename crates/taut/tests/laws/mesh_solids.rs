//! Triangle meshes as solids: nothing crosses them, closed or open, at rest or moving; they carry what lies on them as
//! solids with a distance do, and weigh nothing.

use crate::common::{Random, distance, take};
use taut::collision::{ContactSettings, Course, Frames, Level, Motion, Obstacle, Pose, Shape};
use taut::geometry::edge_meets_face;
use taut::shapes::{Grid, prescribed};
use taut::{DVec3, Edit, Error, Event, Model, Settings, Simulation, Solid, State, measure};

const THICK: f64 = 0.01;

pub fn settings(level: Level, h: f64) -> Settings {
    let method = "conjugate_gradient".parse().unwrap();
    Settings { contact: ContactSettings::new(level), ..Settings::new(method, h) }
}

/// Corners and faces of a box, wound outwards.
pub fn cuboid(centre: DVec3, size: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let corner = |i: u32| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2 & 1).into()) - 0.5;
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    ((0..8).map(|i| centre + size * corner(i)).collect(), triangles)
}

fn solid(name: &str, mesh: &(Vec<DVec3>, Vec<[u32; 3]>), friction: f64) -> Model {
    prescribed(name, &mesh.0, &mesh.1, THICK, friction).unwrap()
}

/// A soft cloth, lying at a height.
fn cloth(n: usize, size: f64, height: f64, friction: f64) -> Model {
    let grid = Grid { columns: n, rows: n, width: size, height: size, mass: 0.1, ..Grid::default() };
    let mut model = Grid { stretch: 100.0, shear: 50.0, bend: 1.0, ..grid }.build().unwrap();
    model.rest.iter_mut().for_each(|p| p.y += height);
    model.bodies[0].name = "cloth".into();
    (model.bodies[0].skin.thickness, model.bodies[0].skin.friction) = (Some(THICK), friction);
    model
}

/// Edges of one body that meet faces of the other, by an exact test.
fn crossings(model: &Model, x: &[DVec3]) -> usize {
    let at = |i: u32| x[i as usize];
    let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
    let mut count = 0;
    for t in &model.triangles {
        let other = |u: &&[u32; 3]| model.body_of[u[0] as usize] != model.body_of[t[0] as usize];
        let edges = model.triangles.iter().filter(other).flat_map(sides);
        count += edges.filter(|edge| edge_meets_face(edge.map(at), t.map(at))).count();
    }
    count
}

fn with(cloth: &Model, solids: &[Model]) -> Model {
    let mut model = cloth.clone();
    for solid in solids {
        model.append(solid);
    }
    model
}

/// Every particle of a body follows a motion.
fn following(model: &Model, body: usize, motion: Motion) -> Event {
    let particles = model.particles_of(body).collect();
    Event { time: 0.0, edit: Edit::Follow { particles, course: Course::Rigid(Box::new(motion)) } }
}

/// A cloth that falls on an octahedron, which it cannot lie flat on, and on a sheet of two triangles, an open mesh, from
/// above and with the sheet turned over: no edge crosses a face after any step.
#[test]
fn nothing_crosses_a_mesh_at_rest() {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let tips: Vec<DVec3> = axes.iter().flat_map(|&a| [0.2 * a, -0.2 * a]).collect();
    let sides = (0..8).map(|k: u32| {
        let [a, b, c] = [k & 1, 2 + (k >> 1 & 1), 4 + (k >> 2 & 1)];
        if k.count_ones().is_multiple_of(2) { [a, b, c] } else { [b, a, c] }
    });
    let octahedron = (tips, sides.collect::<Vec<_>>());
    let corners = [[-0.15, 0.0, -0.2], [0.25, 0.05, -0.2], [0.25, 0.0, 0.2], [-0.15, -0.05, 0.2]];
    let sheet = corners.map(|c| DVec3::from_array(c) + DVec3::Y * 0.1).to_vec();
    for (mesh, level) in [
        (octahedron.clone(), Level::Exact),
        (octahedron, Level::Fast),
        ((sheet.clone(), vec![[0, 1, 2], [0, 2, 3]]), Level::Fast),
        ((sheet, vec![[1, 0, 2], [2, 0, 3]]), Level::Exact),
    ] {
        let model = with(&cloth(11, 0.6, 0.22, 0.3), &[solid("table", &mesh, 0.3)]);
        let mut simulation = Simulation::new(model, settings(level, 1.0 / 60.0)).unwrap();
        let mut pressed = 0;
        for step in 0..45 {
            let contact = simulation.step().unwrap().contact.unwrap();
            pressed += contact.contacts;
            assert_eq!((contact.pinches, contact.tangled), (0, 0), "step {step}");
            assert_eq!(crossings(simulation.model(), simulation.positions()), 0, "{level}, step {step}");
        }
        assert!(pressed > 100, "they have met: {pressed}");
        let rest = &simulation.model().rest;
        assert!((121..rest.len()).all(|i| simulation.positions()[i] == rest[i]), "the solid stays");
    }
}

/// A plate that drives and turns takes a cloth along by friction: as a mesh, and as a box with a distance. Both end where
/// the plate takes their points, and so within a little of each other. Without friction the cloth stays.
#[test]
fn a_mesh_carries_cloth_as_a_box_does() {
    let size = DVec3::new(1.0, 0.1, 1.0);
    let centre = -0.05 * DVec3::Y;
    let shifts = vec![(0.0, DVec3::ZERO), (1.0, DVec3::new(0.15, 0.05, 0.0))];
    let motion = Motion { shifts, ..Motion::turning(DVec3::ZERO, DVec3::Y, vec![(0.0, 0.0), (1.0, 0.4)]) };
    let h = 1.0 / 120.0;
    let end = |friction: f64, as_mesh: bool| {
        let cloth = cloth(7, 0.4, THICK, friction);
        let plate = solid("plate", &cuboid(centre, size), friction);
        let model = if as_mesh { with(&cloth, &[plate]) } else { cloth };
        let mut simulation = Simulation::new(model.clone(), settings(Level::Fast, h)).unwrap();
        if as_mesh {
            simulation.set_script(vec![following(&model, 1, motion.clone())]).unwrap();
        } else {
            let shape = Shape::Box { centre, size, rotation: Default::default(), rounding: 0.0 };
            let plate = Obstacle { shape, margin: THICK, friction, motion: Some(motion.clone()) };
            simulation.set_obstacles(vec![plate]).unwrap();
        }
        take(&mut simulation, 120);
        if as_mesh {
            for (i, p) in model.rest.iter().enumerate().skip(49) {
                assert_eq!(simulation.positions()[i], motion.at(*p, simulation.state().time));
            }
            assert_eq!(crossings(&model, simulation.positions()), 0);
        }
        simulation.positions()[..49].to_vec()
    };
    let rest = cloth(7, 0.4, THICK, 0.0).rest;
    let carried: Vec<DVec3> = rest.iter().map(|&p| motion.at(p, 1.0)).collect();
    let [mesh, shape] = [true, false].map(|as_mesh| end(0.6, as_mesh));
    let (off, apart) = (distance(&mesh, &carried), distance(&mesh, &shape));
    // What starts at once slips until it has the speed of the plate, here 0.22 m/s: v²/2μg = 4 mm.
    assert!(off < 5e-3 && apart < 2e-3, "{off} m off, {apart} m apart");
    // Without friction its centre of mass stays, while the plate drives on by 0.15 m: but for what inner edges of the mesh
    // push, whose normals lean where a particle is just not above their face.
    let moved = end(0.0, true).into_iter().zip(&rest).map(|(a, b)| (a - *b) / 49.0).sum::<DVec3>();
    assert!(moved.reject_from(DVec3::Y).length() < 0.02 * 0.15, "without friction it has moved by {moved} m");
}

/// Two plates that close on a cloth: `exact` stops, names the bodies and is as before the step; `fast` counts and goes on.
#[test]
fn a_pinch_between_two_meshes_is_named_or_counted() {
    let plates = [0.06, -0.05].map(|y| cuboid(DVec3::Y * y, DVec3::new(0.5, 0.05, 0.5)));
    let solids = [solid("upper", &plates[0], 0.3), solid("lower", &plates[1], 0.3)];
    let model = with(&cloth(5, 0.3, 0.0, 0.3), &solids);
    let down =
        |body, to| following(&model, body, Motion::shifting(vec![(0.0, DVec3::ZERO), (0.2, DVec3::Y * to)]));
    for level in [Level::Exact, Level::Fast] {
        let mut simulation = Simulation::new(model.clone(), settings(level, 0.01)).unwrap();
        simulation.set_script(vec![down(1, -0.08), down(2, 0.08)]).unwrap();
        let mut pinches = 0;
        let outcome = (0..30).try_for_each(|_| {
            let before = simulation.snapshot();
            let report = simulation.step().inspect_err(|_| assert_eq!(simulation.snapshot(), before))?;
            pinches += report.contact.unwrap().pinches;
            Ok::<(), Error>(())
        });
        if level == Level::Fast {
            outcome.unwrap();
            assert!(pinches > 0);
            continue;
        }
        let error = outcome.unwrap_err();
        let Error::Pinched { bodies, time, .. } = &error else { panic!("{error}") };
        assert!(
            bodies.iter().any(|b| b == "cloth") && bodies.iter().any(|b| b.ends_with("er")),
            "{bodies:?}"
        );
        assert!(*time > 0.05 && *time < 0.15, "{time}: the plates meet after 0.075 s");
    }
}

/// A turning mesh, a mesh in frames, a moving box and a solid that was moved by hand, in the midst of it.
#[test]
fn a_snapshot_in_mid_motion_goes_on_bit_for_bit() {
    let mesh = |x: f64| cuboid(DVec3::new(x, -0.1, 0.0), DVec3::splat(0.15));
    let solids = [
        solid("turning", &mesh(-0.2), 0.5),
        solid("pulsing", &mesh(0.1), 0.5),
        solid("led", &mesh(0.4), 0.5),
    ];
    let model = with(&cloth(9, 0.6, 0.0, 0.5), &solids);
    let turning = Motion::turning(DVec3::X * -0.2, DVec3::new(0.3, 1.0, 0.0), vec![(0.0, 0.0), (0.5, 4.0)]);
    let frames = (0..4).flat_map(|f| mesh(0.1 + 0.02 * f as f64).0).collect();
    let frames = Course::Frames(Box::new(Frames { rate: 10.0, positions: frames }));
    let pulsing = Edit::Follow { particles: model.particles_of(2).collect(), course: frames };
    let mut simulation = Simulation::new(model.clone(), settings(Level::Fast, 0.01)).unwrap();
    let pulsing = Event { time: 0.0, edit: pulsing };
    simulation.set_script(vec![following(&model, 1, turning), pulsing]).unwrap();
    let ball = Shape::Sphere { centre: DVec3::new(0.0, -0.3, 0.2), radius: 0.2 };
    let path = vec![(0.05, DVec3::ZERO), (0.3, DVec3::Y * 0.1)];
    let ball = Obstacle { shape: ball, margin: 0.01, friction: 0.3, motion: Some(Motion::shifting(path)) };
    simulation.set_obstacles(vec![ball]).unwrap();
    let pose = |n: f64| Pose { shift: DVec3::Y * 0.005 * n, ..Pose::default() };
    for n in 0..12 {
        simulation.move_solid(Solid::Body(3), pose(f64::from(n))).unwrap();
        take(&mut simulation, 1);
    }
    simulation.move_solid(Solid::Body(3), pose(13.0)).unwrap();
    let mut other = Simulation::restore(&simulation.snapshot()).unwrap().simulation;
    for _ in 0..12 {
        take(&mut simulation, 1);
        take(&mut other, 1);
        assert_eq!(simulation.state(), other.state());
    }
    assert_eq!(simulation.snapshot(), other.snapshot());
    let pulsed = model.particles_of(2).next().unwrap();
    assert!((simulation.positions()[pulsed].x - model.rest[pulsed].x - 0.048).abs() < 1e-12);
}

/// A solid has neither energy nor momentum; it is pinned, and stays so.
#[test]
fn solids_weigh_nothing_and_are_never_let_go() {
    let alone = cloth(4, 0.3, 0.0, 0.3);
    let both = with(&alone, &[solid("box", &cuboid(DVec3::Y, DVec3::ONE), 0.3)]);
    let mut random = Random(4);
    let mut state = State::at_rest(&both);
    state.velocities.iter_mut().for_each(|v| *v = random.vector(1.0));
    let mut part = State::at_rest(&alone);
    part.velocities.copy_from_slice(&state.velocities[..16]);
    assert_eq!(measure::Energy::of(&both, &state), measure::Energy::of(&alone, &part));
    assert_eq!(measure::momentum(&both, &state), measure::momentum(&alone, &part));
    assert_eq!(measure::angular_momentum(&both, &state), measure::angular_momentum(&alone, &part));
    assert!((16..24).all(|i| state.filters[i].is_pinned()) && !state.filters[15].is_pinned());
    assert!(both.warnings().is_empty(), "{:?}", both.warnings());
    let released = Edit::Release { particles: vec![3, 17] }.check(&both).unwrap_err().to_string();
    assert!(released.contains("particle 17") && released.contains("`box`"), "{released}");
    state.filters[20] = taut::Filter::Free;
    assert!(state.validate(&both).unwrap_err().to_string().contains("particle 20"));
}
