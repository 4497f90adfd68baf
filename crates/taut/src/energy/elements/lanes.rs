//! Four 3×3 matrices at a time, by columns: products, principal strains, the nearest numbers with product 1. No closures:
//! what they hide from the compiler costs a call.

use crate::kernel::{Four, Simd};
use crate::linear::nearest::{Matrices, Points};

/// Sweeps of Jacobi's method: each squares what is left off the diagonal.
const SWEEPS: usize = 4;
/// What may be left, squared, in terms of the squared norm.
const LEFT: f64 = 1e-30;
/// Newton steps for the numbers with product 1: from ordinary strains they converge in four or five.
const STEPS: usize = 6;
/// How near to 1 the product must be then.
const NEAR: f64 = 8.0 * f64::EPSILON;

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
pub(super) fn transposed_times<V: Simd<f64>>(a: &Matrices<V>, b: &Matrices<V>) -> Matrices<V> {
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

/// v₁ v₂ v₃.
#[inline(always)]
fn product<V: Simd<f64>>(v: Points<V>) -> V::Vector {
    V::multiply(v[0], V::multiply(v[1], v[2]))
}

/// c a − s b and s a + c b.
#[inline(always)]
fn turn<V: Simd<f64>>(c: V::Vector, s: V::Vector, a: V::Vector, b: V::Vector) -> (V::Vector, V::Vector) {
    (V::subtract(V::multiply(c, a), V::multiply(s, b)), V::multiply_add(s, a, V::multiply(c, b)))
}

/// The same of every coordinate.
#[inline(always)]
fn turned_pair<V: Simd<f64>>(
    c: V::Vector,
    s: V::Vector,
    a: Points<V>,
    b: Points<V>,
) -> (Points<V>, Points<V>) {
    let (x, y, z) = (turn::<V>(c, s, a[0], b[0]), turn::<V>(c, s, a[1], b[1]), turn::<V>(c, s, a[2], b[2]));
    ([x.0, y.0, z.0], [x.1, y.1, z.1])
}

/// Numbers and columns of directions with S = V diag(σ) Vᵀ, for symmetric S (its upper triangle counts), and a bit for
/// each lane that needed no more sweeps.
#[inline(always)]
pub(super) fn principal<V: Simd<f64>>(s: &Matrices<V>) -> (Points<V>, Matrices<V>, u32) {
    let (zero, one) = (V::splat(0.0), V::splat(1.0));
    let mut values = [s[0][0], s[1][1], s[2][2]];
    // Off the diagonal, each named by the direction that it does not have.
    let mut off = [s[2][1], s[2][0], s[1][0]];
    let mut axes = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    let size = V::multiply_add(V::splat(2.0), V::dot(off, off), V::dot(values, values));
    for _ in 0..SWEEPS {
        for (p, q, r) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
            let twice = V::add(off[r], off[r]);
            let apart = V::subtract(values[q], values[p]);
            let distance = V::max(apart, V::subtract(zero, apart));
            let root = V::sqrt(V::multiply_add(twice, twice, V::multiply(apart, apart)));
            let tangent = V::divide(twice, V::max(V::add(distance, root), V::splat(f64::MIN_POSITIVE)));
            // Towards the side that turns less.
            let t = V::select(V::subtract(zero, apart), V::subtract(zero, tangent), tangent);
            let c = V::divide(one, V::sqrt(V::multiply_add(t, t, one)));
            let s = V::multiply(t, c);
            let change = V::multiply(t, off[r]);
            values[p] = V::subtract(values[p], change);
            values[q] = V::add(values[q], change);
            off[r] = zero;
            // Between p and r stands off[q], between q and r off[p].
            (off[q], off[p]) = turn::<V>(c, s, off[q], off[p]);
            (axes[p], axes[q]) = turned_pair::<V>(c, s, axes[p], axes[q]);
        }
    }
    let rest = V::subtract(V::multiply(V::splat(LEFT), size), V::dot(off, off));
    (values, axes, V::positive(V::add(rest, V::splat(f64::MIN_POSITIVE))))
}

/// √(σ² + 4μ).
#[inline(always)]
fn roots<V: Simd<f64>>(sigma: Points<V>, mu: V::Vector) -> Points<V> {
    let four = V::multiply(V::splat(4.0), mu);
    [
        V::sqrt(V::multiply_add(sigma[0], sigma[0], four)),
        V::sqrt(V::multiply_add(sigma[1], sigma[1], four)),
        V::sqrt(V::multiply_add(sigma[2], sigma[2], four)),
    ]
}

