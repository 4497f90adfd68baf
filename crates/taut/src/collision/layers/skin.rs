//! Thickness and friction of pairs.
//!
//! A body has a thickness δ and a coefficient of friction μ; a pair has the mean of both thicknesses and the geometric
//! mean of both coefficients. Within a body no pair is kept further apart than 0.9 times its distance at rest, or fine
//! meshes would swell: the few pairs for which that is less than their thickness are listed.

use super::seams::Seams;
use crate::Model;
use crate::geometry::{Candidates, Distances, Kind, Surface, Tree, nearest};
use crate::model::Skin;
use glam::DVec3;

/// Thickness of a body that is given none, in mean lengths of its edges at rest.
const USUAL: f64 = 0.25;
/// How near a pair of a body may be kept, in distances at rest.
const ROOM: f64 = 0.9;

/// What pairs are kept apart by.
#[derive(Debug, Default)]
pub(super) struct Skins {
    /// The body of each particle.
    body: Vec<u32>,
    bodies: Vec<Own>,
    /// The largest thickness \[m\].
    pub thickest: f64,
    /// Pairs of a body that are nearer at rest than their thickness allows, ascending, and how far they are kept apart.
    close: Vec<((Kind, [u32; 2]), f64)>,
    /// Of each body that is given a thickness.
    capped: Vec<Option<Capped>>,
    seams: Seams,
}

/// How many pairs of a body are nearer at rest than the thickness it is given allows, and the shortest of their distances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Capped {
    pub pairs: usize,
    pub nearest: f64,
}

#[derive(Debug, Clone, Copy)]
struct Own {
    thickness: f64,
    /// Whether somebody asked for it.
    given: bool,
    friction: f64,
    meets_itself: bool,
}

impl Skins {
    /// The skins of a model's bodies, and of prescribed particles after the model's, which take those of `others`.
    pub fn new(model: &Model, surface: &Surface) -> Self {
        let count = model.body_count();
        let mut sums = vec![(0.0, 0.0); count];
        for &[a, b] in &surface.edges {
            let (sum, edges) = &mut sums[model.tag(a as usize)];
            *sum += model.rest[a as usize].distance(model.rest[b as usize]);
            *edges += 1.0;
        }
        let own = |body: usize| {
            let Skin { thickness, friction, self_collide, .. } = model.skin(body);
            let (sum, edges): (f64, f64) = sums[body];
            let usual = if edges > 0.0 { USUAL * sum / edges } else { 0.0 };
            Own {
                thickness: thickness.unwrap_or(usual),
                given: thickness.is_some(),
                friction,
                meets_itself: self_collide,
            }
        };
        let bodies: Vec<Own> = (0..count).map(own).collect();
        let mut skins = Skins {
            body: (0..model.particles()).map(|i| model.tag(i) as u32).collect(),
            thickest: bodies.iter().map(|own| own.thickness).fold(0.0, f64::max),
            capped: vec![None; bodies.len()],
            bodies,
            close: Vec::new(),
            seams: Seams::new(model, surface),
        };
        skins.find_close(&model.rest, surface);
        skins
    }

    /// List the pairs of a body that are near at rest.
    fn find_close(&mut self, rest: &[DVec3], surface: &Surface) {
        let mut tree = Tree::new(surface, rest).unculled();
        let mut candidates = Candidates::default();
        let reach = self.thickest / ROOM;
        tree.pairs(&[], Distances { vertex_face: reach, edge_edge: reach }, &mut candidates);
        candidates.sort();
        for (kind, pair, particles) in super::impacts::pairs(surface, &candidates) {
            let Some((thickness, _)) = self.between(kind, particles) else { continue };
            let bodies = particles.map(|i| self.body[i as usize]);
            if bodies.iter().any(|&b| b != bodies[0]) {
                continue;
            }
            let distance = nearest(kind, &particles.map(|i| rest[i as usize])).vector.length();
            let room = ROOM * distance;
            if room < thickness {
                self.close.push(((kind, pair), room));
                if self.bodies[bodies[0] as usize].given {
                    let capped = self.capped[bodies[0] as usize]
                        .get_or_insert(Capped { pairs: 0, nearest: f64::INFINITY });
                    *capped = Capped { pairs: capped.pairs + 1, nearest: capped.nearest.min(distance) };
                }
            }
        }
        self.close.sort_unstable_by_key(|entry| entry.0);
    }

    /// Thickness \[m\] and friction of a pair by its bodies and seams; `None` if it may cross.
    #[inline]
    fn between(&self, kind: Kind, particles: [u32; 4]) -> Option<(f64, f64)> {
        let second = if kind == Kind::VertexFace { 1 } else { 2 };
        if self.seams.join(&particles[..second], &particles[second..]) {
            return None;
        }
        let [a, b] = [particles[0], particles[second]].map(|i| self.body[i as usize]);
        let (first, second) = (&self.bodies[a as usize], &self.bodies[b as usize]);
        if a == b {
            return first.meets_itself.then_some((first.thickness, first.friction));
        }
        Some((0.5 * (first.thickness + second.thickness), (first.friction * second.friction).sqrt()))
    }

    /// Thickness \[m\] and friction of a pair; `None` if it may cross.
    #[inline]
    pub fn of(&self, kind: Kind, pair: [u32; 2], particles: [u32; 4]) -> Option<(f64, f64)> {
        let (thickness, friction) = self.between(kind, particles)?;
        if self.close.is_empty() {
            return Some((thickness, friction));
        }
        let close = self.close.binary_search_by(|entry| entry.0.cmp(&(kind, pair)));
        Some((close.map_or(thickness, |at| self.close[at].1), friction))
    }

    /// Whether an edge and a face may not cross.
    pub fn meet(&self, [a, b]: [u32; 2], [c, d, e]: [u32; 3]) -> bool {
        self.between(Kind::EdgeEdge, [a, b, c, d]).is_some() && !self.seams.join(&[a, b], &[e])
    }

    /// The bodies that are given a thickness beyond what their mesh has room for.
    pub fn capped_bodies(&self) -> Vec<(usize, Capped)> {
        self.capped.iter().enumerate().filter_map(|(body, capped)| Some((body, (*capped)?))).collect()
    }

    /// How many pairs are kept less apart than their thickness says.
    pub fn capped(&self) -> usize {
        self.close.len()
    }
}
