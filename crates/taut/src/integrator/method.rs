//! The methods: their words, their numbers, what each refuses, and the integrator of each.

use super::accelerated::Accelerated;
use super::anderson::Anderson;
use super::chebyshev::Chebyshev;
use super::conjugate_gradient::ConjugateGradient;
use super::hybrid::Hybrid;
use super::imex::{Imex, Split};
use super::lbfgs::Lbfgs;
use super::local_global::LocalGlobal;
use super::newton::Newton;
use super::pbd::{self, Pbd};
use super::semi_implicit::SemiImplicit;
use super::{Explicit, ImexSettings, Integrator, LinearSolver, Minimiser, NewtonSettings, Scheme, Stop};
use super::{explicit, implicit};
use crate::damping::Damping;
use crate::energy::refuse_bend;
use crate::linear::Precision;
use crate::{Error, Model, words};
use std::fmt;
use std::str::FromStr;

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
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
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

    /// The same method ending its steps as told; what is not given stays. A tolerance or a budget lifts the limit on
    /// iterations unless that is given too: it is what the step shall end with. Whatever is given takes the place of the
    /// usual accuracy.
    pub fn ending(&self, ending: Ending) -> Result<Self, Error> {
        let Ending { iterations, tolerance, accuracy, budget } = ending;
        let mut method = self.clone();
        self.check_accuracy(accuracy.unwrap_or(0.0))?;
        if let Some(settings) = method.imex_mut() {
            settings.newton = iterations.unwrap_or(settings.newton);
            settings.tolerance = tolerance.unwrap_or(settings.tolerance);
            let remedy = "this method takes a fixed amount of work: leave it out";
            budget.map_or(Ok(()), |budget| Err(Error::setting("budget", budget, remedy)))?;
        } else if let Some(stop) = method.stop_mut() {
            let lifted = tolerance.is_some() || budget.is_some();
            let usual = match accuracy {
                _ if lifted => Stop::UNLIMITED,
                Some(_) => Stop::USUAL_LIMIT,
                None => stop.iterations,
            };
            // What is said takes the place of the usual end.
            let told = lifted || iterations.is_some();
            stop.accuracy = accuracy.unwrap_or(if told { 0.0 } else { stop.accuracy });
            stop.iterations = iterations.unwrap_or(usual);
            stop.tolerance = tolerance.unwrap_or(stop.tolerance);
            stop.budget = budget.or(stop.budget);
        } else {
            let text = |v: Option<f64>| v.map(|v| v.to_string());
            let given = [
                ("iterations", iterations.map(|n| n.to_string())),
                ("tolerance", text(tolerance)),
                ("budget", text(budget)),
            ];
            if let Some((key, value)) = given.into_iter().find_map(|(key, value)| Some((key, value?))) {
                let remedy = format!(
                    "{} does not use this setting: leave it out, or choose a method that iterates",
                    self.name()
                );
                return Err(Error::setting(key, value, remedy));
            }
        }
        method.validate().map(|()| method)
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
        if constant {
            refuse_bend(model, self.name())?;
        }
        let imex = matches!(self, Method::BaraffWitkin(_) | Method::StaticImex(_) | Method::AdaptiveImex(_));
        let position_based = matches!(self, Method::Pbd(_) | Method::Xpbd(_));
        let elements = [
            ("link", model.links.len(), imex),
            ("membrane", model.membranes.len(), imex || position_based),
            ("block", model.blocks.len(), imex || position_based),
        ];
        match elements.into_iter().find(|(_, count, refused)| *refused && *count > 0) {
            None => Ok(()),
            Some((element, ..)) => {
                let known = if imex { "springs" } else { "springs and links" };
                let problem = format!("is there, and {} knows {known} only", self.name());
                let remedy = "use conjugate_gradient, newton, hybrid or another method that minimises g, or make the body \
                              of springs (`elements = false` in a scene)";
                Err(Error::Model { element, index: 0, problem, remedy })
            }
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
            None => self.clone().stop_mut().map_or(Ok(()), |stop| {
                stop.validate()?;
                self.check_accuracy(stop.accuracy)
            }),
        }
    }

    /// Refuse an end by the estimated error for methods that do not estimate it.
    fn check_accuracy(&self, accuracy: f64) -> Result<(), Error> {
        let accelerated = matches!(
            self,
            Method::ConjugateGradient(_) | Method::Lbfgs(_) | Method::Anderson(_) | Method::Chebyshev(_)
        );
        if accelerated || accuracy == 0.0 {
            return Ok(());
        }
        let remedy = "only conjugate_gradient, lbfgs, anderson and chebyshev estimate their error: leave it out, or use \
                      one of them";
        Err(Error::setting("accuracy", accuracy, remedy))
    }

    /// Refuse a time scheme the method has no use for.
    pub fn check_scheme(&self, scheme: Scheme) -> Result<(), Error> {
        let remedy = match self {
            Method::Explicit(own) if scheme != Scheme::default() => {
                format!("{} is a time scheme itself: leave the scheme out", own.name())
            }
            Method::BaraffWitkin(_) | Method::StaticImex(_) | Method::AdaptiveImex(_)
                if scheme == Scheme::Midpoint =>
            {
                format!("{} works with implicit_euler or bdf2", self.name())
            }
            _ => return Ok(()),
        };
        Err(Error::setting("scheme", scheme.name(), remedy))
    }

    /// Whether its steps may grow without bound where they are too long.
    pub(crate) fn may_explode(&self, scheme: Scheme) -> bool {
        let explicit = matches!(self, Method::Explicit(_) | Method::StaticImex(_) | Method::AdaptiveImex(_));
        let unchecked = matches!(
            self,
            Method::SemiImplicit(_) | Method::BaraffWitkin(_) | Method::Pbd(_) | Method::Xpbd(_)
        );
        explicit || unchecked || scheme == Scheme::Midpoint
    }

    /// The integrator for this method.
    pub fn integrator(&self, damping: Damping, scheme: Scheme, precision: Precision) -> Box<dyn Integrator> {
        let minimise = Minimising { damping, scheme, precision };
        let imex = |split, settings| Box::new(Imex::new(split, settings, damping, scheme));
        match self.clone() {
            Method::LocalGlobal(stop) => minimise.with(LocalGlobal::new(stop)),
            Method::ConjugateGradient(stop) => minimise.with(Accelerated::<ConjugateGradient>::new(stop)),
            Method::Lbfgs(stop) => minimise.with(Accelerated::<Lbfgs>::new(stop)),
            Method::Anderson(stop) => minimise.with(Accelerated::<Anderson>::new(stop)),
            Method::Chebyshev(stop) => minimise.with(Accelerated::<Chebyshev>::new(stop)),
            Method::Newton(settings) => minimise.with(Newton::new(settings)),
            Method::Hybrid(settings) => minimise.with(Hybrid::new(settings)),
            Method::SemiImplicit(solver) => minimise.with(SemiImplicit::new(solver)),
            Method::Pbd(stop) => minimise.with(Pbd::new(stop, false)),
            Method::Xpbd(stop) => minimise.with(Pbd::new(stop, true)),
            Method::BaraffWitkin(settings) => imex(Split::Full, settings),
            Method::StaticImex(settings) => imex(Split::Static, settings),
            Method::AdaptiveImex(settings) => imex(Split::Adaptive, settings),
            Method::Explicit(order) => Box::new(explicit::Euler::new(order, damping)),
        }
    }
}

