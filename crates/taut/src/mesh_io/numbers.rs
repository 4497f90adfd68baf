//! Numbers in ascii or in binary of either endian, read by the same calls.
//!
//! Every number passes through f64, which holds all indices a file can have. Every count is checked against the
//! bytes that remain before anything is reserved.

use super::cursor::Cursor;
use crate::Error;
use glam::DVec3;

/// How numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    Little,
    Big,
}

/// The type of one stored number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Type {
    pub fn size(self) -> usize {
        match self {
            Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 | Type::F64 => 8,
        }
    }

    /// The number stored in `bytes`, least significant byte first; `bytes` has exactly `size()` bytes.
    fn decode(self, bytes: [u8; 8]) -> f64 {
        let word = u64::from_le_bytes(bytes);
        match self {
            Type::I8 => word as i8 as f64,
            Type::U8 => word as u8 as f64,
            Type::I16 => word as i16 as f64,
            Type::U16 => word as u16 as f64,
            Type::I32 => word as i32 as f64,
            Type::U32 => word as u32 as f64,
            Type::I64 => word as i64 as f64,
            Type::U64 => word as f64,
            Type::F32 => f32::from_bits(word as u32) as f64,
            Type::F64 => f64::from_bits(word),
        }
    }
}

impl Cursor<'_> {
    /// The next number, whatever it is.
    pub fn value(&mut self, stored: Type, what: &str) -> Result<f64, Error> {
        if self.encoding == Encoding::Ascii {
            let word = self.need(what)?;
            return self.parse(word, what);
        }
        let size = stored.size();
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(self.take(size, what)?);
        if self.encoding == Encoding::Big {
            bytes[..size].reverse();
        }
        Ok(stored.decode(bytes))
    }

    /// The next number, which must be finite.
    pub fn finite(&mut self, stored: Type, what: &str) -> Result<f64, Error> {
        let value = self.value(stored, what)?;
        if value.is_finite() {
            return Ok(value);
        }
        Err(self.not_finite(value, what))
    }

    /// The complaint about a number that is not.
    pub fn not_finite(&self, value: f64, what: &str) -> Error {
        self.error(format!("{what} is {value}"), "numbers must be finite")
    }

    /// The next number, which must be whole and not negative.
    pub fn whole(&mut self, stored: Type, what: &str) -> Result<u64, Error> {
        let value = self.value(stored, what)?;
        if value >= 0.0 && value.fract() == 0.0 && value < 9e15 {
            return Ok(value as u64);
        }
        Err(self.error(format!("{what} is {value}"), "it must be a whole number, zero or more"))
    }

    /// The next three numbers, as a position.
    pub fn position(&mut self, stored: Type) -> Result<DVec3, Error> {
        let x = self.finite(stored, "the x of a vertex")?;
        let y = self.finite(stored, "the y of a vertex")?;
        Ok(DVec3::new(x, y, self.finite(stored, "the z of a vertex")?))
    }

    /// Read a vertex index counting from `base`, with `vertices` vertices known.
    pub fn index(&mut self, stored: Type, base: u64, vertices: usize, what: &str) -> Result<u32, Error> {
        let value = self.value(stored, what)?;
        self.known(value, base, vertices, what)
    }

    /// The index counting from 0 of the vertex that `value` names.
    pub fn known(&self, value: f64, base: u64, vertices: usize, what: &str) -> Result<u32, Error> {
        let (first, last) = (base as f64, (base + vertices as u64) as f64);
        if value >= first && value < last && value.fract() == 0.0 {
            return Ok((value - first) as u32);
        }
        let problem = format!("{what} uses vertex {value}, but there are {vertices}, counted from {base}");
        Err(self.error(problem, "indices must name a vertex of the file"))
    }

    /// Check that `items` of at least so many numbers (ascii) or bytes (binary) each can still follow.
    pub fn room(&self, items: u64, numbers: usize, bytes: usize, what: &str) -> Result<usize, Error> {
        // In ascii a number takes a digit and a blank; the last needs no blank.
        let (least, remaining) = match self.encoding {
            Encoding::Ascii => (2 * numbers, self.remaining() + 1),
            _ => (bytes, self.remaining()),
        };
        if items as u128 * least as u128 <= remaining as u128 {
            return Ok(items as usize);
        }
        let problem = format!("{items} {what} are announced, but only {} bytes follow", self.remaining());
        Err(self.error(problem, "correct the count, or fetch the whole file"))
    }

    /// A count, checked by [`Cursor::room`].
    pub fn count(&mut self, stored: Type, numbers: usize, bytes: usize, what: &str) -> Result<usize, Error> {
        let items = self.whole(stored, &format!("the number of {what}"))?;
        self.room(items, numbers, bytes, what)
    }
}
