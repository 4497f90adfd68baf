//! Two primitives that are near each other: the constraint that keeps them apart, sweeps over many of them, and the same
//! constraints as a part of g.
//!
//! A point of one primitive and a point of the other, each a weighted sum of particles, differ by `Σ wᵢ xᵢ` (vertex–face:
//! w = 1, −α, −β, −γ; edge–edge: 1−s, s, −(1−t), −t). With a unit normal n from the second to the first they are kept
//! apart by `n·Σ wᵢ xᵢ ≥ target`, or, with the displacements Δᵢ = xᵢ − x0ᵢ of the step,
//!
//! ```text
//! s = n·(Σ wᵢ Δᵢ − ground) − need ≥ 0.
//! ```
//!
//! Displacements are small, so nothing is lost to a scene far from the origin. `ground` is how far the surface itself
//! moves where it is no particle of the model, as an obstacle's.
//!
//! **Sweeps.** Each constraint has a multiplier λ ≥ 0 \[kg·m\], an impulse times the step: it moves `Δᵢ += (wᵢ/mᵢ) λ n`. A
//! sweep visits one constraint after another and gives each the multiplier that satisfies it just now (Gauss–Seidel), and
//! then the tangential multiplier τ that stops the sliding u of the step as far as Coulomb allows:
//!
//! ```text
//! λ ← max(0, λ − m_e s),      τ ← τ − m_e u, shortened to |τ| ≤ μ (λ + λ_g),      1/m_e = Σ wᵢ²/mᵢ
//! ```
//!
//! Equal and opposite impulses along one line keep momentum; what is prescribed has 1/m = 0 and does not move.
//!
//! **Inside g** (augmented Lagrangian): with a multiplier λ that stays fixed while g is minimised, each constraint adds
//!
//! ```text
//! (max(0, λ − k s)² − λ²)/2k,      k = 3 m_e for each pair that it stands for,
//! ```
//!
//! a quadratic on one side and a constant on the other. λ_g = max(0, λ − k s) at the minimum is what it pressed with;
//! sweeps after the step add to that. So elasticity knows of the contact in the same step, not one step late. A stiffer k
//! stretches cloth less, but ten iterations then leave smooth motions unsolved: layers chatter and friction fails.

use crate::kernel::{Four, Kernel, Simd, Wide, Work, run};
use glam::DVec3;

/// k in units of m_e, for each pair that a constraint stands for.
const STIFFNESS: f64 = 3.0;
/// Sweeps over the constraints, each time.
const SWEEPS: usize = 6;

/// A constraint between near primitives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Particles of both primitives; entries without weight are not used.
    pub particles: [u32; 4],
    /// Their weights w (dimensionless).
    pub weights: [f64; 4],
    /// Unit normal n, from the second primitive to the first.
    pub normal: DVec3,
    /// What n·(Σ w Δ − ground) must be at least \[m\].
    pub need: f64,
    /// How far the surface moves in the step, where it is no particle of the model \[m\].
    pub ground: DVec3,
    /// Coefficient of friction μ (dimensionless).
    pub friction: f64,
    /// m_e \[kg\].
    pub mass: f64,
    /// How many pairs it stands for, if others about the same place were left out.
    pub stands_for: f64,
    /// λ \[kg·m\] of sweeps; inside g the fixed one.
    pub pressed: f64,
    /// λ_g \[kg·m\].
    pub within: f64,
    /// τ \[kg·m\].
    pub dragged: DVec3,
}

