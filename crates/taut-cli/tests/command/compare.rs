//! `taut compare`: every method measured against one exact run; the one that diverges stops, the others go on.

use crate::common::Folder;

const LINE: &str = "compare curtain21 --methods newton,local_global,symplectic_euler --frames 3";

#[test]
fn a_table_a_csv_and_a_plot() {
    let folder = Folder::new("compare");
    let answer = folder.line(LINE).fine();
    for words in ["newton", "local_global", "diverged in frame 2"] {
        assert!(answer.out.contains(words), "{}", answer.out);
    }
    assert_eq!(
        folder.list("out"),
        ["curtain21_compare.csv", "curtain21_compare.png", "curtain21_compare.svg"]
    );
    let csv = folder.read("out/curtain21_compare.csv");
    let of = |method: &str| csv.lines().filter(|l| l.starts_with(method)).count();
    assert_eq!([of("newton"), of("local_global"), of("symplectic_euler")], [3, 3, 1], "{csv}");
    let svg = folder.read("out/curtain21_compare.svg");
    assert!(svg.starts_with("<svg") && svg.contains("symplectic_euler (diverged in frame 2)"));
}

#[test]
fn one_object_in_which_newton_is_exact() {
    let folder = Folder::new("compare_json");
    let answer = folder.line(&format!("{LINE} --scheme bdf2 --json")).fine();
    assert_eq!(answer.err, "");
    let object = answer.json();
    let method = |i: usize| &object["methods"][i];
    assert_eq!(method(0)["scheme"], "bdf2");
    assert_eq!(method(2)["scheme"], "implicit_euler", "explicit methods are their own");
    assert_eq!(method(2)["diverged"]["frame"], 2);
    assert!(method(0)["diverged"].is_null());
    for frame in 0..3 {
        assert_eq!(method(0)["distance_m"][frame], 0.0);
        assert!(method(0)["relative_error"][frame].as_f64().unwrap().abs() < 1e-12);
        assert!(method(1)["distance_m"][frame].as_f64().unwrap() > 0.0);
    }
}
