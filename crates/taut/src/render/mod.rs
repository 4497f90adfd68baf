//! Software pictures of a scene: no GPU, no window, the same bytes every time.
//!
//! Plain data in ([`Drawing`]: points, triangles, segments, pins, ground), a [`Picture`] out; [`Gif`] makes
//! pictures a film. This room knows nothing of simulation.
//!
//! One picture is made in stages: gather everything into one soup of triangles; draw depth maps from the key
//! light and around the sky; find the nearest face at eight samples per pixel; shade each surface once per
//! pixel; average; expose. Not handled: textures, transparency, reflections.
//!
//! ```
//! use taut::render::{Camera, Drawing, Renderer};
//!
//! # fn main() -> Result<(), taut::Error> {
//! let cloth = taut::shapes::Grid::default().build()?;
//! let drawing = Drawing {
//!     positions: &cloth.rest,
//!     triangles: &cloth.triangles,
//!     camera: Camera::framing(cloth.rest.iter().copied(), 160.0 / 120.0),
//!     ..Drawing::default()
//! };
//! let png = Renderer::new(160, 120)?.draw(&drawing).to_png("a sheet of cloth")?;
//! # assert!(png.len() > 1000);
//! # Ok(()) }
//! ```

mod camera;
#[cfg(test)]
mod film_tests;
mod gif;
mod ground;
mod light;
mod outline;
mod palette;
mod picture;
mod raster;
mod resolve;
mod ribbon;
mod shade;
mod sky;
pub mod solids;
mod soup;
#[cfg(test)]
mod tests;

pub use camera::Camera;
pub use gif::Gif;
pub(crate) use outline::unbraced;
pub use picture::Picture;
pub use solids::Mesh;

use crate::Error;
pub use crate::bounds::extent;
use camera::PixelCamera;
use glam::DVec3;
use raster::{Band, Patch};
use shade::Lights;

/// Front and back colour (0xRRGGBB, sRGB) by colour index; bodies get those before [`STRAND`] in turn.
pub const COLOURS: [[u32; 2]; 8] = [
    [0x3a6f9a, 0xdfae82], // blue, sand
    [0xc4694e, 0xe3c3a0], // terracotta, apricot
    [0x4f7d5c, 0xcdbb82], // sage, straw
    [0x7b4b76, 0xc9a3a8], // plum, rose
    [0xd29a3a, 0x8fa08a], // ochre, lichen
    [0x8a5f42, 0x8a5f42], // STRAND
    [0xb9b4ab, 0xb9b4ab], // STONE
    [0x39424e, 0x39424e], // PIN
];
/// Colour index of hair and strands: brown.
pub const STRAND: u8 = 5;
/// Colour index of obstacles: warm light grey.
pub const STONE: u8 = 6;
/// Colour index of pins: dark slate.
pub const PIN: u8 = 7;

/// Colour index that body number `body` gets unless it is told otherwise.
pub(crate) fn usual_colour(body: usize, strands: bool) -> u8 {
    if strands { STRAND } else { (body % STRAND as usize) as u8 }
}

/// How things look, as opposed to what they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// Front and back colour (0xRRGGBB, sRGB) for each colour index; indices wrap around.
    pub colours: [[u32; 2]; 8],
    /// Strength of the wireframe, 0 (none) to 1 (black lines).
    pub wireframe: f64,
    /// Shadows and ambient occlusion.
    pub shadows: bool,
    /// Direction towards the key light; `None` lights from over the viewer's left shoulder.
    pub key_light: Option<DVec3>,
}

impl Default for Style {
    fn default() -> Self {
        Style { colours: COLOURS, wireframe: 0.0, shadows: true, key_light: None }
    }
}

/// What to draw. Faces and segments with missing or non-finite points are left out.
#[derive(Debug, Clone, Copy, Default)]
pub struct Drawing<'a> {
    /// Points \[m\].
    pub positions: &'a [DVec3],
    /// Corners of the triangles, drawn as cloth from both sides.
    pub triangles: &'a [[u32; 3]],
    /// Colour index of each triangle; missing ones are 0.
    pub colours: &'a [u8],
    /// Ends of line segments: hair, strands, springs of bodies without triangles.
    pub segments: &'a [[u32; 2]],
    /// Colour index of each segment; missing ones are 0.
    pub segment_colours: &'a [u8],
    /// Width of the segments \[m\]; strands taper from it to their free tips.
    pub segment_width: f64,
    /// Points marked by a small sphere.
    pub pinned: &'a [u32],
    /// Solids.
    pub solids: &'a [Mesh],
    /// Height of the ground plane \[m\].
    pub ground: Option<f64>,
    /// Box (low and high corner) of the whole animation \[m\]: sizes shadows and grid, so that they stand still.
    /// `None` takes the box of the points.
    pub extent: Option<[DVec3; 2]>,
    /// Where it is seen from.
    pub camera: Camera,
    /// How it looks.
    pub style: Style,
}

