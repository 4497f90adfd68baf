//! A finished picture, and its PNG form.
//!
//! Rows from the top, three bytes (red, green, blue; sRGB) per pixel. PNG: 8-bit truecolour with one `tEXt`
//! chunk for provenance. Not handled: transparency, 16-bit channels.

use crate::Error;
use std::io::Write;

/// An sRGB picture.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Picture {
    /// Width \[pixels\].
    pub width: usize,
    /// Height \[pixels\].
    pub height: usize,
    /// `3 × width × height` bytes: red, green, blue of each pixel, rows from the top.
    pub rgb: Vec<u8>,
}

impl Picture {
    /// A black picture.
    pub fn new(width: usize, height: usize) -> Self {
        Picture { width, height, rgb: vec![0; 3 * width * height] }
    }

    /// Colour of a pixel, `x` from the left, `y` from the top; black outside.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let at = 3 * (y * self.width + x);
        match self.rgb.get(at..at + 3) {
            Some(c) if x < self.width => [c[0], c[1], c[2]],
            _ => [0; 3],
        }
    }

    /// Write as PNG, with `comment` as a text chunk if it is not empty.
    pub fn write_png(&self, writer: impl Write, comment: &str) -> Result<(), Error> {
        self.check()?;
        let failed = |e: png::EncodingError| Error::file("PNG", None, e, "check the disk and the path");
        let mut encoder = png::Encoder::new(writer, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        if !comment.is_empty() {
            encoder.add_text_chunk("Comment".into(), latin(comment)).map_err(failed)?;
        }
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(&self.rgb).map_err(failed)?;
        writer.finish().map_err(failed)
    }

    /// The PNG file as bytes.
    pub fn to_png(&self, comment: &str) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        self.write_png(&mut bytes, comment)?;
        Ok(bytes)
    }

    /// A picture that a file format can hold: at least one pixel, and the bytes it promises.
    pub(super) fn check(&self) -> Result<(), Error> {
        let size = format!("{} x {}", self.width, self.height);
        if self.width == 0 || self.height == 0 || self.width > 65_535 || self.height > 65_535 {
            return Err(Error::setting("picture size", size, "width and height must be 1 to 65535 pixels"));
        }
        if self.rgb.len() != 3 * self.width * self.height {
            return Err(Error::setting("picture", size, "rgb must hold 3 bytes per pixel"));
        }
        Ok(())
    }
}

/// PNG text is Latin-1; anything else becomes a question mark rather than an error.
fn latin(text: &str) -> String {
    text.chars().map(|c| if (c as u32) < 256 && c != '\0' { c } else { '?' }).collect()
}
