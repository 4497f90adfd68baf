//! The one way to read a file that a user names: regular files only, opened once, up to a limit.

use crate::Error;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Most bytes of a mesh or a saved state.
pub const MOST_BYTES: u64 = 1 << 32;

/// All bytes of a regular file, if there are at most `most`.
///
/// A pipe would wait for a writer for ever and a device may have no end, so the path is looked at before it is opened,
/// and the handle after that, which nobody can exchange.
pub fn read(path: impl AsRef<Path>, most: u64) -> Result<Vec<u8>, Error> {
    let path = path.as_ref();
    let fail = |problem: String, remedy: &str| Error::file(path.to_string_lossy(), None, problem, remedy);
    let unread = |e: io::Error| fail(format!("cannot be read ({e})"), "check the path");
    let odd = || fail("is not a regular file".into(), "check the path");
    let large = || fail(format!("has more than {most} bytes"), "check that it is the right file");
    if !fs::metadata(path).map_err(unread)?.is_file() {
        return Err(odd());
    }
    let file = File::open(path).map_err(unread)?;
    let data = file.metadata().map_err(unread)?;
    if !data.is_file() {
        return Err(odd());
    }
    if data.len() > most {
        return Err(large());
    }
    // The length is a promise only: the file may grow while it is read, and those of /proc say 0.
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(data.len() as usize).map_err(|e| unread(e.into()))?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(unread)?;
    if bytes.len() as u64 > most { Err(large()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_the_limit() {
        let path = std::env::temp_dir().join(format!("taut_input_{}", std::process::id()));
        fs::write(&path, b"seven b").unwrap();
        assert_eq!(read(&path, 7).unwrap(), b"seven b");
        assert!(read(&path, 6).unwrap_err().to_string().contains("more than 6 bytes"));
        fs::remove_file(&path).unwrap();
        assert!(read(&path, 7).unwrap_err().to_string().contains("cannot be read"));
        assert!(read(std::env::temp_dir(), 7).unwrap_err().to_string().contains("not a regular file"));
    }

    /// What has no length, or says that it has none, is not read beyond the limit either.
    #[cfg(target_os = "linux")]
    #[test]
    fn files_without_a_length_end_too() {
        assert!(read("/proc/self/status", 10).unwrap_err().to_string().contains("more than 10 bytes"));
        assert!(read("/dev/zero", 10).unwrap_err().to_string().contains("not a regular file"));
    }
}
