//! `taut compare`: several methods from one start, measured against one exact answer.

use crate::args::Compare;
use crate::inspect::count;
use crate::plot::{Curve, Panel, plot};
use crate::run::{as_option, load_scene, named, progress_bar, scheme, step_warning, story};
use crate::signals::Signals;
use crate::{Stopped, print};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use taut::run::files;
use taut::{DVec3, Error, Method, Scene, Scheme, measure};

/// One frame of one method.
struct Frame {
    /// Relative error of its last step against that step's exact minimum, for methods that minimise g.
    error: f64,
    /// Mean distance of the particles from the exact trajectory [m].
    distance: f64,
    /// Total energy [J].
    energy: f64,
    /// The longest spring, length over rest length.
    stretch: f64,
    /// Time to make it [s].
    seconds: f64,
}

/// One method's run.
struct Run {
    name: &'static str,
    iterations: Option<usize>,
    scheme: Scheme,
    frames: Vec<Frame>,
    /// Why it ended early, and what to do about it.
    ended: Option<String>,
}

pub fn compare(args: &Compare) -> Result<(), Stopped> {
    let mut scene = load_scene(&args.scene, args.threads, args.json).map_err(Stopped::Input)?;
    scene.frames = args.frames.unwrap_or(scene.frames.min(30));
    let methods = methods(args, &scene).map_err(Stopped::Input)?;
    files::make_folder(&args.out).map_err(Stopped::Input)?;
    ENDINGS.iter().try_for_each(|e| files::check(&path(args, &scene, e))).map_err(Stopped::Input)?;
    scene.settings.method = Method::newton();
    scene.settings.scheme = scheme(args.scheme.as_deref(), &scene).map_err(Stopped::Input)?;
    let own = |method: &Method| with_method(&scene, method);
    for warning in methods.iter().filter_map(|m| step_warning(&own(m))).filter(|_| !args.json) {
        say!("warning: {warning}");
    }
    let signals = Signals::listen();
    let bar = progress_bar(args.json, scene.frames * (methods.len() + 1), "frames");
    let advance = |what: &str| {
        bar.set_message(what.to_string());
        bar.inc(1);
        signals.seen().map_or(Ok(()), |code| Err(Stopped::Signal(code)))
    };
    let exact = trajectory(&scene, || advance("exact"))?;
    let mut runs = Vec::new();
    for method in methods {
        let name = method.name();
        runs.push(run(&scene, method, &exact, || advance(name))?);
    }
    bar.finish_and_clear();
    let files = write(args, &scene, &runs).map_err(Stopped::Run)?;
    if args.json {
        return print(&format!("{:#}\n", object(&scene, &runs, &files)));
    }
    print(&table(&scene, &runs))?;
    files.iter().for_each(|f| say!("  wrote {}", f.display()));
    Ok(())
}

/// The methods asked for; a number of iterations is for those that iterate a fixed number of times.
fn methods(args: &Compare, scene: &Scene) -> Result<Vec<Method>, Error> {
    let chosen = |word: &String| {
        let mut method = named(&scene.settings.method, word.trim())?;
        if !matches!(method, Method::Newton(_) | Method::Hybrid(_)) {
            let stop = method.stop_mut();
            stop.into_iter().for_each(|s| s.iterations = args.iterations.unwrap_or(s.iterations));
        }
        method.validate().map(|()| method)
    };
    args.methods.iter().map(chosen).collect::<Result<_, _>>().map_err(|e| as_option(e, "--methods"))
}

/// Positions after every frame, each step solved to rounding level.
fn trajectory(
    scene: &Scene,
    mut advance: impl FnMut() -> Result<(), Stopped>,
) -> Result<Vec<Vec<DVec3>>, Stopped> {
    let mut simulation = scene.simulation().map_err(Stopped::Input)?;
    let mut frames = Vec::new();
    for _ in 0..scene.frames {
        for _ in 0..scene.substeps {
            if let Err(e) = simulation.step() {
                return Err(Stopped::Told(format!("the exact run to compare with failed: {e}")));
            }
        }
        frames.push(simulation.positions().to_vec());
        advance()?;
    }
    Ok(frames)
}

