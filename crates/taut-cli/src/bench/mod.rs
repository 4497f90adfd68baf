//! `taut bench`: taut beside the solvers a user could pick instead, interleaved in one run, as ratios.
//!
//! | file | what |
//! |---|---|
//! | `rows`, `work` | what is measured and what shall be reached, as data |
//! | `measure` | the loop: contestants take turns |
//! | `case` | what is simulated; problem files for peers |
//! | `ours`, `peer` | taut's side; the programs of benches/peers |
//! | `elements` | other elements in the place of springs |
//! | `race`, `error`, `scale` | contestants of a row; time to an error; growth with size |
//! | `detection`, `contact` | continuous detection; trees and pairs, and what contact adds to a step |
//! | `edits` | what edits of a running simulation cost |
//! | `table`, `place` | for people; folders, machine and versions |

mod case;
mod contact;
mod detection;
mod edits;
mod elements;
mod error;
mod measure;
mod ours;
mod peer;
mod place;
mod race;
mod rows;
mod scale;
mod table;
mod work;

use crate::args::Bench;
use crate::{Stopped, print};
use case::{Case, Frame};
use detection::Fold;
use indicatif::{ProgressBar, ProgressDrawTarget};
use measure::{Outcome, Plan, interleave};
use place::Place;
use rows::{ROWS, Row, Subject, Work};
use serde_json::{Value, json};
use std::path::PathBuf;
use taut::Error;
use taut::run::files::make_folder;

/// What a whole run shares.
pub struct Session {
    place: Place,
    /// The peers' program, or why there is none.
    peers: Result<PathBuf, String>,
    /// The program for continuous detection, or why there is none.
    detector: Result<PathBuf, String>,
    quick: bool,
    plan: Plan,
    tell: Box<dyn Fn(String)>,
}

/// Iterations of a usual step of local/global, [Liu13] §5.
const ITERATIONS: usize = 10;

/// What a row found.
enum Found {
    /// `sizes` says how many of what.
    Race {
        sizes: Vec<(&'static str, usize)>,
        outcomes: Vec<Outcome>,
        quick: bool,
    },
    Sizes(Vec<Value>),
}

pub fn bench(args: &Bench) -> Result<(), Stopped> {
    if let Some(side) = args.one_size {
        return scale::one_size(side);
    }
    let rows = chosen(&args.only).map_err(Stopped::Input)?;
    let bar = ProgressBar::new_spinner();
    bar.set_draw_target(if args.json { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() });
    let session = Session::start(args, bar.clone()).map_err(Stopped::Input)?;
    let context = session.context();
    let out = args.out.clone().or_else(|| (!args.quick).then(|| session.place.results()));
    out.as_deref().map_or(Ok(()), make_folder).map_err(Stopped::Input)?;
    let say = |text: String| if args.json { Ok(()) } else { bar.suspend(|| print(&text)) };
    say(table::head(&context))?;
    let mut objects = Vec::new();
    for row in rows {
        let found = session.run(row).map_err(Stopped::Run)?;
        say(table::row(row, &found))?;
        objects.push(table::json(row, &found, false));
        if let Some(folder) = &out {
            let raw = json!({ "context": context, "row": table::json(row, &found, true) });
            let path = folder.join(format!("{}.json", row.name));
            case::store(&path, format!("{raw:#}\n").as_bytes()).map_err(Stopped::Run)?;
        }
    }
    bar.finish_and_clear();
    let folder = out.map(|f| f.display().to_string());
    if args.json {
        return print(&format!("{:#}\n", json!({ "context": context, "rows": objects, "folder": folder })));
    }
    folder.map_or(Ok(()), |f| print(&format!("\nraw results: {f}\n")))
}

/// The rows of those names, or whose names begin with one of the words; all if there are none.
fn chosen(only: &[String]) -> Result<Vec<&'static Row>, Error> {
    let names: Vec<&str> = ROWS.iter().map(|r| r.name).collect();
    let means = |word: &str, name: &str| {
        name == word || (!word.is_empty() && !names.contains(&word) && name.starts_with(word))
    };
    if let Some(word) = only.iter().find(|w| !names.iter().any(|name| means(w, name))) {
        return Err(Error::setting("--only", word, format!("rows are {}", names.join(", "))));
    }
    let wanted = |row: &&Row| only.is_empty() || only.iter().any(|w| means(w, row.name));
    Ok(ROWS.iter().filter(wanted).collect())
}

