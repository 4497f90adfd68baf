//! The plot as a picture: smooth lines, and letters from a small font of dots (`font.txt`: a line of characters, then
//! nine lines of dots, five across, the lowest two below the base line). Other characters become `?`.

use super::{Mark, Plot};
use taut::render::Picture;

/// Pixels of the picture per pixel of the SVG.
const SCALE: f64 = 2.0;
/// Lengths of a dash and of the gap after it, in SVG pixels.
const DASH: [f64; 2] = [5.0, 4.0];
/// Of a letter in dots: across with the gap, and lines above the base line.
const ACROSS: usize = 6;
const ABOVE: i64 = 7;
const FONT: &str = include_str!("font.txt");
const LINES: usize = 9;

impl Plot {
    /// The whole picture, on white.
    pub fn picture(&self) -> Picture {
        let [width, height] = [self.width, self.height].map(|v| (SCALE * v) as usize);
        let mut picture = Picture { width, height, rgb: vec![255; 3 * width * height] };
        for mark in &self.marks {
            match mark {
                Mark::Line { points, colour, width, dashed } => {
                    let points: Vec<[f64; 2]> = points.iter().map(|p| p.map(|v| SCALE * v)).collect();
                    let mut along = 0.0;
                    for ends in points.windows(2) {
                        along = segment(
                            &mut picture,
                            [ends[0], ends[1]],
                            SCALE * width,
                            *colour,
                            (*dashed, along),
                        );
                    }
                }
                Mark::Words { place, anchor, size, words } => {
                    // Letters are 7 dots high, about 0.72 of what a font of this size has.
                    let dot = ((SCALE * size * 0.72 / ABOVE as f64).round() as i64).max(1);
                    let length = (words.chars().count() * ACROSS) as f64 * dot as f64;
                    let x = (SCALE * place[0] - anchor * length).round() as i64;
                    write(&mut picture, [x, (SCALE * place[1]).round() as i64 - ABOVE * dot], dot, words);
                }
            }
        }
        picture
    }
}

/// Draw a line that begins so far along its dashes; returns how far along it ends.
fn segment(
    picture: &mut Picture,
    [a, b]: [[f64; 2]; 2],
    width: f64,
    colour: u32,
    (dashed, along): (bool, f64),
) -> f64 {
    let way = [b[0] - a[0], b[1] - a[1]];
    let length = way[0].hypot(way[1]);
    let reach = 0.5 * width + 1.0;
    let [rows, columns] = [1, 0].map(|k| {
        let end = if k == 1 { picture.height } else { picture.width } as f64;
        let (low, high) = (a[k].min(b[k]) - reach, a[k].max(b[k]) + reach);
        low.clamp(0.0, end) as usize..high.clamp(0.0, end).ceil() as usize
    });
    for y in rows {
        for x in columns.clone() {
            let p = [x as f64 + 0.5 - a[0], y as f64 + 0.5 - a[1]];
            let t = (p[0] * way[0] + p[1] * way[1]).clamp(0.0, length * length)
                / (length * length).max(f64::MIN_POSITIVE);
            let gap = dashed && (along + t * length) % (SCALE * (DASH[0] + DASH[1])) > SCALE * DASH[0];
            let distance = (p[0] - t * way[0]).hypot(p[1] - t * way[1]);
            if !gap {
                blend(picture, x, y, colour, (0.5 * width + 0.5 - distance).clamp(0.0, 1.0));
            }
        }
    }
    along + length
}

/// Letters with their top left corner at a place.
fn write(picture: &mut Picture, [left, top]: [i64; 2], dot: i64, words: &str) {
    for (n, letter) in words.chars().enumerate().filter(|(_, c)| *c != ' ') {
        let dots = glyph(letter).or_else(|| glyph('?'));
        for (row, dots) in dots.into_iter().flatten().enumerate() {
            for column in dots.bytes().enumerate().filter(|(_, d)| *d == b'#').map(|(c, _)| c) {
                for (i, j) in (0..dot * dot).map(|k| (k % dot, k / dot)) {
                    let x = left + ((n * ACROSS + column) as i64) * dot + i;
                    let y = top + row as i64 * dot + j;
                    if let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) {
                        blend(picture, x, y, super::INK, 1.0);
                    }
                }
            }
        }
    }
}

/// The lines of a letter.
fn glyph(letter: char) -> Option<impl Iterator<Item = &'static str>> {
    let lines = || FONT.lines();
    let place = |(n, line): (usize, &str)| line.chars().position(|c| c == letter).map(|at| (n, at));
    let heads = lines().enumerate().step_by(LINES + 1);
    let (head, at) = heads.into_iter().find_map(place)?;
    Some(lines().skip(head + 1).take(LINES).map(move |line| &line[at..at + ACROSS - 1]))
}

fn blend(picture: &mut Picture, x: usize, y: usize, colour: u32, share: f64) {
    if x >= picture.width || y >= picture.height {
        return;
    }
    let at = 3 * (y * picture.width + x);
    for (k, channel) in picture.rgb[at..at + 3].iter_mut().enumerate() {
        let ink = f64::from((colour >> (16 - 8 * k)) & 255);
        *channel = (f64::from(*channel) + share * (ink - f64::from(*channel))).round() as u8;
    }
}
