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
//!
//! | file | what |
//! |---|---|
//! | `term` | what a part of E must be able to do; springs are the first |
//! | `springs` | the springs: their sums in a few passes, four at a time |
//! | `elements` | all other elements: links |
//! | `near`, `near_term` | pairs of primitives that are kept apart, by sweeps and as a part of g |
//! | `rows` | the numbers of the free particles in vectors and matrices |
//! | `sweep` | passes that visit one spring after another |
//! | `sum` | compensated summation |

mod elements;
mod near;
mod near_term;
mod rows;
mod springs;
mod sum;
mod sweep;
mod term;

use crate::linear::{Pattern, Precision, Sequence, Symmetric};
use crate::{Error, Model, Spring, SpringKind, State};
pub use elements::elastic;
pub(crate) use elements::{edges, stiffness, terms};
use glam::{DMat3, DVec3};
pub use near::Near;
pub(crate) use near::{NOWHERE, Sweeps};
pub(crate) use near_term::NearTerm;
pub use rows::Rows;
use springs::Springs;
pub(crate) use springs::{adjacency, pairs, refuse_bend};
use springs::{jacobian, spring_change, with_damper};
use std::sync::{Arc, OnceLock};
pub use sum::Sum;
pub(crate) use sweep::{Sweep, Visit};
pub(crate) use term::{Entries, Origin, Part, Rate, Step, Term};

/// One step's minimisation problem. Everything in it is constant while the step is solved.
#[derive(Debug, Default)]
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
    /// The first term. It stands alone because its gradient takes the inertia along, in the same pass.
    springs: Springs,
    /// The terms after the springs.
    terms: Vec<Box<dyn Term>>,
    /// Contacts that are minimised with the rest, in the steps that have any.
    pub(crate) contacts: NearTerm,
}

/// One ε of the largest coordinate \[m\]: what positions are rounded to.
pub(crate) fn spacing(x: &[DVec3]) -> f64 {
    f64::EPSILON * x.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max)
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

/// p, or if that is zero `fallback`, scaled to unit length; zero if both are.
#[inline]
pub(crate) fn unit(p: DVec3, fallback: impl FnOnce() -> DVec3) -> DVec3 {
    scaled_to(1.0, if p == DVec3::ZERO { fallback() } else { p })
}

impl Objective {
    /// Room for steps of length `h` \[s\] of a model, for the pins of a state.
    pub fn new(model: &Model, state: &State, h: f64) -> Self {
        Objective::damped(model, state, &[], h, 0.0)
    }

    /// The same with material damping β \[s\]; each step needs [`Objective::aim`]. These particles, ascending, have rows
    /// although they are prescribed.
    pub(crate) fn damped(model: &Model, state: &State, held: &[u32], h: f64, beta: f64) -> Self {
        let terms = terms(model, beta / h, state.time);
        Objective::with_terms(model, Rows::with_held(state, held), h, beta, terms)
    }

    /// The same with these terms besides the springs.
    pub(crate) fn with_terms(
        model: &Model,
        rows: Rows,
        h: f64,
        beta: f64,
        terms: Vec<Box<dyn Term>>,
    ) -> Self {
        let zeros = vec![DVec3::ZERO; model.particles()];
        let springs = Springs::new(model, &rows, beta / h);
        let mut slopes = vec![0.0; model.particles()];
        springs.stiffest(model, &mut slopes);
        terms.iter().for_each(|term| term.stiffest(model, &mut slopes));
        let ratio = |&i: &u32| 1.0 + h * h * slopes[i as usize] / model.masses[i as usize];
        Objective {
            h,
            stiffest: rows.particles.iter().map(ratio).fold(0.0, f64::max),
            springs,
            terms,
            contacts: NearTerm::default(),
            rows,
            start: zeros.clone(),
            inertia: zeros.clone(),
            target: zeros,
            length: model.mean_rest_length(),
            precision: Precision::default(),
            sequence: Arc::default(),
        }
    }

    /// Take what the terms must know of the step that begins at `start`, would end at `inertia` and ends at a time \[s\]:
    /// their dampers, for a scheme that counts rates so.
    pub(crate) fn aim(&mut self, model: &Model, time: f64, rate: Rate) {
        let Objective { start, inertia, springs, terms, .. } = self;
        let origin = Origin { time, start, inertia, rate };
        springs.aim(model, &origin);
        terms.iter_mut().for_each(|term| term.aim(model, &origin));
    }

