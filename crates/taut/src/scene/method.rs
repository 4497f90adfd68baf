//! The `[method]`, `[limit]`, `[contact]` and `[tear]` tables of a scene.

use super::place::Source;
use super::text::{ContactText, LimitText, MethodText, TearText};
use crate::collision::{ContactSettings, Level};
use crate::integrator::Ending;
use crate::{Error, ImexSettings, LinearSolver, Method, Precision, Scheme, StrainLimit, Tear};
use std::str::FromStr;

impl Source<'_> {
    /// The method, scheme and precision of the `[method]` table that begins at byte `start`; `usual` where it names none.
    pub(super) fn method(
        &self,
        text: &MethodText,
        usual: Method,
        start: usize,
    ) -> Result<(Method, Scheme, Precision), Error> {
        let all = || {
            let method = method(text, usual)?;
            let scheme = choose(text.scheme.as_deref(), Scheme::default())?;
            method.check_scheme(scheme)?;
            Ok((method, scheme, choose(text.precision.as_deref(), Precision::default())?))
        };
        all().map_err(|e| self.refused(start, e))
    }

    /// The `[limit]` table that begins at byte `start`.
    pub(super) fn limit(&self, text: &LimitText, start: usize) -> Result<StrainLimit, Error> {
        let usual = StrainLimit::default();
        let order = choose(text.order.as_deref(), usual.order).map_err(|e| self.refused(start, e))?;
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

    pub(super) fn contact(&self, text: &ContactText, start: usize) -> Result<ContactSettings, Error> {
        let refused = |e| self.refused(start, e);
        let contact = ContactSettings {
            level: choose(text.level.as_deref(), Level::default()).map_err(refused)?,
            pinch: text.pinch.as_deref().map(str::parse).transpose().map_err(refused)?,
            rounds: text.rounds,
        };
        contact.validate().map_err(refused)?;
        Ok(contact)
    }

    /// Where something tears, if a table says so.
    pub(super) fn tear(&self, text: Option<&TearText>, start: usize) -> Result<Option<Tear>, Error> {
        let Some(text) = text else { return Ok(None) };
        let usual = Tear::default();
        let tear = Tear {
            strain: text.strain.unwrap_or(usual.strain),
            spread: text.spread.unwrap_or(usual.spread),
            seed: text.seed.unwrap_or(usual.seed),
            most: text.most.unwrap_or(usual.most),
        };
        tear.validate().map_err(|e| self.refused(start, e))?;
        Ok(Some(tear))
    }
}

/// The choice of that word, or the usual one where none is given.
pub(super) fn choose<T: FromStr<Err = Error>>(word: Option<&str>, usual: T) -> Result<T, Error> {
    word.map_or(Ok(usual), str::parse)
}

/// A method from its word and numbers; what is missing has a sensible value.
pub(super) fn method(text: &MethodText, usual: Method) -> Result<Method, Error> {
    let solver = choose(text.linear_solver.as_deref(), LinearSolver::default())?;
    let mut method: Method = choose(text.name.as_deref(), usual)?;
    if let Method::Newton(settings) | Method::Hybrid(settings) = &mut method {
        settings.solver = solver;
    }
    if let Method::SemiImplicit(own) = &mut method {
        *own = solver;
    }
    refuse_stray(text, &mut method)?;
    if let Some(settings) = method.imex_mut() {
        imex(text, settings)?;
    }
    let MethodText { iterations, tolerance, accuracy, budget, .. } = *text;
    method.ending(Ending { iterations, tolerance, accuracy, budget })
}

/// A key that the method would not look at is a misunderstanding.
fn refuse_stray(text: &MethodText, method: &mut Method) -> Result<(), Error> {
    let solves = matches!(method, Method::Newton(_) | Method::Hybrid(_) | Method::SemiImplicit(_));
    let splits = method.imex_mut().is_some();
    let imex = "baraff_witkin, static_imex or adaptive_imex";
    for (key, value, used, of) in [
        ("linear_solver", text.linear_solver.clone(), solves, "newton, hybrid or semi_implicit"),
        ("preconditioner", text.preconditioner.clone(), splits, imex),
        ("decompose", text.decompose.map(|v| v.to_string()), splits, imex),
        ("guess", text.guess.map(|v| v.to_string()), splits, imex),
    ] {
        if let Some(value) = value.filter(|_| !used) {
            let remedy = format!("{} does not use this setting: leave it out, or choose {of}", method.name());
            return Err(Error::setting(key, value, remedy));
        }
    }
    Ok(())
}

/// What only the implicit–explicit methods have.
fn imex(text: &MethodText, settings: &mut ImexSettings) -> Result<(), Error> {
    settings.decompose = text.decompose.unwrap_or(settings.decompose);
    settings.guess = text.guess.unwrap_or(settings.guess);
    settings.preconditioner = choose(text.preconditioner.as_deref(), settings.preconditioner)?;
    Ok(())
}