/// The scene with another method, and its own time scheme if that method has a use for it.
fn with_method(scene: &Scene, method: &Method) -> Scene {
    let mut own = scene.clone();
    own.settings.method = method.clone();
    if method.check_scheme(own.settings.scheme).is_err() {
        own.settings.scheme = Scheme::default();
    }
    own
}

fn run(
    scene: &Scene,
    method: Method,
    exact: &[Vec<DVec3>],
    mut advance: impl FnMut() -> Result<(), Stopped>,
) -> Result<Run, Stopped> {
    let own = with_method(scene, &method);
    let scheme = own.settings.scheme;
    let mut simulation = own.simulation().map_err(Stopped::Input)?;
    let iterations = method.clone().stop_mut().map(|s| s.iterations);
    let mut run = Run { name: method.name(), iterations, scheme, frames: Vec::new(), ended: None };
    for exact in exact {
        let (mut seconds, mut error) = (0.0, None);
        for substep in 1..=scene.substeps {
            simulation.measure_error(substep == scene.substeps);
            match simulation.step() {
                Ok(report) => {
                    let s = report.seconds;
                    seconds += s.integrate + s.limit + s.collide;
                    error = report.relative_error;
                }
                Err(e) => {
                    run.ended = Some(story(&e, &own, 0..run.frames.len() + 1));
                    return Ok(run);
                }
            }
        }
        let distance: f64 = simulation.positions().iter().zip(exact).map(|(a, b)| a.distance(*b)).sum();
        run.frames.push(Frame {
            error: error.unwrap_or(f64::NAN),
            distance: distance / exact.len().max(1) as f64,
            energy: simulation.energy().total(),
            stretch: measure::stretch_ratios(simulation.model(), simulation.state())
                .last()
                .copied()
                .unwrap_or(1.0),
            seconds,
        });
        advance()?;
    }
    Ok(run)
}

