//! Continuous detection against exact arithmetic, on generated queries and on labelled ones from files.
//!
//! ```sh
//! cargo run --release -p taut --example certify_ccd -- 100000 ../shared/data/ccd benches/peers/detect
//! ```
//!
//! Folder and program are optional. Below the folder lie `…/vertex-face/*.csv` and `…/edge-edge/*.csv`: eight rows a
//! query, the four points at the start and at the end, each coordinate a numerator and a denominator, then 1 if they
//! touch. The program is asked what the methods of ipc-toolkit make of the same files.
//! Ends with an error if anything was missed, late, or not the same at another scale.

#[allow(dead_code)]
#[path = "../tests/laws/common.rs"]
mod common;
#[path = "../tests/laws/ccd/exact.rs"]
mod exact;
#[path = "../tests/laws/ccd/judge.rs"]
mod judge;
#[path = "../tests/laws/ccd/oracle.rs"]
mod oracle;
#[path = "../tests/laws/ccd/queries.rs"]
mod queries;

use exact::Root;
use glam::DVec3;
use judge::Tally;
use queries::Query;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;
use taut::geometry::{Kind, Tolerance, first_touch};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let count = arguments.first().map_or(10_000, |n| n.parse().expect("how many queries to generate"));
    let mut sets = Vec::new();
    for (family, name) in queries::FAMILIES.iter().enumerate() {
        let indices = (0..count).filter(|i| i % queries::FAMILIES.len() as u64 == family as u64);
        sets.push((name.to_string(), labelled(indices.map(queries::generate))));
    }
    if let Some(folder) = arguments.get(1) {
        let mut files = Vec::new();
        tables(Path::new(folder), &mut files);
        let mut read = Vec::new();
        for file in files {
            for (query, label) in queries_of(&file) {
                let contact = oracle::first_contact(query.kind, &query.start, &query.end);
                assert_eq!(contact.is_some(), label, "the label in {} differs: {query:?}", file.display());
                read.push((query, contact));
            }
        }
        sets.push((folder.clone(), read));
    }
    let mut sound = true;
    for (relative, rounds) in [(1e-6, 64), (1e-13, 200)] {
        println!("tolerance {relative:e}, {rounds} rounds");
        println!("{}", Tally::TITLE);
        let tolerance = Tolerance { relative, rounds };
        let mut all = Tally::default();
        for (name, set) in &sets {
            let mut tally = Tally::default();
            for (query, contact) in set {
                tally.judge(query, contact.as_ref(), tolerance);
            }
            println!("{} {:6.0} ns  {name}", tally.row(), nanoseconds(set, tolerance));
            sound &= tally.is_sound();
            all.add(&tally);
        }
        println!("{}            all", all.row());
    }
    if let [_, folder, program] = &arguments[..] {
        for name in ["tight_inclusion", "additive"] {
            let answer =
                Command::new(program).args([name, "--labels", folder]).output().expect("the program");
            println!("{name}: {}", String::from_utf8_lossy(&answer.stdout).trim());
        }
    }
    if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn labelled(queries: impl Iterator<Item = Query>) -> Vec<(Query, Option<Root>)> {
    queries.map(|q| (q, oracle::first_contact(q.kind, &q.start, &q.end))).collect()
}

/// Mean time of a query. In short bursts, the best of five each: on a busy machine most are not interrupted.
fn nanoseconds(set: &[(Query, Option<Root>)], tolerance: Tolerance) -> f64 {
    let queries: Vec<Query> = set.iter().map(|(query, _)| *query).collect();
    let burst = |queries: &[Query]| {
        let start = Instant::now();
        for q in queries {
            std::hint::black_box(first_touch(q.kind, &q.start, &q.end, 0.0, tolerance));
        }
        start.elapsed().as_secs_f64()
    };
    let best = |queries: &[Query]| (0..5).map(|_| burst(queries)).fold(f64::INFINITY, f64::min);
    1e9 * queries.chunks(100).map(best).sum::<f64>() / queries.len() as f64
}

fn tables(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            tables(&entry, found);
        } else if entry.extension().is_some_and(|e| e == "csv") {
            found.push(entry);
        }
    }
}

fn queries_of(file: &Path) -> Vec<(Query, bool)> {
    let faces = file.components().any(|c| c.as_os_str() == "vertex-face");
    let kind = if faces { Kind::VertexFace } else { Kind::EdgeEdge };
    let text = std::fs::read_to_string(file).expect("a table");
    let rows: Vec<Vec<f64>> =
        text.lines().map(|l| l.split(',').map(|n| n.trim().parse().expect("a number")).collect()).collect();
    let point = |row: &Vec<f64>| DVec3::new(row[0] / row[1], row[2] / row[3], row[4] / row[5]);
    let query = |rows: &[Vec<f64>]| Query {
        kind,
        start: std::array::from_fn(|i| point(&rows[i])),
        end: std::array::from_fn(|i| point(&rows[i + 4])),
    };
    rows.chunks_exact(8).map(|rows| (query(rows), rows[0][6] == 1.0)).collect()
}