impl Drawing<'_> {
    /// Centre and radius of a ball around the extent \[m\].
    fn ball(&self) -> (DVec3, f64) {
        let sane = |e: &[DVec3; 2]| e[0].is_finite() && e[1].is_finite() && e[0].cmple(e[1]).all();
        let [lo, hi] = self.extent.filter(sane).unwrap_or_else(|| {
            let solids = self.solids.iter().flat_map(|m| &m.positions);
            extent(self.positions.iter().chain(solids).copied())
        });
        let radius = 0.5 * (hi - lo).length();
        (0.5 * (lo + hi), if radius > 0.0 && radius.is_finite() { radius } else { 1.0 })
    }
}

/// Makes pictures; keeps its buffers, so that a film allocates only once.
#[derive(Debug)]
pub struct Renderer {
    picture: Picture,
    soup: soup::Soup,
    key: light::DepthMap,
    sky: sky::Sky,
    ground: ground::Ground,
    lights: Lights,
    projected: Vec<DVec3>,
    placed: Vec<[f64; 3]>,
    patches: Vec<Patch>,
    band: Band,
    film: shade::Film,
}

impl Renderer {
    /// A renderer for pictures of this size \[pixels\]; zero is allowed and draws nothing.
    pub fn new(width: usize, height: usize) -> Result<Self, Error> {
        const MOST: usize = 16_384;
        if width > MOST || height > MOST {
            let remedy = format!("width and height must be at most {MOST} pixels");
            return Err(Error::setting("picture size", format!("{width} x {height}"), remedy));
        }
        Ok(Renderer {
            picture: Picture::new(width, height),
            soup: Default::default(),
            key: Default::default(),
            sky: Default::default(),
            ground: Default::default(),
            lights: Default::default(),
            projected: Vec::new(),
            placed: Vec::new(),
            patches: Vec::new(),
            band: Band::default(),
            film: shade::Film::new(),
        })
    }

    /// Draw one picture.
    pub fn draw(&mut self, drawing: &Drawing) -> &Picture {
        const ROWS: usize = 32; // a band of samples that stays in the second-level cache
        let size = [self.picture.width, self.picture.height];
        let view = PixelCamera::new(&drawing.camera, size[0], size[1]);
        let (centre, radius) = drawing.ball();
        self.soup.gather(drawing, view.eye, 1.0 / view.focal, 2.0 * radius);
        self.light_up(drawing, &view, centre, radius);
        self.set_patches(&view, size);
        for first_row in (0..size[1]).step_by(ROWS) {
            let rows = ROWS.min(size[1] - first_row);
            self.band.clear(size[0], first_row, rows);
            for (index, patch) in self.patches.iter().enumerate() {
                if patch.rows[0] < first_row + rows && patch.rows[1] > first_row {
                    self.band.fill(patch, index as u32, (1.0 / view.near) as f32);
                }
            }
            self.resolve(drawing, &view, rows);
        }
        &self.picture
    }

    /// Depth maps of the key light and the sky, and the ground's share of them.
    fn light_up(&mut self, drawing: &Drawing, view: &PixelCamera, centre: DVec3, radius: f64) {
        const TEXELS: usize = 768;
        let level = |d: DVec3| DVec3::new(d.x, 0.0, d.z).try_normalize();
        let side = level(view.right).unwrap_or(DVec3::X);
        let ahead = level(view.forward).unwrap_or_else(|| DVec3::Y.cross(side));
        let shoulder = (-0.95 * side + 1.20 * DVec3::Y - 0.45 * ahead).normalize();
        let chosen = drawing.style.key_light.and_then(DVec3::try_normalize);
        self.lights.key = chosen.unwrap_or(shoulder);
        self.lights.rim = (0.85 * side + 0.35 * DVec3::Y + 0.75 * ahead).normalize();
        self.key.aim(TEXELS, self.lights.key, centre, radius * 1.02, false);
        if drawing.style.shadows {
            self.key.draw(&self.soup, &mut self.placed);
            self.sky.look(&mut self.soup, centre, radius * 1.02, &mut self.placed);
        } else {
            self.sky.clear();
        }
        let size = [self.picture.width, self.picture.height];
        self.ground.prepare(drawing.ground, view, size, (centre, radius), &self.sky);
    }

    /// Project the soup to the picture.
    fn set_patches(&mut self, view: &PixelCamera, size: [usize; 2]) {
        self.projected.clear();
        self.projected.extend(self.soup.positions.iter().map(|&p| view.project(p)));
        self.patches.clear();
        for face in 0..self.soup.faces.len() {
            self.patches.extend(Patch::new(&self.soup, &self.projected, face, view, size));
        }
    }
}
