//! taut: fast, exact mass-spring simulation of cloth, hair and soft solids.

mod error;
pub mod mesh_io;
mod model;
mod state;

pub use error::Error;
pub use glam::DVec3;
pub use model::{Air, Body, Model, Spring, SpringKind};
pub use state::{Filter, State};
