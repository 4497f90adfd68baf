//! The elastic gradient, laid out for the loops that compute it.
//!
//! A spring pulls its ends with `k (p − d) = w p`, `w = k (1 − r/‖p‖)`. Most springs of cloth and solids run in fours,
//! neighbours to neighbours (`linear::runs`): those are weighed and pull at both ends in one pass, part by part. The
//! others are scattered, and take two: the weights w of all of them, four at a time, then for every row the sum
//! `Σ w (x_i − x_j)` over its springs, in their order. Either way any number of threads gives the same bits. (Where
//! nothing is known of the neighbours, one pass that pulls at both ends is no faster than two.)
//!
//! Springs without length have no `w p` (their d takes its direction from elsewhere); they, and others beyond the
//! range of plain arithmetic, are listed for the caller.

use super::{Rows, energy_at, length, weight};
use crate::linear::{
    Differences, Kernel, Link, Links, Over, Pairs, Part, PerFour, Planes, Pulls, Real, Row, Runs, Simd,
    Summed, Sums, Wide, Work, run,
};
use crate::threads::{chunks, each_chunk, in_chunks, in_pieces};
use crate::{Model, Spring, SpringKind};
use glam::DVec3;

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
#[derive(Debug, Clone, Default)]
pub(super) struct Net {
    bundles: Vec<Bundle>,
    /// By place: positions, and a direction, which is zero where there is no row.
    x: Planes,
    d: Planes,
    scattered: Scattered,
    /// Where the rows of each bundle's block end, and what their inertia adds up to.
    ends: Vec<usize>,
    inertia: Vec<f64>,
    /// Springs whose force is not w p.
    pub odd: Vec<u32>,
    /// Whether the last pass went backwards.
    back: bool,
    threads: bool,
}

/// The springs of one part of the runs.
#[derive(Debug, Clone, Default)]
struct Bundle {
    part: Part,
    fours: Vec<Four>,
    laws: Vec<Law>,
    /// Whether all of them push and pull.
    linear: bool,
    /// At the x of the last gradient, if a curvature was ever asked for.
    weights: Vec<Row>,
    sums: Sums,
    /// Twice their energy, Σ k (l − r)² \[J\].
    energy: f64,
    odd: Vec<u32>,
    curvature: f64,
}

/// The springs that are in no run.
#[derive(Debug, Clone, Default)]
struct Scattered {
    numbers: Vec<[u32; 4]>,
    fours: Pairs<Four>,
    laws: Vec<Law>,
    weights: Vec<[f64; 4]>,
    /// The free particles that have some, and what pulls at them.
    linked: Vec<u32>,
    links: Links,
    pulled: Vec<DVec3>,
    /// The particles they join; by particle, positions and a direction of those.
    joined: Vec<u32>,
    x: Vec<Row>,
    d: Vec<Row>,
    /// What chunks of them add up to.
    weighed: Vec<Weighed>,
    curvatures: Vec<f64>,
}

/// What some springs have besides their weights.
#[derive(Debug, Clone, Copy, Default)]
struct Weighed {
    /// Twice their energy, Σ k (l − r)² \[J\].
    energy: f64,
    odd: bool,
}

