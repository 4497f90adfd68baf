//! Time schemes in optimisation form: each turns a step of length h into the minimum of
//! `g(x) = ½‖x − y‖²_M + h_e² E(x)` at one *stage* x, so that every minimiser serves every scheme.
//!
//! | scheme | y | h_e | end of the step |
//! |---|---|---|---|
//! | implicit Euler | q + h v | h | q⁺ = x, v⁺ = (x − q)/h |
//! | implicit midpoint | q + h v/2 | h/2 | q⁺ = 2x − q, v⁺ = 4(x − q)/h − v |
//! | BDF2 | (4q − q₋)/3 + (2h/9)(4v − v₋) | 2h/3 | q⁺ = x, v⁺ = (3x − 4q + q₋)/(2h) |
//! | BDF2, first step | q + (2h/3) v | 2h/3 | q⁺ = q + h(v + 3u)/4, v⁺ = v + 3(u − v)/2, u = (x − q)/h_e |
//!
//! The rate of stretch of a spring, which material damping resists, is `(l(x) − l*)/h_e`: see `energy/term`.
//!
//! v is the velocity after damping. The first step of BDF2 is implicit Euler over 2h/3, its acceleration carried on to h:
//! that costs one step of first order in v, so O(h²) in all, and needs no second factorization (plain implicit
//! Euler would). Where something else (a solid, a strain limit, the user) has changed a particle's q and v since the last
//! step, by Δq and Δv, it is taken to have had Δv before that step already: q₋ + Δq − hΔv and v₋ + Δv stand for q₋ and
//! v₋. So the change itself is no acceleration, and what forces did in that step is still one: with v₋ = v a particle
//! that a solid touches in every step would feel only two thirds of its weight. v₋ is damped in its own step and again in
//! this one; otherwise BDF2 would damp twice as fast as asked.
//!
//! External forces are those at the start of the step for every scheme: of first order where they change (wind).

use super::past::{self, Past};
use crate::energy::Rate;
use crate::{Filter, State, words};
use glam::DVec3;

/// How the motion is followed in time by the methods that minimise g.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub enum Scheme {
    /// First order, stable at any step, takes energy out.
    #[default]
    ImplicitEuler,
    /// Second order, stable at any step on linear springs, takes much less energy out.
    Bdf2,
    /// Second order, takes no energy out: exact for springs without rest length, unstable at long steps for others.
    Midpoint,
}

