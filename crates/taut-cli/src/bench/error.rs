//! Time to an error: how many iterations a method needs for a relative error (eq. (15) of [Liu13]), then how long it
//! takes to do just those. Factorizations that are made once per model are not in the time, ours or theirs.

use super::case::Frame;
use super::measure::{Burst, Contestant, Seconds};
use super::ours::{Stepper, threads};
use super::peer::Peer;
use serde_json::json;
use std::path::Path;
use taut::{Method, Stop};

/// A single step may take so long \[s\]; beyond, the error counts as not reached.
const PATIENCE: f64 = 20.0;
/// Iterations tried, at most.
const MOST_ITERATIONS: usize = 1 << 16;

/// A method of taut, `WORD` or `WORD+SOLVER`.
pub fn ours<'a>(name: &str, error: f64, frame: &'a Frame) -> Result<Contestant<'a>, String> {
    let (word, solver) = name.split_once('+').unwrap_or((name, ""));
    let mut method = word.parse::<Method>().map_err(|e| e.to_string())?;
    if let (Method::Newton(settings) | Method::Hybrid(settings), false) = (&mut method, solver.is_empty()) {
        settings.solver = solver.parse().map_err(|e: taut::Error| e.to_string())?;
    }
    let mut stepper = Stepper::new(&frame.case, method, threads(1));
    let (iterations, reached) = fewest(&mut stepper, error, frame)?;
    let facts = [("iterations".to_string(), json!(iterations)), ("error".to_string(), json!(reached))];
    let burst: Burst = Box::new(move |count| {
        let mut sum = Seconds::default();
        for _ in 0..count {
            sum = sum + stepper.step(Stop::iterations(iterations))?;
        }
        Ok(sum)
    });
    // Block-Jacobi is what users of other software have: a baseline.
    let ours = solver != "pcg_jacobi";
    Ok(Contestant { name: name.into(), ours, facts: facts.into_iter().collect(), burst })
}

/// The fewest iterations that reach the error, to one part in sixteen, and the error they reach: doubling, then halving.
fn fewest(stepper: &mut Stepper, error: f64, frame: &Frame) -> Result<(usize, f64), String> {
    let mut try_with = |iterations| {
        let stop = Stop { iterations, ..Stop::budget(PATIENCE) };
        let seconds = stepper.step(stop)?;
        Ok::<_, String>((frame.error(stepper.value()), seconds.wall))
    };
    let mut enough = 1;
    let mut reached = loop {
        let (found, seconds) = try_with(enough)?;
        if found <= error {
            break found;
        }
        if seconds >= PATIENCE || enough >= MOST_ITERATIONS {
            return Err(format!("not reached: {found:.1e} after {enough} iterations or {seconds:.1} s"));
        }
        enough *= 2;
    };
    let mut too_few = enough / 2;
    while enough - too_few > (enough / 16).max(1) {
        let middle = (enough + too_few) / 2;
        match try_with(middle)?.0 {
            found if found <= error => (enough, reached) = (middle, found),
            _ => too_few = middle,
        }
    }
    Ok((enough, reached))
}

/// A peer, `PEER:COMMAND[:FORCING]`: it sees g anyway and stops where it is low enough.
pub fn peer(
    name: &str,
    error: f64,
    frame: &Frame,
    program: &Path,
    problem: &Path,
) -> Result<Contestant<'static>, String> {
    let words: Vec<&str> = name.split(':').collect();
    let mut peer = Peer::start(program, words[0], problem)?;
    let forcing = words.get(2).map(|f| format!(" forcing={f}")).unwrap_or_default();
    let question = format!("{} 1000 until={:?} seconds={PATIENCE}{forcing}", words[1], frame.goal(error));
    let answer = peer.ask(&question)?;
    let reached = frame.error(answer.number("g"));
    if reached > error {
        let (steps, cpu) = (answer.text("steps"), answer.number("cpu"));
        return Err(format!("not reached: {reached:.1e} after {steps} steps, {cpu:.1} s"));
    }
    let count = |key| json!(answer.number(key));
    let facts = [
        ("steps", count("steps")),
        ("linear", count("linear")),
        ("error", json!(reached)),
        ("versions", json!(peer.versions)),
    ];
    let facts = facts.map(|(k, v)| (k.to_string(), v)).into_iter().collect();
    let burst: Burst = Box::new(move |count| {
        let mut sum = Seconds::default();
        for _ in 0..count {
            sum = sum + peer.ask(&question)?.seconds("");
        }
        Ok(sum)
    });
    Ok(Contestant { name: name.into(), ours: false, facts, burst })
}
