//! taut: fast, exact mass-spring simulation of cloth, hair and soft solids.
//!
//! A [`Model`] is what is fixed during a step (masses, springs, triangles); a [`State`] is what moves; [`Settings`]
//! say how steps are taken. [`Simulation`] owns all three; its [`Simulation::step`] is the one call that matters, and
//! its documentation has the first example to read. An [`Edit`] changes it while it runs.
//!
//! # Map
//!
//! | room | what is in it |
//! |---|---|
//! | [`shapes`] | cloth, strands, meshes and solids as models |
//! | [`energy`] | the objective g of one implicit step, inertia plus terms: value, gradient, Hessian, residual |
//! | [`forces`], [`damping`] | what acts from outside, what is taken out of the velocity |
//! | [`integrator`] | local/global, Newton, hybrid, semi-implicit, implicit–explicit; relative error against the exact minimum |
//! | [`after`] | strain limits and energy budgets, after any of them |
//! | [`collision`] | rigid obstacles that particles may not enter |
//! | [`geometry`] | points, edges and triangles that move: nearest points, certified times of contact |
//! | [`linear`], [`kernel`] | sparse symmetric matrices, factors, conjugate gradients; the loops that must be fast |
//! | [`input`], [`mesh_io`] | how any file is read; mesh files in and out |
//! | [`render`] | pictures without GPU or display, PNG and GIF |
//! | [`scene`] | scene files in TOML, fabrics, the scenes that come with taut |
//! | [`run`], [`sweep`] | what a run of a scene is: frames, what adds up over them, files; many of them |
//! | [`script`], [`simulation`](Simulation) | timed edits; the step as its stages, snapshots |
//! | [`doctor`] | what is suspicious about a model before it runs: step limits, elements, units |
//! | [`measure`] | energies, momenta, stretch, a hash of the state |
//! | [`verify`] | frames that anybody computed: what intersects, passes through, stretches |
//!
//! # Notation
//!
//! Public names are words with units in their documentation. Inside a method's file the papers' letters are
//! the names:
//!
//! | letter | meaning | unit |
//! |---|---|---|
//! | m, s | number of particles, of springs | |
//! | q_n, v_n | positions and velocities at the start of the step | m, m/s |
//! | x | positions sought, q_{n+1} | m |
//! | y, ŷ | where inertia alone, inertia and external forces carry a particle | m |
//! | h | time step | s |
//! | M | masses on the diagonal | kg |
//! | k, r, l | stiffness, rest length, length of a spring | N/m, m, m |
//! | p, d | spring vector x_a − x_b; its nearest vector of length r | m |
//! | L, J | stiffness-weighted Laplacian; the matrix that carries d to particles | N/m |
//! | E, g | potential energy; the objective ½‖x − y‖²_M + h²E | J, kg·m² |
//! | F, σ | linear map from an element's rest shape to where it is; its singular values | |
//! | R, U | the nearest rotation to F; the nearest matrix of determinant 1 | |
//! | E, ν; μ, λ | Young's modulus and Poisson's ratio of a solid; Lamé's numbers | Pa |
//! | E_a, E_b, G | stiffness of a surface along warp and weft, and in shear | N/m |
//! | B | bending rigidity of a surface | N·m |
//! | ℓ | mean rest length | m |
//!
//! Without the feature `files` there are no scenes, mesh files, pictures and films, and without `snapshot` no snapshots:
//! the engine alone, on glam, faer and rayon.
//!
//! Keys in brackets, `[Liu13]`, are listed in REFERENCES.md. SI units throughout, Y up.
//!
//! Results are the same, bit for bit, for any number of threads; only a time budget ([`Stop::budget`]) reads
//! the clock.

pub mod after;
pub mod bounds;
pub mod clock;
pub mod collision;
mod cut;
pub mod damping;
pub mod doctor;
mod edit;
pub mod energy;
mod error;
#[cfg(feature = "files")]
pub mod export;
pub mod forces;
pub mod geometry;
#[cfg(feature = "files")]
pub mod input;
pub mod integrator;
pub mod kernel;
mod keys;
pub mod linear;
mod math;
pub mod measure;
#[cfg(feature = "files")]
pub mod mesh_io;
mod model;
#[cfg(feature = "snapshot")]
mod packed;
mod random;
#[cfg(feature = "files")]
pub mod render;
mod report;
mod rigid;
#[cfg(feature = "files")]
pub mod run;
#[cfg(feature = "files")]
pub mod scene;
pub mod script;
mod settings;
mod settle;
pub mod shapes;
mod simulation;
mod state;
#[cfg(feature = "files")]
pub mod sweep;
mod threads;
pub mod verify;
mod words;

pub use after::{Limited, Order, StrainLimit};
pub use cut::{Blade, Opening, Parted, Severed};
pub use damping::Damping;
pub use edit::{Edit, Path, Solid};
pub use error::Error;
pub use glam::DVec3;
pub use integrator::{
    Ended, Ending, Explicit, ImexSettings, LinearSolver, Method, NewtonSettings, RelativeError, Scheme,
    Solve, Stop, relative_error,
};
pub use linear::Precision;
pub use model::{
    Air, Block, Body, Change, Family, Gas, Limit, Link, Membrane, Model, Skin, Spring, SpringKind, Tear,
    Weave,
};
pub use report::{Report, Stages, Way};
#[cfg(feature = "files")]
pub use scene::Scene;
pub use script::{Event, Recorded};
pub use settings::Settings;
pub use settle::Settled;
#[cfg(feature = "snapshot")]
pub use simulation::Restored;
pub use simulation::{Apart, Simulation};
pub use state::{Contact, Filter, State};
pub use threads::{Threads, serially};
