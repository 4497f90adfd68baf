//! How much of the surroundings each vertex sees (ambient occlusion).
//!
//! The sphere of directions is sampled by AXES lines, both ends each. A small depth map per axis tells which
//! end of it a vertex sees; openness is the cosine-weighted mean over the half-space of its front, and of its
//! back. Unlike screen-space tricks it neither flickers nor depends on the view. It is smoothed over the mesh,
//! since a few directions alone leave steps. Not handled: occlusion finer than a texel or a mesh edge.

use super::light::DepthMap;
use super::soup::{Soup, Stuff};
use glam::DVec3;

const AXES: usize = 11;
const TEXELS: usize = 96;

/// The depth maps along all axes.
#[derive(Debug, Default)]
pub(super) struct Sky {
    maps: Vec<DepthMap>,
    sums: Vec<[f64; 3]>,
}

/// Directions spread evenly over the upper half-sphere (golden-angle spiral).
fn axis(k: usize) -> DVec3 {
    const GOLDEN: f64 = 2.399963229728653; // π (3 − √5)
    let y = 1.0 - (k as f64 + 0.5) / AXES as f64;
    let (sin, cos) = (GOLDEN * k as f64 + 0.3).sin_cos();
    let r = (1.0 - y * y).sqrt();
    DVec3::new(r * cos, y, r * sin)
}

impl Sky {
    /// Forget everything: all is open.
    pub fn clear(&mut self) {
        self.maps.clear();
    }

    pub fn look(&mut self, soup: &mut Soup, centre: DVec3, radius: f64, placed: &mut Vec<[f64; 3]>) {
        self.maps.resize_with(AXES, DepthMap::default);
        for (k, map) in self.maps.iter_mut().enumerate() {
            map.aim(TEXELS, axis(k), centre, radius, true);
            map.draw(soup, placed);
        }
        let mut open = std::mem::take(&mut soup.open);
        let ribbons = soup.positions.len() - 4 * soup.lines.len();
        for v in 0..open.len() {
            // Both sides of a ribbon see the same.
            let twin = v > ribbons && (v - ribbons) % 2 == 1;
            let normal = (v < ribbons).then(|| soup.normals[v]);
            open[v] = if twin { open[v - 1] } else { self.openness(soup.positions[v], normal) };
        }
        soup.open = open;
        for _ in 0..2 {
            self.smooth(soup);
        }
    }

    /// Openness to the front and the back; a strand (no normal) is as open as its whole surroundings.
    fn openness(&self, p: DVec3, normal: Option<DVec3>) -> [f64; 2] {
        let (mut seen, mut total) = ([0.0; 2], [0.0; 2]);
        for map in &self.maps {
            // Step off the surface along the axis, more at grazing angles where texels climb the slope.
            let cosine = normal.map_or(1.0, |n| n.dot(map.direction));
            let slope = ((1.0 - cosine * cosine).max(0.0).sqrt() / cosine.abs().max(0.2)).min(3.0);
            let bias = map.texel() * (0.6 + 1.0 * slope);
            let (up, down) = (map.light::<0>(p, bias), map.light_below::<0>(p, bias));
            let weight = cosine.abs();
            let front = usize::from(cosine < 0.0);
            seen[front] += weight * up;
            seen[1 - front] += weight * down;
            total[front] += weight;
            total[1 - front] += weight;
        }
        let share = |k: usize| if total[k] > 0.0 { seen[k] / total[k] } else { 1.0 };
        match normal {
            Some(_) => [share(0), share(1)],
            None => [0.5 * (share(0) + share(1)); 2],
        }
    }

    /// Mean of each vertex with the faces around it.
    fn smooth(&mut self, soup: &mut Soup) {
        self.sums.clear();
        self.sums.resize(soup.positions.len(), [0.0; 3]);
        for face in soup.faces.iter().filter(|f| f.stuff == Stuff::Cloth) {
            let corners = face.corners.map(|v| v as usize);
            let mean = |side: usize| corners.iter().map(|&v| soup.open[v][side]).sum::<f64>() / 3.0;
            let (front, back) = (mean(0), mean(1));
            for v in corners {
                let sum = &mut self.sums[v];
                *sum = [sum[0] + front, sum[1] + back, sum[2] + 1.0];
            }
        }
        for (open, sum) in soup.open.iter_mut().zip(&self.sums).filter(|(_, sum)| sum[2] > 0.0) {
            *open = [sum[0] / sum[2], sum[1] / sum[2]];
        }
    }

    /// Share of the sky seen by a point of the ground.
    pub fn ground(&self, p: DVec3) -> f64 {
        let (mut seen, mut total) = (0.0, 0.0);
        for map in &self.maps {
            seen += map.direction.y * map.light::<1>(p, 0.5 * map.texel());
            total += map.direction.y;
        }
        if total > 0.0 { seen / total } else { 1.0 }
    }
}
