//! Mistakes: exit code 2, one line that names place, value and remedy, nothing written.

use crate::common::Folder;

const GRID: &str = "[[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\n";

/// (command, what its one line of answer must contain)
const MISTAKES: &[(&str, &[&str])] = &[
    ("run curtian", &["curtian", "did you mean `curtain`?"]),
    ("run nothing_like_it", &["nothing_like_it", "taut scenes", "hammock"]),
    ("run missing.toml", &["missing.toml", "No such file", "check the path"]),
    ("run typo.toml", &["typo.toml:2", "unknown key `gird`", "did you mean `grid`?"]),
    ("run wild.toml", &["wild.toml:3", "stretch = -5", "stretch"]),
    ("run broken.toml", &["broken.toml:2", "broken.obj:2", "\"two\""]),
    ("run absent.toml", &["absent.toml:2", "gone.obj", "No such file"]),
    ("run latin.toml", &["latin.toml:2", "0xe9", "UTF-8"]),
    ("run escape.toml", &["escape.toml:2", "../shirt.obj", "--allow-outside"]),
    ("run fast.toml", &["frames_per_second = 120", "GIF", "--format"]),
    ("check typo.toml", &["typo.toml:2", "did you mean `grid`?"]),
    ("settle typo.toml", &["typo.toml:2", "did you mean `grid`?"]),
    ("run curtain21 --iterations 0", &["--iterations = 0", "at least one"]),
    ("run curtain21 --iterations -3", &["'-3'", "--iterations", "must be a whole number, 0 or more"]),
    ("run curtain21 --iterations many", &["'many'", "--iterations", "must be a whole number, 0 or more"]),
    ("run curtain21 --tolerance tiny", &["'tiny'", "--tolerance", "must be a number"]),
    ("run curtain21 --tolerance -1", &["--tolerance = -1", "zero or more"]),
    ("run curtain21 --tolerance nan", &["--tolerance = NaN", "zero or more"]),
    ("run curtain21 --budget 0", &["--budget = 0", "more than 0 s"]),
    ("run curtain21 --threads 0", &["--threads = 0", "between 1 and 1024"]),
    ("run curtain21 --threads 99999", &["--threads = 99999", "between 1 and 1024"]),
    ("run curtain21 --size 3x3", &["'3x3'", "640x480", "16 and 8192"]),
    ("run curtain21 --method newtin", &["--method = \"newtin\"", "did you mean `newton`?"]),
    ("run curtain21 --format jif", &["'jif'", "'gif'", "glb"]),
    ("run curtain21 --frame 3", &["'--frame'", "'--frames'"]),
    ("run curtain21 --method semi_implicit --iterations 0", &["--iterations = 0"]),
    ("run curtain21 --scheme bdf3", &["scheme = \"bdf3\"", "did you mean `bdf2`?"]),
    ("run curtain21 --method symplectic_euler --scheme bdf2", &["scheme = bdf2", "symplectic_euler"]),
    ("run curtain21 --method pbd --tolerance 1e-3", &["--tolerance", "fixed number of iterations"]),
    ("run limit.toml", &["limit.toml:2", "limit.stretch = -0.1", "zero or more"]),
    ("run passes.toml", &["passes.toml:2", "limit.passes = 0", "at least one"]),
    ("compare curtain21 --methods local_globl", &["--methods", "did you mean `local_global`?"]),
    ("compare curtain21 --methods local_global --iterations 0", &["--iterations = 0", "at least one"]),
    ("compare curtain21", &["--methods"]),
    ("run", &["<SCENE>", "--help"]),
    ("rum curtain21", &["'rum'", "'run'"]),
    ("settle curtain21 --rest -1", &["--rest = -1", "zero or more"]),
    ("settle curtain21 --steps 0", &["--steps = 0", "at least one"]),
    ("run curtain21 --frames 1 --out taken", &["taken", "cannot write", "somewhere else"]),
    ("run curtain21 --frames 1 --out taken/inside", &["taken/inside", "cannot write"]),
    ("settle curtain21 --out taken", &["taken", "cannot write"]),
    ("convert shirt.obj shirt.fbx", &["shirt.fbx", ".obj, .ply or .glb"]),
    ("convert shirt.obj shirt", &["shirt", ".obj, .ply or .glb"]),
    ("convert gone.stl out.obj", &["gone.stl", "No such file"]),
    ("convert notes.txt out.obj", &["notes.txt", "\"txt\"", ".obj .ply .off .stl"]),
    ("convert curtian out.obj", &["curtian", "did you mean `curtain`?"]),
    ("convert broken.obj out.obj", &["broken.obj:2", "\"two\""]),
    ("convert shirt.obj taken/out.obj", &["taken/out.obj", "cannot write"]),
    ("convert shirt.obj folder.obj", &["folder.obj", "cannot write", "there is a folder of this name"]),
    ("settle curtain21 --out full", &["full/curtain21_rest.png", "there is a folder of this name"]),
    (
        "compare curtain21 --methods xpbd -n 1 --out full",
        &["full/curtain21_compare.svg", "there is a folder"],
    ),
    ("run curtain21 -n 1 --out full", &["full/curtain21.gif", "there is a folder of this name"]),
    ("run curtain21 -n 1 --format none --save-state folder.obj", &["folder.obj", "there is a folder"]),
    ("run curtain21 -n 1 --format none --save-state no/state", &["no/state", "cannot write"]),
    ("man rum", &["command = rum", "run, view, compare"]),
    ("completions cmd", &["'cmd'", "bash"]),
];

