//! Choices by their words, as scene files, the command line and tables write them.

use crate::Error;

/// "did you mean `x`?" if a known word is near, else `otherwise` and the list of them all.
pub(crate) fn suggest(word: &str, known: &[&str], otherwise: &str) -> String {
    let nearest = known.iter().min_by_key(|k| edits(word, k));
    match nearest {
        Some(near) if edits(word, near) <= 1 + word.len() / 3 => format!("did you mean `{near}`?"),
        _ if known.is_empty() => otherwise.to_string(),
        _ => format!("{otherwise} {}", known.join(", ")),
    }
}

/// Insertions, deletions, replacements between two words.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// The error for a word that names none of the choices of `key`.
pub(crate) fn unknown(key: &str, word: &str, known: &[&str], otherwise: &str) -> Error {
    Error::setting(key, format!("{word:?}"), suggest(word, known, otherwise))
}

/// A choice among values that each have a word: `Display` writes it, `FromStr` reads it, `name` is the word itself. The
/// type has a table `NAMES` of (word, value).
macro_rules! choice {
    ($type:ty, $key:literal, $all:literal) => {
        impl $type {
            /// Its word, as used in scenes, on the command line and in tables.
            pub fn name(self) -> &'static str {
                Self::NAMES.iter().find(|(_, value)| *value == self).expect("every value is listed").0
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::Error;
            fn from_str(word: &str) -> Result<Self, $crate::Error> {
                let found = Self::NAMES.iter().find(|(name, _)| *name == word);
                let known = Self::NAMES.map(|(name, _)| name);
                found.map(|(_, value)| *value).ok_or_else(|| $crate::words::unknown($key, word, &known, $all))
            }
        }
    };
}
pub(crate) use choice;
