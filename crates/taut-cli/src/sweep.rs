//! `taut sweep`: one scene with other values, many times, one case on each core.

use crate::inspect::count;
use crate::run::progress_bar;
use crate::signals::Signals;
use crate::{Stopped, print};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use taut::Threads;
use taut::sweep::{self, Plan, Status};

#[derive(Args)]
#[command(after_help = "Examples:
  taut sweep stiffness.toml               every case of the file, with a journal to go on from
  taut sweep stiffness.toml --json        how many ended how, as one JSON object

A sweep names a scene and what varies in it:
  scene = \"curtain21\"
  frames = 30
  [vary]
  \"body.0.stretch\" = { from = 10.0, to = 1000.0, count = 5, spacing = \"log\" }
  \"method.name\" = [\"local_global\", \"newton\"]

Started again it runs what is missing. The exit code is 1 if a case is not done; the others are.")]
pub struct Sweep {
    /// A file in TOML that says what varies
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Cases to run at once [default: one on each core]; results do not depend on it
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// Folder for the journal [default: the file's, or sweep]
    #[arg(long, short, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Print one JSON object on standard output and nothing else
    #[arg(long)]
    pub json: bool,
    /// No progress bar, no notes and no summary; only errors are printed
    #[arg(long, short)]
    pub quiet: bool,
}

pub fn sweep(args: &Sweep) -> Result<(), Stopped> {
    let plan = Plan::load(&args.file).map_err(Stopped::Input)?;
    let folder = args.out.clone().unwrap_or(plan.out);
    let workers = match args.threads {
        Some(threads) => {
            Threads::own(threads).map_err(|e| crate::run::as_option(e, "")).map_err(Stopped::Input)?.count()
        }
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let mut sweep =
        sweep::Sweep::open(plan.scene, plan.cases, plan.frames, &folder).map_err(Stopped::Input)?;
    sweep.limit = plan.limit;
    let quiet = args.quiet || args.json;
    let before = sweep.cases().len() - sweep.missing().len();
    if !quiet {
        sweep.notes.iter().for_each(|note| say!("note: {note}"));
        if before > 0 {
            say!("note: {} of {} were there already", before, count(sweep.cases().len(), "case", "cases"));
        }
    }
    let signals = Signals::listen();
    let bar = progress_bar(quiet, sweep.missing().len(), "cases");
    let done = sweep.run_while(workers, |_| bar.inc(1), || signals.seen().is_none());
    bar.finish_and_clear();
    done.map_err(Stopped::Run)?;
    let outcomes = sweep.outcomes();
    let numbers = Status::ALL.map(|status| (status, outcomes.iter().filter(|o| o.status == status).count()));
    if args.json {
        let numbers = numbers.iter().map(|(status, n)| (status.name().to_string(), json!(n)));
        let statuses: serde_json::Map<_, _> = numbers.collect();
        let object = json!({ "cases": sweep.cases().len(), "statuses": statuses,
            "journal": folder.join("results.jsonl").to_string_lossy() });
        print(&format!("{object:#}\n"))?;
    } else if !args.quiet {
        let words: Vec<String> = numbers
            .iter()
            .filter(|(_, n)| *n > 0)
            .map(|(status, n)| format!("{n} {}", status.name()))
            .collect();
        say!("{}: {}", count(sweep.cases().len(), "case", "cases"), words.join(", "));
        say!("  wrote {}", folder.join("results.jsonl").display());
    }
    if let Some(code) = signals.seen() {
        return Err(Stopped::Signal(code));
    }
    match outcomes.iter().find(|outcome| outcome.status != Status::Done) {
        Some(first) => Err(Stopped::Told(format!(
            "not all cases are done; the first is case {}, {}: {}",
            first.index,
            first.status.name(),
            first.error.as_deref().unwrap_or_default()
        ))),
        None => Ok(()),
    }
}
