//! The matrix of some kind that is nearest to a given one of 3×3 or of two columns: what the local step of an elastic
//! element is, as the nearest vector of a given length is that of a spring.
//!
//! | file | what |
//! |---|---|
//! | `rotation` | the nearest rotation to a 3×3 matrix, one at a time or in lanes of four; `quaternion`: the long way |
//! | `membrane` | the same for two columns |
//! | `projection` | others from the singular values: clamped, of determinant 1; derivatives of all |
//! | `unimodular` | the nearest numbers with product 1 |
//! | `lanes` | vectors and matrices, four at a time |
//! | `eigen` | eigenvalues and vectors of small symmetric matrices |
//!
//! None has an absolute epsilon: a power of two in all entries changes no bit of a rotation. Changing the sign of a
//! coordinate, in space and in the rest pose, changes that sign in the answer and no more.

mod eigen;
mod lanes;
mod membrane;
mod projection;
mod quaternion;
mod rotation;
mod unimodular;

use glam::{DMat3, DVec3};

pub(crate) use eigen::{Square, eigen};
pub(crate) use lanes::{Matrices, Points, cross};
pub(crate) use membrane::membranes;
pub use membrane::rotation_membrane;
pub use projection::{Principal, Projection};
pub use rotation::rotation;
pub(crate) use rotation::rotations;

/// The globally nearest matrix of determinant 1 to F: [`Principal::unimodular`].
pub fn unimodular(f: DMat3, near: DMat3) -> DMat3 {
    Principal::of(f, near).unimodular().nearest
}

/// The nearest matrix of two columns with σ₁σ₂ = 1 to F: [`Principal::unimodular`].
pub fn unimodular_membrane(f: [DVec3; 2], near: [DVec3; 2]) -> [DVec3; 2] {
    let nearest = Principal::of_membrane(f, near).unimodular().nearest;
    [nearest.x_axis, nearest.y_axis]
}

/// The nearest matrix of two columns with singular values in [low, high] to F: [`Principal::clamped`].
pub fn clamped(f: [DVec3; 2], near: [DVec3; 2], low: f64, high: f64) -> [DVec3; 2] {
    let nearest = Principal::of_membrane(f, near).clamped(low, high).nearest;
    [nearest.x_axis, nearest.y_axis]
}

#[cfg(test)]
mod tests;
