//! The journal of a sweep: `results.jsonl`, a line that says which sweep it is of, then one for each case that ended.

use crate::Error;
use crate::run::files::{Claim, make_folder};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// What became of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It ran to its end.
    Done,
    /// It was refused before its first step, or by it; so it would be again.
    Refused,
    /// It blew up; so it would again.
    Diverged,
    /// What ran it died.
    Crashed,
    /// It needs more memory than there is.
    OutOfMemory,
    /// Its time was up.
    Timeout,
}

impl Status {
    /// All of them.
    pub const ALL: [Status; 6] = [
        Status::Done,
        Status::Refused,
        Status::Diverged,
        Status::Crashed,
        Status::OutOfMemory,
        Status::Timeout,
    ];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Status::Done => "done",
            Status::Refused => "refused",
            Status::Diverged => "diverged",
            Status::Crashed => "crashed",
            Status::OutOfMemory => "out_of_memory",
            Status::Timeout => "timeout",
        }
    }

    /// Whether it would end so again.
    pub fn is_final(self) -> bool {
        matches!(self, Status::Done | Status::Refused | Status::Diverged)
    }
}

/// A line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Number of the case, from 0.
    pub index: usize,
    /// What it replaced in the scene.
    pub parameters: Value,
    /// Hash of the scene's text, the parameters, the version, and how the kernel rounds.
    pub key: String,
    /// What became of it.
    pub status: Status,
    /// Time it took \[s\].
    pub seconds: f64,
    /// How often it was tried.
    pub attempts: usize,
    /// The machine.
    pub host: String,
    /// The kernel.
    pub kernel: String,
    /// Hash of the last state, if it is done.
    pub hash: Option<String>,
    /// What was measured.
    pub measures: Map<String, Value>,
    /// Why it is not done.
    pub error: Option<String>,
}

/// The file, open to append to.
pub struct Journal {
    path: PathBuf,
    file: File,
    _claim: Claim,
}

impl Journal {
    /// Begin a journal or go on with it: what is in it, and notes. `all` names the sweep.
    pub fn open(
        folder: &Path,
        all: &str,
        keys: &[String],
    ) -> Result<(Self, Vec<Outcome>, Vec<String>), Error> {
        make_folder(folder)?;
        let path = folder.join("results.jsonl");
        let claim = Claim::new(&path)?;
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == ErrorKind::NotFound => String::new(),
            Err(e) => return Err(trouble(&path, &e)),
        };
        let mut notes = Vec::new();
        // A line is whole if it ends.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            notes.push(format!("{}: the last line was torn, and is dropped", path.display()));
        }
        let mut lines = text[..whole].lines().enumerate();
        let head = lines.next().map(|(_, line)| serde_json::from_str::<Value>(line));
        let refuse = |line: usize, problem: &str| {
            let remedy = "choose another folder, or remove it";
            Err(Error::file(path.to_string_lossy(), Some(line), problem, remedy))
        };
        match &head {
            Some(Ok(head)) if head["sweep"] == all => {}
            Some(_) => return refuse(1, "this is the journal of another sweep"),
            None => {}
        }
        let mut found = Vec::new();
        for (number, line) in lines {
            match serde_json::from_str::<Outcome>(line) {
                Ok(outcome) if keys.get(outcome.index) == Some(&outcome.key) => found.push(outcome),
                _ => return refuse(number + 1, "this line is of no case of the sweep"),
            }
        }
        let open = || -> io::Result<File> {
            let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
            file.set_len(whole as u64)?;
            if head.is_none() {
                let head = json!({ "sweep": all, "cases": keys.len(), "version": env!("CARGO_PKG_VERSION") });
                writeln!(file, "{head}")?;
                file.sync_data()?;
            }
            Ok(file)
        };
        let file = open().map_err(|e| trouble(&path, &e))?;
        Ok((Journal { path, file, _claim: claim }, found, notes))
    }

    /// One more line, on the disk before this returns.
    pub fn append(&self, outcome: &Outcome) -> Result<(), Error> {
        let line = serde_json::to_string(outcome).map_err(|e| trouble(&self.path, &e))? + "\n";
        let mut file = &self.file;
        let done = file.write_all(line.as_bytes()).and_then(|()| file.sync_data());
        done.map_err(|e| trouble(&self.path, &e))
    }
}

fn trouble(path: &Path, e: &dyn std::fmt::Display) -> Error {
    let remedy = "check space and permissions, or choose another folder";
    Error::file(path.to_string_lossy(), None, format!("the journal cannot be written or read: {e}"), remedy)
}
