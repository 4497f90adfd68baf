//! The nearest rotation to a matrix: where ‖F − R‖ is least, that is tr RᵀF greatest, over all R with det R = +1.
//!
//! With the singular values σ₁ ≥ σ₂ ≥ |σ₃| of F, the last with the sign of det F, the greatest trace is
//! λ = σ₁ + σ₂ + σ₃. It is the largest root of a polynomial in the invariants of F, and R is its derivative (Lin 2022), so
//! no singular vectors are needed:
//!
//! ```text
//! P(λ) = λ⁴ − 2 I λ² − 8 J λ + 2‖C‖² − I²       C = FᵀF,  I = tr C,  J = det F
//! R = ∂λ/∂F = [F ((λ² + I) 1 − 2C) + 2λ cof F] / (λ³ − I λ − 2J)
//! ```
//!
//! The denominator is 2 (σ₁ + σ₂)(σ₁ + σ₃)(σ₂ + σ₃). Where it is not small, Halley's method finds λ from above, and one
//! Newton step on the rotations takes R to rounding: with S = RᵀF, R ← R(1 + \[ω\]) where
//!
//! ```text
//! (tr S 1 − S) ω = (S₃₂ − S₂₃, S₁₃ − S₃₁, S₂₁ − S₁₂)
//! ```
//!
//! Whatever this has not certified goes a longer way (see `quaternion`).

use super::lanes::{
    Matrices, along, cross, lane, lanes, norm, ordinary, scaled, shifted, squared, times, within,
};
use super::quaternion::by_quaternion;
use crate::kernel::{Kernel, Real, Simd, Work, run};
use glam::DMat3;
use std::marker::PhantomData;

/// Steps of Halley's method, most often two: each triples the digits, unless two roots are near each other. The square of the
/// last, whose cube is beyond what the Newton step needs.
const STEPS: usize = 6;
const FOUND: f64 = 1e-10;
/// Least (σ₁ + σ₂)(σ₁ + σ₃)(σ₂ + σ₃), for ‖F‖ = 1: with less the answer is hardly unique.
const SEPARATE: f64 = 1e-6;
/// Largest square of the last correction: what it leaves is of the order of its own square.
const SETTLED: f64 = 1e-17;
/// The nearest rotation to F. Where several are equally near, the one of them that is nearest to `near`; of several the
/// one nearest to 1. Not a number where F is not.
pub fn rotation(f: DMat3, near: DMat3) -> DMat3 {
    run(Kernel::detected(), One::<Solid>(f, near, PhantomData))
}

/// [`rotation`] of four matrices, with the bits that one alone gets with the same instructions. `near` is asked for
/// lanes without a unique answer.
#[inline(always)]
pub(crate) fn rotations<V: Simd<f64>>(f: Matrices<V>, near: impl Fn(usize) -> DMat3) -> Matrices<V> {
    robust::<V, Solid>(f, near)
}

/// One matrix, in all lanes.
pub(super) struct One<U>(pub DMat3, pub DMat3, pub PhantomData<U>);

impl<U: Unique> Work<f64> for One<U> {
    type Output = DMat3;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> DMat3 {
        lane::<V>(&robust::<V, U>(lanes::<V>(&[self.0; f64::WIDTH]), |_| self.1), 0)
    }
}

/// The short way to the nearest rotations.
pub(super) trait Unique {
    /// The nearest rotations where they are unique by far, and a bit for each lane where this is certain.
    fn unique<V: Simd<f64>>(f: Matrices<V>) -> (Matrices<V>, u32);

    /// The long way, for any F.
    fn any(f: DMat3, near: DMat3) -> DMat3;
}

pub(super) struct Solid;

/// The nearest rotations: the short way, and the long one for lanes that need it.
#[inline(always)]
pub(super) fn robust<V: Simd<f64>, U: Unique>(f: Matrices<V>, near: impl Fn(usize) -> DMat3) -> Matrices<V> {
    let (r, sure) = U::unique::<V>(f);
    if sure == (1 << f64::WIDTH) - 1 {
        return r;
    }
    // Squares of very large and very small numbers are lost: a power of two changes no rotation.
    let scaled = [0, 1, 2, 3].map(|i| moderate(lane::<V>(&f, i)));
    let (r, sure) = U::unique::<V>(lanes::<V>(&scaled));
    let mut found = [DMat3::ZERO; f64::WIDTH];
    for (i, found) in found.iter_mut().enumerate() {
        *found = if sure >> i & 1 == 1 { lane::<V>(&r, i) } else { U::any(scaled[i], near(i)) };
    }
    lanes::<V>(&found)
}

