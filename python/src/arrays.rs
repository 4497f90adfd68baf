//! What can be read off a simulation, and the arrays that can be set as a whole.

use crate::error::Raise;
use crate::records::{Energy, Report};
use crate::simulation::Simulation;
use crate::{array, input, tables};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use taut::{Edit, measure};

#[pymethods]
impl Simulation {
    /// Positions [m], (m, 3): a copy, which never changes. To set them, give as many.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let positions = self.short(py, |own| own.positions().to_vec())?;
        Ok(array::vectors(py, &positions))
    }

    #[setter]
    fn set_positions(&self, positions: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = positions.py();
        let own = input::vectors("positions", positions, Some(self.count(py)?))?;
        self.short(py, |simulation| simulation.set_positions(&own))?.raise()
    }

    /// Velocities [m/s], (m, 3): a copy. To set them, give as many.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let velocities = self.short(py, |own| own.state().velocities.clone())?;
        Ok(array::vectors(py, &velocities))
    }

    #[setter]
    fn set_velocities(&self, velocities: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = velocities.py();
        let own = input::vectors("velocities", velocities, Some(self.count(py)?))?;
        self.short(py, |simulation| simulation.set_velocities(&own))?.raise()
    }

    /// Forces of your own [N], (m, 3): a copy. To set them, give as many; they act until changed.
    #[getter]
    fn forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let forces = self.short(py, |own| own.state().forces.clone())?;
        Ok(array::vectors(py, &forces))
    }

    #[setter]
    fn set_forces(&self, forces: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = forces.py();
        let own = input::vectors("forces", forces, Some(self.count(py)?))?;
        self.short(py, |simulation| simulation.set_forces(&own))?.raise()
    }

    /// Write the positions [m] into an array of your own, (m, 3), float64 or float32.
    fn copy_positions(&self, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let positions = self.short(out.py(), |own| own.positions().to_vec())?;
        array::fill(out, &positions)
    }

    /// Simulated time [s].
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.short(py, |own| own.state().time)
    }

    /// Time step [s].
    #[getter]
    fn time_step(&self, py: Python<'_>) -> PyResult<f64> {
        self.short(py, |own| own.settings().time_step)
    }

    /// Number of particles m.
    #[getter]
    fn particles(&self, py: Python<'_>) -> PyResult<usize> {
        self.count(py)
    }

    /// Kinetic, elastic and gravitational energy now [J].
    #[getter]
    fn energy(&self, py: Python<'_>) -> PyResult<Energy> {
        Ok(self.short(py, |own| own.energy())?.into())
    }

    /// Linear momentum [kg m/s], (3,).
    #[getter]
    fn momentum<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let momentum = self.short(py, |own| measure::momentum(own.model(), own.state()))?;
        Ok(array::list(py, momentum.to_array().to_vec()))
    }

    /// Hash of every bit of positions and velocities, 16 hexadecimal digits: that of `taut run --json`.
    #[getter]
    fn hash(&self, py: Python<'_>) -> PyResult<String> {
        self.short(py, |own| format!("{:016x}", measure::hash(own.state())))
    }

    /// The word of the method.
    #[getter]
    fn method(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.short(py, |own| own.settings().method.name())
    }

    /// The report of the last step, if there was one.
    #[getter]
    fn report(&self) -> Option<Report> {
        self.seen().as_ref().map(Report::from)
    }

    /// Number of threads it steps on; the bits do not depend on it.
    #[getter]
    fn threads(&self, py: Python<'_>) -> PyResult<usize> {
        self.short(py, |own| own.threads().count())
    }

    /// Rest pose [m], (m, 3).
    #[getter]
    fn rest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rest = self.short(py, |own| own.model().rest.clone())?;
        Ok(array::vectors(py, &rest))
    }

    /// Masses [kg], (m,).
    #[getter]
    fn masses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array::list(py, self.short(py, |own| own.model().masses.clone())?))
    }

    /// Corners of the surface triangles, (n, 3).
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        Ok(array::table(py, &self.short(py, |own| own.model().triangles.clone())?))
    }

    /// Corners of the tetrahedra, (n, 4).
    #[getter]
    fn tets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        Ok(array::table(py, &self.short(py, |own| own.model().tets.clone())?))
    }

    /// Ends of the springs, (s, 2).
    #[getter]
    fn spring_ends<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let ends = self.short(py, |own| own.model().springs.iter().map(|s| s.ends).collect::<Vec<_>>())?;
        Ok(array::table(py, &ends))
    }

    /// Rest lengths of the springs [m], (s,).
    #[getter]
    fn rest_lengths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array::list(
            py,
            self.short(py, |own| own.model().springs.iter().map(|s| s.rest_length).collect())?,
        ))
    }

    /// Stiffness of the springs [N/m], (s,): a copy. To set it, give one number for each, or one for all.
    #[getter]
    fn stiffness<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(array::list(py, self.short(py, |own| own.model().springs.iter().map(|s| s.stiffness).collect())?))
    }

    #[setter]
    fn set_stiffness(&self, stiffness: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = stiffness.py();
        let springs = self.short(py, |own| own.model().springs.len())?;
        let own = input::each("stiffness", stiffness, springs)?;
        self.short(py, |simulation| simulation.set_stiffness(&own))?.raise()
    }

    /// Families of the springs, (s,): 0 stretch, 1 shear, 2 bend.
    #[getter]
    fn families<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        Ok(array::list(
            py,
            self.short(py, |own| own.model().springs.iter().map(|s| s.family as u8).collect())?,
        ))
    }

    /// Velocity of the wind [m/s], (3,); settable. It acts where the air has a density.
    #[getter]
    fn wind<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let wind = self.short(py, |own| own.model().air.wind)?;
        Ok(array::list(py, wind.to_array().to_vec()))
    }

    #[setter]
    fn set_wind(&self, wind: &Bound<'_, PyAny>) -> PyResult<()> {
        self.edit(wind.py(), Edit::Wind(input::vector("wind", wind)?))
    }

    /// Acceleration of gravity [m/s²], (3,); settable.
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let gravity = self.short(py, |own| own.model().gravity)?;
        Ok(array::list(py, gravity.to_array().to_vec()))
    }

    #[setter]
    fn set_gravity(&self, gravity: &Bound<'_, PyAny>) -> PyResult<()> {
        self.edit(gravity.py(), Edit::Gravity(input::vector("gravity", gravity)?))
    }

    /// How steps are taken, by the words that `configure` takes.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let words = self.short(py, |own| own.settings().words())?;
        tables::object(py, &words)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (m, s, time) =
            self.short(py, |own| (own.model().particles(), own.model().springs.len(), own.state().time))?;
        Ok(format!("Simulation({:?}: {m} particles, {s} springs, t = {time:.4} s)", self.scene.name))
    }

    /// A picture of it as it is, and one line of facts.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let scene = self.scene.clone();
        let picture = self.long(py, |own| crate::recording::picture(&scene, own))?.raise()?;
        let line = self.__repr__(py)?.replace('&', "&amp;").replace('<', "&lt;");
        Ok(format!("<img alt=\"\" src=\"data:image/png;base64,{picture}\"><p>{line}</p>"))
    }
}
