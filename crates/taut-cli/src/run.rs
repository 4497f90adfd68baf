//! `taut run`: step through a scene, frame by frame.

use crate::Stopped;
use crate::args::{Common, Format, Run};
use crate::output::Outputs;
use crate::signals::Signals;
use crate::summary::Summary;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use taut::{Error, Method, Scene, Simulation, clock};

pub fn run(args: &Run) -> Result<(), Stopped> {
    let started = clock::seconds();
    let mut scene = load(&args.common).map_err(Stopped::Input)?;
    if let Some(frames) = args.frames {
        scene.frames = frames;
    }
    let mut simulation = scene.simulation().map_err(Stopped::Input)?;
    let mut outputs = Outputs::new(&scene, &args.common, Format::Gif).map_err(Stopped::Input)?;
    let signals = Signals::listen();
    let bar = progress(&args.common, scene.frames);
    let mut summary = Summary { relative_errors: args.exact.then(Vec::new), ..Summary::default() };

    let outcome = frames(&scene, &mut simulation, &mut outputs, &mut summary, &signals, &bar);
    let interrupted = signals.seen().is_some();
    let before = clock::seconds();
    // What was finished is kept, whatever happened.
    let written = outputs.finish(&bar, &signals, interrupted);
    summary.output += clock::seconds() - before;
    summary.total = clock::seconds() - started;
    bar.finish_and_clear();
    report(&args.common, &scene, &simulation, &summary, &outputs.written);
    outcome.map_err(Stopped::Run)?;
    written.map_err(Stopped::Run)?;
    signals.seen().map_or(Ok(()), |code| Err(Stopped::Signal(code)))
}

/// Load the scene with the command line's wishes on top.
pub fn load(common: &Common) -> Result<Scene, Error> {
    if let Some(threads) = common.threads {
        if !(1..=1024).contains(&threads) {
            return Err(Error::setting("--threads", threads, "must be between 1 and 1024"));
        }
        // Fails only if a pool exists already, and none does this early.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    }
    let mut scene = Scene::load(&common.scene)?;
    let given = common.iterations.is_some() || common.tolerance.is_some() || common.budget.is_some();
    if common.method.is_some() || given {
        let name = common.method.clone().unwrap_or_else(|| scene.method.name().into());
        let chosen = Method::from_name(&name, common.iterations, common.tolerance, common.budget);
        scene.method = chosen.map_err(|e| match e {
            Error::Setting { name, value, remedy } => {
                let option = if name == "name" { "--method".into() } else { format!("--{name}") };
                Error::Setting { name: option, value, remedy }
            }
            other => other,
        })?;
    }
    if !common.quiet && !common.json {
        scene.notes.iter().for_each(|note| eprintln!("note: {note}"));
    }
    Ok(scene)
}

fn frames(
    scene: &Scene,
    simulation: &mut Simulation,
    outputs: &mut Outputs,
    summary: &mut Summary,
    signals: &Signals,
    bar: &ProgressBar,
) -> Result<(), Error> {
    outputs.frame(simulation.positions())?;
    while summary.frames < scene.frames && signals.seen().is_none() {
        let frame = frame(scene, simulation, summary);
        if let Err(Error::NonFinite { particle, .. }) = frame {
            summary.non_finite = Some(particle);
        }
        frame.map_err(|e| at_frame(e, summary.frames))?;
        let before = clock::seconds();
        outputs.frame(simulation.positions())?;
        summary.output += clock::seconds() - before;
        summary.frames += 1;
        bar.set_message(pace(summary));
        bar.inc(1);
    }
    Ok(())
}

/// One frame: its steps, and the error of the last of them if asked for.
fn frame(scene: &Scene, simulation: &mut Simulation, summary: &mut Summary) -> Result<(), Error> {
    for substep in 1..=scene.substeps {
        simulation.measure_error(summary.relative_errors.is_some() && substep == scene.substeps);
        let report = simulation.step()?;
        summary.add(&report);
        if let (Some(error), Some(errors)) = (report.relative_error, &mut summary.relative_errors) {
            errors.push(error);
        }
    }
    Ok(())
}

fn at_frame(e: Error, frame: usize) -> Error {
    match e {
        Error::NonFinite { .. } => Error::setting(format!("frame {frame}"), "diverged", e.to_string()),
        other => other,
    }
}

/// Time per frame and what takes most of it.
fn pace(summary: &Summary) -> String {
    let s = &summary.stages;
    let stages = [
        ("solving", s.integrate),
        ("preparing", s.prepare),
        ("collisions", s.collide),
        ("files", summary.output),
    ];
    let sum: f64 = stages.iter().map(|s| s.1).sum();
    let (name, most) = stages.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("four stages");
    let per_frame = 1e3 * sum / summary.frames as f64;
    format!("{per_frame:.1} ms/frame, {:.0} % {name}", 100.0 * most / sum.max(f64::MIN_POSITIVE))
}

/// A progress bar on standard error, if anybody is looking.
pub fn progress(common: &Common, frames: usize) -> ProgressBar {
    let target =
        if common.quiet || common.json { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(frames as u64), target);
    let template = "{bar:32} {pos}/{len} frames  {msg}  {eta} left";
    bar.set_style(ProgressStyle::with_template(template).expect("a constant template"));
    bar
}

/// Say what was done.
pub fn report(
    common: &Common,
    scene: &Scene,
    simulation: &Simulation,
    summary: &Summary,
    files: &[std::path::PathBuf],
) {
    if common.json {
        println!("{:#}", summary.json(scene, simulation, files));
    } else if !common.quiet {
        summary.tell(scene, simulation, files);
    }
}
