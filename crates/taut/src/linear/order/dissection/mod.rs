//! Nested dissection: an elimination order that keeps the factor of a mesh's matrix small.
//!
//! A *separator* is a set of vertices without which the graph falls into two halves. Each half is ordered first, by the
//! same rule, and the separator last: so the factor has no entry between the halves (George, "Nested dissection of a
//! regular finite element mesh", 1973). A separator is first found as a level set of distances (`sweep`), then refined
//! (`separator`); pieces of at most [`LEAF`] vertices are ordered by minimum degree (`leaf`).
//!
//! The factors of Curtain, Frog, Dog and ball have 0.92, 0.99, 0.99 and 0.94 times as many entries as with the order of
//! METIS 5.1, found in at most half of its time. A multilevel search (heavy-edge matching, refined on every level) in place
//! of the search from several vertices did not pay: entries of the Frog −2 %, Dog +4 %, ball +1 %, and more time; only for
//! points placed at random it saved 4 %.
//!
//! Deterministic: the halves may be worked on at the same time, which does not change the order. Does not handle: dense
//! rows (they end in separators, which costs time but is correct).

mod graph;
mod leaf;
mod separator;
mod sweep;

use crate::linear::{Pattern, minimum_degree};
use crate::threads::both;
use graph::Graph;
use separator::{CUT, Separator};

/// Pieces up to this size are ordered by minimum degree. With 120 the factor has 1 % fewer entries, ordering takes 5 to
/// 10 % longer, and solves take as long.
const LEAF: usize = 200;
/// Passes of refinement to each side, at most. With half of them the Dog has 3 % more entries.
const PASSES: usize = 4;
/// A separator of c vertices makes c² entries. If that is more than this many per vertex of the piece, a better separator is
/// searched for, from [`STARTS`] vertices. That happens in solids, never in sheets.
const EXPENSIVE: usize = 3;
/// Vertices from which cuts are searched for. Entries of the Frog, the Dog and a ball of its size without search: 0.31, 2.20,
/// 3.30e6; from one vertex 0.30, 2.13, 3.19e6; from two 0.30, 2.05, 3.19e6; from four 0.30, 2.01, 3.16e6. The order of the
/// Dog takes 54, 66, 89 and 138 ms.
const STARTS: usize = 2;
/// Vertices above which the two halves are dissected at the same time.
const AT_ONCE: usize = 2000;

/// An order of the vertices by nested dissection: `order[k]` is the vertex eliminated k-th.
pub fn nested_dissection(pattern: &Pattern) -> Vec<u32> {
    dissected(pattern).0
}

/// The same, and the number of vertices of its largest separator.
pub(super) fn dissected(pattern: &Pattern) -> (Vec<u32>, usize) {
    let whole = Graph::new(pattern);
    let mut order = vec![0; whole.size()];
    let names = (0..whole.size() as u32).collect();
    let largest = dissect(&whole, None, names, 0, &mut order);
    (order, largest)
}

/// Order a piece of the graph `whole` and write it to `order`. `names` are its vertices in `whole`, ascending; `graph` is
/// the piece with its vertices numbered 0, 1, …, or `None` if it is the whole; `start` is a vertex near the edge of
/// the piece. Returns the size of the largest separator.
fn dissect(whole: &Graph, graph: Option<Graph>, names: Vec<u32>, start: u32, order: &mut [u32]) -> usize {
    let n = names.len();
    if n <= LEAF {
        leaf::order(whole, &names, order);
        return 0;
    }
    let piece = graph.as_ref().unwrap_or(whole);
    let (separator, far) = separator(piece, start);
    let side = separator.side;
    let [a, b, cut] = separator.count;
    // Where a half is nearly the whole piece (a clique, a hub) dissection gains nothing and would recurse without end.
    if 10 * a.max(b).max(cut) > 9 * n {
        by_degree(piece, &names, order);
        return 0;
    }
    let (first, rest) = order.split_at_mut(a);
    let (second, last) = rest.split_at_mut(b);
    let half = |s: u8| {
        let keep: Vec<u32> = (0..n as u32).filter(|&v| side[v as usize] == s).collect();
        // If the far vertex is in the separator now, the next number will do.
        let start = keep.partition_point(|&v| v < far[s as usize]).min(keep.len() - 1) as u32;
        let names: Vec<u32> = keep.iter().map(|&v| names[v as usize]).collect();
        (if keep.len() <= LEAF { Graph::default() } else { piece.induced(&keep) }, names, start)
    };
    let own = cut;
    let cut = names.iter().zip(&side).filter(|(_, s)| **s == CUT).map(|(&v, _)| v);
    last.iter_mut().zip(cut).for_each(|(o, v)| *o = v);
    let [(graph_a, names_a, start_a), (graph_b, names_b, start_b)] = [half(0), half(1)];
    drop((graph, names, side));
    let (a, b) = both(
        n > AT_ONCE,
        || dissect(whole, Some(graph_a), names_a, start_a, first),
        || dissect(whole, Some(graph_b), names_b, start_b, second),
    );
    own.max(a).max(b)
}

/// A separator of a piece, and in each half a vertex far from the other half. If the first separator is [`EXPENSIVE`] the
/// best of several is taken: from other level sets, and from other starts.
fn separator(piece: &Graph, start: u32) -> (Separator<'_>, [u32; 2]) {
    let n = piece.size();
    let refined = |(sides, far)| {
        let mut separator = Separator::new(piece, sides);
        separator.refine(PASSES);
        (separator, far)
    };
    let mut cuts = sweep::cuts(piece, start).map(refined);
    let mut best = cuts.next().expect("there is always a cut");
    if best.0.count[CUT as usize].pow(2) > EXPENSIVE * n {
        let elsewhere = (1..STARTS).flat_map(|k| sweep::cuts(piece, (k * n / STARTS) as u32).map(refined));
        for other in cuts.chain(elsewhere) {
            if other.0.cost() < best.0.cost() {
                best = other;
            }
        }
    }
    best
}

/// Approximate minimum degree, for pieces that have no good separator.
fn by_degree(graph: &Graph, names: &[u32], order: &mut [u32]) {
    let edges = (0..graph.size() as u32).flat_map(|v| graph.neighbours(v).iter().map(move |&u| [v, u]));
    let (pattern, _) = Pattern::new(graph.size(), edges.filter(|[v, u]| v < u));
    // Minimum degree fails where memory does not suffice. Any order is correct: then vertices are eliminated by number.
    let by_degree = minimum_degree(&pattern).unwrap_or_else(|| (0..graph.size() as u32).collect());
    order.iter_mut().zip(by_degree).for_each(|(o, v)| *o = names[v as usize]);
}

#[cfg(test)]
pub(in crate::linear) mod tests;
