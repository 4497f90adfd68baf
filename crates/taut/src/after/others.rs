//! What elements other than springs have in the energy budget: see `budget`.

use super::budget::Way;
use crate::energy::{Origin, Part, Rate, Rows, Step, Term, terms};
use crate::{Model, State};
use glam::DVec3;

/// Elements other than springs, by the forces on their particles.
#[derive(Default)]
pub(super) struct Others {
    terms: Vec<Box<dyn Term>>,
    /// Of elasticity before and after the step, and of the dampers after it \[N\].
    before: Vec<DVec3>,
    after: Vec<DVec3>,
    dampers: Vec<DVec3>,
}

impl Others {
    pub fn new(model: &Model, ratio: f64, time: f64) -> Self {
        let terms = terms(model, ratio, time);
        let zeros = vec![DVec3::ZERO; if terms.is_empty() { 0 } else { model.particles() }];
        Others { terms, before: zeros.clone(), after: zeros.clone(), dampers: zeros }
    }

    pub fn open(&mut self, model: &Model, state: &State, h: f64) {
        let (start, rate) = (&state.positions[..], Rate::Euler);
        let origin = Origin { time: state.time + h, start, inertia: start, rate };
        self.terms.iter_mut().for_each(|term| term.aim(model, &origin));
    }

    /// Tell the energy of each element before the step.
    pub fn count(&mut self, model: &Model, rows: &Rows, start: &[DVec3], mut energy: impl FnMut(u32, f64)) {
        let step = Step { model, rows, start, h2: 1.0, stiffest: false };
        self.before.fill(DVec3::ZERO);
        self.terms.iter().for_each(|t| t.account(&step, Part::Elastic, start, &mut self.before, &mut energy));
    }

    /// Tell for elements and particles what the budget gains \[J\], and the force whose work in the frame's way is no gain.
    pub fn settle(&mut self, model: &Model, rows: &Rows, way: &Way, mut tell: impl FnMut(u32, f64, DVec3)) {
        let Others { terms, before, after, dampers } = self;
        let step = Step { model, rows, start: way.from, h2: 1.0, stiffest: false };
        after.fill(DVec3::ZERO);
        dampers.fill(DVec3::ZERO);
        for term in &*terms {
            term.account(&step, Part::Elastic, way.to, after, &mut |i, energy| tell(i, -energy, DVec3::ZERO));
            term.account(&step, Part::Dampers, way.to, dampers, &mut |_, _| {});
        }
        for (i, damper) in dampers.iter().enumerate() {
            let moved = way.to[i] - way.from[i];
            let pinned = way.filters[i].is_pinned();
            // What pins do to the elements is minus what the elements do to them.
            let pull = if pinned { -0.5 * (before[i] + after[i]) - *damper } else { DVec3::ZERO };
            let rate = if pinned { moved / way.h } else { way.velocities[i] };
            tell(i as u32, pull.dot(moved) + 0.5 * damper.dot(way.h * rate + moved), pull);
        }
    }
}
