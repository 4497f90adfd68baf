//! The passes over links that a minimiser repeats: gradient and curvature. A link has x, y and z of its vector in the lanes of
//! one register; most links have no rest length, and so no local step.

use super::super::{Step, length, scaled_to};
use super::links::{LARGEST, Links, Seen, bounds, tension};
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

/// Σ wᵢ (vᵢ − v₁) of the links of a group, x, y and z in the lanes of one vector each. What is looked up serves all of them.
#[inline(always)]
fn vectors<V: Simd<f64>>(seen: Seen, v: &[Four], sums: &mut [V::Vector; LARGEST]) {
    let n = seen.particles.len();
    let first = V::load(&v[seen.particles[0] as usize]);
    for (k, &i) in seen.particles.iter().enumerate().skip(1) {
        let edge = V::subtract(V::load(&v[i as usize]), first);
        for (sum, weights) in sums.iter_mut().zip(seen.weights.chunks_exact(n)) {
            // Begun with a product, so that (1, −1) is a difference to the bit.
            let weight = V::splat(weights[k]);
            *sum = if k == 1 { V::multiply(weight, edge) } else { V::multiply_add(weight, edge, *sum) };
        }
    }
}

impl Work<f64> for Pull<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> f64 {
        let Pull { links, step, vectors: found, forces } = self;
        let (mut squares, mut energy) = (V::splat(0.0), 0.0);
        for group in &links.groups {
            let seen = links.seen(group);
            let n = seen.particles.len();
            let mut pulls = [V::splat(0.0); LARGEST];
            vectors::<V>(seen, &links.x, &mut pulls);
            let own = found[bounds(&group.links)].iter_mut().zip(seen.links());
            for (pull, (vector, (law, weights))) in pulls.iter_mut().zip(own) {
                *vector = V::store(*pull);
                if law.rest_length == 0.0 {
                    let force = V::multiply(V::splat(law.stiffness), *pull);
                    squares = V::multiply_add(force, *pull, squares);
                    *pull = force;
                } else {
                    let p = f64::point(vector);
                    energy += law.energy(length(p));
                    *pull = V::load(&f64::lanes(tension(law, p, || seen.fallback(weights, step))));
                }
            }
            let mut rest = V::splat(0.0);
            for (k, &i) in seen.particles.iter().enumerate().skip(1) {
                let mut share = V::multiply(V::splat(seen.weights[k]), pulls[0]);
                for (pull, weights) in pulls[1..].iter().zip(seen.weights[n..].chunks_exact(n)) {
                    share = V::multiply_add(V::splat(weights[k]), *pull, share);
                }
                rest = V::subtract(rest, share);
                let sum = &mut forces[i as usize];
                *sum = V::store(V::add(V::load(sum), share));
            }
            let sum = &mut forces[seen.particles[0] as usize];
            *sum = V::store(V::add(V::load(sum), rest));
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
            let mut along = [V::splat(0.0); LARGEST];
            vectors::<V>(seen, &links.d, &mut along);
            for ((law, p), q) in seen.laws.iter().zip(&links.vectors[bounds(&group.links)]).zip(along) {
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
