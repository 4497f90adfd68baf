//! Obstacles as a source of constraints: particles and faces are kept out of forms that are known by their distance φ.
//!
//! Everything is seen from the obstacle, in its own coordinates, where it rests: a particle goes straight from X0 to X1
//! there. (An obstacle that turns by θ in a step bends that way by θ²/8 of its distance from the axis; a path in pieces
//! bends less.) A point `Σ wᵢ Xᵢ` of a face at the end of the step, with the normal n = ∇φ there, is kept out by
//!
//! ```text
//! n·(Σ wᵢ Δᵢ − ground) ≥ n·(P1 − P0) − (φ(P1) − margin),
//! ```
//!
//! P0 and P1 the point at both ends, `ground` how far the obstacle itself carries P0. Every particle near an obstacle has
//! such a constraint; a face has one at its deepest point (`view`) where that is none of its corners. What would pass
//! through the form on its way has one with the place and normal of its first entry.
//!
//! An obstacle counts as prescribed: what sinks deeper into it than a thousandth of an edge, or goes through it, is a
//! *hit*, and if sweeps cannot help, moves with it as one rigid zone.

use super::view::{Touch, View};
use super::{Outside, Zones, loads};
use crate::Model;
use crate::collision::Obstacle;
use crate::energy::Near;
use glam::DVec3;

/// How deep a face may be in an obstacle at the end of a step, in lengths of its shortest edge at rest.
pub(super) const SHALLOW: f64 = 0.55e-3;
/// Points that stand for an obstacle in a zone: not in one plane.
pub(super) const ANCHORS: [DVec3; 4] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];

/// The obstacles during a step, or a piece of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub obstacles: &'a [Obstacle],
    /// When the step begins and ends \[s\].
    pub from: f64,
    pub to: f64,
}

impl Ground<'_> {
    /// The part of it between two fractions.
    pub fn part(&self, from: f64, to: f64) -> Self {
        let at = |t: f64| self.from + t * (self.to - self.from);
        Ground { from: at(from), to: if to == 1.0 { self.to } else { at(to) }, ..*self }
    }
}

/// What a constraint is about: an obstacle, and a particle, or, counted after all particles, a face.
type Source = [u32; 2];

/// Faces, and what is known of them and of the obstacles in a step.
#[derive(Debug, Default)]
pub(super) struct Solids {
    particles: usize,
    /// Triangles; then loose edges, one end twice; then particles that are in neither, three times.
    faces: Vec<[u32; 3]>,
    /// How deep each particle and each face may be \[m\].
    allowed: Vec<f64>,
    views: Vec<View>,
    /// Of each constraint in the pool that is of an obstacle, ascending; and where in the pool they begin.
    sources: Vec<Source>,
    first: usize,
    /// The same before they are found again, and what they pressed with inside g.
    earlier: Vec<(Source, [f64; 4], f64)>,
    pub hits: Vec<Hit>,
    /// What was let through in this step, ascending.
    passed: Vec<Source>,
}

/// A face or a particle that is deeper in an obstacle than it may be, or passes through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hit {
    source: Source,
    particles: [u32; 3],
    anchor: u32,
    contact: Touch,
}

impl Hit {
    pub fn obstacle(&self) -> u32 {
        self.source[0]
    }

    /// Its particles, and the first anchor of its obstacle.
    pub fn members(&self) -> [u32; 4] {
        let [a, b, c] = self.particles;
        [a, b, c, self.anchor]
    }
}

