//! taut in Python: what the library does, as Python classes and NumPy arrays. Nothing is computed here.

mod array;
mod arrays;
mod edits;
mod error;
mod input;
mod model;
mod recording;
mod records;
mod scene;
mod simulation;
mod snapshot;
mod sweep;
mod tables;
mod threads;

use pyo3::prelude::*;

#[pymodule]
mod _taut {
    #[pymodule_export]
    use super::recording::Recording;
    #[pymodule_export]
    use super::records::{Energy, Finding, Report, Settled};
    #[pymodule_export]
    use super::scene::{Mesh, Scene, fabrics, read_mesh, scenes};
    #[pymodule_export]
    use super::simulation::Simulation;
    #[pymodule_export]
    use super::snapshot::unpickle;
    #[pymodule_export]
    use super::sweep::Cases;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