/// Part of the first estimated error at which a step ends: see [`Stop::accuracy`].
const USUAL_ACCURACY: f64 = 1e-3;

/// What ends a step: as many of the numbers as are given.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ending {
    /// Iterations, at most.
    pub iterations: Option<usize>,
    /// Scaled residual, see [`Stop::tolerance`]; of implicit–explicit methods the accuracy of their linear solves.
    pub tolerance: Option<f64>,
    /// Part of the error estimated first, see [`Stop::accuracy`].
    pub accuracy: Option<f64>,
    /// Time \[s\].
    pub budget: Option<f64>,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;

    /// The method of that word with its usual numbers.
    fn from_str(word: &str) -> Result<Self, Error> {
        let (ten, usual) = (Stop::iterations(10), Stop::accuracy(USUAL_ACCURACY));
        Ok(match word {
            "local_global" => Method::LocalGlobal(ten),
            "conjugate_gradient" => Method::ConjugateGradient(usual),
            "lbfgs" => Method::Lbfgs(usual),
            "anderson" => Method::Anderson(usual),
            "chebyshev" => Method::Chebyshev(usual),
            "newton" => Method::newton(),
            "hybrid" => Method::hybrid(),
            "semi_implicit" => Method::SemiImplicit(LinearSolver::default()),
            "baraff_witkin" => Method::BaraffWitkin(ImexSettings::default()),
            "static_imex" => Method::StaticImex(ImexSettings::default()),
            "adaptive_imex" => Method::AdaptiveImex(ImexSettings::default()),
            "symplectic_euler" => Method::Explicit(Explicit::SymplecticEuler),
            "forward_euler" => Method::Explicit(Explicit::ForwardEuler),
            "pbd" => Method::Pbd(ten),
            "xpbd" => Method::Xpbd(ten),
            _ => return Err(words::unknown("name", word, &Method::NAMES, "methods are")),
        })
    }
}

/// What the methods that minimise g share.
struct Minimising {
    damping: Damping,
    scheme: Scheme,
    precision: Precision,
}

impl Minimising {
    fn with(self, minimiser: impl Minimiser + 'static) -> Box<dyn Integrator> {
        Box::new(implicit::Implicit::new(minimiser, self.damping, self.scheme, self.precision))
    }
}

impl Default for Method {
    /// Conjugate gradients until the estimated error is a thousandth of the first.
    fn default() -> Self {
        Method::ConjugateGradient(Stop::accuracy(USUAL_ACCURACY))
    }
}
