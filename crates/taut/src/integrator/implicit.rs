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
use super::{Contacts, Integrator, Minimiser, Solve, refuse_partial};
use crate::damping::{Damper, Damping};
use crate::energy::{Near, Objective, edges};
use crate::forces::External;
use crate::linear::{Components, Precision, Sequence};
use crate::model::Change;
use crate::{Error, Filter, Model, State};
use glam::DVec3;
use std::sync::{Arc, OnceLock};

/// An implicit scheme with some way of minimising g.
pub(crate) struct Implicit<M> {
    minimiser: M,
    damping: Damping,
    scheme: Scheme,
    precision: Precision,
    topology: Topology,
    predictor: Predictor,
    objective: Objective,
    momentum: Momentum,
    x: Vec<DVec3>,
    gradient: Vec<DVec3>,
    /// 1/m \[1/kg\], 0 where pinned; for contacts.
    inverse: Vec<f64>,
}

impl<M: Minimiser> Implicit<M> {
    pub(crate) fn new(minimiser: M, damping: Damping, scheme: Scheme, precision: Precision) -> Self {
        Implicit {
            minimiser,
            damping,
            scheme,
            precision,
            topology: Topology::default(),
            predictor: Predictor::default(),
            objective: Objective::default(),
            momentum: Momentum::default(),
            x: Vec::new(),
            gradient: Vec::new(),
            inverse: Vec::new(),
        }
    }
}

impl<M: Minimiser> Integrator for Implicit<M> {
    fn prepare(&mut self, model: &Model, state: &State, h: f64) -> Result<(), Error> {
        refuse_partial(state)?;
        let effective = self.scheme.effective_step(h);
        let held = if self.minimiser.keeps_rows() { &state.memory.held[..] } else { &[] };
        self.objective = Objective::damped(model, state, held, effective, self.damping.material);
        self.objective.precision = self.precision;
        self.objective.sequence = self.topology.sequence(model);
        self.predictor = Predictor::new(self.damping, self.scheme, model, state, &self.objective);
        self.momentum = Momentum::new(&self.predictor.components, state);
        self.x = vec![DVec3::ZERO; model.particles()];
        self.gradient = vec![DVec3::ZERO; self.objective.rows.len()];
        self.inverse = inverse_masses(model, state).collect();
        self.minimiser.prepare(model, &self.objective)
    }

    fn follow(&mut self, model: &Model, state: &State, h: f64, change: Change) -> Result<(), Error> {
        if change != Change::Held {
            return self.prepare(model, state, h);
        }
        self.objective.rows.hold(&state.memory.held);
        self.minimiser.hold(&self.objective.rows.held);
        self.predictor.pinned = pinned(state);
        self.momentum.update(&self.predictor.components, &state.filters);
        self.inverse.clear();
        self.inverse.extend(inverse_masses(model, state));
        Ok(())
    }

    fn keeps_rows(&self) -> bool {
        self.minimiser.keeps_rows()
    }

    fn step(&mut self, model: &Model, state: &mut State, contacts: Contacts, h: f64) -> Result<Solve, Error> {
        let Implicit { minimiser, predictor, objective, momentum, x, gradient, inverse, .. } = self;
        predictor.timeline.begin(state, h);
        predictor.predict(model, state, h, objective);
        // Here the particle with the impossible force is known; after a solve all its neighbours have it too.
        if let Some(particle) = objective.target.iter().position(|p| !p.is_finite()) {
            return Err(Error::NonFinite { quantity: "force", particle, time: state.time });
        }
        x.copy_from_slice(if minimiser.starts_at_rest() { &state.positions } else { &objective.inertia });
        predictor.place_pins(state, x);
        momentum.restore(model, &predictor.components, &objective.target, x);
        let mut near = contacts.near;
        if let Some(near) = &mut near {
            objective.contacts.begin(near, inverse, &objective.start, &objective.target);
        }
        let mut solve = minimiser.minimise(model, objective, x);
        if let Some(near) = &mut near {
            objective.contacts.end(near, &objective.start, x);
            momentum.leave(&predictor.components, near);
        }
        let moved = momentum.restore(model, &predictor.components, &objective.target, x);
        if near.is_some() {
            momentum.update(&predictor.components, &state.filters);
        }
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
        predictor.timeline.commit(state, h);
        Ok(solve)
    }

    fn meets(&self) -> bool {
        // At the midpoint of a step a contact is not yet where it will be. And BDF2 takes what stops a particle at once for
        // half as much again: it would leave with half the speed it came with.
        self.minimiser.meets() && self.scheme == Scheme::ImplicitEuler
    }

    fn order(&self) -> Option<&Sequence> {
        self.topology.sequence.get()
    }

    fn adopt(&mut self, model: &Model, order: Sequence) {
        self.topology.sequence(model);
        self.topology.sequence = Arc::new(order.into());
    }

    fn solved(&mut self) -> Option<(&mut Objective, &[DVec3])> {
        Some((&mut self.objective, &self.x))
    }
}

/// 1/m \[1/kg\], 0 where pinned.
fn inverse_masses(model: &Model, state: &State) -> impl Iterator<Item = f64> {
    let masses = model.masses.iter().zip(&state.filters);
    masses.map(|(m, filter)| if filter.is_pinned() { 0.0 } else { 1.0 / m })
}

