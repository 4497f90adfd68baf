//! Sparse symmetric linear algebra. This room has never heard of springs: it sees graphs, numbers and
//! 3-vectors, one per row (three right-hand sides, x, y and z, solved at once).

mod cholesky;
mod colouring;
mod components;
mod dense;
mod dissection;
mod elimination;
mod exchange;
mod factor;
mod front;
mod frontal;
mod incidence;
mod kernel;
mod lanczos;
mod means;
mod mpcg;
mod pages;
mod parts;
mod passes;
mod pcg;
mod projection;
mod random;
mod runs;
mod simd;
mod supernodal;
mod symmetric;

pub use cholesky::{Cholesky, Indefinite, minimum_degree};
pub use colouring::Colouring;
pub use components::Components;
pub use dissection::nested_dissection;
pub use elimination::{Elimination, ordering};
pub use factor::{Factor, Precision, Unfactored};
pub(crate) use incidence::{Differences, Link, Links, Pairs, Pulls, neighbours_first};
pub use kernel::Kernel;
pub(crate) use kernel::{Work, run};
pub use lanczos::{Largest, largest_eigenvalue};
pub use mpcg::{Accuracy, Constrained, Effort, Mpcg};
pub(crate) use pcg::dot;
pub use pcg::{Pcg, PcgOutcome};
pub use projection::{Preconditioner, Projection};
pub(crate) use random::Random;
pub(crate) use runs::{Over, Part, PerFour, Planes, Runs, Summed, Sums};
pub(crate) use simd::{Real, Row, Simd, Wide, vectors};
pub use symmetric::{Block, Pattern, Symmetric};

#[cfg(test)]
mod tests;
