//! Material damping inside g: a spring with a damper is, for one step, a spring again.
//!
//! A damper c = βk along the spring pulls with c l̇. A time scheme writes `l̇ = (l − l*)/h`, with h its effective step
//! and l* a length known before the step. So spring and damper together pull with
//!
//! ```text
//! k (l − r) + (βk/h) (l − l*) = k′ (l − r′),      k′ = k (1 + β/h),      r′ = r + s (l* − r),      s = β/(h + β)
//! ```
//!
//! k′ is constant, so the matrix `M + h²L′` is factored once; only r′ changes from step to step. The force is central:
//! both momenta are kept, and a rigid motion feels nothing.
//!
//! Springs that can be slack have their damper beside them, as a linear spring of stiffness βk/h and rest length l*. In
//! a step at whose start they are slack, it has no stiffness.

use crate::energy::{Origin, length};
use crate::{Model, Spring, SpringKind};
use glam::DVec3;

/// k′ and r′ of a spring (k, r) for β/h = `ratio` and l*.
#[inline]
pub(crate) fn with_damper((k, r): (f64, f64), ratio: f64, before: f64) -> (f64, f64) {
    // Written so that r′ = r exactly where l* = r.
    (k * (1.0 + ratio), r + (before - r) * (ratio / (1.0 + ratio)))
}

/// The springs of a model with their dampers.
#[derive(Debug, Default)]
pub(super) struct Damped {
    /// β/h (dimensionless).
    ratio: f64,
    /// As many as the model has, then the damper of each in `beside`; none at all without damping.
    springs: Vec<Spring>,
    /// The springs of the model that can be slack.
    beside: Vec<u32>,
}

impl Damped {
    /// For β/h = `ratio`. As stiff as they can be, at the rest lengths of the model.
    pub fn new(model: &Model, ratio: f64) -> Self {
        if ratio == 0.0 {
            return Damped::default();
        }
        let can_be_slack = |&i: &u32| model.springs[i as usize].kind != SpringKind::Linear;
        let beside: Vec<u32> = (0..model.springs.len() as u32).filter(can_be_slack).collect();
        let mut damped = Damped { ratio, springs: model.springs.clone(), beside };
        damped.springs.extend(damped.beside.iter().map(|&i| model.springs[i as usize]));
        damped.fill(model, |s| Some(s.rest_length));
        damped
    }

    /// The springs that g is made of: the model's own if nothing is damped.
    #[inline]
    pub fn springs<'a>(&'a self, model: &'a Model) -> &'a [Spring] {
        if self.springs.is_empty() { &model.springs } else { &self.springs }
    }

    /// k′/k of a spring that is not slack (dimensionless).
    pub fn stiffening(&self) -> f64 {
        1.0 + self.ratio
    }

    /// Whether there is anything to do before a step.
    pub fn is_damped(&self) -> bool {
        self.ratio > 0.0
    }

    /// Take r′ and k′ of a step.
    pub fn aim(&mut self, model: &Model, origin: &Origin) {
        self.fill(model, |s| {
            let (a, b) = s.ab();
            let p = |x: &[DVec3]| x[a] - x[b];
            let slack = s.kind != SpringKind::Linear && s.tension(length(p(origin.start))).1 == 0.0;
            // A negative r′ would make the spring stiffer across than along.
            (!slack).then(|| origin.length(p).max(0.0))
        });
    }

    /// Springs and dampers for the l* of each spring, which is `None` if the spring is slack.
    fn fill(&mut self, model: &Model, before: impl Fn(&Spring) -> Option<f64>) {
        let Damped { ratio, springs, beside } = self;
        let (own, dampers) = springs.split_at_mut(model.springs.len());
        for (own, s) in own.iter_mut().zip(&model.springs).filter(|(_, s)| s.kind == SpringKind::Linear) {
            let before = before(s).unwrap_or(s.rest_length);
            (own.stiffness, own.rest_length) = with_damper((s.stiffness, s.rest_length), *ratio, before);
        }
        for (damper, &i) in dampers.iter_mut().zip(&*beside) {
            let s = &model.springs[i as usize];
            let (stiffness, rest_length) = before(s).map_or((0.0, 0.0), |l| (*ratio * s.stiffness, l));
            *damper = Spring { kind: SpringKind::Linear, stiffness, rest_length, ..*s };
        }
    }
}
