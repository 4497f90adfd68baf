//! What a run has to say for itself: one JSON object, or a few lines for people.

use crate::inspect::{count, findings};
use serde_json::{Value, json};
use std::ops::Range;
use taut::collision::Response;
use taut::doctor::Finding;
use taut::{Ended, Limited, Method, Parted, Report, Scene, Simulation, Stages, Way, measure};

/// Adds up the reports of a run.
#[derive(Default)]
pub struct Summary {
    pub frames: usize,
    pub steps: usize,
    pub iterations: usize,
    /// Steps that ended because they had made all iterations allowed.
    pub at_limit: usize,
    pub newton_steps: usize,
    pub linear_iterations: usize,
    pub indefinite: usize,
    pub rows_multiplied: usize,
    /// Largest number in any step.
    pub components: usize,
    /// In the last step.
    pub explicit_springs: usize,
    pub residual: f64,
    /// What energy budgets could not give back, all steps together \[J\].
    pub missing_energy: Option<f64>,
    /// What the strain limit left in the last step.
    pub limited: Option<Limited>,
    /// Tets that were inside out after the last step, and the first.
    pub inverted: (usize, Option<usize>),
    /// What contact of bodies did in all steps.
    pub contact: Option<Response>,
    /// What was cut.
    pub parted: Option<Parted>,
    /// Edits and events after the first step, by the way they were followed, and the time that took \[s\].
    pub ways: [(usize, f64); 4],
    pub stages: Stages,
    pub output: f64,
    pub total: f64,
    pub relative_errors: Option<Vec<f64>>,
    /// What `check` warns of, of a run.
    pub warnings: Option<Vec<Finding>>,
    /// Numbers of the frames in the film.
    pub film: Range<usize>,
    /// Pictures drawn, where a signal kept the others from it.
    pub drawn: Option<usize>,
    /// Steps that became not finite: the run ends with the first.
    pub non_finite: usize,
    /// Whether the run ended because it blew up.
    pub diverged: bool,
}

impl Summary {
    /// Count one step.
    pub fn add(&mut self, report: &Report) {
        self.steps += 1;
        self.iterations += report.solve.iterations;
        self.at_limit += usize::from(report.solve.ended == Ended::Iterations);
        self.newton_steps += report.solve.newton_steps;
        self.linear_iterations += report.solve.linear_iterations;
        self.indefinite += report.solve.indefinite;
        self.rows_multiplied += report.solve.rows_multiplied;
        self.components = self.components.max(report.solve.components);
        self.explicit_springs = report.solve.explicit_springs;
        self.residual = report.solve.residual;
        if let Some(missing) = report.missing_energy {
            *self.missing_energy.get_or_insert_default() += missing;
        }
        self.limited = report.limited;
        self.inverted = (report.inverted, report.first_inverted);
        if let Some(contact) = report.contact {
            *self.contact.get_or_insert_default() += contact;
        }
        if let Some(more) = report.parted {
            let all = self.parted.get_or_insert_default();
            *all = Parted {
                copies: all.copies + more.copies,
                removed: all.removed + more.removed,
                pieces: more.pieces,
                deflated: all.deflated + more.deflated,
            };
        }
        if self.stages.prepare > 0.0 && report.way != Way::Nothing {
            let (count, seconds) = &mut self.ways[report.way as usize - 1];
            (*count, *seconds) = (*count + 1, *seconds + report.seconds.prepare);
        }
        self.stages += report.seconds;
    }

