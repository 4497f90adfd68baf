//! What a run has to say for itself, in a few lines for people.

use crate::inspect::{count, made_of, stretched};
use std::path::PathBuf;
use taut::run::{Summary, goal};
use taut::{Method, Parted, Scene, Simulation, Way, measure};

/// A few lines for people.
pub fn tell(summary: &Summary, scene: &Scene, simulation: &Simulation, files: &[PathBuf]) {
    let model = simulation.model();
    let stretch = measure::stretch_ratios(model, simulation.state());
    let worst = stretch.last().map_or(0.0, |s| 100.0 * (s - 1.0));
    let per_frame = 1e3 * summary.stages.integrate / summary.frames.max(1) as f64;
    say!(
        "{}: {} particles, {}, {} by {}",
        scene.name,
        model.particles(),
        made_of(model),
        count(summary.frames, "frame", "frames"),
        simulation.settings().method.name()
    );
    say!(
        "  {per_frame:.1} ms per frame ({}), {:.0} ms to prepare, {:.1} s in all, {:.1} of it for files",
        count(summary.iterations / summary.frames.max(1), "iteration", "iterations"),
        1e3 * summary.stages.prepare,
        summary.total,
        summary.output
    );
    let preview = matches!(simulation.settings().method, Method::LocalGlobal(stop) if stop.tolerance == 0.0);
    let remark = if preview { " (a fixed number of iterations: a preview, not converged)" } else { "" };
    match simulation.settings().method {
        Method::Explicit(_) => say!("  longest {} {worst:+.1} %", stretched(model)),
        _ => say!("  longest {} {worst:+.1} %, residual {:.1e}{remark}", stretched(model), summary.residual),
    }
    if let Some((limit, goal)) = goal(&simulation.settings().method).filter(|_| summary.at_limit > 0) {
        say!(
            "  {} of {} stopped at the limit of {limit} iterations, before {goal}: allow more, take shorter steps, or \
             use hybrid",
            summary.at_limit,
            count(summary.steps, "step", "steps")
        );
    }
    if summary.components > 0 {
        say!(
            "  {} conjugate gradient iterations, {} rows multiplied; at most {}; {} of {} springs explicit",
            summary.linear_iterations,
            summary.rows_multiplied,
            count(summary.components, "component", "components"),
            summary.explicit_springs,
            model.springs.len()
        );
    }
    if let (turned, Some(first)) = summary.inverted {
        let remedy = match model.blocks.is_empty() {
            true => "springs do not turn them back: take shorter steps, or hold their volume by elements",
            false => "take more iterations or shorter steps",
        };
        let of = model.tets.len().max(model.blocks.len());
        say!(
            "  {turned} of {} inside out at the end, the first is tet {first}: {remedy}",
            count(of, "tet", "tets")
        );
    }
    let energy = simulation.energy();
    let noise = 1e-9 * (energy.kinetic + energy.elastic + energy.gravity.abs());
    if let Some(missing) = summary.missing_energy.filter(|missing| missing.abs() > noise) {
        let what = if missing < 0.0 { "taken away" } else { "given back" };
        say!("  {:.3e} J could not be {what} by the energy budget", missing.abs());
    }
    if let Some(l) = summary.limited {
        let passes = count(l.passes, "pass", "passes");
        match l.over {
            0 => say!("  every spring within its limit after {passes}"),
            over => say!(
                "  {} over their limit after {passes}, the worst by {:.2} %",
                count(over, "spring", "springs"),
                100.0 * (l.worst - 1.0)
            ),
        }
    }
    if let Some(Parted { copies, removed, pieces, deflated }) = summary.parted {
        if deflated > 0 {
            say!("  the air has gone out of {}", count(deflated, "body", "bodies"));
        }
        say!(
            "  cut: {}, {} removed, {} at the end",
            count(copies, "copy", "copies"),
            count(removed, "spring", "springs"),
            count(pieces, "piece", "pieces")
        );
    }
    let ways = [Way::Held, Way::Apart, Way::KeptOrder, Way::Fresh];
    for (way, (times, seconds)) in ways.into_iter().zip(summary.ways) {
        if times > 0 {
            say!("  {} {way}, {:.1} ms", count(times, "edit", "edits"), 1e3 * seconds);
        }
    }
    if let Some(c) = &summary.contact {
        say!(
            "  contact: at most {} at once, {} of impacts, {}, {:.1} ms per frame",
            count(c.contacts, "contact", "contacts"),
            count(c.rounds, "round", "rounds"),
            count(c.zones, "rigid zone", "rigid zones"),
            1e3 * summary.stages.collide / summary.frames.max(1) as f64
        );
        if c.tangled + c.pinches > 0 {
            say!(
                "  {} let through where cloth was pinched; at most {} a triangle",
                count(c.pinches, "pair", "pairs"),
                count(c.tangled, "edge crosses", "edges cross")
            );
        }
    }
    if let Some(errors) = &summary.relative_errors {
        let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        say!("  relative error against the exact step: {mean:.2e} on average");
    }
    if let Some(drawn) = summary.drawn {
        say!("  stopped while drawing: {drawn} of {} pictures are drawn", summary.film.len());
    }
    tell_files(files);
    let picture = files.iter().find(|f| f.extension().is_some_and(|e| e == "png"));
    if let Some(folder) = picture.and_then(|f| f.parent()).filter(|_| summary.frames > 1) {
        let (rate, name) = (scene.frames_per_second, scene.name.replace('%', "%%"));
        let pattern = folder.join(format!("{name}_%04d.png"));
        // The pictures before those of a resumed run, if they are there, belong to the film.
        let whole = folder.join(format!("{}_0000.png", scene.name)).exists();
        let first = if whole { 0 } else { summary.film.start };
        say!(
            "  for an MP4: ffmpeg -framerate {rate} -start_number {first} -i '{}' -pix_fmt yuv420p '{name}.mp4'",
            pattern.display()
        );
    }
}

/// Where the results are.
pub fn tell_files(files: &[PathBuf]) {
    match files {
        [] => {}
        [one] => say!("  wrote {}", one.display()),
        [first, .., last] => {
            say!("  wrote {} files, {} to {}", files.len(), first.display(), last.display())
        }
    }
}
