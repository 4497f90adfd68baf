//! Faces and edges of cloth stay out of solids, not its particles only: corners of boxes, rims, rods thinner than an edge.

use crate::common::{Random, take};
use glam::DQuat;
use taut::collision::{ContactSettings, Level, Motion, Obstacle, Shape};
use taut::shapes::{Grid, Strands};
use taut::{DVec3, Family, Model, Settings, Simulation, State};

/// Every form, with its top at about 0.1 m above the origin, where cloth falls onto it.
fn shapes() -> Vec<Shape> {
    let rotation = DQuat::from_rotation_z(0.6) * DQuat::from_rotation_x(0.7);
    let (centre, size) = (DVec3::new(0.02, -0.15, 0.01), DVec3::splat(0.3));
    let upright = [DVec3::new(0.0, -0.3, 0.0), DVec3::new(0.0, 0.1, 0.0)];
    let lying = [DVec3::new(-0.35, 0.05, 0.03), DVec3::new(0.3, 0.08, -0.02)];
    vec![
        Shape::Ground { height: 0.1 },
        Shape::Plane { point: DVec3::new(0.0, 0.1, 0.0), normal: DVec3::new(0.3, 2.0, -0.1) },
        Shape::Sphere { centre: DVec3::new(0.01, -0.1, 0.02), radius: 0.2 },
        Shape::Box { centre, size, rotation, rounding: 0.0 },
        Shape::Box { centre, size, rotation, rounding: 0.05 },
        Shape::Cylinder { ends: upright, radius: 0.15 },
        Shape::Cylinder { ends: lying, radius: 0.01 },
        Shape::Capsule { ends: lying, radius: 0.02 },
        Shape::Cone { ends: [upright[0], upright[1]], radii: [0.2, 0.0] },
        Shape::Torus { centre: DVec3::ZERO, axis: DVec3::new(0.1, 1.0, 0.2), radius: 0.15, tube: 0.06 },
    ]
}

/// Cloth of 60 cm, 5 cm to an edge, 0.15 m above the origin.
fn cloth() -> (Model, State) {
    let springs = Grid { mass: 0.1, stretch: 300.0, shear: 100.0, bend: 1.0, ..Grid::default() };
    let model = Grid { columns: 13, rows: 13, width: 0.6, height: 0.6, ..springs }.build().unwrap();
    let mut state = State::at_rest(&model);
    state.positions.iter_mut().for_each(|p| p.y += 0.15);
    (model, state)
}

/// How deep the deepest of many points of every face is, as a part of the shortest edge of its mesh at rest.
fn depth(simulation: &Simulation, obstacle: &Obstacle) -> f64 {
    let (model, x) = (simulation.model(), simulation.positions());
    let (edge, time) = (0.05, simulation.state().time);
    let mut deepest = 0.0f64;
    for t in &model.triangles {
        let [a, b, c] = t.map(|i| x[i as usize]);
        // A distance changes by no more than the way.
        if obstacle.distance(a, time).0 > a.distance(b).max(a.distance(c)) {
            continue;
        }
        for i in 0..=24 {
            for j in 0..=24 - i {
                let (s, t) = (f64::from(i) / 24.0, f64::from(j) / 24.0);
                deepest = deepest.max(-obstacle.distance(a + s * (b - a) + t * (c - a), time).0);
            }
        }
    }
    deepest / edge
}

fn settings(method: &str, level: Level, h: f64) -> Settings {
    Settings { contact: ContactSettings::new(level), ..Settings::new(method.parse().unwrap(), h) }
}

/// Cloth falls onto every form and drapes over it; with `off` most forms show through, so that the law can fail.
#[test]
fn no_face_is_deeper_than_a_thousandth_of_its_edge() {
    let methods = ["conjugate_gradient", "newton", "local_global", "baraff_witkin", "xpbd"];
    let mut showing = 0;
    for (k, shape) in shapes().into_iter().enumerate() {
        for (level, margin) in [(Level::Fast, 0.0), (Level::Exact, 0.012), (Level::Off, 0.0)] {
            let method = methods[(k + usize::from(level == Level::Exact)) % methods.len()];
            let obstacle = Obstacle { shape: shape.clone(), margin, friction: 0.3, motion: None };
            let (model, state) = cloth();
            let mut simulation =
                Simulation::with_state(model, state, settings(method, level, 1.0 / 120.0)).unwrap();
            simulation.set_obstacles(vec![obstacle.clone()]).unwrap();
            let mut worst = 0.0f64;
            for _ in 0..15 {
                take(&mut simulation, 4);
                worst = worst.max(depth(&simulation, &obstacle));
            }
            println!("{} {method} {level}: {worst:.2e}", shape.name());
            match level {
                Level::Off => showing += usize::from(worst > 1e-3),
                _ => assert!(worst <= 1e-3, "{shape:?}, {method}, {level}: {worst}"),
            }
        }
    }
    assert!(showing >= 6, "{showing} show through without");
}

