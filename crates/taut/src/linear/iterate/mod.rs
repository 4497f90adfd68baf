//! Methods that need nothing of a matrix but its products with vectors: conjugate gradients, with constraints and without,
//! and Lanczos' for the largest eigenvalue.

mod lanczos;
mod mpcg;
mod pcg;
mod projection;

pub use lanczos::{Largest, largest_eigenvalue};
pub use mpcg::{Accuracy, Constrained, Effort, Mpcg};
pub(crate) use pcg::dot;
pub use pcg::{Pcg, PcgOutcome};
pub use projection::{Preconditioner, Projection};
