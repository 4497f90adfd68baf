//! The capstan: a strand that lies around a cylinder holds as long as friction can carry the difference of its tensions.

use crate::common::take;
use std::f64::consts::{FRAC_PI_2, PI};
use taut::collision::{Obstacle, Shape};
use taut::shapes::Strands;
use taut::{DVec3, Damping, Method, Settings, Simulation, State};

const RADIUS: f64 = 0.1;
/// Particles beyond the cylinder, on each side.
const TAIL: usize = 6;
const H: f64 = 1e-3;

/// How far the strand goes in half a second, after as long to come to rest, if it bends `bends` times by as much, by `turn`
/// in all \[rad\], and is pulled by 1 N at one end and by a force \[N\] at the other.
fn way(friction: f64, bends: usize, turn: f64, force: f64) -> f64 {
    let half = 0.5 * turn / bends as f64;
    let (count, edge) = (bends + 2 * TAIL, 2.0 * RADIUS * half.tan());
    let strand = Strands { particles: count, length: edge * (count - 1) as f64, ..Strands::default() };
    let mut model =
        Strands { mass: 1e-3 * count as f64, stiffness: 100.0, two_apart: 0.0, ..strand }.build().unwrap();
    model.gravity = DVec3::ZERO;
    let mut state = State::at_rest(&model);
    // Around the cylinder each edge touches it in its middle; from there both ends go straight on.
    let at = |angle: f64| RADIUS / half.cos() * DVec3::new(angle.sin(), angle.cos(), 0.0);
    let side = |sign: f64| DVec3::new(sign * (0.5 * turn).cos(), -(0.5 * turn).sin(), 0.0);
    let [first, last] = [half - 0.5 * turn, 0.5 * turn - half];
    for (i, place) in state.positions.iter_mut().enumerate() {
        *place = match (i.checked_sub(TAIL), i.checked_sub(TAIL + bends)) {
            (None, _) => at(first) + edge * (TAIL - i) as f64 * side(-1.0),
            (_, Some(beyond)) => at(last) + edge * (beyond + 1) as f64 * side(1.0),
            (Some(bend), None) => at(first + 2.0 * half * bend as f64),
        };
    }
    state.forces[0] = side(-1.0);
    state.forces[count - 1] = force * side(1.0);
    let damping = Damping { drag: 2.0, ..Damping::default() };
    let settings = Settings { damping, ..Settings::new(Method::newton(), H) };
    let mut simulation = Simulation::with_state(model, state, settings).unwrap();
    let shape = Shape::Cylinder { ends: [-DVec3::Z, DVec3::Z], radius: RADIUS };
    simulation.set_obstacles(vec![Obstacle { shape, margin: 0.0, friction, motion: None }]).unwrap();
    take(&mut simulation, 500);
    let before = simulation.positions()[count - 1];
    take(&mut simulation, 500);
    (simulation.positions()[count - 1] - before).dot(side(1.0))
}

/// Bent n times by θ it slips at `((1 + μ tan θ/2)/(1 − μ tan θ/2))ⁿ`, which tends to e^{μφ}: to two per cent.
#[test]
fn a_strand_slips_at_the_ratio_of_the_capstan() {
    for (friction, bends, turn) in [(0.2, 16, PI), (0.4, 8, FRAC_PI_2), (0.3, 24, PI)] {
        let lean = friction * (0.5 * turn / bends as f64).tan();
        let ratio = ((1.0 + lean) / (1.0 - lean)).powi(bends as i32);
        let [holds, slips] = [0.98, 1.02].map(|part| way(friction, bends, turn, part * ratio));
        println!("μ = {friction}, {bends} bends: {holds:e} m, {slips:e} m");
        assert!(holds < 1e-3, "μ = {friction}, {bends} bends: slips by {holds} m below the limit");
        assert!(slips > 1.0, "μ = {friction}, {bends} bends: goes {slips} m beyond the limit");
    }
}
