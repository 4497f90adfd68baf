//! What a run has to say for itself, as one JSON object.

use crate::collision::Response;
use crate::doctor::Finding;
use crate::kernel::Kernel;
use crate::{Ended, Limited, Method, Parted, Report, Scene, Simulation, Stages, Way, measure};
use serde_json::{Value, json};
use std::ops::Range;
use std::path::PathBuf;

/// Adds up the reports of a run.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// Frames made.
    pub frames: usize,
    /// Steps taken.
    pub steps: usize,
    /// Iterations of all steps.
    pub iterations: usize,
    /// Steps that ended because they had made all iterations allowed.
    pub at_limit: usize,
    /// Newton steps of all steps.
    pub newton_steps: usize,
    /// Iterations of linear solvers.
    pub linear_iterations: usize,
    /// Springs or elements whose Hessian was made definite.
    pub indefinite: usize,
    /// Rows multiplied by linear solvers.
    pub rows_multiplied: usize,
    /// Largest number in any step.
    pub components: usize,
    /// In the last step.
    pub explicit_springs: usize,
    /// Scaled residual of the last step.
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
    /// Wall-clock time of each stage \[s\].
    pub stages: Stages,
    /// Time for files \[s\].
    pub output: f64,
    /// Time in all \[s\].
    pub total: f64,
    /// Relative error of the last step of each frame, if it was asked for.
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
    pub fn json(&self, scene: &Scene, simulation: &Simulation, files: &[PathBuf]) -> Value {
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
            "threads": simulation.threads().count(),
            "kernel": Kernel::detected().name(),
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
}

/// The limit on iterations of a method that has something to reach before, and what that is.
pub fn goal(method: &Method) -> Option<(usize, String)> {
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

/// Findings as objects.
pub fn findings(findings: &[Finding]) -> Value {
    let object = |f: &Finding| json!({ "severity": f.severity.name(), "what": f.what, "remedy": f.remedy });
    findings.iter().map(object).collect()
}
