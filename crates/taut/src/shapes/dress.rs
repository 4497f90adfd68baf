//! A dress for the person of [`Walker`](super::Walker): a bodice that follows the body, straps over the shoulders and a
//! skirt that flares out like a cone.
//!
//! Rings of particles around the body, one below the other: the bodice at a small distance from it, the skirt from the
//! waist on with twice as many particles a ring. Each strap is a strip of four columns that goes up the front, over the
//! shoulder and down the back. A cone has more cloth around than legs need, and so falls in folds.
//! Does not handle: sleeves, seams, sizes other than that of its wearer.

use super::person::{self, TALL};
use super::{Field, positive};
use crate::Error;
use crate::math::{cos, sin, sin_cos};
use glam::DVec3;
use std::f64::consts::TAU;

/// Particles in a ring of the bodice, and rings above the skirt.
const COLUMNS: usize = 48;
const BODICE: usize = 17;
/// Rings of the skirt, of twice as many particles.
const SKIRT: usize = 26;
/// Columns of the left strap in front, and particles along a strap between front and back.
const STRAP: std::ops::Range<usize> = 4..8;
const ALONG: usize = 24;
/// How far from the skin it is made \[m\], for a wearer as tall as [`TALL`].
const EASE: f64 = 0.009;
/// Height of the waist \[m\].
const WAIST: f64 = 1.07;

/// A dress, facing +X, where its wearer stands at first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dress {
    /// How tall its wearer is \[m\].
    pub height: f64,
    /// Length of the skirt from the waist to the hem, along the cloth \[m\].
    pub skirt: f64,
    /// How far the skirt leans outwards \[rad\].
    pub flare: f64,
}

impl Default for Dress {
    fn default() -> Self {
        Dress { height: TALL, skirt: 0.62, flare: TAU / 11.0 }
    }
}

impl Dress {
    /// Vertices \[m\] and faces, counter-clockwise seen from outside.
    pub fn mesh(&self) -> Result<(Vec<DVec3>, Vec<[u32; 3]>), Error> {
        let scale = positive("height", self.height)? / TALL;
        let skirt = positive("skirt", self.skirt)? / scale;
        let lean = self.flare;
        if !(lean > 0.0 && lean < TAU / 4.0) {
            let degrees = lean.to_degrees();
            return Err(Error::setting("flare", degrees, "must be between 0 and 90 degrees"));
        }
        if skirt * cos(lean) > WAIST {
            let longest = WAIST * scale / cos(lean);
            return Err(Error::setting(
                "skirt",
                self.skirt,
                format!("its hem is below the feet; at most {longest}"),
            ));
        }
        let field = person::field();
        let mut made = Made::default();
        for row in 0..BODICE {
            let down = row as f64 / (BODICE - 1) as f64;
            made.positions.extend((0..COLUMNS).map(|column| {
                let (outwards, angle) = outwards(column, COLUMNS);
                // Higher in front and behind than under the arms.
                let top = 1.29 + 0.025 * cos(2.0 * angle);
                around(&field, DVec3::Y * (top + (WAIST - top) * down), outwards)
            }));
        }
        let wide = 2 * COLUMNS;
        for row in 1..=SKIRT {
            let down = skirt * row as f64 / SKIRT as f64;
            made.positions.extend((0..wide).map(|column| {
                let (outwards, _) = outwards(column, wide);
                let waist = around(&field, DVec3::Y * WAIST, outwards);
                waist + down * (sin(lean) * outwards - cos(lean) * DVec3::Y)
            }));
        }
        made.bands();
        for first in [STRAP.start, COLUMNS + 1 - STRAP.end] {
            made.strap(&field, first);
        }
        made.positions.iter_mut().for_each(|p| *p *= scale);
        Ok((made.positions, made.triangles))
    }
}

/// Direction of a column, from the front to the left, and its angle.
fn outwards(column: usize, columns: usize) -> (DVec3, f64) {
    let angle = TAU * column as f64 / columns as f64;
    (DVec3::new(cos(angle), 0.0, sin(angle)), angle)
}

/// The first point off the body on the way outwards.
fn around(body: &Field, axis: DVec3, outwards: DVec3) -> DVec3 {
    // The field changes by no more than the way: this never goes too far.
    let further = |r: f64, _| r + (EASE - body.distance(axis + r * outwards)).max(0.0);
    axis + (0..40).fold(0.0, further) * outwards
}

/// Evenly spread points of a way around the body from `a` in front over the shoulder to `b` behind \[m\].
fn even(body: &Field, a: DVec3, b: DVec3) -> Vec<DVec3> {
    let arch = |i: usize| {
        let (up, forward) = sin_cos(TAU / 2.0 * i as f64 / (ALONG + 1) as f64);
        person::onto(body, 0.5 * (a + b) + 0.5 * forward * (a - b) + 0.18 * up * DVec3::Y, EASE)
    };
    let mut way: Vec<DVec3> = std::iter::once(a).chain((1..=ALONG).map(arch)).chain([b]).collect();
    for _ in 0..12 {
        for i in 1..=ALONG {
            way[i] = person::onto(body, 0.5 * (way[i - 1] + way[i + 1]), EASE);
        }
    }
    way[1..=ALONG].to_vec()
}

#[derive(Default)]
struct Made {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Made {
    /// Faces between the rings.
    fn bands(&mut self) {
        let ring = |row: usize| match row.checked_sub(BODICE) {
            None => (row * COLUMNS, COLUMNS),
            Some(below) => (BODICE * COLUMNS + below * 2 * COLUMNS, 2 * COLUMNS),
        };
        for row in 0..BODICE + SKIRT - 1 {
            let ((above, columns), (below, wide)) = (ring(row), ring(row + 1));
            for j in 0..columns {
                let upper = |j: usize| (above + j % columns) as u32;
                let lower = |j: usize| (below + j % wide) as u32;
                if wide == columns {
                    self.quad([upper(j), upper(j + 1), lower(j + 1), lower(j)], (row + j) % 2 == 0);
                } else {
                    let [a, b] = [upper(j), upper(j + 1)];
                    let [c, d, e] = [2 * j, 2 * j + 1, 2 * j + 2].map(lower);
                    self.triangles.extend([[a, d, c], [a, b, d], [b, e, d]]);
                }
            }
        }
    }

    /// The strap whose front begins at a column.
    fn strap(&mut self, body: &Field, first: usize) {
        let width = STRAP.len();
        let behind = |front: usize| (COLUMNS + COLUMNS / 2 - front) % COLUMNS;
        let start = self.positions.len();
        let along = |n: usize| {
            let front = first + n;
            let [a, b] = [front, behind(front)].map(|column| self.positions[column]);
            even(body, a, b)
        };
        let columns: Vec<Vec<DVec3>> = (0..width).map(along).collect();
        self.positions.extend((0..ALONG).flat_map(|i| columns.iter().map(move |column| column[i])));
        let at = |along: usize, n: usize| match along {
            0 => (first + n) as u32,
            along if along <= ALONG => (start + (along - 1) * width + n) as u32,
            _ => behind(first + n) as u32,
        };
        for along in 0..=ALONG {
            for n in 0..width - 1 {
                let corners = [at(along + 1, n), at(along + 1, n + 1), at(along, n + 1), at(along, n)];
                self.quad(corners, (along + n) % 2 == 0);
            }
        }
    }

    /// Two faces; corners as upper right, upper left, lower left, lower right seen from outside.
    fn quad(&mut self, [a, b, c, d]: [u32; 4], falling: bool) {
        self.triangles.extend(if falling { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
    }
}
