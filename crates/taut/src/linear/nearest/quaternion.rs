//! The nearest rotation to any matrix at all, by its quaternion (Horn 1987).
//!
//! tr RᵀF is a quadratic form qᵀKq in q = (w, x, y, z), whose greatest eigenvalue Jacobi's method finds for any F. Where
//! σ₂ + σ₃ = 0 a space of quaternions shares it: in this space the nearest to another matrix is found in the same way, and
//! in what is left then the nearest to 1.

use super::eigen::{Square, eigen};
use glam::{DMat3, DVec3};

/// Eigenvalues of matrices with ‖F‖ = 1 this near to each other are the same.
pub(super) const SAME: f64 = 16.0 * f64::EPSILON;

/// The nearest rotation by its quaternion, for any F.
#[cold]
pub(super) fn by_quaternion(f: DMat3, near: DMat3) -> DMat3 {
    let mut space: Square<4> = eigen([[0.0; 4]; 4]).1;
    let mut size = 4;
    for m in [f, near, DMat3::IDENTITY] {
        // K in the space that is left; what is outside stays below everything in it.
        let k = form(m);
        let inside = |i: usize, j: usize| -> f64 {
            (0..4)
                .flat_map(|a| (0..4).map(move |b| (a, b)))
                .map(|(a, b)| space[i][a] * k[a][b] * space[j][b])
                .sum()
        };
        let entry = |i: usize, j: usize| match i.max(j) < size {
            true => inside(i.min(j), i.max(j)),
            false if i == j => -4.0,
            false => 0.0,
        };
        let restricted: Square<4> = std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)));
        let (values, vectors) = eigen(restricted);
        let top = values.iter().fold(f64::NEG_INFINITY, |m: f64, v| m.max(*v));
        let mut kept = [[0.0; 4]; 4];
        size = 0;
        for n in (0..4).filter(|&n| values[n] >= top - SAME) {
            kept[size] = std::array::from_fn(|a| (0..4).map(|i| vectors[n][i] * space[i][a]).sum());
            size += 1;
        }
        space = kept;
        if size < 2 {
            break;
        }
    }
    matrix(space[0])
}

/// The K for which tr RᵀF = ‖F‖ qᵀKq, with q = (w, x, y, z) the quaternion of R. Zero for F = 0.
fn form(f: DMat3) -> Square<4> {
    let f = f.to_cols_array_2d();
    let norm = f.iter().flatten().map(|e| e * e).sum::<f64>().sqrt();
    // Entry in row i and column j, counted from one as in the formulas.
    let f = |i: usize, j: usize| if norm == 0.0 { 0.0 } else { f[j - 1][i - 1] / norm };
    let (xx, yy, zz) = (f(1, 1), f(2, 2), f(3, 3));
    let (wx, wy, wz) = (f(3, 2) - f(2, 3), f(1, 3) - f(3, 1), f(2, 1) - f(1, 2));
    let (xy, xz, yz) = (f(1, 2) + f(2, 1), f(1, 3) + f(3, 1), f(2, 3) + f(3, 2));
    [
        [xx + yy + zz, wx, wy, wz],
        [wx, xx - yy - zz, xy, xz],
        [wy, xy, yy - xx - zz, yz],
        [wz, xz, yz, zz - xx - yy],
    ]
}

/// The rotation of a quaternion of about unit length.
fn matrix(q: [f64; 4]) -> DMat3 {
    let length = q.iter().map(|e| e * e).sum::<f64>().sqrt();
    let [w, x, y, z] = q.map(|e| e / length);
    DMat3::from_cols(
        DVec3::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
        DVec3::new(2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
        DVec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)),
    )
}
