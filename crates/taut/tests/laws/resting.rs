//! Contact that has come to rest: friction holds without creep up to Coulomb's angle, a stack stays a stack, and sheets
//! that meet head-on go on as one.

use crate::common::take;
use taut::collision::{ContactSettings, Level, Obstacle, Shape};
use taut::shapes::Grid;
use taut::{DVec3, Method, Model, Precision, Settings, Simulation, State, Stop};

const THICK: f64 = 0.01;

/// Ten iterations, or as many as the method takes itself.
fn settings(method: &str, level: Level, h: f64) -> Settings {
    let mut method: Method = method.parse().unwrap();
    method.stop_mut().into_iter().filter(|s| s.accuracy > 0.0).for_each(|s| *s = Stop::iterations(10));
    Settings { contact: ContactSettings::new(level), ..Settings::new(method, h) }
}

/// A sheet of 30 cm, with a thickness and friction of its own.
fn sheet(n: usize, mass: f64, friction: f64) -> Model {
    let grid = Grid { columns: n, rows: n, width: 0.3, height: 0.3, mass, ..Grid::default() };
    let mut model = Grid { stretch: 300.0, shear: 100.0, bend: 1.0, ..grid }.build().unwrap();
    model.bodies[0].skin.thickness = Some(THICK);
    model.bodies[0].skin.friction = friction;
    model
}

/// Gravity for a slope of the given rise, seen from the slope.
fn leaning(rise: f64) -> DVec3 {
    9.81 * DVec3::new(rise, -1.0, 0.0).normalize()
}

/// How far particles from `first` on move in the given seconds \[m\]: at most, and at least.
fn moved(simulation: &mut Simulation, first: usize, seconds: f64) -> [f64; 2] {
    let before = simulation.positions()[first..].to_vec();
    take(simulation, (seconds / simulation.settings().time_step).round() as usize);
    let ways = simulation.positions()[first..].iter().zip(before).map(|(a, b)| a.distance(b));
    ways.fold([0.0, f64::INFINITY], |[most, least], way| [f64::max(most, way), f64::min(least, way)])
}

/// On an incline cloth holds iff tan θ ≤ μ, to one per cent; and once it holds it stays to the nanometre.
#[test]
fn an_incline_holds_up_to_its_angle() {
    for (method, level) in [
        ("newton", Level::Fast),
        ("conjugate_gradient", Level::Exact),
        ("local_global", Level::Fast),
        ("xpbd", Level::Exact),
    ] {
        for (rise, holds) in [(0.297, true), (0.303, false)] {
            let mut model = sheet(6, 0.05, 0.3);
            model.gravity = leaning(rise);
            let mut simulation = Simulation::new(model, settings(method, level, 1.0 / 120.0)).unwrap();
            let shape = Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y };
            simulation
                .set_obstacles(vec![Obstacle { shape, margin: 0.0, friction: 0.3, motion: None }])
                .unwrap();
            take(&mut simulation, 120);
            let [most, least] = moved(&mut simulation, 0, if holds { 10.0 } else { 1.0 });
            // Beyond the limit it goes by ½ g (sin θ − μ cos θ) t² in two seconds, less what it went in the first.
            let pull = 9.81 * (rise - 0.3) / (1.0 + rise * rise).sqrt();
            match holds {
                true => assert!(most < 1e-9, "{method}: creeps {most:e} m"),
                false => {
                    assert!((least - 1.5 * pull).abs() < 0.05 * pull, "{method}: {least} m, {}", 1.5 * pull)
                }
            }
        }
    }
}

/// The same on a sheet that is held everywhere: the limit within three per cent, and hardly any creep at 5/6 of it.
#[test]
fn a_sheet_holds_on_a_sheet() {
    for (method, level) in [("newton", Level::Fast), ("conjugate_gradient", Level::Exact)] {
        for (part, holds) in [(5.0 / 6.0, true), (0.97, true), (1.03, false)] {
            let mut model = sheet(5, 0.05, 0.3);
            model.append(&sheet(6, 0.05, 0.3));
            model.gravity = leaning(0.3 * part);
            let mut state = State::at_rest(&model);
            // The lower one is larger, so that nothing is beyond its border.
            (0..25).for_each(|i| {
                state.positions[i] *= 2.0;
                state.pin(i);
            });
            state.positions[25..].iter_mut().for_each(|p| p.y += THICK);
            let mut simulation =
                Simulation::with_state(model, state, settings(method, level, 1.0 / 120.0)).unwrap();
            take(&mut simulation, 60);
            let [most, least] = moved(&mut simulation, 25, if part < 0.9 { 10.0 } else { 1.0 });
            println!("{method} {level}, {part:.3}: {most:e} m, {least:e} m");
            match holds {
                true => assert!(most <= 1e-5, "{method}, {part}: creeps {most:e} m"),
                false => assert!(least > 1e-3, "{method}, {part}: moved {least:e} m"),
            }
        }
    }
}

