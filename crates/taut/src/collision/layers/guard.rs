//! The response: a list of stages from x1 as the integrator left it to x1 without crossings.

use super::impacts::{self, Impact};
use super::zones::{MOST_TURN, Moved};
use super::{Ground, Layers, Pinched, Response, loads};
use crate::clock::{self, timed};
use crate::collision::Level;
use crate::energy::{Near, Sweeps};
use crate::geometry::{Approach, Distances, Kind, nearest};
use glam::DVec3;

/// How much of the way to its thickness a pair that is nearer is pushed in a step: all at once would be a blow.
const RELAXED: f64 = 0.2;

/// How many pairs about one place a pair that is kept stands for. With all six faces around a vertex each a constraint, or
/// with those that tell something at twice the stiffness, a twisted cloth stretches by the same.
const STANDS_FOR: f64 = 2.0;
/// Pairs that stay apart by more than this many thicknesses are left to certificates.
const FAR: f64 = 2.0;

impl Layers {
    /// The stages, for one straight path from `start` to `end`, in `h` \[s\].
    pub(super) fn respond_to(
        &mut self,
        ground: Ground,
        start: &[DVec3],
        end: &mut [DVec3],
        velocities: &mut [DVec3],
        h: f64,
    ) -> Result<Response, Pinched> {
        let met = std::mem::take(&mut self.found);
        if !met {
            self.find_near(start, end);
        }
        self.moves.iter_mut().zip(start.iter().zip(&*end)).for_each(|(d, (a, b))| *d = *b - *a);
        let Layers { solids, inverse, pool, seconds, .. } = self;
        timed(&mut seconds.solids, || solids.find(ground, (start, end), inverse, false, pool));
        if !met {
            // Obstacles are found anew where the step ends: what pressed there a step ago would only mislead.
            let pairs = self.pool.len() - self.solids.count();
            loads::recall(&self.before, &mut self.pool[..pairs], h);
            Sweeps::resume(&mut self.pool, &self.inverse, &mut self.moves);
        }
        self.changed.fill(true);
        self.zones.clear(start.len());
        self.sweep(start, end);
        self.meet_impacts(ground, start, end);
        self.join_zones(ground, start, end)?;
        self.response.contacts = self.pool.iter().filter(|near| near.presses()).count();
        self.response.touching = self.solids.pressing(&self.pool);
        loads::remember(&self.pool, h, &self.before, &mut self.loads);
        self.correct_velocities(start, velocities, h);
        Ok(self.response)
    }

    /// The pairs that come within their thickness, as constraints at their nearest points at the start:
    /// `n·Σ w x1 ≥ δ`, or if they are nearer than that already, a part of the way there.
    pub(super) fn find_near(&mut self, start: &[DVec3], end: &[DVec3]) {
        let began = clock::seconds();
        let thickest = self.skins.thickest;
        let exact = self.settings.level == Level::Exact;
        let edge_edge = if exact || self.strands { thickest } else { -1.0 };
        self.search(start, end, Distances { vertex_face: thickest, edge_edge });
        if self.strands && !exact {
            // Strands have no faces to keep away from.
            let Layers { surface, candidates, .. } = self;
            let strand = |&edge: &u32| surface.edge_faces[edge as usize] == 0;
            candidates.edge_edge.retain(|pair| pair.iter().any(strand));
        }
        // Sweeps go by numbers, whatever leaves the surface was cut into: the mirror image has others.
        self.candidates.sort_within(&mut self.room);
        let Layers {
            surface,
            skins,
            candidates,
            approaches,
            rims,
            inverse,
            places,
            response,
            tangles,
            pool,
            ..
        } = self;
        let pairs = candidates.vertex_face.len() + candidates.edge_edge.len();
        *response = Response { pairs, capped: skins.capped(), ..Response::default() };
        pool.clear();
        places.clear(start.len());
        self.solids.forget();
        approaches.each((surface, rims, candidates), (start, end), FAR * thickest, |found| {
            let Approach { kind, pair, particles, nearest, distance, after } = found;
            if tangles.is_loose(kind, pair) {
                return;
            }
            let Some((thickness, friction)) = skins.of(kind, pair, particles) else { return };
            if distance < thickness {
                response.nearest = response.nearest.min(distance);
            }
            if after < FAR * thickness * distance {
                let need = kept(distance, thickness) - distance;
                let normal = nearest.vector / distance;
                let place = loads::of_pair(kind, pair, particles, nearest.weights);
                if !places.take(place, (particles, nearest.weights), pool) {
                    return;
                }
                if let Some(mut near) =
                    Near::new((particles, nearest.weights), normal, need, friction, inverse)
                {
                    (near.stands_for, near.place) = (STANDS_FOR, place);
                    pool.push(near);
                }
            }
        });
        places.finish(pool);
        self.seconds.search += clock::seconds() - began;
    }

