//! Nearest rotations against an oracle of 32 digits, on random and degenerate matrices.
//!
//! ```sh
//! cargo run --release -p taut --example certify_nearest -- 1000000
//! ```
//!
//! Ends with an error if any is not a rotation, or not the nearest, to 1e-14.

#[allow(dead_code)]
#[path = "../tests/laws/common.rs"]
mod common;
#[path = "../tests/laws/nearest/double.rs"]
mod double;
#[path = "../tests/laws/nearest/judge.rs"]
mod judge;

use common::Random;
use judge::{FAMILIES, Worst};
use std::process::ExitCode;

fn main() -> ExitCode {
    let count = std::env::args().nth(1).map_or(100_000, |n| n.parse().expect("how many matrices"));
    let mut sound = true;
    println!("  RᵀR − 1     det − 1      tr RᵀF   R (σ₂+σ₃)/σ₁");
    for (family, name) in FAMILIES.iter().enumerate() {
        let (mut worst, random) = (Worst::default(), &mut Random(family as u64));
        for index in (0..count).filter(|i| i % FAMILIES.len() as u64 == family as u64) {
            worst.add(&judge::judge(judge::generate(index), judge::turn(random)));
        }
        let Worst { skew, determinant, trace, entries } = worst;
        println!("{skew:9.1e}   {determinant:9.1e}   {trace:9.1e}   {entries:9.1e}   {name}");
        sound &= worst.is_sound();
    }
    if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
