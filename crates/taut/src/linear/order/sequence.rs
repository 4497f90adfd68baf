//! The order in which the vertices of a graph are eliminated.

use super::Elimination;
use super::dissection::dissected;
use crate::linear::{Pattern, minimum_degree};

/// Vertices of a separator from which on minimum degree is no longer tried. It was ahead by 2 % in entries of the factor
/// on a cloth of 21² (42 vertices) and behind on the Hippo, a cloth of 41² (82) and the Frog. Hair and chains have
/// separators of a few vertices.
const WIDE: usize = 64;

/// An elimination order: every vertex of a graph once, the first to be eliminated first.
///
/// It says which rows of a matrix are eliminated before which, and so how many entries the factor has. Finding a good
/// one takes longer than all other symbolic work together, but it depends on the graph alone and stays good when
/// vertices are taken out of the graph: so it is made once, and [`Sequence::restricted`] to the rows in use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sequence(Vec<u32>);

impl Sequence {
    /// A good order for the graph of a pattern: the better of nested dissection and minimum degree, which is the one
    /// whose factor has fewer entries. Minimum degree takes as long as the rest of the symbolic work, so it is tried
    /// only where it has a chance: on chains, trees and small or thin bodies, which fall apart where a few vertices are
    /// taken out.
    pub fn new(pattern: &Pattern) -> Self {
        let (order, largest) = dissected(pattern);
        if largest >= WIDE {
            return Sequence(order);
        }
        let dissected = Elimination::new(pattern, &order);
        match minimum_degree(pattern).map(|order| Elimination::new(pattern, &order)) {
            Some(by_degree) if by_degree.fill() < dissected.fill() => Sequence(by_degree.order),
            _ => Sequence(dissected.order),
        }
    }

    /// The order with these vertices, such as one stored before. `None` unless each of 0, 1, … occurs exactly once.
    pub fn from_vertices(vertices: Vec<u32>) -> Option<Self> {
        let mut seen = vec![false; vertices.len()];
        let new = |&v: &u32| seen.get_mut(v as usize).is_some_and(|seen| !std::mem::replace(seen, true));
        vertices.iter().all(new).then_some(Sequence(vertices))
    }

    /// The vertices in this order.
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }

    /// The same order with vertices added, each right after the one it is a copy of: those of `originals` get the next
    /// numbers. Good where what was one vertex has become two that share its neighbours.
    pub fn with_copies(&self, originals: &[u32]) -> Sequence {
        let mut copies = vec![Vec::new(); self.0.len()];
        for (copy, &original) in (self.0.len() as u32..).zip(originals) {
            copies[original as usize].push(copy);
        }
        Sequence(
            self.0
                .iter()
                .flat_map(|&v| std::iter::once(v).chain(copies[v as usize].iter().copied()))
                .collect(),
        )
    }

    /// The same order of the rows of a matrix over some of the vertices: `row_of` says which row each vertex has,
    /// `u32::MAX` that it has none. Rows are numbered 0, 1, …, each for one vertex.
    pub fn restricted(&self, row_of: &[u32]) -> Sequence {
        let rows = self.0.iter().map(|&v| row_of[v as usize]);
        Sequence(rows.filter(|&row| row != u32::MAX).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::graphs::{graphs, star};
    use super::*;

    #[test]
    fn the_better_order_is_chosen() {
        let star = star(500);
        let elimination = Elimination::new(&star, Sequence::new(&star).as_slice());
        assert_eq!(elimination.fill(), 999, "a tree has an order without fill");
    }

    #[test]
    fn stored_orders_are_taken_back_and_checked() {
        for (name, pattern) in graphs() {
            let sequence = Sequence::new(&pattern);
            assert_eq!(Sequence::from_vertices(sequence.as_slice().to_vec()), Some(sequence), "{name}");
        }
        for wrong in [vec![1], vec![0, 0], vec![0, 2], vec![1, 0, 1], vec![u32::MAX, 0]] {
            assert_eq!(Sequence::from_vertices(wrong.clone()), None, "{wrong:?}");
        }
    }

    #[test]
    fn copies_follow_their_originals() {
        let sequence = Sequence::from_vertices(vec![3, 0, 2, 1]).unwrap();
        assert_eq!(sequence.with_copies(&[0, 3, 0]).as_slice(), [3, 5, 0, 4, 6, 2, 1]);
    }

    #[test]
    fn a_restricted_order_is_the_same_order() {
        let sequence = Sequence::from_vertices(vec![3, 0, 4, 2, 1]).unwrap();
        let none = u32::MAX;
        assert_eq!(sequence.restricted(&[0, none, 1, 2, none]).as_slice(), [2, 0, 1]);
        assert_eq!(sequence.restricted(&[0, 1, 2, 3, 4]), sequence);
        assert_eq!(sequence.restricted(&[none; 5]), Sequence::default());
    }
}
