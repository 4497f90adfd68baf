//! The nearest matrix U of determinant 1 to F, four at a time, without principal directions.
//!
//! Where the distance is stationary F − U = −μ cof U for one μ. So with F = R S the matrix U is R X with X − μ X⁻¹ = S, and
//! the invariants of S and X, i₁, i₂, i₃ and p, q, 1 (the coefficients of their characteristic polynomials), obey
//!
//! ```text
//! i₁ = p − μ q
//! i₂ = q − μ (p q − 3) + μ² p
//! i₃ = 1 − μ (q² − 2 p) + μ² (p² − 2 q) − μ³
//! F − U = −μ/d (cof F − μ (q + μ) F + μ (p q − 1) R),     d = 1 + μ p + μ² q + μ³
//! ```
//!
//! the last because X⁻¹ is a polynomial in S. Newton's method finds μ and q. The change of F − U along dF follows from that
//! of i₁ = R:F, 2 i₂ = i₁² − F:F and i₃ = det F.

use super::lanes::{dot, minor, plus, scaled};
use crate::kernel::Simd;
use crate::linear::nearest::{Matrices, cross};

/// Steps of Newton's method, most often three; and the largest square of the last, in terms of q.
const STEPS: usize = 7;
const SETTLED: f64 = 1e-18;
/// Steps towards the size of F, the third root of its determinant, where Newton's method begins.
const SIZES: usize = 4;

/// Four F with their nearest rotations R, and the numbers of their U.
pub(super) struct Volume<V: Simd<f64>> {
    f: Matrices<V>,
    rotation: Matrices<V>,
    cofactors: Matrices<V>,
    invariants: [V::Vector; 3],
    /// μ and q.
    pub numbers: [V::Vector; 2],
}

/// What the equations for i₂ and i₃ miss, and their derivatives by q and by μ.
struct Equations<V: Simd<f64>> {
    missing: [V::Vector; 2],
    by_q: [V::Vector; 2],
    by_mu: [V::Vector; 2],
}

impl<V: Simd<f64>> Equations<V> {
    #[inline(always)]
    fn at([one, two, three]: [V::Vector; 3], [mu, q]: [V::Vector; 2]) -> Self {
        let (unit, twice) = (V::splat(1.0), V::splat(2.0));
        let p = V::multiply_add(mu, q, one);
        let square = V::multiply(mu, mu);
        let (pq, pp, qq) = (V::multiply(p, q), V::multiply(p, p), V::multiply(q, q));
        let less = V::subtract(pq, V::splat(3.0));
        let minors = V::subtract(qq, V::multiply(twice, p));
        let squares = V::subtract(pp, V::multiply(twice, q));
        let second = V::subtract(V::multiply_add(square, p, V::subtract(q, two)), V::multiply(mu, less));
        // 1 − μ ((q² − 2p) − μ ((p² − 2q) − μ)) − i₃.
        let inner = V::subtract(minors, V::multiply(mu, V::subtract(squares, mu)));
        let third = V::subtract(V::subtract(unit, three), V::multiply(mu, inner));
        // 1 − μ (p + μ (q − μ)).
        let lower = V::multiply_add(mu, V::subtract(q, mu), p);
        let first_by_q = V::subtract(unit, V::multiply(mu, lower));
        let second_by_q = V::multiply(V::multiply(twice, mu), V::subtract(V::multiply(p, square), q));
        // 3 − p q + μ (2p + q (μ − q)).
        let first_by_mu =
            V::subtract(V::multiply(mu, V::multiply_add(twice, p, V::multiply(q, V::subtract(mu, q)))), less);
        // −(q² − 2p) + μ (2 (p² − q) + μ (2 p q − 3)).
        let bend = V::multiply_add(twice, pq, V::splat(-3.0));
        let slope = V::multiply_add(mu, bend, V::multiply(twice, V::subtract(pp, q)));
        let second_by_mu = V::subtract(V::multiply(mu, slope), minors);
        Equations {
            missing: [second, third],
            by_q: [first_by_q, second_by_q],
            by_mu: [first_by_mu, second_by_mu],
        }
    }

