//! A mesh given in place of a scene is answered with a scene for it, ready to be saved.

use crate::bounds::extent;
use crate::{Error, mesh_io};
use std::path::Path;

/// Endings of mesh files.
const MESHES: [&str; 11] = ["obj", "ply", "off", "stl", "gltf", "glb", "mesh", "node", "ele", "msh", "vtk"];

/// Height over size below which a mesh lies flat.
const FLAT: f64 = 0.05;

/// Whether a name ends like a mesh file.
pub(super) fn is_mesh(name: &str) -> bool {
    let ending = Path::new(name).extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    ending.is_some_and(|e| MESHES.contains(&e.as_str()))
}

/// The error that shows how to simulate the mesh in file `name`: it hangs from its topmost twentieth, or if it lies
/// flat from its edge towards -Z, where the top of a grid is.
pub(super) fn instead_of(name: &str) -> Error {
    let mesh = match mesh_io::read(name) {
        Ok(mesh) => mesh.without_loose(),
        Err(e) => return e,
    };
    let [low, high] = extent(mesh.positions.iter().copied());
    let size = (high - low).max_element();
    let (mut from, mut to, mut held) = (low, high, "its top");
    if high.y - low.y > FLAT * size {
        from.y = high.y - 0.05 * (high.y - low.y);
    } else {
        (to.z, held) = (low.z + 0.05 * (high.z - low.z), "one edge");
    }
    // Rounded outwards, so that nobody has to look at fifteen digits.
    let digits = (2.0 - size.log10().floor()).clamp(0.0, 15.0) as usize;
    let grain = 10f64.powi(-(digits as i32));
    let number = |v: f64, outwards: f64| format!("{:.digits$}", v + outwards * grain);
    let corner = |p: glam::DVec3, side: f64| p.to_array().map(|v| number(v, side)).join(", ");
    let material = if mesh.tets.is_empty() { "fabric = \"cotton\"" } else { "material = \"rubber\"" };
    let path = Path::new(name);
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let scene = path.with_extension("toml");
    let scene = scene.display();
    let remedy = format!(
        "save these lines as {scene}, then `taut run {scene}`:\n\n\
         [[body]]\nmesh = {{ file = \"{file}\" }}   # scale = 0.01 if it is in centimetres\n{material}\n\n\
         [[pin]]   # hold {held}: two corners of a box [m]\nbox = [[{}], [{}]]\n",
        corner(from, -1.0),
        corner(to, 1.0),
    );
    Error::file(name, None, "this is a mesh file, not a scene", remedy)
}
