//! How far from exact: \[Liu13\] eq. (15), `(g(x_i) − g*)/(g(x_0) − g*)` with x_0 = y.
//!
//! g is not convex where springs are compressed, so "the" minimum is the lowest one that Newton, run to rounding
//! level, finds from x_0 and from the method's own answer. Pins are kinematic: they have no part in g.

use super::implicit::Predictor;
use super::newton::Newton;
use super::scheme::Scheme;
use super::{Minimiser, NewtonSettings, Solve};
use crate::damping::Damping;
use crate::energy::Objective;
use crate::{Error, Model, State};
use glam::DVec3;

/// The error of one step's answer against the exact minimum.
#[derive(Debug, Clone, PartialEq)]
pub struct RelativeError {
    /// Eq. (15). Negative if the answer is lower than anything Newton found (reported, not clipped); infinite
    /// if the start was exact and the answer is not.
    pub error: f64,
    /// g at x_0 = y [kg·m²].
    pub start: f64,
    /// g at the method's answer [kg·m²].
    pub answer: f64,
    /// The lowest minimum found, g* [kg·m²].
    pub exact: f64,
    /// Where g* is attained \[m\].
    pub positions: Vec<DVec3>,
    /// How Newton got there.
    pub solve: Solve,
}

/// The objective g of the implicit Euler step of length `h` \[s\] that `state` is about to take.
pub fn objective(model: &Model, state: &State, h: f64, damping: &Damping) -> Objective {
    let mut objective = Objective::damped(model, state, &[], h, damping.material);
    Predictor::new(*damping, Scheme::ImplicitEuler, model, state, &objective).predict(
        model,
        state,
        h,
        &mut objective,
    );
    objective
}

/// Relative error, eq. (15), of `answer`: the positions some method gave for the implicit Euler step of length `h` \[s\]
/// from `before`. For other time schemes see [`Simulation::measure_error`](crate::Simulation::measure_error).
///
/// ```
/// use taut::{Damping, Method, Settings, Simulation, Stop, relative_error, shapes};
/// # fn main() -> Result<(), taut::Error> {
/// let model = shapes::Grid { columns: 9, rows: 9, ..Default::default() }.build()?;
/// let mut simulation = Simulation::new(model, Settings::new(Method::LocalGlobal(Stop::iterations(10)), 1.0 / 30.0))?;
/// simulation.pin(0)?;
/// simulation.step()?;
/// let before = simulation.state().clone();
/// simulation.step()?;
/// let error = relative_error(simulation.model(), &before, 1.0 / 30.0, &Damping::default(), simulation.positions())?;
/// assert!(error.error < 1.0);
/// # Ok(()) }
/// ```
pub fn relative_error(
    model: &Model,
    before: &State,
    h: f64,
    damping: &Damping,
    answer: &[DVec3],
) -> Result<RelativeError, Error> {
    if answer.len() != model.particles() {
        let remedy = format!("one position for each of the {} particles is needed", model.particles());
        return Err(Error::setting("answer", format!("{} positions", answer.len()), remedy));
    }
    error_of(model, &mut objective(model, before, h, damping), answer)
}

/// Relative error of an answer to an objective.
pub(crate) fn error_of(
    model: &Model,
    objective: &mut Objective,
    answer: &[DVec3],
) -> Result<RelativeError, Error> {
    let first = objective.inertia.clone();
    let mut newton = Newton::new(NewtonSettings::default());
    newton.prepare(model, objective)?;
    let mut best = (f64::INFINITY, Vec::new(), Solve::default());
    for from in [&first, &answer.to_vec()] {
        let mut x = from.clone();
        let solve = newton.minimise(model, objective, &mut x);
        let value = objective.value(model, &x);
        if value < best.0 {
            best = (value, x, solve);
        }
    }
    let (exact, positions, solve) = best;
    let (start, answer) = (objective.value(model, &first), objective.value(model, answer));
    let error = if answer == exact { 0.0 } else { (answer - exact) / (start - exact) };
    Ok(RelativeError { error, start, answer, exact, positions, solve })
}
