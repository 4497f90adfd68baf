//! A sweep as a file.
//!
//! ```toml
//! scene = "curtain21"      # a name, or a path seen from this file
//! frames = 30              # [default: the scene's]
//! limit = 60.0             # most seconds for a case [default: none]
//! out = "sweep"            # folder for the journal
//!
//! [vary]                   # every combination
//! "body.0.stretch" = { from = 10.0, to = 1000.0, count = 5, spacing = "log" }
//! "method.name" = ["local_global", "newton"]
//! ```
//!
//! Instead of `[vary]` there may be `[[case]]` tables, one for each case.

use super::{Parameters, cases, grid};
use crate::scene::{Table, Value};
use crate::words::suggest;
use crate::{Error, Scene, input};
use std::path::{Path, PathBuf};

/// What a file says of a sweep.
pub struct Plan {
    /// The scene.
    pub scene: Scene,
    /// The cases.
    pub cases: Vec<Parameters>,
    /// Frames of each, if it says so.
    pub frames: Option<usize>,
    /// Time a case may take \[s\], if it says so.
    pub limit: Option<f64>,
    /// Folder for the journal.
    pub out: PathBuf,
}

/// Largest file that is read \[bytes\].
const MOST_TEXT: u64 = 1 << 24;
const KEYS: [&str; 6] = ["scene", "frames", "limit", "out", "vary", "case"];

impl Plan {
    /// Read a file.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let shown = path.to_string_lossy();
        let refuse =
            |line, problem: String, remedy: &str| Err(Error::file(shown.as_ref(), line, problem, remedy));
        let bytes = input::read(path, MOST_TEXT)?;
        let text = String::from_utf8_lossy(&bytes);
        let table: Table = match toml::from_str(&text) {
            Ok(table) => table,
            Err(e) => {
                let line = e.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
                return refuse(line, e.message().replace('\n', " "), "a sweep is TOML, as scenes are");
            }
        };
        if let Some(odd) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let remedy = suggest(odd, &KEYS, "the keys here are");
            return refuse(None, format!("unknown key `{odd}`"), &remedy);
        }
        let Some(name) = table.get("scene").and_then(|name| name.as_str()) else {
            return refuse(None, "the key `scene` is missing".into(), "add scene = \"…\", a name or a path");
        };
        let beside = path.parent().unwrap_or(Path::new("")).join(name);
        let scene = Scene::load(&if beside.is_file() { beside.to_string_lossy() } else { name.into() })?;
        let wrong = |key: &str, remedy: &str| {
            refuse(None, format!("{key} = {}", table.get(key).map_or(String::new(), shown_value)), remedy)
        };
        let frames = match table.get("frames").map(|n| n.as_integer().and_then(|n| usize::try_from(n).ok())) {
            Some(None) => return wrong("frames", "must be a whole number, 0 or more"),
            other => other.flatten(),
        };
        let limit = table.get("limit").map(|s| s.as_float().or(s.as_integer().map(|n| n as f64)));
        let limit = match limit {
            Some(Some(seconds)) if seconds > 0.0 => Some(seconds),
            Some(_) => return wrong("limit", "must be a positive number of seconds"),
            None => None,
        };
        let out = match table.get("out").map(|out| out.as_str()) {
            Some(None) => return wrong("out", "must be text: a folder"),
            other => other.flatten().unwrap_or("sweep"),
        };
        let list =
            table.get("case").map(|list| list.as_array().map(|l| l.iter().map(|c| c.as_table().cloned())));
        let listed: Option<Vec<Table>> = match list {
            Some(None) => return wrong("case", "write [[case]], once for each"),
            Some(Some(list)) => list.collect(),
            None => Some(Vec::new()),
        };
        let Some(listed) = listed else { return wrong("case", "write [[case]], once for each") };
        let vary = match table.get("vary").map(|vary| vary.as_table()) {
            Some(None) => return wrong("vary", "write [vary], and under it keys with lists of values"),
            other => other.flatten().cloned().unwrap_or_default(),
        };
        if vary.is_empty() == listed.is_empty() {
            return refuse(None, "says not what varies".into(), "give either [vary] or [[case]]");
        }
        let cases = if listed.is_empty() { grid(&vary)? } else { cases(&listed) };
        Ok(Plan { scene, cases, frames, limit, out: out.into() })
    }
}

/// A value as it may have been written.
fn shown_value(value: &Value) -> String {
    super::vary::plain(value).to_string()
}
