//! What a solve does before and after its passes: points in f64 and in the order of the caller, and the same scaled,
//! rounded and in the order of the factor.

use super::kernel::Work;
use super::simd::{Real, Simd, Wide};
use glam::DVec3;

/// Sums are kept in this many pieces: one would wait for itself.
const PIECES: usize = 4;

/// `x[k] = scale b[order[k]]`; returns `Σ b[order[k]]`.
pub(super) struct Load<'a, T: Real> {
    pub b: &'a [DVec3],
    pub order: &'a [u32],
    pub scale: f64,
    pub x: &'a mut [T::Lanes],
}

impl<T: Real> Work<f64> for Load<'_, T> {
    type Output = DVec3;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> DVec3 {
        let Load { b, order, scale, x } = self;
        let scale = V::splat(scale);
        let mut sums = [V::splat(0.0); PIECES];
        for (x, order) in x.chunks_mut(PIECES).zip(order.chunks(PIECES)) {
            for ((x, &i), sum) in x.iter_mut().zip(order).zip(&mut sums) {
                let v = V::load(&f64::lanes(b[i as usize]));
                *x = T::rounded(&V::store(V::multiply(scale, v)));
                *sum = V::add(*sum, v);
            }
        }
        total::<V>(sums)
    }
}

/// `Σ w[k] x[k]`.
pub(super) struct Weigh<'a, T: Real> {
    pub weights: &'a [f64],
    pub x: &'a [T::Lanes],
}

impl<T: Real> Work<f64> for Weigh<'_, T> {
    type Output = DVec3;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> DVec3 {
        let mut sums = [V::splat(0.0); PIECES];
        for (x, weights) in self.x.chunks(PIECES).zip(self.weights.chunks(PIECES)) {
            for ((x, &w), sum) in x.iter().zip(weights).zip(&mut sums) {
                *sum = V::multiply_add(V::splat(w), V::load(&T::exact(x)), *sum);
            }
        }
        total::<V>(sums)
    }
}

/// `b[order[k]] = scale x[k] + shift`.
pub(super) struct Store<'a, T: Real> {
    pub b: &'a mut [DVec3],
    pub order: &'a [u32],
    pub scale: f64,
    pub shift: DVec3,
    pub x: &'a [T::Lanes],
}

impl<T: Real> Work<f64> for Store<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) {
        let (scale, shift) = (V::splat(self.scale), V::load(&f64::lanes(self.shift)));
        for (x, &i) in self.x.iter().zip(self.order) {
            let v = V::multiply_add(scale, V::load(&T::exact(x)), shift);
            self.b[i as usize] = f64::point(&V::store(v));
        }
    }
}

/// The largest coordinate; what is not a number is passed over.
pub(super) struct Largest<'a>(pub &'a [DVec3]);

impl Work<f64> for Largest<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> f64 {
        let larger = |m: f64, v: f64| if v.abs() > m { v.abs() } else { m };
        let mut most = [DVec3::ZERO; PIECES];
        for b in self.0.chunks(PIECES) {
            for (m, v) in most.iter_mut().zip(b) {
                *m = DVec3::new(larger(m.x, v.x), larger(m.y, v.y), larger(m.z, v.z));
            }
        }
        most.iter().map(|m| m.max_element()).fold(0.0, f64::max)
    }
}

#[inline(always)]
fn total<V: Simd<f64>>([a, b, c, d]: [V::Vector; PIECES]) -> DVec3 {
    let Wide([x, y, z, _]) = V::store(V::add(V::add(a, b), V::add(c, d)));
    DVec3::new(x, y, z)
}
