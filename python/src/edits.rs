//! What can be done to a simulation, as edits and otherwise.

use crate::error::{Raise, setting};
use crate::simulation::Simulation;
use crate::{input, snapshot, tables};
use glam::DQuat;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PySequence};
use std::sync::Arc;
use taut::collision::Pose;
use taut::{Blade, Edit, Recorded, Severed, Solid};

#[pymethods]
impl Simulation {
    /// Hold particles where they are.
    fn pin(&self, particles: &Bound<'_, PyAny>) -> PyResult<()> {
        let own = self.particles_of(particles)?;
        self.short(particles.py(), |simulation| simulation.pin_all(&own))?.raise()
    }

    /// Hold particles at places [m]: each is exactly there after the next step. One place is for all of them.
    fn grab(&self, particles: &Bound<'_, PyAny>, places: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = places.py();
        let particles = self.particles_of(particles)?;
        let places = match input::vector("places", places) {
            Ok(one) => vec![one; particles.len()],
            Err(_) => input::vectors("places", places, Some(particles.len()))?,
        };
        self.edit(py, Edit::Place { particles, places })
    }

    /// Let particles go, with the velocity they have.
    fn release(&self, particles: &Bound<'_, PyAny>) -> PyResult<()> {
        let own = self.particles_of(particles)?;
        self.edit(particles.py(), Edit::Release { particles: own })
    }

    /// Take all motion away.
    fn halt(&self, py: Python<'_>) -> PyResult<()> {
        self.short(py, taut::Simulation::halt)
    }

    /// Multiply the stiffness of springs.
    fn scale_stiffness(&self, springs: &Bound<'_, PyAny>, factor: &Bound<'_, PyAny>) -> PyResult<()> {
        let factor = input::number("factor", factor)?;
        let count = self.short(springs.py(), |own| own.model().springs.len())?;
        let own = input::indices("springs", springs, count)?;
        self.edit(springs.py(), Edit::Stiffness { springs: own, factor })
    }

    /// Take steps in another way: `configure(method="newton", damping={"drag": 0.1})`, by the words of `settings`.
    #[pyo3(signature = (**changes))]
    fn configure(&self, py: Python<'_>, changes: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let Some(changes) = changes else { return Ok(()) };
        let own = tables::given(changes)?;
        if changes.get_item("limit")?.is_some_and(|limit| limit.is_none()) {
            own.set_item("limit", false)?;
        }
        let table = tables::table("settings", own.as_any())?;
        let done = self.short(py, |own| own.settings().changed(&table).and_then(|new| own.configure(new)))?;
        done.raise()
    }

    /// Make an edit as Rust has it: `{"place": {"particles": [24], "places": [[0.1, 0.25, 0.0]]}}`.
    fn apply(&self, edit: &Bound<'_, PyAny>) -> PyResult<()> {
        let json = tables::json("edit", edit)?;
        match serde_json::from_value::<Edit>(json) {
            Ok(own) => self.long(edit.py(), |simulation| simulation.edit(own))?.raise(),
            Err(e) => setting("edit", input::short(edit), format!("is none: {e}")),
        }
    }

