//! Collisions: what the integrator could not know, put right after it, and what it is told before.
//!
//! | file | what |
//! |---|---|
//! | `obstacle` | a rigid body that particles may not enter |
//! | `shape`, `motion` | its form as a signed distance, and how it moves |
//! | `course` | how the particles of a mesh move that is a solid |
//! | `deepest` | the deepest point of a triangle in a form |
//! | `level`, `layers` | bodies, obstacles and all their faces: nothing passes through |
//! | `contact` | contacts of particles as constraints, for methods that can hold them |
//! | `response` | particles inside an obstacle are put on its surface, where `layers` does not do it |

mod contact;
mod course;
mod deepest;
mod layers;
mod level;
mod motion;
mod obstacle;
mod response;
mod shape;

pub use contact::find;
pub use course::{Course, Frames};
pub(crate) use layers::{Capped, Ground, Layers, Pinched};
pub use layers::{ContactSeconds, Response};
pub use level::{ContactSettings, Level, Pinch};
pub use motion::{Motion, Pose};
pub use obstacle::Obstacle;
pub use response::resolve;
pub use shape::Shape;
