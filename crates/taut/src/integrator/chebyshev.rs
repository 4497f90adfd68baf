//! Chebyshev acceleration (Wang 2015): plain steps over-relaxed by a fixed sequence,
//!
//! ```text
//! x⁺ = ω (x − z − x⁻) + x⁻,   that is   d = −ω z + (ω − 1) s,      s = x − x⁻ the step before,
//! ω = 1 for a few iterations, then 2/(2 − ρ²), then 4/(4 − ρ²ω).
//! ```
//!
//! ρ estimates the factor by which the error shrinks per plain iteration. Too large a guess is caught by the
//! safeguard, which starts the sequence again.

use super::accelerated::Acceleration;
use crate::linear::dot;
use glam::DVec3;

#[derive(Default)]
pub(crate) struct Chebyshev {
    /// The step before was t s.
    t: f64,
    s: Vec<DVec3>,
    omega: f64,
    iterations: usize,
}

/// Of 0.99, 0.997 and 0.999 the best on the Curtain at k = 100, 1000 and 10⁴ N/m (docs/experiments/convergence.md).
const RHO: f64 = 0.999;
/// Plain iterations first: they take out what is stiff.
const DELAY: usize = 5;

impl Acceleration for Chebyshev {
    const SEARCHES: bool = false;

    fn prepare(&mut self, rows: usize) {
        self.s = vec![DVec3::ZERO; rows];
    }

    fn forget(&mut self) {
        self.iterations = 0;
    }

    fn direction(&mut self, g: &[DVec3], z: &[DVec3], d: &mut [DVec3]) -> f64 {
        self.omega = match self.iterations {
            n if n < DELAY => 1.0,
            DELAY => 2.0 / (2.0 - RHO * RHO),
            _ => 4.0 / (4.0 - RHO * RHO * self.omega),
        };
        let omega = self.omega;
        let inertia = (omega - 1.0) * self.t;
        d.iter_mut().zip(z).zip(&self.s).for_each(|((d, &z), &s)| *d = inertia * s - omega * z);
        dot(g, d)
    }

    fn took(&mut self, t: f64, d: &mut Vec<DVec3>, _: &mut Vec<DVec3>, _: &mut Vec<DVec3>) {
        std::mem::swap(&mut self.s, d);
        self.t = t;
        self.iterations += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second form of the formula above against the first, with steps that were cut short.
    #[test]
    fn the_step_before_counts_as_long_as_it_was() {
        let mut memory = Chebyshev::default();
        memory.prepare(1);
        let (mut before, mut x) = (DVec3::ZERO, DVec3::X);
        for t in [1.0, 0.5, 1.0, 0.25, 1.0, 0.5, 0.25, 1.0, 0.5] {
            let z = DVec3::new(0.3, -0.1, 0.2) * x;
            let mut d = vec![DVec3::ZERO];
            memory.direction(&[z], &[z], &mut d);
            let there = memory.omega * (x - z - before) + before;
            assert!((x + d[0] - there).length() <= 1e-15 * (x.length() + there.length()), "{t}");
            (before, x) = (x, x + t * d[0]);
            memory.took(t, &mut d, &mut Vec::new(), &mut Vec::new());
        }
        assert!(memory.omega > 1.5, "over-relaxed by then");
    }
}
