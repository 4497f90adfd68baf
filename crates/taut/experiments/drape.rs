//! The experiment behind `docs/experiments/drape.md`: prints the page, in some minutes.
//!
//! `cargo run --release -p taut --example experiment_drape > docs/experiments/drape.md`
//! With numbers after it (`-- 21 41`) the first table for these particles a side; with `-- drops` the second alone.

use std::time::Instant;
use taut::{Ended, Error, Method, Scene, Settings, Simulation, Stop, measure};

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let sides: Vec<usize> = arguments.iter().filter_map(|side| side.parse().ok()).collect();
    if arguments.is_empty() {
        println!("# Cloth on a cylinder, and what falls on the ground\n");
        println!("Made by `cargo run --release -p taut --example experiment_drape`; do not edit.\n");
        println!(
            "A square metre of cotton falls across a cylinder of 40 cm, steps of 1/240 s: edges over their length at rest \
             after\na second. Ten iterations a step were the default once; `accuracy = 1e-3`, at most 100, is now; 1e-6 is \
             exact for\nthis purpose.\n"
        );
    }
    if arguments.is_empty() || !sides.is_empty() {
        drape(if sides.is_empty() { &[21, 41, 81] } else { &sides })?;
    }
    if arguments.is_empty() {
        println!(
            "\nSolids dropped from their own height, five seconds, nothing said about steps or iterations.\n"
        );
    }
    if sides.is_empty() {
        drops()?;
    }
    Ok(())
}

/// A square metre of cotton falls across a cylinder of 40 cm: how far its longest edge is stretched after a second.
fn drape(sides: &[usize]) -> Result<(), Error> {
    println!(
        "| particles | made of | stop | longest | 99 % | iterations a step | at the limit | ms a step |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for &side in sides {
        for made_of in ["elements", "springs"] {
            for (name, stop) in [
                ("10 iterations", Stop::iterations(10)),
                ("1e-3, at most 100", Stop::accuracy(1e-3)),
                ("1e-6", Stop { accuracy: 1e-6, ..Stop::iterations(5000) }),
            ] {
                let text = format!(
                    "duration = 1.0\n[[body]]\nelements = {}\nfabric = \"cotton\"\nposition = [0.0, 0.45, 0.0]\n\
                     grid = {{ columns = {side}, rows = {side}, width = 1.0, height = 1.0, diagonals = \"both\" }}\n\
                     perturbation = 1e-4\n[[solid]]\nfriction = 0.5\n\
                     cylinder = {{ from = [-0.8, 0.2, 0.0], to = [0.8, 0.2, 0.0], radius = 0.2 }}\n",
                    made_of == "elements"
                );
                let scene = Scene::parse("drape", &text, None)?;
                let method = Method::ConjugateGradient(stop);
                let settings = Settings { method, time_step: scene.time_step(), ..scene.settings.clone() };
                let mut simulation =
                    Simulation::with_state(scene.model.clone(), scene.state.clone(), settings)?;
                simulation.set_obstacles(scene.obstacles.clone())?;
                let steps = scene.frames * scene.substeps;
                let (mut iterations, mut limited, started) = (0, 0, Instant::now());
                for _ in 0..steps {
                    let solve = simulation.step()?.solve;
                    iterations += solve.iterations;
                    limited += usize::from(solve.ended == Ended::Iterations);
                }
                let seconds = started.elapsed().as_secs_f64();
                let ratios = measure::stretch_ratios(simulation.model(), simulation.state());
                let at = |part: f64| 100.0 * (ratios[((ratios.len() - 1) as f64 * part) as usize] - 1.0);
                println!(
                    "| {side} x {side} | {made_of} | {name} | {:+.2} % | {:+.2} % | {:.1} | {limited} of {steps} | {:.1} |",
                    at(1.0),
                    at(0.99),
                    iterations as f64 / steps as f64,
                    1e3 * seconds / steps as f64
                );
            }
        }
    }
    Ok(())
}

/// Solids of three materials, each dropped for five seconds from its own height.
fn drops() -> Result<(), Error> {
    println!(
        "| solid | material | particles | inverted in any step | volume | iterations a step | at the limit |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (name, solid, height) in [
        (
            "torus",
            "parts = [{ torus = { centre = [0.0, 0.0, 0.0], radius = 0.3, tube = 0.1 } }], particles = 250",
            0.4,
        ),
        (
            "block",
            "parts = [{ box = { centre = [0.0, 0.0, 0.0], size = [0.4, 0.4, 0.4] } }], particles = 729",
            0.6,
        ),
        ("hippo", "animal = \"hippo\", particles = 1200", 0.5),
    ] {
        for material in ["rubber", "jelly", "foam"] {
            let text = format!(
                "[[body]]\nsolid = {{ {solid} }}\nmaterial = \"{material}\"\nposition = [0.0, {height:?}, 0.0]\n\
                 rotation = [25.0, 10.0, 0.0]\n[[solid]]\nground = {{ height = 0.0 }}\n"
            );
            let scene = Scene::parse(name, &text, None)?;
            let mut simulation = scene.simulation()?;
            let volume = |x: &[taut::DVec3]| {
                let six = |t: &[u32; 4]| {
                    let [a, b, c, d] = t.map(|i| x[i as usize]);
                    (b - a).cross(c - a).dot(d - a).abs()
                };
                scene.model.tets.iter().map(six).sum::<f64>() / 6.0
            };
            let whole = volume(&scene.model.rest);
            let (mut most, mut low, mut high) = (0, 1.0f64, 1.0f64);
            let (mut iterations, mut limited) = (0, 0);
            let steps = scene.frames * scene.substeps;
            for _ in 0..steps {
                let report = simulation.step()?;
                most = most.max(report.inverted);
                iterations += report.solve.iterations;
                limited += usize::from(report.solve.ended == Ended::Iterations);
                let part = volume(simulation.positions()) / whole;
                (low, high) = (low.min(part), high.max(part));
            }
            println!(
                "| {name} | {material} | {} | {most} | {low:.3} to {high:.3} | {:.1} | {limited} of {steps} |",
                scene.model.particles(),
                iterations as f64 / steps as f64
            );
        }
    }
    Ok(())
}
