//! What contact costs: trees and pairs beside ipc-toolkit's, and what all of it adds to a step.

use super::case::{Case, Frame, H};
use super::detection::{APART, Fold, folded};
use super::measure::{Burst, Contestant, Seconds, timed};
use super::ours::{Stepper, threads};
use super::peer::Peer;
use super::race::{absent, facts};
use super::rows::Pose;
use super::{Found, ITERATIONS, Session};
use serde_json::json;
use std::path::Path;
use taut::collision::{ContactSettings, Level};
use taut::geometry::{Candidates, Distances, Surface, Tree};
use taut::{DVec3, Error, Filter, Method, Scene, Settings, Simulation, Stop};

/// Name of the scene and the case.
const DRESS: &str = "dress";

/// Tree and pairs by taut, with culling and without, and by ipc-toolkit's linear bounding volume hierarchy, which knows none
/// and is built afresh each time.
pub fn pairs<'a>(names: &[&str], fold: &'a Fold, session: &Session) -> Result<Vec<Contestant<'a>>, Error> {
    let motion = if fold.start == fold.end { "rest" } else { "falling" };
    let problem = session.place.scratch(&format!("fold{}_{motion}.problem", fold.particles()))?;
    fold.write(&problem)?;
    let make = |name: &&str| {
        (session.tell)(format!("preparing {name}"));
        let made = match *name {
            "lbvh" => session.detector.clone().and_then(|program| peer(name, &program, &problem)),
            _ => ours(name, fold),
        };
        made.unwrap_or_else(|reason| absent(name, reason))
    };
    Ok(names.iter().map(make).collect())
}

fn ours<'a>(name: &str, fold: &'a Fold) -> Result<Contestant<'a>, String> {
    let Fold { rest, start, end, faces, .. } = fold;
    let surface = Surface::new(fold.particles(), faces, &[]).map_err(|e| e.to_string())?;
    let (mut tree, mut found, pool) = (Tree::new(&surface, rest), Candidates::default(), threads(1));
    if name == "taut_unculled" {
        tree = tree.unculled();
    }
    let mut find = move || {
        tree.refit(start, end);
        tree.pairs(&[], Distances::default(), &mut found);
        found.vertex_face.len() + found.edge_edge.len()
    };
    let count = find();
    let burst: Burst =
        Box::new(move |count| Ok(timed(&pool, || (0..count).for_each(|_| _ = std::hint::black_box(find())))));
    let facts = facts(&[("pairs", json!(count))]);
    Ok(Contestant { name: name.into(), ours: name == "taut", facts, burst })
}

fn peer(name: &str, program: &Path, problem: &Path) -> Result<Contestant<'static>, String> {
    let mut peer = Peer::start(program, name, problem)?;
    let count = peer.ask("pairs 1")?.number("pairs");
    let about = facts(&[("versions", json!(peer.versions)), ("pairs", json!(count))]);
    let burst: Burst = Box::new(move |count| Ok(peer.ask(&format!("pairs {count}"))?.seconds("")));
    Ok(Contestant { name: name.into(), ours: false, facts: about, burst })
}

/// The Curtain about to take a step, its thickness [`APART`].
pub fn case(pose: Pose, session: &Session, tell: impl Fn(String)) -> Result<Case, Error> {
    let (side, frames) = if session.quick { (21, 10) } else { (81, 20) };
    let mut case = match pose {
        Pose::Hanging => Frame::of(side, 1000.0, frames, &session.place, tell)?.case,
        Pose::Folded => fold(side)?,
        Pose::Dress => return dress(session.quick, tell),
    };
    case.model.bodies[0].skin.thickness = Some(APART);
    Ok(case)
}

/// The Dress after so many of its own steps.
fn dress(quick: bool, tell: impl Fn(String)) -> Result<Case, Error> {
    let scene = Scene::load(DRESS)?;
    let (mut simulation, steps) = (scene.simulation()?, if quick { 5 } else { 330 });
    for step in 1..=steps {
        tell(format!("step {step} of {steps} of the Dress"));
        simulation.step()?;
    }
    let state = simulation.state().clone();
    Ok(Case { name: DRESS.into(), model: scene.model, state })
}