impl Net {
    pub fn new(model: &Model, rows: &Rows, threads: bool) -> Self {
        let class = |s: &Spring| match s.kind {
            SpringKind::Linear => Some(0),
            SpringKind::ExtensionOnly => Some(1),
            SpringKind::Bend { .. } => None,
        };
        let edges: Vec<_> = model.springs.iter().map(|s| (s.ends, class(s))).collect();
        let (runs, parts, scattered) = Runs::new(model.particles(), &edges);
        let bundles: Vec<Bundle> = parts.into_iter().map(|part| Bundle::new(part, model)).collect();
        let end = |bundle: &Bundle| {
            let particles = bundle.part.particles();
            rows.particles.partition_point(|&i| (i as usize) < particles.end)
        };
        Net {
            ends: bundles.iter().map(end).collect(),
            inertia: vec![0.0; bundles.len()],
            x: runs.planes(),
            d: runs.planes(),
            bundles,
            scattered: Scattered::new(&scattered, model, rows),
            odd: Vec::with_capacity(model.springs.len()),
            back: true,
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
        let Net { bundles, x: places, scattered, ends, inertia, back, odd, threads, .. } = self;
        let kernel = Kernel::detected();
        if bundles.iter().any(|bundle| !bundle.part.is_empty()) {
            places.fill(|i| x[i]);
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
        for (&i, &pull) in scattered.linked.iter().zip(&scattered.pulled) {
            gradient[rows.of[i as usize] as usize] += h2 * pull;
        }
        let scattered = scattered.weighed.iter().map(|chunk| chunk.energy);
        let energy: f64 = bundles.iter().map(|bundle| bundle.energy).chain(scattered).sum();
        0.5 * (inertia.iter().sum::<f64>() + h2 * energy)
    }

    /// `Σ [w q·q + (k′ − w) (p·q)²/p·p]` over all springs at the x of the last gradient, q the vectors of a spring in
    /// `direction` (one entry per row) and k′ its tangent stiffness: the elastic curvature of g along it \[N·m\].
    pub fn curvature(&mut self, model: &Model, rows: &Rows, direction: &[DVec3]) -> f64 {
        let Net { bundles, x, d, scattered, threads, .. } = self;
        let kernel = Kernel::detected();
        let at = |i: usize| direction.get(rows.of[i] as usize).copied().unwrap_or(DVec3::ZERO);
        d.fill(at);
        let (x, d) = (&*x, &*d);
        each_chunk(*threads, 1, bundles, |_, one| one[0].curve(kernel, model, x, d));
        bundles.iter().map(|b| b.curvature).sum::<f64>() + scattered.curve(kernel, *threads, model, at)
    }
}

impl Bundle {
    fn new(part: Part, model: &Model) -> Self {
        let fours = || part.edges.iter().map(|numbers| found(&model.springs, numbers));
        let laws: Vec<Law> = fours().map(law).collect();
        Bundle {
            fours: fours().map(four).collect(),
            odd: Vec::with_capacity(4 * part.edges.len()),
            linear: laws.iter().all(|law| *law == Law::Linear),
            laws,
            sums: part.sums(),
            part,
            ..Bundle::default()
        }
    }

    /// What its springs pull with at x.
    fn pull(&mut self, kernel: Kernel, model: &Model, x: &Planes) {
        let Bundle { part, fours, laws, linear, weights, sums, energy, odd, .. } = self;
        if part.is_empty() {
            return;
        }
        odd.clear();
        sums.clear();
        if *linear {
            let each = Tug { least: Wide([f64::MAX; 4]), sum: Row::default(), weights };
            let Tug { least, sum, .. } =
                run(kernel, Over { part, points: [x], own: fours, sums: Some(&mut *sums), each });
            *energy = total(sum);
            if least.0.iter().all(|l| *l >= f64::MIN_POSITIVE) && energy.is_finite() {
                return;
            }
            sums.clear();
        }
        let (springs, numbers) = (&model.springs[..], &part.edges);
        let each = CarefulTug { springs, numbers, laws, sum: Row::default(), alone: 0.0, odd, weights };
        let CarefulTug { sum, alone, .. } =
            run(kernel, Over { part, points: [x], own: fours, sums: Some(sums), each });
        *energy = total(sum) + alone;
    }

    /// The curvature of its springs at x along d.
    fn curve(&mut self, kernel: Kernel, model: &Model, x: &Planes, d: &Planes) {
        if self.weights.len() < self.fours.len() {
            // Asked for the first time: from now on gradients keep them.
            self.weights = vec![Row::default(); self.fours.len()];
            self.pull(kernel, model, x);
        }
        let Bundle { part, fours, laws, weights, curvature, .. } = self;
        let (springs, numbers) = (&model.springs[..], &part.edges);
        let each = CurveRuns { springs, numbers, laws, weights, sum: Row::default(), alone: 0.0 };
        let CurveRuns { sum, alone, .. } =
            run(kernel, Over { part, points: [x, d], own: fours, sums: None, each });
        *curvature = total(sum) + alone;
    }
}

impl Scattered {
    fn new(numbers: &[u32], model: &Model, rows: &Rows) -> Self {
        let springs: Vec<Spring> = numbers.iter().map(|&i| model.springs[i as usize]).collect();
        let four_of = |numbers: &[u32]| [0, 1, 2, 3].map(|i| numbers.get(i).map_or(Part::NONE, |&i| i));
        let numbers: Vec<[u32; 4]> = numbers.chunks(4).map(four_of).collect();
        let fours = || numbers.iter().map(|numbers| found(&model.springs, numbers));
        let free = |&i: &u32| rows.of[i as usize] != Rows::NONE;
        let mut joined: Vec<u32> = springs.iter().flat_map(|s| s.ends).collect();
        joined.sort_unstable();
        joined.dedup();
        let linked: Vec<u32> = joined.iter().copied().filter(free).collect();
        let particles = if springs.is_empty() { 0 } else { model.particles() };
        Scattered {
            fours: pairs(&springs, particles, fours().map(four)),
            laws: fours().map(law).collect(),
            links: links(&springs, particles, &linked),
            pulled: vec![DVec3::ZERO; linked.len()],
            linked,
            joined,
            weights: vec![[0.0; 4]; numbers.len()],
            weighed: vec![Weighed::default(); chunks(numbers.len())],
            curvatures: vec![0.0; chunks(numbers.len())],
            x: vec![Row::default(); particles],
            d: vec![Row::default(); particles],
            numbers,
        }
    }

    /// Weights at x, and what they pull with.
    fn pull(&mut self, kernel: Kernel, threads: bool, model: &Model, points: &[DVec3], odd: &mut Vec<u32>) {
        let Scattered { numbers, fours, laws, weights, joined, linked, links, pulled, x, weighed, .. } = self;
        joined.iter().for_each(|&i| x[i as usize] = f64::lanes(points[i as usize]));
        let (springs, numbers, x) = (&model.springs[..], &numbers[..], &x[..]);
        let p = fours.of(x);
        in_chunks(threads, laws, weights, weighed, |first, laws, weights| {
            run(kernel, Weigh { first, springs, numbers, laws, p, weights })
        });
        if weighed.iter().any(|chunk| chunk.odd) {
            weights.iter_mut().zip(numbers).for_each(|(weights, numbers)| take_odd(weights, numbers, odd));
        }
        let pulls = links.over(x, weights.as_flattened());
        // Units take no room: this allocates nothing.
        in_chunks(
            threads,
            linked,
            pulled,
            &mut vec![(); chunks(linked.len())],
            |first, particles, pulled| {
                run(kernel, Pull { first, particles, pulls, x, pulled });
            },
        );
    }

    /// Their curvature at x along d.
    fn curve(&mut self, kernel: Kernel, threads: bool, model: &Model, at: impl Fn(usize) -> DVec3) -> f64 {
        let Scattered { numbers, fours, laws, weights, curvatures, joined, x, d, .. } = self;
        joined.iter().for_each(|&i| d[i as usize] = f64::lanes(at(i as usize)));
        let (springs, numbers, p, q) = (&model.springs[..], &numbers[..], fours.of(x), fours.of(d));
        in_chunks(threads, laws, weights, curvatures, |first, laws, weights| {
            run(kernel, Curve { first, springs, numbers, laws, p, q, weights })
        });
        curvatures.iter().sum()
    }
}

/// The ends of springs, and something for each four.
pub(crate) fn pairs<A>(springs: &[Spring], particles: usize, own: impl Iterator<Item = A>) -> Pairs<A> {
    let ends: Vec<[u32; 2]> = springs.iter().map(|s| s.ends).collect();
    Pairs::new(&ends, own, particles)
}

/// The springs of each of some particles, for weights of whole fours of springs.
pub(crate) fn links(springs: &[Spring], particles: usize, of: &[u32]) -> Links {
    let mut place = vec![Rows::NONE; particles];
    (0u32..).zip(of).for_each(|(k, &i)| place[i as usize] = k);
    let both = |(spring, s): (u32, &Spring)| {
        let [a, b] = s.ends;
        let end = |own: u32, other| (place[own as usize], Link { other, spring });
        [end(a, b), end(b, a)]
    };
    let free = |(row, link): (u32, Link)| (row != Rows::NONE).then_some((row as usize, link));
    let ends = || (0u32..).zip(springs).flat_map(both).filter_map(free);
    Links::new(of.len(), ends, particles, springs.len().next_multiple_of(4))
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

/// w of four springs of length l, and their k (l − r)².
#[inline(always)]
fn weighed<V: Simd<f64>>(four: &Four, law: Law, squared: V::Vector) -> [V::Vector; 2] {
    let l = V::sqrt(squared);
    let mut stretch = V::subtract(l, V::load(&four.rest_length));
    if law == Law::ExtensionOnly {
        stretch = V::max(stretch, V::splat(0.0));
    }
    let tension = V::multiply(V::load(&four.stiffness), stretch);
    [V::divide(tension, l), V::multiply(tension, stretch)]
}

/// w q·q + (k′ − w) (p·q)²/p·p of four springs.
#[inline(always)]
fn curved<V: Simd<f64>>(
    four: &Four,
    law: Law,
    w: V::Vector,
    squared: V::Vector,
    p: [V::Vector; 3],
    q: [V::Vector; 3],
) -> V::Vector {
    let mut rise = V::subtract(V::load(&four.stiffness), w);
    if law == Law::ExtensionOnly {
        rise = V::where_positive(w, rise);
    }
    let pq = V::dot(p, q);
    V::multiply_add(V::multiply(rise, pq), V::divide(pq, squared), V::multiply(w, V::dot(q, q)))
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
        *w = weight(spring, p).unwrap_or(f64::NAN);
        other.odd |= w.is_nan();
        other.energy += 2.0 * energy_at(spring, length(p));
    }
    (weights, other)
}

/// The same for their curvature. A spring without length has no direction, and so no transverse term.
#[cold]
#[inline(never)]
fn curved_alone(springs: [Option<&Spring>; 4], p: [Row; 3], q: [Row; 3]) -> f64 {
    let one = |(lane, spring): (usize, Option<&Spring>)| {
        let (Some(spring), p, q) = (spring, point(&p, lane), point(&q, lane)) else { return 0.0 };
        let (l, qq) = (length(p), q.length_squared());
        let k = spring.tension(l).1;
        let along = if l > 0.0 { (p / l).dot(q) } else { 0.0 };
        weight(spring, p).map_or(k * qq, |w| w * (qq - along * along) + k * along * along)
    };
    springs.into_iter().enumerate().map(one).sum()
}

fn point(p: &[Row; 3], lane: usize) -> DVec3 {
    DVec3::new(p[0].0[lane], p[1].0[lane], p[2].0[lane])
}

/// The weights of linear springs in runs; the least squared length tells whether plain arithmetic was enough.
struct Tug<'a> {
    least: Row,
    /// Twice their energy.
    sum: Row,
    /// To be kept, if there is room.
    weights: &'a mut [Row],
}

impl PerFour<1> for Tug<'_> {
    type Own = Four;
    #[inline(always)]
    fn four<V: Simd<f64>>(&mut self, k: usize, four: &Four, [p]: [[V::Vector; 3]; 1]) -> V::Vector {
        let squared = V::dot(p, p);
        self.least = V::store(V::min(squared, V::load(&self.least)));
        let [w, energy] = weighed::<V>(four, Law::Linear, squared);
        self.sum = V::store(V::add(V::load(&self.sum), energy));
        if let Some(kept) = self.weights.get_mut(k) {
            *kept = V::store(w);
        }
        w
    }
}

