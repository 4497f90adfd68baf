//! Choi–Ko bend springs: a thin strip that buckles into an arc when its ends approach each other.
//!
//! A strip of length L and bending stiffness k_b whose ends are |x| < L apart is an arc of curvature 2φ/L with
//! `sinc φ = |x|/L`, φ ∈ [0, π], and has the energy ½ k_b L (2φ/L)². With `D = sinc φ − cos φ` and
//! `G = 3D − φ sin φ` it pushes its ends apart with
//!
//! ```text
//! f = (4k_b/L²) φ²/D,      df/d|x| = −(4k_b/L³) φ² G/D³,      f = 0 for |x| ≥ L
//! ```
//!
//! which jumps from 0 to the buckling load 12k_b/L² at |x| = L. So it is capped, `f* = min(f, c_b (L − |x|))`:
//! linear from L down to the one crossing x_c, an arc below. \[BA04\] §2, after Choi & Ko 2002; the closed forms are
//! ours: differentiate the energy, with `d(sinc φ)/dφ = −D/φ`.
//!
//! All functions of φ are sums over `u_k = (−1)^{k+1} φ^{2k}/(2k+1)!`: `1 − sinc φ = Σ u_k`, `D = Σ 2k u_k`,
//! `G = −Σ 4k(k−1) u_k`. On [0, π] they lose no digits, and they need no library whose last bit differs from machine to
//! machine. Does not handle: plasticity, hysteresis, strips that are curved at rest.

use std::f64::consts::PI;

/// Terms of the series: at φ = π the next is below 1e-17 of the sum.
const TERMS: usize = 16;

/// (1 − sinc φ, D, G) from φ².
fn sums(squared: f64) -> (f64, f64, f64) {
    let (mut u, mut v, mut d, mut g) = (-1.0, 0.0, 0.0, 0.0);
    for k in 1..=TERMS {
        let n = 2.0 * k as f64;
        u *= -squared / (n * (n + 1.0));
        v += u;
        d += n * u;
        g -= n * (n - 2.0) * u;
    }
    (v, d, g)
}

/// φ² where `1 − sinc φ = t`, for t ∈ [0, 1].
fn arc(t: f64) -> f64 {
    // Right at both ends (φ² = 6t + 1.8t² for small t, π² at t = 1), and within 0.4 % between.
    let mut phi = (t * (6.0 + t * (1.8 + t * (PI * PI - 7.8)))).sqrt();
    for _ in 0..4 {
        let (v, d, _) = sums(phi * phi);
        // Newton's correction, except where rounding has left nothing to correct.
        phi += if d > 0.0 { (t - v) * phi / d } else { 0.0 };
    }
    phi * phi
}

/// Where the cap crosses the arc, x_c/L: `φ²/D = κ (1 − sinc φ)` with κ = c_b L³/(4k_b) ≥ π².
pub(crate) fn crossing(kappa: f64) -> f64 {
    let (mut low, mut high) = (0.0, PI * PI);
    // φ² by bisection, as far as doubles go.
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return (1.0 - sums(low).0).max(0.0);
        }
        let (v, d, _) = sums(middle);
        *(if middle / d > kappa * v { &mut low } else { &mut high }) = middle;
    }
}

/// The smallest cap c_b [N/m] for a strip: below, the linear branch would not meet the arc.
pub(crate) fn least_cap(length: f64, bending: f64) -> f64 {
    4.0 * PI * PI * bending / (length * length * length)
}

/// The steepest slope −df*/d|x| anywhere [N/m].
pub(crate) fn stiffest(length: f64, bending: f64, cap: f64) -> f64 {
    cap.max(3.0 * least_cap(length, bending))
}

/// A strip: L \[m\], k_b [N·m²], c_b [N/m], x_c \[m\].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Strip {
    pub length: f64,
    pub bending: f64,
    pub cap: f64,
    pub crossing: f64,
}

impl Strip {
    /// φ² at a distance x < L of the ends.
    fn arc(&self, x: f64) -> f64 {
        arc((self.length - x) / self.length)
    }

    /// Force pushing the ends apart \[N\] and its slope −df*/d|x| [N/m] at a distance x of the ends \[m\].
    pub fn push(&self, x: f64) -> (f64, f64) {
        let (l, k) = (self.length, self.bending);
        if x >= l {
            return (0.0, 0.0);
        }
        if x >= self.crossing {
            return (self.cap * (l - x), self.cap);
        }
        let squared = self.arc(x);
        let (_, d, g) = sums(squared);
        (4.0 * k / (l * l) * (squared / d), 4.0 * k / (l * l * l) * (squared * g / (d * d * d)))
    }

    /// Energy \[J\] at a distance x of the ends \[m\].
    pub fn energy(&self, x: f64) -> f64 {
        if x >= self.length {
            return 0.0;
        }
        let linear = self.length - x.max(self.crossing);
        let energy = 0.5 * self.cap * linear * linear;
        if x >= self.crossing {
            return energy;
        }
        energy + 2.0 * self.bending / self.length * (self.arc(x) - self.arc(self.crossing))
    }

    /// E(to) − E(from) \[J\], where `difference` = to − from is known to more digits than the lengths are.
    pub fn change(&self, from: f64, to: f64, difference: f64) -> f64 {
        let near = difference.abs() < 0.01 * self.length;
        if from.min(to) >= self.crossing && from.max(to) <= self.length {
            let sum = (self.length - from) + (self.length - to);
            -0.5 * self.cap * difference * sum
        } else if from.max(to) <= self.crossing && near {
            // Gauss–Legendre with three points: exact to (difference/L)⁶.
            let middle = 0.5 * (from + to);
            let offset = 0.5 * difference * 0.6f64.sqrt();
            let [a, b, c] = [middle - offset, middle, middle + offset].map(|x| self.push(x).0);
            -difference * (5.0 * a + 8.0 * b + 5.0 * c) / 18.0
        } else {
            self.energy(to) - self.energy(from)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_are_found_to_rounding() {
        for i in 0..=10_000 {
            let t = i as f64 / 10_000.0;
            let phi = arc(t).sqrt();
            let sinc = if phi > 0.0 { phi.sin() / phi } else { 1.0 };
            assert!((1.0 - sinc - t).abs() < 1e-15, "t = {t}: φ = {phi}");
            let (_, d, g) = sums(phi * phi);
            assert!((d - (sinc - phi.cos())).abs() < 2e-15, "D at {phi}");
            assert!((g - (3.0 * (sinc - phi.cos()) - phi * phi.sin())).abs() < 1e-14, "G at {phi}");
        }
    }

    #[test]
    fn the_limits_are_the_published_ones() {
        let strip = Strip { length: 0.2, bending: 3e-5, cap: 1e12, crossing: 0.2 };
        let (k, l) = (strip.bending, strip.length);
        let near = strip.push(l * (1.0 - 1e-9)).0 / (12.0 * k / (l * l));
        let closed = strip.push(0.0).0 / (4.0 * PI * PI * k / (l * l));
        assert!((near - 1.0).abs() < 1e-8 && (closed - 1.0).abs() < 1e-14, "{near} {closed}");
        let steepest = strip.push(0.0).1 / stiffest(l, k, 0.0);
        assert!((steepest - 1.0).abs() < 1e-13, "{steepest}");
    }
}
