//! Nested dissection: an elimination order that keeps the factor of a mesh's matrix small.
//!
//! A vertex separator splits the graph in two; each half is ordered first, by the same rule, the separator last,
//! so that no fill joins the halves (George, "Nested dissection of a regular finite element mesh", 1973). A
//! separator is found on a coarse copy of the graph and refined on the way back (Karypis and Kumar, 1998).
//! Pieces below [`LEAF`] vertices are left to minimum degree. Deterministic; the halves may be worked on at the
//! same time, which changes nothing. Does not handle: dense rows (they end in separators, late but correct).

mod graph;
mod leaf;
mod separator;

use super::Pattern;
use super::cholesky::minimum_degree;
use graph::{Graph, Random};
use separator::{CUT, Separator};

/// Pieces up to this size are ordered by minimum degree. Of 120 and 200 on the Curtain: 1 % more fill, a third less time.
const LEAF: usize = 200;
/// Coarsening stops here.
const COARSEST: usize = 100;
/// Separators grown on the coarsest graph, of which the best is kept.
const TRIES: usize = 4;

/// An order of the vertices by nested dissection: `order[k]` is the vertex eliminated k-th.
pub fn nested_dissection(pattern: &Pattern) -> Vec<u32> {
    let n = pattern.size();
    let mut order = vec![0; n];
    let whole = Graph::new(pattern);
    dissect(&whole, whole.clone(), (0..n as u32).collect(), &mut order);
    order
}

/// Order `graph`, whose vertices have the names `names` (ascending) in `whole`, into `order`.
fn dissect(whole: &Graph, graph: Graph, names: Vec<u32>, order: &mut [u32]) {
    let n = graph.size();
    if n <= LEAF {
        return leaf::order(whole, &names, order);
    }
    let [a, b, cut] = split(&graph);
    // Halves that are nearly the whole graph (a clique, a hub) bring nothing and would recurse without end.
    if 10 * a.len().max(b.len()).max(cut.len()) > 9 * n {
        return by_degree(&graph, &names, order);
    }
    let named = |part: &[u32]| -> Vec<u32> { part.iter().map(|&v| names[v as usize]).collect() };
    let (first, rest) = order.split_at_mut(a.len());
    let (second, last) = rest.split_at_mut(b.len());
    last.copy_from_slice(&named(&cut));
    let mut place = vec![0; n];
    let halves = [&a, &b].map(|part| (graph.induced(part, &mut place), named(part)));
    drop((graph, names, place));
    let [(graph_a, names_a), (graph_b, names_b)] = halves;
    both(n, || dissect(whole, graph_a, names_a, first), || dissect(whole, graph_b, names_b, second));
}

/// Run two pieces of work on a graph of `n` vertices, at the same time if that pays.
fn both(n: usize, a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    #[cfg(feature = "threads")]
    if n > 2000 {
        rayon::join(a, b);
        return;
    }
    let _ = n;
    a();
    b();
}

/// Approximate minimum degree, for pieces that have no good separator.
fn by_degree(graph: &Graph, names: &[u32], order: &mut [u32]) {
    let edges = (0..graph.size() as u32).flat_map(|v| graph.neighbours(v).iter().map(move |&u| [v, u]));
    let (pattern, _) = Pattern::new(graph.size(), edges.filter(|[v, u]| v < u));
    // Without the memory for its own work minimum degree has no opinion: any order is correct.
    let by_degree = minimum_degree(&pattern).unwrap_or_else(|| (0..graph.size() as u32).collect());
    order.iter_mut().zip(by_degree).for_each(|(o, v)| *o = names[v as usize]);
}

/// The two sides and the separator.
fn split(graph: &Graph) -> [Vec<u32>; 3] {
    let side = separate(graph, &mut Random(graph.size() as u64));
    let mut parts: [Vec<u32>; 3] = Default::default();
    (0u32..).zip(&side).for_each(|(v, &s)| parts[s as usize].push(v));
    parts
}

/// A side for every vertex: separate the coarse graph, carry its sides over, refine.
fn separate(graph: &Graph, random: &mut Random) -> Vec<u8> {
    let total: u64 = graph.weight.iter().map(|&w| u64::from(w)).sum();
    let heaviest = (3 * total / (2 * COARSEST as u64)).max(2) as u32;
    if graph.size() > COARSEST {
        let (coarse, map) = graph.coarsened(heaviest, random);
        if 20 * coarse.size() < 19 * graph.size() {
            let coarse_side = separate(&coarse, random);
            let side = map.iter().map(|&c| coarse_side[c as usize]).collect();
            let mut separator = Separator::new(graph, side);
            separator.refine(4);
            return separator.side;
        }
    }
    let grow = |_| {
        let mut separator = Separator::grown(graph, random);
        separator.refine(3);
        (separator.cost(), separator.side)
    };
    let best = (0..TRIES).map(grow).min_by_key(|(cost, _)| *cost);
    best.map_or_else(|| vec![CUT; graph.size()], |(_, side)| side)
}

#[cfg(test)]
pub(super) mod tests;
