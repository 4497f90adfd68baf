//! Methods by their words: the `[method]` and `[limit]` tables of a scene, and what the command line changes about it.

use super::place::{self, Source};
use super::text::{LimitText, MethodText};
use crate::linear::{Precision, Preconditioner};
use crate::{Error, ImexSettings, LinearSolver, Method, Order, Scheme, StrainLimit};

/// Limit on iterations where a tolerance or a budget shall end the step.
const UNLIMITED: usize = 100_000;

impl Source<'_> {
    /// The `[method]` table that begins at byte `start`.
    pub(super) fn method(&self, text: &MethodText, start: usize) -> Result<Method, Error> {
        method(text).map_err(|e| self.refused(start, e))
    }

    /// The scheme named in the `[method]` table that begins at byte `start`.
    pub(super) fn scheme(&self, text: &MethodText, method: &Method, start: usize) -> Result<Scheme, Error> {
        let word = text.scheme.as_deref().unwrap_or(Scheme::default().name());
        let scheme = Scheme::from_name(word).and_then(|s| method.check_scheme(s).map(|()| s));
        scheme.map_err(|e| self.refused(start, e))
    }

    /// The precision named in the `[method]` table that begins at byte `start`.
    pub(super) fn precision(&self, text: &MethodText, start: usize) -> Result<Precision, Error> {
        let mut precision = Precision::default();
        let chosen = choose("precision", text.precision.as_deref(), &Precision::NAMES, &mut precision);
        chosen.map_err(|e| self.refused(start, e)).map(|()| precision)
    }

    /// The `[limit]` table that begins at byte `start`.
    pub(super) fn limit(&self, text: &LimitText, start: usize) -> Result<StrainLimit, Error> {
        let usual = StrainLimit::default();
        let order = text.order.as_deref().map_or(Ok(usual.order), |word| {
            let found = Order::NAMES.iter().find(|(name, _)| *name == word);
            let remedy = || place::suggest(word, &Order::NAMES.map(|o| o.0), "orders are");
            found.map(|o| o.1).ok_or_else(|| self.bad(start, "order", format!("{word:?}"), &remedy()))
        })?;
        let stretch = text.stretch.unwrap_or(usual.stretch);
        let limit = StrainLimit {
            stretch,
            shear: text.shear.unwrap_or(stretch),
            bend: text.bend.unwrap_or(stretch),
            passes: text.passes.unwrap_or(usual.passes),
            order,
            correct_velocity: text.correct_velocity.unwrap_or(usual.correct_velocity),
            speed: text.speed,
        };
        limit.validate().map_err(|e| self.refused(start, e))?;
        Ok(limit)
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
    refuse_stray(text, &mut method)?;
    if let Some(settings) = method.imex_mut() {
        imex(text, settings)?;
        method.validate()?;
        return Ok(method);
    }
    if let Some(stop) = method.stop_mut() {
        let ends = text.tolerance.is_some() || text.budget.is_some();
        stop.iterations = text.iterations.unwrap_or(if ends { UNLIMITED } else { stop.iterations });
        stop.tolerance = text.tolerance.unwrap_or(stop.tolerance);
        stop.budget = text.budget.or(stop.budget);
        stop.validate()?;
    }
    method.validate()?;
    Ok(method)
}

/// A key that the method would not look at is a misunderstanding.
fn refuse_stray(text: &MethodText, method: &mut Method) -> Result<(), Error> {
    let solves = matches!(method, Method::Newton(_) | Method::Hybrid(_) | Method::SemiImplicit(_));
    let splits = method.imex_mut().is_some();
    let iterates = splits || method.stop_mut().is_some();
    let iterative = "a method that iterates";
    let imex = "baraff_witkin, static_imex or adaptive_imex";
    for (key, value, used, of) in [
        ("iterations", text.iterations.map(|v| v.to_string()), iterates, iterative),
        ("tolerance", text.tolerance.map(|v| v.to_string()), iterates, iterative),
        ("budget", text.budget.map(|v| v.to_string()), iterates, iterative),
        ("linear_solver", text.linear_solver.clone(), solves, "newton, hybrid or semi_implicit"),
        ("preconditioner", text.preconditioner.clone(), splits, imex),
        ("decompose", text.decompose.map(|v| v.to_string()), splits, imex),
        ("guess", text.guess.map(|v| v.to_string()), splits, imex),
    ] {
        if let Some(value) = value.filter(|_| !used) {
            let remedy = format!("{} does not use this key: leave it out, or choose {of}", method.name());
            return Err(Error::setting(key, value, remedy));
        }
    }
    Ok(())
}

/// The numbers of the implicit–explicit methods: iterations are Newton's, the tolerance is that of the linear solves.
fn imex(text: &MethodText, settings: &mut ImexSettings) -> Result<(), Error> {
    if let Some(budget) = text.budget {
        return Err(Error::setting(
            "budget",
            budget,
            "this method does a fixed amount of work per step: leave the budget out",
        ));
    }
    settings.newton = text.iterations.unwrap_or(settings.newton);
    settings.tolerance = text.tolerance.unwrap_or(settings.tolerance);
    settings.decompose = text.decompose.unwrap_or(settings.decompose);
    settings.guess = text.guess.unwrap_or(settings.guess);
    let preconditioners = [
        ("none", Preconditioner::None),
        ("block", Preconditioner::Block),
        ("modified", Preconditioner::Modified),
    ];
    choose("preconditioner", text.preconditioner.as_deref(), &preconditioners, &mut settings.preconditioner)
}

/// The value of a word, if one is given.
fn choose<T: Copy>(key: &str, word: Option<&str>, known: &[(&str, T)], value: &mut T) -> Result<(), Error> {
    let Some(word) = word else { return Ok(()) };
    let found = known.iter().find(|(name, _)| *name == word);
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let remedy = || place::suggest(word, &names, "choose one of");
    *value = found.ok_or_else(|| Error::setting(key, format!("{word:?}"), remedy()))?.1;
    Ok(())
}

impl Scheme {
    /// A scheme from its word.
    pub fn from_name(word: &str) -> Result<Self, Error> {
        let found = Scheme::NAMES.iter().find(|(name, _)| *name == word);
        let remedy = || place::suggest(word, &Scheme::NAMES.map(|s| s.0), "time schemes are");
        found.map(|s| s.1).ok_or_else(|| Error::setting("scheme", format!("{word:?}"), remedy()))
    }
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
        if let (Some(&mut changed), mut kept) = (new.imex_mut(), self.clone()) {
            let settings = kept.imex_mut().expect("the same method");
            settings.newton = iterations.map_or(settings.newton, |_| changed.newton);
            settings.tolerance = tolerance.map_or(settings.tolerance, |_| changed.tolerance);
            return Ok(kept);
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
