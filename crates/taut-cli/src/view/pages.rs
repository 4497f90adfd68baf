//! The page, compiled in: `web/` and the renderer that the exporter of the library shares with it.

/// A file of the page: its path, its kind, its text.
type File = (&'static str, &'static str, &'static str);

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! files {
    ($($kind:ident $path:literal),* $(,)?) => {
        [$(($path, $kind, include_str!(concat!("../../web/", $path)))),*]
    };
}

/// What the page is made of.
const PAGE: [File; 2] = files![HTML "index.html", CSS "style.css"];

/// The file at a path; the empty path is the page itself.
pub fn file(path: &str) -> Option<(&'static str, &'static str)> {
    let path = if path.is_empty() { "index.html" } else { path };
    let own = PAGE.iter().find(|(name, ..)| *name == path).map(|&(_, kind, text)| (kind, text));
    own
}
