//! Files next to files: never outside the folder of the file that names them.

use crate::Error;
use crate::input::{self, MOST_BYTES};
use std::path::{Path, PathBuf};

/// The path of `name` inside `folder`. Refuses names that are absolute, climb (`..`), carry a drive or scheme,
/// or reach outside through a link.
pub fn inside_folder(folder: &Path, name: &str) -> Result<PathBuf, Error> {
    let path = folder.join(clean(name)?);
    let home = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // A file that does not exist has nothing to leak; the reader will say that it is missing.
    if let (Ok(real), Ok(home)) = (path.canonicalize(), home.canonicalize())
        && !real.starts_with(&home)
    {
        return Err(escape(name));
    }
    Ok(path)
}

/// `name` with forward slashes and without `.` parts, or an error if it could leave the folder.
pub(super) fn clean(name: &str) -> Result<String, Error> {
    let parts: Vec<&str> = name.split('/').filter(|&p| p != ".").collect();
    let bad = |part: &&str| part.is_empty() || *part == ".." || part.contains(['\\', ':', '\0']);
    if parts.is_empty() || parts.iter().any(bad) { Err(escape(name)) } else { Ok(parts.join("/")) }
}

fn escape(name: &str) -> Error {
    let remedy = match name.contains('\\') {
        true => "write / instead of \\, and no drive: \"meshes/shirt.obj\"",
        false => "put the file next to the one that names it, or in a folder below",
    };
    if name.contains('\\') && !name.contains([':', '\0']) && !name.starts_with('\\') && !name.contains("..") {
        return Error::file(super::cursor::short(name), None, "this path has a backslash", remedy);
    }
    Error::file(super::cursor::short(name), None, "this path leaves the folder it is named in", remedy)
}

/// The bytes of `name` inside `folder`, if there is such a file.
pub(super) fn read_inside(folder: &Path, name: &str) -> Result<Option<Vec<u8>>, Error> {
    let path = inside_folder(folder, name)?;
    if path.exists() { input::read(&path, MOST_BYTES).map(Some) } else { Ok(None) }
}
