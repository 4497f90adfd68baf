//! Points, edges and triangles that move along straight lines: where they are nearest, when they touch.
//!
//! | file | what |
//! |---|---|
//! | `nearest` | nearest points of a vertex and a face, of two edges |
//! | `approach` | the same of many pairs, and where they go during a step |
//! | `fours` | vectors, four at a time |
//! | `rims` | which of them say something that no pair beside them does |
//! | `ccd` | the first time they touch during a step, certified |
//! | `intersect` | whether an edge and a face have a point in common, exactly |
//! | `surface` | what can touch: points, edges and faces of all bodies |
//! | `tree` | which of them come near each other during a step |

mod approach;
mod ccd;
mod fours;
mod intersect;
mod nearest;
mod rims;
mod surface;
mod tree;

pub(crate) use approach::{Approach, Approaches};
pub use ccd::{Ended, Tolerance, Touch, first_touch};
pub use intersect::{edge_meets_face, faces_meet};
pub use nearest::{Kind, Nearest, nearest, point_triangle, segment_segment};
pub(crate) use rims::{NO_WEIGHT, Rims};
pub use surface::Surface;
pub(crate) use tree::SortRoom;
pub use tree::{Candidates, Distances, Tree};
