//! A run may stop and go on: `--save-state`, `--resume`.

use crate::common::Folder;
use std::fs;

/// Four frames in one go, and in two: the same files, byte for byte, with a method and a scene that remember.
#[test]
fn a_resumed_run_goes_on_bit_for_bit() {
    let folder = Folder::new("resume");
    for (scene, options) in [
        ("sphere_drape", ""),
        ("curtain21", "--method newton --scheme bdf2"),
        ("hammock", "--method conjugate_gradient"),
    ] {
        let common = format!("{scene} {options} --format ply --quiet");
        folder.line(&format!("run {common} --frames 4 --out whole")).fine();
        folder.line(&format!("run {common} --frames 2 --out first --save-state first.state")).fine();
        folder.line(&format!("run {scene} --resume first.state --frames 2 --format ply --out rest")).fine();
        for n in [3, 4] {
            let read = |out: &str| fs::read(folder.0.join(format!("{out}/{scene}_{n:04}.ply")));
            assert_eq!(read("whole").unwrap(), read("rest").unwrap(), "{scene}, frame {n}");
        }
    }
}

/// What was cut stays cut, and what will be cut is; the JSON says what a run has cut itself.
#[test]
fn a_run_goes_on_before_and_after_cuts() {
    let folder = Folder::new("resume_cuts");
    let cut = |time: f64, y: f64| {
        format!(
            "[[event]]\ntime = {time}\ncut = {{ line = [[-1.0, {y}, -1.0], [1.0, {y}, -1.0]], along = [0.0, 0.0, 2.0] }}\n"
        )
    };
    let sheet = "[[body]]\ngrid = { columns = 9, rows = 9, width = 1.0, height = 1.0 }\n\
                 rotation = [90.0, 0.0, 0.0]\n[[pin]]\nat = [\"top\"]\n";
    let hair = "[[body]]\nstrands = { columns = 1, rows = 1, spacing = 1.0, particles = 9, length = 0.9 }\n\
                position = [0.0, 0.5, 0.5]\n";
    folder.write("cloth.toml", &format!("duration = 0.4\n{sheet}{hair}{}{}", cut(0.1, 0.2), cut(0.25, -0.4)));
    folder.write("hair.toml", &format!("duration = 0.4\n{hair}{}", cut(0.1, 0.2)));
    for name in ["cloth", "hair"] {
        let run = format!("run {name}.toml --json --format ply,glb,html");
        let whole = folder.line(&format!("{run} --out whole")).fine().json();
        assert!(whole["cut"]["pieces"].as_u64().unwrap() > 1 && whole["edits"].is_object());
        for frames in [2, 6, 10] {
            folder.line(&format!("run {name}.toml -q --format none --frames {frames} --save-state s")).fine();
            let rest = folder.line(&format!("{run} --resume s --out rest")).fine().json();
            assert_eq!(rest["hash"], whole["hash"], "{name}, {frames}");
            let read = |out: &str| fs::read(folder.0.join(format!("{out}/{name}_0012.ply"))).unwrap();
            assert!(read("whole") == read("rest"));
        }
    }
}

/// Without --frames a resumed run makes those that are left.
#[test]
fn what_is_left_is_made() {
    let folder = Folder::new("left");
    let text = "duration = 0.2\n[[body]]\ngrid = { columns = 4, rows = 4, width = 1.0, height = 1.0 }\n";
    folder.write("small.toml", text);
    folder.line("run small.toml --frames 4 --format none --save-state s").fine();
    let rest = folder.line("run small.toml --resume s --format none --json").fine();
    assert_eq!(rest.json()["frames"], 2);
    // Options go on top of what was saved.
    let other = folder.line("run small.toml --resume s --method xpbd --format none --json").fine();
    assert_eq!(other.json()["method"], "xpbd");
}

const SMALL: &str = "duration = 0.3\n[[body]]\ngrid = { columns = 4, rows = 4, width = 1.0, height = 1.0 }\n\
                     [[pin]]\nat = [\"top\"]\n";

/// Into one folder: frames are numbered on, films stand beside those of the first run, which stay as they are.
#[test]
fn a_resumed_film_leaves_the_first_alone() {
    let folder = Folder::new("film");
    folder.write("small.toml", SMALL);
    let formats = "--format gif,png,glb,html,ply --size 48x36";
    folder.line(&format!("run small.toml {formats} --frames 3 --save-state s")).fine();
    let names = folder.list("out");
    let read = |name: &String| fs::read(folder.0.join("out").join(name)).unwrap();
    let before: Vec<Vec<u8>> = names.iter().map(read).collect();
    let answer = folder.line(&format!("run small.toml {formats} --resume s --frames 2")).fine();
    assert!(answer.err.contains("-start_number 0 "), "the first pictures are there: {}", answer.err);
    for (name, bytes) in names.iter().zip(&before) {
        assert!(read(name) == *bytes, "{name} has changed");
    }
    let mut new = folder.list("out");
    new.retain(|name| !names.contains(name));
    let expected = ["0004.ply", "0004.png", "0005.ply", "0005.png", "from_0004.gif", "from_0004.glb"];
    let expected = expected.iter().chain(&["from_0004.html"]).map(|end| format!("small_{end}"));
    assert_eq!(new, expected.collect::<Vec<_>>());
    // Frames of an earlier, longer run than the resumed one go, as they do with any other.
    folder.line("run small.toml --format ply --resume s --frames 1 --quiet").fine();
    let left = folder.list("out").into_iter().filter(|name| name.ends_with(".ply")).count();
    assert_eq!(left, 5, "frames 0 to 4");
    // Alone in a folder its pictures begin with their number.
    let alone = folder.line(&format!("run small.toml {formats} --resume s --frames 2 --out alone")).fine();
    assert!(alone.err.contains("-start_number 4 "), "{}", alone.err);
    let object = folder.line("run small.toml --resume s --frames 0 --format glb,png,ply --out none --json");
    assert_eq!(object.fine().json()["files"], serde_json::json!([]), "nothing was made");
}

