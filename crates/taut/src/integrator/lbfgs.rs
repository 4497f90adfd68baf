//! L-BFGS: the constant matrix A = M + h²L, corrected by what the last steps saw of the true Hessian (Liu, Bouaziz and
//! Kavan 2017; Nocedal and Wright, algorithm 7.4).
//!
//! ```text
//! newest to oldest:  α = s·q / s·y,   q ← q − α y          from q = ∇g
//! r = A⁻¹ q
//! oldest to newest:  β = y·r / s·y,   r ← r + (α − β) s     d = −r
//! ```
//!
//! `A⁻¹q = z − Σ α w` needs no solve of its own: `w = A⁻¹y` is the difference of two plain steps.

use super::accelerated::Acceleration;
use super::history::{History, STEPS};
use crate::linear::dot;
use glam::DVec3;

#[derive(Default)]
pub(crate) struct Lbfgs {
    history: History,
    q: Vec<DVec3>,
}

impl Acceleration for Lbfgs {
    const SEARCHES: bool = true;

    fn prepare(&mut self, rows: usize) {
        self.history.prepare(rows);
        self.q = vec![DVec3::ZERO; rows];
    }

    fn forget(&mut self) {
        self.history.forget();
    }

    fn direction(&mut self, g: &[DVec3], z: &[DVec3], d: &mut [DVec3]) -> f64 {
        self.history.end(g, z);
        let (q, r) = (&mut self.q, d);
        q.copy_from_slice(g);
        r.copy_from_slice(z);
        let mut alpha = [0.0; STEPS];
        for place in self.history.places() {
            let pair = self.history.at(place);
            let a = dot(&pair.s, q) / pair.curvature;
            q.iter_mut().zip(&pair.y).for_each(|(q, &y)| *q -= a * y);
            r.iter_mut().zip(&pair.w).for_each(|(r, &w)| *r -= a * w);
            alpha[place] = a;
        }
        for place in self.history.places().rev() {
            let pair = self.history.at(place);
            let b = dot(&pair.y, r) / pair.curvature;
            r.iter_mut().zip(&pair.s).for_each(|(r, &s)| *r += (alpha[place] - b) * s);
        }
        r.iter_mut().for_each(|r| *r = -*r);
        dot(g, r)
    }

    fn took(&mut self, t: f64, d: &mut Vec<DVec3>, g: &mut Vec<DVec3>, z: &mut Vec<DVec3>) {
        self.history.begin(t, d, g, z);
    }
}
