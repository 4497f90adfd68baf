//! Read a mesh in any known format and write it back as OBJ or PLY: `convert_mesh in.stl out.obj`.

use std::io::{BufWriter, Write};
use taut::mesh_io;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, input, output] = arguments.as_slice() else {
        return Err("usage: convert_mesh IN OUT.obj|OUT.ply".into());
    };
    let mesh = mesh_io::read(input)?;
    mesh.notes.iter().for_each(|note| println!("{input}: {note}"));
    let mut out = BufWriter::new(std::fs::File::create(output)?);
    let comments = [format!("converted from {input}")];
    if output.ends_with(".ply") {
        mesh_io::write_ply(&mesh, &mesh.positions, &mut out, &comments)?;
    } else {
        mesh_io::write_obj(&mesh, &mesh.positions, &mut out, &comments)?;
    }
    Ok(out.flush()?)
}
