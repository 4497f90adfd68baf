//! Anderson acceleration of the fixed point `x = x − z(x)` (Peng et al. 2018): the combination of the last steps whose
//! plain steps nearly cancel,
//!
//! ```text
//! γ = argmin ‖z − Σ γ w‖_A,      d = −(z − Σ γ w) − Σ γ s
//! ```
//!
//! A = M + h²L, so that `wᵢ·A wⱼ = wᵢ·yⱼ` and `wᵢ·A z = wᵢ·∇g` cost no product with A.

use super::accelerated::Acceleration;
use super::history::{History, STEPS};
use crate::linear::dot;
use glam::DVec3;

#[derive(Default)]
pub(crate) struct Anderson {
    history: History,
    /// wᵢ·yⱼ by places.
    products: [[f64; STEPS]; STEPS],
}

/// Steps that say nothing new, to this part of their own square, are left out.
const INDEPENDENT: f64 = 1e-10;

impl Acceleration for Anderson {
    const SEARCHES: bool = false;

    fn prepare(&mut self, rows: usize) {
        self.history.prepare(rows);
    }

    fn forget(&mut self) {
        self.history.forget();
    }

    fn direction(&mut self, g: &[DVec3], z: &[DVec3], d: &mut [DVec3]) -> f64 {
        if let Some(new) = self.history.end(g, z) {
            for place in self.history.places() {
                let product = dot(&self.history.at(place).w, &self.history.at(new).y);
                (self.products[place][new], self.products[new][place]) = (product, product);
            }
        }
        let (mut a, mut gamma) = ([[0.0; STEPS]; STEPS], [0.0; STEPS]);
        for (row, i) in self.history.places().enumerate() {
            gamma[row] = dot(&self.history.at(i).w, g);
            self.history.places().enumerate().for_each(|(column, j)| a[row][column] = self.products[i][j]);
        }
        eliminate(&mut a, &mut gamma, self.history.places().count());
        d.iter_mut().zip(z).for_each(|(d, &z)| *d = -z);
        for (place, gamma) in self.history.places().zip(gamma) {
            let pair = self.history.at(place);
            d.iter_mut().zip(&pair.w).zip(&pair.s).for_each(|((d, &w), &s)| *d += gamma * (w - s));
        }
        dot(g, d)
    }

    fn took(&mut self, t: f64, d: &mut Vec<DVec3>, g: &mut Vec<DVec3>, z: &mut Vec<DVec3>) {
        self.history.begin(t, d, g, z);
    }
}

/// Solve the first `n` rows of a semidefinite system, b becoming the solution; zero in rows that depend on those
/// before.
fn eliminate(a: &mut [[f64; STEPS]; STEPS], b: &mut [f64; STEPS], n: usize) {
    let squares: [f64; STEPS] = std::array::from_fn(|i| a[i][i]);
    let counts = |a: &[[f64; STEPS]; STEPS], i: usize| a[i][i] > INDEPENDENT * squares[i];
    for k in 0..n {
        if !counts(a, k) {
            continue;
        }
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            (k..n).for_each(|j| a[i][j] -= factor * a[k][j]);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let later: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = if counts(a, k) { (b[k] - later) / a[k][k] } else { 0.0 };
    }
}
