//! Singular values in numbers of 32 digits, each the sum of two doubles: the oracle of nearest rotations.

use glam::{DMat3, DVec3};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The sum of both, the second below one rounding of the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Double(pub f64, pub f64);

const ZERO: Double = Double(0.0, 0.0);
const ONE: Double = Double(1.0, 0.0);

fn two_sum(a: f64, b: f64) -> Double {
    let s = a + b;
    let v = s - a;
    Double(s, (a - (s - v)) + (b - v))
}

impl Add for Double {
    type Output = Double;
    fn add(self, o: Double) -> Double {
        let s = two_sum(self.0, o.0);
        let t = two_sum(self.1, o.1);
        let s = two_sum(s.0, s.1 + t.0);
        two_sum(s.0, s.1 + t.1)
    }
}

impl Neg for Double {
    type Output = Double;
    fn neg(self) -> Double {
        Double(-self.0, -self.1)
    }
}

impl Sub for Double {
    type Output = Double;
    fn sub(self, o: Double) -> Double {
        self + -o
    }
}

impl Mul for Double {
    type Output = Double;
    fn mul(self, o: Double) -> Double {
        let p = self.0 * o.0;
        let e = self.0.mul_add(o.0, -p);
        two_sum(p, e + (self.0 * o.1 + self.1 * o.0))
    }
}

impl Div for Double {
    type Output = Double;
    fn div(self, o: Double) -> Double {
        let q = Double(self.0 / o.0, 0.0);
        let rest = self - q * o;
        let q = q + Double(rest.0 / o.0, 0.0);
        q + Double((self - q * o).0 / o.0, 0.0)
    }
}

impl Double {
    fn sqrt(self) -> Double {
        if self.0 <= 0.0 {
            return ZERO;
        }
        let mut root = Double(self.0.sqrt(), 0.0);
        for _ in 0..2 {
            root = (root + self / root) * Double(0.5, 0.0);
        }
        root
    }
}

type Column = [Double; 3];

fn dot(a: &Column, b: &Column) -> Double {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn columns(f: DMat3) -> [Column; 3] {
    f.to_cols_array_2d().map(|column| column.map(|e| Double(e, 0.0)))
}

/// tr AᵀB.
pub fn inner(a: DMat3, b: DMat3) -> Double {
    let (a, b) = (columns(a), columns(b));
    dot(&a[0], &b[0]) + dot(&a[1], &b[1]) + dot(&a[2], &b[2])
}

/// What an independent decomposition says of F.
pub struct Decomposed {
    /// Singular values σ₁ ≥ σ₂ ≥ σ₃, the last with the sign of det F.
    pub values: [f64; 3],
    /// The greatest trace of RᵀF, their sum.
    pub trace: Double,
    /// The nearest rotation, where σ₂ + σ₃ is not zero.
    pub rotation: DMat3,
}

/// Jacobi's method on the columns of F: F V = U Σ.
pub fn decompose(f: DMat3) -> Decomposed {
    let mut a = columns(f);
    let mut v = columns(DMat3::IDENTITY);
    for _ in 0..40 {
        let mut turned = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (pp, qq, pq) = (dot(&a[p], &a[p]), dot(&a[q], &a[q]), dot(&a[p], &a[q]));
            if pq.0.abs() <= 1e-31 * (pp.0 * qq.0).sqrt() {
                continue;
            }
            turned = true;
            let theta = (qq - pp) / (pq + pq);
            let size = Double(theta.0.abs(), theta.1 * theta.0.signum());
            let t = Double(theta.0.signum(), 0.0) / (size + (size * size + ONE).sqrt());
            let c = ONE / (t * t + ONE).sqrt();
            let s = t * c;
            for m in [&mut a, &mut v] {
                let (x, y) = (m[p], m[q]);
                m[p] = [0, 1, 2].map(|i| c * x[i] - s * y[i]);
                m[q] = [0, 1, 2].map(|i| s * x[i] + c * y[i]);
            }
        }
        if !turned {
            break;
        }
    }
    let norms = [0, 1, 2].map(|n| dot(&a[n], &a[n]).sqrt());
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| norms[j].0.total_cmp(&norms[i].0));
    let [i, j, k] = order;
    let cross = |a: &Column, b: &Column| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    // u₃ = u₁ × u₂ and v₃ = v₁ × v₂ are those of a rotation, and then σ₃ = u₃·F v₃ has the sign of det F.
    let unit = |n: usize| a[n].map(|e| e / norms[n]);
    let (u, w) = ([unit(i), unit(j), cross(&unit(i), &unit(j))], [v[i], v[j], cross(&v[i], &v[j])]);
    let third = [0, 1, 2].map(|l| (0..3).fold(ZERO, |sum, m| sum + w[2][m] * columns(f)[m][l]));
    let last = if norms[k].0 > 0.0 { dot(&u[2], &third) } else { ZERO };
    let entry = |r: usize, c: usize| (0..3).fold(ZERO, |sum, n| sum + u[n][r] * w[n][c]).0;
    let column = |c: usize| DVec3::new(entry(0, c), entry(1, c), entry(2, c));
    Decomposed {
        values: [norms[i].0, norms[j].0, last.0],
        trace: norms[i] + norms[j] + last,
        rotation: DMat3::from_cols(column(0), column(1), column(2)),
    }
}
