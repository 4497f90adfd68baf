//! Damping: what happens to the velocity before inertia carries it on, `y = q_n + h ṽ_n` (\[Liu13\] §4.1).
//!
//! * **ether** drag `ṽ = α v`: slows everything, falling included; given per second as `drag`, `ṽ = v/(1 + hc)`;
//! * **rigid**-mode-preserving drag (Müller 2007): per connected component, with v_r the rigid motion that has
//!   its momentum P and angular momentum L, `ṽ = v + k (v_r − v)`; keeps P and L;
//! * **material** damping: each spring resists its own rate of stretch with `c = β k`. Implicit:
//!   `(M + hD) ṽ = M v`, `D = Σ c A Aᵀ ⊗ x̂x̂ᵀ`. Solved by conjugate gradients preconditioned with M, started at v:
//!   then every iterate differs from v by internal impulses only, so P and L are kept however early it stops.
//!
//! Pinned particles keep the velocity of their pin. A component that holds pins has its rigid motion fitted to
//! all its particles, pinned ones included.

use crate::energy::{Rows, length};
use crate::linear::{Components, Pcg};
use crate::{Error, Model, State};
use glam::{DMat3, DVec3};

/// How strongly motion is damped. The default is not at all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Damping {
    /// Ether drag α ∈ [0, 1], the factor on velocities per step; 1 is none.
    pub ether: f64,
    /// Rigid-mode-preserving drag k ∈ [0, 1] per step; 0 is none.
    pub rigid: f64,
    /// Drag c [1/s] of air at rest: the force −c m v. An explicit method has it among its forces; the others divide
    /// velocities by 1 + hc before the step, the implicit Euler step of v̇ = −cv. 0 is none.
    pub drag: f64,
    /// Material damping β \[s\]: each spring gets the damper c = β·stiffness [kg/s]; 0 is none.
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
    groups: Vec<Rigid>,
    units: Vec<DVec3>,
    pcg: Pcg,
    impulse: Vec<DVec3>,
    change: Vec<DVec3>,
}

/// Moments of one component about its centre of mass.
#[derive(Debug, Clone, Copy, Default)]
struct Rigid {
    mass: f64,
    centre: DVec3,
    velocity: DVec3,
    impulse: DVec3,
    momentum: DVec3,
    inertia: DMat3,
    spin: DVec3,
}

/// Conjugate-gradient limits of the material damper: dampers of ordinary strength converge in a few rounds, and
/// stopping early only damps a little less.
const MATERIAL_TOLERANCE: f64 = 1e-10;
const MATERIAL_LIMIT: usize = 100;

