//! The laws taut is held to, one module each. One binary, so that the library is linked once.

mod agreement;
mod allocation;
mod common;
mod definition;
mod derivatives;
mod descent;
mod hybrid;
mod lemma;
mod linear;
mod relative_error;
mod residual;
mod scenes;
mod semi_implicit;
