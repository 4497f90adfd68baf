//! Where springs go.
//!
//! A spring along an edge of elements goes to every side that has such an element, and the sides share its stiffness. Any
//! other between elements (shear, bend) joins two particles that a walk from element to element joins as well, through
//! the elements around its two ends and their common neighbours: it stays if such a walk still exists, between the
//! copies at the ends of the shortest. A spring that no elements accompany (a strand) is gone if the blade meets it.

use super::cells::Cells;
use super::fans::Fans;
use super::path::Path;
use crate::{Model, Spring};
use std::collections::BTreeSet;

/// The springs after a cut.
pub(super) struct Kept {
    pub springs: Vec<Spring>,
    /// Which spring each of them was.
    pub of: Vec<u32>,
    pub removed: usize,
}

/// What there is to know of a cut.
pub(super) struct Cut<'a> {
    pub cells: &'a Cells,
    pub path: &'a Path,
    pub fans: &'a Fans,
    /// The particles on the path.
    pub on: BTreeSet<u32>,
}

impl Cut<'_> {
    /// The springs after it: those that stay in their order, then the further sides of those that were shared out.
    pub fn springs(&self, model: &Model) -> Kept {
        let around = |p: u32| self.cells.at(p).iter().flat_map(|&cell| self.cells.of(cell));
        let mut near = vec![false; model.particles()];
        self.on.iter().flat_map(|&p| around(p)).for_each(|&p| near[p as usize] = true);
        let count = model.springs.len();
        let (springs, of) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let (mut kept, mut further) = (Kept { springs, of, removed: 0 }, Vec::new());
        for (number, spring) in (0..).zip(&model.springs) {
            let parted = self.path.springs.contains(&number);
            if !parted && spring.ends.iter().all(|&p| !near[p as usize]) {
                kept.springs.push(*spring);
                kept.of.push(number);
                continue;
            }
            let sides = if parted { Vec::new() } else { self.sides(spring.ends) };
            let share = if sides.len() > 1 { spring.scaled(1.0 / sides.len() as f64) } else { *spring };
            let mut sides = sides.into_iter().map(|ends| (Spring { ends, ..share }, number));
            match sides.next() {
                Some((spring, number)) => {
                    kept.springs.push(spring);
                    kept.of.push(number);
                }
                None => kept.removed += 1,
            }
            further.extend(sides);
        }
        kept.springs.extend(further.iter().map(|(spring, _)| spring));
        kept.of.extend(further.iter().map(|(_, number)| number));
        kept
    }

    /// Between which particles a spring at elements that touch the path is after the cut.
    fn sides(&self, [a, b]: [u32; 2]) -> Vec<[u32; 2]> {
        let mut sides: Vec<[u32; 2]> = Vec::new();
        for cell in self.cells.with([a, b]) {
            let ends = [a, b].map(|p| self.fans.particle(cell, p));
            if !sides.contains(&ends) {
                sides.push(ends);
            }
        }
        if !sides.is_empty() {
            return sides;
        }
        match self.cells.walk(self.path, [a, b]) {
            Some([first, last]) => vec![[self.fans.particle(first, a), self.fans.particle(last, b)]],
            None if self.cells.accompany([a, b]) => Vec::new(),
            None => vec![[a, b]],
        }
    }
}
