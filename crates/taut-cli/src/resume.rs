//! The state of a run as a file, to go on from.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use taut::run::files::Draft;
use taut::{Edit, Error, Scene, Settings, Simulation, input};

/// Write all that is needed to go on.
pub fn save(file: Draft, simulation: &Simulation) -> Result<(), Error> {
    file.fill(|out| out.write_all(&simulation.snapshot())).map(drop)
}

/// The simulation that a run of this scene saved. The scene gets its settings, and the frames that are left.
pub fn load(file: &Path, scene: &mut Scene, quiet: bool) -> Result<Simulation, Error> {
    let path = file.to_string_lossy();
    let bytes = input::read(file, input::MOST_BYTES)?;
    let restored = Simulation::restore(&bytes).map_err(|e| match e {
        Error::File { problem, remedy, .. } => Error::file(path.as_ref(), None, problem, remedy),
        other => Error::file(path.as_ref(), None, other, ""),
    })?;
    let refuse = |problem: String| {
        let remedy = "resume a run with the scene it was saved from";
        Err(Error::file(path.as_ref(), None, problem, remedy))
    };
    let (own, other) = (&scene.model, restored.simulation.model());
    // Those that were there before anything was cut.
    let (theirs, ours) = (other.particles() - other.copies.len(), own.particles());
    if theirs != ours {
        return refuse(format!("holds {theirs} particles, the scene {} has {ours}", scene.name));
    }
    let ends = |model: &taut::Model| model.springs.iter().map(|s| s.ends).collect::<Vec<_>>();
    let uncut = |t: &[u32; 3]| t.map(|i| other.original(i));
    let parts = |edit: &Edit| matches!(edit, Edit::Cut(_) | Edit::CutAt { .. } | Edit::Open(_));
    let edits = scene.events.iter().map(|e| &e.edit).chain(scene.log.iter().map(|e| &e.edit));
    let cuts = edits.into_iter().any(parts);
    let cuts = cuts || own.bodies.iter().any(|body| body.tear.is_some());
    let cut = cuts || other.copies.len() > own.copies.len();
    // Holes have none, and the insides of solids that were not there.
    let [before, after]: [BTreeSet<[u32; 3]>; 2] =
        [own.triangles.iter().copied().collect(), other.triangles.iter().map(uncut).collect()];
    let kept = own.triangles.iter().copied().filter(|t| !cut || after.contains(t));
    let same = own.rest == other.rest[..ours]
        && kept.eq(other.triangles.iter().map(uncut).filter(|t| !cut || before.contains(t)))
        && (cut || own.masses == other.masses && ends(own) == ends(other) && own.links == other.links);
    if !same || scene.obstacles != restored.simulation.obstacles() {
        return refuse(format!("holds other springs, links, masses or solids than the scene {}", scene.name));
    }
    let (theirs, ours) = (restored.simulation.settings().time_step, scene.time_step());
    if theirs != ours {
        return refuse(format!("takes steps of {theirs} s, the scene {} of {ours} s", scene.name));
    }
    for note in restored.notes.iter().filter(|_| !quiet) {
        say!("note: {path}: {note}; the last bits may differ");
    }
    scene.frames = scene.frames.saturating_sub(frames_of(&restored.simulation, scene));
    scene.settings = restored.simulation.settings().clone();
    Ok(restored.simulation)
}

/// How many frames of the scene, the start not counted, a simulation has behind it.
pub fn frames_of(simulation: &Simulation, scene: &Scene) -> usize {
    simulation.state().step as usize / scene.substeps
}

/// The same simulation with what the command line changes about its settings.
pub fn with(mut simulation: Simulation, settings: &Settings) -> Result<Simulation, Error> {
    if simulation.settings() != settings {
        simulation.configure(settings.clone())?;
    }
    Ok(simulation)
}
