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
//! λ ← max(−λ_g, λ − m_e s),      τ ← τ − m_e u, shortened to |τ| ≤ μ (λ + λ_g),      1/m_e = Σ wᵢ²/mᵢ
//! ```
//!
//! with λ_g what it has pressed with inside g already, 0 if it was not there: the sum of both is never negative. So a
//! sweep also takes back what a minimisation that is not finished has pressed too much.
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
//! sweeps after the step add to that. So elasticity knows of the contact in the same step, not one step late. Where
//! something was pressed in the steps before, λ is that load; for new contacts it is what keeps ŷ apart, by sweeps. A
//! stiffer k would stretch cloth less in a step, but ten iterations then leave smooth motions unsolved: layers chatter and
//! friction fails. With a lasting λ the soft k is enough.

use crate::kernel::{Four, Kernel, Simd, Wide, Work, run};
use glam::DVec3;

/// k in units of m_e, for each pair that a constraint stands for.
const STIFFNESS: f64 = 3.0;
/// Sweeps over the constraints, each time.
const SWEEPS: usize = 6;
/// Of so many sweeps the first visits all constraints, the others only those that have moved something: most press nothing.
const ALL_OF: usize = 3;

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
    /// λ \[kg·m\] of sweeps.
    pub pressed: f64,
    /// λ_g \[kg·m\]; before g is minimised, what it is expected to be.
    pub within: f64,
    /// τ \[kg·m\].
    pub dragged: DVec3,
    /// By what it is known from step to step.
    pub place: [u32; 3],
}

/// The place of a constraint that is not known from step to step.
pub(crate) const NOWHERE: [u32; 3] = [u32::MAX; 3];

impl Near {
    /// A constraint that nothing presses yet; `None` if nothing it could move has a mass. `inverse` are inverse masses
    /// \[1/kg\], 0 where prescribed.
    #[inline]
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
            place: NOWHERE,
        })
    }

    /// Whether it presses, in sweeps or inside g.
    pub fn presses(&self) -> bool {
        self.pressed + self.within > 0.0
    }

    /// Whether sweeps have moved its particles.
    pub fn moves(&self) -> bool {
        self.pressed != 0.0 || self.dragged != DVec3::ZERO
    }

    /// Move particles by a multiplier \[kg·m\].
    fn push(&self, multiplier: DVec3, inverse: &[f64], d: &mut [DVec3]) {
        for (&i, &w) in self.particles.iter().zip(&self.weights) {
            d[i as usize] += w * inverse[i as usize] * multiplier;
        }
    }

    /// Satisfy it for now: change its multipliers and the displacements. Returns whether anything moved.
    #[inline(always)]
    fn visit<V: Simd<f64>, const FRICTION: bool>(&mut self, inverse: &[f64], d: &mut [Four]) -> bool {
        let [a, b, c, e] = self.particles;
        let (first, second) = (self.part::<V>(0, a, d), self.part::<V>(1, b, d));
        let (third, fourth) = (self.part::<V>(2, c, d), self.part::<V>(3, e, d));
        let [x, y, z, _] = V::store(V::add(V::add(first, second), V::add(third, fourth))).0;
        let u = DVec3::new(x, y, z) - self.ground;
        let apart = self.normal.dot(u);
        let pressed = (self.pressed + self.mass * (self.need - apart)).max(-self.within);
        let most = self.friction * (pressed + self.within);
        let mut impulse = (pressed - self.pressed) * self.normal;
        let mut dragged = self.dragged;
        if FRICTION && (most > 0.0 || dragged != DVec3::ZERO) {
            let wanted = dragged - self.mass * (u - apart * self.normal);
            let length = wanted.length();
            dragged = if length > most { wanted * (most / length) } else { wanted };
            impulse += dragged - self.dragged;
        }
        if impulse == DVec3::ZERO {
            return false;
        }
        (self.pressed, self.dragged) = (pressed, dragged);
        // Not by way of memory: that would wait for what was just written.
        let impulse = V::load(&Wide([impulse.x, impulse.y, impulse.z, 0.0]));
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
        (self.multiplier() - self.stiffness() * s).max(0.0)
    }

    /// The λ that stays fixed inside g: what it is expected to press with, or if that is not known, that of sweeps.
    #[inline]
    pub(super) fn multiplier(&self) -> f64 {
        self.pressed + self.within
    }
}

