//! Which rows springs join, and which springs pull at a row: lists of indices that were checked once.
//!
//! The loops over them do little more than follow indices; asking of each whether it is in range took an eighth of
//! their time.
#![expect(unsafe_code, reason = "indices that were checked once are not checked again in every pass")]

use super::simd::{Row, Simd};

/// Pairs of rows, four at a time, and next to each four something of theirs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pairs<A> {
    fours: Vec<([[u32; 4]; 2], A)>,
    size: usize,
}

impl<A> Pairs<A> {
    /// Of vectors of `size` rows; the last four are filled up with the first pair of them.
    pub fn new(pairs: &[[u32; 2]], own: impl Iterator<Item = A>, size: usize) -> Self {
        assert!(pairs.iter().flatten().all(|&i| (i as usize) < size), "rows within the vector");
        let four = |pairs: &[[u32; 2]]| {
            [0, 1].map(|end| std::array::from_fn(|i| pairs.get(i).unwrap_or(&pairs[0])[end]))
        };
        Pairs { fours: pairs.chunks(4).map(four).zip(own).collect(), size }
    }

    /// Their differences in a vector.
    pub fn of<'a>(&'a self, x: &'a [Row]) -> Differences<'a, A> {
        assert_eq!(x.len(), self.size, "the vector these pairs were made for");
        Differences { fours: &self.fours, x }
    }
}

/// `x_a − x_b` of pairs of rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Differences<'a, A> {
    fours: &'a [([[u32; 4]; 2], A)],
    x: &'a [Row],
}

impl<A> Differences<'_, A> {
    /// Those of the k-th four pairs, and what is theirs.
    #[inline(always)]
    pub fn at<V: Simd<f64>>(&self, k: usize) -> ([V::Vector; 3], &A) {
        let ([a, b], own) = &self.fours[k];
        // SAFETY: only `Pairs::of` makes these; rows were checked against a size, and x has it.
        (unsafe { V::differences(self.x, a, b) }, own)
    }
}

/// One end of a spring, seen from a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    /// The row at the other end.
    pub other: u32,
    pub spring: u32,
}

/// The links of some rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Links {
    first: Vec<u32>,
    list: Vec<Link>,
    size: usize,
    springs: usize,
}

impl Links {
    /// Of `rows` rows, to a vector of `size` rows, by so many springs; `ends` tells row and link.
    pub fn new<I>(rows: usize, ends: impl Fn() -> I, size: usize, springs: usize) -> Self
    where
        I: Iterator<Item = (usize, Link)>,
    {
        let mut first = vec![0u32; rows + 1];
        ends().for_each(|(row, _)| first[row + 1] += 1);
        (0..rows).for_each(|row| first[row + 1] += first[row]);
        let mut next = first.clone();
        let mut list = vec![Link { other: 0, spring: 0 }; first[rows] as usize];
        for (row, link) in ends() {
            assert!((link.other as usize) < size && (link.spring as usize) < springs, "{link:?}");
            list[next[row] as usize] = link;
            next[row] += 1;
        }
        Links { first, list, size, springs }
    }

    /// What pulls at the rows of a vector, if springs pull with these weights.
    pub fn over<'a>(&'a self, x: &'a [Row], weights: &'a [f64]) -> Pulls<'a> {
        assert_eq!((x.len(), weights.len()), (self.size, self.springs), "what these links were made for");
        Pulls { first: &self.first, list: &self.list, x, weights }
    }
}

/// The rows that pairs join, of `size` rows: those of a pair near each other, breadth first (Cuthill and McKee, 1969).
pub(crate) fn neighbours_first(pairs: &[[u32; 2]], size: usize) -> Vec<u32> {
    let both = |(spring, &[a, b]): (u32, &[u32; 2])| {
        [(a as usize, Link { other: b, spring }), (b as usize, Link { other: a, spring })]
    };
    let Links { first, list, .. } =
        Links::new(size, || (0u32..).zip(pairs).flat_map(both), size, pairs.len());
    let links = |row: usize| &list[first[row] as usize..first[row + 1] as usize];
    let (mut order, mut found) = (Vec::with_capacity(size), vec![false; size]);
    for root in (0..size).filter(|&row| !links(row).is_empty()) {
        let mut head = order.len();
        if !std::mem::replace(&mut found[root], true) {
            order.push(root as u32);
        }
        while let Some(&row) = order.get(head) {
            let others = links(row as usize).iter().map(|link| link.other);
            order.extend(others.filter(|&other| !std::mem::replace(&mut found[other as usize], true)));
            head += 1;
        }
    }
    order
}

