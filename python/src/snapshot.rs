//! Simulations as bytes: for pickle with what a run needs to know of the scene.

use crate::error::Raise;
use crate::simulation::Simulation;
use crate::threads;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;
use taut::Scene;

/// What a run needs to know of a scene: name, title, hash of its text, frames, frames per second and steps per frame; and
/// the threads.
pub type Facts = (String, String, u64, usize, f64, usize, usize);

pub fn facts(scene: &Scene, threads: usize) -> Facts {
    let Scene { name, title, hash, frames, frames_per_second, substeps, .. } = scene;
    (name.clone(), title.clone(), *hash, *frames, *frames_per_second, *substeps, threads)
}

/// The simulation of a snapshot. Why its last bits may differ from the original's is a warning.
pub fn restored(py: Python<'_>, bytes: &[u8]) -> PyResult<taut::Simulation> {
    let restored = py.detach(|| taut::Simulation::restore(bytes)).raise()?;
    for note in &restored.notes {
        let words = std::ffi::CString::new(format!("{note}; the last bits may differ"))?;
        PyErr::warn(py, &py.get_type::<pyo3::exceptions::PyUserWarning>(), &words, 2)?;
    }
    Ok(restored.simulation)
}

/// A pickled simulation.
#[pyfunction]
#[pyo3(name = "_unpickle")]
pub fn unpickle(py: Python<'_>, bytes: &Bound<'_, PyBytes>, facts: Facts) -> PyResult<Simulation> {
    let simulation = restored(py, bytes.as_bytes())?;
    let (name, title, hash, frames, frames_per_second, substeps, count) = facts;
    let mut scene = Scene::around(&name, &simulation);
    (scene.title, scene.hash, scene.frames) = (title, hash, frames);
    (scene.frames_per_second, scene.substeps) = (frames_per_second, substeps);
    Ok(Simulation::of(Arc::new(scene), simulation, threads::known(count)))
}
