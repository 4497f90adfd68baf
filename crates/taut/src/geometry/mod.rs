//! Points, edges and triangles that move along straight lines: where they are nearest, when they touch.
//!
//! | file | what |
//! |---|---|
//! | `nearest` | nearest points of a vertex and a face, of two edges |
//! | `ccd` | the first time they touch during a step, certified |

mod ccd;
mod nearest;

pub use ccd::{Ended, Tolerance, Touch, first_touch};
pub use nearest::{Kind, Nearest, nearest, point_triangle, segment_segment};
