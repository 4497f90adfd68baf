//! The laws taut is held to, one module each. One binary, so that the library is linked once.

mod agreement;
mod allocation;
mod common;
mod definition;
mod derivatives;
mod descent;
mod doctor;
mod frequency;
mod hybrid;
mod invalid;
mod lemma;
mod linear;
mod pins;
mod published;
mod relative_error;
mod residual;
mod samples;
mod scenes;
mod semi_implicit;
mod stability;
mod symmetry;
mod threads;