/// The weights of springs of any law and any length. An odd spring does not pull, and is noted.
struct CarefulTug<'a> {
    springs: &'a [Spring],
    numbers: &'a [[u32; 4]],
    laws: &'a [Law],
    /// Twice the energy of whole fours, and of springs alone.
    sum: Row,
    alone: f64,
    odd: &'a mut Vec<u32>,
    weights: &'a mut [Row],
}

impl PerFour<1> for CarefulTug<'_> {
    type Own = Four;
    #[inline(always)]
    fn four<V: Simd<f64>>(&mut self, k: usize, four: &Four, [p]: [[V::Vector; 3]; 1]) -> V::Vector {
        let squared = V::dot(p, p);
        if V::all_normal(squared) {
            let [w, energy] = weighed::<V>(four, self.laws[k], squared);
            self.sum = V::store(V::add(V::load(&self.sum), energy));
            if let Some(kept) = self.weights.get_mut(k) {
                *kept = V::store(w);
            }
            return w;
        }
        let numbers = &self.numbers[k];
        let (mut weights, Weighed { energy, odd }) =
            weighed_alone(found(self.springs, numbers), p.map(V::store));
        self.alone += energy;
        if odd {
            take_odd(&mut weights, numbers, self.odd);
        }
        V::load(&Wide(weights))
    }
}

