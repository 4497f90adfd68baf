//! Files that appear under their name only when they are complete.
//!
//! Everything is written to `.<name>.part` in the same folder, flushed to the disk, then renamed: a full disk, a
//! Ctrl-C or a kill leave at most that part file, never half a result.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use taut::Error;

fn trouble(path: &Path, e: impl std::fmt::Display) -> Error {
    Error::file(
        path.to_string_lossy(),
        None,
        format!("cannot write: {e}"),
        "check space and permissions, or write somewhere else",
    )
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
        let file = File::create(&part).map_err(|e| trouble(target, e))?;
        Ok(Draft { target: target.into(), part, writer: Some(BufWriter::new(file)) })
    }

    /// Write everything through `fill` and finish.
    pub fn fill<E: std::fmt::Display>(
        mut self,
        fill: impl FnOnce(&mut Draft) -> Result<(), E>,
    ) -> Result<PathBuf, Error> {
        fill(&mut self).map_err(|e| trouble(&self.target, e))?;
        self.finish()
    }

    /// Give the file its name.
    pub fn finish(mut self) -> Result<PathBuf, Error> {
        let writer = self.writer.take().expect("finished once");
        let done = writer.into_inner().map_err(|e| e.into_error()).and_then(|file| file.sync_all());
        done.and_then(|()| fs::rename(&self.part, &self.target)).map_err(|e| trouble(&self.target, e))?;
        Ok(std::mem::take(&mut self.target))
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.writer.as_mut().expect("not finished").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.as_mut().expect("not finished").flush()
    }
}

impl Drop for Draft {
    /// An unfinished draft is thrown away.
    fn drop(&mut self) {
        if !self.target.as_os_str().is_empty() {
            self.writer = None;
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// Write a whole file through `fill`.
pub fn write<E: std::fmt::Display>(
    target: &Path,
    fill: impl FnOnce(&mut Draft) -> Result<(), E>,
) -> Result<PathBuf, Error> {
    Draft::new(target)?.fill(fill)
}
