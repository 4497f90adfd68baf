//! In which order rows are eliminated, and how many entries the factor has in that order.
//!
//! | file | what |
//! |---|---|
//! | `sequence` | an order, and how a good one is chosen |
//! | `dissection` | nested dissection: the order that is best for meshes |
//! | `elimination` | the elimination tree of an order and the entries of its factor |

mod dissection;
mod elimination;
mod sequence;

pub use dissection::nested_dissection;
#[cfg(test)]
pub(super) use dissection::tests as graphs;
pub use elimination::Elimination;
pub(super) use elimination::ROOT;
pub use sequence::Sequence;
