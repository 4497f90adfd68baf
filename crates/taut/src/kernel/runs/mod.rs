//! Sums over the edges of a graph, four edges at a time and without looking up their ends.
//!
//! Vertices that were made row by row, as those of a grid are, are numbered row by row, and most of their edges are
//! parallel: i–j, i+1–j+1, i+2–j+2, … Such a sequence is a **run**. Four edges of a run read four neighbouring numbers
//! at either end, which is one vector load each:
//!
//! ```text
//! first ends     8    9   10   11      four neighbouring places, the first a multiple of four
//!                 \    \    \    \
//! far ends        13   14   15   16    four neighbouring places, all the same offset (here 5) further on
//! ```
//!
//! * **Four**: such edges, at most four, one per lane of a vector. A lane may be empty ([`Section::NONE`]).
//! * **Group**: four first ends and all fours that begin there. Their points are loaded once, and what is added to them
//!   stays in registers until the last four of the group is done.
//! * **Place**: where a vertex stands in the arrays. Diagonals of a grid often alternate, so that every second one is
//!   parallel; therefore a section has its even vertices first, then its odd ones:
//!
//! ```text
//! vertex   0   1   2   3   4   5   6   7
//! place    0   4   1   5   2   6   3   7
//! ```
//!
//!   This puts 99 % of the edges of a grid with alternating diagonals into fours, against 80 % with places in the order of
//!   vertices; of tet meshes 76 to 83 % against 45 %.
//! * **Planes**: points by place, all x in one array, all y in another, all z in a third ([`Planes`]).
//! * **Section**: neighbouring vertices, 2048 or more, and the fours that begin there. Their far ends are in the same
//!   section or the next. A section is the work of one thread. What its fours add to their far ends is kept in arrays
//!   of the section and put together afterwards ([`Summed`]), always in the same order: the result does not depend on
//!   how many threads there are.
//!
//! Edges that fit into no four are listed ([`Runs::left`]); `incidence` is for them.
#![expect(unsafe_code, reason = "indices that were checked once are not checked again in every pass")]

mod planes;

use super::dispatch::Work;
use super::simd::{Four, Simd, Wide};
use planes::Places;
pub(crate) use planes::Planes;
use std::ops::Range;

/// Vertices of a section, at least: its planes fit into the second level of cache.
const SHORTEST: usize = 2048;
/// The share of all edges that counts as few. A lone edge is one whose four would have no other edge; such a four takes
/// little longer than looking up the ends of one edge.
///
/// * If lone edges are few, each gets a four, and no edge has to be looked up.
/// * If edges that are not lone are few, there are no fours at all.
/// * Otherwise lone edges are left over.
const FEW: f64 = 0.25;
/// Sections are so long that at most one edge in this many could reach beyond the next section.
const FAR: usize = 100;

/// Four neighbouring places and the fours that begin there.
#[derive(Debug, Clone, Copy)]
struct Group {
    /// The first of the places, counted from the beginning of the section.
    first: u32,
    /// The end of its fours in the list of the section's fours; they begin where those of the group before end.
    end: u32,
}

/// Neighbouring vertices and the fours that begin there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Section {
    /// Its first place, which is its first vertex too.
    begin: usize,
    /// How many places it has.
    length: usize,
    /// How many places its fours reach, from `begin` on: `length`, and some of the next section.
    reach: usize,
    groups: Vec<Group>,
    /// For each four the first of its far ends, counted from the beginning of the section.
    others: Vec<u32>,
    /// For each four the numbers of its edges; [`Section::NONE`] in empty lanes.
    pub edges: Vec<[u32; 4]>,
}

/// The edges of a graph, in fours where possible.
#[derive(Debug, Clone)]
pub(crate) struct Runs {
    places: Places,
    vertices: usize,
    pub sections: Vec<Section>,
    /// Numbers of the edges that are in no four, ascending.
    pub left: Vec<u32>,
}

/// An edge that may become part of a four. Sorted by their keys, those of one four follow each other.
#[derive(Clone, Copy)]
struct Edge {
    /// Place of the nearer end: 4 group + lane. The far end is `offset` places further on.
    group: u32,
    class: u32,
    offset: u32,
    lane: u32,
    number: u32,
}

impl Edge {
    /// Group, class, offset, lane and number in this order: 30, 32, 32, 2 and 32 bits.
    fn key(&self) -> u128 {
        let Edge { group, class, offset, lane, number } = *self;
        let low = u128::from(offset) << 34 | u128::from(lane) << 32 | u128::from(number);
        u128::from(group) << 98 | u128::from(class) << 66 | low
    }
}

