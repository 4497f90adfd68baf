//! `taut run`: step through a scene, frame by frame.

use crate::args::{Common, Run, SceneName};
use crate::output::{Kind, Outputs};
use crate::signals::Signals;
use crate::summary::tell;
use crate::{Stopped, print, resume};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::ops::Range;
use taut::doctor::{Finding, Severity};
use taut::kernel::Kernel;
use taut::run::files::Draft;
use taut::run::{Summary, step_frame};
use taut::{Ending, Error, Method, Scene, Scheme, Simulation, Threads, clock};

pub fn run(args: &Run) -> Result<(), Stopped> {
    let started = clock::seconds();
    args.kernel.as_deref().map_or(Ok(()), choose_kernel).map_err(Stopped::Input)?;
    let mut scene = load(&args.common).map_err(Stopped::Input)?;
    if args.every_step {
        every_step(&mut scene);
    }
    let whole = scene.frames;
    let quiet = args.common.quiet || args.common.json;
    let resumed = args.resume.as_deref().map(|file| resume::load(file, &mut scene, quiet));
    let resumed = resumed.transpose().map_err(Stopped::Input)?;
    // A resumed run goes on with the frame after the last whole one; any other begins with frame 0, the start.
    let first = resumed.as_ref().map_or(0, |other| resume::frames_of(other, &scene) + 1);
    scene.settings.method = method(args, &scene).map_err(Stopped::Input)?;
    scene.settings.scheme = scheme(args.scheme.as_deref(), &scene).map_err(Stopped::Input)?;
    let left = args.frames.unwrap_or(scene.frames);
    // Of the whole scene, as `check` sees it: an event after the last frame asked for here is no mistake.
    scene.frames = whole;
    let warnings = warnings(&scene, &args.common);
    scene.frames = left;
    let simulation = resumed.map_or_else(|| scene.simulation(), |other| resume::with(other, &scene.settings));
    let mut simulation = simulation.map_err(Stopped::Input)?;
    let mut outputs = Outputs::new(&scene, &args.common, Kind::Film, first).map_err(Stopped::Input)?;
    let save = |file| outputs.refuse("--save-state", file).and_then(|()| Draft::new(file));
    let saved = args.save_state.as_deref().map(save).transpose().map_err(Stopped::Input)?;
    let signals = Signals::listen();
    let bar = progress(&args.common, scene.frames, "frames");
    let mut summary = Summary {
        relative_errors: args.exact.then(Vec::new),
        warnings: Some(warnings),
        ..Summary::default()
    };

    let outcome = frames(&scene, &mut simulation, &mut outputs, &mut summary, &signals, &bar);
    let interrupted = signals.seen().is_some();
    let before = clock::seconds();
    // What was finished is kept, whatever happened.
    let written = outputs.finish(&bar, &signals, interrupted);
    let saved = saved.map_or(Ok(()), |draft| resume::save(draft, &simulation));
    let saved = saved.map(|()| outputs.written.extend(args.save_state.clone()));
    (summary.film, summary.drawn) = (outputs.numbers(), outputs.drawn);
    summary.output += clock::seconds() - before;
    summary.total = clock::seconds() - started;
    bar.finish_and_clear();
    let complete = outcome.is_ok() && written.is_ok() && signals.seen().is_none();
    outputs.sweep(complete, !args.common.quiet && !args.common.json);
    let told = report(&args.common, &scene, &simulation, &summary, &outputs.written);
    outcome?;
    written.and(saved).map_err(Stopped::Run)?;
    signals.seen().map_or(told, |code| Err(Stopped::Signal(code)))
}

/// Compute with a kernel from now on.
fn choose_kernel(word: &str) -> Result<(), Error> {
    let known = Kernel::available();
    match known.iter().find(|kernel| kernel.name() == word) {
        Some(kernel) if kernel.choose() => Ok(()),
        _ => {
            let names: Vec<&str> = known.iter().map(|kernel| kernel.name()).collect();
            Err(Error::setting(
                "--kernel",
                format!("{word:?}"),
                format!("here there is {}", names.join(", ")),
            ))
        }
    }
}