    /// The whole run as one object.
    pub fn json(&self, scene: &Scene, simulation: &Simulation, files: &[std::path::PathBuf]) -> Value {
        let (model, state) = (simulation.model(), simulation.state());
        let stretch = measure::stretch_ratios(model, state);
        let at =
            |part: f64| stretch.get(((stretch.len().max(1) - 1) as f64 * part).round() as usize).copied();
        let energy = simulation.energy();
        let mut object = json!({
            "scene": scene.name,
            "scene_hash": format!("{:016x}", scene.hash),
            "version": env!("CARGO_PKG_VERSION"),
            "method": simulation.settings().method.name(),
            "scheme": simulation.settings().scheme.name(),
            "particles": model.particles(),
            "springs": model.springs.len(),
            "triangles": model.triangles.len(),
            "tets": model.tets.len(),
            "frames": self.frames,
            "threads": rayon::current_num_threads(),
            "kernel": taut::kernel::Kernel::detected().name(),
            "steps": self.steps,
            "iterations": self.iterations,
            "newton_steps": self.newton_steps,
            "linear_iterations": self.linear_iterations,
            "indefinite": self.indefinite,
            "rows_multiplied": self.rows_multiplied,
            "components": self.components,
            "explicit_springs": self.explicit_springs,
            "seconds": {
                "total": self.total,
                "prefactor": self.stages.prepare,
                "script": self.stages.script,
                "integrate": self.stages.integrate,
                "limit": self.stages.limit,
                "collide": self.stages.collide,
                "output": self.output,
            },
            "residual": self.residual,
            "max_stretch": at(1.0),
            "p99_stretch": at(0.99),
            "energy": { "kinetic": energy.kinetic, "elastic": energy.elastic, "gravity": energy.gravity },
            "momentum": measure::momentum(model, state).to_array(),
            "non_finite": self.non_finite,
            "diverged": self.diverged,
            "hash": format!("{:016x}", measure::hash(state)),
            "files": files.iter().map(|f| f.to_string_lossy()).collect::<Vec<_>>(),
        });
        object["notes"] = json!(scene.notes);
        if let Some((limit, _)) = goal(&simulation.settings().method) {
            object["at_limit"] = json!({ "steps": self.at_limit, "iterations": limit });
        }
        for (name, count) in [
            ("links", model.links.len()),
            ("membranes", model.membranes.len()),
            ("blocks", model.blocks.len()),
        ] {
            if count > 0 {
                object[name] = json!(count);
            }
        }
        if model.tets.len() + model.blocks.len() > 0 {
            let (count, first) = self.inverted;
            object["inverted"] = json!({ "count": count, "first": first });
        }
        if let Some(warnings) = &self.warnings {
            object["warnings"] = findings(warnings);
        }
        if let Some(missing) = self.missing_energy {
            object["missing_energy"] = json!(missing);
        }
        if let Some(l) = self.limited {
            object["limited"] = json!({ "passes": l.passes, "over": l.over, "worst": l.worst });
        }
        if let Some(c) = self.contact {
            object["contact"] = json!({
                "most_pairs": c.pairs,
                "most_contacts": c.contacts,
                "capped": c.capped,
                "rounds": c.rounds,
                "zones": c.zones,
                "largest_zone": c.largest_zone,
                "halvings": c.halvings,
                "pinches": c.pinches,
                "tangled": c.tangled,
                "nearest": c.nearest.is_finite().then_some(c.nearest),
            });
            let s = self.stages.contact;
            object["contact"]["seconds"] = json!({
                "search": s.search,
                "solids": s.solids,
                "sweep": s.sweep,
                "certify": s.certify,
                "zones": s.zones,
            });
        }
        if let Some(Parted { copies, removed, pieces, deflated }) = self.parted {
            object["cut"] =
                json!({ "copies": copies, "removed": removed, "pieces": pieces, "deflated": deflated });
        }
        for (name, (count, seconds)) in ["held", "apart", "kept_order", "fresh"].into_iter().zip(self.ways) {
            if count > 0 {
                object["edits"][name] = json!({ "count": count, "seconds": seconds });
            }
        }
        if let Some(errors) = &self.relative_errors {
            object["relative_error"] = json!(errors);
        }
        object
    }

