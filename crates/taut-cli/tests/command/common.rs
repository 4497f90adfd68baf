//! Temporary folders, the command, and a mesh to use it on.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The program under test.
pub const TAUT: &str = env!("CARGO_BIN_EXE_taut");

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder that is gone when the test is over.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("taut-command-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// With a shirt to simulate: `shirt.obj`, `shirt.stl`, and `shirt.toml` of the README.
    pub fn with_shirt(name: &str) -> Self {
        let folder = Folder::new(name);
        let (obj, stl) = shirt();
        folder.write("shirt.obj", &obj);
        folder.write("shirt.stl", &stl);
        folder
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Names in a folder inside, sorted; none if it does not exist.
    pub fn list(&self, inside: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.0.join(inside)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Run the command here.
    pub fn taut(&self, arguments: &[&str]) -> Answer {
        self.run(Command::new(TAUT).args(arguments))
    }

    /// Run the command here, given as one line.
    pub fn line(&self, line: &str) -> Answer {
        self.taut(&line.split_whitespace().collect::<Vec<_>>())
    }

    pub fn run(&self, command: &mut Command) -> Answer {
        command.current_dir(&self.0).stdin(Stdio::null()).output().unwrap().into()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a command answered.
#[derive(Debug)]
pub struct Answer {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Answer {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Answer { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

impl Answer {
    /// It succeeded.
    #[track_caller]
    pub fn fine(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self
    }

    /// It ended with this code and said all these words in the last line of standard error.
    #[track_caller]
    pub fn failed(self, code: i32, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        let last = self.err.lines().last().unwrap_or_default();
        assert!(last.starts_with("taut: "), "{last}");
        for word in words {
            assert!(last.contains(word), "`{last}` lacks `{word}`");
        }
        self
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:#?}"))
    }
}

/// An open tube of quads with texture coordinates, 0.6 to 1.4 m high, as OBJ; and its triangles as STL.
fn shirt() -> (String, String) {
    let (around, up) = (12, 7);
    let point = |i: usize, j: usize| {
        let angle = (i % around) as f64 / around as f64 * std::f64::consts::TAU;
        [0.3 * angle.cos(), 0.6 + 0.8 * j as f64 / (up - 1) as f64, 0.3 * angle.sin()]
    };
    let (mut obj, mut stl) = (String::from("o shirt\n"), String::from("solid shirt\n"));
    for (j, i) in (0..up).flat_map(|j| (0..around).map(move |i| (j, i))) {
        let [x, y, z] = point(i, j);
        writeln!(obj, "v {x} {y} {z}\nvt {} {}", i as f64 / around as f64, j as f64 / up as f64).unwrap();
    }
    for (j, i) in (0..up - 1).flat_map(|j| (0..around).map(move |i| (j, i))) {
        let index = |i: usize, j: usize| j * around + i % around + 1;
        let corners = [(i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j)];
        let words = corners.map(|(i, j)| format!("{0}/{0}", index(i, j)));
        writeln!(obj, "f {}", words.join(" ")).unwrap();
        for triangle in [[0, 1, 2], [0, 2, 3]] {
            writeln!(stl, "facet normal 0 0 0\nouter loop").unwrap();
            for [x, y, z] in triangle.map(|k: usize| point(corners[k].0, corners[k].1)) {
                writeln!(stl, "vertex {x} {y} {z}").unwrap();
            }
            writeln!(stl, "endloop\nendfacet").unwrap();
        }
    }
    stl.push_str("endsolid shirt\n");
    (obj, stl)
}
