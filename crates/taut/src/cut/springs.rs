//! Where springs go.
//!
//! A spring along an edge of elements goes to every side that has such an element, and the sides share its stiffness. Any
//! other between elements (shear, bend) joins two particles that a walk from element to element joins as well, through
//! the elements around its two ends and their common neighbours: it stays if such a walk still exists, between the
//! copies at the ends of the shortest. A spring that no elements accompany (a strand) is gone if the blade meets it.

use super::Blade;
use super::cells::Cells;
use super::fans::Fans;
use super::path::Path;
use crate::geometry::edge_meets_face;
use crate::{Model, Spring};
use glam::DVec3;
use std::collections::{BTreeSet, VecDeque};

/// The springs after a cut.
#[derive(Default)]
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
    pub positions: &'a [DVec3],
    pub blade: &'a Blade,
}

impl Cut<'_> {
    /// The springs after it: those that stay in their order, then the further sides of those that were shared out.
    pub fn springs(&self, model: &Model) -> Kept {
        let around = |p: u32| self.cells.at(p).iter().flat_map(|&cell| self.cells.of(cell));
        let near: BTreeSet<u32> = self.path.particles().into_iter().flat_map(around).copied().collect();
        let (mut kept, mut further) = (Kept::default(), Vec::new());
        for (number, spring) in (0..).zip(&model.springs) {
            let sides = self.sides(spring.ends, &near);
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

    /// Between which particles a spring is after the cut. `near`: all particles of elements that touch the path.
    fn sides(&self, [a, b]: [u32; 2], near: &BTreeSet<u32>) -> Vec<[u32; 2]> {
        if self.cells.at(a).is_empty() && self.cells.at(b).is_empty() {
            return self.thread([a, b]);
        }
        if !near.contains(&a) && !near.contains(&b) {
            return vec![[a, b]];
        }
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
        match (self.walk(self.path, [a, b]), self.walk(&Path::default(), [a, b])) {
            (Some([first, last]), _) => vec![[self.fans.particle(first, a), self.fans.particle(last, b)]],
            (None, Some(_)) => Vec::new(),
            // It joins what elements do not: a thread.
            (None, None) => self.thread([a, b]),
        }
    }

    /// A spring that no elements accompany is gone if the blade meets it.
    fn thread(&self, ends: [u32; 2]) -> Vec<[u32; 2]> {
        let edge = ends.map(|p| self.positions[p as usize]);
        let met = self.blade.triangles.iter().any(|triangle| edge_meets_face(edge, *triangle));
        if met { Vec::new() } else { vec![ends] }
    }

    /// The elements around two particles, and around those that are neighbours of both.
    fn around(&self, [a, b]: [u32; 2]) -> Vec<u32> {
        let neighbours = |p: u32| self.cells.at(p).iter().flat_map(|&cell| self.cells.of(cell)).copied();
        let of_b: BTreeSet<u32> = neighbours(b).collect();
        let both = neighbours(a).filter(|p| of_b.contains(p));
        let all: BTreeSet<u32> = both.chain([a, b]).flat_map(|p| self.cells.at(p)).copied().collect();
        all.into_iter().collect()
    }

    /// The first and the last element of the shortest walk from one particle to another through the elements around
    /// them, from each to one it is joined to.
    fn walk(&self, path: &Path, [a, b]: [u32; 2]) -> Option<[u32; 2]> {
        let (from, to) = (self.cells.at(a), self.cells.at(b));
        let all = self.around([a, b]);
        // Where each was come to from; those around a begin.
        let mut root: Vec<Option<u32>> =
            all.iter().map(|cell| from.contains(cell).then_some(*cell)).collect();
        let mut queue: VecDeque<usize> = (0..all.len()).filter(|&i| root[i].is_some()).collect();
        while let Some(here) = queue.pop_front() {
            if to.contains(&all[here]) {
                return root[here].map(|first| [first, all[here]]);
            }
            for there in 0..all.len() {
                if root[there].is_none() && self.cells.joined(all[here], all[there], path) {
                    root[there] = root[here];
                    queue.push_back(there);
                }
            }
        }
        None
    }
}