/// The weights of scattered springs, not a number where there is none.
struct Weigh<'a> {
    /// Place of the first four among all.
    first: usize,
    springs: &'a [Spring],
    numbers: &'a [[u32; 4]],
    laws: &'a [Law],
    p: Differences<'a, Four>,
    weights: &'a mut [[f64; 4]],
}

impl Work<f64> for Weigh<'_> {
    type Output = Weighed;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> Weighed {
        let Weigh { first, springs, numbers, laws, p: vectors, weights } = self;
        let (mut sum, mut left) = (V::splat(0.0), false);
        for (k, (&law, weights)) in (first..).zip(laws.iter().zip(&mut *weights)) {
            let (p, four) = vectors.at::<V>(k);
            let squared = V::dot(p, p);
            if law == Law::Own || !V::all_normal(squared) {
                left = true;
                continue;
            }
            let [w, energy] = weighed::<V>(four, law, squared);
            *weights = V::store(w).0;
            sum = V::add(sum, energy);
        }
        let mut rest = Weighed { energy: total(V::store(sum)), odd: false };
        for (k, (&law, weights)) in (first..).zip(laws.iter().zip(weights)).take_while(|_| left) {
            let (p, _) = vectors.at::<V>(k);
            if law == Law::Own || !V::all_normal(V::dot(p, p)) {
                let (found, other) = weighed_alone(found(springs, &numbers[k]), p.map(V::store));
                *weights = found;
                rest = Weighed { energy: rest.energy + other.energy, odd: rest.odd | other.odd };
            }
        }
        rest
    }
}

