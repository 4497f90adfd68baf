//! Four 3×3 matrices at a time, by columns: products, and how rotations turn. No closures:
//! what they hide from the compiler costs a call.

use crate::kernel::{Four, Simd};
use crate::linear::nearest::{Matrices, Points};

/// Least determinant, in terms of the cubed trace, of what a turn is solved with.
const SINGULAR: f64 = 1e-9;

#[inline(always)]
pub(super) fn load_points<V: Simd<f64>>(v: &[Four; 3]) -> Points<V> {
    [V::load(&v[0]), V::load(&v[1]), V::load(&v[2])]
}

#[inline(always)]
pub(super) fn load<V: Simd<f64>>(m: &[[Four; 3]; 3]) -> Matrices<V> {
    [load_points::<V>(&m[0]), load_points::<V>(&m[1]), load_points::<V>(&m[2])]
}

#[inline(always)]
pub(super) fn store_points<V: Simd<f64>>(v: Points<V>) -> [Four; 3] {
    [V::store(v[0]), V::store(v[1]), V::store(v[2])]
}

#[inline(always)]
pub(super) fn store<V: Simd<f64>>(m: &Matrices<V>) -> [[Four; 3]; 3] {
    [store_points::<V>(m[0]), store_points::<V>(m[1]), store_points::<V>(m[2])]
}

/// a v.
#[inline(always)]
pub(super) fn along<V: Simd<f64>>(a: &Matrices<V>, v: Points<V>) -> Points<V> {
    [
        V::dot([a[0][0], a[1][0], a[2][0]], v),
        V::dot([a[0][1], a[1][1], a[2][1]], v),
        V::dot([a[0][2], a[1][2], a[2][2]], v),
    ]
}

/// a b.
#[inline(always)]
pub(super) fn times<V: Simd<f64>>(a: &Matrices<V>, b: &Matrices<V>) -> Matrices<V> {
    [along::<V>(a, b[0]), along::<V>(a, b[1]), along::<V>(a, b[2])]
}

/// aᵀ v.
#[inline(always)]
fn within<V: Simd<f64>>(a: &Matrices<V>, v: Points<V>) -> Points<V> {
    [V::dot(a[0], v), V::dot(a[1], v), V::dot(a[2], v)]
}

/// aᵀ b.
#[inline(always)]
fn transposed_times<V: Simd<f64>>(a: &Matrices<V>, b: &Matrices<V>) -> Matrices<V> {
    [within::<V>(a, b[0]), within::<V>(a, b[1]), within::<V>(a, b[2])]
}

/// a − b.
#[inline(always)]
pub(super) fn less<V: Simd<f64>>(a: Points<V>, b: Points<V>) -> Points<V> {
    [V::subtract(a[0], b[0]), V::subtract(a[1], b[1]), V::subtract(a[2], b[2])]
}

/// a:b.
#[inline(always)]
pub(super) fn dot<V: Simd<f64>>(a: &Matrices<V>, b: &Matrices<V>) -> V::Vector {
    V::add(V::add(V::dot(a[0], b[0]), V::dot(a[1], b[1])), V::dot(a[2], b[2]))
}

/// s v.
#[inline(always)]
pub(super) fn scaled<V: Simd<f64>>(s: V::Vector, v: Points<V>) -> Points<V> {
    [V::multiply(s, v[0]), V::multiply(s, v[1]), V::multiply(s, v[2])]
}

/// s v + w.
#[inline(always)]
pub(super) fn plus<V: Simd<f64>>(s: V::Vector, v: Points<V>, w: Points<V>) -> Points<V> {
    [V::multiply_add(s, v[0], w[0]), V::multiply_add(s, v[1], w[1]), V::multiply_add(s, v[2], w[2])]
}

/// a b − c d.
#[inline(always)]
pub(super) fn minor<V: Simd<f64>>(a: V::Vector, b: V::Vector, c: V::Vector, d: V::Vector) -> V::Vector {
    V::subtract(V::multiply(a, b), V::multiply(c, d))
}

/// a·(tr S 1 − S)⁻¹ a by cofactors, and whether that is clearly positive.
#[inline(always)]
fn turned<V: Simd<f64>>(s: &Matrices<V>, a: Points<V>) -> (V::Vector, bool) {
    let [x, y, z] = [V::add(s[1][1], s[2][2]), V::add(s[0][0], s[2][2]), V::add(s[0][0], s[1][1])];
    let half = V::splat(-0.5);
    let p = V::multiply(half, V::add(s[1][2], s[2][1]));
    let q = V::multiply(half, V::add(s[0][2], s[2][0]));
    let r = V::multiply(half, V::add(s[0][1], s[1][0]));
    // The cofactors of [x r q; r y p; q p z].
    let [xx, yy, zz] = [minor::<V>(y, z, p, p), minor::<V>(x, z, q, q), minor::<V>(x, y, r, r)];
    let [yz, xz, xy] = [minor::<V>(q, r, x, p), minor::<V>(r, p, y, q), minor::<V>(p, q, z, r)];
    let determinant = V::multiply_add(x, xx, V::multiply_add(r, xy, V::multiply(q, xz)));
    let size = V::add(x, V::add(y, z));
    let least = V::multiply(V::splat(SINGULAR), V::multiply(size, V::multiply(size, size)));
    let sure = V::positive(V::subtract(determinant, least)) & V::positive(xx) & V::positive(x);
    let cofactors = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    (V::divide(V::dot(a, along::<V>(&cofactors, a)), determinant), sure == 0b1111)
}

/// dR:dF = a·ω where dR = R \[ω\] with (tr S 1 − S) ω = a, the odd part of Rᵀ dF, and whether that is certain.
#[inline(always)]
pub(super) fn turns<V: Simd<f64>>(
    rotation: &Matrices<V>,
    f: &Matrices<V>,
    df: &Matrices<V>,
) -> (V::Vector, bool) {
    let stretch = transposed_times::<V>(rotation, f);
    let moved = transposed_times::<V>(rotation, df);
    let odd = [
        V::subtract(moved[1][2], moved[2][1]),
        V::subtract(moved[2][0], moved[0][2]),
        V::subtract(moved[0][1], moved[1][0]),
    ];
    turned::<V>(&stretch, odd)
}
