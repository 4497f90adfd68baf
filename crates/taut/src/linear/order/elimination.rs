//! What eliminating a graph in a given order does: the elimination tree, and the number of entries in each column of the
//! factor L.
//!
//! The *elimination tree* joins each column j to its `parent(j)`, the first row below the diagonal in which column j of L
//! has an entry: the first column that j changes. Counts of entries are found without L, in nearly linear time (Gilbert,
//! Ng and Peyton, "An efficient algorithm to compute row and column counts for sparse Cholesky factorization", 1994), so
//! comparing orders costs far less than factoring.

use crate::linear::Pattern;

/// In place of a parent: there is none, this is the root of a tree.
pub(in crate::linear) const ROOT: u32 = u32::MAX;

/// The elimination tree of a graph in some order. The order is changed to a postorder of the tree, in which every subtree is
/// consecutive and precedes its parent; that leaves the entries of the factor the same.
#[derive(Debug, Clone, Default)]
pub struct Elimination {
    /// `order[k]` is the row eliminated k-th.
    pub order: Vec<u32>,
    /// Entries of each column of the factor, the diagonal included.
    pub counts: Vec<u32>,
    /// Parent of each column in the elimination tree, [`ROOT`] where it has none.
    pub(in crate::linear) parent: Vec<u32>,
    /// Rows below the diagonal of column j of the permuted matrix: `below[below_start[j]..below_start[j + 1]]`.
    below_start: Vec<u32>,
    below: Vec<u32>,
}

impl Elimination {
    /// Analyse the elimination of `pattern` in this order.
    pub fn new(pattern: &Pattern, order: &[u32]) -> Self {
        let tree = parents(&Triangle::upper(pattern, order));
        let post = postorder(&tree);
        let mut place = vec![0; post.len()];
        (0u32..).zip(&post).for_each(|(new, &old)| place[old as usize] = new);
        let up = |&old: &u32| match tree[old as usize] {
            ROOT => ROOT,
            p => place[p as usize],
        };
        let parent: Vec<u32> = post.iter().map(up).collect();
        let order: Vec<u32> = post.iter().map(|&k| order[k as usize]).collect();
        let lower = Triangle::lower(pattern, &order);
        let counts = counts(&lower, &parent);
        Elimination { order, counts, parent, below_start: lower.start, below: lower.entries }
    }

    /// Entries of the factor.
    pub fn fill(&self) -> u64 {
        self.counts.iter().map(|&c| u64::from(c)).sum()
    }

    /// Multiplications of the factorization, approximately.
    pub fn work(&self) -> f64 {
        self.counts.iter().map(|&c| f64::from(c) * f64::from(c)).sum::<f64>() / 2.0
    }

    /// Rows below the diagonal of a column of the permuted matrix, in no particular order.
    pub(in crate::linear) fn below(&self, j: usize) -> &[u32] {
        &self.below[self.below_start[j] as usize..self.below_start[j + 1] as usize]
    }
}

/// One triangle of the permuted pattern as lists; list k is `entries[start[k]..start[k + 1]]`.
struct Triangle {
    start: Vec<u32>,
    entries: Vec<u32>,
}

impl Triangle {
    /// For each row, the columns before it.
    fn upper(pattern: &Pattern, order: &[u32]) -> Self {
        Triangle::new(pattern, order, |i, j| (i.max(j), i.min(j)))
    }

    /// For each column, the rows after it.
    fn lower(pattern: &Pattern, order: &[u32]) -> Self {
        Triangle::new(pattern, order, |i, j| (i.min(j), i.max(j)))
    }

    /// `listed(i, j)` says of an entry in row and column i and j in which list it is, and what is listed.
    fn new(pattern: &Pattern, order: &[u32], listed: impl Fn(u32, u32) -> (u32, u32)) -> Self {
        let n = pattern.size();
        let mut place = vec![0u32; n];
        (0u32..).zip(order).for_each(|(new, &old)| place[old as usize] = new);
        let (listed, place) = (&listed, &place);
        let pairs = || {
            (0..n).flat_map(move |j| {
                let rows = &pattern.rows[pattern.column(j)];
                rows.iter().map(move |&i| listed(place[i as usize], place[j]))
            })
        };
        let mut start = vec![0u32; n + 1];
        pairs().for_each(|(list, _)| start[list as usize + 1] += 1);
        (0..n).for_each(|k| start[k + 1] += start[k]);
        let mut next = start.clone();
        let mut entries = vec![0; pattern.rows.len()];
        for (list, entry) in pairs() {
            entries[next[list as usize] as usize] = entry;
            next[list as usize] += 1;
        }
        Triangle { start, entries }
    }

    fn list(&self, k: usize) -> &[u32] {
        &self.entries[self.start[k] as usize..self.start[k + 1] as usize]
    }
}

/// The elimination tree, by walking up from each entry with path compression (Liu 1986).
fn parents(upper: &Triangle) -> Vec<u32> {
    let n = upper.start.len() - 1;
    let (mut parent, mut ancestor) = (vec![ROOT; n], vec![ROOT; n]);
    for i in 0..n {
        for &k in upper.list(i) {
            let mut k = k as usize;
            while ancestor[k] != ROOT && ancestor[k] != i as u32 {
                k = std::mem::replace(&mut ancestor[k], i as u32) as usize;
            }
            if ancestor[k] == ROOT {
                ancestor[k] = i as u32;
                parent[k] = i as u32;
            }
        }
    }
    parent
}