impl Unique for Solid {
    #[inline(always)]
    fn unique<V: Simd<f64>>(f: Matrices<V>) -> (Matrices<V>, u32) {
        let (one, two, half) = (V::splat(1.0), V::splat(2.0), V::splat(-0.5));
        let size = V::add(V::add(V::dot(f[0], f[0]), V::dot(f[1], f[1])), V::dot(f[2], f[2]));
        let scale = V::divide(one, V::sqrt(size));
        let f = [scaled::<V>(f[0], scale), scaled::<V>(f[1], scale), scaled::<V>(f[2], scale)];

        let c = squared::<V>(f);
        let cofactor = [cross::<V>(f[1], f[2]), cross::<V>(f[2], f[0]), cross::<V>(f[0], f[1])];
        let i = V::add(V::add(c[0], c[1]), c[2]);
        let j = V::dot(f[0], cofactor[0]);
        let last = V::subtract(V::multiply(two, norm::<V>(c)), V::multiply(i, i));
        let lambda = greatest_root::<V>(i, j, last);

        // R by the formula, then without what stretch is left: R (3 − RᵀR)/2.
        let squares = V::multiply(lambda, lambda);
        let below = V::subtract(V::multiply(lambda, V::subtract(squares, i)), V::multiply(two, j));
        let (inverse, diagonal) = (V::divide(one, below), V::add(squares, i));
        let r = times::<V>(f, shifted::<V>(c, V::splat(-2.0), diagonal));
        let twice = V::multiply(two, lambda);
        let r = [
            scaled::<V>(along::<V>(cofactor[0], twice, r[0]), inverse),
            scaled::<V>(along::<V>(cofactor[1], twice, r[1]), inverse),
            scaled::<V>(along::<V>(cofactor[2], twice, r[2]), inverse),
        ];
        let stretch = shifted::<V>(squared::<V>(r), one, V::splat(-1.0));
        let excess = norm::<V>(stretch);
        let r = times::<V>(r, shifted::<V>(stretch, half, one));

        // One Newton step among the rotations.
        let s = [within::<V>(r, f[0]), within::<V>(r, f[1]), within::<V>(r, f[2])];
        let (xx, yy, zz) = (s[0][0], s[1][1], s[2][2]);
        let [x, y, z] =
            scaled::<V>([V::add(s[1][2], s[2][1]), V::add(s[0][2], s[2][0]), V::add(s[0][1], s[1][0])], half);
        let a = [[V::add(yy, zz), z, y], [z, V::add(xx, zz), x], [y, x, V::add(xx, yy)]];
        let minors = [cross::<V>(a[1], a[2]), cross::<V>(a[2], a[0]), cross::<V>(a[0], a[1])];
        let determinant = V::dot(a[0], minors[0]);
        let skew =
            [V::subtract(s[1][2], s[2][1]), V::subtract(s[2][0], s[0][2]), V::subtract(s[0][1], s[1][0])];
        let omega = scaled::<V>(within::<V>(minors, skew), V::divide(one, determinant));
        let back = scaled::<V>(omega, V::splat(-1.0));
        let turned = [
            along::<V>(r[1], omega[2], along::<V>(r[2], back[1], r[0])),
            along::<V>(r[2], omega[0], along::<V>(r[0], back[2], r[1])),
            along::<V>(r[0], omega[1], along::<V>(r[1], back[0], r[2])),
        ];
        let settled = |error| V::positive(V::subtract(V::splat(SETTLED), error));
        let separate = V::positive(V::subtract(determinant, V::splat(SEPARATE)));
        (turned, ordinary::<V>(size) & separate & settled(excess) & settled(V::dot(omega, omega)))
    }

    fn any(f: DMat3, near: DMat3) -> DMat3 {
        by_quaternion(f, near)
    }
}

/// The greatest root of λ⁴ − 2 i λ² − 8 j λ + last, for i = 1 up to rounding: all roots are real, and none is above √3.
#[inline(always)]
fn greatest_root<V: Simd<f64>>(i: V::Vector, j: V::Vector, last: V::Vector) -> V::Vector {
    let (slope, linear) = (V::multiply(V::splat(-2.0), i), V::multiply(V::splat(-8.0), j));
    let mut x = V::splat(3f64.sqrt());
    // Lanes that have found it stay as they are, whatever the others need.
    let mut left = V::splat(1.0);
    for _ in 0..STEPS {
        // P, P' and P''/2; then x − P P'/(P'² − P P''/2).
        let square = V::multiply(x, x);
        let cubic = V::multiply_add(x, V::add(square, slope), linear);
        let value = V::multiply_add(x, cubic, last);
        let first =
            V::multiply_add(V::multiply(V::splat(2.0), x), V::add(V::add(square, square), slope), linear);
        let second = V::multiply_add(V::splat(6.0), square, slope);
        let below = V::subtract(V::multiply(first, first), V::multiply(value, second));
        let step = V::where_positive(left, V::divide(V::multiply(value, first), below));
        x = V::subtract(x, step);
        left = V::min(left, V::subtract(V::multiply(step, step), V::splat(FOUND)));
        if V::positive(left) == 0 {
            break;
        }
    }
    x
}

/// F times a power of two, so that squares of its entries are numbers of ordinary size.
fn moderate(mut f: DMat3) -> DMat3 {
    let largest = |f: &DMat3| f.to_cols_array().iter().fold(0.0, |m: f64, e| m.max(e.abs()));
    let (far, back) = (2f64.powi(300), 2f64.powi(600));
    while largest(&f) > far && largest(&f).is_finite() {
        f *= 1.0 / back;
    }
    while largest(&f) < 1.0 / far && largest(&f) > 0.0 {
        f *= back;
    }
    f
}
