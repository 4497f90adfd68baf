//! Collisions with rigid obstacles: what the integrator could not know, put right after it, and what it is told before.
//!
//! | file | what |
//! |---|---|
//! | `obstacle` | a rigid body that particles may not enter |
//! | `shape`, `motion` | its form as a signed distance, and how it turns |
//! | `contact` | contacts as constraints, for methods that can hold them |
//! | `response` | particles inside an obstacle are put on its surface |

mod contact;
mod layers;
mod level;
mod motion;
mod obstacle;
mod response;
mod shape;

pub use contact::find;
pub use layers::Response;
pub(crate) use layers::{Layers, Pinched};
pub use level::{ContactSettings, Level, Pinch};
pub use motion::Motion;
pub use obstacle::Obstacle;
pub use response::resolve;
pub use shape::Shape;