/// The same scene with as many frames as it has steps.
fn every_step(scene: &mut Scene) {
    let steps = std::mem::replace(&mut scene.substeps, 1);
    scene.frames = scene.frames.saturating_mul(steps);
    scene.frames_per_second *= steps as f64;
}

/// What `check` warns of, said on standard error unless it is for the JSON object.
fn warnings(scene: &Scene, common: &Common) -> Vec<Finding> {
    if common.quiet && !common.json {
        return Vec::new();
    }
    let mut findings = scene.examine().findings;
    findings.retain(|finding| finding.severity > Severity::Note);
    for f in findings.iter().filter(|_| !common.json) {
        say!("{}: {}; {}", f.severity.name(), f.what, f.remedy);
    }
    findings
}

/// What to say before a run whose steps are too long for its explicit part.
pub fn step_warning(scene: &Scene) -> Option<String> {
    scene.long_step().map(|finding| format!("{}; {}", finding.what, finding.remedy))
}

/// Start the threads asked for and load the scene.
pub fn load(common: &Common) -> Result<Scene, Error> {
    load_scene(&common.scene, common.threads, common.quiet || common.json)
}

/// The same from its parts.
pub fn load_scene(scene: &SceneName, threads: Option<usize>, quiet: bool) -> Result<Scene, Error> {
    if let Some(threads) = threads {
        Threads::own(threads).map_err(|e| as_option(e, ""))?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        pool.map_err(|e| Error::setting("--threads", threads, format!("{e}: ask for fewer")))?;
    }
    let scene = scene.load()?;
    if !quiet {
        scene.notes.iter().for_each(|note| say!("note: {note}"));
    }
    Ok(scene)
}

/// The scene's method with the command line's wishes on top.
fn method(args: &Run, scene: &Scene) -> Result<Method, Error> {
    let own = &scene.settings.method;
    let Run { iterations, tolerance, accuracy, budget, .. } = *args;
    let ending = Ending { iterations, tolerance, accuracy, budget };
    let method = args.method.as_deref().map_or(Ok(own.clone()), |word| named(own, word));
    method.and_then(|method| method.ending(ending)).map_err(|e| as_option(e, "--method"))
}

/// The method of that word with its usual numbers, or the scene's own if it is that.
pub fn named(own: &Method, word: &str) -> Result<Method, Error> {
    let method: Method = word.parse()?;
    Ok(if method.name() == own.name() { own.clone() } else { method })
}

/// The same error about a key of a scene, as one about the option of that name; `name` is that of a method.
pub fn as_option(error: Error, name_option: &str) -> Error {
    match error {
        Error::Setting { name, value, remedy } => {
            let option = if name == "name" { name_option.into() } else { format!("--{name}") };
            Error::Setting { name: option, value, remedy }
        }
        other => other,
    }
}

/// The scheme asked for, or the scene's where the method has a use for it.
pub fn scheme(word: Option<&str>, scene: &Scene) -> Result<Scheme, Error> {
    let scheme = match word {
        Some(word) => word.parse::<Scheme>().map_err(|e| as_option(e, ""))?,
        None if scene.settings.method.check_scheme(scene.settings.scheme).is_err() => Scheme::default(),
        None => scene.settings.scheme,
    };
    scene.settings.method.check_scheme(scheme).map(|()| scheme).map_err(|e| as_option(e, ""))
}

fn frames(
    scene: &Scene,
    simulation: &mut Simulation,
    outputs: &mut Outputs,
    summary: &mut Summary,
    signals: &Signals,
    bar: &ProgressBar,
) -> Result<(), Stopped> {
    if outputs.numbers().start == 0 {
        outputs.frame(simulation).map_err(Stopped::Run)?;
    }
    while summary.frames < scene.frames && signals.seen().is_none() {
        let done = step_frame(scene, simulation, summary, |_| true).and_then(|_| {
            let before = clock::seconds();
            let written = outputs.frame(simulation);
            summary.output += clock::seconds() - before;
            written
        });
        if let Err(e) = done {
            summary.non_finite += usize::from(matches!(e, Error::NonFinite { .. }));
            summary.diverged |= matches!(e, Error::NonFinite { .. } | Error::Diverged { .. });
            return Err(Stopped::Told(story(&e, scene, outputs.numbers())));
        }
        summary.frames += 1;
        bar.set_message(pace(summary));
        bar.inc(1);
    }
    Ok(())
}

