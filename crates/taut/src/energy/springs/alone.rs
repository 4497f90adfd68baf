//! Passes that take one spring after another: what is needed once per step, or rarely, or to the last digit.
//!
//! Together with `gradient` and `curvature` these are the methods of a [`Term`](super::super::Term).

use super::super::{Entries, Step, Sum, length, outer, project, scaled_to, spring_energy};
use super::{Rows, Springs};
use crate::{Error, Model, Spring, SpringKind};
use glam::{DMat3, DVec3};

impl Springs {
    pub fn edges(&self, model: &Model, edges: &mut Vec<[u32; 2]>) {
        edges.extend(self.damped.springs(model).iter().map(|s| s.ends));
    }

    pub fn stiffest(&self, model: &Model, slopes: &mut [f64]) {
        for s in self.damped.springs(model) {
            s.ends.iter().for_each(|&e| slopes[e as usize] += s.stiffest());
        }
    }

    /// h²k for every spring with its damper, slack or not.
    pub fn constant(&self, step: &Step, entries: &mut Entries<f64>) -> Result<(), Error> {
        refuse_bend(step.model, "a constant matrix")?;
        let stiffening = self.damped.stiffening();
        for s in &step.model.springs {
            entries.difference(s.ends, step.h2 * (stiffening * s.stiffness));
        }
        Ok(())
    }

    /// Without rest lengths and dampers E = Σ ½ k p·p.
    pub fn is_quadratic(&self, model: &Model) -> bool {
        !self.damped.is_damped() && model.springs.iter().all(|s| s.rest_length == 0.0)
    }

    pub fn value(&self, step: &Step, x: &[DVec3], sum: &mut Sum) {
        for spring in self.damped.springs(step.model) {
            sum.add(step.h2 * spring_energy(spring, x));
        }
    }

    pub fn change(&self, step: &Step, from: &[DVec3], to: &[DVec3], sum: &mut Sum) {
        let h2 = step.h2;
        for spring in self.damped.springs(step.model) {
            let (a, b) = spring.ab();
            sum.add(spring_change(spring, h2, from[a] - from[b], to[a] - to[b]));
        }
    }

    /// [`Spring::stiffnesses`] of every spring. One without length, or so short that k t overflows, has no transverse
    /// term.
    pub fn hessian(&self, step: &Step, x: &[DVec3], entries: &mut Entries<DMat3>) {
        for spring in self.damped.springs(step.model) {
            let (a, b) = spring.ab();
            let block = jacobian(spring, x[a] - x[b], false, || step.fallback(a, b));
            entries.difference(spring.ends, step.h2 * block);
        }
    }

    /// Add the forces h²k (p − d) of the springs that are in no pass because they have no weight w.
    pub(super) fn pull_odd(&self, step: &Step, x: &[DVec3], gradient: &mut [DVec3]) {
        let springs = self.damped.springs(step.model);
        for &i in &self.odd {
            let spring = &springs[i as usize];
            let (a, b) = spring.ab();
            let p = x[a] - x[b];
            let force = step.h2 * spring.stiffness * (p - project(spring, p, || step.fallback(a, b)));
            let [a, b] = spring.ends.map(|e| step.rows.of[e as usize]);
            if a != Rows::NONE {
                gradient[a as usize] += force;
            }
            if b != Rows::NONE {
                gradient[b as usize] -= force;
            }
        }
    }
}

/// h² times what the energy of a spring grows by when its vector goes from p to q [kg·m²].
#[inline]
pub(crate) fn spring_change(spring: &Spring, h2: f64, p: DVec3, q: DVec3) -> f64 {
    let (l, m) = (length(p), length(q));
    if let Some(strip) = spring.strip() {
        let difference = if l + m > 0.0 { (q - p).dot(q + p) / (l + m) } else { 0.0 };
        return h2 * strip.change(l, m, difference);
    }
    let slack = spring.kind == SpringKind::ExtensionOnly && l.min(m) <= spring.rest_length;
    let stretched = |l: f64| (l - spring.rest_length).max(0.0);
    let (difference, sum_of_stretches) = if slack {
        (stretched(m) - stretched(l), stretched(m) + stretched(l))
    } else if l + m > 0.0 {
        ((q - p).dot(q + p) / (l + m), (l - spring.rest_length) + (m - spring.rest_length))
    } else {
        (0.0, 0.0)
    };
    0.5 * h2 * spring.stiffness * difference * sum_of_stretches
}

/// k [x̂x̂ᵀ + t (I − x̂x̂ᵀ)] [N/m] of a spring with the vector p. If it shall be the `stiffest` it may become, without the
/// negative t of springs that push.
#[inline(always)]
pub(crate) fn jacobian(spring: &Spring, p: DVec3, stiffest: bool, fallback: impl FnOnce() -> DVec3) -> DMat3 {
    let l = length(p);
    let (k, t) = spring.stiffnesses(l);
    if k == 0.0 {
        return DMat3::ZERO;
    }
    let unit = scaled_to(1.0, if l > 0.0 { p } else { fallback() });
    let t = match stiffest {
        true if l == 0.0 => 1.0,
        true => t.max(0.0),
        false if t.is_finite() => t,
        false => 0.0,
    };
    DMat3::from_diagonal(DVec3::splat(k * t)) + (k * (1.0 - t)) * outer(unit)
}

/// Refuse Choi–Ko bend springs on behalf of `who`: their stiffness changes with their length, so there is no constant
/// matrix to factor once.
pub(crate) fn refuse_bend(model: &Model, who: &str) -> Result<(), Error> {
    let Some(index) = model.springs.iter().position(|s| matches!(s.kind, SpringKind::Bend { .. })) else {
        return Ok(());
    };
    let problem =
        format!("is a Choi–Ko bend spring, which {who} cannot handle: its stiffness is not constant");
    let remedy = "use newton (cholesky or pcg_jacobi), baraff_witkin, static_imex or adaptive_imex";
    Err(Error::Model { element: "spring", index, problem, remedy })
}
