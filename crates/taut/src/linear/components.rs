//! Connected components of a graph, by union-find with path halving: O(n) in practice.

/// Which component every vertex belongs to, numbered by first vertex.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Components {
    /// Component of each vertex.
    pub of: Vec<u32>,
    /// Number of components.
    pub count: usize,
}

impl Components {
    /// Components of the graph with `n` vertices and these edges.
    pub fn new(n: usize, edges: impl Iterator<Item = [u32; 2]>) -> Self {
        let mut parent: Vec<u32> = (0..n as u32).collect();
        for [a, b] in edges {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            // The smaller index wins, so that numbering does not depend on the order of the edges.
            parent[a.max(b) as usize] = a.min(b);
        }
        let mut of = vec![0; n];
        let mut count = 0;
        for i in 0..n {
            let r = root(&mut parent, i as u32) as usize;
            of[i] = if r == i { count } else { of[r] };
            count += u32::from(r == i);
        }
        Components { of, count: count as usize }
    }
}

fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        let grandparent = parent[parent[i as usize] as usize];
        parent[i as usize] = grandparent;
        i = grandparent;
    }
    i
}
