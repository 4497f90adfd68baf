//! Ratios that make implicit methods slow, and a frequency that is not a number to work with.
//!
//! A particle of mass m swinging sideways on springs of stiffness k at rest length is moved by local/global by
//! `x ← (m ŷ + h²k x)/(m + h²k)`: the error shrinks by `1 − 1/(1 + h²k/m)` per iteration, so a decimal digit costs up
//! to `ln 10 (1 + h²k/m)` of them. Newton's method does not care.

use super::{Finding, Severity, short};
use crate::{Model, State};

/// Ratio of masses above which convergence suffers (chosen).
const MASSES: f64 = 1e4;
/// Ratio of stiffnesses, likewise.
const STIFFNESSES: f64 = 1e6;
/// Median of h²k/m, likewise: the published models stay below at 1/30 s.
const STIFF: f64 = 1e5;

pub(super) fn examine(model: &Model, state: &State, h: f64, omega: f64, out: &mut Vec<Finding>) {
    let free = |&i: &usize| !state.filters[i].is_pinned();
    if let Some((low, high, ratio)) = extremes((0..model.particles()).filter(free), |i| model.masses[i])
        && ratio > MASSES
    {
        let [a, b] = [low, high].map(|i| short(model.masses[i]));
        out.push(Finding::new(
            Severity::Warning,
            format!("masses differ by a factor of {}: particle {low} has {a} kg, particle {high} {b} kg", short(ratio)),
            "iterative methods will converge slowly: even the masses out, or use hybrid or newton with Cholesky",
        ));
    }
    let acts = |&i: &usize| {
        let (a, b) = model.springs[i].ab();
        model.springs[i].stiffness > 0.0 && (free(&a) || free(&b))
    };
    let stiffness = |i: usize| model.springs[i].stiffness;
    if let Some((low, high, ratio)) = extremes((0..model.springs.len()).filter(acts), stiffness)
        && ratio > STIFFNESSES
    {
        let [a, b] = [low, high].map(|i| short(stiffness(i)));
        out.push(Finding::new(
            Severity::Warning,
            format!(
                "stiffnesses differ by a factor of {}: spring {low} has {a} N/m, spring {high} {b} N/m",
                short(ratio)
            ),
            "pin instead of a very stiff spring, or use hybrid or newton with Cholesky",
        ));
    }
    let lightest = |i: usize| {
        let (a, b) = model.springs[i].ab();
        [a, b].into_iter().filter(free).map(|e| model.masses[e]).fold(f64::INFINITY, f64::min)
    };
    let mut pulls: Vec<f64> =
        (0..model.springs.len()).filter(acts).map(|i| h * h * (stiffness(i) / lightest(i))).collect();
    pulls.sort_by(f64::total_cmp);
    if let Some(&pull) = pulls.get(pulls.len() / 2)
        && pull > STIFF
    {
        out.push(Finding::new(
            Severity::Note,
            format!("stiff for this step: half of the springs have h²k/m of {} or more", short(pull)),
            format!(
                "local_global may need {} iterations per correct digit: use hybrid or newton for exact results, \
                 or a shorter step",
                short((10f64.ln() * (1.0 + pull)).round())
            ),
        ));
    }
    if !omega.is_finite() {
        out.push(Finding::new(
            Severity::Error,
            "stiffness over mass is too large for a number",
            "check the units of stiffness [N/m] and mass [kg]",
        ));
    }
}

/// First index of the smallest, first of the largest value, and largest over smallest.
fn extremes(items: impl Iterator<Item = usize>, value: impl Fn(usize) -> f64) -> Option<(usize, usize, f64)> {
    let (low, high) = items.fold(None, |found, i| match found {
        None => Some((i, i)),
        Some((low, high)) => {
            Some((if value(i) < value(low) { i } else { low }, if value(i) > value(high) { i } else { high }))
        }
    })?;
    Some((low, high, value(high) / value(low)))
}
