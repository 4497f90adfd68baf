//! PC2, a point cache: the positions of the same points at many times, without the faces between them.
//!
//! ```text
//! "POINTCACHE2\0"  i32 version = 1   i32 points   f32 first frame   f32 frames per sample   i32 samples
//! then for each sample and each point   f32 x   f32 y   f32 z        all of it little-endian
//! ```

use super::cursor::Cursor;
use super::numbers::{Encoding, Type};
use crate::Error;
use glam::DVec3;

const MARK: &[u8; 12] = b"POINTCACHE2\0";
/// Bytes before the positions, and of each position.
const HEADER: usize = 32;
const POINT: usize = 12;

/// The samples of a file. They are decoded one by one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cache {
    pub points: usize,
    pub samples: usize,
    bytes: Vec<u8>,
}

impl Cache {
    pub fn read(file: &str, bytes: Vec<u8>) -> Result<Self, Error> {
        let mut cursor = Cursor::new(file, &bytes, Encoding::Little);
        if cursor.take(MARK.len(), "POINTCACHE2")? != MARK {
            let problem = "does not begin with POINTCACHE2";
            return Err(Error::file(file, None, problem, "is this a point cache?"));
        }
        let version = cursor.value(Type::I32, "the version")?;
        if version != 1.0 {
            return Err(cursor.error(format!("the version is {version}"), "only version 1 is known"));
        }
        let points = cursor.whole(Type::I32, "the number of points")?;
        cursor.value(Type::F32, "the first frame")?;
        cursor.value(Type::F32, "the sampling rate")?;
        let samples = cursor.whole(Type::I32, "the number of samples")?;
        if points == 0 || samples == 0 {
            let problem = format!("holds {samples} samples of {points} points");
            return Err(Error::file(file, None, problem, "there must be one of each at least"));
        }
        // Both are below 2³¹, so their product has no more than 62 bits.
        let positions = cursor.room(points * samples, 3, POINT, "positions")?;
        Ok(Cache { points: points as usize, samples: positions / points as usize, bytes })
    }

    /// The positions of one sample \[m\], finite or not.
    pub fn sample(&self, sample: usize) -> Vec<DVec3> {
        let size = POINT * self.points;
        let rows = &self.bytes[HEADER + sample * size..][..size];
        let number = |bytes: &[u8; 4]| f64::from(f32::from_le_bytes(*bytes));
        let numbers: Vec<f64> = rows.as_chunks().0.iter().map(number).collect();
        numbers.as_chunks().0.iter().map(|&xyz: &[f64; 3]| DVec3::from_array(xyz)).collect()
    }
}
