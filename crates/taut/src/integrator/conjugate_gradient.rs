//! Nonlinear conjugate gradients, preconditioned by the constant matrix (Hestenes and Stiefel's form, kept positive):
//!
//! ```text
//! d = −z + β s,      β = max(0, z·y / s·y),      y = ∇g(x) − ∇g(x − s)
//! ```
//!
//! s is the step before. Of all that uses one solve and one gradient per iteration this needs the fewest numbers
//! remembered and, with exact steps, as few iterations as any (docs/experiments/convergence.md).

use super::accelerated::Memory;
use crate::linear::dot;
use glam::DVec3;

#[derive(Default)]
pub(crate) struct ConjugateGradient {
    s: Vec<DVec3>,
    y: Vec<DVec3>,
    known: bool,
}

impl Memory for ConjugateGradient {
    const SEARCHES: bool = true;

    fn prepare(&mut self, rows: usize) {
        self.s = vec![DVec3::ZERO; rows];
        self.y = self.s.clone();
    }

    fn forget(&mut self) {
        self.known = false;
    }

    fn direction(&mut self, g: &[DVec3], z: &[DVec3], d: &mut [DVec3]) {
        let mut beta = 0.0;
        if self.known {
            // Until here y held the gradient before.
            self.y.iter_mut().zip(g).for_each(|(y, &g)| *y = g - *y);
            let curvature = dot(&self.s, &self.y);
            beta = if curvature > 0.0 { (dot(z, &self.y) / curvature).max(0.0) } else { 0.0 };
        }
        d.iter_mut().zip(z).zip(&self.s).for_each(|((d, &z), &s)| *d = beta * s - z);
    }

    fn took(&mut self, s: &mut Vec<DVec3>, g: &mut Vec<DVec3>, _: &mut Vec<DVec3>) {
        std::mem::swap(&mut self.s, s);
        std::mem::swap(&mut self.y, g);
        self.known = true;
    }
}
