//! Small frozen classes.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A class of named values that never change.
macro_rules! record {
    ($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[pyclass(frozen, get_all, module = "taut")]
        pub struct $name {
            $($(#[$what])* pub $field: $type,)*
        }

        #[pymethods]
        impl $name {
            /// The same as a dict.
            fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                let dict = PyDict::new(py);
                $(dict.set_item(stringify!($field), self.$field.clone())?;)*
                Ok(dict)
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                let dict = self.to_dict(py)?;
                let fields = dict.iter().map(|(key, value)| Ok(format!("{key}={}", value.repr()?)));
                Ok(format!("{}({})", stringify!($name), fields.collect::<PyResult<Vec<_>>>()?.join(", ")))
            }

            fn __reduce__(&self, py: Python<'_>) -> PyResult<(Py<PyAny>, (Py<PyDict>,))> {
                let make = py.import("taut")?.getattr(stringify!($name))?.getattr("_of")?;
                Ok((make.unbind(), (self.to_dict(py)?.unbind(),)))
            }

            #[staticmethod]
            fn _of(fields: &Bound<'_, PyDict>) -> PyResult<Self> {
                let missing = |name: &str| pyo3::exceptions::PyKeyError::new_err(name.to_string());
                Ok($name {
                    $($field: fields.get_item(stringify!($field))?.ok_or_else(|| missing(stringify!($field)))?
                        .extract()?,)*
                })
            }
        }
    };
}

record! {
    /// What one step cost and how exact it was.
    Report {
        /// Steps taken so far.
        step: u64,
        /// Simulated time after the step [s].
        time: f64,
        /// Iterations of the method.
        iterations: usize,
        /// Of those, Newton steps.
        newton_steps: usize,
        /// Iterations of linear solvers.
        linear_iterations: usize,
        /// Why the step ended: iterations, tolerance, budget, rounding, stalled or non_finite.
        ended: String,
        /// Scaled residual at the answer (dimensionless).
        residual: f64,
        /// Relative error against the exact step, if it is measured (dimensionless).
        relative_error: Option<f64>,
        /// Energy that the energy budget could not give back [J].
        missing_energy: Option<f64>,
        /// How edits since the step before were followed.
        followed: String,
        /// Particles that touch a solid.
        touching: usize,
        /// Contacts of bodies with themselves and each other.
        contacts: usize,
        /// Tetrahedra that are inside out.
        inverted: usize,
        /// Copies of particles that cuts and tears have made.
        copies: usize,
        /// Wall-clock time [s].
        seconds: f64,
    }
}

impl From<&taut::Report> for Report {
    fn from(report: &taut::Report) -> Self {
        let s = report.seconds;
        Report {
            step: report.step,
            time: report.time,
            iterations: report.solve.iterations,
            newton_steps: report.solve.newton_steps,
            linear_iterations: report.solve.linear_iterations,
            ended: report.solve.ended.name().into(),
            residual: report.solve.residual,
            relative_error: report.relative_error,
            missing_energy: report.missing_energy,
            followed: report.way.to_string(),
            touching: report.touching,
            contacts: report.contact.map_or(0, |contact| contact.contacts),
            inverted: report.inverted,
            copies: report.parted.map_or(0, |parted| parted.copies),
            seconds: s.script + s.prepare + s.integrate + s.limit + s.collide,
        }
    }
}

record! {
    /// How settling went.
    Settled {
        /// Steps taken.
        steps: usize,
        /// Iterations in all steps together.
        iterations: usize,
        /// Whether it is at rest.
        converged: bool,
        /// Largest displacement in the last step, in mean rest lengths (dimensionless).
        displacement: f64,
    }
}

impl From<taut::Settled> for Settled {
    fn from(settled: taut::Settled) -> Self {
        let taut::Settled { steps, iterations, converged, displacement, .. } = settled;
        Settled { steps, iterations, converged, displacement }
    }
}

record! {
    /// Mechanical energy [J].
    Energy {
        /// Of the motion [J].
        kinetic: f64,
        /// Of springs and all other elements [J].
        elastic: f64,
        /// In the field of gravity, zero at the origin [J].
        gravity: f64,
        /// All together [J].
        total: f64,
    }
}

impl From<taut::measure::Energy> for Energy {
    fn from(energy: taut::measure::Energy) -> Self {
        let taut::measure::Energy { kinetic, elastic, gravity } = energy;
        Energy { kinetic, elastic, gravity, total: energy.total() }
    }
}

record! {
    /// Something suspicious about a scene.
    Finding {
        /// note, warning or error.
        severity: String,
        /// What was found, with index and value.
        what: String,
        /// What to change.
        remedy: String,
    }
}

impl From<taut::doctor::Finding> for Finding {
    fn from(finding: taut::doctor::Finding) -> Self {
        let taut::doctor::Finding { severity, what, remedy } = finding;
        Finding { severity: severity.name().into(), what, remedy }
    }
}
