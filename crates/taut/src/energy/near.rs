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
//! (max(0, λ − k s)² − λ²)/2k,      k = 3 m_e,
//! ```
//!
//! a quadratic on one side and a constant on the other. λ_g = max(0, λ − k s) at the minimum is what it pressed with;
//! sweeps after the step add to that. So elasticity knows of the contact in the same step, not one step late. A stiffer k
//! stretches cloth less, but ten iterations then leave smooth motions unsolved: layers chatter and friction fails.

use super::Rows;
use glam::DVec3;

/// k in units of m_e.
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

    /// Σ w d over displacements or velocities d of all particles.
    #[inline]
    fn relative(&self, d: &[DVec3]) -> DVec3 {
        let [a, b, c, e] = self.particles.map(|i| d[i as usize]);
        let w = self.weights;
        (w[0] * a + w[1] * b) + (w[2] * c + w[3] * e)
    }

    /// Satisfy it for now: change its multipliers and the displacements. Returns whether anything moved.
    #[inline]
    fn visit(&mut self, inverse: &[f64], d: &mut [DVec3]) -> bool {
        let u = self.relative(d) - self.ground;
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
        for (&i, &w) in self.particles.iter().zip(&self.weights) {
            d[i as usize] += (w * inverse[i as usize]) * impulse;
        }
        true
    }

    /// s \[m\] at positions x, for a step from `start`.
    #[inline]
    fn gap(&self, start: &[DVec3], x: &[DVec3]) -> f64 {
        let u: DVec3 = (0..4)
            .map(|k| self.weights[k] * (x[self.particles[k] as usize] - start[self.particles[k] as usize]))
            .sum();
        self.normal.dot(u - self.ground) - self.need
    }

    /// k \[kg\].
    #[inline]
    fn stiffness(&self) -> f64 {
        STIFFNESS * self.mass
    }

    /// max(0, λ − k s) at a gap s.
    #[inline]
    fn force(&self, s: f64) -> f64 {
        (self.pressed - self.stiffness() * s).max(0.0)
    }

    /// ds/dt along a direction d by rows \[m\].
    #[inline]
    fn rate(&self, rows: &Rows, d: &[DVec3]) -> f64 {
        let mut u = DVec3::ZERO;
        for (&i, &w) in self.particles.iter().zip(&self.weights) {
            if let Some(&d) = d.get(rows.of[i as usize] as usize) {
                u += w * d;
            }
        }
        self.normal.dot(u)
    }
}

/// Visit all constraints some times, in their order, ending early when a sweep finds nothing to do.
pub(crate) fn sweep(pool: &mut [Near], inverse: &[f64], d: &mut [DVec3]) {
    for _ in 0..SWEEPS {
        let mut moved = false;
        pool.iter_mut().for_each(|near| moved |= near.visit(inverse, d));
        if !moved {
            break;
        }
    }
}

/// Give the particles that sweeps have moved the velocities that belong to their corrected positions: nothing that is
/// pressed together approaches, `n·(Σ wᵢ vᵢ − ground/h) ≥ 0`, and friction slows what slides. All others keep their bits.
/// Only constraints that have moved something are left in the pool.
pub(crate) fn sweep_velocities(pool: &mut Vec<Near>, h: f64, inverse: &[f64], velocities: &mut [DVec3]) {
    pool.retain_mut(|near| {
        let moves = near.moves();
        // From here on multipliers are impulses [kg·m/s].
        (near.need, near.ground, near.within) = (0.0, near.ground / h, near.within / h);
        (near.pressed, near.dragged) = (0.0, DVec3::ZERO);
        moves
    });
    sweep(pool, inverse, velocities);
}

/// The constraints of a step as a part of g.
#[derive(Debug, Default)]
pub(crate) struct NearTerm {
    pub list: Vec<Near>,
    /// Gap s of each at the last gradient, and its rate along the direction of a search.
    gaps: Vec<f64>,
    rates: Vec<f64>,
    moves: Vec<DVec3>,
}

