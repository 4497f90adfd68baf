//! Position-based dynamics: from ŷ, each spring in turn moves its two ends, as if the others were not there.
//!
//! `xpbd` (after Macklin 2016) keeps the impulse Λ of every spring and sets one after another to what would balance
//! it, the others held,
//!
//! ```text
//! x = ŷ − M⁻¹ Σ ±Λ,      Λ = n̂ (n̂·p̃ − r)/(w + α),      α = 1/(k h²),      w = 1/m_a + 1/m_b,
//! ```
//!
//! p̃ = p + wΛ the spring's vector without its own impulse, n̂ its direction. The first pass is the published one. Later
//! the published method adds multiples of ever newer directions to x but only their sizes to λ, so that x and λ
//! part; here the whole vector is kept, they do not part, and what springs that pull converge to is the implicit
//! step itself. Springs that push are treated as published (n̂ the direction of p, only the share of Λ along it
//! renewed): turning the impulse of a crushed spring round would throw its ends about.
//!
//! `pbd` (Müller 2007) moves the ends by a fixed part k of what is missing, in every iteration anew. A lone spring of
//! stiffness s [N/m] gets `k = w/(w + α)`, what the implicit step would do to it; n iterations use
//! `k′ = 1 − (1 − k)^{1/n}`, so that a lone spring ends where it would after one. In a net each iteration also undoes
//! what its neighbours did, and the result is stiffer the more there are: see docs/experiments/pbd.md.
//!
//! Springs are visited colour by colour: several threads give the same bits as one. Links follow, one after another: with
//! p = Σ wᵢxᵢ an impulse moves the particles by wᵢ/mᵢ, and w above is Σ wᵢ²/mᵢ.

use super::stop::Iterative;
use super::{Minimiser, Solve, Stop};
use crate::energy::{Objective, Sweep, Visit, length, project, unit};
use crate::math::{expm1, log1p};
use crate::{Error, Model, Spring, SpringKind};
use glam::DVec3;

pub(super) struct Pbd {
    stop: Stop,
    compliant: bool,
    sweep: Sweep,
    /// Of each link \[kg·m\].
    impulses: Vec<DVec3>,
    gradient: Vec<DVec3>,
}

impl Pbd {
    pub fn new(stop: Stop, compliant: bool) -> Self {
        Pbd { stop, compliant, sweep: Sweep::default(), impulses: Vec::new(), gradient: Vec::new() }
    }

    fn pass(&mut self, model: &Model, objective: &Objective, x: &mut [DVec3]) {
        let h2 = objective.h * objective.h;
        let compliance = |s: &Spring| 1.0 / (s.stiffness * h2);
        let n = self.stop.iterations as f64;
        let compliant = |visit: Visit| {
            let Visit { spring, p, weight, impulse, fallback } = visit;
            let along =
                |p| fallback.map_or_else(|| objective.unit(model, spring, p), |other| unit(p, || other));
            let (own, stiff) = (p + weight * impulse, 1.0 / (weight + compliance(spring)));
            if spring.rest_length == 0.0 {
                return own * stiff - impulse;
            }
            let (r, extension_only) = (spring.rest_length, spring.kind == SpringKind::ExtensionOnly);
            if extension_only || (own.dot(p) > 0.0 && length(own) >= r) {
                let n = along(own);
                return n * ((length(own) - r) * stiff).max(0.0) - impulse;
            }
            let n = along(p);
            n * ((n.dot(own) - r) * stiff - n.dot(impulse))
        };
        let fixed = |visit: Visit| {
            // 1 − k = α/(w + α); its logarithm keeps the digits of a k near 0 or 1.
            let left = -log1p(visit.weight / compliance(visit.spring)) / n;
            let (spring, p) = (visit.spring, visit.p);
            let missing = p - match visit.fallback {
                Some(other) => project(spring, p, || other),
                None => objective.project(model, spring, p),
            };
            missing * (-expm1(left) / visit.weight)
        };
        let springs = objective.springs(model);
        match self.compliant {
            true => {
                self.sweep.pass(springs, x, false, compliant);
                objective.visit_links(model, self.sweep.inverse_masses(), &mut self.impulses, x, &compliant);
            }
            false => {
                self.sweep.pass(springs, x, false, fixed);
                objective.visit_links(model, self.sweep.inverse_masses(), &mut self.impulses, x, &fixed);
            }
        };
    }
}

/// Stiffness is corrected for a number of iterations, so that number must be known.
pub(super) fn validate(stop: &Stop) -> Result<(), Error> {
    stop.validate()?;
    let fixed = "pbd corrects the stiffness for a fixed number of iterations: give iterations alone";
    if stop.tolerance > 0.0 {
        return Err(Error::setting("tolerance", stop.tolerance, fixed));
    }
    stop.budget.map_or(Ok(()), |b| Err(Error::setting("budget", b, fixed)))
}

impl Iterative for Pbd {
    fn iterate(&mut self, model: &Model, objective: &mut Objective, x: &mut Vec<DVec3>) {
        self.pass(model, objective, x);
    }

    fn residual(&mut self, model: &Model, objective: &mut Objective, x: &[DVec3]) -> f64 {
        objective.gradient(model, x, &mut self.gradient);
        objective.residual(model, &self.gradient)
    }
}

impl Minimiser for Pbd {
    fn prepare(&mut self, model: &Model, objective: &Objective) -> Result<(), Error> {
        self.sweep =
            Sweep::new(objective.springs(model), &model.masses, &objective.rows, true, |s| s.stiffness > 0.0);
        self.gradient = vec![DVec3::ZERO; objective.rows.len()];
        self.impulses = vec![DVec3::ZERO; model.links.len()];
        Ok(())
    }

    fn minimise(&mut self, model: &Model, objective: &mut Objective, x: &mut Vec<DVec3>) -> Solve {
        x.copy_from_slice(&objective.target);
        self.sweep.reset();
        self.impulses.fill(DVec3::ZERO);
        self.repeat(self.stop, model, objective, x)
    }
}