impl Session {
    /// Find the checkout and build the peers.
    fn start(args: &Bench, bar: ProgressBar) -> Result<Self, Error> {
        if args.rounds == Some(0) {
            return Err(Error::setting("--rounds", 0, "at least one is needed"));
        }
        let place = Place::find()?;
        let tell = Box::new(move |message| {
            bar.set_message(message);
            bar.tick();
        });
        tell("building the peers".to_string());
        let wanted = if args.no_peers { Err("left out by --no-peers".to_string()) } else { Ok(()) };
        let peers = wanted.clone().and_then(|()| peer::build(&place));
        let detector = wanted.map(|()| place.file("benches/peers/detect"));
        let (rounds, burst, limit) = if args.quick { (3, 0.002, 1.0) } else { (40, 0.02, 60.0) };
        let plan = Plan { rounds: args.rounds.unwrap_or(rounds), least: 1, burst, limit };
        Ok(Session { place, peers, detector, quick: args.quick, plan, tell })
    }

    /// What must be known for the results to mean something later.
    fn context(&self) -> Value {
        let mut context = self.place.context();
        context["quick"] = json!(self.quick);
        context["peers"] = json!(self.peers.as_ref().map_or_else(String::as_str, |_| "built"));
        context
    }

    fn run(&self, row: &Row) -> Result<Found, Error> {
        let tell = |message: String| (self.tell)(format!("{}: {message}", row.name));
        // A step of taut has more to do than its iterations: it is shared by as many as a usual step has.
        let least = if matches!(row.work, Work::Iteration(_) | Work::Threads(_) | Work::Elements(_)) {
            ITERATIONS
        } else {
            1
        };
        let run = |sizes, contestants| Found::Race {
            sizes,
            outcomes: interleave(contestants, Plan { least, ..self.plan }, tell),
            quick: self.quick,
        };
        let race = |case: &Case, contestants| {
            let sizes = vec![("particles", case.model.particles()), ("springs", case.model.springs.len())];
            run(sizes, contestants)
        };
        Ok(match row.work {
            Work::Iteration(subject) | Work::Solve(subject) | Work::Prefactor(subject) => {
                let case = self.subject(subject)?;
                race(&case, race::direct(row.work, row.contestants, &case, self)?)
            }
            Work::Elements(subject) => {
                let springs = self.subject(subject)?;
                let cases = row.contestants.iter().map(|word| elements::case(word, &springs));
                let cases = cases.collect::<Result<Vec<_>, _>>()?;
                race(&springs, elements::contestants(row.contestants, &cases, self)?)
            }
            Work::Error(stiffness, error) => {
                let (side, frames) = if self.quick { (21, 10) } else { (81, 20) };
                let frame = Frame::of(side, stiffness, frames, &self.place, tell)?;
                race(&frame.case, race::to_error(error, row.contestants, &frame, self)?)
            }
            Work::Threads(subject) => {
                let case = self.subject(subject)?;
                race(&case, race::on_threads(&case))
            }
            Work::Detection(kind) => {
                tell("looking for pairs".into());
                let fold = Fold::new(if self.quick { 21 } else { 81 })?;
                let sizes = vec![("particles", fold.particles()), ("pairs", fold.queries(kind).len())];
                run(sizes, detection::contestants(kind, row.contestants, &fold, self)?)
            }
            Work::Pairs { falling } => {
                let mut fold = Fold::new(if self.quick { 21 } else { 81 })?;
                if !falling {
                    fold = fold.at_rest();
                }
                run(vec![("particles", fold.particles())], contact::pairs(row.contestants, &fold, self)?)
            }
            Work::Contact(pose) => {
                let case = contact::case(pose, self, tell)?;
                let mut found = race(&case, contact::contestants(row.contestants, &case));
                contact::subtract(&mut found);
                found
            }
            Work::Edit(touch, subject) => {
                let case = self.subject(subject)?;
                race(&case, edits::contestants(touch, row.contestants, &case))
            }
            Work::Scale => Found::Sizes(scale::report(self)),
        })
    }

    fn subject(&self, subject: Subject) -> Result<Case, Error> {
        match subject {
            Subject::Curtain => Case::curtain(if self.quick { 21 } else { 81 }, 1000.0)?.moving(),
            Subject::Shuffled => Ok(self.subject(Subject::Curtain)?.shuffled()),
            Subject::Ball => Case::ball(if self.quick { 2000 } else { 28_390 })?.moving(),
            Subject::Cloths(count, side) => {
                Case::curtain(if self.quick { side.min(110) } else { side }, 1000.0)?.times(count).moving()
            }
            Subject::Dog => Case::builtin(if self.quick { "hippo" } else { "dog" })?.moving(),
        }
    }
}
