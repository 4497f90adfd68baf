//! The time-stepping objective shared by every implicit method, \[Liu13\] eq. (8):
//!
//! ```text
//! g(x) = ½ (x − y)ᵀ M (x − y) + h² E(x),      E(x) = Σ ½ k (‖p‖ − r)² − xᵀ f_ext,   p = x_a − x_b
//! ```
//!
//! Completing the square with the *target* `ŷ = y + h² M⁻¹ f_ext` gives, up to a constant,
//! `g(x) = ½ ‖x − ŷ‖²_M + h² Σ ½ k (‖p‖ − r)²`: a sum of squares, so differences of g keep their digits
//! (the expanded form of eq. (14) loses them). Eq. (13) of the paper prints `+ xᵀ f_ext`; the potential of a
//! force is `− xᵀ f_ext`.
//!
//! Pinned particles have no row: they enter as constants through the springs that hold them.

mod rows;
mod springs;
mod sweep;

use crate::linear::{Pattern, Precision, Sequence, Symmetric};
use crate::threads::WORTH_THREADS;
use crate::{Model, Spring, SpringKind, State};
use glam::{DMat3, DVec3};
pub use rows::Rows;
use springs::Net;
pub(crate) use springs::{links, pairs};
use std::sync::{Arc, OnceLock};
pub(crate) use sweep::{Sweep, Visit};

/// One step's minimisation problem. Everything in it is constant while the step is solved.
#[derive(Debug, Clone, Default)]
pub struct Objective {
    /// Effective time step h \[s\] of the scheme.
    pub h: f64,
    /// Rows of the free particles.
    pub rows: Rows,
    /// Positions at the start of the step, q_n \[m\]: they give directions to springs without length.
    pub start: Vec<DVec3>,
    /// Where inertia alone would carry each particle, y \[m\]; pinned particles are where their pin is.
    pub inertia: Vec<DVec3>,
    /// Where inertia and external forces would carry it, ŷ \[m\]; pinned particles are where their pin is.
    pub target: Vec<DVec3>,
    /// Mean rest length ℓ \[m\], the yardstick of [`Objective::residual`].
    pub length: f64,
    /// Of the factor of the constant matrix `M + h²L`, for methods that have one.
    pub precision: Precision,
    /// The order in which the particles are eliminated, once a method has asked for it: see [`Objective::sequence`].
    /// Objectives over the same particles and springs may share it, whatever their pins.
    pub sequence: Arc<OnceLock<Sequence>>,
    /// max(1 + h² Σk/m) over the free particles (dimensionless).
    stiffest: f64,
    net: Net,
}

/// ‖p‖ without overflow or underflow.
#[inline]
pub fn length(p: DVec3) -> f64 {
    let squared = p.length_squared();
    if squared.is_normal() {
        return squared.sqrt();
    }
    let largest = p.abs().max_element();
    if largest == 0.0 || !largest.is_finite() { largest } else { largest * (p / largest).length() }
}

/// The local step: the `d` nearest to `p` with ‖d‖ = r (with ‖d‖ ≤ r for extension-only springs), so that
/// `‖p − d‖² = (‖p‖ − r)²`: the Lemma of \[Liu13\].
///
/// At p = 0 every direction is equally near; `fallback` decides, and need not have unit length. Without any
/// direction d = 0, the mean of all answers. For a bend spring there is no such d that is constant in length; this one
/// gives its force all the same, c_b (p − d).
#[inline]
pub fn project(spring: &Spring, p: DVec3, fallback: impl FnOnce() -> DVec3) -> DVec3 {
    let mut r = spring.rest_length;
    match spring.kind {
        SpringKind::Linear => {}
        SpringKind::ExtensionOnly if length(p) > r => {}
        SpringKind::Bend { .. } if length(p) < r && spring.stiffness > 0.0 => {
            // The d of a linear spring of stiffness c_b with the same force.
            let l = length(p);
            r = l - spring.tension(l).0 / spring.stiffness;
        }
        _ => return p,
    }
    scaled_to(r, if p == DVec3::ZERO { fallback() } else { p })
}

