//! Files that appear under their name only when they are complete.
//!
//! Everything is written to a part file in the same folder, flushed to the disk, then renamed: a full disk or a Ctrl-C
//! leave nothing but whole results. Only a kill can leave a part file, and the next run into that folder removes it.

use super::parts::Part;
use crate::Error;
use crate::mesh_io::{self, Mesh};
use glam::DVec3;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

fn trouble(path: &Path, e: impl std::fmt::Display) -> Error {
    Error::file(
        path.to_string_lossy(),
        None,
        format!("cannot write: {e}"),
        "check space and permissions, or write somewhere else",
    )
}

/// Why a writer failed: the disk did, or what was to be written.
pub struct Cause(Error);

impl From<io::Error> for Cause {
    fn from(e: io::Error) -> Self {
        Cause(Error::file("", None, e, ""))
    }
}

impl From<Error> for Cause {
    fn from(e: Error) -> Self {
        Cause(e)
    }
}

/// Writers do not know where they write to.
pub fn named(path: &Path, e: Error) -> Error {
    match e {
        Error::File { problem, .. } => trouble(path, problem),
        other => other,
    }
}

/// Make a folder and those above it, and see whether files can be made in it.
pub fn make_folder(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(|e| trouble(path, e))?;
    Part::unique(&path.join("taut")).map(drop).map_err(|e| trouble(path, e))
}

/// A result that a run will write, from its start to its end: no other run may write it meanwhile.
pub struct Claim {
    _part: Part,
}

impl Claim {
    /// Claim what will be `target`, or the files numbered like it.
    pub fn new(target: &Path) -> Result<Self, Error> {
        check(target)?;
        let part = Part::claim(target).map_err(|e| trouble(target, e))?.map_err(|path| {
            let path = path.display();
            let remedy = format!("wait for it, or choose another --out (if there is none, remove {path})");
            Error::file(target.to_string_lossy(), None, "another run is writing this result", remedy)
        })?;
        Ok(Claim { _part: part })
    }
}

/// Where a file is written that is to be found at `target`: there, or where a link of that name leads. A file takes the
/// place of a file only, not of a folder, a pipe or a device.
fn place_of(target: &Path) -> Result<PathBuf, Error> {
    match fs::metadata(target) {
        Ok(found) if found.is_dir() => Err(trouble(target, "there is a folder of this name")),
        Ok(found) if !found.is_file() => Err(trouble(target, "what has this name is not a regular file")),
        Ok(_) => fs::canonicalize(target).map_err(|e| trouble(target, e)),
        Err(_) => Ok(target.to_path_buf()),
    }
}

/// Refuse what cannot be the name of a file, before anything is done for it.
pub fn check(target: &Path) -> Result<(), Error> {
    place_of(target).map(drop)
}

/// A file that is being written.
pub struct Draft {
    /// Its name as the user gave it, and where that is.
    target: PathBuf,
    place: PathBuf,
    part: Part,
    writer: BufWriter<File>,
}

impl Draft {
    /// Start writing what will be `target`.
    pub fn new(target: &Path) -> Result<Self, Error> {
        let place = place_of(target)?;
        let part = Part::unique(&place).map_err(|e| trouble(target, e))?;
        let writer = BufWriter::new(part.file.try_clone().map_err(|e| trouble(target, e))?);
        Ok(Draft { target: target.into(), place, part, writer })
    }

    /// Write everything through `fill` and finish.
    pub fn fill<E: Into<Cause>>(
        mut self,
        fill: impl FnOnce(&mut Draft) -> Result<(), E>,
    ) -> Result<PathBuf, Error> {
        fill(&mut self).map_err(|e| named(&self.target, e.into().0))?;
        self.finish()
    }

    /// Give the file its name.
    pub fn finish(mut self) -> Result<PathBuf, Error> {
        let done = self.writer.flush().and_then(|()| self.part.file.sync_all());
        done.and_then(|()| self.part.rename(&self.place)).map_err(|e| trouble(&self.target, e))?;
        Ok(self.target)
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Write a whole file through `fill`.
pub fn write<E: Into<Cause>>(
    target: &Path,
    fill: impl FnOnce(&mut Draft) -> Result<(), E>,
) -> Result<PathBuf, Error> {
    Draft::new(target)?.fill(fill)
}

/// Write a mesh as OBJ or PLY, as the name of the draft says.
pub fn mesh(mesh: &Mesh, positions: &[DVec3], comments: &[String], out: &mut Draft) -> io::Result<()> {
    match out.target.extension().is_some_and(|e| e.eq_ignore_ascii_case("obj")) {
        true => mesh_io::write_obj(mesh, positions, out, comments),
        false => mesh_io::write_ply(mesh, positions, out, comments),
    }
}
