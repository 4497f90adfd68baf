//! Legacy VTK: unstructured grids and polydata, ascii and binary (big endian). By hand: `vtkio` (2021) pulls in
//! XML and compression, reserves what the header announces and names no line.
//!
//! `POINTS`, then `CELLS`/`POLYGONS` as rows `n i j k ..` (up to 4.2) or OFFSETS and CONNECTIVITY (5.x), cell
//! types, then data; scalars of POINT_DATA become attributes. Not handled: structured grids, hexahedra, curved cells
//! (left out, counted in the notes), packed bits.

mod data;

use super::cursor::{Cursor, short};
use super::numbers::{Encoding, Type};
use super::raw::{RawMesh, strip};
use crate::Error;
use std::collections::BTreeMap;

struct Reader<'a> {
    cursor: Cursor<'a>,
    /// How the numbers are stored; everything around them is text.
    encoding: Encoding,
    /// Corners of all cells, and where each cell ends.
    corners: Vec<u32>,
    ends: Vec<usize>,
    /// Rows of the data section being read, and whether they belong to points.
    rows: u64,
    of_points: bool,
    /// Cells left out, by type.
    ignored: BTreeMap<u64, usize>,
    raw: RawMesh,
}

pub(super) fn read(file: &str, bytes: &[u8]) -> Result<RawMesh, Error> {
    let mut cursor = Cursor::text(file, bytes);
    let encoding = header(&mut cursor, bytes)?;
    let (corners, ends, ignored) = (Vec::new(), Vec::new(), BTreeMap::new());
    let raw = RawMesh::default();
    let mut reader = Reader { cursor, encoding, corners, ends, rows: 0, of_points: false, ignored, raw };
    while let Some(word) = reader.cursor.word() {
        reader.section(&word.to_ascii_uppercase())?;
    }
    for (kind, count) in &reader.ignored {
        let note = format!("{count} cells of VTK type {kind} are ignored: only 5 to 10 are read");
        reader.raw.notes.push(note);
    }
    Ok(reader.raw)
}

fn header(cursor: &mut Cursor, bytes: &[u8]) -> Result<Encoding, Error> {
    if !bytes.starts_with(b"# vtk DataFile") {
        let remedy = "a legacy file starts with \"# vtk DataFile Version\" (XML files are .vtu, .vtp)";
        return Err(cursor.error("this is no legacy VTK file", remedy));
    }
    cursor.next_line();
    cursor.next_line(); // the title
    let encoding = match cursor.need("ASCII or BINARY")?.to_ascii_uppercase().as_str() {
        "ASCII" => Encoding::Ascii,
        "BINARY" => Encoding::Big,
        other => {
            return Err(cursor.error(format!("the encoding is \"{}\"", short(other)), "use ASCII or BINARY"));
        }
    };
    cursor.expect("DATASET")?;
    match cursor.need("the kind of dataset")?.to_ascii_uppercase().as_str() {
        "UNSTRUCTURED_GRID" | "POLYDATA" => Ok(encoding),
        other => {
            let remedy = "convert to UNSTRUCTURED_GRID or POLYDATA";
            Err(cursor.error(format!("the dataset is \"{}\"", short(other)), remedy))
        }
    }
}

