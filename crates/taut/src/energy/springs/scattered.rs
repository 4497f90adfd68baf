//! The springs that run in no fours: first the weights of all of them, four at a time, then the sum at each particle.

use super::super::Rows;
use super::{
    FourSprings, Law, Weighed, curved, curved_alone, found, four, law, take_odd, total, weighed,
    weighed_alone,
};
use crate::Spring;
use crate::kernel::{
    Adjacency, Differences, Four, HalfEdge, Kernel, Laplacian, Pairs, Real, Section, Simd, Work,
    neighbours_first, run,
};
use crate::threads::{chunks, in_chunks};
use glam::DVec3;

/// The springs that run in no fours. Most of their work is looking up particles. So particles are copied into a list in
/// which the two ends of a spring are near each other; an index in that list is called a place.
#[derive(Debug, Clone, Default)]
pub(super) struct Scattered {
    /// The numbers of four springs each; [`Section::NONE`] in empty lanes.
    numbers: Vec<[u32; 4]>,
    fours: Pairs<FourSprings>,
    laws: Vec<Law>,
    weights: Vec<[f64; 4]>,
    /// The particle of each place.
    joined: Vec<u32>,
    /// Positions and a direction, by place.
    x: Vec<Four>,
    d: Vec<Four>,
    /// The places of free particles, their rows, their springs, and the sums Σ w p.
    free: Vec<u32>,
    rows: Vec<u32>,
    adjacency: Adjacency,
    pulled: Vec<DVec3>,
    /// The sums of each chunk of springs.
    pub weighed: Vec<Weighed>,
    curvatures: Vec<f64>,
}

impl Scattered {
    pub fn new(numbers: &[u32], all: &[Spring], rows: &Rows) -> Self {
        let ends: Vec<[u32; 2]> = numbers.iter().map(|&i| all[i as usize].ends).collect();
        let joined = neighbours_first(&ends, rows.of.len());
        let mut place = vec![Rows::NONE; rows.of.len()];
        (0u32..).zip(&joined).for_each(|(k, &i)| place[i as usize] = k);
        let placed = |&number: &u32| {
            let spring = all[number as usize];
            (Spring { ends: spring.ends.map(|i| place[i as usize]), ..spring }, number)
        };
        let mut springs: Vec<(Spring, u32)> = numbers.iter().map(placed).collect();
        springs.sort_by_key(|(spring, _)| spring.ends.iter().min().copied());
        let (springs, numbers): (Vec<Spring>, Vec<u32>) = springs.into_iter().unzip();
        let four_of = |numbers: &[u32]| [0, 1, 2, 3].map(|i| numbers.get(i).map_or(Section::NONE, |&i| i));
        let numbers: Vec<[u32; 4]> = numbers.chunks(4).map(four_of).collect();
        let fours = || numbers.iter().map(|numbers| found(all, numbers));
        let row = |(k, &i): (u32, &u32)| (k, rows.of[i as usize]);
        let free = (0u32..).zip(&joined).map(row).filter(|&(_, row)| row != Rows::NONE);
        let (free, rows): (Vec<u32>, Vec<u32>) = free.unzip();
        Scattered {
            fours: pairs(&springs, joined.len(), fours().map(four)),
            laws: fours().map(law).collect(),
            adjacency: adjacency(&springs, joined.len(), &free),
            pulled: vec![DVec3::ZERO; free.len()],
            free,
            rows,
            weights: vec![[0.0; 4]; numbers.len()],
            weighed: vec![Weighed::default(); chunks(numbers.len())],
            curvatures: vec![0.0; chunks(numbers.len())],
            x: vec![Four::default(); joined.len()],
            d: vec![Four::default(); joined.len()],
            joined,
            numbers,
        }
    }

    /// Take stiffnesses and rest lengths anew.
    pub fn aim(&mut self, springs: &[Spring]) {
        let Scattered { numbers, fours, .. } = self;
        fours.data_mut().zip(numbers).for_each(|(own, numbers)| *own = four(found(springs, numbers)));
    }

