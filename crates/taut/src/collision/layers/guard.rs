//! The response: a list of stages from x1 as the integrator left it to x1 without crossings.

use super::impacts::{self, Impact};
use super::zones::{MOST_TURN, Moved};
use super::{Layers, Pinched, Response};
use crate::collision::Level;
use crate::energy::{Near, sweep, sweep_velocities};
use crate::geometry::{Distances, Kind, nearest};
use glam::DVec3;

/// How much of the way to its thickness a pair that is nearer is pushed in a step: all at once would be a blow.
const RELAXED: f64 = 0.2;

impl Layers {
    /// The stages, for one straight path from `start` to `end`, in `h` \[s\].
    pub(super) fn respond_to(
        &mut self,
        start: &[DVec3],
        end: &mut [DVec3],
        velocities: &mut [DVec3],
        h: f64,
    ) -> Result<Response, Pinched> {
        if !std::mem::take(&mut self.found) {
            self.find_near(start, end);
        }
        self.moves.iter_mut().zip(start.iter().zip(&*end)).for_each(|(d, (a, b))| *d = *b - *a);
        self.changed.fill(true);
        self.zones.clear(start.len());
        self.sweep(start, end);
        self.meet_impacts(start, end);
        self.join_zones(start, end)?;
        self.response.contacts = self.pool.iter().filter(|near| near.presses()).count();
        self.correct_velocities(start, velocities, h);
        Ok(self.response)
    }

    /// The pairs that come within their thickness, as constraints at their nearest points at the start:
    /// `n·Σ w x1 ≥ δ`, or if they are nearer than that already, a part of the way there.
    pub(super) fn find_near(&mut self, start: &[DVec3], end: &[DVec3]) {
        let thickest = self.skins.thickest;
        let edge_edge = if self.settings.level == Level::Exact { thickest } else { 0.0 };
        self.search(start, end, Distances { vertex_face: thickest, edge_edge });
        let Layers { surface, skins, candidates, pool, inverse, response, tangles, .. } = self;
        *response = Response { capped: skins.capped(), ..Response::default() };
        pool.clear();
        for (kind, pair, particles) in impacts::pairs(surface, candidates) {
            response.pairs += 1;
            if (kind == Kind::EdgeEdge && edge_edge == 0.0) || tangles.is_loose(kind, pair) {
                continue;
            }
            let Some((thickness, friction)) = skins.of(kind, pair, particles) else { continue };
            let found = nearest(kind, &particles.map(|i| start[i as usize]));
            let distance = found.vector.length();
            if distance < thickness {
                response.nearest = response.nearest.min(distance);
            }
            // Pairs that stay twice as far apart as they must are left to certificates.
            let way = separation(&particles.map(|i| end[i as usize] - start[i as usize]), found.weights);
            let after = found.vector.dot(found.vector + way);
            if distance > 0.0 && after < 2.0 * thickness * distance {
                let need = kept(distance, thickness) - distance;
                let normal = found.vector / distance;
                pool.extend(Near::new((particles, found.weights), normal, need, friction, inverse));
            }
        }
    }

    /// Candidates for the motion as it is.
    fn search(&mut self, start: &[DVec3], end: &[DVec3], distances: Distances) {
        self.tree.refit(start, end);
        self.tree.pairs(&self.prescribed, distances, &mut self.candidates);
        self.candidates.sort();
    }

    /// Sweep over all constraints and move the particles they press.
    fn sweep(&mut self, start: &[DVec3], end: &mut [DVec3]) {
        sweep(&mut self.pool, &self.inverse, &mut self.moves);
        for near in self.pool.iter().filter(|near| near.moves()) {
            for i in near.particles.map(|i| i as usize) {
                if !self.prescribed[i] {
                    end[i] = start[i] + self.moves[i];
                    self.changed[i] = true;
                }
            }
        }
    }

