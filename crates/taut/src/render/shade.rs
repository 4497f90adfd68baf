//! Light and colour of a point of a surface.
//!
//! Linear RGB throughout; sRGB only at the very end. One key light with shadow, a sky above and a ground below
//! (hemisphere light, dimmed by openness), a cool rim from behind, a little light through the cloth, and
//! sheen. Light trapped in folds is tinted by the cloth: with albedo a and openness o the ambient share is
//! `o / (1 − a (1 − o))`, the sum of its repeated reflections. Not handled: reflections, textures.

use super::soup::Stuff;
use glam::DVec3;

/// A point to shade, the normal turned to the viewer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fragment {
    pub normal: DVec3,
    pub to_eye: DVec3,
    /// Along the strand, for strands.
    pub tangent: DVec3,
    pub albedo: DVec3,
    pub open: f64,
    /// Share of the key light that arrives.
    pub lit: f64,
    pub stuff: Stuff,
}

/// Directions towards the lights.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lights {
    pub key: DVec3,
    pub rim: DVec3,
}

const KEY: DVec3 = DVec3::new(2.20, 2.10, 1.95);
const SKY: DVec3 = DVec3::new(0.54, 0.59, 0.68);
const FLOOR: DVec3 = DVec3::new(0.34, 0.31, 0.28);
const RIM: DVec3 = DVec3::new(0.55, 0.62, 0.72);
/// Reflected share of light in these units of light.
const BRDF: f64 = 0.64;
/// Share of light that passes through cloth.
const THROUGH: f64 = 0.16;

fn bounced(albedo: DVec3, open: f64) -> DVec3 {
    open / (DVec3::ONE - albedo * (1.0 - open))
}

fn ambient(normal: DVec3) -> DVec3 {
    FLOOR.lerp(SKY, 0.5 + 0.5 * normal.y)
}

pub(super) fn shade(f: &Fragment, lights: &Lights) -> DVec3 {
    if f.stuff == Stuff::Strand {
        return shade_strand(f, lights);
    }
    let n = f.normal;
    let facing = n.dot(f.to_eye).clamp(0.0, 1.0);
    let key = n.dot(lights.key);
    let through = if f.stuff == Stuff::Cloth { THROUGH * (-key).max(0.0) } else { 0.0 };
    // A soft terminator: fibres stand up and catch light a little beyond the edge of shade.
    let direct = ((key + 0.04) / 1.04).max(0.0);
    let graze = (1.0 - facing) * (1.0 - facing);
    let rim = graze * n.dot(lights.rim).max(0.0) * f.open;
    let diffuse =
        KEY * (f.lit * (direct + through)) + ambient(n) * bounced(f.albedo, f.open) + RIM * (0.9 * rim);
    let sheen = 0.22 * graze * (1.0 - facing) * f.open;
    let half = (lights.key + f.to_eye).normalize_or_zero();
    let gloss = n.dot(half).max(0.0).powi(if f.stuff == Stuff::Cloth { 12 } else { 48 });
    let gleam = 0.06 * gloss * f.lit * key.max(0.0).sqrt();
    f.albedo * diffuse * BRDF + SKY * sheen * 0.5 + KEY * gleam
}

/// Hair: brightest where the light runs across the strand, with a highlight around it.
fn shade_strand(f: &Fragment, lights: &Lights) -> DVec3 {
    let along = f.tangent.dot(lights.key);
    let across = (1.0 - along * along).max(0.0).sqrt();
    let round = 0.55 + 0.45 * f.normal.dot(lights.key).max(0.0);
    let half = (lights.key + f.to_eye).normalize_or_zero();
    let tilt = f.tangent.dot(half);
    let gloss = (1.0 - tilt * tilt).max(0.0).powi(30);
    let diffuse = KEY * (1.1 * f.lit * across * round) + ambient(f.normal) * bounced(f.albedo, f.open);
    f.albedo * diffuse * BRDF + KEY * (0.16 * gloss * f.lit * across * round)
}

/// sRGB byte to linear.
pub(super) fn linear(byte: u8) -> f64 {
    let c = byte as f64 / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// Linear RGB of an sRGB colour written as 0xRRGGBB.
pub(super) fn colour(hex: u32) -> DVec3 {
    let [_, r, g, b] = hex.to_be_bytes().map(linear);
    DVec3::new(r, g, b)
}

/// Linear light to sRGB bytes by table, with a soft shoulder instead of clipping.
#[derive(Debug)]
pub(super) struct Film {
    table: Vec<u8>,
}

impl Film {
    const STEPS: f64 = 16384.0;
    /// Greatest light told apart; the shoulder maps it to white.
    const WHITE: f64 = 2.0;

    pub fn new() -> Self {
        let encode = |k: usize| {
            let x = k as f64 / Self::STEPS * Self::WHITE;
            // Straight up to the knee, then a curve with the same slope that ends at (WHITE, 1).
            const KNEE: f64 = 0.75;
            let over = (x - KNEE).max(0.0);
            let rest = (1.0 - KNEE) * (1.0 - (-over / (1.0 - KNEE)).exp());
            let y = x.min(KNEE) + rest;
            let c = if y <= 0.0031308 { 12.92 * y } else { 1.055 * y.powf(1.0 / 2.4) - 0.055 };
            (255.0 * c.clamp(0.0, 1.0)).round() as u8
        };
        Film { table: (0..=Self::STEPS as usize).map(encode).collect() }
    }

    pub fn expose(&self, light: DVec3) -> [u8; 3] {
        // `as` sends NaN to 0 and saturates.
        let byte =
            |c: f64| self.table[((c * (Self::STEPS / Self::WHITE) + 0.5) as usize).min(Self::STEPS as usize)];
        [byte(light.x), byte(light.y), byte(light.z)]
    }
}
