//! Gmsh `.msh` 2.x and 4.1, ascii and binary: triangles, quads, tetrahedra. By hand: `mshio` knows 4.1 only, and
//! reserves what the header announces.
//!
//! Sections `$Name .. $EndName`; nodes carry tags of any order, elements name their nodes by tag. Version 2
//! stores flat lists, 4.1 blocks per geometric entity. Not handled: version 4.0, second-order elements,
//! hexahedra, prisms, pyramids (all counted in the notes), physical names.

use super::cursor::{Cursor, short};
use super::numbers::{Encoding, Type};
use super::raw::RawMesh;
use crate::Error;
use std::collections::{BTreeMap, HashMap};

/// Nodes of element types 1 to 19 (0 where there is none), from the Gmsh manual's table of element types.
const NODES: [usize; 20] = [0, 2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1, 8, 20, 15, 13];

struct Reader<'a> {
    cursor: Cursor<'a>,
    /// How the numbers of the sections are stored.
    encoding: Encoding,
    four: bool,
    /// Rows of the section at hand (version 2).
    rows: usize,
    /// Node tag to index.
    tags: HashMap<u64, u32>,
    /// Elements left out, by type.
    ignored: BTreeMap<u64, usize>,
    raw: RawMesh,
}

pub(super) fn read(file: &str, bytes: &[u8]) -> Result<RawMesh, Error> {
    let mut cursor = Cursor::text(file, bytes);
    let (encoding, four) = format(&mut cursor)?;
    let (tags, ignored) = (HashMap::new(), BTreeMap::new());
    let mut reader = Reader { cursor, encoding, four, rows: 0, tags, ignored, raw: RawMesh::default() };
    while let Some(word) = reader.cursor.word() {
        match (word, reader.four) {
            ("$Nodes", false) => reader.section(Reader::nodes_2, "$EndNodes")?,
            ("$Nodes", true) => reader.section(Reader::nodes_4, "$EndNodes")?,
            ("$Elements", false) => reader.section(Reader::elements_2, "$EndElements")?,
            ("$Elements", true) => reader.section(Reader::elements_4, "$EndElements")?,
            (other, _) if other.starts_with('$') => {
                reader.cursor.skip_past(&format!("$End{}", &other[1..]))?;
            }
            (other, _) => {
                let problem = format!("\"{}\" where a section should start", short(other));
                return Err(reader.cursor.error(problem, "sections start with $"));
            }
        }
    }
    for (kind, count) in &reader.ignored {
        let note = format!("{count} elements of Gmsh type {kind} are ignored: only 2, 3 and 4 are read");
        reader.raw.notes.push(note);
    }
    Ok(reader.raw)
}

fn format(cursor: &mut Cursor) -> Result<(Encoding, bool), Error> {
    cursor.expect("$MeshFormat")?;
    let version = cursor.finite(Type::F64, "the version")?;
    let four = version == 4.1;
    if !four && !(2.0..3.0).contains(&version) {
        return Err(cursor.error(format!("the version is {version}"), "save as version 4.1 or 2.2"));
    }
    let binary = cursor.whole(Type::U64, "the file type")?;
    let size = cursor.whole(Type::U64, "the data size")?;
    if size != 8 || binary > 1 {
        let problem = format!("file type {binary} with data size {size}");
        return Err(cursor.error(problem, "the type must be 0 or 1, the size 8"));
    }
    let mut encoding = Encoding::Ascii;
    if binary == 1 {
        cursor.next_line();
        encoding = match cursor.take(4, "the number one")? {
            [1, 0, 0, 0] => Encoding::Little,
            [0, 0, 0, 1] => Encoding::Big,
            other => return Err(cursor.error(format!("{other:?} where a binary 1 should be"), "")),
        };
    }
    cursor.expect("$EndMeshFormat")?;
    Ok((encoding, four))
}

