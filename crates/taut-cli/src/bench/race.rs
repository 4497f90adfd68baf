//! Who takes part in a row: contestants made from their words.

use super::Session;
use super::case::{Case, Frame};
use super::error;
use super::measure::{Burst, Contestant, Seconds, timed};
use super::ours::{Correction, Stepper, free, matrix, solver, threads};
use super::peer::Peer;
use super::rows::Work;
use serde_json::{Map, Value, json};
use std::path::Path;
use taut::{Error, Method, Stop};

/// Iterations after which all contestants of an iteration row must agree in g: then they do the same.
pub const CHECK: usize = 10;
/// How well \[relative\]. f32 factors agree to 1e-9, methods that differ would not agree to 1e-3.
const AGREEMENT: f64 = 1e-5;

/// A contestant that cannot take part says why when it is called up.
pub fn absent<'a>(name: &str, reason: String) -> Contestant<'a> {
    let burst: Burst = Box::new(move |_| Err(reason.clone()));
    Contestant { name: name.into(), ours: false, facts: Map::new(), burst }
}

pub fn facts(pairs: &[(&str, Value)]) -> Map<String, Value> {
    pairs.iter().map(|(k, v)| (k.to_string(), v.clone())).collect()
}

/// All contestants of a row of iterations, solves or factorizations.
pub fn direct<'a>(
    work: Work,
    names: &[&str],
    case: &'a Case,
    session: &Session,
) -> Result<Vec<Contestant<'a>>, Error> {
    let problem = session.place.scratch(&format!("{}.problem", case.name))?;
    case.write(&problem)?;
    let mut contestants: Vec<Contestant> = Vec::new();
    for &name in names {
        (session.tell)(format!("preparing {name}"));
        let made = match name {
            "taut" | "taut_f64" | "faer" => ours(work, name, case),
            _ => session.peers.clone().and_then(|program| peer(work, name, &program, &problem)),
        };
        contestants.push(made.unwrap_or_else(|reason| absent(name, reason)));
    }
    disagree(&mut contestants);
    Ok(contestants)
}

/// Leave out those that have another g than the first.
pub fn disagree(contestants: &mut [Contestant]) {
    let g = |c: &Contestant| c.facts.get("g").and_then(Value::as_f64);
    let first = contestants.iter().find_map(g);
    for contestant in contestants {
        if let (Some(a), Some(b)) = (first, g(contestant))
            && ((a - b).abs() > AGREEMENT * a.abs() || a.is_nan() != b.is_nan())
        {
            let reason =
                format!("gives another result: g is {b:e} after {CHECK} iterations instead of {a:e}");
            *contestant = absent(&contestant.name, reason);
        }
    }
}

fn ours<'a>(work: Work, name: &str, case: &'a Case) -> Result<Contestant<'a>, String> {
    let pool = threads(1);
    let (a, probe) = (matrix(case), free(case));
    let owned = name.to_string();
    // f64 is there for comparison; the yardstick is the default.
    let contestant = |facts, burst| Contestant { name: owned.clone(), ours: name == "taut", facts, burst };
    if let Work::Prefactor(_) = work {
        let fill = solver(name, &a, &probe)?.1;
        let name = name.to_string();
        let burst: Burst = Box::new(move |count| {
            Ok(timed(&pool, || (0..count).for_each(|_| drop(solver(&name, &a, &probe)))))
        });
        return Ok(contestant(facts(&[("stored", json!(fill))]), burst));
    }
    if matches!(work, Work::Iteration(_)) && name == "taut" {
        let mut stepper = Stepper::new(case, Method::LocalGlobal(Stop::iterations(1)), pool);
        stepper.step(Stop::iterations(CHECK))?;
        let g = stepper.value();
        let burst: Burst = Box::new(move |count| stepper.step(Stop::iterations(count)));
        return Ok(contestant(facts(&[("g", json!(g))]), burst));
    }
    let (solve, fill) = solver(name, &a, &probe)?;
    let mut correction = Correction::new(case, pool, solve);
    correction.iterate(CHECK);
    let about = facts(&[("g", json!(correction.value())), ("stored", json!(fill))]);
    let burst: Burst = match work {
        Work::Iteration(_) => Box::new(move |count| Ok(correction.iterate(count))),
        _ => Box::new(move |count| Ok(correction.solve(count))),
    };
    Ok(contestant(about, burst))
}

pub fn peer(work: Work, name: &str, program: &Path, problem: &Path) -> Result<Contestant<'static>, String> {
    let mut peer = Peer::start(program, name, problem)?;
    let made = peer.ask("prepare")?;
    let mut about = facts(&[
        ("versions", json!(peer.versions)),
        ("fill", json!(made.number("fill"))),
        ("stored", json!(made.number("stored"))),
        ("analyse", json!(made.number("analyse_cpu"))),
        ("factor", json!(made.number("factor_cpu"))),
    ]);
    if !matches!(work, Work::Prefactor(_)) {
        about.insert("g".into(), json!(peer.ask(&format!("iterate {CHECK}"))?.number("g")));
    }
    let burst: Burst = match work {
        Work::Prefactor(_) => Box::new(move |count| {
            let mut sum = Seconds::default();
            for _ in 0..count {
                let answer = peer.ask("prepare")?;
                sum = sum + answer.seconds("analyse_") + answer.seconds("factor_");
            }
            Ok(sum)
        }),
        Work::Iteration(_) => Box::new(move |count| Ok(peer.ask(&format!("iterate {count}"))?.seconds(""))),
        _ => Box::new(move |count| Ok(peer.ask(&format!("solve {count}"))?.seconds(""))),
    };
    Ok(Contestant { name: name.into(), ours: false, facts: about, burst })
}

/// Every minimiser of taut by its word, then the others, each set to stop where the error is reached.
pub fn to_error<'a>(
    error: f64,
    names: &[&str],
    frame: &'a Frame,
    session: &Session,
) -> Result<Vec<Contestant<'a>>, Error> {
    let problem = session.place.scratch(&format!("{}_frame.problem", frame.case.name))?;
    frame.case.write(&problem)?;
    let iterate = |word: &&str| word.parse().is_ok_and(|mut m: Method| m.stop_mut().is_some());
    let words = Method::NAMES.into_iter().filter(iterate);
    let all = words.chain(names.iter().copied());
    Ok(all
        .map(|name| {
            (session.tell)(format!("counting the iterations that {name} needs"));
            let made = match name.split_once(':') {
                None => error::ours(name, error, frame),
                Some(_) => session
                    .peers
                    .clone()
                    .and_then(|program| error::peer(name, error, frame, &program, &problem)),
            };
            made.unwrap_or_else(|reason| absent(name, reason))
        })
        .collect())
}

/// The same iterations on two threads (the yardstick) and on one.
pub fn on_threads(case: &Case) -> Vec<Contestant<'_>> {
    let make = |name: &str, count, ours| {
        let mut stepper = Stepper::new(case, Method::LocalGlobal(Stop::iterations(1)), threads(count));
        let burst: Burst = Box::new(move |count| stepper.step(Stop::iterations(count)));
        Contestant { name: name.into(), ours, facts: Map::new(), burst }
    };
    vec![make("two_threads", 2, true), make("one_thread", 1, false)]
}
