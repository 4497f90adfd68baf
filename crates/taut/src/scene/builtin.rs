//! The scenes that come with taut, compiled in so that they are found wherever the program runs.

/// A scene by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

impl Builtin {
    /// The title in its text.
    pub fn title(&self) -> &'static str {
        let line = self.text.lines().find_map(|l| l.strip_prefix("title = \""));
        line.and_then(|l| l.split('"').next()).unwrap_or_default()
    }
}

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        [$(Builtin { name: $name, text: include_str!(concat!("../../scenes/", $name, ".toml")) }),*]
    };
}

/// Every scene in `scenes/`.
pub const BUILTIN: [Builtin; 33] = scenes![
    "curtain",
    "curtain21",
    "hippo",
    "frog",
    "dog",
    "dress",
    "brush",
    "flag",
    "tablecloth",
    "hammock",
    "sphere_drape",
    "table_drape",
    "centre_pinned",
    "arm_bend",
    "demo_chaotic",
    "demo_stretched",
    "demo_limited",
    "curtain_sphere",
    "brush_contact",
    "strong_impact",
    "moderate_impact",
    "twist",
    "funnel",
    "knives",
    "stack",
    "incline",
    "cushion",
    "jelly",
    "fabrics",
    "pocket",
    "pinch",
    "cut_and_tear",
    "reference",
];
