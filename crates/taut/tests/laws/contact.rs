//! Contact as constraints: a particle on a solid is held, slides and is let go as Coulomb says, without sinking in.

use crate::common::Random;
use taut::collision::{Motion, Obstacle, Shape};
use taut::shapes::Grid;
use taut::{DVec3, Family, Filter, Method, Model, Settings, Simulation, State};

const H: f64 = 1e-3;

fn ground(friction: f64) -> Obstacle {
    Obstacle { shape: Shape::Ground { height: 0.0 }, margin: 0.0, friction, motion: None }
}

fn particle(state: impl FnOnce(&mut State), solid: Obstacle, gravity: DVec3) -> Simulation {
    let model = Model { masses: vec![0.3], rest: vec![DVec3::ZERO], gravity, ..Model::default() };
    let mut start = State::at_rest(&model);
    state(&mut start);
    let mut simulation = Simulation::with_state(
        model,
        start,
        Settings::without_contact("baraff_witkin".parse::<Method>().unwrap(), H),
    )
    .unwrap();
    simulation.set_obstacles(vec![solid]).unwrap();
    simulation
}

fn run(simulation: &mut Simulation, seconds: f64) {
    for _ in 0..(seconds / H).round() as usize {
        simulation.step().unwrap();
        assert_eq!(simulation.state().filters, vec![Filter::Free; simulation.positions().len()]);
    }
}

/// Thrown along the floor at 1 m/s it slides v²/(2μg) and stays exactly where it stops.
#[test]
fn friction_stops_it_after_the_distance_coulomb_says() {
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    for friction in [0.1, 0.3, 0.8] {
        let mut simulation = particle(|s| s.velocities[0] = DVec3::X, ground(friction), gravity);
        run(&mut simulation, 2.0);
        let stopped = simulation.positions()[0];
        let expected = 0.5 / (friction * 9.81);
        assert!((stopped.x - expected).abs() < 0.02 * expected, "μ {friction}: {stopped}, {expected}");
        run(&mut simulation, 0.1);
        assert_eq!(simulation.positions()[0], stopped);
        assert_eq!(stopped.y, 0.0);
    }
}

/// Gravity leaning by atan 0.5: it holds with μ above ½ and slides below with g (sin − μ cos).
#[test]
fn static_friction_holds_up_to_its_angle() {
    let gravity = 9.81 * DVec3::new(1.0, -2.0, 0.0) / 5f64.sqrt();
    let mut held = particle(|_| (), ground(0.51), gravity);
    run(&mut held, 0.5);
    let slid = held.positions()[0];
    assert!(slid.x.abs() < 20.0 * H * H && slid.y == 0.0, "{slid}");
    let mut sliding = particle(|_| (), ground(0.3), gravity);
    run(&mut sliding, 0.5);
    let expected = 0.5 * (-gravity.y) * (0.5 - 0.3) * 0.25;
    let x = sliding.positions()[0].x;
    assert!((x - expected).abs() < 0.02 * expected, "{x} {expected}");
}

/// Pulled sideways from rest: nothing below μmg, and (F − μmg)/m above.
#[test]
fn what_sticks_gives_way_to_a_stronger_pull() {
    let mut simulation = particle(|_| (), ground(0.4), DVec3::new(0.0, -9.81, 0.0));
    run(&mut simulation, 0.1);
    let limit = 0.4 * 0.3 * 9.81;
    simulation.set_force(0, DVec3::X * 0.99 * limit).unwrap();
    run(&mut simulation, 0.2);
    assert_eq!(simulation.positions()[0], DVec3::ZERO);
    for strength in [1.05, 1.5] {
        let mut pulled = particle(|_| (), ground(0.4), DVec3::new(0.0, -9.81, 0.0));
        run(&mut pulled, 0.1);
        pulled.set_force(0, DVec3::X * strength * limit).unwrap();
        run(&mut pulled, 0.5);
        let expected = 0.5 * (strength - 1.0) * 0.4 * 9.81 * 0.25;
        let x = pulled.positions()[0].x;
        assert!((x - expected).abs() < 0.03 * expected, "{strength}: {x} {expected}");
    }
}

#[test]
fn a_constraint_never_pulls() {
    let mut simulation = particle(|_| (), ground(0.5), DVec3::new(0.0, -9.81, 0.0));
    run(&mut simulation, 0.1);
    simulation.set_force(0, DVec3::new(0.0, 6.0, 0.0)).unwrap();
    // One step to notice, then 6/0.3 − 9.81 upwards.
    run(&mut simulation, 0.1);
    let (y, expected) = (simulation.positions()[0].y, 0.5 * (20.0 - 9.81) * 0.01);
    assert!((y - expected).abs() < 0.05 * expected, "{y} {expected}");
}

