//! Explicit Euler steps: forces where the particles are, no system to solve (\[Demo\], Provot 1995).
//!
//! ```text
//! v⁺ = ṽ + h (M⁻¹ f(q_n) − c ṽ)        symplectic: x = q_n + h v⁺        forward: x = q_n + h ṽ
//! ```
//!
//! Symplectic Euler is \[BA04\] eq. (3) and what \[Demo\] calls Euler's method: stable for h²ω² + 2hc < 4. The forward
//! order grows by √(1 + h²ω²) per step unless drag eats that. [`doctor`](crate::doctor) has the limits. ṽ is
//! the velocity after the dampers that act per step; drag c is a force here.
//!
//! Past its limit a run explodes long before numbers overflow; a spring a hundred times its length ends it (`lost`).

use super::{Contacts, Ended, Integrator, Solve, refuse_partial};
use crate::damping::{Damper, Damping};
use crate::energy::{Objective, Rate};
use crate::forces::External;
use crate::linear::Components;
use crate::{Error, Filter, Model, State, words};
use glam::DVec3;

/// The order in which an explicit step moves velocities and positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub enum Explicit {
    /// Velocities first, then positions with the new velocities.
    SymplecticEuler,
    /// Positions with the old velocities.
    ForwardEuler,
}

impl Explicit {
    /// Both orders with their words.
    pub const NAMES: [(&'static str, Explicit); 2] =
        [("symplectic_euler", Explicit::SymplecticEuler), ("forward_euler", Explicit::ForwardEuler)];
}

words::choice!(Explicit, "name", "explicit methods are");

pub(super) struct Euler {
    order: Explicit,
    damping: Damping,
    damper: Damper,
    components: Components,
    external: External,
    // For its springs and rows: g itself is not used.
    objective: Objective,
    v: Vec<DVec3>,
    force: Vec<DVec3>,
    gradient: Vec<DVec3>,
}

impl Euler {
    pub(super) fn new(order: Explicit, damping: Damping) -> Self {
        Euler {
            order,
            damping,
            damper: Damper::default(),
            components: Components::default(),
            external: External::default(),
            objective: Objective::default(),
            v: Vec::new(),
            force: Vec::new(),
            gradient: Vec::new(),
        }
    }
}

impl Integrator for Euler {
    fn prepare(&mut self, model: &Model, state: &State, _h: f64) -> Result<(), Error> {
        refuse_partial(state)?;
        self.objective = Objective::new(model, state, 1.0);
        let springs = model.springs.iter().map(|s| s.ends);
        self.components = Components::new(model.particles(), springs.chain(model.bonds()));
        let per_step = Damping { drag: 0.0, ..self.damping };
        self.damper = Damper::new(per_step, model, &self.objective.rows, &self.components);
        self.external = External::new(model);
        self.v = vec![DVec3::ZERO; model.particles()];
        self.force = self.v.clone();
        self.gradient = vec![DVec3::ZERO; self.objective.rows.len()];
        Ok(())
    }

    fn step(&mut self, model: &Model, state: &mut State, _: Contacts, h: f64) -> Result<Solve, Error> {
        let Euler { order, damping, damper, components, external, objective, v, force, gradient } = self;
        v.copy_from_slice(&state.velocities);
        damper.damp(model, state, &objective.rows, components, h, v);
        external.write(model, state, h, force);
        objective.start.copy_from_slice(&state.positions);
        // At x = ŷ and with h = 1 s the gradient is minus the force of springs and other elements.
        objective.target.copy_from_slice(&state.positions);
        objective.aim(model, state.time, Rate::Euler);
        objective.gradient(model, &state.positions, gradient);
        for (&i, g) in objective.rows.particles.iter().zip(&*gradient) {
            force[i as usize] -= *g;
        }
        let bad = |quantity, particle| Err(Error::NonFinite { quantity, particle, time: state.time });
        if let Some(i) = force.iter().position(|f| !f.is_finite()) {
            return bad("force", i);
        }
        // `force` becomes the new position, `v` the new velocity.
        for (i, filter) in state.filters.iter().enumerate() {
            let q = state.positions[i];
            let old = v[i];
            (force[i], v[i]) = match (filter, *order) {
                (Filter::Pinned(z), _) => (*z, (*z - q) / h),
                (_, order) => {
                    let new = old + h * (force[i] / model.masses[i] - damping.drag * old);
                    let carried = if order == Explicit::SymplecticEuler { new } else { old };
                    (q + h * carried, new)
                }
            };
            if !v[i].is_finite() {
                return bad("velocity", i);
            }
            if !force[i].is_finite() {
                return bad("position", i);
            }
        }
        state.positions.copy_from_slice(force);
        state.velocities.copy_from_slice(v);
        Ok(Solve { ended: Ended::Iterations, iterations: 1, ..Solve::default() })
    }
}
