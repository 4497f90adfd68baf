//! Part files: what is not yet a result, and what shows that a run is under way.
//!
//! A part file is called `.taut-<process>-<number>.<result>.part`, or `.taut.<result>.lock` where it claims a result. It
//! is always created new, so that nothing that stands in its place (a link, a pipe) is opened; and it is locked as long
//! as its process lives, however that ends. One that is not locked is a leftover.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The part files of this process there are now.
static PARTS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Folders that were searched for leftovers.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn locked<T>(set: &'static Mutex<T>) -> MutexGuard<'static, T> {
    set.lock().unwrap_or_else(PoisonError::into_inner)
}

/// End the program at once, without leaving a part file. The mutex is held to the end, so no new one is made.
pub fn abandon(code: i32) -> ! {
    let parts = locked(&PARTS);
    parts.iter().for_each(|part| drop(fs::remove_file(part)));
    std::process::exit(code)
}

/// A path next to a result: its name between these words.
fn beside(result: &Path, before: &str, after: &str) -> PathBuf {
    let mut name = OsString::from(before);
    name.push(result.file_name().unwrap_or_default());
    name.push(after);
    result.with_file_name(name)
}

/// A part file of this process. It is removed when this is dropped.
pub struct Part {
    path: PathBuf,
    /// Open for writing, and locked.
    pub file: File,
}

impl Part {
    /// One for this result that nobody else has. The first in a folder removes leftovers there.
    pub fn unique(result: &Path) -> io::Result<Part> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        sweep(result.parent().unwrap_or(Path::new("")));
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let before = format!(".taut-{}-{number}.", std::process::id());
            if let Some(part) = Part::create(&beside(result, &before, ".part"))? {
                return Ok(part);
            }
        }
    }

    /// The one that claims this result, or the path of what stands there.
    pub fn claim(result: &Path) -> io::Result<Result<Part, PathBuf>> {
        let path = beside(result, ".taut.", ".lock");
        let mut part = Part::create(&path)?;
        // Of several who remove a leftover one is first.
        if part.is_none() && remove_leftover(&path) {
            part = Part::create(&path)?;
        }
        Ok(part.ok_or(path))
    }

    /// The one of this path; none if there is something already.
    fn create(path: &Path) -> io::Result<Option<Part>> {
        let mut parts = locked(&PARTS);
        loop {
            let file = match File::create_new(path) {
                Err(e) if e.kind() == ErrorKind::AlreadyExists => return Ok(None),
                file => file?,
            };
            // Before it is locked it looks like a leftover, and somebody may take it away. Some file systems have no
            // locks: there leftovers stay.
            if !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) && is_at(&file, path) {
                parts.insert(path.into());
                return Ok(Some(Part { path: path.into(), file }));
            }
        }
    }

    /// Make it the result. It stays locked until it has its name.
    pub fn rename(&self, result: &Path) -> io::Result<()> {
        let mut parts = locked(&PARTS);
        fs::rename(&self.path, result)?;
        parts.remove(&self.path);
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let mut parts = locked(&PARTS);
        if parts.remove(&self.path) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Whether this file is the one at that path.
fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(ours), Ok(there)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (ours.dev(), ours.ino()) == (there.dev(), there.ino())
    }
    #[cfg(not(unix))]
    {
        ours.is_file() && there.is_file()
    }
}

/// Remove a part file if its process has ended; says whether it was.
fn remove_leftover(path: &Path) -> bool {
    let regular = fs::symlink_metadata(path).is_ok_and(|data| data.is_file());
    let file = || File::options().read(true).write(true).open(path).ok();
    let Some(file) = regular.then(file).flatten() else { return false };
    file.try_lock().is_ok() && is_at(&file, path) && fs::remove_file(path).is_ok()
}

/// Remove leftovers in a folder, once.
fn sweep(folder: &Path) {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if !locked(&SWEPT).insert(folder.into()) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let ours = (name.starts_with(".taut-") && name.ends_with(".part"))
            || (name.starts_with(".taut.") && name.ends_with(".lock"));
        if ours {
            remove_leftover(&entry.path());
        }
    }
}
