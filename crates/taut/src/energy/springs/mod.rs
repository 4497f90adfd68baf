//! The springs of a model as the first term of g. Gradient and curvature are computed four springs at a time.
//!
//! A spring with the vector p pulls its ends with `k (p − d) = w p`; its weight is `w = k (1 − r/‖p‖)`. The gradient of a
//! particle is the sum `Σ w (x_i − x_j)` over its springs. There are two ways to add it up, and both give the same bits
//! for any number of threads:
//!
//! | file | what |
//! |---|---|
//! | `bundle` | parallel springs, as most in cloth are (`kernel::runs`): one pass for weights and the sums at both ends |
//! | `scattered` | all others: a pass for all weights, then one for the sum at every particle |
//! | `damped` | springs with dampers, which are springs of another stiffness and rest length |
//! | `alone` | passes over one spring after another: energies, Hessian, and whatever is rare |
//!
//! (Where nothing is known of the neighbours, one pass over the springs is no faster than two.)
//!
//! The kernels use plain arithmetic, `l = √(p·p)` and `1/l`. Where p·p is zero, denormal or infinite, and for bend
//! springs, the four springs are computed one after another by the scalar law of [`Spring`]. A spring without length, or
//! so short that w overflows, has no weight. Such springs are called **odd**: they are listed, and their force
//! `k (p − d)` is added at the end of the gradient.

mod alone;
mod bundle;
mod damped;
mod scattered;
#[cfg(test)]
mod tests;

pub(crate) use alone::{jacobian, refuse_bend, spring_change};
pub(crate) use damped::with_damper;

use super::{Origin, Rows, Step, length};
use crate::kernel::{Four, Kernel, Planes, Real, Runs, Simd, Summed, Wide, Work, run};
use crate::threads::{WORTH_THREADS, each_chunk, in_pieces, may_fork};
use crate::{Model, Spring, SpringKind};
use bundle::Bundle;
use damped::Damped;
use glam::DVec3;
use scattered::Scattered;
pub(crate) use scattered::{adjacency, pairs};

/// The numbers of four springs; empty lanes have stiffness 0.
#[derive(Debug, Clone, Copy, Default)]
struct FourSprings {
    stiffness: Four,
    rest_length: Four,
}

/// The force law of four springs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Law {
    /// All are linear.
    Linear,
    /// All are extension-only.
    ExtensionOnly,
    /// They differ, or there is a bend spring: to be computed one after another.
    Mixed,
}

/// The springs of a model for the rows of its free particles.
#[derive(Debug, Default)]
pub(super) struct Springs {
    damped: Damped,
    /// One for every section of the particles.
    bundles: Vec<Bundle>,
    /// Positions, and a direction, which is zero for particles without a row.
    x: Planes,
    d: Planes,
    scattered: Scattered,
    /// For every section, the end of its rows.
    ends: Vec<usize>,
    /// For every section, Σ m ‖x − ŷ‖² of its particles \[kg·m²\].
    inertia: Vec<f64>,
    /// The springs without a weight at the x of the last gradient.
    odd: Vec<u32>,
    /// Whether the last gradient took the sections from the last to the first.
    back: bool,
    threads: bool,
}

/// Sums over some springs.
#[derive(Debug, Clone, Copy, Default)]
struct Weighed {
    /// Twice their energy, Σ k (l − r)² \[J\].
    energy: f64,
    /// Whether one of them is odd.
    odd: bool,
}

impl Springs {
    /// With dampers of `damping` = β/h times their stiffness (dimensionless).
    pub fn new(model: &Model, rows: &Rows, damping: f64) -> Self {
        let damped = Damped::new(model, damping);
        let springs = damped.springs(model);
        // The springs of a four have one law. Kernels know two; bend springs are scattered.
        let class = |s: &Spring| match s.kind {
            SpringKind::Linear => Some(0),
            SpringKind::ExtensionOnly => Some(1),
            SpringKind::Bend { .. } => None,
        };
        let edges: Vec<_> = springs.iter().map(|s| (s.ends, class(s))).collect();
        let runs = Runs::new(model.particles(), &edges);
        let (x, d) = (runs.planes(), runs.planes());
        let bundles: Vec<Bundle> =
            runs.sections.into_iter().map(|section| Bundle::new(section, springs)).collect();
        let end = |bundle: &Bundle| {
            let end = bundle.section.vertices().end;
            rows.particles.partition_point(|&i| (i as usize) < end)
        };
        Springs {
            ends: bundles.iter().map(end).collect(),
            inertia: vec![0.0; bundles.len()],
            x,
            d,
            bundles,
            scattered: Scattered::new(&runs.left, springs, rows),
            odd: Vec::with_capacity(springs.len()),
            back: true,
            threads: springs.len() >= WORTH_THREADS,
            damped,
        }
    }

