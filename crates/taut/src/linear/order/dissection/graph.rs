//! Graphs as lists of neighbours.

use crate::linear::Pattern;

/// An undirected graph without loops. The neighbours of v are `adjacent[start[v]..start[v + 1]]`, ascending; every edge is
/// listed at both ends.
#[derive(Debug, Default)]
pub(super) struct Graph {
    start: Vec<u32>,
    adjacent: Vec<u32>,
}

impl Graph {
    pub fn new(pattern: &Pattern) -> Self {
        let n = pattern.size();
        let mut start = vec![0u32; n + 1];
        for j in 0..n {
            let rows = &pattern.rows[pattern.column(j)];
            rows.iter().for_each(|&i| start[i as usize + 1] += 1);
            start[j + 1] += rows.len() as u32;
        }
        (0..n).for_each(|v| start[v + 1] += start[v]);
        let mut next = start.clone();
        let mut adjacent = vec![0; start[n] as usize];
        // Column by column each list comes out ascending: rows above the diagonal, then columns after it.
        for j in 0..n {
            let rows = &pattern.rows[pattern.column(j)];
            adjacent[next[j] as usize..][..rows.len()].copy_from_slice(rows);
            next[j] += rows.len() as u32;
            for &i in rows {
                adjacent[next[i as usize] as usize] = j as u32;
                next[i as usize] += 1;
            }
        }
        Graph { start, adjacent }
    }

    pub fn size(&self) -> usize {
        self.start.len() - 1
    }

    #[inline]
    pub fn neighbours(&self, v: u32) -> &[u32] {
        &self.adjacent[self.start[v as usize] as usize..self.start[v as usize + 1] as usize]
    }

    /// The subgraph on `keep` (ascending), numbered in that order.
    pub fn induced(&self, keep: &[u32]) -> Graph {
        let mut place = vec![u32::MAX; self.size()];
        (0u32..).zip(keep).for_each(|(new, &old)| place[old as usize] = new);
        let most: usize = keep.iter().map(|&v| self.neighbours(v).len()).sum();
        let (mut start, mut adjacent, mut end) = (Vec::with_capacity(keep.len() + 1), vec![0; most + 1], 0);
        start.push(0);
        for &v in keep {
            for &u in self.neighbours(v) {
                // Written always, kept only if inside: a branch could not be predicted along the separator.
                adjacent[end] = place[u as usize];
                end += usize::from(place[u as usize] != u32::MAX);
            }
            start.push(end as u32);
        }
        adjacent.truncate(end);
        Graph { start, adjacent }
    }
}
