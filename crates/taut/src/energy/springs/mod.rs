//! The elastic gradient, laid out for the loops that compute it.
//!
//! A spring pulls its ends with `k (p − d) = w p`, `w = k (1 − r/‖p‖)`. Most springs of cloth and solids run in fours,
//! neighbours to neighbours (`kernel::runs`): those are weighed and pull at both ends in one pass, part by part. The
//! others are scattered, and take two: the weights w of all of them, four at a time, then for every row the sum
//! `Σ w (x_i − x_j)` over its springs, in an order of their own. Either way any number of threads gives the same bits. (Where
//! nothing is known of the neighbours, one pass that pulls at both ends is no faster than two.)
//!
//! Springs without length have no `w p` (their d takes its direction from elsewhere); they, and others beyond the
//! range of plain arithmetic, are listed for the caller.

mod alone;
mod bundle;
mod scattered;
#[cfg(test)]
mod tests;

pub(crate) use alone::refuse_bend;

use super::{Rows, Step, length};
use crate::kernel::{Kernel, Planes, Real, Row, Runs, Simd, Summed, Wide, Work, run};
use crate::threads::{WORTH_THREADS, each_chunk, in_pieces};
use crate::{Model, Spring, SpringKind};
use bundle::Bundle;
use glam::DVec3;
use scattered::Scattered;
pub(crate) use scattered::{links, pairs};

/// Four springs; where there are fewer, the others have no stiffness.
#[derive(Debug, Clone, Copy, Default)]
struct Four {
    stiffness: Row,
    rest_length: Row,
}

/// How four springs are weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Law {
    /// All push and pull.
    Linear,
    /// All only pull.
    ExtensionOnly,
    /// Each in its own way.
    Own,
}

/// The springs of a model for the rows of its free particles.
#[derive(Debug, Default)]
pub(super) struct Springs {
    bundles: Vec<Bundle>,
    /// By place: positions, and a direction, which is zero where there is no row.
    x: Planes,
    d: Planes,
    scattered: Scattered,
    /// Where the rows of each bundle's block end, and what their inertia adds up to.
    ends: Vec<usize>,
    inertia: Vec<f64>,
    /// Springs whose force is not w p.
    odd: Vec<u32>,
    /// Whether the last pass went backwards.
    back: bool,
    threads: bool,
}

/// What some springs have besides their weights.
#[derive(Debug, Clone, Copy, Default)]
struct Weighed {
    /// Twice their energy, Σ k (l − r)² \[J\].
    energy: f64,
    odd: bool,
}

impl Springs {
    pub fn new(model: &Model, rows: &Rows) -> Self {
        let class = |s: &Spring| match s.kind {
            SpringKind::Linear => Some(0),
            SpringKind::ExtensionOnly => Some(1),
            SpringKind::Bend { .. } => None,
        };
        let edges: Vec<_> = model.springs.iter().map(|s| (s.ends, class(s))).collect();
        let runs = Runs::new(model.particles(), &edges);
        let (x, d) = (runs.planes(), runs.planes());
        let bundles: Vec<Bundle> = runs.parts.into_iter().map(|part| Bundle::new(part, model)).collect();
        let end = |bundle: &Bundle| {
            let particles = bundle.part.particles();
            rows.particles.partition_point(|&i| (i as usize) < particles.end)
        };
        Springs {
            ends: bundles.iter().map(end).collect(),
            inertia: vec![0.0; bundles.len()],
            x,
            d,
            bundles,
            scattered: Scattered::new(&runs.left, model, rows),
            odd: Vec::with_capacity(model.springs.len()),
            back: true,
            threads: model.springs.len() >= WORTH_THREADS,
        }
    }

