//! Each room knows only the rooms before it, in the order that ARCHITECTURE.md gives; only `kernel` has `unsafe`; no file
//! is longer than a reader's patience.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Lines a file may have.
const LONGEST: usize = 400;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every source file below a folder, with its text.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if entry.is_dir() {
            found.extend(sources(&entry));
        } else if entry.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&entry).unwrap();
            found.push((entry, text));
        }
    }
    found.sort();
    found
}

/// The rooms in their order: the words between the fences of the first block in ARCHITECTURE.md that begins with
/// `error`.
fn order() -> Vec<String> {
    let page = fs::read_to_string(root().join("../../../ARCHITECTURE.md")).unwrap();
    let block = page.split("```").find(|block| block.trim_start().starts_with("error ")).expect("the rule");
    block.split_whitespace().filter(|word| *word != "←").map(String::from).collect()
}

/// The room a file belongs to: the first folder below `src`, or the file itself.
fn room(file: &Path) -> String {
    let inside = file.strip_prefix(root()).unwrap();
    let first = inside.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_string()
}

/// Names the root of the library re-exports, and the room each comes from.
fn reexports(library: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for path in paths(&library.replace("pub use ", "pub use crate::")) {
        if let [room, name] = &path[..] {
            found.insert(name.clone(), room.clone());
        }
    }
    found
}

/// The text with paths that climb to the root by `super::` written with `crate::`.
fn absolute(file: &Path, text: &str) -> String {
    let inside = file.strip_prefix(root()).unwrap();
    let depth = inside.components().count() - usize::from(inside.ends_with("mod.rs"));
    // Tests that are in the file are a module within it.
    let (code, tests) = text.split_at(text.find("mod tests {").unwrap_or(text.len()));
    climbed(code, depth) + &climbed(tests, depth + 1)
}

/// The text with every chain of just this many `super::` replaced by `crate::`.
fn climbed(text: &str, depth: usize) -> String {
    let mut pieces = text.split("super::");
    let (mut found, mut chain) = (pieces.next().unwrap_or("").to_string(), 0);
    for piece in pieces {
        chain += 1;
        if !piece.is_empty() {
            found += &if chain == depth { "crate::".to_string() } else { "super::".repeat(chain) };
            chain = 0;
        }
        found += piece;
    }
    found
}

/// Every path after `crate::` in a text, lists in braces taken apart: at most two names of each.
fn paths(text: &str) -> Vec<Vec<String>> {
    // Comments may name any room: links in them are read by people, not by the compiler.
    let code: String =
        text.lines().map(|l| l.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for tail in code.split("crate::").skip(1) {
        read(tail, &[], &mut found);
    }
    found
}

/// One path at the beginning of a text, or one per entry of a list in braces. Returns what was read.
fn read<'a>(text: &'a str, before: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = read(rest, before, found).trim_start();
            rest = match rest.strip_prefix(',') {
                Some(more) if !more.trim_start().starts_with('}') => more,
                _ => return rest.trim_start_matches([',', ' ', '\n']).strip_prefix('}').unwrap_or(rest),
            };
        }
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let mut path = before.to_vec();
    if path.len() < 2 && name != "self" && !name.is_empty() {
        path.push(name.to_string());
    }
    match rest.strip_prefix("::") {
        Some(rest) => read(rest, &path, found),
        None => {
            found.push(path);
            rest
        }
    }
}

/// Uses that go against the order, in words.
fn offences(files: &[(PathBuf, String)], library: &str, order: &[String]) -> Vec<String> {
    let place = |room: &str| order.iter().position(|r| r == room);
    let exported = reexports(library);
    let mut wrong = Vec::new();
    for (file, text) in files {
        let own = room(file);
        let Some(here) = place(&own) else {
            wrong.push(format!("{}: the room `{own}` is not in the order", file.display()));
            continue;
        };
        // Under another name the root is `crate::self`, which the first path below refuses.
        let text = absolute(file, text).replace("use crate as", "use crate::self as");
        for path in paths(&text) {
            let Some(first) = path.first() else {
                wrong.push(format!("{}: all of the root is used at once", file.display()));
                continue;
            };
            let used = exported.get(first).unwrap_or(first);
            match place(used) {
                Some(there) if there <= here => {}
                Some(_) => wrong.push(format!("{}: `{own}` uses `{used}`", file.display())),
                // Foreign names at the root: a type of a dependency, a macro.
                None if ["DVec3"].contains(&used.as_str()) => {}
                None => wrong.push(format!("{}: `crate::{first}` is in no room", file.display())),
            }
        }
    }
    wrong.dedup();
    wrong
}

#[test]
fn each_room_knows_only_those_before_it() {
    let files: Vec<_> = sources(&root()).into_iter().filter(|(f, _)| room(f) != "lib").collect();
    let library = fs::read_to_string(root().join("lib.rs")).unwrap();
    let order = order();
    let wrong = offences(&files, &library, &order);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let empty: Vec<_> = order.iter().filter(|r| !files.iter().any(|(f, _)| room(f) == **r)).collect();
    assert!(empty.is_empty(), "rooms in ARCHITECTURE.md without a file: {empty:?}");
}

