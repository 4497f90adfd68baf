//! Four vectors of three coordinates at a time, one per lane. No product is fused, so the bits are those of one vector alone.

use crate::kernel::Simd;

pub(super) type Three<V> = [<V as Simd<f64>>::Vector; 3];

#[inline(always)]
pub(super) fn minus<V: Simd<f64>>(a: Three<V>, b: Three<V>) -> Three<V> {
    [V::subtract(a[0], b[0]), V::subtract(a[1], b[1]), V::subtract(a[2], b[2])]
}

#[inline(always)]
pub(super) fn plus<V: Simd<f64>>(a: Three<V>, b: Three<V>) -> Three<V> {
    [V::add(a[0], b[0]), V::add(a[1], b[1]), V::add(a[2], b[2])]
}

#[inline(always)]
pub(super) fn scaled<V: Simd<f64>>(a: Three<V>, by: V::Vector) -> Three<V> {
    [V::multiply(a[0], by), V::multiply(a[1], by), V::multiply(a[2], by)]
}

#[inline(always)]
pub(super) fn dot<V: Simd<f64>>(a: Three<V>, b: Three<V>) -> V::Vector {
    V::add(V::add(V::multiply(a[0], b[0]), V::multiply(a[1], b[1])), V::multiply(a[2], b[2]))
}

#[inline(always)]
pub(super) fn cross<V: Simd<f64>>(a: Three<V>, b: Three<V>) -> Three<V> {
    [
        V::subtract(V::multiply(a[1], b[2]), V::multiply(a[2], b[1])),
        V::subtract(V::multiply(a[2], b[0]), V::multiply(a[0], b[2])),
        V::subtract(V::multiply(a[0], b[1]), V::multiply(a[1], b[0])),
    ]
}

/// The quotient clamped to [0, 1]; 0 if it is no number.
#[inline(always)]
pub(super) fn fraction<V: Simd<f64>>(numerator: V::Vector, denominator: V::Vector) -> V::Vector {
    let r = V::divide(numerator, denominator);
    V::min(V::where_positive(r, r), V::splat(1.0))
}

/// −v.
#[inline(always)]
pub(super) fn negative<V: Simd<f64>>(v: V::Vector) -> V::Vector {
    V::subtract(V::splat(0.0), v)
}
