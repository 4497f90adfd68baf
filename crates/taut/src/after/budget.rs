//! Energy budgeting, after any method: velocities are put right so that a step loses no energy by itself.
//!
//! Per connected component the step has the budget
//!
//! ```text
//! E* = E_n + work of external forces and of moving pins − what damping takes
//! ```
//!
//! (E = K + elastic; gravity is among the forces), counted in a frame that moves evenly while the step lasts. The
//! velocities it ends with are split into a motion v_r that scaling must not touch and the rest u, and become `v_r + s u`
//! with `s² = (E* − elastic − K(v_r))/K(u)`. Positions stay where the method put them.
//!
//! * A component that nothing holds: v_r is the rigid motion with the momentum the method gave it and the angular
//!   momentum it should have, L_n + torque. The frame is that of its centre of mass: how far a step falls is no concern
//!   of its vibrations.
//! * One that is held: v_r, and the frame, is the mean velocity of its pins. Work of a pin that moves in it: the mean of
//!   the springs' forces on it before and after the step, times its way. Particles held by a contact keep their velocity.
//!
//! What damping of velocities takes is known before the step. The damper c of a spring has in the step the impulse c Δl
//! and takes that times the mean of its rates of stretch before the step and in it. Other elements say their forces, and
//! those of their dampers, for the whole of each particle: see [`Others`].
//!
//! Not every budget can be met: s and 1/s are at most [`LARGEST`], and a component without u has nothing to scale. What a
//! step then lacks is reported and forgotten: given back later, it would appear as swinging. What it has too much counts
//! as lacking less than nothing. What comes after (strain limits, solids) is not in the budget. Where the energy goes is
//! not chosen: what stiff springs lose comes back to all of u, so a cloth keeps swinging, not humming. Nor does scaling
//! turn u round: a spinning body with one vibration only, such as a pair, may be caught where that turns.

use super::others::Others;
use crate::damping::{Damper, Damping};
use crate::energy::{Rows, length, spring_energy};
use crate::forces::External;
use crate::linear::Components;
use crate::rigid::RigidMotions;
use crate::state::Contact;
use crate::{Filter, Model, Spring, State};
use glam::DVec3;

/// Velocities grow or shrink by at most this factor in a step. Where motion turns there is little to scale: what is missing
/// then would make noise of it, and what is too much would end it there for good.
const LARGEST: f64 = 2.0;

/// One component's account.
#[derive(Debug, Clone, Copy, Default)]
struct Account {
    held: bool,
    pins: f64,
    /// Of the frame [m/s], and how far it goes in the step \[m\] (at first: where its origin is).
    velocity: DVec3,
    way: DVec3,
    /// What is missing of L [kg·m²/s].
    angular: DVec3,
    /// E* less the elastic energy \[J\].
    kinetic: f64,
    /// K of u, and of the motion that is not scaled \[J\].
    scaled: f64,
    kept: f64,
    scale: f64,
}

/// Keeps the accounts of one model.
#[derive(Default)]
pub(crate) struct EnergyBudget {
    share: f64,
    /// Material damping β \[s\].
    material: f64,
    rows: Rows,
    others: Others,
    components: Components,
    damper: Damper,
    external: External,
    motions: RigidMotions,
    accounts: Vec<Account>,
    /// What each particle may do in the step: the State's filter, or that of the contact that holds it.
    filters: Vec<Filter>,
    /// Positions and velocities before the step, velocities after damping, external forces.
    start: Vec<DVec3>,
    began: Vec<DVec3>,
    velocities: Vec<DVec3>,
    forces: Vec<DVec3>,
}

impl EnergyBudget {
    /// The accounts of a model that conserves this `share` under its damping in steps of `h` \[s\]; `None` if that is
    /// nothing.
    pub fn new(share: f64, damping: Damping, model: &Model, state: &State, h: f64) -> Option<Self> {
        if share == 0.0 {
            return None;
        }
        let springs = model.springs.iter().filter(|s| s.stiffness > 0.0);
        let components = Components::new(model.particles(), springs.map(|s| s.ends).chain(model.bonds()));
        let (rows, zeros) = (Rows::new(state), vec![DVec3::ZERO; model.particles()]);
        Some(EnergyBudget {
            share,
            material: damping.material,
            others: Others::new(model, damping.material / h, state.time),
            damper: Damper::new(Damping { material: 0.0, ..damping }, model, &rows, &components),
            external: External::new(model),
            motions: RigidMotions::new(components.count),
            accounts: vec![Account::default(); components.count],
            filters: vec![Filter::Free; model.particles()],
            start: zeros.clone(),
            began: zeros.clone(),
            velocities: zeros.clone(),
            forces: zeros,
            rows,
            components,
        })
    }

