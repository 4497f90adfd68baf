//! The loops that must be fast, written once in terms of vectors and compiled for every instruction set. The only room
//! with `unsafe`. It knows vertices, edges, weights and matrices, but not what they stand for.
//!
//! | file | what |
//! |---|---|
//! | `simd` | vectors of four or eight numbers: AVX2, simd128, and plain code that rounds in the same way |
//! | `dispatch` | which instruction sets this processor has, and `run`, which does a piece of `Work` with one |
//! | `runs` | sums over parallel edges, four at a time: both ends in one pass, without looking up any index |
//! | `incidence` | sums over all other edges: a pass over edges, then one over vertices |
//! | `corners` | the corners of triangles and tetrahedra |
//! | `ties` | sums of four vertices along a direction, and back |
//! | `passes` | the forward and the backward pass of a solve with a factor, panel by panel |
//! | `pages` | large memory pages for large arrays |

mod corners;
mod dispatch;
mod incidence;
mod pages;
mod passes;
mod runs;
mod simd;
mod ties;

pub(crate) use corners::Corners;
pub use dispatch::Kernel;
pub(crate) use dispatch::{Work, run};
pub(crate) use incidence::{Adjacency, Differences, HalfEdge, Laplacian, Pairs, neighbours_first};
pub(crate) use pages::prefer_large;
pub(crate) use passes::{Panel, Panels, Passes, WIDEST, place};
pub(crate) use runs::{EachFour, PerFour, Planes, Runs, Section, Summed, Sums};
pub(crate) use simd::{Four, Half, Real, Simd, Wide, vectors};
pub(crate) use ties::{Ties, points};