/// The vertices of a forest so that children precede parents and every subtree is consecutive; siblings in index order.
fn postorder(parent: &[u32]) -> Vec<u32> {
    let n = parent.len();
    let (mut child, mut sibling, mut roots) = (vec![ROOT; n], vec![ROOT; n], ROOT);
    for j in (0..n).rev() {
        let head = if parent[j] == ROOT { &mut roots } else { &mut child[parent[j] as usize] };
        sibling[j] = std::mem::replace(head, j as u32);
    }
    let (mut order, mut stack) = (Vec::with_capacity(n), Vec::new());
    let mut root = roots;
    while root != ROOT {
        stack.push(root);
        while let Some(&top) = stack.last() {
            match std::mem::replace(&mut child[top as usize], ROOT) {
                ROOT => {
                    order.push(top);
                    stack.pop();
                    let next = sibling[top as usize];
                    if next != ROOT && !stack.is_empty() {
                        stack.push(next);
                    }
                }
                first => stack.push(first),
            }
        }
        root = sibling[root as usize];
    }
    order
}

/// Entries per column of the factor, the diagonal included, for columns in postorder.
///
/// The *row subtree* of i has the columns in which row i of L has an entry. They are those on the paths up the tree to i,
/// from each column in which row i of A has an entry (only i itself, if i has no children). Add one at each of its leaves;
/// subtract one where the path from a leaf meets the path from the leaf before, and one at the parent of i. Summed over a
/// column j and all that is below it, this gives 1 if j is in the row subtree, else 0. Done for all rows together, it
/// gives the count of column j.
fn counts(lower: &Triangle, parent: &[u32]) -> Vec<u32> {
    let n = parent.len();
    // `first` is the first descendant of each column. `count` collects what is added and subtracted, and becomes the sum
    // over subtrees at the end.
    let mut first: Vec<u32> = (0..n as u32).collect();
    let mut count = vec![1i64; n];
    for j in 0..n {
        if parent[j] != ROOT {
            let p = parent[j] as usize;
            first[p] = first[p].min(first[j]);
            count[p] = 0;
        }
    }
    let (mut newest_first, mut last_leaf) = (vec![ROOT; n], vec![ROOT; n]);
    let mut ancestor: Vec<u32> = (0..n as u32).collect();
    for j in 0..n {
        if parent[j] != ROOT {
            count[parent[j] as usize] -= 1;
        }
        for &i in lower.list(j) {
            let i = i as usize;
            // Column j is a leaf of the row subtree of i if none of the leaves before it is below j.
            if newest_first[i] != ROOT && first[j] <= newest_first[i] {
                continue;
            }
            newest_first[i] = first[j];
            count[j] += 1;
            let earlier = std::mem::replace(&mut last_leaf[i], j as u32);
            if earlier != ROOT {
                count[common_ancestor(&mut ancestor, earlier) as usize] -= 1;
            }
        }
        if parent[j] != ROOT {
            ancestor[j] = parent[j];
        }
    }
    for j in 0..n {
        if parent[j] != ROOT {
            count[parent[j] as usize] += count[j];
        }
    }
    count.into_iter().map(|c| c as u32).collect()
}

/// The root of the tree that a column is in so far, with path compression: the lowest common ancestor of an earlier leaf
/// and the column now visited.
fn common_ancestor(ancestor: &mut [u32], leaf: u32) -> u32 {
    let mut top = leaf;
    while ancestor[top as usize] != top {
        top = ancestor[top as usize];
    }
    let mut s = leaf;
    while s != top {
        s = std::mem::replace(&mut ancestor[s as usize], top);
    }
    top
}

#[cfg(test)]
mod tests {
    use super::super::graphs::graphs;
    use super::super::nested_dissection;
    use super::*;
    use crate::linear::minimum_degree;

    /// Column counts by eliminating for real.
    fn eliminated(pattern: &Pattern, order: &[u32]) -> Vec<u32> {
        let n = pattern.size();
        let lower = Triangle::lower(pattern, order);
        let mut columns: Vec<Vec<u32>> = (0..n).map(|j| lower.list(j).to_vec()).collect();
        for j in 0..n {
            columns[j].sort_unstable();
            columns[j].dedup();
            if let [next, rest @ ..] = &columns[j].clone()[..] {
                columns[*next as usize].extend_from_slice(rest);
            }
        }
        columns.iter().map(|c| c.len() as u32 + 1).collect()
    }

    #[test]
    fn counts_are_those_of_the_elimination() {
        for (name, pattern) in graphs() {
            let forward: Vec<u32> = (0..pattern.size() as u32).collect();
            for order in [forward, nested_dissection(&pattern), minimum_degree(&pattern).unwrap()] {
                let elimination = Elimination::new(&pattern, &order);
                assert_eq!(elimination.counts, eliminated(&pattern, &elimination.order), "{name}");
                assert_eq!(
                    elimination.fill(),
                    eliminated(&pattern, &order).iter().map(|&c| u64::from(c)).sum::<u64>()
                );
            }
        }
    }
}
