//! What edits of a running simulation cost: holding a particle, the order kept, a cut, a stroke by hand.

use super::ITERATIONS;
use super::case::{Case, H};
use super::measure::{Burst, Contestant, Seconds, timed};
use super::ours::{Correction, free, matrix, solver, threads};
use super::race::{absent, facts};
use super::rows::Touch;
use serde_json::{Map, Value, json};
use std::time::Instant;
use taut::linear::{Factor, Sequence, Symbolic};
use taut::{Blade, DVec3, Edit, Error, Method, Settings, Simulation, Stop, Way, bounds};

/// Steps of a live run before the cut and after it.
const STEPS: usize = 30;
/// Samples of a stroke by hand.
const SAMPLES: usize = 60;

pub fn contestants<'a>(touch: Touch, names: &[&str], case: &'a Case) -> Vec<Contestant<'a>> {
    let make = |name: &&str| contestant(touch, name, case).unwrap_or_else(|reason| absent(name, reason));
    names.iter().map(make).collect()
}

fn contestant<'a>(touch: Touch, name: &str, case: &'a Case) -> Result<Contestant<'a>, String> {
    let said = |e: Error| e.to_string();
    let mut about = facts(&[]);
    let burst: Burst<'a> = match name {
        "grab" => {
            let mut simulation = started(case).map_err(said)?;
            let particle = case.model.particles() / 2;
            many(move || {
                let place = simulation.positions()[particle];
                let prepare = followed(&mut simulation, |s| s.grab(particle, place), Way::Held)?;
                followed(&mut simulation, |s| s.release(particle), Way::Held)?;
                Ok(wall(prepare))
            })
        }
        "three_solves" => {
            let (solve, _) = solver("taut", &matrix(case), &free(case))?;
            let mut solves = Correction::new(case, threads(1), solve);
            many(move || Ok(solves.solve(3)))
        }
        "held" | "free" | "five_steps" => {
            let mut simulation = started(case).map_err(said)?;
            if name == "held" {
                let particle = case.model.particles() / 2;
                simulation.grab(particle, simulation.positions()[particle]).map_err(said)?;
                simulation.step().map_err(said)?;
            }
            let (steps, pool) = (if name == "five_steps" { 5 } else { 1 }, threads(1));
            many(move || {
                let mut outcome = Ok(());
                let seconds =
                    timed(&pool, || outcome = (0..steps).try_for_each(|_| simulation.step().map(drop)));
                outcome.map(|()| seconds).map_err(said)
            })
        }
        "kept_order" | "fresh_order" => {
            let (a, rest, pool) = (matrix(case), free(case), threads(1));
            let order = Sequence::new(&a.pattern);
            let afresh = name == "fresh_order";
            many(move || {
                let mut outcome = Ok(());
                let seconds = timed(&pool, || {
                    let own = afresh.then(|| Sequence::new(&a.pattern));
                    let symbolic = Symbolic::new(&a.pattern, own.as_ref().unwrap_or(&order));
                    outcome = Factor::rounded(&symbolic, &a, &rest).map(drop);
                });
                outcome.map(|()| seconds).map_err(|_| "not positive definite".to_string())
            })
        }
        "cut" => {
            let knife = across(case).map_err(said)?;
            let pool = threads(1);
            many(move || {
                let mut simulation = started(case).map_err(said)?;
                let mut outcome = Ok(());
                let cut = timed(&pool, || {
                    outcome = simulation.cut(&knife).and_then(|_| simulation.step()).map(drop);
                });
                outcome.map_err(said)?;
                // Less a step that follows nothing.
                let mut outcome = Ok(());
                let step = timed(&pool, || outcome = simulation.step().map(drop));
                outcome.map(|()| cut - step).map_err(said)
            })
        }
        "one_step" => many(|| Ok(wall(H))),
        "latest" => many(move || stroke(case).map(wall).map_err(said)),
        "three_steps" | "slowest" => {
            let first = live(case).map_err(said)?;
            about = first.facts();
            let own = name == "slowest";
            many(move || {
                let live = live(case).map_err(said)?;
                Ok(wall(if own { live.slowest } else { 3.0 * live.median }))
            })
        }
        _ => return Err("unknown".into()),
    };
    let ours = match touch {
        Touch::Hold => name == "grab",
        Touch::Held => name == "held",
        Touch::Refactor => name == "kept_order",
        Touch::Cut => name == "cut",
        Touch::Stroke => name == "latest",
        Touch::Live => name == "slowest",
    };
    Ok(Contestant { name: name.into(), ours, facts: about, burst })
}

