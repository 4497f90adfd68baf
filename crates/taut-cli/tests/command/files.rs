//! Results are whole or absent, whatever happens: full disk, read-only folder, signals, kill.

use crate::common::{Answer, Folder, TAUT};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Run with files limited to so many KiB, which to a program looks like a disk that is full.
fn limited(folder: &Folder, kibibytes: usize, line: &str) -> Answer {
    let script = format!("ulimit -f {kibibytes}; exec {TAUT} {line}");
    folder.run(Command::new("bash").args(["-c", &script]))
}

/// Each is a whole mesh of so many particles, and they are numbered without a gap from 0.
fn assert_whole(folder: &Folder, names: &[String], scene: &str, particles: usize) {
    for (i, name) in names.iter().enumerate() {
        assert_eq!(*name, format!("{scene}_{i:04}.obj"));
        let mesh = taut::mesh_io::read(folder.0.join("out").join(name)).unwrap();
        assert_eq!(mesh.positions.len(), particles, "{name}");
        assert!(!mesh.triangles.is_empty(), "{name}");
    }
}

#[test]
fn a_full_disk_leaves_whole_files_only() {
    let folder = Folder::new("full");
    // An OBJ of the small curtain has about 40 KiB, the GLB of ten frames more than 64.
    let answer = limited(&folder, 64, "run curtain21 --frames 10 --format obj,glb");
    answer.failed(1, &["out/curtain21.glb", "cannot write", "File too large", "check space"]);
    let names = folder.list("out");
    assert_eq!(names.len(), 11);
    assert_whole(&folder, &names, "curtain21", 441);

    for format in ["obj", "ply", "glb", "html", "gif", "png"] {
        let out = format!("out_{format}");
        let line = format!("run curtain21 --frames 2 --format {format} --size 256x256 --out {out}");
        limited(&folder, 1, &line).failed(1, &[&format!("{out}/curtain21"), "check space"]);
        assert!(folder.list(&out).is_empty(), "{format}: {:?}", folder.list(&out));
    }
    // What does not fit does not keep the rest from being written, and is named once.
    let line = "run curtain21 --frames 12 --format glb,html,png --size 64x48 --out rest";
    let answer = limited(&folder, 80, line).failed(1, &["rest/curtain21.glb: cannot write: File too large"]);
    assert_eq!(answer.err.matches("check space").count(), 1, "{}", answer.err);
    assert!(!answer.err.contains("output:"), "{}", answer.err);
    assert_eq!(folder.list("rest").iter().filter(|n| n.ends_with(".png")).count(), 13);
    limited(&folder, 1, "convert curtain21 mesh.obj").failed(1, &["mesh.obj", "check space"]);
    assert!(!folder.list(".").iter().any(|n| n.contains("mesh")));
}

#[test]
fn a_full_disk_does_not_harm_what_was_there() {
    let folder = Folder::new("before");
    folder.line("run curtain21 --frames 2 --format glb").fine();
    let path = folder.0.join("out/curtain21.glb");
    let before = std::fs::read(&path).unwrap();
    limited(&folder, 1, "run curtain21 --frames 3 --format glb").failed(1, &["curtain21.glb"]);
    assert!(std::fs::read(&path).unwrap() == before, "the earlier result is gone");
}

#[test]
fn a_read_only_folder_is_refused_before_the_run() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("readonly");
    let out = folder.0.join("out");
    std::fs::create_dir(&out).unwrap();
    std::fs::set_permissions(&out, std::fs::Permissions::from_mode(0o555)).unwrap();
    // Root may write everywhere; then /proc, where nobody can make files, stands in.
    let root = std::fs::write(out.join("probe"), "").is_ok();
    let out = if root { "/proc" } else { "out" };
    folder.line(&format!("run curtain21 --frames 2 --out {out}")).failed(2, &[out, "cannot write"]);
}

/// Start a run and wait for a result whose name ends so.
fn long_run(folder: &Folder, arguments: &str, result: &str) -> Child {
    let mut command = Command::new(TAUT);
    command.args(arguments.split_whitespace()).current_dir(&folder.0);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(folder, result);
    child
}