/// Visits constraints; keeps its room.
#[derive(Debug)]
pub(crate) struct Sweeps {
    d: Vec<Four>,
    /// Numbers of those that have moved something.
    active: Vec<u32>,
    kernel: Kernel,
}

impl Default for Sweeps {
    fn default() -> Self {
        Sweeps { d: Vec::new(), active: Vec::new(), kernel: Kernel::detected() }
    }
}

impl Sweeps {
    /// Visit constraints some times, in their order, ending early when a sweep over all finds nothing to do. `inverse` are inverse
    /// masses \[1/kg\], d displacements \[m\].
    pub fn sweep(&mut self, pool: &mut [Near], inverse: &[f64], d: &mut [DVec3]) {
        self.visit::<true>(pool, inverse, d);
    }

    /// Before g is minimised: move particles by what is expected to press, and give all other constraints, which are new,
    /// the multipliers that keep them apart then, without friction.
    pub fn expect(&mut self, pool: &mut [Near], inverse: &[f64], d: &mut [DVec3]) {
        let known = pool.iter().filter(|near| near.within > 0.0);
        known.for_each(|near| near.push(near.within * near.normal, inverse, d));
        self.visit::<false>(pool, inverse, d);
    }

    /// Begin a sweep with multipliers that are known from the step before.
    pub fn resume(pool: &mut [Near], inverse: &[f64], d: &mut [DVec3]) {
        for near in pool.iter_mut().filter(|near| near.within > 0.0) {
            near.pressed = std::mem::take(&mut near.within);
            near.push(near.pressed * near.normal, inverse, d);
        }
    }

    fn visit<const ALL: bool>(&mut self, pool: &mut [Near], inverse: &[f64], d: &mut [DVec3]) {
        if pool.is_empty() {
            return;
        }
        self.d.clear();
        self.d.extend(d.iter().map(|d| Wide([d.x, d.y, d.z, 0.0])));
        run(self.kernel, Visits::<ALL> { pool, inverse, d: &mut self.d, active: &mut self.active });
        for (d, &Wide([x, y, z, _])) in d.iter_mut().zip(&self.d) {
            *d = DVec3::new(x, y, z);
        }
    }

    /// Give the particles that sweeps have moved the velocities that belong to their corrected positions: nothing that is
    /// pressed together approaches, `n·(Σ wᵢ vᵢ − ground/h) ≥ 0`, nor leaves by what a minimisation pressed too much, and
    /// friction slows what slides. All others keep their bits. Only constraints that have moved something are left.
    pub fn velocities(&mut self, pool: &mut Vec<Near>, h: f64, inverse: &[f64], velocities: &mut [DVec3]) {
        pool.retain_mut(|near| {
            let moves = near.moves() || near.within > 0.0;
            if moves {
                // From here on multipliers are impulses [kg·m/s].
                (near.need, near.ground, near.within) = (0.0, near.ground / h, near.within / h);
                (near.pressed, near.dragged) = (near.pressed / h, near.dragged / h);
            }
            moves
        });
        // What moved a particle by Δ in the step is a first guess of what changes its velocity by Δ/h.
        pool.iter()
            .for_each(|near| near.push(near.pressed * near.normal + near.dragged, inverse, velocities));
        self.sweep(pool, inverse, velocities);
    }
}

/// `ALL`: with friction, and also those that are expected to press already.
struct Visits<'a, const ALL: bool> {
    pool: &'a mut [Near],
    inverse: &'a [f64],
    d: &'a mut [Four],
    active: &'a mut Vec<u32>,
}

impl<const ALL: bool> Work<f64> for Visits<'_, ALL> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) {
        let Visits { pool, inverse, d, active } = self;
        let mut moved = false;
        for sweep in 0..SWEEPS {
            let all = sweep % ALL_OF == 0 || !moved;
            moved = false;
            if all {
                active.clear();
                for (near, i) in pool.iter_mut().zip(0..).filter(|(near, _)| ALL || near.within == 0.0) {
                    moved |= near.visit::<V, ALL>(inverse, d);
                    if near.moves() {
                        active.push(i);
                    }
                }
            } else {
                for &i in &*active {
                    moved |= pool[i as usize].visit::<V, ALL>(inverse, d);
                }
            }
            if all && !moved {
                break;
            }
        }
    }
}
