//! The state of a run as a file, to go on from.

use crate::files::Draft;
use std::io::Write;
use std::path::Path;
use taut::{Error, Scene, Settings, Simulation, input};

/// Write all that is needed to go on.
pub fn save(file: Draft, simulation: &Simulation) -> Result<(), Error> {
    file.fill(|out| out.write_all(&simulation.snapshot())).map(drop)
}

/// The simulation that a run of this scene saved. The scene gets its settings, and the frames that are left.
pub fn load(file: &Path, scene: &mut Scene, quiet: bool) -> Result<Simulation, Error> {
    let path = file.to_string_lossy();
    let bytes = input::read(file, input::MOST_BYTES)?;
    let restored = Simulation::restore(&bytes).map_err(|e| Error::file(path.as_ref(), None, e, ""))?;
    let (own, other) = (&scene.model, restored.simulation.model());
    if (own.particles(), &own.triangles) != (other.particles(), &other.triangles) {
        let problem = format!(
            "holds {} particles and {} triangles, the scene {} has {} and {}",
            other.particles(),
            other.triangles.len(),
            scene.name,
            own.particles(),
            own.triangles.len()
        );
        return Err(Error::file(
            path.as_ref(),
            None,
            problem,
            "resume a run with the scene it was saved from",
        ));
    }
    for note in restored.notes.iter().filter(|_| !quiet) {
        say!("note: {path}: {note}; the last bits may differ");
    }
    let done = restored.simulation.state().step as usize / scene.substeps;
    scene.frames = scene.frames.saturating_sub(done);
    scene.settings = restored.simulation.settings().clone();
    Ok(restored.simulation)
}

/// The same simulation with what the command line changes about its settings.
pub fn with(mut simulation: Simulation, settings: &Settings) -> Result<Simulation, Error> {
    if simulation.settings() != settings {
        simulation.configure(settings.clone())?;
    }
    Ok(simulation)
}