    /// Rounds of impacts: what is not certified joins the constraints, until nothing is found or the rounds are used up.
    fn meet_impacts(&mut self, start: &[DVec3], end: &mut [DVec3]) {
        for _ in 0..self.settings.rounds() {
            self.certify(start, end);
            if self.impacts.is_empty() {
                return;
            }
            self.response.rounds += 1;
            let Layers { impacts, skins, pool, inverse, .. } = self;
            for impact in impacts.iter() {
                let &Impact { kind, pair, particles, weights, normal, .. } = impact;
                let Some((thickness, friction)) = skins.of(kind, pair, particles) else { continue };
                let points = particles.map(|i| start[i as usize]);
                let apart = normal.dot(separation(&points, weights));
                let target = kept(nearest(kind, &points).vector.length(), thickness);
                pool.extend(Near::new((particles, weights), normal, target - apart, friction, inverse));
            }
            self.sweep(start, end);
        }
        self.certify(start, end);
    }

    /// Find the impacts among pairs with a particle that changed since the last time.
    fn certify(&mut self, start: &[DVec3], end: &[DVec3]) {
        self.search(start, end, Distances::default());
        let Layers { surface, skins, candidates, changed, zones, impacts, tangles, .. } = self;
        let all = impacts::pairs(surface, candidates).filter(|&(kind, pair, particles)| {
            skins.of(kind, pair, particles).is_some() && !tangles.is_loose(kind, pair)
        });
        impacts::find(all, (start, end), |i| changed[i as usize], zones, impacts);
        changed.fill(false);
    }

    /// What still crosses moves as one, and whatever that meets with it.
    fn join_zones(&mut self, start: &[DVec3], end: &mut [DVec3]) -> Result<(), Pinched> {
        while !self.impacts.is_empty() {
            self.let_through();
            let Layers { impacts, zones, inverse, moves, response, .. } = self;
            impacts.iter().for_each(|impact| zones.join(impact.particles, inverse));
            zones.gather();
            let Moved { zones: count, largest, pinched, turned } = zones.apply(start, inverse, moves);
            (response.zones, response.largest_zone) = (count, largest);
            let stops = pinched && (self.gently || !self.settings.passes());
            if stops || (self.gently && turned > MOST_TURN) {
                let pinched = impacts.iter().find(|impact| zones.is_pinched(impact.particles));
                let Impact { kind, particles, .. } = *pinched.unwrap_or(&impacts[0]);
                return Err(Pinched { kind, particles });
            }
            for i in zones.members().iter().map(|&i| i as usize).filter(|&i| inverse[i] > 0.0) {
                end[i] = start[i] + moves[i];
                self.changed[i] = true;
            }
            self.certify(start, end);
        }
        Ok(())
    }

    /// What a pinched zone has caught passes through, and is no impact any more.
    fn let_through(&mut self) {
        let Layers { impacts, zones, tangles, response, .. } = self;
        let caught = |impact: &Impact| zones.is_pinched(impact.particles);
        response.pinches += impacts.iter().filter(|impact| caught(impact)).count();
        tangles.pass(impacts.iter().filter(|impact| caught(impact)).map(|impact| (impact.kind, impact.pair)));
        impacts.retain(|impact| !caught(impact));
    }

    /// The velocities that belong to the positions: impulses at the constraints that pressed, then rigid zones.
    fn correct_velocities(&mut self, start: &[DVec3], velocities: &mut [DVec3], h: f64) {
        sweep_velocities(&mut self.pool, h, &self.inverse, velocities);
        if !self.zones.is_empty() {
            self.zones.apply_velocities(start, &self.inverse, h, velocities);
        }
    }
}

/// How far apart a pair at a distance shall be at the end of the step \[m\].
#[inline]
fn kept(distance: f64, thickness: f64) -> f64 {
    if distance >= thickness { thickness } else { distance + RELAXED * (thickness - distance) }
}

/// Σ w x, from differences, so that it is exact to rounding wherever the pair is.
#[inline]
fn separation(x: &[DVec3; 4], w: [f64; 4]) -> DVec3 {
    w[1] * (x[1] - x[0]) + w[2] * (x[2] - x[0]) + w[3] * (x[3] - x[0])
}
