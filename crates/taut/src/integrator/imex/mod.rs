//! Implicit–explicit steps on velocities: Baraff & Witkin 1998 and \[BA04\].
//!
//! One linearised step of backward Euler for the implicit springs, forces at the start of the step for the others,
//! in the symmetric form (eq. (5) of \[BA04\] times M; as printed it is not symmetric for unequal masses):
//!
//! ```text
//! (M − h ∂f/∂v − h² ∂f/∂x) Δv = h (f_n + h ∂f/∂x v_n),      x = q_n + h (v_n + Δv)
//! ```
//!
//! BDF2 is the same with `H = 2h/3`, `x* = (4q_n − q_{n−1})/3` and `v* = (4v_n − v_{n−1})/3` in place of h, q_n and v_n:
//! linearised about x_e, v_e,
//!
//! ```text
//! (M − H ∂f/∂v − H² ∂f/∂x) δ = M (v* − v_e) + H [f_e + ∂f/∂x (x* + H v_e − x_e)],      v = v_e + δ
//! ```
//!
//! from x_e = q_n, v_e = v_n. More than one iteration of this is Newton's method on the scheme. BDF2 needs a step
//! before; without one (at the start, after an edit or a collision) it takes a step of backward Euler.
//!
//! Explicit springs make BDF2 a scheme of first order. Not handled: cloth against cloth.

mod pull;
mod settings;
mod split;
mod system;

pub use settings::ImexSettings;
pub use split::Split;

use super::implicit::Momentum;
use super::past::{self, Past};
use super::{Contacts, Ended, Integrator, Scheme, Solve};
use crate::damping::{Damper, Damping};
use crate::energy::{Rows, length, outer};
use crate::forces::External;
use crate::linear::{Components, Projection};
use crate::state::Contact;
use crate::{Error, Filter, Model, State};
use glam::DVec3;
use pull::pull;
use split::Splitter;
use system::{Coupling, System, projection};

/// Largest change of position in a Newton iteration that counts as converged, in mean rest lengths.
const CONVERGED: f64 = 1e-12;

#[derive(Default)]
pub(crate) struct Imex {
    scheme: Scheme,
    settings: ImexSettings,
    damping: Damping,
    splitter: Splitter,
    system: System,
    damper: Damper,
    external: External,
    rows: Rows,
    components: Components,
    momentum: Momentum,
    length: f64,
    /// What each particle may do in this step: the State's filter, or that of the contact that holds it.
    filters: Vec<Filter>,
    projections: Vec<Projection>,
    /// x*, v*, and v* with what external forces add to it: where inertia and they alone would lead.
    origin: Vec<DVec3>,
    drift: Vec<DVec3>,
    target: Vec<DVec3>,
    /// x_e, v_e.
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
    /// Forces that do not change in the step: external ones and explicit springs \[N\].
    constant: Vec<DVec3>,
    right: Vec<DVec3>,
    prescribed: Vec<DVec3>,
    delta: Vec<DVec3>,
    reactions: Vec<DVec3>,
}

impl Imex {
    pub(crate) fn new(split: Split, settings: ImexSettings, damping: Damping, scheme: Scheme) -> Self {
        Imex { settings, damping, scheme, splitter: Splitter::of(split), ..Imex::default() }
    }

    /// Vectors and counters in the State's slot: the step before for BDF2, and last the change of velocity it began with.
    fn recall(&mut self, state: &mut State) {
        let (bdf2, guess) = (self.scheme == Scheme::Bdf2, self.settings.guess);
        let vectors = past::VECTORS * usize::from(bdf2) + usize::from(guess);
        let slot = &mut state.memory.integrator;
        slot.shape(vectors, self.delta.len(), past::COUNTERS * usize::from(bdf2));
        match slot.vectors.last().filter(|_| guess) {
            Some(last) => self.delta.copy_from_slice(last),
            None => self.delta.fill(DVec3::ZERO),
        }
    }

    /// Let the State remember the step from it to where this has got.
    fn remember(&mut self, state: &mut State, h: f64) {
        let State { positions, velocities, memory, .. } = state;
        if self.scheme == Scheme::Bdf2 {
            let left = (&self.positions[..], &self.velocities[..]);
            past::remember(&mut memory.integrator, h, positions, velocities, left);
        }
        if let Some(last) = memory.integrator.vectors.last_mut().filter(|_| self.settings.guess) {
            last.copy_from_slice(&self.delta);
        }
    }

