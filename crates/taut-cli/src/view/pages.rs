//! The page, compiled in: `web/` and the renderer that the exporter of the library shares with it.

/// A file of the page: its path, its kind, its text.
type File = (&'static str, &'static str, &'static str);

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! files {
    ($($kind:ident $path:literal),* $(,)?) => {
        &[$(($path, $kind, include_str!(concat!("../../web/", $path)))),*]
    };
}

/// What the page is made of.
const PAGE: &[File] = files![
    HTML "index.html",
    CSS "style.css",
    SCRIPT "page/app.js",
    SCRIPT "page/bar.js",
    SCRIPT "page/colours.js",
    SCRIPT "page/controls.js",
    SCRIPT "page/dom.js",
    SCRIPT "page/editor.js",
    SCRIPT "page/engine.js",
    SCRIPT "page/film.js",
    SCRIPT "page/framing.js",
    SCRIPT "page/hands.js",
    SCRIPT "page/keys.js",
    SCRIPT "page/link.js",
    SCRIPT "page/main.js",
    SCRIPT "page/open.js",
    SCRIPT "page/panel.js",
    SCRIPT "page/pick.js",
    SCRIPT "page/plots.js",
    SCRIPT "page/race.js",
    SCRIPT "page/racer.js",
    SCRIPT "page/reply.js",
    SCRIPT "page/session.js",
    SCRIPT "page/share.js",
    SCRIPT "page/stage.js",
    SCRIPT "page/talk.js",
    SCRIPT "page/testing.js",
    SCRIPT "page/trouble.js",
    SCRIPT "page/wasm.js",
];

/// The file at a path; the empty path is the page itself.
pub fn file(path: &str) -> Option<(&'static str, &'static str)> {
    let path = if path.is_empty() { "index.html" } else { path };
    let own = PAGE.iter().find(|(name, ..)| *name == path).map(|&(_, kind, text)| (kind, text));
    let shared = || {
        let name = path.strip_prefix("render/")?;
        taut::export::RENDERER.iter().find(|(own, _)| *own == name).map(|&(_, text)| (SCRIPT, text))
    };
    own.or_else(shared)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every module that a file of the page imports is served, and so is every module there is.
    #[test]
    fn the_page_is_complete() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("web/page");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(file(&format!("page/{name}")).is_some(), "page/{name} is not compiled in");
        }
        let mut asked = vec![("index.html", "page/main.js".to_string())];
        let mut seen = std::collections::BTreeSet::new();
        while let Some((from, path)) = asked.pop() {
            if !seen.insert(path.clone()) {
                continue;
            }
            let (_, text) =
                file(&path).unwrap_or_else(|| panic!("{path}, which {from} asks for, is not compiled in"));
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            for import in text.lines().filter(|line| line.starts_with("import ")) {
                let target = import.split('"').nth(1).expect("an import names a file");
                let target = match target.strip_prefix("../") {
                    Some(up) => up.to_string(),
                    None => format!("{folder}/{}", target.trim_start_matches("./")),
                };
                asked.push(("a module of the page", target));
            }
        }
    }
}