/// p stretched or shrunk to length r, however short or long it is; zero stays zero.
#[inline]
fn scaled_to(r: f64, p: DVec3) -> DVec3 {
    let squared = p.length_squared();
    let scale = r / squared.sqrt();
    if squared.is_normal() && scale.is_finite() {
        return p * scale;
    }
    let largest = p.abs().max_element();
    if largest == 0.0 {
        return DVec3::ZERO;
    }
    // Dividing first: among denormal numbers even ‖p‖ itself is off by as much as a half.
    let p = p / largest;
    p * (r / p.length())
}

impl Objective {
    /// Room for steps of length `h` \[s\] of a model, for the pins of a state.
    pub fn new(model: &Model, state: &State, h: f64) -> Self {
        let zeros = vec![DVec3::ZERO; model.particles()];
        let rows = Rows::new(state);
        let mut stiffness = vec![0.0; model.particles()];
        model.springs.iter().for_each(|s| s.ends.iter().for_each(|&e| stiffness[e as usize] += s.stiffest()));
        let ratio = |&i: &u32| 1.0 + h * h * stiffness[i as usize] / model.masses[i as usize];
        Objective {
            h,
            stiffest: rows.particles.iter().map(ratio).fold(0.0, f64::max),
            net: Net::new(model, &rows, model.springs.len() >= WORTH_THREADS),
            rows,
            start: zeros.clone(),
            inertia: zeros.clone(),
            target: zeros,
            length: model.mean_rest_length(),
            precision: Precision::default(),
            sequence: Arc::default(),
        }
    }

    /// The order in which all particles, pinned ones too, are eliminated from matrices over the graph of the springs. Made
    /// when it is first asked for; [`Sequence::restricted`] to the rows it serves any pins.
    pub fn sequence(&self, model: &Model) -> &Sequence {
        if let Some(known) = self.sequence.get() {
            return known;
        }
        // Not inside `get_or_init`: ordering forks, and a task stolen meanwhile may ask for the same order.
        let (graph, _) = Pattern::new(model.particles(), model.springs.iter().map(|s| s.ends));
        let sequence = Sequence::new(&graph);
        self.sequence.get_or_init(|| sequence)
    }

    /// Direction of a spring that has no length now: as at the start of the step, else as in the rest pose.
    /// (A fixed axis would break mirror symmetry.)
    #[inline]
    fn fallback(&self, model: &Model, a: usize, b: usize) -> DVec3 {
        let p = self.start[a] - self.start[b];
        if p != DVec3::ZERO { p } else { model.rest[a] - model.rest[b] }
    }

    /// The local step for one spring at positions x.
    #[inline]
    pub fn direction(&self, model: &Model, spring: &Spring, x: &[DVec3]) -> DVec3 {
        let (a, b) = spring.ab();
        self.project(model, spring, x[a] - x[b])
    }

    /// The same for a spring vector `p`.
    #[inline]
    pub fn project(&self, model: &Model, spring: &Spring, p: DVec3) -> DVec3 {
        let (a, b) = spring.ab();
        project(spring, p, || self.fallback(model, a, b))
    }

    /// The direction of a spring vector `p`, of unit length; zero only if the spring never had one.
    #[inline]
    pub fn unit(&self, model: &Model, spring: &Spring, p: DVec3) -> DVec3 {
        let (a, b) = spring.ab();
        scaled_to(1.0, if p == DVec3::ZERO { self.fallback(model, a, b) } else { p })
    }

    /// g(x) [kg·m²], by compensated summation.
    pub fn value(&self, model: &Model, x: &[DVec3]) -> f64 {
        let mut sum = Sum::default();
        for &i in &self.rows.particles {
            let i = i as usize;
            sum.add(0.5 * model.masses[i] * (x[i] - self.target[i]).length_squared());
        }
        let h2 = self.h * self.h;
        for spring in &model.springs {
            sum.add(h2 * spring_energy(spring, x));
        }
        sum.total()
    }

