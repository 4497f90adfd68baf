//! What the TOML reader has to say, in words for people: which key, what it holds, what it should hold.

use super::place::Source;
use crate::Error;
use crate::words::suggest;

/// Words of the reader, and ours.
const WORDS: [(&str, &str); 13] = [
    ("an array of length 2", "a list of 2, like [0, 1]"),
    ("an array of length 3", "a list of 3 numbers, like [0, 1, 0]"),
    ("an array of length 4", "a list of 4 numbers, like [0, 1, 0, 0]"),
    ("a sequence", "a list in brackets"),
    ("struct", "a table, like { key = value }"),
    ("f64", "a number"),
    ("usize", "a whole number, 0 or more"),
    ("u64", "a whole number, 0 or more"),
    ("u32", "a whole number, 0 or more"),
    ("u8", "a whole number, 0 or more"),
    ("a string", "text in quotes"),
    ("a boolean", "true or false"),
    ("map", "a table"),
];

/// The eight colours of bodies, as refusals list them.
pub(super) const COLOURS: &str =
    "0 blue, 1 terracotta, 2 sage, 3 plum, 4 ochre, 5 brown, 6 stone or 7 slate, as a number";

/// Tables of which there may be several.
pub(super) const REPEATED: [&str; 6] = ["body", "pin", "seam", "attachment", "event", "solid"];

impl Source<'_> {
    /// What the TOML reader found, in one line; an unknown key suggests the nearest known one.
    pub fn syntax(&self, e: &toml::de::Error) -> Error {
        let place = e.span().map(|s| s.start);
        let message = e.message().replace('\n', " ");
        let (problem, remedy) = self.explain(&message, place);
        let start = place.unwrap_or(super::place::WHOLE);
        self.error(start, problem, remedy)
    }

    /// Problem and remedy.
    fn explain(&self, message: &str, place: Option<usize>) -> (String, String) {
        if let Some((unknown, known)) = unknown_key(message) {
            return (format!("unknown key `{unknown}`"), suggest(unknown, &known, "the keys here are"));
        }
        if let Some(key) = message.strip_prefix("missing field `").and_then(|m| m.strip_suffix('`')) {
            return (format!("the key `{key}` is missing"), format!("add {key} = ... to this table"));
        }
        let key = place.and_then(|at| self.key_before(at)).unwrap_or_default();
        if message == "duplicate key" {
            return ("this key is given twice".into(), "keep one of them".into());
        }
        if message.starts_with("string values must be quoted") {
            return (
                format!("{key} = ... is neither a number nor text in quotes"),
                "write the number without its unit, or put text in quotes".into(),
            );
        }
        let escape = ["escape", "unicode"].iter().any(|word| message.contains(word));
        if escape && place.is_some_and(|at| self.line_of(at).contains('\\')) {
            let problem = "the text in quotes has a backslash, which begins a special character";
            return (problem.into(), "write paths with /, like \"meshes/shirt.obj\"".into());
        }
        let Some((found, wanted)) = message.split_once(", expected ") else {
            return self.unreadable(message, key, place);
        };
        if !message.starts_with("invalid ") {
            return (found.to_string(), format!("expected {wanted} here"));
        }
        let found =
            found.trim_start_matches("invalid ").trim_start_matches("type: ").trim_start_matches("value: ");
        let found = ["integer ", "floating point ", "string ", "boolean "]
            .iter()
            .fold(found, |f, w| f.trim_start_matches(w));
        let found = found.replace('`', "").replace("map", "a table").replace("length", "a list of");
        if wanted == "a sequence" && found == "a table" {
            let name = REPEATED
                .iter()
                .find(|name| self.text[place.unwrap_or(0)..].trim_start().starts_with(&format!("[{name}]")));
            let name = name.unwrap_or(&"body");
            return (
                format!("[{name}] has single brackets"),
                format!("there may be several, so write [[{name}]]"),
            );
        }
        if key == "colour" {
            return (format!("{key} = {found}"), format!("must be {COLOURS}"));
        }
        if key == "at" {
            let remedy =
                "must be a list of parts in brackets, like [\"top\"]; a mesh has none: use box or indices";
            return (format!("{key} = {found}"), remedy.into());
        }
        let boolean = ["`true`", "`false`"].contains(&wanted);
        if boolean || ["`nan`", "`inf`"].contains(&wanted) {
            let value = place.map_or("", |at| self.line_of(at)).split_once('=').map_or("", |(_, v)| v.trim());
            let or = if boolean { ", or true or false" } else { "" };
            return (format!("{key} = {value}"), format!("must be a number, like 3.0{or}"));
        }
        let ours = WORDS.iter().find(|(theirs, _)| wanted.starts_with(theirs)).map_or(wanted, |w| w.1);
        (format!("{key} = {found}"), format!("must be {ours}"))
    }

    /// What is no TOML at all.
    fn unreadable(&self, message: &str, key: &str, place: Option<usize>) -> (String, String) {
        let rest = place.and_then(|at| self.text.get(at..)).unwrap_or_default();
        let value = rest.split([',', ']', '}', '#', '\n']).next().unwrap_or_default().trim();
        match message {
            "floating-point number overflowed" | "integer number overflowed" => {
                (format!("{key} = {value}"), "this number is too large".into())
            }
            "cannot recurse further; max recursion depth met" => {
                (format!("brackets are nested too deeply ({message})"), "close some of them".into())
            }
            _ => (message.to_string(), "scenes/reference.toml shows how scenes are written".into()),
        }
    }

    /// The line that a byte is on.
    fn line_of(&self, at: usize) -> &str {
        let start = self.text.get(..at).and_then(|t| t.rfind('\n')).map_or(0, |n| n + 1);
        self.text[start..].lines().next().unwrap_or("")
    }

    /// The key whose value begins at a byte.
    fn key_before(&self, at: usize) -> Option<&str> {
        let before = self.text.get(..at)?;
        let left = before.rsplit_once('=').map_or(before, |(left, _)| left);
        let word = left.trim_end().rsplit(|c: char| !(c.is_alphanumeric() || "_-.".contains(c))).next()?;
        if before.len() == left.len() {
            return self.text.get(at..)?.split(['=', '\n']).next().map(str::trim); // the span is the key's
        }
        Some(word)
    }
}

/// The unknown key and the known ones in serde's message "unknown field `a`, expected one of `b`, `c`".
fn unknown_key(message: &str) -> Option<(&str, Vec<&str>)> {
    let rest = message.strip_prefix("unknown field `")?;
    let (unknown, rest) = rest.split_once('`')?;
    Some((unknown, rest.split('`').skip(1).step_by(2).collect()))
}
