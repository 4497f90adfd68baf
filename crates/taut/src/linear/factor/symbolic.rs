//! Symbolic factorization: everything about a factor that does not depend on the values of the matrix.

use super::supernodal::{Split, Supernodes};
use crate::linear::{Components, Elimination, Pattern, Sequence};
use std::sync::Arc;

/// Which entries the factor of a matrix has, and how they are grouped into supernodes and parts. Made from the pattern
/// of the matrix and an elimination order, and shared by all factors with that pattern.
pub struct Symbolic {
    pub(super) pattern: Pattern,
    pub(super) nodes: Supernodes,
    pub(super) lower: Lower,
    /// Components of the graph of the matrix.
    pub(super) components: Components,
}

/// The entries below the diagonal of the matrix in elimination order, column by column.
pub(super) struct Lower {
    /// Where the entries of each column begin, and the end of the last.
    pub start: Vec<u32>,
    /// Row of each entry, and its slot in the matrix that was given.
    pub rows: Vec<u32>,
    pub slots: Vec<u32>,
}

impl Symbolic {
    /// Analyse matrices of a pattern, to be eliminated in the given order of their rows.
    pub fn new(pattern: &Pattern, sequence: &Sequence) -> Arc<Self> {
        Symbolic::split_from(pattern, sequence, Split::USUAL)
    }

    /// As [`Symbolic::new`], in parts from a given size on.
    pub(in crate::linear) fn split_from(pattern: &Pattern, sequence: &Sequence, split: Split) -> Arc<Self> {
        let n = pattern.size();
        assert_eq!(sequence.as_slice().len(), n, "an order of the rows of the matrix");
        let nodes = Supernodes::new(Elimination::new(pattern, sequence.as_slice()), split);
        let edges = (0..n).flat_map(|j| pattern.rows[pattern.column(j)].iter().map(move |&i| [i, j as u32]));
        let components = Components::new(n, edges);
        Arc::new(Symbolic {
            lower: Lower::new(pattern, &nodes.order),
            pattern: pattern.clone(),
            nodes,
            components,
        })
    }

    /// Number of parts.
    #[cfg(test)]
    pub(in crate::linear) fn parts(&self) -> usize {
        self.nodes.parts.len()
    }
}

impl Lower {
    fn new(pattern: &Pattern, order: &[u32]) -> Self {
        let n = order.len();
        let mut place = vec![0u32; n];
        (0u32..).zip(order).for_each(|(new, &old)| place[old as usize] = new);
        // f(column, row, slot) for every entry.
        let visit = |f: &mut dyn FnMut(usize, u32, usize)| {
            for j in 0..n {
                for slot in pattern.column(j) {
                    let (p, q) = (place[pattern.rows[slot] as usize], place[j]);
                    f(p.min(q) as usize, p.max(q), slot);
                }
            }
        };
        let mut start = vec![0u32; n + 1];
        visit(&mut |column, _, _| start[column + 1] += 1);
        (0..n).for_each(|k| start[k + 1] += start[k]);
        let mut next = start.clone();
        let (mut rows, mut slots) = (vec![0; pattern.rows.len()], vec![0; pattern.rows.len()]);
        visit(&mut |column, row, slot| {
            let at = next[column] as usize;
            next[column] += 1;
            (rows[at], slots[at]) = (row, slot as u32);
        });
        Lower { start, rows, slots }
    }
}