/// The particles that are where they are put.
fn pinned(state: &State) -> Vec<usize> {
    (0..state.filters.len()).filter(|&i| state.filters[i].is_pinned()).collect()
}

/// The graph of all particles and elements, and the order in which its vertices are eliminated. Ordering is the longest
/// part of a preparation, and depends on nothing else: so the order stays while pins, stiffnesses and h change.
#[derive(Default)]
struct Topology {
    particles: usize,
    /// Pairs that meet in an element.
    edges: Vec<[u32; 2]>,
    /// Empty until a method asks for it.
    sequence: Arc<OnceLock<Sequence>>,
}

impl Topology {
    /// The order of the graph of a model: the one at hand if the graph is still the same.
    fn sequence(&mut self, model: &Model) -> Arc<OnceLock<Sequence>> {
        let (particles, edges) = (model.particles(), edges(model));
        if self.particles != particles || edges != self.edges {
            *self = Topology { particles, edges, sequence: Arc::default() };
        }
        self.sequence.clone()
    }
}

/// Everything that shapes g before it is minimised.
#[derive(Default)]
pub(super) struct Predictor {
    damper: Damper,
    external: External,
    components: Components,
    timeline: Timeline,
    /// Particles that are where they are put, with a row or without.
    pinned: Vec<usize>,
}

impl Predictor {
    pub(super) fn new(
        damping: Damping,
        scheme: Scheme,
        model: &Model,
        state: &State,
        objective: &Objective,
    ) -> Self {
        let springs = model.springs.iter().filter(|s| s.stiffness > 0.0);
        let components = Components::new(model.particles(), springs.map(|s| s.ends).chain(model.bonds()));
        Predictor {
            // The dampers of springs are in g.
            damper: Damper::new(Damping { material: 0.0, ..damping }, model, &objective.rows, &components),
            external: External::new(model),
            components,
            timeline: Timeline::new(scheme, model.particles()),
            pinned: pinned(state),
        }
    }

    /// Fill in the objective of the coming step: start, inertia y, target ŷ and dampers.
    pub(super) fn predict(&mut self, model: &Model, state: &State, h: f64, objective: &mut Objective) {
        let Objective { start, inertia, target, rows, h: step, .. } = objective;
        let Predictor { damper, external, components, timeline, .. } = self;
        start.copy_from_slice(&state.positions);
        timeline.v.copy_from_slice(&state.velocities);
        damper.damp(model, state, rows, components, h, &mut timeline.v);
        if let Some(earlier) = timeline.look_back(state, h) {
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
        objective.aim(model, state.time + h, self.timeline.rate());
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

    /// Leave components that press against something as they are: their momentum changes.
    pub(super) fn leave(&mut self, components: &Components, near: &[Near]) {
        for near in near.iter().filter(|near| near.presses()) {
            near.particles.iter().for_each(|&i| self.free[components.of[i as usize] as usize] = false);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spring;
    use crate::integrator::Stop;
    use crate::integrator::local_global::LocalGlobal;
    use crate::integrator::pbd::Pbd;

    fn chain(links: u32) -> Model {
        let rest: Vec<DVec3> = (0..=links).map(|i| DVec3::X * f64::from(i)).collect();
        let springs = (0..links).map(|i| Spring::new(i, i + 1, 1.0, 1.0)).collect();
        Model { masses: vec![1.0; rest.len()], rest, springs, ..Model::default() }
    }

    fn implicit<M: Minimiser>(minimiser: M) -> Implicit<M> {
        Implicit::new(minimiser, Damping::default(), Scheme::default(), Precision::default())
    }

    #[test]
    fn the_order_is_kept_while_the_graph_is() {
        let mut model = chain(3);
        let mut topology = Topology::default();
        let first = topology.sequence(&model);
        model.springs[1].stiffness = 7.0;
        model.springs[2].rest_length = 0.5;
        assert!(Arc::ptr_eq(&topology.sequence(&model), &first));
        model.springs[2].ends = [0, 3];
        let second = topology.sequence(&model);
        assert!(!Arc::ptr_eq(&second, &first));
        model.springs.pop();
        assert!(!Arc::ptr_eq(&topology.sequence(&model), &second));
    }

    #[test]
    fn pins_do_not_order_again() {
        let model = chain(40);
        let mut state = State::at_rest(&model);
        let mut method = implicit(LocalGlobal::new(Stop::iterations(3)));
        method.prepare(&model, &state, 0.01).unwrap();
        let sequence = method.topology.sequence.clone();
        assert_eq!(sequence.get().expect("ordered").as_slice().len(), model.particles());
        for pin in [0, 8, 40] {
            state.pin(pin);
            method.prepare(&model, &state, 0.01).unwrap();
            assert!(Arc::ptr_eq(&method.objective.sequence, &sequence));
        }
    }

    #[test]
    fn methods_without_a_factor_do_not_order() {
        let model = chain(40);
        let mut method = implicit(Pbd::new(Stop::iterations(3), true));
        method.prepare(&model, &State::at_rest(&model), 0.01).unwrap();
        assert!(method.objective.sequence.get().is_none());
    }
}
