//! Projections of F that keep its singular vectors, and how they change with F.
//!
//! With the nearest rotation R, RᵀF = VΣVᵀ is symmetric, and F = U Σ Vᵀ with U = RV. A projection puts other numbers x in
//! the place of the singular values σ, the last of which has the sign of det F: P = U X Vᵀ. Along dF it changes by
//! U dP̂ Vᵀ, where in each pair of directions the even and the odd part of dF̂ = UᵀdF V are stretched,
//!
//! ```text
//! dP̂ᵢᵢ = Σ ∂xᵢ/∂σⱼ dF̂ⱼⱼ
//! dP̂ᵢⱼ + dP̂ⱼᵢ = (xᵢ − xⱼ)/(σᵢ − σⱼ) (dF̂ᵢⱼ + dF̂ⱼᵢ)
//! dP̂ᵢⱼ − dP̂ⱼᵢ = (xᵢ + xⱼ)/(σᵢ + σⱼ) (dF̂ᵢⱼ − dF̂ⱼᵢ)
//! ```
//!
//! A membrane, F of two columns, is the case of a third column of zeros: σ₃ = x₃ = 0. Where a projection jumps, its
//! derivative is put to zero in the directions across.

use super::eigen::eigen;
use super::membrane::frame;
use super::rotation::rotation;
use super::unimodular::product_one;
use glam::{DMat3, DVec3};

/// Below this, in terms of σ₁, a quotient has lost its digits.
const LOST: f64 = 16.0 * f64::EPSILON;
/// The pairs of directions.
const PAIRS: [[usize; 2]; 3] = [[1, 2], [0, 2], [0, 1]];

/// A matrix taken apart: F = R V Σ Vᵀ.
#[derive(Debug, Clone, Copy)]
pub struct Principal {
    /// The nearest rotation R; of a membrane the third column is the normal.
    pub rotation: DMat3,
    /// Principal directions in the rest pose, the columns of V.
    pub axes: DMat3,
    /// Singular values σ₁ ≥ σ₂ ≥ σ₃, the last with the sign of det F. Zero for a membrane.
    pub values: [f64; 3],
    /// Directions it has: 2 for a membrane, else 3.
    directions: usize,
}

/// The nearest matrix of some kind, and its derivative.
#[derive(Debug, Clone, Copy)]
pub struct Projection {
    /// The nearest matrix P; of a membrane the third column is zero.
    pub nearest: DMat3,
    left: DMat3,
    right: DMat3,
    /// ∂xᵢ/∂σⱼ.
    along: [[f64; 3]; 3],
    /// (xᵢ − xⱼ)/(σᵢ − σⱼ) and (xᵢ + xⱼ)/(σᵢ + σⱼ) of each pair.
    even: [f64; 3],
    odd: [f64; 3],
}

impl Principal {
    /// Take a matrix apart. `near` decides about R where the nearest rotation is not unique.
    pub fn of(f: DMat3, near: DMat3) -> Self {
        Principal::from_rotation(f, rotation(f, near), 3)
    }

    /// The same for a membrane, a matrix of two columns.
    pub fn of_membrane(f: [DVec3; 2], near: [DVec3; 2]) -> Self {
        Principal::from_rotation(DMat3::from_cols(f[0], f[1], DVec3::ZERO), frame(f, near), 2)
    }

    fn from_rotation(f: DMat3, rotation: DMat3, directions: usize) -> Self {
        let stretch = (rotation.transpose() * f).to_cols_array_2d();
        let even = |i: usize, j: usize| 0.5 * (stretch[i][j] + stretch[j][i]);
        let inside = |i: usize, j: usize| if i.max(j) < directions { even(i, j) } else { 0.0 };
        let (values, vectors) = eigen::<3>([0, 1, 2].map(|i| [0, 1, 2].map(|j| inside(i, j))));
        let mut order = [0, 1, 2];
        order[..directions].sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        let [a, b, c] = order.map(|n| DVec3::from_array(vectors[n]));
        Principal { rotation, axes: DMat3::from_cols(a, b, c), values: order.map(|n| values[n]), directions }
    }

    /// Of `factor` F, a positive number.
    pub fn scaled(self, factor: f64) -> Self {
        Principal { values: self.values.map(|s| s * factor), ..self }
    }

    /// The nearest rotation.
    pub fn rotated(&self) -> Projection {
        if self.directions == 3 {
            return Projection { nearest: self.rotation, ..self.projection([1.0; 3], [0.0; 3]) };
        }
        let nearest = DMat3 { z_axis: DVec3::ZERO, ..self.rotation };
        Projection { nearest, ..self.projection([1.0, 1.0, 0.0], [0.0; 3]) }
    }

