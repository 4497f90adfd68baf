//! The laws taut is held to, one module each. One binary, so that the library is linked once.

mod common;
mod invalid;
mod pins;
mod published;
mod stability;
mod symmetry;
mod threads;
