//! What a solve does before and after its passes: carry points between the caller, who has them in f64 and in the order
//! of the rows, and the factor, which has them scaled, rounded and in elimination order.

use crate::kernel::{Real, Simd, Wide, Work, vectors};
use glam::DVec3;

/// Running sums kept side by side: with a single one every addition would wait for the last.
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
        let (x, last) = x.as_chunks_mut::<PIECES>();
        let (order, rest) = order.as_chunks::<PIECES>();
        for (x, order) in x.iter_mut().zip(order) {
            for k in 0..PIECES {
                let v = V::point(b[order[k] as usize].as_ref());
                x[k] = T::rounded(&V::store(V::multiply(scale, v)));
                sums[k] = V::add(sums[k], v);
            }
        }
        for (x, &i) in last.iter_mut().zip(rest) {
            let v = V::point(b[i as usize].as_ref());
            *x = T::rounded(&V::store(V::multiply(scale, v)));
            sums[0] = V::add(sums[0], v);
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
        let (x, last) = self.x.as_chunks::<PIECES>();
        let (weights, rest) = self.weights.as_chunks::<PIECES>();
        for (x, weights) in x.iter().zip(weights) {
            for k in 0..PIECES {
                sums[k] = V::multiply_add(V::splat(weights[k]), V::load(&T::exact(&x[k])), sums[k]);
            }
        }
        for (x, &w) in last.iter().zip(rest) {
            sums[0] = V::multiply_add(V::splat(w), V::load(&T::exact(x)), sums[0]);
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
        let (scale, shift) = (V::splat(self.scale), V::point(self.shift.as_ref()));
        for (x, &i) in self.x.iter().zip(self.order) {
            let v = V::multiply_add(scale, V::load(&T::exact(x)), shift);
            self.b[i as usize] = f64::point(&V::store(v));
        }
    }
}

/// The largest magnitude of any coordinate; NaN is ignored.
pub(super) struct Largest<'a>(pub &'a [DVec3]);

impl Work<f64> for Largest<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> f64 {
        let (fours, rest) = self.0.as_chunks::<4>();
        let zero = V::splat(0.0);
        let mut most = [zero; 3];
        for four in fours {
            for (most, v) in most.iter_mut().zip(vectors::<V>(four)) {
                *most = V::max(V::max(v, V::subtract(zero, v)), *most);
            }
        }
        for p in rest {
            let v = V::point(p.as_ref());
            most[0] = V::max(V::max(v, V::subtract(zero, v)), most[0]);
        }
        let Wide(most) = V::store(V::max(V::max(most[0], most[1]), most[2]));
        most.into_iter().fold(0.0, f64::max)
    }
}

/// The sum of the running sums.
#[inline(always)]
fn total<V: Simd<f64>>([a, b, c, d]: [V::Vector; PIECES]) -> DVec3 {
    let Wide([x, y, z, _]) = V::store(V::add(V::add(a, b), V::add(c, d)));
    DVec3::new(x, y, z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Kernel, run};

    #[test]
    fn the_largest_coordinate_is_found_wherever_it_is() {
        for kernel in Kernel::available() {
            for (size, place) in (1..12).flat_map(|size| (0..3 * size).map(move |place| (size, place))) {
                let mut v = vec![DVec3::ONE; size];
                v[place / 3][place % 3] = -7.0;
                assert_eq!(run(kernel, Largest(&v)), 7.0, "{place} of {size}, {kernel:?}");
            }
        }
    }
}
