//! Animations of bodies that are cut while they move.
//!
//! GLB and HTML know one topology. It is the last: a particle that a cut has made lies on its original in all frames
//! before that, so the cut cannot be seen. Pictures need no such thing and are drawn as each frame was: there the corner
//! of a triangle is the original for as long as there is no copy, and lines are drawn until they are lost.

use super::{Animation, inverse};
use crate::Model;
use crate::mesh_io::Mesh;
use std::collections::BTreeSet;

/// What an animation has to know of cuts. Particles are numbered as in the model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cuts {
    /// The particles that cuts have made, ascending, each with the one it is a copy of.
    pub copies: Vec<[u32; 2]>,
    /// For each frame how many particles there were.
    pub particles: Vec<u32>,
    /// Lines that are gone, with the number of frames in which they were there.
    pub lost: Vec<(usize, [u32; 2])>,
    /// Triangles where there are holes now, likewise. Pictures show them; GLB and HTML have the hole from the start.
    pub holes: Vec<(usize, [u32; 3])>,
}

impl Cuts {
    /// The particle that stood for this one in a frame.
    fn standing(&self, mut particle: u32, frame: usize) -> u32 {
        let count = self.particles.get(frame).copied().unwrap_or(u32::MAX);
        while particle >= count
            && let Ok(copy) = self.copies.binary_search_by_key(&particle, |[copy, _]| *copy)
        {
            particle = self.copies[copy][1];
        }
        particle
    }
}

impl Animation {
    /// Go on with a model that has been cut since the last frame; `mesh` is all of it, for texture coordinates and
    /// materials.
    pub fn follow(&mut self, model: &Model, mesh: &Mesh) {
        let order = |a: &Animation, count: usize| -> Vec<u32> {
            if a.order.is_empty() { (0..count as u32).collect() } else { a.order.clone() }
        };
        let before = self.frames.last().map_or(0, Vec::len);
        let (old, count) = (order(self, before), model.particles());
        let mut cuts = std::mem::take(&mut self.cuts);
        cuts.particles.resize(self.frames.len(), before as u32);
        cuts.copies.clone_from(&model.copies);

        let mut next = Animation::of(model, std::mem::take(&mut self.name), self.frames_per_second);
        let new = order(&next, count);
        fn named<const N: usize>(corners: &[u32; N], order: &[u32]) -> [u32; N] {
            corners.map(|i| order[i as usize])
        }
        let stood = |i: u32| cuts.standing(i, self.frames.len().wrapping_sub(1));
        let kept: BTreeSet<[u32; 2]> =
            next.lines.iter().map(|ends| sorted(named(ends, &new).map(stood))).collect();
        let lines = self.lines.iter().filter(|_| before > 0).map(|ends| named(ends, &old));
        let lost: Vec<_> = lines.filter(|&ends| !kept.contains(&sorted(ends))).collect();
        let left: BTreeSet<[u32; 3]> =
            next.triangles.iter().map(|corners| sorted(named(corners, &new).map(stood))).collect();
        let triangles = self.triangles.iter().filter(|_| before > 0).map(|corners| named(corners, &old));
        let holes: Vec<_> = triangles.filter(|&corners| !left.contains(&sorted(corners))).collect();
        cuts.lost.extend(lost.into_iter().map(|ends| (self.frames.len(), ends)));
        cuts.holes.extend(holes.into_iter().map(|corners| (self.frames.len(), corners)));

        for frame in &mut self.frames {
            let mut own = vec![[0.0; 3]; count];
            frame.iter().zip(&old).for_each(|(&p, &i)| own[i as usize] = p);
            let made = model.copies.iter().filter(|[copy, _]| *copy as usize >= before);
            made.for_each(|&[copy, parent]| own[copy as usize] = own[parent as usize]);
            *frame = new.iter().map(|&i| own[i as usize]).collect();
        }
        if !(self.pinned.is_empty() || before == 0) {
            let place = inverse(&new);
            self.pinned.iter_mut().for_each(|pin| *pin = place[old[*pin as usize] as usize]);
        }
        for (mesh, old) in next.moving.iter_mut().zip(&self.moving) {
            mesh.colours = old.colours;
        }
        (self.name, self.cuts) = (next.name, cuts);
        (self.order, self.triangles, self.lines, self.moving) =
            (next.order, next.triangles, next.lines, next.moving);
        self.dress(mesh);
    }

    /// The triangles and the lines as they were in a frame, which may be more.
    pub(super) fn connections(&self, frame: usize) -> (Vec<[u32; 3]>, Vec<[u32; 2]>) {
        let place = inverse(&self.order);
        let named = |i: u32| self.order.get(i as usize).copied().unwrap_or(i);
        let placed = |i: u32| place.get(i as usize).copied().unwrap_or(i);
        let stood = |i: u32| placed(self.cuts.standing(named(i), frame));
        let lost = self.cuts.lost.iter().filter(|(frames, _)| frame < *frames);
        let lost = lost.map(|(_, ends)| ends.map(|i| placed(self.cuts.standing(i, frame))));
        let there = |&(frames, [a, b, c]): &(usize, [u32; 3])| {
            // One without area is not drawn.
            let corners = if frame < frames { [a, b, c] } else { [a; 3] };
            corners.map(|i| placed(self.cuts.standing(i, frame)))
        };
        let holes = self.cuts.holes.iter().map(there);
        let triangles = self.triangles.iter().map(|t| t.map(stood)).chain(holes).collect();
        (triangles, self.lines.iter().map(|ends| ends.map(stood)).chain(lost).collect())
    }

    /// Each copy with its original, by their places in a frame.
    pub(super) fn copies(&self) -> Vec<[u32; 2]> {
        let place = inverse(&self.order);
        let placed = |i: u32| place.get(i as usize).copied().unwrap_or(i);
        self.cuts.copies.iter().map(|pair| pair.map(placed)).collect()
    }
}

fn sorted<const N: usize>(mut ends: [u32; N]) -> [u32; N] {
    ends.sort_unstable();
    ends
}