impl Solids {
    pub fn new(model: &Model) -> Self {
        let particles = model.particles();
        let Outside { mut faces, strands } = Outside::of(model);
        faces.extend(strands.into_iter().map(|[a, b]| [a, b, b]));
        let mut covered = vec![false; particles];
        faces.as_flattened().iter().for_each(|&i| covered[i as usize] = true);
        faces.extend((0..particles as u32).filter(|&i| !covered[i as usize]).map(|i| [i; 3]));
        let edge = |[a, b]: [u32; 2]| model.rest[a as usize].distance(model.rest[b as usize]);
        let shortest = |&[a, b, c]: &[u32; 3]| {
            let edges = [[a, b], [b, c], [c, a]].into_iter().filter(|[a, b]| a != b);
            edges.map(edge).filter(|&length| length > 0.0).fold(f64::INFINITY, f64::min)
        };
        let mut allowed = vec![f64::INFINITY; particles];
        for face in &faces {
            let short = shortest(face);
            face.iter().for_each(|&i| allowed[i as usize] = allowed[i as usize].min(short));
        }
        allowed.extend(faces.iter().map(shortest));
        // What has no edge is a point: an edge of the model, or its obstacle's margin, says what is shallow.
        let usual = model.mean_rest_length();
        allowed.iter_mut().for_each(|a| *a = SHALLOW * if a.is_finite() { *a } else { usual });
        Solids { particles, faces, allowed, ..Solids::default() }
    }

    /// Find the constraints for a step from `start` to `end`, and put them into the pool after all others, in the place of
    /// those found before. What these pressed with inside g stays known. `gently`: for a minimisation.
    pub fn find(
        &mut self,
        ground: Ground,
        (start, end): (&[DVec3], &[DVec3]),
        inverse: &[f64],
        gently: bool,
        pool: &mut Vec<Near>,
    ) {
        self.first = pool.len() - self.sources.len();
        self.earlier.clear();
        for (near, &source) in
            pool[self.first..].iter().zip(&self.sources).filter(|(near, _)| near.within > 0.0)
        {
            self.earlier.push((source, near.weights, near.within));
        }
        pool.truncate(self.first);
        self.sources.clear();
        self.passed.clear();
        self.look(ground, start, end, |_| true);
        let Solids { particles, faces, allowed, views, sources, earlier, .. } = self;
        for (number, (view, obstacle)) in views.iter().zip(ground.obstacles).enumerate() {
            let reach = view.reach(obstacle);
            let mut add = |primitive: usize, corners: [u32; 3], touch: Touch, within: f64| {
                if let Some(near) = view.near(corners, touch, obstacle, inverse) {
                    let source = [number as u32, primitive as u32];
                    pool.push(Near { within, place: loads::of_obstacle(source), ..near });
                    sources.push(source);
                }
            };
            let known = |primitive: usize| {
                let source = [number as u32, primitive as u32];
                let at = earlier.binary_search_by_key(&source, |entry| entry.0).ok()?;
                Some(earlier[at])
            };
            for (i, after) in view.after.iter().enumerate() {
                if inverse[i] > 0.0 && after.distance < obstacle.margin + reach {
                    let touch = view.at_end([i as u32; 3], [1.0, 0.0, 0.0], obstacle, gently);
                    add(i, [i as u32; 3], touch, known(i).map_or(0.0, |entry| entry.2));
                }
            }
            for (f, &corners) in faces.iter().enumerate() {
                let primitive = *particles + f;
                let limit = allowed[primitive];
                if prescribed(corners, inverse) || view.is_far(corners, obstacle) {
                    continue;
                }
                let earlier = known(primitive);
                let touch = match earlier {
                    Some((_, [u, v, w, _], _)) => Some(view.at_end(corners, [u, v, w], obstacle, gently)),
                    None => view
                        .dip(obstacle, corners, limit)
                        .map(|found| view.at_end(corners, found.weights, obstacle, gently))
                        .or_else(|| view.entry(obstacle, corners, limit)),
                };
                if let Some(touch) = touch {
                    add(primitive, corners, touch, earlier.map_or(0.0, |entry| entry.2));
                }
            }
        }
    }

