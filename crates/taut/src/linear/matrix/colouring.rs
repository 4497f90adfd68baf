//! Edge colouring of a graph: edges of one colour share no vertex, so that a Gauss–Seidel pass may visit them in any
//! order, or all at once, with the same result.
//!
//! Greedy: each edge, in the order given, takes the first colour that is free at both its ends. That needs at most
//! twice the largest degree, and depends on nothing but the order. Does not handle: balancing the colours.

/// Edges sorted by colour.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Colouring {
    /// Numbers of the edges, colour after colour, ascending within each.
    pub edges: Vec<u32>,
    /// Where each colour ends in `edges`.
    pub ends: Vec<usize>,
}

impl Colouring {
    /// Colour the graph with `n` vertices and these edges.
    pub fn new(n: usize, edges: impl Iterator<Item = [u32; 2]>) -> Self {
        // One bit per colour in use at each vertex.
        let mut used: Vec<Vec<u64>> = vec![Vec::new(); n];
        let mut colours = Vec::new();
        for [a, b] in edges {
            let colour = first_free(&used[a as usize], &used[b as usize]);
            for vertex in [a, b] {
                let words = &mut used[vertex as usize];
                words.resize(words.len().max(colour / 64 + 1), 0);
                words[colour / 64] |= 1 << (colour % 64);
            }
            colours.push(colour as u32);
        }
        let mut order: Vec<u32> = (0..colours.len() as u32).collect();
        order.sort_by_key(|&e| colours[e as usize]);
        let last = |w: &[u32]| colours[w[0] as usize] != colours[w[1] as usize];
        let inner = order.windows(2).enumerate().filter(|(_, w)| last(w)).map(|(i, _)| i + 1);
        let ends = inner.chain((!order.is_empty()).then_some(order.len())).collect();
        Colouring { edges: order, ends }
    }
}

/// The first bit that is set in neither.
fn first_free(a: &[u64], b: &[u64]) -> usize {
    let word = |i: usize| a.get(i).unwrap_or(&0) | b.get(i).unwrap_or(&0);
    let i = (0..).find(|&i| word(i) != u64::MAX).expect("words past the end are empty");
    64 * i + word(i).trailing_ones() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every edge once, no vertex twice within a colour.
    fn proper(n: usize, edges: &[[u32; 2]]) -> Colouring {
        let colouring = Colouring::new(n, edges.iter().copied());
        let mut seen = vec![false; edges.len()];
        let mut from = 0;
        for &to in &colouring.ends {
            let mut met = vec![false; n];
            for &e in &colouring.edges[from..to] {
                assert!(!std::mem::replace(&mut seen[e as usize], true));
                edges[e as usize]
                    .iter()
                    .for_each(|&v| assert!(!std::mem::replace(&mut met[v as usize], true)));
            }
            from = to;
        }
        assert_eq!(from, edges.len());
        assert!(seen.iter().all(|&s| s));
        colouring
    }

    #[test]
    fn edges_of_a_colour_share_no_vertex() {
        assert_eq!(proper(3, &[]).ends, Vec::<usize>::new());
        let ring: Vec<[u32; 2]> = (0..10).map(|i| [i, (i + 1) % 10]).collect();
        assert_eq!(proper(10, &ring).ends.len(), 2);
        // A star needs one colour per edge, past one word of bits.
        let star: Vec<[u32; 2]> = (1..200).map(|i| [0, i]).collect();
        assert_eq!(proper(200, &star).ends.len(), 199);
        let mut bits = 1u64;
        let mut next = |n: u64| {
            bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((bits >> 33) % n) as u32
        };
        let mut tangle: Vec<[u32; 2]> = (0..2000).map(|_| [next(100), next(100)]).collect();
        tangle.retain(|[a, b]| a != b);
        let degree = |v: u32| tangle.iter().filter(|e| e.contains(&v)).count();
        let most = (0..100).map(degree).max().unwrap();
        assert!(proper(100, &tangle).ends.len() < 2 * most);
    }
}
