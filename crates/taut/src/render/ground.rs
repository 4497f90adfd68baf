//! The backdrop: a calm gradient, and on it a ground plane with shadows and a faint grid.
//!
//! The ground has the colour of the backdrop itself and only takes shadow, occlusion and grid lines, each
//! fading with the distance r from the scene as `exp(−(r/R)²)`: there is no horizon. Grid lines are
//! box-filtered by the size of a pixel on the ground, so they neither sparkle nor shimmer.

use super::camera::PixelCamera;
use super::light::DepthMap;
use super::shade::colour;
use super::sky::Sky;
use glam::DVec3;

const CELLS: usize = 64;

/// Ground plane, prepared for one picture.
#[derive(Debug, Default)]
pub(super) struct Ground {
    height: Option<f64>,
    centre: DVec3,
    radius: f64,
    /// Distance of grid lines \[m\].
    spacing: f64,
    /// Openness of the ground on a square grid around the scene.
    open: Vec<f64>,
    scratch: Vec<f64>,
    /// Light (red, green, blue) of the empty scene and strength of shadow, for each pixel.
    empty: Vec<[f32; 4]>,
    empty_of: Option<Key>,
}

/// What the empty scene depends on.
type Key = (PixelCamera, [usize; 2], Option<(DVec3, f64)>);

/// The backdrop at a height of the picture (0 top, 1 bottom) and distance from its middle (1 at the sides).
pub(super) fn backdrop(across: f64, down: f64) -> DVec3 {
    let t = down.clamp(0.0, 1.0);
    let t = t * t * (3.0 - 2.0 * t);
    let vignette = 1.0 - 0.07 * (across * across + (2.0 * down - 1.0).powi(2));
    colour(0xdde3ea).lerp(colour(0xf3f1ed), t) * vignette
}

/// The round number (1, 2 or 5 times a power of ten) not below x.
fn round_up(x: f64) -> f64 {
    let power = 10f64.powf(x.log10().floor());
    [1.0, 2.0, 5.0].map(|k| k * power).into_iter().find(|&s| s >= x * 0.999).unwrap_or(10.0 * power)
}

impl Ground {
    pub fn prepare(
        &mut self,
        height: Option<f64>,
        view: &PixelCamera,
        size: [usize; 2],
        ball: (DVec3, f64),
        sky: &Sky,
    ) {
        let (centre, radius) = ball;
        // From below there is no ground to see.
        self.height = height.filter(|&h| h.is_finite() && view.eye.y > h);
        let height = self.height.unwrap_or(0.0);
        (self.centre, self.radius) = (DVec3::new(centre.x, height, centre.z), radius);
        self.spacing = round_up(radius / 5.0);
        self.set_empty(view, size);
        self.open.clear();
        if self.height.is_none() {
            return;
        }
        for k in 0..CELLS * CELLS {
            let place = |i: usize| (2.0 * (i as f64 + 0.5) / CELLS as f64 - 1.0) * self.reach();
            self.open.push(sky.ground(self.centre + DVec3::new(place(k % CELLS), 0.0, place(k / CELLS))));
        }
        for _ in 0..3 {
            self.blur();
        }
    }

    fn reach(&self) -> f64 {
        1.6 * self.radius
    }

    /// Box filter over 5 × 5 cells, rows then columns by two passes with a transposition each.
    fn blur(&mut self) {
        for _ in 0..2 {
            self.scratch.clear();
            for k in 0..CELLS * CELLS {
                let (row, column) = (k % CELLS, k / CELLS);
                let line = &self.open[row * CELLS..(row + 1) * CELLS];
                let window = &line[column.saturating_sub(2)..(column + 3).min(CELLS)];
                self.scratch.push(window.iter().sum::<f64>() / window.len() as f64);
            }
            std::mem::swap(&mut self.open, &mut self.scratch);
        }
    }