    /// Look at the state before a step of `h` \[s\].
    pub fn open(&mut self, model: &Model, state: &State, h: f64) {
        let EnergyBudget { rows, components, damper, external, start, began, velocities, forces, .. } = self;
        start.copy_from_slice(&state.positions);
        began.copy_from_slice(&state.velocities);
        velocities.copy_from_slice(&state.velocities);
        damper.damp(model, state, rows, components, h, velocities);
        external.write(model, state, h, forces);
        self.others.open(model, state, h);
    }

    /// Put the velocities after the step right. Particles that `contacts` held count as held, and what friction took
    /// from them before the step is no loss of the step. Returns what the step lacks of its budget \[J\].
    pub fn close(&mut self, model: &Model, state: &mut State, contacts: &[Contact], h: f64) -> f64 {
        self.filters.copy_from_slice(&state.filters);
        for contact in contacts.iter().filter(|c| c.held) {
            let Some(i) = contact.single() else { continue };
            self.filters[i] = contact.filter();
            if contact.slides {
                self.velocities[i] += contact.velocity - self.began[i];
            }
        }
        self.count(model, h);
        self.settle(model, state, h)
    }

    /// What there was before the step.
    fn count(&mut self, model: &Model, h: f64) {
        let EnergyBudget { components, motions, accounts, filters, start, velocities, .. } = self;
        accounts.fill(Account::default());
        for ((filter, &c), &x) in filters.iter().zip(&components.of).zip(&*start) {
            let account = &mut accounts[c as usize];
            account.held |= *filter != Filter::Free;
            if let Filter::Pinned(z) = *filter {
                account.pins += 1.0;
                account.velocity += (z - x) / h;
            }
        }
        motions.fit(&model.masses, start, velocities, components);
        for (account, motion) in accounts.iter_mut().zip(&motions.of) {
            let mean = account.velocity / account.pins.max(1.0);
            account.velocity = if account.held { mean } else { motion.velocity };
            account.way = if account.held { h * mean } else { motion.centre };
        }
        for (i, &c) in components.of.iter().enumerate() {
            let (account, centre) = (&mut accounts[c as usize], motions.of[c as usize].centre);
            if !filters[i].is_pinned() {
                let v = velocities[i] - account.velocity;
                account.kinetic += 0.5 * model.masses[i] * v.length_squared();
                account.angular += (start[i] - centre).cross(model.masses[i] * v);
            }
        }
        for spring in &model.springs {
            accounts[components.of[spring.ab().0] as usize].kinetic += spring_energy(spring, start);
        }
        self.others.count(model, &self.rows, start, |i, energy| {
            accounts[components.of[i as usize] as usize].kinetic += energy;
        });
    }

    /// Bring the energy after the step to what it should be. Returns what is missing \[J\].
    fn settle(&mut self, model: &Model, state: &mut State, h: f64) -> f64 {
        let State { positions: x, velocities: v, .. } = state;
        let EnergyBudget {
            share,
            components,
            motions,
            accounts,
            filters,
            start,
            velocities,
            forces,
            others,
            rows,
            ..
        } = self;
        let way = Way { h, beta: self.material, filters, from: start, to: x, velocities };
        motions.fit(&model.masses, x, v, components);
        for (account, motion) in accounts.iter_mut().zip(&mut motions.of) {
            if account.held {
                (motion.velocity, motion.spin) = (account.velocity, DVec3::ZERO);
            } else {
                account.way = motion.centre - account.way;
            }
        }
        for (i, &c) in components.of.iter().enumerate() {
            let (account, motion) = (&mut accounts[c as usize], &motions.of[c as usize]);
            if !filters[i].is_pinned() {
                account.kinetic += forces[i].dot(x[i] - start[i] - account.way);
                let impulse = h * forces[i] - model.masses[i] * (v[i] - motion.velocity);
                account.angular += (x[i] - motion.centre).cross(impulse);
            }
        }
        for spring in &model.springs {
            let account = &mut accounts[components.of[spring.ab().0] as usize];
            account.kinetic +=
                way.work_of_pins(spring, account.way) - way.damped(spring) - spring_energy(spring, x);
        }
        others.settle(model, rows, &way, |i, gained, frame| {
            let account = &mut accounts[components.of[i as usize] as usize];
            account.kinetic += gained - frame.dot(account.way);
        });
        for (account, motion) in accounts.iter_mut().zip(&mut motions.of).filter(|(a, _)| !a.held) {
            // From here on what is to be added to the spin.
            account.angular = *share * (motion.inverse_inertia * account.angular);
            motion.spin += account.angular;
        }
        for (i, &c) in components.of.iter().enumerate() {
            let (account, motion, m) = (&mut accounts[c as usize], &motions.of[c as usize], model.masses[i]);
            if !account.held {
                v[i] += account.angular.cross(x[i] - motion.centre);
            }
            let rigid = motion.at(x[i]);
            match filters[i] {
                Filter::Free => {
                    account.scaled += 0.5 * m * (v[i] - rigid).length_squared();
                    account.kept += 0.5 * m * (rigid - motion.velocity).length_squared();
                }
                Filter::Pinned(_) => {}
                _ => account.kept += 0.5 * m * (v[i] - motion.velocity).length_squared(),
            }
        }
        let mut missing = 0.0;
        for account in &mut *accounts {
            let wanted = account.wanted(*share);
            account.scale = account.scale(wanted);
            missing += wanted - account.scale * account.scale * account.scaled;
        }
        for (i, &c) in components.of.iter().enumerate() {
            let scale = accounts[c as usize].scale;
            if filters[i] == Filter::Free && scale != 1.0 {
                let rigid = motions.of[c as usize].at(x[i]);
                v[i] = rigid + scale * (v[i] - rigid);
            }
        }
        missing
    }
}

