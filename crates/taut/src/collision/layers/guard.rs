//! The response: a list of stages from x1 as the integrator left it to x1 without crossings.

use super::impacts::{self, Impact};
use super::skin::Skins;
use super::zones::{MOST_TURN, Moved, Zones};
use crate::collision::{ContactSettings, Level};
use crate::energy::{Near, sweep, sweep_velocities};
use crate::geometry::{Candidates, Distances, Kind, Surface, Tree, nearest};
use crate::{Error, Family, Filter, Model, State};
use glam::DVec3;

/// How often a path is halved, at most.
const MOST_HALVINGS: u32 = 6;
/// How much of the way to its thickness a pair that is nearer is pushed in a step: all at once would be a blow.
const RELAXED: f64 = 0.2;

/// Everything that may meet, and room for what happens in a step.
#[derive(Debug)]
pub(crate) struct Layers {
    settings: ContactSettings,
    surface: Surface,
    skins: Skins,
    tree: Tree,
    candidates: Candidates,
    /// 1/m \[1/kg\], 0 where prescribed; and whether it is.
    inverse: Vec<f64>,
    prescribed: Vec<bool>,
    /// Δ: how far each particle moves in the step \[m\], and whether that has changed since it was last certified.
    moves: Vec<DVec3>,
    changed: Vec<bool>,
    pool: Vec<Near>,
    impacts: Vec<Impact>,
    zones: Zones,
    /// Whether the constraints of the coming step have been found.
    found: bool,
    /// Positions and velocities as the integrator left them, and where the path has got to.
    wanted: (Vec<DVec3>, Vec<DVec3>),
    here: Vec<DVec3>,
    /// Whether zones that turn far end the attempt: a path that is halved turns less at once.
    gently: bool,
    response: Response,
}

/// What contact did in a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Response {
    /// Pairs whose boxes came within their thickness.
    pub pairs: usize,
    /// Constraints that pressed.
    pub contacts: usize,
    /// Rounds of impacts.
    pub rounds: usize,
    /// Rigid zones, and particles in the largest.
    pub zones: usize,
    /// Particles in the largest rigid zone.
    pub largest_zone: usize,
    /// How often the path of the step was halved.
    pub halvings: u32,
    /// Pinched pairs that were let through.
    pub pinches: usize,
    /// Smallest distance at the start of the step among pairs within their thickness \[m\]; infinite if there is none.
    pub nearest: f64,
}

impl Response {
    /// Add what happened in another piece of the step.
    fn add(&mut self, more: Response) {
        self.pairs = self.pairs.max(more.pairs);
        self.contacts = self.contacts.max(more.contacts);
        self.rounds += more.rounds;
        self.zones += more.zones;
        self.largest_zone = self.largest_zone.max(more.largest_zone);
        self.pinches += more.pinches;
        self.nearest = self.nearest.min(more.nearest);
    }
}

/// A pair that cannot be kept apart, because prescribed particles force it together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pinched {
    pub particles: [u32; 4],
    pub kind: Kind,
}

impl Layers {
    /// For a model, its pins as they are in a state.
    pub fn new(settings: ContactSettings, model: &Model, state: &State) -> Result<Self, Error> {
        let collides = |i: u32| model.skin(model.tag(i as usize)).collide;
        let triangles: Vec<[u32; 3]> = model.triangles.iter().copied().filter(|t| collides(t[0])).collect();
        let mut covered = vec![false; model.particles()];
        triangles.as_flattened().iter().for_each(|&i| covered[i as usize] = true);
        let loose = model.springs.iter().filter(|s| s.family == Family::Stretch && collides(s.ends[0]));
        let loose = loose.map(|s| s.ends).filter(|ends| ends.iter().any(|&i| !covered[i as usize]));
        let strands: Vec<[u32; 2]> = if model.tets.is_empty() { loose.collect() } else { Vec::new() };
        let surface = Surface::new(model.particles(), &triangles, &strands)?;
        let inverse = model.masses.iter().zip(&state.filters);
        let inverse: Vec<f64> = inverse.map(|(m, f)| if f.is_pinned() { 0.0 } else { 1.0 / m }).collect();
        Ok(Layers {
            settings,
            skins: Skins::new(model, &surface),
            tree: Tree::new(&surface, &model.rest),
            surface,
            candidates: Candidates::default(),
            prescribed: inverse.iter().map(|&w| w == 0.0).collect(),
            moves: vec![DVec3::ZERO; inverse.len()],
            changed: vec![false; inverse.len()],
            inverse,
            pool: Vec::new(),
            impacts: Vec::new(),
            zones: Zones::default(),
            found: false,
            wanted: Default::default(),
            here: Vec::new(),
            gently: false,
            response: Response::default(),
        })
    }

    /// Find what may touch in the coming step before it is taken, for an integrator that can use it: pairs that would come
    /// within their thickness if no spring pulled.
    pub fn foresee(&mut self, model: &Model, state: &State, h: f64) -> &mut Vec<Near> {
        let mut end = std::mem::take(&mut self.moves);
        let State { positions, velocities, forces, filters, .. } = state;
        for (i, end) in end.iter_mut().enumerate() {
            let fall = h * h * (model.gravity + forces[i] / model.masses[i]);
            *end = match filters[i] {
                Filter::Pinned(z) => z,
                _ => positions[i] + h * velocities[i] + fall,
            };
        }
        self.find_near(positions, &end);
        (self.moves, self.found) = (end, true);
        &mut self.pool
    }

