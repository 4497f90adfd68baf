//! Surfaces of revolution: funnels, bowls, rings.

use super::{particle_count, zero_or_more};
use crate::Error;
use crate::math::sin_cos;
use glam::DVec3;
use std::f64::consts::TAU;

/// Turn a profile of (radius, height) \[m\] about the Y axis: vertices \[m\], `around` on every circle, and triangles. A
/// point of radius 0 is one vertex. Going up, the outside is in front.
pub fn lathe(profile: &[[f64; 2]], around: usize) -> Result<(Vec<DVec3>, Vec<[u32; 3]>), Error> {
    if around < 3 {
        return Err(Error::setting("around", around, "must be at least 3"));
    }
    if profile.len() < 2 {
        return Err(Error::setting("lathe", profile.len(), "needs at least two points [radius, height]"));
    }
    particle_count("vertices", profile.len().saturating_mul(around), 1)?;
    let (mut vertices, mut rings) = (Vec::new(), Vec::new());
    for &[radius, height] in profile {
        zero_or_more("radius", radius)?;
        if !height.is_finite() {
            return Err(Error::setting("height", height, "must be finite"));
        }
        let count = if radius > 0.0 { around } else { 1 };
        rings.push((vertices.len(), count));
        vertices.extend((0..count).map(|i| {
            let (sin, cos) = sin_cos(TAU * i as f64 / around as f64);
            DVec3::new(radius * cos, height, -radius * sin)
        }));
    }
    let mut triangles = Vec::new();
    for pair in rings.windows(2) {
        for i in 0..around {
            let [[a, b], [c, d]] =
                [0, 1].map(|k| [i, i + 1].map(|j| (pair[k].0 + j % around % pair[k].1) as u32));
            triangles
                .extend([[a, b, d], [a, d, c]].into_iter().filter(|[p, q, r]| p != q && q != r && r != p));
        }
    }
    Ok((vertices, triangles))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the area vector of the surface and its volume: closed at both ends, with faces outwards, it has that of a
    /// double pyramid; open it has a rim.
    #[test]
    fn a_double_cone_is_closed_and_faces_outwards() {
        let (vertices, triangles) = lathe(&[[0.0, -1.0], [1.0, 0.0], [0.0, 1.0]], 4).unwrap();
        assert_eq!((vertices.len(), triangles.len()), (6, 8));
        let volume = |vertices: &[DVec3], triangles: &[[u32; 3]]| -> f64 {
            let at = |i: u32| vertices[i as usize];
            triangles.iter().map(|&[a, b, c]| at(a).dot(at(b).cross(at(c))) / 6.0).sum()
        };
        assert!((volume(&vertices, &triangles) - 4.0 / 3.0).abs() < 1e-12);
        let (vertices, triangles) = lathe(&[[2.0, 0.0], [2.0, 3.0]], 5).unwrap();
        assert_eq!((vertices.len(), triangles.len()), (10, 10));
        assert!(volume(&vertices, &triangles) > 0.0);
        assert!(vertices.iter().all(|p| (p.x.hypot(p.z) - 2.0).abs() < 1e-12));
    }

    #[test]
    fn what_is_no_profile_is_refused() {
        for (profile, around, word) in [
            (vec![[1.0, 0.0], [1.0, 1.0]], 2, "around"),
            (vec![[1.0, 0.0]], 8, "two points"),
            (vec![[1.0, 0.0], [-1.0, 1.0]], 8, "radius"),
            (vec![[1.0, 0.0], [1.0, f64::NAN]], 8, "height"),
        ] {
            let error = lathe(&profile, around).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