/// `Σ w (x_i − x_j)` over the links of a row.
#[derive(Clone, Copy)]
pub(crate) struct Pulls<'a> {
    first: &'a [u32],
    list: &'a [Link],
    x: &'a [Row],
    weights: &'a [f64],
}

impl Pulls<'_> {
    /// The sum for a row that is at `own`.
    #[inline(always)]
    pub fn at<V: Simd<f64>>(&self, row: usize, own: V::Vector) -> V::Vector {
        let ends = &self.first[row..row + 2];
        // SAFETY: only `Links::over` makes these; where lists end was counted, from the first on.
        let list = unsafe { self.list.get_unchecked(ends[0] as usize..ends[1] as usize) };
        // Two sums, each of which waits for itself half as often.
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
    fn add<V: Simd<f64>>(&self, link: &Link, own: V::Vector, sum: V::Vector) -> V::Vector {
        // SAFETY: as above; links were checked against two sizes, which x and weights have.
        let (x, w) = unsafe {
            (self.x.get_unchecked(link.other as usize), *self.weights.get_unchecked(link.spring as usize))
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

    /// Differences of all fours, then what pulls at all rows.
    struct Everything<'a>(Differences<'a, usize>, usize, Pulls<'a>, &'a [Row]);

    impl Work<f64> for Everything<'_> {
        type Output = (Vec<[Row; 3]>, Vec<DVec3>);
        #[inline(always)]
        fn run<V: Simd<f64>, const FUSED: bool>(self) -> Self::Output {
            let Everything(differences, fours, pulls, x) = self;
            let (mut vectors, mut sums) = (Vec::new(), Vec::new());
            for k in 0..fours {
                let (p, own) = differences.at::<V>(k);
                assert_eq!(*own, k, "something of each four");
                vectors.push([V::store(p[0]), V::store(p[1]), V::store(p[2])]);
            }
            for (row, x) in x.iter().enumerate() {
                sums.push(f64::point(&V::store(pulls.at::<V>(row, V::load(x)))));
            }
            (vectors, sums)
        }
    }

    /// Against one pair after the other, on every instruction set; the first and the last row are among the ends.
    #[test]
    fn differences_and_pulls_are_those_of_single_pairs() {
        let mut random = Random(3);
        for count in [1, 2, 3, 4, 5, 8, 30] {
            let size = 9;
            let mut pairs: Vec<[u32; 2]> =
                (0..count).map(|k| [k % size, (k + 1 + k / size) % size]).filter(|[a, b]| a != b).collect();
            pairs.push([size - 1, 0]);
            let x: Vec<DVec3> = (0..size).map(|_| random.vector()).collect();
            let rows: Vec<Row> = x.iter().map(|&x| f64::lanes(x)).collect();
            let weights: Vec<f64> = pairs.iter().map(|_| random.signed()).collect();
            let (mut sums, mut sizes) = (vec![DVec3::ZERO; x.len()], vec![0.0; x.len()]);
            for (&[a, b], w) in pairs.iter().zip(&weights) {
                let pull = *w * (x[a as usize] - x[b as usize]);
                sums[a as usize] += pull;
                sums[b as usize] -= pull;
                [a, b].into_iter().for_each(|i| sizes[i as usize] += pull.length());
            }
            let ends = || {
                (0u32..).zip(&pairs).flat_map(|(spring, &[a, b])| {
                    [(a as usize, Link { other: b, spring }), (b as usize, Link { other: a, spring })]
                })
            };
            let list = Pairs::new(&pairs, 0.., x.len());
            let links = Links::new(x.len(), ends, x.len(), pairs.len());
            for kernel in Kernel::available() {
                let all =
                    Everything(list.of(&rows), pairs.len().div_ceil(4), links.over(&rows, &weights), &rows);
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

    /// Two chains, numbered at random, and rows without pairs between theirs.
    #[test]
    fn rows_of_a_pair_are_near_each_other() {
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
