//! Nonlinear conjugate gradients, preconditioned by the constant matrix (Hestenes and Stiefel's form, kept positive):
//!
//! ```text
//! d = −z + β s,      β = max(0, z·y / s·y),      y = ∇g(x) − ∇g(x − s)
//! ```
//!
//! s is the step before, or any positive multiple of it: β s is the same. Of all that uses one solve and one gradient per
//! iteration this needs the fewest numbers remembered and, with exact steps, as few iterations as any
//! (docs/experiments/convergence.md).

use super::accelerated::Acceleration;
use crate::kernel::{Kernel, Simd, Wide, Work, run, vectors};
use crate::linear::dot;
use glam::DVec3;

#[derive(Default)]
pub(crate) struct ConjugateGradient {
    s: Vec<DVec3>,
    /// The gradient before.
    before: Vec<DVec3>,
    known: bool,
}

impl Acceleration for ConjugateGradient {
    const SEARCHES: bool = true;

    fn prepare(&mut self, rows: usize) {
        self.s = vec![DVec3::ZERO; rows];
        self.before = self.s.clone();
    }

    fn forget(&mut self) {
        self.known = false;
    }

    fn direction(&mut self, g: &[DVec3], z: &[DVec3], d: &mut [DVec3]) -> f64 {
        if !self.known {
            d.iter_mut().zip(z).for_each(|(d, &z)| *d = -z);
            return -dot(g, z);
        }
        let [zy, sy, zg, sg] = run(Kernel::detected(), Products { z, s: &self.s, g, before: &self.before });
        let beta = if sy > 0.0 { (zy / sy).max(0.0) } else { 0.0 };
        d.iter_mut().zip(z).zip(&self.s).for_each(|((d, &z), &s)| *d = beta * s - z);
        beta * sg - zg
    }

    fn took(&mut self, _: f64, d: &mut Vec<DVec3>, g: &mut Vec<DVec3>, _: &mut Vec<DVec3>) {
        std::mem::swap(&mut self.s, d);
        std::mem::swap(&mut self.before, g);
        self.known = true;
    }
}

/// `[z·y, s·y, z·g, s·g]` with `y = g − before`, in one pass: what takes time is reading.
struct Products<'a> {
    z: &'a [DVec3],
    s: &'a [DVec3],
    g: &'a [DVec3],
    before: &'a [DVec3],
}

impl Work<f64> for Products<'_> {
    type Output = [f64; 4];
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> [f64; 4] {
        let mut sums = [[V::splat(0.0); 3]; 4];
        let ((z, z_rest), (s, s_rest)) = (self.z.as_chunks::<4>(), self.s.as_chunks::<4>());
        let ((g, g_rest), (before, before_rest)) = (self.g.as_chunks::<4>(), self.before.as_chunks::<4>());
        for (((z, s), g), before) in z.iter().zip(s).zip(g).zip(before) {
            let (z, s) = (vectors::<V>(z), vectors::<V>(s));
            let (g, before) = (vectors::<V>(g), vectors::<V>(before));
            for c in 0..3 {
                add::<V>(&mut sums, c, [z[c], s[c], g[c], before[c]]);
            }
        }
        for (((z, s), g), before) in z_rest.iter().zip(s_rest).zip(g_rest).zip(before_rest) {
            let (z, s) = (V::point(z.as_ref()), V::point(s.as_ref()));
            add::<V>(&mut sums, 0, [z, s, V::point(g.as_ref()), V::point(before.as_ref())]);
        }
        let mut totals = [0.0; 4];
        for (total, sum) in totals.iter_mut().zip(sums) {
            let Wide([a, b, c, d]) = V::store(V::add(V::add(sum[0], sum[1]), sum[2]));
            *total = (a + b) + (c + d);
        }
        totals
    }
}

/// Add the four products of some vectors to the c-th sums.
#[inline(always)]
fn add<V: Simd<f64>>(sums: &mut [[V::Vector; 3]; 4], c: usize, [z, s, g, before]: [V::Vector; 4]) {
    let y = V::subtract(g, before);
    sums[0][c] = V::multiply_add(z, y, sums[0][c]);
    sums[1][c] = V::multiply_add(s, y, sums[1][c]);
    sums[2][c] = V::multiply_add(z, g, sums[2][c]);
    sums[3][c] = V::multiply_add(s, g, sums[3][c]);
}
