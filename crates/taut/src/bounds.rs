//! The box around points.

use glam::DVec3;

/// Lowest and highest corner of the box around points, leaving out those that are not finite; zero if none is left.
pub fn extent(points: impl IntoIterator<Item = DVec3>) -> [DVec3; 2] {
    let empty = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    let grow = |[low, high]: [DVec3; 2], p: DVec3| [low.min(p), high.max(p)];
    let found = points.into_iter().filter(|p| p.is_finite()).fold(empty, grow);
    if found[0].is_finite() { found } else { [DVec3::ZERO; 2] }
}
