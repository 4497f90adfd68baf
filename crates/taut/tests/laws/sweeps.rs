//! Sweeps: every case by itself, the same whoever runs it and however often it is interrupted; failures have names.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use taut::sweep::{Parameters, Status, Sweep, cases, grid};
use taut::{Error, Scene, measure};

/// A folder of one's own, gone with this.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("taut_{name}_{}", std::process::id()));
        _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    fn journal(&self) -> PathBuf {
        self.0.join("results.jsonl")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

fn table(text: &str) -> taut::scene::Table {
    text.parse().unwrap()
}

fn open(folder: &Folder, cases: &[Parameters]) -> Result<Sweep, Error> {
    Sweep::open(Scene::load("curtain21").unwrap(), cases.to_vec(), Some(3), &folder.0)
}

fn twelve() -> Vec<Parameters> {
    let stretch = "{ from = 100.0, to = 1600.0, count = 3, spacing = 'log' }";
    grid(&table(&format!(
        "'body.0.stretch' = {stretch}\n'method.name' = ['local_global', 'newton']\n'method.iterations' = [3, 9]"
    )))
    .unwrap()
}

/// Everything but who took how long, by number.
fn results(sweep: &Sweep) -> Vec<(usize, Status, Option<String>, String)> {
    let mut all: Vec<_> = sweep
        .outcomes()
        .into_iter()
        .map(|o| (o.index, o.status, o.hash.clone(), serde_json::to_string(&o.measures).unwrap()))
        .collect();
    all.sort();
    all
}

#[test]
fn grids_have_every_combination() {
    let cases = twelve();
    assert_eq!(cases.len(), 12);
    let stretch: Vec<f64> = cases.iter().step_by(4).map(|case| case[0].1.as_float().unwrap()).collect();
    assert_eq!((stretch[0], stretch[2]), (100.0, 1600.0));
    assert!((stretch[1] - 400.0).abs() < 1e-9);
    assert_eq!(
        cases[2][1].1.as_integer(),
        Some(9),
        "keys are in order of the alphabet, the last is the fastest"
    );
    for (text, words) in [
        ("a = 3", "vary.a = a value: must be a list"),
        ("a = []", "give at least one value"),
        ("a = { from = 1.0, to = 2.0 }", "must be a list, or { from"),
        ("a = { from = 0.0, to = 2.0, count = 3, spacing = 'log' }", "must be positive for logarithms"),
        ("a = { from = 1.0, too = 2.0, count = 3 }", "vary.a = too"),
        ("a = { from = 1.0, to = 2.0, count = 2000, spacing = 'odd' }", "must be \"even\" or \"log\""),
    ] {
        let message = grid(&table(text)).unwrap_err().to_string();
        assert!(message.contains(words), "{text}: {message}");
    }
}

/// One hash per case, on any number of threads, and that of a run by itself.
#[test]
fn cases_are_the_same_on_any_threads() {
    let folders = [Folder::new("sweep_1"), Folder::new("sweep_3")];
    let mut found = Vec::new();
    for (folder, workers) in folders.iter().zip([1, 3]) {
        let sweep = open(folder, &twelve()).unwrap();
        let told = AtomicUsize::new(0);
        sweep.run(workers, |_| _ = told.fetch_add(1, Ordering::Relaxed)).unwrap();
        assert_eq!((told.load(Ordering::Relaxed), sweep.missing().len()), (12, 0));
        found.push(results(&sweep));
    }
    assert_eq!(found[0], found[1]);
    assert!(found[0].iter().all(|(_, status, ..)| *status == Status::Done));
    let own: Vec<(&str, _)> = vec![("body.0.stretch", 100.0.into()), ("method.iterations", 3.into())];
    let scene = Scene::load("curtain21").unwrap().replace(&own).unwrap();
    let mut simulation = scene.simulation().unwrap();
    crate::common::take(&mut simulation, 3);
    assert_eq!(found[0][0].2, Some(format!("{:016x}", measure::hash(simulation.state()))));
}

/// Interrupted anywhere, torn anywhere: started again it ends with the same table.
#[test]
fn what_is_there_is_not_run_again() {
    let whole = Folder::new("sweep_whole");
    let sweep = open(&whole, &twelve()).unwrap();
    sweep.run(2, |_| ()).unwrap();
    let expected = results(&sweep);
    drop(sweep);
    let bytes = fs::read(whole.journal()).unwrap();
    for part in 1..10 {
        let torn = Folder::new(&format!("sweep_torn_{part}"));
        fs::create_dir_all(&torn.0).unwrap();
        fs::write(torn.journal(), &bytes[..bytes.len() * part / 10]).unwrap();
        let sweep = open(&torn, &twelve()).unwrap();
        let kept = sweep.outcomes().len();
        assert_eq!(sweep.missing().len(), 12 - kept);
        assert!(sweep.notes.len() <= 1);
        let mut ran = 0;
        sweep.run(2, |_| ran += 1).unwrap();
        assert_eq!((ran, results(&sweep)), (12 - kept, expected.clone()));
    }
    // Stopped after the fourth.
    let stopped = Folder::new("sweep_stopped");
    let sweep = open(&stopped, &twelve()).unwrap();
    let ended = AtomicUsize::new(0);
    let go_on = || ended.load(Ordering::Relaxed) < 4;
    sweep.run_while(1, |_| _ = ended.fetch_add(1, Ordering::Relaxed), go_on).unwrap();
    assert!((4..12).contains(&sweep.outcomes().len()));
    drop(sweep);
    let sweep = open(&stopped, &twelve()).unwrap();
    sweep.run(2, |_| ()).unwrap();
    assert_eq!(results(&sweep), expected);
}

#[test]
fn failures_have_names_and_stop_no_other() {
    let folder = Folder::new("sweep_failures");
    let text = |text: &str| table(text);
    let list = cases(&[
        text("'body.0.stretch' = 500.0"),
        text("'body.0.stretch' = -1.0"),
        text("method = { name = 'forward_euler' }\n'body.0.stretch' = 1e9"),
        text("duration = 1e5\n'method.name' = 'newton'"),
        text("'body.0.bend' = 5.0"),
    ]);
    let mut sweep =
        Sweep::open(Scene::load("curtain21").unwrap(), list.clone(), Some(60), &folder.0).unwrap();
    sweep.limit = Some(20.0);
    sweep.run(2, |_| ()).unwrap();
    let found: Vec<_> = results(&sweep).into_iter().map(|(_, status, ..)| status).collect();
    use Status::{Diverged, Done, Refused};
    assert_eq!(found, [Done, Refused, Diverged, Done, Done]);
    let errors: Vec<_> = sweep.outcomes().into_iter().filter_map(|o| o.error.clone()).collect();
    assert!(errors[0].contains("body.0.stretch = -1"), "{errors:?}");
    drop(sweep);
    // Not enough time: it is tried again when there is more.
    let slow = Folder::new("sweep_slow");
    let mut sweep =
        Sweep::open(Scene::load("curtain21").unwrap(), list[..1].to_vec(), None, &slow.0).unwrap();
    sweep.limit = Some(1e-9);
    sweep.run(1, |_| ()).unwrap();
    assert_eq!(results(&sweep)[0].1, Status::Timeout);
    sweep.limit = None;
    sweep.run(1, |_| ()).unwrap();
    let last = &sweep.outcomes()[0];
    assert_eq!((last.status, last.attempts), (Status::Done, 2));
}

#[test]
fn the_folder_of_another_sweep_is_refused() {
    let folder = Folder::new("sweep_other");
    let sweep = open(&folder, &twelve()).unwrap();
    let message = open(&folder, &twelve()).err().unwrap().to_string();
    assert!(message.contains("another run is writing this result"), "{message}");
    sweep.run(2, |_| ()).unwrap();
    drop(sweep);
    let message = open(&folder, &twelve()[1..]).err().unwrap().to_string();
    assert!(message.contains("results.jsonl:1: this is the journal of another sweep"), "{message}");
    let text = fs::read_to_string(folder.journal()).unwrap();
    fs::write(folder.journal(), text.replacen("\"key\":\"", "\"key\":\"0", 1)).unwrap();
    let message = open(&folder, &twelve()).err().unwrap().to_string();
    assert!(message.contains("results.jsonl:2: this line is of no case"), "{message}");
    let message = Sweep::open(Scene::load("curtain21").unwrap(), Vec::new(), None, &folder.0).err().unwrap();
    assert!(message.to_string().contains("give at least one case"));
}