/// Wait for a file whose name ends so.
fn wait_for(folder: &Folder, result: &str) {
    let patience = Instant::now() + Duration::from_secs(60);
    while !folder.list("out").iter().any(|n| n.ends_with(result)) {
        assert!(Instant::now() < patience, "no result after a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn signals_end_a_run_with_their_code_and_keep_its_frames() {
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let folder = Folder::new(&format!("signal{name}"));
        let child = long_run(&folder, "run curtain21 --format obj,glb --json --frames 1000000", "_0002.obj");
        signal(&child, name);
        let answer: Answer = child.wait_with_output().unwrap().into();
        assert_eq!(answer.code, Some(code), "{answer:?}");
        let mut names = folder.list("out");
        assert!(!names.iter().any(|n| n.starts_with('.')), "{names:?}");
        assert_eq!(names.remove(0), "curtain21.glb", "the animation of the frames so far");
        assert_whole(&folder, &names, "curtain21", 441);
        let object = answer.json();
        assert_eq!(object["frames"], names.len() - 1, "frame 0 is the start");
        assert_eq!(targets(&folder.0.join("out/curtain21.glb")), names.len() - 1);
    }
}

/// Drawing comes after simulating and takes longer: a signal then keeps the pictures drawn, as frames and as a film.
#[test]
fn a_signal_while_drawing_keeps_the_pictures_so_far() {
    let folder = Folder::new("drawing");
    let line = "run curtain21 --format png,gif --frames 300 --size 640x480 --json";
    let child = long_run(&folder, line, "_0002.png");
    signal(&child, "-INT");
    let answer: Answer = child.wait_with_output().unwrap().into();
    assert_eq!(answer.code, Some(130), "{answer:?}");
    let mut names = folder.list("out");
    assert_eq!(names.remove(0), "curtain21.gif", "{names:?}");
    assert!((3..301).contains(&names.len()), "{}", names.len());
    for (i, name) in names.iter().enumerate() {
        assert_eq!(name, &format!("curtain21_{i:04}.png"));
        let bytes = std::fs::read(folder.0.join("out").join(name)).unwrap();
        assert!(bytes.ends_with(b"IEND\xae\x42\x60\x82"), "{name} is cut off");
    }
    let gif = std::fs::read(folder.0.join("out/curtain21.gif")).unwrap();
    assert!(gif.starts_with(b"GIF89a") && gif.ends_with(b";"), "the film ends where the drawing did");
    assert_eq!(answer.json()["files"].as_array().unwrap().len(), names.len() + 1);
}

/// People are told how many pictures there are, not only how many frames were simulated.
#[test]
fn the_summary_counts_pictures_drawn() {
    let folder = Folder::new("counted");
    let child = long_run(&folder, "run curtain21 --format png --frames 300 --size 640x480", "_0002.png");
    signal(&child, "-INT");
    let answer: Answer = child.wait_with_output().unwrap().into();
    let told = format!("{} of 301 pictures are drawn", folder.list("out").len());
    assert!(answer.code == Some(130) && answer.err.contains(&told), "{told}: {answer:?}");
}

/// The first signal ends the simulation and draws its frames; a second one stops that, and leaves no half film.
#[test]
fn a_second_signal_leaves_no_half_file() {
    let folder = Folder::new("twice");
    let line = "run curtain21 --format obj,gif --frames 1000000 --size 1280x960";
    let mut child = long_run(&folder, line, "_0050.obj");
    signal(&child, "-INT");
    wait_for(&folder, ".gif.part");
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut names = folder.list("out");
    assert!(!names.iter().any(|n| n.starts_with('.')), "{names:?}");
    // On a quick machine the film was whole before the second signal came.
    if names[0] == "curtain21.gif" {
        let gif = std::fs::read(folder.0.join("out").join(names.remove(0))).unwrap();
        assert!(gif.starts_with(b"GIF89a") && gif.ends_with(b";"), "half a film");
    }
    assert_whole(&folder, &names, "curtain21", 441);
}

/// A shorter run must not leave the end of a longer one in its film; other files are nobody's business.
#[test]
fn frames_of_a_longer_run_are_removed() {
    let folder = Folder::new("leftovers");
    folder.line("run curtain21 --frames 5 --format obj,ply").fine();
    let others = ["curtain21_0009.png", "curtain21_00009.obj", "curtain21_x_0009.obj", "curtain_0009.obj"];
    others.iter().for_each(|name| folder.write(&format!("out/{name}"), ""));
    let answer = folder.line("run curtain21 --frames 2 --format obj").fine();
    assert!(
        answer.err.contains("removed 3 frames") && answer.err.contains("curtain21_0003.obj"),
        "{}",
        answer.err
    );
    let names = folder.list("out");
    let objs = names.iter().filter(|n| n.ends_with(".obj") && !others.contains(&n.as_str())).count();
    assert_eq!(objs, 3, "{names:?}");
    assert!(others.iter().all(|o| names.iter().any(|n| n == o)), "{names:?}");
    assert_eq!(names.iter().filter(|n| n.ends_with(".ply")).count(), 6, "formats not written are left alone");
}

/// A scene says what it writes; the command line may say otherwise.
#[test]
fn scenes_name_their_outputs() {
    let folder = Folder::new("wishes");
    folder.write(
        "own.toml",
        "duration = 0.1\n[output]\nformats = [\"obj\", \"gif\"]\nsize = [64, 48]\nfolder = \"films/a\"\n\
         [[body]]\ngrid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\n[[pin]]\nat = [\"top\"]\n",
    );
    folder.line("run own.toml").fine();
    let names = ["own.gif", "own_0000.obj", "own_0001.obj", "own_0002.obj", "own_0003.obj"];
    assert_eq!(folder.list("films/a"), names);
    let gif = std::fs::read(folder.0.join("films/a/own.gif")).unwrap();
    assert_eq!(gif[6..10], [64, 0, 48, 0], "width and height");
    folder.line("run own.toml --format ply --out b").fine();
    assert_eq!(folder.list("b").len(), 4);
    folder.line("settle own.toml --out c").fine();
    assert_eq!(folder.list("c"), ["own_rest.obj", "own_rest.png"], "one picture is no film");
}

/// Morph targets of the first mesh in a GLB.
fn targets(path: &Path) -> usize {
    let bytes = std::fs::read(path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    json["meshes"][0]["primitives"][0]["targets"].as_array().unwrap().len()
}

#[test]
fn even_kill_leaves_no_half_file_under_a_final_name() {
    // With one iteration per step the run is writing about half of the time, so three kills rarely all miss.
    for _ in 0..3 {
        let folder = Folder::new("kill");
        let mut child =
            long_run(&folder, "run curtain --format obj --iterations 1 --frames 1000000", "_0002.obj");
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().code(), None, "killed, not ended");
        let names: Vec<String> = folder.list("out").into_iter().filter(|n| !n.starts_with('.')).collect();
        assert!(names.len() >= 3);
        assert_whole(&folder, &names, "curtain", 6561);
    }
}

/// Part files of a run that was killed go with the next one, whatever it makes; those of others are left alone.
#[test]
fn leftovers_of_the_killed_are_removed() {
    let folder = Folder::new("dead");
    let mut child = long_run(&folder, "run curtain21 --format obj --frames 1000000", "_0002.obj");
    child.kill().unwrap();
    child.wait().unwrap();
    let hidden = || folder.list("out").into_iter().filter(|n| n.starts_with('.')).collect::<Vec<_>>();
    assert!(!hidden().is_empty(), "at least its claim");
    folder.write("out/.taut-1-56.x_0056.obj.part", "half a mesh");
    let others = [".film.mp4.part", ".taut.conf.part", ".tautology.lock"];
    others.iter().for_each(|name| folder.write(&format!("out/{name}"), "of another program"));
    folder.line("run flag --frames 1 --format obj").fine();
    assert_eq!(hidden(), others);
}

/// Runs that would write the same result do not mix; others may share a folder.
#[test]
fn one_result_has_one_writer() {
    let folder = Folder::new("shared");
    let child = long_run(&folder, "run curtain21 --format obj --frames 1000000", "_0002.obj");
    let line = "run curtain21 --frames 1 --format";
    let refused = folder.line(&format!("{line} obj"));
    refused.failed(2, &["out/curtain21_0000.obj", "another run is writing this result", "--out"]);
    folder.line(&format!("{line} glb")).fine();
    folder.line("run flag --frames 1 --format obj").fine();
    signal(&child, "-INT");
    let answer: Answer = child.wait_with_output().unwrap().into();
    assert_eq!(answer.code, Some(130), "{answer:?}");
    folder.line(&format!("{line} obj")).fine();
    // Of several that start at once one gets the name, and nobody stumbles over another's part files.
    let script = format!("for i in 1 2 3; do {TAUT} {line} ply & done; wait");
    let answer = folder.run(Command::new("bash").args(["-c", &script])).fine();
    assert!(!answer.err.contains("No such file"), "{}", answer.err);
    let names = folder.list("out");
    assert_eq!(names.iter().filter(|n| n.ends_with(".ply")).count(), 2, "{names:?}");
    assert!(!names.iter().any(|n| n.starts_with('.')), "{names:?}");
}

/// Whatever stands where a part file would be is neither written to nor waited for.
#[test]
fn part_files_are_created_new() {
    let folder = Folder::new("links");
    folder.write("victim", "untouched");
    // After `exec` the process is the shell's, so the names are known.
    let script = format!(
        "mkdir out; ln -s ../victim out/.c.obj.part; ln -s ../victim out/.taut-$$-0.c.obj.part
         mkfifo out/.taut-$$-1.c.obj.part; exec {TAUT} convert curtain21 out/c.obj"
    );
    folder.run(Command::new("bash").args(["-c", &script])).fine();
    assert_eq!(folder.read("victim"), "untouched");
    assert!(!folder.0.join("out/c.obj").is_symlink() && folder.read("out/c.obj").contains("scene curtain21"));
    folder.run(Command::new("mkfifo").arg("out/.taut.curtain21_0000.ply.lock")).fine();
    let answer = folder.line("run curtain21 --frames 1 --format ply");
    answer.failed(2, &["another run", "remove out/.taut.curtain21_0000.ply.lock"]);
}