    /// Candidates for the motion as it is.
    fn search(&mut self, start: &[DVec3], end: &[DVec3], distances: Distances) {
        self.tree.refit(start, end);
        self.tree.pairs(&self.prescribed, distances, &mut self.candidates);
    }

    /// Sweep over all constraints and move the particles they press.
    fn sweep(&mut self, start: &[DVec3], end: &mut [DVec3]) {
        let Layers { sweeps, pool, inverse, moves, seconds, .. } = self;
        timed(&mut seconds.sweep, || sweeps.sweep(pool, inverse, moves));
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
    fn meet_impacts(&mut self, ground: Ground, start: &[DVec3], end: &mut [DVec3]) {
        for _ in 0..self.settings.rounds() {
            self.certify(ground, start, end);
            if self.is_certified() {
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
            self.solids.meet(ground, inverse, pool);
            self.sweep(start, end);
        }
        self.certify(ground, start, end);
    }

    fn is_certified(&self) -> bool {
        self.impacts.is_empty() && self.solids.hits.is_empty()
    }

    /// Find the impacts among pairs with a particle that changed since the last time.
    fn certify(&mut self, ground: Ground, start: &[DVec3], end: &[DVec3]) {
        let began = clock::seconds();
        self.search(start, end, Distances::default());
        self.solids.certify(ground, (start, end), &self.inverse, &self.changed, &self.zones);
        let Layers { surface, skins, candidates, changed, zones, impacts, tangles, .. } = self;
        let all = impacts::pairs(surface, candidates).filter(|&(kind, pair, particles)| {
            skins.of(kind, pair, particles).is_some() && !tangles.is_loose(kind, pair)
        });
        impacts::find(all, (start, end), |i| changed[i as usize], zones, impacts);
        changed.fill(false);
        self.seconds.certify += clock::seconds() - began;
    }

    /// What still crosses moves as one, and whatever that meets with it.
    fn join_zones(&mut self, ground: Ground, start: &[DVec3], end: &mut [DVec3]) -> Result<(), Pinched> {
        while !self.is_certified() {
            let began = clock::seconds();
            self.let_through();
            let Layers { impacts, solids, zones, inverse, moves, response, .. } = self;
            zones.anchor(solids.anchors());
            impacts.iter().for_each(|impact| zones.join(impact.particles, inverse));
            solids.join(zones, inverse);
            zones.gather();
            let Moved { zones: count, largest, pinched, turned } = zones.apply(start, inverse, moves);
            (response.zones, response.largest_zone) = (count, largest);
            self.seconds.zones += clock::seconds() - began;
            let stops = pinched && (self.gently || !self.settings.passes());
            if stops || (self.gently && turned > MOST_TURN) {
                return Err(self.first_pinched());
            }
            for i in zones.members().iter().map(|&i| i as usize) {
                if inverse.get(i).is_some_and(|&w| w > 0.0) {
                    end[i] = start[i] + moves[i];
                    self.changed[i] = true;
                }
            }
            self.certify(ground, start, end);
        }
        Ok(())
    }

    /// The first pair that is pinched; the first of all if zones turn too far for one piece of the path.
    fn first_pinched(&self) -> Pinched {
        let Layers { impacts, solids, zones, .. } = self;
        let pairs = impacts.iter().map(|impact| {
            let pair = if impact.kind == Kind::VertexFace { 1 } else { 2 };
            (impact.particles, Pinched { particles: impact.particles.to_vec(), pair, obstacle: None })
        });
        let hits = solids.hits.iter().map(|hit| {
            let particles = hit.members()[..3].to_vec();
            (hit.members(), Pinched { particles, pair: 0, obstacle: Some(hit.obstacle()) })
        });
        let mut all = pairs.chain(hits);
        let (first, rest) = (all.next().expect("something is not certified"), all);
        let pinched = |(members, _): &([u32; 4], Pinched)| zones.is_pinched(*members);
        std::iter::once(first.clone()).chain(rest).find(pinched).unwrap_or(first).1
    }

    /// What a pinched zone has caught passes through, and is no impact any more.
    fn let_through(&mut self) {
        self.response.pinches += self.solids.pass(&self.zones);
        let Layers { impacts, zones, tangles, response, .. } = self;
        let caught = |impact: &Impact| zones.is_pinched(impact.particles);
        response.pinches += impacts.iter().filter(|impact| caught(impact)).count();
        tangles.pass(impacts.iter().filter(|impact| caught(impact)).map(|impact| (impact.kind, impact.pair)));
        impacts.retain(|impact| !caught(impact));
    }

    /// The velocities that belong to the positions: impulses at the constraints that pressed, then rigid zones.
    fn correct_velocities(&mut self, start: &[DVec3], velocities: &mut [DVec3], h: f64) {
        let Layers { sweeps, pool, inverse, seconds, .. } = self;
        timed(&mut seconds.sweep, || sweeps.velocities(pool, h, inverse, velocities));
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
