//! In which order rows are eliminated, and what that order costs.

mod dissection;
mod elimination;
mod sequence;

pub use dissection::nested_dissection;
#[cfg(test)]
pub(super) use dissection::tests as graphs;
pub use elimination::Elimination;
pub(super) use elimination::ROOT;
pub use sequence::Sequence;
