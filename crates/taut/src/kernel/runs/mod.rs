//! Edges in fours: four neighbours joined with four neighbours.
//!
//! Cloth and solids that were made row by row are numbered row by row, and most of their edges run in parallel:
//! i–j, i+1–j+1, … With x, y and z in lists of their own, four such edges read four neighbouring numbers at a time:
//! nothing is looked up, turned or gathered, and what the first ends of several fours add up stays in a register.
//! Diagonals alternate, so here every second particle is a neighbour: places count the even particles of a block,
//! then the odd ones (99 % of the Curtain's springs run in fours so, 80 % as they are numbered; of the animals' 76 to
//! 83 instead of 45).
//!
//! A block is a part of the work: its fours begin in it and end in it or in the next. What they add to their far ends
//! is kept apart, by part, and put together afterwards: parts can be done at the same time, and nothing depends on how
//! many are.
#![expect(unsafe_code, reason = "indices that were checked once are not checked again in every pass")]

mod planes;

use super::dispatch::Work;
use super::simd::{Row, Simd, Wide};
use planes::Places;
pub(crate) use planes::Planes;
use std::ops::Range;

/// Particles of a block, at least. Its vectors fit into the second level of cache.
const BLOCK: usize = 2048;
/// Edges that run alone are put into fours of their own where they are at most this part of all: a four costs little more
/// than one edge that has to be looked up, and then nothing has to be. Where at most this part does not run alone, none
/// is put into a four.
const FEW: f64 = 0.25;
/// Edges that may reach further than a block and its next: one in so many.
const FAR: usize = 100;

/// Four neighbouring places and their fours.
#[derive(Debug, Clone, Copy)]
struct Group {
    /// The first of the places, from the beginning of the part.
    first: u32,
    /// Where its fours end in the list of them.
    end: u32,
}

/// The fours that begin in a block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Part {
    begin: usize,
    /// Places of the block, and of the next that its fours reach.
    length: usize,
    reach: usize,
    groups: Vec<Group>,
    /// Where the far ends of a four begin, from the beginning of the part.
    others: Vec<u32>,
    /// The edges of a four, or [`Part::NONE`].
    pub edges: Vec<[u32; 4]>,
}

/// The edges of a graph, in fours as far as they go.
#[derive(Debug, Clone)]
pub(crate) struct Runs {
    places: Places,
    particles: usize,
    /// The fours, by block.
    pub parts: Vec<Part>,
    /// The edges that are in none, ascending.
    pub left: Vec<u32>,
}

/// An edge on its way into a four, in the order of fours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    group: u32,
    class: u32,
    offset: u32,
    lane: u32,
    number: u32,
}

impl Runs {
    /// For edges between so many particles; those of a four are of one class, those without a class are left out.
    pub fn new(particles: usize, edges: &[([u32; 2], Option<u32>)]) -> Self {
        let mut spans: Vec<usize> = edges.iter().map(|([a, b], _)| a.abs_diff(*b) as usize).collect();
        let usual = spans.len().saturating_sub(1 + spans.len() / FAR);
        let span = if spans.is_empty() { 0 } else { *spans.select_nth_unstable(usual).1 };
        let places =
            Places { size: particles.next_multiple_of(8), block: span.next_multiple_of(8).max(BLOCK) };
        let mut left = Vec::new();
        let mut list: Vec<Edge> = Vec::with_capacity(edges.len());
        for (number, &([a, b], class)) in (0u32..).zip(edges) {
            let (p, q) = (places.of(a as usize), places.of(b as usize));
            let (p, q) = (p.min(q), p.max(q));
            match class {
                Some(class) if q / places.block <= p / places.block + 1 => {
                    let (group, lane, offset) = ((p / 4) as u32, (p % 4) as u32, (q - p) as u32);
                    list.push(Edge { group, class, offset, lane, number });
                }
                _ => left.push(number),
            }
        }
        list.sort_unstable();
        let mut parts: Vec<Part> = places
            .blocks()
            .map(|(begin, length)| Part { begin, length, reach: length, ..Part::default() })
            .collect();
        let fours = || list.chunk_by(|a, b| (a.group, a.class, a.offset) == (b.group, b.class, b.offset));
        let alone = fours().filter(|four| four.len() == 1).count();
        let few = |count: usize| count as f64 <= FEW * edges.len() as f64;
        let fewest = match (few(alone), few(list.len() - alone)) {
            (true, _) => 1,
            (false, false) => 2,
            (false, true) => usize::MAX,
        };
        for four in fours() {
            if four.len() < fewest {
                left.extend(four.iter().map(|edge| edge.number));
            } else {
                parts[4 * four[0].group as usize / places.block].take(four, &mut left);
            }
        }
        left.sort_unstable();
        parts.iter().for_each(|part| part.check(places.size));
        Runs { places, particles, parts, left }
    }

