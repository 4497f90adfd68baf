//! Integrators move the State by one time step.
//!
//! | file | what |
//! |---|---|
//! | `method`, `stop` | the names of the methods, their numbers, their integrators; when to stop iterating |
//! | `implicit` | the step every implicit method shares: damp, predict, minimise g, restore momentum |
//! | `local_global` | block coordinate descent with a constant, prefactored matrix, \[Liu13\] §4 |
//! | `constant` | that matrix, and particles held without a new factor |
//! | `accelerated` | the same gradient and solve with better directions and steps |
//! | `conjugate_gradient`, `lbfgs`, `anderson`, `chebyshev`, `history` | those directions |
//! | `newton`, `linear_system` | Newton's method on the true Hessian, and its linear solves |
//! | `semi_implicit` | the first such step from q_n, whole |
//! | `hybrid` | local/global until it stops paying, then Newton |
//! | `imex` | implicit–explicit steps on velocities with filters and decomposition, \[BA04\] |
//! | `scheme`, `past` | implicit Euler, BDF2, implicit midpoint: how a step becomes a g, and what BDF2 remembers |
//! | `pbd` | position-based dynamics, with and without compliance |
//! | `explicit` | symplectic and forward Euler, \[Demo\] |
//! | `lost` | whether a step has blown up |
//! | `exact` | the minimum g* and the relative error of \[Liu13\] eq. (15) |

mod accelerated;
mod anderson;
mod chebyshev;
mod conjugate_gradient;
mod constant;
mod exact;
mod explicit;
mod history;
mod hybrid;
mod imex;
mod implicit;
mod lbfgs;
mod linear_system;
mod local_global;
mod lost;
mod method;
mod newton;
mod past;
mod pbd;
mod scheme;
mod semi_implicit;
mod stop;
#[cfg(test)]
mod tests;

pub(crate) use exact::error_of;
pub use exact::{RelativeError, objective, relative_error};
pub use explicit::Explicit;
pub use imex::ImexSettings;
pub use linear_system::LinearSolver;
pub(crate) use lost::check_springs;
pub use method::{Ending, Method};
pub use newton::NewtonSettings;
pub use scheme::Scheme;
pub use stop::Stop;

use crate::energy::{Near, Objective};
use crate::linear::Sequence;
use crate::model::Change;
use crate::state::Contact;
use crate::{Error, Model, State};
use glam::DVec3;

/// Moves a state through time. The one trait of the library.
pub trait Integrator: Send {
    /// Rebuild what depends on the model, its pins and h alone: rows, patterns, factorizations, components.
    fn prepare(&mut self, model: &Model, state: &State, h: f64) -> Result<(), Error>;

    /// Follow an edit: what [`Integrator::prepare`] would make, made from what there is if the method knows how. The
    /// answers are the same to rounding.
    fn follow(&mut self, model: &Model, state: &State, h: f64, _: Change) -> Result<(), Error> {
        self.prepare(model, state, h)
    }

    /// Advance `state` by `h`, honouring its filters. Allocates nothing after the first call. A method that can hold
    /// contacts of single particles holds them, says so in them and writes the force; one that [`Integrator::meets`]
    /// minimises `near` with the rest and writes what each presses with; others leave both to be dealt with after the
    /// step. After an error the state may be half-changed: the caller keeps a copy. What the next step
    /// must know of this one goes into `state`, so that going on from a copy of it gives the same bits.
    fn step(&mut self, model: &Model, state: &mut State, contacts: Contacts, h: f64) -> Result<Solve, Error>;

    /// Whether it takes constraints between near primitives into its minimisation.
    fn meets(&self) -> bool {
        false
    }

    /// Whether it holds contacts of single particles in the step after they touched.
    fn holds(&self) -> bool {
        false
    }

    /// Whether it can follow [`Change::Held`] without preparing: a prescribed particle may keep its row.
    fn keeps_rows(&self) -> bool {
        false
    }

    /// The order in which particles are eliminated, if the method has made one: with it a fresh integrator prepares
    /// without ordering, and to the same bits.
    fn order(&self) -> Option<&Sequence> {
        None
    }

