//! Integrators move the State by one time step.
//!
//! | file | what |
//! |---|---|
//! | `implicit` | the step every implicit method shares: damp, predict, minimise g, restore momentum |
//! | `local_global` | block coordinate descent with a constant, prefactored matrix, \[Liu13\] §4 |
//! | `accelerated`, `line` | the same gradient and solve with better directions and steps; g along a line |
//! | `conjugate_gradient`, `lbfgs`, `anderson`, `chebyshev`, `history` | those directions |
//! | `newton`, `linear_system` | Newton's method on the true Hessian, and its linear solves |
//! | `semi_implicit` | the first such step from q_n, whole |
//! | `hybrid` | local/global until it stops paying, then Newton |
//! | `imex` | implicit–explicit steps on velocities with filters and decomposition, \[BA04\] |
//! | `scheme` | implicit Euler, BDF2, implicit midpoint: how a step becomes a g |
//! | `pbd` | position-based dynamics, with and without compliance |
//! | `explicit` | symplectic and forward Euler, \[Demo\] |
//! | `limit` | strain limits after any of them |
//! | `sweep` | Gauss–Seidel over springs, for limits and `pbd` |
//! | `exact` | the minimum g* and the relative error of \[Liu13\] eq. (15) |

mod accelerated;
mod anderson;
mod chebyshev;
mod conjugate_gradient;
mod exact;
mod explicit;
mod history;
mod hybrid;
mod imex;
mod implicit;
mod lbfgs;
mod limit;
mod line;
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
pub use imex::ImexSettings;
pub(crate) use limit::Limiter;
pub use limit::{Limited, Order, StrainLimit};
pub use linear_system::LinearSolver;
pub use newton::NewtonSettings;
pub use scheme::Scheme;

use crate::damping::Damping;
use crate::energy::Objective;
use crate::{Error, Model, State, clock};
use accelerated::Accelerated;
use anderson::Anderson;
use chebyshev::Chebyshev;
use conjugate_gradient::ConjugateGradient;
use glam::DVec3;
use imex::{Imex, Split};
use lbfgs::Lbfgs;
use local_global::LocalGlobal;

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
    /// Local/global accelerated by nonlinear conjugate gradients: the fewest iterations of the four, and the cheapest.
    ConjugateGradient(Stop),
    /// Local/global accelerated by L-BFGS.
    Lbfgs(Stop),
    /// Local/global accelerated by Anderson's mixing.
    Anderson(Stop),
    /// Local/global accelerated by Chebyshev's over-relaxation.
    Chebyshev(Stop),
    /// Newton's method with line search to the given tolerance; 0 means to rounding level.
    Newton(NewtonSettings),
    /// Conjugate gradients on g first, then Newton: to the exact answer with few factorizations.
    Hybrid(NewtonSettings),
    /// One full Newton step from q_n without line search or correction (Baraff–Witkin 1998).
    SemiImplicit(LinearSolver),
    /// The symmetric step of Baraff and Witkin on velocities, every spring implicit and made definite.
    BaraffWitkin(ImexSettings),
    /// The same with stretch springs implicit, shear and bend springs explicit.
    StaticImex(ImexSettings),
    /// The same with those springs implicit whose stability demands it, \[BA04\].
    AdaptiveImex(ImexSettings),
    /// Explicit Euler, symplectic or forward: cheap steps that must be short.
    Explicit(Explicit),
    /// Position-based dynamics: a fixed number of Gauss–Seidel iterations, stiffer the more there are.
    Pbd(Stop),
    /// Position-based dynamics with compliance: converges to the implicit step, slowly where springs are stiff.
    Xpbd(Stop),
}

impl Method {
    /// Every method's word, as used in scenes, on the command line and in tables.
    pub const NAMES: [&'static str; 15] = [
        "local_global",
        "conjugate_gradient",
        "lbfgs",
        "anderson",
        "chebyshev",
        "newton",
        "hybrid",
        "semi_implicit",
        "baraff_witkin",
        "static_imex",
        "adaptive_imex",
        "symplectic_euler",
        "forward_euler",
        "pbd",
        "xpbd",
    ];

