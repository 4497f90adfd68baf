//! Sweeps: one scene with other values for some keys, again and again, each case by itself on one thread.
//!
//! What becomes of a case is a line of a journal, appended and flushed when it ends, so that a sweep that is started again
//! runs what is missing only. A case that fails has a name for it ([`Status`]) and stops no other.
//!
//! ```
//! use taut::Scene;
//! use taut::sweep::{Status, Sweep, grid};
//!
//! # fn main() -> Result<(), taut::Error> {
//! # let folder = std::env::temp_dir().join(format!("taut_sweep_{}", std::process::id()));
//! let vary = "'body.0.stretch' = [100.0, -1.0]\n'method.name' = ['local_global', 'newton']";
//! let cases = grid(&vary.parse().expect("TOML"))?;
//! let sweep = Sweep::open(Scene::load("curtain21")?, cases, Some(2), &folder)?;
//! sweep.run(2, |outcome| println!("{} {}", outcome.index, outcome.status.name()))?;
//! let done = sweep.outcomes().into_iter().filter(|outcome| outcome.status == Status::Done);
//! assert_eq!((done.count(), sweep.missing().len()), (2, 0));
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(()) }
//! ```

mod journal;
mod plan;
mod vary;

pub use journal::{Outcome, Status};
pub use plan::Plan;
pub use vary::{Parameters, cases, grid};

use crate::kernel::Kernel;
use crate::measure::{fnv, hash};
use crate::run::{Summary, step_frame};
use crate::{Error, Scene, Simulation, Threads, clock};
use journal::Journal;
use serde_json::{Map, Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};

/// A scene, its cases, and what has become of them.
pub struct Sweep {
    scene: Scene,
    cases: Vec<Parameters>,
    keys: Vec<String>,
    journal: Journal,
    outcomes: Mutex<Vec<Option<Outcome>>>,
    /// Frames to make in each case, if not those of its scene.
    frames: Option<usize>,
    /// Time a case may take \[s\]: it is looked at between two steps.
    pub limit: Option<f64>,
    /// What was found in the journal that is worth saying.
    pub notes: Vec<String>,
}

/// A simulation that is done, and its numbers.
type Measured = (Simulation, Map<String, Value>);

/// A case that ran: what became of it, and the simulation where it ended if it is done.
pub type Ran = (Outcome, Option<Simulation>);

impl Sweep {
    /// Begin a sweep, or go on with the one in that folder. That of another sweep is refused, and one that is running.
    pub fn open(
        scene: Scene,
        cases: Vec<Parameters>,
        frames: Option<usize>,
        folder: &Path,
    ) -> Result<Self, Error> {
        if cases.is_empty() {
            return Err(Error::setting("vary", "nothing", "give at least one case"));
        }
        let keys: Vec<String> = cases.iter().map(|case| key(&scene, case, frames)).collect();
        let all = format!("{:016x}", fnv(keys.concat().bytes()));
        let (journal, found, notes) = Journal::open(folder, &all, &keys)?;
        let mut outcomes: Vec<Option<Outcome>> = keys.iter().map(|_| None).collect();
        for outcome in found {
            let place = outcome.index;
            outcomes[place] = Some(outcome);
        }
        let outcomes = Mutex::new(outcomes);
        Ok(Sweep { scene, cases, keys, journal, outcomes, frames, limit: None, notes })
    }

    /// Parameters of the cases.
    pub fn cases(&self) -> &[Parameters] {
        &self.cases
    }

    fn known(&self) -> MutexGuard<'_, Vec<Option<Outcome>>> {
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What has become of the cases that ended, by their numbers.
    pub fn outcomes(&self) -> Vec<Outcome> {
        self.known().iter().flatten().cloned().collect()
    }

    /// Cases that are to be run: those without a line, and those that might end otherwise next time.
    pub fn missing(&self) -> Vec<usize> {
        let again = |outcome: &Option<Outcome>| outcome.as_ref().is_none_or(|o| !o.status.is_final());
        (0..).zip(self.known().iter()).filter(|(_, o)| again(o)).map(|(index, _)| index).collect()
    }

