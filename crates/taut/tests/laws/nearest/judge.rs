//! Random and degenerate matrices, and how far from the nearest rotation ours is.

use super::double::{Double, decompose, inner};
use crate::common::Random;
use glam::{DMat3, DVec3};
use taut::linear::nearest::rotation;

/// Kinds of matrices.
pub const FAMILIES: [&str; 10] = [
    "uniform entries",
    "a rotation and a little",
    "reflected",
    "one value small",
    "two values small",
    "rank two",
    "rank one",
    "zero",
    "entries of any magnitude",
    "two values that cancel",
];

pub fn matrix(random: &mut Random, size: f64) -> DMat3 {
    DMat3::from_cols(random.vector(size), random.vector(size), random.vector(size))
}

/// A random rotation.
pub fn turn(random: &mut Random) -> DMat3 {
    let x = random.vector(1.0).normalize();
    let y = random.vector(1.0).cross(x).normalize();
    DMat3::from_cols(x, y, x.cross(y))
}

/// F number `index`: its family is `index` modulo their number.
pub fn generate(index: u64) -> DMat3 {
    let random = &mut Random(index);
    let (u, v) = (turn(random), turn(random));
    let small = random.magnitude(1e-17, 1e-1);
    let with = |x: f64, y: f64, z: f64| u * DMat3::from_diagonal(DVec3::new(x, y, z)) * v;
    let [x, y, z] = [0; 3].map(|_| random.range(0.2, 1.0));
    let sign = if random.bits() & 1 == 0 { 1.0 } else { -1.0 };
    let f = match index % FAMILIES.len() as u64 {
        0 => matrix(random, 1.0),
        1 => u + matrix(random, 0.2),
        2 => with(x, y, -z),
        3 => with(x, y, sign * z * small),
        4 => with(x, y * small, sign * z * small),
        5 => with(x, y, 0.0),
        6 => with(x, 0.0, 0.0),
        7 => DMat3::ZERO,
        8 => DMat3::from_cols_array(&[0; 9].map(|_| random.range(-1.0, 1.0) * random.magnitude(1e-20, 1.0))),
        _ => with(1.0, y, -y * (1.0 - small)),
    };
    // Every tenth of the size of the largest and the smallest numbers that must do.
    match random.bits() % 20 {
        0 => f * 1e150,
        1 => f * 1e-150,
        _ => f,
    }
}

/// The worst of some rotations.
#[derive(Debug, Clone, Copy, Default)]
pub struct Worst {
    /// Largest entry of RᵀR − 1.
    pub skew: f64,
    /// det R − 1.
    pub determinant: f64,
    /// tr RᵀF against the greatest, relative.
    pub trace: f64,
    /// R itself, times (σ₂ + σ₃)/σ₁.
    pub entries: f64,
}

impl Worst {
    pub fn add(&mut self, o: &Worst) {
        let larger = |a: f64, b: f64| if a >= b { a } else { b }; // keeps what is not a number
        self.skew = larger(self.skew, o.skew);
        self.determinant = larger(self.determinant, o.determinant);
        self.trace = larger(self.trace, o.trace);
        self.entries = larger(self.entries, o.entries);
    }

    pub fn is_sound(&self) -> bool {
        [self.skew, self.determinant, self.trace, self.entries].into_iter().all(|error| error < 1e-14)
    }
}

fn largest(m: DMat3) -> f64 {
    m.to_cols_array().iter().fold(0.0, |worst: f64, e| worst.max(e.abs()))
}

/// Ours against the oracle.
pub fn judge(f: DMat3, near: DMat3) -> Worst {
    let r = rotation(f, near);
    // The oracle's squares need room: a power of two changes nothing.
    let size = largest(f);
    let power = if size > 1e100 {
        2f64.powi(-500)
    } else if size < 1e-100 {
        2f64.powi(500)
    } else {
        1.0
    };
    let f = f * power;
    let exact = decompose(f);
    let missing = exact.trace - inner(r, f);
    let [first, second, third] = exact.values;
    let apart = (second + third) / first;
    let quotient = |Double(a, _): Double, b: f64| if b == 0.0 { a } else { a / b };
    Worst {
        skew: largest(r.transpose() * r - DMat3::IDENTITY),
        determinant: (r.determinant() - 1.0).abs(),
        trace: quotient(missing, exact.trace.0).abs(),
        entries: if apart > 1e-12 { largest(r - exact.rotation) * apart } else { 0.0 },
    }
}
