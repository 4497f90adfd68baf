//! Files that differ in a number, in its order, none of them missing.

use super::ending;
use crate::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a sequence in the order of the last number in their names: all OBJ and PLY files of a folder, or those
/// named. A name with `*` in its last part stands for all files that fit.
pub fn numbered(names: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for name in names {
        if name.is_dir() {
            let known = |file: &PathBuf| ["obj", "ply"].contains(&&*ending(&file.to_string_lossy()));
            files.extend(folder(name)?.into_iter().filter(known));
        } else if let Some((before, after)) = pattern(name).filter(|_| !name.exists()) {
            files.extend(folder(name.parent().unwrap_or(Path::new("")))?.into_iter().filter(|file| {
                let own = file.file_name().unwrap_or_default().to_string_lossy();
                own.len() >= before.len() + after.len() && own.starts_with(&before) && own.ends_with(&after)
            }));
        } else {
            files.push(name.clone());
        }
    }
    match files.len() {
        0 => {
            let named: Vec<_> = names.iter().map(|n| n.to_string_lossy()).collect();
            Err(Error::file(named.join(" "), None, "there are no such files", "name OBJ, PLY or PC2 files"))
        }
        1 => Ok(files),
        _ => ordered(files),
    }
}

/// What comes before and after the `*` in the last part of a name.
fn pattern(name: &Path) -> Option<(String, String)> {
    let last = name.file_name()?.to_string_lossy();
    last.split_once('*').map(|(before, after)| (before.to_string(), after.to_string()))
}

/// The files in a folder.
fn folder(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let place = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let unread =
        |e| Error::file(place.to_string_lossy(), None, format!("cannot be read ({e})"), "check the path");
    let entries = fs::read_dir(place).map_err(unread)?.collect::<Result<Vec<_>, _>>().map_err(unread)?;
    let files = entries.into_iter().map(|entry| path.join(entry.file_name()));
    let mut files: Vec<PathBuf> = files.filter(|file| !file.is_dir()).collect();
    files.sort();
    Ok(files)
}

/// A file of a sequence: its number, and what stands around it.
struct Numbered {
    number: u64,
    around: [String; 2],
    file: PathBuf,
}

impl Numbered {
    fn new(file: PathBuf) -> Result<Self, Error> {
        let fail = |problem: &str| {
            let remedy = "frames are told apart by the last number in their names: cloth_0001.obj";
            Err(Error::file(file.to_string_lossy(), None, problem, remedy))
        };
        let (name, extension) = (file.with_extension(""), ending(&file.to_string_lossy()));
        let name = name.to_string_lossy();
        // Numbers in the names of folders do not count.
        let own = name.len() - name.rsplit(std::path::is_separator).next().map_or(0, str::len);
        let Some(end) = name[own..].rfind(|c: char| c.is_ascii_digit()).map(|last| own + last + 1) else {
            return fail("has no number in its name");
        };
        let start = own + name[own..end].trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let Ok(number) = name[start..end].parse() else { return fail("has too large a number in its name") };
        let around = [name[..start].to_string(), format!("{}.{extension}", &name[end..])];
        Ok(Numbered { number, around, file })
    }
}

fn ordered(files: Vec<PathBuf>) -> Result<Vec<PathBuf>, Error> {
    let mut frames = files.into_iter().map(Numbered::new).collect::<Result<Vec<_>, _>>()?;
    frames.sort_by(|a, b| (a.number, &a.file).cmp(&(b.number, &b.file)));
    let fail =
        |file: &Path, problem, remedy: &str| Err(Error::file(file.to_string_lossy(), None, problem, remedy));
    if let Some(other) = frames.iter().find(|frame| frame.around != frames[0].around) {
        let problem = format!("is not of the sequence of {}", frames[0].file.display());
        return fail(&other.file, problem, "name one sequence: only numbers may differ");
    }
    let pairs = || frames.windows(2).map(|pair| (&pair[0], &pair[1]));
    if let Some((a, b)) = pairs().find(|(a, b)| a.number == b.number) {
        return fail(&b.file, format!("has the number of {}", a.file.display()), "remove one of them");
    }
    let step = pairs().map(|(a, b)| b.number - a.number).min().unwrap_or(1);
    if let Some((a, b)) = pairs().find(|(a, b)| b.number - a.number != step) {
        let problem = format!("frame {} is missing before it", a.number + step);
        return fail(&b.file, problem, "a sequence must not have gaps");
    }
    Ok(frames.into_iter().map(|frame| frame.file).collect())
}