/// `Σ w (x_i − x_j)` over the scattered springs of some particles.
struct Pull<'a> {
    /// Number of the first particle.
    first: usize,
    particles: &'a [u32],
    pulls: Pulls<'a>,
    x: &'a [Row],
    pulled: &'a mut [DVec3],
}

impl Work<f64> for Pull<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) {
        let Pull { first, particles, pulls, x, pulled } = self;
        for (k, (&i, pulled)) in (first..).zip(particles.iter().zip(pulled)) {
            *pulled = f64::point(&V::store(pulls.at::<V>(k, V::load(&x[i as usize]))));
        }
    }
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

/// The curvature of springs in runs along a direction.
struct CurveRuns<'a> {
    springs: &'a [Spring],
    numbers: &'a [[u32; 4]],
    laws: &'a [Law],
    weights: &'a [Row],
    sum: Row,
    alone: f64,
}

impl PerFour<2> for CurveRuns<'_> {
    type Own = Four;
    #[inline(always)]
    fn four<V: Simd<f64>>(&mut self, k: usize, four: &Four, [p, q]: [[V::Vector; 3]; 2]) -> V::Vector {
        let squared = V::dot(p, p);
        if V::all_normal(squared) {
            let curved = curved::<V>(four, self.laws[k], V::load(&self.weights[k]), squared, p, q);
            self.sum = V::store(V::add(V::load(&self.sum), curved));
        } else {
            self.alone +=
                curved_alone(found(self.springs, &self.numbers[k]), p.map(V::store), q.map(V::store));
        }
        V::splat(0.0)
    }
}

/// The curvature of scattered springs along a direction.
struct Curve<'a> {
    /// Place of the first four among all.
    first: usize,
    springs: &'a [Spring],
    numbers: &'a [[u32; 4]],
    laws: &'a [Law],
    p: Differences<'a, Four>,
    q: Differences<'a, Four>,
    weights: &'a [[f64; 4]],
}

impl Work<f64> for Curve<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> f64 {
        let Curve { first, springs, numbers, laws, p: vectors, q: directions, weights } = self;
        let (mut sum, mut left) = (V::splat(0.0), false);
        for (k, (&law, w)) in (first..).zip(laws.iter().zip(weights)) {
            let ((p, four), (q, _)) = (vectors.at::<V>(k), directions.at::<V>(k));
            let squared = V::dot(p, p);
            if law == Law::Own || !V::all_normal(squared) {
                left = true;
                continue;
            }
            sum = V::add(sum, curved::<V>(four, law, V::load(&Wide(*w)), squared, p, q));
        }
        let mut rest = total(V::store(sum));
        for (k, &law) in (first..).zip(laws).take_while(|_| left) {
            let ((p, _), (q, _)) = (vectors.at::<V>(k), directions.at::<V>(k));
            if law == Law::Own || !V::all_normal(V::dot(p, p)) {
                rest += curved_alone(found(springs, &numbers[k]), p.map(V::store), q.map(V::store));
            }
        }
        rest
    }
}

fn total(Wide([a, b, c, d]): Row) -> f64 {
    (a + b) + (c + d)
}
