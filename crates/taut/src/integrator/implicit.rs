//! The step every implicit method shares, in optimisation form (\[Liu13\] §3; here as implicit Euler, other time
//! schemes in `scheme`):
//!
//! ```text
//! ṽ = damp(v_n)      y = q_n + h ṽ      ŷ = y + h² M⁻¹ f_ext      x ≈ argmin g      v = (x − q_n)/h
//! ```
//!
//! A component without pins obeys `Σ m (x − ŷ) = 0` at the minimum and after every exact solve with `M + h²L`
//! (the rows of L sum to zero). Rounding breaks that by ε‖h²L‖/m, which for stiff springs is a drift one can
//! see, so the mean is restored after each step: the law of momentum holds at any iteration count. It is put right
//! before the step too. No method can tell (forces do not change when a component moves as a whole, and every
//! matrix used here carries such a motion to M times itself), but what is left to solve for is deformation only:
//! a body in free fall has nothing to solve, where a stiff Newton system would have lost 1e-11 of the fall.

use super::scheme::{Scheme, Timeline};
use super::{Integrator, Minimiser, Solve, refuse_partial};
use crate::damping::{Damper, Damping};
use crate::energy::{Objective, Rows};
use crate::forces::External;
use crate::linear::{Components, Precision};
use crate::state::Contact;
use crate::{Error, Filter, Model, State};
use glam::DVec3;

/// An implicit scheme with some way of minimising g.
pub(crate) struct Implicit<M> {
    minimiser: M,
    damping: Damping,
    scheme: Scheme,
    precision: Precision,
    predictor: Predictor,
    objective: Objective,
    momentum: Momentum,
    x: Vec<DVec3>,
    gradient: Vec<DVec3>,
}

impl<M: Minimiser> Implicit<M> {
    pub(crate) fn new(minimiser: M, damping: Damping, scheme: Scheme, precision: Precision) -> Self {
        Implicit {
            minimiser,
            damping,
            scheme,
            precision,
            predictor: Predictor::default(),
            objective: Objective::default(),
            momentum: Momentum::default(),
            x: Vec::new(),
            gradient: Vec::new(),
        }
    }
}

impl<M: Minimiser> Integrator for Implicit<M> {
    fn prepare(&mut self, model: &Model, state: &State, h: f64) -> Result<(), Error> {
        refuse_partial(state)?;
        self.objective = Objective::new(model, state, self.scheme.effective_step(h));
        self.objective.precision = self.precision;
        self.predictor = Predictor::new(self.damping, self.scheme, model, &self.objective);
        self.momentum = Momentum::new(&self.predictor.components, state);
        self.x = vec![DVec3::ZERO; model.particles()];
        self.gradient = vec![DVec3::ZERO; self.objective.rows.len()];
        self.minimiser.prepare(model, &self.objective)
    }

    fn step(&mut self, model: &Model, state: &mut State, _: &mut [Contact], h: f64) -> Result<Solve, Error> {
        let Implicit { minimiser, predictor, objective, momentum, x, gradient, .. } = self;
        predictor.timeline.begin(state);
        predictor.predict(model, state, h, objective);
        // Here the particle with the impossible force is known; after a solve all its neighbours have it too.
        if let Some(particle) = objective.target.iter().position(|p| !p.is_finite()) {
            return Err(Error::NonFinite { quantity: "force", particle, time: state.time });
        }
        x.copy_from_slice(if minimiser.starts_at_rest() { &state.positions } else { &objective.inertia });
        predictor.place_pins(state, x);
        momentum.restore(model, &predictor.components, &objective.target, x);
        let mut solve = minimiser.minimise(model, objective, x);
        let moved = momentum.restore(model, &predictor.components, &objective.target, x);
        solve.residual = match minimiser.gradient() {
            Some(known) if !moved => objective.residual(model, known),
            _ => {
                objective.gradient(model, x, gradient);
                objective.residual(model, gradient)
            }
        };
        if let Some(particle) = predictor.timeline.end(state, h, x) {
            // A pin moved by 1e307 m is finite; its velocity is not.
            let lost = x.iter().position(|p| !p.is_finite()).map(|i| ("position", i));
            let (quantity, particle) = lost.unwrap_or(("velocity", particle));
            return Err(Error::NonFinite { quantity, particle, time: state.time });
        }
        predictor.timeline.commit(state);
        Ok(solve)
    }

