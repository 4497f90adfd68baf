//! Sweeps: cases and journal are the library's; who runs which case when is Python's business.

use crate::error::{Raise, plain, setting};
use crate::scene::Scene;
use crate::simulation::Simulation;
use crate::{input, tables, threads};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use taut::scene::Value;
use taut::sweep::{Outcome, Sweep, cases, grid};

/// The cases of a sweep and its journal.
#[pyclass(frozen, module = "taut", name = "_Cases")]
pub struct Cases {
    /// None when it is closed.
    sweep: RwLock<Option<Sweep>>,
    scene: Arc<taut::Scene>,
    stopped: AtomicBool,
}

impl Cases {
    fn with<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&Sweep) -> R + Send) -> PyResult<R> {
        let done = py.detach(|| {
            let sweep = self.sweep.read().unwrap_or_else(PoisonError::into_inner);
            sweep.as_ref().map(work)
        });
        done.ok_or_else(|| plain(py, "this sweep is closed: open it again"))
    }
}

#[pymethods]
impl Cases {
    #[new]
    #[pyo3(signature = (scene, vary, out, frames, limit))]
    fn new(
        scene: &Bound<'_, PyAny>,
        vary: &Bound<'_, PyAny>,
        out: PathBuf,
        frames: Option<&Bound<'_, PyAny>>,
        limit: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let scene = Scene::of(scene)?;
        let frames = frames.map(|frames| input::whole("frames", frames, 0)).transpose()?;
        let limit = limit.map(|limit| input::number("limit", limit)).transpose()?;
        if limit.is_some_and(|limit| limit <= 0.0 || limit.is_nan()) {
            return setting("limit", limit.unwrap_or_default(), "must be a positive number of seconds");
        }
        let all = match tables::value("vary", vary)? {
            Value::Table(table) => grid(&table).raise()?,
            Value::Array(list) => {
                let table = |one: &Value| one.as_table().cloned();
                match list.iter().map(table).collect::<Option<Vec<_>>>() {
                    Some(list) => cases(&list),
                    None => return setting("vary", input::short(vary), "must be a dict, or a list of dicts"),
                }
            }
            _ => return setting("vary", input::short(vary), "must be a dict, or a list of dicts"),
        };
        let mut sweep =
            Sweep::open((*scene).clone(), all, frames.map(|frames| frames as usize), &out).raise()?;
        sweep.limit = limit;
        Ok(Cases { sweep: RwLock::new(Some(sweep)), scene, stopped: AtomicBool::new(false) })
    }

    /// Numbers of the cases that are to be run.
    fn missing(&self, py: Python<'_>) -> PyResult<Vec<usize>> {
        self.with(py, Sweep::missing)
    }

    /// What was found in the journal that is worth saying.
    #[getter]
    fn notes(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |sweep| sweep.notes.clone())
    }

    /// Run one case: its line, and the simulation if it is done; None if it was stopped.
    fn run<'py>(
        &self,
        py: Python<'py>,
        index: usize,
    ) -> PyResult<Option<(Bound<'py, PyAny>, Option<Simulation>)>> {
        let go_on = || !self.stopped.load(Ordering::Relaxed);
        let Some((outcome, ended)) = self.with(py, |sweep| sweep.case(index, &go_on))? else {
            return Ok(None);
        };
        let line = tables::object(py, &serde_json::json!(outcome))?;
        let ended = ended.map(|simulation| Simulation::of(self.scene.clone(), simulation, threads::known(1)));
        Ok(Some((line, ended)))
    }

    /// Write the line of a case into the journal.
    fn record(&self, line: &Bound<'_, PyAny>) -> PyResult<()> {
        let text: String = line.py().import("json")?.call_method1("dumps", (line,))?.extract()?;
        match serde_json::from_str::<Outcome>(&text) {
            Ok(outcome) => self.with(line.py(), |sweep| sweep.record(outcome))?.raise(),
            Err(e) => setting("measures", input::short(line), format!("must be numbers, text or lists: {e}")),
        }
    }

    /// The lines of all cases that ended, by their numbers.
    fn lines<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let outcomes = self.with(py, Sweep::outcomes)?;
        tables::object(py, &serde_json::json!(outcomes))
    }

    /// Let cases that are under way end before their next step.
    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Let others write the journal.
    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.sweep.write().unwrap_or_else(PoisonError::into_inner).take()));
    }
}
