//! What is written for people is true: commands run, scenes load, tables equal the source, links lead somewhere.

use crate::common::{Folder, root};
use crate::view::Served;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use taut::Scene;
use taut::scene::{BUILTIN, FABRICS};

/// README.md and every page of docs/.
fn pages() -> Vec<(PathBuf, String)> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(root().join("docs")).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "md"));
    paths.sort();
    paths.insert(0, root().join("README.md"));
    paths.into_iter().map(|p| (p.clone(), fs::read_to_string(p).unwrap())).collect()
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join("docs").join(name)).unwrap()
}

/// The fenced blocks of a page: language, text.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = text.split("```").collect();
    assert!(parts.len() % 2 == 1, "a block does not end");
    parts.iter().skip(1).step_by(2).map(|block| block.split_once('\n').unwrap()).collect()
}

/// A command as a user would type it, made small enough for a test. This is the one place that says how:
/// `run` makes two frames and `settle` stops early, both with tiny pictures, and exact solutions of the Curtain are
/// those of the small one; `bench` is quick, without peers, one row unless it
/// says which; everything else runs as it stands.
fn small(line: &str) -> Option<String> {
    let line = line.trim();
    let rest = line.strip_prefix("taut ").or_else(|| line.strip_prefix("cargo run --release -- "))?;
    let rest = rest.split(" #").next()?.split("   ").next()?; // a comment, or the explanation in --help
    let mut words: Vec<&str> = rest.split_whitespace().collect();
    let add = |words: &mut Vec<&str>, option: &'static str, value: &'static str| match words
        .iter()
        .position(|w| *w == option)
    {
        Some(at) => words[at + 1] = value,
        None => words.extend([option, value]),
    };
    let exact = words[0] == "settle" || words.contains(&"hybrid") || words.contains(&"newton");
    words.iter_mut().filter(|w| exact && **w == "curtain").for_each(|w| *w = "curtain21");
    match words[0] {
        "run" => {
            add(&mut words, "--frames", "2");
            add(&mut words, "--size", "64x48");
        }
        "compare" => add(&mut words, "--frames", "2"),
        "settle" => {
            add(&mut words, "--rest", "1e-3");
            add(&mut words, "--size", "64x48");
        }
        "bench" => {
            words.retain(|w| *w != "--quick");
            words.extend(["--quick", "--no-peers"]);
            add(&mut words, "--rounds", "1");
            if !words.contains(&"--only") {
                add(&mut words, "--only", "curtain_iteration");
            }
        }
        _ => {}
    }
    Some(words.join(" "))
}

/// The folder a reader would have after following along: the shirt, and every scene a page names in the first
/// line of its block (`# mine.toml`), and every plan of a sweep (a block of `text`); the README's own scene is
/// `shirt.toml`.
fn readers_folder(name: &str) -> Folder {
    let folder = Folder::with_shirt(name);
    for (path, text) in pages() {
        for (language, block) in blocks(&text).iter().filter(|b| ["toml", "text"].contains(&b.0)) {
            let first = block.lines().next().unwrap_or_default();
            let named = first.strip_prefix("# ").filter(|f| f.ends_with(".toml") && !f.contains(' '));
            match named {
                Some(file) => folder.write(file, block),
                None if *language == "toml" && path.ends_with("README.md") => {
                    folder.write("shirt.toml", block)
                }
                None => {}
            }
        }
    }
    folder
}

