//! What an element that knows its shape answers to the linear map F from its rest shape to where it is.
//!
//! ```text
//! E(F) = ½ w ‖F − R‖² + ½ v ‖F − U‖² + ½ c ‖F − C‖² + Σ ½ k (‖F u‖ − 1)²
//! ```
//!
//! R is the nearest rotation, U the nearest matrix that keeps volume (area), C the nearest with σ within limits, each a
//! *projection* of F; u are directions in the rest shape, warp and weft. A membrane is the case of a third column of zeros.
//! As every ½‖F − P‖² is half the squared distance to a set, its gradient is F − P and its Hessian at most 1: the lemma of
//! \[Liu13\]. For small strains ε the distances are ‖ε‖ and |tr ε|/√n in n dimensions, so that w = 2μV and v = 3λV of a
//! block, and w = 2GA, v = 2λA of a membrane, give the energies of linear elasticity.
//!
//! **Dampers.** With S* what the strain S = RᵀF was at the start of the step, R S* is the shape that only turned since then.
//! A damper pulls to it with (β/h) w, and together with the element that is again one projection, as for springs:
//!
//! ```text
//! ½ w ‖F − R‖² + ½ (βw/h) ‖F − R S*‖² = ½ w′ ‖F − R T‖² + …,   w′ = w (1 + β/h),   T = 1 + s (S* − 1),   s = β/(h + β)
//! ```
//!
//! where R is the rotation nearest to F T for all of it. It depends on F by its strain only: both momenta are kept, a rigid
//! motion feels nothing, and at rest nothing is left of it. Volume has a damper of its own, with (β/h) v, to the nearest
//! matrix of the determinant of S*; where an element is nearly flat or inside out it has none. Limits have none.

use super::super::{jacobian, project, spring_change, with_damper};
use crate::Spring;
use crate::linear::nearest::{Principal, Projection};
use crate::math::cbrt;
use glam::{DMat3, DVec3};

/// Energies [J] of an element for F with σ = 1 + 1 in each of its parts, so to say: their stiffnesses.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Law {
    /// Whether F has two columns.
    pub flat: bool,
    /// w, v and c.
    pub shape: f64,
    pub volume: f64,
    pub limit: f64,
    pub low: f64,
    pub high: f64,
    /// u and k of warp and weft.
    pub threads: [(DVec3, f64); 2],
}

/// What dampers want of an element in a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aim {
    /// β/h (dimensionless).
    pub ratio: f64,
    /// T.
    pub shape: DMat3,
    /// Third (square) root of the determinant of S*; 0 is no damper.
    pub size: f64,
    /// r′ of warp and weft (dimensionless).
    pub threads: [f64; 2],
}

/// Least size, in that of the rest shape, of an element that resists its rate of change.
const FLAT: f64 = 0.1;

/// A projection with its weight: ½ weight ‖F − P‖².
struct Pull {
    weight: f64,
    projection: Projection,
}