    /// `gradient[row] = m (x_i − ŷ_i) + h² Σ w (x_i − x_j)`: the inertia is taken along. Returns the sum of both energies,
    /// `½ Σ m ‖x_i − ŷ_i‖² + h²E`.
    pub fn gradient(&mut self, step: &Step, x: &[DVec3], target: &[DVec3], gradient: &mut [DVec3]) -> f64 {
        let Springs { bundles, x: places, scattered, ends, inertia, back, odd, threads, .. } = self;
        let Step { model, rows, h2, .. } = *step;
        let kernel = Kernel::detected();
        if !bundles.iter().all(Bundle::is_empty) {
            places.fill(kernel, |i| &x[i]);
        }
        let (places, ends) = (&*places, &ends[..]);
        let first_row = |k: usize| k.checked_sub(1).map_or(0, |k| ends[k]);
        let gather = |bundles: &[Bundle], k: usize, gradient: &mut [DVec3]| {
            let pulled = Summed::new(&bundles[k].sums, k.checked_sub(1).map(|k| &bundles[k].sums));
            let (begin, first) = (bundles[k].part.particles().start, first_row(k));
            let (rows, masses) = (&rows.of[begin..], &model.masses[begin..]);
            let (x, target) = (&x[begin..], &target[begin..]);
            run(kernel, Gather { first, rows, masses, pulled, x, target, h2, gradient })
        };
        if *threads {
            each_chunk(true, 1, bundles, |_, one| one[0].pull(kernel, model, places));
            let bundles = &bundles[..];
            in_pieces(ends, gradient, inertia, &|k, gradient| gather(bundles, k, gradient));
        } else {
            // Back and forth: what was touched last is still near.
            *back = !*back;
            let mut gathered = |bundles: &[Bundle], k: usize| {
                inertia[k] = gather(bundles, k, &mut gradient[first_row(k)..ends[k]])
            };
            for step in 0..bundles.len() {
                let k = if *back { bundles.len() - 1 - step } else { step };
                bundles[k].pull(kernel, model, places);
                if !*back {
                    gathered(bundles, k);
                } else if step > 0 {
                    gathered(bundles, k + 1);
                }
            }
            if *back && !bundles.is_empty() {
                gathered(bundles, 0);
            }
        }
        odd.clear();
        bundles.iter().for_each(|bundle| odd.extend_from_slice(&bundle.odd));
        scattered.pull(kernel, *threads, model, x, odd);
        scattered.pulled().for_each(|(&row, &pull)| gradient[row as usize] += h2 * pull);
        let scattered = scattered.weighed.iter().map(|chunk| chunk.energy);
        let energy: f64 = bundles.iter().map(|bundle| bundle.energy).chain(scattered).sum();
        let value = 0.5 * (inertia.iter().sum::<f64>() + h2 * energy);
        self.pull_odd(step, x, gradient);
        value
    }

    /// `h² Σ k [t q·q + (1 − t) (p·q)²/p·p]` at the x of the last gradient, q the vector of a spring in the direction d:
    /// [`Spring::stiffnesses`] along d.
    pub fn curvature(&mut self, step: &Step, direction: &[DVec3]) -> f64 {
        let Springs { bundles, x, d, scattered, threads, .. } = self;
        let Step { model, rows, h2, .. } = *step;
        let kernel = Kernel::detected();
        let at = |i: usize| direction.get(rows.of[i] as usize).unwrap_or(&DVec3::ZERO);
        if !bundles.iter().all(Bundle::is_empty) {
            d.fill(kernel, at);
        }
        let (x, d) = (&*x, &*d);
        each_chunk(*threads, 1, bundles, |_, one| one[0].curve(kernel, model, x, d));
        h2 * (bundles.iter().map(|b| b.curvature).sum::<f64>() + scattered.curve(kernel, *threads, model, at))
    }
}

/// Four springs by their numbers, where there are so many.
fn found<'a>(springs: &'a [Spring], numbers: &[u32; 4]) -> [Option<&'a Spring>; 4] {
    numbers.map(|number| springs.get(number as usize))
}

fn four(springs: [Option<&Spring>; 4]) -> Four {
    Four {
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
        Law::Own
    }
}

/// A weight that is not a number marks an odd spring: note its number, and give it no weight.
#[cold]
fn take_odd(weights: &mut [f64; 4], numbers: &[u32; 4], odd: &mut Vec<u32>) {
    for (w, &number) in weights.iter_mut().zip(numbers).filter(|(w, _)| w.is_nan()) {
        odd.push(number);
        *w = 0.0;
    }
}

