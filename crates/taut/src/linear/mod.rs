//! Sparse symmetric linear algebra. This room has never heard of springs: it sees graphs, numbers and
//! 3-vectors, one per row (three right-hand sides, x, y and z, solved at once).
//!
//! | room | what |
//! |---|---|
//! | `matrix` | symmetric matrices over a graph ([`Pattern`], [`Symmetric`]); its components and colours |
//! | `order` | in which order to eliminate the vertices ([`Sequence`]), and what an order costs ([`Elimination`]) |
//! | `factor` | the factor of a constant matrix, solved with again and again: [`Symbolic`] (the pattern), [`Factor`] (the values) |
//! | `cholesky` | the factor of a matrix that changes before every solve, of 3×3 blocks too, by faer ([`Cholesky`]) |
//! | [`nearest`] | the nearest rotation to a 3×3 matrix, the nearest of determinant 1, and their derivatives |
//! | `iterate` | conjugate gradients with constraints ([`Mpcg`]) and without ([`Pcg`]); the largest eigenvalue |
//!
//! Both factors take their order from the caller, so that one [`Sequence`] serves every matrix over one graph.

mod cholesky;
mod factor;
mod iterate;
mod matrix;
pub mod nearest;
mod order;

pub use cholesky::{Cholesky, Indefinite, minimum_degree};
pub use factor::{Factor, Precision, Symbolic, Unfactored};
pub(crate) use iterate::dot;
pub use iterate::{
    Accuracy, Constrained, Effort, Largest, Mpcg, Pcg, PcgOutcome, Preconditioner, Projection,
    largest_eigenvalue,
};
pub use matrix::{Block, Colouring, Components, Pattern, Symmetric};
pub use order::{Elimination, Sequence, nested_dissection};

#[cfg(test)]
mod tests;
