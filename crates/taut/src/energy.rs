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

use crate::linear::{Block, Pattern, Symmetric};
use crate::{Model, Spring, SpringKind, State};
use glam::{DMat3, DVec3};

/// Row numbers of the free particles; pinned ones have none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// Particle of each row.
    pub particles: Vec<u32>,
    /// Row of each particle, or [`Rows::NONE`].
    pub of: Vec<u32>,
}

impl Rows {
    /// Marks a particle without a row.
    pub const NONE: u32 = u32::MAX;

    /// Number the free particles of a state.
    pub fn new(state: &State) -> Self {
        let mut rows = Rows { particles: Vec::new(), of: vec![Rows::NONE; state.filters.len()] };
        for (i, filter) in state.filters.iter().enumerate() {
            if !filter.is_pinned() {
                rows.of[i] = rows.particles.len() as u32;
                rows.particles.push(i as u32);
            }
        }
        rows
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.particles.len()
    }

    /// Whether everything is pinned.
    pub fn is_empty(&self) -> bool {
        self.particles.is_empty()
    }

    /// Matrix pattern of the springs between free particles, and the slot of each such spring in order.
    pub fn pattern(&self, springs: &[Spring]) -> (Pattern, Vec<u32>) {
        let edges = springs.iter().map(|s| s.ends.map(|e| self.of[e as usize]));
        Pattern::new(self.len(), edges.filter(|e| !e.contains(&Rows::NONE)))
    }

