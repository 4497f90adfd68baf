//! The fastest vibration of a model, ω_max, and the time steps explicit schemes can take with it.
//!
//! ω_max² is the largest eigenvalue of `M^{−½} K M^{−½}` over the free particles, K the sum of the springs'
//! `k [x̂x̂ᵀ + max(0, 1 − r/l)(I − x̂x̂ᵀ)]` and of what other elements have, likewise. Where that depends on what happens next, the stiffer case is taken: slack
//! extension-only springs count as taut, springs without length as stiff in every direction.
//! One mode under drag c per second, `v̇ = −ω²x − cv`, is one 2×2 matrix per scheme:
//!
//! | scheme | trace | determinant | stable for |
//! |---|---|---|---|
//! | symplectic Euler: v, then x with the new v | 2 − hc − h²ω² | 1 − hc | h²ω² + 2hc < 4 |
//! | forward Euler: x with the old v | 2 − hc | 1 − hc + h²ω² | h < min(c/ω², 2/c) |
//!
//! Does not handle: stiffness that grows during the motion (but [`Frequency::any_pose`] bounds every pose), the
//! material and rigid kinds of damping.

use crate::energy::{Rows, length, stiffness};
use crate::integrator::Explicit;
use crate::linear::largest_eigenvalue;
use crate::{Model, State};
use glam::DVec3;

/// The fastest vibration of a model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Frequency {
    /// ω_max in the given pose [rad/s], rounded up: from the Ritz value and its residual.
    pub upper: f64,
    /// From the Ritz value [rad/s]: ω_max is not below it.
    pub lower: f64,
    /// Gershgorin's bound [rad/s]: whatever the pose, no mode is faster.
    pub any_pose: f64,
    /// Lanczos steps taken.
    pub steps: usize,
}

/// Residual relative to ω_max² at which Lanczos stops.
const TOLERANCE: f64 = 1e-8;
/// Residuals added to the Ritz value. One is enough when the fastest mode stands alone. Of two modes almost as fast
/// as each other (the rule on square cloth: one along each side) the Ritz vector is a mixture, and if the start
/// vector met the faster one c times less, the value is short by c residuals. In a random start c exceeds 100
/// once in 160 times.
const MARGIN: f64 = 100.0;
/// Residual above which the Ritz value has not settled and Gershgorin's bound is the answer.
const UNSETTLED: f64 = 1e-3;

/// Steps after which a wider bracket is accepted: about half a second of products, at least 100.
fn most_steps(springs: usize) -> usize {
    (30_000_000 / springs.max(1)).clamp(100, 1000)
}

/// One spring with a free end, as the matrix sees it.
struct Edge {
    rows: [u32; 2],
    stiffness: f64,
    unit: DVec3,
    transverse: f64,
}

impl Frequency {
    /// Of a valid model in a given pose with its pins.
    pub fn of(model: &Model, state: &State) -> Self {
        let rows = Rows::new(state);
        let bound = gershgorin(model, state, &rows);
        if bound == 0.0 || !bound.is_finite() {
            return Frequency { upper: bound.sqrt(), lower: 0.0, any_pose: bound.sqrt(), steps: 0 };
        }
        let springs: Vec<Edge> = model.springs.iter().filter_map(|s| edge(s, state, &rows)).collect();
        let others = stiffness(model, state, &rows).map(|(_, posed)| posed);
        // Scaled by the bound, so that the matrix has norm at most one, whatever the units.
        let weight = |&i: &u32| 1.0 / (model.masses[i as usize].sqrt() * bound.sqrt());
        let weights: Vec<f64> = rows.particles.iter().map(weight).collect();
        let [mut scaled, mut product] = [(); 2].map(|()| vec![DVec3::ZERO; rows.len()]);
        let multiply = |x: &[DVec3], y: &mut [DVec3]| {
            multiply(&springs, &weights, x, y);
            if let Some(others) = &others {
                scaled.iter_mut().zip(&weights).zip(x).for_each(|((s, w), x)| *s = *w * *x);
                others.multiply(&scaled, &mut product);
                y.iter_mut().zip(&weights).zip(&product).for_each(|((y, w), p)| *y += *w * *p);
            }
        };
        let entries = springs.len() + others.as_ref().map_or(0, |others| others.upper.len());
        let found = largest_eigenvalue(rows.len(), multiply, TOLERANCE, most_steps(entries));
        // A row of n terms is rounded n times; meshes have few dozen.
        let rounding = 64.0 * f64::EPSILON;
        let settled = found.residual <= UNSETTLED * found.value;
        let upper = if settled { (found.value + MARGIN * found.residual + rounding).min(1.0) } else { 1.0 };
        let omega = |lambda: f64| (lambda * bound).sqrt();
        Frequency {
            upper: omega(upper),
            lower: omega((found.value - rounding).max(0.0)),
            any_pose: bound.sqrt(),
            steps: found.steps,
        }
    }
}

