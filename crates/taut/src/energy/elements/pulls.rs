//! The passes over links that a minimiser repeats: gradient and curvature. A link has x, y and z of its vector in the lanes of
//! one register; most links have no rest length, and so no local step.

use super::super::{Step, length, scaled_to};
use super::links::{Links, bounds, tension};
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

/// Σ wᵢ (vᵢ − v₁), x, y and z in the lanes of one vector.
#[inline(always)]
fn vector<V: Simd<f64>>(particles: &[u32], weights: &[f64], v: &[Four]) -> V::Vector {
    let first = V::load(&v[particles[0] as usize]);
    let second = V::load(&v[particles[1] as usize]);
    // Begun with a product, so that (1, −1) is a difference to the bit.
    let mut sum = V::multiply(V::splat(weights[1]), V::subtract(second, first));
    for (&i, &w) in particles[2..].iter().zip(&weights[2..]) {
        sum = V::multiply_add(V::splat(w), V::subtract(V::load(&v[i as usize]), first), sum);
    }
    sum
}

impl Work<f64> for Pull<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> f64 {
        let Pull { links, step, vectors, forces } = self;
        let (mut squares, mut energy) = (V::splat(0.0), 0.0);
        for group in &links.groups {
            let seen = links.seen(group);
            let (particles, numbers) = (seen.particles, bounds(&group.links));
            for ((law, weights), vector_of) in seen.links().zip(&mut vectors[numbers]) {
                let p = vector::<V>(particles, weights, &links.x);
                *vector_of = V::store(p);
                let force = if law.rest_length == 0.0 {
                    let force = V::multiply(V::splat(law.stiffness), p);
                    squares = V::multiply_add(force, p, squares);
                    force
                } else {
                    let p = f64::point(vector_of);
                    energy += law.energy(length(p));
                    V::load(&f64::lanes(tension(law, p, || seen.fallback(weights, step))))
                };
                let mut rest = V::splat(0.0);
                for (&i, &w) in particles[1..].iter().zip(&weights[1..]) {
                    let share = V::multiply(V::splat(w), force);
                    rest = V::subtract(rest, share);
                    let sum = &mut forces[i as usize];
                    *sum = V::store(V::add(V::load(sum), share));
                }
                let sum = &mut forces[particles[0] as usize];
                *sum = V::store(V::add(V::load(sum), rest));
            }
        }
        let [x, y, z, _] = V::store(squares).0;
        0.5 * (x + y + z) + energy
    }
}

impl Work<f64> for Curve<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> f64 {
        let links = self.links;
        let (mut squares, mut curved) = (V::splat(0.0), 0.0);
        for group in &links.groups {
            let seen = links.seen(group);
            for ((law, weights), p) in seen.links().zip(&links.vectors[bounds(&group.links)]) {
                let q = vector::<V>(seen.particles, weights, &links.d);
                if law.rest_length == 0.0 {
                    squares = V::multiply_add(V::multiply(V::splat(law.stiffness), q), q, squares);
                } else {
                    curved += curvature(law, f64::point(p), f64::point(&V::store(q)));
                }
            }
        }
        let [x, y, z, _] = V::store(squares).0;
        x + y + z + curved
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