    /// Cut through everything that a blade meets: corners of its triangles [m], (n, 3, 3), or a dict with the points of a
    /// `line` and the vector `along` which it is swept [m]. What the cut has done.
    fn cut<'py>(&self, blade: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let py = blade.py();
        let own = match blade.cast::<PyDict>() {
            Ok(dict) => {
                let part = |key: &str| match dict.get_item(key)? {
                    Some(found) => Ok(found),
                    None => setting("blade", input::short(blade), format!("the key `{key}` is missing")),
                };
                let line = input::vectors("line", &part("line")?, None)?;
                Blade::sweep(&line, input::vector("along", &part("along")?)?).raise()?
            }
            Err(_) => Blade { triangles: input::corners("blade", blade)? },
        };
        severed(py, &self.long(py, |simulation| simulation.cut(&own))?.raise()?)
    }

    /// Punch a hole where a particle is. What that has done.
    fn cut_at<'py>(&self, py: Python<'py>, particle: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        match self.particles_of(particle)?.as_slice() {
            &[one] => severed(py, &self.long(py, |own| own.cut_at(one))?.raise()?),
            other => setting("particle", format!("{} particles", other.len()), "must be one"),
        }
    }

    /// Move a solid, an obstacle by its number or a body by its name: it is there after the next step. `position` [m] is how
    /// far from where it was given, `rotation` a unit quaternion (x, y, z, w) about the origin.
    #[pyo3(signature = (solid, position, rotation = None))]
    #[pyo3(name = "move")]
    fn move_solid(
        &self,
        solid: &Bound<'_, PyAny>,
        position: &Bound<'_, PyAny>,
        rotation: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let py = solid.py();
        let turn = rotation.map(|rotation| input::tuple::<4>("rotation", rotation)).transpose()?;
        let pose = Pose {
            turn: turn.map_or(DQuat::IDENTITY, DQuat::from_array),
            shift: input::vector("position", position)?,
        };
        let own = match solid.extract::<String>() {
            Ok(name) => {
                let found =
                    self.short(py, |own| own.model().bodies.iter().position(|body| body.name == name))?;
                match found {
                    Some(body) => Solid::Body(body),
                    None => return setting("solid", format!("{name:?}"), "is the name of no body"),
                }
            }
            Err(_) => Solid::Obstacle(input::whole("solid", solid, 0)? as usize),
        };
        self.short(py, |simulation| simulation.move_solid(own, pose))?.raise()
    }

    /// Keep a log of edits from now on.
    fn record(&self, py: Python<'_>) -> PyResult<()> {
        self.short(py, taut::Simulation::record)
    }

    /// The edits since `record`: dicts of the steps before them and the edit.
    #[getter]
    fn log<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let log = self.short(py, |own| own.log().to_vec())?;
        let one = |r: &Recorded| serde_json::json!({ "step": r.step, "edit": r.edit });
        tables::object(py, &log.iter().map(one).collect())
    }

    /// Make the edits of a log again, each before the step before which it was made.
    fn replay(&self, log: &Bound<'_, PySequence>) -> PyResult<()> {
        let json = tables::json("log", log.as_any())?;
        match serde_json::from_value::<Vec<Recorded>>(json) {
            Ok(own) => self.short(log.py(), |simulation| simulation.replay(own))?.raise(),
            Err(e) => setting("log", input::short(log.as_any()), format!("is none: {e}")),
        }
    }

    /// Also solve every step exactly from now on, to report its relative error (slow).
    fn measure_error(&self, py: Python<'_>, on: bool) -> PyResult<()> {
        self.short(py, |own| own.measure_error(on))
    }

    /// Relative error of the coming step against its exact solution, eq. (15) of Liu et al. 2013 (dimensionless); NaN for a
    /// method that minimises nothing. A copy takes the step.
    fn relative_error(&self, py: Python<'_>) -> PyResult<f64> {
        let report = self.long(py, |own| {
            let mut copy = taut::Simulation::restore(&own.snapshot())?.simulation;
            copy.use_threads(own.threads().clone());
            copy.measure_error(true);
            copy.step()
        })?;
        Ok(report.raise()?.relative_error.unwrap_or(f64::NAN))
    }

    /// Everything as bytes: model, state, settings, solids and script. `restore` goes on from there, bit for bit.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.long(py, |own| own.snapshot())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The simulation of a snapshot.
    #[staticmethod]
    #[pyo3(signature = (data, *, threads = None))]
    fn restore(data: &Bound<'_, PyBytes>, threads: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let threads = crate::threads::asked(threads)?;
        let simulation = snapshot::restored(data.py(), data.as_bytes())?;
        Ok(Simulation::of(Arc::new(taut::Scene::around("restored", &simulation)), simulation, threads))
    }

    /// The same simulation again.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let (bytes, threads) = self.long(py, |own| (own.snapshot(), own.threads().clone()))?;
        Ok(Simulation::of(self.scene.clone(), snapshot::restored(py, &bytes)?, threads))
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>, snapshot::Facts))> {
        let make = py.import("taut._taut")?.getattr("_unpickle")?;
        let threads = self.short(py, |own| own.threads().count())?;
        Ok((make, (self.snapshot(py)?, snapshot::facts(&self.scene, threads))))
    }
}

fn severed<'py>(py: Python<'py>, cut: &Severed) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("copies", cut.copies.len())?;
    dict.set_item("removed", cut.removed)?;
    dict.set_item("pieces", cut.pieces)?;
    dict.set_item("deflated", cut.deflated)?;
    Ok(dict)
}
