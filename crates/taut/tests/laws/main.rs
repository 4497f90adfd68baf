//! The laws taut is held to, one module each. One binary, so that the library is linked once.

mod common;
mod doctor;
mod frequency;
mod invalid;
mod pins;
mod published;
mod scenes;
mod stability;
mod symmetry;
mod threads;
