//! The `taut` command: read the arguments, do what they say, answer with an exit code.
//!
//! 0: done. 1: the simulation could not be finished (what was finished is kept). 2: bad input, nothing done.
//! 130, 143: interrupted by Ctrl-C or a termination signal, finished frames kept.

// These panic where nothing can be written: `say!` and `print` do not.
#![deny(clippy::print_stderr, clippy::print_stdout)]

/// A line on standard error. That nobody can read it (a full disk, a closed pipe) is no reason to stop.
macro_rules! say {
    ($($words:tt)*) => {{
        let line = format!($($words)*) + "\n";
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
    }};
}

mod args;
mod bench;
mod compare;
mod convert;
mod help;
mod inspect;
mod output;
mod plot;
mod resume;
mod run;
mod settle;
mod signals;
mod summary;
mod sweep;
mod verify;
mod view;

use args::{Arguments, Command, SceneName};
use clap::Parser;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use taut::Error;

/// Why a command ended early.
enum Stopped {
    /// Bad input: nothing was done.
    Input(Error),
    /// The run could not go on; what was finished is kept.
    Run(Error),
    /// The same, where the story is longer than an error of the library.
    Told(String),
    /// A signal; the exit code says which.
    Signal(u8),
}

fn main() -> ExitCode {
    signals::survive_limits();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&error),
    };
    let outcome = match arguments.command {
        Command::Run(run) => run::run(&run),
        Command::Compare(compare) => compare::compare(&compare),
        Command::Settle(settle) => settle::settle(&settle),
        Command::Scenes => inspect::scenes(),
        Command::Check { scene, json } => inspect::check(&scene, json),
        Command::Completions { shell } => help::completions(shell),
        Command::Man { command } => help::man(command.as_deref()),
        Command::View(args) => view::view(&args),
        Command::Verify(args) => verify::verify(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Bench(args) => bench::bench(&args),
        Command::Convert { input, output, allow_outside } => {
            convert::convert(SceneName { name: input, allow_outside }, &output)
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Stopped::Signal(code)) => ExitCode::from(code),
        Err(Stopped::Told(story)) => complain(&story, 1),
        Err(Stopped::Run(error)) => complain(&error.to_string(), 1),
        Err(Stopped::Input(error)) => complain(&error.to_string(), 2),
    }
}

fn complain(problem: &str, code: u8) -> ExitCode {
    say!("taut: {problem}");
    ExitCode::from(code)
}

/// Words of the number parsers, and ours.
const WORDS: [(&str, &str); 4] = [
    ("invalid digit found in string", "must be a whole number, 0 or more"),
    ("number too large to fit in target type", "must be a smaller number"),
    ("invalid float literal", "must be a number"),
    ("cannot parse float from empty string", "must be a number"),
];

/// What cannot be understood is answered in one line, like every other mistake; help is printed as it is.
fn refuse(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand as Nothing;
    if !error.use_stderr() || error.kind() == Nothing {
        let _ = error.print(); // nobody is reading if this fails
        return ExitCode::from(error.exit_code() as u8);
    }
    let text = error.render().to_string();
    let wanted = text.lines().map(str::trim).take_while(|l| !l.starts_with("Usage:"));
    let wanted: Vec<&str> = wanted.filter(|l| !l.is_empty() && !l.starts_with("For more")).collect();
    let line = wanted.join(" ").replace(" tip: ", "; ");
    let line = WORDS.iter().fold(line, |line, (theirs, ours)| line.replace(theirs, ours));
    complain(&format!("{} (see --help)", line.trim_start_matches("error: ")), 2)
}

/// Print on standard output. A reader that has seen enough (`taut scenes | head -1`) is no trouble.
fn print(text: &str) -> Result<(), Stopped> {
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Stopped::Run(Error::file(
            "standard output",
            None,
            e,
            "check the pipe or file that it is sent to",
        ))),
        _ => Ok(()),
    }
}
