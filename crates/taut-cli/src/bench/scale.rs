//! How cost grows with size: cloths from 21 × 21 to 1000 × 1000, each in a process of its own, so that its largest
//! resident memory is its own, and under a limit of 8 GiB of address space, so that it proves to fit.

use super::Session;
use super::case::Case;
use super::ours::{Stepper, free, matrix, threads};
use super::place::peak_memory;
use crate::{Stopped, print};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use taut::linear::{Factor, Precision, Sequence, Symbolic};
use taut::{Method, Stop};

const SIDES: &[usize] = &[21, 41, 81, 161, 300, 600, 1000];
const QUICK_SIDES: &[usize] = &[21, 41];
/// Address space of one size \[GiB\].
pub const LIMIT: u64 = 8;
const ITERATIONS: usize = 10;

/// Every size, one at a time, as objects.
pub fn report(session: &Session) -> Vec<Value> {
    let sides = if session.quick { QUICK_SIDES } else { SIDES };
    let one = |&side: &usize| {
        (session.tell)(format!("{side} x {side} particles"));
        child(side).unwrap_or_else(|failed| json!({ "side": side, "failed": failed }))
    };
    sides.iter().map(one).collect()
}

fn child(side: usize) -> Result<Value, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(program);
    command.args(["bench", "--one-size", &side.to_string()]).stdin(Stdio::null());
    let output = command.output().map_err(|e| e.to_string())?;
    let error = String::from_utf8_lossy(&output.stderr);
    let last = error.lines().last().unwrap_or_default();
    match output.status.success() {
        true => serde_json::from_slice(&output.stdout).map_err(|e| e.to_string()),
        false => Err(format!("{}: {last}", output.status)),
    }
}

/// One size, in this process: prints one object.
pub fn one_size(side: usize) -> Result<(), Stopped> {
    limit_memory();
    let case = Case::curtain(side, 1000.0).map_err(Stopped::Input)?;
    let mut stepper = Stepper::new(&case, Method::LocalGlobal(Stop::iterations(1)), threads(1));
    let stop = Stop::iterations(ITERATIONS);
    let told = Stopped::Told;
    let prepare = stepper.prepare(stop).map_err(told)?;
    let mut steps = Vec::new();
    for _ in 0..if side > 300 { 3 } else { 20 } {
        steps.push(stepper.step(stop).map_err(told)?.cpu);
    }
    let peak = peak_memory();
    drop(stepper);
    // The factor that was used.
    let a = matrix(&case);
    let symbolic = Symbolic::new(&a.pattern, &Sequence::new(&a.pattern));
    let factor = Factor::rounded(&symbolic, &a, &free(&case)).map_err(|why| told(format!("{why:?}")))?;
    let bytes = if factor.precision() == Precision::Single { 4.0 } else { 8.0 };
    let object = json!({
        "side": side,
        "particles": case.model.particles(),
        "springs": case.model.springs.len(),
        "prefactor": prepare.cpu,
        "iteration": steps.into_iter().fold(f64::INFINITY, f64::min) / ITERATIONS as f64,
        "factor_mebibytes": bytes * factor.fill() as f64 / (1u64 << 20) as f64,
        "peak_mebibytes": peak,
    });
    print(&format!("{object}\n"))
}

fn limit_memory() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let bytes = Some(LIMIT << 30);
        // Where the system has no such limit the report still shows the peak.
        let _ = setrlimit(Resource::As, Rlimit { current: bytes, maximum: bytes });
    }
}