fn many<'a>(mut once: impl FnMut() -> Result<Seconds, String> + 'a) -> Burst<'a> {
    Box::new(move |count| (0..count).try_fold(Seconds::default(), |sum, _| Ok(sum + once()?)))
}

/// What the clock says of work on one thread.
fn wall(seconds: f64) -> Seconds {
    Seconds { wall: seconds, cpu: seconds }
}

/// A simulation that has taken a step.
fn started(case: &Case) -> Result<Simulation, Error> {
    let method = Method::ConjugateGradient(Stop::iterations(ITERATIONS));
    let settings = Settings::without_contact(method, H);
    let mut simulation = Simulation::with_state(case.model.clone(), case.state.clone(), settings)?;
    simulation.step()?;
    Ok(simulation)
}

/// Time in which the next step follows an edit \[s\], which must be in this way.
fn followed(
    simulation: &mut Simulation,
    edit: impl FnOnce(&mut Simulation) -> Result<(), Error>,
    way: Way,
) -> Result<f64, String> {
    edit(simulation).map_err(|e| e.to_string())?;
    let report = simulation.step().map_err(|e| e.to_string())?;
    if report.way != way { Err(format!("it was {}", report.way)) } else { Ok(report.seconds.prepare) }
}

/// A blade across the middle of everything, between two columns.
fn across(case: &Case) -> Result<Blade, Error> {
    let [low, high] = bounds::extent(case.state.positions.iter().copied());
    let (size, x) = ((high - low).length(), low.x + 0.5013 * (high.x - low.x));
    let corner = DVec3::new(x, low.y - size, low.z - size);
    Blade::sweep(&[corner, corner + 3.0 * size * DVec3::Y], 3.0 * size * DVec3::Z)
}

/// By how much the latest step of a stroke in so many samples, one before each step, begins late \[s\].
fn stroke(case: &Case) -> Result<f64, Error> {
    let mut simulation = started(case)?;
    let whole = across(case)?;
    let [from, _, to] = whole.triangles[0];
    let (down, along) = (DVec3::Y * (to.y - from.y), DVec3::Z * (to.z - from.z));
    let (mut late, mut latest) = (0.0_f64, 0.0_f64);
    for sample in 0..SAMPLES {
        let at = |n: usize| from + along * (n as f64 / SAMPLES as f64);
        let begin = Instant::now();
        simulation.cut(&Blade::sweep(&[at(sample), at(sample + 1)], down)?)?;
        simulation.step()?;
        late = (late + begin.elapsed().as_secs_f64() - H).max(0.0);
        latest = latest.max(late);
    }
    Ok(latest)
}

/// A run that is cut while it goes on, the cut prepared on another thread.
struct Live {
    /// The median step before \[s\].
    median: f64,
    /// The slowest step from when preparing begins until the cut has been adopted \[s\].
    slowest: f64,
    /// When the cut shows after it was asked for \[s\].
    shown: f64,
    way: Way,
}

impl Live {
    fn facts(&self) -> Map<String, Value> {
        facts(&[
            ("shown_after_s", json!(self.shown)),
            ("slowest_over_median", json!(self.slowest / self.median)),
            ("way", json!(self.way.to_string())),
        ])
    }
}

fn live(case: &Case) -> Result<Live, Error> {
    let (mut simulation, knife) = (started(case)?, across(case)?);
    let step = |simulation: &mut Simulation| {
        let begin = Instant::now();
        let report = simulation.step()?;
        Ok::<_, Error>((begin.elapsed().as_secs_f64(), report.way))
    };
    let mut before = (0..STEPS).map(|_| Ok(step(&mut simulation)?.0)).collect::<Result<Vec<f64>, Error>>()?;
    before.sort_by(f64::total_cmp);
    let asked = Instant::now();
    let mut apart = simulation.apart();
    let thread = std::thread::spawn(move || {
        apart.edit(Edit::Cut(knife))?;
        apart.prepare()?;
        Ok::<_, Error>(apart)
    });
    let mut slowest = 0.0_f64;
    while !thread.is_finished() {
        slowest = slowest.max(step(&mut simulation)?.0);
    }
    let begin = Instant::now();
    simulation.adopt(thread.join().expect("preparing does not panic")?)?;
    let adopting = begin.elapsed().as_secs_f64();
    let (seconds, way) = step(&mut simulation)?;
    let shown = asked.elapsed().as_secs_f64();
    Ok(Live { median: before[STEPS / 2], slowest: slowest.max(adopting + seconds), shown, way })
}
