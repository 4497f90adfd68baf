//! Edges of any graph, in lists of indices: which vertices an edge joins, and which edges meet at a vertex.
//!
//! For points x by vertex and weights w by edge these give, in two passes that threads may share,
//!
//! ```text
//! of every edge (i, j)    the difference   x_i − x_j                       Pairs → Differences, four edges at a time
//! of every vertex i       the sum          Σ w (x_i − x_j) over its edges  Adjacency → Laplacian
//! ```
//!
//! Each vertex adds up its edges in a fixed order, so the result does not depend on how many threads there are.
//! The loops do little more than follow indices. Checking each index against its range took an eighth of their time;
//! here the lists are checked once, when they are made.
#![expect(unsafe_code, reason = "indices that were checked once are not checked again in every pass")]

use super::simd::{Four, Simd};

/// Pairs of vertices, four at a time, with some data for each four.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pairs<A> {
    fours: Vec<([[u32; 4]; 2], A)>,
    size: usize,
}

impl<A> Pairs<A> {
    /// For lists of `size` points. If the last four has fewer than four pairs, its first pair fills it up.
    pub fn new(pairs: &[[u32; 2]], data: impl Iterator<Item = A>, size: usize) -> Self {
        assert!(pairs.iter().flatten().all(|&i| (i as usize) < size), "vertices that have points");
        let four = |pairs: &[[u32; 2]]| {
            [0, 1].map(|end| std::array::from_fn(|i| pairs.get(i).unwrap_or(&pairs[0])[end]))
        };
        Pairs { fours: pairs.chunks(4).map(four).zip(data).collect(), size }
    }

    /// The data of each four.
    pub fn data_mut(&mut self) -> impl Iterator<Item = &mut A> {
        self.fours.iter_mut().map(|(_, data)| data)
    }

    /// Their differences in a list of points.
    pub fn of<'a>(&'a self, x: &'a [Four]) -> Differences<'a, A> {
        assert_eq!(x.len(), self.size, "as many points as these pairs were made for");
        Differences { fours: &self.fours, x }
    }
}

/// `x_a − x_b` of pairs (a, b).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Differences<'a, A> {
    fours: &'a [([[u32; 4]; 2], A)],
    x: &'a [Four],
}

impl<A> Differences<'_, A> {
    /// x, y and z of the k-th four differences, and the data of that four.
    #[inline(always)]
    pub fn at<V: Simd<f64>>(&self, k: usize) -> ([V::Vector; 3], &A) {
        let ([a, b], data) = &self.fours[k];
        // SAFETY: only `Pairs::of` makes these: all indices are below the size it was made for, which x has.
        (unsafe { V::differences(self.x, a, b) }, data)
    }
}

/// An edge as one of its vertices sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HalfEdge {
    /// The vertex at the other end.
    pub other: u32,
    pub edge: u32,
}

/// The edges at some vertices, which are called rows here.
#[derive(Debug, Clone, Default)]
pub(crate) struct Adjacency {
    /// Where each row begins in the list, and the end of the last.
    first: Vec<u32>,
    list: Vec<HalfEdge>,
    /// How many points and how many weights the list refers to.
    size: usize,
    edges: usize,
}

impl Adjacency {
    /// Of `rows` vertices, for lists of `size` points and `edges` weights. `ends` gives every half edge with its row.
    pub fn new<I>(rows: usize, ends: impl Fn() -> I, size: usize, edges: usize) -> Self
    where
        I: Iterator<Item = (usize, HalfEdge)>,
    {
        let mut first = vec![0u32; rows + 1];
        ends().for_each(|(row, _)| first[row + 1] += 1);
        (0..rows).for_each(|row| first[row + 1] += first[row]);
        let mut next = first.clone();
        let mut list = vec![HalfEdge { other: 0, edge: 0 }; first[rows] as usize];
        for (row, end) in ends() {
            assert!((end.other as usize) < size && (end.edge as usize) < edges, "{end:?}");
            list[next[row] as usize] = end;
            next[row] += 1;
        }
        Adjacency { first, list, size, edges }
    }

