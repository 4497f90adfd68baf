//! The experiment behind `docs/experiments/demo.md`: prints the page.
//!
//! `cargo run --release -p taut --example experiment_demo > docs/experiments/demo.md`

use taut::{Error, Family, Order, Scene, Settings, Simulation, StrainLimit, measure};

/// The longest spring, length over rest length.
fn longest(simulation: &Simulation) -> f64 {
    measure::stretch_ratios(simulation.model(), simulation.state()).last().copied().unwrap_or(1.0)
}

/// Largest remainder over ten seconds after `limit` at a step of `h`, in percent of the rest length over 100 %.
fn remainder(limit: StrainLimit, h: f64) -> Result<f64, Error> {
    let mut simulation = Scene::load("demo_stretched")?.simulation()?;
    simulation.configure(Settings {
        method: simulation.settings().method.clone(),
        damping: simulation.settings().damping,
        time_step: h,
        ..simulation.settings().clone()
    })?;
    simulation.configure(Settings { limit: Some(limit), ..simulation.settings().clone() })?;
    let mut worst = 0.0_f64;
    for _ in 0..(10.0 / h).round() as usize {
        simulation.step()?;
        worst = worst.max(longest(&simulation));
    }
    Ok(100.0 * (worst - 1.0))
}

fn main() -> Result<(), Error> {
    println!("# Explicit cloth and strain limits ([Demo], Provot 1995)\n");
    println!("Made by `cargo run --release -p taut --example experiment_demo`; do not edit.\n");
    println!(
        "One cloth of 17 × 17 particles, 1 m apart, 1 kg each, k = 300 N/m, drag 1/s, held at two corners, by"
    );
    println!("`symplectic_euler`. Its fastest mode allows steps of 0.036 s.\n");
    println!("| scene | step [s] | limit | longest spring over 10 s | ends |\n|---|---|---|---|---|");
    for name in ["demo_chaotic", "demo_stretched", "demo_limited"] {
        let scene = Scene::load(name)?;
        let mut simulation = scene.simulation()?;
        let (mut worst, mut end) = (0.0_f64, "at 10 s, hanging".to_string());
        for _ in 0..(10.0 / scene.time_step()).round() as usize {
            if let Err(e) = simulation.step() {
                end = match e {
                    Error::Diverged { time, .. } => format!("lost after {time:.1} s"),
                    other => other.to_string(),
                };
                break;
            }
            worst = worst.max(longest(&simulation));
        }
        let of = |l: &StrainLimit, f| 100.0 * l.of(f);
        let limit = scene.settings.limit.map_or("none".into(), |l| {
            let (stretch, bend) = (of(&l, Family::Stretch), of(&l, Family::Bend));
            format!("stretch, shear {stretch} %, bend {bend} %, {} passes", l.passes)
        });
        println!(
            "| `{name}` | {:.2} | {limit} | {:+.0} % | {end} |",
            scene.time_step(),
            100.0 * (worst - 1.0)
        );
    }
    println!("\n## What is left over\n");
    println!(
        "The same cloth with τ = 10 % for every spring: the longest spring met in ten seconds, in percent over its"
    );
    println!(
        "rest length. 10 is the limit kept. Visiting springs in another order changes little; a step ten times"
    );
    println!("as long asks for far more passes, since each step brings h² times as much to put right.\n");
    println!(
        "| passes | h = 0.01 s, given | alternating | coloured | h = 0.1 s, given | alternating | coloured |"
    );
    println!("|---|---|---|---|---|---|---|");
    for passes in [1, 2, 5, 10, 20, 50, 100, 200] {
        let mut row = format!("| {passes} |");
        for h in [0.01, 0.1] {
            for (_, order) in Order::NAMES {
                let left = remainder(StrainLimit { passes, order, ..StrainLimit::default() }, h)?;
                row += &format!(" {left:.2} |");
            }
        }
        println!("{row}");
    }
    Ok(())
}