/// A form of any size and pose: from a hundredth of the cloth's edges to as large as the cloth, below it.
fn nasty(kind: usize, random: &mut Random) -> Shape {
    let turn =
        DQuat::from_rotation_z(random.range(-3.0, 3.0)) * DQuat::from_rotation_x(random.range(-3.0, 3.0));
    let size = |random: &mut Random| random.magnitude(5e-4, 0.3);
    let (first, second) = (size(random), size(random));
    let axis = turn * DVec3::Y;
    let ends = |length: f64| [-0.5 * length * axis, 0.5 * length * axis];
    let shape = match kind % 7 {
        0 => Shape::Box {
            centre: DVec3::ZERO,
            size: DVec3::new(first, second, size(random)),
            rotation: turn,
            rounding: 0.0,
        },
        1 => {
            let size = DVec3::new(first, second, size(random));
            Shape::Box {
                centre: DVec3::ZERO,
                size,
                rotation: turn,
                rounding: random.range(0.0, 0.5) * size.min_element(),
            }
        }
        2 => Shape::Cylinder { ends: ends(first), radius: 0.5 * second },
        3 => Shape::Capsule { ends: ends(first), radius: 0.2 * second },
        4 => Shape::Cone { ends: ends(first), radii: [0.5 * second, 0.0] },
        5 => Shape::Torus {
            centre: DVec3::ZERO,
            axis,
            radius: 0.3 * first,
            tube: 0.3 * first * random.range(0.02, 0.9),
        },
        _ => Shape::Sphere { centre: DVec3::ZERO, radius: 0.5 * first },
    };
    // Its top is below the cloth, somewhere under it.
    let place = DVec3::new(random.range(-0.25, 0.25), 0.14 - shape.bounds()[1].y, random.range(-0.25, 0.25));
    moved(shape, place)
}

fn moved(shape: Shape, by: DVec3) -> Shape {
    let both = |ends: [DVec3; 2]| ends.map(|p| p + by);
    match shape {
        Shape::Sphere { centre, radius } => Shape::Sphere { centre: centre + by, radius },
        Shape::Box { centre, size, rotation, rounding } => {
            Shape::Box { centre: centre + by, size, rotation, rounding }
        }
        Shape::Cylinder { ends, radius } => Shape::Cylinder { ends: both(ends), radius },
        Shape::Capsule { ends, radius } => Shape::Capsule { ends: both(ends), radius },
        Shape::Cone { ends, radii } => Shape::Cone { ends: both(ends), radii },
        Shape::Torus { centre, axis, radius, tube } => {
            Shape::Torus { centre: centre + by, axis, radius, tube }
        }
        other => other,
    }
}

/// Forms thinner than the thousandth of an edge and wider than the cloth, in any pose, hit by cloth that is turned anyhow and
/// comes slowly or at 10 m/s, resting or rising towards it.
#[test]
fn no_pose_shows_through() {
    let (mut random, mut worst_of_all) = (Random(11), 0.0f64);
    for round in 0..28 {
        let shape = nasty(round, &mut random);
        let motion =
            (round % 2 == 1).then(|| Motion::shifting(vec![(0.0, DVec3::ZERO), (0.3, 0.15 * DVec3::Y)]));
        let obstacle = Obstacle { shape, margin: 0.0, friction: random.range(0.0, 0.8), motion };
        let (model, mut state) = cloth();
        let tilt =
            DQuat::from_rotation_x(random.range(-0.5, 0.5)) * DQuat::from_rotation_z(random.range(-0.5, 0.5));
        let lowest = state.positions.iter().map(|&p| (tilt * p).y).fold(f64::INFINITY, f64::min);
        state.positions.iter_mut().for_each(|p| *p = tilt * *p + (0.15 - lowest) * DVec3::Y);
        state.velocities.fill(DVec3::new(0.3, -random.magnitude(0.1, 10.0), -0.2));
        let (method, level) =
            (["conjugate_gradient", "newton"][round % 3 / 2], [Level::Fast, Level::Exact][round / 7 % 2]);
        let mut simulation =
            Simulation::with_state(model, state, settings(method, level, 1.0 / 60.0)).unwrap();
        simulation.set_obstacles(vec![obstacle.clone()]).unwrap();
        let mut worst = 0.0f64;
        for _ in 0..20 {
            take(&mut simulation, 1);
            worst = worst.max(depth(&simulation, &obstacle));
        }
        assert!(worst <= 1e-3, "round {round}, {:?}, {method}, {level}: {worst}", obstacle.shape);
        worst_of_all = worst_of_all.max(worst);
    }
    assert!(worst_of_all > 0.0, "nothing was touched");
}