/// w and 1/l of four springs, and their k (l − r)².
#[inline(always)]
fn weighed<V: Simd<f64>>(four: &Four, law: Law, squared: V::Vector) -> [V::Vector; 3] {
    let l = V::sqrt(squared);
    let inverse = V::divide(V::splat(1.0), l);
    let mut stretch = V::subtract(l, V::load(&four.rest_length));
    if law == Law::ExtensionOnly {
        stretch = V::max(stretch, V::splat(0.0));
    }
    let tension = V::multiply(V::load(&four.stiffness), stretch);
    [V::multiply(tension, inverse), inverse, V::multiply(tension, stretch)]
}

/// w q·q + (k′ − w) (p·q)²/p·p of four springs, from their 1/l.
#[inline(always)]
fn curved<V: Simd<f64>>(
    four: &Four,
    law: Law,
    inverse: V::Vector,
    p: [V::Vector; 3],
    q: [V::Vector; 3],
) -> V::Vector {
    let k = V::load(&four.stiffness);
    let mut rise = V::multiply(k, V::multiply(V::load(&four.rest_length), inverse));
    let mut w = V::subtract(k, rise);
    if law == Law::ExtensionOnly {
        (w, rise) = (V::where_positive(w, w), V::where_positive(w, rise));
    }
    let along = V::multiply(V::dot(p, q), inverse);
    V::multiply_add(V::multiply(rise, along), along, V::multiply(w, V::dot(q, q)))
}

/// w of each of four springs, not a number where there is none, and what else they have: for those beyond plain
/// arithmetic, or each with a law of its own.
#[cold]
#[inline(never)]
fn weighed_alone(springs: [Option<&Spring>; 4], p: [Row; 3]) -> ([f64; 4], Weighed) {
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
fn curved_alone(springs: [Option<&Spring>; 4], p: [Row; 3], q: [Row; 3]) -> f64 {
    let one = |(lane, spring): (usize, Option<&Spring>)| {
        let (Some(spring), p, q) = (spring, point(&p, lane), point(&q, lane)) else { return 0.0 };
        let (l, qq) = (length(p), q.length_squared());
        let (k, t) = spring.stiffnesses(l);
        let along = if l > 0.0 { (p / l).dot(q) } else { 0.0 };
        if t.is_finite() { k * t * (qq - along * along) + k * along * along } else { k * qq }
    };
    springs.into_iter().enumerate().map(one).sum()
}

fn point(p: &[Row; 3], lane: usize) -> DVec3 {
    DVec3::new(p[0].0[lane], p[1].0[lane], p[2].0[lane])
}

/// The gradient of the rows of a block, but for scattered springs; returns their Σ m ‖x − ŷ‖² \[kg·m²\].
struct Gather<'a> {
    /// Its first row.
    first: usize,
    pulled: Summed<'a>,
    /// By particle, from the beginning of the block to the last of all.
    rows: &'a [u32],
    masses: &'a [f64],
    x: &'a [DVec3],
    target: &'a [DVec3],
    h2: f64,
    /// By row, from the first to the last of the block.
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
            let (i, pulls) = (8 * k, pulled.rows::<V>(k));
            // Where all eight particles have rows, nothing more need be asked.
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

/// m (x − ŷ) + h² pull, and m ‖x − ŷ‖².
#[inline(always)]
fn pushed<V: Simd<f64>>(
    mass: f64,
    x: &DVec3,
    target: &DVec3,
    h2: V::Vector,
    pull: &Row,
) -> (DVec3, V::Vector) {
    let away = V::subtract(V::point(x.as_ref()), V::point(target.as_ref()));
    let push = V::multiply(V::splat(mass), away);
    (f64::point(&V::store(V::multiply_add(h2, V::load(pull), push))), V::multiply(push, away))
}

/// Eight from the i-th on, if there are so many.
#[inline(always)]
fn eight<A>(list: &[A], i: usize) -> Option<&[A; 8]> {
    list.get(i..).and_then(|list| list.first_chunk())
}

fn total(Wide([a, b, c, d]): Row) -> f64 {
    (a + b) + (c + d)
}
