//! The measuring loop, the same for every row: contestants take turns, a short burst each, round after round.
//!
//! A busy machine slows whoever is running, so what is compared must run at nearly the same time; the minimum of many
//! short bursts is what the machine can do, the median what it did. The order rotates from round to round, so that
//! nobody always follows the same neighbour.

use serde_json::{Map, Value, json};
use std::ops::{Add, Sub};
use std::time::Instant;

/// Time taken \[s\]: by the clock on the wall, and by the processor for all threads of the process that worked.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Seconds {
    pub wall: f64,
    pub cpu: f64,
}

impl Sub for Seconds {
    type Output = Seconds;
    fn sub(self, o: Seconds) -> Seconds {
        Seconds { wall: self.wall - o.wall, cpu: self.cpu - o.cpu }
    }
}

impl Add for Seconds {
    type Output = Seconds;
    fn add(self, o: Seconds) -> Seconds {
        Seconds { wall: self.wall + o.wall, cpu: self.cpu + o.cpu }
    }
}

impl Seconds {
    pub fn per(self, units: usize) -> Seconds {
        Seconds { wall: self.wall / units as f64, cpu: self.cpu / units as f64 }
    }

    #[cfg(unix)]
    fn now() -> Seconds {
        let read = |id| {
            let time = rustix::time::clock_gettime(id);
            time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
        };
        use rustix::time::ClockId::{Monotonic, ProcessCPUTime};
        Seconds { wall: read(Monotonic), cpu: read(ProcessCPUTime) }
    }

    /// Without a clock of the process both are wall time.
    #[cfg(not(unix))]
    fn now() -> Seconds {
        let wall = taut::clock::seconds();
        Seconds { wall, cpu: wall }
    }
}

/// Time some work of ours on the threads of a pool.
pub fn timed(pool: &rayon::ThreadPool, work: impl FnOnce() + Send) -> Seconds {
    pool.install(|| {
        let begin = Seconds::now();
        work();
        Seconds::now() - begin
    })
}

/// A competitor of a row.
pub struct Contestant<'a> {
    pub name: String,
    /// Whether it may be the yardstick (1.0); baselines that taut only offers for comparison may not.
    pub ours: bool,
    /// What else is worth knowing: fill, iterations, what it computed.
    pub facts: Map<String, Value>,
    /// Do so many units of work in one go and say how long that took, or why it cannot be done.
    pub burst: Burst<'a>,
}

pub type Burst<'a> = Box<dyn FnMut(usize) -> Result<Seconds, String> + 'a>;

/// How long to measure.
#[derive(Clone, Copy)]
pub struct Plan {
    pub rounds: usize,
    /// Units in a burst, at least.
    pub least: usize,
    /// Aim of one burst \[s\].
    pub burst: f64,
    /// No more rounds after this \[s\].
    pub limit: f64,
}

/// Rounds that are made even when time is up: a median needs three.
const FEWEST_ROUNDS: usize = 3;
/// Units in a burst, at most.
const MOST_WORK: usize = 200;

/// What was measured of one contestant; times per unit of work.
pub struct Outcome {
    pub name: String,
    pub ours: bool,
    /// Units per burst.
    pub work: usize,
    pub samples: Vec<Seconds>,
    pub failed: Option<String>,
    pub facts: Map<String, Value>,
}

impl Outcome {
    /// What it took more than another: shortest less shortest, next to shortest less next to shortest, and so on.
    pub fn beyond(&mut self, other: &Outcome) {
        let sorted = |o: &Outcome| {
            let mut samples = o.samples.clone();
            samples.sort_by(|a, b| a.cpu.total_cmp(&b.cpu));
            samples
        };
        self.samples = sorted(self).into_iter().zip(sorted(other)).map(|(a, b)| a - b).collect();
    }
}

/// A minimum and a median.
#[derive(Clone, Copy)]
pub struct Spread {
    pub minimum: f64,
    pub median: f64,
}

impl Spread {
    pub fn json(self) -> Value {
        json!({ "minimum": self.minimum, "median": self.median })
    }
}

impl Outcome {
    fn spread(&self, of: impl Fn(&Seconds) -> f64) -> Option<Spread> {
        let mut times: Vec<f64> = self.samples.iter().map(of).collect();
        times.sort_by(f64::total_cmp);
        Some(Spread { minimum: *times.first()?, median: times[times.len() / 2] })
    }

    pub fn cpu(&self) -> Option<Spread> {
        self.spread(|s| s.cpu)
    }

    pub fn wall(&self) -> Option<Spread> {
        self.spread(|s| s.wall)
    }
}

/// Let the contestants take turns. Who fails is out, with the reason; who needs a tenth of the time limit for a single
/// unit is measured once.
pub fn interleave(contestants: Vec<Contestant>, plan: Plan, tell: impl Fn(String)) -> Vec<Outcome> {
    let (mut bursts, mut outcomes) = (Vec::new(), Vec::new());
    for Contestant { name, ours, facts, mut burst } in contestants {
        tell(format!("warming up {name}"));
        let mut outcome = Outcome { name, ours, work: plan.least, samples: Vec::new(), failed: None, facts };
        match burst(plan.least).map(|s| s.per(plan.least)) {
            Err(reason) => outcome.failed = Some(reason),
            Ok(once) if once.cpu > plan.limit / 10.0 => outcome.samples.push(once),
            Ok(once) => outcome.work = ((plan.burst / once.cpu) as usize).clamp(plan.least, MOST_WORK),
        }
        bursts.push(burst);
        outcomes.push(outcome);
    }
    let in_race: Vec<usize> = (0..outcomes.len())
        .filter(|&i| outcomes[i].failed.is_none() && outcomes[i].samples.is_empty())
        .collect();
    let started = Instant::now();
    for round in 0..plan.rounds {
        if round >= FEWEST_ROUNDS && started.elapsed().as_secs_f64() > plan.limit {
            break;
        }
        tell(format!("round {} of {}", round + 1, plan.rounds));
        for turn in 0..in_race.len() {
            let i = in_race[(turn + round) % in_race.len()];
            let outcome = &mut outcomes[i];
            if outcome.failed.is_none() {
                match bursts[i](outcome.work) {
                    Ok(seconds) => outcome.samples.push(seconds.per(outcome.work)),
                    Err(reason) => outcome.failed = Some(reason),
                }
            }
        }
    }
    outcomes
}

/// The yardstick: the fastest of ours, by the minimum of its processor time (of its wall time where threads differ).
pub fn yardstick(outcomes: &[Outcome], by_wall: bool) -> Option<usize> {
    let time = |o: &Outcome| if by_wall { o.wall() } else { o.cpu() }.map(|s| s.minimum);
    let ours = (0..outcomes.len()).filter(|&i| outcomes[i].ours && outcomes[i].failed.is_none());
    let timed = ours.filter_map(|i| Some((i, time(&outcomes[i])?)));
    timed.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
}
