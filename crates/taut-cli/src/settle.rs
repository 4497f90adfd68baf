//! `taut settle`: the static equilibrium of a scene.

use crate::args::{Common, Settle};
use crate::inspect::stretched;
use crate::output::{Kind, Outputs};
use crate::run::{load, progress};
use crate::signals::Signals;
use crate::summary::tell_files;
use crate::{Stopped, print};
use taut::run::Summary;
use taut::{Error, Scene, Settled, Simulation, clock, measure};

pub fn settle(args: &Settle) -> Result<(), Stopped> {
    let started = clock::seconds();
    if args.rest.is_nan() || args.rest < 0.0 {
        let remedy = "must be zero or more mean rest lengths, for example 1e-9";
        return Err(Stopped::Input(Error::setting("--rest", args.rest, remedy)));
    }
    if args.steps == 0 {
        return Err(Stopped::Input(Error::setting("--steps", 0, "at least one is needed")));
    }
    let mut scene = load(&args.common).map_err(Stopped::Input)?;
    // With the pins of the start: what an event would do later is no part of how it hangs.
    scene.events.clear();
    let mut simulation = scene.simulation().map_err(Stopped::Input)?;
    let mut outputs = Outputs::new(&scene, &args.common, Kind::Still, 0).map_err(Stopped::Input)?;
    let signals = Signals::listen();
    let bar = progress(&args.common, args.steps, "steps");
    let settled = simulation
        .settle(args.rest, args.steps, |step, moved| {
            bar.set_position(step as u64);
            bar.set_message(format!("moving by {moved:.1e} rest lengths"));
            signals.seen().is_none()
        })
        .map_err(Stopped::Run)?;
    // Only what is at rest may be called so.
    if !settled.converged {
        outputs.name = format!("{}_unsettled", scene.name);
    }
    let before = clock::seconds();
    outputs.frame(&simulation).map_err(Stopped::Run)?;
    outputs.finish(&bar, &signals, signals.seen().is_some()).map_err(Stopped::Run)?;
    bar.finish_and_clear();
    let now = clock::seconds();
    let summary = Summary {
        frames: settled.steps,
        iterations: settled.iterations,
        stages: settled.seconds,
        output: now - before,
        total: now - started,
        residual: settled.displacement,
        ..Summary::default()
    };
    let told = tell(&args.common, &scene, &simulation, &settled, &summary, &outputs.written);
    if let Some(code) = signals.seen() {
        return Err(Stopped::Signal(code));
    }
    if !settled.converged {
        let state = match outputs.written.is_empty() {
            true => String::new(),
            false => format!("; the state reached is written as {}", outputs.name),
        };
        return Err(Stopped::Told(format!(
            "not at rest after {} steps: in the last one a particle still moved by {:.1e} mean rest lengths; \
             allow more --steps or a larger --rest, or check that pins or solids hold every body{state}",
            settled.steps, settled.displacement
        )));
    }
    told
}

/// Say what was found. In the JSON object frames are steps, and the residual is the last step's displacement.
fn tell(
    common: &Common,
    scene: &Scene,
    simulation: &Simulation,
    settled: &Settled,
    summary: &Summary,
    files: &[std::path::PathBuf],
) -> Result<(), Stopped> {
    if common.json {
        let mut object = summary.json(scene, simulation, files);
        object["method"] = "settle".into();
        return print(&format!("{object:#}\n"));
    }
    if !common.quiet {
        let stretch = measure::stretch_ratios(simulation.model(), simulation.state());
        let longest = stretch.last().map_or(0.0, |s| 100.0 * (s - 1.0));
        let state = if settled.converged { "at rest" } else { "not at rest" };
        say!("{}: {state} after {} steps, {:.1} s", scene.name, settled.steps, summary.total);
        say!("  longest {} {longest:+.1} %", stretched(simulation.model()));
        tell_files(files);
    }
    Ok(())
}