    /// Filters of the step: those of the State, and of contacts of single particles, which are held from now on. What
    /// slides begins with the velocity that friction leaves it.
    fn hold(&mut self, state: &mut State, contacts: &mut [Contact]) {
        self.filters.copy_from_slice(&state.filters);
        for contact in contacts {
            let Some(i) = contact.single() else { continue };
            contact.held = true;
            self.filters[i] = contact.filter();
            if contact.slides {
                state.velocities[i] = contact.velocity;
            }
        }
    }

    /// Everything that is the same in all iterations of a step. Returns H.
    fn begin(&mut self, model: &Model, state: &State, h: f64) -> f64 {
        self.projections.iter_mut().zip(&self.filters).for_each(|(p, filter)| *p = projection(filter));
        self.momentum.update(&self.components, &self.filters);
        self.velocities.copy_from_slice(&state.velocities);
        self.damper.damp(model, state, &self.rows, &self.components, h, &mut self.velocities);
        self.positions.copy_from_slice(&state.positions);
        let past = Past::of(state, h).filter(|past| self.scheme == Scheme::Bdf2 && past.continues(state));
        let second_order = past.is_some();
        let big_h = if second_order { 2.0 * h / 3.0 } else { h };
        self.origin.copy_from_slice(&self.positions);
        self.drift.copy_from_slice(&self.velocities);
        if let Some(past) = past {
            let extrapolate = |now: &mut [DVec3], before: &[DVec3]| {
                now.iter_mut().zip(before).for_each(|(now, &before)| *now = (4.0 * *now - before) / 3.0);
            };
            extrapolate(&mut self.origin, past.q);
            extrapolate(&mut self.drift, past.v);
        }
        self.external.write(model, state, h, &mut self.constant);
        for (i, target) in self.target.iter_mut().enumerate() {
            *target = self.drift[i] + (big_h / model.masses[i]) * self.constant[i];
        }
        self.splitter.decide(model, state, &self.filters, &self.damping, h);
        for spring in self.splitter.explicit_of(&model.springs) {
            if let Some(pull) = pull(model, spring, &self.positions, &state.positions) {
                let (a, b) = spring.ab();
                let force = pull.force(&self.damping, spring, self.velocities[a] - self.velocities[b]);
                self.constant[a] -= force;
                self.constant[b] += force;
            }
        }
        big_h
    }

    /// The linear system about x_e, v_e.
    fn linearise(&mut self, model: &Model, state: &State, big_h: f64) {
        let Imex { system, splitter, positions: x, velocities: v, origin, drift, right, .. } = self;
        right.copy_from_slice(&self.constant);
        system.couplings.clear();
        for spring in splitter.implicit_of(&model.springs) {
            let Some(pull) = pull(model, spring, x, &state.positions) else { continue };
            let (a, b) = spring.ab();
            let ahead = |i: usize| (origin[i] - x[i]) + big_h * v[i];
            let jacobian = pull.jacobian();
            let force = pull.force(&self.damping, spring, v[a] - v[b]) + jacobian * (ahead(a) - ahead(b));
            right[a] -= force;
            right[b] += force;
            let damper = (big_h * self.damping.material * spring.stiffness) * outer(pull.unit);
            system.couplings.push(Coupling { ends: spring.ends, block: (big_h * big_h) * jacobian + damper });
        }
        for (i, right) in right.iter_mut().enumerate() {
            *right = model.masses[i] * (drift[i] - v[i]) + big_h * *right;
        }
        for (i, filter) in self.filters.iter().enumerate() {
            self.prescribed[i] = match *filter {
                Filter::Free => DVec3::ZERO,
                Filter::Pinned(z) | Filter::Plane { through: z, .. } | Filter::Line { through: z, .. } => {
                    (z - origin[i]) / big_h - v[i]
                }
            };
        }
        system.assemble(model, &self.projections, self.settings.decompose);
    }

    /// Solve it and move to x_e, v_e of the answer. Returns the largest change of position, in mean rest lengths.
    fn advance(&mut self, big_h: f64, solve: &mut Solve) -> f64 {
        let Imex { system, projections, right, prescribed, delta, positions, velocities, origin, .. } = self;
        for ((delta, projection), &z) in delta.iter_mut().zip(&*projections).zip(&*prescribed) {
            *delta = projection.apply(*delta) + projection.complement(z);
        }
        let effort = system.solve(&self.settings, projections, right, prescribed, delta);
        solve.linear_iterations += effort.iterations;
        solve.rows_multiplied += effort.rows;
        let mut largest: f64 = 0.0;
        for (((v, x), &delta), &origin) in velocities.iter_mut().zip(positions).zip(&*delta).zip(&*origin) {
            *v += delta;
            *x = origin + big_h * *v;
            largest = largest.max(delta.abs().max_element());
        }
        big_h * largest / self.length
    }