    /// The springs of g: those of the model, with their dampers (see `springs/damped`).
    pub(crate) fn springs<'a>(&'a self, model: &'a Model) -> &'a [Spring] {
        self.springs.all(model)
    }

    /// The order in which all particles, pinned ones too, are eliminated from matrices over the graph of the terms. Made
    /// when it is first asked for; [`Sequence::restricted`] to the rows it serves any pins.
    pub fn sequence(&self, model: &Model) -> &Sequence {
        if let Some(known) = self.sequence.get() {
            return known;
        }
        // Not inside `get_or_init`: ordering forks, and a task stolen meanwhile may ask for the same order.
        let (graph, _) = Pattern::new(model.particles(), self.edges(model).into_iter());
        let sequence = Sequence::new(&graph);
        self.sequence.get_or_init(|| sequence)
    }

    /// What terms see of this step.
    #[inline]
    fn step<'a>(&'a self, model: &'a Model) -> Step<'a> {
        Step { model, rows: &self.rows, start: &self.start, h2: self.h * self.h, stiffest: false }
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
        project(spring, p, || self.step(model).fallback(a, b))
    }

    /// The direction of a spring vector `p`, of unit length; zero only if the spring never had one.
    #[inline]
    pub fn unit(&self, model: &Model, spring: &Spring, p: DVec3) -> DVec3 {
        let (a, b) = spring.ab();
        unit(p, || self.step(model).fallback(a, b))
    }

    /// g(x) [kg·m²], by compensated summation.
    pub fn value(&self, model: &Model, x: &[DVec3]) -> f64 {
        let (step, mut sum) = (self.step(model), Sum::default());
        for &i in &self.rows.particles {
            let i = i as usize;
            sum.add(0.5 * model.masses[i] * (x[i] - self.target[i]).length_squared());
        }
        self.springs.value(&step, x, &mut sum);
        self.terms.iter().for_each(|term| term.value(&step, x, &mut sum));
        sum.total()
    }

    /// g(to) − g(from) \[kg·m²\], each square as a difference of squares `(b − a)(b + a)`, so that small changes keep
    /// their digits.
    pub fn change(&self, model: &Model, from: &[DVec3], to: &[DVec3]) -> f64 {
        let (step, mut sum) = (self.step(model), Sum::default());
        for &i in &self.rows.particles {
            let i = i as usize;
            let middle = (from[i] - self.target[i]) + (to[i] - self.target[i]);
            sum.add(0.5 * model.masses[i] * (to[i] - from[i]).dot(middle));
        }
        self.springs.change(&step, from, to, &mut sum);
        self.terms.iter().for_each(|term| term.change(&step, from, to, &mut sum));
        sum.total() + self.contacts.change(&self.start, from, to)
    }

    /// Residual that rounding of the positions alone causes: one ε of the largest coordinate through the stiffest
    /// particle, `ε (X/ℓ) max(1 + h² Σk/m)` (dimensionless).
    pub fn rounding(&self, x: &[DVec3]) -> f64 {
        spacing(x) * self.stiffest / self.length
    }

    /// √(∇gᵀ A⁻¹ ∇g), A = M + h²L, that rounding of the positions may leave [√kg·m]: one ε of the largest coordinate in
    /// every particle is at most that long in the norm of A.
    pub(crate) fn least_error(&self, model: &Model, x: &[DVec3]) -> f64 {
        let mass: f64 = self.rows.particles.iter().map(|&i| model.masses[i as usize]).sum();
        spacing(x) * (self.stiffest * mass).sqrt()
    }

    /// ∇g(x) [kg·m], one entry per row. Returns g(x) \[kg·m²\] by plain sums, exact to 1e-12 of itself:
    /// [`Objective::value`] and [`Objective::change`] are better, but this one is free.
    pub fn gradient(&mut self, model: &Model, x: &[DVec3], gradient: &mut [DVec3]) -> f64 {
        let Objective { rows, start, target, springs, terms, contacts, h, .. } = self;
        let step = Step { model, rows, start, h2: *h * *h, stiffest: false };
        let mut value = springs.gradient(&step, x, target, gradient);
        terms.iter_mut().for_each(|term| value += term.gradient(&step, x, gradient));
        value += contacts.gradient(rows, start, x, gradient);
        rows.held.iter().for_each(|&row| gradient[row as usize] = DVec3::ZERO);
        value
    }

