//! Two primitives that are near each other, and sweeps that keep them apart.
//!
//! A point of one primitive and a point of the other, each a weighted sum of particles, have the difference `Σ wᵢ xᵢ`
//! (vertex–face: w = 1, −α, −β, −γ; edge–edge: 1−s, s, −(1−t), −t). With a unit normal n from the second to the first,
//! the constraint is
//!
//! ```text
//! n·Σ wᵢ xᵢ ≥ target      or, with the displacements Δᵢ = xᵢ − x0ᵢ of the step,      n·(Σ wᵢ Δᵢ − ground) ≥ need.
//! ```
//!
//! Displacements are what the sweeps work on: they are small, so nothing is lost to a scene far from the origin.
//! `ground` is the displacement of the surface below, where that is no particle: an obstacle's; else zero.
//!
//! Each constraint has a multiplier λ ≥ 0 \[kg·m\], an impulse times the step: it moves `Δᵢ += (wᵢ/mᵢ) λ n`. A sweep
//! visits one constraint after another and gives each the multiplier that satisfies it just now (Gauss–Seidel):
//!
//! ```text
//! λ ← max(0, λ + m_e (need − n·(Σ wᵢ Δᵢ − ground))),      1/m_e = Σ wᵢ²/mᵢ
//! ```
//!
//! and then the tangential multiplier τ that stops the sliding u of the step, as far as Coulomb allows:
//!
//! ```text
//! τ ← τ − m_e u,   shortened to |τ| ≤ μ λ,      u = (1 − n nᵀ)(Σ wᵢ Δᵢ − ground)
//! ```
//!
//! Equal and opposite impulses along one line keep momentum; prescribed particles have 1/m = 0 and never move.

use glam::DVec3;

/// A constraint between near primitives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Near {
    /// Particles of both primitives; entries without weight are not used.
    pub particles: [u32; 4],
    /// Their weights w (dimensionless).
    pub weights: [f64; 4],
    /// Unit normal n, from the second primitive to the first.
    pub normal: DVec3,
    /// What n·(Σ w Δ − ground) must be at least \[m\].
    pub need: f64,
    /// How far the surface moves in the step, where it is no particle \[m\].
    pub ground: DVec3,
    /// Coefficient of friction μ (dimensionless).
    pub friction: f64,
    /// m_e \[kg\].
    pub mass: f64,
    /// λ \[kg·m\].
    pub pressed: f64,
    /// τ \[kg·m\].
    pub dragged: DVec3,
}

impl Near {
    /// A constraint that nothing presses yet; `None` if nothing it could move has a mass. `inverse` are inverse masses
    /// \[1/kg\].
    pub fn new(
        particles: [u32; 4],
        weights: [f64; 4],
        normal: DVec3,
        need: f64,
        friction: f64,
        inverse: &[f64],
    ) -> Option<Self> {
        let compliance: f64 = (0..4).map(|k| weights[k] * weights[k] * inverse[particles[k] as usize]).sum();
        (compliance > 0.0).then(|| Near {
            particles,
            weights,
            normal,
            need,
            ground: DVec3::ZERO,
            friction,
            mass: 1.0 / compliance,
            pressed: 0.0,
            dragged: DVec3::ZERO,
        })
    }

    /// Σ w d over displacements or velocities d.
    #[inline]
    pub fn relative(&self, d: &[DVec3]) -> DVec3 {
        let [a, b, c, e] = self.particles.map(|i| d[i as usize]);
        let w = self.weights;
        (w[0] * a + w[1] * b) + (w[2] * c + w[3] * e)
    }

    /// Add w/m times an impulse to each particle.
    #[inline]
    fn push(&self, impulse: DVec3, inverse: &[f64], d: &mut [DVec3]) {
        for (&i, &w) in self.particles.iter().zip(&self.weights) {
            d[i as usize] += (w * inverse[i as usize]) * impulse;
        }
    }

    /// Satisfy it for now: change its multipliers and the displacements. Returns whether anything moved.
    #[inline]
    fn visit(&mut self, inverse: &[f64], d: &mut [DVec3]) -> bool {
        let u = self.relative(d) - self.ground;
        let apart = self.normal.dot(u);
        let pressed = (self.pressed + self.mass * (self.need - apart)).max(0.0);
        if pressed == 0.0 && self.pressed == 0.0 {
            return false;
        }
        let mut impulse = (pressed - self.pressed) * self.normal;
        self.pressed = pressed;
        if self.friction > 0.0 {
            let sliding = u - apart * self.normal;
            let wanted = self.dragged - self.mass * sliding;
            let (length, most) = (wanted.length(), self.friction * pressed);
            let dragged = if length > most { wanted * (most / length) } else { wanted };
            impulse += dragged - self.dragged;
            self.dragged = dragged;
        }
        self.push(impulse, inverse, d);
        true
    }
}

/// Visit all constraints `sweeps` times, in their order, ending early when a sweep finds nothing to do.
pub(crate) fn sweep(pool: &mut [Near], sweeps: usize, inverse: &[f64], d: &mut [DVec3]) {
    for _ in 0..sweeps {
        let mut moved = false;
        pool.iter_mut().for_each(|near| moved |= near.visit(inverse, d));
        if !moved {
            break;
        }
    }
}

/// Give the particles of pressed constraints the velocities that belong to their corrected positions: nothing that is
/// pressed together approaches, `n·(Σ wᵢ vᵢ − ground/h) ≥ 0`, and friction slows what slides. All others keep their bits.
/// Only pressed constraints are left in the pool.
pub(crate) fn sweep_velocities(
    pool: &mut Vec<Near>,
    sweeps: usize,
    h: f64,
    inverse: &[f64],
    velocities: &mut [DVec3],
) {
    pool.retain_mut(|near| {
        let pressed = near.pressed > 0.0;
        // From here on multipliers are impulses [kg·m/s].
        (near.need, near.ground) = (0.0, near.ground / h);
        (near.pressed, near.dragged) = (0.0, DVec3::ZERO);
        pressed
    });
    sweep(pool, sweeps, inverse, velocities);
}
