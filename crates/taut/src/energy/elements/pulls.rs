//! The passes over links that a minimiser repeats: gradient and curvature. A link has x, y and z of its vector in the lanes of
//! one register; most links have no rest length, and so no local step.

use super::super::{Step, length, scaled_to};
use super::links::{Group, LARGEST, Links, Seen, tension};
use crate::Spring;
use crate::kernel::{Four, Real, Simd, Work};
use glam::DVec3;

/// The gradient: forces by particle are added up. Gives the energy.
pub(super) struct Pull<'a> {
    pub links: &'a Links,
    pub step: &'a Step<'a>,
    pub vectors: &'a mut [Four],
    pub forces: &'a mut [Four],
}

/// The curvature along the direction.
pub(super) struct Curve<'a> {
    pub links: &'a Links,
}

/// Σ wᵢ (vᵢ − v₁) of the L links of a group, x, y and z in the lanes of one vector each. What is looked up serves all of them.
#[inline(always)]
fn vectors<V: Simd<f64>, const L: usize>(seen: Seen, v: &[Four]) -> [V::Vector; L] {
    let mut sums = [V::splat(0.0); L];
    let mut rows = seen.particles.iter().zip(seen.woven.as_chunks::<L>().0);
    let Some((&first, _)) = rows.next() else { return sums };
    let first = V::load(&v[first as usize]);
    // Begun with a product, so that (1, −1) is a difference to the bit.
    if let Some((&i, weights)) = rows.next() {
        let edge = V::subtract(V::load(&v[i as usize]), first);
        for l in 0..L {
            sums[l] = V::multiply(V::splat(weights[l]), edge);
        }
    }
    for (&i, weights) in rows {
        let edge = V::subtract(V::load(&v[i as usize]), first);
        for l in 0..L {
            sums[l] = V::multiply_add(V::splat(weights[l]), edge, sums[l]);
        }
    }
    sums
}

/// Forces f of the L links of a group on its particles, wᵢ f, and on the first what makes them sum to zero.
#[inline(always)]
fn spread<V: Simd<f64>, const L: usize>(seen: Seen, pulls: [V::Vector; L], forces: &mut [Four]) {
    let mut rest = V::splat(0.0);
    let mut rows = seen.particles.iter().zip(seen.woven.as_chunks::<L>().0);
    let first = rows.next();
    for (&i, weights) in rows {
        let mut share = V::multiply(V::splat(weights[0]), pulls[0]);
        for l in 1..L {
            share = V::multiply_add(V::splat(weights[l]), pulls[l], share);
        }
        rest = V::subtract(rest, share);
        let sum = &mut forces[i as usize];
        *sum = V::store(V::add(V::load(sum), share));
    }
    if let Some((&i, _)) = first {
        let sum = &mut forces[i as usize];
        *sum = V::store(V::add(V::load(sum), rest));
    }
}

/// What a pass has summed up: p·k p of links without rest length, coordinate by coordinate, and what others give.
struct Sums<V: Simd<f64>> {
    squares: V::Vector,
    others: f64,
}

impl<V: Simd<f64>> Sums<V> {
    #[inline(always)]
    fn none() -> Self {
        Sums { squares: V::splat(0.0), others: 0.0 }
    }

    #[inline(always)]
    fn squared(&self) -> f64 {
        let [x, y, z, _] = V::store(self.squares).0;
        x + y + z
    }
}

impl Pull<'_> {
    #[inline(always)]
    fn group<V: Simd<f64>, const L: usize>(&mut self, group: &Group, sums: &mut Sums<V>) {
        let seen = self.links.seen(group);
        let mut pulls = vectors::<V, L>(seen, &self.links.x);
        let first = group.links.start as usize;
        for (l, pull) in pulls.iter_mut().enumerate() {
            let (law, vector) = (&seen.laws[l], &mut self.vectors[first + l]);
            *vector = V::store(*pull);
            if law.rest_length == 0.0 {
                let force = V::multiply(V::splat(law.stiffness), *pull);
                sums.squares = V::multiply_add(force, *pull, sums.squares);
                *pull = force;
            } else {
                let p = f64::point(vector);
                sums.others += law.energy(length(p));
                *pull = V::load(&f64::lanes(held(seen, l, law, p, self.step)));
            }
        }
        spread::<V, L>(seen, pulls, self.forces);
    }
}

/// What a link with a rest length pulls with.
#[cold]
#[inline(never)]
fn held(seen: Seen, l: usize, law: &Spring, p: DVec3, step: &Step) -> DVec3 {
    let n = seen.particles.len();
    tension(law, p, || seen.fallback(&seen.weights[l * n..][..n], step))
}

impl Curve<'_> {
    #[inline(always)]
    fn group<V: Simd<f64>, const L: usize>(&self, group: &Group, sums: &mut Sums<V>) {
        let seen = self.links.seen(group);
        let along = vectors::<V, L>(seen, &self.links.d);
        let first = group.links.start as usize;
        for (l, (law, &q)) in seen.laws.iter().zip(&along).enumerate() {
            if law.rest_length == 0.0 {
                sums.squares = V::multiply_add(V::multiply(V::splat(law.stiffness), q), q, sums.squares);
            } else {
                let p = f64::point(&self.links.vectors[first + l]);
                sums.others += curvature(law, p, f64::point(&V::store(q)));
            }
        }
    }
}

impl Work<f64> for Pull<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(mut self) -> f64 {
        let (links, mut sums) = (self.links, Sums::<V>::none());
        for group in &links.groups {
            match group.links.len() {
                1 => self.group::<V, 1>(group, &mut sums),
                2 => self.group::<V, 2>(group, &mut sums),
                3 => self.group::<V, 3>(group, &mut sums),
                _ => self.group::<V, LARGEST>(group, &mut sums),
            }
        }
        0.5 * sums.squared() + sums.others
    }
}

impl Work<f64> for Curve<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> f64 {
        let (links, mut sums) = (self.links, Sums::<V>::none());
        for group in &links.groups {
            match group.links.len() {
                1 => self.group::<V, 1>(group, &mut sums),
                2 => self.group::<V, 2>(group, &mut sums),
                3 => self.group::<V, 3>(group, &mut sums),
                _ => self.group::<V, LARGEST>(group, &mut sums),
            }
        }
        sums.squared() + sums.others
    }
}

/// k [t q·q + (1 − t) (x̂·q)²] of a link with the vector p, as stiff across as along where t overflows.
fn curvature(law: &Spring, p: DVec3, q: DVec3) -> f64 {
    let (l, qq) = (length(p), q.length_squared());
    let (k, t) = law.stiffnesses(l);
    let along = if l > 0.0 { scaled_to(1.0, p).dot(q) } else { 0.0 };
    let squared = along * along;
    if t.is_finite() { k * t * (qq - squared) + k * squared } else { k * qq }
}