    /// A few lines for people.
    pub fn tell(&self, scene: &Scene, simulation: &Simulation, files: &[std::path::PathBuf]) {
        let model = simulation.model();
        let stretch = measure::stretch_ratios(model, simulation.state());
        let worst = stretch.last().map_or(0.0, |s| 100.0 * (s - 1.0));
        let per_frame = 1e3 * self.stages.integrate / self.frames.max(1) as f64;
        say!(
            "{}: {} particles, {} springs, {} by {}",
            scene.name,
            model.particles(),
            model.springs.len(),
            count(self.frames, "frame", "frames"),
            simulation.settings().method.name()
        );
        say!(
            "  {per_frame:.1} ms per frame ({}), {:.0} ms to prepare, {:.1} s in all, {:.1} of it for files",
            count(self.iterations / self.frames.max(1), "iteration", "iterations"),
            1e3 * self.stages.prepare,
            self.total,
            self.output
        );
        let preview =
            matches!(simulation.settings().method, Method::LocalGlobal(stop) if stop.tolerance == 0.0);
        let remark = if preview { " (a fixed number of iterations: a preview, not converged)" } else { "" };
        match simulation.settings().method {
            Method::Explicit(_) => say!("  longest spring {worst:+.1} %"),
            _ => say!("  longest spring {worst:+.1} %, residual {:.1e}{remark}", self.residual),
        }
        if let Some((limit, goal)) = goal(&simulation.settings().method).filter(|_| self.at_limit > 0) {
            say!(
                "  {} of {} stopped at the limit of {limit} iterations, before {goal}: allow more, take shorter steps, or \
                 use hybrid",
                self.at_limit,
                count(self.steps, "step", "steps")
            );
        }
        if self.components > 0 {
            say!(
                "  {} conjugate gradient iterations, {} rows multiplied; at most {}; {} of {} springs explicit",
                self.linear_iterations,
                self.rows_multiplied,
                count(self.components, "component", "components"),
                self.explicit_springs,
                model.springs.len()
            );
        }
        if let (turned, Some(first)) = self.inverted {
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
        if let Some(missing) = self.missing_energy.filter(|missing| missing.abs() > noise) {
            let what = if missing < 0.0 { "taken away" } else { "given back" };
            say!("  {:.3e} J could not be {what} by the energy budget", missing.abs());
        }
        if let Some(l) = self.limited {
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
        if let Some(Parted { copies, removed, pieces, deflated }) = self.parted {
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
        for (way, (times, seconds)) in ways.into_iter().zip(self.ways) {
            if times > 0 {
                say!("  {} {way}, {:.1} ms", count(times, "edit", "edits"), 1e3 * seconds);
            }
        }
        if let Some(c) = &self.contact {
            say!(
                "  contact: at most {} at once, {} of impacts, {}, {:.1} ms per frame",
                count(c.contacts, "contact", "contacts"),
                count(c.rounds, "round", "rounds"),
                count(c.zones, "rigid zone", "rigid zones"),
                1e3 * self.stages.collide / self.frames.max(1) as f64
            );
            if c.tangled + c.pinches > 0 {
                say!(
                    "  {} let through where cloth was pinched; at most {} a triangle",
                    count(c.pinches, "pair", "pairs"),
                    count(c.tangled, "edge crosses", "edges cross")
                );
            }
        }
        if let Some(errors) = &self.relative_errors {
            let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
            say!("  relative error against the exact step: {mean:.2e} on average");
        }
        if let Some(drawn) = self.drawn {
            say!("  stopped while drawing: {drawn} of {} pictures are drawn", self.film.len());
        }
        tell_files(files);
        let picture = files.iter().find(|f| f.extension().is_some_and(|e| e == "png"));
        if let Some(folder) = picture.and_then(|f| f.parent()).filter(|_| self.frames > 1) {
            let (rate, name) = (scene.frames_per_second, scene.name.replace('%', "%%"));
            let pattern = folder.join(format!("{name}_%04d.png"));
            // The pictures before those of a resumed run, if they are there, belong to the film.
            let whole = folder.join(format!("{}_0000.png", scene.name)).exists();
            let first = if whole { 0 } else { self.film.start };
            say!(
                "  for an MP4: ffmpeg -framerate {rate} -start_number {first} -i '{}' -pix_fmt yuv420p '{name}.mp4'",
                pattern.display()
            );
        }
    }
}

/// The limit on iterations of a method that has something to reach before, and what that is.
fn goal(method: &Method) -> Option<(usize, String)> {
    let stop = *method.clone().stop_mut()?;
    match (stop.accuracy, stop.tolerance) {
        (accuracy, _) if accuracy > 0.0 => {
            Some((stop.iterations, format!("the error fell to {accuracy:e} of the first")))
        }
        (_, tolerance) if tolerance > 0.0 => {
            Some((stop.iterations, format!("the residual fell to {tolerance:e}")))
        }
        _ => None,
    }
}

/// Where the results are.
pub fn tell_files(files: &[std::path::PathBuf]) {
    match files {
        [] => {}
        [one] => say!("  wrote {}", one.display()),
        [first, .., last] => {
            say!("  wrote {} files, {} to {}", files.len(), first.display(), last.display())
        }
    }
}
