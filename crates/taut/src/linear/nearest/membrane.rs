//! The nearest pair of unit vectors at right angles to the columns of a matrix F = (a b).
//!
//! In the plane of a and b, with normal n = a × b/‖a × b‖, rotations are complex numbers, and the nearest is
//! `(a + b × n, b + n × a)/√(‖a‖² + ‖b‖² + 2‖a × b‖)`.
//!
//! For a needle, whose normal has lost its digits, one turn in the plane of the rest pose makes the columns orthogonal
//! first, F V = (p q): then R = (p/‖p‖, q/‖q‖) Vᵀ. On a line q = 0, and any direction across p is as near as another.

use super::eigen::eigen;
use super::lanes::{Matrices, along, cross, ordinary, scaled};
use super::quaternion::SAME;
use super::rotation::{One, Unique, robust};
use crate::kernel::{Kernel, Simd, run};
use glam::{DMat3, DVec2, DVec3};
use std::marker::PhantomData;

/// Least σ₁σ₂ of a membrane, for ‖F‖ = 1, whose normal has enough digits.
const WIDE: f64 = 1e-5;
/// The nearest pair of unit vectors at right angles to the columns of F. Where several are equally near, the one of them
/// that is nearest to `near`; of several the one nearest to the first two axes. Not a number where F is not.
/// There are no reflections among them: a membrane has no inside out.
pub fn rotation_membrane(f: [DVec3; 2], near: [DVec3; 2]) -> [DVec3; 2] {
    let r = frame(f, near);
    [r.x_axis, r.y_axis]
}

/// The same with the normal as a third column.
pub(super) fn frame([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> DMat3 {
    let [f, near] = [[a, b], [c, d]].map(|[x, y]| DMat3::from_cols(x, y, DVec3::ZERO));
    run(Kernel::detected(), One::<Membrane>(f, near, PhantomData))
}

/// [`rotation_membrane`] of four. The third column of F, of `near` too, is zero; that of the answer is the normal.
#[inline(always)]
pub(crate) fn membranes<V: Simd<f64>>(f: Matrices<V>, near: impl Fn(usize) -> DMat3) -> Matrices<V> {
    robust::<V, Membrane>(f, near)
}

struct Membrane;

impl Unique for Membrane {
    #[inline(always)]
    fn unique<V: Simd<f64>>([a, b, _]: Matrices<V>) -> (Matrices<V>, u32) {
        let (one, half) = (V::splat(1.0), V::splat(-0.5));
        let size = V::add(V::dot(a, a), V::dot(b, b));
        let normal = cross::<V>(a, b);
        let area = V::sqrt(V::dot(normal, normal));
        let n = scaled::<V>(normal, V::divide(one, area));
        let scale = V::divide(one, V::sqrt(V::multiply_add(V::splat(2.0), area, size)));
        let (p, q) = (
            scaled::<V>(along::<V>(a, one, cross::<V>(b, n)), scale),
            scaled::<V>(along::<V>(b, one, cross::<V>(n, a)), scale),
        );
        // Without what stretch is left, as above.
        let stretch = |product| V::multiply(half, product);
        let [pp, pq, qq] = [V::subtract(V::dot(p, p), one), V::dot(p, q), V::subtract(V::dot(q, q), one)];
        let [pp, pq, qq] = [stretch(pp), stretch(pq), stretch(qq)];
        let (p, q) = (along::<V>(q, pq, along::<V>(p, pp, p)), along::<V>(p, pq, along::<V>(q, qq, q)));
        let wide = V::positive(V::subtract(area, V::multiply(V::splat(WIDE), size)));
        ([p, q, cross::<V>(p, q)], ordinary::<V>(size) & wide)
    }

    fn any(f: DMat3, near: DMat3) -> DMat3 {
        by_columns(f, near)
    }
}

/// Any F; the third column is not looked at.
#[cold]
fn by_columns(f: DMat3, near: DMat3) -> DMat3 {
    let (p, q, v) = orthogonal(f);
    if p == DVec3::ZERO {
        // All rotations are equally near to zero.
        let axes = DMat3 { z_axis: DVec3::ZERO, ..DMat3::IDENTITY };
        return if near == DMat3::ZERO { DMat3::IDENTITY } else { by_columns(near, axes) };
    }
    let length = p.length();
    let u = p / length;
    let across = |m: DVec3| m - u * u.dot(m);
    let plane = |m: DMat3, v: DVec2| m.x_axis * v.x + m.y_axis * v.y;
    let one = DMat3::IDENTITY;
    let choices = [q / length, plane(near, v[1]), plane(one, v[1]), plane(one, v[0])];
    let chosen = choices.into_iter().map(across).find(|w| w.length_squared() > SAME * SAME);
    let w = across(chosen.unwrap_or(DVec3::NAN).normalize()).normalize();
    let (a, b) = (u * v[0].x + w * v[1].x, u * v[0].y + w * v[1].y);
    DMat3::from_cols(a, b, a.cross(b))
}

/// The columns of F V, the longer first, and V.
fn orthogonal(f: DMat3) -> (DVec3, DVec3, [DVec2; 2]) {
    let (mut p, mut q, mut v) = (f.x_axis, f.y_axis, [DVec2::X, DVec2::Y]);
    // Once would do, but for rounding.
    for _ in 0..3 {
        let off = p.dot(q);
        let turn = eigen([[p.dot(p), off], [off, q.dot(q)]]).1.map(DVec2::from_array);
        (p, q) = (p * turn[0].x + q * turn[0].y, p * turn[1].x + q * turn[1].y);
        v = turn.map(|t| v[0] * t.x + v[1] * t.y);
    }
    if p.length_squared() >= q.length_squared() { (p, q, v) } else { (q, p, [v[1], v[0]]) }
}
