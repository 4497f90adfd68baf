//! Integrators move the State by one time step.
//!
//! | file | what |
//! |---|---|
//! | `implicit` | the step every implicit method shares: damp, predict, minimise g, restore momentum |
//! | `local_global` | block coordinate descent with a constant, prefactored matrix, \[Liu13\] §4 |
//! | `newton`, `linear_system` | Newton's method on the true Hessian, and its linear solves |
//! | `semi_implicit` | the first such step from q_n, whole |
//! | `hybrid` | local/global until it stops paying, then Newton |
//! | `scheme` | implicit Euler, BDF2, implicit midpoint: how a step becomes a g |
//! | `pbd` | position-based dynamics, with and without compliance |
//! | `explicit` | symplectic and forward Euler, \[Demo\] |
//! | `limit` | strain limits after any of them |
//! | `sweep` | Gauss–Seidel over springs, for limits and `pbd` |
//! | `exact` | the minimum g* and the relative error of \[Liu13\] eq. (15) |

mod exact;
mod explicit;
mod hybrid;
mod implicit;
mod limit;
mod linear_system;
mod local_global;
mod newton;
mod pbd;
mod scheme;
mod semi_implicit;
mod sweep;

pub(crate) use exact::error_of;
pub use exact::{RelativeError, objective, relative_error};
pub use explicit::Explicit;
pub(crate) use limit::Limiter;
pub use limit::{Limited, Order, StrainLimit};
pub use linear_system::LinearSolver;
pub use newton::NewtonSettings;
pub use scheme::Scheme;

use crate::damping::Damping;
use crate::energy::Objective;
use crate::{Error, Model, State, clock};
use glam::DVec3;

/// How a step is taken: the name of a method and its numbers.
///
/// ```
/// use taut::{Method, Stop};
/// let preview = Method::LocalGlobal(Stop::iterations(10));
/// let exact = Method::newton();
/// assert_eq!(exact.name(), "newton");
/// # let _ = preview;
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Method {
    /// Local/global block coordinate descent, \[Liu13\]: cheap iterations, quick to a plausible answer.
    LocalGlobal(Stop),
    /// Newton's method with line search to the given tolerance; 0 means to rounding level.
    Newton(NewtonSettings),
    /// Local/global first, then Newton: the quickest way to the exact answer.
    Hybrid(NewtonSettings),
    /// One full Newton step from q_n without line search or correction (Baraff–Witkin 1998).
    SemiImplicit(LinearSolver),
    /// Explicit Euler, symplectic or forward: cheap steps that must be short.
    Explicit(Explicit),
    /// Position-based dynamics: a fixed number of Gauss–Seidel iterations, stiffer the more there are.
    Pbd(Stop),
    /// Position-based dynamics with compliance: converges to the implicit step, slowly where springs are stiff.
    Xpbd(Stop),
}

impl Method {
    /// Every method's word, as used in scenes, on the command line and in tables.
    pub const NAMES: [&'static str; 8] = [
        "local_global",
        "newton",
        "hybrid",
        "semi_implicit",
        "symplectic_euler",
        "forward_euler",
        "pbd",
        "xpbd",
    ];

    /// The method of that word with its usual numbers.
    pub fn named(word: &str) -> Option<Self> {
        Some(match word {
            "local_global" => Method::LocalGlobal(Stop::iterations(10)),
            "newton" => Method::newton(),
            "hybrid" => Method::hybrid(),
            "semi_implicit" => Method::SemiImplicit(LinearSolver::default()),
            "symplectic_euler" => Method::Explicit(Explicit::SymplecticEuler),
            "forward_euler" => Method::Explicit(Explicit::ForwardEuler),
            "pbd" => Method::Pbd(Stop::iterations(10)),
            "xpbd" => Method::Xpbd(Stop::iterations(10)),
            _ => return None,
        })
    }

    /// When an iterative method stops; `None` for one that takes a fixed amount of work.
    pub fn stop_mut(&mut self) -> Option<&mut Stop> {
        match self {
            Method::LocalGlobal(stop) | Method::Pbd(stop) | Method::Xpbd(stop) => Some(stop),
            Method::Newton(settings) | Method::Hybrid(settings) => Some(&mut settings.stop),
            Method::SemiImplicit(_) | Method::Explicit(_) => None,
        }
    }

    /// Newton to rounding level with Cholesky solves.
    pub fn newton() -> Self {
        Method::Newton(NewtonSettings::default())
    }

    /// Local/global then Newton, to rounding level.
    pub fn hybrid() -> Self {
        Method::Hybrid(NewtonSettings::default())
    }