/// Cloth, a strand and a single particle shot through a plate and a rod, both thinner than a step's way: they stay.
#[test]
fn fast_things_do_not_pass() {
    let plate = Shape::Box {
        centre: DVec3::ZERO,
        size: DVec3::new(3.0, 0.01, 3.0),
        rotation: DQuat::IDENTITY,
        rounding: 0.0,
    };
    let rod =
        Shape::Cylinder { ends: [DVec3::new(-1.0, 0.0, 0.011), DVec3::new(1.0, 0.0, 0.013)], radius: 0.004 };
    for (shape, method) in
        [(&plate, "newton"), (&plate, "conjugate_gradient"), (&rod, "newton"), (&rod, "xpbd")]
    {
        let (mut model, mut state) = cloth();
        let strand = Strands {
            roots: vec![DVec3::new(-0.4, 0.15, -0.2)],
            direction: DVec3::Z,
            length: 0.4,
            ..Strands::default()
        };
        let strand = strand.build().unwrap();
        model.append(&strand);
        model.gravity = DVec3::ZERO;
        let mut all = State::at_rest(&model);
        all.positions[..state.positions.len()].copy_from_slice(&state.positions);
        state = all;
        // 30 m/s in steps of 1/60 s: half a metre a step.
        state.velocities.fill(DVec3::new(0.0, -30.0, 0.0));
        let settings = settings(method, Level::Fast, 1.0 / 60.0);
        let mut simulation = Simulation::with_state(model, state, settings).unwrap();
        let obstacle = Obstacle { shape: shape.clone(), margin: 0.002, friction: 0.0, motion: None };
        simulation.set_obstacles(vec![obstacle]).unwrap();
        take(&mut simulation, 1);
        let (model, x) = (simulation.model(), simulation.positions());
        if shape == &plate {
            assert!(x.iter().all(|p| p.y > 0.0), "{method}: something passed the plate");
        }
        // Where an edge crosses the line of the rod it is above.
        for ends in model
            .springs
            .iter()
            .filter(|s| s.family == Family::Stretch)
            .map(|s| s.ends.map(|i| x[i as usize]))
        {
            let [a, b] = ends.map(|p| p.z - 0.012 - 0.001 * p.x);
            if a * b < 0.0 {
                let height = (b * ends[0].y - a * ends[1].y) / (b - a);
                assert!(height > 0.0, "{method}, {shape:?}: {ends:?} at {height}");
            }
        }
    }
}

/// A zone that cannot be kept out by sweeps moves with its solid: cloth on a plate that rises fast, rounds forced to 0.
#[test]
fn zones_follow_their_solid() {
    for level in [Level::Fast, Level::Exact] {
        let (model, state) = cloth();
        let mut settings = settings("newton", level, 1.0 / 60.0);
        settings.contact.rounds = Some(0);
        let mut simulation = Simulation::with_state(model, state, settings).unwrap();
        let rotation = DQuat::from_rotation_z(0.3);
        let shape = Shape::Box {
            centre: DVec3::new(0.0, -0.05, 0.0),
            size: DVec3::splat(0.3),
            rotation,
            rounding: 0.0,
        };
        let about = DVec3::new(-0.6, 0.0, 0.0);
        let motion = Motion::turning(about, DVec3::Z, vec![(0.0, 0.0), (0.2, 0.0), (0.7, 0.8)]);
        let obstacle = Obstacle { shape, margin: 0.0, friction: 0.3, motion: Some(motion) };
        simulation.set_obstacles(vec![obstacle.clone()]).unwrap();
        let (mut worst, mut zones) = (0.0f64, 0);
        for _ in 0..45 {
            zones += simulation.step().unwrap().contact.unwrap().zones;
            worst = worst.max(depth(&simulation, &obstacle));
        }
        assert!(worst <= 1e-3, "{level}: {worst}");
        assert!(zones > 0, "{level}: no zone was needed, so nothing was shown");
    }
}
