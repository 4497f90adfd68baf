//! Files that appear under their name only when they are complete.
//!
//! Everything is written to `.<name>.part` in the same folder, flushed to the disk, then renamed: a full disk or a
//! Ctrl-C leave nothing but whole results. Only a kill can leave that part file, and the next run takes it over.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use taut::mesh_io::{self, Mesh};
use taut::{DVec3, Error};

/// The part files there are now.
static PARTS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn parts() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PARTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// End the program at once, without leaving a part file. The lock is held to the end, so no new one is made.
pub fn abandon(code: i32) -> ! {
    let parts = parts();
    parts.iter().for_each(|part| drop(fs::remove_file(part)));
    std::process::exit(code)
}

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
    let probe = path.join(".taut.part");
    File::create(&probe).and_then(|_| fs::remove_file(&probe)).map_err(|e| trouble(path, e))
}

/// A file that is being written.
pub struct Draft {
    target: PathBuf,
    part: PathBuf,
    writer: Option<BufWriter<File>>,
}

impl Draft {
    /// Start writing what will be `target`.
    pub fn new(target: &Path) -> Result<Self, Error> {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let part = target.with_file_name(format!(".{name}.part"));
        let file = {
            let mut parts = parts();
            let file = File::create(&part).map_err(|e| trouble(target, e))?;
            parts.insert(part.clone());
            file
        };
        Ok(Draft { target: target.into(), part, writer: Some(BufWriter::new(file)) })
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
        let writer = self.writer.take().expect("finished once");
        let done = writer.into_inner().map_err(|e| e.into_error()).and_then(|file| file.sync_all());
        done.and_then(|()| self.rename()).map_err(|e| trouble(&self.target, e))?;
        Ok(std::mem::take(&mut self.target))
    }
}

impl Draft {
    fn rename(&self) -> io::Result<()> {
        let mut parts = parts();
        fs::rename(&self.part, &self.target)?;
        parts.remove(&self.part);
        Ok(())
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.as_mut().expect("not finished").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().expect("not finished").flush()
    }
}

impl Drop for Draft {
    /// An unfinished draft is thrown away.
    fn drop(&mut self) {
        if !self.target.as_os_str().is_empty() {
            self.writer = None;
            let mut parts = parts();
            let _ = fs::remove_file(&self.part);
            parts.remove(&self.part);
        }
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
