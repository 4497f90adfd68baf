//! Damping: what happens to the velocity before inertia carries it on, `y = q_n + h ṽ_n` (\[Liu13\] §4.1).
//!
//! * **ether** drag `ṽ = α v`: slows everything, falling included; given per second as `drag`, `ṽ = v/(1 + hc)`;
//! * **rigid**-mode-preserving drag (Müller 2007): per connected component, with v_r the rigid motion that has
//!   its momentum P and angular momentum L, `ṽ = v + k (v_r − v)`; keeps P and L;
//! * **material** damping: each spring that is not slack resists its rate of stretch with `c = β k`. Methods that
//!   minimise g have the dampers in g (`energy/springs/damped`), implicit–explicit ones in their system. Only explicit
//!   methods damp velocities with it before the step, implicitly: `(M + hD) ṽ = M v`, `D = Σ c A Aᵀ ⊗ x̂x̂ᵀ`. Solved by
//!   conjugate gradients preconditioned with M, started at v: then every iterate differs from v by internal impulses
//!   only, so P and L are kept however early it stops.
//!
//! The opposite, an energy budget, works after the step: `after/budget`.
//!
//! Pinned particles keep the velocity of their pin. A component that holds pins has its rigid motion fitted to
//! all its particles, pinned ones included.

mod material;

use crate::energy::Rows;
use crate::linear::{Components, Pcg};
use crate::rigid::RigidMotions;
use crate::{Error, Model, State};
use glam::DVec3;
use material::Material;

/// How strongly motion is damped. The default is not at all.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct Damping {
    /// Ether drag α ∈ [0, 1], the factor on velocities per step; 1 is none.
    pub ether: f64,
    /// Rigid-mode-preserving drag k ∈ [0, 1] per step; 0 is none.
    pub rigid: f64,
    /// Drag c [1/s] of air at rest: the force −c m v. An explicit method has it among its forces; the others divide
    /// velocities by 1 + hc before the step, the implicit Euler step of v̇ = −cv. 0 is none.
    pub drag: f64,
    /// Material damping β \[s\]: each spring gets the damper c = β·stiffness [kg/s], which acts while the spring is not
    /// slack; 0 is none.
    pub material: f64,
}

impl Default for Damping {
    fn default() -> Self {
        Damping { ether: 1.0, rigid: 0.0, drag: 0.0, material: 0.0 }
    }
}

impl Damping {
    /// Refuse numbers outside their range.
    pub fn validate(&self) -> Result<(), Error> {
        let unit = |name, v: f64| match (0.0..=1.0).contains(&v) {
            true => Ok(()),
            false => Err(Error::setting(name, v, "must be between 0 and 1")),
        };
        unit("damping.ether", self.ether)?;
        unit("damping.rigid", self.rigid)?;
        let positive = |name, v: f64, unit| match v >= 0.0 && v.is_finite() {
            true => Ok(()),
            false => Err(Error::setting(name, v, format!("must be zero or more [{unit}] and finite"))),
        };
        positive("damping.drag", self.drag, "1/s")?;
        positive("damping.material", self.material, "s")
    }
}

/// Work space for damping the velocities of one model.
#[derive(Debug, Clone, Default)]
pub struct Damper {
    damping: Damping,
    motions: RigidMotions,
    material: Material,
    /// 1/m by row [1/kg].
    per_mass: Vec<f64>,
    pcg: Pcg,
    impulse: Vec<DVec3>,
    change: Vec<DVec3>,
}

/// Conjugate-gradient limits of the material damper. Weak dampers converge in a few rounds, strong ones (β k h ≫ m) in
/// hundreds; without rounding as many as there are coordinates would always do.
const MATERIAL_TOLERANCE: f64 = 1e-10;
const MATERIAL_LIMIT_PER_ROW: usize = 3;

impl Damper {
    /// Room for a model with these rows and components.
    pub fn new(damping: Damping, model: &Model, rows: &Rows, components: &Components) -> Self {
        Damper {
            damping,
            motions: RigidMotions::new(components.count),
            material: if damping.material > 0.0 { Material::new(model, rows) } else { Material::default() },
            per_mass: rows.particles.iter().map(|&i| 1.0 / model.masses[i as usize]).collect(),
            pcg: Pcg::new(rows.len()),
            impulse: vec![DVec3::ZERO; rows.len()],
            change: vec![DVec3::ZERO; rows.len()],
        }
    }

    /// Damp `v` in place; `v` starts as the velocities of `state`.
    pub fn damp(
        &mut self,
        model: &Model,
        state: &State,
        rows: &Rows,
        components: &Components,
        h: f64,
        v: &mut [DVec3],
    ) {
        let damping = self.damping;
        if damping.rigid > 0.0 {
            self.rigid(damping.rigid, model, state, rows, components, v);
        }
        if damping.material > 0.0 {
            self.material(h * damping.material, model, state, rows, v);
        }
        if damping.ether != 1.0 || damping.drag != 0.0 {
            let kept = damping.ether / (1.0 + h * damping.drag);
            rows.particles.iter().for_each(|&i| v[i as usize] *= kept);
        }
    }

    fn rigid(
        &mut self,
        k: f64,
        model: &Model,
        state: &State,
        rows: &Rows,
        parts: &Components,
        v: &mut [DVec3],
    ) {
        self.motions.fit(&model.masses, &state.positions, v, parts);
        for &i in &rows.particles {
            let i = i as usize;
            let rigid = self.motions.of[parts.of[i] as usize].at(state.positions[i]);
            v[i] += k * (rigid - v[i]);
        }
    }

    fn material(&mut self, h_beta: f64, model: &Model, state: &State, rows: &Rows, v: &mut [DVec3]) {
        let Damper { material, per_mass, pcg, impulse, change, .. } = self;
        material.aim(model, state, h_beta);
        // (M + hD) (v + dv) = M v, so (M + hD) dv = −hD v; a pinned particle has no dv.
        material.multiply(model, rows, 0.0, |i| -v[i], impulse);
        let multiply = |x: &[DVec3], y: &mut [DVec3]| {
            let by_particle = |i: usize| x.get(rows.of[i] as usize).copied().unwrap_or_default();
            material.multiply(model, rows, 1.0, by_particle, y);
        };
        let precondition = |r: &[DVec3], z: &mut [DVec3]| {
            z.iter_mut().zip(r).zip(&*per_mass).for_each(|((z, &r), &per_mass)| *z = per_mass * r);
        };
        let limit = MATERIAL_LIMIT_PER_ROW * rows.len();
        pcg.solve(multiply, precondition, impulse, change, MATERIAL_TOLERANCE, limit);
        rows.add(v, 1.0, change);
    }
}
