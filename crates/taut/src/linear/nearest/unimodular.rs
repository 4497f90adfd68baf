//! Of all positive numbers whose product is 1, those nearest to some others: min Σ (xᵢ − σᵢ)² where Πxᵢ = 1.
//!
//! Where the distance is stationary xᵢ − σᵢ = μ/xᵢ for one μ, so that
//!
//! ```text
//! xᵢ = (σᵢ + dᵢ)/2   or   (σᵢ − dᵢ)/2,     dᵢ = √(σᵢ² + 4μ)
//! ```
//!
//! If Πσᵢ ≤ 1, or some σᵢ ≤ 0, the numbers must grow: μ ≥ 0, all signs are +, the product grows with μ, and there is one
//! answer. Else they must shrink, μ < 0, and a − can be worth it: it is shorter to flatten a large cube than to shrink
//! it. Two of them are not (the distance would have a maximum between the two), and it is the smallest σ that has it.
//! With t the smallest x, μ = t (t − σ) for both signs, and ln Πx is one function of t ∈ (0, min(σ, 1)\]: −∞ on the left,
//! ≥ 0 on the right. It has one root, or three where the smallest σ is nearly as large as the greatest; all are found and
//! compared.

use crate::math::{exp, ln};

/// Pieces in which roots are looked for where there may be three. A root hidden inside a piece is a minimum that is about to
/// vanish, and another is nearer.
const PIECES: u32 = 32;
/// There is one root where the smallest σ is less than this times the greatest: up to 2√2/3 = 0.943 it can be shown.
const ALIKE: f64 = 0.9;
/// Steps of a root search: each at least halves a bracket, in the number or in its logarithm.
const STEPS: usize = 200;

/// The nearest x to σ, which is sorted from the greatest, and its μ. Of two equally near the one with the greater
/// smallest number.
pub(super) fn product_one<const N: usize>(sigma: [f64; N]) -> ([f64; N], f64) {
    let last = sigma[N - 1];
    if last > 0.0 && product(&sigma) > 0.0 { shrunk(sigma, last) } else { grown(sigma, last) }
}

/// ln Πx.
fn product(x: &[f64]) -> f64 {
    x.iter().map(|&x| ln(x)).sum()
}

fn grown<const N: usize>(sigma: [f64; N], last: f64) -> ([f64; N], f64) {
    let x = |mu: f64| {
        sigma.map(|s| {
            let d = (s * s + 4.0 * mu).sqrt();
            if s < 0.0 { 2.0 * mu / (d - s) } else { 0.5 * (s + d) }
        })
    };
    let value = |mu: f64| {
        let x = x(mu);
        let slope = x.iter().zip(sigma).map(|(x, s)| 1.0 / (x * (2.0 * x - s))).sum::<f64>();
        (product(&x), slope * mu)
    };
    if product(&sigma) == 0.0 && last > 0.0 {
        return (sigma, 0.0);
    }
    // At μ = 1 − σ the smallest x is 1.
    let mu = root(f64::MIN_POSITIVE, 1.0 - last, value);
    (x(mu), mu)
}

fn shrunk<const N: usize>(sigma: [f64; N], last: f64) -> ([f64; N], f64) {
    let x = |t: f64| {
        let double = 2.0 * t - last;
        let mut x = sigma.map(|s| 0.5 * (s + ((s - last) * (s + last) + double * double).sqrt()));
        x[N - 1] = t;
        x
    };
    let value = |t: f64| {
        let x = x(t);
        let others = x.iter().zip(sigma).take(N - 1).map(|(x, s)| 1.0 / (x * (2.0 * x - s))).sum::<f64>();
        (product(&x), 1.0 + t * (2.0 * t - last) * others)
    };
    let (end, pieces) = (last.min(1.0), if last > ALIKE * sigma[0] { PIECES } else { 1 });
    let edge = |k: u32| (end * f64::from(k) / f64::from(pieces)).max(f64::MIN_POSITIVE);
    let distance = |x: &[f64; N]| x.iter().zip(sigma).map(|(x, s)| (x - s) * (x - s)).sum::<f64>();
    let mut best = None;
    for k in (0..pieces).rev() {
        let (low, high) = (edge(k), edge(k + 1));
        if k + 1 == pieces && value(high).0 < 0.0 {
            best = Some(high); // zero, but for rounding
        }
        if value(low).0 < 0.0 && value(high).0 >= 0.0 {
            let found = root(low, high, value);
            if best.is_none_or(|t| distance(&x(found)) < distance(&x(t))) {
                best = Some(found);
            }
        }
    }
    let t = best.unwrap_or(end);
    (x(t), t * (t - last))
}

/// The root of a function that is negative at `low` and not at `high`, both positive. It gives its value, and its
/// derivative times its argument: by that with respect to the logarithm. Newton's method, inside a bracket.
fn root(mut low: f64, mut high: f64, value: impl Fn(f64) -> (f64, f64)) -> f64 {
    let (mut at, mut before) = (high, f64::INFINITY);
    for _ in 0..STEPS {
        let (now, slope) = value(at);
        if now == 0.0 {
            break;
        }
        *(if now < 0.0 { &mut low } else { &mut high }) = at;
        // Newton's method in the number itself where that changes it little, else in its logarithm.
        let change = now / slope;
        let newton = if change.abs() < 0.5 { at - at * change } else { at * exp(-change) };
        let inside = newton > low && newton < high && now.abs() < 0.5 * before;
        let middle = if high > 4.0 * low { low.sqrt() * high.sqrt() } else { 0.5 * (low + high) };
        let next = if inside { newton } else { middle };
        if next == at || next <= low && low == at || next >= high && high == at {
            break;
        }
        (at, before) = (next, now.abs());
    }
    at
}
