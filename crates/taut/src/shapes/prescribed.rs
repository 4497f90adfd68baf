//! Triangle meshes that move only as they are told: solids.

use crate::{Body, Error, Model, Skin};
use glam::DVec3;

/// A solid of any triangles, closed or open, as a body whose particles are all pinned: it has no springs, and meets other
/// bodies on both sides, never itself. Things are kept off by the mean of their thickness and its own \[m\].
pub fn prescribed(
    name: &str,
    positions: &[DVec3],
    triangles: &[[u32; 3]],
    thickness: f64,
    friction: f64,
) -> Result<Model, Error> {
    let skin = Skin { thickness: Some(thickness), friction, self_collide: false, ..Skin::default() };
    let model = Model {
        // Any mass will do: nothing moves it.
        masses: vec![1.0; positions.len()],
        rest: positions.to_vec(),
        triangles: triangles.to_vec(),
        bodies: vec![Body { name: name.into(), skin, solid: true, tear: None }],
        body_of: vec![0; positions.len()],
        ..Model::default()
    };
    model.validate()?;
    Ok(model)
}
