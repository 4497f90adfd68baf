//! Exact minimum degree on a small piece of a graph, its surroundings included.
//!
//! The neighbours of the piece outside it (its halo) are eliminated later, but they count in the degrees: without
//! them the rim of the piece looks cheap, is eliminated first and ties everything to the halo (Pellegrini, Roman
//! and Amestoy, "Hybridizing nested dissection and halo approximate minimum degree", 2000). Adjacency is a row of
//! bits per vertex, so eliminating is or-ing words and degrees are exact.

use super::graph::Graph;

const WORDS: usize = 8;
/// Vertices that fit, halo included.
const CAPACITY: usize = 64 * WORDS;

type Bits = [u64; WORDS];

/// Write an order of the vertices `names` (ascending, a part of `whole`) to `order`. Halo that does not fit is
/// left out, which costs quality only.
pub(super) fn order(whole: &Graph, names: &[u32], order: &mut [u32]) {
    let mut adjacent = adjacency(whole, names);
    let mut degree: Vec<u32> = adjacent.iter().map(count).collect();
    let mut left: Vec<u16> = (0..names.len() as u16).collect();
    for out in order {
        let cheapest = (0..left.len()).min_by_key(|&k| degree[left[k] as usize]).expect("as many as names");
        let v = left.remove(cheapest) as usize;
        *out = names[v];
        let clique = adjacent[v];
        for u in members(&clique).take_while(|&u| u < names.len()) {
            let row = &mut adjacent[u];
            (0..WORDS).for_each(|w| row[w] |= clique[w]);
            row[u / 64] &= !(1 << (u % 64));
            row[v / 64] &= !(1 << (v % 64));
            degree[u] = count(row);
        }
    }
}

/// Neighbours of every vertex of the piece: its own vertices by place in `names`, then the halo as it is met.
fn adjacency(whole: &Graph, names: &[u32]) -> Vec<Bits> {
    let mut halo = Vec::new();
    let mut adjacent = vec![[0; WORDS]; names.len()];
    for (row, &v) in adjacent.iter_mut().zip(names) {
        for &u in whole.neighbours(v) {
            let place = names.binary_search(&u).unwrap_or_else(|_| {
                let known = halo.iter().position(|&h| h == u).unwrap_or_else(|| {
                    halo.push(u);
                    halo.len() - 1
                });
                names.len() + known
            });
            if place < CAPACITY {
                row[place / 64] |= 1 << (place % 64);
            }
        }
    }
    adjacent
}

fn count(bits: &Bits) -> u32 {
    bits.iter().map(|w| w.count_ones()).sum()
}

/// Members in ascending order.
fn members(bits: &Bits) -> impl Iterator<Item = usize> {
    bits.iter().enumerate().flat_map(|(k, &word)| {
        let mut word = word;
        std::iter::from_fn(move || {
            (word != 0).then(|| {
                let bit = word.trailing_zeros() as usize;
                word &= word - 1;
                64 * k + bit
            })
        })
    })
}