    /// g(to) − g(from) \[kg·m²\], each term as a difference of squares `(b − a)(b + a)`, so that small changes keep
    /// their digits.
    pub fn change(&self, model: &Model, from: &[DVec3], to: &[DVec3]) -> f64 {
        let mut sum = Sum::default();
        for &i in &self.rows.particles {
            let i = i as usize;
            let middle = (from[i] - self.target[i]) + (to[i] - self.target[i]);
            sum.add(0.5 * model.masses[i] * (to[i] - from[i]).dot(middle));
        }
        let h2 = self.h * self.h;
        for spring in &model.springs {
            let (a, b) = spring.ab();
            let (p, q) = (from[a] - from[b], to[a] - to[b]);
            let (l, m) = (length(p), length(q));
            if let Some(strip) = spring.strip() {
                let difference = if l + m > 0.0 { (q - p).dot(q + p) / (l + m) } else { 0.0 };
                sum.add(h2 * strip.change(l, m, difference));
                continue;
            }
            let slack = spring.kind == SpringKind::ExtensionOnly && l.min(m) <= spring.rest_length;
            let stretched = |l: f64| (l - spring.rest_length).max(0.0);
            let (difference, sum_of_stretches) = if slack {
                (stretched(m) - stretched(l), stretched(m) + stretched(l))
            } else if l + m > 0.0 {
                ((q - p).dot(q + p) / (l + m), (l - spring.rest_length) + (m - spring.rest_length))
            } else {
                (0.0, 0.0)
            };
            sum.add(0.5 * h2 * spring.stiffness * difference * sum_of_stretches);
        }
        sum.total()
    }

    /// Residual that rounding of the positions alone causes: one ε of the largest coordinate through the stiffest
    /// particle, `ε (X/ℓ) max(1 + h² Σk/m)` (dimensionless).
    pub fn rounding(&self, x: &[DVec3]) -> f64 {
        let largest = x.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        f64::EPSILON * self.stiffest * largest / self.length
    }

    /// ∇g(x) [kg·m], one entry per row. Returns g(x) \[kg·m²\] by plain sums, exact to 1e-12 of itself:
    /// [`Objective::value`] and [`Objective::change`] are better, but this one is free.
    pub fn gradient(&mut self, model: &Model, x: &[DVec3], gradient: &mut [DVec3]) -> f64 {
        let h2 = self.h * self.h;
        let value = self.net.gradient(model, &self.rows, x, &self.target, h2, gradient);
        for &i in &self.net.odd {
            let spring = &model.springs[i as usize];
            let (a, b) = spring.ab();
            let force = h2 * spring.stiffness * ((x[a] - x[b]) - self.direction(model, spring, x));
            let [a, b] = spring.ends.map(|e| self.rows.of[e as usize]);
            if a != Rows::NONE {
                gradient[a as usize] += force;
            }
            if b != Rows::NONE {
                gradient[b as usize] -= force;
            }
        }
        value
    }

    /// dᵀ ∇²g d \[kg·m²\] along a direction d (one entry per row) at the x of the last [`Objective::gradient`]: with q the
    /// vector of a spring in d, `dᵀMd + h² Σ k [(1 − r/l) q·q + (r/l³) (p·q)²]`.
    pub fn curvature(&mut self, model: &Model, d: &[DVec3]) -> f64 {
        let inertia = self.rows.moment(&model.masses, d);
        inertia + self.h * self.h * self.net.curvature(model, &self.rows, d)
    }

    /// ∇²g(x) \[kg\]: `M + h² Σ k [x̂x̂ᵀ + (1 − r/l)(I − x̂x̂ᵀ)]`, unfiltered, so indefinite where springs are
    /// compressed. `slots` come from [`Rows::pattern`]. A spring without length, or so
    /// short that k r/l overflows, has no transverse term.
    pub fn hessian(&self, model: &Model, x: &[DVec3], slots: &[u32], hessian: &mut Symmetric<DMat3>) {
        let h2 = self.h * self.h;
        self.rows.assemble(model, slots, hessian, |spring| h2 * self.spring_hessian(model, spring, x));
    }