/// Why the run ended after some frames, by number, which are kept, and what to do about it.
pub fn story(e: &Error, scene: &Scene, frames: Range<usize>) -> String {
    let (h, next) = (scene.time_step(), frames.end);
    let kept = match (frames.start, next.saturating_sub(1)) {
        (0, 0) => "frame 0, the start, is kept".to_string(),
        (first, last) if last < first => "there are no frames".to_string(),
        (first, last) => format!("frames {first} to {last} are kept"),
    };
    let Some((what, time)) = e.divergence() else {
        return format!("frame {next}: {e}; {kept}");
    };
    let (step, half) = (format!("{h:.4}"), format!("{:.4}", 0.5 * h));
    let mut advice = format!("shorten the step (time_step = {half} in the scene; it is {step} s)");
    let stable = match (&scene.settings.method, scene.settings.scheme) {
        (Method::SemiImplicit(_), Scheme::Midpoint) => Some("--method hybrid --scheme bdf2"),
        (Method::SemiImplicit(_), _) => Some("--method hybrid"),
        (Method::StaticImex(_), _) => Some("--method adaptive_imex"),
        (_, Scheme::Midpoint) => Some("--scheme bdf2"),
        _ => None,
    };
    if let Some(stable) = stable {
        advice = format!("use {stable}, which is stable at any step, or {advice}");
    }
    let start = format!("diverged in frame {next}: {what} after t = {time:.4} s; {kept}");
    if let Some(warning) = step_warning(scene) {
        return format!("{start}; {warning}{}", stable.map_or(String::new(), |s| format!(", or {s}")));
    }
    let diagnosis = scene.examine();
    let cause = diagnosis.findings.iter().find(|f| f.severity > Severity::Note);
    let cause = match cause {
        Some(f) => format!("{}: {}", f.what, f.remedy),
        None => "look for forces, speeds, paths or stiffnesses that are far too large".into(),
    };
    format!("{start}; {advice}; {cause}")
}

/// Time per frame and what takes most of it.
fn pace(summary: &Summary) -> String {
    let s = &summary.stages;
    let stages = [
        ("solving", s.integrate),
        ("preparing", s.prepare),
        ("limiting", s.limit),
        ("collisions", s.collide),
        ("files", summary.output),
    ];
    let sum: f64 = stages.iter().map(|s| s.1).sum();
    let (name, most) = stages.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("five stages");
    let per_frame = 1e3 * sum / summary.frames as f64;
    format!("{per_frame:.1} ms/frame, {:.0} % {name}", 100.0 * most / sum.max(f64::MIN_POSITIVE))
}

/// A progress bar on standard error, if anybody is looking.
pub fn progress(common: &Common, frames: usize, unit: &str) -> ProgressBar {
    progress_bar(common.quiet || common.json, frames, unit)
}

/// The same, unless it shall be quiet.
pub fn progress_bar(quiet: bool, frames: usize, unit: &str) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(frames as u64), target);
    let template = format!("{{bar:32}} {{pos}}/{{len}} {unit}  {{msg}}  {{eta}} left");
    bar.set_style(ProgressStyle::with_template(&template).expect("a constant template"));
    bar
}

/// Say what was done.
fn report(
    common: &Common,
    scene: &Scene,
    simulation: &Simulation,
    summary: &Summary,
    files: &[std::path::PathBuf],
) -> Result<(), Stopped> {
    if common.json {
        return print(&format!("{:#}\n", summary.json(scene, simulation, files)));
    }
    if !common.quiet {
        tell(summary, scene, simulation, files);
    }
    Ok(())
}
