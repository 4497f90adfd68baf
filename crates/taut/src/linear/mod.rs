//! Sparse symmetric linear algebra. This room has never heard of springs: it sees graphs, numbers and
//! 3-vectors, one per row (three right-hand sides, x, y and z, solved at once).
//!
//! | room | what |
//! |---|---|
//! | `matrix` | symmetric matrices over a graph; its components and colours |
//! | `order` | in which order to eliminate: nested dissection, and what an order costs |
//! | `factor` | the factor of a constant matrix, made to be solved with again and again |
//! | `cholesky` | the factor of a matrix that changes, by faer |
//! | `iterate` | conjugate gradients, with constraints and without; the largest eigenvalue |

mod cholesky;
mod factor;
mod iterate;
mod matrix;
mod order;

pub use cholesky::{Cholesky, Indefinite, minimum_degree};
pub use factor::{Factor, Precision, Unfactored};
pub(crate) use iterate::dot;
pub use iterate::{
    Accuracy, Constrained, Effort, Largest, Mpcg, Pcg, PcgOutcome, Preconditioner, Projection,
    largest_eigenvalue,
};
pub use matrix::{Block, Colouring, Components, Pattern, Symmetric};
pub use order::{Elimination, nested_dissection, ordering};

#[cfg(test)]
mod tests;
