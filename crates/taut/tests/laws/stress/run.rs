//! A stress scene from a jittered start, every step judged from outside: by the exact test of `taut::verify`.

use crate::common::Random;
use std::fmt;
use taut::collision::{ContactSettings, Level, Response};
use taut::geometry::Surface;
use taut::verify::{Findings, Verifier};
use taut::{DVec3, Error, Scene, Simulation, measure};

/// The scenes: layers that are wrung, folds pressed from all sides, bare edges.
pub const SCENES: [&str; 3] = ["twist", "funnel", "knives"];

/// How far particles are shifted at the start, each coordinate \[m\], and bodies that nothing holds as a whole.
const JITTER: [f64; 2] = [5e-4, 0.02];

/// What became of a run.
pub struct Outcome {
    /// Steps taken.
    pub steps: usize,
    /// What was found in all of them.
    pub findings: Findings,
    /// What contact did in all of them.
    pub response: Response,
    /// 99th percentile and largest stretch at any step's end, length over length at rest.
    pub stretch: [f64; 2],
    /// Why it ended early.
    pub error: Option<Error>,
}

impl Outcome {
    /// Whether nothing crossed, nothing was pinched and no step failed.
    pub fn is_clean(&self) -> bool {
        self.findings.clean() && self.response.pinches + self.response.tangled == 0 && self.error.is_none()
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Outcome { steps, findings: found, response, stretch, .. } = self;
        let met = found.intersections + found.crossings + found.non_finite_frames;
        let Response { pinches, rounds, zones, largest_zone, .. } = response;
        let [most, max] = stretch;
        write!(
            f,
            "{steps:5} {met:9} {pinches:7} {rounds:6} {zones:5} {largest_zone:7}   {most:7.3} {max:7.3}"
        )?;
        self.error.iter().try_for_each(|e| write!(f, "  {e}"))
    }
}

/// So many steps of a built-in scene at a level, from a start that differs with the seed.
pub fn run(name: &str, level: Level, seed: u64, steps: usize) -> Result<Outcome, Error> {
    let mut scene = Scene::load(name)?;
    scene.settings.contact = ContactSettings::new(level);
    jitter(&mut scene, seed);
    let mut simulation = scene.simulation()?;
    let model = simulation.model();
    let surface = Surface::new(model.particles(), &model.triangles, &[])?;
    let mut verifier = Verifier::new(surface, &model.rest);
    verifier.frame(simulation.positions().to_vec());
    let (mut response, mut stretch, mut error) = (Response::default(), [0.0f64; 2], None);
    let mut taken = 0;
    while taken < steps && error.is_none() {
        match simulation.step() {
            Ok(report) => {
                response += report.contact.unwrap_or_default();
                verifier.frame(simulation.positions().to_vec());
                let now = stretches(&simulation);
                stretch = [0, 1].map(|k| stretch[k].max(now[k]));
                taken += 1;
            }
            Err(e) => error = Some(e),
        }
    }
    Ok(Outcome { steps: taken, findings: verifier.findings().clone(), response, stretch, error })
}

/// 99th percentile and largest.
fn stretches(simulation: &Simulation) -> [f64; 2] {
    let ratios = measure::stretch_ratios(simulation.model(), simulation.state());
    let last = ratios.len() - 1;
    [ratios[last * 99 / 100], ratios[last]]
}

fn jitter(scene: &mut Scene, seed: u64) {
    let mut random = Random(seed);
    for body in 0..scene.model.bodies.len() {
        let particles: Vec<usize> = scene.model.particles_of(body).collect();
        let held = particles.iter().any(|&i| scene.state.filters[i].is_pinned());
        let whole = random.vector(if held { 0.0 } else { JITTER[1] }) * DVec3::new(1.0, 0.0, 1.0);
        for i in particles {
            let shift = whole + random.vector(JITTER[0]);
            if !scene.state.filters[i].is_pinned() {
                scene.state.positions[i] += shift;
            }
        }
    }
}
