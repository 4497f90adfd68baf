//! The bytes of a reply: sections of a tag, a length and what they hold.

use glam::DVec3;

/// A reply in the making.
#[derive(Default)]
pub struct Reply(Vec<u8>);

impl Reply {
    /// Begin anew, in the room there is.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// What has been written.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// A section of whatever is written by `fill`.
    fn section(&mut self, tag: &[u8; 4], fill: impl FnOnce(&mut Vec<u8>)) {
        self.0.extend(tag);
        self.0.extend([0; 4]);
        let begin = self.0.len();
        fill(&mut self.0);
        let length = (self.0.len() - begin) as u32;
        self.0[begin - 4..begin].copy_from_slice(&length.to_le_bytes());
        self.0.resize(self.0.len().next_multiple_of(8), 0);
    }

    /// Text.
    pub fn text(&mut self, tag: &[u8; 4], text: &str) {
        self.section(tag, |out| out.extend(text.as_bytes()));
    }

    /// Bytes.
    pub fn bytes_of(&mut self, tag: &[u8; 4], bytes: impl Iterator<Item = u8>) {
        self.section(tag, |out| out.extend(bytes));
    }

    /// Short numbers.
    pub fn shorts(&mut self, tag: &[u8; 4], numbers: impl Iterator<Item = u16>) {
        self.section(tag, |out| out.extend(numbers.flat_map(u16::to_le_bytes)));
    }

    /// Whole numbers.
    pub fn numbers(&mut self, tag: &[u8; 4], numbers: impl Iterator<Item = u32>) {
        self.section(tag, |out| out.extend(numbers.flat_map(u32::to_le_bytes)));
    }

    /// Numbers in single precision.
    pub fn floats(&mut self, tag: &[u8; 4], numbers: impl Iterator<Item = f32>) {
        self.section(tag, |out| out.extend(numbers.flat_map(f32::to_le_bytes)));
    }

    /// Places \[m\], seen from `origin`.
    pub fn places(&mut self, tag: &[u8; 4], places: &[DVec3], origin: DVec3) {
        self.floats(tag, places.iter().flat_map(|&p| (p - origin).to_array()).map(|x| x as f32));
    }
}