    /// The nearest matrix whose singular values are between `low` and `high`. For membranes, or where no σ is negative.
    pub fn clamped(&self, low: f64, high: f64) -> Projection {
        let clamp = |n: usize| if n < self.directions { self.values[n].max(low).min(high) } else { 0.0 };
        let x = [0, 1, 2].map(clamp);
        self.projection(x, [0, 1, 2].map(|n| if x[n] == self.values[n] { 1.0 } else { 0.0 }))
    }

    /// The nearest matrix of determinant 1; of a membrane the nearest that keeps areas, σ₁σ₂ = 1. Of several the one
    /// that is the least flattened; of a multiple of a rotation that is to be flattened, one is the answer.
    pub fn unimodular(&self) -> Projection {
        let [a, b, c] = self.values;
        let (x, mu) = match self.directions {
            3 => product_one([a, b, c]),
            _ => {
                let ([a, b], mu) = product_one([a, b]);
                ([a, b, 0.0], mu)
            }
        };
        // With gᵢ = xᵢ² + μ: dxᵢ = (xᵢ² dσᵢ + xᵢ dμ)/gᵢ, where dμ keeps Σ dxᵢ/xᵢ = 0.
        let g = |n: usize| x[n] * x[n] + mu;
        let mut projection = self.projection(x, [0.0; 3]);
        projection.along = if self.directions == 3 {
            let total = g(0) * g(1) + g(0) * g(2) + g(1) * g(2);
            [0, 1, 2].map(|i| {
                [0, 1, 2].map(|j| match i == j {
                    true => quotient(x[i] * x[i] * (g((i + 1) % 3) + g((i + 2) % 3)), total),
                    false => -quotient(x[i] * x[j] * g(3 - i - j), total),
                })
            })
        } else {
            let own = |i: usize, j: usize| quotient(x[i] * x[j], g(0) + g(1));
            [[own(0, 0), -own(0, 1), 0.0], [-own(1, 0), own(1, 1), 0.0], [0.0; 3]]
        };
        for (n, [i, j]) in PAIRS.into_iter().enumerate().filter(|(_, [_, j])| *j < self.directions) {
            projection.even[n] = quotient(x[i] * x[j], x[i] * x[j] + mu);
            projection.odd[n] = quotient(x[i] * x[j], x[i] * x[j] - mu);
        }
        projection
    }

    /// The projection with singular values x, each of which depends on its own σ, with these slopes.
    fn projection(&self, x: [f64; 3], slopes: [f64; 3]) -> Projection {
        let left = self.rotation * self.axes;
        let (s, least) = (self.values, LOST * self.values[0]);
        let mut along = [[0.0; 3]; 3];
        (0..3).for_each(|n| along[n][n] = slopes[n]);
        let (mut even, mut odd) = ([0.0; 3], [0.0; 3]);
        for (n, [i, j]) in PAIRS.into_iter().enumerate() {
            let ratio = |a: f64, b: f64, limit| if b > least { a / b } else { limit };
            even[n] = ratio(
                x[i] - x[j],
                s[i] - s[j],
                if j < self.directions { slopes[i].min(slopes[j]) } else { 0.0 },
            );
            odd[n] = ratio(x[i] + x[j], s[i] + s[j], 0.0);
        }
        let nearest = left * DMat3::from_diagonal(DVec3::from_array(x)) * self.axes.transpose();
        Projection { nearest, left, right: self.axes, along, even, odd }
    }
}

/// a/b, or zero where there is no such number.
fn quotient(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    if quotient.is_finite() { quotient } else { 0.0 }
}

impl Projection {
    /// The same with a derivative of at most 1 in every pair of directions, as it has it in all but compressed shapes.
    pub fn bounded(&self) -> Projection {
        let [even, odd] = [self.even, self.odd].map(|quotients| quotients.map(|q| q.min(1.0)));
        Projection { even, odd, ..*self }
    }

    /// dP along dF.
    pub fn change(&self, df: DMat3) -> DMat3 {
        // Columns first, as glam has it: d[j][i] is the entry in row i and column j.
        let d = (self.left.transpose() * df * self.right).to_cols_array_2d();
        let mut out = [[0.0; 3]; 3];
        for (i, along) in self.along.iter().enumerate() {
            out[i][i] = (0..3).map(|j| along[j] * d[j][j]).sum();
        }
        for (n, [i, j]) in PAIRS.into_iter().enumerate() {
            let even = 0.5 * self.even[n] * (d[j][i] + d[i][j]);
            let odd = 0.5 * self.odd[n] * (d[j][i] - d[i][j]);
            (out[j][i], out[i][j]) = (even + odd, even - odd);
        }
        self.left * DMat3::from_cols_array_2d(&out) * self.right.transpose()
    }
}