/// `max_i Σ k (1 + [other end free]) / m_i`: every spring's block has norm k at most, whatever its direction. Of other
/// elements the row sums of their constant matrix.
fn gershgorin(model: &Model, state: &State, rows: &Rows) -> f64 {
    let mut sums = vec![0.0; rows.len()];
    for s in &model.springs {
        let [a, b] = s.ends.map(|e| rows.of[e as usize]);
        for (this, other) in [(a, b), (b, a)] {
            if this != Rows::NONE {
                sums[this as usize] += s.stiffest() * if other == Rows::NONE { 1.0 } else { 2.0 };
            }
        }
    }
    if let Some((constant, _)) = stiffness(model, state, rows) {
        sums.iter_mut().zip(constant.row_sums(f64::abs)).for_each(|(sum, more)| *sum += more);
    }
    let ratio = |(sum, &i): (f64, &u32)| sum / model.masses[i as usize];
    sums.into_iter().zip(&rows.particles).map(ratio).fold(0.0, f64::max)
}

fn edge(s: &crate::Spring, state: &State, rows: &Rows) -> Option<Edge> {
    let ends = s.ends.map(|e| rows.of[e as usize]);
    if ends == [Rows::NONE; 2] {
        return None;
    }
    let (a, b) = s.ab();
    let p = state.positions[a] - state.positions[b];
    let l = length(p);
    let (unit, transverse) = if l > 0.0 { (p / l, s.stiffnesses(l).1.max(0.0)) } else { (DVec3::ZERO, 1.0) };
    Some(Edge { rows: ends, stiffness: s.stiffest(), unit, transverse })
}

/// y = D K D x with D the weights.
fn multiply(links: &[Edge], weights: &[f64], x: &[DVec3], y: &mut [DVec3]) {
    y.fill(DVec3::ZERO);
    let at = |row: u32| if row == Rows::NONE { DVec3::ZERO } else { weights[row as usize] * x[row as usize] };
    for link in links {
        let [a, b] = link.rows;
        let u = at(a) - at(b);
        let t = link.transverse;
        let force = link.stiffness * (t * u + ((1.0 - t) * link.unit.dot(u)) * link.unit);
        if a != Rows::NONE {
            y[a as usize] += weights[a as usize] * force;
        }
        if b != Rows::NONE {
            y[b as usize] -= weights[b as usize] * force;
        }
    }
}

impl Explicit {
    /// The step \[s\] below which modes up to `omega` [rad/s] stay bounded under `drag` c [1/s]; 0 if none does.
    pub fn limit(self, omega: f64, drag: f64) -> f64 {
        match self {
            // The positive root of h²ω² + 2hc = 4, in the form that does not cancel.
            Explicit::SymplecticEuler => 4.0 / (drag + drag.hypot(2.0 * omega)),
            Explicit::ForwardEuler if omega > 0.0 => (drag / omega / omega).min(2.0 / drag),
            Explicit::ForwardEuler => 2.0 / drag,
        }
    }

    /// The factor by which a mode of `omega` [rad/s] under `drag` c [1/s] grows in one step `h` \[s\].
    pub fn growth(self, omega: f64, drag: f64, h: f64) -> f64 {
        let (t, d) = ((h * omega).powi(2), h * drag);
        let (trace, determinant) = match self {
            Explicit::SymplecticEuler => (2.0 - d - t, 1.0 - d),
            Explicit::ForwardEuler => (2.0 - d, 1.0 - d + t),
        };
        let discriminant = 0.25 * trace * trace - determinant;
        if discriminant < 0.0 { determinant.sqrt() } else { 0.5 * trace.abs() + discriminant.sqrt() }
    }
}