/// (σ + d)/2.
#[inline(always)]
fn numbers<V: Simd<f64>>(sigma: Points<V>, d: Points<V>) -> Points<V> {
    let half = V::splat(0.5);
    scaled::<V>(half, [V::add(sigma[0], d[0]), V::add(sigma[1], d[1]), V::add(sigma[2], d[2])])
}

/// The nearest x to σ with product 1, and their μ: xᵢ − σᵢ = μ/xᵢ (see `linear/nearest/unimodular`). A bit for each lane where
/// this is certain: all σ are positive, and all of the distance is less than half of each, so that no flatter x is nearer.
#[inline(always)]
pub(super) fn product_one<V: Simd<f64>>(sigma: Points<V>) -> (Points<V>, V::Vector, u32) {
    let one = V::splat(1.0);
    let mut mu = V::splat(0.0);
    for _ in 0..STEPS {
        let d = roots::<V>(sigma, mu);
        let x = numbers::<V>(sigma, d);
        let all = product::<V>(x);
        // dxᵢ/dμ = 1/dᵢ, so that the product grows by itself times Σ 1/(xᵢ dᵢ).
        let y = [V::multiply(x[0], d[0]), V::multiply(x[1], d[1]), V::multiply(x[2], d[2])];
        let pairs = V::multiply_add(y[0], V::add(y[1], y[2]), V::multiply(y[1], y[2]));
        let above = V::multiply(V::subtract(one, all), product::<V>(y));
        mu = V::add(mu, V::divide(above, V::multiply(all, pairs)));
    }
    let x = numbers::<V>(sigma, roots::<V>(sigma, mu));
    let missing = V::subtract(product::<V>(x), one);
    let exact = V::subtract(V::splat(NEAR * NEAR), V::multiply(missing, missing));
    let away = less::<V>(x, sigma);
    let distance = V::multiply(V::splat(4.0), V::dot(away, away));
    let least = V::min(sigma[0], V::min(sigma[1], sigma[2]));
    let nearest = V::subtract(V::multiply(least, least), distance);
    (x, mu, V::positive(exact) & V::positive(nearest) & V::positive(least))
}

/// a b − c d.
#[inline(always)]
fn minor<V: Simd<f64>>(a: V::Vector, b: V::Vector, c: V::Vector, d: V::Vector) -> V::Vector {
    V::subtract(V::multiply(a, b), V::multiply(c, d))
}

/// a·(tr S 1 − S)⁻¹ a by cofactors, and whether that is clearly positive.
#[inline(always)]
pub(super) fn turned<V: Simd<f64>>(s: &Matrices<V>, a: Points<V>) -> (V::Vector, bool) {
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

/// dF̂:(dF̂ − dX̂) of the nearest matrix with product 1: see `Principal::unimodular`.
#[inline(always)]
pub(super) fn swelled<V: Simd<f64>>(x: Points<V>, mu: V::Vector, d: &Matrices<V>) -> V::Vector {
    // dxᵢ = (xᵢ² dσᵢ + xᵢ dμ)/gᵢ with gᵢ = xᵢ² + μ and Σ dxᵢ/xᵢ = 0, so that
    // dσ·(dσ − dx) = μ Σ dσᵢ²/gᵢ + (Σ xᵢ dσᵢ/gᵢ)²/Σ 1/gᵢ.
    let zero = V::splat(0.0);
    let (mut squares, mut sum, mut total) = (zero, zero, zero);
    for i in 0..3 {
        let inverse = V::divide(V::splat(1.0), V::multiply_add(x[i], x[i], mu));
        let share = V::multiply(d[i][i], inverse);
        squares = V::multiply_add(share, d[i][i], squares);
        sum = V::multiply_add(share, x[i], sum);
        total = V::add(total, inverse);
    }
    let mut curved = V::multiply_add(mu, squares, V::divide(V::multiply(sum, sum), total));
    let half = V::multiply(V::splat(0.5), mu);
    for (i, j) in [(1, 2), (0, 2), (0, 1)] {
        // 1 − xᵢxⱼ/(xᵢxⱼ ± μ) = ±μ/(xᵢxⱼ ± μ) of the even and the odd part.
        let product = V::multiply(x[i], x[j]);
        let (even, odd) = (V::add(d[i][j], d[j][i]), V::subtract(d[i][j], d[j][i]));
        let first = V::divide(V::multiply(even, even), V::add(product, mu));
        let second = V::divide(V::multiply(odd, odd), V::subtract(product, mu));
        curved = V::multiply_add(half, V::subtract(first, second), curved);
    }
    curved
}
