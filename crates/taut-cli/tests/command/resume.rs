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
        for (whole, rest) in [(2, 0), (3, 1), (4, 2)] {
            let read = |out: &str, n: usize| fs::read(folder.0.join(format!("{out}/{scene}_{n:04}.ply")));
            assert_eq!(read("whole", whole).unwrap(), read("rest", rest).unwrap(), "{scene}, frame {whole}");
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
        .failed(2, &["s.state", "other springs, masses or solids"]);
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
