//! The system of material damping, `(M + hD) w`, `D = Σ c A Aᵀ ⊗ x̂x̂ᵀ`, as a product.
//!
//! With p the vector of a spring and q that of the velocities of its ends, its damper pulls with `h c x̂x̂ᵀ q = s p`,
//! `s = (h c/‖p‖²) p·q`: one weight per spring, and then `Σ s (x_i − x_j)` for every row, as in the elastic gradient.
//!
//! A slack spring has no damper. Nor has one without length, as it has no direction, or one so short that c/‖p‖²
//! overflows.

use crate::energy::{Rows, adjacency, length, pairs};
use crate::kernel::{Adjacency, Differences, Four, Kernel, Laplacian, Pairs, Real, Simd, Work, run};
use crate::threads::{WORTH_THREADS, chunks, in_chunks};
use crate::{Model, State};
use glam::DVec3;

/// The springs of a model as dampers.
#[derive(Debug, Clone, Default)]
pub(super) struct Material {
    springs: Pairs<()>,
    adjacency: Adjacency,
    /// h c/‖p‖² of each four springs, and s of each spring.
    factors: Vec<Four>,
    weights: Vec<f64>,
    /// By particle: positions, and velocities.
    x: Vec<Four>,
    w: Vec<Four>,
    threads: bool,
}

impl Material {
    pub fn new(model: &Model, rows: &Rows) -> Self {
        let springs = pairs(&model.springs, model.particles(), std::iter::repeat(()));
        let fours = model.springs.len().div_ceil(4);
        Material {
            springs,
            adjacency: adjacency(&model.springs, model.particles(), &rows.particles),
            factors: vec![Four::default(); fours],
            weights: vec![0.0; 4 * fours],
            x: vec![Four::default(); model.particles()],
            w: vec![Four::default(); model.particles()],
            threads: model.springs.len() >= WORTH_THREADS,
        }
    }

    /// Directions as in a state, `h c = h_beta·stiffness`.
    pub fn aim(&mut self, model: &Model, state: &State, h_beta: f64) {
        self.x.iter_mut().zip(&state.positions).for_each(|(own, &x)| *own = f64::lanes(x));
        for (factors, springs) in self.factors.iter_mut().zip(model.springs.chunks(4)) {
            for (factor, s) in factors.0.iter_mut().zip(springs) {
                let (a, b) = s.ab();
                let p = state.positions[a] - state.positions[b];
                let (f, slack) = (h_beta * s.stiffness / p.length_squared(), s.tension(length(p)).1 == 0.0);
                *factor = if f.is_finite() && !slack { f } else { 0.0 };
            }
        }
    }

    /// `out = scale M w + h D w`, one entry per row; w by particle.
    pub fn multiply(
        &mut self,
        model: &Model,
        rows: &Rows,
        scale: f64,
        w: impl Fn(usize) -> DVec3,
        out: &mut [DVec3],
    ) {
        let Material { springs, adjacency, factors, weights, x, w: own, threads } = self;
        own.iter_mut().enumerate().for_each(|(i, own)| *own = f64::lanes(w(i)));
        let (kernel, own) = (Kernel::detected(), &own[..]);
        let (p, q) = (springs.of(x), springs.of(own));
        // Units take no room: these allocate nothing.
        let (mut of_springs, mut of_rows) = (vec![(); chunks(factors.len())], vec![(); chunks(rows.len())]);
        in_chunks(
            *threads,
            factors,
            weights.as_chunks_mut().0,
            &mut of_springs,
            |first, factors, weights| {
                run(kernel, Rate { first, p, q, factors, weights });
            },
        );
        let sums = adjacency.over(x, weights);
        in_chunks(*threads, &rows.particles, out, &mut of_rows, |first, particles, out| {
            run(kernel, Resist { first, particles, masses: &model.masses, scale, sums, x, w: own, out });
        });
    }
}

/// s of some springs.
struct Rate<'a> {
    /// Place of the first four among all.
    first: usize,
    p: Differences<'a, ()>,
    q: Differences<'a, ()>,
    factors: &'a [Four],
    weights: &'a mut [[f64; 4]],
}

impl Work<f64> for Rate<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) {
        let Rate { first, p: vectors, q: velocities, factors, weights } = self;
        for (k, (factor, weights)) in (first..).zip(factors.iter().zip(weights)) {
            let ((p, ()), (q, ())) = (vectors.at::<V>(k), velocities.at::<V>(k));
            *weights = V::store(V::multiply(V::load(factor), V::dot(p, q))).0;
        }
    }
}

/// `scale m w_i + Σ s (x_i − x_j)` of some rows.
struct Resist<'a> {
    /// Number of the first row.
    first: usize,
    particles: &'a [u32],
    masses: &'a [f64],
    scale: f64,
    sums: Laplacian<'a>,
    x: &'a [Four],
    w: &'a [Four],
    out: &'a mut [DVec3],
}

impl Work<f64> for Resist<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) {
        let Resist { first, particles, masses, scale, sums, x, w, out } = self;
        for (row, (&i, out)) in (first..).zip(particles.iter().zip(out)) {
            let i = i as usize;
            let pull = sums.at::<V>(row, V::load(&x[i]));
            let inertia = V::splat(scale * masses[i]);
            *out = f64::point(&V::store(V::multiply_add(inertia, V::load(&w[i]), pull)));
        }
    }
}
