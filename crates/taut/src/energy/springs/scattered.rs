//! The springs that are in no run: weights first, four at a time, then what pulls at each particle.

use super::super::Rows;
use super::{
    Four, Law, Weighed, curved, curved_alone, found, four, law, take_odd, total, weighed, weighed_alone,
};
use crate::kernel::{
    Differences, Kernel, Link, Links, Pairs, Part, Pulls, Real, Row, Simd, Work, neighbours_first, run,
};
use crate::threads::{chunks, in_chunks};
use crate::{Model, Spring};
use glam::DVec3;

/// The springs that are in no run.
#[derive(Debug, Clone, Default)]
pub(super) struct Scattered {
    numbers: Vec<[u32; 4]>,
    fours: Pairs<Four>,
    laws: Vec<Law>,
    weights: Vec<[f64; 4]>,
    /// The particles they join, neighbours near each other, however the model numbers them: most of the work is to look
    /// them up. By place in this list, positions and a direction.
    joined: Vec<u32>,
    x: Vec<Row>,
    d: Vec<Row>,
    /// Places and rows of the free ones, and what pulls at them.
    linked: Vec<u32>,
    rows: Vec<u32>,
    links: Links,
    pulled: Vec<DVec3>,
    /// What chunks of them add up to.
    pub weighed: Vec<Weighed>,
    curvatures: Vec<f64>,
}

impl Scattered {
    pub fn new(numbers: &[u32], model: &Model, rows: &Rows) -> Self {
        let ends: Vec<[u32; 2]> = numbers.iter().map(|&i| model.springs[i as usize].ends).collect();
        let joined = neighbours_first(&ends, model.particles());
        let mut place = vec![Rows::NONE; model.particles()];
        (0u32..).zip(&joined).for_each(|(k, &i)| place[i as usize] = k);
        let placed = |&number: &u32| {
            let spring = model.springs[number as usize];
            (Spring { ends: spring.ends.map(|i| place[i as usize]), ..spring }, number)
        };
        let mut springs: Vec<(Spring, u32)> = numbers.iter().map(placed).collect();
        springs.sort_by_key(|(spring, _)| spring.ends.iter().min().copied());
        let (springs, numbers): (Vec<Spring>, Vec<u32>) = springs.into_iter().unzip();
        let four_of = |numbers: &[u32]| [0, 1, 2, 3].map(|i| numbers.get(i).map_or(Part::NONE, |&i| i));
        let numbers: Vec<[u32; 4]> = numbers.chunks(4).map(four_of).collect();
        let fours = || numbers.iter().map(|numbers| found(&model.springs, numbers));
        let row = |(k, &i): (u32, &u32)| (k, rows.of[i as usize]);
        let free = (0u32..).zip(&joined).map(row).filter(|&(_, row)| row != Rows::NONE);
        let (linked, rows): (Vec<u32>, Vec<u32>) = free.unzip();
        Scattered {
            fours: pairs(&springs, joined.len(), fours().map(four)),
            laws: fours().map(law).collect(),
            links: links(&springs, joined.len(), &linked),
            pulled: vec![DVec3::ZERO; linked.len()],
            linked,
            rows,
            weights: vec![[0.0; 4]; numbers.len()],
            weighed: vec![Weighed::default(); chunks(numbers.len())],
            curvatures: vec![0.0; chunks(numbers.len())],
            x: vec![Row::default(); joined.len()],
            d: vec![Row::default(); joined.len()],
            joined,
            numbers,
        }
    }

    /// Weights at x, and what they pull with.
    pub fn pull(
        &mut self,
        kernel: Kernel,
        threads: bool,
        model: &Model,
        points: &[DVec3],
        odd: &mut Vec<u32>,
    ) {
        let Scattered { numbers, fours, laws, weights, joined, linked, links, pulled, x, weighed, .. } = self;
        joined.iter().zip(&mut *x).for_each(|(&i, x)| *x = f64::lanes(points[i as usize]));
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
        in_chunks(threads, linked, pulled, &mut vec![(); chunks(linked.len())], |first, places, pulled| {
            run(kernel, Pull { first, places, pulls, x, pulled });
        });
    }

    /// The rows that have some, and what pulls at them.
    pub fn pulled(&self) -> impl Iterator<Item = (&u32, &DVec3)> {
        self.rows.iter().zip(&self.pulled)
    }

    /// Their curvature at x along d.
    pub fn curve<'p>(
        &mut self,
        kernel: Kernel,
        threads: bool,
        model: &Model,
        at: impl Fn(usize) -> &'p DVec3,
    ) -> f64 {
        let Scattered { numbers, fours, laws, weights, curvatures, joined, x, d, .. } = self;
        joined.iter().zip(&mut *d).for_each(|(&i, d)| *d = f64::lanes(*at(i as usize)));
        let (springs, numbers, p, q) = (&model.springs[..], &numbers[..], fours.of(x), fours.of(d));
        in_chunks(threads, laws, weights, curvatures, |first, laws, _| {
            run(kernel, Curve { first, springs, numbers, laws, p, q })
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
        let (mut sum, mut alone) = (V::splat(0.0), Weighed::default());
        for (k, (&law, weights)) in (first..).zip(laws.iter().zip(weights)) {
            let (p, four) = vectors.at::<V>(k);
            let squared = V::dot(p, p);
            if law != Law::Own && V::all_normal(squared) {
                let [w, _, energy] = weighed::<V>(four, law, squared);
                *weights = V::store(w).0;
                sum = V::add(sum, energy);
            } else {
                let (found, other) = weighed_alone(found(springs, &numbers[k]), p.map(V::store));
                *weights = found;
                alone = Weighed { energy: alone.energy + other.energy, odd: alone.odd | other.odd };
            }
        }
        Weighed { energy: total(V::store(sum)) + alone.energy, ..alone }
    }
}

/// `Σ w (x_i − x_j)` over the scattered springs of some particles.
struct Pull<'a> {
    /// Number of the first row among those that have some.
    first: usize,
    places: &'a [u32],
    pulls: Pulls<'a>,
    x: &'a [Row],
    pulled: &'a mut [DVec3],
}

impl Work<f64> for Pull<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) {
        let Pull { first, places, pulls, x, pulled } = self;
        for (k, (&i, pulled)) in (first..).zip(places.iter().zip(pulled)) {
            *pulled = f64::point(&V::store(pulls.at::<V>(k, V::load(&x[i as usize]))));
        }
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
}

impl Work<f64> for Curve<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> f64 {
        let Curve { first, springs, numbers, laws, p: vectors, q: directions } = self;
        let (mut sum, mut alone) = (V::splat(0.0), 0.0);
        for (k, &law) in (first..).zip(laws) {
            let ((p, four), (q, _)) = (vectors.at::<V>(k), directions.at::<V>(k));
            let squared = V::dot(p, p);
            if law != Law::Own && V::all_normal(squared) {
                let inverse = V::divide(V::splat(1.0), V::sqrt(squared));
                sum = V::add(sum, curved::<V>(four, law, inverse, p, q));
            } else {
                alone += curved_alone(found(springs, &numbers[k]), p.map(V::store), q.map(V::store));
            }
        }
        total(V::store(sum)) + alone
    }
}
