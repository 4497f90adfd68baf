//! Exact minimum degree on a small piece of a graph: always eliminate a vertex with the fewest neighbours, and make
//! its neighbours neighbours of each other.
//!
//! The neighbours of the piece outside it (its *halo*) are eliminated later, but they count in the degrees: without
//! them vertices at the edge of the piece seem to have few neighbours, are eliminated first and join everything to the
//! halo (Pellegrini, Roman and Amestoy, "Hybridizing nested dissection and halo approximate minimum degree", 2000).
//! The neighbours of a vertex are a row of bits, so eliminating is an `or` of words and degrees are exact.

use super::graph::Graph;
use crate::kernel::Simd;
use crate::kernel::{self, Kernel, Work};

/// Vertices at most, halo included.
const CAPACITY: usize = 512;
/// Places in the hash table of vertices: twice as many as vertices, so that searches are short.
const TABLE: usize = 2 * CAPACITY;

/// Write an order of the vertices `names` of `whole` (ascending) to `order`. If there is no room for all of the halo the
/// rest is left out: the order is then less good, but correct.
pub(super) fn order(whole: &Graph, names: &[u32], order: &mut [u32]) {
    let mut places = Places::new(names);
    let mut pairs = Vec::with_capacity(16 * names.len());
    for (k, &v) in (0u16..).zip(names) {
        pairs.extend(whole.neighbours(v).iter().filter_map(|&u| Some((k, places.of(u)?))));
    }
    // Most pieces of a sheet need only half the bits.
    let kernel = Kernel::detected();
    if places.count <= CAPACITY / 2 {
        kernel::run(kernel, Order::<{ CAPACITY / 128 }> { names, pairs: &pairs, order });
    } else {
        kernel::run(kernel, Order::<{ CAPACITY / 64 }> { names, pairs: &pairs, order });
    }
}

/// Small numbers for vertices: those of the piece by their place in `names`, then those of the halo as they are met.
struct Places {
    /// (vertex, its number), found by hashing; no vertex is `u32::MAX`.
    table: [(u32, u16); TABLE],
    count: usize,
}

impl Places {
    fn new(names: &[u32]) -> Self {
        let mut places = Places { table: [(u32::MAX, 0); TABLE], count: 0 };
        names.iter().for_each(|&v| assert!(places.of(v).is_some(), "a leaf fits"));
        places
    }

    /// The number of a vertex. A vertex without one gets the next number; `None` if there are no more.
    #[inline]
    fn of(&mut self, v: u32) -> Option<u16> {
        let mut at = (v.wrapping_mul(0x9e37_79b9) >> 22) as usize % TABLE;
        while self.table[at].0 != v {
            if self.table[at].0 == u32::MAX {
                if self.count == CAPACITY {
                    return None;
                }
                self.table[at] = (v, self.count as u16);
                self.count += 1;
                break;
            }
            at = (at + 1) % TABLE;
        }
        Some(self.table[at].1)
    }
}

struct Order<'a, const WORDS: usize> {
    names: &'a [u32],
    /// A vertex of the piece and a neighbour of it.
    pairs: &'a [(u16, u16)],
    order: &'a mut [u32],
}

impl<const WORDS: usize> Work<f64> for Order<'_, WORDS> {
    type Output = ();
    #[inline(always)]
    fn run<V: Simd<f64>, const FUSED: bool>(self) {
        let n = self.names.len();
        let mut adjacent = vec![[0u64; WORDS]; n];
        for &(k, u) in self.pairs {
            adjacent[k as usize][u as usize / 64] |= 1 << (u % 64);
        }
        // Eliminated vertices get the largest degree, so that they are never chosen.
        let mut degree: Vec<u16> = adjacent.iter().map(count).collect();
        for out in self.order {
            let least = degree.iter().fold(u16::MAX, |least, &d| least.min(d));
            let v = degree.iter().position(|&d| d == least).expect("the least is there");
            degree[v] = u16::MAX;
            *out = self.names[v];
            let mut clique = adjacent[v];
            clique[v / 64] |= 1 << (v % 64);
            for (k, &word) in clique.iter().enumerate() {
                let mut word = word;
                while word != 0 {
                    let u = 64 * k + word.trailing_zeros() as usize;
                    word &= word - 1;
                    if u >= n {
                        break;
                    }
                    if degree[u] == u16::MAX {
                        continue;
                    }
                    let row = &mut adjacent[u];
                    (0..WORDS).for_each(|w| row[w] |= clique[w]);
                    row[u / 64] &= !(1 << (u % 64));
                    row[v / 64] &= !(1 << (v % 64));
                    degree[u] = count(row);
                }
            }
        }
    }
}

#[inline(always)]
fn count<const WORDS: usize>(bits: &[u64; WORDS]) -> u16 {
    bits.iter().map(|w| w.count_ones() as u16).sum()
}