    /// All of them, with their dampers.
    pub fn all<'a>(&'a self, model: &'a Model) -> &'a [Spring] {
        self.damped.springs(model)
    }

    /// Take the dampers of a step.
    pub fn aim(&mut self, model: &Model, origin: &Origin) {
        let Springs { damped, bundles, scattered, threads, .. } = self;
        if damped.is_damped() {
            damped.aim(model, origin);
            let springs = damped.springs(model);
            each_chunk(*threads, 1, bundles, |_, one| one[0].aim(springs));
            scattered.aim(springs);
        }
    }

    /// `gradient[row] = m (x_i − ŷ_i) + h² Σ w (x_i − x_j)`: the inertia is taken along. Returns
    /// `½ Σ m ‖x_i − ŷ_i‖² + h²E`.
    pub fn gradient(&mut self, step: &Step, x: &[DVec3], target: &[DVec3], gradient: &mut [DVec3]) -> f64 {
        let Springs { damped, bundles, x: planes, scattered, ends, inertia, back, odd, threads, .. } = self;
        let Step { model, rows, h2, .. } = *step;
        let (kernel, springs) = (Kernel::detected(), damped.springs(model));
        if !bundles.iter().all(Bundle::is_empty) {
            planes.fill(kernel, |i| &x[i]);
        }
        let (planes, ends) = (&*planes, &ends[..]);
        let first_row = |k: usize| k.checked_sub(1).map_or(0, |k| ends[k]);
        let gather = |bundles: &[Bundle], k: usize, gradient: &mut [DVec3]| {
            let pulled = Summed::new(&bundles[k].sums, k.checked_sub(1).map(|k| &bundles[k].sums));
            let (begin, first) = (bundles[k].section.vertices().start, first_row(k));
            let (rows, masses) = (&rows.of[begin..], &model.masses[begin..]);
            let (x, target) = (&x[begin..], &target[begin..]);
            run(kernel, Gather { first, rows, masses, pulled, x, target, h2, gradient })
        };
        if may_fork(*threads) {
            each_chunk(true, 1, bundles, |_, one| one[0].pull(kernel, springs, planes));
            let bundles = &bundles[..];
            in_pieces(ends, gradient, inertia, &|k, gradient| gather(bundles, k, gradient));
        } else {
            // Forwards and backwards in turn: what was touched last is still in the cache.
            // A section can be gathered once its springs and those of the section before have been added up.
            *back = !*back;
            let mut gathered = |bundles: &[Bundle], k: usize| {
                inertia[k] = gather(bundles, k, &mut gradient[first_row(k)..ends[k]])
            };
            for turn in 0..bundles.len() {
                let k = if *back { bundles.len() - 1 - turn } else { turn };
                bundles[k].pull(kernel, springs, planes);
                if !*back {
                    gathered(bundles, k);
                } else if turn > 0 {
                    gathered(bundles, k + 1);
                }
            }
            if *back && !bundles.is_empty() {
                gathered(bundles, 0);
            }
        }
        odd.clear();
        bundles.iter().for_each(|bundle| odd.extend_from_slice(&bundle.odd));
        scattered.pull(kernel, *threads, springs, x, odd);
        scattered.pulled().for_each(|(&row, &pull)| gradient[row as usize] += h2 * pull);
        let scattered = scattered.weighed.iter().map(|chunk| chunk.energy);
        let energy: f64 = bundles.iter().map(|bundle| bundle.energy).chain(scattered).sum();
        let value = 0.5 * (inertia.iter().sum::<f64>() + h2 * energy);
        self.pull_odd(step, x, gradient);
        value
    }

