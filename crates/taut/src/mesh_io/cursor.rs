//! One cursor for every format: words with line numbers here, numbers of any encoding in `numbers`.
//!
//! Formats switch between text and binary inside one file (PLY, VTK, Gmsh), so both live on one position.
//! Words are separated by blanks; `#` starts a comment where a word could start; a backslash at the end of a
//! line continues it.

use super::numbers::Encoding;
use crate::Error;

pub(super) struct Cursor<'a> {
    pub file: &'a str,
    bytes: &'a [u8],
    at: usize,
    pub line: usize,
    pub encoding: Encoding,
}

impl<'a> Cursor<'a> {
    pub fn new(file: &'a str, bytes: &'a [u8], encoding: Encoding) -> Self {
        Cursor { file, bytes, at: 0, line: 1, encoding }
    }

    pub fn text(file: &'a str, bytes: &'a [u8]) -> Self {
        Cursor::new(file, bytes, Encoding::Ascii)
    }

    /// An error at the line (ascii) or byte (binary) reached.
    pub fn error(&self, problem: impl std::fmt::Display, remedy: &str) -> Error {
        match self.encoding {
            Encoding::Ascii => Error::file(self.file, Some(self.line), problem, remedy),
            _ => Error::file(self.file, None, format!("at byte {}: {problem}", self.at), remedy),
        }
    }

    fn ends(&self, what: &str) -> Error {
        self.error(format!("the file ends where {what} should be"), "the file seems to be cut off")
    }

    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn skip_blank(&mut self, stop_at_line_end: bool) {
        while let Some(&byte) = self.bytes.get(self.at) {
            let rest = &self.bytes[self.at..];
            match byte {
                b'\n' if stop_at_line_end => return,
                b'\n' => self.line += 1,
                b'#' => {
                    self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                    continue;
                }
                b'\\' if rest.starts_with(b"\\\n") || rest.starts_with(b"\\\r\n") => {
                    self.at += if rest[1] == b'\r' { 2 } else { 1 };
                    self.line += 1;
                }
                _ if byte.is_ascii_whitespace() => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    fn take_word(&mut self) -> Option<&'a str> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| std::str::from_utf8(&rest[..length]).unwrap_or("\u{fffd}"))
    }

    /// The next word, on whatever line.
    pub fn word(&mut self) -> Option<&'a str> {
        self.skip_blank(false);
        self.take_word()
    }

    /// The next word on this line.
    pub fn word_here(&mut self) -> Option<&'a str> {
        self.skip_blank(true);
        if self.bytes.get(self.at) == Some(&b'\n') { None } else { self.take_word() }
    }

    /// The next word without moving past it.
    pub fn peek(&mut self) -> Option<&'a str> {
        let (at, line) = (self.at, self.line);
        let word = self.word();
        (self.at, self.line) = (at, line);
        word
    }

    /// Whether the next bytes, after blanks, are `mark`.
    pub fn is_at(&self, mark: &str) -> bool {
        self.bytes[self.at..].trim_ascii_start().starts_with(mark.as_bytes())
    }

    /// Move to the start of the next line; false at the end of the file.
    pub fn next_line(&mut self) -> bool {
        match self.bytes[self.at..].iter().position(|&b| b == b'\n') {
            Some(n) => {
                self.at += n + 1;
                self.line += 1;
            }
            None => self.at = self.bytes.len(),
        }
        self.at < self.bytes.len()
    }

    /// What is left of this line, without blanks around it, whatever its encoding.
    pub fn rest_of_line(&mut self) -> String {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at += length;
        String::from_utf8_lossy(rest[..length].trim_ascii()).into_owned()
    }

    /// Move past the next occurrence of `mark`.
    pub fn skip_past(&mut self, mark: &str) -> Result<(), Error> {
        let rest = &self.bytes[self.at..];
        let Some(n) = rest.windows(mark.len()).position(|w| w == mark.as_bytes()) else {
            return Err(self.ends(mark));
        };
        self.line += rest[..n].iter().filter(|&&b| b == b'\n').count();
        self.at += n + mark.len();
        Ok(())
    }

    pub fn need(&mut self, what: &str) -> Result<&'a str, Error> {
        self.word().ok_or_else(|| self.ends(what))
    }

    /// Demand a fixed word.
    pub fn expect(&mut self, word: &str) -> Result<(), Error> {
        let found = self.need(&format!("\"{word}\""))?;
        if found.eq_ignore_ascii_case(word) {
            return Ok(());
        }
        Err(self.error(format!("\"{}\" where \"{word}\" should be", short(found)), "the file is damaged"))
    }

    /// Read a word as a number.
    pub fn parse(&self, word: &str, what: &str) -> Result<f64, Error> {
        let complaint = || self.error(format!("{what} is \"{}\"", short(word)), "it must be a number");
        word.parse().map_err(|_| complaint())
    }

    /// The next `n` bytes.
    pub fn take(&mut self, n: usize, what: &str) -> Result<&'a [u8], Error> {
        let slice = self.bytes[self.at..].get(..n).ok_or_else(|| self.ends(what))?;
        self.at += n;
        Ok(slice)
    }
}

/// The beginning of a word, for messages.
pub(super) fn short(word: &str) -> String {
    let mut cut: String =
        word.chars().take(40).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if cut.len() < word.len() && word.chars().nth(40).is_some() {
        cut.push_str("...");
    }
    cut
}
