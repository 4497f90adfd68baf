//! Strain limits (Provot 1995, \[Demo\]): after a step, springs longer than (1 + τ) r are pulled together, pass after
//! pass, taking the direction of the motion to be right and its extent to be wrong.
//!
//! Both ends move, in inverse proportion to their masses (the paper's "half each" where masses are equal; weighted,
//! momentum is kept where they are not), a free end all the way if the other is pinned. Each pull lengthens other
//! springs, so passes are repeated; they need not converge, and what is left over is reported. Particles that were
//! moved get the velocity of what they did, `v = (x − q_n)/h`: with the old one, \[Demo\]'s cloth reaches thousands of
//! m/s at h = 0.1 s.
//!
//! Does not handle: limits on compression; springs without rest length.

use crate::energy::{Rows, Sweep, length};
use crate::{Error, Family, Model, Spring, State, words};
use glam::DVec3;

/// The order in which a pass visits springs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub enum Order {
    /// As the model lists them.
    #[default]
    Given,
    /// As listed, and backwards in every second pass.
    Alternating,
    /// Sorted by colour: springs of one colour share no particle, so that several threads may do them at once.
    Coloured,
}

impl Order {
    /// Every order with its word.
    pub const NAMES: [(&'static str, Order); 3] =
        [("given", Order::Given), ("alternating", Order::Alternating), ("coloured", Order::Coloured)];
}

words::choice!(Order, "order", "orders are");

/// How far springs may stretch, and what is done about those that stretch further.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct StrainLimit {
    /// Largest extension τ of stretch springs, as a fraction of the rest length (dimensionless); infinite is no limit.
    pub stretch: f64,
    /// τ of shear springs.
    pub shear: f64,
    /// τ of bend springs.
    pub bend: f64,
    /// Passes over the springs, at most; a pass that finds nothing to do is the last.
    pub passes: usize,
    /// Order within a pass.
    pub order: Order,
    /// Whether particles that were moved get the velocity (x − q_n)/h.
    pub correct_velocity: bool,
    /// No free particle is faster than this after the step [m/s], if given.
    pub speed: Option<f64>,
}

impl Default for StrainLimit {
    /// τ = 10 %, ten passes in the order given, velocities corrected but not bounded.
    fn default() -> Self {
        StrainLimit {
            stretch: 0.1,
            shear: 0.1,
            bend: 0.1,
            passes: 10,
            order: Order::Given,
            correct_velocity: true,
            speed: None,
        }
    }
}

impl StrainLimit {
    /// τ of a family.
    pub fn of(&self, family: Family) -> f64 {
        match family {
            Family::Stretch => self.stretch,
            Family::Shear => self.shear,
            Family::Bend => self.bend,
        }
    }

    /// Refuse numbers outside their range.
    pub fn validate(&self) -> Result<(), Error> {
        for (name, tau) in [("stretch", self.stretch), ("shear", self.shear), ("bend", self.bend)] {
            if tau.is_nan() || tau < 0.0 {
                let remedy = "must be zero or more: 0.1 lets springs stretch by a tenth";
                return Err(Error::setting(format!("limit.{name}"), tau, remedy));
            }
        }
        if self.passes == 0 {
            return Err(Error::setting("limit.passes", 0, "at least one is needed, for example 10"));
        }
        match self.speed {
            Some(v) if v.is_nan() || v <= 0.0 => {
                Err(Error::setting("limit.speed", v, "must be more than 0 m/s; leave it out for no bound"))
            }
            _ => Ok(()),
        }
    }
}

/// What a limit did in a step, and what it left undone.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limited {
    /// Passes taken.
    pub passes: usize,
    /// Springs still over their limit (by more than rounding).
    pub over: usize,
    /// The largest length over its limit (1 + τ) r (dimensionless); 1 or less is kept.
    pub worst: f64,
}

/// Lengths nearer to the limit than this, relatively, are at it: a pull leaves a few roundings.
const ROUNDING: f64 = 1e-12;

/// A strain limit with its work space for one model.
#[derive(Debug, Clone)]
pub(crate) struct Limiter {
    limit: StrainLimit,
    sweep: Sweep,
    moved: Vec<bool>,
}

impl Limiter {
    /// For the springs of a model and the pins of a state.
    pub fn new(limit: StrainLimit, model: &Model, state: &State) -> Self {
        let limited = |s: &Spring| s.rest_length > 0.0 && limit.of(s.family) < f64::INFINITY;
        let coloured = limit.order == Order::Coloured;
        let sweep = Sweep::new(&model.springs, &model.masses, &Rows::new(state), coloured, limited);
        Limiter { limit, sweep, moved: vec![false; model.particles()] }
    }

    /// Shorten what is too long in a state that was at `before` a step of `h` \[s\] ago.
    pub fn apply(&mut self, model: &Model, before: &[DVec3], state: &mut State, h: f64) -> Limited {
        let Limiter { limit, sweep, moved } = self;
        let longest = |s: &Spring| (1.0 + limit.of(s.family)) * s.rest_length;
        sweep.reset();
        let mut passes = 0;
        while passes < limit.passes {
            let backwards = limit.order == Order::Alternating && passes % 2 == 1;
            let pulled = sweep.pass(&model.springs, &mut state.positions, backwards, |visit| {
                let (l, most) = (length(visit.p), longest(visit.spring));
                if l <= most * (1.0 + ROUNDING) {
                    return DVec3::ZERO;
                }
                visit.p * ((1.0 - most / l) / visit.weight)
            });
            passes += 1;
            if !pulled {
                break;
            }
        }
        moved.fill(false);
        let mut limited = Limited { passes, ..Limited::default() };
        for (spring, impulse) in sweep.links(&model.springs) {
            let (a, b) = spring.ab();
            if impulse != DVec3::ZERO {
                (moved[a], moved[b]) = (true, true);
            }
            let ratio = length(state.positions[a] - state.positions[b]) / longest(spring);
            limited.over += usize::from(ratio > 1.0 + 4.0 * ROUNDING);
            limited.worst = limited.worst.max(ratio);
        }
        let State { positions, velocities, filters, .. } = state;
        for (i, v) in velocities.iter_mut().enumerate().filter(|(i, _)| !filters[*i].is_pinned()) {
            if limit.correct_velocity && moved[i] {
                *v = (positions[i] - before[i]) / h;
            }
            let speed = length(*v);
            if let Some(bound) = limit.speed.filter(|&bound| speed > bound) {
                *v *= bound / speed;
            }
        }
        limited
    }
}
