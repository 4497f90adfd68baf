//! The rigid motion with the momentum P and the angular momentum L of each component: `v_cm + ω × r`, r from the centre
//! of mass, `ω = I⁺ L` (a component on a line cannot spin about it).

use crate::linear::Components;
use crate::math::hypot;
use glam::{DMat3, DQuat, DVec3};

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

    /// Make room for another number of components, without allocating if there was as much before.
    pub fn reset(&mut self, components: usize) {
        self.of.clear();
        self.of.resize(components, RigidMotion::NONE);
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

/// I⁺ of a symmetric matrix of inertia. A component on a line cannot spin about it: its inertia is singular there, to
/// rounding, and the motion about that axis is left out.
fn pseudo_inverse(inertia: &DMat3) -> DMat3 {
    let (values, axes) = eigen(inertia.to_cols_array_2d());
    let largest = values[0].max(values[1]).max(values[2]);
    let mut inverse = DMat3::ZERO;
    for (value, axis) in values.into_iter().zip(axes) {
        let e = DVec3::from_array(axis);
        if value > SINGULAR * largest {
            inverse += (1.0 / value) * DMat3::from_cols(e * e.x, e * e.y, e * e.z);
        }
    }
    inverse
}

/// Moments of inertia below this fraction of the largest are rounding: ε for each of a few operations.
const SINGULAR: f64 = 1e-14;

/// The rotation that takes points r best to points r′, by least squares, given `Σ r′ rᵀ` (Horn 1987): the unit quaternion
/// q with the largest qᵀNq. Where several are as good, as for points on a line, the one that turns least.
pub(crate) fn turn(covariance: &DMat3) -> DQuat {
    let s = |a: usize, b: usize| covariance.col(a)[b];
    let (sum, [x, y, z]) = (s(0, 0) + s(1, 1) + s(2, 2), [s(0, 0), s(1, 1), s(2, 2)]);
    let skew = [s(1, 2) - s(2, 1), s(2, 0) - s(0, 2), s(0, 1) - s(1, 0)];
    let [xy, yz, zx] = [s(0, 1) + s(1, 0), s(1, 2) + s(2, 1), s(2, 0) + s(0, 2)];
    let (values, axes) = eigen([
        [sum, skew[0], skew[1], skew[2]],
        [skew[0], x - y - z, xy, zx],
        [skew[1], xy, y - z - x, yz],
        [skew[2], zx, yz, z - x - y],
    ]);
    let largest = values.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let scale = values.into_iter().map(f64::abs).fold(0.0, f64::max);
    // The part of the identity (1, 0, 0, 0) in the space of the best ones.
    let mut best = [0.0; 4];
    for (value, axis) in values.into_iter().zip(axes) {
        if value >= largest - ALIKE * scale {
            (0..4).for_each(|k| best[k] += axis[0] * axis[k]);
        }
    }
    let q = DQuat::from_xyzw(best[1], best[2], best[3], best[0]);
    if q.length_squared() > 0.0 { q.normalize() } else { DQuat::IDENTITY }
}

/// Eigenvalues nearer than this, relative to the largest, count as one.
const ALIKE: f64 = 1e-12;

/// Eigenvalues and unit eigenvectors of a small symmetric matrix, by Jacobi rotations.
fn eigen<const N: usize>(mut a: [[f64; N]; N]) -> ([f64; N], [[f64; N]; N]) {
    let mut axes = [[0.0; N]; N];
    (0..N).for_each(|i| axes[i][i] = 1.0);
    // Convergence is quadratic; six sweeps are more than any matrix this small needs.
    for (p, q) in (0..6).flat_map(|_| (0..N).flat_map(|p| (p + 1..N).map(move |q| (p, q)))) {
        if a[p][q] == 0.0 {
            continue;
        }
        let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
        let t = theta.signum() / (theta.abs() + hypot(theta, 1.0));
        let c = 1.0 / hypot(t, 1.0);
        let s = t * c;
        a[p][p] -= t * a[p][q];
        a[q][q] += t * a[p][q];
        (a[p][q], a[q][p]) = (0.0, 0.0);
        for r in (0..N).filter(|&r| r != p && r != q) {
            let (x, y) = (c * a[r][p] - s * a[r][q], s * a[r][p] + c * a[r][q]);
            (a[r][p], a[p][r], a[r][q], a[q][r]) = (x, x, y, y);
        }
        let (before, after) = axes.split_at_mut(q);
        for (a, b) in before[p].iter_mut().zip(&mut after[0]) {
            (*a, *b) = (c * *a - s * *b, s * *a + c * *b);
        }
    }
    (std::array::from_fn(|i| a[i][i]), axes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_turn_is_found_again() {
        let mut random = Random(3);
        for angle in [0.0, 1e-9, 1e-3, 0.4, 2.5] {
            // In space, in a plane, on a line.
            for flat in [DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::X] {
                let shape = DQuat::from_axis_angle(random.vector().normalize(), 1.0);
                let points: Vec<DVec3> = (0..9).map(|_| shape * (flat * random.vector())).collect();
                let right = DQuat::from_axis_angle(random.vector().normalize(), angle);
                let mut covariance = DMat3::ZERO;
                for &r in &points {
                    let turned = right * r;
                    covariance += DMat3::from_cols(turned * r.x, turned * r.y, turned * r.z);
                }
                let found = turn(&covariance);
                let off = points.iter().map(|&r| (found * r - right * r).length()).fold(0.0, f64::max);
                assert!(off < 1e-14, "{angle}, {flat}: {off:e}");
                // What is on a line turns no more than it must.
                assert!(found.w.abs() >= right.w.abs() - 1e-14, "{angle}, {flat}: {found} for {right}");
            }
        }
    }
}
