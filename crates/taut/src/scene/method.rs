//! Methods by their words: the `[method]` table of a scene, and what the command line changes about it.

use super::place::{self, Source};
use super::text::MethodText;
use crate::{Error, LinearSolver, Method, Stop};

/// Limit on iterations where a tolerance or a budget shall end the step.
const UNLIMITED: usize = 100_000;

impl Source<'_> {
    /// The `[method]` table that begins at byte `start`.
    pub(super) fn method(&self, text: &MethodText, start: usize) -> Result<Method, Error> {
        method(text).map_err(|e| self.refused(start, e))
    }
}

/// A method from its word and numbers; what is missing has a sensible value.
fn method(text: &MethodText) -> Result<Method, Error> {
    let name = text.name.as_deref().unwrap_or(Method::default().name());
    let solver =
        text.linear_solver.as_deref().map_or(Ok(LinearSolver::default()), LinearSolver::from_name)?;
    let mut method = Method::named(name).ok_or_else(|| {
        let remedy = place::suggest(name, &Method::NAMES, "methods are");
        Error::setting("name", format!("{name:?}"), remedy)
    })?;
    if let Method::Newton(settings) | Method::Hybrid(settings) = &mut method {
        settings.solver = solver;
    }
    if let Method::SemiImplicit(own) = &mut method {
        *own = solver;
    }
    // A method that does not iterate has no use for these numbers; they are wrong all the same.
    let mut unused = Stop::iterations(1);
    let stop = method.stop_mut().unwrap_or(&mut unused);
    let ends = text.tolerance.is_some() || text.budget.is_some();
    stop.iterations = text.iterations.unwrap_or(if ends { UNLIMITED } else { stop.iterations });
    stop.tolerance = text.tolerance.unwrap_or(stop.tolerance);
    stop.budget = text.budget.or(stop.budget);
    stop.validate()?;
    method.validate()?;
    Ok(method)
}

impl Method {
    /// A method from its word, as in scene files and on the command line; `None` keeps the method's own
    /// numbers.
    pub fn from_name(
        name: &str,
        iterations: Option<usize>,
        tolerance: Option<f64>,
        budget: Option<f64>,
    ) -> Result<Self, Error> {
        let name = Some(name.into());
        method(&MethodText { name, iterations, tolerance, budget, ..MethodText::default() })
    }

    /// Another method with its own numbers, or this one with those given changed. A new tolerance or budget lifts
    /// the limit on iterations unless that is given too: it is what the step shall end with.
    pub fn with(
        &self,
        name: Option<&str>,
        iterations: Option<usize>,
        tolerance: Option<f64>,
        budget: Option<f64>,
    ) -> Result<Self, Error> {
        let mut new = Method::from_name(name.unwrap_or(self.name()), iterations, tolerance, budget)?;
        if new.name() != self.name() {
            return Ok(new);
        }
        let Some(&mut changed) = new.stop_mut() else { return Ok(self.clone()) };
        let mut kept = self.clone();
        let stop = kept.stop_mut().expect("the same method");
        if iterations.is_some() || tolerance.is_some() || budget.is_some() {
            stop.iterations = changed.iterations;
        }
        stop.tolerance = tolerance.unwrap_or(stop.tolerance);
        stop.budget = budget.or(stop.budget);
        Ok(kept)
    }
}
