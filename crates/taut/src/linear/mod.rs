//! Sparse symmetric linear algebra. This room has never heard of springs: it sees graphs, numbers and
//! 3-vectors, one per row (three right-hand sides, x, y and z, solved at once).

mod cholesky;
mod components;
mod lanczos;
mod pcg;
mod symmetric;

pub use cholesky::{Cholesky, Indefinite};
pub use components::Components;
pub use lanczos::{Largest, largest_eigenvalue};
pub(crate) use pcg::dot;
pub use pcg::{Pcg, PcgOutcome};
pub use symmetric::{Block, Pattern, Symmetric};