    /// The change of μ and q that changes the left sides by two numbers.
    #[inline(always)]
    fn solve(&self, [first, second]: [V::Vector; 2]) -> [V::Vector; 2] {
        let Equations { by_q: [a, c], by_mu: [b, d], .. } = *self;
        let inverse = V::divide(V::splat(1.0), minor::<V>(a, d, b, c));
        [
            V::multiply(minor::<V>(a, second, c, first), inverse),
            V::multiply(minor::<V>(first, d, second, b), inverse),
        ]
    }
}

impl<V: Simd<f64>> Volume<V> {
    /// Of F/size, with numbers that are known.
    #[inline(always)]
    pub fn with(f: &Matrices<V>, rotation: &Matrices<V>, size: V::Vector, numbers: [V::Vector; 2]) -> Self {
        let inverse = V::divide(V::splat(1.0), size);
        let f = [scaled::<V>(inverse, f[0]), scaled::<V>(inverse, f[1]), scaled::<V>(inverse, f[2])];
        let cofactors = [cross::<V>(f[1], f[2]), cross::<V>(f[2], f[0]), cross::<V>(f[0], f[1])];
        let trace = dot::<V>(rotation, &f);
        let two = V::multiply(V::splat(0.5), minor::<V>(trace, trace, V::splat(1.0), dot::<V>(&f, &f)));
        let invariants = [trace, two, V::dot(f[0], cofactors[0])];
        Volume { f, rotation: *rotation, cofactors, invariants, numbers }
    }

    /// Of F/size, and a bit for each lane where Newton's method has ended.
    #[inline(always)]
    pub fn of(f: &Matrices<V>, rotation: &Matrices<V>, size: V::Vector) -> (Self, u32) {
        let zero = V::splat(0.0);
        let mut own = Self::with(f, rotation, size, [zero; 2]);
        let [one, two, three] = own.invariants;
        // As if F were y⁻¹ U: exact where F is larger or smaller in all directions alike.
        let mut y = V::splat(1.0);
        for _ in 0..SIZES {
            let cube = V::multiply(V::multiply(three, y), V::multiply(y, y));
            y = V::multiply(V::multiply(y, V::splat(1.0 / 3.0)), V::subtract(V::splat(4.0), cube));
        }
        let mut q = V::multiply(two, V::multiply(y, y));
        let mut mu = V::divide(V::multiply(one, V::subtract(y, V::splat(1.0))), q);
        // Lanes that have settled stay as they are, whatever the others need.
        let mut left = V::splat(1.0);
        for _ in 0..STEPS {
            let equations = Equations::<V>::at(own.invariants, [mu, q]);
            let [dmu, dq] = equations.solve(equations.missing);
            mu = V::subtract(mu, V::where_positive(left, dmu));
            q = V::subtract(q, V::where_positive(left, dq));
            let moved = V::multiply_add(dq, dq, V::multiply(V::multiply(dmu, dmu), V::multiply(q, q)));
            let still = V::subtract(moved, V::multiply(V::splat(SETTLED), V::multiply(q, q)));
            left = V::min(left, still);
            if V::positive(left) == 0 {
                break;
            }
        }
        own.numbers = [mu, q];
        let settled = V::positive(V::add(V::subtract(zero, left), V::splat(f64::MIN_POSITIVE)));
        (own, settled)
    }

    /// −μ/d and the numbers that F and R have beside it; p and d.
    #[inline(always)]
    fn shares(&self) -> ([V::Vector; 3], V::Vector, V::Vector) {
        let (one, [mu, q]) = (V::splat(1.0), self.numbers);
        let p = V::multiply_add(mu, q, self.invariants[0]);
        let below = V::multiply_add(mu, V::multiply_add(mu, V::add(q, mu), p), one);
        let first = V::divide(V::subtract(V::splat(0.0), mu), below);
        let second = V::multiply(first, V::multiply(mu, V::add(q, mu)));
        let third = V::multiply(first, V::multiply(mu, minor::<V>(p, q, one, one)));
        ([first, V::subtract(V::splat(0.0), second), third], p, below)
    }

