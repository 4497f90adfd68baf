//! Nested dissection: an elimination order that keeps the factor of a mesh's matrix small.
//!
//! A vertex separator splits the graph in two; each half is ordered first, by the same rule, the separator last,
//! so that no fill joins the halves (George, "Nested dissection of a regular finite element mesh", 1973).
//! A separator is first a level set of distances, then refined. Entries of the factor as shares of those with METIS
//! 5.1's order: Curtain 0.92, Frog 0.99, Dog 0.99, ball 0.94, in at most half of its time. Coarser graphs (heavy-edge
//! matching, refined on every level) in place of the search from several vertices did not pay: Frog -2 %, Dog +4 %, ball
//! +1 % and more time; only where points are strewn at random they save 4 %.
//!
//! Pieces below [`LEAF`] vertices are left to minimum degree. Deterministic; the halves may be worked on at the same
//! time, which changes nothing. Does not handle: dense rows (they end in separators, late but correct).

mod graph;
mod leaf;
mod separator;
mod sweep;

use crate::linear::{Pattern, minimum_degree};
use crate::threads::both;
use graph::Graph;
use separator::{CUT, Separator};

/// Pieces up to this size are ordered by minimum degree. With 120: 1 % less fill, 5 to 10 % more time, and solves take as
/// long.
const LEAF: usize = 200;
/// Passes of refinement to either side, at most. With half as many 3 % more entries on the Dog.
const PASSES: usize = 4;
/// A separator is dear if its square has more entries than this many per vertex of the part; then cuts are sought from so
/// many vertices. Entries of the Frog, the Dog and a ball of its size without search 0.31, 2.20, 3.30e6; from one vertex
/// 0.30, 2.13, 3.19e6; from two 0.30, 2.05, 3.19e6; from four 0.30, 2.01, 3.16e6. The order of the Dog takes 54, 66, 89
/// and 138 ms. No separator of a sheet is dear.
const DEAR: usize = 3;
const STARTS: usize = 2;
/// Vertices above which two halves are dissected at the same time.
const AT_ONCE: usize = 2000;

/// An order of the vertices by nested dissection: `order[k]` is the vertex eliminated k-th.
pub fn nested_dissection(pattern: &Pattern) -> Vec<u32> {
    let whole = Graph::new(pattern);
    let mut order = vec![0; whole.size()];
    let names = (0..whole.size() as u32).collect();
    dissect(&whole, None, names, 0, &mut order);
    order
}

/// Order a part of `whole` whose vertices are `names` (ascending) into `order`. `graph` is the part on its own,
/// unless it is the whole; `start` one of its vertices near the rim.
fn dissect(whole: &Graph, graph: Option<Graph>, names: Vec<u32>, start: u32, order: &mut [u32]) {
    let n = names.len();
    if n <= LEAF {
        return leaf::order(whole, &names, order);
    }
    let part = graph.as_ref().unwrap_or(whole);
    let (separator, far) = separator(part, start);
    let side = separator.side;
    let [a, b, cut] = separator.count;
    // Halves that are nearly the whole part (a clique, a hub) bring nothing and would recurse without end.
    if 10 * a.max(b).max(cut) > 9 * n {
        return by_degree(part, &names, order);
    }
    let (first, rest) = order.split_at_mut(a);
    let (second, last) = rest.split_at_mut(b);
    let half = |s: u8| {
        let keep: Vec<u32> = (0..n as u32).filter(|&v| side[v as usize] == s).collect();
        // The far vertex may have been drawn into the separator; then any one near its number will do.
        let start = keep.partition_point(|&v| v < far[s as usize]).min(keep.len() - 1) as u32;
        let names: Vec<u32> = keep.iter().map(|&v| names[v as usize]).collect();
        (if keep.len() <= LEAF { Graph::default() } else { part.induced(&keep) }, names, start)
    };
    let cut = names.iter().zip(&side).filter(|(_, s)| **s == CUT).map(|(&v, _)| v);
    last.iter_mut().zip(cut).for_each(|(o, v)| *o = v);
    let [(graph_a, names_a, start_a), (graph_b, names_b, start_b)] = [half(0), half(1)];
    drop((graph, names, side));
    both(
        n > AT_ONCE,
        || dissect(whole, Some(graph_a), names_a, start_a, first),
        || dissect(whole, Some(graph_b), names_b, start_b, second),
    );
}

/// A separator, and of either side a vertex far from the other. Alone it fills a square: one that is large for its part,
/// as in solids, is worth a search among other cuts, from here and from elsewhere.
fn separator(part: &Graph, start: u32) -> (Separator<'_>, [u32; 2]) {
    let n = part.size();
    let refined = |(sides, far)| {
        let mut separator = Separator::new(part, sides);
        separator.refine(PASSES);
        (separator, far)
    };
    let mut cuts = sweep::cuts(part, start).map(refined);
    let mut best = cuts.next().expect("there is always a cut");
    if best.0.count[CUT as usize].pow(2) > DEAR * n {
        let elsewhere = (1..STARTS).flat_map(|k| sweep::cuts(part, (k * n / STARTS) as u32).map(refined));
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
    // Without the memory for its own work minimum degree has no opinion: any order is correct.
    let by_degree = minimum_degree(&pattern).unwrap_or_else(|| (0..graph.size() as u32).collect());
    order.iter_mut().zip(by_degree).for_each(|(o, v)| *o = names[v as usize]);
}

#[cfg(test)]
pub(in crate::linear) mod tests;