/// A corner is carried off, 1 m in 0.1 s and then beyond all numbers. Four steps a frame, and it ends within one: the state
/// is that before the step that failed, and a resumed run ends the frame first.
#[test]
fn a_divergence_saves_the_last_good_step() {
    let folder = Folder::new("within");
    let text = |end: &str| {
        format!(
            "{SMALL}[[pin]]\nname = \"corner\"\nat = [\"bottom_left\"]\n[[event]]\ntime = 0.0\nmove = \"corner\"\n\
             path = [[0.0, 0.0, 0.0, 0.0], [0.1, 0.0, 0.0, 1.0], [0.11, 0.0, 0.0, {end}]]\n"
        )
        .replace("duration", "time_step = 0.008333333333333333\nduration")
    };
    folder.write("far.toml", &text("1e308"));
    let run = "run far.toml --format ply --method newton --quiet";
    let answer = folder.line(&format!("{run} --frames 8 --save-state s"));
    answer.failed(1, &["diverged in frame 4:", "after t = 0.1000 s", "frames 0 to 3 are kept"]);
    let saved = |name: &str| {
        let bytes = fs::read(folder.0.join(name)).unwrap();
        taut::Simulation::restore(&bytes).unwrap().simulation
    };
    assert_eq!(saved("s").state().step, 12, "three frames of four steps went well");
    // Within a frame: the same one step later.
    let later = text("1e308").replace("[0.1, 0.0, 0.0, 1.0], [0.11,", "[0.11, 0.0, 0.0, 1.1], [0.12,");
    folder.write("far.toml", &later);
    let answer = folder.line(&format!("{run} --frames 8 --out later --save-state s"));
    answer.failed(1, &["diverged in frame 4:", "frames 0 to 3 are kept"]);
    let mut last = saved("s");
    assert_eq!(last.state().step, 13, "one step of the fourth frame went well");
    // It fails again where it failed, with nothing to show for it.
    let again = folder.line(&format!("{run} --resume s --out again"));
    again.failed(1, &["diverged in frame 4:", "there are no frames"]);
    assert_eq!(folder.list("again"), Vec::<String>::new());
    // Put right, it goes on: frame 4 is at 4/30 s, not a frame after the step it was resumed from.
    last.set_script(Vec::new()).unwrap();
    folder.write("far.toml", later.split("[[event]]").next().unwrap());
    fs::write(folder.0.join("right"), last.snapshot()).unwrap();
    folder.line("run far.toml --format ply --resume right --frames 2 --out rest --quiet").fine();
    assert_eq!(folder.list("rest"), ["far_0004.ply", "far_0005.ply"]);
    while last.state().step < 16 {
        last.step().unwrap();
    }
    let mesh = taut::mesh_io::read(folder.0.join("rest/far_0004.ply")).unwrap();
    assert_eq!(mesh.positions, last.positions(), "frame 4 is the sixteenth step");
}

#[test]
fn what_cannot_be_resumed_is_refused() {
    let folder = Folder::new("refused");
    folder.line("run curtain21 --frames 1 --format none --save-state c.state").fine();
    folder.line("run hammock --resume c.state").failed(2, &["c.state", "441 particles", "hammock"]);
    folder.line("run curtain21 --resume none.state").failed(2, &["none.state", "check the path"]);
    let mut bytes = fs::read(folder.0.join("c.state")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(folder.0.join("bad.state"), &bytes).unwrap();
    folder.line("run curtain21 --resume bad.state").failed(2, &["bad.state", "changed since it was made"]);
    fs::write(folder.0.join("short.state"), &bytes[..100]).unwrap();
    folder.line("run curtain21 --resume short.state").failed(2, &["short.state", "ends within"]);
    // The same mesh in another company, or in other steps.
    folder.line("run sphere_drape --frames 1 --format none --save-state s.state").fine();
    folder
        .line("run table_drape --resume s.state")
        .failed(2, &["s.state", "other springs, links, masses or solids"]);
    folder.line("run demo_stretched --frames 1 --format none --save-state d.state").fine();
    folder.line("run demo_chaotic --resume d.state").failed(2, &["d.state", "steps of 0.01 s"]);
    // Said before the work is done.
    folder.line("run curtain21 --save-state nowhere/x.state").failed(2, &["nowhere/x.state", "cannot write"]);
    folder.line("run curtain21 --save-state .").failed(2, &["folder"]);
    folder.line("run curtain21 --save-state out/../out/curtain21.gif").failed(2, &["a result of this run"]);
    folder
        .line("run curtain21 -f obj --save-state out/curtain21_0007.obj")
        .failed(2, &["a result of this run"]);
    assert_eq!(folder.list("out"), Vec::<String>::new());
    for (name, text) in [("empty.state", ""), ("note.state", "hello\n")] {
        folder.write(name, text);
        folder.line(&format!("run curtain21 --resume {name}")).failed(2, &[name, "no state that taut saved"]);
    }
}

/// Beside the results there is room, in a folder that the run makes.
#[test]
fn a_state_is_saved_beside_the_results() {
    let folder = Folder::new("beside");
    folder.line("run curtain21 -q --frames 1 -f obj --out new --save-state new/curtain21.gif").fine();
    let files = ["curtain21.gif", "curtain21_0000.obj", "curtain21_0001.obj"];
    assert_eq!(folder.list("new"), files);
    folder.line("run curtain21 -q --frames 1 -f none --resume new/curtain21.gif").fine();
}