    /// Find what is deeper than it may be, or passes through, among what `changed` and is not held by a zone.
    pub fn certify(
        &mut self,
        ground: Ground,
        (start, end): (&[DVec3], &[DVec3]),
        inverse: &[f64],
        changed: &[bool],
        zones: &Zones,
    ) {
        self.look(ground, start, end, |i| changed[i]);
        let Solids { particles, faces, allowed, views, hits, passed, .. } = self;
        hits.clear();
        for (number, (view, obstacle)) in views.iter().zip(ground.obstacles).enumerate() {
            for (f, &corners) in faces.iter().enumerate() {
                let primitive = *particles + f;
                let moving = |&i: &u32| changed[i as usize];
                if prescribed(corners, inverse)
                    || !corners.iter().any(moving)
                    || view.is_far(corners, obstacle)
                {
                    continue;
                }
                let (source, anchor) = ([number as u32, primitive as u32], anchor(*particles, number, 0));
                let held = zones.holds([corners[0], corners[1], corners[2], anchor]);
                if held || passed.binary_search(&source).is_ok() {
                    continue;
                }
                if let Some(contact) = view.hit(obstacle, corners, allowed[primitive]) {
                    hits.push(Hit { source, particles: corners, anchor, contact });
                }
            }
        }
    }

    /// Turn hits into constraints.
    pub fn meet(&mut self, ground: Ground, inverse: &[f64], pool: &mut Vec<Near>) {
        for hit in &self.hits {
            let (view, obstacle) =
                (&self.views[hit.source[0] as usize], &ground.obstacles[hit.source[0] as usize]);
            // Where it counts as found in the next step does not matter: hits are not looked up again.
            pool.extend(view.near(hit.particles, hit.contact, obstacle, inverse));
        }
    }

    /// Let zones have the obstacles' anchors: where they are and how they move.
    pub fn anchors(&self) -> impl Iterator<Item = (DVec3, DVec3)> {
        self.views
            .iter()
            .flat_map(|view| ANCHORS.map(|p| (view.start.at(p), view.end.at(p) - view.start.at(p))))
    }

    /// What hits move with as one.
    pub fn join(&self, zones: &mut Zones, inverse: &[f64]) {
        for hit in &self.hits {
            let [a, b, c] = hit.particles;
            for k in 0..ANCHORS.len() {
                zones.join([a, b, c, anchor(self.particles, hit.source[0] as usize, k)], inverse);
            }
        }
    }

    /// Let through for this step what pinched zones hold. Returns how many hits that ends.
    pub fn pass(&mut self, zones: &Zones) -> usize {
        let known = self.passed.len();
        let caught = |hit: &Hit| zones.is_pinched(hit.members());
        self.passed.extend(self.hits.iter().filter(|hit| caught(hit)).map(|hit| hit.source));
        let count = self.passed.len() - known;
        self.passed.sort_unstable();
        self.hits.retain(|hit| !caught(hit));
        count
    }

    /// Constraints of the pool that are of obstacles and press.
    pub fn pressing(&self, pool: &[Near]) -> usize {
        pool[self.first..][..self.sources.len()].iter().filter(|near| near.presses()).count()
    }

    /// Constraints of the pool that are of obstacles.
    pub fn count(&self) -> usize {
        self.sources.len()
    }

    /// Nothing is in the pool any more.
    pub fn forget(&mut self) {
        self.sources.clear();
    }

    /// See particles from every obstacle; those that did not change are as they were.
    fn look(&mut self, ground: Ground, start: &[DVec3], end: &[DVec3], changed: impl Fn(usize) -> bool) {
        self.views.resize_with(ground.obstacles.len(), View::default);
        for (view, obstacle) in self.views.iter_mut().zip(ground.obstacles) {
            view.look(obstacle, ground, start, end, &changed);
        }
    }
}

/// Whether nothing of a face can be moved: two prescribed things are never tested.
fn prescribed(corners: [u32; 3], inverse: &[f64]) -> bool {
    corners.iter().all(|&i| inverse[i as usize] == 0.0)
}

/// The number of an obstacle's anchor in zones: after all particles.
pub(super) fn anchor(particles: usize, obstacle: usize, k: usize) -> u32 {
    (particles + ANCHORS.len() * obstacle + k) as u32
}
