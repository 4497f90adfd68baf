//! Times of the inner loops on the Curtain, one thread: `cargo bench -p taut`, or a few by name
//! (`cargo bench -p taut -- solve`).
//!
//! For ratios against other software see `taut bench`, for counts that a busy machine cannot disturb
//! `benches/instructions`.

mod common;

use common::{KERNELS, Kernels, one_thread};
use divan::Bencher;

fn main() {
    // All of it on the one thread of a pool, so that kernels that would share work do it themselves.
    one_thread().install(divan::main);
}

#[divan::bench(args = KERNELS.map(|k| k.0))]
fn curtain(bencher: Bencher, name: &str) {
    let kernel = KERNELS.iter().find(|k| k.0 == name).expect("taken from the list").1;
    let mut kernels = Kernels::new(81).expect("the Curtain can be made");
    bencher.bench_local(|| kernel(&mut kernels));
}
