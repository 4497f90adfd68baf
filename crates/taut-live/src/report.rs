//! What a reply says of the steps that were taken.

use crate::running::Running;
use crate::tune;
use serde_json::{Value, json};
use taut::collision::Pose;
use taut::{Error, Report, Stages};

/// Steps of one exchange.
#[derive(Default)]
pub struct Taken {
    pub steps: u64,
    /// Wall-clock time \[s\] of all.
    pub seconds: f64,
    pub stages: Stages,
    /// Of the last; what was cut, of the last that was.
    pub last: Option<Report>,
    /// Whether time ran out.
    pub behind: bool,
}

impl Taken {
    /// Count a step.
    pub fn add(&mut self, report: Report, seconds: f64) {
        self.steps += 1;
        self.seconds += seconds;
        self.stages += report.seconds;
        let parted = report.parted.or(self.last.and_then(|last| last.parted));
        self.last = Some(Report { parted, ..report });
    }
}

/// An error about a command of the request.
pub fn refused(command: Option<usize>, error: &Error) -> Value {
    let line = if let Error::File { line, .. } = error { *line } else { None };
    json!({ "command": command, "message": error.to_string(), "line": line })
}

/// Everything but the errors.
pub fn object(running: &Running, taken: &Taken, version: u32, energy: bool) -> Value {
    let Running { simulation, scene, topology, .. } = running;
    let state = simulation.state();
    let ms = |seconds: f64| 1e3 * seconds;
    let stages = &taken.stages;
    let last = taken.last;
    let contact = last.and_then(|report| report.contact).map(|c| {
        json!({ "pairs": c.pairs, "contacts": c.contacts, "rounds": c.rounds, "zones": c.zones,
            "largest_zone": c.largest_zone, "pinches": c.pinches, "tangled": c.tangled,
            "nearest": c.nearest.is_finite().then_some(c.nearest) })
    });
    let pose = |obstacle: &usize| {
        let Pose { turn, shift } = simulation.obstacles()[*obstacle].pose(state.time);
        let shift = shift - topology.origin + turn * topology.origin;
        [turn.x, turn.y, turn.z, turn.w, shift.x, shift.y, shift.z]
    };
    let energy = energy.then(|| simulation.energy());
    json!({
        "version": version,
        "step": state.step, "time": state.time, "h": simulation.settings().time_step, "taken": taken.steps,
        "behind": taken.behind, "duration": scene.frames as f64 / scene.frames_per_second,
        "ms": { "script": ms(stages.script), "prepare": ms(stages.prepare), "integrate": ms(stages.integrate),
            "limit": ms(stages.limit), "collide": ms(stages.collide) },
        "ms_step": (taken.steps > 0).then(|| ms(taken.seconds) / taken.steps as f64),
        "iterations": last.map(|report| report.solve.iterations),
        "residual": last.map(|report| report.solve.residual),
        "relative_error": last.and_then(|report| report.relative_error),
        "energy": energy.map(|e| json!({ "kinetic": e.kinetic, "elastic": e.elastic, "gravity": e.gravity })),
        "contact": contact,
        "followed": last.map(|report| format!("{:?}", report.followed)),
        "way": last.map(|report| report.way.to_string()),
        "inverted": last.map_or(0, |report| report.inverted),
        "touching": last.map_or(0, |report| report.touching),
        "parted": last.and_then(|report| report.parted).map(|p| {
            json!({ "copies": p.copies, "removed": p.removed, "pieces": p.pieces })
        }),
        "undo": running.undo.depth(), "edits": running.past.len() + simulation.log().len(),
        "preparing": running.pending.is_some(),
        "holding": running.hand.as_ref().map(|hand| &hand.particles),
        "hand": running.hand.as_ref().map(|hand| (hand.place - topology.origin).to_array()),
        "poses": topology.obstacles.iter().map(pose).collect::<Vec<_>>(),
        "stopped": running.stopped.as_ref().map(|(message, _)| message),
        "remedy": running.stopped.as_ref().and_then(|(_, step)| step.map(|h| json!({ "time_step": h }))),
        "settings": tune::object(simulation, &running.stiffness),
    })
}
