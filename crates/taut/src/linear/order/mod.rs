//! In which order rows are eliminated, and what that order costs.

mod dissection;
mod elimination;

pub use dissection::nested_dissection;
#[cfg(test)]
pub(super) use dissection::tests as graphs;
pub(super) use elimination::ROOT;
pub use elimination::{Elimination, ordering};
