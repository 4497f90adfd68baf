//! The elastic gradient, laid out for the loops that compute it.
//!
//! A spring pulls its ends with `k (p − d) = w p`, `w = k (1 − r/‖p‖)`, so the local step and the gradient are two
//! passes: the weights w of all springs, four at a time, then for every row the sum `Σ w (x_i − x_j)` over its
//! springs, in their order. The first pass has nothing to add up and the second nothing to share: both can be cut
//! anywhere, and any number of threads gives the same bits. (One pass that pulls at both ends of each spring is
//! as fast on one core, in any order of the springs, and cannot be cut.)
//!
//! Springs without length have no `w p` (their d takes its direction from elsewhere); they, and others beyond the
//! range of plain arithmetic, are listed for the caller.

use super::{Rows, energy_at, length, weight};
use crate::linear::{Differences, Kernel, Link, Links, Pairs, Pulls, Real, Row, Simd, Wide, Work, run};
use crate::threads::{chunks, in_chunks};
use crate::{Model, Spring, SpringKind};
use glam::DVec3;

/// Four springs; the last may be filled up with springs without stiffness.
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
#[derive(Debug, Clone, Default)]
pub(super) struct Net {
    springs: Pairs<Four>,
    laws: Vec<Law>,
    /// Four for each of those, at the x below.
    weights: Vec<f64>,
    links: Links,
    /// By particle: positions, and a direction, which is zero where there is no row.
    x: Vec<Row>,
    d: Vec<Row>,
    /// What chunks of springs and of rows add up to.
    weighed: Vec<Weighed>,
    inertia: Vec<f64>,
    curvatures: Vec<f64>,
    /// Springs whose force is not w p, in order.
    pub odd: Vec<u32>,
    threads: bool,
}

/// What a chunk of springs has besides its weights.
#[derive(Debug, Clone, Copy, Default)]
struct Weighed {
    /// Twice its energy, Σ k (l − r)² \[J\].
    energy: f64,
    odd: bool,
}

impl Net {
    pub fn new(model: &Model, rows: &Rows, threads: bool) -> Self {
        let fours = model.springs.len().div_ceil(4);
        Net {
            springs: pairs(model, model.springs.chunks(4).map(four)),
            laws: model.springs.chunks(4).map(law).collect(),
            links: links(model, rows),
            weights: vec![0.0; 4 * fours],
            odd: Vec::with_capacity(model.springs.len()),
            x: vec![Row::default(); model.particles()],
            d: vec![Row::default(); model.particles()],
            weighed: vec![Weighed::default(); chunks(fours)],
            inertia: vec![0.0; chunks(rows.len())],
            curvatures: vec![0.0; chunks(fours)],
            threads,
        }
    }

    /// `gradient[row] = m (x_i − ŷ_i) + h² Σ w (x_i − x_j)`. Returns g.
    pub fn gradient(
        &mut self,
        model: &Model,
        rows: &Rows,
        x: &[DVec3],
        target: &[DVec3],
        h2: f64,
        gradient: &mut [DVec3],
    ) -> f64 {
        let Net { springs, laws, weights, links, x: own, odd, weighed, inertia, threads, .. } = self;
        let kernel = Kernel::detected();
        own.iter_mut().zip(x).for_each(|(own, &x)| *own = f64::lanes(x));
        let own = &own[..];
        let p = springs.of(own);
        in_chunks(*threads, laws, weights.as_chunks_mut().0, weighed, |first, laws, weights| {
            run(kernel, Weigh { first, springs: &model.springs, laws, x: own, p, weights })
        });
        odd.clear();
        if weighed.iter().any(|chunk| chunk.odd) {
            take_odd(weights, odd);
        }
        let pulls = links.over(own, weights);
        in_chunks(*threads, &rows.particles, gradient, inertia, |first, particles, gradient| {
            run(kernel, Pull { first, masses: &model.masses, particles, pulls, x: own, target, h2, gradient })
        });
        let energy: f64 = weighed.iter().map(|chunk| chunk.energy).sum();
        0.5 * (inertia.iter().sum::<f64>() + h2 * energy)
    }