impl Account {
    /// K of u after it has gone the share of the way from what it is to what it should be \[J\].
    fn wanted(&self, share: f64) -> f64 {
        self.scaled + share * (self.kinetic - self.kept - self.scaled)
    }

    /// The s of u that brings K there, as far as that is allowed.
    fn scale(&self, wanted: f64) -> f64 {
        let s = (wanted / self.scaled).max(0.0).sqrt();
        if s.is_finite() { s.clamp(1.0 / LARGEST, LARGEST) } else { 1.0 }
    }
}

/// From where to where a step has gone.
pub(super) struct Way<'a> {
    pub h: f64,
    beta: f64,
    pub filters: &'a [Filter],
    pub from: &'a [DVec3],
    pub to: &'a [DVec3],
    /// At `from`.
    pub velocities: &'a [DVec3],
}

impl Way<'_> {
    /// What a pin at an end of a spring puts into it on its way \[J\], in a frame that goes `frame` \[m\].
    fn work_of_pins(&self, spring: &Spring, frame: DVec3) -> f64 {
        let Way { filters, from, to, .. } = *self;
        let (a, b) = spring.ab();
        let way = |i: usize| if filters[i].is_pinned() { to[i] - from[i] - frame } else { DVec3::ZERO };
        let way = way(a) - way(b);
        if way == DVec3::ZERO {
            return 0.0;
        }
        let damper = self.damper(spring) * self.stretched(spring) / self.h;
        let pull = |x: &[DVec3]| {
            let (p, l) = (x[a] - x[b], length(x[a] - x[b]));
            if l > 0.0 { ((spring.tension(l).0 + damper) / l) * p } else { DVec3::ZERO }
        };
        0.5 * (pull(from) + pull(to)).dot(way)
    }

    /// What the damper of a spring takes \[J\].
    fn damped(&self, spring: &Spring) -> f64 {
        let (c, stretched) = (self.damper(spring), self.stretched(spring));
        if c * stretched == 0.0 {
            return 0.0;
        }
        let (a, b) = spring.ab();
        let velocity = |i: usize| match self.filters[i].is_pinned() {
            true => (self.to[i] - self.from[i]) / self.h,
            false => self.velocities[i],
        };
        let p = self.from[a] - self.from[b];
        let rate = (velocity(a) - velocity(b)).dot(p) / length(p);
        (0.5 * c * stretched * (rate + stretched / self.h)).max(0.0)
    }

    /// c of a spring [kg/s]: none if it is slack before the step, or has no direction.
    fn damper(&self, spring: &Spring) -> f64 {
        let (a, b) = spring.ab();
        let l = if self.beta > 0.0 { length(self.from[a] - self.from[b]) } else { 0.0 };
        if l > 0.0 && spring.tension(l).1 != 0.0 { self.beta * spring.stiffness } else { 0.0 }
    }

    /// By how much a spring has become longer \[m\].
    fn stretched(&self, spring: &Spring) -> f64 {
        let (a, b) = spring.ab();
        length(self.to[a] - self.to[b]) - length(self.from[a] - self.from[b])
    }
}
