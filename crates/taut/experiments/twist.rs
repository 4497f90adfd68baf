//! The experiment behind `docs/experiments/twist.md`: prints the page, in some minutes.
//!
//! `cargo run --release -p taut --example experiment_twist > docs/experiments/twist.md`
//! With words after it (`-- exact 60`) only those levels and steps per second.

use std::process::ExitCode;
use taut::collision::{ContactSettings, Level};
use taut::{Error, Method, Scene, Stop, measure};

/// Each handle turns once in 8 s, against the other: 1.3 turns [s].
const END: f64 = 8.0 * 1.3 / 2.0;
/// Steps per second.
const RATES: [u32; 3] = [60, 120, 240];
const LEVELS: [Level; 3] = [Level::Off, Level::Fast, Level::Exact];

/// The scene `twist` with handles that do not come nearer: all that twist shortens must stretch.
fn scene() -> Result<Scene, Error> {
    let text = include_str!("../scenes/twist.toml").lines().filter(|line| !line.starts_with("path"));
    Scene::parse("twist", &text.collect::<Vec<_>>().join("\n"), None)
}

/// Length over length at rest of the springs of a twist, 99th percentile and largest, and the rounds of impacts a step.
fn twist(level: Level, rate: u32) -> Result<String, Error> {
    let mut scene = scene()?;
    scene.settings.contact = ContactSettings::new(level);
    scene.settings.time_step = 1.0 / f64::from(rate);
    scene.settings.method = Method::ConjugateGradient(Stop::iterations(10));
    let mut simulation = scene.simulation()?;
    let (steps, mut rounds) = ((END * f64::from(rate)).round() as usize, 0);
    for _ in 0..steps {
        rounds += simulation.step()?.contact.unwrap_or_default().rounds;
    }
    let ratios = measure::stretch_ratios(simulation.model(), simulation.state());
    let last = ratios.len() - 1;
    let (usual, most) = (ratios[last * 99 / 100], ratios[last]);
    Ok(format!(" {usual:.2} / {most:.2}, {:.2} |", rounds as f64 / steps as f64))
}

fn page(words: &[String]) -> Result<(), Error> {
    let wanted = |word: String, all: bool| all || words.contains(&word);
    let named = |all: &[String]| !all.iter().any(|word| words.contains(word));
    let all_levels = named(&LEVELS.map(|level| level.to_string()));
    let all_rates = named(&RATES.map(|rate| rate.to_string()));
    println!("# Stretch of wrung cloth\n");
    println!("Made by `cargo run --release -p taut --example experiment_twist`; do not edit.\n");
    println!(
        "The five sheets of `twist`, 21 × 21 each, their handles kept at one distance, by ten iterations of \
         `conjugate_gradient`,\nafter 1.3 turns: length over length at rest, 99th percentile of all springs / largest, and \
         rounds of impacts in a step.\n"
    );
    let rates: Vec<u32> = RATES.into_iter().filter(|rate| wanted(rate.to_string(), all_rates)).collect();
    println!("| |{}", rates.iter().map(|rate| format!(" h = 1/{rate} s |")).collect::<String>());
    println!("|---|{}", "---|".repeat(rates.len()));
    for level in LEVELS.into_iter().filter(|level| wanted(level.to_string(), all_levels)) {
        print!("| `{level}` |");
        for &rate in &rates {
            print!("{}", twist(level, rate)?);
        }
        println!();
    }
    Ok(())
}

fn main() -> ExitCode {
    match page(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}
