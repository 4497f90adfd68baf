//! A whole cloth on a solid that turns, drives off, rises or tilts, by every method and scheme: it moves with the surface
//! where friction holds it, is dragged along by μg where not, and no particle is ever inside.

use crate::common::take;
use crate::friction::every_way;
use glam::DQuat;
use taut::collision::{Motion, Obstacle, Shape};
use taut::shapes::Grid;
use taut::{DVec3, Method, Settings, Simulation};

/// A plate of 3 m whose top is at height 0; for a second it turns evenly by an angle \[rad\].
struct Plate {
    about: DVec3,
    axis: DVec3,
    angle: f64,
    friction: f64,
}

impl Plate {
    fn obstacle(&self) -> Obstacle {
        let size = DVec3::new(3.0, 0.2, 3.0);
        let shape = Shape::Box { centre: -0.1 * DVec3::Y, size, rotation: DQuat::IDENTITY, rounding: 0.0 };
        let Plate { about, axis, angle, friction } = *self;
        let motion = Motion::turning(about, axis, vec![(0.0, 0.0), (1.0, angle)]);
        Obstacle { shape, margin: 0.0, friction, motion: Some(motion) }
    }

    /// Where a point of it is at the end of the second.
    fn carried(&self, p: DVec3) -> DVec3 {
        self.about + DQuat::from_axis_angle(self.axis, self.angle) * (p - self.about)
    }

    /// Velocity of a point of it [m/s].
    fn velocity(&self, p: DVec3) -> DVec3 {
        self.angle * self.axis.cross(p - self.about)
    }
}

/// The cloth after a second on the plate, if it moves by these settings.
fn ride(plate: &Plate, settings: Settings) -> Simulation {
    let springs = Grid { mass: 2.0, stretch: 40.0, shear: 20.0, bend: 1.0, ..Grid::default() };
    let model = Grid { columns: 7, rows: 7, width: 0.6, height: 0.6, ..springs }.build().unwrap();
    let (obstacle, steps) = (plate.obstacle(), (1.0 / settings.time_step).round() as usize);
    let mut simulation = Simulation::new(model, settings).unwrap();
    simulation.set_obstacles(vec![obstacle.clone()]).unwrap();
    for n in 1..=steps {
        take(&mut simulation, 1);
        let time = simulation.state().time;
        let deepest = simulation.positions().iter().map(|&p| obstacle.distance(p, time).0);
        let deepest = deepest.fold(f64::INFINITY, f64::min);
        let name = simulation.settings().method.name();
        assert!(deepest >= -1e-12, "{name}, step {n}: a particle is {deepest:e} m deep");
    }
    simulation
}

/// Ride by every method and scheme; `check` gets the end, its name, and the time step.
fn all(plate: &Plate, check: impl Fn(&Simulation, &str, f64)) {
    for mut settings in every_way(1.0 / 200.0) {
        // Without drag it needs short steps.
        if settings.method == "forward_euler".parse::<Method>().unwrap() {
            settings.time_step *= 0.1;
        }
        let (method, scheme, level) =
            (settings.method.name(), settings.scheme.name(), settings.contact.level);
        let name = format!("{method} {scheme} {level}");
        let h = settings.time_step;
        check(&ride(plate, settings), &name, h);
    }
}

/// Friction holds: after the jolt of the start each particle is where its point of the plate is, but for the `slip` of
/// the start \[m\], with the velocity of the plate.
fn is_carried(plate: Plate, slip: f64) {
    all(&plate, |simulation, name, h| {
        let state = simulation.state();
        // What a step can leave is its turn of the velocity; forward Euler leaves a step of free fall too.
        let reach = state.positions.iter().map(|p| p.distance(plate.about)).fold(0.0, f64::max);
        let turn = plate.angle.powi(2) * reach * h;
        let most = if name.starts_with("forward") { turn + 9.81 * h } else { turn };
        for (i, (&x, &v)) in state.positions.iter().zip(&state.velocities).enumerate() {
            let off = (v - plate.velocity(x)).length();
            assert!(off <= 1.05 * most, "{name}, particle {i}: {off} m/s off");
            let slid = x.distance(plate.carried(simulation.model().rest[i]));
            assert!(slid <= 1.05 * slip, "{name}, particle {i} slid {slid} m");
        }
    });
}

/// The rim is off by v²/2μg until it has the speed v of the disc.
#[test]
fn a_turning_disc_takes_it_along() {
    let rim = 0.3 * 2f64.sqrt();
    let slip = rim * rim / (2.0 * 0.5 * 9.81);
    is_carried(Plate { about: DVec3::ZERO, axis: DVec3::Y, angle: 1.0, friction: 0.5 }, slip);
}

/// About an axis 50 m away: a metre up, and hardly turned.
#[test]
fn a_lift_takes_it_up() {
    is_carried(Plate { about: -50.0 * DVec3::X, axis: DVec3::Z, angle: 0.02, friction: 0.5 }, 1e-5);
}

#[test]
fn a_plate_that_tilts_holds_it() {
    is_carried(Plate { about: DVec3::ZERO, axis: DVec3::X, angle: 0.5, friction: 0.9 }, 1e-4);
}

/// The plate drives off at 1 m/s, about an axis 50 m away. With μ = 0.05 the cloth is at 0.05 g after a second.
#[test]
fn a_plate_that_drives_off_drags_it() {
    let plate = Plate { about: 50.0 * DVec3::Z, axis: DVec3::Y, angle: 0.02, friction: 0.05 };
    all(&plate, |simulation, name, _| {
        let v = &simulation.state().velocities;
        let mean = v.iter().sum::<DVec3>() / v.len() as f64;
        let expected = 0.05 * 9.81;
        assert!((mean.x + expected).abs() <= 1e-3 * expected, "{name}: {mean}, {expected}");
    });
}

/// Without friction the disc turns under a cloth that stays.
#[test]
fn a_slippery_disc_leaves_it() {
    let plate = Plate { about: DVec3::ZERO, axis: DVec3::Y, angle: 1.0, friction: 0.0 };
    all(&plate, |simulation, name, _| {
        for (&x, &rest) in simulation.positions().iter().zip(&simulation.model().rest) {
            let off = (x - rest).length();
            assert!(off <= 1e-12, "{name}: {off:e} m");
        }
    });
}