    fn spring_hessian(&self, model: &Model, spring: &Spring, x: &[DVec3]) -> DMat3 {
        let (a, b) = spring.ab();
        let (p, r) = (x[a] - x[b], spring.rest_length);
        let l = length(p);
        let (tension, k) = spring.tension(l);
        if k == 0.0 {
            return DMat3::ZERO;
        }
        let isotropic = |s| DMat3::from_diagonal(DVec3::splat(s));
        if r == 0.0 {
            return isotropic(k);
        }
        let along = if l > 0.0 { p } else { self.fallback(model, a, b) };
        let unit = scaled_to(1.0, along);
        let transverse = match spring.kind {
            SpringKind::Bend { .. } => tension / (k * l),
            _ => 1.0 - r / l,
        };
        let transverse = if (k * transverse).is_finite() { transverse } else { 0.0 };
        isotropic(k * transverse) + (k * (1.0 - transverse)) * outer(unit)
    }

    /// Scaled residual max ‖∇g_i‖/(m_i ℓ): the unbalanced displacement in mean rest lengths (dimensionless).
    /// Not a number if any entry is.
    pub fn residual(&self, model: &Model, gradient: &[DVec3]) -> f64 {
        let rows = || gradient.iter().zip(&self.rows.particles).map(|(g, &i)| (*g, model.masses[i as usize]));
        let (mut worst, mut sum) = (0.0, 0.0);
        for (g, m) in rows() {
            let squared = g.length_squared() / (m * m);
            worst = if squared > worst { squared } else { worst };
            sum += squared;
        }
        // Squares of very small and very large numbers, and what is not a number, take a longer way.
        if worst.is_normal() && sum.is_finite() {
            return worst.sqrt() / self.length;
        }
        let longest = |a: f64, b: f64| if b > a || b.is_nan() { b } else { a };
        rows().map(|(g, m)| length(g) / m).fold(0.0, longest) / self.length
    }
}

/// u uᵀ.
pub(crate) fn outer(u: DVec3) -> DMat3 {
    DMat3::from_cols(u * u.x, u * u.y, u * u.z)
}

/// ½ k (‖p‖ − r)² for a linear spring, zero for an extension-only spring that is slack, the energy of the arc for a
/// bend spring \[J\].
#[inline]
pub fn spring_energy(spring: &Spring, x: &[DVec3]) -> f64 {
    let (a, b) = spring.ab();
    energy_at(spring, length(x[a] - x[b]))
}

/// The same at a length \[m\].
fn energy_at(spring: &Spring, l: f64) -> f64 {
    if let Some(strip) = spring.strip() {
        return strip.energy(l);
    }
    let stretch = l - spring.rest_length;
    if spring.kind == SpringKind::ExtensionOnly && stretch <= 0.0 {
        return 0.0;
    }
    0.5 * spring.stiffness * stretch * stretch
}

/// What a spring pulls its ends with, as a multiple of its vector p, for linear ones `w = k (1 − r/‖p‖)` [N/m]; `None` where it has no
/// such multiple: at p = 0, or so near that it overflows.
fn weight(spring: &Spring, p: DVec3) -> Option<f64> {
    let l = length(p);
    let w = match spring.kind {
        SpringKind::Bend { .. } => spring.tension(l).0 / l,
        SpringKind::ExtensionOnly if l <= spring.rest_length => 0.0,
        _ => spring.stiffness * (1.0 - spring.rest_length / l),
    };
    Some(w).filter(|w| w.is_finite())
}

/// Compensated summation: the rounding error of each addition is kept and added at the end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    /// Add a term.
    #[inline]
    pub fn add(&mut self, term: f64) {
        let sum = self.high + term;
        let part = sum - self.high;
        self.low += (self.high - (sum - part)) + (term - part);
        self.high = sum;
    }

    /// The sum so far.
    pub fn total(&self) -> f64 {
        self.high + self.low
    }
}
