//! The loops that must be fast, written once in terms of vectors and compiled for every instruction set. The only room
//! with `unsafe`.
//!
//! | file | what |
//! |---|---|
//! | `simd` | vectors of four numbers: AVX2, AVX-512, simd128, and plain code that rounds alike |
//! | `dispatch` | which of them this processor has, and [`run`], which does a piece of [`Work`] with it |
//! | `runs` | edges between consecutive vertices, four at a time: one pass pulls at both ends |
//! | `incidence` | all other edges: their differences, and what pulls at a vertex |
//! | `passes` | the two passes of a triangular solve over dense panels |
//! | `pages` | large memory pages for large arrays |

mod dispatch;
mod incidence;
mod pages;
mod passes;
mod runs;
mod simd;

pub use dispatch::Kernel;
pub(crate) use dispatch::{Work, run};
pub(crate) use incidence::{Differences, Link, Links, Pairs, Pulls, neighbours_first};
pub(crate) use pages::prefer_large;
pub(crate) use passes::{Panel, Panels, Passes, WIDEST, place};
pub(crate) use runs::{Over, Part, PerFour, Planes, Runs, Summed, Sums};
pub(crate) use simd::{Real, Row, Simd, Wide, vectors};