    /// Weights and sums at these positions; springs without a weight are added to `odd`.
    pub fn pull(
        &mut self,
        kernel: Kernel,
        threads: bool,
        springs: &[Spring],
        points: &[DVec3],
        odd: &mut Vec<u32>,
    ) {
        let Scattered { numbers, fours, laws, weights, joined, free, adjacency, pulled, x, weighed, .. } =
            self;
        joined.iter().zip(&mut *x).for_each(|(&i, x)| *x = f64::lanes(points[i as usize]));
        let (numbers, x) = (&numbers[..], &x[..]);
        let p = fours.of(x);
        in_chunks(threads, laws, weights, weighed, |first, laws, weights| {
            run(kernel, Weigh { first, springs, numbers, laws, p, weights })
        });
        if weighed.iter().any(|chunk| chunk.odd) {
            weights.iter_mut().zip(numbers).for_each(|(weights, numbers)| take_odd(weights, numbers, odd));
        }
        let sums = adjacency.over(x, weights.as_flattened());
        // A vector of `()` takes no memory: this allocates nothing.
        in_chunks(threads, free, pulled, &mut vec![(); chunks(free.len())], |first, places, pulled| {
            run(kernel, Pull { first, places, sums, x, pulled });
        });
    }

    /// The rows that have scattered springs, with their sums Σ w p.
    pub fn pulled(&self) -> impl Iterator<Item = (&u32, &DVec3)> {
        self.rows.iter().zip(&self.pulled)
    }

    /// The curvature \[N·m\] at the x of the last `pull` along a direction, which `at` gives by particle.
    pub fn curve<'p>(
        &mut self,
        kernel: Kernel,
        threads: bool,
        springs: &[Spring],
        at: impl Fn(usize) -> &'p DVec3,
    ) -> f64 {
        let Scattered { numbers, fours, laws, weights, curvatures, joined, x, d, .. } = self;
        joined.iter().zip(&mut *d).for_each(|(&i, d)| *d = f64::lanes(*at(i as usize)));
        let (numbers, p, q) = (&numbers[..], fours.of(x), fours.of(d));
        in_chunks(threads, laws, weights, curvatures, |first, laws, _| {
            run(kernel, Curve { first, springs, numbers, laws, p, q })
        });
        curvatures.iter().sum()
    }
}

/// The ends of springs, four springs at a time, with data for each four.
pub(crate) fn pairs<A>(springs: &[Spring], particles: usize, data: impl Iterator<Item = A>) -> Pairs<A> {
    let ends: Vec<[u32; 2]> = springs.iter().map(|s| s.ends).collect();
    Pairs::new(&ends, data, particles)
}

/// The springs at each particle of the list `of`. Their weights come in whole fours.
pub(crate) fn adjacency(springs: &[Spring], particles: usize, of: &[u32]) -> Adjacency {
    let mut place = vec![Rows::NONE; particles];
    (0u32..).zip(of).for_each(|(k, &i)| place[i as usize] = k);
    let both = |(edge, s): (u32, &Spring)| {
        let [a, b] = s.ends;
        let end = |from: u32, other| (place[from as usize], HalfEdge { other, edge });
        [end(a, b), end(b, a)]
    };
    let listed = |(row, end): (u32, HalfEdge)| (row != Rows::NONE).then_some((row as usize, end));
    let ends = || (0u32..).zip(springs).flat_map(both).filter_map(listed);
    Adjacency::new(of.len(), ends, particles, springs.len().next_multiple_of(4))
}

/// The weights of scattered springs; those of odd springs are not a number.
struct Weigh<'a> {
    /// The number of the first four among all fours.
    first: usize,
    springs: &'a [Spring],
    numbers: &'a [[u32; 4]],
    laws: &'a [Law],
    p: Differences<'a, FourSprings>,
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
            if law != Law::Mixed && V::all_normal(squared) {
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
    /// The number of the first particle among the free ones that have scattered springs.
    first: usize,
    places: &'a [u32],
    sums: Laplacian<'a>,
    x: &'a [Four],
    pulled: &'a mut [DVec3],
}

impl Work<f64> for Pull<'_> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) {
        let Pull { first, places, sums, x, pulled } = self;
        for (k, (&i, pulled)) in (first..).zip(places.iter().zip(pulled)) {
            *pulled = f64::point(&V::store(sums.at::<V>(k, V::load(&x[i as usize]))));
        }
    }
}

/// The curvature of scattered springs along a direction.
struct Curve<'a> {
    /// The number of the first four among all fours.
    first: usize,
    springs: &'a [Spring],
    numbers: &'a [[u32; 4]],
    laws: &'a [Law],
    p: Differences<'a, FourSprings>,
    q: Differences<'a, FourSprings>,
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
            if law != Law::Mixed && V::all_normal(squared) {
                let inverse = V::divide(V::splat(1.0), V::sqrt(squared));
                sum = V::add(sum, curved::<V>(four, law, inverse, p, q));
            } else {
                alone += curved_alone(found(springs, &numbers[k]), p.map(V::store), q.map(V::store));
            }
        }
        total(V::store(sum)) + alone
    }
}