fn dot(a: DMat3, b: DMat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

/// a bᵀ.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// The cofactors: the derivative of the determinant.
fn cofactors(m: DMat3) -> DMat3 {
    let (a, b, c) = (m.x_axis, m.y_axis, m.z_axis);
    DMat3::from_cols(b.cross(c), c.cross(a), a.cross(b))
}

impl Aim {
    /// No dampers, or dampers of an element at rest.
    pub fn at_rest(law: &Law, ratio: f64) -> Self {
        Aim { ratio, shape: law.one(), size: 0.0, threads: [1.0; 2] }
    }

    /// Dampers for the strain S*.
    pub fn of(law: &Law, ratio: f64, strain: DMat3) -> Self {
        let share = ratio / (1.0 + ratio);
        let one = law.one();
        let threads = law.threads.map(|(u, _)| with_damper((1.0, 1.0), ratio, (strain * u).length()).1);
        let filled = if law.flat { strain + outer(DVec3::Z, DVec3::Z) } else { strain };
        let determinant = filled.determinant();
        let size = if law.flat { determinant.max(0.0).sqrt() } else { cbrt(determinant) };
        let size = if size > FLAT { size } else { 0.0 };
        Aim { ratio, shape: one + (strain - one) * share, size, threads }
    }

    fn damped(&self) -> bool {
        self.ratio > 0.0
    }
}

impl Law {
    /// The identity of as many directions as it has.
    pub fn one(&self) -> DMat3 {
        if self.flat { DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0)) } else { DMat3::IDENTITY }
    }

    /// F taken apart.
    pub fn principal(&self, f: DMat3, near: DMat3) -> Principal {
        match self.flat {
            true => Principal::of_membrane([f.x_axis, f.y_axis], [near.x_axis, near.y_axis]),
            false => Principal::of(f, near),
        }
    }

    /// The symmetric K with dF:K dF an upper bound of the second derivative along dF, for rows of dF alike.
    pub fn bound(&self, ratio: f64) -> DMat3 {
        let threads = self.threads.map(|(u, k)| outer(u, k * (1.0 + ratio) * u));
        let isotropic = (self.shape + self.volume) * (1.0 + ratio) + self.limit;
        self.one() * isotropic + threads[0] + threads[1]
    }

    /// Its parts that are distances but the first: volume, its damper, limits.
    fn others(&self, aim: &Aim, f: DMat3, near: DMat3, undamped: Option<&Principal>) -> [Option<Pull>; 3] {
        if self.volume == 0.0 && self.limit == 0.0 {
            return [None, None, None];
        }
        let own = undamped.copied().unwrap_or_else(|| self.principal(f, near));
        let volume = (self.volume > 0.0).then(|| Pull { weight: self.volume, projection: own.unimodular() });
        let limit = (self.limit > 0.0)
            .then(|| Pull { weight: self.limit, projection: own.clamped(self.low, self.high) });
        let damper = (self.volume > 0.0 && aim.size > 0.0).then(|| {
            // The nearest of determinant d³ to F is d times the nearest of determinant 1 to F/d.
            let mut projection = own.scaled(1.0 / aim.size).unimodular();
            projection.nearest *= aim.size;
            Pull { weight: self.volume * aim.ratio, projection }
        });
        [volume, damper, limit]
    }

    /// Warp and weft as springs, with their direction.
    fn springs(&self, aim: &Aim) -> impl Iterator<Item = (DVec3, Spring)> {
        let spring = |((u, k), r)| (u, Spring::new(0, 1, r, k * (1.0 + aim.ratio)));
        self.threads.into_iter().zip(aim.threads).map(spring).filter(|(_, s)| s.stiffness > 0.0)
    }

    /// w′.
    fn weight(&self, aim: &Aim) -> f64 {
        self.shape * (1.0 + aim.ratio)
    }

    /// F T taken apart, and R T.
    fn turned(&self, aim: &Aim, f: DMat3, near: DMat3) -> (Principal, DMat3) {
        if !aim.damped() {
            let own = self.principal(f, near);
            return (own, own.rotation * self.one());
        }
        let own = self.principal(f * aim.shape, near * aim.shape);
        (own, own.rotation * aim.shape)
    }

    /// E \[J\], with dampers but for a constant, and ∂E/∂F \[J\].
    pub fn answer(&self, aim: &Aim, f: DMat3, near: DMat3) -> (f64, DMat3) {
        let (own, turned) = self.turned(aim, f, near);
        let (away, weight) = (f - turned, self.weight(aim));
        let (mut energy, mut stress) = (0.5 * weight * dot(away, away), weight * away);
        for pull in self.others(aim, f, near, (!aim.damped()).then_some(&own)).into_iter().flatten() {
            let away = f - pull.projection.nearest;
            energy += 0.5 * pull.weight * dot(away, away);
            stress += pull.weight * away;
        }
        for (u, spring) in self.springs(aim) {
            let p = f * u;
            energy += spring.energy(p.length());
            stress += outer(spring.stiffness * (p - project(&spring, p, || near * u)), u);
        }
        (energy, stress)
    }

    /// The second derivative at F as a map of dF. The `stiffest` leaves out what makes it softer than it may become.
    pub fn tangent(
        &self,
        aim: &Aim,
        f: DMat3,
        near: DMat3,
        stiffest: bool,
    ) -> impl Fn(DMat3) -> DMat3 + use<> {
        let (own, _) = self.turned(aim, f, near);
        let (rotated, weight, aim) = (own.rotated(), self.weight(aim), *aim);
        let others = self.others(&aim, f, near, (!aim.damped()).then_some(&own));
        let threads = self.springs(&aim).map(|(u, s)| (u, jacobian(&s, f * u, stiffest, || near * u)));
        let mut jacobians = [(DVec3::ZERO, DMat3::ZERO); 2];
        threads.zip(&mut jacobians).for_each(|(thread, place)| *place = thread);
        let (flat, damped) = (self.flat, aim.damped());
        move |df: DMat3| {
            let change = |projection: &Projection, df: DMat3| match stiffest {
                true => projection.bounded().change(df),
                false => projection.change(df),
            };
            let turn = match damped {
                true => change(&rotated, df * aim.shape) * aim.shape,
                false => change(&rotated, df),
            };
            let mut sum = weight * (df - turn);
            for pull in others.iter().flatten() {
                sum += pull.weight * (df - change(&pull.projection, df));
            }
            for (u, jacobian) in jacobians {
                sum += outer(jacobian * (df * u), u);
            }
            if flat { DMat3 { z_axis: DVec3::ZERO, ..sum } } else { sum }
        }
    }

    /// E(to) − E(from) \[J\] in a form that keeps the digits of small changes. With D = F − P it is, but for the factor,
    /// (D′ − D):(D′ + D), where the part of P′ − P is small of third order: D is normal to the set that P lies on.
    pub fn change(&self, aim: &Aim, from: DMat3, to: DMat3, near: DMat3) -> f64 {
        let ((a, p), (b, q)) = (self.turned(aim, from, near), self.turned(aim, to, near));
        let sum = (from - p) + (to - q);
        let mut change = 0.5 * self.weight(aim) * (dot(to - from, sum) - self.swept(aim, &a, &b, sum));
        let parts = |own: &Principal, f: DMat3| self.others(aim, f, near, (!aim.damped()).then_some(own));
        let pairs = parts(&a, from).into_iter().zip(parts(&b, to));
        for (number, (one, two)) in pairs.enumerate() {
            let (Some(one), Some(two)) = (one, two) else { continue };
            let (p, q) = (one.projection.nearest, two.projection.nearest);
            let (d, e) = (from - p, to - q);
            let along = match number {
                0 | 1 if !self.flat => along_determinant(p, q, d, e),
                _ => dot(q - p, d + e),
            };
            change += 0.5 * one.weight * (dot(to - from, d + e) - along);
        }
        change + self.springs(aim).map(|(u, s)| spring_change(&s, 1.0, from * u, to * u)).sum::<f64>()
    }

    /// (R′ − R) T : D. From one rotation to another R′ − R = (R′ + R) K with a K that is odd, so that of (R′ + R)ᵀ D Tᵀ only
    /// the odd part counts, and that is small.
    fn swept(&self, aim: &Aim, a: &Principal, b: &Principal, sum: DMat3) -> f64 {
        let (r, s) = (a.rotation, b.rotation);
        let sum = if aim.damped() { sum * aim.shape } else { sum };
        let q = r.transpose() * s;
        let trace = q.x_axis.x + q.y_axis.y + q.z_axis.z;
        if trace < 0.0 {
            return dot(s - r, sum);
        }
        let odd = (q - q.transpose()) * (1.0 / (1.0 + trace));
        let product = (r + s).transpose() * sum;
        0.5 * dot(odd, product - product.transpose())
    }
}

/// (Q − P):(D + E), where P and Q have the same determinant, and D and E are normal to the set of such matrices. With
/// Δ = Q − P it is 0 = det Q − det P = cof P : Δ + P : cof Δ + det Δ, and so without cancellation
/// cof P : Δ = −P : cof Δ − det Δ, and cof Q : Δ = Q : cof Δ − det Δ.
fn along_determinant(p: DMat3, q: DMat3, d: DMat3, e: DMat3) -> f64 {
    let (delta, normals) = (q - p, [cofactors(p), cofactors(q)]);
    let (second, third) = (cofactors(delta), delta.determinant());
    let share = |d: DMat3, n: DMat3| dot(d, n) / dot(n, n);
    share(d, normals[0]) * (-dot(p, second) - third) + share(e, normals[1]) * (dot(q, second) - third)
}