    /// Room for points.
    pub fn planes(&self) -> Planes {
        Planes::new(self.places, self.particles)
    }
}

impl Part {
    /// In place of an edge that is not there.
    pub const NONE: u32 = u32::MAX;

    /// Make a four of edges that could share one; what does not fit in is left.
    fn take(&mut self, edges: &[Edge], left: &mut Vec<u32>) {
        let mut four = [Part::NONE; 4];
        for edge in edges {
            let lane = &mut four[edge.lane as usize];
            if *lane == Part::NONE {
                *lane = edge.number;
            } else {
                left.push(edge.number);
            }
        }
        let first = 4 * edges[0].group - self.begin as u32;
        self.edges.push(four);
        self.others.push(first + edges[0].offset);
        self.reach = self.reach.max((first + edges[0].offset) as usize + 4).next_multiple_of(4);
        let end = self.others.len() as u32;
        match self.groups.last_mut() {
            Some(group) if group.first == first => group.end = end,
            _ => self.groups.push(Group { first, end }),
        }
    }

    /// Panics unless everything its loops rely on is so.
    fn check(&self, size: usize) {
        let mut begin = 0;
        for group in &self.groups {
            assert!(group.first.is_multiple_of(4) && (group.first as usize) + 4 <= self.length, "{group:?}");
            assert!(begin <= group.end, "{group:?}");
            begin = group.end;
        }
        assert_eq!(begin as usize, self.others.len(), "groups have all fours");
        assert!(self.others.iter().all(|&other| other as usize + 4 <= self.reach), "far ends in reach");
        assert!(self.begin + self.reach <= size + 4, "reach within the planes");
    }

    /// The particles of its block, and some that are not there.
    pub fn particles(&self) -> Range<usize> {
        self.begin..self.begin + self.length
    }

    /// Room for what its fours add to their ends.
    pub fn sums(&self) -> Sums {
        Sums { near: vec![[Row::default(); 3]; self.length / 4], far: [0; 3].map(|_| vec![0.0; self.reach]) }
    }
}

/// What the fours of a part add to their first ends, by fours of places, and to their far ends.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sums {
    near: Vec<[Row; 3]>,
    far: [Vec<f64>; 3],
}

/// What is done with each four, given its vectors in N vectors of points.
pub(crate) trait PerFour<const N: usize> {
    /// Something of each four.
    type Own;
    /// Whether there are sums.
    const PULLS: bool;
    /// To be marked `#[inline(always)]`. The k-th four, what is its own, and for each vector of points its first ends
    /// less its far ends. Returns the weights of the first of those, which its ends are pulled with if there are sums.
    fn four<V: Simd<f64>>(&mut self, k: usize, own: &Self::Own, p: [[V::Vector; 3]; N]) -> V::Vector;
}

/// The fours of a part, one after the other: those with the same first ends together.
pub(crate) struct Over<'a, F: PerFour<N>, const N: usize> {
    pub part: &'a Part,
    pub points: [&'a Planes; N],
    pub own: &'a [F::Own],
    /// Where w p is added to the first ends and taken from the far ones.
    pub sums: Option<&'a mut Sums>,
    pub each: F,
}

