//! The same short simulations natively and in WebAssembly; `tools/wasm` compares them.
//!
//! Natively it prints its results; for wasm32 the exported functions are called from node, without wasm-bindgen and
//! without imports: no clock, no threads, no host.
#![expect(unsafe_code, reason = "a symbol that JavaScript can find by name needs no_mangle")]

use taut::Precision;
use taut::kernel::Kernel;
use taut::{Damping, Error, Method, Scene, Settings, Simulation, Stop, measure, shapes};

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

/// Hash of a Curtain of `side` × `side` particles after so many steps of local/global, ten iterations each, or 0 if
/// anything is refused; its matrix is factored in f32 or in f64. Nothing in it leaves our own arithmetic, so it must be
/// the same wherever nothing is fused.
#[unsafe(no_mangle)]
pub extern "C" fn hash(side: u32, steps: u32, double: bool) -> u64 {
    let precision = if double { Precision::Double } else { Precision::Single };
    curtain(side, steps, precision).unwrap_or(0)
}

/// Whether the module was built for vectors.
#[unsafe(no_mangle)]
pub extern "C" fn has_vectors() -> bool {
    Kernel::detected() == Kernel::Simd128
}

fn swing() -> Result<f64, Error> {
    let mut simulation = Scene::parse("smoke", SCENE, None)?.simulation()?;
    for _ in 0..20 {
        simulation.step()?;
    }
    simulation.configure(Settings {
        method: Method::newton(),
        damping: Damping::default(),
        time_step: 1.0 / 60.0,
        ..simulation.settings().clone()
    })?;
    for _ in 0..5 {
        simulation.step()?;
    }
    Ok(simulation.positions().iter().map(|p| p.y).fold(f64::INFINITY, f64::min))
}

fn curtain(side: u32, steps: u32, precision: Precision) -> Result<u64, Error> {
    let model = shapes::published::curtain(side as usize)?;
    let mut simulation = Simulation::new(
        model,
        Settings::without_contact(Method::LocalGlobal(Stop::iterations(10)), 1.0 / 30.0),
    )?;
    simulation.configure(Settings { precision, ..simulation.settings().clone() }).unwrap();
    simulation.pin(0)?;
    simulation.pin(side as usize - 1)?;
    for _ in 0..steps {
        simulation.step()?;
    }
    Ok(measure::hash(simulation.state()))
}

fn main() {
    let [single, double] = [false, true].map(|double| hash(41, 10, double));
    println!("{:?} {single:x} {double:x} {}", smoke(), Kernel::detected().name());
}
