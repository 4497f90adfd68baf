//! Runs each inner loop of taut a few times, for `benches/instructions` to count their instructions with callgrind:
//! `instructions [SIDE]`. Prints the name of each and how often it ran.

mod common;

use common::{KERNELS, Kernels, one_thread};

/// Runs of each.
const RUNS: usize = 2;

fn main() -> Result<(), taut::Error> {
    let side = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(81);
    one_thread().install(|| {
        let mut kernels = Kernels::new(side)?;
        println!("kernel {}", taut::kernel::Kernel::detected().name());
        for (name, kernel) in KERNELS {
            (0..RUNS).for_each(|_| kernel(&mut kernels));
            println!("{name} {RUNS}");
        }
        Ok(())
    })
}
