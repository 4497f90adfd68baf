//! Depth maps: what a parallel light sees.
//!
//! The scene is projected along a unit direction d (towards the light) onto a square of N × N texels; each
//! keeps the greatest height p·d on it, and for two-ended maps the least. A point is lit if nothing on its
//! texel is higher: `p·d + bias ≥ height`. Not handled: point lights, transparency.

use super::soup::{Soup, Stuff};
use glam::DVec3;

/// A square depth map seen along one direction.
#[derive(Debug, Default)]
pub(super) struct DepthMap {
    size: usize,
    /// Towards the light.
    pub direction: DVec3,
    u: DVec3,
    v: DVec3,
    centre: DVec3,
    /// Texels per metre.
    scale: f64,
    top: Vec<f32>,
    /// Empty unless the map is two-ended.
    bottom: Vec<f32>,
    /// Greatest `top` in each block of texels: most points of the ground are lit beyond doubt.
    ceiling: Vec<f32>,
}

/// Edge of a block [texels].
const BLOCK: usize = 16;

impl DepthMap {
    /// Empty the map and aim it at a ball of the given centre and radius.
    pub fn aim(&mut self, size: usize, direction: DVec3, centre: DVec3, radius: f64, two_ended: bool) {
        self.size = size;
        self.direction = direction;
        self.u = direction.any_orthonormal_vector();
        self.v = direction.cross(self.u);
        self.centre = centre;
        self.scale = 0.5 * (size as f64 - 4.0) / radius;
        self.top.clear();
        self.top.resize(size * size, f32::NEG_INFINITY);
        self.ceiling.clear();
        self.bottom.clear();
        self.bottom.resize(if two_ended { size * size } else { 0 }, f32::INFINITY);
    }

    /// Edge of a texel \[m\].
    pub fn texel(&self) -> f64 {
        1.0 / self.scale
    }

    /// Texel coordinates and height.
    fn place(&self, p: DVec3) -> [f64; 3] {
        let p = p - self.centre;
        let middle = 0.5 * self.size as f64;
        [middle + self.scale * p.dot(self.u), middle + self.scale * p.dot(self.v), p.dot(self.direction)]
    }

    /// Draw the whole soup; `placed` is scratch.
    pub fn draw(&mut self, soup: &Soup, placed: &mut Vec<[f64; 3]>) {
        placed.clear();
        placed.extend(soup.positions.iter().map(|&p| self.place(p)));
        for face in soup.faces.iter().filter(|f| f.stuff != Stuff::Strand) {
            self.fill(face.corners.map(|v| placed[v as usize]));
        }
        for line in &soup.lines {
            // Ribbons turned to this light, at least a texel wide.
            let quad: [[f64; 3]; 4] = std::array::from_fn(|k| {
                let side = line.tangents[k / 2].cross(self.direction).normalize_or_zero();
                let half = 0.5 * line.widths[k / 2].max(self.texel());
                self.place(line.ends[k / 2] + if k % 2 == 0 { half } else { -half } * side)
            });
            self.fill([quad[0], quad[1], quad[2]]);
            self.fill([quad[2], quad[1], quad[3]]);
        }
        self.set_ceiling();
    }

    fn set_ceiling(&mut self) {
        let blocks = self.size.div_ceil(BLOCK);
        self.ceiling.clear();
        self.ceiling.resize(blocks * blocks, f32::NEG_INFINITY);
        for (row, line) in self.top.chunks_exact(self.size).enumerate() {
            for (block, texels) in line.chunks(BLOCK).enumerate() {
                let highest = texels.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                let ceiling = &mut self.ceiling[row / BLOCK * blocks + block];
                *ceiling = ceiling.max(highest);
            }
        }
    }