impl<F: PerFour<N>, const N: usize> Work<f64> for Over<'_, F, N> {
    type Output = F;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> F {
        let Over { part: Part { begin, length, reach, groups, others, .. }, points, own, sums, mut each } =
            self;
        assert_eq!(own.len(), others.len(), "something for each four");
        let mut x = [[&[][..]; 3]; N];
        for (x, points) in x.iter_mut().zip(points) {
            for (x, points) in x.iter_mut().zip(&points.xyz) {
                *x = &points[*begin..begin + reach];
            }
        }
        let mut none = Sums::default();
        assert_eq!(sums.is_some(), F::PULLS, "sums where they are wanted");
        let Sums { near, far: [far_x, far_y, far_z] } = sums.unwrap_or(&mut none);
        let far = [&mut far_x[..], &mut far_y[..], &mut far_z[..]];
        if F::PULLS {
            assert!(4 * near.len() == *length && far.iter().all(|v| v.len() == *reach), "sums of this part");
        }
        let mut first_four = 0;
        for group in groups {
            let mut ends = [[V::splat(0.0); 3]; N];
            for n in 0..N {
                for c in 0..3 {
                    // SAFETY: `Part::check` has seen that groups and far ends are within the reach of the part, which
                    // is what x has, and far, if there are sums; and that the last group ends with the last four.
                    ends[n][c] = unsafe { read::<V>(x[n][c], group.first) };
                }
            }
            let mut pull = [V::splat(0.0); 3];
            for k in first_four..group.end as usize {
                // SAFETY: as above.
                let (other, own) = unsafe { (*others.get_unchecked(k), own.get_unchecked(k)) };
                let mut p = [[V::splat(0.0); 3]; N];
                for n in 0..N {
                    for c in 0..3 {
                        // SAFETY: as above.
                        p[n][c] = V::subtract(ends[n][c], unsafe { read::<V>(x[n][c], other) });
                    }
                }
                let w = each.four::<V>(k, own, p);
                if F::PULLS {
                    let less = V::subtract(V::splat(0.0), w);
                    for c in 0..3 {
                        pull[c] = V::multiply_add(w, p[0][c], pull[c]);
                        // SAFETY: as above.
                        unsafe {
                            let sum = V::multiply_add(less, p[0][c], read::<V>(far[c], other));
                            *far[c].as_mut_ptr().add(other as usize).cast() = V::store(sum).0;
                        }
                    }
                }
            }
            if F::PULLS {
                near[group.first as usize / 4] = [V::store(pull[0]), V::store(pull[1]), V::store(pull[2])];
            }
            first_four = group.end as usize;
        }
        each
    }
}

impl Sums {
    /// Forget what was added to the far ends; what is added to the first ones replaces what was there.
    pub fn clear(&mut self) {
        self.far.iter_mut().for_each(|v| v.fill(0.0));
    }
}

/// Four neighbouring numbers.
///
/// # Safety
/// They are within v.
#[inline(always)]
unsafe fn read<V: Simd<f64>>(v: &[f64], first: u32) -> V::Vector {
    V::load(&Wide(unsafe { *v.as_ptr().add(first as usize).cast() }))
}

/// What is added to the places of a block, by its own fours and by those of the block before.
#[derive(Clone, Copy)]
pub(crate) struct Summed<'a> {
    near: &'a [[Row; 3]],
    far: [&'a [f64]; 3],
    spilled: [&'a [f64]; 3],
}

impl<'a> Summed<'a> {
    pub fn new(own: &'a Sums, before: Option<&'a Sums>) -> Self {
        let beyond = |sums: &'a Sums| sums.far.each_ref().map(|v| &v[4 * sums.near.len()..]);
        let summed = Summed {
            near: &own.near,
            far: own.far.each_ref().map(|v| &v[..4 * own.near.len()]),
            spilled: before.map_or([&[][..]; 3], beyond),
        };
        let same = summed.spilled.iter().all(|v| v.len() == summed.spilled[0].len());
        assert!(same, "sums of one part");
        summed
    }

    /// Eights of particles.
    pub fn eights(&self) -> usize {
        self.near.len() / 2
    }

    /// The sums of the k-th eight particles of the block.
    #[inline(always)]
    pub fn rows<V: Simd<f64>>(&self, k: usize) -> [Row; 8] {
        let mut rows = [Row::default(); 8];
        let (even, odd) = (self.four::<V>(k), self.four::<V>(k + self.near.len() / 2));
        // SAFETY: there are eight.
        unsafe {
            V::add_to(even, &mut rows, &[0, 2, 4, 6]);
            V::add_to(odd, &mut rows, &[1, 3, 5, 7]);
        }
        rows
    }

    /// x, y and z of the sums of the k-th four places.
    #[inline(always)]
    fn four<V: Simd<f64>>(&self, k: usize) -> [V::Vector; 3] {
        let (near, place) = (&self.near[k], 4 * k);
        let mut sum = [V::load(&near[0]), V::load(&near[1]), V::load(&near[2])];
        for (sum, far) in sum.iter_mut().zip(self.far) {
            // SAFETY: `new` has made far as long as there are places, and k is one of their fours.
            *sum = V::add(*sum, unsafe { read::<V>(far, place as u32) });
        }
        if place + 4 <= self.spilled[0].len() {
            for (sum, spilled) in sum.iter_mut().zip(self.spilled) {
                // SAFETY: all three are as long as the first.
                *sum = V::add(*sum, unsafe { read::<V>(spilled, place as u32) });
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests;