impl Runs {
    /// For edges between `vertices` vertices, each with its class. All edges of a four have the same class; an edge
    /// without a class is in no four.
    pub fn new(vertices: usize, edges: &[([u32; 2], Option<u32>)]) -> Self {
        let mut spans: Vec<usize> = edges.iter().map(|([a, b], _)| a.abs_diff(*b) as usize).collect();
        let usual = spans.len().saturating_sub(1 + spans.len() / FAR);
        let span = if spans.is_empty() { 0 } else { *spans.select_nth_unstable(usual).1 };
        let places =
            Places { size: vertices.next_multiple_of(8), section: span.next_multiple_of(8).max(SHORTEST) };
        let mut left = Vec::new();
        let mut list: Vec<Edge> = Vec::with_capacity(edges.len());
        for (number, &([a, b], class)) in (0u32..).zip(edges) {
            let (p, q) = (places.of(a as usize), places.of(b as usize));
            let (p, q) = (p.min(q), p.max(q));
            match class {
                Some(class) if q / places.section <= p / places.section + 1 => {
                    let (group, lane, offset) = ((p / 4) as u32, (p % 4) as u32, (q - p) as u32);
                    list.push(Edge { group, class, offset, lane, number });
                }
                _ => left.push(number),
            }
        }
        list.sort_unstable_by_key(Edge::key);
        let mut sections: Vec<Section> = places
            .sections()
            .map(|(begin, length)| Section { begin, length, reach: length, ..Section::default() })
            .collect();
        let fours = || list.chunk_by(|a, b| (a.group, a.class, a.offset) == (b.group, b.class, b.offset));
        let lone = fours().filter(|four| four.len() == 1).count();
        let few = |count: usize| count as f64 <= FEW * edges.len() as f64;
        // Fewest edges that make a four.
        let fewest = match (few(lone), few(list.len() - lone)) {
            (true, _) => 1,
            (false, false) => 2,
            (false, true) => usize::MAX,
        };
        for four in fours() {
            if four.len() < fewest {
                left.extend(four.iter().map(|edge| edge.number));
            } else {
                sections[4 * four[0].group as usize / places.section].take(four, &mut left);
            }
        }
        left.sort_unstable();
        sections.iter().for_each(|section| section.check(places.size));
        Runs { places, vertices, sections, left }
    }

    /// Room for one point per vertex.
    pub fn planes(&self) -> Planes {
        Planes::new(self.places, self.vertices)
    }
}

impl Section {
    /// Stands in a lane without an edge.
    pub const NONE: u32 = u32::MAX;

    /// Make a four of edges with the same group, class and offset. Of two edges with the same ends one is left over.
    fn take(&mut self, edges: &[Edge], left: &mut Vec<u32>) {
        let mut four = [Section::NONE; 4];
        for edge in edges {
            let lane = &mut four[edge.lane as usize];
            if *lane == Section::NONE {
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

    /// Panics unless all indices are in range: the loops do not check them again.
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

    /// Its vertices. The end of the last section is a multiple of eight and may be beyond the last vertex.
    pub fn vertices(&self) -> Range<usize> {
        self.begin..self.begin + self.length
    }

    /// Room for what its fours add to their ends.
    pub fn sums(&self) -> Sums {
        Sums { near: vec![[Four::default(); 3]; self.length / 4], far: [0; 3].map(|_| vec![0.0; self.reach]) }
    }
}

/// What the fours of a section add to their ends: to the first ends by group, to the far ends by place; x, y and z apart.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sums {
    near: Vec<[Four; 3]>,
    far: [Vec<f64>; 3],
}

/// What to do with one four after another. N is the number of planes that are read: positions, for example, and a
/// direction.
pub(crate) trait PerFour<const N: usize> {
    /// What is stored with every four, say the coefficients of its edges.
    type Data;
    /// Whether `w p` is added up at the ends of the edges.
    const SUMS: bool;
    /// Called for the k-th four of a section, with its data and, for each of the N planes, the differences `p` of first
    /// ends and far ends: x, y and z, one lane per edge. Returns the weights w of its edges, which count if `SUMS`.
    /// To be marked `#[inline(always)]`.
    fn four<V: Simd<f64>>(&mut self, k: usize, data: &Self::Data, p: [[V::Vector; 3]; N]) -> V::Vector;
}

/// The work of calling [`PerFour::four`] for all fours of a section, group by group.
pub(crate) struct EachFour<'a, F: PerFour<N>, const N: usize> {
    pub section: &'a Section,
    pub points: [&'a Planes; N],
    /// For each four.
    pub data: &'a [F::Data],
    /// `w p` is added to the first ends and subtracted from the far ends, p in the first of the planes. Given if and
    /// only if [`PerFour::SUMS`].
    pub sums: Option<&'a mut Sums>,
    pub each: F,
}

impl<F: PerFour<N>, const N: usize> Work<f64> for EachFour<'_, F, N> {
    type Output = F;
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) -> F {
        let EachFour { section, points, data, sums, mut each } = self;
        let Section { begin, length, reach, groups, others, .. } = section;
        assert_eq!(data.len(), others.len(), "data for each four");
        let mut x = [[&[][..]; 3]; N];
        for (x, points) in x.iter_mut().zip(points) {
            for (x, points) in x.iter_mut().zip(&points.xyz) {
                *x = &points[*begin..begin + reach];
            }
        }
        let mut none = Sums::default();
        assert_eq!(sums.is_some(), F::SUMS, "sums where they are wanted");
        let Sums { near, far: [far_x, far_y, far_z] } = sums.unwrap_or(&mut none);
        let far = [&mut far_x[..], &mut far_y[..], &mut far_z[..]];
        if F::SUMS {
            assert!(
                4 * near.len() == *length && far.iter().all(|v| v.len() == *reach),
                "sums of this section"
            );
        }
        let mut first_four = 0;
        for group in groups {
            let mut ends = [[V::splat(0.0); 3]; N];
            for n in 0..N {
                for c in 0..3 {
                    // SAFETY: `Section::check` has seen that groups and far ends are within the reach of the section,
                    // which is the length of x and, if there are sums, of far; and that the last group ends with
                    // the last four.
                    ends[n][c] = unsafe { read::<V>(x[n][c], group.first) };
                }
            }
            let mut near_sum = [V::splat(0.0); 3];
            for k in first_four..group.end as usize {
                // SAFETY: as above.
                let (other, data) = unsafe { (*others.get_unchecked(k), data.get_unchecked(k)) };
                let mut p = [[V::splat(0.0); 3]; N];
                for n in 0..N {
                    for c in 0..3 {
                        // SAFETY: as above.
                        p[n][c] = V::subtract(ends[n][c], unsafe { read::<V>(x[n][c], other) });
                    }
                }
                let w = each.four::<V>(k, data, p);
                if F::SUMS {
                    let minus_w = V::subtract(V::splat(0.0), w);
                    for c in 0..3 {
                        near_sum[c] = V::multiply_add(w, p[0][c], near_sum[c]);
                        // SAFETY: as above.
                        unsafe {
                            let sum = V::multiply_add(minus_w, p[0][c], read::<V>(far[c], other));
                            *far[c].as_mut_ptr().add(other as usize).cast() = V::store(sum).0;
                        }
                    }
                }
            }
            if F::SUMS {
                near[group.first as usize / 4] =
                    [V::store(near_sum[0]), V::store(near_sum[1]), V::store(near_sum[2])];
            }
            first_four = group.end as usize;
        }
        each
    }
}