    /// The sums over the edges of each row, for these points and weights.
    pub fn over<'a>(&'a self, x: &'a [Four], weights: &'a [f64]) -> Laplacian<'a> {
        let made_for = (self.size, self.edges);
        assert_eq!((x.len(), weights.len()), made_for, "as many points and weights as this was made for");
        Laplacian { first: &self.first, list: &self.list, x, weights }
    }
}

/// The vertices that pairs join, in an order in which the two of a pair are near each other: breadth first (Cuthill and
/// McKee, 1969). There are `size` vertices; those without a pair are left out.
pub(crate) fn neighbours_first(pairs: &[[u32; 2]], size: usize) -> Vec<u32> {
    let both = |(edge, &[a, b]): (u32, &[u32; 2])| {
        [(a as usize, HalfEdge { other: b, edge }), (b as usize, HalfEdge { other: a, edge })]
    };
    let Adjacency { first, list, .. } =
        Adjacency::new(size, || (0u32..).zip(pairs).flat_map(both), size, pairs.len());
    let ends = |vertex: usize| &list[first[vertex] as usize..first[vertex + 1] as usize];
    let (mut order, mut found) = (Vec::with_capacity(size), vec![false; size]);
    for root in (0..size).filter(|&vertex| !ends(vertex).is_empty()) {
        let mut head = order.len();
        if !std::mem::replace(&mut found[root], true) {
            order.push(root as u32);
        }
        while let Some(&vertex) = order.get(head) {
            let others = ends(vertex as usize).iter().map(|end| end.other);
            order.extend(others.filter(|&other| !std::mem::replace(&mut found[other as usize], true)));
            head += 1;
        }
    }
    order
}

/// `Σ w (x_i − x_j)` over the edges (i, j) of a vertex i: the Laplacian of the graph with weights w, times x.
#[derive(Clone, Copy)]
pub(crate) struct Laplacian<'a> {
    first: &'a [u32],
    list: &'a [HalfEdge],
    x: &'a [Four],
    weights: &'a [f64],
}

impl Laplacian<'_> {
    /// The sum of a row whose point x_i is `own`.
    #[inline(always)]
    pub fn at<V: Simd<f64>>(&self, row: usize, own: V::Vector) -> V::Vector {
        let ends = &self.first[row..row + 2];
        // SAFETY: only `Adjacency::over` makes these, and in `first` it counted up to the length of the list.
        let list = unsafe { self.list.get_unchecked(ends[0] as usize..ends[1] as usize) };
        // Two sums: an addition to one need not wait for the last addition to the other.
        let mut sums = [V::splat(0.0); 2];
        let (pairs, last) = list.as_chunks::<2>();
        for [a, b] in pairs {
            sums = [self.add::<V>(a, own, sums[0]), self.add::<V>(b, own, sums[1])];
        }
        if let Some(a) = last.first() {
            sums[0] = self.add::<V>(a, own, sums[0]);
        }
        V::add(sums[0], sums[1])
    }

    #[inline(always)]
    fn add<V: Simd<f64>>(&self, end: &HalfEdge, own: V::Vector, sum: V::Vector) -> V::Vector {
        // SAFETY: as above; half edges were checked against two sizes, which x and weights have.
        let (x, w) = unsafe {
            (self.x.get_unchecked(end.other as usize), *self.weights.get_unchecked(end.edge as usize))
        };
        V::multiply_add(V::splat(w), V::subtract(own, V::load(x)), sum)
    }
}

#[cfg(test)]
mod tests {
    use super::super::simd::Real;
    use super::super::{Kernel, Work, run};
    use super::*;
    use crate::random::Random;
    use glam::DVec3;