    /// The method of that word with its usual numbers.
    pub fn named(word: &str) -> Option<Self> {
        Some(match word {
            "local_global" => Method::LocalGlobal(Stop::iterations(10)),
            "conjugate_gradient" => Method::ConjugateGradient(Stop::iterations(10)),
            "lbfgs" => Method::Lbfgs(Stop::iterations(10)),
            "anderson" => Method::Anderson(Stop::iterations(10)),
            "chebyshev" => Method::Chebyshev(Stop::iterations(10)),
            "newton" => Method::newton(),
            "hybrid" => Method::hybrid(),
            "semi_implicit" => Method::SemiImplicit(LinearSolver::default()),
            "baraff_witkin" => Method::BaraffWitkin(ImexSettings::default()),
            "static_imex" => Method::StaticImex(ImexSettings::default()),
            "adaptive_imex" => Method::AdaptiveImex(ImexSettings::default()),
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
            Method::LocalGlobal(stop)
            | Method::ConjugateGradient(stop)
            | Method::Lbfgs(stop)
            | Method::Anderson(stop)
            | Method::Chebyshev(stop)
            | Method::Pbd(stop)
            | Method::Xpbd(stop) => Some(stop),
            Method::Newton(settings) | Method::Hybrid(settings) => Some(&mut settings.stop),
            Method::SemiImplicit(_)
            | Method::BaraffWitkin(_)
            | Method::StaticImex(_)
            | Method::AdaptiveImex(_)
            | Method::Explicit(_) => None,
        }
    }

    /// The numbers of an implicit–explicit method; `None` for the others.
    pub fn imex_mut(&mut self) -> Option<&mut ImexSettings> {
        match self {
            Method::BaraffWitkin(settings)
            | Method::StaticImex(settings)
            | Method::AdaptiveImex(settings) => Some(settings),
            _ => None,
        }
    }

    /// Refuse a model this method cannot handle.
    pub fn suits(&self, model: &Model) -> Result<(), Error> {
        let constant = match self {
            Method::LocalGlobal(_)
            | Method::ConjugateGradient(_)
            | Method::Lbfgs(_)
            | Method::Anderson(_)
            | Method::Chebyshev(_)
            | Method::Pbd(_)
            | Method::Xpbd(_)
            | Method::Hybrid(_) => true,
            Method::Newton(NewtonSettings { solver, .. }) | Method::SemiImplicit(solver) => {
                *solver == LinearSolver::PcgConstant
            }
            _ => false,
        };
        if constant { local_global::refuse_bend(model, self.name()) } else { Ok(()) }
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
            Method::LocalGlobal(_) => "local_global",
            Method::ConjugateGradient(_) => "conjugate_gradient",
            Method::Lbfgs(_) => "lbfgs",
            Method::Anderson(_) => "anderson",
            Method::Chebyshev(_) => "chebyshev",
            Method::Newton(_) => "newton",
            Method::Hybrid(_) => "hybrid",
            Method::SemiImplicit(_) => "semi_implicit",
            Method::BaraffWitkin(_) => "baraff_witkin",
            Method::StaticImex(_) => "static_imex",
            Method::AdaptiveImex(_) => "adaptive_imex",
            Method::Explicit(order) => order.name(),
            Method::Pbd(_) => "pbd",
            Method::Xpbd(_) => "xpbd",
        }
    }

    /// Refuse settings that cannot work.
    pub fn validate(&self) -> Result<(), Error> {
        if let Method::Pbd(stop) = self {
            return pbd::validate(stop);
        }
        match self.clone().imex_mut() {
            Some(settings) => settings.validate(),
            None => self.clone().stop_mut().map_or(Ok(()), |stop| stop.validate()),
        }
    }