impl Reader<'_> {
    fn section(&mut self, keyword: &str) -> Result<(), Error> {
        match keyword {
            "POINTS" => self.points()?,
            "CELLS" => self.cells()?,
            "POLYGONS" => {
                self.cells()?;
                self.sort_cells(|_| 7);
            }
            "CELL_TYPES" => self.cell_types()?,
            "VERTICES" | "LINES" => self.cells()?,
            "TRIANGLE_STRIPS" => {
                self.cells()?;
                self.sort_cells(|_| 6);
            }
            "POINT_DATA" | "CELL_DATA" => {
                self.of_points = keyword == "POINT_DATA";
                self.rows = self.cursor.whole(Type::U64, "the number of rows")?;
            }
            "SCALARS" => self.scalars()?,
            "COLOR_SCALARS" | "LOOKUP_TABLE" => self.colors(keyword)?,
            "VECTORS" | "NORMALS" => drop(self.array(3)?),
            "TENSORS" => drop(self.array(9)?),
            "TENSORS6" => drop(self.array(6)?),
            "GLOBAL_IDS" | "PEDIGREE_IDS" => drop(self.array(1)?),
            "TEXTURE_COORDINATES" => self.texture()?,
            "FIELD" => self.field()?,
            "METADATA" => self.metadata(),
            other => {
                let problem = format!("the keyword \"{}\" is unknown", short(other));
                return Err(self.cursor.error(problem, "check the counts of the section above"));
            }
        }
        if matches!(keyword, "VERTICES" | "LINES") {
            (self.corners, self.ends) = (Vec::new(), Vec::new());
        }
        Ok(())
    }

    /// `count` numbers after the end of this line.
    fn numbers(&mut self, stored: Type, count: u64, what: &str) -> Result<Vec<f64>, Error> {
        self.cursor.next_line();
        self.cursor.encoding = self.encoding;
        let count = self.cursor.room(count, 1, stored.size(), what)?;
        let numbers = (0..count).map(|_| self.cursor.value(stored, what)).collect();
        self.cursor.encoding = Encoding::Ascii;
        numbers
    }

    fn stored(&mut self) -> Result<Type, Error> {
        Ok(match self.cursor.need("a number type")?.to_ascii_lowercase().as_str() {
            "char" => Type::I8,
            "unsigned_char" => Type::U8,
            "short" => Type::I16,
            "unsigned_short" => Type::U16,
            "int" | "vtktypeint32" => Type::I32,
            "unsigned_int" | "vtktypeuint32" => Type::U32,
            "long" | "vtktypeint64" | "vtkidtype" => Type::I64,
            "unsigned_long" | "vtktypeuint64" => Type::U64,
            "float" => Type::F32,
            "double" => Type::F64,
            other => {
                let problem = format!("the number type \"{}\" is not read", short(other));
                return Err(self.cursor.error(problem, "use int, float or double"));
            }
        })
    }

    fn points(&mut self) -> Result<(), Error> {
        let count = self.cursor.whole(Type::U64, "the number of points")?;
        let stored = self.stored()?;
        self.cursor.next_line();
        self.cursor.encoding = self.encoding;
        let count = self.cursor.room(count, 3, 3 * stored.size(), "points")?;
        for _ in 0..count {
            self.raw.positions.push(self.cursor.position(stored)?);
        }
        self.cursor.encoding = Encoding::Ascii;
        Ok(())
    }

    fn cells(&mut self) -> Result<(), Error> {
        let (rows, size) =
            (self.cursor.whole(Type::U64, "the number of cells")?, self.cursor.whole(Type::U64, "the size")?);
        (self.corners, self.ends) = (Vec::new(), Vec::new());
        self.cursor.next_line();
        if self.cursor.peek().is_some_and(|w| w.eq_ignore_ascii_case("OFFSETS")) {
            return self.cells_5(rows, size);
        }
        self.cursor.encoding = self.encoding;
        let rows = self.cursor.room(rows, 1, 4, "cells")?;
        self.cursor.room(size, 1, 4, "numbers of cells")?;
        for _ in 0..rows {
            for _ in 0..self.cursor.count(Type::I32, 1, 4, "corners of a cell")? {
                let corner = self.cursor.index(Type::I32, 0, self.raw.positions.len(), "a cell")?;
                self.corners.push(corner);
            }
            self.ends.push(self.corners.len());
        }
        self.cursor.encoding = Encoding::Ascii;
        Ok(())
    }

    fn cells_5(&mut self, offsets: u64, corners: u64) -> Result<(), Error> {
        self.cursor.expect("OFFSETS")?;
        let stored = self.stored()?;
        let offsets = self.numbers(stored, offsets, "offsets")?;
        self.cursor.expect("CONNECTIVITY")?;
        let stored = self.stored()?;
        let vertices = self.raw.positions.len() as f64;
        for corner in self.numbers(stored, corners, "corners of cells")? {
            if !(corner >= 0.0 && corner < vertices) {
                let problem = format!("a cell uses point {corner}, but there are {vertices}, counted from 0");
                return Err(self.cursor.error(problem, "indices must name a point of the file"));
            }
            self.corners.push(corner as u32);
        }
        for pair in offsets.windows(2) {
            if !(pair[0] <= pair[1] && pair[0] >= 0.0 && pair[1] <= self.corners.len() as f64) {
                let problem = format!("the offsets {} and {} follow each other", pair[0], pair[1]);
                return Err(self.cursor.error(problem, "offsets grow from 0 to the number of corners"));
            }
            self.ends.push(pair[1] as usize);
        }
        Ok(())
    }

    fn cell_types(&mut self) -> Result<(), Error> {
        let count = self.cursor.whole(Type::U64, "the number of cell types")?;
        let types = self.numbers(Type::I32, count, "cell types")?;
        if types.len() != self.ends.len() {
            let problem = format!("{} cell types for {} cells", types.len(), self.ends.len());
            return Err(self.cursor.error(problem, "give one type per cell"));
        }
        self.sort_cells(|cell| types[cell] as u64);
        Ok(())
    }

    /// Turn the cells read last into faces and tets.
    fn sort_cells(&mut self, kind: impl Fn(usize) -> u64) {
        let (corners, ends) = (std::mem::take(&mut self.corners), std::mem::take(&mut self.ends));
        let mut start = 0;
        for (cell, end) in ends.into_iter().enumerate() {
            match (kind(cell), &corners[start..end]) {
                (6, corners) => strip(corners).for_each(|triangle| self.raw.face(&triangle)),
                (5 | 7 | 9, polygon) => self.raw.face(polygon),
                (8, &[a, b, c, d]) => self.raw.face(&[a, b, d, c]), // a pixel goes row by row
                (10, &[a, b, c, d]) => self.raw.tets.push([a, b, c, d]),
                (1..=4, _) => {} // points and lines
                (other, _) => *self.ignored.entry(other).or_insert(0) += 1,
            }
            start = end;
        }
    }
}
