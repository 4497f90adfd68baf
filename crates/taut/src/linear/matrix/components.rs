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
        let mut components = Components::default();
        components.find(n, edges);
        components
    }

    /// The same in place, without allocating if the graph is no larger than the last one.
    pub fn find(&mut self, n: usize, edges: impl Iterator<Item = [u32; 2]>) {
        let parent = &mut self.of;
        parent.clear();
        parent.extend(0..n as u32);
        for [a, b] in edges {
            let (a, b) = (root(parent, a), root(parent, b));
            // The smaller index wins, so that numbering does not depend on the order of the edges.
            parent[a.max(b) as usize] = a.min(b);
        }
        // A parent is never larger than its child, so it is numbered before it.
        let mut count = 0;
        for i in 0..n {
            let up = parent[i] as usize;
            parent[i] = if up == i { count } else { parent[up] };
            count += u32::from(up == i);
        }
        self.count = count as usize;
    }
}

/// The root of the tree of a vertex, with path halving.
fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        let grandparent = parent[parent[i as usize] as usize];
        parent[i as usize] = grandparent;
        i = grandparent;
    }
    i
}
