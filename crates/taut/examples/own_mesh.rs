//! Let a mesh of your own hang, and write it as OBJ: `cargo run --release -p taut --example own_mesh`

use taut::mesh_io::{Mesh, write_obj};
use taut::{DVec3, Method, Settings, Simulation, shapes::Surface};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = pennant(20); // or from a file: taut::mesh_io::read("shirt.obj")?
    let cloth = Surface::default().build(&mesh.positions, &mesh.triangles)?;
    let mut simulation = Simulation::new(cloth, Settings::new(Method::default(), 1.0 / 30.0))?;
    simulation.pin(0)?; // its tip
    for _ in 0..45 {
        simulation.step()?;
    }
    let path = std::env::temp_dir().join("pennant.obj");
    write_obj(&mesh, simulation.positions(), std::fs::File::create(&path)?, &[])?;
    println!("{} hangs by its tip", path.display());
    Ok(())
}

/// Vertices [m] and triangles: a large triangle of small ones, row n with n + 1 vertices 5 cm apart.
fn pennant(rows: u32) -> Mesh {
    let vertex = |row: u32, k: u32| row * (row + 1) / 2 + k;
    let place = |row: u32, k: u32| 0.05 * DVec3::new(k as f64 - 0.5 * row as f64, 0.0, row as f64);
    let positions = (0..=rows).flat_map(|row| (0..=row).map(move |k| place(row, k))).collect();
    let below = |row, k| [vertex(row, k), vertex(row + 1, k), vertex(row + 1, k + 1)];
    let beside = |row, k| [vertex(row, k), vertex(row + 1, k + 1), vertex(row, k + 1)];
    let row = |row| (0..=row).map(move |k| below(row, k)).chain((0..row).map(move |k| beside(row, k)));
    Mesh::from_parts(positions, (0..rows).flat_map(row).collect(), Vec::new())
}
