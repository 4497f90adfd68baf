//! The scenes that come with taut, compiled in so that they are found wherever the program runs.

/// A scene by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        [$(Builtin { name: $name, text: include_str!(concat!("../../../../scenes/", $name, ".toml")) }),*]
    };
}

/// Every scene in `scenes/`.
pub const BUILTIN: [Builtin; 10] = scenes![
    "curtain",
    "curtain21",
    "hippo",
    "frog",
    "dog",
    "brush",
    "flag",
    "tablecloth",
    "hammock",
    "reference",
];
