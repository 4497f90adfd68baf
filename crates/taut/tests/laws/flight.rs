//! What flies together costs what it costs at rest: boxes are compared at both ends of a step, and common motion drops out.

use taut::collision::{ContactSettings, Level};
use taut::shapes::Grid;
use taut::{DVec3, Method, Model, Settings, Simulation, State};

const H: f64 = 1.0 / 30.0;
/// Particles along a side, layers, and how far these are apart \[m\].
const SIDE: usize = 33;
const LAYERS: usize = 8;
const APART: f64 = 0.003;

/// A square metre, folded forth and back, at rest in itself; uneven, and rippling by half a millimetre.
fn folded() -> (Model, State) {
    let mut model = Grid { columns: SIDE, rows: SIDE, ..Grid::default() }.build().unwrap();
    model.gravity = DVec3::ZERO;
    model.bodies[0].skin.thickness = Some(APART);
    let (columns, spacing) = ((SIDE - 1) / LAYERS, 1.0 / (SIDE - 1) as f64);
    let mut state = State::at_rest(&model);
    for (i, (x, v)) in state.positions.iter_mut().zip(&mut state.velocities).enumerate() {
        let (row, column) = (i / SIDE, i % SIDE);
        let layer = (column / columns).min(LAYERS - 1);
        let along = column - layer * columns;
        let along = if layer % 2 == 0 { along as f64 } else { (columns - 1) as f64 - along as f64 };
        let wave = |a: f64, b: f64, c: f64| DVec3::new(a, b, c).map(|f| (f * i as f64).sin());
        *x = DVec3::new(along * spacing, APART * layer as f64, row as f64 * spacing);
        *x += 1e-4 * wave(12.9898, 78.233, 37.719);
        *v = 5e-4 / H * wave(0.7, 0.3, 0.11);
    }
    for spring in &mut model.springs {
        let [a, b] = spring.ends.map(|i| state.positions[i as usize]);
        *spring = spring.with_length(a.distance(b));
    }
    (model, state)
}

#[test]
fn a_flying_fold_has_the_candidates_of_one_at_rest() {
    let (model, state) = folded();
    for level in [Level::Fast, Level::Exact] {
        let pairs = |velocity: DVec3| {
            let mut state = state.clone();
            state.velocities.iter_mut().for_each(|v| *v += velocity);
            let settings =
                Settings { contact: ContactSettings::new(level), ..Settings::new(Method::default(), H) };
            let mut simulation = Simulation::with_state(model.clone(), state, settings).unwrap();
            simulation.step().unwrap().contact.unwrap().pairs as f64
        };
        let still = pairs(DVec3::ZERO);
        assert!(still > 5e3, "{still} pairs");
        for direction in [DVec3::X, DVec3::Y, DVec3::new(-0.48, 0.6, 0.64)] {
            let flying = pairs(100.0 * direction);
            assert!(
                (flying - still).abs() <= 0.01 * still,
                "{level}: {still} pairs at rest, {flying} along {direction}"
            );
        }
    }
}