    /// `Σ [w q·q + (k′ − w) (p·q)²/p·p]` over all springs at the x of the last gradient, q the vectors of a spring in
    /// `direction` (one entry per row) and k′ its tangent stiffness: the elastic curvature of g along it \[N·m\].
    pub fn curvature(&mut self, model: &Model, rows: &Rows, direction: &[DVec3]) -> f64 {
        let Net { springs, laws, weights, x, d, curvatures, threads, .. } = self;
        for (&i, &v) in rows.particles.iter().zip(direction) {
            d[i as usize] = f64::lanes(v);
        }
        let (kernel, x, d) = (Kernel::detected(), &x[..], &d[..]);
        let (p, q) = (springs.of(x), springs.of(d));
        in_chunks(*threads, laws, weights.as_chunks_mut().0, curvatures, |first, laws, weights| {
            run(kernel, Curve { first, springs: &model.springs, laws, x, d, p, q, weights })
        });
        curvatures.iter().sum()
    }
}

/// The ends of a model's springs, and something for each four.
pub(crate) fn pairs<A>(model: &Model, own: impl Iterator<Item = A>) -> Pairs<A> {
    let ends: Vec<[u32; 2]> = model.springs.iter().map(|s| s.ends).collect();
    Pairs::new(&ends, own, model.particles())
}

/// The springs of each row, for weights of whole fours of springs.
pub(crate) fn links(model: &Model, rows: &Rows) -> Links {
    let both = |(spring, s): (u32, &Spring)| {
        let [a, b] = s.ends;
        let end = |own: u32, other| (rows.of[own as usize], Link { other, spring });
        [end(a, b), end(b, a)]
    };
    let free = |(row, link): (u32, Link)| (row != Rows::NONE).then_some((row as usize, link));
    let ends = || (0u32..).zip(&model.springs).flat_map(both).filter_map(free);
    Links::new(rows.len(), ends, model.particles(), model.springs.len().next_multiple_of(4))
}

fn four(springs: &[Spring]) -> Four {
    let spring = |i: usize| springs.get(i).unwrap_or(&springs[0]);
    Four {
        stiffness: Wide(std::array::from_fn(|i| springs.get(i).map_or(0.0, |s| s.stiffness))),
        rest_length: Wide(std::array::from_fn(|i| spring(i).rest_length)),
    }
}

fn law(springs: &[Spring]) -> Law {
    let all = |kind| springs.iter().all(|s| s.kind == kind);
    if all(SpringKind::Linear) {
        Law::Linear
    } else if all(SpringKind::ExtensionOnly) {
        Law::ExtensionOnly
    } else {
        Law::Own
    }
}

/// A weight that is not a number marks an odd spring: note it, and give it no weight.
#[cold]
fn take_odd(weights: &mut [f64], odd: &mut Vec<u32>) {
    for (i, w) in (0u32..).zip(weights).filter(|(_, w)| w.is_nan()) {
        odd.push(i);
        *w = 0.0;
    }
}

/// The weights of some springs, not a number where there is none.
struct Weigh<'a> {
    /// Place of the first four among all.
    first: usize,
    springs: &'a [Spring],
    laws: &'a [Law],
    x: &'a [Row],
    p: Differences<'a, Four>,
    weights: &'a mut [[f64; 4]],
}

impl Work<f64> for Weigh<'_> {
    type Output = Weighed;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> Weighed {
        let Weigh { first, springs, laws, x, p: vectors, weights } = self;
        let (mut sum, mut left) = (V::splat(0.0), false);
        for (k, (&law, weights)) in (first..).zip(laws.iter().zip(&mut *weights)) {
            let (p, four) = vectors.at::<V>(k);
            let squared = V::dot(p, p);
            if law == Law::Own || !V::all_normal(squared) {
                // Done below: a call in this loop would cost it its registers.
                weights[0] = f64::NAN;
                left = true;
                continue;
            }
            let l = V::sqrt(squared);
            let mut stretch = V::subtract(l, V::load(&four.rest_length));
            if law == Law::ExtensionOnly {
                stretch = V::max(stretch, V::splat(0.0));
            }
            let tension = V::multiply(V::load(&four.stiffness), stretch);
            *weights = V::store(V::divide(tension, l)).0;
            sum = V::multiply_add(tension, stretch, sum);
        }
        let rest = if left { one_by_one(&springs[4 * first..], x, weights) } else { Weighed::default() };
        Weighed { energy: rest.energy + total(V::store(sum)), ..rest }
    }
}