    /// Differences of all fours, then the sums of all vertices.
    struct Everything<'a>(Differences<'a, usize>, usize, Laplacian<'a>, &'a [Four]);

    impl Work<f64> for Everything<'_> {
        type Output = (Vec<[Four; 3]>, Vec<DVec3>);
        #[inline(always)]
        fn run<V: Simd<f64>, const FUSED: bool>(self) -> Self::Output {
            let Everything(differences, fours, laplacian, x) = self;
            let (mut vectors, mut sums) = (Vec::new(), Vec::new());
            for k in 0..fours {
                let (p, data) = differences.at::<V>(k);
                assert_eq!(*data, k, "the data of this four");
                vectors.push([V::store(p[0]), V::store(p[1]), V::store(p[2])]);
            }
            for (row, x) in x.iter().enumerate() {
                sums.push(f64::point(&V::store(laplacian.at::<V>(row, V::load(x)))));
            }
            (vectors, sums)
        }
    }

    /// Against one pair after another, on every instruction set; the first and the last vertex are among the ends.
    #[test]
    fn differences_and_sums_are_those_of_single_pairs() {
        let mut random = Random(3);
        for count in [1, 2, 3, 4, 5, 8, 30] {
            let size = 9;
            let mut pairs: Vec<[u32; 2]> =
                (0..count).map(|k| [k % size, (k + 1 + k / size) % size]).filter(|[a, b]| a != b).collect();
            pairs.push([size - 1, 0]);
            let x: Vec<DVec3> = (0..size).map(|_| random.vector()).collect();
            let rows: Vec<Four> = x.iter().map(|&x| f64::lanes(x)).collect();
            let weights: Vec<f64> = pairs.iter().map(|_| random.signed()).collect();
            let (mut sums, mut sizes) = (vec![DVec3::ZERO; x.len()], vec![0.0; x.len()]);
            for (&[a, b], w) in pairs.iter().zip(&weights) {
                let pull = *w * (x[a as usize] - x[b as usize]);
                sums[a as usize] += pull;
                sums[b as usize] -= pull;
                [a, b].into_iter().for_each(|i| sizes[i as usize] += pull.length());
            }
            let ends = || {
                (0u32..).zip(&pairs).flat_map(|(edge, &[a, b])| {
                    [(a as usize, HalfEdge { other: b, edge }), (b as usize, HalfEdge { other: a, edge })]
                })
            };
            let list = Pairs::new(&pairs, 0.., x.len());
            let adjacency = Adjacency::new(x.len(), ends, x.len(), pairs.len());
            for kernel in Kernel::available() {
                let all = Everything(
                    list.of(&rows),
                    pairs.len().div_ceil(4),
                    adjacency.over(&rows, &weights),
                    &rows,
                );
                let (vectors, found) = run(kernel, all);
                for (k, &[a, b]) in pairs.iter().enumerate() {
                    let [p, q, r] = vectors[k / 4].map(|v| v.0[k % 4]);
                    assert_eq!(DVec3::new(p, q, r), x[a as usize] - x[b as usize], "pair {k} of {count}");
                }
                for ((found, sum), size) in found.iter().zip(&sums).zip(&sizes) {
                    assert!((*found - *sum).length() <= 1e-15 * size, "{found} {sum}");
                }
            }
        }
    }

    /// Two chains, numbered at random, and vertices without pairs whose numbers lie between.
    #[test]
    fn vertices_of_a_pair_are_near_each_other() {
        let (mut random, size) = (Random(8), 1000);
        let mut names: Vec<u32> = (0..size).collect();
        names.sort_by_cached_key(|_| random.signed().to_bits());
        let (joined, alone) = names.split_at(600);
        let chain = |names: &[u32]| names.windows(2).map(|two| [two[0], two[1]]).collect::<Vec<_>>();
        let pairs = [chain(&joined[..200]), chain(&joined[200..])].concat();
        let order = neighbours_first(&pairs, size as usize);
        let place = |row: &u32| order.iter().position(|other| other == row);
        assert!(order.len() == joined.len() && joined.iter().all(|row| place(row).is_some()));
        assert!(alone.iter().all(|row| place(row).is_none()));
        // From somewhere in its middle a chain is followed both ways in turn.
        let apart = |[a, b]: &[u32; 2]| place(a).unwrap().abs_diff(place(b).unwrap());
        assert!(pairs.iter().map(apart).max() <= Some(2));
    }
}
