//! The last few steps s and what they changed: the gradient by y, the plain step by `w = (M + h²L)⁻¹ y`.

use crate::linear::dot;
use glam::DVec3;

/// Steps remembered. Five, eight and ten differ by a few per cent in iterations to 1e-4 on the Curtain; each costs time
/// (docs/experiments/convergence.md).
pub(super) const STEPS: usize = 5;

/// One step.
#[derive(Default)]
pub(super) struct Pair {
    pub(super) s: Vec<DVec3>,
    pub(super) y: Vec<DVec3>,
    pub(super) w: Vec<DVec3>,
    /// s·y, positive.
    pub(super) curvature: f64,
}

/// A ring of steps.
#[derive(Default)]
pub(super) struct History {
    pairs: [Pair; STEPS],
    next: usize,
    count: usize,
    pending: bool,
}

impl History {
    pub(super) fn prepare(&mut self, rows: usize) {
        for pair in &mut self.pairs {
            pair.s = vec![DVec3::ZERO; rows];
            (pair.y, pair.w) = (pair.s.clone(), pair.s.clone());
        }
        self.forget();
    }

    pub(super) fn forget(&mut self) {
        (self.count, self.pending) = (0, false);
    }

    /// The step t d is taken from a point with gradient `g` and plain step `z`.
    pub(super) fn begin(&mut self, t: f64, d: &mut Vec<DVec3>, g: &mut Vec<DVec3>, z: &mut Vec<DVec3>) {
        let pair = &mut self.pairs[self.next];
        for (own, new) in [(&mut pair.s, d), (&mut pair.y, g), (&mut pair.w, z)] {
            std::mem::swap(own, new);
        }
        pair.s.iter_mut().for_each(|s| *s *= t);
        self.count = self.count.min(STEPS - 1);
        self.pending = true;
    }

    /// It led to a point with `g` and `z`. Returns its place, unless g curves the wrong way along it: then it
    /// is not remembered.
    pub(super) fn end(&mut self, g: &[DVec3], z: &[DVec3]) -> Option<usize> {
        if !std::mem::take(&mut self.pending) {
            return None;
        }
        let pair = &mut self.pairs[self.next];
        pair.y.iter_mut().zip(g).for_each(|(y, &g)| *y = g - *y);
        pair.w.iter_mut().zip(z).for_each(|(w, &z)| *w = z - *w);
        pair.curvature = dot(&pair.s, &pair.y);
        if pair.curvature.is_nan() || pair.curvature <= 0.0 {
            return None;
        }
        let place = self.next;
        (self.next, self.count) = ((place + 1) % STEPS, self.count + 1);
        Some(place)
    }

    /// Places of the steps, newest first.
    pub(super) fn places(&self) -> impl DoubleEndedIterator<Item = usize> + Clone + use<> {
        let next = self.next;
        (1..=self.count).map(move |age| (next + STEPS - age) % STEPS)
    }

    pub(super) fn at(&self, place: usize) -> &Pair {
        &self.pairs[place]
    }
}