/// Two free sheets that meet head-on leave with one velocity, that of their centre of mass: to a billionth of the speed they
/// met with; where contact is minimised together with the springs, as exactly as the factor is known.
#[test]
fn sheets_that_meet_head_on_go_on_as_one() {
    for (method, level, precision, digits) in [
        ("newton", Level::Fast, Precision::Single, 1e-9),
        ("symplectic_euler", Level::Exact, Precision::Single, 1e-9),
        ("conjugate_gradient", Level::Fast, Precision::Double, 1e-9),
        ("conjugate_gradient", Level::Exact, Precision::Double, 1e-9),
        ("conjugate_gradient", Level::Fast, Precision::Single, 1e-8),
    ] {
        let mut model = sheet(5, 0.05, 0.0);
        model.append(&sheet(5, 0.02, 0.0));
        model.gravity = DVec3::ZERO;
        let mut state = State::at_rest(&model);
        state.positions[25..].iter_mut().for_each(|p| p.y += 0.05);
        state.velocities[..25].fill(0.4 * DVec3::Y);
        state.velocities[25..].fill(-2.0 * DVec3::Y);
        let mut simulation = Simulation::with_state(
            model,
            state,
            Settings { precision, ..settings(method, level, 1.0 / 240.0) },
        )
        .unwrap();
        take(&mut simulation, 60);
        let common = (0.05 * 0.4 - 0.02 * 2.0) / 0.07;
        for (i, v) in simulation.state().velocities.iter().enumerate() {
            assert!((v.y - common).abs() <= 2.4 * digits, "{method}, particle {i}: {} m/s, {common}", v.y);
        }
    }
}

/// Five sheets on the ground stay a thickness apart, the ground carries their weight, and they come to rest.
#[test]
fn a_stack_stays_a_stack() {
    for (method, level, h) in
        [("conjugate_gradient", Level::Exact, 1.0 / 240.0), ("conjugate_gradient", Level::Fast, 1.0 / 60.0)]
    {
        stack_of_five(method, level, h);
    }
}

fn stack_of_five(method: &str, level: Level, h: f64) {
    let (n, second) = (7, (1.0 / h).round() as usize);
    let mut model = Model::default();
    (0..5).for_each(|_| {
        model.append(&sheet(n, 0.05, 0.3));
    });
    let mut state = State::at_rest(&model);
    for (i, p) in state.positions.iter_mut().enumerate() {
        p.y += 1.2 * THICK * (1 + i / (n * n)) as f64;
    }
    let mut simulation = Simulation::with_state(model, state, settings(method, level, h)).unwrap();
    let ground = Shape::Ground { height: 0.0 };
    simulation
        .set_obstacles(vec![Obstacle { shape: ground, margin: THICK, friction: 0.3, motion: None }])
        .unwrap();
    take(&mut simulation, 2 * second);
    let upward = |s: &Simulation| taut::measure::momentum(s.model(), s.state()).y;
    let before = upward(&simulation);
    let mut fastest = 0.0f64;
    for _ in 0..second {
        take(&mut simulation, 1);
        fastest = simulation.state().velocities.iter().map(|v| v.length()).fold(fastest, f64::max);
    }
    // What the ground gave in this second is the weight and what the momentum has changed by.
    let weight = 5.0 * 0.05 * 9.81;
    let carried = weight + upward(&simulation) - before;
    assert!((carried - weight).abs() <= 0.01 * weight, "{carried} N s for {weight}");
    let x = simulation.positions();
    let layers = n * n;
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for i in layers..x.len() {
        let gap = x[i].y - x[i - layers].y;
        (least, most) = (least.min(gap / THICK), most.max(gap / THICK));
    }
    println!("{method} {level}: gaps {least:.3} to {most:.3}, {fastest:e} m/s");
    assert!(least >= 0.9 && most <= 1.1, "{method} {level}: gaps {least} to {most}");
    assert!(fastest < 1e-4, "{method} {level}: {fastest} m/s");
}
