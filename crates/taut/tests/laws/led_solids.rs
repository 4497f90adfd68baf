//! Solids that are moved by hand: exactly where they were told to be after the next step, whoever moved them before.

use crate::common::{Random, take};
use crate::mesh_solids::{cuboid, settings};
use glam::DQuat;
use taut::collision::{Course, Level, Motion, Obstacle, Pose, Shape};
use taut::shapes::{Grid, prescribed};
use taut::{DVec3, Edit, Event, Model, Simulation, Solid};

/// A cloth at rest above a mesh and a ball, both of which a script moves.
fn start() -> Simulation {
    let grid = Grid { columns: 5, rows: 5, width: 0.4, height: 0.4, mass: 0.1, ..Grid::default() };
    let mut model = grid.build().unwrap();
    let (places, faces) = cuboid(DVec3::Y * -0.3, DVec3::splat(0.2));
    model.append(&prescribed("box", &places, &faces, 0.01, 0.3).unwrap());
    let mut simulation = Simulation::new(model.clone(), settings(Level::Fast, 0.01)).unwrap();
    let turning = Motion::turning(DVec3::Y * -0.3, DVec3::Y, vec![(0.0, 0.0), (9.0, 9.0)]);
    let later = Motion::shifting(vec![(0.0, DVec3::X)]);
    let particles: Vec<usize> = model.particles_of(1).collect();
    let follow = |time: f64, motion: Motion| {
        let (particles, course) = (particles.clone(), Course::Rigid(Box::new(motion)));
        Event { time, edit: Edit::Follow { particles, course } }
    };
    simulation.set_script(vec![follow(0.0, turning.clone()), follow(0.1, later)]).unwrap();
    let shape = Shape::Sphere { centre: DVec3::X * 2.0, radius: 0.3 };
    let motion = Some(Motion { about: DVec3::X * 1.5, ..turning });
    simulation.set_obstacles(vec![Obstacle { shape, margin: 0.0, friction: 0.3, motion }]).unwrap();
    simulation
}

fn places(model: &Model, pose: Pose) -> Vec<DVec3> {
    model.particles_of(1).map(|i| pose.at(model.rest[i])).collect()
}

/// Before the first step, in the midst of a motion, twice in one step, again and again; and it stays.
#[test]
fn a_solid_is_where_it_was_told_to_be_after_the_next_step() {
    for steps in [0, 3] {
        let (mut simulation, mut random) = (start(), Random(steps as u64));
        take(&mut simulation, steps);
        let mut pose = Pose::default();
        for n in 0..12 {
            for _ in 0..1 + n % 2 {
                let turn = DQuat::from_scaled_axis(random.vector(3.0));
                pose = Pose::about(DVec3::Y * -0.3, turn, DVec3::Y * -0.1 + random.vector(0.02));
                simulation.move_solid(Solid::Body(1), pose).unwrap();
                simulation.edit(Edit::Move { solid: Solid::Obstacle(0), pose }).unwrap();
            }
            let (before, time) = (simulation.obstacles()[0].clone(), simulation.state().time);
            take(&mut simulation, 1);
            assert_eq!(simulation.positions()[25..], places(simulation.model(), pose));
            let (ball, now) = (&simulation.obstacles()[0], simulation.state().time);
            let centre = pose.at(DVec3::X * 2.0);
            assert!((ball.distance(centre + 0.5 * DVec3::Z, now).0 - 0.2).abs() < 1e-14);
            // It moves from where it was, not from where it was given.
            let carried = before.carry(centre, DVec3::X, now, time).0;
            assert!((before.distance(carried, time).0 + 0.3).abs() < 1e-14);
        }
        // The script would move it on, and again at 0.1 s.
        take(&mut simulation, 20);
        assert_eq!(simulation.positions()[25..], places(simulation.model(), pose));
        let velocities = &simulation.state().velocities[25..];
        assert!(velocities.iter().all(|v| *v == DVec3::ZERO), "it rests");
        assert!(simulation.events().is_empty() || simulation.state().time > 0.1);
    }
}

/// A solid that cannot be: refused, and not a bit has changed.
#[test]
fn what_is_refused_has_moved_nothing() {
    let mut simulation = start();
    take(&mut simulation, 2);
    let before = simulation.snapshot();
    let pose = Pose::default();
    let turn = DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0);
    for (solid, pose, part) in [
        (Solid::Obstacle(1), pose, "obstacle 1"),
        (Solid::Body(0), pose, "body 0"),
        (Solid::Body(2), pose, "body 2"),
        (Solid::Body(1), Pose { shift: DVec3::NAN, ..pose }, "finite"),
        (Solid::Obstacle(0), Pose { turn, ..pose }, "unit quaternion"),
    ] {
        let error = simulation.edit(Edit::Move { solid, pose }).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
        assert_eq!(simulation.snapshot(), before);
    }
    let event = Event { time: 0.0, edit: Edit::Move { solid: Solid::Body(1), pose } };
    assert!(simulation.set_script(vec![event]).unwrap_err().to_string().contains("between two steps"));
}

/// A step that fails leaves the solid where it was, to be told another place.
#[test]
fn a_failed_step_has_not_moved_the_solid() {
    let mut simulation = start();
    let mut settings = simulation.settings().clone();
    settings.contact.level = Level::Exact;
    simulation.configure(settings).unwrap();
    take(&mut simulation, 1);
    (0..25).for_each(|i| simulation.pin(i).unwrap());
    take(&mut simulation, 1);
    simulation.release(12).unwrap();
    // Through the cloth, all but one particle of which is held.
    simulation.move_solid(Solid::Body(1), Pose { shift: DVec3::Y * 0.6, ..Pose::default() }).unwrap();
    let before = simulation.snapshot();
    assert!(matches!(simulation.step(), Err(taut::Error::Pinched { .. })));
    assert_eq!(simulation.snapshot(), before);
    let pose = Pose { shift: DVec3::Y * -0.1, ..Pose::default() };
    simulation.move_solid(Solid::Body(1), pose).unwrap();
    take(&mut simulation, 1);
    assert_eq!(simulation.positions()[25..], places(simulation.model(), pose));
}