    fn solved(&mut self) -> Option<(&mut Objective, &[DVec3])> {
        Some((&mut self.objective, &self.x))
    }
}

/// Everything that shapes g before it is minimised.
#[derive(Default)]
pub(super) struct Predictor {
    damper: Damper,
    external: External,
    components: Components,
    timeline: Timeline,
    /// Particles without a row.
    pinned: Vec<usize>,
}

impl Predictor {
    pub(super) fn new(damping: Damping, scheme: Scheme, model: &Model, objective: &Objective) -> Self {
        let springs = model.springs.iter().filter(|s| s.stiffness > 0.0);
        let components = Components::new(model.particles(), springs.map(|s| s.ends));
        Predictor {
            damper: Damper::new(damping, model, &objective.rows, &components),
            external: External::new(model),
            components,
            timeline: Timeline::new(scheme, model.particles()),
            pinned: (0..model.particles()).filter(|&i| objective.rows.of[i] == Rows::NONE).collect(),
        }
    }

    /// Fill in the objective of the coming step: start, inertia y and target ŷ.
    pub(super) fn predict(&mut self, model: &Model, state: &State, h: f64, objective: &mut Objective) {
        let Objective { start, inertia, target, rows, h: step, .. } = objective;
        let Predictor { damper, external, components, timeline, .. } = self;
        start.copy_from_slice(&state.positions);
        timeline.v.copy_from_slice(&state.velocities);
        damper.damp(model, state, rows, components, h, &mut timeline.v);
        if let Some(earlier) = timeline.look_back(state) {
            damper.damp(model, state, rows, components, h, earlier);
        }
        timeline.inertia(state, h, inertia);
        // `target` first holds f_ext, then ŷ.
        external.write(model, state, h, target);
        for i in 0..model.particles() {
            target[i] = inertia[i] + (*step * *step / model.masses[i]) * target[i];
        }
        self.place_pins(state, &mut objective.inertia);
        self.place_pins(state, &mut objective.target);
    }

    /// Pinned particles sit exactly where their pins are at the stage.
    fn place_pins(&self, state: &State, x: &mut [DVec3]) {
        for &i in &self.pinned {
            if let Filter::Pinned(z) = state.filters[i] {
                x[i] = self.timeline.pin(state.positions[i], z);
            }
        }
    }
}

/// Sums over each component, and which components have no pin.
#[derive(Default)]
pub(super) struct Momentum {
    free: Vec<bool>,
    sums: Vec<(f64, DVec3)>,
}

impl Momentum {
    pub(super) fn new(components: &Components, state: &State) -> Self {
        let (free, sums) = (vec![true; components.count], vec![(0.0, DVec3::ZERO); components.count]);
        let mut momentum = Momentum { free, sums };
        momentum.update(components, &state.filters);
        momentum
    }

    /// Look again which components nothing holds.
    pub(super) fn update(&mut self, components: &Components, filters: &[Filter]) {
        self.free.fill(true);
        for (filter, &c) in filters.iter().zip(&components.of) {
            self.free[c as usize] &= *filter == Filter::Free;
        }
    }

    /// Shift every component without pins so that Σ m (x − ŷ) = 0. Returns whether there is one.
    pub(super) fn restore(
        &mut self,
        model: &Model,
        components: &Components,
        target: &[DVec3],
        x: &mut [DVec3],
    ) -> bool {
        if !self.free.contains(&true) {
            return false;
        }
        self.sums.fill((0.0, DVec3::ZERO));
        for (i, &c) in components.of.iter().enumerate() {
            let (mass, moment) = &mut self.sums[c as usize];
            *mass += model.masses[i];
            *moment += model.masses[i] * (x[i] - target[i]);
        }
        for (x, &c) in x.iter_mut().zip(&components.of) {
            if self.free[c as usize] {
                let (mass, moment) = self.sums[c as usize];
                *x -= moment / mass;
            }
        }
        true
    }
}
