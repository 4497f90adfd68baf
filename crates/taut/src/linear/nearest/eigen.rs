//! Eigenvalues and eigenvectors of small symmetric matrices, by Jacobi's method: one plane after another is turned until
//! nothing is left off the diagonal. Slow and sure.
//!
//! Changing signs of coordinates commutes with every operation, so mirrored matrices have mirrored vectors, bit for bit.

use crate::math::hypot;

/// A square matrix, by rows.
pub(crate) type Square<const N: usize> = [[f64; N]; N];

/// Sweeps after which nothing changes any more: it takes five or six, and more only where there are NaN.
const SWEEPS: usize = 20;

/// The eigenvalues of a symmetric matrix, and the vector of each: `vectors[n]` belongs to `values[n]`. In no order.
pub(crate) fn eigen<const N: usize>(mut a: Square<N>) -> ([f64; N], Square<N>) {
    let mut vectors = [[0.0; N]; N];
    (0..N).for_each(|i| vectors[i][i] = 1.0);
    let largest = a.iter().flatten().fold(0.0, |m: f64, e| m.max(e.abs()));
    let negligible = f64::EPSILON / 64.0 * largest;
    for _ in 0..SWEEPS {
        let mut turned = false;
        for p in 0..N {
            for q in p + 1..N {
                if a[p][q].abs() > negligible {
                    turn(&mut a, &mut vectors, p, q);
                    turned = true;
                }
            }
        }
        if !turned {
            break;
        }
    }
    (std::array::from_fn(|i| a[i][i]), vectors)
}

/// Turn the plane of the axes p and q so that a_pq = 0.
fn turn<const N: usize>(a: &mut Square<N>, vectors: &mut Square<N>, p: usize, q: usize) {
    // The smaller root of t² + 2 θ t − 1 = 0, the tangent of the angle.
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + hypot(theta, 1.0));
    let c = 1.0 / hypot(t, 1.0);
    let s = t * c;
    let off = a[p][q];
    a[p][p] -= t * off;
    a[q][q] += t * off;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    for k in (0..N).filter(|&k| k != p && k != q) {
        let (kp, kq) = (a[k][p], a[k][q]);
        (a[k][p], a[k][q]) = (c * kp - s * kq, s * kp + c * kq);
        (a[p][k], a[q][k]) = (a[k][p], a[k][q]);
    }
    let (vp, vq) = (vectors[p], vectors[q]);
    vectors[p] = std::array::from_fn(|k| c * vp[k] - s * vq[k]);
    vectors[q] = std::array::from_fn(|k| s * vp[k] + c * vq[k]);
}