    /// Take the order of another integrator of the same model.
    fn adopt(&mut self, _model: &Model, _order: Sequence) {}

    /// The objective of the last step and the answer given, if the method has one.
    fn solved(&mut self) -> Option<(&mut Objective, &[DVec3])> {
        None
    }
}

/// What touches during a step.
#[derive(Debug, Default)]
pub struct Contacts<'a> {
    /// Contacts of single particles with obstacles.
    pub single: &'a mut [Contact],
    /// Pairs of primitives to be kept apart, for an integrator that [`Integrator::meets`] them.
    pub near: Option<&'a mut Vec<Near>>,
}

/// Most methods know free and pinned particles only.
fn refuse_partial(state: &State) -> Result<(), Error> {
    let Some(i) = state.filters.iter().position(crate::Filter::is_partial) else { return Ok(()) };
    let remedy =
        "this method allows pins only; use baraff_witkin, static_imex or adaptive_imex for planes and lines";
    Err(Error::setting(format!("filter of particle {i}"), format!("{:?}", state.filters[i]), remedy))
}

/// Minimises the objective of one step: what distinguishes the implicit methods.
pub(crate) trait Minimiser: Send {
    /// Rebuild what depends on the rows, the model and h.
    fn prepare(&mut self, model: &Model, objective: &Objective) -> Result<(), Error>;
    /// Whether to start from q_n instead of y.
    fn starts_at_rest(&self) -> bool {
        false
    }
    /// Hold these rows, ascending, and no others: a step is zero there. For those that keep rows.
    fn hold(&mut self, _rows: &[u32]) {}
    /// Whether particles can be held without taking their rows away.
    fn keeps_rows(&self) -> bool {
        false
    }
    /// Whether it can minimise g with contacts in it.
    fn meets(&self) -> bool {
        false
    }
    /// ∇g at the answer, if the method has it anyway.
    fn gradient(&self) -> Option<&[DVec3]> {
        None
    }
    /// Lower g from `x`, in place, or in another vector put in its place. The residual of the answer is computed by the caller.
    fn minimise(&mut self, model: &Model, objective: &mut Objective, x: &mut Vec<DVec3>) -> Solve;
}

/// Why a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ended {
    /// The iterations asked for were done.
    #[default]
    Iterations,
    /// The tolerance or the accuracy was reached.
    Tolerance,
    /// The time was used up.
    Budget,
    /// Neither g nor the residual can be lowered any further in double precision: the residual is within a
    /// hundred times what rounding the positions causes, usually within one.
    Rounding,
    /// No more progress, though the residual is above rounding level.
    Stalled,
    /// Something became infinite or not a number.
    NonFinite,
}

impl Ended {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Ended::Iterations => "iterations",
            Ended::Tolerance => "tolerance",
            Ended::Budget => "budget",
            Ended::Rounding => "rounding",
            Ended::Stalled => "stalled",
            Ended::NonFinite => "non_finite",
        }
    }
}

/// What one step's solve did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Solve {
    /// Why it ended.
    pub ended: Ended,
    /// Iterations of the method (solves with the constant matrix plus Newton steps).
    pub iterations: usize,
    /// Of those, Newton steps.
    pub newton_steps: usize,
    /// Conjugate-gradient iterations inside Newton steps, summed over components.
    pub linear_iterations: usize,
    /// Rows multiplied by a vector in them (the RVM of \[BA04\]; implicit–explicit methods only).
    pub rows_multiplied: usize,
    /// Components that were solved on their own (implicit–explicit methods only).
    pub components: usize,
    /// Springs that were explicit (implicit–explicit methods only).
    pub explicit_springs: usize,
    /// Newton steps whose Hessian was indefinite (and was shifted, or taken as it is by `semi_implicit`).
    pub indefinite: usize,
    /// Scaled residual max‖∇g_i‖/(m_i ℓ) at the answer (dimensionless); of implicit–explicit methods what their
    /// linear system has left over, in the same measure; 0 for explicit ones.
    pub residual: f64,
}