/// Folded, at rest in itself, and falling.
fn fold(side: usize) -> Result<Case, Error> {
    let mut case = Case::curtain(side, 1000.0)?;
    let [start, end] = folded(side);
    for spring in &mut case.model.springs {
        let [a, b] = spring.ends.map(|i| start[i as usize]);
        spring.rest_length = a.distance(b);
    }
    case.state.filters.fill(Filter::Free);
    case.state.velocities = start.iter().zip(&end).map(|(a, b)| (*b - *a) / H).collect::<Vec<DVec3>>();
    case.state.positions = start;
    Ok(case)
}

/// Ten local/global iterations (of the Dress twenty), and steps of the default method with as many, with contact and
/// without.
pub fn contestants<'a>(names: &[&str], case: &'a Case) -> Vec<Contestant<'a>> {
    let make = |name: &&str| stepper(name, case).unwrap_or_else(|e| absent(name, e.to_string()));
    names.iter().map(make).collect()
}

fn stepper<'a>(name: &str, case: &'a Case) -> Result<Contestant<'a>, Error> {
    let worn = case.name == DRESS;
    let ours = name == if worn { "exact" } else { "fast" };
    let contestant = |facts, burst| Contestant { name: name.into(), ours, facts, burst };
    let stop = Stop::iterations(if worn { 2 * ITERATIONS } else { ITERATIONS });
    let many = |mut step: Box<dyn FnMut() -> Result<Seconds, String> + 'a>| -> Burst<'a> {
        Box::new(move |count| (0..count).try_fold(Seconds::default(), |sum, _| Ok(sum + step()?)))
    };
    let Ok(level) = name.parse::<Level>() else {
        let mut stepper = Stepper::new(case, Method::LocalGlobal(stop), threads(1));
        return Ok(contestant(facts(&[]), many(Box::new(move || stepper.step(stop)))));
    };
    let contact = ContactSettings::new(level);
    let mut simulation = if worn {
        let mut scene = Scene::load(DRESS)?;
        scene.settings.contact = contact;
        let mut simulation = scene.simulation()?;
        simulation.return_to(&case.state)?;
        simulation
    } else {
        let settings = Settings { contact, ..Settings::new(Method::ConjugateGradient(stop), H) };
        Simulation::with_state(case.model.clone(), case.state.clone(), settings)?
    };
    // What crosses is looked for in the first step only.
    let first = simulation.step()?;
    let mut start = if worn { case.state.clone() } else { simulation.state().clone() };
    (start.time, start.step) = (case.state.time, case.state.step);
    start.positions.clone_from(&case.state.positions);
    start.velocities.clone_from(&case.state.velocities);
    let contact = first.contact.unwrap_or_default();
    let counts = [
        ("pairs", contact.pairs),
        ("contacts", contact.contacts),
        ("rounds", contact.rounds),
        ("zones", contact.zones),
    ];
    let counts = facts(&counts.map(|(key, count)| (key, json!(count))));
    let pool = threads(1);
    Ok(contestant(
        counts,
        many(Box::new(move || {
            simulation.return_to(&start).map_err(|e| e.to_string())?;
            let mut outcome = Ok(());
            let seconds = timed(&pool, || outcome = simulation.step().map(|_| ()));
            outcome.map(|()| seconds).map_err(|e| e.to_string())
        })),
    ))
}

/// Leave of every step with contact what it took more than the one without.
pub fn subtract(found: &mut Found) {
    let Found::Race { outcomes, .. } = found else { return };
    let Some(off) = outcomes.iter().position(|o| o.name == "off") else { return };
    let off = outcomes.remove(off);
    outcomes.iter_mut().filter(|o| !o.name.ends_with("iterations")).for_each(|o| o.beyond(&off));
    outcomes.push(off);
}