    /// `M + Σ block(spring) A Aᵀ` over the free rows. `slots` come from [`Rows::pattern`].
    pub fn assemble<B: Block>(
        &self,
        model: &Model,
        slots: &[u32],
        matrix: &mut Symmetric<B>,
        block: impl Fn(&Spring) -> B,
    ) {
        matrix.clear();
        for (diagonal, &i) in matrix.diagonal.iter_mut().zip(&self.particles) {
            *diagonal = B::ZERO.shifted(model.masses[i as usize]);
        }
        let mut slots = slots.iter();
        for spring in &model.springs {
            match spring.ends.map(|e| self.of[e as usize]) {
                [Rows::NONE, Rows::NONE] => {}
                [i, Rows::NONE] | [Rows::NONE, i] => matrix.diagonal[i as usize] += block(spring),
                [i, j] => {
                    let block = block(spring);
                    matrix.diagonal[i as usize] += block;
                    matrix.diagonal[j as usize] += block;
                    matrix.upper[*slots.next().expect("one slot per free spring") as usize] -= block;
                }
            }
        }
    }
}

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
    /// max(1 + h² Σk/m) over the free particles (dimensionless).
    stiffest: f64,
    spring_forces: Vec<DVec3>,
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
/// direction d = 0, the mean of all answers.
#[inline]
pub fn project(spring: &Spring, p: DVec3, fallback: impl FnOnce() -> DVec3) -> DVec3 {
    let r = spring.rest_length;
    if spring.kind == SpringKind::ExtensionOnly && length(p) <= r {
        return p;
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
        model.springs.iter().for_each(|s| s.ends.iter().for_each(|&e| stiffness[e as usize] += s.stiffness));
        let ratio = |&i: &u32| 1.0 + h * h * stiffness[i as usize] / model.masses[i as usize];
        Objective {
            h,
            stiffest: rows.particles.iter().map(ratio).fold(0.0, f64::max),
            rows,
            start: zeros.clone(),
            inertia: zeros.clone(),
            target: zeros,
            length: model.mean_rest_length(),
            spring_forces: vec![DVec3::ZERO; if parallel(model) { model.springs.len() } else { 0 }],
        }
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

    /// ∇g(x) [kg·m], one entry per row.
    pub fn gradient(&mut self, model: &Model, x: &[DVec3], gradient: &mut [DVec3]) {
        for (g, &i) in gradient.iter_mut().zip(&self.rows.particles) {
            let i = i as usize;
            *g = model.masses[i] * (x[i] - self.target[i]);
        }
        self.add_springs(model, x, gradient);
    }

    /// Add the springs' share of ∇g, h²∇E [kg·m]; with h = 1 s it is minus the force of the springs \[N\].
    pub fn add_springs(&mut self, model: &Model, x: &[DVec3], gradient: &mut [DVec3]) {
        let h2 = self.h * self.h;
        let mut forces = std::mem::take(&mut self.spring_forces);
        let force = |spring: &Spring| {
            let (a, b) = spring.ab();
            h2 * spring.stiffness * ((x[a] - x[b]) - self.direction(model, spring, x))
        };
        let add = |gradient: &mut [DVec3], spring: &Spring, force: DVec3| {
            let [a, b] = spring.ends.map(|e| self.rows.of[e as usize]);
            if a != Rows::NONE {
                gradient[a as usize] += force;
            }
            if b != Rows::NONE {
                gradient[b as usize] -= force;
            }
        };
        // Forces may be computed in any order; they are added in the order of the springs, so both branches
        // give the same bits.
        if forces.is_empty() {
            model.springs.iter().for_each(|s| add(gradient, s, force(s)));
        } else {
            compute(&model.springs, &mut forces, force);
            model.springs.iter().zip(&forces).for_each(|(s, &f)| add(gradient, s, f));
        }
        self.spring_forces = forces;
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
        let (p, k, r) = (x[a] - x[b], spring.stiffness, spring.rest_length);
        let l = length(p);
        if spring.kind == SpringKind::ExtensionOnly && l <= r {
            return DMat3::ZERO;
        }
        let isotropic = |s| DMat3::from_diagonal(DVec3::splat(s));
        if r == 0.0 {
            return isotropic(k);
        }
        let along = if l > 0.0 { p } else { self.fallback(model, a, b) };
        let unit = scaled_to(1.0, along);
        let transverse = if (k * (r / l)).is_finite() { 1.0 - r / l } else { 0.0 };
        let outer = DMat3::from_cols(unit * unit.x, unit * unit.y, unit * unit.z);
        isotropic(k * transverse) + (k * (1.0 - transverse)) * outer
    }

    /// Scaled residual max ‖∇g_i‖/(m_i ℓ): the unbalanced displacement in mean rest lengths (dimensionless).
    /// Not a number if any entry is.
    pub fn residual(&self, model: &Model, gradient: &[DVec3]) -> f64 {
        let scaled = |(g, &i): (&DVec3, &u32)| length(*g) / model.masses[i as usize];
        let worst = gradient.iter().zip(&self.rows.particles).map(scaled);
        worst.fold(0.0, |a: f64, b| if b > a || b.is_nan() { b } else { a }) / self.length
    }
}

/// ½ k (‖p‖ − r)², or zero for an extension-only spring that is slack \[J\].
#[inline]
pub fn spring_energy(spring: &Spring, x: &[DVec3]) -> f64 {
    let (a, b) = spring.ab();
    let stretch = length(x[a] - x[b]) - spring.rest_length;
    if spring.kind == SpringKind::ExtensionOnly && stretch <= 0.0 {
        return 0.0;
    }
    0.5 * spring.stiffness * stretch * stretch
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

/// Springs above which a pass over them is worth waking other cores for (measured: a fork costs about as much
/// as 20,000 springs on the two-core build machine).
#[cfg(feature = "threads")]
const WORTH_THREADS: usize = 50_000;

/// Whether passes over the springs of this model use several threads.
pub(crate) fn parallel(_model: &Model) -> bool {
    #[cfg(feature = "threads")]
    return _model.springs.len() >= WORTH_THREADS && rayon::current_num_threads() > 1;
    #[cfg(not(feature = "threads"))]
    false
}

/// out[i] = f(items[i]).
pub(crate) fn compute<T: Sync, R: Send>(items: &[T], out: &mut [R], f: impl Fn(&T) -> R + Sync) {
    let chunk = |(items, out): (&[T], &mut [R])| items.iter().zip(out).for_each(|(item, out)| *out = f(item));
    #[cfg(feature = "threads")]
    {
        use rayon::prelude::*;
        items.par_chunks(4096).zip(out.par_chunks_mut(4096)).for_each(chunk);
    }
    #[cfg(not(feature = "threads"))]
    chunk((items, out));
}