impl Reader<'_> {
    /// Read a section whose numbers may be binary; what lies around it is text.
    fn section(&mut self, body: fn(&mut Self) -> Result<(), Error>, end: &str) -> Result<(), Error> {
        self.cursor.next_line();
        if !self.four {
            // Version 2 writes this one count as text even in binary files.
            let items = self.cursor.whole(Type::U64, "the number of rows")?;
            self.cursor.next_line();
            self.cursor.encoding = self.encoding;
            self.rows = self.cursor.room(items, 2, 4, "rows")?;
        }
        self.cursor.encoding = self.encoding;
        body(self)?;
        self.cursor.encoding = Encoding::Ascii;
        self.cursor.expect(end)
    }

    fn node(&mut self, tag: u64) -> Result<(), Error> {
        let index = self.raw.positions.len() as u32;
        self.raw.positions.push(self.cursor.position(Type::F64)?);
        if self.tags.insert(tag, index).is_some() {
            return Err(self.cursor.error(format!("two nodes have the tag {tag}"), "tags must differ"));
        }
        Ok(())
    }

    fn nodes_2(&mut self) -> Result<(), Error> {
        for _ in 0..self.rows {
            let tag = self.cursor.whole(Type::I32, "a node tag")?;
            self.node(tag)?;
        }
        Ok(())
    }

    fn nodes_4(&mut self) -> Result<(), Error> {
        for _ in 0..self.blocks()? {
            let dimension = self.cursor.whole(Type::I32, "the dimension of an entity")?;
            self.cursor.value(Type::I32, "the tag of an entity")?;
            let parametric = self.cursor.whole(Type::I32, "the parametric flag")? > 0;
            let count = self.cursor.count(Type::U64, 4, 32, "nodes")?;
            let tags = (0..count).map(|_| self.cursor.whole(Type::U64, "a node tag"));
            for tag in tags.collect::<Result<Vec<u64>, Error>>()? {
                self.node(tag)?;
                for _ in 0..if parametric { dimension.min(3) } else { 0 } {
                    self.cursor.value(Type::F64, "a parametric coordinate")?;
                }
            }
        }
        Ok(())
    }

    /// The four numbers that open a section of version 4.1; the first counts its blocks.
    fn blocks(&mut self) -> Result<usize, Error> {
        let blocks = self.cursor.whole(Type::U64, "the number of blocks")?;
        for what in ["the number of rows", "the least tag", "the greatest tag"] {
            self.cursor.whole(Type::U64, what)?;
        }
        self.cursor.room(blocks, 4, 20, "blocks")
    }

    fn elements_2(&mut self) -> Result<(), Error> {
        let mut left = self.rows;
        let ascii = self.encoding == Encoding::Ascii;
        // In ascii every row has its own head, in binary one head serves any number of rows, even none.
        while left > 0 || !ascii && !self.cursor.is_at("$EndElements") {
            if ascii {
                self.cursor.whole(Type::I32, "an element tag")?;
            }
            let kind = self.cursor.whole(Type::I32, "an element type")?;
            let rows = if ascii { 1 } else { self.cursor.count(Type::I32, 1, 4, "elements")? };
            let tags = self.cursor.count(Type::I32, 1, 4, "tags")?;
            if rows > left {
                let problem = format!("a block of {rows} elements, but only {left} more were announced");
                return Err(self.cursor.error(problem, "the file is damaged"));
            }
            for _ in 0..rows {
                for _ in 0..tags + !ascii as usize {
                    self.cursor.value(Type::I32, "a tag")?;
                }
                self.element(kind, Type::I32)?;
            }
            left -= rows;
        }
        Ok(())
    }

    fn elements_4(&mut self) -> Result<(), Error> {
        for _ in 0..self.blocks()? {
            self.cursor.value(Type::I32, "the dimension of an entity")?;
            self.cursor.value(Type::I32, "the tag of an entity")?;
            let kind = self.cursor.whole(Type::I32, "an element type")?;
            for _ in 0..self.cursor.count(Type::U64, 2, 16, "elements")? {
                self.cursor.value(Type::U64, "an element tag")?;
                self.element(kind, Type::U64)?;
            }
        }
        Ok(())
    }

    fn element(&mut self, kind: u64, stored: Type) -> Result<(), Error> {
        let nodes = NODES.get(kind as usize).copied().unwrap_or(0);
        if nodes == 0 {
            let remedy = "export triangles, quads and linear tetrahedra";
            return Err(self.cursor.error(format!("the element type {kind} is unknown"), remedy));
        }
        let mut corners = [0; 4];
        for i in 0..nodes {
            let tag = self.cursor.whole(stored, "a node of an element")?;
            let Some(&index) = self.tags.get(&tag) else {
                let problem = format!("an element uses node {tag}, which is not among the nodes");
                return Err(self.cursor.error(problem, "elements must use nodes of the file"));
            };
            corners[i.min(3)] = index;
        }
        match kind {
            2 | 3 => self.raw.face(&corners[..nodes]),
            4 => self.raw.tets.push(corners),
            1 | 15 => {} // lines and points of the geometry: nobody misses them
            _ => *self.ignored.entry(kind).or_insert(0) += 1,
        }
        Ok(())
    }
}