/// The law notices what it forbids, however it is written.
#[test]
fn a_use_against_the_order_is_noticed() {
    let order = ["model", "linear", "scene"].map(String::from);
    let library = "pub use scene::Scene;\npub use model::{Air, Model};";
    let noticed_in = |file: &str, text: &str| {
        let file = (root().join(file), text.to_string());
        offences(&[file], library, &order).len()
    };
    let noticed = |text: &str| noticed_in("linear/matrix.rs", text);
    assert_eq!(noticed("use crate::model::Spring;\nuse crate::{Air, Model};\nuse crate::linear::dot;"), 0);
    assert_eq!(noticed("// crate::scene is above\nfn f(m: &crate::Model) {}"), 0);
    for text in [
        "use crate::scene::Fabric;",
        "use crate::Scene;",
        "use crate::{Model, Scene};",
        "use crate::{model::Air, scene::{self, Fabric}};",
        "use crate::{\n    Model,\n    Scene,\n};",
        "fn f(s: &crate::scene::Scene) {}",
        "use crate::nowhere;",
        "use crate::*;",
        "use crate::{self as root, Model};",
        "use crate as root;",
        "use super::super::scene::Fabric;",
        "use super::super::{Model, Scene};",
        "#[cfg(test)]\nmod tests;\nuse crate::Scene;",
        "mod tests {\n    use super::super::super::Scene;\n}",
    ] {
        assert_eq!(noticed(text), 1, "{text}");
    }
    assert_eq!(noticed("use super::scene::Own;\nmod tests {\n    use super::super::scene::Own;\n}"), 0);
    for file in ["linear.rs", "linear/mod.rs"] {
        assert_eq!(noticed_in(file, "#[cfg(test)]\nmod tests;\nuse super::Scene;"), 1, "{file}");
        assert_eq!(noticed_in(file, "use super::Model;\nmod tests {\n    use super::Own;\n}"), 0, "{file}");
    }
}

#[test]
fn only_kernels_are_unsafe_and_no_file_is_long() {
    for (file, text) in sources(&root()) {
        let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
        if room(&file) != "kernel" {
            assert!(!code.clone().any(|l| l.contains("unsafe")), "`unsafe` in {}", file.display());
        }
        let lines = text.lines().count();
        assert!(lines <= LONGEST, "{} has {lines} lines", file.display());
    }
    // Examples are for newcomers to copy; what is longer belongs to experiments or tools.
    let folders = ["../../taut-cli/src", "../../taut-cli/tests", "../tests", "../tools", "../benches"];
    for (folder, most) in folders.map(|folder| (folder, LONGEST)).into_iter().chain([("../examples", 30)]) {
        for (file, text) in sources(&root().join(folder)) {
            assert!(text.lines().count() <= most, "{}", file.display());
        }
    }
}

/// Elementary functions of std, and what glam makes of them.
const ELEMENTARY: [&str; 19] = [
    ".sin()",
    ".cos()",
    ".tan()",
    ".sin_cos()",
    ".asin()",
    ".acos()",
    ".atan()",
    ".atan2(",
    ".hypot(",
    ".exp()",
    ".exp_m1()",
    ".ln()",
    ".ln_1p()",
    ".powf(",
    ".cbrt()",
    "::from_scaled_axis",
    "::from_euler",
    "::from_rotation_",
    ".to_scaled_axis()",
];

/// Uses of functions whose last bits are the platform's own, in rooms whose results must be the same bits everywhere.
fn platform_bits(files: &[(PathBuf, String)]) -> Vec<String> {
    let shown = ["doctor", "render", "export", "math"].map(String::from);
    let tests =
        |file: &Path| file.ends_with("tests.rs") || file.components().any(|c| c.as_os_str() == "tests");
    let mut wrong = Vec::new();
    // Remarks about a scene are text, not results.
    let remarks = ["scene/odd.rs", "scene/starter.rs"].map(|file| root().join(file));
    for (file, text) in files.iter().filter(|(file, _)| !shown.contains(&room(file)) && !tests(file)) {
        let code = text.split("mod tests {").next().unwrap_or("");
        let code = code.lines().map(|line| line.split("//").next().unwrap_or(""));
        let uses = code.filter(|line| ELEMENTARY.iter().any(|name| line.contains(name)));
        wrong.extend(
            uses.filter(|_| !remarks.contains(file)).map(|line| format!("{}: {line}", file.display())),
        );
    }
    wrong
}

#[test]
fn no_result_depends_on_the_sines_of_a_platform() {
    let wrong = platform_bits(&sources(&root()));
    assert!(wrong.is_empty(), "take those of `crate::math`:\n{}", wrong.join("\n"));
    let noticed = |text: &str| platform_bits(&[(root().join("linear/matrix.rs"), text.to_string())]).len();
    assert_eq!(noticed("let y = x.sin();\nlet t = DQuat::from_rotation_x(1.0);"), 2);
    assert_eq!(noticed("let y = sin(x); // x.sin()\nmod tests {\n x.sin() }"), 0);
}