/// On a turning disc what sticks goes round with it, exactly on its circle.
#[test]
fn it_is_carried_by_a_solid_that_turns() {
    let motion = Motion::turning(DVec3::ZERO, DVec3::Y, vec![(0.1, 0.0), (2.1, 1.0)]);
    let size = DVec3::new(2.0, 0.2, 2.0);
    let shape = Shape::Box {
        centre: DVec3::new(0.0, -0.1, 0.0),
        size,
        rotation: glam::DQuat::IDENTITY,
        rounding: 0.0,
    };
    let disc = Obstacle { shape, margin: 0.0, friction: 0.9, motion: Some(motion) };
    let mut simulation = particle(|s| s.positions[0] = DVec3::X * 0.5, disc, DVec3::new(0.0, -9.81, 0.0));
    run(&mut simulation, 2.5);
    let expected = 0.5 * DVec3::new(1f64.cos(), 0.0, -1f64.sin());
    let found = simulation.positions()[0];
    assert!((found - expected).length() < 1e-4, "{found} {expected}");
}

/// On a plate that tilts under it a particle without friction slides in the plate's plane as it is at the end of a step.
#[test]
fn it_slides_on_a_plate_that_tilts_without_leaving_it() {
    let motion = Motion::turning(DVec3::ZERO, DVec3::Z, vec![(0.0, 0.0), (1.0, -0.5)]);
    let size = DVec3::new(8.0, 0.2, 2.0);
    let shape = Shape::Box {
        centre: DVec3::new(0.0, -0.1, 0.0),
        size,
        rotation: glam::DQuat::IDENTITY,
        rounding: 0.0,
    };
    let plate = Obstacle { shape, margin: 0.0, friction: 0.0, motion: Some(motion) };
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    let mut simulation = particle(|s| s.positions[0] = DVec3::X * -0.5, plate.clone(), gravity);
    run(&mut simulation, 0.1);
    for _ in 0..300 {
        run(&mut simulation, H);
        let distance = plate.distance(simulation.positions()[0], simulation.state().time).0;
        assert!(distance.abs() <= 1e-12, "{distance:e} at {} s", simulation.state().time);
    }
    assert!(simulation.positions()[0].x > -0.45, "it slides");
}

/// Cloth dropped on a ball touches it and nothing sinks in, whatever the method.
#[test]
fn cloth_does_not_sink_into_a_ball() {
    for name in ["baraff_witkin", "adaptive_imex", "static_imex"] {
        let grid = Grid { columns: 15, rows: 15, mass: 0.2, stretch: 200.0, shear: 1.0, ..Grid::default() };
        let model = grid.choi_ko(1e-6).build().unwrap();
        let mut state = State::at_rest(&model);
        let mut random = Random(4);
        state.positions.iter_mut().for_each(|p| *p += DVec3::Y * 0.33 + random.vector(1e-3));
        let mut simulation = Simulation::with_state(
            model,
            state,
            Settings::without_contact(name.parse::<Method>().unwrap(), 1.0 / 240.0),
        )
        .unwrap();
        let shape = Shape::Sphere { centre: DVec3::ZERO, radius: 0.3 };
        let ball = Obstacle { shape, margin: 0.01, friction: 0.3, motion: None };
        simulation.set_obstacles(vec![ball.clone()]).unwrap();
        let mut touching = 0;
        for _ in 0..240 {
            touching = simulation.step().unwrap().touching;
            let deepest = simulation.positions().iter().map(|&p| ball.distance(p, 0.0).0).fold(0.0, f64::min);
            assert!(deepest > -1e-9, "{name}: {deepest}");
        }
        assert!(touching > 20, "{name}: {touching} touch");
        let x = simulation.positions();
        let ratio = |s: &taut::Spring| x[s.ab().0].distance(x[s.ab().1]) / s.rest_length;
        let edges = simulation.model().springs.iter().filter(|s| s.family == Family::Stretch);
        let longest = edges.map(ratio).fold(0.0, f64::max);
        assert!(longest < 1.1, "{name}: {longest}");
    }
}

/// In a groove between two slabs, tilted along it beyond what friction can hold: touching both must not hold it more
/// than both together can.
#[test]
fn between_two_solids_friction_still_gives_way() {
    let slab = |angle: f64| {
        let rotation = glam::DQuat::from_rotation_z(angle);
        let size = DVec3::new(4.0, 0.2, 20.0);
        let shape =
            Shape::Box { centre: rotation * DVec3::new(0.0, -0.1, 0.0), size, rotation, rounding: 0.0 };
        Obstacle { shape, margin: 0.0, friction: 0.1, motion: None }
    };
    let quarter = std::f64::consts::FRAC_PI_4;
    let gravity = 9.81 * DVec3::new(0.0, -2.0, 1.0) / 5f64.sqrt();
    let mut simulation = particle(|s| s.positions[0].y = 1e-3, slab(quarter), gravity);
    simulation.set_obstacles(vec![slab(quarter), slab(-quarter)]).unwrap();
    run(&mut simulation, 0.5);
    // Each slab presses with g·2/√5/√2, and both brake with μ times that.
    let braked = gravity.z + 2.0 * 0.1 * gravity.y / 2f64.sqrt();
    let slid = simulation.positions()[0].z;
    let (least, most) = (0.5 * braked * 0.25, 0.5 * gravity.z * 0.25);
    assert!((0.95 * least..1.02 * most).contains(&slid), "{slid} of {least} to {most}");
}
