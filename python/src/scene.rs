//! Scenes, fabrics and meshes.

use crate::error::Raise;
use crate::records::Finding;
use crate::simulation::Simulation;
use crate::{array, input, tables, threads};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;
use taut::scene::{BUILTIN, FABRICS, Value};

/// The scenes that come with taut: name and title.
#[pyfunction]
pub fn scenes(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    BUILTIN.iter().try_for_each(|scene| dict.set_item(scene.name, scene.title()))?;
    Ok(dict)
}

/// The fabrics that scenes may name, with their numbers: density [kg/m²], stretch, shear and bend [N/m], damping [s];
/// as elements warp, weft and skew [N/m].
#[pyfunction]
pub fn fabrics(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for f in FABRICS {
        let numbers = [
            ("density", f.density),
            ("stretch", f.stretch),
            ("shear", f.shear),
            ("bend", f.bend),
            ("damping", f.damping),
            ("warp", f.warp),
            ("weft", f.weft),
            ("skew", f.skew),
        ];
        dict.set_item(f.name, tables::dict(py, &numbers)?)?;
    }
    Ok(dict)
}

/// Read a mesh file: OBJ, PLY, STL, glTF, GLB, Medit, TetGen, Gmsh or VTK.
#[pyfunction]
pub fn read_mesh(py: Python<'_>, path: PathBuf) -> PyResult<Mesh> {
    py.detach(|| taut::mesh_io::read(path)).raise().map(Mesh)
}

/// A mesh file.
#[pyclass(frozen, module = "taut")]
pub struct Mesh(taut::mesh_io::Mesh);

#[pymethods]
impl Mesh {
    /// Positions of the vertices [m], (n, 3).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        array::vectors(py, &self.0.positions)
    }

    /// Corners of the triangles, (n, 3).
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        array::table(py, &self.0.triangles)
    }

    /// Corners of the tetrahedra, (n, 4).
    #[getter]
    fn tets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        array::table(py, &self.0.tets)
    }

    /// Numbers of the vertices that the file names, in its own units.
    #[getter]
    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, values) in &self.0.attributes {
            let values: Bound<'py, PyArray1<f64>> = array::list(py, values.clone());
            dict.set_item(name, values)?;
        }
        Ok(dict)
    }

    /// What was welded, dropped or left out.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }

    fn __repr__(&self) -> String {
        let taut::mesh_io::Mesh { positions, triangles, tets, .. } = &self.0;
        format!("Mesh({} vertices, {} triangles, {} tets)", positions.len(), triangles.len(), tets.len())
    }
}

/// A scene: text that builds a model, a state and everything a run needs.
#[pyclass(frozen, module = "taut")]
pub struct Scene(pub Arc<taut::Scene>);

impl Scene {
    fn build(
        py: Python<'_>,
        make: impl FnOnce() -> Result<taut::Scene, taut::Error> + Send,
    ) -> PyResult<Self> {
        let threads = threads::usual();
        py.detach(|| threads.run(make)).raise().map(|scene| Scene(Arc::new(scene)))
    }

    /// A scene, its name, a path to it or its tables.
    pub fn of(given: &Bound<'_, PyAny>) -> PyResult<Arc<taut::Scene>> {
        if let Ok(scene) = given.cast::<Scene>() {
            return Ok(scene.get().0.clone());
        }
        if given.hasattr("keys")? {
            return Scene::from_dict(given, "scene", None).map(|scene| scene.0);
        }
        match given.extract::<PathBuf>() {
            Ok(path) => Scene::load(given.py(), path).map(|scene| scene.0),
            Err(_) => {
                let remedy = "must be a Scene, the name or the path of one, or a dict of its tables";
                crate::error::setting("scene", input::short(given), remedy)
            }
        }
    }
}

#[pymethods]
impl Scene {
    /// Load a scene: the name of one that comes with taut, or a path to a TOML file.
    #[staticmethod]
    fn load(py: Python<'_>, name_or_path: PathBuf) -> PyResult<Self> {
        let name = name_or_path.to_string_lossy().into_owned();
        Scene::build(py, move || taut::Scene::load(&name))
    }

    /// Build a scene from its text. Mesh files are looked up in `folder` and nowhere else.
    #[staticmethod]
    #[pyo3(signature = (text, *, name = "scene", folder = None))]
    fn parse(py: Python<'_>, text: &str, name: &str, folder: Option<PathBuf>) -> PyResult<Self> {
        Scene::build(py, || taut::Scene::parse(name, text, folder.as_deref()))
    }

    /// Build a scene from its tables as dicts: those of a scene file.
    #[staticmethod]
    #[pyo3(signature = (tables, *, name = "scene", folder = None))]
    fn from_dict(tables: &Bound<'_, PyAny>, name: &str, folder: Option<PathBuf>) -> PyResult<Self> {
        let table = tables::table("scene", tables)?;
        Scene::build(tables.py(), || taut::Scene::from_tables(name, &table, folder.as_deref()))
    }

    /// The same scene with other values for some keys: `{"method.iterations": 20, "body.0.stretch": 80.0}`.
    fn replace(&self, changes: &Bound<'_, PyAny>) -> PyResult<Self> {
        let given = changes;
        let table = tables::table("changes", given)?;
        let changes: Vec<(&str, Value)> =
            table.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
        Scene::build(given.py(), || self.0.replace(&changes))
    }

    /// What is suspicious about it, worst first.
    fn check(&self, py: Python<'_>) -> Vec<Finding> {
        let threads = threads::usual();
        let diagnosis = py.detach(|| threads.run(|| self.0.examine()));
        diagnosis.findings.into_iter().map(Finding::from).collect()
    }

    /// A simulation at the start of the scene, on so many threads (by default one per core).
    #[pyo3(signature = (*, threads = None))]
    fn simulation(&self, py: Python<'_>, threads: Option<&Bound<'_, PyAny>>) -> PyResult<Simulation> {
        Simulation::of_scene(py, self.0.clone(), threads::asked(threads)?)
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// One line on what it shows.
    #[getter]
    fn title(&self) -> &str {
        &self.0.title
    }

    /// Hash of its text, 16 hexadecimal digits.
    #[getter]
    fn hash(&self) -> String {
        format!("{:016x}", self.0.hash)
    }

    /// The text it was built from.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// Frames to make.
    #[getter]
    fn frames(&self) -> usize {
        self.0.frames
    }

    /// Frames per second of simulated time [1/s].
    #[getter]
    fn frames_per_second(&self) -> f64 {
        self.0.frames_per_second
    }

    /// Steps per frame.
    #[getter]
    fn substeps(&self) -> usize {
        self.0.substeps
    }

    /// Time step [s].
    #[getter]
    fn time_step(&self) -> f64 {
        self.0.time_step()
    }

    /// Remarks of mesh loaders.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }

    fn __repr__(&self) -> String {
        format!("Scene({:?}: {} particles, {} frames)", self.0.name, self.0.model.particles(), self.0.frames)
    }
}