    /// Refuse a time scheme the method has no use for.
    pub fn check_scheme(&self, scheme: Scheme) -> Result<(), Error> {
        let remedy = match self {
            Method::Explicit(own) if scheme != Scheme::default() => {
                format!("{} is a time scheme itself: leave this out", own.name())
            }
            Method::BaraffWitkin(_) | Method::StaticImex(_) | Method::AdaptiveImex(_)
                if scheme == Scheme::Midpoint =>
            {
                format!("{} knows implicit_euler and bdf2", self.name())
            }
            _ => return Ok(()),
        };
        Err(Error::setting("scheme", scheme.name(), remedy))
    }

    /// The integrator for this method.
    pub fn integrator(&self, damping: Damping, scheme: Scheme) -> Box<dyn Integrator> {
        let minimise = Minimising { damping, scheme };
        let imex = |split, settings| Box::new(Imex::new(split, settings, damping, scheme));
        match self.clone() {
            Method::LocalGlobal(stop) => minimise.with(LocalGlobal::new(stop)),
            Method::ConjugateGradient(stop) => minimise.with(Accelerated::<ConjugateGradient>::new(stop)),
            Method::Lbfgs(stop) => minimise.with(Accelerated::<Lbfgs>::new(stop)),
            Method::Anderson(stop) => minimise.with(Accelerated::<Anderson>::new(stop)),
            Method::Chebyshev(stop) => minimise.with(Accelerated::<Chebyshev>::new(stop)),
            Method::Newton(settings) => minimise.with(newton::Newton::new(settings)),
            Method::Hybrid(settings) => minimise.with(hybrid::Hybrid::new(settings)),
            Method::SemiImplicit(solver) => minimise.with(semi_implicit::SemiImplicit::new(solver)),
            Method::Pbd(stop) => minimise.with(pbd::Pbd::new(stop, false)),
            Method::Xpbd(stop) => minimise.with(pbd::Pbd::new(stop, true)),
            Method::BaraffWitkin(settings) => imex(Split::Full, settings),
            Method::StaticImex(settings) => imex(Split::Static, settings),
            Method::AdaptiveImex(settings) => imex(Split::Adaptive, settings),
            Method::Explicit(order) => Box::new(explicit::Euler::new(order, damping)),
        }
    }
}

/// What the methods that minimise g share.
struct Minimising {
    damping: Damping,
    scheme: Scheme,
}

impl Minimising {
    fn with(self, minimiser: impl Minimiser + 'static) -> Box<dyn Integrator> {
        Box::new(implicit::Implicit::new(minimiser, self.damping, self.scheme))
    }
}

impl Default for Method {
    /// Ten iterations, as \[Liu13\] §5 recommend, but accelerated: seven of these cost what ten to twelve plain ones
    /// cost and leave less error than twenty (docs/experiments/convergence.md).
    fn default() -> Self {
        Method::ConjugateGradient(Stop::iterations(10))
    }
}

/// Moves a state through time. The one trait of the library.
pub trait Integrator: Send {
    /// Rebuild what depends on the model, its pins and h alone: rows, patterns, factorizations, components.
    fn prepare(&mut self, model: &Model, state: &State, h: f64) -> Result<(), Error>;

    /// Advance `state` by `h`, honouring its filters. Allocates nothing after the first call. If the result is
    /// not finite the state is left as it was and the particle is named.
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<Solve, Error>;

    /// The force \[N\] each particle's filter exerted on it in the last step, zero where it is free. `None` from
    /// methods that know pins only: they leave solids to be dealt with after the step.
    fn reactions(&self) -> Option<&[DVec3]> {
        None
    }

    /// The objective of the last step and the answer given, if the method has one.
    fn solved(&mut self) -> Option<(&mut Objective, &[DVec3])> {
        None
    }
}

/// Most methods know free and pinned particles only.
fn refuse_partial(state: &State) -> Result<(), Error> {
    let Some(i) = state.filters.iter().position(crate::Filter::is_partial) else { return Ok(()) };
    let remedy =
        "this method knows pins only; baraff_witkin, static_imex and adaptive_imex know planes and lines";
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
