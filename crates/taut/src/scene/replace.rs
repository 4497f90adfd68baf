//! Scenes from tables, and scenes with some keys replaced. They have text as any scene, but nobody has seen its lines: their
//! errors name keys.

use super::place::{Source, WHOLE};
use super::syntax::REPEATED;
use super::{Origin, Scene, check_size};
use crate::Error;
use std::fmt::Write;
use std::path::Path;
use toml::{Table, Value};

/// Where a key of a text that was written here begins, and its path.
pub(super) type Place = (usize, String);

impl Scene {
    /// Build a scene from tables, as [`Scene::parse`] does from text.
    pub fn from_tables(name: &str, tables: &Table, folder: Option<&Path>) -> Result<Self, Error> {
        let origin = Origin { file: name.into(), folder: folder.map(Path::to_path_buf), trusted: false };
        origin.build(tables)
    }

    /// The same scene with other values for some keys: `body.0.stretch` is the key `stretch` of the first `[[body]]`. A
    /// table that is not there is made; comments are lost.
    ///
    /// ```
    /// # fn main() -> Result<(), taut::Error> {
    /// let scene = taut::Scene::load("curtain21")?;
    /// let limp = scene.replace(&[("body.0.stretch", 80.0.into()), ("method.iterations", 20.into())])?;
    /// assert_eq!(limp.model.springs[0].stiffness, 80.0);
    /// let error = scene.replace(&[("body.0.stretch", (-1.0).into())]).unwrap_err();
    /// assert!(error.to_string().contains("body.0.stretch = -1"));
    /// # Ok(()) }
    /// ```
    pub fn replace(&self, changes: &[(&str, Value)]) -> Result<Self, Error> {
        let mut tables: Value = toml::from_str(&self.text).expect("it was read before");
        for (key, value) in changes {
            set(&mut tables, key, value.clone())?;
        }
        self.origin.build(tables.as_table().expect("a text is a table"))
    }
}

impl Origin {
    fn build(&self, tables: &Table) -> Result<Scene, Error> {
        let (text, places) = written(tables);
        check_size(&self.file, text.len() as u64)?;
        let Origin { file, folder, trusted } = self;
        let source =
            Source { file, text: &text, folder: folder.as_deref(), trusted: *trusted, places: &places };
        source.scene()
    }
}

/// Set the value at a dotted key.
fn set(tables: &mut Value, key: &str, value: Value) -> Result<(), Error> {
    let parts: Vec<&str> = key.split('.').collect();
    if parts.iter().any(|part| part.is_empty()) {
        let remedy = "must be names and numbers between dots, like body.0.stretch";
        return Err(Error::setting("key", format!("{key:?}"), remedy));
    }
    put(tables, &parts, 0, value)
}

/// The same for the parts of a key from one of them on.
fn put(at: &mut Value, parts: &[&str], depth: usize, value: Value) -> Result<(), Error> {
    let Some(part) = parts.get(depth) else {
        *at = value;
        return Ok(());
    };
    let refuse = |parts: &[&str], remedy: String| Err(Error::setting("key", parts.join("."), remedy));
    let next = match at {
        Value::Table(table) => table.entry(part.to_string()).or_insert(Value::Table(Table::new())),
        Value::Array(list) => {
            let count = list.len();
            match part.parse::<usize>().ok().and_then(|n| list.get_mut(n)) {
                Some(entry) => entry,
                None => {
                    let remedy =
                        format!("here are {count} in a list: give the number of one, counted from 0");
                    return refuse(&parts[..=depth], remedy);
                }
            }
        }
        _ => return refuse(parts, format!("`{}` is a value, which has no keys", parts[..depth].join("."))),
    };
    put(next, parts, depth + 1, value)
}

/// Tables as text, and where in it each key is: single values first, then one section for each table.
pub(super) fn written(tables: &Table) -> (String, Vec<Place>) {
    let (mut text, mut places) = (String::new(), Vec::new());
    let several = |key: &str, value: &Value| REPEATED.contains(&key) && value.is_array();
    for (key, value) in tables.iter().filter(|(key, value)| !value.is_table() && !several(key, value)) {
        places.push((text.len(), key.clone()));
        line(key, value, &mut text);
    }
    for (key, value) in tables {
        match value {
            Value::Table(table) => section(["[", "]"], key, key, table, &mut text, &mut places),
            Value::Array(list) if several(key, value) => {
                for (n, one) in list.iter().enumerate() {
                    let path = format!("{key}.{n}");
                    match one {
                        Value::Table(table) => {
                            section(["[[", "]]"], key, &path, table, &mut text, &mut places);
                        }
                        // What it should have been is said where it is read.
                        other => section(["[[", "]]"], key, &path, &wrong(other), &mut text, &mut places),
                    }
                }
            }
            _ => {}
        }
    }
    (text, places)
}

/// A table in place of a value that should have been one.
fn wrong(value: &Value) -> Table {
    Table::from_iter([("value".to_string(), value.clone())])
}

fn section(
    [open, close]: [&str; 2],
    key: &str,
    path: &str,
    table: &Table,
    text: &mut String,
    places: &mut Vec<Place>,
) {
    text.push('\n');
    places.push((text.len(), path.to_string()));
    _ = writeln!(text, "{open}{}{close}", word(key));
    for (key, value) in table {
        places.push((text.len(), format!("{path}.{key}")));
        line(key, value, text);
    }
}

fn line(key: &str, value: &Value, text: &mut String) {
    _ = write!(text, "{} = ", word(key));
    inline(value, text);
    text.push('\n');
}

/// A key as it is written.
fn word(key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    if bare { key.to_string() } else { quoted(key) }
}

/// Text in quotes: what JSON does to it is what TOML wants, but for one character.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A value in one line; numbers so that they are read as the same bits.
fn inline(value: &Value, out: &mut String) {
    match value {
        Value::Array(list) => {
            for (n, one) in list.iter().enumerate() {
                out.push_str(if n == 0 { "[" } else { ", " });
                inline(one, out);
            }
            out.push_str(if list.is_empty() { "[]" } else { "]" });
        }
        Value::Table(table) => {
            out.push('{');
            for (n, (key, one)) in table.iter().enumerate() {
                _ = write!(out, "{} {} = ", if n == 0 { "" } else { "," }, word(key));
                inline(one, out);
            }
            out.push_str(" }");
        }
        Value::String(text) => out.push_str(&quoted(text)),
        Value::Float(number) if number.is_nan() => out.push_str("nan"),
        Value::Float(number) => _ = write!(out, "{number:?}"),
        Value::Integer(number) => _ = write!(out, "{number}"),
        Value::Boolean(yes) => _ = write!(out, "{yes}"),
        Value::Datetime(time) => _ = write!(out, "{time}"),
    }
}

impl Source<'_> {
    /// A problem at a byte of a text that was written here: the same, with the path of its key.
    pub(super) fn with_key(&self, byte: usize, problem: String) -> String {
        let after = self.places.partition_point(|(start, _)| *start <= byte);
        let Some((_, path)) = after.checked_sub(1).and_then(|n| self.places.get(n)).filter(|_| byte != WHOLE)
        else {
            return problem;
        };
        let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
        let dot = if table.is_empty() { "" } else { "." };
        match problem.strip_prefix(key).filter(|rest| rest.starts_with([' ', '.'])) {
            Some(_) => format!("{table}{dot}{problem}"),
            None => format!("{path}: {problem}"),
        }
    }
}
