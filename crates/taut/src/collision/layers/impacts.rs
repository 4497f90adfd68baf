//! Impacts: pairs that cannot be certified to stay apart during the step.

use super::zones::Zones;
use crate::geometry::{Candidates, Kind, Surface, Tolerance, first_touch};
use glam::DVec3;
use std::cmp::Ordering;

/// Two primitives that may touch during the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Impact {
    pub kind: Kind,
    /// Numbers of the primitives.
    pub pair: [u32; 2],
    pub particles: [u32; 4],
    /// Apart before this fraction of the step.
    pub time: f64,
    /// Weights and unit normal at that time.
    pub weights: [f64; 4],
    pub normal: DVec3,
}

impl Impact {
    /// The earlier first, then by kind and number.
    fn order(&self, other: &Self) -> Ordering {
        let key = |i: &Self| (i.kind, i.pair);
        self.time.total_cmp(&other.time).then_with(|| key(self).cmp(&key(other)))
    }
}

/// The candidates of both kinds, with their particles.
pub(super) fn pairs<'a>(
    surface: &'a Surface,
    candidates: &'a Candidates,
) -> impl Iterator<Item = (Kind, [u32; 2], [u32; 4])> + 'a {
    let vertex_face = candidates.vertex_face.iter().map(|&[point, face]| {
        let [a, b, c] = surface.faces[face as usize];
        (Kind::VertexFace, [point, face], [point, a, b, c])
    });
    let edge_edge = candidates.edge_edge.iter().map(|&[first, second]| {
        let ([a, b], [c, d]) = (surface.edges[first as usize], surface.edges[second as usize]);
        (Kind::EdgeEdge, [first, second], [a, b, c, d])
    });
    vertex_face.chain(edge_edge)
}

/// Find the candidates that are not certified from `start` to `end` \[m\]. Only pairs with a particle that `changed` are
/// looked at, and none whose particles are all in one zone.
pub(super) fn find(
    all: impl Iterator<Item = (Kind, [u32; 2], [u32; 4])>,
    (start, end): (&[DVec3], &[DVec3]),
    changed: impl Fn(u32) -> bool,
    zones: &Zones,
    impacts: &mut Vec<Impact>,
) {
    impacts.clear();
    for (kind, pair, particles) in all {
        if !particles.into_iter().any(&changed) || zones.holds(particles) {
            continue;
        }
        let at = |x: &[DVec3]| particles.map(|i| x[i as usize]);
        if let Some(touch) = first_touch(kind, &at(start), &at(end), 0.0, Tolerance::default()) {
            let (time, weights, normal) = (touch.time, touch.weights, touch.normal);
            impacts.push(Impact { kind, pair, particles, time, weights, normal });
        }
    }
    impacts.sort_unstable_by(Impact::order);
}
