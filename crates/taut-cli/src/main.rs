//! The `taut` command: read the arguments, do what they say, answer with an exit code.
//!
//! 0: done. 1: the simulation could not be finished (what was finished is kept). 2: bad input, nothing done.
//! 130, 143: interrupted by Ctrl-C or a termination signal, finished frames kept.

mod args;
mod convert;
mod files;
mod inspect;
mod output;
mod run;
mod settle;
mod signals;
mod summary;

use args::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

/// Why a command ended early.
enum Stopped {
    /// Bad input: nothing was done.
    Input(taut::Error),
    /// The run could not go on; what was finished is kept.
    Run(taut::Error),
    /// A signal; the exit code says which.
    Signal(u8),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Run(run) => run::run(&run),
        Command::Settle(settle) => settle::settle(&settle),
        Command::Scenes => inspect::scenes(),
        Command::Check { scene, json } => inspect::check(&scene, json),
        Command::Convert { input, output } => convert::convert(&input, &output),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Stopped::Signal(code)) => ExitCode::from(code),
        Err(Stopped::Run(error)) => complain(&error, 1),
        Err(Stopped::Input(error)) => complain(&error, 2),
    }
}

fn complain(error: &taut::Error, code: u8) -> ExitCode {
    eprintln!("taut: {error}");
    ExitCode::from(code)
}