    /// F − U, its square, and a bit for each lane where U is the nearest for certain: no σ of F is negative, and all of the
    /// distance is less than half of each, so that no flatter matrix is nearer.
    #[inline(always)]
    pub fn away(&self) -> (Matrices<V>, V::Vector, u32) {
        let ([first, second, third], ..) = self.shares();
        let mut away = self.cofactors;
        for (c, column) in away.iter_mut().enumerate() {
            let sum = plus::<V>(second, self.f[c], scaled::<V>(third, self.rotation[c]));
            *column = plus::<V>(first, *column, sum);
        }
        let squared = dot::<V>(&away, &away);
        // The least σ is det F over the product of the others, and that is at most half of F:F.
        let determinant = self.invariants[2];
        let least = V::divide(V::multiply(V::splat(2.0), determinant), dot::<V>(&self.f, &self.f));
        let least = V::multiply(least, least);
        let near = V::subtract(least, V::multiply(V::splat(4.0), squared));
        let mu = V::multiply(V::splat(4.0), self.numbers[0]);
        let small = minor::<V>(least, least, mu, mu);
        (away, squared, V::positive(near) & V::positive(small) & V::positive(determinant))
    }

    /// dF:(dF − dU), with dR:dF of the rotation at the F that this is a part of.
    #[inline(always)]
    pub fn curved(&self, df: &Matrices<V>, size: V::Vector, turned: V::Vector) -> V::Vector {
        let turned = V::multiply(size, turned);
        let (two, [mu, q]) = (V::splat(2.0), self.numbers);
        let ([first, second, third], p, below) = self.shares();
        let equations = Equations::<V>::at(self.invariants, self.numbers);
        let (along, inside) = (dot::<V>(&self.rotation, df), dot::<V>(&self.f, df));
        let swelling = dot::<V>(&self.cofactors, df);
        // What the equations see of dF: of i₂ and i₃, and of i₁ by p.
        let square = V::multiply(mu, mu);
        let second_side = V::subtract(minor::<V>(self.invariants[0], along, V::splat(1.0), inside), {
            V::multiply(V::subtract(square, V::multiply(mu, q)), along)
        });
        let of_p = V::multiply(V::multiply(two, mu), V::multiply_add(p, mu, V::splat(1.0)));
        let third_side = V::subtract(swelling, V::multiply(of_p, along));
        let [dmu, dq] = equations.solve([second_side, third_side]);
        let dp = V::add(along, V::multiply_add(mu, dq, V::multiply(q, dmu)));
        // d (1 + μ p + μ² q + μ³), and with it of −μ/d and the others.
        let by_mu = V::multiply_add(mu, V::multiply_add(V::splat(3.0), mu, V::multiply(two, q)), p);
        let dbelow = V::multiply_add(by_mu, dmu, V::multiply(mu, V::multiply_add(mu, dq, dp)));
        let inverse = V::divide(V::splat(1.0), below);
        let dfirst = V::subtract(
            V::multiply(V::subtract(V::splat(0.0), inverse), dmu),
            V::multiply(V::multiply(first, inverse), dbelow),
        );
        let outer = V::multiply(mu, V::add(q, mu));
        let douter = V::multiply_add(dmu, V::add(q, mu), V::multiply(mu, V::add(dq, dmu)));
        let dsecond = V::multiply_add(dfirst, outer, V::multiply(first, douter));
        let product = minor::<V>(p, q, V::splat(1.0), V::splat(1.0));
        let dproduct = V::multiply_add(dp, q, V::multiply(p, dq));
        let dinner = V::multiply_add(dmu, product, V::multiply(mu, dproduct));
        let dthird = V::multiply_add(dfirst, V::multiply(mu, product), V::multiply(first, dinner));
        // d cof F:dF = 2 F:cof dF.
        let cofactors = [cross::<V>(df[1], df[2]), cross::<V>(df[2], df[0]), cross::<V>(df[0], df[1])];
        let bent = V::multiply(two, dot::<V>(&self.f, &cofactors));
        let mut sum = V::multiply(first, bent);
        sum = V::multiply_add(second, dot::<V>(df, df), sum);
        sum = V::multiply_add(third, turned, sum);
        sum = V::multiply_add(dfirst, swelling, sum);
        sum = V::subtract(sum, V::multiply(dsecond, inside));
        V::multiply_add(dthird, along, sum)
    }
}