    /// Put right a step of length `h` \[s\] from `start`, where nothing crosses, to `end` \[m\]. If something is pinched
    /// then, `exact` follows the path from start to end in more and more straight pieces: less is caught at once.
    pub fn respond(
        &mut self,
        start: &[DVec3],
        end: &mut [DVec3],
        velocities: &mut [DVec3],
        h: f64,
    ) -> Result<Response, Pinched> {
        if self.settings.level != Level::Exact {
            return self.respond_to(start, end, velocities, h);
        }
        let mut wanted = std::mem::take(&mut self.wanted);
        wanted.0.clear();
        wanted.0.extend_from_slice(end);
        wanted.1.clear();
        wanted.1.extend_from_slice(velocities);
        self.gently = true;
        let mut result = self.respond_to(start, end, velocities, h);
        for halvings in 1..=MOST_HALVINGS {
            if result.is_ok() {
                break;
            }
            velocities.copy_from_slice(&wanted.1);
            self.gently = halvings < MOST_HALVINGS;
            result = self.follow_path(1 << halvings, (start, &wanted.0), end, velocities, h);
            if let Ok(response) = &mut result {
                response.halvings = halvings;
            }
        }
        self.wanted = wanted;
        result
    }

    /// Respond to the straight path from `start` to `wanted` piece by piece. What contact took from the way of one piece
    /// is not asked for again in the next.
    fn follow_path(
        &mut self,
        pieces: usize,
        (start, wanted): (&[DVec3], &[DVec3]),
        end: &mut [DVec3],
        velocities: &mut [DVec3],
        h: f64,
    ) -> Result<Response, Pinched> {
        let mut here = std::mem::take(&mut self.here);
        here.clear();
        here.extend_from_slice(start);
        let mut result = Ok(Response { nearest: f64::INFINITY, ..Response::default() });
        for piece in 1..=pieces {
            let part = piece as f64 / pieces as f64;
            for (i, to) in end.iter_mut().enumerate() {
                let way = wanted[i] - start[i];
                // Prescribed particles are exactly where they are to be at the end.
                *to = match self.prescribed[i] {
                    true if piece == pieces => wanted[i],
                    true => start[i] + part * way,
                    false => here[i] + way / pieces as f64,
                };
            }
            let response = self.respond_to(&here, end, velocities, h / pieces as f64);
            match (&mut result, response) {
                (Ok(all), Ok(response)) => all.add(response),
                (_, Err(pinched)) => {
                    result = Err(pinched);
                    break;
                }
                (Err(_), _) => unreachable!("a pinch ends it"),
            }
            here.copy_from_slice(end);
        }
        self.here = here;
        result
    }

    /// The stages, for one straight path from `start` to `end`, in `h` \[s\].
    fn respond_to(
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
        self.correct_velocities(start, velocities, h);
        self.response.contacts = self.pool.len();
        Ok(self.response)
    }

    /// The pairs that come within their thickness, as constraints at their nearest points at the start:
    /// `n·Σ w x1 ≥ δ`, or if they are nearer than that already, a part of the way there.
    fn find_near(&mut self, start: &[DVec3], end: &[DVec3]) {
        let thickest = self.skins.thickest;
        let edge_edge = if self.settings.level == Level::Exact { thickest } else { 0.0 };
        self.search(start, end, Distances { vertex_face: thickest, edge_edge });
        let Layers { surface, skins, candidates, pool, inverse, response, .. } = self;
        *response = Response { nearest: f64::INFINITY, ..Response::default() };
        pool.clear();
        for (kind, pair, particles) in impacts::pairs(surface, candidates) {
            response.pairs += 1;
            if kind == Kind::EdgeEdge && edge_edge == 0.0 {
                continue;
            }
            let Some((thickness, friction)) = skins.of(kind, pair, particles) else { continue };
            let found = nearest(kind, &particles.map(|i| start[i as usize]));
            let distance = found.vector.length();
            if distance < thickness {
                response.nearest = response.nearest.min(distance);
            }
            if distance > 0.0 {
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
        for near in self.pool.iter().filter(|near| near.presses()) {
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
        let Layers { surface, skins, candidates, changed, zones, impacts, .. } = self;
        let all =
            impacts::pairs(surface, candidates).filter(|&(kind, pair, p)| skins.of(kind, pair, p).is_some());
        impacts::find(all, (start, end), |i| changed[i as usize], zones, impacts);
        changed.fill(false);
    }

    /// What still crosses moves as one, and whatever that meets with it.
    fn join_zones(&mut self, start: &[DVec3], end: &mut [DVec3]) -> Result<(), Pinched> {
        while !self.impacts.is_empty() {
            let Layers { impacts, zones, inverse, moves, response, .. } = self;
            impacts.iter().for_each(|impact| zones.join(impact.particles, inverse));
            zones.gather();
            let Moved { zones: count, largest, pinched, turned } = zones.apply(start, inverse, moves);
            (response.zones, response.largest_zone) = (count, largest);
            if pinched || (self.gently && turned > MOST_TURN) {
                let Impact { kind, particles, .. } = impacts[0];
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
