//! The stress of contact at length: every stress scene from jittered starts, at both levels, and once for long. After
//! every step everything is judged by an exact test of intersection, and by continuous detection since the step before.
//!
//! ```sh
//! cargo run --release -p taut --example stress                  # everything: 63 runs, hours
//! cargo run --release -p taut --example stress -- 3 600 knives  # three starts of 600 steps of one scene
//! ```
//!
//! A line for each run; ends with an error if anything crossed, was pinched or failed.

#[allow(dead_code)]
#[path = "../tests/laws/common.rs"]
mod common;
#[path = "../tests/laws/stress/run.rs"]
mod run;

use std::process::ExitCode;
use taut::collision::Level;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    let mut number = |usual: u64| match arguments.next_if(|word| word.parse::<u64>().is_ok()) {
        Some(word) => word.parse().unwrap_or(usual),
        None => usual,
    };
    let (starts, steps, long) = (number(10), number(600), number(2000));
    let named: Vec<String> = arguments.collect();
    let scenes: Vec<&str> =
        run::SCENES.into_iter().filter(|s| named.is_empty() || named.iter().any(|n| n == s)).collect();
    println!("scene  level start steps crossings pinches rounds zones largest   stretch: 99 %, most");
    let mut sound = true;
    let mut one = |scene: &str, level: Level, start: u64, steps: u64| match run::run(
        scene,
        level,
        start,
        steps as usize,
    ) {
        Ok(outcome) => {
            println!("{scene:6} {:5} {start:5} {outcome}", level.to_string());
            sound &= outcome.is_clean();
        }
        Err(e) => {
            println!("{scene:6} {:5} {start:5} {e}", level.to_string());
            sound = false;
        }
    };
    for start in 1..=starts {
        for scene in &scenes {
            [Level::Exact, Level::Fast].into_iter().for_each(|level| one(scene, level, start, steps));
        }
    }
    for scene in &scenes {
        one(scene, Level::Exact, starts + 1, long);
    }
    println!("{}", if sound { "nothing crossed, nothing was pinched" } else { "FAILED" });
    if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