impl Scheme {
    /// Every scheme with its word.
    pub const NAMES: [(&'static str, Scheme); 3] =
        [("implicit_euler", Scheme::ImplicitEuler), ("bdf2", Scheme::Bdf2), ("midpoint", Scheme::Midpoint)];

    /// The step h_e in g for a step of `h` \[s\].
    pub fn effective_step(self, h: f64) -> f64 {
        match self {
            Scheme::ImplicitEuler => h,
            Scheme::Bdf2 => 2.0 * h / 3.0,
            Scheme::Midpoint => 0.5 * h,
        }
    }
}

words::choice!(Scheme, "scheme", "time schemes are");

/// A scheme on its way through one step. What it remembers of the step before is in the State ([`Past`]).
#[derive(Debug, Clone, Default)]
pub(super) struct Timeline {
    scheme: Scheme,
    /// ṽ of this step, filled by the caller before [`Timeline::inertia`].
    pub v: Vec<DVec3>,
    /// q₋ and v₋ of this step; BDF2 only.
    before: Option<(Vec<DVec3>, Vec<DVec3>)>,
    /// Whether there is a step to look back at.
    started: bool,
    /// Positions and velocities at the end of the step, until they are committed.
    next: (Vec<DVec3>, Vec<DVec3>),
}

impl Timeline {
    pub fn new(scheme: Scheme, particles: usize) -> Self {
        let zeros = || vec![DVec3::ZERO; particles];
        let before = (scheme == Scheme::Bdf2).then(|| (zeros(), zeros()));
        Timeline { scheme, v: zeros(), before, started: false, next: (zeros(), zeros()) }
    }

    /// Begin a step: make room in the State's memory, and see whether there is a step to look back at.
    pub fn begin(&mut self, state: &mut State, h: f64) {
        if self.before.is_some() {
            state.memory.integrator.shape(past::VECTORS, state.positions.len(), past::COUNTERS);
        }
        self.started = self.before.is_some() && Past::of(state, h).is_some();
    }

    /// What this step shall take for v₋, to be damped like v; `None` if the scheme does not look back.
    pub fn look_back(&mut self, state: &State, h: f64) -> Option<&mut [DVec3]> {
        let (_, v) = self.before.as_mut().filter(|_| self.started)?;
        let past = Past::of(state, h)?;
        v.iter_mut().enumerate().for_each(|(i, v)| *v = past.v[i] + past.changes(state, i).1);
        Some(v)
    }

    /// Write y.
    pub fn inertia(&mut self, state: &State, h: f64, y: &mut [DVec3]) {
        let Timeline { scheme, v, before, started, .. } = self;
        let looking = before.as_mut().filter(|_| *started).zip(Past::of(state, h));
        let Some(((before_q, before_v), past)) = looking else {
            let h = scheme.effective_step(h);
            let moving = state.positions.iter().zip(&*v);
            return y.iter_mut().zip(moving).for_each(|(y, (&q, &v))| *y = q + h * v);
        };
        for (i, y) in y.iter_mut().enumerate() {
            let (q, v) = (state.positions[i], v[i]);
            let (moved, pushed) = past.changes(state, i);
            before_q[i] = past.q[i] + moved - h * pushed;
            *y = q + (q - before_q[i]) / 3.0 + (2.0 * h / 9.0) * (4.0 * v - before_v[i]);
        }
    }

    /// How it counts rates of stretch. Only after [`Timeline::inertia`].
    pub fn rate(&self) -> Rate<'_> {
        match (self.scheme, &self.before) {
            (Scheme::Midpoint, _) => Rate::Midpoint,
            (_, Some((q, _))) if self.started => Rate::Bdf2(q),
            _ => Rate::Euler,
        }
    }

    /// Where a pin stands at the stage of the step that ends at `z`.
    pub fn pin(&self, q: DVec3, z: DVec3) -> DVec3 {
        match (self.scheme, self.started) {
            (Scheme::Midpoint, _) => 0.5 * (q + z),
            (Scheme::Bdf2, false) => q + (2.0 / 3.0) * (z - q),
            _ => z,
        }
    }

    /// Find the end of the step from its stage x. Returns the first particle that is lost there.
    pub fn end(&mut self, state: &State, h: f64, x: &[DVec3]) -> Option<usize> {
        let (mut next, mut sum) = (std::mem::take(&mut self.next), DVec3::ZERO);
        for (i, (q, v)) in next.0.iter_mut().zip(&mut next.1).enumerate() {
            (*q, *v) = self.end_of(state, h, i, x[i]);
            // What is not finite makes this not a number.
            sum += 0.0 * *q + 0.0 * *v;
        }
        let lost = || next.0.iter().zip(&next.1).position(|(q, v)| !(q.is_finite() && v.is_finite()));
        let lost = if sum == DVec3::ZERO { None } else { lost() };
        self.next = next;
        lost
    }

    /// Position and velocity of particle `i` at the end of the step, from its stage x.
    #[inline]
    fn end_of(&self, state: &State, h: f64, i: usize, x: DVec3) -> (DVec3, DVec3) {
        // One division for all particles.
        let (q, v, per_h) = (state.positions[i], self.v[i], 1.0 / h);
        if let Filter::Pinned(z) = state.filters[i] {
            return (z, (z - q) / h);
        }
        match (self.scheme, &self.before) {
            (Scheme::Midpoint, _) => (x + (x - q), 4.0 * (x - q) * per_h - v),
            (_, Some(before)) if self.started => (x, (3.0 * (x - q) - (q - before.0[i])) * (0.5 * per_h)),
            (_, Some(_)) => {
                let u = (x - q) / self.scheme.effective_step(h);
                (q + h * (0.25 * v + 0.75 * u), v + 1.5 * (u - v))
            }
            (_, None) => (x, (x - q) * per_h),
        }
    }

    /// Move the state to the end that was found, and let it remember the step.
    pub fn commit(&mut self, state: &mut State, h: f64) {
        if self.before.is_some() {
            let State { positions, memory, .. } = &mut *state;
            let left = (&self.next.0[..], &self.next.1[..]);
            past::remember(&mut memory.integrator, h, positions, &self.v, left);
        }
        std::mem::swap(&mut state.positions, &mut self.next.0);
        std::mem::swap(&mut state.velocities, &mut self.next.1);
    }
}