impl Damper {
    /// Room for a model with so many rows and components.
    pub fn new(damping: Damping, model: &Model, rows: &Rows, components: &Components) -> Self {
        Damper {
            damping,
            groups: vec![Rigid::default(); components.count],
            units: vec![DVec3::ZERO; model.springs.len()],
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
        let (q, m) = (&state.positions, &model.masses);
        // glam's default matrix is the identity.
        self.groups.fill(Rigid { inertia: DMat3::ZERO, ..Rigid::default() });
        for (i, &c) in parts.of.iter().enumerate() {
            let g = &mut self.groups[c as usize];
            g.mass += m[i];
            g.centre += m[i] * q[i];
        }
        self.groups.iter_mut().for_each(|g| g.centre /= g.mass);
        for (i, &c) in parts.of.iter().enumerate() {
            let g = &mut self.groups[c as usize];
            let r = q[i] - g.centre;
            let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
            g.inertia += m[i] * (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer);
        }
        self.groups.iter_mut().for_each(|g| g.inertia = pseudo_inverse(&g.inertia)); // from here on I⁺
        // The second round takes up what rounding left of the first: in thin bodies ε·(length/thickness)².
        for _ in 0..2 {
            self.groups.iter_mut().for_each(|g| (g.impulse, g.momentum) = (DVec3::ZERO, DVec3::ZERO));
            for (i, &c) in parts.of.iter().enumerate() {
                let g = &mut self.groups[c as usize];
                let r = q[i] - g.centre;
                let left = m[i] * (v[i] - g.velocity - g.spin.cross(r));
                g.impulse += left;
                g.momentum += r.cross(left);
            }
            for g in &mut self.groups {
                g.velocity += g.impulse / g.mass;
                g.spin += g.inertia * g.momentum;
            }
        }
        for &i in &rows.particles {
            let i = i as usize;
            let g = &self.groups[parts.of[i] as usize];
            let rigid = g.velocity + g.spin.cross(q[i] - g.centre);
            v[i] += k * (rigid - v[i]);
        }
    }

    fn material(&mut self, h_beta: f64, model: &Model, state: &State, rows: &Rows, v: &mut [DVec3]) {
        let Damper { units, pcg, impulse, change, .. } = self;
        for (unit, s) in units.iter_mut().zip(&model.springs) {
            let p = state.positions[s.ends[0] as usize] - state.positions[s.ends[1] as usize];
            let l = length(p);
            *unit = if l > 0.0 { p / l } else { DVec3::ZERO };
        }
        // out -= h D w, for w given by particle.
        let resist = |w: &dyn Fn(usize) -> DVec3, sign: f64, out: &mut [DVec3]| {
            for (s, &unit) in model.springs.iter().zip(&*units) {
                let (a, b) = s.ab();
                let f = (sign * h_beta * s.stiffness * (w(a) - w(b)).dot(unit)) * unit;
                let [a, b] = [a, b].map(|i| rows.of[i]);
                if a != Rows::NONE {
                    out[a as usize] += f;
                }
                if b != Rows::NONE {
                    out[b as usize] -= f;
                }
            }
        };
        let by_row = |i: &u32| model.masses[*i as usize];
        impulse.fill(DVec3::ZERO);
        resist(&|i| v[i], -1.0, impulse);
        let multiply = |x: &[DVec3], y: &mut [DVec3]| {
            y.iter_mut().zip(x).zip(&rows.particles).for_each(|((y, &x), i)| *y = by_row(i) * x);
            let row = |i: usize| if rows.of[i] == Rows::NONE { DVec3::ZERO } else { x[rows.of[i] as usize] };
            resist(&row, 1.0, y);
        };
        let precondition = |r: &[DVec3], z: &mut [DVec3]| {
            z.iter_mut().zip(r).zip(&rows.particles).for_each(|((z, &r), i)| *z = r / by_row(i));
        };
        pcg.solve(multiply, precondition, impulse, change, MATERIAL_TOLERANCE, MATERIAL_LIMIT);
        rows.particles.iter().zip(&*change).for_each(|(&i, &dv)| v[i as usize] += dv);
    }
}

/// I⁺ of a symmetric matrix of inertia, by Jacobi rotations. A component on a line cannot spin about it: its inertia
/// is singular there, to rounding, and the motion about that axis is left out.
fn pseudo_inverse(inertia: &DMat3) -> DMat3 {
    let mut a = inertia.to_cols_array_2d();
    let mut axes = [DVec3::X, DVec3::Y, DVec3::Z];
    // Convergence is quadratic; six sweeps are more than any 3×3 matrix needs.
    for (p, q, r) in (0..6).flat_map(|_| [(0, 1, 2), (0, 2, 1), (1, 2, 0)]) {
        if a[p][q] == 0.0 {
            continue;
        }
        let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
        let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
        let c = 1.0 / t.hypot(1.0);
        let s = t * c;
        a[p][p] -= t * a[p][q];
        a[q][q] += t * a[p][q];
        (a[p][q], a[q][p]) = (0.0, 0.0);
        let (x, y) = (c * a[r][p] - s * a[r][q], s * a[r][p] + c * a[r][q]);
        (a[r][p], a[p][r], a[r][q], a[q][r]) = (x, x, y, y);
        (axes[p], axes[q]) = (c * axes[p] - s * axes[q], s * axes[p] + c * axes[q]);
    }
    let largest = a[0][0].max(a[1][1]).max(a[2][2]);
    let mut inverse = DMat3::ZERO;
    for (i, e) in axes.into_iter().enumerate() {
        if a[i][i] > SINGULAR * largest {
            inverse += (1.0 / a[i][i]) * DMat3::from_cols(e * e.x, e * e.y, e * e.z);
        }
    }
    inverse
}

/// Moments of inertia below this fraction of the largest are rounding: ε for each of a few operations.
const SINGULAR: f64 = 1e-14;