    /// The method's word.
    pub fn name(&self) -> &'static str {
        match self {
            Method::LocalGlobal(_) => Method::NAMES[0],
            Method::Newton(_) => Method::NAMES[1],
            Method::Hybrid(_) => Method::NAMES[2],
            Method::SemiImplicit(_) => Method::NAMES[3],
            Method::Explicit(order) => order.name(),
            Method::Pbd(_) => Method::NAMES[6],
            Method::Xpbd(_) => Method::NAMES[7],
        }
    }

    /// Refuse settings that cannot work.
    pub fn validate(&self) -> Result<(), Error> {
        match self {
            Method::LocalGlobal(stop) | Method::Xpbd(stop) => stop.validate(),
            Method::Pbd(stop) => pbd::validate(stop),
            Method::Newton(settings) | Method::Hybrid(settings) => settings.stop.validate(),
            Method::SemiImplicit(_) | Method::Explicit(_) => Ok(()),
        }
    }

    /// Refuse a time scheme the method has no use for.
    pub fn check_scheme(&self, scheme: Scheme) -> Result<(), Error> {
        match self {
            Method::Explicit(own) if scheme != Scheme::default() => {
                let remedy = format!("{} is a time scheme itself: leave this out", own.name());
                Err(Error::setting("scheme", scheme.name(), remedy))
            }
            _ => Ok(()),
        }
    }

    /// The integrator for this method.
    pub fn integrator(&self, damping: Damping, scheme: Scheme) -> Box<dyn Integrator> {
        use implicit::Implicit;
        match self.clone() {
            Method::LocalGlobal(stop) => {
                Box::new(Implicit::new(local_global::LocalGlobal::new(stop), damping, scheme))
            }
            Method::Newton(settings) => {
                Box::new(Implicit::new(newton::Newton::new(settings), damping, scheme))
            }
            Method::Hybrid(settings) => {
                Box::new(Implicit::new(hybrid::Hybrid::new(settings), damping, scheme))
            }
            Method::SemiImplicit(solver) => {
                Box::new(Implicit::new(semi_implicit::SemiImplicit::new(solver), damping, scheme))
            }
            Method::Pbd(stop) => Box::new(Implicit::new(pbd::Pbd::new(stop, false), damping, scheme)),
            Method::Xpbd(stop) => Box::new(Implicit::new(pbd::Pbd::new(stop, true), damping, scheme)),
            Method::Explicit(order) => Box::new(explicit::Euler::new(order, damping)),
        }
    }
}

impl Default for Method {
    /// Ten iterations of local/global: "the best trade-off between speed and quality" (\[Liu13\] §5).
    fn default() -> Self {
        Method::LocalGlobal(Stop::iterations(10))
    }
}

/// Moves a state through time. The one trait of the library.
pub trait Integrator: Send {
    /// Rebuild what depends on the model, its pins and h alone: rows, patterns, factorizations, components.
    fn prepare(&mut self, model: &Model, state: &State, h: f64) -> Result<(), Error>;

    /// Advance `state` by `h`, honouring its filters. Allocates nothing after the first call. If the result is
    /// not finite the state is left as it was and the particle is named.
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<Solve, Error>;

    /// The objective of the last step and the answer given, if the method has one.
    fn solved(&mut self) -> Option<(&mut Objective, &[DVec3])> {
        None
    }
}

/// Minimises the objective of one step: what distinguishes the implicit methods.
pub(crate) trait Minimiser: Send {
    /// Rebuild what depends on the rows, the model and h.
    fn prepare(&mut self, model: &Model, objective: &Objective) -> Result<(), Error>;
    /// Whether to start from q_n instead of y.
    fn starts_at_rest(&self) -> bool {
        false
    }
    /// Lower g from `x`, in place. The residual of the answer is computed by the caller.
    fn minimise(&mut self, model: &Model, objective: &mut Objective, x: &mut [DVec3]) -> Solve;
}

/// When to stop iterating. Whatever comes first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// At most this many iterations.
    pub iterations: usize,
    /// At this scaled residual max‖∇g_i‖/(m_i ℓ); 0 never stops early (Newton: at rounding level).
    pub tolerance: f64,
    /// After this much time \[s\]. The only setting that makes results depend on a clock.
    pub budget: Option<f64>,
}

impl Stop {
    /// A fixed number of iterations.
    pub fn iterations(iterations: usize) -> Self {
        Stop { iterations, tolerance: 0.0, budget: None }
    }

    /// At a scaled residual, or after 100,000 iterations.
    pub fn tolerance(tolerance: f64) -> Self {
        Stop { iterations: 100_000, tolerance, budget: None }
    }

    /// After a time in seconds, or 100,000 iterations.
    pub fn budget(seconds: f64) -> Self {
        Stop { iterations: 100_000, tolerance: 0.0, budget: Some(seconds) }
    }

    pub(crate) fn validate(&self) -> Result<(), Error> {
        if self.iterations == 0 {
            return Err(Error::setting("iterations", 0, "at least one is needed"));
        }
        if self.tolerance.is_nan() || self.tolerance < 0.0 {
            return Err(Error::setting("tolerance", self.tolerance, "must be zero or more"));
        }
        match self.budget {
            Some(b) if b.is_nan() || b <= 0.0 => Err(Error::setting("budget", b, "must be more than 0 s")),
            Some(b) if !clock::available() => {
                Err(Error::setting("budget", b, "needs a clock: install one with taut::clock::install"))
            }
            _ => Ok(()),
        }
    }

    /// Whether `iterations` done since `started`, at `residual`, are enough.
    pub(crate) fn reached(&self, iterations: usize, residual: f64, started: f64) -> Option<Ended> {
        let late = |budget| iterations > 0 && clock::seconds() - started >= budget;
        if !residual.is_finite() {
            Some(Ended::NonFinite)
        } else if residual <= self.tolerance {
            Some(Ended::Tolerance)
        } else if iterations >= self.iterations {
            Some(Ended::Iterations)
        } else if self.budget.is_some_and(late) {
            Some(Ended::Budget)
        } else {
            None
        }
    }
}

/// Why a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ended {
    /// The iterations asked for were done.
    #[default]
    Iterations,
    /// The tolerance was reached.
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

/// What one step's solve did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Solve {
    /// Why it ended.
    pub ended: Ended,
    /// Iterations of the method (solves with the constant matrix plus Newton steps).
    pub iterations: usize,
    /// Of those, Newton steps.
    pub newton_steps: usize,
    /// Conjugate-gradient iterations inside Newton steps.
    pub linear_iterations: usize,
    /// Newton steps whose Hessian was indefinite (and was shifted, or taken as it is by `semi_implicit`).
    pub indefinite: usize,
    /// Scaled residual max‖∇g_i‖/(m_i ℓ) at the answer (dimensionless); 0 for methods without a g.
    pub residual: f64,
}