    /// How far to go along d (one entry per row) from the x of the last [`Objective::gradient`]: to the minimum of the
    /// parabola with this slope ∇g·d and the curvature of g there, contacts taken as they are on the way.
    pub(crate) fn longest(&mut self, model: &Model, slope: f64, d: &[DVec3]) -> Option<f64> {
        let curvature = self.curvature(model, d);
        let parabola = (curvature > 0.0).then(|| -slope / curvature);
        match self.contacts.list.is_empty() {
            true => parabola,
            false => parabola.map(|_| self.contacts.search(&self.rows, slope, curvature, d)),
        }
    }

    /// dᵀ ∇²g d \[kg·m²\] without contacts along a direction d (one entry per row) at the x of the last [`Objective::gradient`].
    pub fn curvature(&mut self, model: &Model, d: &[DVec3]) -> f64 {
        let Objective { rows, start, springs, terms, h, .. } = self;
        let step = Step { model, rows, start, h2: *h * *h, stiffest: false };
        let mut sum = rows.moment(&model.masses, d) + springs.curvature(&step, d);
        terms.iter_mut().for_each(|term| sum += term.curvature(&step, d));
        sum
    }

    /// Visit the links: see [`Term::visit`].
    pub(crate) fn visit_links(
        &self,
        model: &Model,
        inverse: &[f64],
        impulses: &mut [DVec3],
        x: &mut [DVec3],
        change: &dyn Fn(Visit) -> DVec3,
    ) {
        self.terms.iter().for_each(|term| term.visit(&self.step(model), inverse, impulses, x, change));
    }

    /// The pairs of particles that meet in an element of any term.
    fn edges(&self, model: &Model) -> Vec<[u32; 2]> {
        let mut edges = Vec::with_capacity(model.springs.len());
        self.springs.edges(model, &mut edges);
        self.terms.iter().for_each(|term| term.edges(model, &mut edges));
        edges
    }

    /// Where matrices over the free rows have entries, and the slots for [`Objective::hessian`].
    pub fn pattern(&self, model: &Model) -> (Pattern, Vec<u32>) {
        self.rows.pattern(&self.edges(model))
    }

    /// The constant matrix `M + h²L` \[kg\] over the free rows: never softer than ∇²g. Refuses what has none, as
    /// Choi–Ko bend springs do not.
    pub fn constant(&self, model: &Model) -> Result<Symmetric<f64>, Error> {
        let (pattern, slots) = self.pattern(model);
        let (step, mut matrix) = (self.step(model), Symmetric::zeros(pattern));
        let mut entries = Entries::new(&model.masses, &self.rows, &slots, &mut matrix);
        self.springs.constant(&step, &mut entries)?;
        self.terms.iter().try_for_each(|term| term.constant(&step, &mut entries))?;
        Ok(matrix)
    }

    /// Whether g is quadratic: one solve with the constant matrix is then the whole answer.
    pub(crate) fn is_quadratic(&self, model: &Model) -> bool {
        self.springs.is_quadratic(model) && self.terms.iter().all(|term| term.is_quadratic(model))
    }

    /// ∇²g(x) \[kg\], unfiltered, so indefinite where springs are compressed. `slots` come from
    /// [`Objective::pattern`].
    pub fn hessian(&self, model: &Model, x: &[DVec3], slots: &[u32], hessian: &mut Symmetric<DMat3>) {
        let step = self.step(model);
        let mut entries = Entries::new(&model.masses, &self.rows, slots, hessian);
        self.springs.hessian(&step, x, &mut entries);
        self.terms.iter().for_each(|term| term.hessian(&step, x, &mut entries));
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

/// The energy \[J\] of a spring at positions x: [`Spring::energy`] of its length.
#[inline]
pub fn spring_energy(spring: &Spring, x: &[DVec3]) -> f64 {
    let (a, b) = spring.ab();
    spring.energy(length(x[a] - x[b]))
}
