//! 3-vectors and 3×3 matrices in lanes of four. No closures: what they hide from the compiler costs a call.

use crate::kernel::{Real, Simd, Wide};
use glam::{DMat3, DVec3};

/// Four 3-vectors, and four 3×3 matrices by columns: one per lane.
pub(crate) type Points<V> = [<V as Simd<f64>>::Vector; 3];
pub(crate) type Matrices<V> = [Points<V>; 3];

/// One of four matrices.
#[inline(always)]
pub(crate) fn lane<V: Simd<f64>>(m: &Matrices<V>, i: usize) -> DMat3 {
    let [a, b, c] = [column::<V>(m[0], i), column::<V>(m[1], i), column::<V>(m[2], i)];
    DMat3::from_cols(a, b, c)
}

#[inline(always)]
fn column<V: Simd<f64>>(v: Points<V>, i: usize) -> DVec3 {
    DVec3::new(V::store(v[0]).0[i], V::store(v[1]).0[i], V::store(v[2]).0[i])
}

/// Four matrices, one per lane.
#[inline(always)]
pub(crate) fn lanes<V: Simd<f64>>([a, b, c, d]: &[DMat3; f64::WIDTH]) -> Matrices<V> {
    [
        points::<V>([a.x_axis, b.x_axis, c.x_axis, d.x_axis]),
        points::<V>([a.y_axis, b.y_axis, c.y_axis, d.y_axis]),
        points::<V>([a.z_axis, b.z_axis, c.z_axis, d.z_axis]),
    ]
}

#[inline(always)]
fn points<V: Simd<f64>>([a, b, c, d]: [DVec3; f64::WIDTH]) -> Points<V> {
    let (x, y, z) = ([a.x, b.x, c.x, d.x], [a.y, b.y, c.y, d.y], [a.z, b.z, c.z, d.z]);
    [V::load(&Wide(x)), V::load(&Wide(y)), V::load(&Wide(z))]
}

#[inline(always)]
pub(crate) fn cross<V: Simd<f64>>(a: Points<V>, b: Points<V>) -> Points<V> {
    let [p, q] = [
        [V::multiply(a[1], b[2]), V::multiply(a[2], b[0]), V::multiply(a[0], b[1])],
        [V::multiply(a[2], b[1]), V::multiply(a[0], b[2]), V::multiply(a[1], b[0])],
    ];
    [V::subtract(p[0], q[0]), V::subtract(p[1], q[1]), V::subtract(p[2], q[2])]
}

/// a s.
#[inline(always)]
pub(super) fn scaled<V: Simd<f64>>(a: Points<V>, s: V::Vector) -> Points<V> {
    [V::multiply(a[0], s), V::multiply(a[1], s), V::multiply(a[2], s)]
}

/// a s + b.
#[inline(always)]
pub(super) fn along<V: Simd<f64>>(a: Points<V>, s: V::Vector, b: Points<V>) -> Points<V> {
    [V::multiply_add(a[0], s, b[0]), V::multiply_add(a[1], s, b[1]), V::multiply_add(a[2], s, b[2])]
}

/// S s + d 1, for such six numbers as [`times`] takes.
#[inline(always)]
pub(super) fn shifted<V: Simd<f64>>(m: [V::Vector; 6], s: V::Vector, d: V::Vector) -> [V::Vector; 6] {
    let [x, y, z] = along::<V>([m[0], m[1], m[2]], s, [d; 3]);
    let [a, b, c] = scaled::<V>([m[3], m[4], m[5]], s);
    [x, y, z, a, b, c]
}

/// A sum of the columns of M.
#[inline(always)]
pub(super) fn combined<V: Simd<f64>>(m: Matrices<V>, a: V::Vector, b: V::Vector, c: V::Vector) -> Points<V> {
    along::<V>(m[2], c, along::<V>(m[1], b, scaled::<V>(m[0], a)))
}

/// M S, for a symmetric S given as \[S₁₁, S₂₂, S₃₃, S₂₃, S₁₃, S₁₂\].
#[inline(always)]
pub(super) fn times<V: Simd<f64>>(m: Matrices<V>, s: [V::Vector; 6]) -> Matrices<V> {
    [
        combined::<V>(m, s[0], s[5], s[4]),
        combined::<V>(m, s[5], s[1], s[3]),
        combined::<V>(m, s[4], s[3], s[2]),
    ]
}

/// MᵀM, in the same six numbers.
#[inline(always)]
pub(super) fn squared<V: Simd<f64>>(m: Matrices<V>) -> [V::Vector; 6] {
    let [a, b, c] = m;
    [V::dot(a, a), V::dot(b, b), V::dot(c, c), V::dot(b, c), V::dot(a, c), V::dot(a, b)]
}

/// ‖S‖² of such six numbers.
#[inline(always)]
pub(super) fn norm<V: Simd<f64>>(s: [V::Vector; 6]) -> V::Vector {
    let off = V::dot([s[3], s[4], s[5]], [s[3], s[4], s[5]]);
    V::multiply_add(V::splat(2.0), off, V::dot([s[0], s[1], s[2]], [s[0], s[1], s[2]]))
}

/// Mᵀa.
#[inline(always)]
pub(super) fn within<V: Simd<f64>>(m: Matrices<V>, a: Points<V>) -> Points<V> {
    [V::dot(m[0], a), V::dot(m[1], a), V::dot(m[2], a)]
}

/// Whether ‖F‖² is far from where squares overflow or lose digits.
#[inline(always)]
pub(super) fn ordinary<V: Simd<f64>>(size: V::Vector) -> u32 {
    V::positive(V::subtract(size, V::splat(1e-180))) & V::positive(V::subtract(V::splat(1e180), size))
}