    /// `h² Σ k [t q·q + (1 − t) (p·q)²/p·p]` at the x of the last gradient, with q the vector of a spring in the
    /// direction: [`Spring::stiffnesses`] along it.
    pub fn curvature(&mut self, step: &Step, direction: &[DVec3]) -> f64 {
        let Springs { damped, bundles, x, d, scattered, threads, .. } = self;
        let Step { model, rows, h2, .. } = *step;
        let (kernel, springs) = (Kernel::detected(), damped.springs(model));
        let at = |i: usize| direction.get(rows.of[i] as usize).unwrap_or(&DVec3::ZERO);
        if !bundles.iter().all(Bundle::is_empty) {
            d.fill(kernel, at);
        }
        let (x, d) = (&*x, &*d);
        each_chunk(*threads, 1, bundles, |_, one| one[0].curve(kernel, springs, x, d));
        h2 * (bundles.iter().map(|b| b.curvature).sum::<f64>()
            + scattered.curve(kernel, *threads, springs, at))
    }
}

/// Four springs by their numbers; none in an empty lane.
fn found<'a>(springs: &'a [Spring], numbers: &[u32; 4]) -> [Option<&'a Spring>; 4] {
    numbers.map(|number| springs.get(number as usize))
}

fn four(springs: [Option<&Spring>; 4]) -> FourSprings {
    FourSprings {
        stiffness: Wide(springs.map(|s| s.map_or(0.0, |s| s.stiffness))),
        rest_length: Wide(springs.map(|s| s.map_or(0.0, |s| s.rest_length))),
    }
}

fn law(springs: [Option<&Spring>; 4]) -> Law {
    let all = |kind| springs.iter().flatten().all(|s| s.kind == kind);
    if all(SpringKind::Linear) {
        Law::Linear
    } else if all(SpringKind::ExtensionOnly) {
        Law::ExtensionOnly
    } else {
        Law::Mixed
    }
}

/// A weight that is not a number marks an odd spring: list the spring, and set its weight to zero.
#[cold]
fn take_odd(weights: &mut [f64; 4], numbers: &[u32; 4], odd: &mut Vec<u32>) {
    for (w, &number) in weights.iter_mut().zip(numbers).filter(|(w, _)| w.is_nan()) {
        odd.push(number);
        *w = 0.0;
    }
}

/// Of four springs w = tension/l, 1/l, and twice the energy k (l − r)²: [`Spring::weight`] and [`Spring::energy`].
/// `squared` is p·p, neither zero nor denormal nor infinite.
#[inline(always)]
fn weighed<V: Simd<f64>>(four: &FourSprings, law: Law, squared: V::Vector) -> [V::Vector; 3] {
    let l = V::sqrt(squared);
    let inverse = V::divide(V::splat(1.0), l);
    let mut stretch = V::subtract(l, V::load(&four.rest_length));
    if law == Law::ExtensionOnly {
        stretch = V::max(stretch, V::splat(0.0));
    }
    let tension = V::multiply(V::load(&four.stiffness), stretch);
    [V::multiply(tension, inverse), inverse, V::multiply(tension, stretch)]
}

/// Of four springs the curvature along q, from 1/l and p: [`Spring::stiffnesses`] in the form
/// `qᵀ k [x̂x̂ᵀ + t (I − x̂x̂ᵀ)] q = w q·q + (k r/l) (x̂·q)²` with `w = k t = k − k r/l`.
#[inline(always)]
fn curved<V: Simd<f64>>(
    four: &FourSprings,
    law: Law,
    inverse: V::Vector,
    p: [V::Vector; 3],
    q: [V::Vector; 3],
) -> V::Vector {
    let k = V::load(&four.stiffness);
    let mut k_r_over_l = V::multiply(k, V::multiply(V::load(&four.rest_length), inverse));
    let mut w = V::subtract(k, k_r_over_l);
    if law == Law::ExtensionOnly {
        (w, k_r_over_l) = (V::where_positive(w, w), V::where_positive(w, k_r_over_l));
    }
    let along = V::multiply(V::dot(p, q), inverse);
    V::multiply_add(V::multiply(k_r_over_l, along), along, V::multiply(w, V::dot(q, q)))
}

