//! The same small computation natively and in WebAssembly; `tools/wasm` compares the two bit for bit.
//!
//! Natively it prints its result; for wasm32 the exported `smoke` is called from node, without wasm-bindgen.
#![expect(unsafe_code, reason = "a symbol that JavaScript can find by name needs no_mangle")]

use taut::{DVec3, Model, Spring};

/// Mean rest length \[m\] of a bent chain of 12 particles, or NaN if the model is refused.
///
/// Only + − × ÷ and square roots, which round alike everywhere; sines come from each platform's own library.
#[unsafe(no_mangle)]
pub extern "C" fn smoke() -> f64 {
    let rest: Vec<DVec3> = (0..12).map(f64::from).map(|t| DVec3::new(0.1 * t, -0.03 * t * t, 0.0)).collect();
    let link = |i: u32| Spring::new(i, i + 1, rest[i as usize].distance(rest[i as usize + 1]), 100.0);
    let springs = (0..11).map(link).collect();
    let model = Model { masses: vec![0.01; rest.len()], rest, springs, ..Model::default() };
    model.validate().map_or(f64::NAN, |()| model.mean_rest_length())
}

fn main() {
    println!("{:016x}", smoke().to_bits());
}