#[test]
fn mistakes_are_answered_in_one_line_and_nothing_is_written() {
    let folder = Folder::with_shirt("errors");
    folder.write("typo.toml", "[[body]]\ngird = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\n");
    folder.write("wild.toml", &format!("{GRID}stretch = -5.0\n"));
    folder.write("fast.toml", &format!("frames_per_second = 120.0\n{GRID}"));
    folder.write("broken.obj", "v 0 0 0\nv 1 two 3\nf 1 2 3\n");
    folder.write("broken.toml", "[[body]]\nmesh = { file = \"broken.obj\" }\n");
    folder.write("absent.toml", "[[body]]\nmesh = { file = \"gone.obj\" }\n");
    folder.write("escape.toml", "[[body]]\nmesh = { file = \"../shirt.obj\" }\n");
    folder.write("limit.toml", &format!("[limit]\nstretch = -0.1\n{GRID}"));
    folder.write("passes.toml", &format!("[limit]\npasses = 0\n{GRID}"));
    std::fs::write(folder.0.join("latin.toml"), b"duration = 1.0\ntitle = \"caf\xe9\"\n").unwrap();
    folder.write("notes.txt", "hello\n");
    for name in ["folder.obj", "full/curtain21_rest.png", "full/curtain21_compare.svg", "full/curtain21.gif"]
    {
        std::fs::create_dir_all(folder.0.join(name)).unwrap();
    }
    folder.write("taken", "a file where a folder should be\n");
    let before = folder.list(".");
    for (line, words) in MISTAKES {
        let answer = folder.line(line).failed(2, words);
        assert_eq!(answer.out, "", "taut {line}");
        assert_eq!(answer.err.lines().count(), 1, "taut {line}: {}", answer.err);
        assert_eq!(folder.list("."), before, "taut {line} wrote something");
    }
    assert_eq!(folder.read("taken"), "a file where a folder should be\n");
}

/// Outside its folder a scene reads meshes only with the user's consent.
#[test]
fn meshes_outside_are_read_if_allowed() {
    let folder = Folder::with_shirt("outside");
    std::fs::create_dir(folder.0.join("inner")).unwrap();
    folder.write("inner/s.toml", "[[body]]\nmesh = { file = \"../shirt.obj\" }\n[[pin]]\nindices = [0]\n");
    let absolute = folder.0.join("shirt.obj");
    folder.write("inner/a.toml", &format!("[[body]]\nmesh = {{ file = {absolute:?} }}\n"));
    for line in [
        "run inner/s.toml --frames 1 --format none",
        "run inner/a.toml --frames 1 --format none",
        "settle inner/s.toml --rest 1e-2 --format none",
        "compare inner/s.toml --methods local_global --frames 1",
        "check inner/a.toml",
        "convert inner/s.toml out.obj",
    ] {
        folder.line(line).failed(2, &["leaves the folder", "--allow-outside"]);
        folder.line(&format!("{line} --allow-outside")).fine();
    }
}

/// A mesh in place of a scene is answered with a scene for it, which works.
#[test]
fn a_mesh_is_answered_with_a_scene_to_save() {
    let folder = Folder::with_shirt("mesh-as-scene");
    let answer = folder.line("run shirt.obj");
    assert_eq!((answer.code, answer.out.as_str()), (Some(2), ""));
    let (said, scene) = answer.err.split_once("\n\n").expect("a scene after an empty line");
    assert!(said.contains("shirt.obj: this is a mesh") && said.contains("shirt.toml"), "{said}");
    folder.write("shirt.toml", scene);
    let object = folder.line("run shirt.toml --frames 2 --format none --json").fine().json();
    assert_eq!(object["particles"], 84);
    let found = folder.line("check shirt.toml --json").fine().json();
    assert_eq!(found["findings"], serde_json::Value::Array(vec![]), "its top is pinned");
    // One that lies flat has no top: it is held at an edge, not everywhere.
    folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3 4\n");
    let answer = folder.line("run flat.obj");
    folder.write("flat.toml", answer.err.split_once("\n\n").expect("a scene").1);
    let scene = taut::Scene::load(folder.0.join("flat.toml").to_str().unwrap()).unwrap();
    assert_eq!(
        scene.state.filters.iter().map(|f| f.is_pinned()).collect::<Vec<_>>(),
        [true, true, false, false]
    );
    folder.line("check gone.stl").failed(2, &["gone.stl", "No such file"]);
}

