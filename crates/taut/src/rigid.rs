//! The rigid motion with the momentum P and the angular momentum L of each component: `v_cm + ω × r`, r from the centre
//! of mass, `ω = I⁺ L` (a component on a line cannot spin about it).

use crate::linear::Components;
use glam::{DMat3, DVec3};

/// One component: its moments about the centre of mass, and its motion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RigidMotion {
    pub mass: f64,
    pub centre: DVec3,
    /// Of the centre [m/s].
    pub velocity: DVec3,
    /// ω [1/s].
    pub spin: DVec3,
    /// I⁺ [1/(kg·m²)].
    pub inverse_inertia: DMat3,
    impulse: DVec3,
    momentum: DVec3,
}

impl RigidMotion {
    const NONE: RigidMotion = RigidMotion {
        mass: 0.0,
        centre: DVec3::ZERO,
        velocity: DVec3::ZERO,
        spin: DVec3::ZERO,
        inverse_inertia: DMat3::ZERO,
        impulse: DVec3::ZERO,
        momentum: DVec3::ZERO,
    };

    /// Its velocity at a place.
    pub fn at(&self, place: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(place - self.centre)
    }
}

/// The motions of all components.
#[derive(Debug, Clone, Default)]
pub(crate) struct RigidMotions {
    pub of: Vec<RigidMotion>,
}

impl RigidMotions {
    /// Room for `components` components.
    pub fn new(components: usize) -> Self {
        RigidMotions { of: vec![RigidMotion::NONE; components] }
    }

    /// Find them for positions q and velocities v.
    pub fn fit(&mut self, m: &[f64], q: &[DVec3], v: &[DVec3], parts: &Components) {
        self.of.fill(RigidMotion::NONE);
        for (i, &c) in parts.of.iter().enumerate() {
            let g = &mut self.of[c as usize];
            g.mass += m[i];
            g.centre += m[i] * q[i];
        }
        self.of.iter_mut().for_each(|g| g.centre /= g.mass);
        for (i, &c) in parts.of.iter().enumerate() {
            let g = &mut self.of[c as usize];
            let r = q[i] - g.centre;
            let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
            g.inverse_inertia += m[i] * (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer);
        }
        self.of.iter_mut().for_each(|g| g.inverse_inertia = pseudo_inverse(&g.inverse_inertia));
        // The second round takes up what rounding left of the first: in thin bodies ε·(length/thickness)².
        for _ in 0..2 {
            self.of.iter_mut().for_each(|g| (g.impulse, g.momentum) = (DVec3::ZERO, DVec3::ZERO));
            for (i, &c) in parts.of.iter().enumerate() {
                let g = &mut self.of[c as usize];
                let left = m[i] * (v[i] - g.at(q[i]));
                g.impulse += left;
                g.momentum += (q[i] - g.centre).cross(left);
            }
            for g in &mut self.of {
                g.velocity += g.impulse / g.mass;
                g.spin += g.inverse_inertia * g.momentum;
            }
        }
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