impl Near {
    /// A constraint that nothing presses yet; `None` if nothing it could move has a mass. `inverse` are inverse masses
    /// \[1/kg\], 0 where prescribed.
    pub fn new(
        (particles, weights): ([u32; 4], [f64; 4]),
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
            stands_for: 1.0,
            pressed: 0.0,
            within: 0.0,
            dragged: DVec3::ZERO,
        })
    }

    /// Whether it presses, in sweeps or inside g.
    pub fn presses(&self) -> bool {
        self.pressed + self.within > 0.0
    }

    /// Whether sweeps have moved its particles.
    pub fn moves(&self) -> bool {
        self.pressed > 0.0 || self.dragged != DVec3::ZERO
    }

    /// Satisfy it for now: change its multipliers and the displacements. Returns whether anything moved.
    #[inline(always)]
    fn visit<V: Simd<f64>>(&mut self, inverse: &[f64], d: &mut [Four]) -> bool {
        let [a, b, c, e] = self.particles;
        let (first, second) = (self.part::<V>(0, a, d), self.part::<V>(1, b, d));
        let (third, fourth) = (self.part::<V>(2, c, d), self.part::<V>(3, e, d));
        let [x, y, z, _] = V::store(V::add(V::add(first, second), V::add(third, fourth))).0;
        let u = DVec3::new(x, y, z) - self.ground;
        let apart = self.normal.dot(u);
        let pressed = (self.pressed + self.mass * (self.need - apart)).max(0.0);
        let most = self.friction * (pressed + self.within);
        let mut impulse = (pressed - self.pressed) * self.normal;
        if most > 0.0 || self.dragged != DVec3::ZERO {
            let wanted = self.dragged - self.mass * (u - apart * self.normal);
            let length = wanted.length();
            let dragged = if length > most { wanted * (most / length) } else { wanted };
            impulse += dragged - self.dragged;
            self.dragged = dragged;
        }
        self.pressed = pressed;
        if impulse == DVec3::ZERO {
            return false;
        }
        let impulse = V::point(&impulse.to_array());
        for k in 0..4 {
            let i = self.particles[k] as usize;
            let share = V::multiply(V::splat(self.weights[k] * inverse[i]), impulse);
            d[i] = V::store(V::add(V::load(&d[i]), share));
        }
        true
    }

    /// w d of one of its particles.
    #[inline(always)]
    fn part<V: Simd<f64>>(&self, k: usize, particle: u32, d: &[Four]) -> V::Vector {
        V::multiply(V::splat(self.weights[k]), V::load(&d[particle as usize]))
    }

    /// s \[m\] at positions x, for a step from `start`.
    #[inline]
    pub(super) fn gap(&self, start: &[DVec3], x: &[DVec3]) -> f64 {
        let u: DVec3 = (0..4)
            .map(|k| self.weights[k] * (x[self.particles[k] as usize] - start[self.particles[k] as usize]))
            .sum();
        self.normal.dot(u - self.ground) - self.need
    }

    /// k \[kg\].
    #[inline]
    pub(super) fn stiffness(&self) -> f64 {
        STIFFNESS * self.stands_for * self.mass
    }

    /// max(0, λ − k s) at a gap s.
    #[inline]
    pub(super) fn force(&self, s: f64) -> f64 {
        (self.pressed - self.stiffness() * s).max(0.0)
    }
}

/// Visits constraints; keeps its room.
#[derive(Debug)]
pub(crate) struct Sweeps {
    d: Vec<Four>,
    kernel: Kernel,
}

impl Default for Sweeps {
    fn default() -> Self {
        Sweeps { d: Vec::new(), kernel: Kernel::detected() }
    }
}

impl Sweeps {
    /// Visit all constraints some times, in their order, ending early when a sweep finds nothing to do. `inverse` are inverse
    /// masses \[1/kg\], d displacements \[m\].
    pub fn sweep(&mut self, pool: &mut [Near], inverse: &[f64], d: &mut [DVec3]) {
        if pool.is_empty() {
            return;
        }
        self.d.clear();
        self.d.extend(d.iter().map(|d| Wide([d.x, d.y, d.z, 0.0])));
        run(self.kernel, Visits { pool, inverse, d: &mut self.d });
        for (d, &Wide([x, y, z, _])) in d.iter_mut().zip(&self.d) {
            *d = DVec3::new(x, y, z);
        }
    }

    /// Give the particles that sweeps have moved the velocities that belong to their corrected positions: nothing that is
    /// pressed together approaches, `n·(Σ wᵢ vᵢ − ground/h) ≥ 0`, and friction slows what slides. All others keep their bits.
    /// Only constraints that have moved something are left in the pool.
    pub fn velocities(&mut self, pool: &mut Vec<Near>, h: f64, inverse: &[f64], velocities: &mut [DVec3]) {
        pool.retain_mut(|near| {
            let moves = near.moves();
            // From here on multipliers are impulses [kg·m/s].
            (near.need, near.ground, near.within) = (0.0, near.ground / h, near.within / h);
            (near.pressed, near.dragged) = (0.0, DVec3::ZERO);
            moves
        });
        self.sweep(pool, inverse, velocities);
    }
}

struct Visits<'a> {
    pool: &'a mut [Near],
    inverse: &'a [f64],
    d: &'a mut [Four],
}

impl Work<f64> for Visits<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) {
        for _ in 0..SWEEPS {
            let mut moved = false;
            for near in &mut *self.pool {
                moved |= near.visit::<V>(self.inverse, self.d);
            }
            if !moved {
                break;
            }
        }
    }
}
