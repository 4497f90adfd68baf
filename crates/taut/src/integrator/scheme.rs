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
//! v is the velocity after damping. The first step of BDF2 is implicit Euler over 2h/3, its acceleration carried on to h:
//! that costs one step of first order in v, so O(h²) in all, and needs no second factorization (plain implicit
//! Euler would). A particle that something else has moved since the last step (a solid, a strain limit, the user) is
//! taken to have come with the velocity it has: q₋ = q − hv, v₋ = v. v₋ is damped in its own step and again in this
//! one; otherwise BDF2 would damp twice as fast as asked.
//!
//! External forces are those at the start of the step for every scheme: of first order where they change (wind).

use crate::{Filter, State};
use glam::DVec3;

/// How the motion is followed in time by the methods that minimise g.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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

    /// Its word.
    pub fn name(self) -> &'static str {
        Scheme::NAMES.iter().find(|(_, scheme)| *scheme == self).expect("every scheme is listed").0
    }

    /// The step h_e in g for a step of `h` \[s\].
    pub fn effective_step(self, h: f64) -> f64 {
        match self {
            Scheme::ImplicitEuler => h,
            Scheme::Bdf2 => 2.0 * h / 3.0,
            Scheme::Midpoint => 0.5 * h,
        }
    }
}

/// A scheme with what it remembers of earlier steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Timeline {
    scheme: Scheme,
    /// ṽ of this step, filled by the caller before [`Timeline::inertia`].
    pub v: Vec<DVec3>,
    /// Where the last step began, its damped velocity, and what it left behind; BDF2 only.
    past: Option<Past>,
    started: bool,
    /// Positions and velocities at the end of the step, until they are committed.
    next: (Vec<DVec3>, Vec<DVec3>),
}

#[derive(Debug, Clone)]
struct Past {
    q: Vec<DVec3>,
    v: Vec<DVec3>,
    left: (Vec<DVec3>, Vec<DVec3>),
    /// q₋ and v₋ of this step.
    seen: (Vec<DVec3>, Vec<DVec3>),
}

impl Timeline {
    pub fn new(scheme: Scheme, particles: usize) -> Self {
        let zeros = || vec![DVec3::ZERO; particles];
        let past = || Past { q: zeros(), v: zeros(), left: (zeros(), zeros()), seen: (zeros(), zeros()) };
        let past = (scheme == Scheme::Bdf2).then(past);
        Timeline { scheme, v: zeros(), past, started: false, next: (zeros(), zeros()) }
    }

    /// What this step shall take for v₋, to be damped like v; `None` if the scheme does not look back.
    pub fn look_back(&mut self) -> Option<&mut [DVec3]> {
        let past = self.past.as_mut().filter(|_| self.started)?;
        past.seen.1.copy_from_slice(&past.v);
        Some(&mut past.seen.1)
    }

    /// Write y.
    pub fn inertia(&mut self, state: &State, h: f64, y: &mut [DVec3]) {
        let Timeline { scheme, v, past, started, .. } = self;
        let Some(past) = past.as_mut().filter(|_| *started) else {
            let h = scheme.effective_step(h);
            let moving = state.positions.iter().zip(&*v);
            return y.iter_mut().zip(moving).for_each(|(y, (&q, &v))| *y = q + h * v);
        };
        for (i, y) in y.iter_mut().enumerate() {
            let (q, v) = (state.positions[i], v[i]);
            let untouched = q == past.left.0[i] && state.velocities[i] == past.left.1[i];
            past.seen.0[i] = if untouched { past.q[i] } else { q - h * v };
            if !untouched {
                past.seen.1[i] = v;
            }
            *y = q + (q - past.seen.0[i]) / 3.0 + (2.0 * h / 9.0) * (4.0 * v - past.seen.1[i]);
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
        match (self.scheme, &self.past) {
            (Scheme::Midpoint, _) => (x + (x - q), 4.0 * (x - q) * per_h - v),
            (_, Some(past)) if self.started => (x, (3.0 * (x - q) - (q - past.seen.0[i])) * (0.5 * per_h)),
            (_, Some(_)) => {
                let u = (x - q) / self.scheme.effective_step(h);
                (q + h * (0.25 * v + 0.75 * u), v + 1.5 * (u - v))
            }
            (_, None) => (x, (x - q) * per_h),
        }
    }

    /// Move the state to the end that was found, and remember it.
    pub fn commit(&mut self, state: &mut State) {
        if let Some(past) = &mut self.past {
            past.q.copy_from_slice(&state.positions);
            past.v.copy_from_slice(&self.v);
        }
        std::mem::swap(&mut state.positions, &mut self.next.0);
        std::mem::swap(&mut state.velocities, &mut self.next.1);
        if let Some(past) = &mut self.past {
            past.left.0.copy_from_slice(&state.positions);
            past.left.1.copy_from_slice(&state.velocities);
            self.started = true;
        }
    }
}
