//! The data sections of a legacy VTK file: scalars of points become attributes, texture coordinates are kept,
//! the rest is read past.

use super::Reader;
use crate::Error;
use crate::mesh_io::numbers::Type;

impl Reader<'_> {
    fn keep(&mut self, name: String, values: Vec<f64>) {
        if self.of_points {
            self.raw.attributes.insert(name, values);
        }
    }

    pub(super) fn scalars(&mut self) -> Result<(), Error> {
        let name = self.cursor.need("the name of an array")?.to_string();
        let stored = self.stored()?;
        let components = match self.cursor.word_here() {
            Some(word) => self.cursor.parse(word, "the number of components")? as u64,
            None => 1,
        };
        if self.cursor.peek().is_some_and(|w| w.eq_ignore_ascii_case("LOOKUP_TABLE")) {
            self.cursor.word();
            self.cursor.need("the name of a lookup table")?;
        }
        let values = self.numbers(stored, self.rows.saturating_mul(components), "scalars")?;
        if components == 1 {
            self.keep(name, values);
        }
        Ok(())
    }

    /// Colours and lookup tables: bytes in binary files, fractions in ascii ones; we have no use for them.
    pub(super) fn colors(&mut self, keyword: &str) -> Result<(), Error> {
        self.cursor.need("the name of an array")?;
        let size = self.cursor.whole(Type::U64, "the size")?;
        let count = size.saturating_mul(if keyword == "LOOKUP_TABLE" { 4 } else { self.rows });
        self.numbers(Type::U8, count, "colours").map(drop)
    }

    pub(super) fn array(&mut self, components: u64) -> Result<Vec<f64>, Error> {
        self.cursor.need("the name of an array")?;
        let stored = self.stored()?;
        self.numbers(stored, self.rows.saturating_mul(components), "numbers")
    }

    pub(super) fn texture(&mut self) -> Result<(), Error> {
        self.cursor.need("the name of an array")?;
        let dimension = self.cursor.whole(Type::U64, "the dimension")?;
        let stored = self.stored()?;
        let values = self.numbers(stored, self.rows.saturating_mul(dimension), "texture coordinates")?;
        if self.of_points && dimension == 2 && values.len() == 2 * self.raw.positions.len() {
            self.raw.original.uvs = values.chunks_exact(2).map(|uv| [uv[0], uv[1]]).collect();
            self.raw.original.corner_uvs = self.raw.original.corners.clone();
        }
        Ok(())
    }

    pub(super) fn field(&mut self) -> Result<(), Error> {
        self.cursor.need("the name of a field")?;
        let arrays = self.cursor.whole(Type::U64, "the number of arrays")?;
        for _ in 0..arrays {
            let mut name = self.cursor.need("the name of an array")?;
            if name.eq_ignore_ascii_case("METADATA") {
                self.metadata();
                name = self.cursor.need("the name of an array")?;
            }
            let components = self.cursor.whole(Type::U64, "the number of components")?;
            let rows = self.cursor.whole(Type::U64, "the number of rows")?;
            let stored = self.stored()?;
            let values = self.numbers(stored, components.saturating_mul(rows), "numbers")?;
            // A field before POINT_DATA belongs to the dataset, not to its points.
            if components == 1 {
                self.keep(name.to_string(), values);
            }
        }
        Ok(())
    }

    /// Metadata ends with an empty line.
    pub(super) fn metadata(&mut self) {
        while self.cursor.next_line() && self.cursor.word_here().is_some() {}
    }
}
