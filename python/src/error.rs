//! Errors of the library as the exceptions of `taut.errors`, with their fields.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use taut::Error;

/// A result that becomes an exception.
pub trait Raise<T> {
    fn raise(self) -> PyResult<T>;
}

impl<T> Raise<T> for Result<T, Error> {
    fn raise(self) -> PyResult<T> {
        self.map_err(|error| Python::attach(|py| exception(py, &error).unwrap_or_else(|other| other)))
    }
}

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("taut.errors").map(Bound::unbind))?;
    module.bind(py).getattr(name)
}

fn exception(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let fields = PyDict::new(py);
    let name = match error {
        Error::Model { element, index, problem, remedy } => {
            fields.set_item("element", element)?;
            fields.set_item("index", index)?;
            fields.set_item("problem", problem)?;
            fields.set_item("remedy", remedy)?;
            "ModelError"
        }
        Error::Setting { name, value, remedy } => {
            fields.set_item("name", name)?;
            fields.set_item("value", value)?;
            fields.set_item("remedy", remedy)?;
            "SettingError"
        }
        Error::File { path, line, problem, remedy } => {
            fields.set_item("path", path)?;
            fields.set_item("line", line)?;
            fields.set_item("problem", problem)?;
            fields.set_item("remedy", remedy)?;
            "FileError"
        }
        Error::NonFinite { quantity, particle, time } => {
            fields.set_item("quantity", quantity)?;
            fields.set_item("particle", particle)?;
            fields.set_item("time", time)?;
            "Diverged"
        }
        Error::Diverged { spring, particle, stretch, time } => {
            fields.set_item("spring", spring)?;
            fields.set_item("particle", particle)?;
            fields.set_item("stretch", stretch)?;
            fields.set_item("time", time)?;
            "Diverged"
        }
        Error::Pinched { particles, bodies, time } => {
            fields.set_item("particles", particles)?;
            fields.set_item("bodies", bodies)?;
            fields.set_item("time", time)?;
            "Error"
        }
        _ => "Error",
    };
    let exception = class(py, name)?.call1((error.to_string(),))?;
    for (field, value) in fields {
        exception.setattr(field.extract::<String>()?.as_str(), value)?;
    }
    Ok(PyErr::from_value(exception))
}

/// An exception of that class without fields.
pub fn plain(py: Python<'_>, message: &str) -> PyErr {
    class(py, "Error").and_then(|class| class.call1((message,))).map_or_else(|e| e, PyErr::from_value)
}

/// A [`Error::Setting`] as an exception.
pub fn setting<T>(name: &str, value: impl std::fmt::Display, remedy: impl Into<String>) -> PyResult<T> {
    Err(Error::setting(name, value, remedy)).raise()
}