    /// Nothing in the blocks around the texel is higher than h.
    fn surely_lit<const R: usize>(&self, x: f64, y: f64, h: f32) -> bool {
        let blocks = self.size.div_ceil(BLOCK);
        let block = |t: f64| (t.max(0.0) as usize / BLOCK).min(blocks - 1);
        let reach = R as f64 + 2.0;
        let columns = [block(x - reach), block(x + reach)];
        let below = |row: usize| columns.iter().all(|&column| self.ceiling[row * blocks + column] <= h);
        below(block(y - reach)) && below(block(y + reach))
    }

    /// Raise the texels whose middles the triangle covers.
    fn fill(&mut self, t: [[f64; 3]; 3]) {
        let [a, b, c] = t;
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if !(area.abs() > 0.0 && area.is_finite()) {
            return;
        }
        // Barycentric coordinates as functions of the texel, f64 → f32 after the division by the area.
        let edge = |p: [f64; 3], q: [f64; 3]| {
            let (x, y) = ((p[1] - q[1]) / area, (q[0] - p[0]) / area);
            [x as f32, y as f32, (-x * p[0] - y * p[1]) as f32]
        };
        let (e0, e1, e2) = (edge(b, c), edge(c, a), edge(a, b));
        let height = [a[2] as f32, b[2] as f32, c[2] as f32];
        let (low, high) = (height[0].min(height[1]).min(height[2]), height[0].max(height[1]).max(height[2]));
        let first = |k: usize| (a[k].min(b[k]).min(c[k]) - 0.5).ceil().max(0.0) as usize;
        let last = |k: usize| ((a[k].max(b[k]).max(c[k]) + 0.5).max(0.0) as usize).min(self.size);
        let (columns, rows) = (first(0)..last(0), first(1)..last(1));
        for row in rows {
            let y = row as f32 + 0.5;
            for column in columns.clone() {
                let x = column as f32 + 0.5;
                let [b0, b1, b2] = [e0, e1, e2].map(|e| e[0] * x + e[1] * y + e[2]);
                if b0.min(b1).min(b2) < -1e-4 {
                    continue;
                }
                let h = (b0 * height[0] + b1 * height[1] + b2 * height[2]).max(low).min(high);
                let at = row * self.size + column;
                self.top[at] = self.top[at].max(h);
                if let Some(bottom) = self.bottom.get_mut(at) {
                    *bottom = bottom.min(h);
                }
            }
        }
    }

    /// Share of light that arrives at `p`, averaged over `(2 r + 1)²` texels with smooth ends.
    pub fn light<const R: usize>(&self, p: DVec3, bias: f64) -> f64 {
        let [x, y, h] = self.place(p);
        let h = (h + bias) as f32;
        if self.ceiling.is_empty() || self.surely_lit::<R>(x, y, h) {
            return 1.0;
        }
        self.gather::<R>(x, y, |at| self.top[at] <= h)
    }

    /// As [`light`](Self::light), arriving from the other end of the direction.
    pub fn light_below<const R: usize>(&self, p: DVec3, bias: f64) -> f64 {
        let [x, y, h] = self.place(p);
        let h = (h - bias) as f32;
        self.gather::<R>(x, y, |at| self.bottom[at] >= h)
    }

    fn gather<const R: usize>(&self, x: f64, y: f64, lit: impl Fn(usize) -> bool) -> f64 {
        let (x, y) = (x - 0.5, y - 0.5);
        let edge = (self.size - 2 - R) as f64;
        if !(x >= R as f64 && y >= R as f64 && x < edge && y < edge) {
            return 1.0;
        }
        let (column, row) = (x as usize, y as usize);
        let (fx, fy) = (x - column as f64, y - row as f64);
        let weight = |k: usize, f: f64| match k {
            0 => 1.0 - f,
            k if k == 2 * R + 1 => f,
            _ => 1.0,
        };
        let mut sum = 0.0;
        for j in 0..2 * R + 2 {
            let line = (row + j - R) * self.size + column - R;
            let mut across = 0.0;
            for i in 0..2 * R + 2 {
                across += if lit(line + i) { weight(i, fx) } else { 0.0 };
            }
            sum += weight(j, fy) * across;
        }
        sum / ((2 * R + 1) * (2 * R + 1)) as f64
    }
}
