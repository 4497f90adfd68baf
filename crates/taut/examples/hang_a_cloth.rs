//! Hang a cloth by two corners and watch it fall: `cargo run --release -p taut --example hang_a_cloth`

use taut::{Error, Method, Settings, Simulation, shapes::Grid};

fn main() -> Result<(), Error> {
    // A square metre of cloth lying flat, 21 x 21 particles: 0 is one corner, 20 the other end of the first row.
    let cloth = Grid { columns: 21, rows: 21, ..Grid::default() }.build()?;
    let settings = Settings::new(Method::default(), 1.0 / 30.0); // steps of 1/30 s
    let mut simulation = Simulation::new(cloth, settings)?;
    simulation.pin(0)?;
    simulation.pin(20)?;
    for step in 1..=60 {
        simulation.step()?;
        if step % 10 == 0 {
            let lowest = simulation.positions().iter().map(|p| p.y).fold(0.0, f64::min);
            println!("after {:.2} s the lowest point is at {lowest:.2} m", simulation.state().time);
        }
    }
    Ok(())
}