/// The weights of four springs by the scalar law, for those that plain arithmetic cannot do, and their energy. The
/// weight of an odd spring is not a number.
#[cold]
#[inline(never)]
fn weighed_alone(springs: [Option<&Spring>; 4], p: [Four; 3]) -> ([f64; 4], Weighed) {
    let (mut weights, mut other) = ([0.0; 4], Weighed::default());
    for (lane, (w, spring)) in weights.iter_mut().zip(springs).enumerate() {
        let Some(spring) = spring else { continue };
        let p = point(&p, lane);
        let l = length(p);
        *w = spring.weight(l).unwrap_or(f64::NAN);
        other.odd |= w.is_nan();
        other.energy += 2.0 * spring.energy(l);
    }
    (weights, other)
}

/// The same for their curvature, `k [t q·q + (1 − t) (x̂·q)²]`. Where t overflows, as it does without length, a spring
/// is taken to be as stiff across as along.
#[cold]
#[inline(never)]
fn curved_alone(springs: [Option<&Spring>; 4], p: [Four; 3], q: [Four; 3]) -> f64 {
    let one = |(lane, spring): (usize, Option<&Spring>)| {
        let (Some(spring), p, q) = (spring, point(&p, lane), point(&q, lane)) else { return 0.0 };
        let (l, qq) = (length(p), q.length_squared());
        let (k, t) = spring.stiffnesses(l);
        let along = if l > 0.0 { (p / l).dot(q) } else { 0.0 };
        if t.is_finite() { k * t * (qq - along * along) + k * along * along } else { k * qq }
    };
    springs.into_iter().enumerate().map(one).sum()
}

fn point(p: &[Four; 3], lane: usize) -> DVec3 {
    DVec3::new(p[0].0[lane], p[1].0[lane], p[2].0[lane])
}

/// The gradient `m (x − ŷ) + h² Σ w p` of the rows of a section, without scattered springs. Returns their
/// Σ m ‖x − ŷ‖² \[kg·m²\].
struct Gather<'a> {
    /// The first row of the section.
    first: usize,
    /// Σ w p.
    pulled: Summed<'a>,
    /// By particle, from the beginning of the section on; these may have more than the section.
    rows: &'a [u32],
    masses: &'a [f64],
    x: &'a [DVec3],
    target: &'a [DVec3],
    h2: f64,
    /// By row, of this section only.
    gradient: &'a mut [DVec3],
}

impl Work<f64> for Gather<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> f64 {
        let Gather { first, pulled, rows, masses, x, target, h2, gradient } = self;
        let h2 = V::splat(h2);
        let mut inertia = V::splat(0.0);
        for k in 0..pulled.eights() {
            let (i, pulls) = (8 * k, pulled.eight::<V>(k));
            // The usual case: all eight particles have rows.
            let some = (eight(rows, i), eight(masses, i), eight(x, i), eight(target, i));
            if let (Some(rows), Some(masses), Some(x), Some(target)) = some
                && rows[7].checked_sub(7) == Some(rows[0])
                && let Some(gradient) = gradient[rows[0] as usize - first..].first_chunk_mut::<8>()
            {
                for l in 0..8 {
                    let (sum, twice) = pushed::<V>(masses[l], &x[l], &target[l], h2, &pulls[l]);
                    gradient[l] = sum;
                    inertia = V::add(inertia, twice);
                }
                continue;
            }
            for (i, pull) in (i..rows.len()).zip(&pulls) {
                if rows[i] != Rows::NONE {
                    let (sum, twice) = pushed::<V>(masses[i], &x[i], &target[i], h2, pull);
                    gradient[rows[i] as usize - first] = sum;
                    inertia = V::add(inertia, twice);
                }
            }
        }
        total(V::store(inertia))
    }
}

/// m (x − ŷ) + h² pull, and m (x − ŷ)² of each coordinate.
#[inline(always)]
fn pushed<V: Simd<f64>>(
    mass: f64,
    x: &DVec3,
    target: &DVec3,
    h2: V::Vector,
    pull: &Four,
) -> (DVec3, V::Vector) {
    let away = V::subtract(V::point(x.as_ref()), V::point(target.as_ref()));
    let push = V::multiply(V::splat(mass), away);
    (f64::point(&V::store(V::multiply_add(h2, V::load(pull), push))), V::multiply(push, away))
}

/// The eight entries from the i-th on, if the list has them.
#[inline(always)]
fn eight<A>(list: &[A], i: usize) -> Option<&[A; 8]> {
    list.get(i..).and_then(|list| list.first_chunk())
}

fn total(Wide([a, b, c, d]): Four) -> f64 {
    (a + b) + (c + d)
}
