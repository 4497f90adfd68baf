//! The same short simulation natively and in WebAssembly; `tools/wasm` compares the two.
//!
//! Natively it prints its result; for wasm32 the exported `smoke` is called from node, without wasm-bindgen and
//! without imports: no clock, no threads, no host.
#![expect(unsafe_code, reason = "a symbol that JavaScript can find by name needs no_mangle")]

use taut::{Damping, Method, Scene};

const SCENE: &str = r#"
    [[body]]
    grid = { columns = 12, rows = 12, width = 1.0, height = 1.0 }
    [[pin]]
    at = ["top_left", "top_right"]
"#;

/// Height \[m\] of the lowest particle of a small curtain after 20 steps of local/global and 5 of Newton, or NaN if
/// anything is refused.
#[unsafe(no_mangle)]
pub extern "C" fn smoke() -> f64 {
    swing().unwrap_or(f64::NAN)
}

fn swing() -> Result<f64, taut::Error> {
    let mut simulation = Scene::parse("smoke", SCENE, None)?.simulation()?;
    for _ in 0..20 {
        simulation.step()?;
    }
    simulation.configure(Method::newton(), Damping::default(), 1.0 / 60.0)?;
    for _ in 0..5 {
        simulation.step()?;
    }
    Ok(simulation.positions().iter().map(|p| p.y).fold(f64::INFINITY, f64::min))
}

fn main() {
    println!("{:?}", smoke());
}