/// As above without vectors, for the fours among these springs that plain arithmetic cannot weigh: their first weight is
/// not a number.
#[cold]
fn one_by_one(springs: &[Spring], x: &[Row], weights: &mut [[f64; 4]]) -> Weighed {
    let mut found = Weighed::default();
    let fours = springs.chunks(4).zip(weights).filter(|(_, weights)| weights[0].is_nan());
    for (springs, weights) in fours {
        *weights = [0.0; 4];
        for (w, spring) in weights.iter_mut().zip(springs) {
            let p = vector(spring, x);
            *w = weight(spring, p).unwrap_or(f64::NAN);
            found.odd |= w.is_nan();
            found.energy += 2.0 * energy_at(spring, length(p));
        }
    }
    found
}

/// The gradient of some rows; returns their Σ m ‖x − ŷ‖² \[kg·m²\].
struct Pull<'a> {
    /// Number of the first row.
    first: usize,
    masses: &'a [f64],
    particles: &'a [u32],
    pulls: Pulls<'a>,
    x: &'a [Row],
    target: &'a [DVec3],
    h2: f64,
    gradient: &'a mut [DVec3],
}

impl Work<f64> for Pull<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> f64 {
        let Pull { first, masses, particles, pulls, x, target, h2, gradient } = self;
        // Of one length, so that one question answers for all.
        let (masses, target) = (&masses[..x.len()], &target[..x.len()]);
        let h2 = V::splat(h2);
        let mut inertia = V::splat(0.0);
        for (row, (&i, gradient)) in (first..).zip(particles.iter().zip(gradient)) {
            let i = i as usize;
            let own = V::load(&x[i]);
            let pull = pulls.at::<V>(row, own);
            let away = V::subtract(own, V::load(&f64::lanes(target[i])));
            let push = V::multiply(V::splat(masses[i]), away);
            inertia = V::multiply_add(push, away, inertia);
            *gradient = f64::point(&V::store(V::multiply_add(h2, pull, push)));
        }
        total(V::store(inertia))
    }
}

/// The curvature of some springs along a direction.
struct Curve<'a> {
    /// Place of the first four among all.
    first: usize,
    springs: &'a [Spring],
    laws: &'a [Law],
    x: &'a [Row],
    d: &'a [Row],
    p: Differences<'a, Four>,
    q: Differences<'a, Four>,
    weights: &'a [[f64; 4]],
}

impl Work<f64> for Curve<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> f64 {
        let Curve { first, springs, laws, x, d, p: vectors, q: directions, weights } = self;
        let (mut sum, mut rest, mut left) = (V::splat(0.0), 0.0, false);
        for (k, (&law, weights)) in (first..).zip(laws.iter().zip(weights)) {
            let ((p, four), (q, _)) = (vectors.at::<V>(k), directions.at::<V>(k));
            let (squared, pq, qq) = (V::dot(p, p), V::dot(p, q), V::dot(q, q));
            if law == Law::Own || !V::all_normal(squared) {
                left = true;
                continue;
            }
            let w = V::load(&Wide(*weights));
            let mut rise = V::subtract(V::load(&four.stiffness), w);
            if law == Law::ExtensionOnly {
                rise = V::where_positive(w, rise);
            }
            sum = V::multiply_add(w, qq, sum);
            sum = V::multiply_add(V::multiply(rise, pq), V::divide(pq, squared), sum);
        }
        for (k, &law) in (first..).zip(laws).take_while(|_| left) {
            let (p, _) = vectors.at::<V>(k);
            if law == Law::Own || !V::all_normal(V::dot(p, p)) {
                rest += curved(&springs[4 * k..], x, d);
            }
        }
        rest + total(V::store(sum))
    }
}

/// As above without vectors. A spring without length has no direction, and so no transverse term.
#[cold]
fn curved(springs: &[Spring], x: &[Row], d: &[Row]) -> f64 {
    let one = |spring: &Spring| {
        let (p, q) = (vector(spring, x), vector(spring, d));
        let (l, qq) = (length(p), q.length_squared());
        let k = spring.tension(l).1;
        let along = if l > 0.0 { (p / l).dot(q) } else { 0.0 };
        weight(spring, p).map_or(k * qq, |w| w * (qq - along * along) + k * along * along)
    };
    springs.iter().take(4).map(one).sum()
}

fn vector(spring: &Spring, x: &[Row]) -> DVec3 {
    let (a, b) = spring.ab();
    f64::point(&x[a]) - f64::point(&x[b])
}

fn total(Wide([a, b, c, d]): Row) -> f64 {
    (a + b) + (c + d)
}