impl NearTerm {
    /// Take constraints for the step, with the multipliers that keep ŷ apart in sweeps without friction. `inverse` are
    /// inverse masses \[1/kg\], 0 where pinned.
    pub fn begin(&mut self, near: &mut Vec<Near>, inverse: &[f64], start: &[DVec3], target: &[DVec3]) {
        std::mem::swap(&mut self.list, near);
        self.moves.clear();
        self.moves.extend(target.iter().zip(start).map(|(y, x)| *y - *x));
        // Friction waits: `gaps` keeps it meanwhile.
        self.gaps.clear();
        self.gaps.extend(self.list.iter_mut().map(|near| std::mem::take(&mut near.friction)));
        sweep(&mut self.list, inverse, &mut self.moves);
        self.list.iter_mut().zip(&self.gaps).for_each(|(near, &friction)| near.friction = friction);
        self.rates.resize(self.list.len(), 0.0);
    }

    /// Give them back at the answer x: what each presses with inside g is known, and sweeps after the step begin anew.
    pub fn end(&mut self, near: &mut Vec<Near>, start: &[DVec3], x: &[DVec3]) {
        for near in &mut self.list {
            near.within = near.force(near.gap(start, x));
            near.pressed = 0.0;
        }
        std::mem::swap(&mut self.list, near);
        self.list.clear();
    }

    /// Add the gradient at x. Returns the value \[kg·m²\].
    pub fn gradient(&mut self, rows: &Rows, start: &[DVec3], x: &[DVec3], gradient: &mut [DVec3]) -> f64 {
        let mut value = 0.0;
        for (near, gap) in self.list.iter().zip(&mut self.gaps) {
            *gap = near.gap(start, x);
            let force = near.force(*gap);
            value += 0.5 * (force * force - near.pressed * near.pressed) / near.stiffness();
            if force > 0.0 {
                for (&i, &w) in near.particles.iter().zip(&near.weights) {
                    if let Some(g) = gradient.get_mut(rows.of[i as usize] as usize) {
                        *g -= (w * force) * near.normal;
                    }
                }
            }
        }
        value
    }

    /// The value \[kg·m²\] at `to` less that at `from`, each square as a difference.
    pub fn change(&self, start: &[DVec3], from: &[DVec3], to: &[DVec3]) -> f64 {
        let change = |near: &Near| {
            let (a, b) = (near.force(near.gap(start, from)), near.force(near.gap(start, to)));
            0.5 * (b - a) * (b + a) / near.stiffness()
        };
        self.list.iter().map(change).sum()
    }

    /// The t at which g along x + t d is lowest, if the rest of g is a parabola with `slope` (contacts included) and
    /// `curvature` (without them) at t = 0: Newton's method on a slope that is piecewise linear in t.
    pub fn search(&mut self, rows: &Rows, slope: f64, curvature: f64, d: &[DVec3]) -> f64 {
        let mut elastic = slope;
        for ((near, rate), gap) in self.list.iter().zip(&mut self.rates).zip(&self.gaps) {
            *rate = near.rate(rows, d);
            elastic += near.force(*gap) * *rate;
        }
        let mut t = 0.0;
        for _ in 0..NEWTON_STEPS {
            let (mut slope, mut bend) = (elastic + t * curvature, curvature);
            for ((near, &rate), &gap) in self.list.iter().zip(&self.rates).zip(&self.gaps) {
                let force = near.force(gap + t * rate);
                slope -= force * rate;
                bend += if force > 0.0 { near.stiffness() * rate * rate } else { 0.0 };
            }
            let next = if bend > 0.0 { (t - slope / bend).max(0.0) } else { return t };
            if (next - t).abs() <= ALIKE * next {
                return t;
            }
            t = next;
        }
        t
    }
}

/// Two t that differ by no more than this part of themselves are one.
const ALIKE: f64 = 1e-9;
/// Steps on the slope: it has few kinks near its zero.
const NEWTON_STEPS: usize = 8;
