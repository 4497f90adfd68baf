//! Which face is nearest at each sample of the picture.
//!
//! Homogeneous rasterization: with corners v₀ v₁ v₂ in (X, Y, w) and D = v₀·(v₁ × v₂), the functions
//! eᵢ(x, y) = (vⱼ × vₖ)·(x, y, 1) / D are linear in the pixel and equal bᵢ/w, bᵢ the perspective-correct
//! barycentric coordinates. A sample is covered where all eᵢ ≥ 0, its depth is 1/w = Σ eᵢ, and corners behind
//! the eye need no clipping. Eight samples per pixel stand on a rank-1 lattice (one per row and column).

use super::camera::PixelCamera;
use super::soup::Soup;
use glam::DVec3;

/// Samples per pixel.
pub(super) const SAMPLES: usize = 8;
/// No face at this sample.
pub(super) const NONE: u32 = u32::MAX;

/// Offset of each sample from the pixel's middle \[pixels\].
pub(super) const OFFSETS: [[f32; 2]; SAMPLES] = {
    let mut offsets = [[0.0; 2]; SAMPLES];
    let mut k = 0;
    while k < SAMPLES {
        let (x, y) = (2 * k + 1, 2 * (3 * k % SAMPLES) + 1);
        offsets[k] = [x as f32 / 16.0 - 0.5, y as f32 / 16.0 - 0.5];
        k += 1;
    }
    offsets
};

/// A linear function of the pixel: value = f·(x, y, 1).
type Linear = [f32; 3];

pub(super) fn at(f: Linear, x: f32, y: f32) -> f32 {
    f[0] * x + f[1] * y + f[2]
}

/// A face ready to be filled in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patch {
    /// eᵢ of the three corners.
    pub edges: [Linear; 3],
    depth: Linear,
    /// 1/w of the farthest and nearest corner: extrapolation in slivers is held between them.
    range: [f32; 2],
    /// First and one past the last column and row.
    columns: [usize; 2],
    pub rows: [usize; 2],
    /// Index of the face in the soup.
    pub face: u32,
    /// Seen from behind.
    pub back: bool,
}

/// Pixel columns and rows that the part of the triangle beyond the near plane can touch.
fn bounds(v: &[DVec3; 3], near: f64, width: usize, height: usize) -> Option<[[usize; 2]; 2]> {
    let (mut lo, mut hi) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    let mut include = |p: DVec3| {
        for (k, value) in [p.x / p.z, p.y / p.z].into_iter().enumerate() {
            lo[k] = lo[k].min(value);
            hi[k] = hi[k].max(value);
        }
    };
    for i in 0..3 {
        let (p, q) = (v[i], v[(i + 1) % 3]);
        if p.z >= near {
            include(p);
        }
        if (p.z >= near) != (q.z >= near) {
            include(p + (q - p) * ((near - p.z) / (q.z - p.z)));
        }
    }
    let mut range = [[0; 2]; 2];
    for (k, size) in [width, height].into_iter().enumerate() {
        // One pixel of slack for the samples around the pixel's middle; `as` saturates.
        range[k] = [(lo[k] - 1.0).max(0.0) as usize, ((hi[k] + 2.0).max(0.0) as usize).min(size)];
        if lo[k].is_nan() || hi[k] < lo[k] || range[k][0] >= range[k][1] {
            return None;
        }
    }
    Some(range)
}

impl Patch {
    /// Nothing if the face is degenerate, behind the eye or outside the picture.
    pub fn new(
        soup: &Soup,
        projected: &[DVec3],
        face: usize,
        view: &PixelCamera,
        size: [usize; 2],
    ) -> Option<Patch> {
        let corners = soup.faces[face].corners.map(|v| v as usize);
        let v = corners.map(|c| projected[c]);
        let [columns, rows] = bounds(&v, view.near, size[0], size[1])?;
        let determinant = v[0].dot(v[1].cross(v[2]));
        let mut edges = [[0.0; 3]; 3];
        let mut depth = [0.0f64; 3];
        for i in 0..3 {
            let e = v[(i + 1) % 3].cross(v[(i + 2) % 3]) / determinant;
            if !e.is_finite() {
                return None;
            }
            // Edges bulge by some thousandths of a pixel, so that rounding leaves no cracks between neighbours.
            let bulge = 2e-3 * e.x.hypot(e.y);
            edges[i] = [e.x as f32, e.y as f32, (e.z + bulge) as f32];
            depth = [depth[0] + e.x, depth[1] + e.y, depth[2] + e.z];
        }
        let inverse = |w: f64| if w > view.near { (1.0 / w) as f32 } else { (1.0 / view.near) as f32 };
        let [a, b, c] = v.map(|v| inverse(v.z));
        let [p, q, r] = corners.map(|c| soup.positions[c]);
        let back = (q - p).cross(r - p).dot(view.eye - p) < 0.0;
        let depth = depth.map(|d| d as f32);
        Some(Patch {
            edges,
            depth,
            range: [a.min(b).min(c), a.max(b).max(c)],
            columns,
            rows,
            face: face as u32,
            back,
        })
    }
}

/// Depth (1/w, greater is nearer) and face of every sample in some rows of the picture.
#[derive(Debug, Default)]
pub(super) struct Band {
    pub width: usize,
    pub first_row: usize,
    pub depth: Vec<[f32; SAMPLES]>,
    /// Index of the patch, not of the face.
    pub patch: Vec<[u32; SAMPLES]>,
}

impl Band {
    pub fn clear(&mut self, width: usize, first_row: usize, rows: usize) {
        (self.width, self.first_row) = (width, first_row);
        self.depth.clear();
        self.depth.resize(width * rows, [0.0; SAMPLES]);
        self.patch.clear();
        self.patch.resize(width * rows, [NONE; SAMPLES]);
    }

    /// Fill in the patch where it is nearer than what is there.
    pub fn fill(&mut self, patch: &Patch, index: u32, nearest: f32) {
        let rows = self.depth.len().checked_div(self.width).unwrap_or(0);
        let from = patch.rows[0].max(self.first_row);
        let to = patch.rows[1].min(self.first_row + rows);
        let steps = |f: Linear| -> [f32; SAMPLES] {
            std::array::from_fn(|s| f[0] * OFFSETS[s][0] + f[1] * OFFSETS[s][1])
        };
        let [s0, s1, s2] = patch.edges.map(steps);
        let sd = steps(patch.depth);
        let reach = patch.edges.map(|e| 0.5 * (e[0].abs() + e[1].abs()));
        for row in from..to {
            let y = row as f32 + 0.5;
            let line = (row - self.first_row) * self.width;
            for column in patch.columns[0]..patch.columns[1] {
                let x = column as f32 + 0.5;
                let [e0, e1, e2] = patch.edges.map(|e| at(e, x, y));
                if e0 < -reach[0] || e1 < -reach[1] || e2 < -reach[2] {
                    continue;
                }
                let d = at(patch.depth, x, y);
                let depths = &mut self.depth[line + column];
                let patches = &mut self.patch[line + column];
                for s in 0..SAMPLES {
                    let raw = d + sd[s];
                    let z = raw.max(patch.range[0]).min(patch.range[1]);
                    let inside = (e0 + s0[s]).min(e1 + s1[s]).min(e2 + s2[s]) >= 0.0;
                    let wins = inside & (z > depths[s]) & (raw <= nearest);
                    depths[s] = if wins { z } else { depths[s] };
                    patches[s] = if wins { index } else { patches[s] };
                }
            }
        }
    }
}
