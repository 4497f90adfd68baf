//! `taut bench` on small models: the shape of what it says, where it writes. No number is judged: machines are busy.

use crate::common::Folder;
use serde_json::Value;

const QUICK: &str = "bench --quick --no-peers --rounds 2";

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|o| o["name"].as_str().unwrap()).collect()
}

fn contestant<'a>(row: &'a Value, name: &str) -> &'a Value {
    let all = row["contestants"].as_array().unwrap();
    all.iter().find(|c| c["name"] == name).unwrap_or_else(|| panic!("no {name} in {row:#}"))
}

#[test]
fn the_object_has_ratios_minima_and_medians() {
    let folder = Folder::new("bench");
    let line =
        format!("{QUICK} --only curtain_iteration,curtain_prefactor,error_1e-2_k1000 --json --out runs");
    let answer = folder.line(&line).fine();
    assert_eq!(answer.err, "");
    let object = answer.json();
    for key in ["date", "commit", "processor", "rustc", "g++", "faer", "kernel", "load_average", "peers"] {
        assert!(object["context"][key].is_string(), "{key}: {:#}", object["context"]);
    }
    assert_eq!(names(&object["rows"]), ["curtain_iteration", "curtain_prefactor", "error_1e-2_k1000"]);
    let iteration = &object["rows"][0];
    assert_eq!((&iteration["particles"], &iteration["yardstick"]), (&441.into(), &"taut".into()));
    assert_eq!(contestant(iteration, "eigen_llt")["failed"], "left out by --no-peers");
    for name in ["taut", "faer"] {
        let it = contestant(iteration, name);
        for clock in ["cpu", "wall"] {
            let [least, median] = ["minimum", "median"].map(|k| it[clock][k].as_f64().unwrap());
            assert!(0.0 < least && least <= median, "{it:#}");
        }
        for kind in ["cpu_minimum", "wall_minimum", "cpu_median", "wall_median"] {
            let ratio = it["ratio"][kind].as_f64().unwrap();
            assert!(ratio > 0.0 && (name != "taut" || ratio == 1.0), "{it:#}");
        }
    }
    // Every minimiser is there by its word and says how many iterations it took.
    let error = &object["rows"][2];
    for name in ["local_global", "newton", "hybrid", "newton+pcg_jacobi"] {
        let facts = &contestant(error, name)["facts"];
        assert!(facts["iterations"].as_u64().unwrap() > 0 && facts["error"].as_f64().unwrap() <= 1e-2);
    }
    assert_eq!(
        folder.list("runs"),
        ["curtain_iteration.json", "curtain_prefactor.json", "error_1e-2_k1000.json"]
    );
    let raw: Value = serde_json::from_str(&folder.read("runs/curtain_iteration.json")).unwrap();
    assert_eq!(raw["context"], object["context"]);
    assert_eq!(contestant(&raw["row"], "faer")["cpu_samples"].as_array().unwrap().len(), 2);
}

#[test]
fn detection_finds_nothing_where_nothing_touches() {
    let folder = Folder::new("detection");
    let object = folder.line(&format!("{QUICK} --only detection --json")).fine().json();
    assert_eq!(names(&object["rows"]), ["detection_vertex_face", "detection_edge_edge"]);
    for row in object["rows"].as_array().unwrap() {
        assert!(row["pairs"].as_u64().unwrap() > 100, "{row:#}");
        assert!(contestant(row, "taut")["cpu"]["minimum"].as_f64().unwrap() > 0.0, "{row:#}");
        assert_eq!(contestant(row, "additive")["failed"], "left out by --no-peers");
    }
}

#[test]
fn sizes_are_measured_one_by_one() {
    let folder = Folder::new("scale");
    let object = folder.line(&format!("{QUICK} --only scale --json")).fine().json();
    let sizes = object["rows"][0]["sizes"].as_array().unwrap();
    assert_eq!(sizes.iter().map(|s| s["side"].as_u64().unwrap()).collect::<Vec<_>>(), [21, 41]);
    for size in sizes {
        for key in ["particles", "springs", "prefactor", "iteration", "factor_mebibytes", "peak_mebibytes"] {
            assert!(size[key].as_f64().unwrap() > 0.0, "{key}: {size:#}");
        }
    }
    assert!(folder.list(".").is_empty(), "a quick run stores nothing unless asked");
}

#[test]
fn unknown_rows_are_named() {
    let folder = Folder::new("rows");
    folder.line("bench --only curtian").failed(2, &["--only", "curtian", "curtain_iteration"]);
    // A comma too many is not a wish for everything.
    folder.line("bench --only curtain_solve,").failed(2, &["--only", "curtain_iteration"]);
    folder.line("bench --quick --no-peers --rounds 0").failed(2, &["--rounds", "at least one"]);
}
