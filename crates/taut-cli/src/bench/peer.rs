//! A peer: a program on other people's libraries, driven line by line (protocols: peer.cpp and detect.py in
//! benches/peers).

use super::measure::Seconds;
use super::place::Place;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Compile the peers, installing what they need where that is possible. An error says in one line why they cannot be had.
pub fn build(place: &Place) -> Result<PathBuf, String> {
    let script = place.file("benches/peers/build");
    let output = Command::new(&script).stdin(Stdio::null()).output();
    let output = output.map_err(|e| format!("{} cannot be run: {e}", script.display()))?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let last = |text: &str| text.lines().rfind(|l| !l.trim().is_empty()).unwrap_or_default().to_string();
    match output.status.code() {
        Some(0) => Ok(PathBuf::from(last(&out))),
        Some(77) => Err(last(&out).trim_start_matches("skip: ").to_string()),
        _ => Err(format!("{} failed: {}", script.display(), last(&err))),
    }
}

/// What a peer answered: the values of its last line.
pub struct Answer(HashMap<String, String>);

impl Answer {
    pub fn text(&self, key: &str) -> &str {
        self.0.get(key).map_or("", String::as_str)
    }

    pub fn number(&self, key: &str) -> f64 {
        self.text(key).parse().unwrap_or(f64::NAN)
    }

    /// Times under a prefix, `""` or like `"factor_"`.
    pub fn seconds(&self, prefix: &str) -> Seconds {
        Seconds { wall: self.number(&format!("{prefix}wall")), cpu: self.number(&format!("{prefix}cpu")) }
    }
}

/// A running peer with a problem. It ends when it is dropped.
pub struct Peer {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// Versions of compiler and libraries.
    pub versions: String,
}

impl Peer {
    pub fn start(program: &Path, name: &str, problem: &Path) -> Result<Self, String> {
        let mut command = Command::new(program);
        command.arg(name).arg(problem).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|e| format!("cannot start: {e}"))?;
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("a pipe was asked for"));
        let mut peer = Peer { child, questions, answers, versions: String::new() };
        let hello = peer.answer()?;
        let known = |key: &&str| !hello.text(key).is_empty();
        let tell = |key| format!("{key} {}", hello.text(key).replace('_', " "));
        let keys = ["compiler", "eigen", "cholmod", "blas", "ipctk", "python"].into_iter().filter(known);
        peer.versions = keys.map(tell).collect::<Vec<_>>().join(", ");
        Ok(peer)
    }

    /// Ask, and wait for the answer.
    pub fn ask(&mut self, question: &str) -> Result<Answer, String> {
        let pipe = self.questions.as_mut().expect("open until dropped");
        let asked = pipe.write_all(format!("{question}\n").as_bytes()).and_then(|()| pipe.flush());
        asked.map_err(|e| format!("cannot be written to: {e}"))?;
        self.answer()
    }

    fn answer(&mut self) -> Result<Answer, String> {
        loop {
            let mut line = String::new();
            match self.answers.read_line(&mut line) {
                Ok(0) => return Err("ended (out of memory?)".into()),
                Err(e) => return Err(format!("cannot be read from: {e}")),
                Ok(_) => {}
            }
            let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            match word {
                "step" => continue,
                "ok" => {
                    let pairs = rest.split(' ').filter_map(|w| w.split_once('='));
                    return Ok(Answer(pairs.map(|(k, v)| (k.into(), v.into())).collect()));
                }
                _ => return Err(rest.into()),
            }
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.questions = None; // the end of its input is its end
        let _ = self.child.wait();
    }
}