impl Sums {
    /// Before a new pass: set the sums of far ends to zero. Those of first ends are overwritten by the pass.
    pub fn clear(&mut self) {
        self.far.iter_mut().for_each(|v| v.fill(0.0));
    }
}

/// The four numbers from `first` on.
///
/// # Safety
/// v has them.
#[inline(always)]
unsafe fn read<V: Simd<f64>>(v: &[f64], first: u32) -> V::Vector {
    V::load(&Wide(unsafe { *v.as_ptr().add(first as usize).cast() }))
}

/// The whole sums of a section's vertices: from its fours, and from those of the section before that end here.
#[derive(Clone, Copy)]
pub(crate) struct Summed<'a> {
    near: &'a [[Four; 3]],
    far: [&'a [f64]; 3],
    /// Of the section before, from the first place of this section on.
    from_before: [&'a [f64]; 3],
}

impl<'a> Summed<'a> {
    /// From the sums of a section and of the section before.
    pub fn new(own: &'a Sums, before: Option<&'a Sums>) -> Self {
        let beyond = |sums: &'a Sums| sums.far.each_ref().map(|v| &v[4 * sums.near.len()..]);
        let summed = Summed {
            near: &own.near,
            far: own.far.each_ref().map(|v| &v[..4 * own.near.len()]),
            from_before: before.map_or([&[][..]; 3], beyond),
        };
        let same = summed.from_before.iter().all(|v| v.len() == summed.from_before[0].len());
        assert!(same, "sums of one section");
        summed
    }

    /// How many times eight vertices the section has.
    pub fn eights(&self) -> usize {
        self.near.len() / 2
    }

    /// The sums of the k-th eight vertices of the section, as points: four even places and four odd ones.
    #[inline(always)]
    pub fn eight<V: Simd<f64>>(&self, k: usize) -> [Four; 8] {
        let mut points = [Four::default(); 8];
        let (even, odd) = (self.four::<V>(k), self.four::<V>(k + self.near.len() / 2));
        // SAFETY: there are eight points.
        unsafe {
            V::add_to(even, &mut points, &[0, 2, 4, 6]);
            V::add_to(odd, &mut points, &[1, 3, 5, 7]);
        }
        points
    }

    /// x, y and z of the sums of the k-th four places.
    #[inline(always)]
    fn four<V: Simd<f64>>(&self, k: usize) -> [V::Vector; 3] {
        let (near, place) = (&self.near[k], 4 * k);
        let mut sum = [V::load(&near[0]), V::load(&near[1]), V::load(&near[2])];
        for (sum, far) in sum.iter_mut().zip(self.far) {
            // SAFETY: `new` has made far as long as the section has places, four for every entry of near.
            *sum = V::add(*sum, unsafe { read::<V>(far, place as u32) });
        }
        if place + 4 <= self.from_before[0].len() {
            for (sum, far) in sum.iter_mut().zip(self.from_before) {
                // SAFETY: all three are as long as the first.
                *sum = V::add(*sum, unsafe { read::<V>(far, place as u32) });
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests;
