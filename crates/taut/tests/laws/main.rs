//! The laws taut is held to, one module each. One binary, so that the library is linked once.

mod bodies;
mod catenary;
mod chain;
mod common;
mod damping_laws;
mod energy_laws;
mod free_fall;
mod momentum;
mod pendulum;
mod rod;
mod wind;
mod zero_length;