    /// Impulses of the constraints as forces, and the scaled residual of the linear system elsewhere.
    fn react(&mut self, model: &Model, big_h: f64) -> f64 {
        self.system.residual(model, &self.right, &self.delta, &mut self.reactions);
        let mut worst: f64 = 0.0;
        for ((reaction, projection), &m) in
            self.reactions.iter_mut().zip(&self.projections).zip(&model.masses)
        {
            worst = worst.max(length(projection.apply(*reaction)) / m);
            *reaction = projection.complement(*reaction) / big_h;
        }
        big_h * worst / self.length
    }

    /// Positions from velocities, and particles exactly where their filters want them.
    fn place(&mut self, big_h: f64) {
        for (i, filter) in self.filters.iter().enumerate() {
            let (x, v) = (&mut self.positions[i], &mut self.velocities[i]);
            *x = self.origin[i] + big_h * *v;
            match *filter {
                Filter::Free => {}
                Filter::Pinned(z) => (*x, *v) = (z, (z - self.origin[i]) / big_h),
                Filter::Plane { through, .. } | Filter::Line { through, .. } => {
                    *x -= self.projections[i].complement(*x - through);
                }
            }
        }
    }
}

impl Integrator for Imex {
    fn prepare(&mut self, model: &Model, state: &State, _: f64) -> Result<(), Error> {
        let zeros = vec![DVec3::ZERO; model.particles()];
        let springs = model.springs.iter().filter(|s| s.stiffness > 0.0);
        self.components = Components::new(model.particles(), springs.map(|s| s.ends));
        self.rows = Rows::new(state);
        self.momentum = Momentum::new(&self.components, state);
        let outside = Damping { material: 0.0, ..self.damping };
        self.damper = Damper::new(outside, model, &self.rows, &self.components);
        self.external = External::new(model);
        self.system = System::new(model);
        self.splitter.prepare(model);
        self.length = model.mean_rest_length();
        self.filters = vec![Filter::Free; model.particles()];
        self.projections = vec![Projection::Free; model.particles()];
        let vectors = [&mut self.origin, &mut self.drift, &mut self.target, &mut self.positions];
        vectors.into_iter().for_each(|v| v.clone_from(&zeros));
        let vectors = [&mut self.velocities, &mut self.constant, &mut self.right, &mut self.prescribed];
        vectors.into_iter().for_each(|v| v.clone_from(&zeros));
        [&mut self.delta, &mut self.reactions].into_iter().for_each(|v| v.clone_from(&zeros));
        Ok(())
    }

    fn holds(&self) -> bool {
        true
    }

    fn step(&mut self, model: &Model, state: &mut State, contacts: Contacts, h: f64) -> Result<Solve, Error> {
        let contacts = contacts.single;
        self.recall(state);
        self.hold(state, contacts);
        let big_h = self.begin(model, state, h);
        if let Some(particle) = self.target.iter().position(|v| !v.is_finite()) {
            return Err(Error::NonFinite { quantity: "force", particle, time: state.time });
        }
        let mut solve = Solve::default();
        while solve.iterations < self.settings.newton && solve.ended != Ended::Tolerance {
            self.linearise(model, state, big_h);
            let moved = self.advance(big_h, &mut solve);
            solve.iterations += 1;
            if solve.iterations == 1 {
                solve.components = self.system.count();
            }
            if self.settings.newton > 1 {
                let done = moved <= CONVERGED;
                solve.ended = if done { Ended::Tolerance } else { Ended::Iterations };
            }
            if solve.iterations < self.settings.newton && solve.ended != Ended::Tolerance {
                self.delta.fill(DVec3::ZERO);
            }
        }
        solve.newton_steps = solve.iterations;
        solve.explicit_springs = self.splitter.count();
        solve.residual = self.react(model, big_h);
        self.momentum.restore(model, &self.components, &self.target, &mut self.velocities);
        self.place(big_h);
        let bad = |quantity, v: &[DVec3]| {
            let particle = v.iter().position(|v| !v.is_finite())?;
            Some(Error::NonFinite { quantity, particle, time: state.time })
        };
        if let Some(error) = bad("position", &self.positions).or_else(|| bad("velocity", &self.velocities)) {
            return Err(error);
        }
        for contact in contacts.iter_mut().filter(|c| c.held) {
            contact.reaction = self.reactions[contact.particles[0] as usize];
        }
        self.remember(state, h);
        state.positions.copy_from_slice(&self.positions);
        state.velocities.copy_from_slice(&self.velocities);
        Ok(solve)
    }
}