    /// Openness at a point of the ground, bilinear; 1 far away.
    fn openness(&self, p: DVec3) -> f64 {
        let cell = |d: f64| (d / self.reach() + 1.0) * 0.5 * CELLS as f64 - 0.5;
        let (x, z) = (cell(p.x - self.centre.x), cell(p.z - self.centre.z));
        let last = (CELLS - 1) as f64;
        if !(x >= 0.0 && z >= 0.0 && x < last && z < last) {
            return 1.0;
        }
        let at = z as usize * CELLS + x as usize;
        let (fx, fz) = (x.fract(), z.fract());
        let near = self.open[at] * (1.0 - fx) + self.open[at + 1] * fx;
        let far = self.open[at + CELLS] * (1.0 - fx) + self.open[at + CELLS + 1] * fx;
        near * (1.0 - fz) + far * fz
    }

    /// 1/w of the ground along a ray of the view; 0 if it misses.
    pub fn depth(&self, view: &PixelCamera, ray: DVec3) -> f64 {
        self.height.map_or(0.0, |height| (ray.y / (height - view.eye.y)).max(0.0))
    }

    /// The unshadowed picture of an empty scene, kept as long as nothing of it changes.
    fn set_empty(&mut self, view: &PixelCamera, size: [usize; 2]) {
        let key = (*view, size, self.height.map(|_| (self.centre, self.radius)));
        if self.empty_of == Some(key) {
            return;
        }
        self.empty_of = Some(key);
        let mut empty = std::mem::take(&mut self.empty);
        empty.clear();
        let [cx, cy] = view.centre;
        for row in 0..size[1] {
            for column in 0..size[0] {
                let (x, y) = (column as f64 + 0.5, row as f64 + 0.5);
                let (line, fade) = self.markings(view, view.ray(x, y));
                let light = backdrop((x - cx) / cx, 0.5 * y / cy) * (1.0 - line);
                empty.push([light.x as f32, light.y as f32, light.z as f32, fade as f32]);
            }
        }
        self.empty = empty;
    }

    /// Darkness of the grid, and how much of shadow remains at this distance.
    fn markings(&self, view: &PixelCamera, ray: DVec3) -> (f64, f64) {
        let depth = self.depth(view, ray);
        if depth <= 0.0 {
            return (0.0, 0.0);
        }
        let hit = view.eye + ray / depth;
        let away = (hit - self.centre).length_squared() / (self.radius * self.radius);
        let fade = (-away / 5.0).exp();
        let fade = if fade < 2e-3 { 0.0 } else { fade };
        (0.13 * fade * self.grid(view, ray, hit, 1.0 / depth), fade)
    }

    /// Light from the backdrop or the ground at a pixel.
    pub fn light(&self, view: &PixelCamera, pixel: usize, ray: DVec3, key: &DepthMap) -> DVec3 {
        let [r, g, b, fade] = self.empty[pixel].map(f64::from);
        let light = DVec3::new(r, g, b);
        if fade == 0.0 {
            return light;
        }
        let hit = view.eye + ray / self.depth(view, ray);
        let sun = key.light::<2>(hit, 0.0);
        let shade = 1.0 - (0.60 + 0.40 * sun) * (0.45 + 0.55 * self.openness(hit));
        // Shade is cool: it keeps the sky and loses the sun.
        light * (1.0 - fade * shade * DVec3::new(1.0, 0.985, 0.95))
    }

    /// Share of the pixel covered by grid lines.
    fn grid(&self, view: &PixelCamera, ray: DVec3, hit: DVec3, w: f64) -> f64 {
        // Change of the hit point from one pixel to the next, across and down.
        let slide = |d: DVec3| w / view.focal * (d - ray * (d.y / ray.y));
        let (across, down) = (slide(view.right), slide(view.up));
        let line = |x: f64, footprint: f64| {
            let from = ((x / self.spacing + 0.5).rem_euclid(1.0) - 0.5).abs() * self.spacing;
            let reach = footprint.max(0.006 * self.spacing);
            // Far away, where a pixel spans much of the gap between lines, they fade instead of merging.
            (1.0 - from / reach).max(0.0) * (0.15 * self.spacing / footprint).min(1.0)
        };
        let a = line(hit.x, across.x.abs() + down.x.abs());
        let b = line(hit.z, across.z.abs() + down.z.abs());
        a.max(b)
    }
}
