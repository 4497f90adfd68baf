//! `--json` is one object with known keys, the same at any number of threads; `--quiet` is silent.

use crate::common::Folder;
use serde_json::Value;

/// A key, and whether a value is what it should hold.
type Key = (&'static str, fn(&Value) -> bool);

/// Every key, in order.
const KEYS: [Key; 33] = [
    ("scene", Value::is_string),
    ("scene_hash", is_hash),
    ("version", Value::is_string),
    ("method", Value::is_string),
    ("scheme", Value::is_string),
    ("particles", Value::is_u64),
    ("springs", Value::is_u64),
    ("triangles", Value::is_u64),
    ("tets", Value::is_u64),
    ("frames", Value::is_u64),
    ("threads", Value::is_u64),
    ("kernel", Value::is_string),
    ("steps", Value::is_u64),
    ("iterations", Value::is_u64),
    ("newton_steps", Value::is_u64),
    ("linear_iterations", Value::is_u64),
    ("indefinite", Value::is_u64),
    ("rows_multiplied", Value::is_u64),
    ("components", Value::is_number),
    ("explicit_springs", Value::is_number),
    ("seconds", |v| numbers(v, &["total", "prefactor", "script", "integrate", "limit", "collide", "output"])),
    ("residual", Value::is_f64),
    ("max_stretch", Value::is_f64),
    ("p99_stretch", Value::is_f64),
    ("energy", |v| numbers(v, &["kinetic", "elastic", "gravity"])),
    ("momentum", |v| v.as_array().is_some_and(|a| a.len() == 3 && a.iter().all(Value::is_f64))),
    ("non_finite", Value::is_u64),
    ("diverged", Value::is_boolean),
    ("hash", is_hash),
    ("files", Value::is_array),
    ("notes", Value::is_array),
    ("warnings", Value::is_array),
    ("relative_error", |v| v.as_array().is_some_and(|a| a.iter().all(Value::is_f64))),
];

fn is_hash(value: &Value) -> bool {
    let hexadecimal = |s: &str| s.len() == 16 && u64::from_str_radix(s, 16).is_ok();
    value.as_str().is_some_and(hexadecimal)
}

fn numbers(value: &Value, keys: &[&str]) -> bool {
    let found = value.as_object().map(|o| o.iter().all(|(_, v)| v.is_f64()) && o.len() == keys.len());
    found == Some(true) && keys.iter().all(|k| value.get(k).is_some())
}

#[test]
fn the_object_has_the_promised_keys_and_nothing_else_is_printed() {
    let folder = Folder::new("json");
    let answer = folder.line("run curtain21 --frames 3 --exact --json --format none").fine();
    assert_eq!(answer.err, "");
    let object = answer.json();
    let found: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(found, KEYS.map(|k| k.0));
    for (key, right) in KEYS {
        assert!(right(&object[key]), "{key}: {}", object[key]);
    }
    assert_eq!(object["relative_error"].as_array().unwrap().len(), 3, "one per frame");
    assert_eq!((&object["particles"], &object["springs"]), (&441.into(), &2038.into()));
    assert_eq!((&object["frames"], &object["iterations"]), (&3.into(), &30.into()));
    assert_eq!(object["files"], Value::Array(vec![]));
    let plain = folder.line("run curtain21 --frames 3 --json --format none").fine().json();
    assert!(plain.get("relative_error").is_none());
    assert_eq!(plain["hash"], object["hash"], "measuring the error must not change the motion");
    assert!(folder.list(".").is_empty(), "--format none writes nothing");
}

/// A cloth let go with a velocity: what is printed is what the library measures after the same steps.
#[test]
fn the_numbers_are_those_of_the_final_state() {
    let folder = Folder::new("numbers");
    let text = "[method]\nname = \"local_global\"\n[[body]]\nperturbation = 1e-2\nvelocity = [1.0, 2.0, 3.0]\n\
                grid = { columns = 9, rows = 9, width = 1.0, height = 1.0 }\n";
    folder.write("thrown.toml", text);
    let object = folder.line("run thrown.toml --frames 5 --json --format none").fine().json();
    let mut simulation = taut::Scene::parse("thrown", text, None).unwrap().simulation().unwrap();
    for _ in 0..5 {
        simulation.step().unwrap();
    }
    let (model, state) = (simulation.model(), simulation.state());
    let number = |keys: [&str; 2]| object[keys[0]][keys[1]].as_f64().unwrap();
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs();
    let energy = simulation.energy();
    assert!(close(number(["energy", "kinetic"]), energy.kinetic), "{object}");
    assert!(close(number(["energy", "elastic"]), energy.elastic), "{object}");
    assert!(close(number(["energy", "gravity"]), energy.gravity), "{object}");
    let momentum: Vec<f64> =
        object["momentum"].as_array().unwrap().iter().map(|m| m.as_f64().unwrap()).collect();
    // One kilogram, falling for 5/30 s.
    for (found, expected) in momentum.iter().zip([1.0, 2.0 - 9.81 * 5.0 / 30.0, 3.0]) {
        assert!((found - expected).abs() < 1e-9, "{momentum:?}");
    }
    let lengths =
        |s: &taut::Spring| state.positions[s.ab().0].distance(state.positions[s.ab().1]) / s.rest_length;
    let mut stretch: Vec<f64> = model.springs.iter().map(lengths).collect();
    stretch.sort_by(f64::total_cmp);
    let [most, p99] = ["max_stretch", "p99_stretch"].map(|key| object[key].as_f64().unwrap());
    assert!(close(most, *stretch.last().unwrap()), "{most}");
    let above = stretch.iter().filter(|&&s| s > p99).count() as f64 / stretch.len() as f64;
    assert!((0.005..=0.015).contains(&above), "{above} of the springs are longer than {p99}");
    assert_eq!(object["hash"], format!("{:016x}", taut::measure::hash(state)));
    let stages = ["prefactor", "script", "integrate", "limit", "collide", "output"];
    let sum: f64 = stages.iter().map(|stage| number(["seconds", stage])).sum();
    assert!(number(["seconds", "prefactor"]) > 0.0 && sum <= number(["seconds", "total"]), "{object}");
}

#[test]
fn errors_are_one_per_frame_whatever_its_steps() {
    let folder = Folder::new("steps");
    folder.write(
        "steps.toml",
        "time_step = 0.01\n[method]\niterations = 10\n[[body]]\n\
         grid = { columns = 5, rows = 5, width = 1.0, height = 1.0 }\n[[pin]]\nat = [\"top\"]\n",
    );
    let steps = folder.line("run steps.toml --frames 3 --exact --json --format none").fine().json();
    assert_eq!(steps["iterations"], 3 * 4 * 10, "four steps a frame");
    assert_eq!(steps["relative_error"].as_array().unwrap().len(), 3, "one per frame, not per step");
}

/// What an energy budget could not give back, all steps together; nothing is said where there is no budget.
#[test]
fn missing_energy_is_told() {
    let folder = Folder::new("budget");
    let text = |conserve: &str| {
        format!(
            "[method]\nname = \"newton\"\n[damping]\nconserve = {conserve}\n[[body]]\nperturbation = 5e-2\n\
             grid = {{ columns = 7, rows = 7, width = 1.0, height = 1.0 }}\n"
        )
    };
    folder.write("all.toml", &text("1.0"));
    folder.write("none.toml", &text("0.0"));
    let object = folder.line("run all.toml --frames 4 --json --format none").fine().json();
    let told = object["missing_energy"].as_f64().unwrap();
    let mut simulation = taut::Scene::parse("all", &text("1.0"), None).unwrap().simulation().unwrap();
    let missing: f64 = (0..4).map(|_| simulation.step().unwrap().missing_energy.unwrap()).sum();
    assert!(missing > 1.0 && (told / missing - 1.0).abs() <= 1e-12, "{told} {missing} J");
    let said = format!("{missing:.3e} J could not be given back");
    assert!(folder.line("run all.toml --frames 4 --format none").fine().err.contains(&said), "{said}");
    let without = folder.line("run none.toml --frames 4 --json --format none").fine().json();
    assert!(without.get("missing_energy").is_none());
    assert!(!folder.line("run none.toml --frames 4 --format none").fine().err.contains("given back"));
}

#[test]
fn the_guide_lists_every_key() {
    let text = std::fs::read_to_string(crate::common::root().join("docs/formats.md")).unwrap();
    let section = text.split("## The JSON object").nth(1).expect("a section on the JSON object");
    let section = section.split("\n## ").next().unwrap();
    let listed: Vec<&str> =
        section.lines().filter_map(|l| l.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(listed, KEYS.map(|k| k.0));
}

#[test]
fn results_do_not_depend_on_threads() {
    let folder = Folder::new("threads");
    for method in ["local_global", "hybrid"] {
        let hash = |threads: u64| {
            let line = format!(
                "run curtain21 --frames 3 --json --format none --method {method} --threads {threads}"
            );
            let object = folder.line(&line).fine().json();
            assert_eq!(object["threads"], threads);
            object["hash"].clone()
        };
        let one = hash(1);
        assert!(hash(2) == one && hash(3) == one, "{method}");
    }
}

#[test]
fn quiet_prints_nothing() {
    let folder = Folder::with_shirt("quiet");
    folder.write("soup.toml", "[[body]]\nmesh = { file = \"shirt.stl\" }\n");
    let loud = folder.line("run soup.toml --frames 2 --format obj").fine();
    assert!(loud.err.contains("note: ") && loud.err.contains("wrote 3 files"), "{loud:?}");
    let quiet = folder.line("run soup.toml --frames 2 --format obj --quiet").fine();
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("", ""));
}

#[test]
fn a_check_is_one_object_too() {
    let folder = Folder::new("check");
    let object = folder.line("check curtain21 --json").fine().json();
    assert_eq!(object["findings"], Value::Array(vec![]));
    assert!(object["omega_max"].as_f64().unwrap() > 100.0, "{object}");
    folder.write("cm.toml", "[[body]]\ngrid = { columns = 5, rows = 5, width = 100.0, height = 100.0 }\n");
    let object = folder.line("check cm.toml --json").fine().json();
    assert!(object["findings"][0]["remedy"].as_str().unwrap().contains("scale = 0.01"), "{object}");
}

/// What is noticed while a scene is read is in the objects too.
#[test]
fn notes_are_in_every_object() {
    let folder = Folder::new("notes");
    let body = "[[body]]\nsolid = { animal = \"hippo\", particles = 200 }\nelements = false\n[[pin]]\nindices = [0]\n";
    folder.write("long.toml", &format!("duration = 0.1\ntime_step = 0.2\n{body}"));
    for line in
        ["check long.toml", "run long.toml --format none", "settle long.toml --format none --rest 1e9"]
    {
        let object = folder.line(&format!("{line} --json")).fine().json();
        let notes: Vec<&str> = object["notes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(notes.iter().any(|note| note.contains("longer than a frame")), "{line}: {notes:?}");
    }
}

/// A run says what `check` warns of: once, to people or in the object.
#[test]
fn a_run_has_the_warnings_of_check() {
    let folder = Folder::new("warnings");
    folder.write("cm.toml", "[[body]]\ngrid = { columns = 5, rows = 5, width = 100.0, height = 100.0 }\n");
    let mut found = folder.line("check cm.toml --json").fine().json()["findings"].clone();
    found.as_array_mut().unwrap().retain(|f| f["severity"] != "note");
    let count = found.as_array().unwrap().len();
    assert!(count > 0, "{found}");
    let run = |options: &str| folder.line(&format!("run cm.toml --frames 1 --format none {options}")).fine();
    assert_eq!(run("--json").json()["warnings"], found);
    let (told, what) = (run("").err, found[0]["what"].as_str().unwrap());
    assert_eq!((told.matches("warning: ").count(), told.matches(what).count()), (count, 1), "{told}");
    assert_eq!(run("--quiet").err, "");
    assert_eq!(run("--json").err, "");
    // A shorter run than the scene's is no reason to warn of its events.
    let object = folder.line("run tablecloth --frames 1 --format none --json").fine().json();
    assert_eq!(object["warnings"], Value::Array(vec![]));
}