#[test]
fn without_arguments_the_help_is_shown() {
    let folder = Folder::new("help");
    let answer = folder.taut(&[]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.err.contains("Usage: taut <COMMAND>") && answer.err.contains("taut run curtain"));
    let help = folder.line("run --help").fine().out;
    assert!(help.contains("[s]") && !help.contains('\\'), "{help}");
    assert!(folder.line("--version").fine().out.starts_with("taut 0."));
}

/// What shells and `man` read knows the options.
#[test]
fn completions_and_manual_pages_are_printed() {
    let folder = Folder::new("manual");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.line(&format!("completions {shell}")).fine().out;
        assert!(script.contains("allow-outside") && script.contains("settle"), "{shell}: {script}");
    }
    let page = folder.line("man").fine().out;
    assert!(page.starts_with(".ie") && page.contains("taut\\-settle(1)"), "{page}");
    let page = folder.line("man run").fine().out;
    assert!(page.contains("\\-\\-allow\\-outside") && page.contains("taut run hammock"), "{page}");
}

/// Titles stand below one another, whatever the length of the names.
#[test]
fn scenes_are_listed_in_columns() {
    let list = Folder::new("columns").line("scenes").fine().out;
    let wide = taut::scene::BUILTIN.iter().map(|b| b.name.len()).max().unwrap() + 2;
    for (line, builtin) in list.lines().zip(taut::scene::BUILTIN) {
        assert_eq!((line[..wide].trim_end(), &line[wide..]), (builtin.name, builtin.title()));
    }
}

/// A pipe that nobody writes to and a device without an end are refused, not read: as a scene, a mesh, a mesh's sibling,
/// a saved state.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused() {
    let folder = Folder::with_shirt("odd");
    let make = "mkfifo p.toml p.obj p.bin p.state && ln -s /dev/zero z.toml && mkdir d.toml && mkdir d.obj";
    folder.run(std::process::Command::new("bash").args(["-c", make])).fine();
    folder.write("m.toml", "[[body]]\nmesh = { file = \"p.obj\" }\n");
    let buffer = r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"p.bin","byteLength":36}],"scenes":[{"nodes":[0]}],
        "nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "bufferViews":[{"buffer":0,"byteLength":36}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}]}"#;
    folder.write("b.gltf", buffer);
    for line in [
        "check p.toml",
        "run z.toml",
        "check d.toml",
        "run m.toml",
        "convert p.obj out.obj",
        "convert d.obj out.obj",
        "convert b.gltf out.obj",
        "run curtain21 --resume p.state",
    ] {
        let script = format!("ulimit -v 4000000; exec timeout 20 {} {line}", crate::common::TAUT);
        let answer = folder.run(std::process::Command::new("bash").args(["-c", &script]));
        answer.failed(2, &["is not a regular file"]);
    }
    folder.write("large.toml", &"#".repeat((1 << 24) + 1));
    folder.line("check large.toml").failed(2, &["large.toml", "more than 16777216 bytes"]);
}

/// A reader who has seen enough must not be answered with a panic.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_trouble() {
    let folder = Folder::new("pipe");
    let line = format!("{} scenes | true; echo ${{PIPESTATUS[0]}}", crate::common::TAUT);
    let answer = folder.run(std::process::Command::new("bash").args(["-c", &line])).fine();
    assert_eq!((answer.out.as_str(), answer.err.as_str()), ("0\n", ""));
}

/// Nor one who cannot be told: exit codes and results are those of a run that can speak.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_said_stops_nothing() {
    let folder = Folder::new("mute");
    for (line, code, files) in [
        ("check nope", 2, 0),
        ("rum", 2, 0),
        ("run curtain21 --frames 2 --format obj", 0, 3),
        ("run curtain21 --method symplectic_euler --frames 30 --format glb", 1, 1),
        ("settle curtain21 --format obj --rest 1e-3", 0, 1),
        ("compare curtain21 --methods local_global --frames 1", 0, 3),
        ("convert curtain21 out/c.obj", 0, 1),
    ] {
        for voice in ["2>/dev/full", "2>&1 | true"] {
            std::fs::remove_dir_all(folder.0.join("out")).ok();
            std::fs::create_dir(folder.0.join("out")).unwrap();
            let script = format!("{} {line} {voice}; exit ${{PIPESTATUS[0]}}", crate::common::TAUT);
            let answer = folder.run(std::process::Command::new("bash").args(["-c", &script]));
            assert_eq!((answer.code, folder.list("out").len()), (Some(code), files), "{line} {voice}");
        }
    }
}
