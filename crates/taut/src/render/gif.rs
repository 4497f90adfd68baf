//! Animated GIF: pictures become a film that plays anywhere.
//!
//! Colours: a palette made from the first frame, made anew (as a local one) when a later frame no longer fits
//! it. Ordered dithering with an 8 × 8 threshold pattern fixed to the screen, so grain does not crawl. Each
//! frame holds only the rectangle that changed, and in it unchanged pixels are transparent. Delays are whole
//! centiseconds; frame k lasts from round(100 k/fps) to round(100 (k+1)/fps), exact on average (3, 4, 3 at 30).
//! Not handled: more than 50 frames per second (players slow those down).

use super::Picture;
use super::palette::Palette;
use crate::Error;
use ::gif as codec;
use std::io::Write;

/// Writes pictures as an endless animated GIF.
pub struct Gif<W: Write> {
    encoder: Option<codec::Encoder<W>>,
    writer: Option<W>,
    width: usize,
    height: usize,
    fps: f64,
    comment: String,
    frames: u64,
    palette: Option<Palette>,
    /// The palette differs from the file's global one.
    local: bool,
    /// Mean error of the palette when it was made [levels].
    usual_error: f64,
    /// Source colours when each pixel was last written.
    shown: Vec<u8>,
    indices: Vec<u8>,
}

/// Index for "as before"; the palette has at most this many colours.
const SAME: u8 = 255;
/// Source changes up to this many levels are not worth a new pixel.
const UNSEEN: u8 = 2;
/// Height of the dither pattern [levels]: about the distance of neighbouring palette colours.
const DITHER: i32 = 6;

fn failed(error: codec::EncodingError) -> Error {
    Error::file("GIF", None, error, "check the disk and the path")
}

/// Threshold of the ordered dither, −½ to ½ in 64ths times two: bits of x and x^y interleaved.
fn threshold(x: usize, y: usize) -> i32 {
    let mut t = 0;
    for bit in 0..3 {
        t = t << 2 | ((x ^ y) >> bit & 1) << 1 | y >> bit & 1;
    }
    2 * t as i32 - 63
}

impl<W: Write> Gif<W> {
    /// A film of this size \[pixels\] and pace [frames per second, at most 50].
    pub fn new(writer: W, width: usize, height: usize, fps: f64) -> Result<Self, Error> {
        if !(0.01..=50.0).contains(&fps) {
            return Err(Error::setting("fps", fps, "GIF plays 0.01 to 50 frames per second"));
        }
        const MOST: usize = 16_384; // as the renderer
        if !(1..=MOST).contains(&width) || !(1..=MOST).contains(&height) {
            let remedy = format!("width and height must be 1 to {MOST} pixels");
            return Err(Error::setting("film size", format!("{width} x {height}"), remedy));
        }
        Ok(Gif {
            encoder: None,
            writer: Some(writer),
            width,
            height,
            fps,
            comment: String::new(),
            frames: 0,
            palette: None,
            local: false,
            usual_error: 0.0,
            shown: vec![0; 3 * width * height],
            indices: vec![0; width * height],
        })
    }

    /// Text to store in the file (version, scene, ...); call before the first frame.
    pub fn comment(mut self, text: impl Into<String>) -> Self {
        self.comment = text.into();
        self
    }

    /// Append a frame.
    pub fn frame(&mut self, picture: &Picture) -> Result<(), Error> {
        picture.check()?;
        if (picture.width, picture.height) != (self.width, self.height) {
            let size = format!("{} x {}", picture.width, picture.height);
            let remedy = format!("this film is {} x {} pixels", self.width, self.height);
            return Err(Error::setting("frame size", size, remedy));
        }
        self.start(picture)?;
        let rectangle = self.quantize(picture);
        let [left, top, width, height] = rectangle.unwrap_or([0, 0, 1, 1]);
        if rectangle.is_none() {
            self.indices[0] = SAME;
        }
        let mut buffer = Vec::with_capacity(width * height);
        for row in top..top + height {
            buffer.extend_from_slice(&self.indices[row * self.width + left..][..width]);
        }
        let frame = codec::Frame {
            delay: self.delay(),
            dispose: codec::DisposalMethod::Keep,
            transparent: Some(SAME),
            left: left as u16,
            top: top as u16,
            width: width as u16,
            height: height as u16,
            palette: self.palette.as_ref().filter(|_| self.local).map(padded),
            buffer: buffer.into(),
            ..codec::Frame::default()
        };
        self.frames += 1;
        self.encoder.as_mut().map_or(Ok(()), |encoder| encoder.write_frame(&frame)).map_err(failed)
    }

