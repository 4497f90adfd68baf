//! Line segments as ribbons turned towards the viewer, tapering to their free tips.
//!
//! A point p of a strand with tangent t becomes two vertices p ± ½ w s, s = t × (eye − p) normalised. Their
//! normals lean outwards, so that interpolation across the ribbon rounds it like a cylinder. Consecutive
//! segments share tangents, which closes the joints. Not handled: round caps; ribbons of fat, sharply bent
//! lines may gap at the bend.

use super::Drawing;
use super::soup::{Face, Soup, Stuff};
use glam::DVec3;

/// A segment with what its ribbon needs: end points, tangents and full widths at both ends \[m\].
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub ends: [DVec3; 2],
    pub tangents: [DVec3; 2],
    pub widths: [f64; 2],
    pub colour: u8,
}

/// How points hang together in strands; scratch reused from picture to picture.
#[derive(Debug, Default)]
pub(super) struct Chains {
    degree: Vec<u32>,
    /// The first two neighbours of each point.
    near: Vec<[u32; 2]>,
    /// Share of the full width at each point.
    taper: Vec<f64>,
}

impl Chains {
    /// The drawing's segments with tangents and widths.
    pub fn lines(&mut self, drawing: &Drawing, lines: &mut Vec<Line>) {
        let points = drawing.positions;
        if drawing.segments.is_empty() || drawing.segment_width.is_nan() || drawing.segment_width <= 0.0 {
            return;
        }
        self.link(drawing);
        self.set_taper(drawing);
        for (i, &[a, b]) in drawing.segments.iter().enumerate() {
            let (Some(&p), Some(&q)) = (points.get(a as usize), points.get(b as usize)) else { continue };
            let Some(along) = (q - p).try_normalize() else { continue };
            lines.push(Line {
                ends: [p, q],
                tangents: [a, b].map(|v| self.tangent(v as usize, points, along)),
                widths: [a, b].map(|v| drawing.segment_width * self.taper[v as usize]),
                colour: drawing.segment_colours.get(i).copied().unwrap_or(0),
            });
        }
    }

    fn link(&mut self, drawing: &Drawing) {
        let n = drawing.positions.len();
        self.degree.clear();
        self.degree.resize(n, 0);
        self.near.clear();
        self.near.resize(n, [u32::MAX; 2]);
        for &[a, b] in drawing.segments {
            if a as usize >= n || b as usize >= n || a == b {
                continue;
            }
            for (v, other) in [(a as usize, b), (b as usize, a)] {
                if let Some(slot) = self.near[v].get_mut(self.degree[v] as usize) {
                    *slot = other;
                }
                self.degree[v] += 1;
            }
        }
    }

    /// From each free tip walk towards the root, widening with the square root of the way walked.
    fn set_taper(&mut self, drawing: &Drawing) {
        const TIP: f64 = 0.3;
        let n = drawing.positions.len();
        self.taper.clear();
        self.taper.resize(n, 1.0);
        let mut fixed = vec![false; n];
        for &i in drawing.pinned {
            if let Some(f) = fixed.get_mut(i as usize) {
                *f = true;
            }
        }
        let mut walk = Vec::new();
        for tip in (0..n).filter(|&v| self.degree[v] == 1 && !fixed[v]) {
            walk.clear();
            walk.push(tip);
            let mut here = self.near[tip][0] as usize;
            while self.degree[here] == 2 && !fixed[here] && walk.len() < n {
                let [a, b] = self.near[here].map(|v| v as usize);
                let next = if walk.last() == Some(&a) { b } else { a };
                walk.push(here);
                here = next;
            }
            for (k, &v) in walk.iter().enumerate() {
                let share = TIP + (1.0 - TIP) * (k as f64 / walk.len() as f64).sqrt();
                self.taper[v] = self.taper[v].min(share);
            }
        }
    }

    /// Tangent at a point: through both neighbours inside a strand, else along the segment itself.
    fn tangent(&self, v: usize, points: &[DVec3], along: DVec3) -> DVec3 {
        if self.degree[v] != 2 {
            return along;
        }
        let [a, b] = self.near[v].map(|v| points[v as usize]);
        let mean =
            ((points[v] - a).normalize_or_zero() + (b - points[v]).normalize_or_zero()).normalize_or_zero();
        let mean = if mean.dot(along) < 0.0 { -mean } else { mean };
        // A hairpin has no useful mean tangent.
        if mean.dot(along) > 0.3 { mean } else { along }
    }
}

/// Append a ribbon for every line; none is thinner than about a pixel, so that hair does not sparkle.
pub(super) fn add(soup: &mut Soup, eye: DVec3, pixel: f64) {
    const THINNEST: f64 = 0.9; // [pixels]
    for i in 0..soup.lines.len() {
        let line = soup.lines[i];
        let first = soup.positions.len() as u32;
        for k in 0..2 {
            let to_eye = eye - line.ends[k];
            let side = line.tangents[k].cross(to_eye).normalize_or_zero();
            let width = line.widths[k].max(THINNEST * pixel * to_eye.length());
            // Roundness that no pixel could show would only flicker.
            let round = (0.4 * width / (pixel * to_eye.length()) - 0.4).clamp(0.0, 1.0);
            for sign in [-1.0, 1.0] {
                soup.positions.push(line.ends[k] + 0.5 * sign * width * side);
                soup.normals
                    .push((round * sign * side + 0.45 * to_eye.normalize_or_zero()).normalize_or_zero());
            }
        }
        for corners in [[first, first + 1, first + 2], [first + 2, first + 1, first + 3]] {
            soup.push(Face { corners, stuff: Stuff::Strand, colour: line.colour });
        }
    }
}