    /// Run one case on this thread alone. `go_on` is asked between two steps; a case that it stops has no outcome.
    pub fn case(&self, index: usize, go_on: &dyn Fn() -> bool) -> Option<Ran> {
        let began = clock::seconds();
        let mut stopped = false;
        let result = catch_unwind(AssertUnwindSafe(|| self.frames_of(index, began, go_on, &mut stopped)));
        if stopped {
            return None;
        }
        let mut outcome = Outcome {
            index,
            parameters: vary::object(&self.cases[index]),
            key: self.keys[index].clone(),
            status: Status::Done,
            seconds: clock::seconds() - began,
            attempts: 1 + self.known()[index].as_ref().map_or(0, |before| before.attempts),
            host: host(),
            kernel: Kernel::detected().name().to_string(),
            hash: None,
            measures: Map::new(),
            error: None,
        };
        let mut fail = |status, error: String| (outcome.status, outcome.error) = (status, Some(error));
        let ended = match result {
            Err(_) => {
                fail(Status::Crashed, "the case ended in a defect of taut: please report it".into());
                None
            }
            Ok(Err(error)) => {
                let status = if error.divergence().is_some() { Status::Diverged } else { Status::Refused };
                fail(status, error.to_string());
                None
            }
            Ok(Ok(None)) => {
                let limit = self.limit.unwrap_or(f64::INFINITY);
                fail(Status::Timeout, format!("not done after {limit} s: allow more, or make less of it"));
                None
            }
            Ok(Ok(Some((simulation, measures)))) => {
                outcome.hash = Some(format!("{:016x}", hash(simulation.state())));
                outcome.measures = measures;
                Some(simulation)
            }
        };
        Some((outcome, ended))
    }

    /// The frames of a case; none if its time is up, or it was stopped.
    fn frames_of(
        &self,
        index: usize,
        began: f64,
        go_on: &dyn Fn() -> bool,
        stopped: &mut bool,
    ) -> Result<Option<Measured>, Error> {
        let changes: Vec<_> =
            self.cases[index].iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
        let scene = self.scene.replace(&changes)?;
        let frames = self.frames.unwrap_or(scene.frames);
        let mut simulation = scene.simulation()?;
        simulation.use_threads(Threads::alone());
        let mut summary = Summary::default();
        while summary.frames < frames {
            let whole = step_frame(&scene, &mut simulation, &mut summary, |_| {
                *stopped = !go_on();
                !*stopped && self.limit.is_none_or(|limit| clock::seconds() - began < limit)
            })?;
            summary.frames += 1;
            if *stopped || !whole || (summary.frames < frames && self.late(began)) {
                return Ok(None);
            }
        }
        let measures = measures(&summary.json(&scene, &simulation, &[]));
        Ok(Some((simulation, measures)))
    }

    fn late(&self, began: f64) -> bool {
        self.limit.is_some_and(|limit| clock::seconds() - began >= limit)
    }

    /// What became of a case: a line in the journal.
    pub fn record(&self, outcome: Outcome) -> Result<(), Error> {
        self.journal.append(&outcome)?;
        let place = outcome.index;
        self.known()[place] = Some(outcome);
        Ok(())
    }

    /// Run all that is missing, so many at once, and tell of each.
    pub fn run(&self, workers: usize, tell: impl FnMut(&Outcome)) -> Result<(), Error> {
        self.run_while(workers, tell, || true)
    }

    /// The same as long as somebody says so: cases that are under way then are left out.
    pub fn run_while(
        &self,
        workers: usize,
        mut tell: impl FnMut(&Outcome),
        go_on: impl Fn() -> bool + Sync,
    ) -> Result<(), Error> {
        let missing = self.missing();
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (send, receive) = mpsc::channel();
        let go_on = || go_on() && !failed.load(Ordering::Relaxed);
        let mut written = Ok(());
        std::thread::scope(|scope| {
            for _ in 0..workers.clamp(1, missing.len().max(1)) {
                let (send, missing, next, go_on) = (send.clone(), &missing, &next, &go_on);
                scope.spawn(move || {
                    while let Some(&index) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let Some((outcome, _)) = self.case(index, go_on) else { return };
                        _ = send.send(outcome);
                    }
                });
            }
            drop(send);
            for outcome in receive {
                tell(&outcome);
                if written.is_ok() {
                    written = self.record(outcome);
                    failed.store(written.is_err(), Ordering::Relaxed);
                }
            }
        });
        written
    }
}

/// What a case is told by: the scene's text, its parameters, the frames, the version and how the kernel rounds.
fn key(scene: &Scene, case: &Parameters, frames: Option<usize>) -> String {
    let class = u8::from(Kernel::detected().fused());
    let facts = json!([scene.text, vary::object(case), frames, env!("CARGO_PKG_VERSION"), class]);
    format!("{:016x}", fnv(facts.to_string().bytes()))
}

/// The numbers of a run that are the same whoever runs it.
fn measures(summary: &Value) -> Map<String, Value> {
    let names = ["particles", "springs", "steps", "iterations", "residual", "max_stretch", "p99_stretch"];
    let mut found: Map<String, Value> = names.iter().map(|&n| (n.to_string(), summary[n].clone())).collect();
    for name in ["kinetic", "elastic", "gravity"] {
        found.insert(format!("energy.{name}"), summary["energy"][name].clone());
    }
    found
}

fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_string()
}