#[test]
fn every_command_runs() {
    let folder = readers_folder("commands");
    let mut commands = BTreeSet::new();
    for (_, text) in pages() {
        let lines = blocks(&text).into_iter().filter(|b| b.0 != "toml").flat_map(|b| b.1.lines());
        commands.extend(lines.filter_map(small));
    }
    for help in [
        "--help",
        "run --help",
        "compare --help",
        "settle --help",
        "verify --help",
        "view --help",
        "sweep --help",
        "check --help",
        "convert --help",
        "scenes --help",
        "bench --help",
        "completions --help",
        "man --help",
    ] {
        let text = folder.line(help).fine().out;
        commands.extend(text.lines().filter_map(small));
    }
    assert!(commands.len() > 20, "{commands:#?}");
    // Conversions first: they make meshes that scenes may use.
    let (first, then): (Vec<_>, Vec<_>) = commands.iter().partition(|c| c.starts_with("convert"));
    for command in first.into_iter().chain(then) {
        let words: Vec<&str> = command.split_whitespace().collect();
        if let ["view", arguments @ ..] = &words[..] {
            // It would serve until Ctrl-C: the page is enough.
            let arguments: Vec<&str> =
                arguments.iter().copied().filter(|w| !["--window", "--no-open"].contains(w)).collect();
            assert!(Served::start(&folder, &arguments).page().contains("<canvas"), "taut {command}");
            continue;
        }
        let answer = folder.line(command);
        assert_eq!(answer.code, Some(0), "taut {command}: {answer:#?}");
    }
}

#[test]
fn every_scene_loads() {
    let folder = readers_folder("scenes");
    for (path, text) in pages() {
        for (_, block) in blocks(&text).iter().filter(|b| b.0 == "toml") {
            // A part of a scene is shown with nothing around it.
            let grid = "\n[[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\n";
            let whole = if block.contains("[[body]]") { block.to_string() } else { format!("{block}{grid}") };
            if let Err(e) = Scene::parse("block.toml", &whole, Some(&folder.0)) {
                panic!("{}: {e}\n{block}", path.display());
            }
        }
    }
}

#[test]
fn the_scene_reference_is_the_reference_scene() {
    let text = page("scene-reference.md");
    let (_, block) = blocks(&text).into_iter().find(|b| b.0 == "toml").expect("a toml block");
    let file = fs::read_to_string(root().join("scenes/reference.toml")).unwrap();
    assert!(block == file, "put scenes/reference.toml into docs/scene-reference.md as it is");
}

#[test]
fn the_table_of_fabrics_is_the_source() {
    let text = page("materials.md");
    for f in FABRICS {
        let row = format!(
            "| {} | {:.2} | {} | {} | {} | {:.3} |",
            f.name, f.density, f.stretch, f.shear, f.bend, f.damping
        );
        assert!(text.lines().any(|l| l == row), "docs/materials.md lacks\n{row}");
    }
    let rows = text.lines().skip_while(|l| !l.starts_with("| fabric")).take_while(|l| l.starts_with('|'));
    assert_eq!(rows.count(), FABRICS.len() + 2, "the table has other rows");
}

#[test]
fn lines_are_short_and_links_lead_somewhere() {
    for (path, text) in pages() {
        let folder = path.parent().unwrap();
        let verbatim = path.ends_with("scene-reference.md");
        for (number, line) in text.lines().enumerate() {
            let place = format!("{}:{}", path.display(), number + 1);
            assert!(verbatim || line.chars().count() <= 120, "{place} is longer than 120");
            for link in line.split("](").skip(1).map(|l| l.split(')').next().unwrap()) {
                let file = link.split('#').next().unwrap();
                let outside = link.starts_with("http") || link.starts_with('#');
                assert!(outside || exists(folder, file), "{place} leads to {link}, which is not there");
            }
        }
    }
}

fn exists(folder: &Path, file: &str) -> bool {
    folder.join(file).exists()
}

/// One picture each, small enough to be cloned without a second thought.
#[test]
fn the_gallery_shows_every_scene() {
    let text = page("gallery.md");
    let mut bytes = 0;
    for builtin in BUILTIN {
        let file = format!("gallery/{}.png", builtin.name);
        let remedy = "make the gallery anew: cargo run --release -p taut --example gallery";
        assert!(text.contains(&format!("]({file})")), "docs/gallery.md lacks {file}: {remedy}");
        let picture =
            fs::read(root().join("docs").join(&file)).unwrap_or_else(|e| panic!("{file}: {e}; {remedy}"));
        assert!(picture.starts_with(b"\x89PNG"), "{file}");
        bytes += picture.len();
    }
    assert!(bytes < 70_000 * BUILTIN.len(), "{bytes} bytes");
}
