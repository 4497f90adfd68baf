//! A hand: particles that are held, and led from where they are to where the pointer is, evenly over the steps between.

use glam::DVec3;
use taut::collision::Obstacle;
use taut::{Edit, Model, State};

/// Parts a step's way is divided into at most, to notice thin obstacles.
const MOST_PARTS: f64 = 64.0;

/// Particles that are held.
pub struct Hand {
    /// Which, the first in the lead.
    pub particles: Vec<usize>,
    /// Where each was, seen from the first \[m\].
    offsets: Vec<DVec3>,
    /// Those that were not pinned before.
    free: Vec<usize>,
    /// Where the first is \[m\].
    pub place: DVec3,
    /// Where it is to be \[m\].
    pub target: DVec3,
}

impl Hand {
    /// Take particles where they are.
    pub fn new(particles: Vec<usize>, state: &State, target: DVec3) -> Self {
        let place = state.positions[particles[0]];
        let offsets = particles.iter().map(|&i| state.positions[i] - place).collect();
        let free = particles.iter().copied().filter(|&i| !state.filters[i].is_pinned()).collect();
        Hand { particles, offsets, free, place, target }
    }

    /// Where it is after a step that ends at `time` \[s\] and leaves `share` of the way behind: at the target if that is 1,
    /// unless a solid is in the way, along which it slides.
    pub fn lead(
        &mut self,
        share: f64,
        obstacles: &[Obstacle],
        model: &Model,
        state: &State,
        time: f64,
    ) -> Edit {
        let way = share * (self.target - self.place);
        self.place = self.kept_out(self.place, way, obstacles, time);
        let limited = self.before_meshes(model, state);
        let lead = state.positions[self.particles[0]];
        self.place = lead + limited * (self.place - lead);
        let places = self.offsets.iter().map(|&offset| self.place + offset).collect();
        Edit::Place { particles: self.particles.clone(), places }
    }

    /// The end of a way \[m\] for the whole hand, part by part, each put out of obstacles.
    fn kept_out(&self, from: DVec3, way: DVec3, obstacles: &[Obstacle], time: f64) -> DVec3 {
        let thinnest = obstacles.iter().map(|o| o.shape.thickness()).fold(f64::INFINITY, f64::min);
        let parts = (way.length() / (0.25 * thinnest)).ceil().clamp(1.0, MOST_PARTS);
        let mut place = from;
        for _ in 0..parts as usize {
            place += way / parts;
            // A corner between two obstacles takes some rounds; what is pushed least is pushed last.
            for _ in 0..4 {
                let pushes = obstacles.iter().flat_map(|obstacle| {
                    self.offsets.iter().map(move |&offset| {
                        let (distance, normal) = obstacle.distance(place + offset, time);
                        (obstacle.margin - distance, normal)
                    })
                });
                match pushes.filter(|(deep, _)| *deep > 0.0).max_by(|a, b| a.0.total_cmp(&b.0)) {
                    Some((deep, normal)) => place += deep * normal,
                    None => break,
                }
            }
        }
        place
    }

    /// The share of the way that the particles can go before one meets a face of a solid mesh.
    fn before_meshes(&self, model: &Model, state: &State) -> f64 {
        let solid = |t: &&[u32; 3]| model.is_solid(t[0] as usize);
        let mut share = 1.0_f64;
        for corners in model.triangles.iter().filter(solid) {
            let corners = corners.map(|i| state.positions[i as usize]);
            for (&i, &offset) in self.particles.iter().zip(&self.offsets) {
                let from = state.positions[i];
                share =
                    share.min(crossing(corners, from, self.place + offset - from).map_or(1.0, |t| 0.9 * t));
            }
        }
        share
    }

    /// Let go of those that were free before.
    pub fn drop(self) -> Option<Edit> {
        (!self.free.is_empty()).then_some(Edit::Release { particles: self.free })
    }
}

/// The share t ∈ [0, 1] of the way \[m\] after which a point meets a triangle: from + t·way = a + u(b − a) + v(c − a).
fn crossing([a, b, c]: [DVec3; 3], from: DVec3, way: DVec3) -> Option<f64> {
    let (e, f) = (b - a, c - a);
    let across = way.cross(f);
    let volume = e.dot(across);
    if volume == 0.0 {
        return None;
    }
    let s = from - a;
    let u = s.dot(across) / volume;
    let turned = s.cross(e);
    let (v, t) = (way.dot(turned) / volume, f.dot(turned) / volume);
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&t)).then_some(t)
}
