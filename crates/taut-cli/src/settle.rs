//! `taut settle`: the static equilibrium of a scene.

use crate::Stopped;
use crate::args::{Format, Settle};
use crate::output::Outputs;
use crate::run::{load, progress, report};
use crate::signals::Signals;
use crate::summary::Summary;
use taut::{Error, clock};

pub fn settle(args: &Settle) -> Result<(), Stopped> {
    let started = clock::seconds();
    let scene = load(&args.common).map_err(Stopped::Input)?;
    let mut simulation = scene.simulation().map_err(Stopped::Input)?;
    let mut outputs = Outputs::new(&scene, &args.common, Format::Png).map_err(Stopped::Input)?;
    let signals = Signals::listen();
    let bar = progress(&args.common, args.steps);
    let settled = simulation
        .settle(args.rest, args.steps, |step, moved| {
            bar.set_position(step as u64);
            bar.set_message(format!("moving by {moved:.1e} rest lengths"));
            signals.seen().is_none()
        })
        .map_err(Stopped::Run)?;
    outputs.frame(simulation.positions()).map_err(Stopped::Run)?;
    outputs.finish(&bar, &signals, signals.seen().is_some()).map_err(Stopped::Run)?;
    bar.finish_and_clear();
    let summary = Summary {
        frames: settled.steps,
        total: clock::seconds() - started,
        residual: settled.displacement,
        ..Summary::default()
    };
    report(&args.common, &scene, &simulation, &summary, &outputs.written);
    if let Some(code) = signals.seen() {
        return Err(Stopped::Signal(code));
    }
    if !settled.converged {
        let moved =
            format!("{:.1e} rest lengths in the last of {} steps", settled.displacement, settled.steps);
        let remedy = "not at rest yet: allow more --steps, or check that something holds the scene";
        return Err(Stopped::Run(Error::setting("displacement", moved, remedy)));
    }
    Ok(())
}