    /// Write the end of the file and give the writer back.
    pub fn finish(mut self) -> Result<W, Error> {
        match (self.encoder.take(), self.writer.take()) {
            (Some(encoder), _) => encoder.into_inner().map_err(failed),
            _ => Err(Error::setting("frames", 0, "a film needs at least one frame")),
        }
    }

    /// Duration of the coming frame [centiseconds].
    fn delay(&self) -> u16 {
        let end = |k: u64| (100.0 * k as f64 / self.fps).round();
        (end(self.frames + 1) - end(self.frames)) as u16
    }

    /// With the first picture: palette and file head.
    fn start(&mut self, picture: &Picture) -> Result<(), Error> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let palette = Palette::new(&picture.rgb, SAME as usize);
        let size = [self.width as u16, self.height as u16];
        let mut encoder = codec::Encoder::new(writer, size[0], size[1], &padded(&palette)).map_err(failed)?;
        encoder.set_repeat(codec::Repeat::Infinite).map_err(failed)?;
        if !self.comment.is_empty() {
            let kind = codec::AnyExtension(codec::Extension::Comment as u8);
            encoder.write_raw_extension(kind, &[self.comment.as_bytes()]).map_err(failed)?;
        }
        self.encoder = Some(encoder);
        self.palette = Some(palette);
        Ok(())
    }

    /// Fill `indices`; the rectangle (left, top, width, height) that changed.
    fn quantize(&mut self, picture: &Picture) -> Option<[usize; 4]> {
        let (rectangle, [error, bad]) = self.try_palette(picture)?;
        let outgrown = error > 1.6 * self.usual_error + 0.7 || bad > 1e-3;
        if self.frames == 0 {
            self.usual_error = error;
        } else if outgrown {
            let palette = Palette::new(&picture.rgb, SAME as usize);
            self.palette = Some(palette);
            self.local = true;
            let (_, [error, _]) = self.try_palette(picture)?;
            self.usual_error = self.usual_error.max(error);
        }
        self.remember(picture);
        Some(rectangle)
    }

    /// Quantize with the present palette: the changed rectangle, the mean error [levels] of changed pixels, and
    /// the share of them that are far off.
    fn try_palette(&mut self, picture: &Picture) -> Option<([usize; 4], [f64; 2])> {
        const FAR_OFF: u64 = 60; // [levels], over all channels
        let palette = self.palette.as_mut()?;
        let (mut lo, mut hi) = ([usize::MAX; 2], [0; 2]);
        let (mut error, mut bad, mut changed) = (0u64, 0u64, 0u64);
        for (i, c) in picture.rgb.chunks_exact(3).enumerate() {
            let near = |k: usize| c[k].abs_diff(self.shown[3 * i + k]) <= UNSEEN;
            if self.frames > 0 && near(0) && near(1) && near(2) {
                self.indices[i] = SAME;
                continue;
            }
            let (x, y) = (i % self.width, i / self.width);
            let nudge = DITHER * threshold(x, y) / 126;
            let wanted = [c[0], c[1], c[2]].map(|v| (v as i32 + nudge).clamp(0, 255) as u8);
            self.indices[i] = palette.nearest(wanted);
            let given = palette.colours[self.indices[i] as usize];
            let off = (0..3).map(|k| given[k].abs_diff(wanted[k]) as u64).sum::<u64>();
            error += off;
            bad += u64::from(off > FAR_OFF);
            changed += 1;
            lo = [lo[0].min(x), lo[1].min(y)];
            hi = [hi[0].max(x), hi[1].max(y)];
        }
        let rectangle = [lo[0], lo[1], (hi[0] + 1).checked_sub(lo[0])?, (hi[1] + 1).checked_sub(lo[1])?];
        let share = |x: u64| x as f64 / changed as f64;
        Some((rectangle, [share(error) / 3.0, share(bad)]))
    }

    fn remember(&mut self, picture: &Picture) {
        let shown = self.shown.chunks_exact_mut(3).zip(picture.rgb.chunks_exact(3)).zip(&self.indices);
        for ((shown, now), _) in shown.filter(|(_, index)| **index != SAME) {
            shown.copy_from_slice(now);
        }
    }
}

/// A colour table of 256, so that the transparent index exists.
fn padded(palette: &Palette) -> Vec<u8> {
    let mut table: Vec<u8> = palette.colours.iter().flatten().copied().collect();
    table.resize(3 * 256, 0);
    table
}
