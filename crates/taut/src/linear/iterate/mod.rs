//! Methods that need products with a matrix only: conjugate gradients with constraints and without, Lanczos.

mod lanczos;
mod mpcg;
mod pcg;
mod projection;

pub use lanczos::{Largest, largest_eigenvalue};
pub use mpcg::{Accuracy, Constrained, Effort, Mpcg};
pub(crate) use pcg::dot;
pub use pcg::{Pcg, PcgOutcome};
pub use projection::{Preconditioner, Projection};