/// A number of a frame, and its name.
type Column = (&'static str, fn(&Frame) -> f64);

/// The numbers of a frame with their names in tables.
const COLUMNS: [Column; 5] = [
    ("relative_error", |f| f.error),
    ("distance_m", |f| f.distance),
    ("energy_J", |f| f.energy),
    ("max_stretch", |f| f.stretch),
    ("seconds", |f| f.seconds),
];

impl Run {
    /// Name with what else tells it apart.
    fn label(&self) -> String {
        let scheme = if self.scheme == Scheme::default() { "" } else { self.scheme.name() };
        let count = self.iterations.filter(|_| !["newton", "hybrid"].contains(&self.name));
        let count = count.map_or(String::new(), |n| format!("{n} iterations"));
        let extra: Vec<&str> = [count.as_str(), scheme].into_iter().filter(|s| !s.is_empty()).collect();
        let extra = if extra.is_empty() { String::new() } else { format!(", {}", extra.join(", ")) };
        format!("{}{extra}{}", self.name, self.fate())
    }

    fn fate(&self) -> String {
        self.ended
            .as_ref()
            .map_or(String::new(), |_| format!(" (diverged in frame {})", self.frames.len() + 1))
    }

    fn mean(&self, of: fn(&Frame) -> f64) -> f64 {
        self.frames.iter().map(of).sum::<f64>() / self.frames.len() as f64
    }

    fn largest(&self, of: fn(&Frame) -> f64) -> f64 {
        self.frames.iter().map(of).fold(f64::NAN, f64::max)
    }
}

fn table(scene: &Scene, runs: &[Run]) -> String {
    let head = format!(
        "{}: {} of {} of {:.5} s, against the exact solution of every step\n\n",
        scene.name,
        count(scene.frames, "frame", "frames"),
        count(scene.substeps, "step", "steps"),
        scene.time_step()
    );
    let columns = "                     error of a step    distance from exact     energy    longest        time\n\
                   method                 mean      max    mean [m]   last [m]        [J]     spring   per frame\n";
    let number = |v: f64| if v.is_nan() { "-".to_string() } else { format!("{v:.1e}") };
    let line = |run: &Run| {
        let last = run.frames.last();
        format!(
            "{:<18} {:>8} {:>8} {:>10} {:>10} {:>10} {:>10} {:>8.2} ms{}\n",
            run.name,
            number(run.mean(|f| f.error)),
            number(run.largest(|f| f.error)),
            number(run.mean(|f| f.distance)),
            number(last.map_or(f64::NAN, |f| f.distance)),
            last.map_or("-".into(), |f| plain(f.energy)),
            format!("{} %", plain(100.0 * (run.largest(|f| f.stretch) - 1.0))),
            1e3 * run.mean(|f| f.seconds),
            run.fate()
        )
    };
    let stories = runs.iter().filter_map(|r| Some(format!("\n{}: {}\n", r.name, r.ended.as_ref()?)));
    head + columns + &runs.iter().map(line).collect::<String>() + &stories.collect::<String>()
}

/// Four digits, without an exponent where that is not longer.
fn plain(v: f64) -> String {
    match v.abs() {
        a if a == 0.0 || (0.1..1e3).contains(&a) => format!("{v:.2}"),
        a if (1e3..1e5).contains(&a) => format!("{v:.0}"),
        _ => format!("{v:.2e}"),
    }
}

/// What is written.
const ENDINGS: [&str; 3] = ["csv", "svg", "png"];

fn path(args: &Compare, scene: &Scene, ending: &str) -> PathBuf {
    args.out.join(format!("{}_compare.{ending}", scene.name))
}

/// The CSV and the plot, as SVG and PNG.
fn write(args: &Compare, scene: &Scene, runs: &[Run]) -> Result<Vec<PathBuf>, Error> {
    let [csv, drawing, picture] = ENDINGS.map(|ending| path(args, scene, ending));
    let csv = files::write(&csv, |out| {
        let names: Vec<&str> = COLUMNS.iter().map(|c| c.0).collect();
        writeln!(out, "method,scheme,frame,{}", names.join(","))?;
        for run in runs {
            for (n, frame) in run.frames.iter().enumerate() {
                let numbers = COLUMNS
                    .map(|c| (c.1)(frame))
                    .map(|v| if v.is_nan() { String::new() } else { v.to_string() });
                writeln!(out, "{},{},{},{}", run.name, run.scheme.name(), n + 1, numbers.join(","))?;
            }
        }
        Ok::<(), std::io::Error>(())
    })?;
    let panel = |title, logarithmic, of: fn(&Frame) -> f64| Panel {
        title,
        logarithmic,
        curves: runs
            .iter()
            .map(|r| Curve { values: r.frames.iter().map(of).collect(), broken: r.ended.is_some() })
            .collect(),
    };
    let mut panels = vec![
        panel("relative error of a step", true, |f| f.error),
        panel("mean distance from exact [m]", true, |f| f.distance),
        panel("total energy [J]", false, |f| f.energy),
        panel("longest spring [% of rest length]", false, |f| 100.0 * f.stretch),
        panel("time per frame [ms]", true, |f| 1e3 * f.seconds),
    ];
    // Methods that do not minimise g have no relative error; if none does, there is nothing to draw.
    panels.retain(|panel| panel.curves.iter().any(|c| c.values.iter().any(|v| v.is_finite())));
    let names: Vec<String> = runs.iter().map(Run::label).collect();
    let plot = plot(&scene.title, "frame", &names, &panels);
    let drawing = files::write(&drawing, |out| out.write_all(plot.svg().as_bytes()))?;
    let picture = files::write(&picture, |out| plot.picture().write_png(out, &scene.title))?;
    Ok(vec![csv, drawing, picture])
}

fn object(scene: &Scene, runs: &[Run], files: &[PathBuf]) -> Value {
    let one = |run: &Run| {
        let mut object = json!({
            "method": run.name,
            "scheme": run.scheme.name(),
            "iterations": run.iterations,
            "frames": run.frames.len(),
            "diverged": run.ended.as_ref().map(|e| json!({ "frame": run.frames.len() + 1, "reason": e })),
        });
        for (name, of) in COLUMNS {
            object[name] = json!(run.frames.iter().map(of).collect::<Vec<f64>>());
        }
        object
    };
    json!({
        "scene": scene.name,
        "frames": scene.frames,
        "time_step": scene.time_step(),
        "methods": runs.iter().map(one).collect::<Vec<_>>(),
        "files": files.iter().map(|f| f.to_string_lossy()).collect::<Vec<_>>(),
    })
}
